// Sweeps over packets that return the way they came, and the height of what is swept so.
#include "base/arena.h"
#include "check.h"
#include "problem/operator/operator.h"
#include "solve/gauss_seidel/body_order.h"
#include "solve/gauss_seidel/contact_order.h"
#include "solve/gauss_seidel/friction_nsgs.h"
#include "solve/gauss_seidel/sweep.h"
#include "solve/sweep_manifolds/manifolds.h"
#include "solve/sweep_spheres/spheres.h"

#include <math.h>

// Towers of boxes that stand on their four corners, one on the other, a corner's height apart. Seen
// from a box the ground is body 0. Gravity has acted for a step, with a push from the side.
static cn_friction towers(int32_t count, int32_t high, cn_arena *arena) {
    int32_t bodies = count * high + 1, contacts = 4 * count * high;
    cn_friction p = {.dim = 3, .contacts = contacts, .W = {.kind = CN_OPERATOR_POINTS}};
    double *inverse = BASE_TAKE_ZERO(arena, double, 36 * (int64_t)bodies),
           *arm = BASE_TAKE_ZERO(arena, double, 6 * (int64_t)contacts),
           *frame = BASE_TAKE_ZERO(arena, double, 6 * (int64_t)contacts);
    int32_t *body = BASE_TAKE(arena, int32_t, 2 * (int64_t)contacts);
    p.q = BASE_TAKE_ZERO(arena, double, 3 * (int64_t)contacts);
    p.mu = BASE_TAKE(arena, double, contacts);
    p.W.diagonal = BASE_TAKE(arena, double, 9 * (int64_t)contacts);
    for (int32_t i = 1; i < bodies; i++) {
        for (int32_t k = 0; k < 6; k++) {
            inverse[36 * i + 7 * k] = k < 3 ? 1.0 : 6.0;
        }
    }
    for (int32_t a = 0; a < contacts; a++) {
        int32_t upper = a / 4 + 1, on_ground = a / 4 % high == 0;
        double corner[2] = {a % 2 ? 0.5 : -0.5, a / 2 % 2 ? 0.5 : -0.5};
        body[2 * a] = on_ground ? 0 : upper - 1;
        body[2 * a + 1] = upper;
        frame[6 * a + 2] = frame[6 * a + 3] = 1.0; // n along z, t along x
        for (int32_t side = 0; side < 2; side++) {
            double *own = arm + 6 * a + 3 * side;
            own[0] = corner[0];
            own[1] = corner[1];
            own[2] = side == 0 ? 0.5 : -0.5;
        }
        p.q[3 * a] = on_ground ? -1.0 : 0.0;
        p.q[3 * a + 1] = on_ground ? 0.1 : 0.0;
        p.mu[a] = 1.5; // all stick, which the packets solve exactly
    }
    p.W.points = (cn_point_map){
        .bodies = bodies, .inverse = inverse, .body = body, .arm = arm, .frame = frame};
    prob_operator_diagonal(&p.W, 3, contacts, p.W.diagonal);
    return p;
}

// The contacts of towers in the order of the packets that their manifolds are in.
static void order_of_batches(const gs_sweep *sweep, int32_t contacts, int32_t *order) {
    const gs_batches *batches = &((const gs_manifolds *)sweep->elements)->batches;
    int32_t placed = 0;
    for (int32_t slot = 0; slot < GS_BATCH * batches->count; slot++) {
        for (int32_t a = 0; a < contacts; a++) {
            if (batches->slot[a / 4] == slot) {
                order[placed++] = a;
            }
        }
    }
    assert_int_equal(placed, contacts);
}

// A pair of sweeps over packets, forth and back, visits contact after contact and returns the way
// it came.
CN_TEST(sweeps_return_the_way_they_came) {
    cn_arena *arena = cn_arena_create(NULL);
    cn_friction p = towers(4, 9, arena), body, turned;
    int64_t m = 3 * (int64_t)p.contacts;
    gs_sweep packed, visits;
    const gs_sweep_plan plan = {.relaxation = 1.0, .symmetric = true};
    int32_t *order = BASE_TAKE(arena, int32_t, p.contacts);
    assert_int_equal(gs_sweep_prepare(&p, cn_local_solver_find("hybrid"), 1.0, arena, &packed),
                     CN_OK);
    order_of_batches(&packed, p.contacts, order);
    assert_int_equal(cn_friction_expand(&p, arena, &body), CN_OK);
    assert_int_equal(gs_contact_reorder(&body, order, arena, &turned), CN_OK);
    assert_int_equal(
        gs_sweep_prepare_plan(&turned, cn_local_solver_find("hybrid"), &plan, arena, &visits),
        CN_OK);
    assert_int_equal(packed.ops->kind, GS_SWEEP_MANIFOLDS);
    assert_int_equal(visits.ops->kind, GS_SWEEP_ANY);
    void *x = BASE_TAKE_ZERO(arena, double, packed.size + GS_SWEEP_PAD),
         *to = BASE_TAKE_ZERO(arena, double, packed.size + GS_SWEEP_PAD);
    double *y = BASE_TAKE_ZERO(arena, double, m + GS_SWEEP_PAD), *r = BASE_TAKE(arena, double, m),
           *want = BASE_TAKE(arena, double, m), largest = 0.0;
    gs_sweep_run(&packed, x, 0);
    gs_sweep_begin_momentum(&packed);
    gs_sweep_run(&visits, y, 0);
    for (int round = 0; round < 10; round++) {
        gs_sweep_momentum(&packed, 0.0, true, x, to);
        void *newer = to;
        to = x;
        x = newer;
        gs_sweep_go_on(&visits, y, 1);
        gs_sweep_store(&packed, x, r);
        gs_contact_scatter(&p, order, y, want);
        for (int64_t i = 0; i < m; i++) {
            largest = fmax(largest, fabs(r[i]));
            CN_CHECK_NEAR(r[i], want[i], 1e-12);
        }
    }
    assert_true(largest > 0.1);
    cn_arena_destroy(arena);
}

// Towers to a tolerance; whether the sweeps came to return.
static bool towers_return(int32_t count, int32_t high, int32_t max, cn_arena *arena) {
    const cn_friction_solver *solver = cn_friction_solver_find("nsgs");
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    cn_friction p = towers(count, high, arena);
    double *r = BASE_TAKE_ZERO(arena, double, 3 * (int64_t)p.contacts), weight = 0.0;
    gs_nsgs run;
    cn_solve_report report;
    opts.tolerance = 1e-2;
    opts.max_iterations = max;
    assert_int_equal(gs_nsgs_prepare(&p, &opts, arena, &run), CN_OK);
    gs_nsgs_start(&run, r);
    assert_int_equal(gs_nsgs_go(&run, &opts, HUGE_VAL, &report), CN_OK);
    print_message("%d boxes high: %d sweeps, error %g\n", high, report.iterations, run.best_error);
    assert_true(report.iterations <= max);
    if (report.outcome == CN_SOLVED) {
        gs_nsgs_answer(&run, r);
        for (int32_t a = 0; a < p.contacts; a++) {
            weight += p.q[3 * a] < 0.0 ? r[3 * a] : 0.0;
        }
        CN_CHECK_NEAR(weight, (double)(count * high), 0.1 * count * high); // all fell at 1 m/s
    }
    assert_true(report.outcome == CN_SOLVED || report.iterations == max);
    return run.symmetric;
}

// High sets go forth and back, low ones and small ones do not; the limit of sweeps holds for pairs.
CN_TEST(high_sets_are_swept_forth_and_back) {
    cn_arena *arena = cn_arena_create(NULL);
    assert_true(towers_return(20, 30, 5000, arena));
    assert_false(towers_return(60, 10, 5000, arena));
    assert_false(towers_return(2, 30, 5000, arena));
    assert_true(towers_return(20, 30, 41, arena));
    assert_true(towers_return(20, 30, 42, arena));
    cn_arena_destroy(arena);
}

// The way to what is static: none, one, along a chain, and the shorter of two.
CN_TEST(depth_is_the_longest_of_the_shortest_ways) {
    cn_arena *arena = cn_arena_create(NULL);
    const int32_t chain[] = {9, 0, 0, 1, 1, 2, 2, 3}, ring[] = {0, 1, 1, 2, 2, 3, 3, 9, 9, 0};
    const struct {
        int32_t contacts;
        const int32_t *body;
        int32_t depth;
    } way[] = {{0, chain, 0}, {3, chain + 2, 0}, {1, chain, 1}, {4, chain, 4}, {5, ring, 2}};
    for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
        int32_t depth = -1;
        assert_int_equal(gs_body_depth(way[i].contacts, way[i].body, 4, arena, &depth), CN_OK);
        assert_int_equal(depth, way[i].depth);
    }
    cn_arena_destroy(arena);
}
