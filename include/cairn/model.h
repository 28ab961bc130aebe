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

// "auto", "signorini", "quasi-inelastic", "gap", "stabilised"
CN_API const char *cn_law_text(cn_law law);

// NaN in a number, CN_LAW_KINDS in law: not given by this entry.
typedef struct cn_contact_def {
    const char *between[2]; // material names; "*" is any
    double friction;        // static and dynamic coefficient, unless the next is given
    double friction_dynamic;
    double restitution, restitution_tangent;
    double correction; // [m] most overlap that one step may take back; law gap, and
                       // quasi-inelastic when > 0
    cn_law law;
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

// The body becomes kinematic: its velocity is this whatever touches it.
typedef struct cn_motion_def {
    cn_body_id body;
    cn_signal_def velocity[3], angular_velocity[3]; // world axes; 2D: [2]
    cn_source source;
} cn_motion_def;

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
// joint counts from 1.
CN_API cn_status cn_model_add_joint(cn_model *model, const cn_joint_def *def, int32_t *joint,
                                    cn_error *error);
// A model (2D) of a system instead of bodies; the model takes it over, also when it fails. Its
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
CN_API const cn_error *cn_model_warning(const cn_model *model, int32_t index); // NULL: none such

// ---- looking ----

CN_API int32_t cn_model_dim(const cn_model *model);
CN_API int32_t cn_model_body_count(const cn_model *model);
CN_API int32_t cn_model_joint_count(const cn_model *model);
CN_API cn_body_id cn_model_find_body(const cn_model *model, const char *name); // 0: none

// joint from 1 to the count; CN_ERR_ARGUMENT, and nothing in out, for others.
CN_API cn_status cn_model_joint(const cn_model *model, int32_t joint, cn_joint_info *out);

// body from 1 to the count; index from 0; CN_ERR_ARGUMENT, and nothing in out, for others. The
// arrays live as long as the model.
CN_API cn_status cn_model_body(const cn_model *model, cn_body_id body, cn_body_info *out);
CN_API cn_status cn_model_shape(const cn_model *model, cn_body_id body, int32_t index,
                                cn_shape_info *out);

#ifdef __cplusplus
}
#endif
#endif
