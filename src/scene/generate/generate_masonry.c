// scene/generate/generate_masonry.c
// wall: bricks in running bond, with openings under lintels. arch: wedges with radial joints.
//
// In 3D both stand in the plane of x and z, with their depth along y. Bricks and wedges touch to
// round-off unless a gap is given.
#include "scene/generate/generate.h"

#include "base/error.h"
#include "math/rotation.h"

#include <math.h>
#include <string.h>

// ---- wall ----

enum { ENDS_HALF, ENDS_TOOTHED, ENDS_SHIFTED };

typedef struct masonry_wall {
    const io_yaml *node;
    scene_lot lot;
    int32_t courses, bricks;
    double size[3];
    double gap;
    int32_t ends;
    scene_items openings; // wall_opening
} masonry_wall;

static const scene_choice wall_ends[] = {{.text = "half", .value = ENDS_HALF},
                                         {.text = "toothed", .value = ENDS_TOOTHED},
                                         {.text = "shifted", .value = ENDS_SHIFTED},
                                         {0}};
// A door or window: whole courses high, with a lintel one course high above it.
typedef struct wall_opening {
    const io_yaml *node;
    double middle, width, bearing;
    int32_t first, courses;
} wall_opening;

static const scene_field opening_fields[] = {
    SCENE_KEY("middle", real, wall_opening, middle, .unit = "m",
              .help = "along the wall, from its middle"),
    SCENE_KEY("width", real, wall_opening, width, .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO,
              .unit = "m", .help = "of the free space"),
    SCENE_KEY("first", int, wall_opening, first, .flags = SCENE_NOT_BELOW_ZERO,
              .help = "its lowest course; 0, on the ground: a door"),
    SCENE_KEY("courses", int, wall_opening, courses, .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO,
              .help = "its height"),
    SCENE_KEY("bearing", real, wall_opening, bearing, .flags = SCENE_NOT_BELOW_ZERO, .unit = "m",
              .help = "of the lintel on either side; 0: by default half a brick"),
};

static const scene_table_of opening_table = {
    .name = "opening",
    .help = "A door or window of a wall; a lintel, one course high, lies on the course above it.",
    .field = opening_fields,
    .count = SCENE_COUNT(opening_fields),
    .size = sizeof(wall_opening),
};

static const scene_field wall_fields[] = {
    SCENE_KEY("courses", int, masonry_wall, courses, .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO,
              .help = "how many layers"),
    SCENE_KEY("bricks", int, masonry_wall, bricks, .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO,
              .help = "whole bricks of the first course and of every second one after it"),
    SCENE_KEY("size", vector, masonry_wall, size, .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO,
              .unit = "m", .help = "of a brick: length, depth (3D only), height"),
    SCENE_LOT_POSITION(masonry_wall, "of the middle of the foot"),
    SCENE_KEY("gap", real, masonry_wall, gap, .flags = SCENE_NOT_BELOW_ZERO, .unit = "m",
              .help = "width of the joints, level and upright; less than the length of a brick"),
    SCENE_KEY("ends", choice, masonry_wall, ends, .choice = wall_ends,
              .help = "half bricks at the ends of the other courses, none (toothed), or as many "
                      "bricks, shifted by half of one"),
    SCENE_KEY("openings", list, masonry_wall, openings, .table = &opening_table,
              .help = "doors and windows; bricks are cut at their sides"),
    SCENE_LOT_FIELDS(masonry_wall),
};

static void wall_initial(void *out, int32_t dim) {
    (void)dim;
    scene_lot_initial(&((masonry_wall *)out)->lot);
}

// Pieces of bricks below this share of a brick's length are left out.
#define PIECE_MIN 0.05

static double bearing_of(const masonry_wall *wall, const wall_opening *opening) {
    return opening->bearing > 0.0 ? opening->bearing : 0.5 * wall->size[0];
}

static cn_status openings_check(scene_reader *reader, const masonry_wall *wall) {
    const wall_opening *opening = wall->openings.item;
    double half = 0.5 * wall->bricks * (wall->size[0] + wall->gap);
    for (int32_t i = 0; i < wall->openings.count; i++) {
        double side = 0.5 * opening[i].width + bearing_of(wall, &opening[i]);
        if (!(fabs(opening[i].middle) + side <= half)) {
            return scene_fail_node(reader, opening[i].node, CN_ERR_INPUT,
                                   "the opening and its lintel reach beyond the wall");
        }
        if (opening[i].first + opening[i].courses >= wall->courses) {
            return scene_fail_node(reader, opening[i].node, CN_ERR_INPUT,
                                   "the opening has no course above it for its lintel");
        }
    }
    return CN_OK;
}

static cn_status wall_count(scene_reader *reader, const void *params, double *bodies) {
    const masonry_wall *wall = params;
    if (!(wall->gap < wall->size[0])) {
        return scene_fail_node(reader, io_yaml_get(wall->node, "gap"), CN_ERR_INPUT,
                               "gap must be less than the length of a brick");
    }
    CN_TRY(openings_check(reader, wall));
    int32_t others = wall->courses / 2;
    int32_t more = wall->ends == ENDS_HALF ? 1 : wall->ends == ENDS_TOOTHED ? -1 : 0;
    // At most: an opening may cut a brick in two.
    *bodies = ((double)wall->courses * wall->bricks + (double)others * more) *
                  (1.0 + wall->openings.count) +
              wall->openings.count;
    if (!(*bodies >= 1.0)) {
        return scene_fail_node(reader, wall->node, CN_ERR_INPUT, "the wall has no bricks");
    }
    return CN_OK;
}

// A block of this length whose middle is at x, in the given course.
static cn_status wall_box(scene_maker *maker, const masonry_wall *wall, double length, double x,
                          int32_t course) {
    int32_t up = scene_up(maker->reader->dim);
    cn_shape_def shape = cn_shape_def_default(CN_SHAPE_BOX);
    memcpy(shape.size, wall->size, sizeof shape.size);
    shape.size[0] = length;
    cn_body_def body = scene_lot_body(maker);
    body.shapes = &shape;
    body.shape_count = 1;
    memcpy(body.position, wall->lot.position, sizeof body.position);
    body.position[0] += x;
    body.position[up] += (course + 0.5) * wall->size[up] + course * wall->gap;
    return scene_make_body(maker, &body);
}

// What an opening takes out of a course: its own width, or that of its lintel with a joint at
// either side. false: nothing.
static bool taken_out(const masonry_wall *wall, const wall_opening *opening, int32_t course,
                      double span[2]) {
    int32_t top = opening->first + opening->courses;
    double half = 0.5 * opening->width;
    if (course == top) {
        half += bearing_of(wall, opening) + wall->gap;
    }
    span[0] = opening->middle - half;
    span[1] = opening->middle + half;
    return course >= opening->first && course <= top;
}

// What the openings from `next` on leave of a brick between two ends.
static cn_status wall_piece(scene_maker *maker, const masonry_wall *wall, double from, double to,
                            int32_t course, int32_t next) {
    const wall_opening *opening = wall->openings.item;
    double span[2];
    for (; next < wall->openings.count; next++) {
        if (taken_out(wall, &opening[next], course, span) && span[0] < to && span[1] > from) {
            CN_TRY(wall_piece(maker, wall, from, span[0], course, next + 1));
            return wall_piece(maker, wall, span[1], to, course, next + 1);
        }
    }
    return to - from >= PIECE_MIN * wall->size[0]
               ? wall_box(maker, wall, to - from, 0.5 * (from + to), course)
               : CN_OK;
}

static cn_status wall_brick(scene_maker *maker, const masonry_wall *wall, double length, double x,
                            int32_t course) {
    return wall->openings.count == 0
               ? wall_box(maker, wall, length, x, course)
               : wall_piece(maker, wall, x - 0.5 * length, x + 0.5 * length, course, 0);
}

static cn_status wall_lintels(scene_maker *maker, const masonry_wall *wall, int32_t course) {
    const wall_opening *opening = wall->openings.item;
    for (int32_t i = 0; i < wall->openings.count; i++) {
        if (course == opening[i].first + opening[i].courses) {
            double length = opening[i].width + 2.0 * bearing_of(wall, &opening[i]);
            CN_TRY(wall_box(maker, wall, length, opening[i].middle, course));
        }
    }
    return CN_OK;
}

static cn_status wall_run(scene_maker *maker, const void *params) {
    const masonry_wall *wall = params;
    double length = wall->size[0];
    double pitch = length + wall->gap;
    double half = 0.5 * (length - wall->gap); // two of them and a joint make a brick
    double middle = 0.5 * (wall->bricks - 1); // index of the middle of a course of whole bricks
    for (int32_t course = 0; course < wall->courses; course++) {
        bool other = course % 2 == 1;
        int32_t whole = wall->bricks - (other && wall->ends != ENDS_SHIFTED);
        double first = -middle + 0.5 * other; // of the whole bricks, in pitches
        double end = (0.5 * wall->bricks) * pitch - 0.5 * wall->gap - 0.5 * half;
        if (other && wall->ends == ENDS_HALF) {
            CN_TRY(wall_brick(maker, wall, half, -end, course));
        }
        for (int32_t i = 0; i < whole; i++) {
            CN_TRY(wall_brick(maker, wall, length, (first + i) * pitch, course));
        }
        if (other && wall->ends == ENDS_HALF) {
            CN_TRY(wall_brick(maker, wall, half, end, course));
        }
        CN_TRY(wall_lintels(maker, wall, course));
    }
    return CN_OK;
}

const scene_table_of scene_wall_table = {
    .name = "wall",
    .help = "Bricks in running bond, course by course from the ground, each from left to right.",
    .field = wall_fields,
    .count = SCENE_COUNT(wall_fields),
    .size = sizeof(masonry_wall),
    .initial = wall_initial,
    .use = &(const scene_generator){.count = wall_count, .run = wall_run},
};

// ---- arch ----

typedef struct scene_arch {
    const io_yaml *node;
    scene_lot lot;
    int32_t wedges;
    double radius, thickness, depth, angle;
} scene_arch;

static const scene_field arch_fields[] = {
    SCENE_KEY("wedges", int, scene_arch, wedges, .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO,
              .help = "how many"),
    SCENE_KEY("radius", real, scene_arch, radius, .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO,
              .unit = "m", .help = "of the centre line"),
    SCENE_KEY("thickness", real, scene_arch, thickness, .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO,
              .unit = "m", .help = "along the radius; less than twice the radius"),
    SCENE_KEY("depth", real, scene_arch, depth,
              .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO | SCENE_ONLY_3D, .unit = "m",
              .help = "along y"),
    SCENE_KEY("angle", real, scene_arch, angle, .flags = BASE_RANGE, .min = 1e-3,
              .max = 2 * SCENE_PI, .unit = "rad",
              .help = "of the whole, symmetric about the crown; pi is a half circle"),
    SCENE_LOT_POSITION(scene_arch, "of the centre of the circle"),
    SCENE_LOT_FIELDS(scene_arch),
};

static void arch_initial(void *out, int32_t dim) {
    (void)dim;
    scene_arch *arch = out;
    scene_lot_initial(&arch->lot);
    arch->angle = SCENE_PI;
}

static cn_status arch_count(scene_reader *reader, const void *params, double *bodies) {
    const scene_arch *arch = params;
    if (!(arch->thickness < 2.0 * arch->radius)) {
        return scene_fail_node(reader, io_yaml_get(arch->node, "thickness"), CN_ERR_INPUT,
                               "thickness must be less than twice the radius");
    }
    // Joints have straight faces: a wedge must be less than half a turn wide to have an inside.
    if (!(arch->angle / arch->wedges < 0.99 * SCENE_PI)) {
        return scene_fail_node(reader, arch->node, CN_ERR_INPUT, "the arch has too few wedges");
    }
    *bodies = arch->wedges;
    return CN_OK;
}

// The corners of a wedge whose radius points along the last axis, about the centre line.
static void wedge_corners(const scene_arch *arch, double corner[4][2]) {
    double sine;
    double cosine;
    base_sincos(0.5 * arch->angle / arch->wedges, &sine, &cosine);
    double inner = arch->radius - 0.5 * arch->thickness;
    double outer = arch->radius + 0.5 * arch->thickness;
    for (int i = 0; i < 4; i++) {
        double reach = i < 2 ? inner : outer;
        corner[i][0] = i == 0 || i == 3 ? -reach * sine : reach * sine;
        corner[i][1] = reach * cosine - arch->radius;
    }
}

// The wedge as a polygon, or with depth as a polyhedron: front 0-3, back 4-7.
static cn_shape_def wedge_shape(const scene_arch *arch, int32_t dim, double vertex[24]) {
    static const int32_t sizes[6] = {4, 4, 4, 4, 4, 4};
    static const int32_t faces[24] = {0, 1, 2, 3, 7, 6, 5, 4, 0, 4, 5, 1,
                                      1, 5, 6, 2, 2, 6, 7, 3, 3, 7, 4, 0};
    double corner[4][2];
    wedge_corners(arch, corner);
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

static cn_status arch_run(scene_maker *maker, const void *params) {
    const scene_arch *arch = params;
    int32_t dim = maker->reader->dim;
    double vertex[24];
    cn_shape_def shape = wedge_shape(arch, dim, vertex);
    cn_body_def body = scene_lot_body(maker);
    body.shapes = &shape;
    body.shape_count = 1;
    for (int32_t i = 0; i < arch->wedges; i++) {
        // From the crown: positive to the left, where the turn from x to up leads.
        double turn = (i - 0.5 * (arch->wedges - 1)) * (arch->angle / arch->wedges);
        double sine;
        double cosine;
        base_sincos(turn, &sine, &cosine);
        memcpy(body.position, arch->lot.position, sizeof body.position);
        body.position[0] -= arch->radius * sine;
        body.position[scene_up(dim)] += arch->radius * cosine;
        body.angle = turn;
        base_sincos(0.5 * turn, &sine, &cosine);
        double q[4] = {cosine, 0.0, -sine, 0.0}; // about -y
        memcpy(body.orientation, q, sizeof q);
        CN_TRY(scene_make_body(maker, &body));
    }
    return CN_OK;
}

const scene_table_of scene_arch_table = {
    .name = "arch",
    .help = "Equal wedges with radial joints, from the right springing to the left. The ends of a "
            "half circle stand level with its centre.",
    .field = arch_fields,
    .count = SCENE_COUNT(arch_fields),
    .size = sizeof(scene_arch),
    .initial = arch_initial,
    .use = &(const scene_generator){.count = arch_count, .run = arch_run},
};
