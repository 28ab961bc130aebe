// scene/scene.h
// A scene file as structs, before it becomes a model: what the tables of scene/tables*.c read into.
#ifndef CAIRN_SCENE_SCENE_H
#define CAIRN_SCENE_SCENE_H

#include <cairn/scene.h>

#include "scene/schema/schema.h"

#define CN_SCENE_VERSION 1
#define CN_OVERRIDE_PREFIX "--set "  // what the "file" of a --set value starts with
#define CN_SCENE_BODIES_MAX 10000000 // a body takes about a kilobyte during a run: some 10 GB

typedef struct cn_rotation_entry {
    const cn_yaml *node;
    double axis[3], angle;
} cn_rotation_entry;

// Where something stands: shared by bodies and shapes.
typedef struct cn_place {
    double position[3];
    double orientation[4];
    double angle;
    cn_rotation_entry rotation; // worked into orientation once read
} cn_place;

typedef struct cn_shape_entry {
    const cn_yaml *node;
    int32_t which; // row of cn_shape_table
    cn_place place;
    cn_shape_def def;
    cn_reals vertices;
    cn_faces faces;
    cn_items parts; // compound and mesh: cn_shape_entry
    const char *file;
    double scale;
} cn_shape_entry;

typedef struct cn_material_entry {
    const cn_yaml *node;
    cn_material_def def;
} cn_material_entry;

typedef struct cn_friction_entry {
    const cn_yaml *node;
    double at_rest, sliding;
} cn_friction_entry;

typedef struct cn_contact_entry {
    const cn_yaml *node;
    const char *between[2];
    cn_friction_entry friction;
    double restitution, restitution_tangent, correction;
    int32_t law;
} cn_contact_entry;

typedef struct cn_lock_entry {
    const cn_yaml *node;
    uint32_t dofs;
    int32_t axes; // 1: the body's
} cn_lock_entry;

typedef struct cn_body_entry {
    const cn_yaml *node;
    const char *name, *material;
    cn_place place;
    cn_lock_entry lock;
    cn_items shapes; // cn_shape_entry
    cn_body_def def; // the rest
} cn_body_entry;

typedef struct cn_force_entry {
    const cn_yaml *node;
    const char *body;
    int32_t axes;
    cn_force_def def;
} cn_force_entry;

typedef struct cn_motion_entry {
    const cn_yaml *node;
    const char *body;
    cn_motion_def def;
} cn_motion_entry;

typedef struct cn_motor_entry {
    const cn_yaml *node;
    int32_t which; // row of its table
    cn_signal_def velocity, position, torque, force;
    double max_torque, max_force, stiffness, damping;
} cn_motor_entry;

typedef struct cn_joint_entry {
    const cn_yaml *node;
    const char *kind;
    const char *bodies[2];
    cn_motor_entry motor; // worked into def once read
    cn_joint_def def;
} cn_joint_entry;

typedef struct cn_system_contact_entry {
    const cn_yaml *node;
    const char *name;
    cn_script_contact def; // all but source and the law's name
} cn_system_contact_entry;

typedef struct cn_system_joint_entry {
    const cn_yaml *node;
    cn_script_joint def;
} cn_system_joint_entry;

typedef struct cn_system_entry {
    const cn_yaml *node;
    const char *name;
    cn_reals q, v;
    cn_script_names parameters, definitions;
    cn_formula_matrix mass;
    cn_script_list force;
    cn_script_text potential;
    cn_items contacts;  // cn_system_contact_entry
    cn_items joints;    // cn_system_joint_entry
    const char *plugin; // NULL: none
} cn_system_entry;

typedef struct cn_first_order_entry {
    const cn_yaml *node;
    const char *name;
    cn_reals x, lower, upper;
    cn_script_names parameters, definitions;
    cn_matrix A, B, C, D;
    cn_script_list b, e;
    int32_t law; // 0: complementarity, 1: relay
} cn_first_order_entry;

typedef struct cn_control_entry {
    const cn_yaml *node;
    cn_script_control def; // all but source and plug-in
    const char *plugin;    // NULL: none
} cn_control_entry;

typedef struct cn_generator_entry {
    const cn_yaml *node;
    int32_t which; // row of cn_generate_table
    void *params;  // the generator's own struct
} cn_generator_entry;

typedef struct cn_scene {
    const cn_yaml *node;
    int32_t version, dim;
    const char *name;
    cn_settings settings;
    cn_items materials;                // cn_material_entry
    cn_items contacts;                 // cn_contact_entry
    cn_items bodies;                   // cn_body_entry
    cn_items forces;                   // cn_force_entry
    cn_items motions;                  // cn_motion_entry
    cn_items generators;               // cn_generator_entry
    cn_items joints;                   // cn_joint_entry
    cn_system_entry *system;           // NULL: none
    cn_first_order_entry *first_order; // NULL: none
    cn_items control;                  // cn_control_entry
    cn_words plugins;
    cn_words include;
} cn_scene;

extern const cn_table cn_scene_table;
extern const cn_table cn_material_table, cn_contact_table, cn_body_table, cn_force_table,
    cn_motion_table, cn_shape_table, cn_generate_table, cn_lock_table, cn_joint_table,
    cn_system_table, cn_first_order_table, cn_control_table;

// The rows that say where something stands, for a struct with a member cn_place place.
extern const cn_table cn_rotation_table;
#define CN_PLACE_FIELDS(type)                                                                      \
    CN_KEY("position", vector, type, place.position, .unit = "m", .help = "of its own frame"),     \
        CN_KEY("orientation", quaternion, type, place.orientation, .flags = CN_ONLY_3D,            \
               .help = "quaternion w x y z; or give rotation"),                                    \
        CN_KEY("rotation", table, type, place.rotation, .flags = CN_ONLY_3D,                       \
               .table = &cn_rotation_table, .help = "axis and angle, instead of orientation"),     \
        CN_KEY("angle", real, type, place.angle, .flags = CN_ONLY_2D, .unit = "rad",               \
               .help = "counter-clockwise")

// Unit orientation, zero elsewhere.
void cn_place_initial(cn_place *place);
// rotation becomes orientation; both at once are refused.
cn_status cn_place_check(cn_reader *reader, const cn_yaml *node, cn_place *place);

// The entries as definitions in one flat list, compounds opened. Arrays go to reader->memory.
cn_status cn_shapes_flatten(cn_reader *reader, const cn_items *entries, cn_shape_def **shapes,
                            int32_t *count);

// ---- from file to tree to model ----

// The tree of a file with its includes worked in.
cn_status cn_scene_load(cn_reader *reader, const char *path, cn_yaml **tree);
// The same from text.
cn_status cn_scene_load_text(cn_reader *reader, const char *text, size_t size, cn_yaml **tree);
cn_status cn_scene_override(cn_reader *reader, cn_yaml *tree, const cn_override *overrides,
                            int32_t count);
// Every plug-in of a scene is used by its system or a controller, as far as their numbers tell
// before any is loaded.
cn_status cn_scene_check_plugins(cn_reader *reader, const cn_scene *scene);
// The plug-ins of a scene: loaded into the model, and found by name.
cn_status cn_scene_load_plugins(cn_reader *reader, const cn_scene *scene, const cn_env *env,
                                cn_model *model, const cn_plugin **plugins);
cn_source cn_scene_place(const cn_yaml *node);
// Gives an error without a place that of a node.
cn_status cn_scene_place_error(cn_reader *reader, cn_status status, const cn_yaml *node);
// The plug-in of a name among those loaded.
cn_status cn_scene_find_plugin(cn_reader *reader, const cn_scene *scene,
                               const cn_plugin *const *plugins, const cn_yaml *node,
                               const char *name, const cn_plugin **out);
// What scripts share, with the controllers of the scene.
cn_status cn_scene_controllers(cn_reader *reader, const cn_scene *scene,
                               const cn_plugin *const *plugins, const char *name,
                               const cn_script_names *parameters,
                               const cn_script_names *definitions, cn_script_common *out);
// The controllers of the scene's bodies, before forces and joints, which use what they put out.
cn_status cn_scene_build_control(cn_reader *reader, const cn_scene *scene, const cn_env *env,
                                 cn_model *model);
// Its system, if it has one, into the model.
cn_status cn_scene_build_system(cn_reader *reader, const cn_scene *scene, const cn_env *env,
                                cn_model *model);
// The finished model of a scene that was read.
cn_status cn_scene_build(cn_reader *reader, const cn_scene *scene, const cn_env *env,
                         cn_model **out);

#endif
