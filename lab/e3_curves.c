// E3's figure 6, for the whole panel: the residual over the iterations of one solve with about 600
// contacts (6a), and the iterations of a step over its contacts while the spheres settle (6b).
//
// The paper: plain Gauss-Seidel reaches an error of 10 % in 10 iterations. An iteration is what
// each method calls one, a sweep or a factorisation: the curves say how many, not how long.
#include "lab/e3_curves.h"

#include <math.h>
#include <stdlib.h>

#define CURVES_FALL 1.0       // [s] when there are contacts already
#define CURVES_COMPACTION 3.0 // [s] when the solve is hard
#define CURVES_CONVERGED 1e-6 // residual that the curves of one solve go to
#define CURVES_TIME 2.0       // [s] that a solve may take
#define CURVES_TENTH 0.1      // the error of which the paper speaks

// One curve of a figure.
typedef struct curves_row {
    const char *name, *note;
    const char *solver, *param, *value;
} curves_row;

static const curves_row curves_panel[] = {
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
#define CURVES_PANEL ((int32_t)(sizeof curves_panel / sizeof curves_panel[0]))

// ---- one solve ----

// The first iteration with a residual of a tenth.
static double curves_first_tenth(const point_series *residual) {
    for (int32_t i = 0; i < residual->count; i++) {
        if (residual->y[i] <= CURVES_TENTH) {
            return residual->x[i];
        }
    }
    return (double)NAN;
}

static void curves_plot_solve(reproduction *lab, const cn_friction *problem, void *user) {
    (void)user;
    point_series series[CURVES_PANEL] = {{.count = 0}};
    plot_curve curves[CURVES_PANEL];
    char *title = format_text("E3: one step's solve, %d candidates", (int)problem->contacts);
    for (int32_t i = 0; i < CURVES_PANEL && lab->code == EXIT_DONE; i++) {
        const curves_row *row = &curves_panel[i];
        const solve_attempt attempt = {.solver = row->solver,
                                       .param = row->param,
                                       .value = row->value,
                                       .tolerance = CURVES_CONVERGED,
                                       .time_limit = CURVES_TIME,
                                       .iterations = &series[i]};
        cn_solve_report report;
        if (!lab_solve(lab, problem, &attempt, &report)) {
            break;
        }
        // The last iterate is known to the checker only.
        series_add(&series[i], report.iterations, report.grade.residual);
        char *what[2] = {format_text("iterations to an error of 10 %%, %s", row->name),
                         format_text("residual reached, %s", row->name)};
        lab_check_shown(lab, what[0], i == 0 ? "10" : "", curves_first_tenth(&series[i]));
        lab_check_shown(lab, what[1], "", report.grade.residual);
        free(what[0]);
        free(what[1]);
    }
    for (int32_t i = 0; i < CURVES_PANEL; i++) {
        curves[i] = (plot_curve){.name = curves_panel[i].name,
                                 .note = curves_panel[i].note,
                                 .x = series[i].x,
                                 .y = series[i].y,
                                 .count = series[i].count};
    }
    plot_spec plot = {.title = title,
                      .subtitle = "160 spheres while they settle; started from r = 0, at most 2 s",
                      .x_label = "iterations",
                      .y_label = "residual",
                      .y_target = CURVES_TENTH,
                      .target_label = "10 %",
                      .curves = curves,
                      .count = CURVES_PANEL};
    lab_plot(lab, "convergence", "residual over iterations (the paper's figure 6a)", &plot);
    for (int32_t i = 0; i < CURVES_PANEL; i++) {
        series_free(&series[i]);
    }
    free(title);
}

// ---- a run ----

static const char *const curves_runs[] = {"auto", "nsgs", "cpg", "apgd", "prox-newton"};
#define CURVES_RUNS ((int32_t)(sizeof curves_runs / sizeof curves_runs[0]))

// A dot per step: iterations over the contacts that press.
static bool curves_run(reproduction *lab, const char *solver, point_series *out) {
    char *name = format_text("panel-%s", solver);
    lab_trial trial = {.name = name,
                       .scene = "sphere-settling",
                       .inexact = true,
                       .set = {{"solver.name", solver},
                               {"solver.settle", "0"},
                               {"solver.on_stall", "continue"},
                               {"solver.max_iterations", "2000"},
                               {"generate.packing.count", "160"},
                               {"time.frames_every", "1"},
                               {"time.until", lab->quick ? "0.8" : "5"}}};
    trial_result result;
    bool good = lab_run_trial(lab, &trial, &result);
    free(name);
    if (good) {
        for (int64_t i = 0; i < result.count; i++) {
            const cn_step_report *row = &result.rows[i];
            series_add(out, row->sticking + row->sliding, row->iterations);
        }
        result_free(&result);
    }
    return good;
}

static void curves_plot_runs(reproduction *lab) {
    point_series series[CURVES_RUNS] = {{.count = 0}};
    plot_curve curves[CURVES_RUNS];
    for (int32_t i = 0; i < CURVES_RUNS; i++) {
        if (!curves_run(lab, curves_runs[i], &series[i])) {
            break;
        }
    }
    for (int32_t i = 0; i < CURVES_RUNS; i++) {
        curves[i] = (plot_curve){.name = curves_runs[i],
                                 .note = "a dot per step",
                                 .x = series[i].x,
                                 .y = series[i].y,
                                 .count = series[i].count,
                                 .dots = true};
    }
    plot_spec plot = {.title = "E3: iterations over contacts while 160 spheres settle",
                      .subtitle = "steps of 0.02 s, residual 1e-3 or 2000 iterations",
                      .x_label = "contacts that press",
                      .y_label = "iterations of the step's solve",
                      .x_scale = SCALE_LINEAR,
                      .curves = curves,
                      .count = CURVES_RUNS};
    lab_plot(lab, "iterations-panel", "iterations over contacts, by solver (figure 6b)", &plot);
    for (int32_t i = 0; i < CURVES_RUNS; i++) {
        series_free(&series[i]);
    }
}

void e3_curves(reproduction *lab) {
    static const cn_override set[] = {{"generate.packing.count", "160"}};
    // At a moment of compaction, where the solve is hardest.
    lab_problem(lab, "sphere-settling", set, 1, lab->quick ? CURVES_FALL : CURVES_COMPACTION,
                curves_plot_solve, NULL);
    curves_plot_runs(lab);
}
