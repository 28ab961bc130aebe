// E9: twenty-one disks fall apart on a table, with and without the stabilisation of Hart and
// Anitescu.
#include "lab/experiments.h"

#include <math.h>
#include <stdlib.h>

#define E9_RADIUS 3.0 // of the disks [m]
#define E9_DISKS 21
#define E9_FIRST 4       // body of the first disk
#define E9_ON_TABLE 1e-2 // [m] a centre higher than the radius by less: it lies on the table
#define E9_LAST 5.0      // [s] of a run, in which the infeasibility is compared

static const lab_method e9_methods[] = {
    {.label = "stabilised", .set = {{"integrator.stabilise", "true"}}},
    {.label = "not stabilised", .set = {{"integrator.stabilise", "false"}}},
    {.label = NULL}};

static const heading e9_columns[] = {{"scheme", "scheme"},
                                     {"largest infeasibility [m]", "largest"},
                                     {"last 5 s, largest [m]", "end"},
                                     {"disks on the table at the end", "on_table"},
                                     {"highest centre at the end [m]", "highest"},
                                     {NULL, NULL}};

typedef struct e9_figures {
    double largest, end, highest;
    int32_t on_table;
} e9_figures;

static bool e9_measure(reproduction *lab, trial_result *result, point_series *curve,
                       e9_figures *f) {
    double *q = result_room(result), *v = result_room(result);
    double until = result->rows[result->count - 1].t;
    *f = (e9_figures){0};
    for (int64_t i = 0; i < result->count; i++) {
        double t = result->rows[i].t, x = result->rows[i].penetration_max;
        series_add(curve, t, x);
        f->largest = fmax(f->largest, x);
        f->end = t > until - E9_LAST ? fmax(f->end, x) : f->end;
    }
    bool found = result_frame(lab, result, until, q, v);
    for (int32_t i = 0; found && i < E9_DISKS; i++) {
        double height = q[3 * (E9_FIRST - 1 + i) + 1];
        f->highest = fmax(f->highest, height);
        f->on_table += height < E9_RADIUS + E9_ON_TABLE;
    }
    free(q);
    free(v);
    return found;
}

static bool e9_trial(reproduction *lab, int32_t k, point_series *curve, e9_figures *out) {
    static const char *const names[] = {"stabilised", "plain"};
    lab_trial trial = {
        .name = names[k], .scene = "disks-cannonball", .method = &lab->experiment->methods[k]};
    trial_result result;
    if (!lab_run_trial(lab, &trial, &result)) {
        return false;
    }
    bool measured = e9_measure(lab, &result, curve, out);
    if (measured) {
        double end = result.summary.t_end;
        const double times[] = {0.0, 0.15 * end, 0.4 * end, end};
        data_table_text(&lab->table, lab->experiment->methods[k].label, INK_PLAIN);
        data_table_real(&lab->table, 3, out->largest);
        data_table_real(&lab->table, 3, out->end);
        data_table_int(&lab->table, out->on_table);
        data_table_real(&lab->table, 5, out->highest);
        if (k == 0) {
            lab_picture(lab, "disks", "four moments (the paper's figures 3 to 6)", &result, times,
                        4,
                        (picture_spec){.title = "E9: twenty-one disks",
                                       .subtitle = "stabilised, steps of 0.05 s"});
        }
    }
    result_free(&result);
    return measured;
}

static void e9(reproduction *lab) {
    point_series curve[2] = {{0}, {0}};
    e9_figures f[2];
    if (e9_trial(lab, 0, &curve[0], &f[0]) && e9_trial(lab, 1, &curve[1], &f[1])) {
        lab_above(lab, "disks on the table at the end, of 21", "all", f[0].on_table, E9_DISKS);
        lab_below(lab, "largest infeasibility, stabilised over not", "smaller",
                  f[0].largest / f[1].largest, 1.0);
        lab_below(lab, "stabilised, largest in the last 5 s [m]", "essentially zero", f[0].end,
                  1e-6);
        lab_plot_infeasibility(lab, "E9: infeasibility of the disks",
                               "overlap over time (the paper's figure 8)", curve);
    }
    series_free(&curve[0]);
    series_free(&curve[1]);
}

const lab_experiment experiment_e9 = {
    .id = "E9",
    .title = "twenty-one disks fall apart on a table",
    .source = SOURCE_HART_2003 ", figures 3 to 6 and 8",
    .scenes = "disks-cannonball",
    .methods = e9_methods,
    .columns = e9_columns,
    .differs =
        "the paper does not print where the walls stand nor how the pile's symmetry was "
        "broken; ours are in the scene. Without stabilisation a contact is closed as soon as "
        "its gap is below 0.3 m, so that disks also stop above the table.",
    .run = e9};
