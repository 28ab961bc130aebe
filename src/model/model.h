// model/model.h
// The scene as data, const during a run, and the state, which changes: two structs decide
// everything.
#ifndef CAIRN_MODEL_MODEL_H
#define CAIRN_MODEL_MODEL_H

#include <cairn/model.h>

#include "base/names.h"
#include "base/signal/signal.h"
#include "body/rigid.h"
#include "geom/shape.h"
#include "joint/joint.h"
#include "system/script.h"

typedef enum model_body_role {
    MODEL_BODY_FREE,
    MODEL_BODY_FIXED,
    MODEL_BODY_DRIVEN,
    MODEL_BODY_LAGRANGIAN, // coordinates of a system
    MODEL_BODY_FIRST_ORDER,
    MODEL_BODY_DEFORMABLE,
    MODEL_BODY_REMOVED // while it ran: no shapes, nothing acts on it; its number stays taken
} model_body_role;
const char *model_body_role_text(model_body_role role); // as cn_body_info.kind

// About the centre of mass, in body axes; 2D: [8].
typedef struct model_inertia {
    double tensor[9], inverse[9];
} model_inertia;

typedef struct model_body {
    const char *name; // "" when none
    cn_source source;
    double mass;
    double com[3]; // in the body's own frame
    double bound;  // radius of a sphere round the centre of mass; infinite with a plane
    int32_t material;
    model_body_role role;
    uint32_t lock; // CN_LOCK_...
    // Bodies that were added one after the other and are alike share shapes and inertia.
    int32_t shape_first, shape_count; // shapes are relative to the centre of mass
    int32_t inertia;
    bool lock_body_axes;
    bool sphere; // one sphere or disk about the centre of mass, of isotropic inertia, without locks
} model_body;

// A layer between two bodies that were bonded at the start (model/bond.c).
typedef struct model_bond_law {
    bool bonded;         // an entry of the contacts says so
    double stiffness[2]; // [Pa/m] normal, tangential; infinite: rigid
    double tension;      // [Pa]
    double cohesion;     // [Pa]
    double friction;     // of the envelope cohesion + friction * pressure
    double energy[2];    // [J/m2] in tension, in shear; 0: it breaks at once
    double viscosity;    // [Pa s/m]
    double area, gap;    // [m2], [m]; NaN: chosen
    cn_softening softening;
} model_bond_law;

// The law of a pair of materials.
typedef struct model_body_pair {
    cn_law law; // never AUTO
    double friction, friction_dynamic;
    double restitution, restitution_tangent;
    double correction;
    bool given; // by an entry of the contacts
    model_bond_law bond;
} model_body_pair;

typedef struct model_force {
    int32_t body; // index from 0
    base_signal *force[3], *torque[3];
    double point[3]; // relative to the centre of mass
    bool at_center, body_axes;
} model_force;

typedef struct model_motion {
    int32_t body;
    base_signal *velocity[3], *angular_velocity[3]; // with rotation: its rate
    base_signal *rotation[3];                       // rotation vector; [0] NULL: not given so
    cn_source source;
} model_motion;

// A joint as a run uses it.
typedef struct model_joint {
    const char *name;
    int32_t body[2]; // indices from 0
    joint_geometry geometry;
    joint_row_of row[JOINT_ROWS_MAX]; // whole blocks of dim
    int32_t row_count, row_first;     // row_first: of the first among all joints' rows
    double length, rest;
    double limits[2]; // NaN: none
    double friction, stiffness, damping, armature;
    cn_motor_kind motor;
    base_signal *target; // NULL: no motor
    double motor_max, motor_stiffness, motor_damping;
    bool contact;
    bool removed; // while it ran: without rows and motor; its number stays taken
    cn_source source;
} model_joint;

// Two bodies that do not touch because a joint holds them, a < b.
typedef struct model_jointed {
    int32_t a, b;
} model_jointed;

typedef struct model_material {
    const char *name;
    double density;
    double young, poisson, damping_mass, damping_stiffness; // young 0: not elastic
} model_material;

// What a controller may measure: a number of a body or of a joint.
typedef enum model_sensor_kind {
    MODEL_SENSOR_POSITION, // of a body's own frame, by axis
    MODEL_SENSOR_ANGLE,    // of a body (2D)
    MODEL_SENSOR_VELOCITY, // of its centre of mass, by axis
    MODEL_SENSOR_SPIN,     // angular velocity, by axis
    MODEL_SENSOR_JOINT,    // the angle or slide of a joint that its motor would drive
    MODEL_SENSOR_JOINT_RATE
} model_sensor_kind;

typedef struct model_sensor {
    model_sensor_kind kind;
    int32_t of, axis; // body or joint; axis
} model_sensor;

// The controllers of a model's bodies. Their script has a variable a sensor, behind t.
typedef struct model_control {
    sys_script *script; // as at the start; simulations and checks have copies
    const model_sensor *sensor;
    int32_t sensor_count;
} model_control;

// Columns of a run that belong together, as a run uses them.
typedef struct model_column {
    cn_column_kind kind;
    int32_t *body, *other; // ascending indices from 0
    int32_t body_count, other_count, joint;
    double arm[2][3];  // of the points, from the centres of mass, in body axes
    const char **name; // of each number
    int32_t count;     // of numbers
} model_column;

// The arrays of a model that grow while it is built.
enum {
    MODEL_ARRAY_MATERIAL,
    MODEL_ARRAY_CONTACT,
    MODEL_ARRAY_BODY,
    MODEL_ARRAY_Q0,
    MODEL_ARRAY_V0,
    MODEL_ARRAY_SHAPE,
    MODEL_ARRAY_INERTIA,
    MODEL_ARRAY_FORCE,
    MODEL_ARRAY_MOTION,
    MODEL_ARRAY_JOINT,
    MODEL_ARRAY_COLUMN,
    MODEL_ARRAY_MARK,
    MODEL_ARRAY_DEFORMABLE,
    MODEL_ARRAYS
};

#define MODEL_LIBRARIES_MAX 16 // plug-ins of a scene

// Bodies are indexed from 0 inside the library; a cn_body_id is the index plus 1.
struct cn_model {
    cn_env env;
    int32_t dim;
    bool finished;
    bool only_spheres; // every free body is a sphere, and there are no joints; known when finished
    // Frames of contacts may turn in ways that velocities at one instant do not tell (anything but
    // spheres among themselves and on fixed planes): states store the motion of contacts.
    bool stores_motion;
    bool chooses_distances[2]; // settings.alert and overlap_max were left open
    int32_t shared_joints;     // the first joints, whose targets belong to another model
    bool bounces;              // some contacts do not take part before they touch (restitution)
    bool bonds;                // some pair of materials is bonded where it touches at the start
    double depth_min;          // [m] half the thickness of the thinnest shape
    cn_settings settings;
    int32_t material_count, contact_count, body_count, shape_count, force_count, motion_count;
    int32_t inertia_count;
    int32_t joint_count, joint_row_count, jointed_count, mark_count;
    model_material *material;
    cn_contact_def *contact;
    model_body *body;
    geom_shape *shape;
    model_inertia *inertia;
    model_force *force;
    model_motion *motion;
    model_joint *joint;
    model_column *column;
    int32_t column_count, column_numbers;
    cn_mark *mark;
    model_jointed *jointed; // sorted by (a, b), each once
    model_body_pair *pair;  // material_count * material_count; then the same for deformable bodies
    struct model_deformable **deformable;  // of each body; NULL: rigid. NULL: all are
    struct model_deformable **deformables; // in the order of bodies
    struct model_mesh *meshes;             // of them, the one made last first
    int32_t deformable_count, node_count;  // nodes of all of them
    double *node_start;                    // dim a node: where it is placed, in the world [m]
    cn_error *warning;                     // of a finished model, status CN_OK
    int32_t warning_count;
    double *q0, *v0;   // start: pose of the centres of mass and velocities, as in model_state; v0
                       // is NULL in a finished model where nothing moves
    cn_system *system; // instead of bodies that move; NULL: none
    model_control *control; // of the bodies; NULL: none
    base_signal_scope
        signals;        // expressions of forces, motions and motors; the controllers' outputs
    base_inputs inputs; // of these expressions
    void *library[MODEL_LIBRARIES_MAX]; // plug-ins, closed after all that uses them
    int32_t library_count;
    const char *name, *scene_text;
    struct model_text *text;               // what was added, as scene text; NULL: that is not kept
    base_names material_names, body_names; // to indices
    const char *last_file;                 // of the source mark copied last
    cn_arena *memory;
    int32_t capacity[MODEL_ARRAYS]; // of the arrays, each a block of the env's allocator
};

// What the dynamics needs of body i.
static inline body_rigid model_body_rigid(const cn_model *model, int32_t i) {
    const model_body *body = &model->body[i];
    const model_inertia *inertia = &model->inertia[body->inertia];
    return (body_rigid){model->dim,       body->mass, inertia->tensor,
                        inertia->inverse, body->lock, body->lock_body_axes};
}

// What evaluates the signals of the model, with the outputs that control has, a copy of the
// controllers' script, and the values of the inputs. NULL: there are none, or those at the start
// do. NULL is returned without memory.
base_evaluator *model_evaluator(const cn_model *model, const cn_env *env, const sys_script *control,
                                double *inputs);
// What a motion prescribes at time t: velocity and angular velocity in world axes, 3 each.
void model_motion_velocity(const cn_model *model, const model_motion *motion,
                           base_evaluator *evaluator, double t, double out[6]);
// The mark made at a place of the scene; NULL: none.
const cn_mark *model_mark_of(const cn_model *model, const cn_source *source);
bool model_is_jointed(const cn_model *model, int32_t a, int32_t b); // pairs without contact
const model_body_pair *model_pair(const cn_model *model, int32_t material_a, int32_t material_b);
static inline bool model_is_deformable(const cn_model *model, int32_t body) {
    return model->body[body].role == MODEL_BODY_DEFORMABLE;
}
// The law of two bodies: that of their materials, on the gap where one of them is deformable.
const model_body_pair *model_pair_of(const cn_model *model, int32_t body_a, int32_t body_b);
// Numbers of a body's pose and velocity: 7 and 6 in 3D, 3 and 3 in 2D.
static inline int32_t model_pose_size(int32_t dim) {
    return dim == 3 ? 7 : 3;
}
static inline int32_t model_velocity_size(int32_t dim) {
    return dim == 3 ? 6 : 3;
}

// Numbers of a state's q and v: those of the bodies, then dim a node of the deformable bodies, which
// are displacements from where the nodes were placed and velocities, in world axes.
static inline int64_t model_pose_count(const cn_model *model) {
    return (int64_t)model_pose_size(model->dim) * model->body_count +
           (int64_t)model->dim * model->node_count;
}
static inline int64_t model_velocity_count(const cn_model *model) {
    return (int64_t)model_velocity_size(model->dim) * model->body_count +
           (int64_t)model->dim * model->node_count;
}
// Where in them a node is.
static inline int64_t model_node_pose(const cn_model *model, int64_t node) {
    return (int64_t)model_pose_size(model->dim) * model->body_count + model->dim * node;
}
static inline int64_t model_node_velocity(const cn_model *model, int64_t node) {
    return (int64_t)model_velocity_size(model->dim) * model->body_count + model->dim * node;
}

// What a contact was, so that it can be known again a step later.
typedef struct model_contact_key {
    int32_t candidate, antagonist; // body indices
    uint64_t feature;              // shapes and features of the two
} model_contact_key;

// The order of keys: candidate, antagonist, feature.
static inline bool model_key_before(const model_contact_key *a, const model_contact_key *b) {
    if (a->candidate != b->candidate) {
        return a->candidate < b->candidate;
    }
    return a->antagonist != b->antagonist ? a->antagonist < b->antagonist : a->feature < b->feature;
}

// The relative motion of a contact at the end of a step, in the frame of that step (at q~).
typedef struct model_contact_motion {
    double velocity[3]; // of the candidate relative to the antagonist at `point`, world axes [m/s]
    double normal;      // its normal part u_N
    double point[3];
} model_contact_motion;

// What a contact did in the steps before.
#define MODEL_PAST_SLID 1u          // it slid in the last step
#define MODEL_PAST_PRESSED 2u       // r_N > 0 in the last step
#define MODEL_PAST_PRESSED_TWICE 4u // and in the one before
#define MODEL_PAST_SUSTAINED 8u     // r_N > 0 in the last step or in the one before

// All that changes. Only step/ holds a non-const one.
typedef struct model_state {
    int64_t step;
    double *q;             // centre of mass and orientation: x y z, w x y z; 2D: x y angle
    double *v;             // velocity of the centre of mass, angular velocity, world axes
    int32_t impulse_count; // of the last step, sorted by key, for warm starts
    model_contact_key *key;
    double *impulse;              // 3 each, world axes [N s]
    uint8_t *past;                // CN_PAST_...
    model_contact_motion *motion; // NULL where the model does not store it
    double last_h;                // [s] length of the last step; 0: there was none
    double drift_limit;           // [s] a longer drift from here takes bodies through one another
    double *joint_impulse;        // a number per row of a joint, for warm starts
    double *joint_angle;          // 2 per joint: its angles with whole turns counted
    // A number or six a body where bodies may fall asleep; else NULL.
    double *damage; // of each bond: 0 intact, 1 broken, between: cracked; 2: broken and moved apart
    double *quiet;  // [s] that it has been slow
    int32_t *island;   // that it sleeps in, named by its lowest body; -1: awake
    double *rest_load; // given force and torque when it fell asleep
} model_state;

#endif
