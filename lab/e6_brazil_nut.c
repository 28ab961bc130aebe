// lab/e6_brazil_nut.c
// E6: shaken from below, a large sphere rises through small ones.
//
// The height of the large sphere follows the floor and the dilation of the bed. Its rise is
// measured by the share of the small spheres above its centre, and by how many of these cover it:
// lie within its radius horizontally. The bed is chaotic, so several seeds are simulated, and each
// is measured once per swing of the floor, at the same phase, and averaged over the last swings.
//
// Control: the small spheres that lie as low as the large one when the shaking starts. They are
// carried up as well, but the bed mixes them: their mean share above goes towards one half.
#include "lab/experiments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CN_E6_PERIOD 1.5                        // [s] from swing to swing
#define CN_E6_FRAMES "time.frames_every", "1.5" // one per swing, where nothing is drawn
#define CN_E6_START 3.0   // [s] when the floor starts to move; the bed has come to rest
#define CN_E6_LAST 10     // frames at the end that are averaged, one per swing
#define CN_E6_EMERGED 5   // swings that are averaged to say that it got on top
#define CN_E6_BOTTOM 0.75 // share above at the start: it lies at the bottom
#define CN_E6_ON_TOP 0.1  // share above, mean of five swings: it is on top
#define CN_E6_SURFACE 0.3 // share above at the end: at most a small radius below the surface
#define CN_E6_MEAN 0.15   // the same, mean of the runs
#define CN_E6_MISSED 1e-3 // share of the steps that may miss the tighter tolerance
#define CN_E6_COVER 1.0   // small spheres that lie on it at the end, mean of the runs
#define CN_E6_MIXED 0.3   // share above the control, at the end: it is mixed in
#define CN_E6_RADIUS 2.0  // [m] of the large sphere

typedef struct cn_e6_case {
    const char *name, *label, *seed;
    bool tight;         // a tolerance that a few steps may miss
    cn_override set[2]; // over the scene's
} cn_e6_case;

static const cn_e6_case cn_e6_cases[] = {
    {.name = "seed-1", .label = "auto, 1e-3", .seed = "1", .set = {{"time.frames_every", "0.3"}}},
    {.name = "seed-2", .label = "auto, 1e-3", .seed = "2", .set = {{CN_E6_FRAMES}}},
    {.name = "seed-3", .label = "auto, 1e-3", .seed = "3", .set = {{CN_E6_FRAMES}}},
    {.name = "seed-4", .label = "auto, 1e-3", .seed = "4", .set = {{CN_E6_FRAMES}}},
    {.name = "seed-5", .label = "auto, 1e-3", .seed = "5", .set = {{CN_E6_FRAMES}}},
    {.name = "nsgs",
     .label = "nsgs, 1e-3",
     .seed = "1",
     .set = {{CN_E6_FRAMES}, {"solver.name", "nsgs"}}},
    {.name = "tolerance-4",
     .label = "auto, 1e-4",
     .seed = "1",
     .tight = true,
     .set = {{CN_E6_FRAMES}, {"solver.tolerance", "1e-4"}}},
};
#define CN_E6_CASES ((int32_t)(sizeof cn_e6_cases / sizeof cn_e6_cases[0]))

// The short version: fewer spheres in a quarter of the area, where walls are nearer and
// the large sphere gets to the top in half of the time. So near to them it may be buried again:
// that it has been on top is judged, and where it ends is not.
static const cn_override cn_e6_short[] = {
    {"generate.packing.count", "150"},
    {"generate.packing.inside", "[[-6, -6, 4.01], [6, 6, 60]]"},
    {"bodies.1.shape.0.plane.offset", "-6"},
    {"bodies.1.shape.1.plane.offset", "-6"},
    {"bodies.1.shape.2.plane.offset", "-6"},
    {"bodies.1.shape.3.plane.offset", "-6"},
    {"time.until", "45"},
    {"time.frames_every", "0.3"},
};

static const cn_method cn_e6_methods[] = {{.label = "auto"}, {.label = NULL}};

static const cn_heading cn_e6_columns[] = {{"seed", "seed"},
                                           {"solver", "solver"},
                                           {"share above, start", "share_start"},
                                           {"end", "share_end"},
                                           {"cover, start", "cover_start"},
                                           {"end", "cover_end"},
                                           {"control, start", "control_start"},
                                           {"end", "control_end"},
                                           {"on top from [s]", "on_top_from"},
                                           {"S_p", "sp"},
                                           {NULL, NULL}};

typedef struct cn_e6_tracks {
    cn_series large, median, high; // heights [m]
    cn_series share, cover, control;
    double *heights; // room for the small spheres, sorted
    bool *low;       // body: a small sphere of the control
    cn_body_id nut;  // all bodies after it are small spheres
    int32_t bodies;
    bool started;
} cn_e6_tracks;

// ---- measuring ----

static int cn_e6_compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

// How many of the sorted values are above a height.
static int32_t cn_e6_above(const double *sorted, int32_t count, double height) {
    int32_t low = 0, high = count;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (sorted[middle] > height) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return count - low;
}

static void cn_e6_take(void *user, double t, const double *q, const double *v) {
    cn_e6_tracks *tracks = user;
    const double *nut = q + 7 * (int64_t)(tracks->nut - 1);
    int32_t small = 0, cover = 0, tracers = 0;
    double control = 0.0;
    (void)v;
    if (fabs(t / CN_E6_PERIOD - round(t / CN_E6_PERIOD)) > 1e-6) {
        return;
    }
    for (cn_body_id id = tracks->nut + 1; id <= tracks->bodies; id++) {
        const double *x = q + 7 * (int64_t)(id - 1);
        cover += x[2] > nut[2] && hypot(x[0] - nut[0], x[1] - nut[1]) < CN_E6_RADIUS;
        tracks->heights[small++] = x[2];
        if (!tracks->started) { // until the floor moves
            tracks->low[id - 1] = x[2] < nut[2];
        }
    }
    tracks->started = t > CN_E6_START - 1e-6;
    qsort(tracks->heights, (size_t)small, sizeof *tracks->heights, cn_e6_compare);
    for (cn_body_id id = tracks->nut + 1; id <= tracks->bodies; id++) {
        if (tracks->low[id - 1]) {
            control += cn_e6_above(tracks->heights, small, q[7 * (int64_t)(id - 1) + 2]);
            tracers++;
        }
    }
    cn_series_add(&tracks->large, t, nut[2]);
    cn_series_add(&tracks->median, t, tracks->heights[small / 2]);
    cn_series_add(&tracks->high, t, tracks->heights[small - small / 10 - 1]);
    if (tracks->started) {
        cn_series_add(&tracks->share, t,
                      (double)cn_e6_above(tracks->heights, small, nut[2]) / small);
        cn_series_add(&tracks->cover, t, cover);
        cn_series_add(&tracks->control, t, control / tracers / small);
    }
}

static bool cn_e6_measure(cn_lab *lab, cn_result *result, cn_e6_tracks *tracks) {
    const cn_model *model = result->recorded.model;
    tracks->nut = cn_model_find_body(model, "nut");
    tracks->bodies = cn_model_body_count(model);
    tracks->heights = CN_ALLOCATE(double, tracks->bodies);
    tracks->low = CN_ALLOCATE(bool, tracks->bodies);
    return cn_result_frames(lab, result, cn_e6_take, tracks);
}

static void cn_e6_tracks_free(cn_e6_tracks *tracks) {
    cn_series *const all[] = {&tracks->large, &tracks->median, &tracks->high,
                              &tracks->share, &tracks->cover,  &tracks->control};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        cn_series_free(all[i]);
    }
    free(tracks->heights);
    free(tracks->low);
}

// The mean over the swings that end with point last.
static double cn_e6_mean(const cn_series *series, int32_t last, int32_t swings) {
    int32_t count = last + 1 < swings ? last + 1 : swings;
    double sum = 0.0;
    for (int32_t i = last + 1 - count; i <= last; i++) {
        sum += series->y[i];
    }
    return sum / count;
}

static double cn_e6_end(const cn_series *series) {
    return cn_e6_mean(series, series->count - 1, CN_E6_LAST);
}

static double cn_e6_smallest(const cn_series *series) {
    double smallest = HUGE_VAL;
    for (int32_t i = CN_E6_EMERGED - 1; i < series->count; i++) {
        smallest = fmin(smallest, cn_e6_mean(series, i, CN_E6_EMERGED));
    }
    return smallest;
}

// Since when the large sphere has been on top; NaN: it is not.
static double cn_e6_since(const cn_series *share) {
    double since = (double)NAN;
    for (int32_t i = share->count - 1; i >= 0 && share->y[i] <= CN_E6_ON_TOP; i--) {
        since = share->x[i];
    }
    return since;
}

// ---- figures ----

static cn_curve cn_e6_curve(const char *name, const char *note, const cn_series *series) {
    return (cn_curve){
        .name = name, .note = note, .x = series->x, .y = series->y, .count = series->count};
}

static void cn_e6_plot_heights(cn_lab *lab, const cn_e6_tracks *tracks) {
    const cn_curve curves[] = {cn_e6_curve("large sphere", "radius 2", &tracks->large),
                               cn_e6_curve("small spheres, median", "radius 1", &tracks->median),
                               cn_e6_curve("highest tenth", "of the small spheres", &tracks->high)};
    cn_plot plot = {.title = "E6: the large sphere rises through small ones",
                    .subtitle = "heights of centres, once per swing of the floor",
                    .x_label = "t [s]",
                    .y_label = "height [m]",
                    .x_scale = CN_SCALE_LINEAR,
                    .y_scale = CN_SCALE_LINEAR,
                    .curves = curves,
                    .count = 3};
    cn_lab_plot(lab, "height", "height of the large sphere over time", &plot);
}

static void cn_e6_plot_shares(cn_lab *lab, const cn_e6_tracks *all, int32_t count) {
    cn_curve curves[CN_E6_CASES + 1];
    for (int32_t i = 0; i < count; i++) {
        curves[i] = cn_e6_curve(cn_e6_cases[i].name, cn_e6_cases[i].label, &all[i].share);
    }
    curves[count] = cn_e6_curve("control", "small spheres from the bottom, mean", &all[0].control);
    cn_plot plot = {.title = "E6: share of the small spheres above the large one's centre",
                    .subtitle = "0 when it lies on top; the control is mixed in",
                    .x_label = "t [s]",
                    .y_label = "share",
                    .x_scale = CN_SCALE_LINEAR,
                    .y_scale = CN_SCALE_LINEAR,
                    .curves = curves,
                    .count = count + 1};
    cn_lab_plot(lab, "share", "how many of the small spheres are above it", &plot);
}

// ---- the experiment ----

static void cn_e6_conclude(cn_lab *lab, const cn_e6_case *c, const cn_result *result,
                           const cn_e6_tracks *tracks) {
    const cn_series *const series[] = {&tracks->share, &tracks->cover, &tracks->control};
    char *name = cn_text("seed %s, %s", c->seed, c->label);
    char *what[4] = {cn_text("%s: share of small spheres above the large one, start", name),
                     cn_text("%s: smallest share above, mean of five swings", name),
                     cn_text("%s: share above, mean of the last ten swings", name),
                     cn_text("%s: share above small spheres from the bottom", name)};
    cn_sheet_int(&lab->table, strtol(c->seed, NULL, 10));
    cn_sheet_text(&lab->table, c->label, CN_INK_PLAIN);
    for (int32_t i = 0; i < 3; i++) {
        cn_sheet_real(&lab->table, 2, series[i]->y[0]);
        cn_sheet_real(&lab->table, 2, cn_e6_end(series[i]));
    }
    cn_sheet_real(&lab->table, 3, cn_e6_since(&tracks->share));
    cn_sheet_real(&lab->table, 2, cn_result_speed(result, result->tally.t_end));
    cn_lab_above(lab, what[0], "small ones lie on it", tracks->share.y[0], CN_E6_BOTTOM);
    cn_lab_below(lab, what[1], "on top", cn_e6_smallest(&tracks->share), CN_E6_ON_TOP);
    cn_lab_below(lab, what[2], "on top", cn_e6_end(&tracks->share),
                 cn_lab_limit(lab, CN_E6_SURFACE));
    if (c->tight) {
        cn_lab_below(lab, "steps that missed the tolerance 1e-4 / steps", "",
                     (double)cn_tally_unsolved(&result->tally) / (double)result->count,
                     CN_E6_MISSED);
    }
    cn_lab_above(lab, what[3], "", cn_e6_end(&tracks->control), CN_E6_MIXED);
    for (int32_t i = 0; i < 4; i++) {
        free(what[i]);
    }
    free(name);
}

static void cn_e6_draw(cn_lab *lab, cn_result *result, const cn_e6_tracks *tracks) {
    double end = result->tally.t_end;
    const double times[] = {CN_E6_START, 0.33 * end, 0.67 * end, end};
    cn_e6_plot_heights(lab, tracks);
    cn_lab_picture(lab, "nut", "four moments (the paper's figure 2)", result, times, 4,
                   (cn_picture){.title = "E6: the Brazil nut effect",
                                .subtitle = "one sphere of radius 2 under small ones of radius 1"});
}

static bool cn_e6_run(cn_lab *lab, const cn_e6_case *c, cn_e6_tracks *tracks) {
    cn_trial trial = {.name = c->name,
                      .scene = "brazil-nut",
                      .method = &lab->experiment->methods[0],
                      .inexact = c->tight,
                      .set = {{"generate.packing.seed", c->seed}}};
    cn_result result;
    if (lab->quick) {
        memcpy(&trial.set[1], cn_e6_short, sizeof cn_e6_short);
    } else {
        memcpy(&trial.set[1], c->set, sizeof c->set);
    }
    if (!cn_lab_run(lab, &trial, &result)) {
        return false;
    }
    bool good = cn_e6_measure(lab, &result, tracks);
    if (good) {
        cn_e6_conclude(lab, c, &result, tracks);
        if (c == &cn_e6_cases[0]) {
            cn_e6_draw(lab, &result, tracks);
        }
    }
    cn_result_free(&result);
    return good;
}

static void cn_e6(cn_lab *lab) {
    cn_e6_tracks all[CN_E6_CASES] = {{.heights = NULL}};
    int32_t count = lab->quick ? 1 : CN_E6_CASES;
    bool good = true;
    for (int32_t i = 0; good && i < count; i++) {
        good = cn_e6_run(lab, &cn_e6_cases[i], &all[i]);
    }
    if (good) {
        double share = 0.0, cover = 0.0;
        for (int32_t i = 0; i < count; i++) {
            share += cn_e6_end(&all[i].share) / count;
            cover += cn_e6_end(&all[i].cover) / count;
        }
        cn_lab_below(lab, "share of small spheres above it at the end, mean of the runs", "on top",
                     share, cn_lab_limit(lab, CN_E6_MEAN));
        cn_lab_below(lab, "small spheres that lie on it at the end, mean of the runs", "on top",
                     cover, cn_lab_limit(lab, CN_E6_COVER));
        cn_e6_plot_shares(lab, all, count);
    }
    for (int32_t i = 0; i < count; i++) {
        cn_e6_tracks_free(&all[i]);
    }
}

const cn_experiment cn_experiment_e6 = {
    .id = "E6",
    .title = "a large sphere rises when shaken",
    .source = CN_SOURCE_RENOUF_2006 ", section 5, figure 2",
    .scenes = "brazil-nut",
    .methods = cn_e6_methods,
    .columns = cn_e6_columns,
    .differs = "the paper prints neither box, friction, nor the floor's motion; ours are in the "
               "scene with the reasons for them. The walls rest, so that their friction drives a "
               "convection: up in the middle, down in a thin layer at the walls. It carries the "
               "large sphere up, and the layer is too thin to take it down again. With a "
               "friction of 0.3 the same happens more slowly, and where the bed is left to come "
               "to rest between swings it compacts instead.",
    .run = cn_e6};
