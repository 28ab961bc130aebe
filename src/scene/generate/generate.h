// scene/generate/generate.h
// Generators: bodies by a rule. To add one write scene/generate_<name>.c with its table, whose
// `use` is a cn_generator, and add its row in scene/generate/generate.c.
#ifndef CAIRN_SCENE_GENERATE_GENERATE_H
#define CAIRN_SCENE_GENERATE_GENERATE_H

#include "scene/scene.h"

// What all bodies of a generator have in common. Every generator's struct starts with
// `const cn_yaml *node; cn_lot lot;`.
typedef struct cn_lot {
    const char *name, *material;
    bool fixed;
    double position[3], velocity[3];
    double mass; // NaN: from density and shape
    cn_lock_entry lock;
} cn_lot;

#define CN_LOT_FIELDS(type)                                                                        \
    CN_KEY("material", text, type, lot.material, .flags = CN_REQUIRED,                             \
           .help = "one of the scene's materials"),                                                \
        CN_KEY("name", text, type, lot.name,                                                       \
               .help = "bodies are called name-1, name-2 ...; by default they have no names"),     \
        CN_KEY("fixed", bool, type, lot.fixed, .help = "the bodies never move"),                   \
        CN_KEY("velocity", vector, type, lot.velocity, .unit = "m/s", .help = "at the start"),     \
        CN_KEY("mass", real, type, lot.mass, .flags = CN_ABOVE_ZERO, .unit = "kg; 2D kg/m",        \
               .help = "of each body; by default density times volume"),                           \
        CN_KEY("lock", table, type, lot.lock, .table = &cn_lock_table,                             \
               .help = "degrees of freedom that are held")

// The place of the whole, where the generator has one.
#define CN_LOT_POSITION(type, words)                                                               \
    CN_KEY("position", vector, type, lot.position, .unit = "m", .help = (words))

void cn_lot_initial(cn_lot *lot);

// Where a generator puts what it makes: into a model, or wherever a test wants it.
typedef struct cn_maker cn_maker;
struct cn_maker {
    cn_reader *reader;
    const cn_yaml *node; // of the generator, for errors and sources
    const cn_lot *lot;
    int32_t material; // of the lot
    int64_t made;     // bodies so far
    cn_body_id last;  // the body made last, as the sink numbers it
    cn_status (*body)(cn_maker *maker, const cn_body_def *def);
    cn_status (*force)(cn_maker *maker, const cn_force_def *def);
    cn_status (*joint)(cn_maker *maker, const cn_joint_def *def);
    cn_status (*find_material)(cn_maker *maker, const cn_yaml *node, const char *name, int32_t *id);
    void *user;
};

// A body of the lot, not yet placed and without shapes.
cn_body_def cn_lot_body(const cn_maker *maker);
// Gives it the lot's next name, unless it has one, and passes it on.
cn_status cn_make_body(cn_maker *maker, cn_body_def *def);

typedef struct cn_generator {
    // How many bodies there will be, at most, as a real number so that it cannot overflow; fails
    // for parameters that make no sense. Nothing is allocated before this has been compared to the
    // limit.
    cn_status (*count)(cn_reader *reader, const void *params, double *bodies);
    cn_status (*run)(cn_maker *maker, const void *params);
} cn_generator;

const cn_generator *cn_generator_of(const cn_generator_entry *entry);
const cn_lot *cn_generator_lot(const cn_generator_entry *entry);

extern const cn_table cn_grid_table, cn_column_table, cn_wall_table, cn_arch_table,
    cn_pyramid_table, cn_packing_table, cn_drum_table, cn_membrane_table, cn_rows_table,
    cn_chain_table;

// ---- what generators share ----

// How far shapes reach along a unit direction, in the body's frame: low <= x . direction <= high.
// Fails for shapes without bounds.
cn_status cn_extent(cn_reader *reader, const cn_yaml *node, const cn_shape_def *shapes,
                    int32_t count, const double direction[3], double *low, double *high);
// The radius of a ball about the body's origin that holds the shapes.
cn_status cn_reach(cn_reader *reader, const cn_yaml *node, const cn_shape_def *shapes,
                   int32_t count, double *radius);
// A ball, in 2D a disk.
cn_shape_def cn_round(int32_t dim, double radius);
// The axis that points up: the last one of the dimension.
static inline int32_t cn_up(int32_t dim) {
    return dim - 1;
}

#define CN_PI 3.14159265358979323846

#endif
