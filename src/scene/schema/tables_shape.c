// scene/schema/tables_shape.c
// The keys of shapes, and a body's shapes as one flat list. The rows of the simple shapes stand in
// the order of cn_shape_kind, so that a row's index is its kind.
#include "scene/scene.h"

#include "base/arena.h"
#include "base/error.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "scene/files.h"

#include <string.h>

#define ROW_COMPOUND CN_SHAPE_KINDS
#define ROW_MESH (CN_SHAPE_KINDS + 1)

// ---- the parameters of each shape: parts of the shape's own struct ----

#define SHAPE_TABLE(shape, words, ...)                                                             \
    static const scene_field cn_##shape##_fields[] = {__VA_ARGS__};                                \
    static const scene_table_of cn_##shape##_table = {.name = #shape,                              \
                                                      .help = words,                               \
                                                      .field = cn_##shape##_fields,                \
                                                      .count = SCENE_COUNT(cn_##shape##_fields)}

#define LENGTH (SCENE_REQUIRED | SCENE_ABOVE_ZERO)

SHAPE_TABLE(sphere, "A ball.",
            SCENE_KEY("radius", real, scene_shape_entry, def.radius, .flags = LENGTH, .unit = "m",
                      .help = "of the ball"));
SHAPE_TABLE(box, "A box, or in 2D a rectangle, about its centre.",
            SCENE_KEY("size", vector, scene_shape_entry, def.size, .flags = LENGTH, .unit = "m",
                      .help = "full edge lengths"));
SHAPE_TABLE(capsule, "A cylinder along z with half spheres at its ends.",
            SCENE_KEY("radius", real, scene_shape_entry, def.radius, .flags = LENGTH, .unit = "m",
                      .help = "of the cylinder and of the half spheres"),
            SCENE_KEY("length", real, scene_shape_entry, def.length, .flags = LENGTH, .unit = "m",
                      .help = "of the straight part"));
SHAPE_TABLE(cylinder, "A cylinder along z, about its centre.",
            SCENE_KEY("radius", real, scene_shape_entry, def.radius, .flags = LENGTH, .unit = "m",
                      .help = "of the cylinder"),
            SCENE_KEY("length", real, scene_shape_entry, def.length, .flags = LENGTH, .unit = "m",
                      .help = "from end to end"));
SHAPE_TABLE(ellipsoid, "An ellipsoid about its centre.",
            SCENE_KEY("axes", vector, scene_shape_entry, def.size, .flags = LENGTH, .unit = "m",
                      .help = "full axis lengths"));
SHAPE_TABLE(polyhedron, "A convex polyhedron.",
            SCENE_KEY("vertices", points, scene_shape_entry, vertices, .flags = SCENE_REQUIRED,
                      .unit = "m", .help = "its corners"),
            SCENE_KEY("faces", faces, scene_shape_entry, faces, .flags = SCENE_NOT_BELOW_ZERO,
                      .help = "the corners of each face, counter-clockwise seen from outside; by "
                              "default the convex hull"));
SHAPE_TABLE(plane, "A half space: free where normal . x >= offset. For fixed bodies.",
            SCENE_KEY("normal", vector, scene_shape_entry, def.normal,
                      .flags = SCENE_REQUIRED | SCENE_UNIT_LENGTH, .help = "towards the free side"),
            SCENE_KEY("offset", real, scene_shape_entry, def.offset, .unit = "m",
                      .help = "distance from the origin along the normal"));
SHAPE_TABLE(disk, "A disk.",
            SCENE_KEY("radius", real, scene_shape_entry, def.radius, .flags = LENGTH, .unit = "m",
                      .help = "of the disk"));
SHAPE_TABLE(ellipse, "An ellipse about its centre.",
            SCENE_KEY("axes", vector, scene_shape_entry, def.size, .flags = LENGTH, .unit = "m",
                      .help = "full axis lengths"));
SHAPE_TABLE(polygon, "A convex polygon.",
            SCENE_KEY("vertices", points, scene_shape_entry, vertices, .flags = SCENE_REQUIRED,
                      .unit = "m", .help = "its corners, in order"));
SHAPE_TABLE(line, "A half plane: free where normal . x >= offset. For fixed bodies.",
            SCENE_KEY("normal", vector, scene_shape_entry, def.normal,
                      .flags = SCENE_REQUIRED | SCENE_UNIT_LENGTH, .help = "towards the free side"),
            SCENE_KEY("offset", real, scene_shape_entry, def.offset, .unit = "m",
                      .help = "distance from the origin along the normal"));
SHAPE_TABLE(ring, "A circle that holds bodies inside. For fixed or driven bodies.",
            SCENE_KEY("radius", real, scene_shape_entry, def.radius, .flags = LENGTH, .unit = "m",
                      .help = "of the circle"));
SHAPE_TABLE(mesh, "Convex parts from an OBJ or STL file: each object, group or solid of it is one.",
            SCENE_KEY("file", text, scene_shape_entry, file, .flags = SCENE_REQUIRED,
                      .help = "path, relative to the scene file"),
            SCENE_KEY("scale", real, scene_shape_entry, scale, .flags = SCENE_ABOVE_ZERO,
                      .help = "factor on the file's lengths"));

// ---- the shape ----

#define SIMPLE(shape, where, words)                                                                \
    SCENE_KEY(#shape, table, scene_shape_entry, node, .flags = SCENE_VARIANT | (where),            \
              .table = &cn_##shape##_table, .help = (words))

static const scene_field shape_fields[] = {
    SIMPLE(sphere, SCENE_ONLY_3D, "a ball"),
    SIMPLE(box, 0, "a box, in 2D a rectangle"),
    SIMPLE(capsule, SCENE_ONLY_3D, "a cylinder with half spheres at its ends"),
    SIMPLE(cylinder, SCENE_ONLY_3D, "a cylinder"),
    SIMPLE(ellipsoid, SCENE_ONLY_3D, "an ellipsoid"),
    SIMPLE(polyhedron, SCENE_ONLY_3D, "a convex polyhedron"),
    SIMPLE(plane, SCENE_ONLY_3D, "a half space"),
    SIMPLE(disk, SCENE_ONLY_2D, "a disk"),
    SIMPLE(ellipse, SCENE_ONLY_2D, "an ellipse"),
    SIMPLE(polygon, SCENE_ONLY_2D, "a convex polygon"),
    SIMPLE(line, SCENE_ONLY_2D, "a half plane"),
    SIMPLE(ring, SCENE_ONLY_2D, "a circle, contact inside"),
    SCENE_KEY("compound", list, scene_shape_entry, parts, .flags = SCENE_VARIANT,
              .table = &scene_shape_table, .help = "several shapes, each with its own place"),
    SIMPLE(mesh, SCENE_ONLY_3D, "convex parts from a file"),
    SCENE_PLACE_FIELDS(scene_shape_entry),
};

static void shape_initial(void *out, int32_t dim) {
    (void)dim;
    scene_shape_entry *shape = out;
    scene_place_initial(&shape->place);
    shape->scale = 1.0;
}

static cn_status shape_check(scene_reader *reader, io_yaml *node, void *out) {
    scene_shape_entry *shape = out;
    CN_TRY(scene_place_check(reader, node, &shape->place));
    if (shape->which == ROW_MESH) {
        CN_TRY(scene_mesh_expand(reader, node, shape->file, shape->scale));
        // The node is a compound from here on, and is read as one.
        return scene_table_read(reader, &scene_shape_table, node, shape);
    }
    if (shape->which == ROW_COMPOUND && shape->parts.count == 0) {
        return scene_fail_node(reader, node, CN_ERR_INPUT, "compound has no shapes");
    }
    return CN_OK;
}

const scene_table_of scene_shape_table = {
    .name = "shape",
    .help = "One key says what it is, and it may have a place in its body's frame.",
    .field = shape_fields,
    .count = SCENE_COUNT(shape_fields),
    .size = sizeof(scene_shape_entry),
    .initial = shape_initial,
    .variant = offsetof(scene_shape_entry, which),
    .check = shape_check,
};

// ---- flattening ----

static int64_t shapes_count(const scene_items *entries) {
    int64_t count = 0;
    const scene_shape_entry *entry = entries->item;
    for (int32_t i = 0; i < entries->count; i++) {
        count += entry[i].which == ROW_COMPOUND ? shapes_count(&entry[i].parts) : 1;
    }
    return count;
}

// inner's place as seen from where outer is placed.
static void place_compose(int32_t dim, const scene_place_of *outer, const scene_place_of *inner,
                          scene_place_of *out) {
    double R[9];
    double turned[3];
    if (dim == 3) {
        math_quat_matrix(outer->orientation, R);
    } else {
        math_angle_matrix(outer->angle, R);
    }
    math_mat3_apply(R, inner->position, turned);
    for (int i = 0; i < 3; i++) {
        out->position[i] = outer->position[i] + turned[i];
    }
    math_quat_multiply(outer->orientation, inner->orientation, out->orientation);
    out->angle = outer->angle + inner->angle;
}

static void shape_define(const scene_shape_entry *entry, const scene_place_of *place,
                         cn_shape_def *def) {
    *def = entry->def;
    def->kind = (cn_shape_kind)entry->which;
    memcpy(def->position, place->position, sizeof def->position);
    memcpy(def->orientation, place->orientation, sizeof def->orientation);
    def->angle = place->angle;
    def->vertices = entry->vertices.value;
    def->vertex_count = entry->vertices.count;
    def->face_size = entry->faces.size;
    def->faces = entry->faces.index;
    def->face_count = entry->faces.count;
}

// outer is NULL at the top, where places are taken as written, to the last bit.
static void shapes_fill(int32_t dim, const scene_items *entries, const scene_place_of *outer,
                        cn_shape_def **next) {
    const scene_shape_entry *entry = entries->item;
    for (int32_t i = 0; i < entries->count; i++) {
        scene_place_of place = entry[i].place;
        if (outer) {
            place_compose(dim, outer, &entry[i].place, &place);
        }
        if (entry[i].which == ROW_COMPOUND) {
            shapes_fill(dim, &entry[i].parts, &place, next);
        } else {
            shape_define(&entry[i], &place, (*next)++);
        }
    }
}

cn_status scene_shapes_flatten(scene_reader *reader, const scene_items *entries,
                               cn_shape_def **shapes, int32_t *count) {
    int64_t total = shapes_count(entries);
    if (total == 0 || total > INT32_MAX) {
        return scene_fail_node(reader, entries->node, CN_ERR_INPUT, "shape has no shapes");
    }
    cn_shape_def *next = BASE_TAKE(reader->memory, cn_shape_def, total);
    if (!next) {
        return base_fail_memory(reader->error);
    }
    *shapes = next;
    *count = (int32_t)total;
    shapes_fill(reader->dim, entries, NULL, &next);
    return CN_OK;
}
