// Mixed complementarity problems: data, checker, planted ones, and every solver of the table on
// free, bounded and boxed unknowns.
#include "check.h"

#include "base/arena.h"
#include "base/rng.h"
#include "sparse/csr.h"

#include "failing_allocator.h"

#include <cairn/solve.h>
#include <string.h>

#define INF HUGE_VAL

// A dense matrix by rows as a problem with bounds.
static cn_mcp make(cn_arena *memory, int32_t n, const double *M, const double *q,
                   const double *lower, const double *upper) {
    cn_mcp p = {.n = n, .M = {.rows = n, .cols = n}};
    p.M.start = BASE_TAKE_ZERO(memory, int64_t, n + 1);
    p.M.column = BASE_TAKE(memory, int32_t, n * n);
    p.M.value = BASE_TAKE(memory, double, n *n);
    p.q = BASE_TAKE(memory, double, n);
    p.lower = BASE_TAKE(memory, double, n);
    p.upper = BASE_TAKE(memory, double, n);
    for (int32_t i = 0; i < n; i++) {
        p.q[i] = q[i];
        p.lower[i] = lower[i];
        p.upper[i] = upper[i];
        p.M.start[i + 1] = p.M.start[i];
        for (int32_t j = 0; j < n; j++) {
            if (M[n * i + j] != 0.0) {
                p.M.column[p.M.start[i + 1]] = j;
                p.M.value[p.M.start[i + 1]++] = M[n * i + j];
            }
        }
    }
    return p;
}

static cn_solve_report run(const cn_mcp *p, const cn_mcp_solver *row, double tolerance,
                           cn_arena *memory, double *z) {
    cn_solve_opts opts = cn_solve_opts_default(&row->info);
    double *w = BASE_TAKE(memory, double, p->n);
    cn_solve_report report;
    opts.tolerance = tolerance;
    CN_CHECK_TRUE(cn_mcp_solve(p, row, &opts, memory, z, w, &report, NULL) == CN_OK);
    return report;
}

static void say(const char *name, const cn_solve_report *report) {
    if (report->outcome != CN_SOLVED) {
        print_error("%s: %s (%s), residual %g after %d\n", name, cn_outcome_text(report->outcome),
                    report->detail, report->grade.residual, (int)report->iterations);
    }
    CN_CHECK_TRUE(report->outcome == CN_SOLVED);
}

// ---- data ----

CN_TEST(bad_bounds_are_refused) {
    cn_arena *memory = cn_arena_create(NULL);
    const double M[] = {2.0, 0.0, 0.0, 2.0}, q[] = {1.0, 1.0};
    const double bad[][2] = {{1.0, 0.0}, {INF, INF}, {-INF, -INF}, {(double)NAN, 1.0}};
    const double lower[] = {0.0, 0.0}, upper[] = {1.0, INF};
    cn_mcp p = make(memory, 2, M, q, lower, upper);
    cn_error error;
    double z[2] = {0}, w[2];
    cn_solve_report report;
    const cn_mcp_solver *row = cn_mcp_solver_at(0);
    cn_solve_opts opts = cn_solve_opts_default(&row->info);
    CN_CHECK_TRUE(cn_mcp_validate(&p, NULL) == CN_OK);
    for (int32_t c = 0; c < 4; c++) {
        p.lower[1] = bad[c][0];
        p.upper[1] = bad[c][1];
        CN_CHECK_TRUE(cn_mcp_validate(&p, &error) == CN_ERR_INPUT && strlen(error.hint) > 0);
        CN_CHECK_TRUE(cn_mcp_solve(&p, row, &opts, memory, z, w, &report, &error) ==
                      CN_ERR_ARGUMENT);
    }
    p.lower[1] = 0.0;
    p.upper[1] = INF;
    p.q[0] = (double)NAN;
    CN_CHECK_TRUE(cn_mcp_validate(&p, &error) == CN_ERR_INPUT);
    p.q[0] = 1.0;
    p.upper = NULL;
    CN_CHECK_TRUE(cn_mcp_validate(&p, &error) == CN_ERR_INPUT);
    cn_arena_destroy(memory);
}

CN_TEST(an_lcp_is_a_mixed_problem_and_back) {
    cn_planted_opts opts = cn_planted_opts_default();
    cn_problem *problem;
    cn_mcp p;
    cn_lcp lcp;
    cn_grade one, other;
    opts.contacts = 20;
    CN_CHECK_TRUE(cn_planted_lcp(NULL, &opts, &problem, NULL) == CN_OK);
    CN_CHECK_TRUE(cn_mcp_from_lcp(&problem->lcp, problem->memory, &p, NULL) == CN_OK);
    CN_CHECK_TRUE(cn_mcp_as_lcp(&p, &lcp) && lcp.n == 20 && lcp.q == problem->lcp.q);
    problem->r[3] += 0.1;
    CN_CHECK_TRUE(cn_mcp_grade(&p, problem->r, problem->memory, &one) == CN_OK);
    CN_CHECK_TRUE(cn_lcp_grade(&lcp, problem->r, problem->memory, &other) == CN_OK);
    CN_CHECK_TRUE(one.residual > 0.0);
    assert_memory_equal(&one, &other, sizeof one);
    p.upper[4] = 7.0;
    CN_CHECK_TRUE(!cn_mcp_as_lcp(&p, &lcp));
    cn_problem_destroy(problem);
}

// ---- the checker ----

// M = 1, q = -2: z = 2 if nothing bounds it.
CN_TEST(checker_knows_the_three_cases) {
    cn_arena *memory = cn_arena_create(NULL);
    const double one = 1.0, q = -2.0;
    const struct {
        double lower, upper, z, residual;
    } cases[] = {{-INF, INF, 2.0, 0.0}, {0.0, INF, 2.0, 0.0},  {3.0, INF, 3.0, 0.0},
                 {-INF, 1.0, 1.0, 0.0}, {0.0, 1.0, 1.0, 0.0},  {2.0, 2.0, 2.0, 0.0},
                 {-INF, INF, 1.0, 0.5}, {0.0, 1.5, 1.0, 0.25}, {3.0, INF, 4.0, 0.5},
                 {3.0, INF, 2.5, 0.25}, {-INF, 1.0, 0.0, 0.5}, {0.0, INF, (double)NAN, NAN}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        cn_mcp p = make(memory, 1, &one, &q, &cases[c].lower, &cases[c].upper);
        cn_grade grade;
        CN_CHECK_TRUE(cn_mcp_grade(&p, &cases[c].z, memory, &grade) == CN_OK);
        if (isnan(cases[c].residual)) {
            CN_CHECK_TRUE(isnan(grade.residual));
        } else {
            CN_CHECK_NEAR(grade.residual, cases[c].residual, 1e-16);
        }
    }
    cn_arena_destroy(memory);
}

CN_TEST(checker_finds_a_wrong_unknown) {
    cn_arena *memory = cn_arena_create(NULL);
    cn_planted_opts opts = cn_planted_opts_default();
    cn_mcp p;
    double *z;
    cn_grade grade;
    opts.contacts = 40;
    CN_CHECK_TRUE(cn_planted_mcp(&opts, memory, &p, &z, NULL) == CN_OK);
    for (int32_t i = 0; i < 40; i++) {
        double kept = z[i];
        z[i] += 1e-3;
        CN_CHECK_TRUE(cn_mcp_grade(&p, z, memory, &grade) == CN_OK);
        CN_CHECK_TRUE(grade.residual > 1e-6);
        z[i] = kept;
    }
    cn_arena_destroy(memory);
}

// ---- planted ----

CN_TEST(planted_solutions_solve) {
    for (uint64_t seed = 1; seed <= 10; seed++) {
        cn_arena *memory = cn_arena_create(NULL);
        cn_planted_opts opts = cn_planted_opts_default();
        cn_mcp p;
        double *z;
        cn_grade grade;
        opts.contacts = 10 * (int32_t)seed;
        opts.skew = seed % 2 == 0 ? 0.5 : 0.0;
        opts.seed = seed;
        CN_CHECK_TRUE(cn_planted_mcp(&opts, memory, &p, &z, NULL) == CN_OK);
        CN_CHECK_TRUE(cn_mcp_validate(&p, NULL) == CN_OK);
        CN_CHECK_TRUE(cn_mcp_grade(&p, z, memory, &grade) == CN_OK);
        CN_CHECK_BELOW(grade.residual, 1e-14);
        cn_arena_destroy(memory);
    }
    cn_planted_opts bad = cn_planted_opts_default();
    cn_arena *memory = cn_arena_create(NULL);
    cn_mcp p;
    double *z;
    bad.contacts = -1;
    CN_CHECK_TRUE(cn_planted_mcp(&bad, memory, &p, &z, NULL) == CN_ERR_ARGUMENT);
    cn_arena_destroy(memory);
}

CN_TEST(every_row_solves_planted_problems) {
    for (int32_t s = 0; s < cn_mcp_solver_count(); s++) {
        for (uint64_t seed = 1; seed <= 12; seed++) {
            cn_arena *memory = cn_arena_create(NULL);
            cn_planted_opts opts = cn_planted_opts_default();
            cn_mcp p;
            double *planted, z[60] = {0};
            opts.contacts = 12 + 4 * (int32_t)seed;
            opts.deficiency = seed % 3 == 0 ? 0.3 : 0.0;
            opts.skew = seed % 2 == 0 ? 0.5 : 0.0;
            opts.seed = seed;
            CN_CHECK_TRUE(cn_planted_mcp(&opts, memory, &p, &planted, NULL) == CN_OK);
            cn_solve_report report = run(&p, cn_mcp_solver_at(s), 1e-10, memory, z);
            say(cn_mcp_solver_at(s)->info.name, &report);
            cn_arena_destroy(memory);
        }
    }
}

// ---- by hand ----

// Every solver of the table finds z.
static void check_solution(int32_t n, const double *M, const double *q, const double *lower,
                           const double *upper, const double *z) {
    cn_arena *memory = cn_arena_create(NULL);
    cn_mcp p = make(memory, n, M, q, lower, upper);
    for (int32_t s = 0; s < cn_mcp_solver_count(); s++) {
        double *found = BASE_TAKE_ZERO(memory, double, n);
        cn_solve_report report = run(&p, cn_mcp_solver_at(s), 1e-12, memory, found);
        say(cn_mcp_solver_at(s)->info.name, &report);
        for (int32_t i = 0; i < n; i++) {
            CN_CHECK_NEAR(found[i], z[i], 1e-11);
        }
    }
    cn_arena_destroy(memory);
}

// A linear system, when nothing is bounded.
CN_TEST(free_unknowns_alone_are_a_linear_system) {
    const double M[] = {0.0, 2.0, 1.0, 1.0}, q[] = {-2.0, -3.0}, z[] = {2.0, 1.0};
    const double lower[] = {-INF, -INF}, upper[] = {INF, INF};
    check_solution(2, M, q, lower, upper, z);
}

// A saddle point: min x'x/2 - x_1 - 3 x_2 with x_1 + x_2 = 1 and 0 <= x <= 0.8; x_1 - 1 is the
// multiplier.
CN_TEST(equality_constrained_box_programme) {
    const double M[] = {1.0, 0.0, -1.0, 0.0, 1.0, -1.0, 1.0, 1.0, 0.0}, q[] = {-1.0, -3.0, -1.0};
    const double lower[] = {0.0, 0.0, -INF}, upper[] = {0.8, 0.8, INF}, z[] = {0.2, 0.8, -0.8};
    check_solution(3, M, q, lower, upper, z);
}

// A singular free block that only the bounded unknowns make solvable: z_2 = 1, z_1 free of choice.
CN_TEST(free_unknowns_without_a_pivot_are_split) {
    const double M[] = {0.0, 1.0, -1.0, 1.0}, q[] = {-1.0, 0.0}, z[] = {1.0, 1.0};
    const double lower[] = {-INF, 0.0}, upper[] = {INF, INF};
    check_solution(2, M, q, lower, upper, z);
}

// ---- limits ----

static cn_mcp planted(cn_arena *memory, double **z) {
    cn_planted_opts opts = cn_planted_opts_default();
    cn_mcp p;
    opts.contacts = 40;
    opts.deficiency = 0.0;
    CN_CHECK_TRUE(cn_planted_mcp(&opts, memory, &p, z, NULL) == CN_OK);
    return p;
}

CN_TEST(a_good_guess_is_kept) {
    cn_arena *memory = cn_arena_create(NULL);
    double *solution;
    cn_mcp p = planted(memory, &solution);
    for (int32_t s = 0; s < cn_mcp_solver_count(); s++) {
        double z[40];
        memcpy(z, solution, sizeof z);
        cn_solve_report report = run(&p, cn_mcp_solver_at(s), 1e-10, memory, z);
        CN_CHECK_TRUE(report.outcome == CN_SOLVED && report.iterations == 0);
        assert_memory_equal(z, solution, sizeof z);
    }
    cn_arena_destroy(memory);
}

CN_TEST(limits_are_outcomes) {
    cn_arena *memory = cn_arena_create(NULL);
    double *solution, w[40];
    cn_mcp p = planted(memory, &solution);
    for (int32_t s = 0; s < cn_mcp_solver_count(); s++) {
        const cn_mcp_solver *row = cn_mcp_solver_at(s);
        cn_solve_report report;
        for (int32_t timed = 0; timed < 2; timed++) {
            cn_solve_opts opts = cn_solve_opts_default(&row->info);
            double z[40] = {0};
            opts.max_iterations = timed ? opts.max_iterations : 1;
            opts.time_limit = timed ? 1e-12 : 0.0;
            CN_CHECK_TRUE(cn_mcp_solve(&p, row, &opts, memory, z, w, &report, NULL) == CN_OK);
            CN_CHECK_TRUE(report.outcome == (timed ? CN_TIME : CN_LIMIT));
            CN_CHECK_TRUE(report.iterations <= 1);
        }
    }
    cn_arena_destroy(memory);
}

static bool say_no(void *user, const cn_progress *progress) {
    (void)user;
    (void)progress;
    return false;
}

CN_TEST(progress_can_cancel) {
    cn_arena *memory = cn_arena_create(NULL);
    double *solution, w[40];
    cn_mcp p = planted(memory, &solution);
    for (int32_t s = 0; s < cn_mcp_solver_count(); s++) {
        const cn_mcp_solver *row = cn_mcp_solver_at(s);
        cn_solve_opts opts = cn_solve_opts_default(&row->info);
        double z[40] = {0};
        cn_solve_report report;
        opts.progress = say_no;
        CN_CHECK_TRUE(cn_mcp_solve(&p, row, &opts, memory, z, w, &report, NULL) ==
                      CN_ERR_CANCELLED);
    }
    cn_arena_destroy(memory);
}

CN_TEST(answers_are_reproducible) {
    cn_arena *memory = cn_arena_create(NULL);
    double *solution;
    cn_mcp p = planted(memory, &solution);
    for (int32_t s = 0; s < cn_mcp_solver_count(); s++) {
        double z[40] = {0}, again[40] = {0};
        run(&p, cn_mcp_solver_at(s), 1e-10, memory, z);
        run(&p, cn_mcp_solver_at(s), 1e-10, memory, again);
        assert_memory_equal(z, again, sizeof z);
    }
    cn_arena_destroy(memory);
}

CN_TEST(nothing_to_solve_is_solved) {
    cn_arena *memory = cn_arena_create(NULL);
    const double none = 0.0;
    cn_mcp p = make(memory, 0, &none, &none, &none, &none);
    double z = 0.0;
    for (int32_t s = 0; s < cn_mcp_solver_count(); s++) {
        CN_CHECK_TRUE(run(&p, cn_mcp_solver_at(s), 1e-10, memory, &z).outcome == CN_SOLVED);
    }
    cn_arena_destroy(memory);
}

CN_TEST(no_memory_is_reported) {
    cn_arena *memory = cn_arena_create(NULL);
    double *solution, w[40];
    cn_mcp p = planted(memory, &solution);
    for (int32_t s = 0; s < cn_mcp_solver_count(); s++) {
        const cn_mcp_solver *row = cn_mcp_solver_at(s);
        for (int64_t k = 1;; k++) {
            cn_failing failing;
            cn_env env = cn_failing_env(&failing, k);
            cn_arena *scratch = cn_arena_create(&env);
            cn_solve_opts opts = cn_solve_opts_default(&row->info);
            double z[40] = {0};
            cn_solve_report report;
            cn_status status = CN_ERR_MEMORY;
            if (scratch) {
                status = cn_mcp_solve(&p, row, &opts, scratch, z, w, &report, NULL);
            }
            cn_arena_destroy(scratch);
            CN_CHECK_TRUE(failing.live == 0);
            if (!failing.failed) {
                CN_CHECK_TRUE(status == CN_OK && report.outcome == CN_SOLVED);
                break;
            }
            CN_CHECK_TRUE(status == CN_ERR_MEMORY);
        }
    }
    cn_arena_destroy(memory);
}
