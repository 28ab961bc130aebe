// The drivers, the settings and the tables: no solver grades itself, nothing is taken on trust.
#include "check.h"

#include "base/arena.h"
#include "base/rng.h"
#include "problem/operator/operator.h"
#include "sparse/csr.h"

#include <cairn/solve.h>
#include <string.h>

// ---- a small problem: one 3D contact, W = 1, mu = 1/2, q = (-1, 0.3, 0); r = (1, -0.3, 0) ----

typedef struct cn_small {
    cn_arena *memory;
    cn_friction p;
    cn_lcp lcp; // 0 <= z, z - 1 >= 0
    double r[3], u[3];
    cn_solve_report report;
    cn_error error;
} cn_small;

static cn_small cn_small_make(int32_t dim) {
    cn_small s = {.memory = cn_arena_create(NULL), .r = {0.1, 0.0, 0.0}};
    const int32_t index[] = {0, 1, 2};
    const double one[] = {1.0, 1.0, 1.0}, q[] = {-1.0, 0.3, 0.0}, mu = 0.5;
    cn_csr W;
    CN_CHECK_TRUE(sparse_csr_from_triplets(s.memory, dim, dim, dim, index, index, one, &W) ==
                  CN_OK);
    CN_CHECK_TRUE(prob_friction_from_csr(s.memory, dim, 1, &W, q, &mu, &s.p) == CN_OK);
    s.lcp.n = 1;
    s.lcp.q = BASE_TAKE(s.memory, double, 1);
    s.lcp.q[0] = -1.0;
    CN_CHECK_TRUE(sparse_csr_from_triplets(s.memory, 1, 1, 1, index, index, one, &s.lcp.M) ==
                  CN_OK);
    return s;
}

static void cn_small_end(cn_small *s) {
    cn_arena_destroy(s->memory);
}

// ---- solvers that misbehave ----

typedef struct cn_deed {
    double answer[3];   // written to r
    cn_outcome claim;   // said to be
    cn_status status;   // returned
    const char *detail; // said
    int32_t greed;      // doubles taken from scratch
} cn_deed;

static const cn_deed good = {{1.0, -0.3, 0.0}, CN_LIMIT, CN_OK, "limit", 0};
static const cn_deed cheat = {{0.5, 0.0, 0.0}, CN_SOLVED, CN_OK, "all done", 0};
static const cn_deed not_a_number = {{NAN, 0.0, 0.0}, CN_SOLVED, CN_OK, "all done", 0};
static const cn_deed overflow = {{1e308, 1e308, 1e308}, CN_SOLVED, CN_OK, "all done", 0};
static const cn_deed modest = {{1.0, -0.3, 0.0}, CN_DIVERGED, CN_OK, NULL, 5000};
static const cn_deed hopeless = {{0.5, 0.0, 0.0}, CN_INFEASIBLE, CN_OK, "none", 0};
static const cn_deed broke = {{0.5, 0.0, 0.0}, CN_STALLED, CN_ERR_MEMORY, "x", 0};
static const cn_deed cancelled = {{1.0, -0.3, 0.0}, CN_STALLED, CN_ERR_CANCELLED, "cancelled", 0};

static const cn_deed *cn_deed_of(const cn_solve_opts *opts) {
    return opts->progress_user;
}

static cn_status cn_misbehave(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                              double *r, double *u, cn_solve_report *report) {
    const cn_deed *deed = cn_deed_of(opts);
    for (int32_t i = 0; i < p->dim; i++) {
        r[i] = deed->answer[i];
        u[i] = -77.0; // never to be seen
    }
    CN_CHECK_TRUE(BASE_TAKE(scratch, double, deed->greed) != NULL);
    report->outcome = deed->claim;
    report->detail = deed->detail;
    report->iterations = 5;
    return deed->status;
}

static cn_status cn_misbehave_lcp(const cn_lcp *p, const cn_solve_opts *opts, cn_arena *scratch,
                                  double *z, double *w, cn_solve_report *report) {
    const cn_deed *deed = cn_deed_of(opts);
    (void)scratch;
    for (int32_t i = 0; i < p->n; i++) {
        z[i] = deed->answer[i];
        w[i] = -77.0;
    }
    report->outcome = deed->claim;
    report->detail = deed->detail;
    return deed->status;
}

#define CN_ALL_KINDS (CN_SOLVES_2D | CN_SOLVES_3D | CN_TAKES_ASSEMBLED | CN_TAKES_BODY)
static const cn_friction_solver bad_solver = {
    {.name = "bad", .accepts = CN_ALL_KINDS, .max_iterations = 10}, cn_misbehave, NULL};
static const cn_lcp_solver bad_lcp_solver = {{.name = "bad", .max_iterations = 10},
                                             cn_misbehave_lcp};

// u: NULL where nobody asks for it.
static cn_status cn_small_run_for(cn_small *s, const cn_deed *deed, double *u) {
    cn_solve_opts opts = cn_solve_opts_default(&bad_solver.info);
    opts.progress_user = (void *)(uintptr_t)deed;
    return cn_friction_solve(&s->p, &bad_solver, &opts, s->memory, s->r, u, &s->report, &s->error);
}

static cn_status cn_small_run(cn_small *s, const cn_deed *deed) {
    return cn_small_run_for(s, deed, s->u);
}

static cn_status cn_small_run_lcp(cn_small *s, const cn_deed *deed) {
    cn_solve_opts opts = cn_solve_opts_default(&bad_lcp_solver.info);
    opts.progress_user = (void *)(uintptr_t)deed;
    return cn_lcp_solve(&s->lcp, &bad_lcp_solver, &opts, s->memory, s->r, s->u, &s->report,
                        &s->error);
}

// ---- grading ----

CN_TEST(a_false_claim_is_reported_stalled) {
    cn_small s = cn_small_make(3);
    CN_CHECK_TRUE(cn_small_run(&s, &cheat) == CN_OK);
    CN_CHECK_TRUE(s.report.outcome == CN_STALLED && strstr(s.report.detail, "checker"));
    CN_CHECK_TRUE(cn_small_run_lcp(&s, &cheat) == CN_OK);
    CN_CHECK_TRUE(s.report.outcome == CN_STALLED && strstr(s.report.detail, "checker"));
    cn_small_end(&s);
}

CN_TEST(an_answer_that_is_not_finite_becomes_zero) {
    const cn_deed *const deeds[] = {&not_a_number, &overflow};
    for (int32_t d = 0; d < 2; d++) {
        cn_small s = cn_small_make(3);
        s.p.W.assembled.value[0] = 1e10; // so that the overflow reaches u
        CN_CHECK_TRUE(cn_small_run(&s, deeds[d]) == CN_OK);
        CN_CHECK_TRUE(s.report.outcome == CN_DIVERGED);
        for (int32_t i = 0; i < 3; i++) {
            CN_CHECK_NEAR(s.r[i], 0.0, 0.0);
            CN_CHECK_NEAR(s.u[i], s.p.q[i], 0.0);
        }
        CN_CHECK_BELOW(s.report.grade.residual, 2.0);
        CN_CHECK_TRUE(cn_small_run_for(&s, deeds[d], NULL) == CN_OK);
        CN_CHECK_TRUE(s.report.outcome == CN_DIVERGED);
        CN_CHECK_NEAR(s.r[0], 0.0, 0.0);
        CN_CHECK_BELOW(s.report.grade.residual, 2.0);
        cn_small_end(&s);
    }
    cn_small s = cn_small_make(3);
    CN_CHECK_TRUE(cn_small_run_lcp(&s, &not_a_number) == CN_OK);
    CN_CHECK_TRUE(s.report.outcome == CN_DIVERGED && s.r[0] == 0.0 && s.u[0] == -1.0);
    cn_small_end(&s);
}

CN_TEST(a_good_answer_is_solved_whatever_was_said) {
    const cn_deed *const deeds[] = {&good, &modest};
    for (int32_t d = 0; d < 2; d++) {
        cn_small s = cn_small_make(3);
        CN_CHECK_TRUE(cn_small_run(&s, deeds[d]) == CN_OK);
        CN_CHECK_TRUE(s.report.outcome == CN_SOLVED && s.report.iterations == 5);
        CN_CHECK_BELOW(s.report.grade.residual, 1e-15);
        CN_CHECK_TRUE(s.report.detail != NULL);
        CN_CHECK_TRUE(cn_small_run_lcp(&s, deeds[d]) == CN_OK);
        CN_CHECK_TRUE(s.report.outcome == CN_SOLVED && s.report.detail != NULL);
        cn_small_end(&s);
    }
}

CN_TEST(an_honest_failure_stays_what_it_is) {
    cn_small s = cn_small_make(2);
    CN_CHECK_TRUE(cn_small_run(&s, &hopeless) == CN_OK);
    CN_CHECK_TRUE(s.report.outcome == CN_INFEASIBLE);
    assert_string_equal(s.report.detail, "none");
    cn_small_end(&s);
}

CN_TEST(velocity_is_recomputed) {
    cn_small s = cn_small_make(3);
    const double want[] = {0.0, 0.0, 0.0};
    CN_CHECK_TRUE(cn_small_run(&s, &good) == CN_OK);
    for (int32_t i = 0; i < 3; i++) {
        CN_CHECK_NEAR(s.u[i], want[i], 1e-16);
    }
    CN_CHECK_NEAR(s.report.grade.velocity_mismatch, 0.0, 1e-15);
    cn_small_end(&s);
}

CN_TEST(scratch_comes_back_as_it_was) {
    cn_small s = cn_small_make(3);
    base_arena_mark before = base_arena_get_mark(s.memory);
    CN_CHECK_TRUE(cn_small_run(&s, &modest) == CN_OK);
    base_arena_mark after = base_arena_get_mark(s.memory);
    CN_CHECK_TRUE(before.chunk == after.chunk && before.used == after.used);
    cn_small_end(&s);
}

CN_TEST(a_failing_solver_is_an_error_with_text) {
    cn_small s = cn_small_make(3);
    CN_CHECK_TRUE(cn_small_run(&s, &broke) == CN_ERR_MEMORY);
    CN_CHECK_TRUE(strlen(s.error.message) > 0 && s.report.detail != NULL);
    cn_small_end(&s);
}

CN_TEST(a_cancelled_solve_is_still_graded) {
    cn_small s = cn_small_make(3);
    CN_CHECK_TRUE(cn_small_run(&s, &cancelled) == CN_ERR_CANCELLED);
    CN_CHECK_BELOW(s.report.grade.residual, 1e-15);
    CN_CHECK_NEAR(s.u[0], 0.0, 1e-16);
    cn_small_end(&s);
}

// ---- what is not for a solver ----

CN_TEST(unsupported_kinds_leave_the_guess) {
    const uint32_t lacking[] = {CN_SOLVES_2D | CN_TAKES_ASSEMBLED | CN_TAKES_BODY,
                                CN_SOLVES_2D | CN_SOLVES_3D | CN_TAKES_BODY};
    const char *const reason[] = {"3D", "body space"};
    for (int32_t c = 0; c < 2; c++) {
        cn_small s = cn_small_make(3);
        cn_friction_solver narrow = bad_solver;
        narrow.info.accepts = lacking[c];
        cn_solve_opts opts = cn_solve_opts_default(&narrow.info);
        opts.progress_user = (void *)(uintptr_t)&good;
        CN_CHECK_TRUE(
            cn_friction_solve(&s.p, &narrow, &opts, s.memory, s.r, s.u, &s.report, NULL) == CN_OK);
        CN_CHECK_TRUE(s.report.outcome == CN_UNSUPPORTED && strstr(s.report.detail, reason[c]));
        CN_CHECK_NEAR(s.r[0], 0.1, 0.0);
        CN_CHECK_NEAR(s.u[0], -0.9, 1e-16);
        CN_CHECK_TRUE(s.report.iterations == 0 && s.report.grade.residual > 0.1);
        cn_small_end(&s);
    }
}

CN_TEST(nothing_to_solve_is_solved) {
    cn_small s = cn_small_make(3);
    s.p.contacts = 0;
    s.p.W.assembled.block_rows = 0;
    CN_CHECK_TRUE(cn_small_run(&s, &cheat) == CN_OK);
    CN_CHECK_TRUE(s.report.outcome == CN_SOLVED && s.report.iterations == 0);
    s.lcp.n = s.lcp.M.rows = s.lcp.M.cols = 0;
    CN_CHECK_TRUE(cn_small_run_lcp(&s, &cheat) == CN_OK);
    CN_CHECK_TRUE(s.report.outcome == CN_SOLVED);
    cn_small_end(&s);
}

CN_TEST(missing_arguments_are_refused) {
    cn_small s = cn_small_make(3);
    cn_solve_opts opts = cn_solve_opts_default(&bad_solver.info);
    cn_friction_solver empty = bad_solver;
    empty.solve = NULL;
    CN_CHECK_TRUE(cn_friction_solve(NULL, &bad_solver, &opts, s.memory, s.r, s.u, &s.report,
                                    &s.error) == CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(s.report.detail != NULL && strstr(s.error.message, "problem"));
    CN_CHECK_TRUE(cn_friction_solve(&s.p, NULL, &opts, s.memory, s.r, s.u, &s.report, &s.error) ==
                  CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(cn_friction_solve(&s.p, &empty, &opts, s.memory, s.r, s.u, &s.report, &s.error) ==
                  CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(strstr(s.error.message, "solver") != NULL);
    CN_CHECK_TRUE(cn_friction_solve(&s.p, &bad_solver, NULL, s.memory, s.r, s.u, &s.report, NULL) ==
                  CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(cn_friction_solve(&s.p, &bad_solver, &opts, NULL, s.r, s.u, &s.report, NULL) ==
                  CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(cn_friction_solve(&s.p, &bad_solver, &opts, s.memory, NULL, s.u, &s.report,
                                    NULL) == CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(cn_friction_solve(&s.p, &bad_solver, &opts, s.memory, s.r, s.u, NULL, NULL) ==
                  CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(cn_lcp_solve(&s.lcp, NULL, &opts, s.memory, s.r, s.u, &s.report, NULL) ==
                  CN_ERR_ARGUMENT);
    cn_small_end(&s);
}

CN_TEST(numbers_that_make_no_sense_are_refused) {
    for (int32_t c = 0; c < 8; c++) {
        cn_small s = cn_small_make(3);
        s.p.mu[0] = c == 0 ? -0.1 : (c == 1 ? (double)NAN : 0.5);
        s.p.q[1] = c == 2 ? (double)NAN : 0.3;
        s.r[2] = c == 3 ? HUGE_VAL : 0.0;
        s.p.dim = c == 4 ? 4 : 3;
        s.p.contacts = c == 5 ? -1 : 1;
        s.lcp.M.cols = c == 0 ? 2 : 1;
        s.lcp.q[0] = c == 2 ? (double)NAN : -1.0;
        s.r[0] = c == 6 || c == 7 ? (double)NAN : 0.1;
        CN_CHECK_TRUE(cn_small_run(&s, &good) == CN_ERR_ARGUMENT);
        CN_CHECK_TRUE(strlen(s.error.message) > 0);
        if (c == 0 || c == 2 || c >= 6) {
            CN_CHECK_TRUE(cn_small_run_lcp(&s, &good) == CN_ERR_ARGUMENT);
        }
        cn_small_end(&s);
    }
}

CN_TEST(options_that_make_no_sense_are_refused) {
    cn_small s = cn_small_make(3);
    for (int32_t c = 0; c < 7; c++) {
        cn_solve_opts opts = cn_solve_opts_default(&bad_solver.info);
        opts.progress_user = (void *)(uintptr_t)&good;
        opts.tolerance = c == 0 ? 0.0 : (c == 1 ? (double)NAN : (c == 2 ? -1.0 : 1e-8));
        opts.measure = (cn_measure)(c == 3 ? 7 : 0);
        opts.max_iterations = c == 4 ? -1 : 10;
        opts.time_limit = c == 5 ? -1.0 : (c == 6 ? (double)NAN : 0.0);
        CN_CHECK_TRUE(cn_friction_solve(&s.p, &bad_solver, &opts, s.memory, s.r, s.u, &s.report,
                                        &s.error) == CN_ERR_ARGUMENT);
        CN_CHECK_TRUE(strlen(s.error.message) > 0);
    }
    cn_small_end(&s);
}

// ---- a solver's own settings ----

typedef struct cn_own {
    double weight;
    int32_t depth;
    bool fast;
} cn_own;

static const cn_param own_params[] = {
    {"weight", CN_PARAM_REAL, offsetof(cn_own, weight), 1.5, 0.0, 2.0, "a number"},
    {"depth", CN_PARAM_INT, offsetof(cn_own, depth), 4, 1, 9, "a whole number"},
    {"fast", CN_PARAM_BOOL, offsetof(cn_own, fast), 1, 0, 1, "a flag"},
};
static const cn_solver_info own_info = {
    .name = "own", .max_iterations = 123, .params = own_params, .param_count = 3};

CN_TEST(defaults_come_from_the_table) {
    cn_solve_opts opts = cn_solve_opts_default(&own_info);
    cn_own own;
    memcpy(&own, opts.params, sizeof own);
    CN_CHECK_TRUE(own.weight == 1.5 && own.depth == 4 && own.fast);
    CN_CHECK_TRUE(opts.max_iterations == 123 && opts.measure == CN_MEASURE_SCALED);
    CN_CHECK_TRUE(opts.time_limit == 0.0 && !opts.progress);
    CN_CHECK_NEAR(opts.tolerance, 1e-8, 0.0);
    assert_string_equal(cn_local_solver_name(opts.local), "hybrid");
}

CN_TEST(fields_are_set_from_text) {
    cn_solve_opts opts = cn_solve_opts_default(&own_info);
    CN_CHECK_TRUE(cn_solve_opts_set(&opts, &own_info, "weight", "2.5e-1", NULL) == CN_OK);
    CN_CHECK_TRUE(cn_solve_opts_set(&opts, &own_info, "depth", "9", NULL) == CN_OK);
    CN_CHECK_TRUE(cn_solve_opts_set(&opts, &own_info, "fast", "off", NULL) == CN_OK);
    CN_CHECK_NEAR(cn_solve_opts_get(&opts, &own_params[0]), 0.25, 0.0);
    CN_CHECK_NEAR(cn_solve_opts_get(&opts, &own_params[1]), 9.0, 0.0);
    CN_CHECK_NEAR(cn_solve_opts_get(&opts, &own_params[2]), 0.0, 0.0);
    const char *const yes[] = {"true", "yes", "on", "1"};
    for (int32_t i = 0; i < 4; i++) {
        CN_CHECK_TRUE(cn_solve_opts_set(&opts, &own_info, "fast", yes[i], NULL) == CN_OK);
        CN_CHECK_NEAR(cn_solve_opts_get(&opts, &own_params[2]), 1.0, 0.0);
    }
}

CN_TEST(values_that_do_not_fit_are_refused) {
    const char *const pairs[][2] = {
        {"weight", "2.1"},   {"weight", "-0.1"}, {"weight", "nan"}, {"weight", "inf"},
        {"weight", "1.0x"},  {"weight", ""},     {"weight", " 1"},  {"weight", "0x1"},
        {"weight", "1e999"}, {"depth", "0"},     {"depth", "10"},   {"depth", "1.5"},
        {"depth", "1e99"},   {"fast", "2"},      {"fast", "maybe"}, {"fast", ""},
    };
    for (size_t c = 0; c < sizeof pairs / sizeof *pairs; c++) {
        cn_error error = {0};
        cn_solve_opts opts = cn_solve_opts_default(&own_info);
        CN_CHECK_TRUE(cn_solve_opts_set(&opts, &own_info, pairs[c][0], pairs[c][1], &error) ==
                      CN_ERR_ARGUMENT);
        CN_CHECK_TRUE(strstr(error.message, pairs[c][0]) != NULL);
        CN_CHECK_NEAR(cn_solve_opts_get(&opts, &own_params[0]), 1.5, 0.0);
        CN_CHECK_NEAR(cn_solve_opts_get(&opts, &own_params[1]), 4.0, 0.0);
    }
}

CN_TEST(a_misspelt_field_is_answered_with_the_right_one) {
    cn_error error;
    cn_solve_opts opts = cn_solve_opts_default(&own_info);
    CN_CHECK_TRUE(cn_solve_opts_set(&opts, &own_info, "wieght", "1", &error) == CN_ERR_ARGUMENT);
    assert_string_equal(error.hint, "did you mean \"weight\"?");
    CN_CHECK_TRUE(cn_solve_opts_set(&opts, &own_info, "zzzzzzzz", "1", &error) == CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(strlen(error.hint) > 0);
    CN_CHECK_TRUE(cn_solve_opts_set(&opts, &bad_solver.info, "x", "1", &error) == CN_ERR_ARGUMENT);
    assert_string_equal(error.hint, "it has none");
}

CN_TEST(a_field_out_of_range_stops_the_driver) {
    cn_small s = cn_small_make(3);
    cn_friction_solver solver = bad_solver;
    solver.info.params = own_params;
    solver.info.param_count = 3;
    cn_solve_opts opts = cn_solve_opts_default(&solver.info);
    opts.progress_user = (void *)(uintptr_t)&good;
    opts.params[0] = 3.0;
    CN_CHECK_TRUE(cn_friction_solve(&s.p, &solver, &opts, s.memory, s.r, s.u, &s.report,
                                    &s.error) == CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(strstr(s.error.message, "bad.weight") != NULL);
    const cn_param outside = {"far", CN_PARAM_REAL, sizeof opts.params - 1, 0, 0, 1, "too far"};
    solver.info.params = &outside;
    solver.info.param_count = 1;
    opts = cn_solve_opts_default(&solver.info);
    CN_CHECK_TRUE(cn_friction_solve(&s.p, &solver, &opts, s.memory, s.r, s.u, &s.report,
                                    &s.error) == CN_ERR_ARGUMENT);
    cn_small_end(&s);
}

// ---- the tables ----

CN_TEST(outcomes_and_measures_have_texts) {
    for (int32_t o = 0; o < CN_OUTCOME_COUNT; o++) {
        CN_CHECK_TRUE(strlen(cn_outcome_text((cn_outcome)o)) > 0);
        for (int32_t other = 0; other < o; other++) {
            CN_CHECK_TRUE(
                strcmp(cn_outcome_text((cn_outcome)o), cn_outcome_text((cn_outcome)other)) != 0);
        }
    }
    assert_string_equal(cn_measure_text(CN_MEASURE_SCALED), "scaled");
    assert_string_equal(cn_measure_text(CN_MEASURE_Q), "q");
    assert_string_equal(cn_measure_text(CN_MEASURE_MAX), "max");
}

static void cn_check_text(const char *owner, const char *what, const char *text) {
    if (!text || strlen(text) == 0) {
        print_error("%s has no %s\n", owner, what);
        fail();
    }
}

static void cn_check_info(const cn_solver_info *info) {
    cn_check_text("a row", "name", info->name);
    cn_check_text(info->name, "about", info->about);
    cn_check_text(info->name, "strengths", info->strengths);
    cn_check_text(info->name, "weaknesses", info->weaknesses);
    cn_check_text(info->name, "unit", info->unit);
    CN_CHECK_TRUE(info->max_iterations > 0);
    CN_CHECK_TRUE(info->param_count == 0 || info->params);
    for (int32_t i = 0; i < info->param_count; i++) {
        const cn_param *param = &info->params[i];
        size_t size = param->kind == CN_PARAM_REAL
                          ? sizeof(double)
                          : (param->kind == CN_PARAM_INT ? sizeof(int32_t) : sizeof(bool));
        cn_check_text(info->name, "parameter name", param->name);
        cn_check_text(param->name, "help", param->help);
        CN_CHECK_TRUE(param->initial >= param->min && param->initial <= param->max);
        CN_CHECK_TRUE(param->offset + size <= CN_PARAM_SLOTS * sizeof(double));
        CN_CHECK_TRUE(param->offset % size == 0);
        for (int32_t j = 0; j < i; j++) {
            CN_CHECK_TRUE(strcmp(param->name, info->params[j].name) != 0);
            CN_CHECK_TRUE(param->offset != info->params[j].offset);
        }
    }
}

CN_TEST(friction_rows_are_complete) {
    CN_CHECK_TRUE(cn_friction_solver_count() > 0);
    for (int32_t i = 0; i < cn_friction_solver_count(); i++) {
        const cn_friction_solver *row = cn_friction_solver_at(i);
        cn_check_info(&row->info);
        CN_CHECK_TRUE(row->solve && cn_friction_solver_find(row->info.name) == row);
        CN_CHECK_TRUE(row->info.accepts & (CN_SOLVES_2D | CN_SOLVES_3D));
        CN_CHECK_TRUE(row->info.accepts & (CN_TAKES_ASSEMBLED | CN_TAKES_BODY));
    }
    CN_CHECK_TRUE(!cn_friction_solver_at(-1) && !cn_friction_solver_at(cn_friction_solver_count()));
    CN_CHECK_TRUE(!cn_friction_solver_find("nobody"));
}

CN_TEST(lcp_rows_are_complete) {
    CN_CHECK_TRUE(cn_lcp_solver_count() > 0);
    for (int32_t i = 0; i < cn_lcp_solver_count(); i++) {
        const cn_lcp_solver *row = cn_lcp_solver_at(i);
        cn_check_info(&row->info);
        CN_CHECK_TRUE(row->solve && cn_lcp_solver_find(row->info.name) == row);
    }
    CN_CHECK_TRUE(!cn_lcp_solver_at(-1) && !cn_lcp_solver_at(cn_lcp_solver_count()));
    CN_CHECK_TRUE(!cn_lcp_solver_find("nobody") && !cn_lcp_solver_find(NULL));
}

CN_TEST(mcp_rows_are_complete) {
    CN_CHECK_TRUE(cn_mcp_solver_count() > 0);
    for (int32_t i = 0; i < cn_mcp_solver_count(); i++) {
        const cn_mcp_solver *row = cn_mcp_solver_at(i);
        cn_check_info(&row->info);
        CN_CHECK_TRUE(row->solve && cn_mcp_solver_find(row->info.name) == row);
    }
    CN_CHECK_TRUE(!cn_mcp_solver_at(-1) && !cn_mcp_solver_at(cn_mcp_solver_count()));
    CN_CHECK_TRUE(!cn_mcp_solver_find("nobody") && !cn_mcp_solver_find(NULL));
}

CN_TEST(local_rows_are_complete) {
    CN_CHECK_TRUE(cn_local_solver_count() > 0);
    for (int32_t i = 0; i < cn_local_solver_count(); i++) {
        const cn_local_solver *row = cn_local_solver_at(i);
        cn_check_text("a local row", "name", cn_local_solver_name(row));
        cn_check_text(cn_local_solver_name(row), "about", cn_local_solver_about(row));
        CN_CHECK_TRUE(cn_local_solver_find(cn_local_solver_name(row)) == row);
    }
    CN_CHECK_TRUE(!cn_local_solver_find("nobody"));
}

// ---- every row does what it is there for ----

static void cn_say_failure(const char *name, const char *problem, const cn_solve_report *report) {
    if (report->outcome != CN_SOLVED) {
        print_error("%s on %s: %s (%s), residual %g after %d\n", name, problem,
                    cn_outcome_text(report->outcome), report->detail, report->grade.residual,
                    (int)report->iterations);
    }
    CN_CHECK_TRUE(report->outcome == CN_SOLVED);
}

// What eight facets leave of the residual: the slip may be opposed pi/8 off.
#define CN_FACETTED_RESIDUAL 0.4

// A planted pile in each form that the row takes.
static void cn_check_friction_row(const cn_friction_solver *row, int32_t dim) {
    cn_planted_opts planted = cn_planted_opts_default();
    planted.dim = dim;
    planted.contacts = 15;
    planted.bodies = 15;
    planted.deficiency = 0.0;
    planted.friction = 0.3;
    cn_problem *problem;
    CN_CHECK_TRUE(cn_planted_friction(NULL, &planted, &problem, NULL) == CN_OK);
    for (int32_t form = 0; form < 2; form++) {
        if (!(row->info.accepts & (form == 0 ? CN_TAKES_ASSEMBLED : CN_TAKES_BODY))) {
            continue;
        }
        cn_friction p;
        double r[45] = {0}, u[45];
        cn_solve_report report;
        cn_solve_opts opts = cn_solve_opts_default(&row->info);
        opts.tolerance = 1e-6;
        cn_status status =
            form == 0 ? cn_friction_condense(&problem->global, problem->memory, &p, NULL)
                      : cn_friction_to_body_space(&problem->global, problem->memory, &p, NULL);
        CN_CHECK_TRUE(status == CN_OK);
        CN_CHECK_TRUE(cn_friction_solve(&p, row, &opts, problem->memory, r, u, &report, NULL) ==
                      CN_OK);
        if (dim == 3 && (row->info.accepts & CN_FACETS_CONE)) {
            // A polytope's answer is near, is not called solved, and says why.
            CN_CHECK_BELOW(report.grade.residual, CN_FACETTED_RESIDUAL);
            CN_CHECK_TRUE(report.outcome == CN_STALLED && strstr(report.detail, "facet"));
            continue;
        }
        cn_say_failure(row->info.name, form == 0 ? "assembled" : "body space", &report);
    }
    cn_problem_destroy(problem);
}

CN_TEST(every_friction_row_solves_a_planted_problem) {
    for (int32_t i = 0; i < cn_friction_solver_count(); i++) {
        const cn_friction_solver *row = cn_friction_solver_at(i);
        if (row->info.accepts & CN_SOLVES_2D) {
            cn_check_friction_row(row, 2);
        }
        if (row->info.accepts & CN_SOLVES_3D) {
            cn_check_friction_row(row, 3);
        }
    }
}

CN_TEST(every_lcp_row_solves_a_planted_problem) {
    cn_planted_opts planted = cn_planted_opts_default();
    planted.contacts = 30;
    cn_problem *problem;
    CN_CHECK_TRUE(cn_planted_lcp(NULL, &planted, &problem, NULL) == CN_OK);
    for (int32_t i = 0; i < cn_lcp_solver_count(); i++) {
        const cn_lcp_solver *row = cn_lcp_solver_at(i);
        double z[30] = {0}, w[30];
        cn_solve_report report;
        cn_solve_opts opts = cn_solve_opts_default(&row->info);
        CN_CHECK_TRUE(
            cn_lcp_solve(&problem->lcp, row, &opts, problem->memory, z, w, &report, NULL) == CN_OK);
        cn_say_failure(row->info.name, "a planted LCP", &report);
    }
    cn_problem_destroy(problem);
}
