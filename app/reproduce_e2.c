// app/reproduce_e2.c
// E2: a ball pushed in three directions slides round an equilateral triangle when the friction cone
// is exact.
//
// Pushed with 2 mu m g for 1 s it accelerates at mu g, and then stops within 1 s: edges of mu g
// [m]. The force that the paper prints, mu m g, balances friction: a ball at rest stays at rest,
// and one that slides keeps |v| + v.d while it turns to the direction d, so that each corner leaves
// a quarter of its speed.
#include "reproduce_rows.h"

#include <math.h>
#include <stdlib.h>

#define CN_E2_FRICTION 0.3  // of the scene
#define CN_E2_GRAVITY 9.81  // [m/s2]
#define CN_E2_EDGE_TIME 2.0 // [s]
#define CN_E2_PHASE 5.0     // [s] of the printed force
#define CN_E2_METHODS 6

static const cn_method cn_e2_methods[] = {
    {.label = "nsgs", .set = {{"solver.name", "nsgs"}, {"solver.tolerance", "1e-10"}}},
    {.label = "prox-newton",
     .set = {{"solver.name", "prox-newton"}, {"solver.tolerance", "1e-10"}}},
    {.label = "cpg", .set = {{"solver.name", "cpg"}, {"solver.tolerance", "1e-10"}}},
    {.label = NULL}};

static const cn_heading cn_e2_columns[] = {{"solver", "solver"},
                                           {"edge 1 [m]", "edge_1"},
                                           {"edge 2 [m]", "edge_2"},
                                           {"edge 3 [m]", "edge_3"},
                                           {"direction [rad]", "direction"},
                                           {"bend [rad]", "bend"},
                                           {"closure / edge", "closure"},
                                           {"worst residual", "residual_worst"},
                                           {NULL, NULL}};

// The directions of the pushes: 60, 180 and 300 degrees.
static const double cn_e2_push[3][2] = {
    {0.5, 0.86602540378443865}, {-1.0, 0.0}, {0.5, -0.86602540378443865}};

typedef struct cn_e2_path {
    cn_series place[3]; // over time
    double edge[3];
    double direction; // worst angle of an edge to its push
    double bend;      // worst distance of the path from its edge, over the edge's length
    double closure;
} cn_e2_path;

static bool cn_e2_track(cn_lab *lab, cn_result *result, cn_e2_path *path) {
    cn_body_id ball = cn_model_find_body(result->recorded.model, "ball");
    return cn_result_track(lab, result, ball, path->place);
}

// The first point at or after a time.
static int32_t cn_e2_index(const cn_e2_path *path, double t) {
    int32_t i = 0;
    while (i < path->place[0].count - 1 && path->place[0].x[i] < t - 1e-9) {
        i++;
    }
    return i;
}

static void cn_e2_measure_edge(cn_e2_path *path, int32_t k) {
    int32_t first = cn_e2_index(path, k * CN_E2_EDGE_TIME);
    int32_t last = cn_e2_index(path, (k + 1) * CN_E2_EDGE_TIME);
    const double *x = path->place[0].y, *y = path->place[1].y;
    double along[2] = {x[last] - x[first], y[last] - y[first]};
    double length = hypot(along[0], along[1]);
    double cross = cn_e2_push[k][0] * along[1] - cn_e2_push[k][1] * along[0];
    path->edge[k] = length;
    path->direction = fmax(path->direction, fabs(cross) / length);
    for (int32_t i = first; i <= last; i++) {
        double off = (along[0] * (y[i] - y[first]) - along[1] * (x[i] - x[first])) / length;
        path->bend = fmax(path->bend, fabs(off) / length);
    }
}

static bool cn_e2_run(cn_lab *lab, const cn_method *method, cn_e2_path *path) {
    char *name = cn_text("triangle-%s", method->set[0].value);
    cn_trial trial = {.name = name,
                      .scene = "friction-triangle",
                      .method = method,
                      .set = {{"time.frames_every", "0.01"}}};
    cn_result result;
    bool good = cn_lab_run(lab, &trial, &result);
    free(name);
    if (!good) {
        return false;
    }
    good = cn_e2_track(lab, &result, path);
    if (good) {
        for (int32_t k = 0; k < 3; k++) {
            cn_e2_measure_edge(path, k);
        }
        int32_t end = path->place[0].count - 1;
        path->closure = hypot(path->place[0].y[end] - path->place[0].y[0],
                              path->place[1].y[end] - path->place[1].y[0]) /
                        path->edge[0];
        cn_sheet *table = &lab->table;
        cn_sheet_text(table, method->label, CN_INK_PLAIN);
        for (int32_t k = 0; k < 3; k++) {
            cn_sheet_real(table, 10, path->edge[k]);
        }
        cn_sheet_real(table, 3, path->direction);
        cn_sheet_real(table, 3, path->bend);
        cn_sheet_real(table, 3, path->closure);
        cn_sheet_real(table, 3, result.tally.residual_worst);
    }
    cn_result_free(&result);
    return good;
}

// ---- the printed force ----

static bool cn_e2_run_printed(cn_lab *lab, cn_e2_path *path, double speeds[3]) {
    static const char force[] = "[\"2.943*(0.5*(t<5) - (t>=5)*(t<10) + 0.5*(t>=10))\", "
                                "\"2.943*sqrt(0.75)*((t<5) - (t>=10))\", 0]";
    cn_trial trial = {.name = "printed-force",
                      .scene = "friction-triangle",
                      .method = &lab->experiment->methods[0],
                      .set = {{"forces.0.force", force},
                              {"bodies.1.velocity", "[0.5, 0.8660254037844386, 0]"},
                              {"time.until", "15"},
                              {"time.frames_every", "0.01"}}};
    cn_result result;
    if (!cn_lab_run(lab, &trial, &result)) {
        return false;
    }
    double *q = cn_result_room(&result), *v = cn_result_room(&result);
    cn_body_id ball = cn_model_find_body(result.recorded.model, "ball");
    bool good = cn_e2_track(lab, &result, path);
    for (int32_t k = 0; good && k < 3; k++) {
        good = cn_result_frame(lab, &result, (k + 1) * CN_E2_PHASE, q, v);
        const double *at = v + 6 * (int64_t)(ball - 1);
        speeds[k] = hypot(at[0], at[1]);
    }
    free(q);
    free(v);
    cn_result_free(&result);
    return good;
}

// ---- figures ----

static void cn_e2_plot(cn_lab *lab, const cn_e2_path *paths, int32_t count,
                       const cn_e2_path *printed) {
    cn_curve curves[CN_E2_METHODS];
    for (int32_t i = 0; i < count; i++) {
        curves[i] = (cn_curve){.name = cn_e2_methods[i].label,
                               .note = "exact cone",
                               .x = paths[i].place[0].y,
                               .y = paths[i].place[1].y,
                               .count = paths[i].place[0].count};
    }
    cn_plot plot = {.title = "E2: path of a ball pushed in three directions",
                    .subtitle = "pushed with 2 mu m g for 1 s, then let go for 1 s, three times",
                    .x_label = "x [m]",
                    .y_label = "y [m]",
                    .x_scale = CN_SCALE_LINEAR,
                    .y_scale = CN_SCALE_LINEAR,
                    .equal = true,
                    .overlaid = true,
                    .curves = curves,
                    .count = count};
    cn_lab_plot(lab, "triangle", "the path of the ball (the paper's figure 4)", &plot);
    cn_curve curve = {.name = "mu m g, as printed",
                      .note = "starts at 1 m/s",
                      .x = printed->place[0].y,
                      .y = printed->place[1].y,
                      .count = printed->place[0].count};
    plot.title = "E2: the same with the force as it is printed";
    plot.subtitle = "mu m g balances friction: each corner leaves a quarter of the speed";
    plot.curves = &curve;
    plot.count = 1;
    cn_lab_plot(lab, "printed-force", "the path with the force as printed", &plot);
}

static void cn_e2_conclude(cn_lab *lab, const cn_e2_path *paths, int32_t count,
                           const double speeds[3]) {
    static const char *const theory[] = {"1", "1/4", "1/16"};
    double edge = CN_E2_FRICTION * CN_E2_GRAVITY;
    for (int32_t i = 0; i < count; i++) {
        const char *label = cn_e2_methods[i].label;
        char *what[4] = {cn_text("%s: direction of the edges [rad]", label),
                         cn_text("%s: bend of the edges [rad]", label),
                         cn_text("%s: closure / edge", label),
                         cn_text("%s: edge, off mu g by", label)};
        cn_lab_below(lab, what[0], "exact", paths[i].direction, 1e-6);
        cn_lab_below(lab, what[1], "exact", paths[i].bend, 1e-6);
        cn_lab_below(lab, what[2], "exact", paths[i].closure, 1e-9);
        cn_lab_show(lab, what[3], "", fabs(paths[i].edge[0] - edge) / edge);
        for (int32_t k = 0; k < 4; k++) {
            free(what[k]);
        }
    }
    for (int32_t k = 1; k < 3; k++) {
        char *what = cn_text("printed force: speed after corner %d (theory %s)", (int)k, theory[k]);
        cn_lab_show(lab, what, "", speeds[k]);
        free(what);
    }
}

static void cn_e2(cn_lab *lab) {
    cn_e2_path paths[CN_E2_METHODS + 1] = {{.bend = 0.0}};
    double speeds[3] = {0.0, 0.0, 0.0};
    const cn_method *methods = lab->experiment->methods;
    int32_t count = 0;
    bool good = true;
    for (; good && methods[count].label && count < CN_E2_METHODS; count++) {
        good = cn_e2_run(lab, &methods[count], &paths[count]);
    }
    if (good && cn_e2_run_printed(lab, &paths[count], speeds)) {
        cn_e2_conclude(lab, paths, count, speeds);
        cn_e2_plot(lab, paths, count, &paths[count]);
    }
    for (int32_t i = 0; i <= count; i++) {
        for (int32_t axis = 0; axis < 3; axis++) {
            cn_series_free(&paths[i].place[axis]);
        }
    }
}

const cn_experiment cn_experiment_e2 = {
    .id = "E2",
    .title = "a ball slides round a triangle",
    .source = CN_SOURCE_RENOUF_2005 ", section 8.2, figure 4",
    .scenes = "friction-triangle",
    .methods = cn_e2_methods,
    .columns = cn_e2_columns,
    .differs =
        "the force that the paper prints has the size mu m g, the threshold itself, with which a "
        "ball at rest stays there; ours is twice that for 1 s and then nothing for 1 s, in each "
        "direction, which makes edges of mu g (less the steps in which a force begins or ends). "
        "The printed force is simulated too, from an "
        "initial speed: its path has no edges but the first. Friction 0.3, mass 1 kg, held "
        "rotation and steps of 1 ms are ours. The paper's facetted cones are not here: all our "
        "solvers of friction have the exact cone.",
    .run = cn_e2};
