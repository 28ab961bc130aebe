// cairn/sim.h
// Running a model: state in, one step, state out, and what each step reports.
#ifndef CAIRN_SIM_H
#define CAIRN_SIM_H

#include <cairn/model.h>
#include <cairn/outcome.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cn_sim cn_sim;
typedef struct cn_friction cn_friction; // cairn/problem.h

// One contact as it was during a step. Vectors in world axes, geometry at q~ (docs/design/step.md).
typedef struct cn_contact_record {
    cn_body_id candidate, antagonist;
    double point[3];
    double normal[3];          // towards the candidate
    double gap;                // [m]
    double impulse[3];         // [N s] on the candidate
    double velocity[3];        // [m/s] u after the step
    double velocity_before[3]; // u_i: the old velocity seen through the new frame
    double shift[3];           // s: the law holds for u + s
    double frame_change[3];    // how the turning of the frame since the last step changed u_i
    double friction;
    uint8_t status; // 0 open, 1 stick, 2 slide
} cn_contact_record;

// What a step did; energies [J], in 2D per metre of depth.
typedef struct cn_step_report {
    int64_t step;
    double t;
    int32_t contacts, sticking, sliding;
    const char *solver; // the one that gave the answer
    int32_t iterations;
    double residual; // by the checker, default measure
    cn_outcome outcome;
    int32_t retries, halvings; // what the stall policy did
    int32_t substeps;          // parts that the step was cut into, by its error or at events
    double penetration_max;    // [m] largest overlap, of g~
    double joint_error_max;
    int32_t missed; // pairs found overlapping that had not been candidates
    // Fast bodies with restitution, which a step would take through one another.
    int32_t early;    // contacts that bounced before they touched
    double early_gap; // [m] the largest gap of those
    int32_t limited;  // contacts that were stopped without bouncing, since nothing else held them
    cn_body_id limited_candidate, limited_antagonist; // one of them; 0: there is none
    int32_t passed; // pairs that may have passed through one another in spite of it
    cn_body_id passed_candidate, passed_antagonist; // one of them; 0: there is none
    // Contacts whose own problem may have no or several solutions (Painleve): mu |W_NT| >= W_NN.
    int32_t paradoxes;
    cn_body_id paradox_candidate, paradox_antagonist; // the worst of them; 0: there is none
    double paradox_ratio;                             // its mu |W_NT| / W_NN
    double kinetic, potential;
    double work_external, work_joints; // over the step
    double dissipated_friction, dissipated_impact, dissipated_numerical;
    double work_correction; // of lifting bodies out of penetration, over the step
    // Of deformable bodies: elastic energy at the end, what plastic strain and damping took.
    double elastic, dissipated_plastic, dissipated_viscous;
    // Of bonds: what breaking took over the step, and how many are broken at its end. Their elastic
    // energy and that of their viscosity count above.
    double dissipated_fracture;
    int32_t bonds_broken;
    double balance_error; // what the energy balance leaves
    // [s] the phases' shares of the step's CPU time
    double cpu_detect, cpu_assemble, cpu_solve, cpu_advance;
} cn_step_report;

// The time integrators by name, as settings.scheme takes them; NULL past the last.
CN_API const char *cn_scheme_name(int32_t index);

// The model must be finished and outlive the sim. error may be NULL.
CN_API cn_status cn_sim_create(const cn_model *model, const cn_env *env, cn_sim **out,
                               cn_error *error);
CN_API void cn_sim_destroy(cn_sim *sim);

// CN_ERR_NUMERIC when the policy is to stop and the solve stalled, or the state is no longer
// finite; the state is then that of the last good step.
CN_API cn_status cn_sim_step(cn_sim *sim, cn_step_report *report, cn_error *error);

CN_API int64_t cn_sim_step_index(const cn_sim *sim);
CN_API double cn_sim_time(const cn_sim *sim); // step index times h
CN_API const cn_model *cn_sim_model(const cn_sim *sim);

// ---- changing a run while it goes on ----

// What a person may change between two steps. It holds from the next step on and is part of what
// cn_sim_save keeps. A run that was steered is no longer what its scene says: record it as events.
typedef struct cn_steering {
    double gravity[3]; // [m/s2]; 2D: the third is ignored
    double friction;   // multiplies every coefficient of friction
    cn_body_id pulled; // a damped spring pulls this body; 0: none
    double point[3];   // where it holds the body, in the body's own frame
    double target[3];  // where it pulls to, in the world
    double stiffness;  // [N/m]; one that is too stiff for the step is softened (step/steer.c)
} cn_steering;

CN_API cn_steering cn_sim_steering(const cn_sim *sim); // at first the scene's gravity, friction 1
// CN_ERR_ARGUMENT for numbers that are not finite or negative, and for a body that cannot be pulled
// because it is fixed or driven; nothing is then changed. What a change of gravity does to the
// potential energy is work_external of the next step.
CN_API cn_status cn_sim_steer(cn_sim *sim, const cn_steering *steering, cn_error *error);

// ---- looking ----

// Pose of the bodies' own frames, 7 (2D: 3) numbers each, and velocities, 6 (2D: 3) each, as a run
// file has them.
CN_API void cn_sim_poses(const cn_sim *sim, double *q);
CN_API void cn_sim_velocities(const cn_sim *sim, double *v);
// Positions and velocities of the nodes of all deformable bodies (cn_model_mesh), in world axes, dim
// numbers each. Either may be NULL.
CN_API void cn_sim_nodes(const cn_sim *sim, double *x, double *v);
// Mean stress of every element of a deformable body (cn_model_mesh) in world axes, 6 numbers each:
// xx yy zz xy yz zx [Pa], tension positive. false: the body is none.
CN_API bool cn_sim_stress(const cn_sim *sim, cn_body_id body, double *stress);
// One body, by its number from 1 or by its name (cn_model_find_body). false: there is no such body.
typedef struct cn_body_state {
    double position[3];         // [m] of its own frame
    double orientation[4];      // w x y z; 2D: about z
    double angle;               // [rad] 2D, whole turns counted; 3D: 0
    double velocity[3];         // [m/s] of the centre of mass
    double angular_velocity[3]; // [rad/s] world axes; 2D: [2]
} cn_body_state;
CN_API bool cn_sim_body(const cn_sim *sim, cn_body_id body, cn_body_state *out);
CN_API bool cn_sim_body_named(const cn_sim *sim, const char *name, cn_body_state *out);
// What all contacts press on a body [N]: the mean over the last step, or over its last part where
// the step was cut. false: there is no such body. Before the first step it is zero.
CN_API bool cn_sim_contact_force(const cn_sim *sim, cn_body_id body, double force[3]);
CN_API void cn_sim_energy(const cn_sim *sim, double *kinetic, double *potential);
// XXH64 over step, q, v with -0 read as 0.
CN_API uint64_t cn_sim_hash(const cn_sim *sim);

// The contacts of the last step, index from 0. Valid until the next one. After cn_sim_load they are
// those of the step before the save, without velocities, shift and frame change, which are zero; a
// step that fails may leave none. CN_ERR_ARGUMENT, and nothing in out, for an index that there is
// not.
// Bonds of mortar or glue: points where bodies touched at the start, whose materials' contact has
// strength or stiffness. Their number does not change.
typedef struct cn_bond_record {
    cn_body_id candidate, antagonist;
    double area;       // [m2], 2D [m]
    double point[3];   // now, world axes
    double normal[3];  // towards the candidate
    double opening[3]; // of the candidate relative to the antagonist, world axes [m]
    double damage;     // 0 intact, between: cracked, 1: a layer without strength; 2: broken
} cn_bond_record;
CN_API int32_t cn_sim_bond_count(const cn_sim *sim);
CN_API cn_status cn_sim_bond(const cn_sim *sim, int32_t index, cn_bond_record *out);

CN_API int32_t cn_sim_contact_count(const cn_sim *sim);
CN_API cn_status cn_sim_contact(const cn_sim *sim, int32_t index, cn_contact_record *out);
// The moment stress of every body, 9 numbers each by rows [Pa], tension positive: 1/V sum (x - c) R'
// over the contact forces R at x, c the centre of mass, V mass over density; 0 of fixed bodies and of
// those without density. Of a body at rest it is the mean stress; sums over bodies, weighed by V, are
// those of a region. poses: of the bodies' own frames; h: the step of the impulses.
CN_API cn_status cn_moment_stress(const cn_model *model, const double *poses,
                                  const cn_contact_record *contacts, int32_t count, double h,
                                  double *out);
// The one-step problem of the last step, in body space, with its solution; valid until the next
// step. NULL: none, or no memory.
CN_API const cn_friction *cn_sim_problem(const cn_sim *sim, const double **r, const double **u);

// Everything that later results depend on, as bytes; load gives CN_ERR_INPUT for
// another model's.
// The bytes are from the env's allocator; see cn_sim_free.
CN_API cn_status cn_sim_save(const cn_sim *sim, void **bytes, size_t *size);
CN_API void cn_sim_free(const cn_sim *sim, void *bytes, size_t size);
// The same bytes into memory of the caller's: room is asked once for as many as there are; NULL from
// it is CN_ERR_MEMORY.
typedef void *cn_room_fn(void *user, size_t size);
CN_API cn_status cn_sim_save_into(const cn_sim *sim, cn_room_fn *room, void *user);
CN_API cn_status cn_sim_load(cn_sim *sim, const void *bytes, size_t size, cn_error *error);

#ifdef __cplusplus
}
#endif
#endif
