// step/step.h
// One step of a scene of rigid bodies: what its phases read, what they write, and their functions.
//
// step/step.c calls the phases in their order. A phase reads what its const arguments point to and
// writes what its other arguments point to; none of them knows the simulation.
#ifndef CAIRN_STEP_STEP_H
#define CAIRN_STEP_STEP_H

#include <cairn/sim.h>
#include <cairn/solve.h>

#include "assemble/assemble.h"
#include "assemble/bond.h"
#include "base/memory.h"
#include "step/clock.h"

// What all phases may read, the same from the start of a step to its end, and where they work.
typedef struct step_context {
    const cn_env *env;
    const cn_model *model;
    const model_state *state; // that the step starts from
    const cn_steering *steering;
    const double *given[2]; // loads from outside, 6 per body; NULL: none
    double t, h;            // start and length [s]
    double sweep;           // [s] from q~ to that of the next step
    asm_assemble_opts opts; // theta and the laws, as the scheme has them
    cn_arena *memory;       // of what a step finds, until the next step
    cn_arena *scratch;      // of a solve
    det_detector *detector;
    struct step_deformable *deformable; // step/deformable/deformable.h; NULL: all bodies are rigid
    struct step_bonds *bonds;           // step/bonds/bonds.h; NULL: nothing is bonded
    step_phase_clock *clock;
} step_context;

// ---- what phases leave for the next step ----

// Who solves the problems of a run, and what the step under way may still take.
typedef struct step_solvers {
    const cn_friction_solver *main, *fallback;
    cn_solve_opts opts, fallback_opts;
    cn_solve_cache *cache; // of opts
    double effort;         // sweeps that the step under way may still take; 0: no limit
    step_time_limit limit;
} step_solvers;

// A contact of a body that sleeps, as the last step before found it; impulse in world axes.
typedef struct step_stored_contact {
    det_contact contact;
    double impulse[3], friction;
    uint8_t status;
} step_stored_contact;

// Which bodies sleep is part of the state; this is what belongs to it besides.
typedef struct step_sleep {
    const cn_model *model;
    model_state *state; // whose quiet, island and rest_load sleeping changes
    base_buffer stored; // step_stored_contact by key, of islands that sleep
    base_buffer fresh;  // the same of those that fell asleep in the last step
    bool *restless;     // bodies that never sleep; NULL: sleeping is off
} step_sleep;

// What one try of a step tells the next one about bodies that would pass through one another.
typedef struct step_retry {
    cn_arena *memory;   // for the life of the run
    base_buffer forced; // model_contact_key, sorted: contacts that the last try would take right
                        // through; empty in the first try
    double *reach;      // [m] of each body, how far the last try took it; NULL: never needed
    int32_t tries;      // made of this step
    int32_t halvings;   // how often it may be halved so that nothing passes through anything
} step_retry;

// ---- what a step finds ----

typedef struct step_fast_report {
    int32_t early, limited, passed;
    double early_gap;
    int32_t limited_at[2], passed_at[2]; // candidate and antagonist of one of them
} step_fast_report;

typedef enum step_verdict {
    STEP_STANDS,
    STEP_AGAIN, // to be made again: something woke, or passes through something
    STEP_HALVE  // to be made again in two halves
} step_verdict;

// The vectors and results of one step. Arrays lie in the step's arena until the next step.
typedef struct step_data {
    double t, h;            // start and length
    asm_assemble_opts opts; // with contacts that bounce before they touch
    step_verdict verdict;

    // ---- vectors (step/vectors.c); some share memory where `shared`
    bool shared;
    double *q_middle; // q~
    double *v_old;    // v_i as it is at q~, with the driven bodies' velocities
    double *v_free;
    double *v_new;  // v_free + M^-1 H r, at q~
    double *q, *v;  // the end
    double *load;   // force and torque F_theta of each body, gravity left out, 6 each (2D: f_x f_y
                    // torque in 0 1 5); NULL: there is none
    bool given;     // some of it comes from outside
    double *effort; // of motors that are forces, one per joint; NULL: there are no joints
    int32_t joints; // that took part

    // ---- before the solve
    bool *resting;  // bodies that sleep, are fixed or do not move; NULL: sleeping is off
    int32_t woken;  // bodies that awoke: the step is to be made again
    double stilled; // kinetic energy of bodies that fell asleep [J]
    det_contact_list contacts;
    asm_inertia_map inertia;
    const double *projection; // by which bodies were lifted, as a velocity; NULL: none was
    double lifted;            // energy that lifting bodies out of penetration gave [J]
    asm_early_hits early;     // contacts that bounce before they touch; place NULL: none
    asm_assembled assembled;

    // ---- the solution
    double *r, *u;   // u is shifted, u + s; NULL where v_new holds it
    uint8_t *status; // of each problem contact: 1 stick, 2 slide, 0 open
    cn_solve_report solved;
    const char *solver;
    int32_t retries;

    // ---- bonds
    asm_bonds bonds;
    // Damage of each before the step, during it and after it; NULL: there are none.
    double *damage_before, *damage, *damage_end;
    double *broke_at; // 3 each, in contact axes: the impulse that was too much, of those that broke
    int32_t breaks;   // bonds that broke

    // ---- joints at the end
    double joint_error;  // the largest error of a held row [m], [rad]
    int32_t joint_worst; // its joint, -1: none
    double projected;    // energy that projections onto the joints took [J]
    // v_new as the next step will see it: with what projections onto joints change afterwards. The
    // same array where there are none.
    double *v_seen;
    const double *settled; // impulses of the joints' rows that make that change; NULL: none

    // ---- bodies that pass through one another
    step_fast_report fast;
    double drift_limit; // [s] as that of the state at its end
} step_data;

// ---- the step (step/step.c) ----

// Theta, the laws of contacts and the remedy against drift of joints, as a scheme wants them.
typedef void step_scheme_fn(const cn_settings *settings, asm_assemble_opts *opts);
step_scheme_fn step_opts_moreau_jean, step_opts_stabilised;

// A step from the state, which stays as it is but for bodies that wake, tried until it stands or is
// to be halved: step->verdict. vectors: of the run.
struct step_vectors;
cn_status step_run(const step_context *in, const struct step_vectors *vectors, step_sleep *sleep,
                   step_solvers *solvers, step_retry *retry, step_data *step, cn_error *error);

// ---- vectors (step/vectors.c) ----

// Poses and velocities that take turns with those of the state; NULL: steps have their own.
typedef struct step_vectors {
    double *next_q, *next_v;
} step_vectors;
// false: no memory. schemed: the model runs under a scheme of step/scheme_table.c.
bool step_vectors_create(const cn_model *model, bool schemed, cn_arena *memory, step_vectors *out);
// The vectors of a step. v_old holds the velocities of the state; false: no memory.
bool step_vectors_take(const step_context *in, const step_vectors *vectors, step_data *step);
// The end of a step becomes the state's poses and velocities.
void step_vectors_store(const cn_model *model, const step_data *step, step_vectors *vectors,
                        model_state *state);

// ---- motion between impulses (step/moreau_jean.c) ----

// Motion of every body without forces for a time; q and v may be the outputs.
void step_drift(const step_context *in, const double *q, const double *v, double time,
                double *q_out, double *v_out);
// v_free: what gravity and load, given at q, make of v_old, and the motions' velocities at the end
// of the step.
cn_status step_free_velocity(const step_context *in, const double *q,
                             const asm_inertia_map *inertia, const double *load,
                             const double *v_old, double *v_free, cn_error *error);
// v_new = v_free + M^-1 H r, then q and v at the end of the step: a drift from q_middle.
cn_status step_integrate(const step_context *in, const asm_assembled *assembled, const double *r,
                         const double *q_middle, const double *v_free, double *v_new, double *q,
                         double *v, cn_error *error);

// ---- forces (step/loads.c, step/steer.c) ----

// Velocities that motions prescribe at time t, written into v.
void step_prescribe_velocities(const cn_model *model, base_evaluator *signals, double t, double *v);
// Adds the given forces of the step, at poses q; effort: as in step_data, or NULL.
void step_add_loads(const step_context *in, const double *q, double *load, double *effort);
// Adds the force of the spring that pulls a body.
void step_add_pull(const step_context *in, const double *q, const double *v,
                   const asm_inertia_map *inertia, double *load);
// Multiplies the coefficients of friction of a problem by that of the steering.
void step_scale_friction(const cn_steering *steering, cn_friction *problem);

// ---- the solution (step/solve.c) ----

// r, from its first guess, and u (NULL: not wanted); with the policy "retry" also by the fallback.
// Writes solved, whose iterations add up, solver and retries of the step.
cn_status step_solve(const step_context *in, step_solvers *solvers, const cn_friction *problem,
                     double *r, double *u, step_data *step, cn_error *error);
// Open, stick or slide of each problem contact.
cn_status step_classify(const step_context *in, const asm_assembled *assembled, const double *r,
                        uint8_t **status, cn_error *error);
// Normal impulses alone, without friction, at the poses of the inertia for body velocities v:
// 0 <= u_N + given orthogonal to r_N >= 0 for every listed contact; joints hold what they are. r in
// out->r.
cn_status step_solve_normals(const step_context *in, const det_contact_list *contacts,
                             const asm_inertia_map *inertia, const double *v, const double *given,
                             double tolerance, asm_assembled *out, cn_error *error);

// ---- penetration (step/projection.c) ----

// Lifts bodies out of penetration: their poses at q~ change, and contacts and inertia must be found
// anew. Writes q_middle, v_old, lifted and projection of the step.
cn_status step_project(const step_context *in, step_data *step, bool *moved, cn_error *error);

// ---- joints (step/joints.c) ----

// Further solves until the joints hold at the end of the step, each from the first guess of the
// first one. Writes what step_solve and step_integrate do, joint_error and joint_worst.
cn_status step_close_joints(const step_context *in, step_solvers *solvers, const double *guess,
                            step_data *step, cn_error *error);
// What the remedy against drift does to q and v at the end of the step.
cn_status step_project_joints(const step_context *in, const step_solvers *solvers, step_data *step,
                              cn_error *error);
// Takes velocities that joints forbid out of v, as an impact would, at q; impulses of the joints'
// rows that do so, NULL: there was nothing to do.
cn_status step_project_joint_velocities(const step_context *in, const step_solvers *solvers,
                                        const double *q, double *v, const double **impulses,
                                        cn_error *error);
// The same where rates across joints are above min [m/s], [rad/s].
cn_status step_remove_joint_rates(const step_context *in, const step_solvers *solvers, double min,
                                  const double *q, double *v, const double **impulses,
                                  cn_error *error);
// Poses onto the joints, the nearest way in the metric of the masses.
cn_status step_project_positions(const step_context *in, const step_solvers *solvers, double *q,
                                 cn_error *error);

// ---- fast pairs (step/fast_pairs.c) ----

// How often a step is halved where bodies would pass through one another: what is thrown at a wall
// in it is then seen to approach it in the next part.
#define STEP_FAST_HALVINGS 5
// Into how many parts the first step of a run is to be cut, so that its first drift takes nothing
// through anything; 0: an error.
int32_t step_fast_parts(const step_context *in, cn_error *error);
// Contacts that must bounce before they touch, which may get another normal; early->place NULL:
// none.
cn_status step_mark_early(const step_context *in, const step_retry *retry, const double *q,
                          const double *v, det_contact_list *contacts, asm_early_hits *early,
                          cn_error *error);
// Whether the solved step takes bodies through one another: step->verdict where another try may
// help, with what that one must know in retry, else they are stopped.
cn_status step_check_fast(const step_context *in, step_retry *retry, step_data *step,
                          cn_error *error);

// ---- sleeping (step/sleep.c) ----

bool step_sleep_prepare(step_sleep *sleep, cn_arena *memory); // false: no memory
bool step_is_asleep(const model_state *state, int32_t body);
int32_t step_stored_count(const step_sleep *sleep);
void step_wake_all(step_sleep *sleep);
void step_wake_body(step_sleep *sleep, int32_t body); // and its island
// The bodies that rest during a step with velocities v at its start; NULL: sleeping is off.
cn_status step_sleep_begin(const step_context *in, step_sleep *sleep, const double *v,
                           bool **resting);
// Wakes what given forces, a hand or driven bodies act on; returns how many bodies.
int32_t step_wake_loaded(const step_context *in, const bool *resting, const double *load,
                         const det_contact_list *contacts, step_sleep *sleep);
// Bodies that sleep do not answer to impulses in the step.
void step_hold_sleeping(const step_context *in, const bool *resting, asm_inertia_map *inertia);
// Nor to forces.
void step_still_sleeping(const step_context *in, const bool *resting, double *v_free);
// Wakes what the solved step presses on; returns how many bodies.
int32_t step_wake_pressed(const step_data *step, step_sleep *sleep);
// Lets islands fall asleep at the end of a step. Writes v and stilled of the step.
cn_status step_fall_asleep(const step_context *in, step_sleep *sleep, step_data *step,
                           cn_error *error);

// ---- the report (step/report.c, step/energy.c, step/paradox.c) ----

// Adds what the step found to a report that may cover several.
void step_add_report(const step_context *in, const step_sleep *sleep, const step_data *step,
                     cn_step_report *report);
// Adds energies and work (kinetic and potential are those of the end).
void step_add_energy(const step_context *in, const step_data *step, cn_step_report *report);
// Counts the contacts whose own problem may have no or several solutions, and names the worst.
void step_add_paradoxes(const cn_env *env, const step_data *step, cn_step_report *report);
// Of the free bodies at poses q with velocities v [J].
void step_energy_of(const cn_env *env, const cn_model *model, const double gravity[3],
                    const double *q, const double *v, double *kinetic, double *potential);
// In world axes: the sum of parts[i] axis_i.
void step_to_world(int32_t dim, const double axes[9], const double *parts, double out[3]);

#endif
