// lab/e12_annular_shear.c
// E12: 2400 disks sheared between a turning drum and a membrane under pressure. Only a layer of a
// few diameters at the drum follows it, and that layer is looser than the rest.
//
// The velocity profile is that of the quarter turn: how far the grains of a ring (by their place
// at its start) went round, over how far the drum's surface did.
#include "lab/experiments.h"

#include "draw/paint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define E12_DRUM 0.125    // [m] radius of the inner drum
#define E12_DIAMETER 0.01 // [m] mean diameter of the grains
#define E12_START 0.5     // [s] when the drum starts to turn
#define E12_RATE 0.1      // turns/s
#define E12_TURN 2.5      // [s] of a quarter turn
#define E12_RINGS 20      // one diameter wide
#define E12_FULL 16       // rings that do not reach the membrane
#define E12_LAYER 0.1     // of the drum's speed: where the layer ends
#define E12_THIN 10.0     // [diameters] asked of the layer
#define E12_THIN_QUICK 4.0
#define E12_RIGID 0.02 // of the drum's speed: grains that do not follow it
#define E12_RIGID_QUICK 0.1
#define E12_OVERLAP 0.01 // of a diameter
#define E12_OVERLAP_QUICK 0.03
#define E12_ANGLES 2880 // of the raster that measures the share of area
#define E12_PER_RING 12 // radii of it in a ring
#define E12_RAYS 16     // of grains marked at the start
#define E12_PI 3.14159265358979323846

static const lab_method e12_methods[] = {{.label = "auto"}, {.label = NULL}};

static const heading e12_columns[] = {{"from the drum [d]", "distance"},
                                      {"grains", "grains"},
                                      {"speed / drum's", "speed"},
                                      {"area share at start", "area_start"},
                                      {"at end", "area_end"},
                                      {"change", "area_change"},
                                      {NULL, NULL}};

// The short version: a layer of six diameters and 1/25 of a turn.
static const cn_override e12_short[] = {
    {"generate.0.drum.outer", "0.185"},
    {"generate.0.drum.count", "370"},
    {"generate.1.membrane.radius", "0.185"},
    {"generate.1.membrane.segments", "50"},
    {"time.until", "0.9"},
};

// The grains at the two ends of the quarter turn.
typedef struct e12_state {
    int32_t count;
    double *radius;
    double *start, *end; // [m] x, y
} e12_state;

typedef struct e12_profile {
    double distance[E12_RINGS]; // [d] of the ring's middle
    double grains[E12_RINGS];
    double speed[E12_RINGS]; // over that of the drum's surface
    double area[2][E12_RINGS];
} e12_profile;

// ---- measuring ----

static bool e12_read(reproduction *lab, trial_result *result, double from, double to,
                     e12_state *state) {
    const cn_model *model = result->recorded.model;
    double *a = result_room(result), *b = result_room(result), *v = result_room(result);
    bool good = result_frame(lab, result, from, a, v) && result_frame(lab, result, to, b, v);
    int32_t bodies = cn_model_body_count(model);
    state->radius = ALLOCATE(double, bodies);
    state->start = ALLOCATE(double, 2 * (int64_t)bodies);
    state->end = ALLOCATE(double, 2 * (int64_t)bodies);
    for (cn_body_id id = 1; good && id <= bodies; id++) {
        cn_body_info body;
        cn_shape_info shape;
        cn_model_body(model, id, &body);
        cn_model_shape(model, id, 0, &shape);
        if (strcmp(body.kind, "rigid") == 0 && shape.kind == CN_SHAPE_DISK) {
            int32_t i = state->count++;
            state->radius[i] = shape.radius;
            memcpy(state->start + 2 * (int64_t)i, a + 3 * (int64_t)(id - 1), 2 * sizeof *a);
            memcpy(state->end + 2 * (int64_t)i, b + 3 * (int64_t)(id - 1), 2 * sizeof *b);
        }
    }
    free(a);
    free(b);
    free(v);
    return good;
}

static int32_t e12_ring(double distance) {
    return (int32_t)floor((distance - E12_DRUM) / E12_DIAMETER);
}

// drum: [rad] that the drum turned.
static void e12_measure_speed(const e12_state *state, double drum, e12_profile *profile) {
    for (int32_t i = 0; i < state->count; i++) {
        const double *a = state->start + 2 * (int64_t)i, *b = state->end + 2 * (int64_t)i;
        double distance = hypot(a[0], a[1]);
        int32_t ring = e12_ring(distance);
        if (ring >= 0 && ring < E12_RINGS) {
            double turned = atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]);
            profile->grains[ring] += 1.0;
            profile->speed[ring] += distance * turned / (E12_DRUM * drum);
        }
    }
    for (int32_t k = 0; k < E12_RINGS; k++) {
        profile->distance[k] = k + 0.5;
        profile->speed[k] =
            profile->grains[k] > 0.0 ? profile->speed[k] / profile->grains[k] : (double)NAN;
    }
}

// The share of each ring that grains cover, on a raster of radii and angles.
static void e12_measure_area(const e12_state *state, const double *place, double area[E12_RINGS]) {
    enum { ROWS = E12_RINGS * E12_PER_RING };
    bool *covered = ALLOCATE(bool, ROWS *(int64_t)E12_ANGLES);
    double pitch = E12_DIAMETER / E12_PER_RING, turn = 2.0 * E12_PI / E12_ANGLES;
    for (int32_t i = 0; i < state->count; i++) {
        const double *x = place + 2 * (int64_t)i;
        double r = state->radius[i], distance = hypot(x[0], x[1]), angle = atan2(x[1], x[0]);
        int32_t reach = (int32_t)ceil(r / (distance - r) / turn) + 1;
        for (int32_t row = 0; row < ROWS; row++) {
            double rho = E12_DRUM + (row + 0.5) * pitch;
            if (fabs(rho - distance) >= r) {
                continue;
            }
            int32_t middle = (int32_t)floor(angle / turn);
            for (int32_t k = middle - reach; k <= middle + reach; k++) {
                double theta = (k + 0.5) * turn;
                if (hypot(rho * cos(theta) - x[0], rho * sin(theta) - x[1]) < r) {
                    int32_t column = (k + 2 * E12_ANGLES) % E12_ANGLES;
                    covered[row * (int64_t)E12_ANGLES + column] = true;
                }
            }
        }
    }
    for (int32_t ring = 0; ring < E12_RINGS; ring++) {
        int64_t count = 0, cells = E12_PER_RING * (int64_t)E12_ANGLES;
        for (int64_t k = 0; k < cells; k++) {
            count += covered[ring * cells + k];
        }
        area[ring] = (double)count / (double)cells;
    }
    free(covered);
}

// Where the profile falls below the layer's share of the drum's speed, between two rings [d].
static double e12_layer(const e12_profile *profile) {
    for (int32_t k = 1; k < E12_RINGS; k++) {
        double a = profile->speed[k - 1], b = profile->speed[k];
        if (a >= E12_LAYER && b < E12_LAYER) {
            return profile->distance[k - 1] + (a - E12_LAYER) / (a - b);
        }
    }
    return (double)NAN;
}

// Steps that found pairs overlapping which had not been candidates; NaN: the file does not say.
static double e12_unseen(const trial_result *result) {
    cn_arena *memory = cn_arena_create(NULL);
    cn_run_event *event;
    int64_t count;
    double steps = (double)NAN;
    if (memory && cn_run_events(result->recorded.run, memory, &event, &count, NULL) == CN_OK) {
        steps = 0.0;
        for (int64_t i = 0; i < count; i++) {
            steps += strstr(event[i].text, "had not been candidates") != NULL;
        }
    }
    cn_arena_destroy(memory);
    return steps;
}

// Mean over rings from first to last.
static double e12_mean(const double *values, int32_t first, int32_t last) {
    double sum = 0.0;
    for (int32_t k = first; k <= last; k++) {
        sum += values[k];
    }
    return sum / (last - first + 1);
}

// ---- figures ----

static void e12_plot_profile(reproduction *lab, const e12_profile *profile) {
    const plot_curve speed = {.name = "grains",
                              .note = "mean of a ring",
                              .x = profile->distance,
                              .y = profile->speed,
                              .count = E12_RINGS};
    plot_spec plot = {.title = "E12: a shear layer of a few diameters at the drum",
                      .subtitle =
                          "mean speed around, over that of the drum's surface, in a quarter "
                          "of a turn",
                      .x_label = "distance from the drum [mean diameters]",
                      .y_label = "speed / drum's speed",
                      .x_scale = SCALE_LINEAR,
                      .y_scale = SCALE_LOG,
                      .y_target = E12_LAYER,
                      .target_label = "a tenth",
                      .curves = &speed,
                      .count = 1};
    lab_plot(lab, "profile", "velocity profile", &plot);
    const plot_curve area[] = {{.name = "before shearing",
                                .note = "after compaction",
                                .x = profile->distance,
                                .y = profile->area[0],
                                .count = E12_FULL},
                               {.name = "after it",
                                .note = "a quarter of a turn",
                                .x = profile->distance,
                                .y = profile->area[1],
                                .count = E12_FULL}};
    plot.title = "E12: the layer at the drum has dilated";
    plot.subtitle = "share of the area that grains cover";
    plot.y_label = "share of area";
    plot.y_scale = SCALE_LINEAR;
    plot.y_target = 0.0;
    plot.curves = area;
    plot.count = 2;
    lab_plot(lab, "area", "share of area before and after: dilation", &plot);
}

// Grains that lay on rays at the start, and where they went: the paper's figure 5.
static void e12_plot_rays(reproduction *lab, const e12_state *state) {
    point_series start = {.count = 0}, end = {.count = 0}, drum = {.count = 0};
    for (int32_t i = 0; i < state->count; i++) {
        const double *a = state->start + 2 * (int64_t)i, *b = state->end + 2 * (int64_t)i;
        double ray = atan2(a[1], a[0]) * E12_RAYS / (2.0 * E12_PI);
        double off = (ray - round(ray)) * 2.0 * E12_PI / E12_RAYS * hypot(a[0], a[1]);
        if (fabs(off) < 0.5 * E12_DIAMETER) {
            series_add(&start, a[0], a[1]);
            series_add(&end, b[0], b[1]);
        }
    }
    for (int32_t k = 0; k <= 180; k++) {
        double angle = k * E12_PI / 90.0;
        series_add(&drum, E12_DRUM * cos(angle), E12_DRUM * sin(angle));
    }
    const plot_curve curves[] = {{.name = "after a quarter turn",
                                  .note = "the same grains",
                                  .x = end.x,
                                  .y = end.y,
                                  .count = end.count,
                                  .dots = true},
                                 {.name = "at the start",
                                  .note = "on sixteen rays",
                                  .x = start.x,
                                  .y = start.y,
                                  .count = start.count,
                                  .dots = true},
                                 {.name = "the drum",
                                  .note = "turns counter-clockwise",
                                  .x = drum.x,
                                  .y = drum.y,
                                  .count = drum.count,
                                  .outline = true}};
    plot_spec plot = {.title = "E12: displacements of grains",
                      .subtitle = "those near the drum follow it, the others stay",
                      .x_label = "x [m]",
                      .y_label = "y [m]",
                      .x_scale = SCALE_LINEAR,
                      .y_scale = SCALE_LINEAR,
                      .equal = true,
                      .curves = curves,
                      .count = 3};
    lab_plot(lab, "displacements", "grains of sixteen rays, before and after (figure 5)", &plot);
    series_free(&start);
    series_free(&end);
    series_free(&drum);
}

// ---- the experiment ----

static void e12_table(reproduction *lab, const e12_profile *profile) {
    for (int32_t k = 0; k < E12_RINGS; k++) {
        data_table_real(&lab->table, 3, profile->distance[k]);
        data_table_real(&lab->table, 4, profile->grains[k]);
        data_table_real(&lab->table, 3, profile->speed[k]);
        data_table_real(&lab->table, 3, profile->area[0][k]);
        data_table_real(&lab->table, 3, profile->area[1][k]);
        data_table_real(&lab->table, 2, profile->area[1][k] - profile->area[0][k]);
    }
}

static void e12_conclude(reproduction *lab, trial_result *result, const e12_state *state,
                         double sheared) {
    e12_profile profile = {.grains = {0.0}};
    double end = result->summary.t_end, turns = E12_RATE * sheared;
    e12_measure_speed(state, 2.0 * E12_PI * turns, &profile);
    e12_measure_area(state, state->start, profile.area[0]);
    e12_measure_area(state, state->end, profile.area[1]);
    e12_table(lab, &profile);
    double layer = e12_layer(&profile);
    int32_t last = layer >= 1.0 ? (int32_t)layer - 1 : 0; // ring of the layer
    double before = e12_mean(profile.area[0], 0, last);
    double after = e12_mean(profile.area[1], 0, last);
    lab_above(lab, "turns of the drum", "0.25", turns, lab_limit(lab, 0.25 - 1e-9));
    lab_below(lab, "shear layer: a tenth of the drum's speed at [diameters]", "near the drum",
              layer, lab->quick ? E12_THIN_QUICK : E12_THIN);
    lab_below(lab,
              lab->quick ? "speed beyond four diameters / drum's"
                         : "speed beyond ten diameters / drum's",
              "quasi rigid", fabs(lab->quick ? profile.speed[4] : e12_mean(profile.speed, 10, 15)),
              lab->quick ? E12_RIGID_QUICK : E12_RIGID);
    lab_below(lab, "share of area in the layer, after / before", "dilatancy", after / before,
              lab_limit(lab, 1.0));
    lab_below(lab, "worst overlap / mean diameter", "",
              result->summary.penetration_max / E12_DIAMETER,
              lab->quick ? E12_OVERLAP_QUICK : E12_OVERLAP);
    lab_below(lab, "steps with pairs that came unseen", "", e12_unseen(result), 0.0);
    lab_below(lab, "worst residual", "0.15 %", result->summary.residual_worst, 1e-3);
    lab_check_shown(lab, "S_p", "", result_speed(result, end));
    lab_check_shown(lab, "CPU time [h]", "31 (IBM SP2)", result->summary.cpu_s / 3600.0);
    e12_plot_profile(lab, &profile);
    e12_plot_rays(lab, state);
    lab_picture(lab, "forces", "chains of forces at the end (figure 4)", result, &end, 1,
                (picture_spec){.title = "E12: chains of forces",
                               .subtitle = "2400 disks between a turning drum and a membrane",
                               .forces = true});
}

static void e12(reproduction *lab) {
    lab_trial trial = {.name = "couette",
                       .scene = "couette",
                       .method = &lab->experiment->methods[0],
                       .set = {{"time.frames_every", "0.05"}}};
    trial_result result;
    e12_state state = {.count = 0};
    if (lab->quick) {
        memcpy(&trial.set[1], e12_short, sizeof e12_short);
    }
    if (!lab_run_trial(lab, &trial, &result)) {
        return;
    }
    double end = result.summary.t_end, from = fmin(E12_START, end);
    if (e12_read(lab, &result, from, end, &state)) {
        e12_conclude(lab, &result, &state, end - from);
    }
    free(state.radius);
    free(state.start);
    free(state.end);
    result_free(&result);
}

const lab_experiment experiment_e12 = {
    .id = "E12",
    .title = "grains sheared between a drum and a membrane",
    .source = SOURCE_JEAN_1999 ", section 9.1, figures 4 and 5",
    .scenes = "couette",
    .methods = e12_methods,
    .columns = e12_columns,
    .differs =
        "sizes, densities, step and tolerance (a residual of 1e-3) are ours: the paper prints "
        "pressure, friction, the drum's rate and an accuracy of 0.15 %. The membrane is a ring of "
        "100 rigid segments that move along their radius only. The paper's CPU time, 10 h for "
        "compaction and 21 h for the "
        "quarter turn, is that of an IBM SP2.",
    .run = e12};
