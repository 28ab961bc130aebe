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

#define CN_ROW_COMPOUND CN_SHAPE_KINDS
#define CN_ROW_MESH (CN_SHAPE_KINDS + 1)

// ---- the parameters of each shape: parts of the shape's own struct ----

#define CN_SHAPE_TABLE(shape, words, ...)                                                          \
    static const cn_field cn_##shape##_fields[] = {__VA_ARGS__};                                   \
    static const cn_table cn_##shape##_table = {.name = #shape,                                    \
                                                .help = words,                                     \
                                                .field = cn_##shape##_fields,                      \
                                                .count = CN_COUNT(cn_##shape##_fields)}

#define CN_LENGTH (CN_REQUIRED | CN_ABOVE_ZERO)

CN_SHAPE_TABLE(sphere, "A ball.",
               CN_KEY("radius", real, cn_shape_entry, def.radius, .flags = CN_LENGTH, .unit = "m",
                      .help = "of the ball"));
CN_SHAPE_TABLE(box, "A box, or in 2D a rectangle, about its centre.",
               CN_KEY("size", vector, cn_shape_entry, def.size, .flags = CN_LENGTH, .unit = "m",
                      .help = "full edge lengths"));
CN_SHAPE_TABLE(capsule, "A cylinder along z with half balls at its ends.",
               CN_KEY("radius", real, cn_shape_entry, def.radius, .flags = CN_LENGTH, .unit = "m",
                      .help = "of the cylinder and of the half balls"),
               CN_KEY("length", real, cn_shape_entry, def.length, .flags = CN_LENGTH, .unit = "m",
                      .help = "of the straight part"));
CN_SHAPE_TABLE(cylinder, "A cylinder along z, about its centre.",
               CN_KEY("radius", real, cn_shape_entry, def.radius, .flags = CN_LENGTH, .unit = "m",
                      .help = "of the cylinder"),
               CN_KEY("length", real, cn_shape_entry, def.length, .flags = CN_LENGTH, .unit = "m",
                      .help = "from end to end"));
CN_SHAPE_TABLE(ellipsoid, "An ellipsoid about its centre.",
               CN_KEY("axes", vector, cn_shape_entry, def.size, .flags = CN_LENGTH, .unit = "m",
                      .help = "full axis lengths"));
CN_SHAPE_TABLE(polyhedron, "A convex polyhedron.",
               CN_KEY("vertices", points, cn_shape_entry, vertices, .flags = CN_REQUIRED,
                      .unit = "m", .help = "its corners"),
               CN_KEY("faces", faces, cn_shape_entry, faces, .flags = CN_NOT_BELOW_ZERO,
                      .help = "the corners of each face, counter-clockwise seen from outside; by "
                              "default the convex hull"));
CN_SHAPE_TABLE(plane, "A half space: free where normal . x >= offset. For fixed bodies.",
               CN_KEY("normal", vector, cn_shape_entry, def.normal,
                      .flags = CN_REQUIRED | CN_UNIT_LENGTH, .help = "towards the free side"),
               CN_KEY("offset", real, cn_shape_entry, def.offset, .unit = "m",
                      .help = "distance from the origin along the normal"));
CN_SHAPE_TABLE(disk, "A disk.",
               CN_KEY("radius", real, cn_shape_entry, def.radius, .flags = CN_LENGTH, .unit = "m",
                      .help = "of the disk"));
CN_SHAPE_TABLE(ellipse, "An ellipse about its centre.",
               CN_KEY("axes", vector, cn_shape_entry, def.size, .flags = CN_LENGTH, .unit = "m",
                      .help = "full axis lengths"));
CN_SHAPE_TABLE(polygon, "A convex polygon.",
               CN_KEY("vertices", points, cn_shape_entry, vertices, .flags = CN_REQUIRED,
                      .unit = "m", .help = "its corners, in order"));
CN_SHAPE_TABLE(line, "A half plane: free where normal . x >= offset. For fixed bodies.",
               CN_KEY("normal", vector, cn_shape_entry, def.normal,
                      .flags = CN_REQUIRED | CN_UNIT_LENGTH, .help = "towards the free side"),
               CN_KEY("offset", real, cn_shape_entry, def.offset, .unit = "m",
                      .help = "distance from the origin along the normal"));
CN_SHAPE_TABLE(ring, "A circle that holds bodies inside. For fixed or driven bodies.",
               CN_KEY("radius", real, cn_shape_entry, def.radius, .flags = CN_LENGTH, .unit = "m",
                      .help = "of the circle"));
CN_SHAPE_TABLE(mesh,
               "Convex parts from an OBJ or STL file: each object, group or solid of it is one.",
               CN_KEY("file", text, cn_shape_entry, file, .flags = CN_REQUIRED,
                      .help = "path, relative to the scene file"),
               CN_KEY("scale", real, cn_shape_entry, scale, .flags = CN_ABOVE_ZERO,
                      .help = "factor on the file's lengths"));

// ---- the shape ----

#define CN_SIMPLE(shape, where, words)                                                             \
    CN_KEY(#shape, table, cn_shape_entry, node, .flags = CN_VARIANT | (where),                     \
           .table = &cn_##shape##_table, .help = (words))

static const cn_field cn_shape_fields[] = {
    CN_SIMPLE(sphere, CN_ONLY_3D, "a ball"),
    CN_SIMPLE(box, 0, "a box, in 2D a rectangle"),
    CN_SIMPLE(capsule, CN_ONLY_3D, "a cylinder with half balls at its ends"),
    CN_SIMPLE(cylinder, CN_ONLY_3D, "a cylinder"),
    CN_SIMPLE(ellipsoid, CN_ONLY_3D, "an ellipsoid"),
    CN_SIMPLE(polyhedron, CN_ONLY_3D, "a convex polyhedron"),
    CN_SIMPLE(plane, CN_ONLY_3D, "a half space"),
    CN_SIMPLE(disk, CN_ONLY_2D, "a disk"),
    CN_SIMPLE(ellipse, CN_ONLY_2D, "an ellipse"),
    CN_SIMPLE(polygon, CN_ONLY_2D, "a convex polygon"),
    CN_SIMPLE(line, CN_ONLY_2D, "a half plane"),
    CN_SIMPLE(ring, CN_ONLY_2D, "a circle, contact inside"),
    CN_KEY("compound", list, cn_shape_entry, parts, .flags = CN_VARIANT, .table = &cn_shape_table,
           .help = "several shapes, each with its own place"),
    CN_SIMPLE(mesh, CN_ONLY_3D, "convex parts from a file"),
    CN_PLACE_FIELDS(cn_shape_entry),
};

static void cn_shape_initial(void *out, int32_t dim) {
    (void)dim;
    cn_shape_entry *shape = out;
    cn_place_initial(&shape->place);
    shape->scale = 1.0;
}

static cn_status cn_shape_check(cn_reader *reader, cn_yaml *node, void *out) {
    cn_shape_entry *shape = out;
    cn_status status = cn_place_check(reader, node, &shape->place);
    if (status == CN_OK && shape->which == CN_ROW_MESH) {
        status = cn_mesh_expand(reader, node, shape->file, shape->scale);
        // The node is a compound from here on, and is read as one.
        return status == CN_OK ? cn_table_read(reader, &cn_shape_table, node, shape) : status;
    }
    if (status == CN_OK && shape->which == CN_ROW_COMPOUND && shape->parts.count == 0) {
        return cn_fail_node(reader, node, CN_ERR_INPUT, "compound has no shapes");
    }
    return status;
}

const cn_table cn_shape_table = {
    .name = "shape",
    .help = "One key says what it is, and it may have a place in its body's frame.",
    .field = cn_shape_fields,
    .count = CN_COUNT(cn_shape_fields),
    .size = sizeof(cn_shape_entry),
    .initial = cn_shape_initial,
    .variant = offsetof(cn_shape_entry, which),
    .check = cn_shape_check,
};

// ---- flattening ----

static int64_t cn_shapes_count(const cn_items *entries) {
    int64_t count = 0;
    const cn_shape_entry *entry = entries->item;
    for (int32_t i = 0; i < entries->count; i++) {
        count += entry[i].which == CN_ROW_COMPOUND ? cn_shapes_count(&entry[i].parts) : 1;
    }
    return count;
}

// inner's place as seen from where outer is placed.
static void cn_place_compose(int32_t dim, const cn_place *outer, const cn_place *inner,
                             cn_place *out) {
    double R[9];
    double turned[3];
    if (dim == 3) {
        cn_quat_matrix(outer->orientation, R);
    } else {
        cn_angle_matrix(outer->angle, R);
    }
    cn_mat3_apply(R, inner->position, turned);
    for (int i = 0; i < 3; i++) {
        out->position[i] = outer->position[i] + turned[i];
    }
    cn_quat_multiply(outer->orientation, inner->orientation, out->orientation);
    out->angle = outer->angle + inner->angle;
}

static void cn_shape_define(const cn_shape_entry *entry, const cn_place *place, cn_shape_def *def) {
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
static void cn_shapes_fill(int32_t dim, const cn_items *entries, const cn_place *outer,
                           cn_shape_def **next) {
    const cn_shape_entry *entry = entries->item;
    for (int32_t i = 0; i < entries->count; i++) {
        cn_place place = entry[i].place;
        if (outer) {
            cn_place_compose(dim, outer, &entry[i].place, &place);
        }
        if (entry[i].which == CN_ROW_COMPOUND) {
            cn_shapes_fill(dim, &entry[i].parts, &place, next);
        } else {
            cn_shape_define(&entry[i], &place, (*next)++);
        }
    }
}

cn_status cn_shapes_flatten(cn_reader *reader, const cn_items *entries, cn_shape_def **shapes,
                            int32_t *count) {
    int64_t total = cn_shapes_count(entries);
    if (total == 0 || total > INT32_MAX) {
        return cn_fail_node(reader, entries->node, CN_ERR_INPUT, "shape has no shapes");
    }
    cn_shape_def *next = CN_TAKE(reader->memory, cn_shape_def, total);
    if (!next) {
        return cn_fail_memory(reader->error);
    }
    *shapes = next;
    *count = (int32_t)total;
    cn_shapes_fill(reader->dim, entries, NULL, &next);
    return CN_OK;
}
