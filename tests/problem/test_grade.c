// The independent checker: residuals computed by hand, every kind of violation, units, odd cases.
#include "check.h"

#include "base/arena.h"
#include "base/rng.h"
#include "problem/operator/operator.h"
#include "sparse/csr.h"

#include "failing_allocator.h"

#include <string.h>

typedef struct fixture {
    cn_arena *arena;
    cn_friction p;
    cn_grade grade;
} fixture;

// A problem with the dense matrix W (m x m, by rows).
static fixture make(int32_t dim, int32_t contacts, const double *W, const double *q,
                    const double *mu) {
    fixture f = {.arena = cn_arena_create(NULL)};
    int32_t m = dim * contacts;
    cn_csr a = {.rows = m, .cols = m};
    a.start = BASE_TAKE_ZERO(f.arena, int64_t, m + 1);
    a.column = BASE_TAKE(f.arena, int32_t, (int64_t)m * m);
    a.value = BASE_TAKE(f.arena, double, (int64_t)m *m);
    for (int32_t i = 0; i < m; i++) {
        a.start[i + 1] = (int64_t)m * (i + 1);
        for (int32_t j = 0; j < m; j++) {
            a.column[m * i + j] = j;
            a.value[m * i + j] = W[m * i + j];
        }
    }
    assert_int_equal(prob_friction_from_csr(f.arena, dim, contacts, &a, q, mu, &f.p), CN_OK);
    return f;
}

static void grade(fixture *f, const double *r, const double *u) {
    assert_int_equal(cn_friction_grade(&f->p, r, u, f->arena, &f->grade), CN_OK);
}

static void drop(fixture *f) {
    cn_arena_destroy(f->arena);
}

CN_TEST(a_resting_contact_has_no_error) {
    const double W[] = {2, 0, 0, 0, 4, 0, 0, 0, 4}, q[] = {-2, -0.4, 0}, mu[] = {0.5};
    fixture f = make(3, 1, W, q, mu);
    const double r[] = {1, 0.1, 0}; // |r_T| < mu r_N and u = 0
    grade(&f, r, NULL);
    CN_CHECK_NEAR(f.grade.residual, 0, 0);
    CN_CHECK_NEAR(f.grade.residual_q, 0, 0);
    CN_CHECK_NEAR(f.grade.residual_max, 0, 0);
    CN_CHECK_NEAR(f.grade.velocity_mismatch, 0, 0);
    assert_int_equal(f.grade.worst, -1);
    assert_int_equal(f.grade.stick, 1);
    drop(&f);
}

// ---- large friction: the normal law is measured by itself ----

static double min_residual(const cn_grade *g) {
    return fmin(g->residual, fmin(g->residual_q, g->residual_max));
}

// A body that falls through and drifts a little: mu |u_T| >= |u_N|, so that the natural map alone
// shows |u_N| / sqrt(1 + mu^2).
CN_TEST(free_fall_is_not_solved_whatever_the_friction) {
    const double mus[] = {10.0, 100.0, 1e4, 1e6, 1e9};
    for (size_t i = 0; i < sizeof mus / sizeof *mus; i++) {
        for (int32_t dim = 2; dim <= 3; dim++) {
            const double W2[] = {1, 0, 0, 1}, W3[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
            const double q[] = {-1, 0.5, 0}, r[] = {0, 0, 0};
            fixture f = make(dim, 1, dim == 2 ? W2 : W3, q, &mus[i]);
            grade(&f, r, NULL);
            CN_CHECK_BELOW(0.6, min_residual(&f.grade)); // 1 / sqrt(2) of |u_N| = 1, |q| = 1.12
            drop(&f);
        }
    }
}

// r_N > 0 and u_N > 0: an impulse that lifts the body off the ground.
CN_TEST(a_lifting_impulse_is_not_solved_whatever_the_friction) {
    const double mus[] = {10.0, 100.0, 1e4, 1e6, 1e9};
    for (size_t i = 0; i < sizeof mus / sizeof *mus; i++) {
        const double W[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[] = {-1, -1e-3, 0}, r[] = {2, 1e-3, 0};
        fixture f = make(3, 1, W, q, &mus[i]);
        grade(&f, r, NULL);                          // u = (1, 0, 0)
        CN_CHECK_BELOW(0.3, min_residual(&f.grade)); // residual_max divides by |r|
        drop(&f);
    }
}

// A solution stays one: stick, slide and open at every coefficient.
CN_TEST(solutions_stay_solutions_whatever_the_friction) {
    const double mus[] = {1.5, 10.0, 100.0, 1e4, 1e6};
    for (size_t i = 0; i < sizeof mus / sizeof *mus; i++) {
        double mu = mus[i];
        const double W[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        const struct {
            double q[3], r[3];
        } solved[] = {{{-1, -1, 0}, {1, 1, 0}},             // stick
                      {{-1 / mu, -1.5, 0}, {1 / mu, 1, 0}}, // slide with u_T = -0.5
                      {{0.5, 1, 2}, {0, 0, 0}},             // open
                      {{-1, mu + 2.0, 0}, {1, -mu, 0}}};    // slide with u_T = 2
        for (size_t k = 0; k < sizeof solved / sizeof *solved; k++) {
            fixture f = make(3, 1, W, solved[k].q, &mu);
            grade(&f, solved[k].r, NULL);
            CN_CHECK_BELOW(f.grade.residual, 1e-15 * mu);
            drop(&f);
        }
    }
}

// |min(r_N / rho, u_N)| <= sqrt(1 + mu^2) |e|: up to mu = 1 the second measure is never the larger.
CN_TEST(the_normal_law_follows_from_the_natural_map) {
    base_rng rng = base_rng_seed(7);
    for (int32_t k = 0; k < 2000; k++) {
        double x[7];
        for (int32_t i = 0; i < 7; i++) {
            x[i] = base_rng_uniform(&rng, -1.0, 1.0);
        }
        const double mu = fabs(x[6]), W[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, r[] = {x[0], x[1], x[2]};
        const double q[] = {x[3] - x[0], x[4] - x[1], x[5] - x[2]};
        fixture f = make(3, 1, W, q, &mu);
        grade(&f, r, NULL);
        double min = fmin(r[0], q[0] + r[0]);
        CN_CHECK_BELOW(fabs(min), sqrt(1.0 + mu * mu) * f.grade.worst_error * (1.0 + 1e-12));
        drop(&f);
    }
}

// One 3D contact with the diagonal block (2, 4, 4), trace 10, so rho = 0.3; nothing acts: u = q.
CN_TEST(scaled_residual_of_a_pressing_contact_by_hand) {
    const double W[] = {2, 0, 0, 0, 4, 0, 0, 0, 4}, q[] = {-3, 0, 0}, mu[] = {0.5}, r[] = {0, 0, 0};
    fixture f = make(3, 1, W, q, mu);
    grade(&f, r, NULL);
    // z = (0.9, 0, 0) is inside the cone: e = -z / rho = (-3, 0, 0), |q| = 3
    CN_CHECK_NEAR(f.grade.residual, 1.0, 1e-15);
    CN_CHECK_NEAR(f.grade.residual_q, 1.0, 1e-15);
    CN_CHECK_NEAR(f.grade.residual_max, 1.0, 1e-15);
    CN_CHECK_NEAR(f.grade.worst_error, 3.0, 1e-15);
    CN_CHECK_NEAR(f.grade.dual_violation, 1.0, 1e-15);
    CN_CHECK_NEAR(f.grade.cone_violation, 0.0, 0);
    assert_int_equal(f.grade.worst, 0);
    assert_int_equal(f.grade.open, 1);
    drop(&f);
}

CN_TEST(three_measures_differ_as_their_definitions_say_3d) {
    // u = W r + q = (2 - 1, 0, 4 - 1) = (1, 0, 3), u^ = (1 + 0.5*3, 0, 3) = (2.5, 0, 3)
    const double W[] = {2, 0, 0, 0, 4, 0, 0, 0, 4}, q[] = {-1, 0, -1}, mu[] = {0.5},
                 r[] = {1, 0, 1};
    fixture f = make(3, 1, W, q, mu);
    grade(&f, r, NULL);
    // rho = 0.3: z = (0.25, 0, 0.1), |z_T| <= mu z_N, so e = u^ and |e|^2 = 15.25; |q|^2 = 2
    CN_CHECK_NEAR(f.grade.residual, sqrt(15.25 / 2.0), 1e-14);
    // rho = 1: z = (-1.5, 0, -2): mu|z_T| = 1 <= 1.5, so P = 0, e = r, |e|^2 = 2
    CN_CHECK_NEAR(f.grade.residual_q, 1.0, 1e-15);
    CN_CHECK_NEAR(f.grade.residual_max, sqrt(2.0 / 10.0), 1e-15); // |u|^2 = 10 is the largest
    CN_CHECK_NEAR(f.grade.cone_violation, 0.5 / sqrt(2.0), 1e-15);
    CN_CHECK_NEAR(f.grade.dual_violation, 0.0, 0);
    CN_CHECK_NEAR(f.grade.complementarity, 5.5 / sqrt(2.0 * 10.0), 1e-15);
    assert_int_equal(f.grade.slide, 1);
    drop(&f);
}

CN_TEST(three_measures_differ_as_their_definitions_say_2d) {
    // trace 4, rho = 0.5; u = (1, -1) + (-2, -1) = (-1, -2); u^ = (-1 + 0.5*2, -2) = (0, -2)
    const double W[] = {1, 0, 0, 3}, q[] = {-2, -1}, mu[] = {0.5};
    const double r[] = {1, -1.0 / 3.0};
    fixture f = make(2, 1, W, q, mu);
    grade(&f, r, NULL);
    // rho = 1/2: z = (1, 2/3) leaves the cone: s = (1 + 1/3)/1.25 = 16/15, P = (16/15, 8/15),
    // e = 2 (r - P) = 2 (-1/15, -13/15)
    double scaled = 2.0 * sqrt(1.0 + 169.0) / 15.0;
    CN_CHECK_NEAR(f.grade.residual, scaled / sqrt(5.0), 1e-15);
    CN_CHECK_NEAR(f.grade.worst_error, scaled, 1e-15);
    // rho = 1: z = (1, 5/3): s = (1 + 5/6)/1.25 = 22/15, P = (22/15, 11/15), e = (-7/15, -16/15)
    double plain = sqrt(49.0 + 256.0) / 15.0;
    CN_CHECK_NEAR(f.grade.residual_q, plain / sqrt(5.0), 1e-15);
    CN_CHECK_NEAR(f.grade.residual_max, plain / sqrt(5.0), 1e-15); // |u|^2 = 5 = |q|^2
    CN_CHECK_NEAR(f.grade.dual_violation, 1.0 / sqrt(5.0), 1e-15);
    assert_int_equal(f.grade.stick, 1); // by its impulse, 1/3 < 1/2
    drop(&f);
}

CN_TEST(only_pressing_contacts_make_the_scale) {
    // The open candidate carries a large q that the scaled measure must not hide behind.
    double W[16] = {0}, q[] = {-1, 0, 1000, 0};
    const double mu[] = {0.3, 0.3}, r[] = {0, 0, 0, 0};
    for (int i = 0; i < 4; i++) {
        W[5 * i] = 1.0;
    }
    fixture f = make(2, 2, W, q, mu);
    grade(&f, r, NULL);
    CN_CHECK_NEAR(f.grade.residual, 1.0, 1e-15);
    CN_CHECK_NEAR(f.grade.residual_q, 1.0 / sqrt(1e6 + 1.0), 1e-15);
    f.p.q[0] = 1e-3; // nothing presses: all of q is the scale, and r = 0 is the answer
    grade(&f, r, NULL);
    CN_CHECK_NEAR(f.grade.residual, 0.0, 0);
    const double pulled[] = {0, 0, 1, 0}; // u = (0.001, 0, 1001, 0), and e = r as P(1 - 1001) = 0
    grade(&f, pulled, NULL);
    CN_CHECK_NEAR(f.grade.residual, 1.0 / sqrt(1e6 + 1e-6), 1e-15);
    drop(&f);
}

CN_TEST(the_worst_contact_is_named) {
    double W[81] = {0};
    const double q[] = {-1, 0, 0, -5, 0, 0, -2, 0, 0}, mu[] = {0.1, 0.1, 0.1}, r[9] = {0};
    for (int i = 0; i < 9; i++) {
        W[10 * i] = 1.0;
    }
    fixture f = make(3, 3, W, q, mu);
    grade(&f, r, NULL);
    assert_int_equal(f.grade.worst, 1);
    CN_CHECK_NEAR(f.grade.worst_error, 5.0, 1e-15);
    drop(&f);
}

// A contact that solves its problem; then one thing is made wrong at a time.
CN_TEST(each_violation_is_seen_and_measured) {
    const double W[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[] = {-2, 0, 0}, mu[] = {0.5};
    fixture f = make(3, 1, W, q, mu);
    const double resting[] = {2, 0, 0};
    grade(&f, resting, NULL);
    CN_CHECK_NEAR(f.grade.residual, 0, 0);

    const double outside[] = {2, 0, 1.5}; // |r_T| - mu r_N = 0.5 over |r| = 2.5
    grade(&f, outside, NULL);
    CN_CHECK_NEAR(f.grade.cone_violation, 0.2, 1e-15);
    CN_CHECK_TRUE(f.grade.residual > 0.1);

    const double pulling[] = {-1, 0, 0};
    grade(&f, pulling, NULL);
    CN_CHECK_NEAR(f.grade.cone_violation, 1.0, 1e-15);
    CN_CHECK_NEAR(f.grade.dual_violation, 1.0, 1e-15);
    CN_CHECK_TRUE(f.grade.residual > 0.1);

    const double pushing[] = {3, 0, 0}; // parts, and still pushes: r.u^ = 3 over 3 * 1
    grade(&f, pushing, NULL);
    CN_CHECK_NEAR(f.grade.complementarity, 1.0, 1e-15);
    CN_CHECK_NEAR(f.grade.cone_violation, 0.0, 0);
    CN_CHECK_TRUE(f.grade.residual > 0.1);

    f.p.q[1] = 1.0; // slips at 1 while friction does not oppose it
    grade(&f, resting, NULL);
    CN_CHECK_NEAR(f.grade.complementarity, 0.5, 1e-15); // r_N mu |u_T| = 1 over 2 * 1
    CN_CHECK_TRUE(f.grade.residual > 0.1);
    drop(&f);
}

CN_TEST(a_given_velocity_is_compared_and_never_trusted) {
    const double W[] = {1, 0, 0, 1}, q[] = {-2, 0}, mu[] = {0.5}, r[] = {1, 0};
    fixture f = make(2, 1, W, q, mu); // u = (-1, 0): not a solution
    const double lie[] = {0, 0};
    grade(&f, r, lie);
    CN_CHECK_NEAR(f.grade.velocity_mismatch, 1.0, 1e-15);
    CN_CHECK_NEAR(f.grade.residual, 0.5, 1e-15);
    const double truth[] = {-1, 0};
    grade(&f, r, truth);
    CN_CHECK_NEAR(f.grade.velocity_mismatch, 0.0, 0);
    CN_CHECK_NEAR(f.grade.residual, 0.5, 1e-15);
    drop(&f);
}

CN_TEST(statuses_are_counted) {
    double W[64] = {0};
    for (int i = 0; i < 8; i++) {
        W[9 * i] = 1.0;
    }
    const double q[8] = {0}, mu[] = {0.5, 0.5, 0.5, 0.5};
    const double r[] = {0, 0, 2, 0.5, 2, -1, 1e-16, 0}; // open, stick, slide, open to round-off
    fixture f = make(2, 4, W, q, mu);
    grade(&f, r, NULL);
    assert_int_equal(f.grade.open, 2);
    assert_int_equal(f.grade.stick, 1);
    assert_int_equal(f.grade.slide, 1);
    drop(&f);
}

// A contact slides on the surface of its cone and sticks a thousandth below it; it is open where
// its impulse is the round-off of the largest, and not where it is a millionth.
CN_TEST(statuses_change_at_their_thresholds) {
    double W[64] = {0};
    for (int i = 0; i < 8; i++) {
        W[9 * i] = 1.0;
    }
    const double q[8] = {0}, mu[] = {0.5, 0.5, 0.5, 0.5};
    const double r[] = {2, 0.999, 2, 1.0 - 1e-10, 2e-6, 0, 2e-15, 0}; // stick, slide, stick, open
    fixture f = make(2, 4, W, q, mu);
    grade(&f, r, NULL);
    assert_int_equal(f.grade.stick, 2);
    assert_int_equal(f.grade.slide, 1);
    assert_int_equal(f.grade.open, 1);
    drop(&f);
}

// u = (0.5, 0) where r = (10, 0): e = u for rho = 1, and |r| is the largest of the three.
CN_TEST(a_large_impulse_is_the_scale_of_the_maximum_measure) {
    const double W[] = {0.1, 0, 0, 0.1}, q[] = {-0.5, 0}, mu[] = {0.5}, r[] = {10, 0};
    fixture f = make(2, 1, W, q, mu);
    grade(&f, r, NULL);
    CN_CHECK_NEAR(f.grade.residual_q, 1.0, 1e-15);
    CN_CHECK_NEAR(f.grade.residual_max, 0.05, 1e-15);
    drop(&f);
}

static const double coupled_W[] = {3, 0.5, 0.2, 0, 0.5, 2, 0, -0.1, 0.2, 0, 5, 1, 0, -0.1, 1, 4};
static const double coupled_q[] = {-1, 0.5, -2, 0.25}, coupled_mu[] = {0.4, 0.7};
static const double coupled_r[] = {0.2, -0.1, 0.5, 0.3};

// Mass unit: W -> a W, r -> r / a. Velocity unit: q -> b q, r -> b r. The scaled residual stays.
CN_TEST(the_scaled_residual_knows_no_units) {
    fixture f = make(2, 2, coupled_W, coupled_q, coupled_mu);
    grade(&f, coupled_r, NULL);
    double residual = f.grade.residual, residual_q = f.grade.residual_q;
    CN_CHECK_TRUE(residual > 0.01);
    drop(&f);
    const double mass[] = {1e-6, 1e3, 7e5}, velocity[] = {1e-3, 1.0, 1e4};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double W[16], q[4], r[4];
            for (int k = 0; k < 16; k++) {
                W[k] = mass[i] * coupled_W[k];
            }
            for (int k = 0; k < 4; k++) {
                q[k] = velocity[j] * coupled_q[k];
                r[k] = velocity[j] / mass[i] * coupled_r[k];
            }
            fixture g = make(2, 2, W, q, coupled_mu);
            grade(&g, r, NULL);
            CN_CHECK_NEAR(g.grade.residual, residual, 1e-13 * residual);
            // rho = 1 does depend on the unit of mass
            CN_CHECK_TRUE(fabs(g.grade.residual_q - residual_q) > 1e-3 * residual_q);
            drop(&g);
        }
    }
}

CN_TEST(a_zero_q_gives_an_absolute_error) {
    const double W[] = {1, 0, 0, 1}, q[] = {0, 0}, mu[] = {0.5};
    fixture f = make(2, 1, W, q, mu);
    const double none[] = {0, 0}, pushing[] = {1e-3, 0};
    grade(&f, none, NULL);
    CN_CHECK_NEAR(f.grade.residual, 0, 0);
    CN_CHECK_NEAR(f.grade.residual_max, 0, 0); // nothing to divide by
    grade(&f, pushing, NULL);
    CN_CHECK_NEAR(f.grade.residual, 1e-3, 1e-18);
    CN_CHECK_NEAR(f.grade.residual_q, 1e-3, 1e-18);
    CN_CHECK_NEAR(f.grade.residual_max, 1.0, 1e-15);
    drop(&f);
}

CN_TEST(a_q_of_round_off_gives_an_absolute_error) {
    const double W[] = {1, 0, 0, 1}, q[] = {-4e-18, 0}, mu[] = {0.5}, r[] = {0, 0};
    fixture f = make(2, 1, W, q, mu);
    grade(&f, r, NULL);
    CN_CHECK_NEAR(f.grade.residual, 4e-18, 1e-30);
    CN_CHECK_NEAR(f.grade.residual_q, 4e-18, 1e-30);
    CN_CHECK_NEAR(f.grade.residual_max, 4e-18, 1e-30);
    // ... and what counts as round-off grows with the impulses: here |r| tr W / m = 1e6
    f.p.q[0] = -1e-10;
    const double large[] = {1e6, 0};
    grade(&f, large, NULL);
    CN_CHECK_NEAR(f.grade.residual, 1e6, 1e-3);
    drop(&f);
}

CN_TEST(a_contact_without_stiffness_has_rho_one) {
    const double W[] = {0, 0, 0, 0}, q[] = {-2, 0}, mu[] = {0.5}, r[] = {0, 0};
    fixture f = make(2, 1, W, q, mu);
    grade(&f, r, NULL);
    CN_CHECK_NEAR(f.grade.residual, 1.0, 1e-15);
    f.p.W.assembled.value[0] = -3.0; // a negative trace as well
    const double pushing[] = {1, 0};
    grade(&f, pushing, NULL); // u = -5, e = -5
    CN_CHECK_NEAR(f.grade.residual, 2.5, 1e-15);
    drop(&f);
}

CN_TEST(no_contacts_give_zeros) {
    fixture f = make(3, 0, NULL, NULL, NULL);
    f.grade.residual = f.grade.worst_error = 7.0;
    grade(&f, NULL, NULL);
    CN_CHECK_NEAR(f.grade.residual, 0, 0);
    CN_CHECK_NEAR(f.grade.residual_q, 0, 0);
    CN_CHECK_NEAR(f.grade.residual_max, 0, 0);
    CN_CHECK_NEAR(f.grade.cone_violation, 0, 0);
    CN_CHECK_NEAR(f.grade.worst_error, 0, 0);
    assert_int_equal(f.grade.worst, -1);
    assert_int_equal(f.grade.open + f.grade.stick + f.grade.slide, 0);
    drop(&f);
}

// No comparison of the form residual <= tolerance may be true.
static void never_passes(const cn_grade *g) {
    CN_CHECK_TRUE(!(g->residual <= 1e300));
    CN_CHECK_TRUE(!(g->residual_q <= 1e300));
    CN_CHECK_TRUE(!(g->residual_max <= 1e300));
    CN_CHECK_TRUE(!(g->worst_error <= 1e300));
}

CN_TEST(nan_and_infinity_never_pass) {
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int b = 0; b < 3; b++) {
        for (int place = 0; place < 4; place++) {
            fixture f = make(2, 2, coupled_W, coupled_q, coupled_mu);
            double r[4];
            memcpy(r, coupled_r, sizeof r);
            r[place] = bad[b];
            grade(&f, r, NULL);
            never_passes(&f.grade);

            const double zero[4] = {0};
            f.p.q[place] = bad[b];
            grade(&f, zero, NULL);
            never_passes(&f.grade);
            f.p.q[place] = 1.0;

            double kept = f.p.W.assembled.value[place];
            f.p.W.assembled.value[place] = bad[b];
            grade(&f, zero, NULL);
            never_passes(&f.grade);
            f.p.W.assembled.value[place] = kept;

            f.p.mu[place / 2] = bad[b];
            grade(&f, zero, NULL);
            never_passes(&f.grade);
            assert_int_equal(f.grade.worst, place / 2);
            drop(&f);
        }
    }
}

CN_TEST(a_negative_coefficient_never_passes) {
    fixture f = make(2, 2, coupled_W, coupled_q, coupled_mu);
    const double zero[4] = {0};
    f.p.mu[0] = -0.5;
    grade(&f, zero, NULL);
    never_passes(&f.grade);
    assert_int_equal(f.grade.worst, 0);
    drop(&f);
}

CN_TEST(violations_do_not_hide_nan) {
    // The impulse of the second contact is sound and comes after the NaN.
    double W[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const double q[] = {-1, 0, -1, 0}, mu[] = {0.5, 0.5}, r[] = {(double)NAN, 0, 1, 0};
    fixture f = make(2, 2, W, q, mu);
    grade(&f, r, q);
    CN_CHECK_TRUE(isnan(f.grade.cone_violation));
    CN_CHECK_TRUE(isnan(f.grade.dual_violation));
    CN_CHECK_TRUE(isnan(f.grade.complementarity));
    CN_CHECK_TRUE(isnan(f.grade.velocity_mismatch));
    drop(&f);
}

CN_TEST(an_overflowing_velocity_is_not_an_open_contact) {
    // u_N = 1e300 * 1e300 at the first contact; the second is at rest.
    const double W[] = {1, 0, 1e300, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const double q[] = {1, 0, -1e300, 0}, mu[] = {0.5, 0.5}, r[] = {0, 0, 1e300, 0};
    fixture f = make(2, 2, W, q, mu);
    grade(&f, r, NULL);
    never_passes(&f.grade);
    assert_int_equal(f.grade.worst, 0);
    drop(&f);
}

// The same operator by H = identity over one velocity a row: W = diag(minv).
CN_TEST(body_space_is_graded_alike) {
    const double W[] = {2, 0, 0, 0, 3, 0, 0, 0, 5}, q[] = {-1, 0.5, 0.25}, mu[] = {0.4};
    const double r[] = {0.3, 0.1, -0.2};
    fixture f = make(3, 1, W, q, mu);
    grade(&f, r, NULL);
    cn_grade assembled = f.grade;
    int64_t start[] = {0, 3};
    int32_t dof[] = {0, 1, 2};
    double H[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, MinvH[] = {2, 0, 0, 0, 3, 0, 0, 0, 5};
    cn_friction body = {.dim = 3, .contacts = 1, .q = f.p.q, .mu = f.p.mu};
    body.W = (cn_operator){.kind = CN_OPERATOR_BODY,
                           .diagonal = f.p.W.diagonal,
                           .body = {.dofs = 3, .start = start, .dof = dof, .H = H, .MinvH = MinvH}};
    assert_int_equal(cn_friction_grade(&body, r, NULL, f.arena, &f.grade), CN_OK);
    CN_CHECK_NEAR(f.grade.residual, assembled.residual, 1e-15);
    CN_CHECK_NEAR(f.grade.residual_q, assembled.residual_q, 1e-15);
    CN_CHECK_NEAR(f.grade.residual_max, assembled.residual_max, 1e-15);
    double v[3], u[3], want[3];
    cn_friction_velocity(&body, r, v, u);
    cn_friction_velocity(&f.p, r, NULL, want);
    for (int i = 0; i < 3; i++) {
        CN_CHECK_NEAR(u[i], want[i], 1e-15);
    }
    drop(&f);
}

CN_TEST(measures_are_picked_by_name) {
    const cn_grade g = {.residual = 1, .residual_q = 2, .residual_max = 3};
    CN_CHECK_NEAR(cn_grade_residual(&g, CN_MEASURE_SCALED), 1, 0);
    CN_CHECK_NEAR(cn_grade_residual(&g, CN_MEASURE_Q), 2, 0);
    CN_CHECK_NEAR(cn_grade_residual(&g, CN_MEASURE_MAX), 3, 0);
    CN_CHECK_TRUE(isnan(cn_grade_residual(&g, (cn_measure)3)));
}

static cn_lcp lcp_2(cn_arena *arena, const double M[4], double *q) {
    const int32_t row[] = {0, 0, 1, 1}, column[] = {0, 1, 0, 1};
    cn_lcp p = {.n = 2, .q = q};
    assert_int_equal(sparse_csr_from_triplets(arena, 2, 2, 4, row, column, M, &p.M), CN_OK);
    return p;
}

CN_TEST(lcp_residual_is_the_minimum_map) {
    cn_arena *arena = cn_arena_create(NULL);
    const double M[] = {2, 1, 0, 2};
    double q[] = {-4, 3};
    cn_lcp p = lcp_2(arena, M, q);
    cn_grade g;
    const double solution[] = {2, 0}, wrong[] = {1, 0.5};
    assert_int_equal(cn_lcp_grade(&p, solution, arena, &g), CN_OK);
    CN_CHECK_NEAR(g.residual, 0, 0);
    assert_int_equal(g.open, 1);
    assert_int_equal(g.stick, 1);
    assert_int_equal(cn_lcp_grade(&p, wrong, arena, &g), CN_OK); // w = (-1.5, 4), min = (-1.5, 0.5)
    CN_CHECK_NEAR(g.residual, sqrt(2.5) / 5.0, 1e-15);
    CN_CHECK_NEAR(g.residual_q, g.residual, 0);
    CN_CHECK_NEAR(g.residual_max, g.residual, 0);
    CN_CHECK_NEAR(g.dual_violation, 1.5 / 4.0, 1e-15);
    CN_CHECK_NEAR(g.complementarity, 2.0 / 4.0, 1e-15);
    CN_CHECK_NEAR(g.worst_error, 1.5, 1e-15);
    assert_int_equal(g.worst, 0);
    cn_arena_destroy(arena);
}

CN_TEST(lcp_with_nan_never_passes) {
    cn_arena *arena = cn_arena_create(NULL);
    const double M[] = {2, 1, 0, 2};
    double q[] = {-4, 3};
    cn_lcp p = lcp_2(arena, M, q);
    cn_grade g;
    const double z[] = {(double)NAN, 0};
    assert_int_equal(cn_lcp_grade(&p, z, arena, &g), CN_OK);
    never_passes(&g);
    const double zero[] = {0, 0};
    q[1] = (double)INFINITY;
    assert_int_equal(cn_lcp_grade(&p, zero, arena, &g), CN_OK);
    never_passes(&g);
    cn_arena_destroy(arena);
}

CN_TEST(an_empty_lcp_has_no_error) {
    cn_arena *arena = cn_arena_create(NULL);
    int64_t start[] = {0};
    cn_lcp p = {.n = 0, .M = {.start = start}};
    cn_grade g;
    assert_int_equal(cn_lcp_grade(&p, NULL, arena, &g), CN_OK);
    CN_CHECK_NEAR(g.residual, 0, 0);
    assert_int_equal(g.worst, -1);
    cn_arena_destroy(arena);
}

CN_TEST(scratch_is_given_back) {
    fixture f = make(2, 2, coupled_W, coupled_q, coupled_mu);
    base_arena_mark before = base_arena_get_mark(f.arena);
    grade(&f, coupled_r, NULL);
    base_arena_mark after = base_arena_get_mark(f.arena);
    assert_int_equal(after.chunk, before.chunk);
    assert_int_equal(after.used, before.used);
    drop(&f);
}

CN_TEST(a_failing_allocation_is_reported) {
    enum { n = 20000 }; // larger than the arena's first piece
    cn_arena *arena = cn_arena_create(NULL);
    int32_t *index = BASE_TAKE(arena, int32_t, n);
    double *one = BASE_TAKE(arena, double, n), *zero = BASE_TAKE_ZERO(arena, double, n);
    for (int32_t i = 0; i < n; i++) {
        index[i] = i;
        one[i] = 1.0;
    }
    cn_lcp lcp = {.n = n, .q = one};
    assert_int_equal(sparse_csr_from_triplets(arena, n, n, n, index, index, one, &lcp.M), CN_OK);
    cn_friction p;
    assert_int_equal(prob_friction_from_csr(arena, 2, n / 2, &lcp.M, one, one, &p), CN_OK);
    for (int which = 0; which < 3; which++) {
        cn_failing memory = {.failed = true};
        for (int64_t k = 1; memory.failed; k++) {
            cn_env env = cn_failing_env(&memory, k);
            cn_arena *scratch = cn_arena_create(&env);
            if (!scratch) {
                continue;
            }
            cn_friction made;
            cn_grade g;
            cn_status status =
                which == 0   ? cn_friction_grade(&p, zero, NULL, scratch, &g)
                : which == 1 ? cn_lcp_grade(&lcp, zero, scratch, &g)
                             : prob_friction_from_csr(scratch, 2, n / 2, &lcp.M, one, one, &made);
            assert_int_equal(status, memory.failed ? CN_ERR_MEMORY : CN_OK);
            cn_arena_destroy(scratch);
            assert_int_equal(memory.live, 0);
        }
    }
    cn_arena_destroy(arena);
}

// Where there are boxes contacts are graded one by one, elsewhere four at a time; and four of which
// one needs care are graded one by one.
CN_TEST(contacts_are_graded_alike_one_by_one_and_four_at_a_time) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        for (int tiny = 0; tiny < 2; tiny++) {
            cn_arena *arena = cn_arena_create(NULL);
            cn_planted_opts opts = cn_planted_opts_default();
            opts.dim = dim;
            opts.contacts = 31;
            opts.open = opts.slide = 0.3;
            cn_problem *problem;
            assert_int_equal(cn_planted_friction(NULL, &opts, &problem, NULL), CN_OK);
            cn_friction p;
            assert_int_equal(cn_friction_condense(&problem->global, arena, &p, NULL), CN_OK);
            double r[3 * 31], lower[3 * 31] = {0.0}, upper[3 * 31] = {0.0};
            uint8_t boxed[31] = {0};
            for (int32_t i = 0; i < dim * 31; i++) {
                r[i] = problem->r[i] + 0.01 * (i % 7 - 3); // neither a solution nor in the cone
            }
            r[dim * 9] = tiny ? 1e-200 : r[dim * 9];
            r[dim * 9 + 1] = tiny ? 1e-170 : r[dim * 9 + 1];
            cn_grade four, one;
            assert_int_equal(cn_friction_grade(&p, r, NULL, arena, &four), CN_OK);
            p.bounds = (cn_bounds){.boxed = boxed, .lower = lower, .upper = upper};
            assert_int_equal(cn_friction_grade(&p, r, NULL, arena, &one), CN_OK);
            CN_CHECK_NEAR(four.residual, one.residual, 1e-14 * one.residual);
            CN_CHECK_NEAR(four.residual_q, one.residual_q, 1e-14 * one.residual_q);
            CN_CHECK_NEAR(four.residual_max, one.residual_max, 1e-14 * one.residual_max);
            CN_CHECK_TRUE(four.worst == one.worst && four.worst_error == one.worst_error);
            CN_CHECK_TRUE(four.cone_violation == one.cone_violation &&
                          four.dual_violation == one.dual_violation &&
                          four.complementarity == one.complementarity);
            CN_CHECK_TRUE(four.open == one.open && four.slide == one.slide);
            cn_problem_destroy(problem);
            cn_arena_destroy(arena);
        }
    }
}
