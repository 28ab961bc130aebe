// joint/joint.h
// Joints between two rigid bodies: two frames -> what is measured between them, and its gradient.
//
// Each body carries a frame, its anchor; z is the joint's axis (2D: x). A gauge x(q) is a length or
// an angle between the two frames, dx/dt = J (v_a, omega_a, v_b, omega_b) in world axes. A kind of
// joint is a row of a table: the gauges that it holds at zero, and the one that may have limits, a
// motor, dry friction and a spring. To add a kind: one row in joint/joint_table.c.
#ifndef CAIRN_JOINT_JOINT_H
#define CAIRN_JOINT_JOINT_H

#include <cairn/joint.h>

#define JOINT_TURN_FULL 6.283185307179586476925
#define JOINT_ROWS_MAX 12 // of one joint, filled up to whole blocks

// What can be measured between the frames a and b.
typedef enum joint_gauge_of {
    JOINT_GAUGE_NONE,
    JOINT_GAUGE_ALONG_X, // from a to b along a's axis [m]
    JOINT_GAUGE_ALONG_Y,
    JOINT_GAUGE_ALONG_Z,
    JOINT_GAUGE_TURN_X, // part of b's rotation against a, 2 sin(angle/2) about a's axis
    JOINT_GAUGE_TURN_Y,
    JOINT_GAUGE_TURN_Z,
    JOINT_GAUGE_TILT_X, // a's x . b's z, zero when the z axes are parallel
    JOINT_GAUGE_TILT_Y,
    JOINT_GAUGE_CROSS,    // a's x . b's y: the two pins of a universal joint
    JOINT_GAUGE_ANGLE,    // of b against a about a's z, whole turns counted [rad]
    JOINT_GAUGE_DISTANCE, // of the two points [m]
    JOINT_GAUGE_SCREW,    // along z less lead times the angle [m]
    JOINT_GAUGE_GEAR      // b's angle about its own axis less ratio times a's [rad]
} joint_gauge_of;

// What a row of a joint is for.
typedef enum joint_role {
    JOINT_ROLE_NONE, // fills up a block
    JOINT_ROLE_HELD,
    JOINT_ROLE_LIMIT,
    JOINT_ROLE_MOTOR,
    JOINT_ROLE_FRICTION,
    JOINT_ROLE_SPRING,
    JOINT_ROLE_ARMATURE,
    JOINT_ROLES
} joint_role;

typedef struct joint_row_of {
    joint_gauge_of gauge;
    joint_role role;
} joint_row_of;

// A frame in the axes of its body, from the centre of mass.
typedef struct joint_anchor {
    double point[3];
    double turn[4]; // w x y z
    double angle;   // 2D
} joint_anchor;

// What the equations of a joint depend on.
typedef struct joint_geometry {
    cn_joint_kind kind;
    joint_anchor anchor[2];
    double start[2][4]; // the frames at the start, world axes: a gear counts from there
    double lead, ratio; // [m/rad], turns of b for one of a
} joint_geometry;

// The two frames at poses of their bodies.
typedef struct joint_view {
    int32_t dim;
    const joint_geometry *geometry;
    double arm[2][3];   // of the points, from the centres of mass
    double apart[3];    // from a's point to b's
    double axis[2][9];  // x y z of the frames, one after the other
    double turn[2][4];  // the frames
    double relative[4]; // b's frame seen from a's, w >= 0
    double angle[2];    // 2D, of the frames
    double near[2];     // angles are taken on the turn nearest to these
} joint_view;

// near: of the joint's angles (see joint_angles), from the step before.
void joint_look(int32_t dim, const joint_geometry *geometry, const double *pose_a,
                const double *pose_b, const double near[2], joint_view *view);
// The value of a gauge, and its gradient J[12]: (v_a, omega_a, v_b, omega_b).
double joint_gauge(const joint_view *view, joint_gauge_of gauge, double J[12]);
// The angles whose turns are counted: of a hinge or a screw [0]; of the two bodies of a gear.
void joint_angles(const joint_view *view, double angle[2]);

// What a kind holds and what it leaves to be driven, in one of the dimensions.
typedef struct joint_form {
    bool offered;
    joint_gauge_of linear[4], angular[4]; // held, JOINT_GAUGE_NONE ends
    joint_gauge_of drive; // limits, motor, friction, spring; JOINT_GAUGE_NONE: cannot have any
    bool drive_angular;
} joint_form;

enum { // what a kind needs, or may be given
    JOINT_POINT = 1,
    JOINT_AXIS = 2,    // in 3D
    JOINT_AXIS_2D = 4, // in 2D
    JOINT_SECOND_AXIS = 8,
    JOINT_SECOND_POINT = 16
};

typedef struct joint_type {
    const char *name, *about;
    uint32_t needs;
    joint_form form[2]; // 2D, 3D
} joint_type;

const joint_type *joint_type_of(cn_joint_kind kind);
static inline const joint_form *joint_form_of(cn_joint_kind kind, int32_t dim) {
    return &joint_type_of(kind)->form[dim - 2];
}

#endif
