// cairn/model.h
// A scene as data: materials, contact laws, bodies, forces, motions, joints, settings. Built once,
// then const during a run; any number of simulations may use one at the same time.
//
//     cn_model *model = cn_model_create(NULL, 3);
//     int32_t stone;
//     cn_material_def material = {.name = "stone", .density = 2500};
//     cn_model_add_material(model, &material, &stone, NULL);
//     cn_body_def block = cn_body_def_default();
//     ...
//     cn_model_add_body(model, &block, &id, NULL);
//     cn_model_finish(model, NULL);
//
// Lengths [m], masses [kg], times [s], angles [rad]. In 2D the third number of a vector is ignored,
// rotation is an angle, and mass and inertia are per metre of depth. Texts and arrays given are
// copied.
#ifndef CAIRN_MODEL_H
#define CAIRN_MODEL_H

#include <cairn/joint.h>
#include <cairn/settings.h>
#include <cairn/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cn_model cn_model;
typedef struct cn_system cn_system; // cairn/system.h

// ---- materials and contact laws ----

typedef struct cn_material_def {
    const char *name;
    double density; // [kg/m3]; 2D [kg/m2]
    // Of deformable bodies: linear elastic, isotropic, with the damping V = damping_mass M +
    // damping_stiffness K. All 0: the material is not elastic.
    double young; // [Pa]
    double poisson;
    double damping_mass, damping_stiffness; // [1/s], [s]
} cn_material_def;

// docs/design/theory.md, section 2: how a contact's law becomes a complementarity with a shift s.
typedef enum cn_law {
    CN_LAW_AUTO,            // quasi-inelastic when restitution is 0, else signorini
    CN_LAW_SIGNORINI,       // velocity Signorini with restitution
    CN_LAW_QUASI_INELASTIC, // s_N = max(0, gap)/h
    CN_LAW_GAP,             // s_N = gap/h, the correction of overlaps capped
    CN_LAW_STABILISED,      // s_N = gap/h where gap <= active_gap
    CN_LAW_KINDS
} cn_law;

// "auto", "signorini", "quasi-inelastic", "gap", "stabilised"
CN_API const char *cn_law_text(cn_law law);

// How the traction of a bond falls once its strength is reached, until the fracture energy is spent.
typedef enum cn_softening {
    CN_SOFTENING_LINEAR, // "bilinear": along a straight line
    CN_SOFTENING_EXPONENTIAL,
    CN_SOFTENING_KINDS
} cn_softening;

// NaN in a number, CN_LAW_KINDS in law, CN_SOFTENING_KINDS in softening: not given by this entry.
typedef struct cn_contact_def {
    const char *between[2]; // material names; "*" is any
    double friction;        // static and dynamic coefficient, unless the next is given
    double friction_dynamic;
    double restitution, restitution_tangent;
    double correction; // [m] most overlap that one step may take back; law gap, and
                       // quasi-inelastic when > 0
    cn_law law;
    // Mortar and adhesion (docs/design/theory.md): what touches at the start is bonded. Traction is
    // impulse over (step x area of the contact point).
    double cohesion; // [Pa] shear strength without pressure: cohesion + friction x pressure
    double tension;  // [Pa] tensile strength, at most cohesion / friction
    double stiffness_normal, stiffness_tangent; // [Pa/m] of the layer; infinite: rigid
    double fracture_energy[2]; // [J/m2] to break it in tension and in shear; 0: it breaks at once
    double viscosity;          // [Pa s/m] of the layer
    double bond_area;          // [m2], 2D [m]: of a bond of two bodies
    double bond_gap;           // [m] bodies this near at the start are bonded
    cn_softening softening;
    cn_source source;
} cn_contact_def;

CN_API cn_contact_def cn_contact_def_default(void); // gives nothing

// ---- forces and motions ----

typedef struct cn_force_def {
    cn_body_id body;
    cn_signal_def force[3], torque[3]; // 2D: torque[2]
    double point[3]; // where it acts, in the body's own frame; [0] NaN: the centre of mass
    bool body_axes;
    cn_source source;
} cn_force_def;

// What the signals of a motion are. Displacements count from t = 0 on: the body starts where the
// scene puts it. Accelerations start from rest. Signals that are not velocities are functions of t
// alone.
typedef enum cn_motion_by {
    CN_MOTION_VELOCITY,
    CN_MOTION_DISPLACEMENT, // of turning, 3D: a rotation vector, the body's orientation being
                            // exp(r(t)) exp(-r(0)) times that at the start
    CN_MOTION_ACCELERATION
} cn_motion_by;

// The body becomes kinematic: its velocity is this whatever touches it.
typedef struct cn_motion_def {
    cn_body_id body;
    cn_motion_by linear_by, angular_by;
    cn_signal_def linear[3], angular[3]; // world axes; angular in 2D: [2]
    cn_source source;
} cn_motion_def;

// ---- marks ----

// A point of the scene that stands for something: a picture of the start shows it.
typedef struct cn_mark {
    const char *name, *about; // "wall", "of the middle of the foot"
    double position[3];
    cn_source source; // of what it stands for; its bodies have the same
} cn_mark;

// ---- columns ----

// What a run records every step beside the ledger (the table record of a run file).
typedef enum cn_column_kind {
    CN_COLUMN_POSITION, // of a point of a body [m]
    CN_COLUMN_VELOCITY, // likewise [m/s]
    CN_COLUMN_OPENING,  // of a point of the second body, less that of the first [m]
    CN_COLUMN_FORCE,    // what contacts give a group of bodies, mean over the step [N]
    CN_COLUMN_JOINT,    // value, rate, effort, force and torque of a joint (cn_joint_state)
    CN_COLUMN_KINDS
} cn_column_kind;

typedef struct cn_column_def {
    const char *name; // the columns are NAME.x, NAME.y ...; NAME.value ... of a joint
    cn_column_kind kind;
    const cn_body_id *bodies; // one; two; or a group
    int32_t body_count;
    const cn_body_id
        *others; // force: from these alone; count 0: from all that are not of the group
    int32_t other_count;
    double point[3]; // world, at the start; [0] NaN: the (first) body's centre of mass
    int32_t joint;
    cn_source source;
} cn_column_def;

// ---- building ----

CN_API cn_model *cn_model_create(const cn_env *env, int32_t dim); // NULL: no memory or dim not 2, 3
CN_API void cn_model_destroy(cn_model *model);
// To be changed before cn_model_finish; texts are copied there.
CN_API cn_settings *cn_model_settings(cn_model *model);

CN_API cn_status cn_model_add_material(cn_model *model, const cn_material_def *def,
                                       int32_t *material, cn_error *error);
CN_API cn_status cn_model_add_contact(cn_model *model, const cn_contact_def *def, cn_error *error);
CN_API cn_status cn_model_add_body(cn_model *model, const cn_body_def *def, cn_body_id *body,
                                   cn_error *error);
CN_API cn_status cn_model_add_force(cn_model *model, const cn_force_def *def, cn_error *error);
CN_API cn_status cn_model_add_motion(cn_model *model, const cn_motion_def *def, cn_error *error);
// An input with its value at the start, before expressions name it. Inputs that expressions name
// without this start at 0.
CN_API cn_status cn_model_add_input(cn_model *model, const char *name, double start,
                                    cn_error *error);
// joint counts from 1.
CN_API cn_status cn_model_add_joint(cn_model *model, const cn_joint_def *def, int32_t *joint,
                                    cn_error *error);
CN_API cn_status cn_model_add_mark(cn_model *model, const cn_mark *mark, cn_error *error);
CN_API cn_status cn_model_add_column(cn_model *model, const cn_column_def *def, cn_error *error);
// A model (2D) of a system instead of bodies; the model takes it over, also when it fails. Its
// coordinates stand three to a body, in order, what is left over being zero: as poses and
// velocities they go into frames and hashes.
CN_API cn_status cn_model_set_system(cn_model *model, cn_system *system, cn_error *error);
CN_API const cn_system *cn_model_system(const cn_model *model); // NULL: none
// Checks the whole and computes the law of every pair of materials. Nothing can be added
// afterwards.
CN_API cn_status cn_model_finish(cn_model *model, cn_error *error);

// A finished model as scene text that reads back to the same model, to the last bit; it lives as long
// as the model. Forces and joints mean bodies without a name by their number, as "#3". CN_ERR_UNSUPPORTED, with
// what it is: controllers, systems, deformable bodies, own solvers and numbers that a scene refuses
// cannot be written; nor can more than 64 MB of text.
CN_API cn_status cn_model_write(const cn_model *model, const char **text, cn_error *error);

// What a finished model warns of, such as friction above 5: a message, a hint and a place; status
// CN_OK.
CN_API int32_t cn_model_warning_count(const cn_model *model);
CN_API const cn_error *cn_model_warning(const cn_model *model, int32_t index); // NULL: none such

// ---- looking ----

CN_API int32_t cn_model_dim(const cn_model *model);
CN_API int32_t cn_model_body_count(const cn_model *model);
CN_API int32_t cn_model_joint_count(const cn_model *model);
CN_API cn_body_id cn_model_find_body(const cn_model *model, const char *name); // or "#3"; 0: none

// Materials, from 0 in the order in which they were added; CN_ERR_ARGUMENT, and nothing in out, for
// others.
CN_API int32_t cn_model_material_count(const cn_model *model);
CN_API int32_t cn_model_find_material(const cn_model *model, const char *name); // -1: none
CN_API cn_status cn_model_material(const cn_model *model, int32_t material, cn_material_def *out);
// The law between two materials of a finished model, as its contacts put it together: no number is
// left out, and law is never CN_LAW_AUTO.
CN_API cn_status cn_model_law(const cn_model *model, int32_t a, int32_t b, cn_contact_def *out);

// Inputs, index from 0 in the order in which they were added or first named.
CN_API int32_t cn_model_input_count(const cn_model *model);
CN_API const char *cn_model_input_name(const cn_model *model, int32_t index); // NULL: none such
CN_API int32_t cn_model_input_find(const cn_model *model, const char *name);  // -1: none
CN_API int32_t cn_model_mark_count(const cn_model *model);
CN_API const cn_mark *cn_model_mark(const cn_model *model, int32_t index); // NULL: none such

CN_API int32_t cn_model_find_joint(const cn_model *model, const char *name); // 0: none
// The columns, from 0: their number, name and unit; NULL: there is none such.
CN_API int32_t cn_model_column_count(const cn_model *model);
CN_API const char *cn_model_column_name(const cn_model *model, int32_t index);
CN_API const char *cn_model_column_unit(const cn_model *model, int32_t index);

// joint from 1 to the count; CN_ERR_ARGUMENT, and nothing in out, for others.
CN_API cn_status cn_model_joint(const cn_model *model, int32_t joint, cn_joint_info *out);

// body from 1 to the count; index from 0; CN_ERR_ARGUMENT, and nothing in out, for others. The
// arrays live as long as the model.
CN_API cn_status cn_model_body(const cn_model *model, cn_body_id body, cn_body_info *out);
// The mesh of a deformable body, in its own frame: nodes dim numbers each; elements per_element nodes
// each, faces of the surface per_face, outwards. false: there is no such body, or it is rigid.
typedef struct cn_mesh_info {
    const char *element;
    int32_t node_count, element_count, per_element, face_count, per_face;
    const double *nodes;
    const int32_t *elements, *faces;
    int32_t first_node; // its place among the nodes of all deformable bodies
} cn_mesh_info;
CN_API bool cn_model_mesh(const cn_model *model, cn_body_id body, cn_mesh_info *out);
CN_API int32_t cn_model_node_count(const cn_model *model); // of all deformable bodies
// The stress of an element, its mean over it, in world axes: xx yy zz xy yz zx [Pa], tension
// positive; principal values, the largest first; von Mises.
typedef struct cn_stress {
    double stress[6], principal[3], mises;
} cn_stress;
// One an element of a deformable body, with its pose and the places x of its own nodes in the world,
// dim numbers each, as frames and cn_sim_nodes (from first_node) have them. CN_ERR_ARGUMENT: there
// is no such body, or it is rigid.
CN_API cn_status cn_model_stresses(const cn_model *model, cn_body_id body, const double *pose,
                                   const double *x, cn_stress *out);
CN_API cn_status cn_model_shape(const cn_model *model, cn_body_id body, int32_t index,
                                cn_shape_info *out);

#ifdef __cplusplus
}
#endif
#endif
