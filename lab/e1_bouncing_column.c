// lab/e1_bouncing_column.c
// E1: eight spheres bounce as a column without friction. At theta = 1/2 and restitution 1 the
// scheme keeps the total energy; what is lost or gained is the solver's doing.
//
// With theta = 1 the scheme itself changes energy: an impact step of a sphere gains m g h |v| with
// restitution 1, and with restitution 0 energy only falls.
#include "lab/experiments.h"

#include <math.h>
#include <stdlib.h>

#define E1_METHODS 9       // at most
#define E1_EVERY 20        // steps: points of the curves of the whole time
#define E1_SHOWN 4.0       // [s] of the curves of single steps
#define E1_JUMP 1e-9       // of the energy: a step that changes it
#define E1_ROUND_OFF 1e-14 // of the energy: eight terms summed in double precision

// Those that are stopped early have no limit: they show what that does, and come last.
static const lab_method e1_methods[] = {
    {.label = "nsgs, 1e-10",
     .set = {{"solver.name", "nsgs"}, {"solver.tolerance", "1e-10"}},
     .limit = 1e-7,
     .paper = "constant"},
    {.label = "lemke, 1e-10",
     .set = {{"solver.name", "lemke"}, {"solver.tolerance", "1e-10"}},
     .limit = 1e-9,
     .paper = "constant"},
    {.label = "mcp, 1e-10",
     .set = {{"solver.name", "mcp"}, {"solver.tolerance", "1e-10"}},
     .limit = 1e-9,
     .paper = "constant (PATH)"},
    {.label = "qp, 1e-10",
     .set = {{"solver.name", "qp"}, {"solver.tolerance", "1e-10"}},
     .limit = 1e-9,
     .paper = ""},
    {.label = "cpg, 1e-10",
     .set = {{"solver.name", "cpg"}, {"solver.tolerance", "1e-10"}},
     .limit = 1e-7,
     .paper = "on 4 intervals"},
    {.label = "prox-newton, 1e-14",
     .set = {{"solver.name", "prox-newton"}, {"solver.tolerance", "1e-14"}},
     .limit = 1e-9,
     .paper = ""},
    {.label = "fixed-point, 1e-10",
     .set = {{"solver.name", "fixed-point"}, {"solver.tolerance", "1e-10"}},
     .limit = 1e-7,
     .paper = ""},
    {.label = "cpg, 1 step",
     .set = {{"solver.name", "cpg"},
             {"solver.tolerance", "1e-10"},
             {"solver.max_iterations", "1"},
             {"solver.on_stall", "continue"}},
     .limit = (double)NAN,
     .paper = "on 4 intervals"},
    {.label = "nsgs, 1 sweep",
     .set = {{"solver.name", "nsgs"},
             {"solver.tolerance", "1e-10"},
             {"solver.max_iterations", "1"},
             {"solver.on_stall", "continue"}},
     .limit = (double)NAN,
     .paper = ""},
    {.label = NULL}};

static const heading e1_columns[] = {{"solver", "solver"},
                                     {"theta", "theta"},
                                     {"e", "restitution"},
                                     {"drift", "drift"},
                                     {"change at end", "change_at_end"},
                                     {"largest gain in a step", "gain_in_a_step"},
                                     {"steps that change it", "steps_that_change_it"},
                                     {"worst residual", "residual_worst"},
                                     {"iterations", "iterations_mean"},
                                     {"S_p", "sp"},
                                     {NULL, NULL}};

// What the energies of a run do, over the energy at the start.
typedef struct e1_energy {
    double drift;       // largest distance from the start's
    double change;      // at the end
    double gain;        // largest rise in one step
    int64_t jumps;      // steps that change it
    point_series total; // of all steps
    point_series kinetic_change;
} e1_energy;

static e1_energy e1_measure(const trial_result *result) {
    double start = result->summary.energy_initial, before = start;
    e1_energy energy = {.gain = -HUGE_VAL};
    for (int64_t i = 0; i < result->count; i++) {
        const cn_step_report *row = &result->rows[i];
        double now = row->kinetic + row->potential;
        double kinetic_before = i > 0 ? result->rows[i - 1].kinetic : 0.0;
        energy.drift = fmax(energy.drift, fabs(now - start) / start);
        energy.gain = fmax(energy.gain, (now - before) / start);
        energy.change = (now - start) / start;
        energy.jumps += !(fabs(now - before) <= E1_JUMP * start);
        before = now;
        series_add(&energy.total, row->t, now / start);
        if (row->t <= E1_SHOWN) {
            series_add(&energy.kinetic_change, row->t, row->kinetic - kinetic_before);
        }
    }
    return energy;
}

static bool e1_run(reproduction *lab, const char *name, const lab_method *method, const char *theta,
                   const char *restitution, e1_energy *energy) {
    lab_trial trial = {.name = name,
                       .scene = "bouncing-column",
                       .method = method,
                       .inexact = isnan(method->limit),
                       .set = {{"integrator.theta", theta},
                               {"contacts.0.restitution", restitution},
                               {"time.frames_every", "1"},
                               {"time.until", lab->quick ? "2" : "20"}}};
    trial_result result;
    if (!lab_run_trial(lab, &trial, &result)) {
        return false;
    }
    *energy = e1_measure(&result);
    data_table *table = &lab->table;
    data_table_text(table, method->label, INK_PLAIN);
    data_table_text(table, theta, INK_PLAIN);
    data_table_text(table, restitution, INK_PLAIN);
    data_table_real(table, 3, energy->drift);
    data_table_real(table, 3, energy->change);
    data_table_real(table, 3, energy->gain);
    data_table_int(table, energy->jumps);
    data_table_real(table, 3, result.summary.residual_worst);
    data_table_real(table, 3, run_summary_iterations_mean(&result.summary));
    data_table_real(table, 3, result_speed(&result, result.summary.t_end));
    result_free(&result);
    return true;
}

// The largest difference of the curves from the first one's, over the first one's peak; without
// those that are stopped early.
static double e1_spread(const e1_energy *energies, int32_t count) {
    const point_series *first = &energies[0].kinetic_change;
    double peak = 0.0, off = 0.0;
    for (int32_t i = 0; i < first->count; i++) {
        peak = fmax(peak, fabs(first->y[i]));
        for (int32_t k = 1; k < count && !isnan(e1_methods[k].limit); k++) {
            off = fmax(off, fabs(energies[k].kinetic_change.y[i] - first->y[i]));
        }
    }
    return peak > 0.0 ? off / peak : 0.0;
}

static void e1_plot_kinetic(reproduction *lab, const e1_energy *energies, int32_t count) {
    plot_curve curves[E1_METHODS];
    for (int32_t i = 0; i < count; i++) {
        const point_series *change = &energies[i].kinetic_change;
        curves[i] = (plot_curve){.name = e1_methods[i].label,
                                 .note = "theta 1/2, restitution 1",
                                 .x = change->x,
                                 .y = change->y,
                                 .count = change->count};
    }
    plot_spec plot = {.title = "E1: change of the kinetic energy in each step",
                      .subtitle =
                          "eight spheres in a column, no friction; the curves of those that solve "
                          "lie on each other",
                      .x_label = "t [s]",
                      .y_label = "change in a step [J]",
                      .x_scale = SCALE_LINEAR,
                      .y_scale = SCALE_LINEAR,
                      .overlaid = true,
                      .curves = curves,
                      .count = count};
    lab_plot(lab, "kinetic-change", "change of kinetic energy per step (the paper's figure 3)",
             &plot);
}

static void e1_plot_total(reproduction *lab, const e1_energy energies[3]) {
    static const char *const names[] = {"theta 1/2, e = 1", "theta 1, e = 1", "theta 1, e = 0"};
    static const char *const notes[] = {"constant", "impacts gain", "only falls"};
    plot_curve curves[3];
    for (int32_t i = 0; i < 3; i++) {
        const point_series *total = &energies[i].total;
        curves[i] = (plot_curve){.name = names[i],
                                 .note = notes[i],
                                 .x = total->x,
                                 .y = total->y,
                                 .count = total->count};
    }
    plot_spec plot = {.title = "E1: total energy over that of the start",
                      .subtitle = "eight spheres in a column, no friction, steps of 1 ms",
                      .x_label = "t [s]",
                      .y_label = "energy / energy at the start",
                      .x_scale = SCALE_LINEAR,
                      .y_scale = SCALE_LINEAR,
                      .curves = curves,
                      .count = 3};
    lab_plot(lab, "energy", "total energy over time (the paper's figure 3)", &plot);
}

// The distance from the energy of the start, which a linear axis cannot show.
static void e1_plot_drift(reproduction *lab, const e1_energy *energies, int32_t count) {
    plot_curve curves[E1_METHODS];
    point_series drift[E1_METHODS] = {{.count = 0}};
    for (int32_t i = 0; i < count; i++) {
        const point_series *total = &energies[i].total;
        for (int32_t k = 0; k < total->count; k += E1_EVERY) {
            series_add(&drift[i], total->x[k], fabs(total->y[k] - 1.0));
        }
        curves[i] = (plot_curve){.name = e1_methods[i].label,
                                 .note = "theta 1/2, restitution 1",
                                 .x = drift[i].x,
                                 .y = drift[i].y,
                                 .count = drift[i].count};
    }
    plot_spec plot = {.title = "E1: how far the total energy is from that of the start",
                      .subtitle =
                          "relative; what the solver leaves unsolved is all that can change "
                          "it",
                      .x_label = "t [s]",
                      .y_label = "|energy / energy at the start - 1|",
                      .x_scale = SCALE_LINEAR,
                      .y_scale = SCALE_LOG,
                      .y_target = 1e-7,
                      .target_label = "asked of nsgs at 1e-10",
                      .curves = curves,
                      .count = count};
    lab_plot(lab, "drift", "its distance from the start's, logarithmic", &plot);
    for (int32_t i = 0; i < count; i++) {
        series_free(&drift[i]);
    }
}

static void e1_conclude(reproduction *lab, const e1_energy *energies, int32_t count,
                        e1_energy gaining, e1_energy falling) {
    for (int32_t i = 0; i < count; i++) {
        char *what = format_text("drift of the total energy, %s", e1_methods[i].label);
        lab_below(lab, what, e1_methods[i].paper, energies[i].drift, e1_methods[i].limit);
        free(what);
    }
    lab_below(lab, "difference of the solvers' curves / peak", "identical",
              e1_spread(energies, count), 1e-6);
    lab_below(lab, "theta 1, e = 0: largest rise in a step", "decreases", falling.gain,
              E1_ROUND_OFF);
    lab_check_shown(lab, "theta 1, e = 1: change at the end", "decreases", gaining.change);
    e1_plot_kinetic(lab, energies, count);
    e1_plot_total(lab, (const e1_energy[]){energies[0], gaining, falling});
    e1_plot_drift(lab, energies, count);
}

static void e1(reproduction *lab) {
    e1_energy energies[E1_METHODS + 2] = {{.drift = 0.0}};
    const lab_method *methods = lab->experiment->methods;
    int32_t count = 0;
    bool good = true;
    for (; good && methods[count].label && count < E1_METHODS; count++) {
        char *name = format_text("%s-%s", isnan(methods[count].limit) ? "stopped" : "conserving",
                                 methods[count].set[0].value);
        good = e1_run(lab, name, &methods[count], "0.5", "1", &energies[count]);
        free(name);
    }
    good = good && e1_run(lab, "gaining", &methods[0], "1", "1", &energies[count]) &&
           e1_run(lab, "falling", &methods[0], "1", "0", &energies[count + 1]);
    if (good) {
        e1_conclude(lab, energies, count, energies[count], energies[count + 1]);
    }
    for (int32_t i = 0; i < count + 2; i++) {
        series_free(&energies[i].total);
        series_free(&energies[i].kinetic_change);
    }
}

const lab_experiment experiment_e1 = {
    .id = "E1",
    .title = "a bouncing column keeps its energy",
    .source = SOURCE_RENOUF_2005 ", section 8.1, figure 3",
    .scenes = "bouncing-column",
    .methods = e1_methods,
    .columns = e1_columns,
    .differs =
        "radius 1 m, mass 1 kg, the drop of 1 m and steps of 1 ms are ours: the paper prints none. "
        "It says that theta = 1 loses energy; with restitution 1 an impact step of theta = 1 gains "
        "m g h |v| instead, because the velocity is reversed after the whole of gravity's work and "
        "the position moves with the new one. With restitution 0 it only loses. The paper's CPG "
        "stops when p.Wp vanishes and so loses energy in a few steps; here p.Wp does not vanish "
        "and cpg solves all steps. Stopped after one step (or nsgs after one sweep) it shows what "
        "the paper saw: energy is constant on a few intervals, and the curves differ.",
    .run = e1};
