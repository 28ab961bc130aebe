// step/phases.h
// The phases of a step that schemes for rigid bodies are made of. All work on sim->last.
#ifndef CAIRN_STEP_PHASES_H
#define CAIRN_STEP_PHASES_H

#include "step/sim.h"

// An empty step of length h from the state at t: arrays allocated, v_old = v_i with the velocities
// that motions prescribe at t.
cn_status cn_step_begin(cn_sim *sim, double t, double h, cn_error *error);
// From now on the sim's time is that of another phase; CN_PHASES: of none.
void cn_step_enter(cn_sim *sim, cn_phase phase);
// The whole step from there, or to where something wakes (step->woken): drift for (1 - theta) h to
// q_middle, contacts, loads, free velocity, the problem and what cn_step_finish does; theta and
// laws as step->opts has them.
cn_status cn_step_go(cn_sim *sim, cn_error *error);
// Motion of every body without forces for time h; q and v may be the outputs.
void cn_step_drift(const cn_sim *sim, const double *q, const double *v, double h, double *q_out,
                   double *v_out);
// The given forces of the step at q_middle, into load.
void cn_step_loads(const cn_sim *sim, cn_step *step);
// v_free: what the forces make of v_old, and the motions' velocities at the end of the step.
cn_status cn_step_push(cn_sim *sim, cn_error *error);
// r and u of the assembled problem, with the policy "retry" also by the fallback.
cn_status cn_step_solve(cn_sim *sim, cn_error *error);
// Open, stick or slide of each problem contact.
cn_status cn_step_statuses(cn_sim *sim, cn_error *error);
// v_new, then v and q at the end of the step: a drift from q_middle for theta h.
cn_status cn_step_end(cn_sim *sim, cn_error *error);
// Solve, statuses and end, gone round until the joints hold at the end, and what the remedy against
// drift does besides.
cn_status cn_step_finish(cn_sim *sim, cn_error *error);
// A step of length h into sim->last, tried until nothing wakes and nothing passes through anything.
cn_status cn_step_try(cn_sim *sim, double t, double h, cn_error *error);
// A step of length h under the stall policy, its report and the new state. halvings: how often it
// may be halved.
cn_status cn_step_or_halve(cn_sim *sim, double t, double h, int32_t halvings,
                           cn_step_report *report, cn_error *error);
// The same, cut into parts whose error is below settings.error.
cn_status cn_step_adapted(cn_sim *sim, double t, double h, cn_step_report *report, cn_error *error);
// Velocities that joints forbid are taken out of v, as an impact would, at q.
cn_status cn_joints_settle(cn_sim *sim, const double *q, double *v, cn_error *error);

#endif
