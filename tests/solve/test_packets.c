// The packets and kernels of spheres and disks, and of rigid bodies of any shape.
#include "check.h"
#include "rigid_problems.h"
#include "solve/drivers/natural_map.h"
#include "solve/gauss_seidel/friction_nsgs.h"
#include "solve/gauss_seidel/sweep.h"
#include "solve/sweep_manifolds/manifolds.h"
#include "solve/sweep_manifolds/manifolds_fill.h"
#include "solve/sweep_spheres/spheres.h"

static gs_sweep prepared(const cn_friction *p, cn_arena *arena) {
    gs_sweep sweep;
    assert_int_equal(gs_sweep_prepare(p, cn_local_solver_find("hybrid"), 1.0, arena, &sweep),
                     CN_OK);
    return sweep;
}

// A kind of problem that packets are for.
typedef struct packed_case {
    int32_t dim;
    bool sphere;
    gs_sweep_kind kind;
} packed_case;

static const packed_case cases[] = {{2, true, GS_SWEEP_SPHERES},
                                    {3, true, GS_SWEEP_SPHERES},
                                    {2, false, GS_SWEEP_MANIFOLDS},
                                    {3, false, GS_SWEEP_MANIFOLDS}};
#define CASES (int)(sizeof cases / sizeof *cases)

CN_TEST(operators_are_recognised) {
    for (int c = 0; c < CASES; c++) {
        cn_arena *arena = cn_arena_create(NULL);
        cn_friction p = rigid_problem(arena, cases[c].dim, 1, cases[c].sphere);
        assert_int_equal(prepared(&p, arena).ops->kind, cases[c].kind);
        cn_arena_destroy(arena);
    }
}

// One arm off the normal makes balls a set of any bodies; with the masses unknown, or another
// entry of H, it is none that packets are for.
CN_TEST(what_does_not_fit_is_left_to_the_general_sweep) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        cn_arena *arena = cn_arena_create(NULL);
        cn_friction p = rigid_problem(arena, dim, 1, true);
        const double frame[3][3] = {{0.0, 1.0, 0.0}, {-1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}};
        const double arm[3] = {0.01, -1.0, 0.0};
        fill_side(&p, p.W.body.start[35], p.W.body.dof[p.W.body.start[35]] / (dim == 3 ? 6 : 3),
                  frame, arm, 1.0);
        prob_operator_diagonal(&p.W, dim, CONTACTS, p.W.diagonal);
        assert_int_equal(prepared(&p, arena).ops->kind, GS_SWEEP_MANIFOLDS);
        p.W.body.inverse = NULL;
        assert_int_equal(prepared(&p, arena).ops->kind, GS_SWEEP_ANY);
        p = rigid_problem(arena, dim, 1, false);
        p.W.body.H[dim * p.W.body.start[20]] += 1e-6;
        assert_int_equal(prepared(&p, arena).ops->kind, GS_SWEEP_ANY);
        cn_arena_destroy(arena);
    }
}

// A problem of one of the cases, with its sweep and impulses of zero.
typedef struct packed {
    cn_arena *arena;
    cn_friction p;
    gs_sweep sweep;
    double *x;
} packed;

static void packed_start(packed *s, const packed_case *c, uint64_t seed) {
    s->arena = cn_arena_create(NULL);
    s->p = rigid_problem(s->arena, c->dim, seed, c->sphere);
    s->sweep = prepared(&s->p, s->arena);
    s->x = BASE_TAKE_ZERO(s->arena, double, s->sweep.size + GS_SWEEP_PAD);
}

CN_TEST(impulses_pass_through_batches_unchanged) {
    for (int c = 0; c < CASES; c++) {
        packed s;
        packed_start(&s, &cases[c], 2);
        double r[3 * CONTACTS];
        gs_sweep_load(&s.sweep, s.p.q, s.x);
        gs_sweep_store(&s.sweep, s.x, r);
        for (int32_t i = 0; i < s.p.dim * CONTACTS; i++) {
            CN_CHECK_NEAR(r[i], s.p.q[i], 1e-14);
        }
        cn_arena_destroy(s.arena);
    }
}

// The kernel's error is that of the natural map with the operator's own velocities, before and
// after sweeps.
CN_TEST(the_error_of_batches_is_that_of_the_operator) {
    for (int c = 0; c < CASES; c++) {
        packed s;
        packed_start(&s, &cases[c], 3);
        double *v = BASE_TAKE(s.arena, double, s.p.W.body.dofs), r[3 * CONTACTS], u[3 * CONTACTS];
        gs_sweep_load(&s.sweep, s.p.q, s.x); // any impulses, in the cone or not
        for (int k = 0; k < 4; k++) {
            gs_sweep_run(&s.sweep, s.x, k);
            gs_sweep_store(&s.sweep, s.x, r);
            cn_friction_velocity(&s.p, r, v, u);
            for (int measure = CN_MEASURE_SCALED; measure <= CN_MEASURE_MAX; measure++) {
                double expected = solve_natural_error(&s.p, (cn_measure)measure, r, u);
                double error = gs_sweep_error(&s.sweep, (cn_measure)measure, s.x);
                CN_CHECK_NEAR(error, expected, 1e-12 * expected);
            }
        }
        cn_arena_destroy(s.arena);
    }
}

CN_TEST(sweeps_of_batches_solve_the_problem) {
    for (int c = 0; c < CASES; c++) {
        packed s;
        packed_start(&s, &cases[c], 4);
        double r[3 * CONTACTS];
        gs_sweep_run(&s.sweep, s.x, 5000);
        gs_sweep_store(&s.sweep, s.x, r);
        cn_grade grade;
        assert_int_equal(cn_friction_grade(&s.p, r, NULL, s.arena, &grade), CN_OK);
        CN_CHECK_BELOW(grade.residual, 1e-9);
        CN_CHECK_BELOW(grade.cone_violation, 1e-14);
        assert_true(grade.open > 0 && grade.stick > 0 && grade.slide > 0);
        cn_arena_destroy(s.arena);
    }
}

CN_TEST(wide_and_plain_batches_give_the_same_bits) {
    for (int c = 0; c < CASES; c++) {
        cn_arena *arena = cn_arena_create(NULL);
        cn_friction p = rigid_problem(arena, cases[c].dim, 5, cases[c].sphere);
        gs_sweep wide = prepared(&p, arena), plain = prepared(&p, arena);
        gs_sweep_use_portable(&plain);
        size_t bytes = sizeof(double) * (size_t)wide.size;
        double *a = BASE_TAKE_ZERO(arena, double, wide.size + GS_SWEEP_PAD),
               *b = BASE_TAKE_ZERO(arena, double, wide.size + GS_SWEEP_PAD);
        for (int k = 0; k < 50; k++) {
            gs_sweep_run(&wide, a, 2);
            gs_sweep_run(&plain, b, 2);
            assert_memory_equal(a, b, bytes);
            assert_true(gs_sweep_error(&wide, CN_MEASURE_SCALED, a) ==
                        gs_sweep_error(&plain, CN_MEASURE_SCALED, b));
        }
        cn_arena_destroy(arena);
    }
}

// ---- single precision ----

// Eight contacts at a time.
CN_TEST(lanes_are_filled_with_the_same_bits_on_every_processor) {
    cn_arena *arena = cn_arena_create(NULL);
    cn_friction p = rigid_problem(arena, 3, 5, false);
    gs_point_fill_fn *wide = gs_point_fill_avx2();
    const double frame[6] = {0.6, 0.8, 0.0, -0.8, 0.6, 0.0},
                 arm[6] = {0.5, 0.1, -0.2, 0.3, 0.2, 0.1};
    for (int32_t a = 0; a + GS_BATCH <= p.contacts; a += GS_BATCH) {
        gs_point_lanes lanes;
        gs_rigid_point point[2];
        for (int lane = 0; lane < GS_BATCH; lane++) {
            lanes.frame[lane] = frame;
            lanes.arm[lane] = arm;
            lanes.block[lane] = p.W.diagonal + 9 * (a + lane);
            lanes.q[lane] = p.q + 3 * (a + lane);
            lanes.mu[lane] = p.mu[a + lane];
        }
        bool good = gs_point_fill_portable(&lanes, 3, &point[0]);
        for (int lane = 0; lane < GS_BATCH; lane++) {
            const double *W = lanes.block[lane];
            CN_CHECK_NEAR(point[0].inv_nn[lane], 1.0 / W[0], 0.0);
            CN_CHECK_NEAR(point[0].nt[1][lane], W[6] * (1.0 / W[0]), 0.0);
            CN_CHECK_NEAR(point[0].rho[lane], 3.0 / (W[0] + W[4] + W[8]), 0.0);
            CN_CHECK_NEAR(point[0].n[1][lane], 0.8, 0.0);
            CN_CHECK_NEAR(point[0].arm_b[2][lane], 0.1, 0.0);
        }
        if (wide) {
            assert_true(wide(&lanes, 3, &point[1]) == good);
            assert_true(memcmp(&point[0], &point[1], sizeof point[0]) == 0);
        }
        // A block that is not symmetric, or not a number, fits in no packet.
        double bad[9];
        memcpy(bad, lanes.block[5], sizeof bad);
        bad[1] = a == 0 ? (double)NAN : bad[1] + 0.1 * bad[0];
        lanes.block[5] = bad;
        assert_false(gs_point_fill_portable(&lanes, 3, &point[0]));
        assert_false(wide && wide(&lanes, 3, &point[1]));
    }
    cn_arena_destroy(arena);
}

static gs_sweep prepared_single(const cn_friction *p, cn_arena *arena) {
    const gs_sweep_plan plan = {.relaxation = 1.0, .single = true, .rigid_single = true};
    gs_sweep sweep;
    assert_int_equal(gs_sweep_prepare_plan(p, cn_local_solver_find("hybrid"), &plan, arena, &sweep),
                     CN_OK);
    return sweep;
}

// Balls and bodies of other shapes are asked for by themselves.
CN_TEST(what_is_asked_for_is_swept_in_single) {
    for (int c = 0; c < 2 * CASES; c++) {
        bool spheres = c < CASES;
        const packed_case *own = &cases[c % CASES];
        const gs_sweep_plan plan = {.relaxation = 1.0, .single = spheres, .rigid_single = !spheres};
        cn_arena *arena = cn_arena_create(NULL);
        cn_friction p = rigid_problem(arena, own->dim, 1, own->sphere);
        gs_sweep sweep;
        assert_int_equal(
            gs_sweep_prepare_plan(&p, cn_local_solver_find("hybrid"), &plan, arena, &sweep), CN_OK);
        assert_int_equal(sweep.ops->kind, own->kind);
        assert_int_equal(sweep.ops->single, spheres == own->sphere);
        cn_arena_destroy(arena);
    }
}

CN_TEST(wide_and_plain_single_give_the_same_bits) {
    for (int c = 0; c < CASES; c++) {
        cn_arena *arena = cn_arena_create(NULL);
        cn_friction p = rigid_problem(arena, cases[c].dim, 5, cases[c].sphere);
        gs_sweep wide = prepared_single(&p, arena), plain = prepared_single(&p, arena);
        gs_sweep_use_portable(&plain);
        assert_true(plain.ops->kind == GS_SWEEP_SPHERES
                        ? ((const gs_spheres *)plain.elements)->kernel == &gs_sphere_kernel_float
                        : ((const gs_manifolds *)plain.elements)->kernel ==
                              &gs_manifold_kernel_float);
        float *a = BASE_TAKE_ZERO(arena, float, wide.size + GS_SWEEP_PAD),
              *b = BASE_TAKE_ZERO(arena, float, wide.size + GS_SWEEP_PAD);
        for (int k = 0; k < 50; k++) {
            gs_sweep_run(&wide, a, 2);
            gs_sweep_run(&plain, b, 2);
            assert_memory_equal(a, b, gs_sweep_bytes(&wide));
            assert_true(gs_sweep_error(&wide, CN_MEASURE_SCALED, a) ==
                        gs_sweep_error(&plain, CN_MEASURE_SCALED, b));
        }
        cn_arena_destroy(arena);
    }
}

// Sweep by sweep the same impulses, of balls to the last figures of a single, of other bodies as
// far as the steps of the secular equation agree; inside their cones; and the same error as the
// checker.
CN_TEST(single_follow_doubles) {
    for (int c = 0; c < CASES; c++) {
        int32_t dim = cases[c].dim;
        cn_arena *arena = cn_arena_create(NULL);
        cn_friction p = rigid_problem(arena, dim, 3, cases[c].sphere);
        gs_sweep exact = prepared(&p, arena), single = prepared_single(&p, arena);
        double *x = BASE_TAKE_ZERO(arena, double, exact.size + GS_SWEEP_PAD), r[3 * CONTACTS],
               rounded[3 * CONTACTS], farthest = 0.0, off = 0.0;
        float *y = BASE_TAKE_ZERO(arena, float, single.size + GS_SWEEP_PAD);
        bool secular = dim == 3 && !cases[c].sphere;
        for (int k = 0; k < (secular ? 100 : 20); k++) {
            double close = !secular ? 2e-6 : k < 80 ? 5e-3 : 2e-5;
            gs_sweep_run(&exact, x, 1);
            gs_sweep_run(&single, y, 1);
            gs_sweep_store(&exact, x, r);
            gs_sweep_store(&single, y, rounded);
            for (int32_t i = 0; i < dim * CONTACTS; i++) {
                farthest = fmax(farthest, fabs(rounded[i] - r[i]));
                CN_CHECK_NEAR(rounded[i], r[i], close);
            }
            cn_grade grade;
            assert_int_equal(cn_friction_grade(&p, rounded, NULL, arena, &grade), CN_OK);
            CN_CHECK_BELOW(grade.cone_violation, 1e-15);
            double error = gs_sweep_error(&exact, CN_MEASURE_SCALED, x),
                   seen = gs_sweep_error(&single, CN_MEASURE_SCALED, y);
            off = fmax(off, fabs(seen - grade.residual) / single.floor);
            CN_CHECK_NEAR(seen, error, 1e-6 + (secular ? 0.05 * error : 0.0));
            CN_CHECK_NEAR(seen, grade.residual, 1e-6);
            CN_CHECK_BELOW(fabs(seen - grade.residual), 0.1 * single.floor);
        }
        print_message("%dD, impulses off by %g, error by %g of its round-off\n", dim, farthest,
                      off);
        cn_arena_destroy(arena);
    }
}

CN_TEST(widened_sweeps_are_those_of_doubles) {
    for (int c = 0; c < CASES; c++) {
        cn_arena *arena = cn_arena_create(NULL);
        cn_friction p = rigid_problem(arena, cases[c].dim, 6, cases[c].sphere);
        gs_sweep exact = prepared(&p, arena), single = prepared_single(&p, arena);
        assert_int_equal(gs_sweep_widen(&single, arena), CN_OK);
        assert_false(single.ops->single);
        double *a = BASE_TAKE_ZERO(arena, double, exact.size + GS_SWEEP_PAD),
               *b = BASE_TAKE_ZERO(arena, double, exact.size + GS_SWEEP_PAD);
        gs_sweep_run(&exact, a, 9);
        gs_sweep_run(&single, b, 9);
        assert_memory_equal(a, b, gs_sweep_bytes(&exact));
        cn_arena_destroy(arena);
    }
}

// The same problem with masses, lengths and velocities in units far beyond what a single can hold
// the products of.
CN_TEST(single_do_not_depend_on_units) {
    const int mass[] = {-90, 100, -80, 70}, velocity[] = {40, -60, 40, -60};
    for (int c = 0; c < 4; c++) {
        bool sphere = c < 2;
        cn_arena *arena = cn_arena_create(NULL);
        cn_friction p = rigid_problem(arena, 3, 8, sphere),
                    other = rigid_problem(arena, 3, 8, sphere);
        gs_sweep sweep = prepared_single(&p, arena);
        float *x = BASE_TAKE_ZERO(arena, float, sweep.size + GS_SWEEP_PAD),
              *y = BASE_TAKE_ZERO(arena, float, sweep.size + GS_SWEEP_PAD);
        gs_sweep_run(&sweep, x, 20);
        for (int64_t k = 0; k < 3 * p.W.body.start[CONTACTS]; k++) {
            other.W.body.MinvH[k] = ldexp(p.W.body.MinvH[k], -mass[c]);
        }
        double *inverse = BASE_TAKE(arena, double, 6 * (int64_t)p.W.body.dofs);
        other.W.body.inverse = inverse;
        for (int64_t k = 0; k < 6 * (int64_t)p.W.body.dofs; k++) {
            inverse[k] = ldexp(p.W.body.inverse[k], -mass[c]);
        }
        for (int i = 0; i < 3 * CONTACTS; i++) {
            other.q[i] = ldexp(p.q[i], velocity[c]);
        }
        prob_operator_diagonal(&other.W, 3, CONTACTS, other.W.diagonal);
        gs_sweep turned = prepared_single(&other, arena);
        memset(y, 0, gs_sweep_bytes(&turned));
        gs_sweep_run(&turned, y, 20);
        assert_memory_equal(x, y, gs_sweep_bytes(&sweep));
        double r[3 * CONTACTS], same[3 * CONTACTS];
        gs_sweep_store(&sweep, x, r);
        gs_sweep_store(&turned, y, same);
        for (int i = 0; i < 3 * CONTACTS; i++) {
            CN_CHECK_NEAR(ldexp(same[i], -mass[c] - velocity[c]), r[i], 1e-15);
        }
        cn_arena_destroy(arena);
    }
}

// Sweeps with momentum, to and fro between two iterates; the newer one in *x. Some of them return.
static void momentum(gs_sweep *sweep, int count, void **x, void **other) {
    for (int k = 0; k < count; k++) {
        bool returns = sweep->ops->symmetric_momentum && k % 4 > 1;
        gs_sweep_momentum(sweep, 0.8, returns, *x, *other);
        void *newer = *other;
        *other = *x;
        *x = newer;
    }
}

// What is carried along belongs to the impulses, and no processor gives other bits than the plain
// code, in either precision; making the velocities anew changes nothing but round-off.
CN_TEST(momentum_keeps_velocities_and_bits) {
    for (int c = 0; c < 2 * CASES; c++) {
        bool single = c >= CASES;
        const packed_case *own = &cases[c % CASES];
        cn_arena *arena = cn_arena_create(NULL);
        cn_friction p = rigid_problem(arena, own->dim, 5, own->sphere);
        gs_sweep wide = single ? prepared_single(&p, arena) : prepared(&p, arena),
                 plain = single ? prepared_single(&p, arena) : prepared(&p, arena);
        void *a[2], *b[2];
        for (int k = 0; k < 2; k++) {
            a[k] = BASE_TAKE_ZERO(arena, double, wide.size + GS_SWEEP_PAD);
            b[k] = BASE_TAKE_ZERO(arena, double, wide.size + GS_SWEEP_PAD);
        }
        gs_sweep_use_portable(&plain);
        assert_true(wide.ops->momentum_max >= 0.8);
        gs_sweep_run(&wide, a[0], 0);
        gs_sweep_run(&plain, b[0], 0);
        gs_sweep_begin_momentum(&wide);
        gs_sweep_begin_momentum(&plain);
        for (int round = 0; round < 4; round++) {
            momentum(&wide, 25, &a[0], &a[1]);
            momentum(&plain, 25, &b[0], &b[1]);
            assert_memory_equal(a[0], b[0], gs_sweep_bytes(&wide));
            double r[3 * CONTACTS];
            cn_grade grade;
            gs_sweep_store(&wide, a[0], r);
            assert_int_equal(cn_friction_grade(&p, r, NULL, arena, &grade), CN_OK);
            double error = gs_sweep_error(&wide, CN_MEASURE_SCALED, a[0]), truth = grade.residual;
            CN_CHECK_NEAR(error, truth, single ? 1e-4 : 1e-12);
            gs_sweep_refresh(&wide, a[0], a[1]);
            gs_sweep_refresh(&plain, b[0], b[1]);
            CN_CHECK_NEAR(gs_sweep_error(&wide, CN_MEASURE_SCALED, a[0]), truth,
                          single ? 1e-5 : 1e-13);
        }
        cn_arena_destroy(arena);
    }
}

// The run of sweeps of a solver; what it has in the end.
typedef struct nsgs_end {
    bool began_single, ended_single;
    cn_solve_report report;
    cn_grade grade;
} nsgs_end;

static nsgs_end swept(const cn_friction *p, double tolerance, const char *single, cn_arena *arena) {
    const cn_friction_solver *solver = cn_friction_solver_find("nsgs");
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    opts.tolerance = tolerance;
    assert_int_equal(cn_solve_opts_set(&opts, &solver->info, "single", single, NULL), CN_OK);
    double *r = BASE_TAKE_ZERO(arena, double, p->dim * p->contacts);
    gs_nsgs run;
    nsgs_end end;
    assert_int_equal(gs_nsgs_prepare(p, &opts, arena, &run), CN_OK);
    end.began_single = run.sweep.ops->single;
    gs_nsgs_start(&run, r);
    assert_int_equal(gs_nsgs_go(&run, &opts, HUGE_VAL, &end.report), CN_OK);
    end.ended_single = run.sweep.ops->single;
    gs_nsgs_answer(&run, r);
    assert_int_equal(cn_friction_grade(p, r, NULL, arena, &end.grade), CN_OK);
    return end;
}

CN_TEST(sweeps_in_single_solve_to_their_tolerance) {
    for (int c = 0; c < CASES; c++) {
        for (int k = 0; k < 2; k++) {
            cn_arena *arena = cn_arena_create(NULL);
            cn_friction p = rigid_problem(arena, cases[c].dim, 4, cases[c].sphere);
            double tolerance = (k == 0 ? 1e-1 : 1e-2) * (cases[c].sphere ? 1e-2 : 1.0);
            nsgs_end end = swept(&p, tolerance, "1", arena),
                     whole = swept(&p, tolerance, "0", arena);
            assert_true(end.began_single && end.ended_single && !whole.began_single);
            assert_int_equal(end.report.outcome, CN_SOLVED);
            CN_CHECK_BELOW(end.grade.residual, tolerance);
            CN_CHECK_BELOW(end.grade.cone_violation, 1e-15);
            assert_int_equal(whole.report.outcome, CN_SOLVED);
            cn_arena_destroy(arena);
        }
    }
}

CN_TEST(rigid_bodies_are_swept_in_single_to_loose_tolerances_only) {
    cn_arena *arena = cn_arena_create(NULL);
    cn_friction p = rigid_problem(arena, 3, 4, false);
    assert_false(swept(&p, 1e-3, "1", arena).began_single);
    cn_arena_destroy(arena);
}

// A ball of 100 g under one of a tonne: the impulses on it cancel to the fourth figure, which
// leaves a single too few for the tolerance.
CN_TEST(what_single_cannot_hold_is_solved_in_doubles) {
    cn_arena *arena = cn_arena_create(NULL);
    cn_friction p = {.dim = 3, .contacts = 2, .W = {.kind = CN_OPERATOR_SPHERES}};
    double inv_mass[] = {10.0, 25.0, 1e-3, 2.5e-3, 0.0, 0.0}, arm[] = {0.0, 1.0, 1.0, 1.0};
    double normal[] = {0, 0, 1, 0, 0, 1};
    double q[] = {-1.0, 0.0, 0.0, 0.0, 0.0, 0.0}, mu[] = {0.5, 0.5}, diagonal[18];
    int32_t body[] = {2, 0, 0, 1};
    p.W.spheres = (cn_sphere_map){
        .bodies = 3, .inv_mass = inv_mass, .body = body, .arm = arm, .normal = normal};
    p.W.diagonal = diagonal;
    p.q = q;
    p.mu = mu;
    prob_operator_diagonal(&p.W, 3, 2, diagonal);
    q[3] = -1e-3; // the upper one comes down a little faster
    nsgs_end end = swept(&p, 1e-5, "1", arena);
    assert_true(end.began_single && !end.ended_single);
    assert_int_equal(end.report.outcome, CN_SOLVED);
    CN_CHECK_BELOW(end.grade.residual, 1e-5);
    CN_CHECK_BELOW(end.grade.cone_violation, 1e-15);
    assert_false(swept(&p, 1e-8, "1", arena).began_single);
    cn_arena_destroy(arena);
}

// A column of balls, the load of which goes down one ball a sweep: statuses hold still from the
// start and one slow mode is left, for which mixing is better than momentum. It is found and kept.
CN_TEST(mixing_takes_over_where_momentum_is_slow) {
    enum { spheres = 200 };
    cn_arena *arena = cn_arena_create(NULL);
    cn_friction p = {.dim = 3, .contacts = spheres, .W = {.kind = CN_OPERATOR_SPHERES}};
    double inv_mass[2 * (spheres + 1)] = {0.0}, arm[2 * spheres], normal[3 * spheres] = {0.0};
    double q[3 * spheres] = {-1.0}, mu[spheres], r[3 * spheres] = {0.0};
    int32_t body[2 * spheres];
    for (int32_t i = 0; i < spheres; i++) {
        inv_mass[2 * i] = 1.0;
        inv_mass[2 * i + 1] = 2.5;
        body[2 * i] = i == 0 ? spheres : i - 1;
        body[2 * i + 1] = i;
        arm[2 * i] = i == 0 ? 0.0 : 1.0;
        arm[2 * i + 1] = normal[3 * i + 2] = 1.0;
        mu[i] = 0.5;
    }
    p.W.spheres = (cn_sphere_map){
        .bodies = spheres + 1, .inv_mass = inv_mass, .body = body, .arm = arm, .normal = normal};
    p.q = q;
    p.mu = mu;
    const cn_friction_solver *solver = cn_friction_solver_find("nsgs");
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    opts.tolerance = 1e-8;
    opts.max_iterations = 20000;
    gs_nsgs run;
    cn_solve_report report;
    assert_int_equal(gs_nsgs_prepare(&p, &opts, arena, &run), CN_OK);
    gs_nsgs_start(&run, r);
    assert_true(run.with_momentum);
    assert_int_equal(gs_nsgs_go(&run, &opts, HUGE_VAL, &report), CN_OK);
    gs_nsgs_answer(&run, r);
    assert_int_equal(report.outcome, CN_SOLVED);
    print_message("%d sweeps; fall per sweep with Anderson %g, with momentum %g\n",
                  report.iterations, run.fall_rate[0], run.fall_rate[1]);
    assert_false(run.with_momentum);
    CN_CHECK_BELOW(run.fall_rate[1], run.fall_rate[0]);
    for (int32_t i = 0; i < spheres; i++) {
        CN_CHECK_NEAR(r[3 * i], spheres - i, 1e-2);
    }
    cn_arena_destroy(arena);
}

#define LAYERS 17
#define ACROSS 16
#define SLAB (LAYERS * ACROSS * ACROSS)

// Layers of balls, each ball on four of the layer below and the first on the ground, without edges:
// what leaves on one side comes in on the other. And their weight, 1 N s each.
static cn_friction slab(cn_arena *arena) {
    int32_t contacts = 0, *body = BASE_TAKE(arena, int32_t, 8 * SLAB);
    double *inv_mass = BASE_TAKE_ZERO(arena, double, 2 * (SLAB + 1)),
           *arm = BASE_TAKE(arena, double, 8 * SLAB), *normal = BASE_TAKE(arena, double, 12 * SLAB),
           *q = BASE_TAKE_ZERO(arena, double, 12 * SLAB), *mu = BASE_TAKE(arena, double, 4 * SLAB);
    for (int32_t sphere = 0; sphere < SLAB; sphere++) {
        bool on_ground = sphere < ACROSS * ACROSS;
        int32_t x = sphere % ACROSS, y = sphere / ACROSS % ACROSS;
        for (int32_t k = 0; k < (on_ground ? 1 : 4); k++, contacts++) {
            int32_t below = (y + k / 2) % ACROSS * ACROSS + (x + k % 2) % ACROSS +
                            (sphere / (ACROSS * ACROSS) - 1) * ACROSS * ACROSS;
            double side = on_ground ? 0.0 : 0.5;
            body[2 * contacts] = on_ground ? SLAB : below;
            body[2 * contacts + 1] = sphere;
            arm[2 * contacts] = on_ground ? 0.0 : 1.0;
            arm[2 * contacts + 1] = 1.0;
            normal[3 * contacts] = k % 2 == 0 ? side : -side;
            normal[3 * contacts + 1] = k / 2 == 0 ? side : -side;
            normal[3 * contacts + 2] = on_ground ? 1.0 : sqrt(0.5);
            q[3 * contacts] = on_ground ? -1.0 : 0.0;
            mu[contacts] = 0.5;
        }
        inv_mass[2 * sphere] = 1.0;
        inv_mass[2 * sphere + 1] = 2.5;
    }
    cn_friction p = {.dim = 3, .contacts = contacts, .W = {.kind = CN_OPERATOR_SPHERES}};
    p.W.spheres = (cn_sphere_map){
        .bodies = SLAB + 1, .inv_mass = inv_mass, .body = body, .arm = arm, .normal = normal};
    p.q = q;
    p.mu = mu;
    return p;
}

// Solved from impulses of that size: what the ground carries. *launch: the run's.
static double carried_from(const cn_friction *p, double start, cn_arena *arena, int64_t *boost) {
    const cn_friction_solver *solver = cn_friction_solver_find("nsgs");
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    gs_nsgs run;
    cn_solve_report report;
    double *r = BASE_TAKE(arena, double, 3 * p->contacts), carried = 0.0;
    opts.tolerance = 1e-3;
    for (int32_t i = 0; i < 3 * p->contacts; i++) {
        r[i] = start;
    }
    assert_int_equal(gs_nsgs_prepare(p, &opts, arena, &run), CN_OK);
    gs_nsgs_start(&run, r);
    *boost = run.cold_start;
    assert_int_equal(gs_nsgs_go(&run, &opts, HUGE_VAL, &report), CN_OK);
    assert_int_equal(report.outcome, CN_SOLVED);
    print_message("%d sweeps, launched for %d\n", report.iterations, (int)run.cold_start);
    gs_nsgs_answer(&run, r);
    for (int32_t a = 0; a < ACROSS * ACROSS; a++) {
        carried += r[3 * a];
    }
    return carried;
}

// From nothing the load gets to the ground with more momentum than a start that is near would bear;
// that there is no impulse at all tells the two apart. Both end in the same place.
CN_TEST(only_a_start_from_nothing_is_launched) {
    cn_arena *arena = cn_arena_create(NULL);
    cn_friction p = slab(arena);
    int64_t boost;
    CN_CHECK_NEAR(carried_from(&p, 1e-9, arena, &boost), SLAB, 0.01 * SLAB);
    assert_int_equal(boost, 0);
    CN_CHECK_NEAR(carried_from(&p, 0.0, arena, &boost), SLAB, 0.01 * SLAB);
    assert_in_range(boost, LAYERS, LAYERS * ACROSS);
    cn_arena_destroy(arena);
}

// A block on more points than it has velocities, to a tolerance out of reach, where the error all
// but stops falling: without another way to turn to, sweeps end at their limit and at nothing else.
CN_TEST(sweeps_alone_do_not_give_up) {
    enum { points = 16 };
    cn_arena *arena = cn_arena_create(NULL);
    cn_friction p = {.dim = 3, .contacts = points, .W = {.kind = CN_OPERATOR_POINTS}};
    double inverse[2 * 36] = {0.0}, arm[6 * points] = {0.0}, frame[6 * points] = {0.0};
    double diagonal[9 * points], q[3 * points] = {0.0}, mu[points], r[3 * points] = {0.0};
    int32_t body[2 * points];
    base_rng rng = base_rng_seed(1);
    for (int32_t k = 0; k < 6; k++) {
        inverse[36 + 7 * k] = k < 3 ? 1.0 : 6.0;
    }
    for (int32_t a = 0; a < points; a++) {
        body[2 * a] = 0;
        body[2 * a + 1] = 1;
        frame[6 * a + 2] = frame[6 * a + 3] = 1.0; // n along z, t along x
        arm[6 * a + 3] = base_rng_uniform(&rng, -0.5, 0.5);
        arm[6 * a + 4] = base_rng_uniform(&rng, -0.5, 0.5);
        arm[6 * a + 5] = -0.3;
        q[3 * a] = -1.0;
        q[3 * a + 1] = 0.2;
        mu[a] = 0.5;
    }
    p.W.points =
        (cn_point_map){.bodies = 2, .inverse = inverse, .body = body, .arm = arm, .frame = frame};
    p.W.diagonal = diagonal;
    p.q = q;
    p.mu = mu;
    prob_operator_diagonal(&p.W, 3, points, diagonal);
    const cn_friction_solver *solver = cn_friction_solver_find("nsgs");
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    opts.tolerance = 1e-30;
    opts.max_iterations = 1000;
    gs_nsgs run;
    cn_solve_report report;
    assert_int_equal(gs_nsgs_prepare(&p, &opts, arena, &run), CN_OK);
    gs_nsgs_start(&run, r);
    assert_true(run.hyperstatic);
    assert_int_equal(gs_nsgs_go(&run, &opts, HUGE_VAL, &report), CN_OK);
    print_message("%d sweeps, error %g\n", report.iterations, run.best_error);
    assert_int_equal(report.outcome, CN_LIMIT);
    CN_CHECK_BELOW(run.best_error, 1e-12);
    cn_arena_destroy(arena);
}

// A pair of bodies with one point beside a pair with four: the three places that it leaves empty
// push nothing, however fast its bodies approach along the axes. Velocities that they had a part in
// would not be those of the impulses.
CN_TEST(empty_places_push_nothing) {
    enum { points = 5, bodies = 4 };
    cn_arena *arena = cn_arena_create(NULL);
    const cn_friction_solver *solver = cn_friction_solver_find("nsgs");
    for (int32_t axis = 0; axis < 6; axis++) {
        cn_friction p = {.dim = 3, .contacts = points, .W = {.kind = CN_OPERATOR_POINTS}};
        double inverse[bodies * 36] = {0.0}, arm[6 * points] = {0.0}, frame[6 * points] = {0.0};
        double diagonal[9 * points], q[3 * points] = {0.0}, mu[points], r[3 * points] = {0.0};
        int32_t body[2 * points];
        for (int32_t k = 0; k < 6 * bodies; k++) {
            inverse[36 * (k / 6) + 7 * (k % 6)] = 1.0;
        }
        for (int32_t a = 0; a < points; a++) {
            bool four = a < points - 1;
            int32_t along = axis / 2;
            body[2 * a] = four ? 0 : 2;
            body[2 * a + 1] = four ? 1 : 3;
            frame[6 * a + along] = axis % 2 ? -1.0 : 1.0;
            frame[6 * a + 3 + (along + 1) % 3] = 1.0;
            arm[6 * a + (along + 1) % 3] = four && a % 2 ? 0.5 : -0.5;
            arm[6 * a + (along + 2) % 3] = four && a / 2 ? 0.5 : -0.5;
            q[3 * a] = -10.0;
            mu[a] = 0.5;
        }
        p.W.points = (cn_point_map){
            .bodies = bodies, .inverse = inverse, .body = body, .arm = arm, .frame = frame};
        p.W.diagonal = diagonal;
        p.q = q;
        p.mu = mu;
        prob_operator_diagonal(&p.W, 3, points, diagonal);
        cn_solve_opts opts = cn_solve_opts_default(&solver->info);
        gs_nsgs run;
        cn_solve_report report;
        double error;
        opts.tolerance = 1e-10;
        assert_int_equal(gs_nsgs_prepare(&p, &opts, arena, &run), CN_OK);
        assert_int_equal(run.sweep.ops->kind, GS_SWEEP_MANIFOLDS);
        gs_nsgs_start(&run, r);
        assert_int_equal(gs_nsgs_go(&run, &opts, HUGE_VAL, &report), CN_OK);
        assert_int_equal(report.outcome, CN_SOLVED);
        gs_nsgs_answer(&run, r);
        assert_int_equal(gs_sweep_error_of(&run.sweep, r, arena, &error), CN_OK);
        CN_CHECK_BELOW(error, opts.tolerance);
    }
    cn_arena_destroy(arena);
}

// No body twice in a packet or in two packets in a row, every contact once.
static void check_bodies_apart(int32_t contacts, const int32_t *pair, int32_t bodies,
                               cn_arena *arena, gs_batches *batches) {
    assert_int_equal(gs_batches_fill(contacts, pair, bodies, arena, batches), CN_OK);
    int32_t *by_slot = BASE_TAKE(arena, int32_t, GS_BATCH * batches->count),
            *seen = BASE_TAKE(arena, int32_t, bodies);
    for (int32_t i = 0; i < GS_BATCH * batches->count; i++) {
        by_slot[i] = -1;
    }
    for (int32_t a = 0; a < contacts; a++) {
        assert_int_equal(by_slot[batches->slot[a]], -1);
        by_slot[batches->slot[a]] = a;
    }
    for (int32_t i = 0; i < bodies; i++) {
        seen[i] = -2;
    }
    for (int32_t slot = 0; slot < GS_BATCH * batches->count; slot++) {
        for (int side = 0; side < 2 && by_slot[slot] >= 0; side++) {
            int32_t body = pair[2 * by_slot[slot] + side];
            if (body < bodies) {
                assert_true(slot / GS_BATCH > seen[body] + 1);
                seen[body] = slot / GS_BATCH;
            }
        }
    }
}

CN_TEST(batches_keep_bodies_apart) {
    cn_arena *arena = cn_arena_create(NULL);
    enum { bodies = 2000, contacts = 7000 };
    int32_t *pair = BASE_TAKE(arena, int32_t, 2 * contacts);
    base_rng rng = base_rng_seed(6);
    for (int32_t a = 0; a < contacts; a++) {
        int32_t i = (int32_t)((int64_t)a * bodies / contacts);
        pair[2 * a] = i;
        pair[2 * a + 1] = a % 9 == 0 ? bodies : (i + 1 + base_rng_below(&rng, 40)) % bodies;
    }
    gs_batches batches;
    check_bodies_apart(contacts, pair, bodies, arena, &batches);
    CN_CHECK_BELOW(batches.count, 1.1 * contacts / GS_BATCH); // few empty lanes
    cn_arena_destroy(arena);
}

// A body with more contacts than the window has packets: it moves on past packets that are not
// full, and what was in the one before it must not come into its first.
CN_TEST(batches_keep_bodies_apart_that_touch_a_large_one) {
    cn_arena *arena = cn_arena_create(NULL);
    enum { bodies = 41, large = bodies - 1, contacts = 3 * large };
    int32_t *pair = BASE_TAKE(arena, int32_t, 2 * contacts);
    base_rng rng = base_rng_seed(7);
    for (int32_t a = 0; a < contacts; a++) {
        int32_t step = 1 + base_rng_below(&rng, large - 1);
        pair[2 * a] = a % large;
        pair[2 * a + 1] = a < large ? large : (a + step) % large;
    }
    gs_batches batches;
    check_bodies_apart(contacts, pair, bodies, arena, &batches);
    cn_arena_destroy(arena);
}
