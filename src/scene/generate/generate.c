// scene/generate/generate.c
// The table of generators, and what they share.
#include "scene/generate/generate.h"

#include "base/arena.h"
#include "base/cancel.h"
#include "base/error.h"
#include "geom/shape.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CN_BODY_NAME_MAX 256
#define CN_BODIES_POLLED 1024 // bodies between two polls

#define CN_GENERATOR(key, rows, where, words)                                                      \
    CN_KEY(key, boxed, cn_generator_entry, params, .flags = CN_VARIANT | (where),                  \
           .table = &(rows), .help = (words))

static const cn_field cn_generate_fields[] = {
    CN_GENERATOR("grid", cn_grid_table, 0, "copies of a shape on a lattice"),
    CN_GENERATOR("packing", cn_packing_table, 0, "bodies at random places that do not overlap"),
    CN_GENERATOR("column", cn_column_table, 0, "copies of a shape one on the other"),
    CN_GENERATOR("wall", cn_wall_table, 0, "bricks in running bond"),
    CN_GENERATOR("arch", cn_arch_table, 0, "wedges with radial joints"),
    CN_GENERATOR("pyramid", cn_pyramid_table, 0, "a pile of cannonballs"),
    CN_GENERATOR("drum", cn_drum_table, 0, "rings of balls or disks between two drums"),
    CN_GENERATOR("membrane", cn_membrane_table, CN_ONLY_2D,
                 "a closed chain of segments that a pressure pushes inwards"),
    CN_GENERATOR("chain", cn_chain_table, 0, "links on joints, with bends"),
    CN_GENERATOR("table", cn_rows_table, 0, "bodies from a CSV file"),
};

const cn_table cn_generate_table = {
    .name = "generate",
    .help = "A rule that makes bodies. They are numbered after those of \"bodies\", in the order "
            "of this list.",
    .field = cn_generate_fields,
    .count = CN_COUNT(cn_generate_fields),
    .size = sizeof(cn_generator_entry),
    .variant = offsetof(cn_generator_entry, which),
};

const cn_generator *cn_generator_of(const cn_generator_entry *entry) {
    return cn_generate_fields[entry->which].table->use;
}

// How every generator's struct starts.
typedef struct cn_lot_head {
    const cn_yaml *node;
    cn_lot lot;
} cn_lot_head;

const cn_lot *cn_generator_lot(const cn_generator_entry *entry) {
    return (const cn_lot *)(const void *)((const char *)entry->params + offsetof(cn_lot_head, lot));
}

void cn_lot_initial(cn_lot *lot) {
    *lot = (cn_lot){.mass = NAN};
}

// ---- bodies ----

cn_body_def cn_lot_body(const cn_maker *maker) {
    const cn_lot *lot = maker->lot;
    cn_body_def body = cn_body_def_default();
    body.material = maker->material;
    body.fixed = lot->fixed;
    body.mass = lot->mass;
    body.lock = lot->lock.dofs;
    body.lock_body_axes = lot->lock.axes == 1;
    memcpy(body.velocity, lot->velocity, sizeof body.velocity);
    body.source = (cn_source){
        .file = maker->node->file, .line = maker->node->line, .column = maker->node->column};
    return body;
}

cn_status cn_make_body(cn_maker *maker, cn_body_def *def) {
    char name[CN_BODY_NAME_MAX];
    if (++maker->made % CN_BODIES_POLLED == 0 &&
        cn_is_cancelled(cn_arena_env(maker->reader->memory))) {
        return cn_fail_cancelled(maker->reader->error);
    }
    if (!def->name && maker->lot->name) {
        snprintf(name, sizeof name, "%.*s-%lld", CN_BODY_NAME_MAX - 24, maker->lot->name,
                 (long long)maker->made);
        def->name = name;
    }
    cn_status status = maker->body(maker, def);
    def->name = def->name == name ? NULL : def->name;
    return status;
}

cn_shape_def cn_round(int32_t dim, double radius) {
    cn_shape_def shape = cn_shape_def_default(dim == 3 ? CN_SHAPE_SPHERE : CN_SHAPE_DISK);
    shape.radius = radius;
    return shape;
}

// ---- sizes ----

// Builds each shape in turn and shows it to `look`; the memory is given back.
typedef void cn_shape_look(const cn_shape *shape, void *user);

static cn_status cn_shapes_visit(cn_reader *reader, const cn_yaml *node, const cn_shape_def *shapes,
                                 int32_t count, cn_shape_look *look, void *user) {
    cn_status status = CN_OK;
    for (int32_t i = 0; i < count && status == CN_OK; i++) {
        cn_arena_mark mark = cn_arena_get_mark(reader->memory);
        cn_shape shape;
        status = cn_shape_build(&shapes[i], reader->dim, reader->memory, &shape, reader->error);
        if (status != CN_OK) {
            status = status == CN_ERR_ARGUMENT ? CN_ERR_INPUT : status;
            cn_fail_at(reader->error, node->file, node->line, node->column);
        } else if (!isfinite(shape.bound)) {
            status = cn_fail_node(reader, node, CN_ERR_INPUT,
                                  "a generator needs shapes that end somewhere, not a %s",
                                  cn_shape_kind_text(shapes[i].kind));
        } else {
            look(&shape, user);
        }
        cn_arena_release(reader->memory, mark);
    }
    return status;
}

typedef struct cn_extent_user {
    const double *direction;
    double low, high;
} cn_extent_user;

static void cn_extent_look(const cn_shape *shape, void *user) {
    cn_extent_user *extent = user;
    double back[3] = {-extent->direction[0], -extent->direction[1], -extent->direction[2]};
    double point[3];
    cn_shape_support(shape, extent->direction, point);
    extent->high = fmax(extent->high, cn_dot3(point, extent->direction));
    cn_shape_support(shape, back, point);
    extent->low = fmin(extent->low, cn_dot3(point, extent->direction));
}

cn_status cn_extent(cn_reader *reader, const cn_yaml *node, const cn_shape_def *shapes,
                    int32_t count, const double direction[3], double *low, double *high) {
    cn_extent_user extent = {.direction = direction, .low = INFINITY, .high = -INFINITY};
    cn_status status = cn_shapes_visit(reader, node, shapes, count, cn_extent_look, &extent);
    *low = extent.low;
    *high = extent.high;
    return status;
}

static void cn_reach_look(const cn_shape *shape, void *user) {
    double *radius = user;
    *radius = fmax(*radius, cn_norm3(shape->middle) + shape->bound);
}

cn_status cn_reach(cn_reader *reader, const cn_yaml *node, const cn_shape_def *shapes,
                   int32_t count, double *radius) {
    *radius = 0.0;
    return cn_shapes_visit(reader, node, shapes, count, cn_reach_look, radius);
}
