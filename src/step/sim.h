// step/sim.h
// A run in progress, as the files of this room share it.
#ifndef CAIRN_STEP_SIM_H
#define CAIRN_STEP_SIM_H

#include <cairn/sim.h>
#include <cairn/solve.h>
#include <cairn/system.h>

#include "step/step.h"

// A time integrator of rigid bodies. To add one: step/<name>.c, its line in step/step.h and its row
// in step/scheme_table.c.
typedef struct step_scheme {
    const char *name;  // as scenes write it
    const char *about; // one line
    step_scheme_fn *choose;
} step_scheme;
const step_scheme *step_scheme_find(const char *name); // NULL: there is none

struct cn_sim {
    cn_env env;
    cn_threads *own_threads; // in env too; NULL: those of the caller, if any
    const cn_model *model;
    const step_scheme *scheme; // NULL: a system runs
    step_solvers solvers;
    det_detector *detector;
    model_state state;
    sys_script *control;     // controllers of the model's bodies with their memory; NULL: none
    base_evaluator *signals; // of forces, motions and motors
    step_vectors vectors;
    cn_steering steering;
    double steering_work;  // [J] what steering changed of the potential energy since the last step
    cn_arena *memory;      // for the life of the run
    cn_arena *step_memory; // for a step
    cn_arena *impulses;    // of the state
    cn_arena *scratch;     // of the solver
    step_sleep sleep;
    step_retry retry;
    double next_h;           // [s] length of the step after the one under way
    step_data last;          // the step the state came from; contacts of no step before the first
    step_phase_clock phases; // of the step under way
    base_buffer backup;      // the state that the step under way began with, where it may change it
                             // before its end
    bool protects;           // backup holds it
    base_buffer held;        // what controllers stored then
    cn_system_run *system;   // of a model with a system; the rest but the state is then unused
    struct step_rigid_system
        *rigid; // of bodies under an integrator of systems; then system runs it
};

// ---- making (step/sim_solver.c, step/steer.c) ----

// The solvers of the model's settings; errors name what is wrong with them.
cn_status sim_choose_solvers(const cn_model *model, step_solvers *out, cn_error *error);
// The steering that a scene starts with.
cn_steering sim_steering_default(const cn_model *model);
// CN_ERR_ARGUMENT when it cannot be taken.
cn_status sim_check_steering(const cn_model *model, const cn_steering *steering, cn_error *error);

// ---- stepping (step/adapt.c, step/accept.c, step/undo.c) ----

// What a step of length h from the state at time t is given.
step_context sim_context(cn_sim *sim, double t, double h);
// One step of length h, or two of half the length where bodies pass through one another, and with
// the policy "halve", at most `halvings` times, where the solve stalls. Its end becomes the state.
cn_status sim_step_or_halve(cn_sim *sim, double t, double h, int32_t halvings,
                            cn_step_report *report, cn_error *error);
// The same in parts whose error is below settings.error.
cn_status sim_step_in_parts(cn_sim *sim, double t, double h, cn_step_report *report,
                            cn_error *error);
// The state becomes the end of sim->last.
cn_status sim_accept(cn_sim *sim, cn_error *error);
// The state's impulses become `count` unwritten ones; false: no memory, and there are none.
bool sim_resize_impulses(cn_sim *sim, int32_t count);
// Stores the state, once per step, before the step changes it and may still fail.
cn_status sim_protect(cn_sim *sim, cn_error *error);
// The state is that of before the step, which failed.
void sim_undo(cn_sim *sim);

// ---- models with a system, or seen as one (step/system.c) ----

cn_status sim_system_create(cn_sim *sim, cn_error *error);
cn_status sim_system_step(cn_sim *sim, cn_step_report *report, cn_error *error);
int32_t sim_system_contact_count(const cn_sim *sim);
void sim_system_contact(const cn_sim *sim, int32_t index, cn_contact_record *out);
// Open, stick or slide of a contact with friction mu.
uint8_t sim_system_status(double mu, const double impulse[CN_CONTACT_PARTS]);
cn_status sim_system_save(const cn_sim *sim, void **bytes, size_t *size);
cn_status sim_system_load(cn_sim *sim, const void *bytes, size_t size, cn_error *error);

// ---- controllers (step/control.c) ----

// Samples the controllers of the model's bodies at time t, the start of a step; how many numbers
// they store.
void step_control_sample(cn_sim *sim, double t);
static inline int32_t step_control_count(const cn_model *model) {
    return model->control ? model->control->script->held_count : 0;
}

// ---- queries (step/sim_query.c) ----

// Parts of a contact's record, for those who want some of them of many contacts.
enum {
    STEP_RECORD_PLACE = 1, // bodies, point, normal, gap
    STEP_RECORD_IMPULSE = 2,
    STEP_RECORD_AFTER = 4,  // velocity
    STEP_RECORD_BEFORE = 8, // velocity_before, shift and frame_change
    STEP_RECORD_STATE = 16, // friction and status
    STEP_RECORD_ALL = 31
};
// As cn_sim_contact; parts that are not asked for may be anything.
void sim_contact_parts(const cn_sim *sim, int32_t index, uint32_t parts, cn_contact_record *out);
// The poses of bodies first .. end - 1, as cn_sim_poses gives those of all.
void sim_poses_of(const cn_sim *sim, int32_t first, int32_t end, double *q);

#endif
