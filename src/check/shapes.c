// check/shapes.c
// Distances and extents of shapes by formula. Whether two convex shapes are near is decided by
// Gilbert's method on their difference: it walks to the point nearest to the origin and ends at a
// plane that keeps them as far apart as is asked, or nearer than that.
#include "check/shapes.h"

#include "math/rotation.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define GILBERT_ROUNDS 200

check_solid check_solid_at(const cn_model *model, int32_t body, int32_t k, const double *pose) {
    check_solid solid = {.shape = &model->shape[model->body[body].shape_first + k]};
    if (model->dim == 3) {
        math_quat_matrix(pose + 3, solid.R);
    } else {
        math_angle_matrix(pose[2], solid.R);
    }
    memcpy(solid.center, pose, sizeof(double) * (size_t)model->dim);
    return solid;
}

static bool is_hull(const geom_shape *shape) {
    return shape->hull.vertex_count > 0;
}

// From the world into the frame in which the shape is written: that of its hull is its body's.
static void into_shape(const check_solid *solid, const double point[3], double out[3]) {
    double apart[3];
    math_sub3(point, solid->center, apart);
    math_mat3_apply_transposed(solid->R, apart, out);
    bool own = !is_hull(solid->shape) && solid->shape->kind != CN_SHAPE_PLANE &&
               solid->shape->kind != CN_SHAPE_LINE;
    if (own) {
        math_sub3(out, solid->shape->position, apart);
        math_mat3_apply_transposed(solid->shape->R, apart, out);
    }
}

static double hull_distance(const geom_hull *hull, const double x[3]) {
    double farthest = -HUGE_VAL;
    for (int32_t f = 0; f < hull->face_count; f++) {
        farthest = fmax(farthest, math_dot3(hull->normal + 3 * (int64_t)f, x) - hull->offset[f]);
    }
    return farthest;
}

// (f - 1)/|grad f| of f = sum (x/a)^2: exact to first order.
static double ellipsoid_distance(const geom_shape *shape, const double x[3]) {
    double f = -1.0, slope = 0.0;
    for (int k = 0; k < 3; k++) {
        double share = shape->axes[k] > 0.0 ? x[k] / shape->axes[k] : 0.0;
        f += share * share;
        slope = hypot(slope, shape->axes[k] > 0.0 ? 2.0 * share / shape->axes[k] : 0.0);
    }
    return slope > 0.0 ? f / slope : -shape->axes[0];
}

double check_solid_distance(const check_solid *solid, const double point[3]) {
    const geom_shape *shape = solid->shape;
    double x[3];
    into_shape(solid, point, x);
    if (is_hull(shape)) {
        return hull_distance(&shape->hull, x);
    }
    switch (shape->kind) {
    case CN_SHAPE_SPHERE:
    case CN_SHAPE_DISK:
        return math_norm3(x) - shape->radius;
    case CN_SHAPE_RING:
        return shape->radius - math_norm3(x);
    case CN_SHAPE_PLANE:
    case CN_SHAPE_LINE:
        return math_dot3(shape->normal, x) - shape->offset;
    case CN_SHAPE_CAPSULE:
        x[2] -= fmin(fmax(x[2], -shape->half), shape->half);
        return math_norm3(x) - shape->radius;
    case CN_SHAPE_CYLINDER:
        return fmax(hypot(x[0], x[1]) - shape->radius, fabs(x[2]) - shape->half);
    case CN_SHAPE_ELLIPSOID:
    case CN_SHAPE_ELLIPSE:
        return ellipsoid_distance(shape, x);
    default:
        return (double)NAN;
    }
}

// The farthest point of a bounded convex shape along d, in its own frame.
static void check_farthest(const geom_shape *shape, const double d[3], double out[3]) {
    double length = math_norm3(d), around = hypot(d[0], d[1]), stretched = 0.0;
    memset(out, 0, 3 * sizeof *out);
    if (is_hull(shape)) {
        double max = -HUGE_VAL;
        for (int32_t i = 0; i < shape->hull.vertex_count; i++) {
            const double *vertex = shape->hull.vertex + 3 * (int64_t)i;
            if (math_dot3(d, vertex) > max) {
                max = math_dot3(d, vertex);
                memcpy(out, vertex, 3 * sizeof *out);
            }
        }
        return;
    }
    for (int k = 0; k < 3; k++) {
        stretched = hypot(stretched, shape->axes[k] * d[k]);
    }
    for (int k = 0; k < 3 && length > 0.0; k++) {
        switch (shape->kind) {
        case CN_SHAPE_CYLINDER:
            out[k] = k == 2         ? copysign(shape->half, d[2])
                     : around > 0.0 ? shape->radius * d[k] / around
                                    : 0.0;
            break;
        case CN_SHAPE_ELLIPSOID:
        case CN_SHAPE_ELLIPSE:
            out[k] = stretched > 0.0 ? shape->axes[k] * shape->axes[k] * d[k] / stretched : 0.0;
            break;
        default: // sphere, disk, capsule
            out[k] = shape->radius * d[k] / length;
            out[k] += k == 2 && shape->kind == CN_SHAPE_CAPSULE ? copysign(shape->half, d[2]) : 0.0;
            break;
        }
    }
}

static bool has_no_end(const geom_shape *shape) {
    return shape->kind == CN_SHAPE_PLANE || shape->kind == CN_SHAPE_LINE ||
           shape->kind == CN_SHAPE_RING;
}

static void farthest_in_world(const check_solid *solid, const double direction[3], double out[3]) {
    double d[3], x[3];
    math_mat3_apply_transposed(solid->R, direction, d);
    if (is_hull(solid->shape)) {
        check_farthest(solid->shape, d, x);
    } else {
        double own[3];
        math_mat3_apply_transposed(solid->shape->R, d, own);
        check_farthest(solid->shape, own, x);
        math_mat3_apply(solid->shape->R, x, x);
        math_add_scaled3(x, 1.0, solid->shape->position, x);
    }
    math_mat3_apply(solid->R, x, out);
    math_add_scaled3(out, 1.0, solid->center, out);
}

double check_solid_extent(const check_solid *solid, const double direction[3]) {
    double point[3];
    if (has_no_end(solid->shape)) {
        return HUGE_VAL;
    }
    farthest_in_world(solid, direction, point);
    return math_dot3(direction, point);
}

// Of a bounded shape and a plane, line or ring: of its deepest point.
static double gap_to_unbounded(const check_solid *wall, const check_solid *solid) {
    double n[3], x[3], point[3];
    if (wall->shape->kind != CN_SHAPE_RING) {
        math_mat3_apply(wall->R, wall->shape->normal, n);
        for (int k = 0; k < 3; k++) {
            x[k] = -n[k];
        }
        farthest_in_world(solid, x, point);
        return check_solid_distance(wall, point);
    }
    // The farthest point from the middle of the ring, where the shape is round or has corners.
    double min = HUGE_VAL, middle[3];
    math_mat3_apply(wall->R, wall->shape->position, middle);
    math_add_scaled3(middle, 1.0, wall->center, middle);
    for (int32_t i = 0; i < solid->shape->hull.vertex_count; i++) {
        math_mat3_apply(solid->R, solid->shape->hull.vertex + 3 * (int64_t)i, point);
        math_add_scaled3(point, 1.0, solid->center, point);
        min = fmin(min, check_solid_distance(wall, point));
    }
    if (solid->shape->kind == CN_SHAPE_DISK) {
        double center[3], away[3];
        math_mat3_apply(solid->R, solid->shape->position, center);
        math_add_scaled3(center, 1.0, solid->center, center);
        math_sub3(center, middle, away);
        min = wall->shape->radius - math_norm3(away) - solid->shape->radius;
    }
    return min;
}

static double round_gap(const check_solid *a, const check_solid *b) {
    double first[3], second[3], apart[3];
    math_mat3_apply(a->R, a->shape->position, first);
    math_mat3_apply(b->R, b->shape->position, second);
    math_add_scaled3(first, 1.0, a->center, first);
    math_add_scaled3(second, 1.0, b->center, second);
    math_sub3(first, second, apart);
    return math_norm3(apart) - a->shape->radius - b->shape->radius;
}

static bool is_round(const geom_shape *shape) {
    return shape->kind == CN_SHAPE_SPHERE || shape->kind == CN_SHAPE_DISK;
}

// Of two convex shapes: a step of Gilbert's method goes from x towards the point of the difference
// that is farthest against it. At least near: they are no nearer, or it cannot be said. Near may be
// an overlap, of which the method sees only that there is one.
static double convex_gap(const check_solid *a, const check_solid *b, double near) {
    // The middles of the bodies need not be in these shapes: points of both begin.
    const double any[3] = {1.0, 0.0, 0.0};
    double x[3], of_b[3], aim = fabs(near);
    farthest_in_world(a, any, x);
    farthest_in_world(b, any, of_b);
    math_sub3(x, of_b, x);
    for (int round = 0; round < GILBERT_ROUNDS; round++) {
        double size = math_norm3(x), against[3], back[3], p[3], q[3], w[3], step[3];
        if (!(size > aim)) {
            return near > 0.0 ? size : 2.0 * near; // x is a point of the difference
        }
        for (int k = 0; k < 3; k++) {
            back[k] = x[k] / size;
            against[k] = -back[k];
        }
        farthest_in_world(a, against, p);
        farthest_in_world(b, back, q);
        math_sub3(p, q, w);
        if (math_dot3(back, w) >= fmax(near, 0.0)) {
            return near; // planes that far apart are between
        }
        math_sub3(w, x, step);
        double square = math_dot3(step, step),
               share = square > 0.0 ? -math_dot3(x, step) / square : 0.0;
        if (!(share > 0.0)) {
            return near; // as near as it comes
        }
        math_add_scaled3(x, fmin(share, 1.0), step, x);
    }
    return near;
}

double check_solids_gap(const check_solid *a, const check_solid *b, double near) {
    bool open_a = has_no_end(a->shape), open_b = has_no_end(b->shape);
    if (open_a || open_b) {
        return open_a && open_b ? near : open_a ? gap_to_unbounded(a, b) : gap_to_unbounded(b, a);
    }
    return is_round(a->shape) && is_round(b->shape) ? round_gap(a, b) : convex_gap(a, b, near);
}
