// body/rigid.h
// One rigid body: its inertia in world axes, its free flight, its energy. Knows nothing of other
// bodies.
//
// pose: centre of mass and orientation (x y z, w x y z); velocity: (v, omega) in world axes. 2D: (x
// y angle), (v, omega).
#ifndef CAIRN_BODY_RIGID_H
#define CAIRN_BODY_RIGID_H

#include <stdbool.h>
#include <stdint.h>

// The fixed point of free rotation.
#define BODY_SPIN_ROUNDS                                                                           \
    50 // of the fixed point; a few suffice unless the body turns by a radian a step
#define BODY_SPIN_TOLERANCE 1e-15 // relative change of the rate that ends it: round-off
#define BODY_SPIN_SERIES 1e-4 // [rad] below, the series of the tangent ends after its second term

// What the dynamics needs of a body.
typedef struct body_rigid {
    int32_t dim;
    double mass;
    const double *inertia,
        *inverse_inertia; // about the centre of mass, body axes, 3x3 by rows; 2D: [8]
    uint32_t lock;        // CN_LOCK_... bits
    bool lock_body_axes;  // the locks turn with the body
} body_rigid;

// All moments of inertia are one: no gyroscopic torque, and the same in all axes.
bool body_inertia_is_isotropic(const double inertia[9]);

// Pose moved by a velocity during time h: x + h v, and the rotation by h omega. out may be pose.
void rigid_move(int32_t dim, const double *pose, const double *velocity, double h, double *out);

// Inverse mass matrix at a pose, world axes, locks worked in: 6x6 (2D 3x3) by rows. It gives the
// velocity that an impulse (force and torque about the centre of mass) makes; held directions get
// none.
void rigid_inverse_mass(const body_rigid *body, const double *pose, double *inverse);

// Motion without forces for time h: x + h v, and the rotation of Euler's equation by the body-frame
// midpoint rule with the step h' = 2 tan(h|W|/2)/|W| in its gyroscopic term, W the mean body rate.
// Energy and angular momentum are kept exactly, a steady spin turns by the exact angle, the rest is
// of second order. A body at rest keeps its bits. The outputs may be the inputs.
void rigid_drift(const body_rigid *body, const double *pose, const double *velocity, double h,
                 double *out_pose, double *out_velocity);

// velocity + h M^-1 (force, torque), world axes; inverse: M^-1 at the pose, from
// rigid_inverse_mass. Held directions get velocity zero. out may be velocity.
void rigid_kick(const body_rigid *body, const double *pose, const double *inverse,
                const double *force, const double *torque, double h, const double *velocity,
                double *out);

double rigid_kinetic(const body_rigid *body, const double *pose, const double *velocity);

#endif
