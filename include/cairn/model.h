// cairn/model.h
// A scene as data: materials, contact laws, bodies, forces, motions, settings. Built once, then
// const during a run.
//
//     cn_model *model = cn_model_create(NULL, 3);
//     int32_t stone;
//     cn_model_add_material(model, &(cn_material_def){.name = "stone", .density = 2500}, &stone,
//     NULL); cn_body_def block = cn_body_def_default();
//     ...
//     cn_model_add_body(model, &block, &id, NULL);
//     cn_model_finish(model, NULL);
//
// Lengths [m], masses [kg], times [s], angles [rad]. In 2D the third number of a vector is ignored,
// rotation is an angle, and mass and inertia are per metre of depth. Texts and arrays given are
// copied.
#ifndef CAIRN_MODEL_H
#define CAIRN_MODEL_H

#include <cairn/solve.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cn_model cn_model;
typedef int32_t cn_body_id; // counts from 1 in scene order; 0 is "none"

// Where in its scene file something was written; file NULL when it was not. Kept for errors found
// later.
typedef struct cn_source {
    const char *file;
    int32_t line, column;
} cn_source;

// ---- shapes ----

typedef enum cn_shape_kind {
    CN_SHAPE_SPHERE,     // 3D: radius
    CN_SHAPE_BOX,        // 2D and 3D: size, full edge lengths
    CN_SHAPE_CAPSULE,    // 3D: radius, length of the straight part, along z
    CN_SHAPE_CYLINDER,   // 3D: radius, length, along z
    CN_SHAPE_ELLIPSOID,  // 3D: size, full axis lengths
    CN_SHAPE_POLYHEDRON, // 3D: vertices, and faces or their convex hull
    CN_SHAPE_PLANE,      // 3D: normal, offset: free where normal . x >= offset
    CN_SHAPE_DISK,       // 2D: radius
    CN_SHAPE_ELLIPSE,    // 2D: size, full axis lengths
    CN_SHAPE_POLYGON,    // 2D: vertices, convex, in order
    CN_SHAPE_LINE,       // 2D: normal, offset
    CN_SHAPE_RING,       // 2D: radius; hollow, contact inside
    CN_SHAPE_KINDS
} cn_shape_kind;

CN_API const char *cn_shape_kind_text(cn_shape_kind kind); // "sphere", ...

typedef struct cn_shape_def {
    cn_shape_kind kind;
    double position[3];    // of the shape's frame in the body's own frame
    double orientation[4]; // w x y z; 2D: ignored
    double angle;          // 2D
    double radius, length;
    double size[3];
    double normal[3], offset;
    const double *vertices; // 3 (2D: 2) numbers each
    int32_t vertex_count;
    const int32_t *face_size; // vertices of each face; NULL: the convex hull of the vertices
    const int32_t *faces;     // their indices, counter-clockwise seen from outside
    int32_t face_count;
} cn_shape_def;

CN_API cn_shape_def cn_shape_def_default(cn_shape_kind kind);

// ---- materials and contact laws ----

typedef struct cn_material_def {
    const char *name;
    double density; // [kg/m3]; 2D [kg/m2]
} cn_material_def;

// METHOD section 2: how a contact's law becomes a complementarity with a shift s.
typedef enum cn_law {
    CN_LAW_AUTO,            // quasi-inelastic when restitution is 0, else signorini
    CN_LAW_SIGNORINI,       // velocity Signorini with restitution
    CN_LAW_QUASI_INELASTIC, // s_N = max(0, gap)/h
    CN_LAW_GAP,             // s_N = gap/h, the correction of overlaps capped
    CN_LAW_STABILISED,      // s_N = gap/h where gap <= active_gap
    CN_LAW_KINDS
} cn_law;

CN_API const char *cn_law_text(cn_law law); // "auto", "signorini", "quasi-inelastic", "gap",
                                            // "stabilised"

// NaN in a number, CN_LAW_KINDS in law: not given by this entry.
typedef struct cn_contact_def {
    const char *between[2]; // material names; "*" is any
    double friction;        // static and dynamic coefficient, unless the next is given
    double friction_dynamic;
    double restitution, restitution_tangent;
    double correction; // most overlap that one step may take back [m]; law gap, and quasi-inelastic
                       // when > 0
    cn_law law;
    cn_source source;
} cn_contact_def;

CN_API cn_contact_def cn_contact_def_default(void); // gives nothing

// ---- bodies ----

enum { // degrees of freedom held, for cn_body_def.lock
    CN_LOCK_TX = 1,
    CN_LOCK_TY = 2,
    CN_LOCK_TZ = 4,
    CN_LOCK_RX = 8,
    CN_LOCK_RY = 16,
    CN_LOCK_RZ = 32
};

typedef struct cn_body_def {
    const char *name; // may be NULL
    int32_t material; // from cn_model_add_material
    bool fixed;
    double position[3], orientation[4]; // of the body's own frame
    double angle;                       // 2D
    double velocity[3];                 // of the centre of mass
    double angular_velocity[3];         // world axes; 2D: [2]
    uint32_t lock;
    bool lock_body_axes;
    double mass;       // NaN: from density and shape
    double inertia[9]; // about the centre of mass, body axes, by rows; [0] NaN: from the shape,
                       // scaled to the mass; 2D: [8]
    double com[3];     // centre of mass in the body's own frame; [0] NaN: from the shape
    const cn_shape_def *shapes;
    int32_t shape_count;
    cn_source source;
} cn_body_def;

CN_API cn_body_def cn_body_def_default(void);

// ---- functions of time: a constant, an expression in t, or a table (linear between its points,
// constant outside) ----

typedef struct cn_signal_def {
    double constant;
    const char *expression; // muParser syntax; NULL: none
    const double *times, *values;
    int32_t count; // of the table; 0: none
    cn_source source;
} cn_signal_def;

typedef struct cn_force_def {
    cn_body_id body;
    cn_signal_def force[3], torque[3]; // 2D: torque[2]
    double point[3]; // where it acts, in the body's own frame; [0] NaN: the centre of mass
    bool body_axes;
    cn_source source;
} cn_force_def;

// The body becomes kinematic: its velocity is this whatever touches it.
typedef struct cn_motion_def {
    cn_body_id body;
    cn_signal_def velocity[3], angular_velocity[3]; // world axes; 2D: [2]
    cn_source source;
} cn_motion_def;

// ---- joints ----

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
    CN_MOTOR_VELOCITY, // of the second body against the first
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
    cn_motor_kind motor;
    cn_signal_def motor_target;
    double motor_most; // [N m] or [N]; NaN: whatever it takes
    double motor_stiffness, motor_damping;
    bool contact; // the two bodies also touch
    cn_source source;
} cn_joint_def;

CN_API cn_joint_def cn_joint_def_default(cn_joint_kind kind);

// How joints are kept from drifting apart (METHOD section 5).
typedef enum cn_drift {
    CN_DRIFT_ITERATE,    // the equations hold at the end of the step, to joint_tolerance
    CN_DRIFT_LINEARISED, // the same, linearised: one solve a step
    CN_DRIFT_GGL,        // iterate, and velocities projected onto the equations' rates: the default
    CN_DRIFT_PROJECTION, // rates only, then positions and velocities projected
    CN_DRIFT_BAUMGARTE,  // rates with a share of the error fed back
    CN_DRIFT_NONE,       // rates only
    CN_DRIFT_KINDS
} cn_drift;

CN_API const char *cn_drift_text(cn_drift drift); // "iterate", "linearised", ...
// ---- systems ----

typedef struct cn_system cn_system; // cairn/system.h

// ---- settings ----

typedef enum cn_stall_policy {
    CN_STALL_RETRY,    // the fallback solver from the best iterate; then go on
    CN_STALL_HALVE,    // two half steps, recursively up to settings.halvings; then go on
    CN_STALL_CONTINUE, // go on with the best iterate
    CN_STALL_STOP,     // end the run
    CN_STALL_KINDS
} cn_stall_policy;

CN_API const char *
cn_stall_policy_text(cn_stall_policy policy); // "retry", "halve", "continue", "stop"

// What friction is: exact, or the convex problem of Hart and Anitescu (2003, eq. 2.10) and Tasora,
// in which what slides is lifted off with u_N = mu |u_T|.
typedef enum cn_friction_law {
    CN_FRICTION_COULOMB,
    CN_FRICTION_CONVEX,
    CN_FRICTION_LAWS
} cn_friction_law;

CN_API const char *cn_friction_law_text(cn_friction_law law); // "coulomb", "convex"

typedef struct cn_settings {
    double gravity[3];
    double step, until, frames_every; // [s]; frames_every 0: every step
    double checkpoint_every;          // [s] of simulated time
    const char *scheme;               // row of the table of time integrators (cairn/sim.h)
    double theta;                     // [1/2, 1]
    const char *solver;               // row of the friction table
    cn_source solver_source;          // where it was chosen
    const char *local;                // row of the local table; NULL: the default
    const char *params;               // the solver's own, "facets=4 outer=1"; NULL: the defaults
    double tolerance; // of the residual of a step; NaN: 1e-3, for systems, the schemes of systems
                      // and joints without contact laws 1e-8; cn_model_finish puts the number here
    int32_t settle;   // iterations past the tolerance in steps that begin near their solution, at
                      // tolerances of 1e-4 and above, of solvers with a parameter of that name
    int32_t max_iterations; // 0: the solver's own
    double time_limit;      // [s] of CPU a step; 0: none
    double effort;          // sweeps per step, or iterations of solvers that have none; 0: no limit
    int32_t threads; // of a run whose cn_env names none, at most CN_THREADS_MAX; 0: one. The bits
                     // never depend on it
    cn_stall_policy on_stall;
    const char *fallback; // solver of CN_STALL_RETRY
    int32_t halvings;
    double alert; // [m] distance below which pairs are candidates, besides what velocities add;
                  // NaN: from the shapes
    double overlap_most;      // [m] starting overlap that is accepted; NaN: from the shapes
    double penetration_limit; // largest share of the smaller body's inradius that two bodies may
                              // penetrate for long (cairn run: exit 3); infinite: any
    double sleep_speed;       // [m/s] below which bodies may fall asleep; 0: none does
    double sleep_after;       // [s] that all bodies of an island must have been slow
    double activation;        // gamma of the signorini law
    double active_gap;        // [m] of the stabilised law and scheme; infinite: all candidates
    cn_friction_law friction;
    bool stabilise;    // scheme "stabilised": false leaves its shifts out
    bool frame_change; // laws act on u + delta/2: contacts on curved and turning bodies do not sink
    double penetration_slop; // of half the thickness of the thinner body: deeper contacts are
                             // pushed apart by moving poses; 0: none is
    bool continuous;         // fast bodies do not pass through one another
    cn_drift joint_drift;
    double joint_tolerance; // [m], [rad] of CN_DRIFT_ITERATE
    double baumgarte;       // share of the error that CN_DRIFT_BAUMGARTE takes back in a step
    double error; // moreau-jean: that the step is adapted to; 0: none. Bodies: [m] in the position
                  // of any point of a body in a part of a step; systems: relative
    double step_least; // [s] the shortest part of an adapted step; 0: a 1024th
    // Of models with a system; their meaning is that of cn_system_opts.
    double projection;
    double accuracy, spectral_radius, damping, newmark_beta, newmark_gamma, theta_multiplier;
    int32_t accumulate;
} cn_settings;

CN_API cn_settings cn_settings_default(int32_t dim);

// ---- building ----

CN_API cn_model *cn_model_create(const cn_env *env, int32_t dim); // NULL: no memory or dim not 2, 3
CN_API void cn_model_destroy(cn_model *model);
CN_API cn_settings *
cn_model_settings(cn_model *model); // to be changed before cn_model_finish; texts are copied there

CN_API cn_status cn_model_add_material(cn_model *model, const cn_material_def *def,
                                       int32_t *material, cn_error *error);
CN_API cn_status cn_model_add_contact(cn_model *model, const cn_contact_def *def, cn_error *error);
CN_API cn_status cn_model_add_body(cn_model *model, const cn_body_def *def, cn_body_id *body,
                                   cn_error *error);
CN_API cn_status cn_model_add_force(cn_model *model, const cn_force_def *def, cn_error *error);
CN_API cn_status cn_model_add_motion(cn_model *model, const cn_motion_def *def, cn_error *error);
// joint counts from 1.
CN_API cn_status cn_model_add_joint(cn_model *model, const cn_joint_def *def, int32_t *joint,
                                    cn_error *error);
// A model (2D) of a system in place of bodies; the model takes it over, also when it fails. Its
// coordinates stand three to a body, in order, what is left over being zero: as poses and
// velocities they go into frames and hashes.
CN_API cn_status cn_model_set_system(cn_model *model, cn_system *system, cn_error *error);
CN_API const cn_system *cn_model_system(const cn_model *model); // NULL: none
// Checks the whole and computes the law of every pair of materials. Nothing can be added
// afterwards.
CN_API cn_status cn_model_finish(cn_model *model, cn_error *error);

// What a finished model warns of, such as friction above 5: a message, a hint and a place; status
// CN_OK.
CN_API int32_t cn_model_warning_count(const cn_model *model);
CN_API const cn_error *cn_model_warning(const cn_model *model, int32_t index);

// ---- looking ----

CN_API int32_t cn_model_dim(const cn_model *model);
CN_API int32_t cn_model_body_count(const cn_model *model);
CN_API int32_t cn_model_joint_count(const cn_model *model);
CN_API cn_body_id cn_model_find_body(const cn_model *model, const char *name); // 0: none

// What a body has become. Texts live as long as the model.
typedef struct cn_body_info {
    const char *name, *material; // name is "" when none was given
    const char *kind; // "rigid", "fixed", "driven", "lagrangian" or "first-order", as in a run file
    double mass, com[3]; // com in the body's own frame
    int32_t shape_count;
    double bound;     // [m] radius of a ball round the centre of mass; infinite with a plane
    double inradius;  // [m] smallest half extent of its largest shape; infinite with a plane
    cn_source source; // where it was described; line 0: nowhere
} cn_body_info;

// A shape in its body's own frame: a point x of the shape's frame is at position + axes x. Boxes,
// polyhedra and polygons have vertices (3 numbers each, polygons counter-clockwise) and in 3D
// faces: face f is vertices loop[face[f]] .. loop[face[f+1]-1], counter-clockwise from outside.
typedef struct cn_shape_info {
    cn_shape_kind kind;
    double position[3], axes[9]; // axes by rows; identity for shapes with vertices
    double radius, length;       // length of capsules and cylinders, along the shape's z
    double size[3];              // full axes of ellipsoids and ellipses
    double normal[3], offset;    // planes and lines, in the body's own frame
    const double *vertices;
    const int32_t *face, *loop;
    int32_t vertex_count, face_count;
} cn_shape_info;

// A joint: where it holds its bodies, in their own frames, and its axis in the first one's.
typedef struct cn_joint_info {
    const char *name; // "" when none was given; lives as long as the model
    cn_joint_kind kind;
    cn_body_id body[2];
    double point[2][3], axis[3];
} cn_joint_info;

// joint from 1 to the count.
CN_API void cn_model_joint(const cn_model *model, int32_t joint, cn_joint_info *out);

// body from 1 to the count; index from 0. The arrays live as long as the model.
CN_API void cn_model_body(const cn_model *model, cn_body_id body, cn_body_info *out);
CN_API void cn_model_shape(const cn_model *model, cn_body_id body, int32_t index,
                           cn_shape_info *out);

#ifdef __cplusplus
}
#endif
#endif
