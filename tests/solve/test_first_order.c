// The first-order methods: every one on the same cases.
#include "check.h"

#include "base/arena.h"
#include "base/rng.h"
#include "problem/operator/operator.h"
#include "sparse/csr.h"

#include <cairn/solve.h>
#include <stdlib.h>
#include <string.h>

static const char *const methods[] = {"fixed-point", "extra-gradient", "cpg", "uzawa", "apgd", "bb",
                                      "admm"};
#define METHODS (sizeof methods / sizeof *methods)
#define WITH_BY_CONTACT 2 // the first of them have the setting by_contact

#define SIZE_MAX_HERE 60 // unknowns of the largest problem of this file

// Solves from r = 0 with the method's defaults but for the tolerance and at most one parameter.
static cn_solve_report cn_run(const cn_friction *p, const char *method, double tolerance,
                              const char *name, const char *value, double *r, double *u) {
    const cn_friction_solver *solver = cn_friction_solver_find(method);
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    cn_arena *scratch = cn_arena_create(NULL);
    cn_solve_report report;
    opts.tolerance = tolerance;
    if (name) {
        CN_CHECK_TRUE(cn_solve_opts_set(&opts, &solver->info, name, value, NULL) == CN_OK);
    }
    memset(r, 0, sizeof *r * (size_t)(p->dim * p->contacts));
    CN_CHECK_TRUE(cn_friction_solve(p, solver, &opts, scratch, r, u, &report, NULL) == CN_OK);
    if (report.outcome != CN_SOLVED) {
        print_error("%s: %s, residual %g after %d steps\n", method, cn_outcome_text(report.outcome),
                    report.grade.residual, (int)report.iterations);
    }
    cn_arena_destroy(scratch);
    return report;
}

static cn_friction cn_from_dense(cn_arena *memory, int32_t dim, int32_t contacts, const double *W,
                                 const double *q, const double *mu) {
    int32_t m = dim * contacts, row[SIZE_MAX_HERE * 4], column[SIZE_MAX_HERE * 4];
    double value[SIZE_MAX_HERE * 4];
    int64_t count = 0;
    for (int32_t i = 0; i < m; i++) {
        for (int32_t j = 0; j < m; j++) {
            if (W[m * i + j] != 0.0) {
                row[count] = i;
                column[count] = j;
                value[count++] = W[m * i + j];
            }
        }
    }
    cn_csr matrix;
    cn_friction p;
    CN_CHECK_TRUE(sparse_csr_from_triplets(memory, m, m, count, row, column, value, &matrix) ==
                  CN_OK);
    CN_CHECK_TRUE(prob_friction_from_csr(memory, dim, contacts, &matrix, q, mu, &p) == CN_OK);
    return p;
}

// One contact with W = diag(2, 1, 1): the answers are written down at once.
CN_TEST(one_contact_opens_sticks_and_slides) {
    const double W3[] = {2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, W2[] = {2.0, 0.0, 0.0, 1.0};
    const double mu = 0.5;
    const double q[][3] = {{1.0, 0.3, -0.4},   // opens
                           {-4.0, 0.3, -0.4},  // sticks: |r_T| = 0.5 < 1
                           {-4.0, 3.0, -4.0},  // slides: |r_T| = 1
                           {-4.0, 0.6, -0.8}}; // sticks on the cone itself
    const double r3[][3] = {{0.0, 0.0, 0.0}, {2.0, -0.3, 0.4}, {2.0, -0.6, 0.8}, {2.0, -0.6, 0.8}};
    const double r2[][2] = {{0.0, 0.0}, {2.0, -0.3}, {2.0, -1.0}, {2.0, -0.6}};
    for (size_t s = 0; s < METHODS; s++) {
        for (int32_t c = 0; c < 4; c++) {
            cn_arena *memory = cn_arena_create(NULL);
            double r[3], u[3];
            cn_friction p = cn_from_dense(memory, 3, 1, W3, q[c], &mu);
            CN_CHECK_TRUE(cn_run(&p, methods[s], 1e-12, NULL, NULL, r, u).outcome == CN_SOLVED);
            for (int32_t i = 0; i < 3; i++) {
                CN_CHECK_NEAR(r[i], r3[c][i], 1e-11);
            }
            p = cn_from_dense(memory, 2, 1, W2, q[c], &mu);
            CN_CHECK_TRUE(cn_run(&p, methods[s], 1e-12, NULL, NULL, r, u).outcome == CN_SOLVED);
            for (int32_t i = 0; i < 2; i++) {
                CN_CHECK_NEAR(r[i], r2[c][i], 1e-11);
            }
            cn_arena_destroy(memory);
        }
    }
}

// A full, unsymmetric block. Sliding with u_T along t: r = r_N (1, -mu t), u_N = 0.
CN_TEST(unsymmetric_block_slides_along_its_velocity) {
    const double W[] = {2.0, 0.3, -0.2, 0.1, 1.5, 0.4, 0.2, -0.3, 1.2};
    const double mu = 0.4, slip = 0.7, t[] = {0.6, -0.8}, r_want[] = {1.0, -0.4 * 0.6, 0.4 * 0.8};
    const double u_want[] = {0.0, slip * t[0], slip * t[1]};
    double q[3], r[3], u[3];
    for (int32_t i = 0; i < 3; i++) {
        q[i] = u_want[i];
        for (int32_t j = 0; j < 3; j++) {
            q[i] -= W[3 * i + j] * r_want[j];
        }
    }
    for (size_t s = 0; s < METHODS; s++) {
        cn_arena *memory = cn_arena_create(NULL);
        cn_friction p = cn_from_dense(memory, 3, 1, W, q, &mu);
        CN_CHECK_TRUE(cn_run(&p, methods[s], 1e-12, NULL, NULL, r, u).outcome == CN_SOLVED);
        for (int32_t i = 0; i < 3; i++) {
            CN_CHECK_NEAR(r[i], r_want[i], 1e-11);
            CN_CHECK_NEAR(u[i], u_want[i], 1e-11);
        }
        cn_arena_destroy(memory);
    }
}

// Four equal normal impulses hold one degree of freedom: W has rank one, any split is an answer.
CN_TEST(hyperstatic_table_carries_its_weight) {
    double W[64] = {0}, q[8] = {0}, mu[] = {0.3, 0.3, 0.3, 0.3}, r[8], u[8];
    for (int32_t a = 0; a < 4; a++) {
        q[2 * a] = -2.0;
        for (int32_t b = 0; b < 4; b++) {
            W[8 * 2 * a + 2 * b] = 1.0;
            W[8 * (2 * a + 1) + 2 * b + 1] = 1.0;
        }
    }
    for (size_t s = 0; s < METHODS; s++) {
        cn_arena *memory = cn_arena_create(NULL);
        cn_friction p = cn_from_dense(memory, 2, 4, W, q, mu);
        CN_CHECK_TRUE(cn_run(&p, methods[s], 1e-10, NULL, NULL, r, u).outcome == CN_SOLVED);
        CN_CHECK_NEAR(r[0] + r[2] + r[4] + r[6], 2.0, 1e-9);
        cn_arena_destroy(memory);
    }
}

// A planted pile of full rank: rank deficient sets are not what these methods are for.
static cn_problem *cn_pile(int32_t dim, int32_t contacts, uint64_t seed) {
    cn_planted_opts opts = cn_planted_opts_default();
    cn_problem *problem;
    opts.dim = dim;
    opts.contacts = opts.bodies = contacts;
    opts.friction = 0.3;
    opts.seed = seed;
    CN_CHECK_TRUE(cn_planted_friction(NULL, &opts, &problem, NULL) == CN_OK);
    return problem;
}

static cn_friction cn_condensed(cn_problem *problem) {
    cn_friction p;
    CN_CHECK_TRUE(cn_friction_condense(&problem->global, problem->memory, &p, NULL) == CN_OK);
    return p;
}

CN_TEST(planted_problems_in_both_operators) {
    for (uint64_t seed = 1; seed <= 4; seed++) {
        for (size_t s = 0; s < METHODS; s++) {
            int32_t dim = seed % 2 == 0 ? 2 : 3;
            cn_problem *problem = cn_pile(dim, SIZE_MAX_HERE / dim, seed);
            cn_friction assembled = cn_condensed(problem), body;
            double r[SIZE_MAX_HERE], u[SIZE_MAX_HERE], r_body[SIZE_MAX_HERE];
            CN_CHECK_TRUE(
                cn_friction_to_body_space(&problem->global, problem->memory, &body, NULL) == CN_OK);
            cn_solve_report one = cn_run(&assembled, methods[s], 1e-7, NULL, NULL, r, u);
            cn_solve_report two = cn_run(&body, methods[s], 1e-7, NULL, NULL, r_body, u);
            CN_CHECK_TRUE(one.outcome == CN_SOLVED && two.outcome == CN_SOLVED);
            for (int32_t i = 0; i < SIZE_MAX_HERE; i++) {
                CN_CHECK_NEAR(r[i], problem->r[i], 1e-4);
                CN_CHECK_NEAR(r_body[i], problem->r[i], 1e-4);
            }
            cn_problem_destroy(problem);
        }
    }
}

// With the metric of the contacts, a contact with s times the stiffness and 1/s times the impulse
// takes the same steps.
CN_TEST(contact_metric_is_indifferent_to_the_masses) {
    const double mu[] = {0.3, 0.3};
    for (size_t s = 0; s < METHODS; s++) {
        int32_t steps[2];
        for (int32_t spread = 0; spread < 2; spread++) {
            cn_arena *memory = cn_arena_create(NULL);
            double W[36] = {0}, q[6], r[6], u[6];
            for (int32_t i = 0; i < 6; i++) {
                W[7 * i] = spread == 0 ? 1.0 : (i < 3 ? 0x1p-10 : 0x1p10);
                q[i] = i % 3 == 0 ? -1.0 : 0.2;
            }
            cn_friction p = cn_from_dense(memory, 3, 2, W, q, mu);
            cn_solve_report report = cn_run(&p, methods[s], 1e-8, NULL, NULL, r, u);
            CN_CHECK_TRUE(report.outcome == CN_SOLVED);
            steps[spread] = report.iterations;
            cn_arena_destroy(memory);
        }
        CN_CHECK_NEAR(steps[1], steps[0], 0.0);
    }
}

CN_TEST(one_step_for_all_contacts_is_an_option) {
    for (size_t s = 0; s < WITH_BY_CONTACT; s++) {
        cn_problem *problem = cn_pile(3, 12, 9);
        cn_friction p = cn_condensed(problem);
        double r[36], u[36];
        CN_CHECK_TRUE(cn_run(&p, methods[s], 1e-6, "by_contact", "no", r, u).outcome == CN_SOLVED);
        cn_problem_destroy(problem);
    }
}

CN_TEST(every_measure_is_what_it_stops_on) {
    for (size_t s = 0; s < METHODS; s++) {
        for (int32_t measure = 0; measure < 3; measure++) {
            cn_problem *problem = cn_pile(3, 12, 9);
            cn_friction p = cn_condensed(problem);
            double r[36] = {0}, u[36];
            cn_solve_report report;
            const cn_friction_solver *solver = cn_friction_solver_find(methods[s]);
            cn_solve_opts opts = cn_solve_opts_default(&solver->info);
            opts.measure = (cn_measure)measure;
            opts.tolerance = 1e-6;
            CN_CHECK_TRUE(cn_friction_solve(&p, solver, &opts, problem->memory, r, u, &report,
                                            NULL) == CN_OK);
            CN_CHECK_TRUE(report.outcome == CN_SOLVED);
            CN_CHECK_BELOW(cn_grade_residual(&report.grade, opts.measure), 1e-6);
            cn_problem_destroy(problem);
        }
    }
}

CN_TEST(a_good_guess_needs_no_step) {
    for (size_t s = 0; s < METHODS; s++) {
        cn_problem *problem = cn_pile(2, 12, 10);
        cn_friction p = cn_condensed(problem);
        double r[24], u[24], kept[24];
        CN_CHECK_TRUE(cn_run(&p, methods[s], 1e-7, NULL, NULL, r, u).outcome == CN_SOLVED);
        memcpy(kept, r, sizeof r);
        const cn_friction_solver *solver = cn_friction_solver_find(methods[s]);
        cn_solve_opts opts = cn_solve_opts_default(&solver->info);
        cn_solve_report report;
        opts.tolerance = 1e-7;
        CN_CHECK_TRUE(cn_friction_solve(&p, solver, &opts, problem->memory, r, u, &report, NULL) ==
                      CN_OK);
        CN_CHECK_TRUE(report.iterations == 0 && report.outcome == CN_SOLVED);
        assert_memory_equal(r, kept, sizeof r);
        cn_problem_destroy(problem);
    }
}

// An iteration limit gives the best iterate so far, which is inside the cones.
CN_TEST(a_limit_leaves_an_admissible_answer) {
    for (size_t s = 0; s < METHODS; s++) {
        cn_problem *problem = cn_pile(3, 12, 11);
        cn_friction p = cn_condensed(problem);
        double r[36] = {0}, u[36];
        cn_solve_report report;
        const cn_friction_solver *solver = cn_friction_solver_find(methods[s]);
        cn_solve_opts opts = cn_solve_opts_default(&solver->info);
        opts.max_iterations = 3;
        CN_CHECK_TRUE(cn_friction_solve(&p, solver, &opts, problem->memory, r, u, &report, NULL) ==
                      CN_OK);
        CN_CHECK_TRUE(report.outcome == CN_LIMIT && report.iterations == 3);
        CN_CHECK_BELOW(report.grade.cone_violation, 1e-15);
        cn_problem_destroy(problem);
    }
}

// ---- real problems ----

// Small sets of contacts from other people's simulations, unsymmetric and hyperstatic ones among
// them.
CN_TEST(corpus_of_small_sets) {
    static const char *const names[] = {"OneObject-i100000-499", "rockfall_21_54029-3d",
                                        "Rover1041", "Rover9770", "FrictionContactProblem00071"};
    const char *corpus = getenv("CAIRN_CORPUS");
    if (!corpus) {
        CN_SKIP("CAIRN_CORPUS is not set");
    }
    for (size_t f = 0; f < sizeof names / sizeof *names; f++) {
        char path[1024];
        cn_problem *problem;
        double r[200], u[200];
        snprintf(path, sizeof path, "%s/local/%s.hdf5", corpus, names[f]);
        CN_CHECK_TRUE(cn_problem_read(NULL, path, &problem, NULL) == CN_OK);
        CN_CHECK_TRUE(problem->friction.dim * problem->friction.contacts <= 200);
        for (size_t s = 0; s < METHODS; s++) {
            cn_solve_report report = cn_run(&problem->friction, methods[s], 1e-4, NULL, NULL, r, u);
            if (report.outcome != CN_SOLVED) {
                print_error("on %s\n", names[f]);
            }
            CN_CHECK_TRUE(report.outcome == CN_SOLVED);
        }
        cn_problem_destroy(problem);
    }
}

// ---- cpg's own ----

// Two contacts whose residue lies in the null space of W: nothing can be moved.
static cn_solve_report cn_degenerate(const char *go_on) {
    const double W[] = {1.0,  0.0, -1.0, 0.0, 0.0, 1.0, 0.0, 0.0,
                        -1.0, 0.0, 1.0,  0.0, 0.0, 0.0, 0.0, 1.0};
    const double q[] = {-1.0, 0.0, -1.0, 0.0}, mu[] = {0.0, 0.0};
    double r[4], u[4];
    cn_arena *memory = cn_arena_create(NULL);
    cn_friction p = cn_from_dense(memory, 2, 2, W, q, mu);
    cn_solve_report report = cn_run(&p, "cpg", 1e-8, "go_on", go_on, r, u);
    cn_arena_destroy(memory);
    return report;
}

CN_TEST(cpg_ends_where_the_curvature_vanishes) {
    cn_solve_report report = cn_degenerate("no");
    CN_CHECK_TRUE(report.outcome == CN_STALLED && strstr(report.detail, "curvature"));
    CN_CHECK_TRUE(cn_degenerate("yes").outcome == CN_LIMIT);
}

// One contact that slides on a small disc: straight steps overshoot its bend for ever.
// Without friction the problem is one of convex minimisation over r_N >= 0: conjugate gradients end.
CN_TEST(cpg_solves_problems_without_friction) {
    for (int32_t k = 0; k < 24; k++) {
        cn_planted_opts opts = cn_planted_opts_default();
        opts.dim = 2 + k % 2;
        opts.contacts = 60;
        opts.friction = 0.0;
        opts.seed = 1 + (uint64_t)k;
        opts.deficiency = k % 3 == 2 ? 0.4 : 0.0;
        cn_problem *planted;
        CN_CHECK_TRUE(cn_planted_friction(NULL, &opts, &planted, NULL) == CN_OK);
        double r[3 * 60], u[3 * 60];
        cn_friction p;
        if (k % 4 < 2) {
            p = cn_condensed(planted);
        } else {
            CN_CHECK_TRUE(cn_friction_to_body_space(&planted->global, planted->memory, &p, NULL) ==
                          CN_OK);
        }
        CN_CHECK_TRUE(cn_run(&p, "cpg", 1e-8, NULL, NULL, r, u).outcome == CN_SOLVED);
        cn_problem_destroy(planted);
    }
}

CN_TEST(cpg_follows_the_bend_of_the_disc) {
    const double W[] = {15.0, -1.0, -2.0, -1.0, 14.0, 1.0, -2.0, 1.0, 16.0};
    const double q[] = {-1.0, 2.0, 3.0}, mu = 0.1;
    double r[3], u[3];
    cn_arena *memory = cn_arena_create(NULL);
    cn_friction p = cn_from_dense(memory, 3, 1, W, q, &mu);
    cn_solve_report report = cn_run(&p, "cpg", 1e-12, NULL, NULL, r, u);
    CN_CHECK_TRUE(report.outcome == CN_SOLVED);
    CN_CHECK_BELOW(report.iterations, 50);
    CN_CHECK_TRUE(cn_run(&p, "cpg", 1e-4, "follow", "no", r, u).outcome == CN_LIMIT);
    cn_arena_destroy(memory);
}
