// cairn/act.h
// Acting on a run between two steps: its state, forces from outside, inputs; and what its joints and
// contacts did in the last step, many at a time.
//
// All of it is part of what cn_sim_save keeps, and its energy is work_external of the next step's
// report. A call that gives an error has changed nothing. Bodies and joints count from 1, vectors
// stand in world axes; in 2D a force is (f_x, f_y, 0) and a torque (0, 0, m). A run that was acted
// on is no longer what its scene says: a recorder notes it as events, which cn_run_check goes by.
#ifndef CAIRN_ACT_H
#define CAIRN_ACT_H

#include <cairn/sim.h>
#include <cairn/solve.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- the state ----

enum {                      // for cn_sim_set_state
    CN_STATE_PROJECT = 1,   // poses and velocities are moved onto the joints, the nearest way
    CN_STATE_NO_OVERLAP = 2 // bodies that overlap by more than settings.overlap_max are an error
};
// Poses and velocities as cn_sim_poses and cn_sim_velocities give them, of all bodies; NULL: those
// of now. Quaternions need not have length 1. Bodies asleep awake; impulses of contacts and joints
// remain first guesses of the next solve. Velocities along locked degrees of freedom are left out,
// and of bodies that do not move freely. Deformable bodies stay as they are. CN_ERR_ARGUMENT: a
// number is not finite, or a quaternion is zero.
CN_API cn_status cn_sim_set_state(cn_sim *sim, const double *q, const double *v, uint32_t flags,
                                  cn_error *error);

// ---- bodies and joints ----

// Adds a body where def says, with a material of the model; it must be free or fixed. Its number is
// one more than the highest so far, also of bodies that were removed, and cn_sim_model shows it:
// after the first change that is a copy of the simulation's own, and the model given stays as it
// was. It may overlap others, which penetration_max of the next report shows.
CN_API cn_status cn_sim_add_body(cn_sim *sim, const cn_body_def *def, cn_body_id *body,
                                 cn_error *error);
// Removes a body with its joints, loads, forces and motions. Its number stays its own: arrays have a
// place for it, with its last pose and velocity zero, and calls that are about it give an error.
// Names of bodies that were removed are free again.
CN_API cn_status cn_sim_remove_body(cn_sim *sim, cn_body_id body, cn_error *error);
// Adds a joint between two bodies as they now stand: points and axes of def are those of now, and
// angles count from now. Its expressions may name the inputs that the model has.
CN_API cn_status cn_sim_add_joint(cn_sim *sim, const cn_joint_def *def, int32_t *joint,
                                  cn_error *error);
CN_API cn_status cn_sim_remove_joint(cn_sim *sim, int32_t joint, cn_error *error);
// false: it was removed, or there never was one.
CN_API bool cn_sim_has_body(const cn_sim *sim, cn_body_id body);
CN_API bool cn_sim_has_joint(const cn_sim *sim, int32_t joint);
// All velocities become zero, those of nodes of deformable bodies too; positions and the impulses of
// contacts, as first guesses, stay.
CN_API cn_status cn_sim_rest(cn_sim *sim, cn_error *error);

// ---- forces from outside ----

// Force [N] and torque [N m] about the centre of mass of each body, 6 (2D: f_x f_y torque) a body,
// held until they are given again; NULL: none. They may act on free bodies alone.
CN_API cn_status cn_sim_set_loads(cn_sim *sim, const double *wrench, cn_error *error);
// Adds a force at a point of a body, in the body's own frame (NULL: the centre of mass), and a
// torque, for the next step only; NULL: zero.
CN_API cn_status cn_sim_apply(cn_sim *sim, cn_body_id body, const double force[3],
                              const double torque[3], const double point[3], cn_error *error);
// Changes the velocities at once by an impulse [N s] at a point, as in cn_sim_apply, and an angular
// impulse [N m s]. Joints pass it on, as in an impact; contacts do so in the next step.
CN_API cn_status cn_sim_apply_impulse(cn_sim *sim, cn_body_id body, const double impulse[3],
                                      const double angular[3], const double point[3],
                                      cn_error *error);

// ---- inputs ----

// The values of all inputs of the model, held until they are set again; cn_model_input_find gives
// their indices.
CN_API cn_status cn_sim_set_inputs(cn_sim *sim, const double *values, cn_error *error);
CN_API cn_status cn_sim_set_input(cn_sim *sim, int32_t index, double value, cn_error *error);
CN_API const double *cn_sim_inputs(const cn_sim *sim); // as many as the model has

// ---- solver, progress, user data ----

// Another friction solver in further steps (its fields are copied, what its info points to must
// live); NULL: that of the model. Tolerance and limits are those of the settings, and the policy
// for stalled solves holds as before. Not part of a saved state.
CN_API cn_status cn_sim_set_solver(cn_sim *sim, const cn_friction_solver *solver, cn_error *error);
// Called at the start of each phase of a step ("detect", "assemble", "solve", "advance") and within
// solves, by the thread that calls cn_sim_step; NULL: nobody. Where it returns false the step ends
// with CN_ERR_CANCELLED, and the state is that of before. It must not call the simulation.
CN_API void cn_sim_set_progress(cn_sim *sim, cn_progress_fn *progress, void *user);
// A pointer of each body that is the user's own; not part of a saved state.
CN_API cn_status cn_sim_set_user(cn_sim *sim, cn_body_id body, void *user, cn_error *error);
CN_API void *cn_sim_user(const cn_sim *sim, cn_body_id body); // NULL: none

// ---- joints ----

typedef struct cn_joint_state {
    double value, rate; // of the free motion [rad], [m] and per second; 0 where a joint has none
    // What the joint gives its second body, and the opposite to the first, as a mean over the last
    // step: force [N], and torque [N m] about the joint's point in the second body. The motor's,
    // spring's, friction's and limit's parts are in it.
    double force[3], torque[3];
    double effort;                         // of the motor along the free motion [N m] or [N]
    double limit_effort, friction, spring; // of the limits, of dry friction, of the spring
    int8_t limit;                          // -1, 1: at the lower, the upper limit; 0: at none
    int8_t saturated;                      // -1, 1: the motor gives all that it may; 0: less
} cn_joint_state;

// CN_ERR_ARGUMENT, and zeros in out, for a joint that there is not. Efforts are of the last part of
// a step that was cut into parts, and zero before the first step and after a load.
CN_API cn_status cn_sim_joint(const cn_sim *sim, int32_t joint, cn_joint_state *out);
// All joints of the model in their order.
CN_API cn_status cn_sim_joints(const cn_sim *sim, cn_joint_state *out);

// ---- contacts ----

// Columns for the contacts of a step, with dim numbers for a vector; NULL: not wanted. Fields are
// those of cn_contact_record.
typedef struct cn_contact_columns {
    int32_t *bodies; // 2 each: candidate, antagonist
    double *point, *normal, *gap;
    double *impulse;
    double *velocity, *velocity_before, *shift, *frame_change;
    double *friction;
    uint8_t *status;
} cn_contact_columns;

// The first `capacity` contacts of the last step into the arrays given; how many were written. There
// are cn_sim_contact_count of them, in ascending order of candidate and antagonist but for bodies
// asleep, which come last. As cn_sim_contact.
CN_API int32_t cn_sim_contacts(const cn_sim *sim, int32_t capacity, const cn_contact_columns *out);
// Pairs of bodies, candidate and antagonist, in ascending order, that press on one another since the
// last step and did not in the one before, and those that no longer do; how many there are, of which
// at most `capacity` are written. None before the first step, after a load, and for integrators of
// systems.
CN_API int32_t cn_sim_contacts_begun(const cn_sim *sim, int32_t capacity, cn_body_id *pairs);
CN_API int32_t cn_sim_contacts_ended(const cn_sim *sim, int32_t capacity, cn_body_id *pairs);

// ---- columns ----

// The values of all columns of the model now; as many as cn_model_column_count.
CN_API void cn_sim_columns(const cn_sim *sim, double *values);

#ifdef __cplusplus
}
#endif
#endif
