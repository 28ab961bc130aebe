// cairn/joint.h
// Joints between two bodies: what they hold, limits, motors, springs.
#ifndef CAIRN_JOINT_H
#define CAIRN_JOINT_H

#include <cairn/body.h>
#include <cairn/signal.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cn_joint_kind {
    CN_JOINT_FIXED,       // holds everything
    CN_JOINT_BALL,        // 3D: holds a point
    CN_JOINT_HINGE,       // holds a point, turns about an axis
    CN_JOINT_SLIDER,      // slides along an axis
    CN_JOINT_CYLINDRICAL, // 3D: slides along an axis and turns about it
    CN_JOINT_UNIVERSAL,   // 3D: holds a point and two crossed pins
    CN_JOINT_PLANAR,      // 3D: slides in a plane
    CN_JOINT_DISTANCE,    // keeps the distance of two points, or bounds it
    CN_JOINT_SCREW,       // 3D: advances as it turns
    CN_JOINT_GEAR,        // couples the turning of two bodies about axes fixed in the world
    CN_JOINT_SPRING,      // a spring and damper between two points
    CN_JOINT_TORSION,     // a spring and damper about an axis
    CN_JOINT_KINDS
} cn_joint_kind;

CN_API const char *cn_joint_kind_text(cn_joint_kind kind); // "fixed", ...

typedef enum cn_motor_kind {
    CN_MOTOR_NONE,
    CN_MOTOR_VELOCITY, // of the second body against the first: exactly, or by damping where given
    CN_MOTOR_POSITION, // exactly, or by stiffness and damping where they are given
    CN_MOTOR_FORCE     // force or torque on the second body, against on the first
} cn_motor_kind;

// Points and axes in the world as the bodies stand at the start. Angles and slides count from the
// start, distances from zero. A vector whose [0] is NaN, and a number that is NaN, are not given.
typedef struct cn_joint_def {
    const char *name; // may be NULL
    cn_joint_kind kind;
    cn_body_id body[2];
    double point[3], second_point[3]; // second_point: distance and spring, in the second body
    double axis[3], second_axis[3];   // second_axis: universal, gear
    double length;                    // distance, spring; NaN: as at the start
    double pitch;                     // screw: advance in a turn [m]
    double ratio;                     // gear: turns of the second body for one of the first
    double limits[2];
    double friction;           // dry, the most that it holds [N m] or [N]
    double stiffness, damping; // of a spring on the free motion
    double rest;               // where it has no force; NaN: as at the start
    double armature;           // inertia of a rotor on the free motion [kg m2] or [kg]
    cn_motor_kind motor;
    cn_signal_def motor_target;
    double motor_max; // [N m] or [N]; NaN: whatever it takes
    double motor_stiffness, motor_damping;
    bool contact; // the two bodies also touch
    cn_source source;
} cn_joint_def;

CN_API cn_joint_def cn_joint_def_default(cn_joint_kind kind);

// A joint: where it holds its bodies, in their own frames, and its axis in the first one's.
typedef struct cn_joint_info {
    const char *name; // "" when none was given; lives as long as the model
    cn_joint_kind kind;
    cn_body_id body[2];
    double point[2][3], axis[3];
} cn_joint_info;

#ifdef __cplusplus
}
#endif
#endif
