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

#define E6_PERIOD 1.5                        // [s] from swing to swing
#define E6_FRAMES "time.frames_every", "1.5" // one per swing, where nothing is drawn
#define E6_START 3.0   // [s] when the floor starts to move; the bed has come to rest
#define E6_LAST 10     // frames at the end that are averaged, one per swing
#define E6_EMERGED 5   // swings that are averaged to say that it got on top
#define E6_BOTTOM 0.75 // share above at the start: it lies at the bottom
#define E6_ON_TOP 0.1  // share above, mean of five swings: it is on top
#define E6_SURFACE 0.3 // share above at the end: at most a small radius below the surface
#define E6_MEAN 0.15   // the same, mean of the runs
#define E6_MISSED 1e-3 // share of the steps that may miss the tighter tolerance
#define E6_COVER 1.0   // small spheres that lie on it at the end, mean of the runs
#define E6_MIXED 0.3   // share above the control, at the end: it is mixed in
#define E6_RADIUS 2.0  // [m] of the large sphere

typedef struct e6_case {
    const char *name, *label, *seed;
    bool tight;         // a tolerance that a few steps may miss
    cn_override set[2]; // over the scene's
} e6_case;

static const e6_case e6_cases[] = {
    {.name = "seed-1", .label = "auto, 1e-3", .seed = "1", .set = {{"time.frames_every", "0.3"}}},
    {.name = "seed-2", .label = "auto, 1e-3", .seed = "2", .set = {{E6_FRAMES}}},
    {.name = "seed-3", .label = "auto, 1e-3", .seed = "3", .set = {{E6_FRAMES}}},
    {.name = "seed-4", .label = "auto, 1e-3", .seed = "4", .set = {{E6_FRAMES}}},
    {.name = "seed-5", .label = "auto, 1e-3", .seed = "5", .set = {{E6_FRAMES}}},
    {.name = "nsgs",
     .label = "nsgs, 1e-3",
     .seed = "1",
     .set = {{E6_FRAMES}, {"solver.name", "nsgs"}}},
    {.name = "tolerance-4",
     .label = "auto, 1e-4",
     .seed = "1",
     .tight = true,
     .set = {{E6_FRAMES}, {"solver.tolerance", "1e-4"}}},
};
#define E6_CASES ((int32_t)(sizeof e6_cases / sizeof e6_cases[0]))

// The short version: fewer spheres in a quarter of the area, where walls are nearer and
// the large sphere gets to the top in half of the time. So near to them it may be buried again:
// that it has been on top is judged, and where it ends is not.
static const cn_override e6_short[] = {
    {"generate.packing.count", "150"},
    {"generate.packing.inside", "[[-6, -6, 4.01], [6, 6, 60]]"},
    {"bodies.1.shape.0.plane.offset", "-6"},
    {"bodies.1.shape.1.plane.offset", "-6"},
    {"bodies.1.shape.2.plane.offset", "-6"},
    {"bodies.1.shape.3.plane.offset", "-6"},
    {"time.until", "45"},
    {"time.frames_every", "0.3"},
};

static const lab_method e6_methods[] = {{.label = "auto"}, {.label = NULL}};

static const heading e6_columns[] = {{"seed", "seed"},
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

typedef struct e6_tracks {
    point_series large, median, high; // heights [m]
    point_series share, cover, control;
    double *heights; // room for the small spheres, sorted
    bool *low;       // body: a small sphere of the control
    cn_body_id nut;  // all bodies after it are small spheres
    int32_t bodies;
    bool started;
} e6_tracks;

// ---- measuring ----

// How many of the sorted values are above a height.
static int32_t e6_above(const double *sorted, int32_t count, double height) {
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

static void e6_take(void *user, double t, const double *q, const double *v) {
    e6_tracks *tracks = user;
    const double *nut = q + 7 * (int64_t)(tracks->nut - 1);
    int32_t small = 0, cover = 0, tracers = 0;
    double control = 0.0;
    (void)v;
    if (fabs(t / E6_PERIOD - round(t / E6_PERIOD)) > 1e-6) {
        return;
    }
    for (cn_body_id id = tracks->nut + 1; id <= tracks->bodies; id++) {
        const double *x = q + 7 * (int64_t)(id - 1);
        cover += x[2] > nut[2] && hypot(x[0] - nut[0], x[1] - nut[1]) < E6_RADIUS;
        tracks->heights[small++] = x[2];
        if (!tracks->started) { // until the floor moves
            tracks->low[id - 1] = x[2] < nut[2];
        }
    }
    tracks->started = t > E6_START - 1e-6;
    qsort(tracks->heights, (size_t)small, sizeof *tracks->heights, compare_reals);
    for (cn_body_id id = tracks->nut + 1; id <= tracks->bodies; id++) {
        if (tracks->low[id - 1]) {
            control += e6_above(tracks->heights, small, q[7 * (int64_t)(id - 1) + 2]);
            tracers++;
        }
    }
    series_add(&tracks->large, t, nut[2]);
    series_add(&tracks->median, t, tracks->heights[small / 2]);
    series_add(&tracks->high, t, tracks->heights[small - small / 10 - 1]);
    if (tracks->started) {
        series_add(&tracks->share, t, (double)e6_above(tracks->heights, small, nut[2]) / small);
        series_add(&tracks->cover, t, cover);
        series_add(&tracks->control, t, control / tracers / small);
    }
}

static bool e6_measure(reproduction *lab, trial_result *result, e6_tracks *tracks) {
    const cn_model *model = result->recorded.model;
    tracks->nut = cn_model_find_body(model, "nut");
    tracks->bodies = cn_model_body_count(model);
    tracks->heights = ALLOCATE(double, tracks->bodies);
    tracks->low = ALLOCATE(bool, tracks->bodies);
    return result_frames(lab, result, e6_take, tracks);
}

static void e6_tracks_free(e6_tracks *tracks) {
    point_series *const all[] = {&tracks->large, &tracks->median, &tracks->high,
                                 &tracks->share, &tracks->cover,  &tracks->control};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        series_free(all[i]);
    }
    free(tracks->heights);
    free(tracks->low);
}

// The mean over the swings that end with point last.
static double e6_mean(const point_series *series, int32_t last, int32_t swings) {
    int32_t count = last + 1 < swings ? last + 1 : swings;
    double sum = 0.0;
    for (int32_t i = last + 1 - count; i <= last; i++) {
        sum += series->y[i];
    }
    return sum / count;
}

static double e6_end(const point_series *series) {
    return e6_mean(series, series->count - 1, E6_LAST);
}

static double e6_smallest(const point_series *series) {
    double smallest = HUGE_VAL;
    for (int32_t i = E6_EMERGED - 1; i < series->count; i++) {
        smallest = fmin(smallest, e6_mean(series, i, E6_EMERGED));
    }
    return smallest;
}

// Since when the large sphere has been on top; NaN: it is not.
static double e6_since(const point_series *share) {
    double since = (double)NAN;
    for (int32_t i = share->count - 1; i >= 0 && share->y[i] <= E6_ON_TOP; i--) {
        since = share->x[i];
    }
    return since;
}

// ---- figures ----

static plot_curve e6_curve(const char *name, const char *note, const point_series *series) {
    return (plot_curve){
        .name = name, .note = note, .x = series->x, .y = series->y, .count = series->count};
}

static void e6_plot_heights(reproduction *lab, const e6_tracks *tracks) {
    const plot_curve curves[] = {e6_curve("large sphere", "radius 2", &tracks->large),
                                 e6_curve("small spheres, median", "radius 1", &tracks->median),
                                 e6_curve("highest tenth", "of the small spheres", &tracks->high)};
    plot_spec plot = {.title = "E6: the large sphere rises through small ones",
                      .subtitle = "heights of centres, once per swing of the floor",
                      .x_label = "t [s]",
                      .y_label = "height [m]",
                      .x_scale = SCALE_LINEAR,
                      .y_scale = SCALE_LINEAR,
                      .curves = curves,
                      .count = 3};
    lab_plot(lab, "height", "height of the large sphere over time", &plot);
}

static void e6_plot_shares(reproduction *lab, const e6_tracks *all, int32_t count) {
    plot_curve curves[E6_CASES + 1];
    for (int32_t i = 0; i < count; i++) {
        curves[i] = e6_curve(e6_cases[i].name, e6_cases[i].label, &all[i].share);
    }
    curves[count] = e6_curve("control", "small spheres from the bottom, mean", &all[0].control);
    plot_spec plot = {.title = "E6: share of the small spheres above the large one's centre",
                      .subtitle = "0 when it lies on top; the control is mixed in",
                      .x_label = "t [s]",
                      .y_label = "share",
                      .x_scale = SCALE_LINEAR,
                      .y_scale = SCALE_LINEAR,
                      .curves = curves,
                      .count = count + 1};
    lab_plot(lab, "share", "how many of the small spheres are above it", &plot);
}

// ---- the experiment ----

static void e6_conclude(reproduction *lab, const e6_case *c, const trial_result *result,
                        const e6_tracks *tracks) {
    const point_series *const series[] = {&tracks->share, &tracks->cover, &tracks->control};
    char *name = format_text("seed %s, %s", c->seed, c->label);
    char *what[4] = {format_text("%s: share of small spheres above the large one, start", name),
                     format_text("%s: smallest share above, mean of five swings", name),
                     format_text("%s: share above, mean of the last ten swings", name),
                     format_text("%s: share above small spheres from the bottom", name)};
    data_table_int(&lab->table, strtol(c->seed, NULL, 10));
    data_table_text(&lab->table, c->label, INK_PLAIN);
    for (int32_t i = 0; i < 3; i++) {
        data_table_real(&lab->table, 2, series[i]->y[0]);
        data_table_real(&lab->table, 2, e6_end(series[i]));
    }
    data_table_real(&lab->table, 3, e6_since(&tracks->share));
    data_table_real(&lab->table, 2, result_speed(result, result->summary.t_end));
    lab_above(lab, what[0], "small ones lie on it", tracks->share.y[0], E6_BOTTOM);
    lab_below(lab, what[1], "on top", e6_smallest(&tracks->share), E6_ON_TOP);
    lab_below(lab, what[2], "on top", e6_end(&tracks->share), lab_limit(lab, E6_SURFACE));
    if (c->tight) {
        lab_below(lab, "steps that missed the tolerance 1e-4 / steps", "",
                  (double)run_summary_unsolved(&result->summary) / (double)result->count,
                  E6_MISSED);
    }
    lab_above(lab, what[3], "", e6_end(&tracks->control), E6_MIXED);
    for (int32_t i = 0; i < 4; i++) {
        free(what[i]);
    }
    free(name);
}

static void e6_draw(reproduction *lab, trial_result *result, const e6_tracks *tracks) {
    double end = result->summary.t_end;
    const double times[] = {E6_START, 0.33 * end, 0.67 * end, end};
    e6_plot_heights(lab, tracks);
    lab_picture(lab, "nut", "four moments (the paper's figure 2)", result, times, 4,
                (picture_spec){.title = "E6: the Brazil nut effect",
                               .subtitle = "one sphere of radius 2 under small ones of radius 1"});
}

static bool e6_run(reproduction *lab, const e6_case *c, e6_tracks *tracks) {
    lab_trial trial = {.name = c->name,
                       .scene = "brazil-nut",
                       .method = &lab->experiment->methods[0],
                       .inexact = c->tight,
                       .set = {{"generate.packing.seed", c->seed}}};
    trial_result result;
    if (lab->quick) {
        memcpy(&trial.set[1], e6_short, sizeof e6_short);
    } else {
        memcpy(&trial.set[1], c->set, sizeof c->set);
    }
    if (!lab_run_trial(lab, &trial, &result)) {
        return false;
    }
    bool good = e6_measure(lab, &result, tracks);
    if (good) {
        e6_conclude(lab, c, &result, tracks);
        if (c == &e6_cases[0]) {
            e6_draw(lab, &result, tracks);
        }
    }
    result_free(&result);
    return good;
}

static void e6(reproduction *lab) {
    e6_tracks all[E6_CASES] = {{.heights = NULL}};
    int32_t count = lab->quick ? 1 : E6_CASES;
    bool good = true;
    for (int32_t i = 0; good && i < count; i++) {
        good = e6_run(lab, &e6_cases[i], &all[i]);
    }
    if (good) {
        double share = 0.0, cover = 0.0;
        for (int32_t i = 0; i < count; i++) {
            share += e6_end(&all[i].share) / count;
            cover += e6_end(&all[i].cover) / count;
        }
        lab_below(lab, "share of small spheres above it at the end, mean of the runs", "on top",
                  share, lab_limit(lab, E6_MEAN));
        lab_below(lab, "small spheres that lie on it at the end, mean of the runs", "on top", cover,
                  lab_limit(lab, E6_COVER));
        e6_plot_shares(lab, all, count);
    }
    for (int32_t i = 0; i < count; i++) {
        e6_tracks_free(&all[i]);
    }
}

const lab_experiment experiment_e6 = {
    .id = "E6",
    .title = "a large sphere rises when shaken",
    .source = SOURCE_RENOUF_2006 ", section 5, figure 2",
    .scenes = "brazil-nut",
    .methods = e6_methods,
    .columns = e6_columns,
    .differs = "the paper prints neither box, friction, nor the floor's motion; ours are in the "
               "scene with the reasons for them. The walls rest, so that their friction drives a "
               "convection: up in the middle, down in a thin layer at the walls. It carries the "
               "large sphere up, and the layer is too thin to take it down again. With a "
               "friction of 0.3 the same happens more slowly, and where the bed is left to come "
               "to rest between swings it compacts instead.",
    .run = e6};
