// Solvers that factorise: semismooth Newton on the three contact functions, interior points, and
// the fixed points over convex problems; and what they are made of.
#include "check.h"

#include "base/arena.h"
#include "base/rng.h"
#include "problem/operator/operator.h"
#include "solve/newton/contact_functions.h"
#include "sparse/csr.h"

#include <cairn/solve.h>
#include <string.h>

static const char *const methods[] = {"newton-ac", "newton-jm", "newton-fb",
                                      "ipm",       "tresca",    "cadoux"};
// Interior points leave a contact between two statuses the root of the gap from its place, and in
// body space rounding rules the matrix at gaps of 1e-13.
static const double reach[] = {1e-9, 1e-9, 1e-9, 1e-6, 1e-6, 1e-6};
#define METHODS (sizeof methods / sizeof *methods)
#define MAX 60 // contacts of the largest problem of this file

// Solves from r = 0 with the method's defaults but for the tolerance.
static cn_solve_report cn_run(const cn_friction *p, const char *method, double tolerance, double *r,
                              double *u) {
    const cn_friction_solver *solver = cn_friction_solver_find(method);
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    cn_arena *scratch = cn_arena_create(NULL);
    cn_solve_report report;
    opts.tolerance = tolerance;
    memset(r, 0, sizeof *r * (size_t)(p->dim * p->contacts));
    CN_CHECK_TRUE(cn_friction_solve(p, solver, &opts, scratch, r, u, &report, NULL) == CN_OK);
    if (report.outcome != CN_SOLVED) {
        print_error("%s: %s, residual %g after %d steps\n", method, cn_outcome_text(report.outcome),
                    report.grade.residual, (int)report.iterations);
    }
    cn_arena_destroy(scratch);
    return report;
}

static cn_problem *cn_pile(int32_t dim, int32_t contacts, double deficiency, double friction,
                           uint64_t seed) {
    cn_planted_opts opts = cn_planted_opts_default();
    cn_problem *problem;
    opts.dim = dim;
    opts.contacts = contacts;
    opts.deficiency = deficiency;
    opts.friction = friction;
    opts.seed = seed;
    CN_CHECK_TRUE(cn_planted_friction(NULL, &opts, &problem, NULL) == CN_OK);
    return problem;
}

static cn_friction cn_condensed(cn_problem *problem) {
    cn_friction p;
    CN_CHECK_TRUE(cn_friction_condense(&problem->global, problem->memory, &p, NULL) == CN_OK);
    return p;
}

// ---- the functions of a contact ----

static newton_contact_fn *const laws[] = {newton_alart_curnier, newton_jean_moreau,
                                          newton_fischer_burmeister};

// A and B against differences of F, at points without a kink near by (almost all are).
CN_TEST(derivatives_are_those_of_the_functions) {
    base_rng rng = base_rng_seed(5);
    const double h = 1e-6;
    for (int32_t trial = 0; trial < 300; trial++) {
        int32_t dim = 2 + trial % 2;
        double mu = trial % 7 == 0 ? 0.0 : base_rng_uniform(&rng, 0.1, 1.0), rho = 0.7;
        double r[3], u[3];
        for (int32_t i = 0; i < 3; i++) {
            r[i] = base_rng_uniform(&rng, i == 0 ? -0.5 : -1.0, i == 0 ? 2.0 : 1.0);
            u[i] = base_rng_uniform(&rng, -1.0, 1.0);
        }
        for (size_t l = 0; l < 3; l++) {
            double F[3], A[9], B[9], plus[3], minus[3], spare[9];
            laws[l](dim, mu, rho, r, u, F, A, B);
            for (int32_t k = 0; k < 2 * dim; k++) {
                double *x = k < dim ? &u[k] : &r[k - dim], kept = *x;
                const double *slope = k < dim ? A : B;
                *x = kept + h;
                laws[l](dim, mu, rho, r, u, plus, spare, spare);
                *x = kept - h;
                laws[l](dim, mu, rho, r, u, minus, spare, spare);
                *x = kept;
                for (int32_t i = 0; i < dim; i++) {
                    double got = slope[dim * i + k % dim];
                    CN_CHECK_NEAR(got, (plus[i] - minus[i]) / (2.0 * h), 1e-6 * (1.0 + fabs(got)));
                }
            }
        }
    }
}

// Open, sticking, sliding, and the borders between them; then the same with a wrong velocity.
CN_TEST(functions_vanish_exactly_where_the_law_holds) {
    const double mu = 0.5, good[][6] = {{0, 0, 0, 1, 2, -1},      {2, 0.3, 0.4, 0, 0, 0},
                                        {2, 0.6, 0.8, 0, -3, -4}, {2, 0.6, 0.8, 0, 0, 0},
                                        {0, 0, 0, 0, 3, 4},       {0, 0, 0, 0, 0, 0}};
    const double bad[][6] = {{0, 0, 0, -1, 0, 0},    {2, 0.3, 0.4, 0, -3, -4},
                             {2, 0.6, 0.8, 0, 3, 4}, {2, 0.6, 0.8, 0.1, -3, -4},
                             {-1, 0, 0, 0, 0, 0},    {2, 2, 0, 0, 0, 0}};
    for (size_t l = 0; l < 3; l++) {
        for (int32_t c = 0; c < 6; c++) {
            double F[3], A[9], B[9];
            laws[l](3, mu, 0.7, good[c], good[c] + 3, F, A, B);
            CN_CHECK_NEAR(sqrt(F[0] * F[0] + F[1] * F[1] + F[2] * F[2]), 0.0, 1e-14);
            laws[l](3, mu, 0.7, bad[c], bad[c] + 3, F, A, B);
            CN_CHECK_TRUE(sqrt(F[0] * F[0] + F[1] * F[1] + F[2] * F[2]) > 0.05);
        }
    }
}

// ---- whole problems ----

// One contact with W = diag(2, 1, 1): the answers are written down at once.
CN_TEST(one_contact_opens_sticks_and_slides) {
    const int32_t index[] = {0, 1, 2};
    const double W[] = {2.0, 1.0, 1.0}, mu = 0.5;
    const double q[][3] = {{1.0, 0.3, -0.4}, {-4.0, 0.3, -0.4}, {-4.0, 3.0, -4.0}};
    const double want[][3] = {{0.0, 0.0, 0.0}, {2.0, -0.3, 0.4}, {2.0, -0.6, 0.8}};
    for (size_t s = 0; s < METHODS; s++) {
        for (int32_t c = 0; c < 3; c++) {
            cn_arena *memory = cn_arena_create(NULL);
            double r[3], u[3];
            cn_csr matrix;
            cn_friction p;
            CN_CHECK_TRUE(sparse_csr_from_triplets(memory, 3, 3, 3, index, index, W, &matrix) ==
                          CN_OK);
            CN_CHECK_TRUE(prob_friction_from_csr(memory, 3, 1, &matrix, q[c], &mu, &p) == CN_OK);
            CN_CHECK_TRUE(cn_run(&p, methods[s], reach[s], r, u).outcome == CN_SOLVED);
            for (int32_t i = 0; i < 3; i++) {
                CN_CHECK_NEAR(r[i], want[c][i], 10.0 * reach[s]);
            }
            cn_arena_destroy(memory);
        }
    }
}

// Both forms of W give the same velocities, which are unique; impulses need not be.
static void cn_check_both_forms(size_t method, int32_t dim, int32_t contacts, double deficiency,
                                double friction, uint64_t seed) {
    double r[3 * MAX], u[3 * MAX], other[3 * MAX];
    cn_problem *problem = cn_pile(dim, contacts, deficiency, friction, seed);
    cn_friction assembled = cn_condensed(problem), body;
    CN_CHECK_TRUE(cn_friction_to_body_space(&problem->global, problem->memory, &body, NULL) ==
                  CN_OK);
    CN_CHECK_TRUE(cn_run(&assembled, methods[method], reach[method], r, u).outcome == CN_SOLVED);
    CN_CHECK_TRUE(cn_run(&body, methods[method], reach[method], r, other).outcome == CN_SOLVED);
    for (int32_t i = 0; i < dim * contacts; i++) {
        CN_CHECK_NEAR(other[i], u[i], 1e3 * reach[method]);
    }
    cn_problem_destroy(problem);
}

CN_TEST(planted_piles_in_both_forms) {
    for (size_t s = 0; s < METHODS; s++) {
        for (uint64_t seed = 1; seed <= 2; seed++) {
            cn_check_both_forms(s, 3, MAX, 0.0, 0.3, seed);
            cn_check_both_forms(s, 2, MAX, 0.0, 0.3, seed);
        }
    }
}

CN_TEST(planted_hyperstatic_piles_in_both_forms) {
    for (size_t s = 0; s < METHODS; s++) {
        cn_check_both_forms(s, 3, MAX, 0.3, 0.3, 4);
    }
}

CN_TEST(planted_piles_without_friction) {
    for (size_t s = 0; s < METHODS; s++) {
        cn_check_both_forms(s, 3, MAX, 0.0, 0.0, 3);
        cn_check_both_forms(s, 2, MAX, 0.0, 0.0, 3);
    }
}

// Coefficients spread over [0, 1], none of them for some contacts.
CN_TEST(planted_piles_of_many_materials) {
    for (size_t s = 0; s < METHODS; s++) {
        cn_check_both_forms(s, 3, 20, 0.0, -1.0, 6);
    }
}

CN_TEST(every_measure_is_what_it_stops_on) {
    cn_problem *problem = cn_pile(3, 12, 0.0, 0.3, 9);
    cn_friction p = cn_condensed(problem);
    for (size_t s = 0; s < METHODS; s++) {
        for (int32_t measure = 0; measure < 3; measure++) {
            double r[36] = {0}, u[36];
            cn_solve_report report;
            const cn_friction_solver *solver = cn_friction_solver_find(methods[s]);
            cn_solve_opts opts = cn_solve_opts_default(&solver->info);
            opts.measure = (cn_measure)measure;
            opts.tolerance = reach[s];
            CN_CHECK_TRUE(cn_friction_solve(&p, solver, &opts, problem->memory, r, u, &report,
                                            NULL) == CN_OK);
            CN_CHECK_BELOW(cn_grade_residual(&report.grade, opts.measure), reach[s]);
        }
    }
    cn_problem_destroy(problem);
}

CN_TEST(a_good_guess_comes_back_untouched) {
    cn_problem *problem = cn_pile(3, 12, 0.0, 0.3, 10);
    cn_friction p = cn_condensed(problem);
    for (size_t s = 0; s < METHODS; s++) {
        double r[36], u[36];
        memcpy(r, problem->r, sizeof r);
        const cn_friction_solver *solver = cn_friction_solver_find(methods[s]);
        cn_solve_opts opts = cn_solve_opts_default(&solver->info);
        cn_solve_report report;
        CN_CHECK_TRUE(cn_friction_solve(&p, solver, &opts, problem->memory, r, u, &report, NULL) ==
                      CN_OK);
        CN_CHECK_TRUE(report.iterations == 0 && report.outcome == CN_SOLVED);
        assert_memory_equal(r, problem->r, sizeof r);
    }
    cn_problem_destroy(problem);
}

// Limits hold, and what comes back is the best iterate: no worse than the guess, at any limit.
CN_TEST(limits_hold_and_the_best_iterate_comes_back) {
    cn_problem *problem = cn_pile(3, 40, 0.5, 0.5, 3);
    cn_friction p = cn_condensed(problem);
    for (size_t s = 0; s < METHODS; s++) {
        const cn_friction_solver *solver = cn_friction_solver_find(methods[s]);
        double before = HUGE_VAL;
        for (int32_t limit = 0; limit <= 12; limit++) {
            double r[120] = {0}, u[120];
            cn_solve_opts opts = cn_solve_opts_default(&solver->info);
            cn_solve_report report;
            opts.tolerance = 1e-30;
            opts.max_iterations = limit > 0 ? limit : 1;
            CN_CHECK_TRUE(cn_friction_solve(&p, solver, &opts, problem->memory, r, u, &report,
                                            NULL) == CN_OK);
            CN_CHECK_TRUE(report.iterations <= opts.max_iterations);
            CN_CHECK_TRUE(report.outcome == CN_LIMIT || report.outcome == CN_STALLED);
            CN_CHECK_BELOW(report.grade.residual, before * (1.0 + 1e-6));
            before = report.grade.residual;
        }
    }
    cn_problem_destroy(problem);
}

// A contact that nothing moves (W_aa = 0) makes the matrix singular: no answer is fine, a crash or
// a number that is not finite is not.
CN_TEST(a_contact_without_stiffness_is_survived) {
    cn_problem *problem = cn_pile(3, 4, 0.0, 0.3, 2);
    cn_friction p = cn_condensed(problem);
    for (int64_t k = p.W.assembled.start[1]; k < p.W.assembled.start[2]; k++) {
        memset(p.W.assembled.value + 9 * k, 0, 9 * sizeof(double));
    }
    memset(p.W.diagonal + 9, 0, 9 * sizeof(double));
    for (size_t s = 0; s < METHODS; s++) {
        double r[12], u[12];
        const cn_friction_solver *solver = cn_friction_solver_find(methods[s]);
        cn_solve_opts opts = cn_solve_opts_default(&solver->info);
        cn_solve_report report;
        memset(r, 0, sizeof r);
        opts.max_iterations = 50;
        CN_CHECK_TRUE(cn_friction_solve(&p, solver, &opts, problem->memory, r, u, &report, NULL) ==
                      CN_OK);
        CN_CHECK_TRUE(isfinite(report.grade.residual));
    }
    cn_problem_destroy(problem);
}
