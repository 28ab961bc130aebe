// lab/e3_settling.c
// E3: spheres fall into a box and come to rest. Table 1 of the paper (S_p and the largest
// interpenetration for three sizes and two steps) and both halves of its figure 6.
//
// Trajectories are chaotic, and so is the cost of one: each case is simulated from several starts
// and the median is shown.
#include "lab/e3_curves.h"
#include "lab/experiments.h"

#include <math.h>
#include <stdlib.h>

#define E3_RADIUS 1.0         // [m] of the scene
#define E3_WEIGHT_RADIUS 9.81 // [J] m g r of a sphere of 1 kg
#define E3_STARTS 5           // seeds of the packing
#define E3_SETTLED 10.0       // [s] overlaps may not grow from here on
#define E3_KINETIC_LIMIT 1e-6 // of m g r: the pile rests
#define E3_KINETIC_QUICK 1e-3 // at 10 s in the short version
#define E3_DRAWN 4            // the case that figures are made of
#define E3_CASES 6

static const lab_method e3_methods[] = {{.label = "auto"}, {.label = NULL}};

// A row of the paper's table 1, and what is asked of ours.
typedef struct e3_case {
    const char *spheres, *h;
    double contacts, sp, penetration; // the paper's; penetration [%]
    double settled;                   // [%] asked of the overlaps at rest
    double speed;                     // asked of S_p over 10 s; NaN: nothing
} e3_case;

static const e3_case e3_cases[E3_CASES] = {
    {"80", "0.02", 271, 1.24, 0.3, 0.1, 30},  {"80", "0.04", 267, 2.28, 1.2, 0.3, (double)NAN},
    {"160", "0.02", 587, 0.95, 0.5, 0.1, 8},  {"160", "0.04", 584, 1.50, 1.8, 0.3, (double)NAN},
    {"320", "0.02", 1218, 0.50, 0.6, 0.1, 2}, {"320", "0.04", 1275, 0.75, 2.2, 0.3, (double)NAN},
};

static const heading e3_columns[] = {{"spheres", "spheres"},
                                     {"h [s]", "h"},
                                     {"n_c paper", "contacts_paper"},
                                     {"ours", "contacts"},
                                     {"S_p paper", "sp_paper"},
                                     {"at 5 s", "sp_5"},
                                     {"10 s", "sp_10"},
                                     {"35 s", "sp_35"},
                                     {"g_max % paper", "penetration_paper"},
                                     {"worst", "penetration_worst"},
                                     {"at 10 s", "penetration_10"},
                                     {"35 s", "penetration_35"},
                                     {"E_kin/mgr", "kinetic"},
                                     {"not solved", "unsolved"},
                                     {NULL, NULL}};

// What one start of a case gave; the median of the starts has the same fields.
enum {
    E3_CONTACTS,
    E3_SP5,
    E3_SP10,
    E3_SP35,
    E3_WORST,
    E3_PENETRATION10,
    E3_PENETRATION35,
    E3_KINETIC,
    E3_UNSOLVED,
    E3_FIELDS
};

// ---- measuring ----

// The ledger's row at a time.
static const cn_step_report *e3_row_at(const trial_result *result, double t) {
    const cn_step_report *row = &result->rows[0];
    for (int64_t i = 0; i < result->count && result->rows[i].t <= t * (1.0 + 1e-9); i++) {
        row = &result->rows[i];
    }
    return row;
}

// Translational kinetic energy per sphere at the end, over m g r.
static bool e3_kinetic(reproduction *lab, trial_result *result, double *kinetic) {
    double *q = result_room(result), *v = result_room(result);
    bool good = result_frame(lab, result, result->summary.t_end, q, v);
    int32_t bodies = cn_model_body_count(result->recorded.model);
    double sum = 0.0;
    for (cn_body_id id = 2; id <= bodies; id++) {
        const double *u = v + 6 * (int64_t)(id - 1);
        sum += 0.5 * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    }
    *kinetic = sum / (bodies - 1) / E3_WEIGHT_RADIUS;
    free(q);
    free(v);
    return good;
}

static bool e3_measure(reproduction *lab, trial_result *result, double field[E3_FIELDS]) {
    const double percent = 100.0 / E3_RADIUS;
    // The paper's contacts are those that press; candidates that stay open are ours alone.
    const cn_step_report *last = &result->rows[result->count - 1];
    field[E3_CONTACTS] = last->sticking + last->sliding;
    field[E3_SP5] = result_speed(result, 5.0);
    field[E3_SP10] = result_speed(result, 10.0);
    field[E3_SP35] = result_speed(result, 35.0);
    field[E3_WORST] = percent * result->summary.penetration_max;
    field[E3_PENETRATION10] = percent * e3_row_at(result, E3_SETTLED)->penetration_max;
    field[E3_PENETRATION35] = percent * last->penetration_max;
    field[E3_UNSOLVED] = (double)run_summary_unsolved(&result->summary);
    return e3_kinetic(lab, result, &field[E3_KINETIC]);
}

static double e3_median(double *values, int32_t count) {
    qsort(values, (size_t)count, sizeof *values, compare_reals);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

// ---- figures ----

// Iterations and contacts over the run: figure 6b.
static void e3_plot_run(reproduction *lab, const trial_result *result) {
    point_series iterations = {.count = 0}, contacts = {.count = 0};
    for (int64_t i = 0; i < result->count; i++) {
        const cn_step_report *row = &result->rows[i];
        series_add(&iterations, row->t, row->iterations);
        series_add(&contacts, row->t, row->sticking + row->sliding);
    }
    const plot_curve curves[] = {{.name = "iterations",
                                  .note = "of the step's solve",
                                  .x = iterations.x,
                                  .y = iterations.y,
                                  .count = iterations.count},
                                 {.name = "contacts",
                                  .note = "that press",
                                  .x = contacts.x,
                                  .y = contacts.y,
                                  .count = contacts.count}};
    plot_spec plot = {.title = "E3: iterations and contacts while 320 spheres settle",
                      .subtitle = "steps of 0.02 s, residual 1e-3; each step starts from the last "
                                  "one's answer",
                      .x_label = "t [s]",
                      .y_label = "number in a step",
                      .x_scale = SCALE_LINEAR,
                      .y_scale = SCALE_LOG,
                      .curves = curves,
                      .count = 2};
    lab_plot(lab, "iterations", "iterations and contacts over time (the paper's figure 6b)", &plot);
    series_free(&iterations);
    series_free(&contacts);
}

// ---- the cases ----

static void e3_row(reproduction *lab, const e3_case *c, const double field[E3_FIELDS]) {
    data_table *table = &lab->table;
    data_table_real(table, 3, strtod(c->spheres, NULL));
    data_table_real(table, 3, strtod(c->h, NULL));
    data_table_real(table, 4, c->contacts);
    data_table_real(table, 4, field[E3_CONTACTS]);
    data_table_real(table, 3, c->sp);
    for (int32_t i = E3_SP5; i <= E3_SP35; i++) {
        data_table_real(table, 3, field[i]);
    }
    data_table_real(table, 3, c->penetration);
    for (int32_t i = E3_WORST; i <= E3_UNSOLVED; i++) {
        data_table_real(table, 2, field[i]);
    }
}

static void e3_check(reproduction *lab, const e3_case *c, const double field[E3_FIELDS]) {
    char *name = format_text("%s spheres, h %s", c->spheres, c->h);
    char *paper[2] = {format_text("%g %%", c->penetration), format_text("%g", c->sp)};
    char *what[4] = {format_text("%s: overlap at the end [%% of r]", name),
                     format_text("%s: its growth since 10 s [%% of r]", name),
                     format_text("%s: S_p over 10 s", name),
                     format_text("%s: E_kin per sphere / mgr", name)};
    lab_below(lab, what[0], paper[0], field[E3_PENETRATION35], c->settled);
    lab_below(lab, what[1], "", field[E3_PENETRATION35] - field[E3_PENETRATION10],
              lab_limit(lab, 0.0));
    lab_above(lab, what[2], paper[1], field[E3_SP10], lab_limit(lab, c->speed));
    lab_below(lab, what[3], "", field[E3_KINETIC],
              lab->quick ? E3_KINETIC_QUICK : E3_KINETIC_LIMIT);
    for (int32_t i = 0; i < 4; i++) {
        free(what[i]);
    }
    free(paper[0]);
    free(paper[1]);
    free(name);
}

// One start of a case; the first one of the largest case is drawn.
static bool e3_start(reproduction *lab, const e3_case *c, int32_t start, bool drawn,
                     double field[E3_FIELDS]) {
    char *seed = format_text("%d", (int)start + 1);
    char *name = format_text("%s-%s-%s", c->spheres, c->h, seed);
    lab_trial trial = {.name = name,
                       .scene = "sphere-settling",
                       .method = &lab->experiment->methods[0],
                       .set = {{"generate.packing.count", c->spheres},
                               {"time.step", c->h},
                               {"generate.packing.seed", seed},
                               {"time.frames_every", "5"},
                               {"time.until", lab->quick ? "10" : "35"}}};
    trial_result result;
    bool good = lab_run_trial(lab, &trial, &result);
    if (good) {
        good = e3_measure(lab, &result, field);
        if (good && drawn) {
            const double times[] = {0.0, result.summary.t_end};
            e3_plot_run(lab, &result);
            lab_picture(lab, "settled", "start and end (the paper's figure 5a)", &result, times, 2,
                        (picture_spec){.title = "E3: spheres settle in a box",
                                       .subtitle = "friction 0.3, no restitution"});
        }
        result_free(&result);
    }
    free(name);
    free(seed);
    return good;
}

static void e3(reproduction *lab) {
    int32_t cases = lab->quick ? 2 : E3_CASES, starts = lab->quick ? 1 : E3_STARTS;
    int32_t drawn = lab->quick ? 0 : E3_DRAWN;
    for (int32_t i = 0; i < cases; i++) {
        double fields[E3_STARTS][E3_FIELDS], median[E3_FIELDS], values[E3_STARTS];
        for (int32_t k = 0; k < starts; k++) {
            if (!e3_start(lab, &e3_cases[i], k, i == drawn && k == 0, fields[k])) {
                return;
            }
        }
        for (int32_t f = 0; f < E3_FIELDS; f++) {
            for (int32_t k = 0; k < starts; k++) {
                values[k] = fields[k][f];
            }
            median[f] = e3_median(values, starts);
        }
        e3_row(lab, &e3_cases[i], median);
        e3_check(lab, &e3_cases[i], median);
    }
    lab_below(lab, "steps that missed the residual 1e-3", "", (double)lab->unsolved, 0.0);
    e3_curves(lab);
}

const lab_experiment experiment_e3 = {
    .id = "E3",
    .title = "spheres settle in a box",
    .source = SOURCE_RENOUF_2005 ", section 8.3, table 1, figures 5a and 6",
    .scenes = "sphere-settling",
    .methods = e3_methods,
    .columns = e3_columns,
    .differs =
        "the paper prints neither radius, friction, box, tolerance nor duration of the table's "
        "runs; ours are 1 m, 0.3, 12 m x 12 m, residual 1e-3 at every step, and S_p over the first "
        "5, 10 and 35 s, because compaction costs most and rest little. Medians of five starts "
        "with different seeds. n_c counts the contacts that press at the end. g_max is taken as a "
        "share of the radius. The paper's S_p was "
        "measured on the machines of its time.",
    .run = e3};
