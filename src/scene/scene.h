// scene/scene.h
// A scene file as structs, before it becomes a model: what the tables of scene/tables*.c read into.
#ifndef CAIRN_SCENE_SCENE_H
#define CAIRN_SCENE_SCENE_H

#include <cairn/scene.h>

#include "scene/schema/schema.h"

#define SCENE_VERSION 1
#define SCENE_OVERRIDE_PREFIX "--set " // what the "file" of a --set value starts with
#define SCENE_BODIES_MAX 10000000      // a body takes about a kilobyte during a run: some 10 GB

typedef struct scene_rotation_entry {
    const io_yaml *node;
    double axis[3], angle;
} scene_rotation_entry;

// Where something stands: shared by bodies and shapes.
typedef struct scene_place_of {
    double position[3];
    double orientation[4];
    double angle;
    scene_rotation_entry rotation; // worked into orientation once read
} scene_place_of;

typedef struct scene_shape_entry {
    const io_yaml *node;
    int32_t which; // row of scene_shape_table
    scene_place_of place;
    cn_shape_def def;
    scene_reals vertices;
    scene_faces faces;
    scene_items parts; // compound and mesh: scene_shape_entry
    const char *file;
    double scale;
} scene_shape_entry;

typedef struct scene_material_entry {
    const io_yaml *node;
    cn_material_def def;
    int32_t law;
} scene_material_entry;

typedef struct scene_friction_entry {
    const io_yaml *node;
    double at_rest, sliding;
} scene_friction_entry;

// A number of each of two kinds, or one for both.
typedef struct scene_both_entry {
    const io_yaml *node;
    double first, second;
} scene_both_entry;

typedef struct scene_contact_entry {
    const io_yaml *node;
    const char *between[2];
    scene_friction_entry friction;
    double restitution, restitution_tangent, correction;
    int32_t law;
    double cohesion, tension, viscosity, bond_area, bond_gap;
    scene_both_entry stiffness, fracture_energy;
    int32_t softening;
} scene_contact_entry;

typedef struct scene_lock_entry {
    const io_yaml *node;
    uint32_t dofs;
    int32_t axes; // 1: the body's
} scene_lock_entry;

// Nodes of a group that are held, driven or pressed.
typedef struct scene_node_entry {
    const io_yaml *node;
    const char *group;
    uint32_t axes;
    cn_signal_def value;
} scene_node_entry;

typedef struct scene_mesh_entry {
    const io_yaml *node;
    int32_t which; // row of its table
    int32_t pattern;
    const char *file;
    double length, width, thickness; // of a sheet
    double scale;                    // of a file
    scene_reals nodes;               // given
    scene_faces elements;
    scene_items groups; // scene_mesh_group
    cn_mesh_def def;
} scene_mesh_entry;

typedef struct scene_mesh_group {
    const io_yaml *node;
    const char *name;
    scene_reals nodes;
} scene_mesh_group;

typedef struct scene_deformable_entry {
    const io_yaml *node;
    scene_mesh_entry mesh;
    int32_t strain, plane, candidates, mass;
    bool quasi_static;
    scene_items holds, drives, pressures; // scene_node_entry
} scene_deformable_entry;

typedef struct scene_body_entry {
    const io_yaml *node;
    const char *name, *material;
    scene_place_of place;
    scene_lock_entry lock;
    scene_items shapes;                 // scene_shape_entry
    scene_deformable_entry *deformable; // NULL: it is rigid
    cn_body_def def;                    // the rest
} scene_body_entry;

typedef struct scene_force_entry {
    const io_yaml *node;
    const char *body;
    int32_t axes;
    cn_force_def def;
} scene_force_entry;

typedef struct scene_motion_entry {
    const io_yaml *node;
    const char *body;
    cn_signal_def linear[3][3], angular[3][3]; // by cn_motion_by; worked into def once read
    cn_motion_def def;
} scene_motion_entry;

typedef struct scene_motor_entry {
    const io_yaml *node;
    int32_t which; // row of its table
    cn_signal_def velocity, position, torque, force;
    double max_torque, max_force, stiffness, damping;
} scene_motor_entry;

typedef struct scene_joint_entry {
    const io_yaml *node;
    const char *kind;
    const char *bodies[2];
    scene_motor_entry motor; // worked into def once read
    cn_joint_def def;
} scene_joint_entry;

typedef struct scene_record_entry {
    const io_yaml *node;
    const char *name, *position, *velocity, *opening[2], *joint;
    scene_words force_on, from;
    double point[3];
    int32_t which; // row of its table
} scene_record_entry;

typedef struct scene_system_contact_entry {
    const io_yaml *node;
    const char *name;
    sys_script_contact def; // all but source and the law's name
} scene_system_contact_entry;

typedef struct scene_system_joint_entry {
    const io_yaml *node;
    sys_script_joint def;
} scene_system_joint_entry;

typedef struct scene_system_entry {
    const io_yaml *node;
    const char *name;
    scene_reals q, v;
    sys_script_names parameters, definitions;
    scene_formula_matrix mass;
    sys_script_list force;
    sys_script_text potential;
    scene_items contacts; // scene_system_contact_entry
    scene_items joints;   // scene_system_joint_entry
    const char *plugin;   // NULL: none
} scene_system_entry;

typedef struct scene_first_order_entry {
    const io_yaml *node;
    const char *name;
    scene_reals x, lower, upper;
    sys_script_names parameters, definitions;
    scene_matrix A, B, C, D;
    sys_script_list b, e;
    int32_t law; // 0: complementarity, 1: relay
} scene_first_order_entry;

typedef struct scene_control_entry {
    const io_yaml *node;
    sys_script_control def; // all but source and plug-in
    const char *plugin;     // NULL: none
} scene_control_entry;

typedef struct scene_generator_entry {
    const io_yaml *node;
    int32_t which; // row of scene_generate_table
    void *params;  // the generator's own struct
} scene_generator_entry;

typedef struct scene_document {
    const io_yaml *node;
    int32_t version, dim;
    const char *name;
    cn_settings settings;
    scene_items materials;                // scene_material_entry
    scene_items contacts;                 // scene_contact_entry
    scene_items bodies;                   // scene_body_entry
    scene_items forces;                   // scene_force_entry
    scene_items motions;                  // scene_motion_entry
    scene_items generators;               // scene_generator_entry
    scene_items joints;                   // scene_joint_entry
    scene_items records;                  // scene_record_entry
    scene_system_entry *system;           // NULL: none
    scene_first_order_entry *first_order; // NULL: none
    scene_items control;                  // scene_control_entry
    sys_script_names inputs;
    scene_words plugins;
    scene_words include;
} scene_document;

// The definition that an entry of bodies stands for, but for its material. Arrays live in the
// reader's memory.
cn_status scene_body_def(scene_reader *reader, const scene_body_entry *entry, cn_body_def *out);

extern const scene_table_of scene_table;
extern const scene_table_of scene_material_table, scene_contact_table, scene_body_table,
    scene_force_table, scene_motion_table, scene_record_table, scene_shape_table,
    scene_generate_table, scene_lock_table, scene_deformable_table, scene_mesh_table,
    scene_joint_table, scene_system_table, scene_first_order_table, scene_control_table;

// The rows that say where something stands, for a struct with a member scene_place_of place.
extern const scene_table_of scene_rotation_table;
#define SCENE_PLACE_FIELDS(type)                                                                   \
    SCENE_KEY("position", vector, type, place.position, .unit = "m", .help = "of its own frame"),  \
        SCENE_KEY("orientation", quaternion, type, place.orientation, .flags = SCENE_ONLY_3D,      \
                  .help = "quaternion w x y z; or give rotation"),                                 \
        SCENE_KEY("rotation", table, type, place.rotation, .flags = SCENE_ONLY_3D,                 \
                  .table = &scene_rotation_table,                                                  \
                  .help = "axis and angle, instead of orientation"),                               \
        SCENE_KEY("angle", real, type, place.angle, .flags = SCENE_ONLY_2D, .unit = "rad",         \
                  .help = "counter-clockwise")

// Unit orientation, zero elsewhere.
void scene_place_initial(scene_place_of *place);
// rotation becomes orientation; both at once are refused.
cn_status scene_place_check(scene_reader *reader, const io_yaml *node, scene_place_of *place);

// The entries as definitions in one flat list, compounds opened. Arrays go to reader->memory.
cn_status scene_shapes_flatten(scene_reader *reader, const scene_items *entries,
                               cn_shape_def **shapes, int32_t *count);

// The definition of a deformable body; its arrays go to reader->memory.
cn_status scene_deformable_def(scene_reader *reader, const scene_deformable_entry *entry,
                               cn_deformable_def **out);

// ---- from file to tree to model ----

// The tree of a file with its includes worked in.
cn_status scene_load(scene_reader *reader, const char *path, io_yaml **tree);
// The same from text.
cn_status scene_load_text(scene_reader *reader, const char *text, size_t size, io_yaml **tree);
cn_status scene_override(scene_reader *reader, io_yaml *tree, const cn_override *overrides,
                         int32_t count);
// Every plug-in of a scene is used by its system or a controller, as far as their numbers tell
// before any is loaded.
cn_status scene_check_plugins(scene_reader *reader, const scene_document *scene);
// The plug-ins of a scene: loaded into the model, and found by name.
cn_status scene_load_plugins(scene_reader *reader, const scene_document *scene, const cn_env *env,
                             cn_model *model, const cn_plugin **plugins);
// The solver of `solver: {plugin: file}`, loaded into the model; the node gets the whole path.
cn_status scene_load_solver(scene_reader *reader, const scene_document *scene, const cn_env *env,
                            cn_model *model);
cn_source scene_place(const io_yaml *node);
// Gives an error without a place that of a node.
cn_status scene_place_error(scene_reader *reader, cn_status status, const io_yaml *node);
// The plug-in of a name among those loaded.
cn_status scene_find_plugin(scene_reader *reader, const scene_document *scene,
                            const cn_plugin *const *plugins, const io_yaml *node, const char *name,
                            const cn_plugin **out);
// What scripts share, with the controllers of the scene.
cn_status scene_controllers(scene_reader *reader, const scene_document *scene,
                            const cn_plugin *const *plugins, const char *name,
                            const sys_script_names *parameters, const sys_script_names *definitions,
                            sys_script_common *out);
// One of the columns that the scene records. (scene/build_record.c)
cn_status scene_build_record(scene_reader *reader, const scene_record_entry *entry,
                             cn_model *model);
// The controllers of the scene's bodies, before forces and joints, which use what they put out.
cn_status scene_build_control(scene_reader *reader, const scene_document *scene, const cn_env *env,
                              cn_model *model);
// Its system, if it has one, into the model.
cn_status scene_build_system(scene_reader *reader, const scene_document *scene, const cn_env *env,
                             cn_model *model);
// The finished model of a scene that was read.
cn_status scene_build(scene_reader *reader, const scene_document *scene, const cn_env *env,
                      cn_model **out);

#endif
