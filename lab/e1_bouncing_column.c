// lab/e1_bouncing_column.c
// E1: eight balls bounce as a column without friction. At theta = 1/2 and restitution 1 the scheme
// keeps the total energy; what is lost or gained is the solver's doing.
//
// With theta = 1 the scheme itself changes energy: an impact step of a ball gains m g h |v| with
// restitution 1, and with restitution 0 energy only falls.
#include "lab/experiments.h"

#include <math.h>
#include <stdlib.h>

#define CN_E1_METHODS 9       // at most
#define CN_E1_EVERY 20        // steps: points of the curves of the whole time
#define CN_E1_SHOWN 4.0       // [s] of the curves of single steps
#define CN_E1_JUMP 1e-9       // of the energy: a step that changes it
#define CN_E1_ROUND_OFF 1e-14 // of the energy: eight terms summed in double precision

// Those that are stopped early have no limit: they show what that does, and come last.
static const cn_method cn_e1_methods[] = {
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

static const cn_heading cn_e1_columns[] = {{"solver", "solver"},
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
typedef struct cn_e1_energy {
    double drift;    // largest distance from the start's
    double change;   // at the end
    double gain;     // largest rise in one step
    int64_t jumps;   // steps that change it
    cn_series total; // of all steps
    cn_series kinetic_change;
} cn_e1_energy;

static cn_e1_energy cn_e1_measure(const cn_result *result) {
    double start = result->tally.energy_initial, before = start;
    cn_e1_energy energy = {.gain = -HUGE_VAL};
    for (int64_t i = 0; i < result->count; i++) {
        const cn_step_report *row = &result->rows[i];
        double now = row->kinetic + row->potential;
        double kinetic_before = i > 0 ? result->rows[i - 1].kinetic : 0.0;
        energy.drift = fmax(energy.drift, fabs(now - start) / start);
        energy.gain = fmax(energy.gain, (now - before) / start);
        energy.change = (now - start) / start;
        energy.jumps += !(fabs(now - before) <= CN_E1_JUMP * start);
        before = now;
        cn_series_add(&energy.total, row->t, now / start);
        if (row->t <= CN_E1_SHOWN) {
            cn_series_add(&energy.kinetic_change, row->t, row->kinetic - kinetic_before);
        }
    }
    return energy;
}

static bool cn_e1_run(cn_lab *lab, const char *name, const cn_method *method, const char *theta,
                      const char *restitution, cn_e1_energy *energy) {
    cn_trial trial = {.name = name,
                      .scene = "bouncing-column",
                      .method = method,
                      .inexact = isnan(method->limit),
                      .set = {{"integrator.theta", theta},
                              {"contacts.0.restitution", restitution},
                              {"time.frames_every", "1"},
                              {"time.until", lab->quick ? "2" : "20"}}};
    cn_result result;
    if (!cn_lab_run(lab, &trial, &result)) {
        return false;
    }
    *energy = cn_e1_measure(&result);
    cn_sheet *table = &lab->table;
    cn_sheet_text(table, method->label, CN_INK_PLAIN);
    cn_sheet_text(table, theta, CN_INK_PLAIN);
    cn_sheet_text(table, restitution, CN_INK_PLAIN);
    cn_sheet_real(table, 3, energy->drift);
    cn_sheet_real(table, 3, energy->change);
    cn_sheet_real(table, 3, energy->gain);
    cn_sheet_int(table, energy->jumps);
    cn_sheet_real(table, 3, result.tally.residual_worst);
    cn_sheet_real(table, 3, cn_tally_iterations_mean(&result.tally));
    cn_sheet_real(table, 3, cn_result_speed(&result, result.tally.t_end));
    cn_result_free(&result);
    return true;
}

// The largest difference of the curves from the first one's, over the first one's peak; without
// those that are stopped early.
static double cn_e1_spread(const cn_e1_energy *energies, int32_t count) {
    const cn_series *first = &energies[0].kinetic_change;
    double peak = 0.0, off = 0.0;
    for (int32_t i = 0; i < first->count; i++) {
        peak = fmax(peak, fabs(first->y[i]));
        for (int32_t k = 1; k < count && !isnan(cn_e1_methods[k].limit); k++) {
            off = fmax(off, fabs(energies[k].kinetic_change.y[i] - first->y[i]));
        }
    }
    return peak > 0.0 ? off / peak : 0.0;
}

static void cn_e1_plot_kinetic(cn_lab *lab, const cn_e1_energy *energies, int32_t count) {
    cn_curve curves[CN_E1_METHODS];
    for (int32_t i = 0; i < count; i++) {
        const cn_series *change = &energies[i].kinetic_change;
        curves[i] = (cn_curve){.name = cn_e1_methods[i].label,
                               .note = "theta 1/2, restitution 1",
                               .x = change->x,
                               .y = change->y,
                               .count = change->count};
    }
    cn_plot plot = {.title = "E1: change of the kinetic energy in each step",
                    .subtitle =
                        "eight balls in a column, no friction; the curves of those that solve "
                        "lie on each other",
                    .x_label = "t [s]",
                    .y_label = "change in a step [J]",
                    .x_scale = CN_SCALE_LINEAR,
                    .y_scale = CN_SCALE_LINEAR,
                    .overlaid = true,
                    .curves = curves,
                    .count = count};
    cn_lab_plot(lab, "kinetic-change", "change of kinetic energy a step (the paper's figure 3)",
                &plot);
}

static void cn_e1_plot_total(cn_lab *lab, const cn_e1_energy energies[3]) {
    static const char *const names[] = {"theta 1/2, e = 1", "theta 1, e = 1", "theta 1, e = 0"};
    static const char *const notes[] = {"constant", "impacts gain", "only falls"};
    cn_curve curves[3];
    for (int32_t i = 0; i < 3; i++) {
        const cn_series *total = &energies[i].total;
        curves[i] = (cn_curve){.name = names[i],
                               .note = notes[i],
                               .x = total->x,
                               .y = total->y,
                               .count = total->count};
    }
    cn_plot plot = {.title = "E1: total energy over that of the start",
                    .subtitle = "eight balls in a column, no friction, steps of 1 ms",
                    .x_label = "t [s]",
                    .y_label = "energy / energy at the start",
                    .x_scale = CN_SCALE_LINEAR,
                    .y_scale = CN_SCALE_LINEAR,
                    .curves = curves,
                    .count = 3};
    cn_lab_plot(lab, "energy", "total energy over time (the paper's figure 3)", &plot);
}

// The distance from the energy of the start, which a linear axis cannot show.
static void cn_e1_plot_drift(cn_lab *lab, const cn_e1_energy *energies, int32_t count) {
    cn_curve curves[CN_E1_METHODS];
    cn_series drift[CN_E1_METHODS] = {{.count = 0}};
    for (int32_t i = 0; i < count; i++) {
        const cn_series *total = &energies[i].total;
        for (int32_t k = 0; k < total->count; k += CN_E1_EVERY) {
            cn_series_add(&drift[i], total->x[k], fabs(total->y[k] - 1.0));
        }
        curves[i] = (cn_curve){.name = cn_e1_methods[i].label,
                               .note = "theta 1/2, restitution 1",
                               .x = drift[i].x,
                               .y = drift[i].y,
                               .count = drift[i].count};
    }
    cn_plot plot = {.title = "E1: how far the total energy is from that of the start",
                    .subtitle = "relative; what the solver leaves unsolved is all that can change "
                                "it",
                    .x_label = "t [s]",
                    .y_label = "|energy / energy at the start - 1|",
                    .x_scale = CN_SCALE_LINEAR,
                    .y_scale = CN_SCALE_LOG,
                    .y_target = 1e-7,
                    .target_label = "asked of nsgs at 1e-10",
                    .curves = curves,
                    .count = count};
    cn_lab_plot(lab, "drift", "its distance from the start's, logarithmic", &plot);
    for (int32_t i = 0; i < count; i++) {
        cn_series_free(&drift[i]);
    }
}

static void cn_e1_conclude(cn_lab *lab, const cn_e1_energy *energies, int32_t count,
                           cn_e1_energy gaining, cn_e1_energy falling) {
    for (int32_t i = 0; i < count; i++) {
        char *what = cn_text("drift of the total energy, %s", cn_e1_methods[i].label);
        cn_lab_below(lab, what, cn_e1_methods[i].paper, energies[i].drift, cn_e1_methods[i].limit);
        free(what);
    }
    cn_lab_below(lab, "difference of the solvers' curves / peak", "identical",
                 cn_e1_spread(energies, count), 1e-6);
    cn_lab_below(lab, "theta 1, e = 0: largest rise in a step", "decreases", falling.gain,
                 CN_E1_ROUND_OFF);
    cn_lab_show(lab, "theta 1, e = 1: change at the end", "decreases", gaining.change);
    cn_e1_plot_kinetic(lab, energies, count);
    cn_e1_plot_total(lab, (const cn_e1_energy[]){energies[0], gaining, falling});
    cn_e1_plot_drift(lab, energies, count);
}

static void cn_e1(cn_lab *lab) {
    cn_e1_energy energies[CN_E1_METHODS + 2] = {{.drift = 0.0}};
    const cn_method *methods = lab->experiment->methods;
    int32_t count = 0;
    bool good = true;
    for (; good && methods[count].label && count < CN_E1_METHODS; count++) {
        char *name = cn_text("%s-%s", isnan(methods[count].limit) ? "stopped" : "conserving",
                             methods[count].set[0].value);
        good = cn_e1_run(lab, name, &methods[count], "0.5", "1", &energies[count]);
        free(name);
    }
    good = good && cn_e1_run(lab, "gaining", &methods[0], "1", "1", &energies[count]) &&
           cn_e1_run(lab, "falling", &methods[0], "1", "0", &energies[count + 1]);
    if (good) {
        cn_e1_conclude(lab, energies, count, energies[count], energies[count + 1]);
    }
    for (int32_t i = 0; i < count + 2; i++) {
        cn_series_free(&energies[i].total);
        cn_series_free(&energies[i].kinetic_change);
    }
}

const cn_experiment cn_experiment_e1 = {
    .id = "E1",
    .title = "a bouncing column keeps its energy",
    .source = CN_SOURCE_RENOUF_2005 ", section 8.1, figure 3",
    .scenes = "bouncing-column",
    .methods = cn_e1_methods,
    .columns = cn_e1_columns,
    .differs =
        "radius 1 m, mass 1 kg, the drop of 1 m and steps of 1 ms are ours: the paper prints none. "
        "It says that theta = 1 loses energy; with restitution 1 an impact step of theta = 1 gains "
        "m g h |v| instead, because the velocity is reversed after the whole of gravity's work and "
        "the position moves with the new one. With restitution 0 it only loses. The paper's CPG "
        "stops when p.Wp vanishes and so loses energy in a few steps; here p.Wp does not vanish "
        "and cpg solves all steps. Stopped after one step (or nsgs after one sweep) it shows what "
        "the paper saw: energy is constant on a few intervals, and the curves differ.",
    .run = cn_e1};
