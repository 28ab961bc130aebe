// step/sim_step.c
// A step of a run, as its user asks for it: checked, protected against failure, timed, counted.
#include "step/sim.h"

#include "base/cancel.h"
#include "base/clock.h"
#include "base/error.h"

#include <math.h>

// A step of the model's length, or in parts.
static cn_status advance_bodies(cn_sim *sim, double t, cn_step_report *report, cn_error *error) {
    const cn_settings *settings = &sim->model->settings;
    step_enter(&sim->phases, STEP_ADVANCE);
    bool first = sim->state.last_h == 0.0 || sim->outside.jumped;
    step_context whole = sim_context(sim, t, settings->step);
    int32_t parts = first ? step_fast_parts(&whole, error) : 1;
    double h = settings->step / fmax(parts, 1);
    cn_status status = parts > 0                      ? CN_OK
                       : base_is_cancelled(&sim->env) ? CN_ERR_CANCELLED
                                                      : CN_ERR_MEMORY;
    if (status == CN_OK && (parts > 1 || settings->error > 0.0 || sim->state.island)) {
        status = sim_protect(sim, error);
    }
    sim->retry.halvings = settings->error > 0.0 ? 0 : STEP_FAST_HALVINGS;
    for (int32_t i = 0; status == CN_OK && i < parts; i++) {
        sim->next_h = i + 1 < parts ? h : settings->step;
        status = settings->error > 0.0
                     ? sim_step_in_parts(sim, t + h * i, h, report, error)
                     : sim_step_or_halve(sim, t + h * i, h, settings->halvings, report, error);
    }
    report->substeps += parts > 1 ? parts : 0;
    step_enter(&sim->phases, STEP_PHASES);
    report->cpu_detect = sim->phases.cpu[STEP_DETECT];
    report->cpu_assemble = sim->phases.cpu[STEP_ASSEMBLE];
    report->cpu_solve = sim->phases.cpu[STEP_SOLVE];
    report->cpu_advance = sim->phases.cpu[STEP_ADVANCE];
    return status;
}

cn_status cn_sim_step(cn_sim *sim, cn_step_report *report, cn_error *error) {
    if (!sim || !report) {
        return base_fail_missing(error);
    }
    const cn_settings *settings = &sim->model->settings;
    double t = cn_sim_time(sim);
    bool limited = settings->time_limit > 0.0 || settings->wall_limit > 0.0;
    sim->solvers.limit.start = limited ? base_clock_cpu() : 0.0;
    sim->solvers.limit.wall_start = limited ? base_clock_steady() : 0.0;
    sim->solvers.limit.solving = sim->solvers.limit.start; // steps may have nothing to solve
    sim->solvers.limit.wall_solved = sim->solvers.limit.wall_start;
    *report = (cn_step_report){.outcome = CN_SOLVED};
    sim_progress_start(sim);
    CN_TRY(base_poll_status(&sim->env, error));
    sim->solvers.effort = settings->effort;
    sim->protects = false;
    sim->stored = false;
    sim->held.size = 0;
    size_t held = sizeof(double) * (size_t)step_control_count(sim->model);
    if (held > 0 && !base_buffer_append(&sim->held, sim->control->held, held)) {
        return base_fail_memory(error);
    }
    if (sim->rigid) {
        CN_TRY(sim_protect(sim, error));
    }
    step_control_sample(sim, t);
    cn_status status =
        sim->system ? sim_system_step(sim, report, error) : advance_bodies(sim, t, report, error);
    if (status != CN_OK) {
        sim_undo(sim);
    }
    sim->stored = true;
    if (status == CN_OK) {
        sim->restored = false;
        sim->state.step++;
        report->work_external += sim->steering_work;
        sim->steering_work = 0.0;
        sim->outside.jumped = false;
        sim_end_push(sim);
    }
    report->step = sim->state.step;
    report->t = cn_sim_time(sim);
    if (limited) {
        sim->solvers.limit.rest =
            base_clock_cpu() - sim->solvers.limit.solving - sim->last.solved.cpu_s;
        sim->solvers.limit.wall_rest = base_clock_steady() - sim->solvers.limit.wall_solved;
    }
    return status;
}
