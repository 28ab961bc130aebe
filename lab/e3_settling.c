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

#define CN_E3_RADIUS 1.0         // [m] of the scene
#define CN_E3_WEIGHT_RADIUS 9.81 // [J] m g r of a sphere of 1 kg
#define CN_E3_STARTS 5           // seeds of the packing
#define CN_E3_SETTLED 10.0       // [s] overlaps may not grow from here on
#define CN_E3_KINETIC_LIMIT 1e-6 // of m g r: the pile rests
#define CN_E3_KINETIC_QUICK 1e-3 // at 10 s in the short version
#define CN_E3_DRAWN 4            // the case that figures are made of
#define CN_E3_CASES 6

static const cn_method cn_e3_methods[] = {{.label = "auto"}, {.label = NULL}};

// A row of the paper's table 1, and what is asked of ours.
typedef struct cn_e3_case {
    const char *spheres, *h;
    double contacts, sp, penetration; // the paper's; penetration [%]
    double settled;                   // [%] asked of the overlaps at rest
    double speed;                     // asked of S_p over 10 s; NaN: nothing
} cn_e3_case;

static const cn_e3_case cn_e3_cases[CN_E3_CASES] = {
    {"80", "0.02", 271, 1.24, 0.3, 0.1, 30},  {"80", "0.04", 267, 2.28, 1.2, 0.3, (double)NAN},
    {"160", "0.02", 587, 0.95, 0.5, 0.1, 8},  {"160", "0.04", 584, 1.50, 1.8, 0.3, (double)NAN},
    {"320", "0.02", 1218, 0.50, 0.6, 0.1, 2}, {"320", "0.04", 1275, 0.75, 2.2, 0.3, (double)NAN},
};

static const cn_heading cn_e3_columns[] = {{"spheres", "spheres"},
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
    CN_E3_CONTACTS,
    CN_E3_SP5,
    CN_E3_SP10,
    CN_E3_SP35,
    CN_E3_WORST,
    CN_E3_PENETRATION10,
    CN_E3_PENETRATION35,
    CN_E3_KINETIC,
    CN_E3_UNSOLVED,
    CN_E3_FIELDS
};

// ---- measuring ----

// The ledger's row at a time.
static const cn_step_report *cn_e3_row_at(const cn_result *result, double t) {
    const cn_step_report *row = &result->rows[0];
    for (int64_t i = 0; i < result->count && result->rows[i].t <= t * (1.0 + 1e-9); i++) {
        row = &result->rows[i];
    }
    return row;
}

// Translational kinetic energy per sphere at the end, over m g r.
static bool cn_e3_kinetic(cn_lab *lab, cn_result *result, double *kinetic) {
    double *q = cn_result_room(result), *v = cn_result_room(result);
    bool good = cn_result_frame(lab, result, result->tally.t_end, q, v);
    int32_t bodies = cn_model_body_count(result->recorded.model);
    double sum = 0.0;
    for (cn_body_id id = 2; id <= bodies; id++) {
        const double *u = v + 6 * (int64_t)(id - 1);
        sum += 0.5 * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    }
    *kinetic = sum / (bodies - 1) / CN_E3_WEIGHT_RADIUS;
    free(q);
    free(v);
    return good;
}

static bool cn_e3_measure(cn_lab *lab, cn_result *result, double field[CN_E3_FIELDS]) {
    const double percent = 100.0 / CN_E3_RADIUS;
    // The paper's contacts are those that press; candidates that stay open are ours alone.
    const cn_step_report *last = &result->rows[result->count - 1];
    field[CN_E3_CONTACTS] = last->sticking + last->sliding;
    field[CN_E3_SP5] = cn_result_speed(result, 5.0);
    field[CN_E3_SP10] = cn_result_speed(result, 10.0);
    field[CN_E3_SP35] = cn_result_speed(result, 35.0);
    field[CN_E3_WORST] = percent * result->tally.penetration_max;
    field[CN_E3_PENETRATION10] = percent * cn_e3_row_at(result, CN_E3_SETTLED)->penetration_max;
    field[CN_E3_PENETRATION35] = percent * last->penetration_max;
    field[CN_E3_UNSOLVED] = (double)cn_tally_unsolved(&result->tally);
    return cn_e3_kinetic(lab, result, &field[CN_E3_KINETIC]);
}

static int cn_e3_compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double cn_e3_median(double *values, int32_t count) {
    qsort(values, (size_t)count, sizeof *values, cn_e3_compare);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

// ---- figures ----

// Iterations and contacts over the run: figure 6b.
static void cn_e3_plot_run(cn_lab *lab, const cn_result *result) {
    cn_series iterations = {.count = 0}, contacts = {.count = 0};
    for (int64_t i = 0; i < result->count; i++) {
        const cn_step_report *row = &result->rows[i];
        cn_series_add(&iterations, row->t, row->iterations);
        cn_series_add(&contacts, row->t, row->sticking + row->sliding);
    }
    const cn_curve curves[] = {{.name = "iterations",
                                .note = "of the step's solve",
                                .x = iterations.x,
                                .y = iterations.y,
                                .count = iterations.count},
                               {.name = "contacts",
                                .note = "that press",
                                .x = contacts.x,
                                .y = contacts.y,
                                .count = contacts.count}};
    cn_plot plot = {.title = "E3: iterations and contacts while 320 spheres settle",
                    .subtitle = "steps of 0.02 s, residual 1e-3; each step starts from the last "
                                "one's answer",
                    .x_label = "t [s]",
                    .y_label = "number in a step",
                    .x_scale = CN_SCALE_LINEAR,
                    .y_scale = CN_SCALE_LOG,
                    .curves = curves,
                    .count = 2};
    cn_lab_plot(lab, "iterations", "iterations and contacts over time (the paper's figure 6b)",
                &plot);
    cn_series_free(&iterations);
    cn_series_free(&contacts);
}

// ---- the cases ----

static void cn_e3_row(cn_lab *lab, const cn_e3_case *c, const double field[CN_E3_FIELDS]) {
    cn_sheet *table = &lab->table;
    cn_sheet_real(table, 3, strtod(c->spheres, NULL));
    cn_sheet_real(table, 3, strtod(c->h, NULL));
    cn_sheet_real(table, 4, c->contacts);
    cn_sheet_real(table, 4, field[CN_E3_CONTACTS]);
    cn_sheet_real(table, 3, c->sp);
    for (int32_t i = CN_E3_SP5; i <= CN_E3_SP35; i++) {
        cn_sheet_real(table, 3, field[i]);
    }
    cn_sheet_real(table, 3, c->penetration);
    for (int32_t i = CN_E3_WORST; i <= CN_E3_UNSOLVED; i++) {
        cn_sheet_real(table, 2, field[i]);
    }
}

static void cn_e3_check(cn_lab *lab, const cn_e3_case *c, const double field[CN_E3_FIELDS]) {
    char *name = cn_text("%s spheres, h %s", c->spheres, c->h);
    char *paper[2] = {cn_text("%g %%", c->penetration), cn_text("%g", c->sp)};
    char *what[4] = {cn_text("%s: overlap at the end [%% of r]", name),
                     cn_text("%s: its growth since 10 s [%% of r]", name),
                     cn_text("%s: S_p over 10 s", name),
                     cn_text("%s: E_kin per sphere / mgr", name)};
    cn_lab_below(lab, what[0], paper[0], field[CN_E3_PENETRATION35], c->settled);
    cn_lab_below(lab, what[1], "", field[CN_E3_PENETRATION35] - field[CN_E3_PENETRATION10],
                 cn_lab_limit(lab, 0.0));
    cn_lab_above(lab, what[2], paper[1], field[CN_E3_SP10], cn_lab_limit(lab, c->speed));
    cn_lab_below(lab, what[3], "", field[CN_E3_KINETIC],
                 lab->quick ? CN_E3_KINETIC_QUICK : CN_E3_KINETIC_LIMIT);
    for (int32_t i = 0; i < 4; i++) {
        free(what[i]);
    }
    free(paper[0]);
    free(paper[1]);
    free(name);
}

// One start of a case; the first one of the largest case is drawn.
static bool cn_e3_start(cn_lab *lab, const cn_e3_case *c, int32_t start, bool drawn,
                        double field[CN_E3_FIELDS]) {
    char *seed = cn_text("%d", (int)start + 1);
    char *name = cn_text("%s-%s-%s", c->spheres, c->h, seed);
    cn_trial trial = {.name = name,
                      .scene = "sphere-settling",
                      .method = &lab->experiment->methods[0],
                      .set = {{"generate.packing.count", c->spheres},
                              {"time.step", c->h},
                              {"generate.packing.seed", seed},
                              {"time.frames_every", "5"},
                              {"time.until", lab->quick ? "10" : "35"}}};
    cn_result result;
    bool good = cn_lab_run(lab, &trial, &result);
    if (good) {
        good = cn_e3_measure(lab, &result, field);
        if (good && drawn) {
            const double times[] = {0.0, result.tally.t_end};
            cn_e3_plot_run(lab, &result);
            cn_lab_picture(lab, "settled", "start and end (the paper's figure 5a)", &result, times,
                           2,
                           (cn_picture){.title = "E3: spheres settle in a box",
                                        .subtitle = "friction 0.3, no restitution"});
        }
        cn_result_free(&result);
    }
    free(name);
    free(seed);
    return good;
}

static void cn_e3(cn_lab *lab) {
    int32_t cases = lab->quick ? 2 : CN_E3_CASES, starts = lab->quick ? 1 : CN_E3_STARTS;
    int32_t drawn = lab->quick ? 0 : CN_E3_DRAWN;
    for (int32_t i = 0; i < cases; i++) {
        double fields[CN_E3_STARTS][CN_E3_FIELDS], median[CN_E3_FIELDS], values[CN_E3_STARTS];
        for (int32_t k = 0; k < starts; k++) {
            if (!cn_e3_start(lab, &cn_e3_cases[i], k, i == drawn && k == 0, fields[k])) {
                return;
            }
        }
        for (int32_t f = 0; f < CN_E3_FIELDS; f++) {
            for (int32_t k = 0; k < starts; k++) {
                values[k] = fields[k][f];
            }
            median[f] = cn_e3_median(values, starts);
        }
        cn_e3_row(lab, &cn_e3_cases[i], median);
        cn_e3_check(lab, &cn_e3_cases[i], median);
    }
    cn_lab_below(lab, "steps that missed the residual 1e-3", "", (double)lab->unsolved, 0.0);
    cn_e3_curves(lab);
}

const cn_experiment cn_experiment_e3 = {
    .id = "E3",
    .title = "spheres settle in a box",
    .source = CN_SOURCE_RENOUF_2005 ", section 8.3, table 1, figures 5a and 6",
    .scenes = "sphere-settling",
    .methods = cn_e3_methods,
    .columns = cn_e3_columns,
    .differs =
        "the paper prints neither radius, friction, box, tolerance nor duration of the table's "
        "runs; ours are 1 m, 0.3, 12 m x 12 m, residual 1e-3 at every step, and S_p over the first "
        "5, 10 and 35 s, because compaction costs most and rest little. Medians of five starts "
        "with different seeds. n_c counts the contacts that press at the end. g_max is taken as a "
        "share of the radius. The paper's S_p was "
        "measured on the machines of its time.",
    .run = cn_e3};
