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

// What the dynamics needs of a body.
typedef struct cn_rigid {
    int32_t dim;
    double mass;
    const double *inertia,
        *inverse_inertia; // about the centre of mass, body axes, 3x3 by rows; 2D: [8]
    uint32_t lock;        // CN_LOCK_... bits
    bool lock_body_axes;  // the locks turn with the body
} cn_rigid;

// Pose moved by a velocity during time h: x + h v, and the rotation by h omega. out may be pose.
void cn_rigid_move(int32_t dim, const double *pose, const double *velocity, double h, double *out);

// Inverse mass matrix at a pose, world axes, locks worked in: 6x6 (2D 3x3) by rows. It gives the
// velocity that an impulse (force and torque about the centre of mass) makes; held directions get
// none.
void cn_rigid_inverse_mass(const cn_rigid *body, const double *pose, double *inverse);

// The velocity after h under a constant force and torque (world axes) without contacts, and the
// pose that belongs to it. Rotation, 3D: body-frame midpoint rule for Euler's equation with the
// step h' = 2 tan(h|W|/2)/|W| in its gyroscopic term, W the mean body rate. Then the rotation exp(h
// W) carries the angular momentum exactly at theta = 1/2, the energy is exact too, and a steady
// spin turns by the exact angle. Held directions get velocity zero.
void cn_rigid_free_step(const cn_rigid *body, const double *pose, const double *velocity,
                        const double *force, const double *torque, double h, double theta,
                        double *free_velocity, double *free_pose);

// The end pose: x + h ((1 - theta) v_old + theta v); the rotation is the free one, corrected by
// what the impulses changed, exp(h theta (omega - omega_free)). A body that stays at rest keeps its
// bits.
void cn_rigid_end_pose(int32_t dim, const double *pose, const double *old_velocity,
                       const double *free_pose, const double *free_velocity, const double *velocity,
                       double h, double theta, double *out);

double cn_rigid_kinetic(const cn_rigid *body, const double *pose, const double *velocity);

#endif
