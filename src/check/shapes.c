// check/shapes.c
// Distances and extents of shapes by formula. Whether two convex shapes are near is decided by
// Gilbert's method on their difference: it walks to the point nearest to the origin and ends at a
// plane that keeps them as far apart as is asked, or nearer than that.
#include "check/shapes.h"

#include "math/rotation.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define CN_GILBERT_ROUNDS 200

cn_solid cn_solid_at(const cn_model *model, int32_t body, int32_t k, const double *pose) {
    cn_solid solid = {.shape = &model->shape[model->body[body].shape_first + k]};
    if (model->dim == 3) {
        cn_quat_matrix(pose + 3, solid.R);
    } else {
        cn_angle_matrix(pose[2], solid.R);
    }
    memcpy(solid.center, pose, sizeof(double) * (size_t)model->dim);
    return solid;
}

static bool cn_is_hull(const cn_shape *shape) {
    return shape->hull.vertex_count > 0;
}

// From the world into the frame in which the shape is written: that of its hull is its body's.
static void cn_into_shape(const cn_solid *solid, const double point[3], double out[3]) {
    double apart[3];
    cn_sub3(point, solid->center, apart);
    cn_mat3_apply_transposed(solid->R, apart, out);
    bool own = !cn_is_hull(solid->shape) && solid->shape->kind != CN_SHAPE_PLANE &&
               solid->shape->kind != CN_SHAPE_LINE;
    if (own) {
        cn_sub3(out, solid->shape->position, apart);
        cn_mat3_apply_transposed(solid->shape->R, apart, out);
    }
}

static double cn_hull_distance(const cn_hull *hull, const double x[3]) {
    double farthest = -HUGE_VAL;
    for (int32_t f = 0; f < hull->face_count; f++) {
        farthest = fmax(farthest, cn_dot3(hull->normal + 3 * (int64_t)f, x) - hull->offset[f]);
    }
    return farthest;
}

// (f - 1)/|grad f| of f = sum (x/a)^2: exact to first order.
static double cn_ellipsoid_distance(const cn_shape *shape, const double x[3]) {
    double f = -1.0, slope = 0.0;
    for (int k = 0; k < 3; k++) {
        double share = shape->axes[k] > 0.0 ? x[k] / shape->axes[k] : 0.0;
        f += share * share;
        slope = hypot(slope, shape->axes[k] > 0.0 ? 2.0 * share / shape->axes[k] : 0.0);
    }
    return slope > 0.0 ? f / slope : -shape->axes[0];
}

double cn_solid_distance(const cn_solid *solid, const double point[3]) {
    const cn_shape *shape = solid->shape;
    double x[3];
    cn_into_shape(solid, point, x);
    if (cn_is_hull(shape)) {
        return cn_hull_distance(&shape->hull, x);
    }
    switch (shape->kind) {
    case CN_SHAPE_SPHERE:
    case CN_SHAPE_DISK:
        return cn_norm3(x) - shape->radius;
    case CN_SHAPE_RING:
        return shape->radius - cn_norm3(x);
    case CN_SHAPE_PLANE:
    case CN_SHAPE_LINE:
        return cn_dot3(shape->normal, x) - shape->offset;
    case CN_SHAPE_CAPSULE:
        x[2] -= fmin(fmax(x[2], -shape->half), shape->half);
        return cn_norm3(x) - shape->radius;
    case CN_SHAPE_CYLINDER:
        return fmax(hypot(x[0], x[1]) - shape->radius, fabs(x[2]) - shape->half);
    case CN_SHAPE_ELLIPSOID:
    case CN_SHAPE_ELLIPSE:
        return cn_ellipsoid_distance(shape, x);
    default:
        return (double)NAN;
    }
}

// The farthest point of a bounded convex shape along d, in its own frame.
static void cn_farthest(const cn_shape *shape, const double d[3], double out[3]) {
    double length = cn_norm3(d), around = hypot(d[0], d[1]), stretched = 0.0;
    memset(out, 0, 3 * sizeof *out);
    if (cn_is_hull(shape)) {
        double most = -HUGE_VAL;
        for (int32_t i = 0; i < shape->hull.vertex_count; i++) {
            const double *vertex = shape->hull.vertex + 3 * (int64_t)i;
            if (cn_dot3(d, vertex) > most) {
                most = cn_dot3(d, vertex);
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

static bool cn_has_no_end(const cn_shape *shape) {
    return shape->kind == CN_SHAPE_PLANE || shape->kind == CN_SHAPE_LINE ||
           shape->kind == CN_SHAPE_RING;
}

static void cn_farthest_in_world(const cn_solid *solid, const double direction[3], double out[3]) {
    double d[3], x[3];
    cn_mat3_apply_transposed(solid->R, direction, d);
    if (cn_is_hull(solid->shape)) {
        cn_farthest(solid->shape, d, x);
    } else {
        double own[3];
        cn_mat3_apply_transposed(solid->shape->R, d, own);
        cn_farthest(solid->shape, own, x);
        cn_mat3_apply(solid->shape->R, x, x);
        cn_add_scaled3(x, 1.0, solid->shape->position, x);
    }
    cn_mat3_apply(solid->R, x, out);
    cn_add_scaled3(out, 1.0, solid->center, out);
}

double cn_solid_extent(const cn_solid *solid, const double direction[3]) {
    double point[3];
    if (cn_has_no_end(solid->shape)) {
        return HUGE_VAL;
    }
    cn_farthest_in_world(solid, direction, point);
    return cn_dot3(direction, point);
}

// Of a bounded shape and a plane, line or ring: of its deepest point.
static double cn_gap_to_unbounded(const cn_solid *wall, const cn_solid *solid) {
    double n[3], x[3], point[3];
    if (wall->shape->kind != CN_SHAPE_RING) {
        cn_mat3_apply(wall->R, wall->shape->normal, n);
        for (int k = 0; k < 3; k++) {
            x[k] = -n[k];
        }
        cn_farthest_in_world(solid, x, point);
        return cn_solid_distance(wall, point);
    }
    // The farthest point from the middle of the ring, where the shape is round or has corners.
    double least = HUGE_VAL, middle[3];
    cn_mat3_apply(wall->R, wall->shape->position, middle);
    cn_add_scaled3(middle, 1.0, wall->center, middle);
    for (int32_t i = 0; i < solid->shape->hull.vertex_count; i++) {
        cn_mat3_apply(solid->R, solid->shape->hull.vertex + 3 * (int64_t)i, point);
        cn_add_scaled3(point, 1.0, solid->center, point);
        least = fmin(least, cn_solid_distance(wall, point));
    }
    if (solid->shape->kind == CN_SHAPE_DISK) {
        double center[3], away[3];
        cn_mat3_apply(solid->R, solid->shape->position, center);
        cn_add_scaled3(center, 1.0, solid->center, center);
        cn_sub3(center, middle, away);
        least = wall->shape->radius - cn_norm3(away) - solid->shape->radius;
    }
    return least;
}

static double cn_round_gap(const cn_solid *a, const cn_solid *b) {
    double first[3], second[3], apart[3];
    cn_mat3_apply(a->R, a->shape->position, first);
    cn_mat3_apply(b->R, b->shape->position, second);
    cn_add_scaled3(first, 1.0, a->center, first);
    cn_add_scaled3(second, 1.0, b->center, second);
    cn_sub3(first, second, apart);
    return cn_norm3(apart) - a->shape->radius - b->shape->radius;
}

static bool cn_is_round(const cn_shape *shape) {
    return shape->kind == CN_SHAPE_SPHERE || shape->kind == CN_SHAPE_DISK;
}

// Of two convex shapes: a step of Gilbert's method goes from x towards the point of the difference
// that is farthest against it. At least near: they are no nearer, or it cannot be said. Near may be
// an overlap, of which the method sees only that there is one.
static double cn_convex_gap(const cn_solid *a, const cn_solid *b, double near) {
    double x[3], aim = fabs(near);
    cn_sub3(a->center, b->center, x);
    for (int round = 0; round < CN_GILBERT_ROUNDS; round++) {
        double size = cn_norm3(x), against[3], back[3], p[3], q[3], w[3], step[3];
        if (!(size > aim)) {
            return near > 0.0 ? size : 2.0 * near; // x is a point of the difference
        }
        for (int k = 0; k < 3; k++) {
            back[k] = x[k] / size;
            against[k] = -back[k];
        }
        cn_farthest_in_world(a, against, p);
        cn_farthest_in_world(b, back, q);
        cn_sub3(p, q, w);
        if (cn_dot3(back, w) >= fmax(near, 0.0)) {
            return near; // planes that far apart are between
        }
        cn_sub3(w, x, step);
        double square = cn_dot3(step, step),
               share = square > 0.0 ? -cn_dot3(x, step) / square : 0.0;
        if (!(share > 0.0)) {
            return near; // as near as it comes
        }
        cn_add_scaled3(x, fmin(share, 1.0), step, x);
    }
    return near;
}

double cn_solids_gap(const cn_solid *a, const cn_solid *b, double near) {
    bool open_a = cn_has_no_end(a->shape), open_b = cn_has_no_end(b->shape);
    if (open_a || open_b) {
        return open_a && open_b ? near
               : open_a         ? cn_gap_to_unbounded(a, b)
                                : cn_gap_to_unbounded(b, a);
    }
    return cn_is_round(a->shape) && cn_is_round(b->shape) ? cn_round_gap(a, b)
                                                          : cn_convex_gap(a, b, near);
}
