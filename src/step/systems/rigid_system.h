// step/systems/rigid_system.h
// Rigid bodies seen as a Lagrangian system, so that a scene may choose the integrators of systems.
//
// Coordinates of a free body: a point of it, and its angle (2D) or the rotation vector from an
// orientation that is renewed when it has turned far (3D); locked ones are left out. Contacts are
// slots: each holds one contact of the detection, known again by its key wherever a step looks.
#ifndef CAIRN_STEP_RIGID_SYSTEM_H
#define CAIRN_STEP_RIGID_SYSTEM_H

#include "step/sim.h"
#include "system/system.h"

// A row of a joint that is held, or an end of its limits.
typedef struct step_rigid_row {
    int32_t joint, row;
    double sign, offset; // gap = sign (gauge - offset) of a limit
} step_rigid_row;

typedef struct step_rigid_slot {
    bool used;
    det_contact contact; // as found last
} step_rigid_slot;

typedef struct step_rigid_system {
    cn_sim *sim;
    cn_system *system;
    cn_arena *memory;
    int32_t n;
    int32_t *coordinate; // 6 per body (2D: 3): of x y z and the rotation; -1: it cannot move so
    bool *on_joint; // of each body: whether its point is one of a joint, else the centre of mass
    double *point;  // 3 per body: the point, in body axes from the centre of mass
    step_rigid_row *held, *limit;
    int32_t held_count, limit_count, slot_count;
    step_rigid_slot *slot; // of the contacts behind the limits
    // What belongs to the state besides coordinates: base poses of all bodies (of driven ones at
    // the start of the step), the angles of joints, the keys of slots, what controllers keep,
    // gravity and friction as a person may have changed them, loads from outside and inputs.
    double *kept, *base, *key, *control, *steered, *outside;
    int32_t kept_count;
    double start; // [s] of the step

    // Where the functions were asked for last: poses, T of each body (3D), contacts found or not.
    double t, *q;
    bool placed, looked;
    double *pose, *turn, *load;
    double *arm;   // 3 per body: from its point to its centre of mass, world axes
    double *reach; // velocities for the detection's margins, of the start of the step
    cn_status status;
    cn_error error; // what a function could not say
} step_rigid_system;

// The system of sim's model, in sim->rigid, and whatever cannot be such a system refused with its
// place.
cn_status step_rigid_system_create(cn_sim *sim, cn_error *error);
void step_rigid_system_destroy(step_rigid_system *rigid); // NULL is allowed
// Before a step: orientations renewed, slots given to the contacts near.
cn_status step_rigid_system_begin(step_rigid_system *rigid, cn_system_run *run, cn_error *error);
// After it, or after a load: the poses and velocities of the sim's state. moved: driven bodies
// go on to the end of the step. CN_ERR_MEMORY is of a load.
cn_status step_rigid_system_end(step_rigid_system *rigid, const cn_system_run *run, bool moved);
// What the simulation holds of the state, before a step or a save.
void step_rigid_keep(step_rigid_system *rigid);
// Whether numbers of a file may become rigid->kept: bodies that there are, and finite poses.
bool step_rigid_kept_is_sound(const step_rigid_system *rigid, const double *kept);
int32_t step_rigid_contact_count(const cn_sim *sim);
void step_rigid_contact(const cn_sim *sim, int32_t index, cn_contact_record *out);

// ---- shared by its files ----

// CN_OK, or why the model cannot be seen so.
cn_status step_rigid_system_check(const cn_sim *sim, cn_error *error);
// Poses at (t, q).
void step_rigid_place(step_rigid_system *rigid, double t, const double *q);
// A row over (v, omega) of body, 6 numbers in world axes, added into one over coordinates.
void step_rigid_add_row(const step_rigid_system *rigid, int32_t body, const double J[6],
                        double *row);
// What a driven body adds to the rate of such a row.
double step_rigid_driven_rate(const step_rigid_system *rigid, int32_t body, const double J[6]);
// The functions of the contacts.
void step_rigid_gap(void *user, double t, const double *q, double *g);
void step_rigid_contact_rows(void *user, double t, const double *q, double *normal, double *tangent,
                             double *normal_rate, double *tangent_rate);
// Gives slots to the contacts at the start of a step, and takes back those of contacts gone.
cn_status step_rigid_slots_begin(step_rigid_system *rigid, cn_system_run *run, cn_error *error);
// The slots as their keys say, as after a load.
void step_rigid_slots_load(step_rigid_system *rigid);

#endif
