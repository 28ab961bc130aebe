// Large one-step problems of our own scenes, in body space, solved by auto from r = 0 to 1e-4 and
// to 1e-8: a wall of 2000 blocks, and a packing of spheres of which many slide.
#include "bench/bench.h"
#include "run/steps.h"
#include "support/json.h"
#include "support/progress.h"

#include <stdlib.h>
#include <string.h>

#define CN_LARGE_TIME 300.0 // [s] of CPU that a solve may take

typedef struct cn_large_case {
    const char *label, *scene;
    cn_override set[2];
    int32_t count;
    double until; // [s]; the problem is that of the last step
} cn_large_case;

static const cn_large_case cn_large_cases[] = {
    {"wall of 2000 blocks",
     "masonry-wall",
     {{"generate.0.wall.courses", "40"}, {"generate.0.wall.bricks", "50"}},
     2,
     0.01},
    {"packing that slides", "packing-slide", {{NULL, NULL}}, 0, 0.6},
};

static const double cn_large_tolerances[] = {1e-4, 1e-8};

static void cn_large_print(const cn_large_case *c, const cn_friction *p, double tolerance,
                           const cn_solve_report *report, bool json) {
    if (!json) {
        printf("%-20s %6d contacts, %5d stick, %5d slide, to %g: %s, %d iterations, %.3g s, "
               "residual %.2e\n",
               c->label, (int)p->contacts, (int)report->grade.stick, (int)report->grade.slide,
               tolerance, cn_outcome_text(report->outcome), (int)report->iterations, report->cpu_s,
               report->grade.residual);
        return;
    }
    cn_json out = cn_put_start(stdout);
    cn_put_open(&out, NULL, '{');
    cn_put_text(&out, "bench", "large");
    cn_put_text(&out, "problem", c->label);
    cn_put_int(&out, "contacts", p->contacts);
    cn_put_int(&out, "stick", report->grade.stick);
    cn_put_int(&out, "slide", report->grade.slide);
    cn_put_real(&out, "tol", tolerance);
    cn_put_text(&out, "outcome", cn_outcome_text(report->outcome));
    cn_put_int(&out, "iterations", report->iterations);
    cn_put_real(&out, "residual", report->grade.residual);
    cn_put_real(&out, "cpu_s", report->cpu_s);
    cn_put_close(&out, '}');
    cn_put_end(&out);
}

static bool cn_large_note(void *user, const cn_progress *progress) {
    (void)user;
    (void)progress;
    return !cn_interrupted();
}

typedef struct cn_large_moment {
    const cn_large_case *c;
    bool json;
    int code; // 3 when a tolerance was not reached
} cn_large_moment;

static void cn_large_solve(const cn_friction *p, void *user) {
    cn_large_moment *now = user;
    const cn_friction_solver *solver = cn_friction_solver_find("auto");
    size_t size = (size_t)p->dim * (size_t)p->contacts;
    double *r = CN_ALLOCATE(double, (int64_t)size), *u = CN_ALLOCATE(double, (int64_t)size);
    for (size_t i = 0; i < sizeof cn_large_tolerances / sizeof *cn_large_tolerances; i++) {
        cn_solve_opts opts = cn_solve_opts_default(&solver->info);
        cn_solve_report report;
        cn_error error = {.status = CN_OK};
        cn_arena *scratch = cn_arena_create(NULL);
        opts.tolerance = cn_large_tolerances[i];
        opts.time_limit = CN_LARGE_TIME;
        opts.progress = cn_large_note;
        memset(r, 0, sizeof *r * size);
        if (!scratch ||
            cn_friction_solve(p, solver, &opts, scratch, r, u, &report, &error) != CN_OK) {
            now->code = cn_exit_join(now->code, scratch ? cn_report_error(&error)
                                                        : cn_report_failure("out of memory"));
        } else {
            cn_large_print(now->c, p, opts.tolerance, &report, now->json);
            now->code = cn_exit_join(now->code, report.outcome == CN_SOLVED ? CN_EXIT_DONE
                                                                            : CN_EXIT_TOLERANCE);
        }
        cn_arena_destroy(scratch);
    }
    free(r);
    free(u);
}

int cn_bench_large(const cn_bench_job *job) {
    int code = CN_EXIT_DONE;
    for (size_t i = 0; i < sizeof cn_large_cases / sizeof *cn_large_cases && !cn_interrupted();
         i++) {
        const cn_large_case *c = &cn_large_cases[i];
        cn_large_moment now = {.c = c, .json = job->json};
        code = cn_exit_join(
            code, cn_problem_at(c->scene, c->set, c->count, c->until, cn_large_solve, &now));
        code = cn_exit_join(code, now.code);
    }
    return code;
}
