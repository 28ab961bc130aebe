// lab/e10_segregation_2d.c
// E10: shaken in a box, a large disk rises through small ones, with convex friction.
//
// What tells whether it has risen is how many of the small ones lie above its centre (as in E6).
#include "lab/experiments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CN_E10_ROWS 5.0    // [s] between rows of the table
#define CN_E10_EMERGED 0.1 // share of the small disks above its centre: it is on top
#define CN_E10_RISEN 0.3   // the same at the end, mean of the seeds: it has risen
#define CN_E10_PERIOD 2.4  // [s] from swing to swing: what shares are averaged over
#define CN_E10_SEEDS 3
#define CN_E10_OVERLAP 0.01 // [m] one hundredth of the radius of a small disk
#define CN_E10_NUT 2        // body; those after it are small disks

static const cn_method cn_e10_methods[] = {{.label = "auto"}, {.label = NULL}};

static const cn_heading cn_e10_columns[] = {{"t [s]", "t"},
                                            {"box [m]", "box"},
                                            {"large disk over the box [m]", "large"},
                                            {"small, mean [m]", "mean"},
                                            {"share above", "share_above"},
                                            {NULL, NULL}};

typedef struct cn_e10_tracks {
    cn_series large, mean, share;
    int32_t bodies;
    cn_sheet *table; // NULL: none
} cn_e10_tracks;

static void cn_e10_take(void *user, double t, const double *q, const double *v) {
    cn_e10_tracks *tracks = user;
    int32_t small = tracks->bodies - CN_E10_NUT, above = 0;
    double floor = q[1], height = q[3 * (CN_E10_NUT - 1) + 1], sum = 0.0;
    (void)v;
    for (int32_t i = CN_E10_NUT; i < tracks->bodies; i++) {
        double y = q[3 * i + 1];
        above += y > height;
        sum += y - floor;
    }
    double share = (double)above / small;
    cn_series_add(&tracks->large, t, height - floor);
    cn_series_add(&tracks->mean, t, sum / small);
    cn_series_add(&tracks->share, t, share);
    if (tracks->table && fabs(t / CN_E10_ROWS - round(t / CN_E10_ROWS)) < 1e-6) {
        cn_sheet_real(tracks->table, 4, t);
        cn_sheet_real(tracks->table, 3, floor);
        cn_sheet_real(tracks->table, 3, height - floor);
        cn_sheet_real(tracks->table, 3, sum / small);
        cn_sheet_real(tracks->table, 2, share);
    }
}

// The mean of a series over the period that ends with point last.
static double cn_e10_mean(const cn_series *series, int32_t last) {
    double sum = 0.0;
    int32_t count = 0;
    for (int32_t i = last; i >= 0 && series->x[i] > series->x[last] - CN_E10_PERIOD; i--) {
        sum += series->y[i];
        count++;
    }
    return sum / count;
}

// The smallest mean over a period.
static double cn_e10_smallest(const cn_series *series) {
    double smallest = HUGE_VAL;
    for (int32_t i = 0; i < series->count; i++) {
        smallest =
            series->x[i] >= CN_E10_PERIOD ? fmin(smallest, cn_e10_mean(series, i)) : smallest;
    }
    return smallest;
}

static cn_curve cn_e10_curve(const char *name, const char *note, const cn_series *series) {
    return (cn_curve){
        .name = name, .note = note, .x = series->x, .y = series->y, .count = series->count};
}

static void cn_e10_heights(cn_lab *lab, const cn_e10_tracks *tracks) {
    const cn_curve curves[] = {cn_e10_curve("large disk", "radius 3", &tracks->large),
                               cn_e10_curve("small disks, mean", "radius 1", &tracks->mean)};
    cn_plot plot = {.title = "E10: the large disk rises through 200 small ones",
                    .subtitle = "heights of centres over the bottom of the box",
                    .x_label = "t [s]",
                    .y_label = "height [m]",
                    .x_scale = CN_SCALE_LINEAR,
                    .y_scale = CN_SCALE_LINEAR,
                    .curves = curves,
                    .count = 2};
    cn_lab_plot(lab, "height", "height of the large disk over time", &plot);
}

// The paper's figure 7: CPU time and contacts of every step.
static void cn_e10_statistics(cn_lab *lab, const cn_result *result) {
    cn_series cpu = {0}, contacts = {0};
    for (int64_t i = 0; i < result->count; i++) {
        const cn_step_report *row = &result->rows[i];
        double used = row->cpu_detect + row->cpu_assemble + row->cpu_solve + row->cpu_advance;
        cn_series_add(&cpu, row->t, used);
        cn_series_add(&contacts, row->t, row->sticking + row->sliding);
    }
    cn_curve curve = cn_e10_curve("CPU time", "of a step", &cpu);
    cn_plot plot = {.title = "E10: CPU time of a step",
                    .subtitle = "detection, assembly, solve, advance",
                    .x_label = "t [s]",
                    .y_label = "CPU time [s]",
                    .x_scale = CN_SCALE_LINEAR,
                    .y_scale = CN_SCALE_LINEAR,
                    .curves = &curve,
                    .count = 1};
    cn_lab_plot(lab, "cpu", "CPU time of every step (the paper's figure 7)", &plot);
    curve = cn_e10_curve("contacts", "that carry", &contacts);
    plot.title = "E10: contacts of a step";
    plot.subtitle = "those that carry an impulse";
    plot.y_label = "contacts";
    cn_lab_plot(lab, "contacts", "contacts of every step (the paper's figure 7)", &plot);
    cn_series_free(&cpu);
    cn_series_free(&contacts);
}

// The short version: fewer disks in a narrower box.
static const cn_override cn_e10_short[] = {
    {"generate.packing.count", "80"},
    {"generate.packing.inside", "[[-12, 6.01], [12, 90]]"},
    {"bodies.0.shape.1.line.offset", "-12"},
    {"bodies.0.shape.2.line.offset", "-12"},
    {"time.until", "40"},
};

static void cn_e10_draw(cn_lab *lab, cn_result *result, const cn_e10_tracks *tracks) {
    double end = result->tally.t_end;
    const double times[] = {0.0, 0.25 * end, 0.5 * end, end};
    cn_e10_heights(lab, tracks);
    cn_e10_statistics(lab, result);
    cn_lab_picture(lab, "nut", "four moments (the paper's figure 9)", result, times, 4,
                   (cn_picture){.title = "E10: the Brazil nut effect in the plane",
                                .subtitle = "one disk of radius 3 under small ones of radius 1"});
}

// One seed; end: the share above at the end.
static bool cn_e10_run(cn_lab *lab, int32_t seed, double *end) {
    char *word = cn_text("%d", (int)seed), *name = cn_text("seed-%d", (int)seed);
    cn_trial trial = {.name = name,
                      .scene = "brazil-nut-2d",
                      .method = &lab->experiment->methods[0],
                      .set = {{"generate.packing.seed", word}}};
    cn_result result;
    cn_e10_tracks tracks = {.table = seed == 1 ? &lab->table : NULL};
    if (lab->quick) {
        memcpy(&trial.set[1], cn_e10_short, sizeof cn_e10_short);
    }
    bool good = cn_lab_run(lab, &trial, &result);
    free(word);
    free(name);
    if (!good) {
        return false;
    }
    tracks.bodies = cn_model_body_count(result.recorded.model);
    good = cn_result_frames(lab, &result, cn_e10_take, &tracks);
    if (good) {
        double deepest = result.tally.penetration_max;
        char *what[3] = {cn_text("seed %d: smallest share of small disks above it", (int)seed),
                         cn_text("seed %d: largest overlap [m]", (int)seed),
                         cn_text("seed %d: S_p", (int)seed)};
        *end = cn_e10_mean(&tracks.share, tracks.share.count - 1);
        cn_lab_below(lab, what[0], "emerges on top", cn_e10_smallest(&tracks.share),
                     CN_E10_EMERGED);
        cn_lab_below(lab, what[1], "", deepest, CN_E10_OVERLAP);
        cn_lab_show(lab, what[2], "", cn_result_speed(&result, result.tally.t_end));
        for (int32_t i = 0; i < 3; i++) {
            free(what[i]);
        }
        if (seed == 1) {
            cn_e10_draw(lab, &result, &tracks);
        }
    }
    cn_series_free(&tracks.large);
    cn_series_free(&tracks.mean);
    cn_series_free(&tracks.share);
    cn_result_free(&result);
    return good;
}

static void cn_e10(cn_lab *lab) {
    int32_t seeds = lab->quick ? 1 : CN_E10_SEEDS;
    double sum = 0.0;
    for (int32_t seed = 1; seed <= seeds; seed++) {
        double end = 0.0;
        if (!cn_e10_run(lab, seed, &end)) {
            return;
        }
        sum += end;
    }
    cn_lab_below(lab, "share of small disks above the large one at the end, mean", "on top",
                 sum / seeds, CN_E10_RISEN);
}

const cn_experiment cn_experiment_e10 = {
    .id = "E10",
    .title = "a large disk rises when shaken",
    .source = CN_SOURCE_HART_2003 ", figures 7 and 9",
    .scenes = "brazil-nut-2d",
    .methods = cn_e10_methods,
    .columns = cn_e10_columns,
    .differs =
        "the paper prints neither sizes, box, nor how it is shaken; ours are in the scene, "
        "and were chosen so that the large disk gets to the top within the paper's 75 s. It may be "
        "buried by a swing and come back; so the smallest share above it, averaged over a swing, "
        "is judged for every seed, and the share at the end for the mean of the seeds. "
        "The paper's cone has two edges, as any in the plane.",
    .run = cn_e10};
