// lab/e10_segregation_2d.c
// E10: shaken in a box, a large disk rises through small ones, with convex friction.
//
// What shows whether it has risen is how many of the small ones lie above its centre (as in E6).
#include "lab/experiments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define E10_ROWS 5.0    // [s] between rows of the table
#define E10_EMERGED 0.1 // share of the small disks above its centre: it is on top
#define E10_RISEN 0.3   // the same at the end, mean of the seeds: it has risen
#define E10_PERIOD 2.4  // [s] from swing to swing: what shares are averaged over
#define E10_SEEDS 3
#define E10_OVERLAP 0.01 // [m] one hundredth of the radius of a small disk
#define E10_NUT 2        // body; those after it are small disks

static const lab_method e10_methods[] = {{.label = "auto"}, {.label = NULL}};

static const heading e10_columns[] = {{"t [s]", "t"},
                                      {"box [m]", "box"},
                                      {"large disk over the box [m]", "large"},
                                      {"small, mean [m]", "mean"},
                                      {"share above", "share_above"},
                                      {NULL, NULL}};

typedef struct e10_tracks {
    point_series large, mean, share;
    int32_t bodies;
    data_table *table; // NULL: none
} e10_tracks;

static void e10_take(void *user, double t, const double *q, const double *v) {
    e10_tracks *tracks = user;
    int32_t small = tracks->bodies - E10_NUT, above = 0;
    double floor = q[1], height = q[3 * (E10_NUT - 1) + 1], sum = 0.0;
    (void)v;
    for (int32_t i = E10_NUT; i < tracks->bodies; i++) {
        double y = q[3 * i + 1];
        above += y > height;
        sum += y - floor;
    }
    double share = (double)above / small;
    series_add(&tracks->large, t, height - floor);
    series_add(&tracks->mean, t, sum / small);
    series_add(&tracks->share, t, share);
    if (tracks->table && fabs(t / E10_ROWS - round(t / E10_ROWS)) < 1e-6) {
        data_table_real(tracks->table, 4, t);
        data_table_real(tracks->table, 3, floor);
        data_table_real(tracks->table, 3, height - floor);
        data_table_real(tracks->table, 3, sum / small);
        data_table_real(tracks->table, 2, share);
    }
}

// The mean of a series over the period that ends with point last.
static double e10_mean(const point_series *series, int32_t last) {
    double sum = 0.0;
    int32_t count = 0;
    for (int32_t i = last; i >= 0 && series->x[i] > series->x[last] - E10_PERIOD; i--) {
        sum += series->y[i];
        count++;
    }
    return sum / count;
}

// The smallest mean over a period.
static double e10_smallest(const point_series *series) {
    double smallest = HUGE_VAL;
    for (int32_t i = 0; i < series->count; i++) {
        smallest = series->x[i] >= E10_PERIOD ? fmin(smallest, e10_mean(series, i)) : smallest;
    }
    return smallest;
}

static plot_curve e10_curve(const char *name, const char *note, const point_series *series) {
    return (plot_curve){
        .name = name, .note = note, .x = series->x, .y = series->y, .count = series->count};
}

static void e10_heights(reproduction *lab, const e10_tracks *tracks) {
    const plot_curve curves[] = {e10_curve("large disk", "radius 3", &tracks->large),
                                 e10_curve("small disks, mean", "radius 1", &tracks->mean)};
    plot_spec plot = {.title = "E10: the large disk rises through 200 small ones",
                      .subtitle = "heights of centres over the bottom of the box",
                      .x_label = "t [s]",
                      .y_label = "height [m]",
                      .x_scale = SCALE_LINEAR,
                      .y_scale = SCALE_LINEAR,
                      .curves = curves,
                      .count = 2};
    lab_plot(lab, "height", "height of the large disk over time", &plot);
}

// The paper's figure 7: CPU time and contacts of every step.
static void e10_statistics(reproduction *lab, const trial_result *result) {
    point_series cpu = {0}, contacts = {0};
    for (int64_t i = 0; i < result->count; i++) {
        const cn_step_report *row = &result->rows[i];
        double used = row->cpu_detect + row->cpu_assemble + row->cpu_solve + row->cpu_advance;
        series_add(&cpu, row->t, used);
        series_add(&contacts, row->t, row->sticking + row->sliding);
    }
    plot_curve curve = e10_curve("CPU time", "of a step", &cpu);
    plot_spec plot = {.title = "E10: CPU time of a step",
                      .subtitle = "detection, assembly, solve, advance",
                      .x_label = "t [s]",
                      .y_label = "CPU time [s]",
                      .x_scale = SCALE_LINEAR,
                      .y_scale = SCALE_LINEAR,
                      .curves = &curve,
                      .count = 1};
    lab_plot(lab, "cpu", "CPU time of every step (the paper's figure 7)", &plot);
    curve = e10_curve("contacts", "that carry", &contacts);
    plot.title = "E10: contacts of a step";
    plot.subtitle = "those that carry an impulse";
    plot.y_label = "contacts";
    lab_plot(lab, "contacts", "contacts of every step (the paper's figure 7)", &plot);
    series_free(&cpu);
    series_free(&contacts);
}

// The short version: fewer disks in a narrower box.
static const cn_override e10_short[] = {
    {"generate.packing.count", "80"},
    {"generate.packing.inside", "[[-12, 6.01], [12, 90]]"},
    {"bodies.0.shape.1.line.offset", "-12"},
    {"bodies.0.shape.2.line.offset", "-12"},
    {"time.until", "40"},
};

static void e10_draw(reproduction *lab, trial_result *result, const e10_tracks *tracks) {
    double end = result->summary.t_end;
    const double times[] = {0.0, 0.25 * end, 0.5 * end, end};
    e10_heights(lab, tracks);
    e10_statistics(lab, result);
    lab_picture(lab, "nut", "four moments (the paper's figure 9)", result, times, 4,
                (picture_spec){.title = "E10: the Brazil nut effect in the plane",
                               .subtitle = "one disk of radius 3 under small ones of radius 1"});
}

// One seed; end: the share above at the end.
static bool e10_run(reproduction *lab, int32_t seed, double *end) {
    char *word = format_text("%d", (int)seed), *name = format_text("seed-%d", (int)seed);
    lab_trial trial = {.name = name,
                       .scene = "brazil-nut-2d",
                       .method = &lab->experiment->methods[0],
                       .set = {{"generate.packing.seed", word}}};
    trial_result result;
    e10_tracks tracks = {.table = seed == 1 ? &lab->table : NULL};
    if (lab->quick) {
        memcpy(&trial.set[1], e10_short, sizeof e10_short);
    }
    bool good = lab_run_trial(lab, &trial, &result);
    free(word);
    free(name);
    if (!good) {
        return false;
    }
    tracks.bodies = cn_model_body_count(result.recorded.model);
    good = result_frames(lab, &result, e10_take, &tracks);
    if (good) {
        double deepest = result.summary.penetration_max;
        char *what[3] = {format_text("seed %d: smallest share of small disks above it", (int)seed),
                         format_text("seed %d: largest overlap [m]", (int)seed),
                         format_text("seed %d: S_p", (int)seed)};
        *end = e10_mean(&tracks.share, tracks.share.count - 1);
        lab_below(lab, what[0], "emerges on top", e10_smallest(&tracks.share), E10_EMERGED);
        lab_below(lab, what[1], "", deepest, E10_OVERLAP);
        lab_check_shown(lab, what[2], "", result_speed(&result, result.summary.t_end));
        for (int32_t i = 0; i < 3; i++) {
            free(what[i]);
        }
        if (seed == 1) {
            e10_draw(lab, &result, &tracks);
        }
    }
    series_free(&tracks.large);
    series_free(&tracks.mean);
    series_free(&tracks.share);
    result_free(&result);
    return good;
}

static void e10(reproduction *lab) {
    int32_t seeds = lab->quick ? 1 : E10_SEEDS;
    double sum = 0.0;
    for (int32_t seed = 1; seed <= seeds; seed++) {
        double end = 0.0;
        if (!e10_run(lab, seed, &end)) {
            return;
        }
        sum += end;
    }
    lab_below(lab, "share of small disks above the large one at the end, mean", "on top",
              sum / seeds, E10_RISEN);
}

const lab_experiment experiment_e10 = {
    .id = "E10",
    .title = "a large disk rises when shaken",
    .source = SOURCE_HART_2003 ", figures 7 and 9",
    .scenes = "brazil-nut-2d",
    .methods = e10_methods,
    .columns = e10_columns,
    .differs =
        "the paper prints neither sizes, box, nor how it is shaken; ours are in the scene, "
        "and were chosen so that the large disk gets to the top within the paper's 75 s. It may be "
        "buried by a swing and come back; so the smallest share above it, averaged over a swing, "
        "is judged for every seed, and the share at the end for the mean of the seeds. "
        "The paper's cone has two edges, as any in the plane.",
    .run = e10};
