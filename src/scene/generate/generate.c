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

#define BODY_NAME_MAX 256
#define BODIES_POLLED 1024 // bodies between two polls

#define GENERATOR(key, rows, where, words)                                                         \
    SCENE_KEY(key, boxed, scene_generator_entry, params, .flags = SCENE_VARIANT | (where),         \
              .table = &(rows), .help = (words))

static const scene_field generate_fields[] = {
    GENERATOR("grid", scene_grid_table, 0, "copies of a shape on a lattice"),
    GENERATOR("packing", scene_packing_table, 0, "bodies at random places that do not overlap"),
    GENERATOR("column", scene_column_table, 0, "copies of a shape one on the other"),
    GENERATOR("wall", scene_wall_table, 0, "bricks in running bond"),
    GENERATOR("arch", scene_arch_table, 0, "wedges with radial joints"),
    GENERATOR("pyramid", scene_pyramid_table, 0, "a pile of cannonballs"),
    GENERATOR("drum", scene_drum_table, 0, "rings of spheres or disks between two drums"),
    GENERATOR("membrane", scene_membrane_table, SCENE_ONLY_2D,
              "a closed chain of segments that a pressure pushes inwards"),
    GENERATOR("chain", scene_chain_table, 0, "links on joints, with bends"),
    GENERATOR("table", scene_rows_table, 0, "bodies from a CSV file"),
};

const scene_table_of scene_generate_table = {
    .name = "generate",
    .help = "A rule that makes bodies. They are numbered after those of \"bodies\", in the order "
            "of this list.",
    .field = generate_fields,
    .count = SCENE_COUNT(generate_fields),
    .size = sizeof(scene_generator_entry),
    .variant = offsetof(scene_generator_entry, which),
};

const scene_generator *scene_generator_of(const scene_generator_entry *entry) {
    return generate_fields[entry->which].table->use;
}

// How every generator's struct starts.
typedef struct lot_head {
    const io_yaml *node;
    scene_lot lot;
} lot_head;

const scene_lot *scene_generator_lot(const scene_generator_entry *entry) {
    return (const scene_lot *)(const void *)((const char *)entry->params + offsetof(lot_head, lot));
}

void scene_lot_initial(scene_lot *lot) {
    *lot = (scene_lot){.mass = NAN};
}

// ---- bodies ----

cn_body_def scene_lot_body(const scene_maker *maker) {
    const scene_lot *lot = maker->lot;
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

// The shape of a body of a deformable lot becomes the size of its mesh.
static cn_status make_deformable(scene_maker *maker, const cn_body_def *def) {
    const cn_shape_def *shape = def->shapes;
    bool box = def->shape_count == 1 && shape->kind == CN_SHAPE_BOX,
         disk = def->shape_count == 1 && shape->kind == CN_SHAPE_DISK,
         sphere = def->shape_count == 1 && shape->kind == CN_SHAPE_SPHERE;
    if (!maker->deformable) {
        CN_TRY(scene_deformable_def(maker->reader, maker->lot->deformable, &maker->deformable));
    }
    cn_mesh_def *mesh = &maker->deformable->mesh;
    if (!(box && mesh->kind == CN_MESH_BOX) && !(disk && mesh->kind == CN_MESH_DISK) &&
        !(sphere && mesh->kind == CN_MESH_SPHERE)) {
        const io_yaml *node = maker->lot->deformable->mesh.node;
        scene_fail_node(maker->reader, node, CN_ERR_INPUT,
                        "this mesh does not fit the shape of the bodies");
        base_fail_hint(maker->reader->error,
                       "a box takes mesh: {box: {cells}}, a disk mesh: {disk: {cells}}, a sphere "
                       "mesh: {sphere: {cells}}");
        return CN_ERR_INPUT;
    }
    memcpy(mesh->size, shape->size, sizeof mesh->size);
    mesh->radius = disk || sphere ? shape->radius : 0.0;
    return CN_OK;
}

cn_status scene_make_body(scene_maker *maker, cn_body_def *def) {
    char name[BODY_NAME_MAX];
    cn_body_def soft = *def;
    if (maker->lot->deformable) {
        CN_TRY(make_deformable(maker, def));
        soft.deformable = maker->deformable;
        soft.shapes = NULL;
        soft.shape_count = 0;
    }
    if (++maker->made % BODIES_POLLED == 0 &&
        base_is_cancelled(cn_arena_env(maker->reader->memory))) {
        return base_fail_cancelled(maker->reader->error);
    }
    if (!def->name && maker->lot->name) {
        snprintf(name, sizeof name, "%.*s-%lld", BODY_NAME_MAX - 24, maker->lot->name,
                 (long long)maker->made);
        soft.name = name;
    }
    return maker->body(maker, &soft);
}

cn_shape_def scene_round(int32_t dim, double radius) {
    cn_shape_def shape = cn_shape_def_default(dim == 3 ? CN_SHAPE_SPHERE : CN_SHAPE_DISK);
    shape.radius = radius;
    return shape;
}

// ---- sizes ----

// Builds each shape in turn and shows it to `look`; the memory is given back.
typedef void shape_look(const geom_shape *shape, void *user);

static cn_status shapes_visit(scene_reader *reader, const io_yaml *node, const cn_shape_def *shapes,
                              int32_t count, shape_look *look, void *user) {
    cn_status status = CN_OK;
    for (int32_t i = 0; i < count && status == CN_OK; i++) {
        base_arena_mark mark = base_arena_get_mark(reader->memory);
        geom_shape shape;
        status = geom_shape_build(&shapes[i], reader->dim, reader->memory, &shape, reader->error);
        if (status != CN_OK) {
            status = status == CN_ERR_ARGUMENT ? CN_ERR_INPUT : status;
            base_fail_at(reader->error, node->file, node->line, node->column);
        } else if (!isfinite(shape.bound)) {
            status = scene_fail_node(reader, node, CN_ERR_INPUT,
                                     "a generator needs shapes that end somewhere, not a %s",
                                     cn_shape_kind_text(shapes[i].kind));
        } else {
            look(&shape, user);
        }
        base_arena_release(reader->memory, mark);
    }
    return status;
}

typedef struct extent_user {
    const double *direction;
    double low, high;
} extent_user;

static void extent_look(const geom_shape *shape, void *user) {
    extent_user *extent = user;
    double back[3] = {-extent->direction[0], -extent->direction[1], -extent->direction[2]};
    double point[3];
    geom_shape_support(shape, extent->direction, point);
    extent->high = fmax(extent->high, math_dot3(point, extent->direction));
    geom_shape_support(shape, back, point);
    extent->low = fmin(extent->low, math_dot3(point, extent->direction));
}

cn_status scene_extent(scene_reader *reader, const io_yaml *node, const cn_shape_def *shapes,
                       int32_t count, const double direction[3], double *low, double *high) {
    extent_user extent = {.direction = direction, .low = INFINITY, .high = -INFINITY};
    cn_status status = shapes_visit(reader, node, shapes, count, extent_look, &extent);
    *low = extent.low;
    *high = extent.high;
    return status;
}

static void reach_look(const geom_shape *shape, void *user) {
    double *radius = user;
    *radius = fmax(*radius, math_norm3(shape->middle) + shape->bound);
}

cn_status scene_reach(scene_reader *reader, const io_yaml *node, const cn_shape_def *shapes,
                      int32_t count, double *radius) {
    *radius = 0.0;
    return shapes_visit(reader, node, shapes, count, reach_look, radius);
}
