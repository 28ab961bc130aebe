// app/bench_cold.c
// How the time to solve a step grows with the packing: spheres settle in a box, and the last step
// is solved anew from r = 0 to 1e-3. The box and the number of layers along it grow together, so
// that from a row to the next there are ten times as many spheres and 2.15 times as many layers.
#include "bench.h"
#include "json.h"
#include "progress.h"
#include "reproduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CN_COLD_TOLERANCE 1e-3
#define CN_COLD_SETTLED 1.0 // [s] that the spheres fall and settle
#define CN_COLD_TIME 60.0   // [s] of CPU that the solve may take

typedef struct cn_cold_case {
    const char *count, *radius, *gap;
} cn_cold_case;

// The same heap of ever smaller spheres: as wide and as high, and its gaps the same share of a
// radius, so that it has come as far when it is looked at.
static const cn_cold_case cn_cold_cases[] = {
    {"1000", "0.4642", "0.0232"}, {"10000", "0.2154", "0.0108"}, {"100000", "0.1", "0.005"}};

typedef struct cn_cold_moment {
    bool json;
    double spheres, last_spheres, last_s;
    int code;
} cn_cold_moment;

static void cn_cold_print(const cn_cold_moment *now, const cn_friction *p,
                          const cn_solve_report *report, double exponent) {
    if (!now->json) {
        printf(
            "%7.0f spheres %7d contacts: %s, %6d sweeps, %8.3f s, residual %.2e, exponent %.2f\n",
            now->spheres, (int)p->contacts, cn_outcome_text(report->outcome),
            (int)report->iterations, report->cpu_s, report->grade.residual, exponent);
        fflush(stdout);
        return;
    }
    cn_json out = cn_put_start(stdout);
    cn_put_open(&out, NULL, '{');
    cn_put_text(&out, "bench", "cold");
    cn_put_real(&out, "spheres", now->spheres);
    cn_put_int(&out, "contacts", p->contacts);
    cn_put_text(&out, "outcome", cn_outcome_text(report->outcome));
    cn_put_int(&out, "iterations", report->iterations);
    cn_put_real(&out, "cpu_s", report->cpu_s);
    cn_put_real(&out, "residual", report->grade.residual);
    cn_put_real(&out, "exponent", exponent);
    cn_put_close(&out, '}');
    cn_put_end(&out);
}

static void cn_cold_solve(const cn_friction *p, void *user) {
    cn_cold_moment *now = user;
    const cn_friction_solver *solver = cn_friction_solver_find("auto");
    int64_t size = (int64_t)p->dim * p->contacts;
    double *r = CN_ALLOCATE(double, size), *u = CN_ALLOCATE(double, size);
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    cn_solve_report report;
    cn_error error = {.status = CN_OK};
    cn_arena *scratch = cn_arena_create(NULL);
    opts.tolerance = CN_COLD_TOLERANCE;
    opts.time_limit = CN_COLD_TIME;
    memset(r, 0, sizeof *r * (size_t)size);
    if (!scratch || cn_friction_solve(p, solver, &opts, scratch, r, u, &report, &error) != CN_OK) {
        now->code = scratch ? cn_report_error(&error) : cn_report_failure("out of memory");
    } else {
        double exponent = now->last_s > 0.0 ? log(report.cpu_s / now->last_s) /
                                                  log(now->spheres / now->last_spheres)
                                            : (double)NAN;
        cn_cold_print(now, p, &report, exponent);
        now->code = report.outcome == CN_SOLVED ? CN_EXIT_DONE : CN_EXIT_TOLERANCE;
        now->last_s = report.cpu_s;
        now->last_spheres = now->spheres;
    }
    cn_arena_destroy(scratch);
    free(r);
    free(u);
}

int cn_bench_cold(const cn_bench_job *job) {
    int code = CN_EXIT_DONE;
    cn_cold_moment now = {.json = job->json};
    for (size_t i = 0; i < sizeof cn_cold_cases / sizeof *cn_cold_cases && !cn_interrupted(); i++) {
        const cn_cold_case *c = &cn_cold_cases[i];
        if (job->sizes && !cn_bench_wants(job, c->count)) {
            continue;
        }
        const cn_override set[] = {{"generate.packing.count", c->count},
                                   {"generate.packing.radius", c->radius},
                                   {"generate.packing.gap", c->gap}};
        now.spheres = strtod(c->count, NULL);
        now.code = CN_EXIT_DONE;
        code = cn_exit_join(
            code, cn_problem_at("settling-large", set, 3, CN_COLD_SETTLED, cn_cold_solve, &now));
        code = cn_exit_join(code, now.code);
    }
    return code;
}
