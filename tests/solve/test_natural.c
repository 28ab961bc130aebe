// The fast residuals that solvers stop on, and the watch that ends their loops.
#include "check.h"

#include "base/rng.h"
#include "math/cone.h"
#include "solve/drivers/natural_map.h"
#include "solve/drivers/watch.h"

#include <string.h>

#define CONTACTS 40

// Random diagonal blocks, q, r, u; only what the residual reads.
typedef struct cn_sample {
    double diagonal[9 * CONTACTS], q[3 * CONTACTS], mu[CONTACTS], r[3 * CONTACTS], u[3 * CONTACTS];
    cn_friction p;
} cn_sample;

static void cn_sample_fill(cn_sample *s, int32_t dim, uint64_t seed) {
    base_rng rng = base_rng_seed(seed);
    memset(s, 0, sizeof *s);
    s->p = (cn_friction){.dim = dim, .contacts = CONTACTS, .q = s->q, .mu = s->mu};
    s->p.W.diagonal = s->diagonal;
    for (int32_t a = 0; a < CONTACTS; a++) {
        s->mu[a] = a % 5 == 0 ? 0.0 : base_rng_uniform(&rng, 0.0, 1.5);
        for (int32_t i = 0; i < dim; i++) {
            s->diagonal[dim * dim * a + (dim + 1) * i] = base_rng_uniform(&rng, 0.1, 10.0);
            s->q[dim * a + i] = base_rng_uniform(&rng, -1.0, 1.0);
            s->r[dim * a + i] = base_rng_uniform(&rng, -1.0, 1.0);
            s->u[dim * a + i] = base_rng_uniform(&rng, -1.0, 1.0);
        }
    }
}

// The definition, word for word, with the projection of math/cone.h.
static double cn_plain_error(const cn_friction *p, bool scaled, const double *r, const double *u) {
    double sum = 0.0;
    int32_t dim = p->dim;
    for (int32_t a = 0; a < p->contacts; a++) {
        double trace = 0.0;
        for (int32_t i = 0; i < dim; i++) {
            trace += p->W.diagonal[dim * dim * a + (dim + 1) * i];
        }
        double rho = scaled ? dim / trace : 1.0;
        double z[3];
        for (int32_t i = 0; i < dim; i++) {
            z[i] = r[dim * a + i] - rho * u[dim * a + i];
        }
        z[0] -= rho * p->mu[a] * math_tangent_norm(dim, u + dim * a);
        math_cone_project(dim, p->mu[a], z);
        double square = 0.0, min = fmin(r[dim * a] / rho, u[dim * a]);
        for (int32_t i = 0; i < dim; i++) {
            double e = (r[dim * a + i] - z[i]) / rho;
            square += e * e;
        }
        sum += p->mu[a] > 1.0 ? fmax(square, 0.5 * min * min) : square;
    }
    return sqrt(sum);
}

static double cn_norm(int32_t count, const double *x) {
    double sum = 0.0;
    for (int32_t i = 0; i < count; i++) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

CN_TEST(three_measures_follow_their_definitions) {
    cn_sample s;
    for (int32_t dim = 2; dim <= 3; dim++) {
        for (uint64_t seed = 0; seed < 20; seed++) {
            cn_sample_fill(&s, dim, seed);
            int32_t m = dim * CONTACTS;
            double pressing = 0.0;
            for (int32_t a = 0; a < CONTACTS; a++) {
                double part = cn_norm(dim, s.q + dim * a);
                pressing += s.q[dim * a] < 0.0 ? part * part : 0.0;
            }
            double largest = fmax(cn_norm(m, s.q), fmax(cn_norm(m, s.r), cn_norm(m, s.u)));
            double scaled = cn_plain_error(&s.p, true, s.r, s.u) / sqrt(pressing);
            double plain = cn_plain_error(&s.p, false, s.r, s.u);
            CN_CHECK_NEAR(solve_natural_error(&s.p, CN_MEASURE_SCALED, s.r, s.u), scaled, 1e-13);
            CN_CHECK_NEAR(solve_natural_error(&s.p, CN_MEASURE_Q, s.r, s.u),
                          plain / cn_norm(m, s.q), 1e-13);
            CN_CHECK_NEAR(solve_natural_error(&s.p, CN_MEASURE_MAX, s.r, s.u), plain / largest,
                          1e-13);
        }
    }
}

// Two implementations that share no code must agree, far from a solution and near it.
CN_TEST(solvers_and_checker_measure_the_same) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        cn_planted_opts opts = cn_planted_opts_default();
        cn_problem *problem;
        cn_friction p;
        double u[3 * CONTACTS];
        base_rng rng = base_rng_seed(5);
        opts.dim = dim;
        opts.contacts = CONTACTS;
        opts.deficiency = 0.2;
        CN_CHECK_TRUE(cn_planted_friction(NULL, &opts, &problem, NULL) == CN_OK);
        CN_CHECK_TRUE(cn_friction_condense(&problem->global, problem->memory, &p, NULL) == CN_OK);
        for (double noise = 1.0; noise > 1e-7; noise *= 0.1) {
            double steep = noise < 1e-4 ? 1e4 : 1.0; // of the coefficients of friction, at the end
            cn_grade grade;
            for (int32_t i = 0; i < dim * CONTACTS; i++) {
                problem->r[i] += noise * base_rng_uniform(&rng, -1.0, 1.0);
            }
            cn_friction_velocity(&p, problem->r, NULL, u);
            double mu[CONTACTS];
            for (int32_t a = 0; a < CONTACTS; a++) {
                mu[a] = steep * problem->global.mu[a];
            }
            p.mu = mu;
            CN_CHECK_TRUE(cn_friction_grade(&p, problem->r, u, problem->memory, &grade) == CN_OK);
            for (int32_t measure = 0; measure < 3; measure++) {
                double want = cn_grade_residual(&grade, (cn_measure)measure);
                CN_CHECK_NEAR(solve_natural_error(&p, (cn_measure)measure, problem->r, u), want,
                              1e-11 * want + 1e-13);
            }
        }
        cn_problem_destroy(problem);
    }
}

CN_TEST(no_pressing_contact_means_all_of_q) {
    cn_sample s;
    cn_sample_fill(&s, 3, 1);
    for (int32_t a = 0; a < CONTACTS; a++) {
        s.q[3 * a] = fabs(s.q[3 * a]);
    }
    double want = cn_plain_error(&s.p, true, s.r, s.u) / cn_norm(3 * CONTACTS, s.q);
    CN_CHECK_NEAR(solve_natural_error(&s.p, CN_MEASURE_SCALED, s.r, s.u), want, 1e-13);
}

CN_TEST(round_off_of_q_makes_the_residual_absolute) {
    cn_sample s;
    cn_sample_fill(&s, 3, 2);
    for (int32_t i = 0; i < 3 * CONTACTS; i++) {
        s.q[i] *= 1e-18;
    }
    CN_CHECK_NEAR(solve_natural_error(&s.p, CN_MEASURE_SCALED, s.r, s.u),
                  cn_plain_error(&s.p, true, s.r, s.u), 1e-12);
    CN_CHECK_NEAR(solve_natural_error(&s.p, CN_MEASURE_Q, s.r, s.u),
                  cn_plain_error(&s.p, false, s.r, s.u), 1e-12);
    memset(s.r, 0, sizeof s.r);
    CN_CHECK_NEAR(solve_natural_error(&s.p, CN_MEASURE_MAX, s.r, s.q), 0.0, 1e-16);
}

CN_TEST(not_a_number_stays_one) {
    cn_sample s;
    for (int32_t i = 0; i < 6; i++) {
        cn_sample_fill(&s, 3, 3);
        (i < 3 ? s.r : s.u)[i % 3] = (double)NAN;
        for (int32_t measure = 0; measure < 3; measure++) {
            CN_CHECK_TRUE(isnan(solve_natural_error(&s.p, (cn_measure)measure, s.r, s.u)));
        }
    }
}

CN_TEST(lcp_residual_is_the_min_of_both) {
    int64_t start[] = {0, 1, 2};
    int32_t column[] = {0, 1};
    double value[] = {1.0, 1.0}, q[] = {3.0, -4.0};
    cn_lcp p = {.n = 2, .M = {2, 2, start, column, value}, .q = q};
    double z[] = {0.5, -0.3}, w[] = {3.5, -4.3};
    CN_CHECK_NEAR(solve_natural_error_lcp(&p, z, w), sqrt(0.25 + 4.3 * 4.3) / 5.0, 1e-15);
    q[0] = 1e-17;
    q[1] = 0.0;
    CN_CHECK_NEAR(solve_natural_error_lcp(&p, z, w), sqrt(0.25 + 4.3 * 4.3), 1e-14);
    z[1] = (double)NAN;
    CN_CHECK_TRUE(isnan(solve_natural_error_lcp(&p, z, w)));
}

static bool cn_cancel_at_three(void *user, const cn_progress *progress) {
    *(int64_t *)user = progress->done;
    return progress->done < 3;
}

CN_TEST(watch_ends_for_each_reason) {
    cn_solve_opts opts = {.tolerance = 1e-6, .max_iterations = 10};
    cn_solve_report report = {0};
    solve_watch watch = solve_watch_start(&opts);
    CN_CHECK_TRUE(!solve_watch_stop(&watch, "test", 9, 1.0, &report) && report.iterations == 9);
    CN_CHECK_TRUE(solve_watch_stop(&watch, "test", 10, 1.0, &report) && report.outcome == CN_LIMIT);
    CN_CHECK_TRUE(solve_watch_stop(&watch, "test", 1, 1e-7, &report) &&
                  report.outcome == CN_SOLVED);
    CN_CHECK_TRUE(solve_watch_stop(&watch, "test", 1, (double)NAN, &report) &&
                  report.outcome == CN_DIVERGED);
    opts.time_limit = 1e-12;
    CN_CHECK_TRUE(solve_watch_stop(&watch, "test", 1, 1.0, &report) && report.outcome == CN_TIME);
    CN_CHECK_TRUE(watch.status == CN_OK);
}

CN_TEST(watch_hands_on_a_cancel) {
    int64_t seen = -1;
    cn_solve_opts opts = {.tolerance = 1e-6,
                          .max_iterations = 10,
                          .progress = cn_cancel_at_three,
                          .progress_user = &seen};
    cn_solve_report report = {0};
    solve_watch watch = solve_watch_start(&opts);
    int64_t k = 0;
    while (!solve_watch_stop(&watch, "test", k, 1.0, &report)) {
        k++;
    }
    CN_CHECK_TRUE(k == 3 && seen == 3 && watch.status == CN_ERR_CANCELLED);
}
