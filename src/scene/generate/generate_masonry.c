// scene/generate/generate_masonry.c
// wall: bricks in running bond. arch: wedges with radial joints.
//
// In 3D both stand in the plane of x and z, with their depth along y. Bricks and wedges touch to
// round-off unless a gap is given.
#include "scene/generate/generate.h"

#include "base/error.h"
#include "math/rotation.h"

#include <math.h>
#include <string.h>

// ---- wall ----

enum { CN_ENDS_HALF, CN_ENDS_TOOTHED };

typedef struct cn_wall {
    const cn_yaml *node;
    cn_lot lot;
    int32_t courses, bricks;
    double size[3];
    double gap;
    int32_t ends;
} cn_wall;

static const cn_choice cn_wall_ends[] = {
    {.text = "half", .value = CN_ENDS_HALF}, {.text = "toothed", .value = CN_ENDS_TOOTHED}, {0}};

static const cn_field cn_wall_fields[] = {
    CN_KEY("courses", int, cn_wall, courses, .flags = CN_REQUIRED | CN_ABOVE_ZERO,
           .help = "how many layers"),
    CN_KEY("bricks", int, cn_wall, bricks, .flags = CN_REQUIRED | CN_ABOVE_ZERO,
           .help = "whole bricks of the first course and of every second one after it"),
    CN_KEY("size", vector, cn_wall, size, .flags = CN_REQUIRED | CN_ABOVE_ZERO, .unit = "m",
           .help = "of a brick: length, depth (3D only), height"),
    CN_LOT_POSITION(cn_wall, "of the middle of the foot"),
    CN_KEY("gap", real, cn_wall, gap, .flags = CN_NOT_BELOW_ZERO, .unit = "m",
           .help = "width of the joints, level and upright; less than the length of a brick"),
    CN_KEY("ends", choice, cn_wall, ends, .choice = cn_wall_ends,
           .help = "half bricks at the ends of the other courses, or none (toothed)"),
    CN_LOT_FIELDS(cn_wall),
};

static void cn_wall_initial(void *out, int32_t dim) {
    (void)dim;
    cn_lot_initial(&((cn_wall *)out)->lot);
}

static cn_status cn_wall_count(cn_reader *reader, const void *params, double *bodies) {
    const cn_wall *wall = params;
    if (!(wall->gap < wall->size[0])) {
        return cn_fail_node(reader, cn_yaml_get(wall->node, "gap"), CN_ERR_INPUT,
                            "gap must be less than the length of a brick");
    }
    int32_t others = wall->courses / 2;
    int32_t more = wall->ends == CN_ENDS_HALF ? 1 : -1;
    *bodies = (double)wall->courses * wall->bricks + (double)others * more;
    if (!(*bodies >= 1.0)) {
        return cn_fail_node(reader, wall->node, CN_ERR_INPUT, "the wall has no bricks");
    }
    return CN_OK;
}

// A brick of this length whose middle is at x, in the given course.
static cn_status cn_wall_brick(cn_maker *maker, const cn_wall *wall, double length, double x,
                               int32_t course) {
    int32_t up = cn_up(maker->reader->dim);
    cn_shape_def shape = cn_shape_def_default(CN_SHAPE_BOX);
    memcpy(shape.size, wall->size, sizeof shape.size);
    shape.size[0] = length;
    cn_body_def body = cn_lot_body(maker);
    body.shapes = &shape;
    body.shape_count = 1;
    memcpy(body.position, wall->lot.position, sizeof body.position);
    body.position[0] += x;
    body.position[up] += (course + 0.5) * wall->size[up] + course * wall->gap;
    return cn_make_body(maker, &body);
}

static cn_status cn_wall_run(cn_maker *maker, const void *params) {
    const cn_wall *wall = params;
    double length = wall->size[0];
    double pitch = length + wall->gap;
    double half = 0.5 * (length - wall->gap); // two of them and a joint make a brick
    double middle = 0.5 * (wall->bricks - 1); // index of the middle of a course of whole bricks
    cn_status status = CN_OK;
    for (int32_t course = 0; course < wall->courses && status == CN_OK; course++) {
        bool other = course % 2 == 1;
        int32_t whole = wall->bricks - other;
        double first = -middle + 0.5 * other; // of the whole bricks, in pitches
        double end = (0.5 * wall->bricks) * pitch - 0.5 * wall->gap - 0.5 * half;
        if (other && wall->ends == CN_ENDS_HALF) {
            status = cn_wall_brick(maker, wall, half, -end, course);
        }
        for (int32_t i = 0; i < whole && status == CN_OK; i++) {
            status = cn_wall_brick(maker, wall, length, (first + i) * pitch, course);
        }
        if (other && wall->ends == CN_ENDS_HALF && status == CN_OK) {
            status = cn_wall_brick(maker, wall, half, end, course);
        }
    }
    return status;
}

const cn_table cn_wall_table = {
    .name = "wall",
    .help = "Bricks in running bond, course by course from the ground, each from left to right.",
    .field = cn_wall_fields,
    .count = CN_COUNT(cn_wall_fields),
    .size = sizeof(cn_wall),
    .initial = cn_wall_initial,
    .use = &(const cn_generator){.count = cn_wall_count, .run = cn_wall_run},
};

// ---- arch ----

typedef struct cn_arch {
    const cn_yaml *node;
    cn_lot lot;
    int32_t wedges;
    double radius, thickness, depth, angle;
} cn_arch;

static const cn_field cn_arch_fields[] = {
    CN_KEY("wedges", int, cn_arch, wedges, .flags = CN_REQUIRED | CN_ABOVE_ZERO,
           .help = "how many"),
    CN_KEY("radius", real, cn_arch, radius, .flags = CN_REQUIRED | CN_ABOVE_ZERO, .unit = "m",
           .help = "of the centre line"),
    CN_KEY("thickness", real, cn_arch, thickness, .flags = CN_REQUIRED | CN_ABOVE_ZERO, .unit = "m",
           .help = "along the radius; less than twice the radius"),
    CN_KEY("depth", real, cn_arch, depth, .flags = CN_REQUIRED | CN_ABOVE_ZERO | CN_ONLY_3D,
           .unit = "m", .help = "along y"),
    CN_KEY("angle", real, cn_arch, angle, .flags = CN_RANGE, .min = 1e-3, .max = 2 * CN_PI,
           .unit = "rad", .help = "of the whole, symmetric about the crown; pi is a half circle"),
    CN_LOT_POSITION(cn_arch, "of the centre of the circle"),
    CN_LOT_FIELDS(cn_arch),
};

static void cn_arch_initial(void *out, int32_t dim) {
    (void)dim;
    cn_arch *arch = out;
    cn_lot_initial(&arch->lot);
    arch->angle = CN_PI;
}

static cn_status cn_arch_count(cn_reader *reader, const void *params, double *bodies) {
    const cn_arch *arch = params;
    if (!(arch->thickness < 2.0 * arch->radius)) {
        return cn_fail_node(reader, cn_yaml_get(arch->node, "thickness"), CN_ERR_INPUT,
                            "thickness must be less than twice the radius");
    }
    // Joints have straight faces: a wedge must be less than half a turn wide to have an inside.
    if (!(arch->angle / arch->wedges < 0.99 * CN_PI)) {
        return cn_fail_node(reader, arch->node, CN_ERR_INPUT, "the arch has too few wedges");
    }
    *bodies = arch->wedges;
    return CN_OK;
}

// The corners of a wedge whose radius points along the last axis, about the centre line.
static void cn_wedge_corners(const cn_arch *arch, double corner[4][2]) {
    double sine;
    double cosine;
    cn_sincos(0.5 * arch->angle / arch->wedges, &sine, &cosine);
    double inner = arch->radius - 0.5 * arch->thickness;
    double outer = arch->radius + 0.5 * arch->thickness;
    for (int i = 0; i < 4; i++) {
        double reach = i < 2 ? inner : outer;
        corner[i][0] = i == 0 || i == 3 ? -reach * sine : reach * sine;
        corner[i][1] = reach * cosine - arch->radius;
    }
}

// The wedge as a polygon, or with depth as a polyhedron: front 0-3, back 4-7.
static cn_shape_def cn_wedge_shape(const cn_arch *arch, int32_t dim, double vertex[24]) {
    static const int32_t sizes[6] = {4, 4, 4, 4, 4, 4};
    static const int32_t faces[24] = {0, 1, 2, 3, 7, 6, 5, 4, 0, 4, 5, 1,
                                      1, 5, 6, 2, 2, 6, 7, 3, 3, 7, 4, 0};
    double corner[4][2];
    cn_wedge_corners(arch, corner);
    cn_shape_def shape = cn_shape_def_default(dim == 3 ? CN_SHAPE_POLYHEDRON : CN_SHAPE_POLYGON);
    shape.vertices = vertex;
    if (dim == 2) {
        memcpy(vertex, corner, sizeof corner);
        shape.vertex_count = 4;
        return shape;
    }
    for (int i = 0; i < 8; i++) {
        vertex[3 * i] = corner[i % 4][0];
        vertex[3 * i + 1] = i < 4 ? -0.5 * arch->depth : 0.5 * arch->depth;
        vertex[3 * i + 2] = corner[i % 4][1];
    }
    shape.vertex_count = 8;
    shape.face_size = sizes;
    shape.faces = faces;
    shape.face_count = 6;
    return shape;
}

static cn_status cn_arch_run(cn_maker *maker, const void *params) {
    const cn_arch *arch = params;
    int32_t dim = maker->reader->dim;
    double vertex[24];
    cn_shape_def shape = cn_wedge_shape(arch, dim, vertex);
    cn_body_def body = cn_lot_body(maker);
    body.shapes = &shape;
    body.shape_count = 1;
    cn_status status = CN_OK;
    for (int32_t i = 0; i < arch->wedges && status == CN_OK; i++) {
        // From the crown: positive to the left, where the turn from x to up leads.
        double turn = (i - 0.5 * (arch->wedges - 1)) * (arch->angle / arch->wedges);
        double sine;
        double cosine;
        cn_sincos(turn, &sine, &cosine);
        memcpy(body.position, arch->lot.position, sizeof body.position);
        body.position[0] -= arch->radius * sine;
        body.position[cn_up(dim)] += arch->radius * cosine;
        body.angle = turn;
        cn_sincos(0.5 * turn, &sine, &cosine);
        double q[4] = {cosine, 0.0, -sine, 0.0}; // about -y
        memcpy(body.orientation, q, sizeof q);
        status = cn_make_body(maker, &body);
    }
    return status;
}

const cn_table cn_arch_table = {
    .name = "arch",
    .help = "Equal wedges with radial joints, from the right springing to the left. The ends of a "
            "half circle stand level with its centre.",
    .field = cn_arch_fields,
    .count = CN_COUNT(cn_arch_fields),
    .size = sizeof(cn_arch),
    .initial = cn_arch_initial,
    .use = &(const cn_generator){.count = cn_arch_count, .run = cn_arch_run},
};
