// step/sim.h
// A run in progress, as the files of this room share it.
#ifndef CAIRN_STEP_SIM_H
#define CAIRN_STEP_SIM_H

#include <cairn/act.h>
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

// Ways of acting on a simulation between its steps.
typedef enum sim_act { SIM_ACT_STATE, SIM_ACT_LOADS, SIM_ACT_INPUTS, SIM_ACTS } sim_act;

// What acts on the bodies from outside: given between steps, part of what is saved.
typedef struct sim_outside {
    double *input; // values of the model's inputs
    double *held,
        *once; // loads until they are given again, and of the next step: 6 per body (2D: f_x
               // f_y torque in 0 1 5); NULL: never given
    bool holds, pushes;      // whether they are to be looked at
    bool jumped;             // poses or velocities were set since the last step
    int64_t acted[SIM_ACTS]; // the step that was acted on last, 0: none; not part of what is saved
} sim_outside;

// Notes that the next step is acted on. (step/act/outside.c)
void sim_acted(cn_sim *sim, sim_act how);

// Impulses by key, as in model_state.
typedef struct sim_impulses {
    const model_contact_key *key;
    const double *impulse;
    int32_t count;
} sim_impulses;

// Who is informed of the progress of a step, and may end it.
typedef struct sim_progress {
    cn_progress_fn *tell; // NULL: nobody
    void *user;
    cn_cancel_fn *cancel; // of the env that the simulation was given
    void *cancel_user;
    bool stopped; // the step under way is to end
} sim_progress;

struct cn_sim {
    cn_env env;
    cn_threads *own_threads;     // in env too; NULL: those of the caller, if any
    const cn_model *model;       // own_model where there is one
    const cn_model *first_model; // that the simulation was created from
    cn_model *own_model;         // with the changes of the journal; NULL: there are none
    base_buffer journal;         // step/act/journal.h
    int64_t edits;               // how often the model was changed
    cn_arena *bodies;            // of arrays of bodies and joints, since they changed; NULL
    const step_scheme *scheme;   // NULL: a system runs
    step_solvers solvers;
    cn_friction_solver own_solver; // that the user has given
    sim_progress progress;
    void **user; // pointer of each body; NULL: none was given
    det_detector *detector;
    struct step_deformable *deformable; // NULL: all bodies are rigid
    struct step_bonds *bonds;           // NULL: nothing is bonded
    model_state state;
    sys_script *control;     // controllers of the model's bodies with their memory; NULL: none
    base_evaluator *signals; // of forces, motions and motors
    step_vectors vectors;
    cn_steering steering;
    double steering_work; // [J] what was done between steps changed of the energy since the last
    sim_outside outside;
    cn_arena *memory;      // for the life of the run
    cn_arena *step_memory; // for a step
    cn_arena *impulses;    // of the state
    cn_arena *before;      // of those that the last step began with
    sim_impulses previous; // these
    bool stored;           // the step under way has stored impulses of its own
    base_buffer *contacts; // step_stored_contact, of the step before a load or of the last save
    bool restored;         // they are of the step before a load, and none has come after
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
// Bodies that overlap by more than is accepted at poses q are an error that points into the scene.
cn_status sim_check_overlap(cn_sim *sim, const double *q, const double *v, cn_error *error);
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

// ---- acting (step/act) ----

// Body is one that there is and that moves freely, or an error that says why not.
cn_status sim_check_free(const cn_sim *sim, cn_body_id body, const char *what, cn_error *error);
// What the last step left in the memory of the state gets its own, before the state is changed.
cn_status sim_detach_last(cn_sim *sim, cn_error *error);
// Poses and velocities become q and v, which may be changed on the way: of one body, whose joints
// pass its velocity on, or of all (-1), with CN_STATE_... flags. On errors nothing has changed.
cn_status sim_change_state(cn_sim *sim, double *q, double *v, uint32_t flags, int32_t body,
                           cn_error *error);
// Room for loads at place, zero where it is new.
cn_status sim_take_loads(cn_sim *sim, double **place, cn_error *error);
// The model becomes that of a journal, which a state has; its arrays are then to be filled.
cn_status sim_replay(cn_sim *sim, const unsigned char *journal, size_t size, cn_error *error);
// The last step's contacts out of the detector's list, which is about to be rebuilt.
cn_status sim_own_contacts(cn_sim *sim, cn_error *error);
// Loads of one step are over.
void sim_end_push(cn_sim *sim);
// What a joint did in the last step; all zero before the first one and after a load.
typedef struct sim_joint_answer {
    double value, rate;       // of the free motion, at the end of the step
    double impulse[6];        // of its rows on the second body, about its centre of mass
    double role[JOINT_ROLES]; // impulses of its rows by what they are for, along the free motion
    double effort;            // of its motor
} sim_joint_answer;
void sim_joint_answer_of(const cn_sim *sim, int32_t joint, sim_joint_answer *out);

// The env of a simulation asks the one who watches it whether to end.
void sim_progress_begin(cn_sim *sim);
// A step begins.
void sim_progress_start(cn_sim *sim);

// ---- queries (step/sim_query.c) ----

// Contacts of the step before a load, while none has come after it.
static inline int32_t sim_restored_count(const cn_sim *sim) {
    return sim->restored ? (int32_t)(sim->contacts->size / sizeof(step_stored_contact)) : 0;
}

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
// The same of contacts one after the other. Zero at the first.
typedef struct sim_contact_cursor {
    bool started;
    int32_t next; // problem contact that is the contact asked for next, or behind it
} sim_contact_cursor;
// The first problem contact that is a listed one or behind it.
int32_t sim_problem_behind(const cn_sim *sim, int32_t index);
void sim_contact_next(const cn_sim *sim, int32_t index, uint32_t parts, sim_contact_cursor *cursor,
                      cn_contact_record *out);
// The poses of bodies first .. end - 1, as cn_sim_poses gives those of all.
void sim_poses_of(const cn_sim *sim, int32_t first, int32_t end, double *q);

#endif
