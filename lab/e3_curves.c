// E3's figure 6, for the whole panel: the residual over the iterations of one solve with about 600
// contacts (6a), and the iterations of a step over its contacts while the spheres settle (6b).
//
// The paper: plain Gauss-Seidel reaches an error of 10 % in 10 iterations. An iteration is what
// each method calls one, a sweep or a factorisation: the curves say how many, not how long.
#include "lab/e3_curves.h"

#include <math.h>
#include <stdlib.h>

#define CN_CURVES_FALL 1.0       // [s] when there are contacts already
#define CN_CURVES_COMPACTION 3.0 // [s] when the solve is hard
#define CN_CURVES_CONVERGED 1e-6 // residual that the curves of one solve go to
#define CN_CURVES_TIME 2.0       // [s] that a solve may take
#define CN_CURVES_TENTH 0.1      // the error of which the paper speaks

// One curve of a figure.
typedef struct cn_curves_row {
    const char *name, *note;
    const char *solver, *param, *value;
} cn_curves_row;

static const cn_curves_row cn_curves_panel[] = {
    {"nsgs, plain", "as in the paper", "nsgs", "anderson", "0"},
    {"nsgs", "Anderson, the default", "nsgs", NULL, NULL},
    {"cpg", "conjugate projected gradient", "cpg", NULL, NULL},
    {"uzawa", "projection", "uzawa", NULL, NULL},
    {"fixed-point", "projection", "fixed-point", NULL, NULL},
    {"extra-gradient", "projection", "extra-gradient", NULL, NULL},
    {"apgd", "accelerated gradient", "apgd", NULL, NULL},
    {"bb", "spectral gradient", "bb", NULL, NULL},
    {"admm", "one factorisation", "admm", NULL, NULL},
    {"prox-newton", "a factorisation each", "prox-newton", NULL, NULL},
    {"newton-ac", "a factorisation each", "newton-ac", NULL, NULL},
    {"ipm", "a factorisation each", "ipm", NULL, NULL},
    {"tresca", "a convex problem each", "tresca", NULL, NULL},
    {"cadoux", "a convex problem each", "cadoux", NULL, NULL},
};
#define CN_CURVES_PANEL ((int32_t)(sizeof cn_curves_panel / sizeof cn_curves_panel[0]))

// ---- one solve ----

// The first iteration with a residual of a tenth.
static double cn_curves_first_tenth(const cn_series *residual) {
    for (int32_t i = 0; i < residual->count; i++) {
        if (residual->y[i] <= CN_CURVES_TENTH) {
            return residual->x[i];
        }
    }
    return (double)NAN;
}

static void cn_curves_plot_solve(cn_lab *lab, const cn_friction *problem, void *user) {
    (void)user;
    cn_series series[CN_CURVES_PANEL] = {{.count = 0}};
    cn_curve curves[CN_CURVES_PANEL];
    char *title = cn_text("E3: one step's solve, %d candidates", (int)problem->contacts);
    for (int32_t i = 0; i < CN_CURVES_PANEL && lab->code == CN_EXIT_DONE; i++) {
        const cn_curves_row *row = &cn_curves_panel[i];
        const cn_attempt attempt = {.solver = row->solver,
                                    .param = row->param,
                                    .value = row->value,
                                    .tolerance = CN_CURVES_CONVERGED,
                                    .time_limit = CN_CURVES_TIME,
                                    .iterations = &series[i]};
        cn_solve_report report;
        if (!cn_lab_solve(lab, problem, &attempt, &report)) {
            break;
        }
        // The last iterate is known to the checker only.
        cn_series_add(&series[i], report.iterations, report.grade.residual);
        char *what[2] = {cn_text("iterations to an error of 10 %%, %s", row->name),
                         cn_text("residual reached, %s", row->name)};
        cn_lab_show(lab, what[0], i == 0 ? "10" : "", cn_curves_first_tenth(&series[i]));
        cn_lab_show(lab, what[1], "", report.grade.residual);
        free(what[0]);
        free(what[1]);
    }
    for (int32_t i = 0; i < CN_CURVES_PANEL; i++) {
        curves[i] = (cn_curve){.name = cn_curves_panel[i].name,
                               .note = cn_curves_panel[i].note,
                               .x = series[i].x,
                               .y = series[i].y,
                               .count = series[i].count};
    }
    cn_plot plot = {.title = title,
                    .subtitle = "160 spheres while they settle; started from r = 0, at most 2 s",
                    .x_label = "iterations",
                    .y_label = "residual",
                    .y_target = CN_CURVES_TENTH,
                    .target_label = "10 %",
                    .curves = curves,
                    .count = CN_CURVES_PANEL};
    cn_lab_plot(lab, "convergence", "residual over iterations (the paper's figure 6a)", &plot);
    for (int32_t i = 0; i < CN_CURVES_PANEL; i++) {
        cn_series_free(&series[i]);
    }
    free(title);
}

// ---- a run ----

static const char *const cn_curves_runs[] = {"auto", "nsgs", "cpg", "apgd", "prox-newton"};
#define CN_CURVES_RUNS ((int32_t)(sizeof cn_curves_runs / sizeof cn_curves_runs[0]))

// A dot a step: iterations over the contacts that press.
static bool cn_curves_run(cn_lab *lab, const char *solver, cn_series *out) {
    char *name = cn_text("panel-%s", solver);
    cn_trial trial = {.name = name,
                      .scene = "sphere-settling",
                      .inexact = true,
                      .set = {{"solver.name", solver},
                              {"solver.settle", "0"},
                              {"solver.on_stall", "continue"},
                              {"solver.max_iterations", "2000"},
                              {"generate.packing.count", "160"},
                              {"time.frames_every", "1"},
                              {"time.until", lab->quick ? "0.8" : "5"}}};
    cn_result result;
    bool good = cn_lab_run(lab, &trial, &result);
    free(name);
    if (good) {
        for (int64_t i = 0; i < result.count; i++) {
            const cn_step_report *row = &result.rows[i];
            cn_series_add(out, row->sticking + row->sliding, row->iterations);
        }
        cn_result_free(&result);
    }
    return good;
}

static void cn_curves_plot_runs(cn_lab *lab) {
    cn_series series[CN_CURVES_RUNS] = {{.count = 0}};
    cn_curve curves[CN_CURVES_RUNS];
    for (int32_t i = 0; i < CN_CURVES_RUNS; i++) {
        if (!cn_curves_run(lab, cn_curves_runs[i], &series[i])) {
            break;
        }
    }
    for (int32_t i = 0; i < CN_CURVES_RUNS; i++) {
        curves[i] = (cn_curve){.name = cn_curves_runs[i],
                               .note = "a dot a step",
                               .x = series[i].x,
                               .y = series[i].y,
                               .count = series[i].count,
                               .dots = true};
    }
    cn_plot plot = {.title = "E3: iterations over contacts while 160 spheres settle",
                    .subtitle = "steps of 0.02 s, residual 1e-3 or 2000 iterations",
                    .x_label = "contacts that press",
                    .y_label = "iterations of the step's solve",
                    .x_scale = CN_SCALE_LINEAR,
                    .curves = curves,
                    .count = CN_CURVES_RUNS};
    cn_lab_plot(lab, "iterations-panel", "iterations over contacts, by solver (figure 6b)", &plot);
    for (int32_t i = 0; i < CN_CURVES_RUNS; i++) {
        cn_series_free(&series[i]);
    }
}

void cn_e3_curves(cn_lab *lab) {
    static const cn_override set[] = {{"generate.packing.count", "160"}};
    // At a moment of compaction, where the solve is hardest.
    cn_lab_problem(lab, "sphere-settling", set, 1,
                   lab->quick ? CN_CURVES_FALL : CN_CURVES_COMPACTION, cn_curves_plot_solve, NULL);
    cn_curves_plot_runs(lab);
}
