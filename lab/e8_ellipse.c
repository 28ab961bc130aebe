// E8: an ellipse on a table, with and without the stabilisation of Hart and Anitescu.
//
// The infeasibility is the largest overlap at the start of a step, as the ledger has it. "At the
// end" is the mean over the last two seconds, since it swings with the ellipse's rocking.
#include "lab/experiments.h"

#include <math.h>
#include <stdlib.h>

#define E8_LAST 2.0    // [s] of a run, the end
#define E8_SETTLED 5.0 // [s] when the impacts are over
#define E8_RATIO 100.0 // by which stabilisation makes the end better
#define E8_GROWTH 1.5  // of the largest infeasibility from the first to the second half after that

static const lab_method e8_methods[] = {
    {.label = "stabilised", .set = {{"integrator.stabilise", "true"}}},
    {.label = "not stabilised", .set = {{"integrator.stabilise", "false"}}},
    {.label = NULL}};

static const heading e8_columns[] = {{"scheme", "scheme"},
                                     {"largest ever [m]", "largest"},
                                     {"5 to 12.5 s, largest [m]", "first_half"},
                                     {"12.5 to 20 s, largest [m]", "second_half"},
                                     {"last 2 s, mean [m]", "end"},
                                     {"problems per step", "problems"},
                                     {NULL, NULL}};

typedef struct e8_figures {
    double largest, first, second, end;
} e8_figures;

static e8_figures e8_measure(const trial_result *result, point_series *curve) {
    e8_figures f = {0.0, 0.0, 0.0, 0.0};
    double until = result->rows[result->count - 1].t, half = 0.5 * (E8_SETTLED + until);
    int64_t last = 0;
    for (int64_t i = 0; i < result->count; i++) {
        double t = result->rows[i].t, x = result->rows[i].penetration_max;
        series_add(curve, t, x);
        f.largest = fmax(f.largest, x);
        f.first = t >= E8_SETTLED && t < half ? fmax(f.first, x) : f.first;
        f.second = t >= half ? fmax(f.second, x) : f.second;
        if (t > until - E8_LAST) {
            f.end += x;
            last++;
        }
    }
    f.end /= (double)last;
    return f;
}

static bool e8_trial(reproduction *lab, int32_t k, point_series *curve, e8_figures *out) {
    static const char *const names[] = {"stabilised", "plain"};
    const double times[] = {0.0, 1.0, 2.0, 4.0};
    lab_trial trial = {
        .name = names[k], .scene = "ellipse-on-table", .method = &lab->experiment->methods[k]};
    trial_result result;
    if (!lab_run_trial(lab, &trial, &result)) {
        return false;
    }
    *out = e8_measure(&result, curve);
    data_table_text(&lab->table, lab->experiment->methods[k].label, INK_PLAIN);
    data_table_real(&lab->table, 3, out->largest);
    data_table_real(&lab->table, 3, out->first);
    data_table_real(&lab->table, 3, out->second);
    data_table_real(&lab->table, 3, out->end);
    data_table_int(&lab->table, 1);
    if (k == 0) {
        lab_picture(lab, "ellipse", "four moments (the paper's figure 1)", &result, times, 4,
                    (picture_spec){.title = "E8: an ellipse on a table",
                                   .subtitle = "stabilised, steps of 0.05 s"});
    }
    result_free(&result);
    return true;
}

static void e8(reproduction *lab) {
    point_series curve[2] = {{0}, {0}};
    e8_figures f[2];
    if (e8_trial(lab, 0, &curve[0], &f[0]) && e8_trial(lab, 1, &curve[1], &f[1])) {
        lab_above(lab, "infeasibility at the end, not stabilised over stabilised", "more than 100",
                  f[1].end / f[0].end, E8_RATIO);
        lab_below(lab, "stabilised, largest of the second half over that of the first",
                  "no substantial increase", f[0].second / f[0].first, E8_GROWTH);
        lab_above(lab, "not stabilised, the same", "drift", f[1].second / f[1].first, 1.0);
        lab_plot_infeasibility(lab, "E8: infeasibility of an ellipse on a table",
                               "overlap over time (the paper's figure 2)", curve);
    }
    series_free(&curve[0]);
    series_free(&curve[1]);
}

const lab_experiment experiment_e8 = {
    .id = "E8",
    .title = "an ellipse on a table, with and without stabilisation",
    .source = SOURCE_HART_2003 ", figures 1 and 2",
    .scenes = "ellipse-on-table",
    .methods = e8_methods,
    .columns = e8_columns,
    .differs =
        "in the plane the exact cone is the paper's polygonal one, and the problem of a step "
        "is solved by a Newton method instead of PATH. Both runs have the same active set, "
        "gaps of at most 0.3.",
    .run = e8};
