// scene/generate/generate.h
// Generators: bodies by a rule. To add one write scene/generate_<name>.c with its table, whose
// `use` is a scene_generator, and add its row in scene/generate/generate.c.
#ifndef CAIRN_SCENE_GENERATE_GENERATE_H
#define CAIRN_SCENE_GENERATE_GENERATE_H

#include "scene/scene.h"

// What all bodies of a generator have in common. Every generator's struct starts with
// `const io_yaml *node; scene_lot lot;`.
typedef struct scene_lot {
    const char *name, *material;
    bool fixed;
    double position[3], velocity[3];
    double mass; // NaN: from density and shape
    scene_lock_entry lock;
    scene_deformable_entry *deformable; // NULL: rigid
} scene_lot;

#define SCENE_LOT_FIELDS(type)                                                                     \
    SCENE_KEY("material", text, type, lot.material, .flags = SCENE_REQUIRED | SCENE_SHARED,        \
              .help = "one of the scene's materials"),                                             \
        SCENE_KEY("name", text, type, lot.name, .flags = SCENE_SHARED,                             \
                  .help = "bodies are called name-1, name-2 ...; by default they have no names"),  \
        SCENE_KEY("fixed", bool, type, lot.fixed, .flags = SCENE_SHARED,                           \
                  .help = "the bodies never move"),                                                \
        SCENE_KEY("velocity", vector, type, lot.velocity, .flags = SCENE_SHARED, .unit = "m/s",    \
                  .help = "at the start"),                                                         \
        SCENE_KEY("mass", real, type, lot.mass, .flags = SCENE_ABOVE_ZERO | SCENE_SHARED,          \
                  .unit = "kg; 2D kg/m", .help = "of each body; by default density times volume"), \
        SCENE_KEY("deformable", boxed, type, lot.deformable, .flags = SCENE_SHARED,                \
                  .table = &scene_deformable_table,                                                \
                  .help = "boxes and disks become meshes of their size"),                          \
        SCENE_KEY("lock", table, type, lot.lock, .flags = SCENE_SHARED,                            \
                  .table = &scene_lock_table, .help = "degrees of freedom that are held")

// The place of the whole, where the generator has one.
#define SCENE_LOT_POSITION(type, words)                                                            \
    SCENE_KEY("position", vector, type, lot.position, .unit = "m", .help = (words))

void scene_lot_initial(scene_lot *lot);

// Where a generator puts what it makes: into a model, or wherever a test wants it.
typedef struct scene_maker scene_maker;
struct scene_maker {
    scene_reader *reader;
    const io_yaml *node; // of the generator, for errors and sources
    const scene_lot *lot;
    int32_t material;              // of the lot
    int64_t made;                  // bodies so far
    cn_deformable_def *deformable; // of the lot, when the first body is made
    cn_body_id last;               // the body made last, as the sink numbers it
    cn_status (*body)(scene_maker *maker, const cn_body_def *def);
    cn_status (*force)(scene_maker *maker, const cn_force_def *def);
    cn_status (*joint)(scene_maker *maker, const cn_joint_def *def);
    cn_status (*find_material)(scene_maker *maker, const io_yaml *node, const char *name,
                               int32_t *id);
    void *user;
};

// A body of the lot, not yet placed and without shapes.
cn_body_def scene_lot_body(const scene_maker *maker);
// Gives it the lot's next name, unless it has one, and passes it on.
cn_status scene_make_body(scene_maker *maker, cn_body_def *def);

typedef struct scene_generator {
    // How many bodies there will be, at most, as a real number so that it cannot overflow; fails
    // for parameters that make no sense. Nothing is allocated before this has been compared to the
    // limit.
    cn_status (*count)(scene_reader *reader, const void *params, double *bodies);
    cn_status (*run)(scene_maker *maker, const void *params);
} scene_generator;

const scene_generator *scene_generator_of(const scene_generator_entry *entry);
const scene_lot *scene_generator_lot(const scene_generator_entry *entry);

extern const scene_table_of scene_grid_table, scene_column_table, scene_wall_table,
    scene_arch_table, scene_pyramid_table, scene_packing_table, scene_drum_table,
    scene_membrane_table, scene_rows_table, scene_chain_table;

// ---- what generators share ----

// How far shapes reach along a unit direction, in the body's frame: low <= x . direction <= high.
// Fails for shapes without bounds.
cn_status scene_extent(scene_reader *reader, const io_yaml *node, const cn_shape_def *shapes,
                       int32_t count, const double direction[3], double *low, double *high);
// The radius of a sphere about the body's origin that holds the shapes.
cn_status scene_reach(scene_reader *reader, const io_yaml *node, const cn_shape_def *shapes,
                      int32_t count, double *radius);
// A sphere, in 2D a disk.
cn_shape_def scene_round(int32_t dim, double radius);
// The axis that points up: the last one of the dimension.
static inline int32_t scene_up(int32_t dim) {
    return dim - 1;
}

#define SCENE_PI 3.14159265358979323846

#endif
