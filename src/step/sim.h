// step/sim.h
// A run in progress, as the files of this room share it.
#ifndef CAIRN_STEP_SIM_H
#define CAIRN_STEP_SIM_H

#include <cairn/sim.h>
#include <cairn/system.h>

#include "assemble/assemble.h"
#include "base/memory.h"

// What the time of a step is spent on.
typedef enum cn_phase {
    CN_PHASE_DETECT,
    CN_PHASE_ASSEMBLE,
    CN_PHASE_SOLVE,
    CN_PHASE_ADVANCE,
    CN_PHASES // none of them
} cn_phase;

// Divides the CPU time of a step, with all that is tried on the way, among its phases; of several
// short ones together, by a clock that is cheap to read. [s]
typedef struct cn_phase_clock {
    cn_phase phase;          // that the time since `entered` belongs to
    double entered;          // by the cheap clock
    double taken[CN_PHASES]; // by the phases since `began`, by the same
    double began, began_cpu; // when CPU time was divided last, by both clocks
    double cpu[CN_PHASES];   // what each has of it
} cn_phase_clock;

// The vectors and results of one step. Arrays live in the step's arena until the next step.
typedef struct cn_step {
    double t, h;  // start and length
    double sweep; // [s] from q~ to that of the next step
    const cn_steering *steering;
    cn_assemble_opts opts;
    // Where nothing but balls moves, whose drift leaves velocities as they are, q_middle is q, and
    // v_free, v_new and v are one (cn_sim.next_q, next_v); v_old is the state's, and stays when the
    // step is accepted.
    double *q_middle; // q~
    double *v_old;    // v_i as it is at q~, with the driven bodies' velocities
    double *load; // force and torque F_theta of each body, gravity left out, 6 each (2D: f_x f_y
                  // torque in 0 1 5); NULL: there is none
    double *v_free;
    double *v_new; // v_free + M^-1 H r, at q~
    // v_new as the next step will see it: with what projections onto joints change afterwards. The
    // same array where there are none.
    double *v_seen;
    const double *settled; // impulses of the joints' rows that make that change; NULL: none
    double *q, *v;         // the end
    cn_inertia_map inertia;
    cn_contact_list contacts;
    cn_assembled assembled;
    double *r, *u;   // the answer; u is shifted, u + s; NULL where v_new tells it
    uint8_t *status; // of each problem contact: 1 stick, 2 slide, 0 open
    cn_solve_report solved;
    const char *solver;
    int32_t retries;
    double joint_error;       // the largest error of a held row at the end [m], [rad]
    int32_t joint_worst;      // its joint, -1: none
    double projected;         // energy that projections onto the joints took [J]
    const double *projection; // by which bodies were lifted, as a velocity; NULL: none was
    double lifted;            // energy that lifting bodies out of penetration gave [J]
    cn_early_hits early; // contacts that bounce before they touch; opts.early, if there are any
    struct cn_fast_report {
        int32_t early, limited, passed;
        double early_gap;
        int32_t limited_at[2], passed_at[2]; // candidate and antagonist of one of them
    } fast;
    bool again;         // to be made again, with sim->forced and sim->reach
    bool halve;         // to be made again in two halves
    double drift_limit; // [s] as that of the state at its end
    double stilled;     // kinetic energy of bodies that fell asleep [J]
    bool *resting;      // bodies that sleep, are fixed or do not move; NULL: sleeping is off
    int32_t woken;      // bodies that awoke: the step is to be made again
} cn_step;

// The clock of a step whose time is limited [s CPU]; not part of a saved state, since a limit makes
// a run irreproducible anyway.
typedef struct cn_step_clock {
    double start;   // of the step
    double solving; // of its last solve
    double rest;    // that the last step took beside its solver, from that solve to its end
} cn_step_clock;

// A contact of a body that sleeps, as the last step before found it; impulse in world axes.
typedef struct cn_kept_contact {
    cn_contact contact;
    double impulse[3], friction;
    uint8_t status;
} cn_kept_contact;

typedef struct cn_scheme cn_scheme;

struct cn_sim {
    cn_env env;
    cn_threads *own_threads; // in env too; NULL: those of the caller, if any
    const cn_model *model;
    const cn_scheme *scheme;
    const cn_friction_solver *solver, *fallback;
    cn_solve_opts opts, fallback_opts;
    cn_solve_memo *memo; // of opts
    cn_detector *detector;
    cn_state state;
    cn_script *control;    // controllers of the model's bodies with their memory; NULL: none
    cn_evaluator *signals; // of forces, motions and motors
    double *next_q,
        *next_v; // take turns with the state's, step by step; NULL: steps have their own
    cn_steering steering;
    double steering_work;  // [J] what steering changed of the potential energy since the last step
    cn_arena *memory;      // for the life of the run
    cn_arena *step_memory; // for a step
    cn_arena *impulses;    // of the state
    cn_arena *scratch;     // of the solver
    cn_buffer kept;        // cn_kept_contact by key, of islands that sleep
    cn_buffer fresh;       // the same of those that fell asleep in the last step
    bool *restless;        // bodies that never sleep; NULL: sleeping is off
    cn_buffer forced;      // cn_contact_key, sorted: contacts that the step's last try would take
                           // right through; empty in its first try
    double *reach;         // [m] of each body, how far its last try took it; NULL: never needed
    int32_t tries;         // of the step under way
    double next_h;         // [s] length of the step after it
    int32_t fast_halvings; // how often it may be halved so that nothing passes through anything
    cn_step last;          // the step the state came from; contacts of no step before the first
    cn_step_clock clock;
    cn_phase_clock phases; // of the step under way
    cn_buffer backup;      // the state that the step under way began with, where it may change it
                           // before its end
    bool protects;         // backup holds it
    cn_buffer held;        // what controllers stored then
    double effort;         // sweeps that the step under way may still take; 0: no limit
    cn_system_run *system; // of a model with a system; the rest but the state is then unused
    struct cn_rigid_system *rigid; // of bodies under an integrator of systems; then system runs it
};

// One step of length h from the state at time t, into sim->last; the state is not touched. Outcome
// in last.solved.
typedef cn_status cn_scheme_fn(cn_sim *sim, double t, double h, cn_error *error);
// A time integrator. To add one: step/<name>.c, its line here and its row in step/scheme_table.c.
struct cn_scheme {
    const char *name;  // as scenes write it
    const char *about; // one line
    cn_scheme_fn *step;
};
const cn_scheme *cn_scheme_find(const char *name); // NULL: there is none
cn_scheme_fn cn_moreau_jean;
cn_scheme_fn cn_stabilised;

// Energies and work of sim->last, added to the report (kinetic and potential are those of the end).
void cn_step_energy(const cn_sim *sim, cn_step_report *report);
// Counts the contacts of sim->last whose own problem may have no or several solutions, and names
// the worst.
void cn_step_paradoxes(const cn_sim *sim, cn_step_report *report);
// Of the free bodies at poses q with velocities v, under the gravity that steering has set [J].
void cn_state_energy(const cn_sim *sim, const double *q, const double *v, double *kinetic,
                     double *potential);
// The steering that a scene starts with.
cn_steering cn_steering_default(const cn_model *model);
// CN_ERR_ARGUMENT when it cannot be taken.
cn_status cn_steering_check(const cn_model *model, const cn_steering *steering, cn_error *error);
// The force of the spring that pulls a body, added to the load; needs q_middle and the inertia.
void cn_steer_pull(const cn_model *model, cn_step *step);
// Multiplies the coefficients of friction of the assembled problem.
void cn_steer_friction(cn_step *step);
// Velocities that motions prescribe at time t, written into v.
void cn_step_drive(const cn_sim *sim, double t, double *v);
// ---- penetration (step/projection.c) ----

// Whether bodies are to be lifted out of penetration; then their poses at q~ are changed, and
// contacts and inertia must be found anew. Needs contacts and inertia.
cn_status cn_step_project(cn_sim *sim, bool *moved, cn_error *error);

// Normal impulses alone at q~, without friction, for body velocities v: 0 <= u_N + given orthogonal
// to r_N >= 0 for every listed contact; joints hold what they are. r in out->r.
cn_status cn_solve_normals(cn_sim *sim, const double *v, const double *given, double tolerance,
                           cn_assembled *out, cn_error *error);

// ---- fast pairs (step/fast_pairs.c) ----

// How often a step is halved where bodies would pass through one another: what is thrown at a wall
// in it is then seen to approach it in the next part.
#define CN_FAST_HALVINGS 5
// Into how many parts the first step of a run is to be cut, so that its first drift takes nothing
// through anything; 0: an error.
int32_t cn_fast_parts(cn_sim *sim, double h, cn_error *error);
// Marks contacts that must bounce before they touch. Needs contacts.
cn_status cn_fast_mark(cn_sim *sim, cn_error *error);
// Whether the solved step takes bodies through one another: step->again where another try may help,
// else they are stopped.
cn_status cn_fast_check(cn_sim *sim, cn_error *error);

// ---- sleeping (step/sleep.c) ----

bool cn_sleep_prepare(cn_sim *sim); // false: no memory
bool cn_is_asleep(const cn_sim *sim, int32_t body);
int32_t cn_kept_count(const cn_sim *sim);
void cn_sleep_wake_all(cn_sim *sim);
// Marks the bodies that rest during sim->last, after v_old is there.
cn_status cn_sleep_begin(cn_sim *sim);
// Wakes what given forces, a hand or driven bodies act on; after contacts and loads are there.
void cn_sleep_look(cn_sim *sim);
// Bodies that sleep do not answer to forces and impulses in the step.
void cn_sleep_hold(const cn_sim *sim, cn_step *step);
// Wakes what the solved step presses on.
void cn_sleep_disturb(cn_sim *sim);
// Lets islands fall asleep at the end of sim->last.
cn_status cn_sleep_decide(cn_sim *sim, cn_error *error);

// ---- models with a system, or seen as one (step/system.c) ----

cn_status cn_sim_system_create(cn_sim *sim, cn_error *error);
cn_status cn_sim_system_step(cn_sim *sim, cn_step_report *report, cn_error *error);
int32_t cn_sim_system_contact_count(const cn_sim *sim);
void cn_sim_system_contact(const cn_sim *sim, int32_t index, cn_contact_record *out);
// Open, stick or slide of a contact with friction mu.
uint8_t cn_sim_system_status(double mu, const double impulse[CN_CONTACT_PARTS]);
cn_status cn_sim_system_save(const cn_sim *sim, void **bytes, size_t *size);
cn_status cn_sim_system_load(cn_sim *sim, const void *bytes, size_t size, cn_error *error);

// Samples the controllers of the model's bodies at time t, the start of a step; how many numbers
// they store.
void cn_control_sample(cn_sim *sim, double t);
static inline int32_t cn_control_count(const cn_model *model) {
    return model->control ? model->control->script->held_count : 0;
}

// Parts of a contact's record, for those who want some of them of many contacts.
enum {
    CN_RECORD_PLACE = 1, // bodies, point, normal, gap
    CN_RECORD_IMPULSE = 2,
    CN_RECORD_AFTER = 4,  // velocity
    CN_RECORD_BEFORE = 8, // velocity_before, shift and frame_change
    CN_RECORD_STATE = 16, // friction and status
    CN_RECORD_ALL = 31
};
// As cn_sim_contact; parts that are not asked for may be anything.
void cn_sim_contact_parts(const cn_sim *sim, int32_t index, uint32_t parts, cn_contact_record *out);
// The poses of bodies first .. end - 1, as cn_sim_poses gives those of all.
void cn_sim_poses_of(const cn_sim *sim, int32_t first, int32_t end, double *q);
// The state's impulses become `count` unwritten ones; false: no memory, and there are none.
bool cn_state_make_room(cn_sim *sim, int32_t count);
// In world axes: the sum of parts[i] axis_i.
void cn_to_world(int32_t dim, const double axes[9], const double *parts, double out[3]);
// Stores the state, once a step, before the step changes it and may still fail.
cn_status cn_step_protect(cn_sim *sim, cn_error *error);
// The state is that of before the step, which failed.
void cn_step_undo(cn_sim *sim);
// The state becomes the end of sim->last.
cn_status cn_step_accept(cn_sim *sim, cn_error *error);

#endif
