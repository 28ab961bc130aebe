// Large one-step problems of our own scenes, in body space, solved by auto from r = 0 to 1e-4 and
// to 1e-8: a wall of 2000 blocks, and a packing of spheres of which many slide.
#include "bench/bench.h"
#include "run/steps.h"
#include "support/progress.h"

#include <stdlib.h>
#include <string.h>

#define LARGE_TIME 300.0 // [s] of CPU that a solve may take

typedef struct large_case {
    const char *label, *scene;
    cn_override set[2];
    int32_t count;
    double until; // [s]; the problem is that of the last step
} large_case;

static const large_case large_cases[] = {
    {"wall of 2000 blocks",
     "masonry-wall",
     {{"generate.0.wall.courses", "40"}, {"generate.0.wall.bricks", "50"}},
     2,
     0.01},
    {"packing that slides", "packing-slide", {{NULL, NULL}}, 0, 0.6},
};

static const double large_tolerances[] = {1e-4, 1e-8};

static const row_column large_columns[] = {{"problem", "problem", -20, 0, 0.0},
                                           {"contacts", "contacts", 8, 0, 0.0},
                                           {"stick", "stick", 6, 0, 0.0},
                                           {"slide", "slide", 6, 0, 0.0},
                                           {"tol", "tol", 6, 0, 0.0},
                                           {"outcome", "outcome", -9, 0, 0.0},
                                           {"iterations", "iterations", 10, 0, 0.0},
                                           {"residual", "residual", 9, 3, 0.0},
                                           {"cpu_s", "CPU [s]", 8, 3, 0.0},
                                           {NULL, NULL, 0, 0, 0.0}};

static void large_print(row_table *table, const large_case *c, const cn_friction *p,
                        double tolerance, const cn_solve_report *report) {
    row_text(table, c->label);
    row_int(table, p->contacts);
    row_int(table, report->grade.stick);
    row_int(table, report->grade.slide);
    row_real(table, tolerance);
    row_ink(table, report->outcome == CN_SOLVED ? INK_GOOD : INK_BAD);
    row_text(table, cn_outcome_text(report->outcome));
    row_int(table, report->iterations);
    row_real(table, report->grade.residual);
    row_real(table, report->cpu_s);
}

static bool large_note(void *user, const cn_progress *progress) {
    (void)user;
    (void)progress;
    return !interrupted();
}

typedef struct large_moment {
    const large_case *c;
    row_table *table;
    int code; // 3 when a tolerance was not reached
} large_moment;

static void large_solve(const cn_friction *p, void *user) {
    large_moment *now = user;
    const cn_friction_solver *solver = cn_friction_solver_find("auto");
    size_t size = (size_t)p->dim * (size_t)p->contacts;
    double *r = ALLOCATE(double, (int64_t)size), *u = ALLOCATE(double, (int64_t)size);
    for (size_t i = 0; i < sizeof large_tolerances / sizeof *large_tolerances; i++) {
        cn_solve_opts opts = cn_solve_opts_default(&solver->info);
        cn_solve_report report;
        cn_error error = {.status = CN_OK};
        cn_arena *scratch = cn_arena_create(NULL);
        opts.tolerance = large_tolerances[i];
        opts.time_limit = LARGE_TIME;
        opts.progress = large_note;
        memset(r, 0, sizeof *r * size);
        if (!scratch ||
            cn_friction_solve(p, solver, &opts, scratch, r, u, &report, &error) != CN_OK) {
            now->code = exit_join(now->code,
                                  scratch ? report_error(&error) : report_failure("out of memory"));
        } else {
            large_print(now->table, now->c, p, opts.tolerance, &report);
            now->code =
                exit_join(now->code, report.outcome == CN_SOLVED ? EXIT_DONE : EXIT_TOLERANCE);
        }
        cn_arena_destroy(scratch);
    }
    free(r);
    free(u);
}

int bench_large(const bench_job *job) {
    int code = EXIT_DONE;
    row_table table = row_table_start(stdout, job->json, "large", large_columns);
    for (size_t i = 0; i < sizeof large_cases / sizeof *large_cases && !interrupted(); i++) {
        const large_case *c = &large_cases[i];
        large_moment now = {.c = c, .table = &table};
        code = exit_join(code, problem_at(c->scene, c->set, c->count, c->until, large_solve, &now));
        code = exit_join(code, now.code);
    }
    return code;
}
