// The packets and kernels of spheres and disks.
#include "base/arena.h"
#include "base/rng.h"
#include "check.h"
#include "math/vec3.h"
#include "problem/operator.h"
#include "solve/natural.h"
#include "solve/sweep.h"

#include <math.h>
#include <string.h>

#define BODIES 40
#define CONTACTS 70

static double spread(cn_rng *rng) {
    return cn_rng_uniform(rng, -1.0, 1.0);
}

static void scale(double factor, const double *from, double *to) {
    for (int k = 0; k < 3; k++) {
        to[k] = factor * from[k];
    }
}

// One side of a contact: velocities of the body, lever arm and sign.
static void fill_side(cn_friction *p, int64_t first, int32_t body, const double frame[3][3],
                      const double arm[3], double sign, const double mass[2]) {
    int32_t dim = p->dim, run = dim == 3 ? 6 : 3;
    for (int32_t k = 0; k < run; k++) {
        p->W.body.dof[first + k] = run * body + k;
        for (int32_t d = 0; d < dim; d++) {
            double moment[3];
            cn_cross3(arm, frame[d], moment);
            double value = k < dim ? frame[d][k] : (dim == 3 ? moment[k - 3] : moment[2]);
            p->W.body.H[dim * (first + k) + d] = sign * value;
            p->W.body.MinvH[dim * (first + k) + d] = sign * value * mass[k < dim ? 0 : 1];
        }
    }
}

// Balls of random sizes in random touch, every fifth contact with something fixed. crooked: one
// lever arm off the normal.
static cn_friction balls(cn_arena *arena, int32_t dim, uint64_t seed, bool crooked) {
    int32_t run = dim == 3 ? 6 : 3, most = 2 * run * CONTACTS;
    cn_friction p = {.dim = dim, .contacts = CONTACTS, .W = {.kind = CN_OPERATOR_BODY}};
    p.W.body = (cn_body_map){.dofs = run * BODIES,
                             .start = CN_TAKE(arena, int64_t, CONTACTS + 1),
                             .dof = CN_TAKE(arena, int32_t, most),
                             .H = CN_TAKE(arena, double, most *dim),
                             .MinvH = CN_TAKE(arena, double, most *dim)};
    p.q = CN_TAKE(arena, double, dim *CONTACTS);
    p.mu = CN_TAKE(arena, double, CONTACTS);
    p.W.diagonal = CN_TAKE(arena, double, dim *dim *CONTACTS);
    cn_rng rng = cn_rng_seed(seed);
    double mass[BODIES][2];
    for (int32_t i = 0; i < BODIES; i++) {
        mass[i][0] = cn_rng_uniform(&rng, 0.5, 1.5);
        mass[i][1] = cn_rng_uniform(&rng, 1.0, 2.0);
    }
    double free[6 * BODIES];
    for (int32_t i = 0; i < run * BODIES; i++) {
        free[i] = spread(&rng);
    }
    int64_t at = 0;
    for (int32_t a = 0; a < CONTACTS; a++) {
        double frame[3][3] = {{spread(&rng), spread(&rng), dim == 3 ? spread(&rng) : 0.0},
                              {spread(&rng), spread(&rng), dim == 3 ? spread(&rng) : 0.0}};
        scale(1.0 / sqrt(cn_dot3(frame[0], frame[0])), frame[0], frame[0]);
        cn_add_scaled3(frame[1], -cn_dot3(frame[0], frame[1]), frame[0], frame[1]);
        scale(1.0 / sqrt(cn_dot3(frame[1], frame[1])), frame[1], frame[1]);
        cn_add_scaled3(frame[1], -cn_dot3(frame[0], frame[1]), frame[0], frame[1]); // to round-off
        cn_cross3(frame[0], frame[1], frame[2]);
        int32_t i = a % BODIES, j = (i + 1 + a / 7) % BODIES;
        double arm[3];
        p.W.body.start[a] = at;
        if (a % 5 != 0) {
            scale(0.9, frame[0], arm);
            fill_side(&p, at, i < j ? i : j, frame, arm, -1.0, mass[i < j ? i : j]);
            at += run;
        }
        scale(-1.1, frame[0], arm);
        arm[0] += crooked && a == 37 ? 0.01 : 0.0;
        int32_t other = a % 5 != 0 ? (i < j ? j : i) : i;
        fill_side(&p, at, other, frame, arm, 1.0, mass[other]);
        at += run;
        p.mu[a] = a % 11 == 0 ? 0.0 : cn_rng_uniform(&rng, 0.0, 0.6);
        // Velocities that the bodies can stop: a solution exists.
        for (int32_t d = 0; d < dim; d++) {
            p.q[dim * a + d] = 0.0;
            for (int64_t k = p.W.body.start[a]; k < at; k++) {
                p.q[dim * a + d] += p.W.body.H[dim * k + d] * free[p.W.body.dof[k]];
            }
        }
    }
    p.W.body.start[CONTACTS] = at;
    cn_operator_diagonal(&p.W, dim, CONTACTS, p.W.diagonal);
    return p;
}

static cn_sweep prepared(const cn_friction *p, cn_arena *arena) {
    cn_sweep sweep;
    assert_int_equal(cn_sweep_prepare(p, cn_local_solver_find("hybrid"), 1.0, arena, &sweep),
                     CN_OK);
    return sweep;
}

CN_TEST(balls_are_recognised_and_a_crooked_arm_is_not) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        cn_arena *arena = cn_arena_create(NULL);
        cn_friction straight = balls(arena, dim, 1, false), crooked = balls(arena, dim, 1, true);
        CN_CHECK_TRUE(prepared(&straight, arena).round);
        CN_CHECK_TRUE(!prepared(&crooked, arena).round);
        cn_arena_destroy(arena);
    }
}

CN_TEST(impulses_pass_through_packets_unchanged) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        cn_arena *arena = cn_arena_create(NULL);
        cn_friction p = balls(arena, dim, 2, false);
        cn_sweep sweep = prepared(&p, arena);
        double *x = CN_TAKE_ZERO(arena, double, sweep.size + CN_SWEEP_PAD), r[3 * CONTACTS];
        cn_sweep_load(&sweep, p.q, x);
        cn_sweep_store(&sweep, x, r);
        for (int32_t i = 0; i < dim * CONTACTS; i++) {
            CN_CHECK_NEAR(r[i], p.q[i], 1e-14);
        }
        cn_arena_destroy(arena);
    }
}

// The kernel's error is that of the natural map with the operator's own velocities, before and
// after sweeps.
CN_TEST(the_error_of_packets_is_that_of_the_operator) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        cn_arena *arena = cn_arena_create(NULL);
        cn_friction p = balls(arena, dim, 3, false);
        cn_sweep sweep = prepared(&p, arena);
        double *x = CN_TAKE_ZERO(arena, double, sweep.size + CN_SWEEP_PAD);
        double *v = CN_TAKE(arena, double, p.W.body.dofs), r[3 * CONTACTS], u[3 * CONTACTS];
        cn_sweep_load(&sweep, p.q, x); // any impulses, in the cone or not
        for (int k = 0; k < 4; k++) {
            cn_sweep_run(&sweep, x, k);
            cn_sweep_store(&sweep, x, r);
            cn_friction_velocity(&p, r, v, u);
            for (int measure = CN_MEASURE_SCALED; measure <= CN_MEASURE_MAX; measure++) {
                double expected = cn_natural_error(&p, (cn_measure)measure, r, u);
                double error = cn_sweep_error(&sweep, (cn_measure)measure, x);
                CN_CHECK_NEAR(error, expected, 1e-12 * expected);
            }
        }
        cn_arena_destroy(arena);
    }
}

CN_TEST(sweeps_of_packets_solve_the_problem) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        cn_arena *arena = cn_arena_create(NULL);
        cn_friction p = balls(arena, dim, 4, false);
        cn_sweep sweep = prepared(&p, arena);
        double *x = CN_TAKE_ZERO(arena, double, sweep.size + CN_SWEEP_PAD), r[3 * CONTACTS];
        cn_sweep_run(&sweep, x, 5000);
        cn_sweep_store(&sweep, x, r);
        cn_grade grade;
        assert_int_equal(cn_friction_grade(&p, r, NULL, arena, &grade), CN_OK);
        CN_CHECK_BELOW(grade.residual, 1e-9);
        CN_CHECK_BELOW(grade.cone_violation, 1e-14);
        assert_true(grade.open > 0 && grade.stick > 0 && grade.slide > 0);
        cn_arena_destroy(arena);
    }
}

CN_TEST(wide_and_plain_packets_give_the_same_bits) {
    cn_arena *arena = cn_arena_create(NULL);
    cn_friction p = balls(arena, 3, 5, false);
    cn_sweep wide = prepared(&p, arena), plain = prepared(&p, arena);
    cn_sweep_use_plain(&plain);
    size_t bytes = sizeof(double) * (size_t)wide.size;
    double *a = CN_TAKE_ZERO(arena, double, wide.size + CN_SWEEP_PAD),
           *b = CN_TAKE_ZERO(arena, double, wide.size + CN_SWEEP_PAD);
    for (int k = 0; k < 50; k++) {
        cn_sweep_run(&wide, a, 2);
        cn_sweep_run(&plain, b, 2);
        assert_memory_equal(a, b, bytes);
        assert_true(cn_sweep_error(&wide, CN_MEASURE_SCALED, a) ==
                    cn_sweep_error(&plain, CN_MEASURE_SCALED, b));
    }
    cn_arena_destroy(arena);
}

// No body twice in a packet or in two packets in a row, every contact once, few empty lanes.
CN_TEST(packets_keep_bodies_apart) {
    cn_arena *arena = cn_arena_create(NULL);
    enum { bodies = 2000, contacts = 7000 };
    int32_t *pair = CN_TAKE(arena, int32_t, 2 * contacts), *seen = CN_TAKE(arena, int32_t, bodies);
    cn_rng rng = cn_rng_seed(6);
    for (int32_t a = 0; a < contacts; a++) {
        int32_t i = (int32_t)((int64_t)a * bodies / contacts);
        pair[2 * a] = i;
        pair[2 * a + 1] = a % 9 == 0 ? bodies : (i + 1 + cn_rng_below(&rng, 40)) % bodies;
    }
    cn_packets packets;
    assert_int_equal(cn_packets_fill(contacts, pair, bodies, arena, &packets), CN_OK);
    CN_CHECK_BELOW(packets.count, 1.1 * contacts / CN_PACKET);
    int32_t *by_slot = CN_TAKE(arena, int32_t, CN_PACKET * packets.count);
    for (int32_t i = 0; i < CN_PACKET * packets.count; i++) {
        by_slot[i] = -1;
    }
    for (int32_t a = 0; a < contacts; a++) {
        assert_int_equal(by_slot[packets.slot[a]], -1);
        by_slot[packets.slot[a]] = a;
    }
    for (int32_t i = 0; i < bodies; i++) {
        seen[i] = -2;
    }
    for (int32_t slot = 0; slot < CN_PACKET * packets.count; slot++) {
        for (int side = 0; side < 2 && by_slot[slot] >= 0; side++) {
            int32_t body = pair[2 * by_slot[slot] + side];
            if (body < bodies) {
                assert_true(slot / CN_PACKET > seen[body] + 1);
                seen[body] = slot / CN_PACKET;
            }
        }
    }
    cn_arena_destroy(arena);
}
