// Large one-step problems of our own scenes, in body space, solved by auto from r = 0 to 1e-4 and
// to 1e-8: a wall of 2000 blocks, and a packing of spheres of which many slide.
#include "bench/bench.h"
#include "run/steps.h"
#include "support/json.h"
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

static void large_print(const large_case *c, const cn_friction *p, double tolerance,
                        const cn_solve_report *report, bool json) {
    if (!json) {
        printf("%-20s %6d contacts, %5d stick, %5d slide, to %g: %s, %d iterations, %.3g s, "
               "residual %.2e\n",
               c->label, (int)p->contacts, (int)report->grade.stick, (int)report->grade.slide,
               tolerance, cn_outcome_text(report->outcome), (int)report->iterations, report->cpu_s,
               report->grade.residual);
        return;
    }
    json_writer out = bench_row_start("large");
    put_text(&out, "problem", c->label);
    put_int(&out, "contacts", p->contacts);
    put_int(&out, "stick", report->grade.stick);
    put_int(&out, "slide", report->grade.slide);
    put_real(&out, "tol", tolerance);
    put_text(&out, "outcome", cn_outcome_text(report->outcome));
    put_int(&out, "iterations", report->iterations);
    put_real(&out, "residual", report->grade.residual);
    put_real(&out, "cpu_s", report->cpu_s);
    bench_row_end(&out);
}

static bool large_note(void *user, const cn_progress *progress) {
    (void)user;
    (void)progress;
    return !interrupted();
}

typedef struct large_moment {
    const large_case *c;
    bool json;
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
            large_print(now->c, p, opts.tolerance, &report, now->json);
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
    for (size_t i = 0; i < sizeof large_cases / sizeof *large_cases && !interrupted(); i++) {
        const large_case *c = &large_cases[i];
        large_moment now = {.c = c, .json = job->json};
        code = exit_join(code, problem_at(c->scene, c->set, c->count, c->until, large_solve, &now));
        code = exit_join(code, now.code);
    }
    return code;
}
