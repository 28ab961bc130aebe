// geom/ray.c
// Rays and shapes in closed form. A convex solid is met in an interval [t0, t1] of the ray; the
// intervals of its parts (half-spaces of a hull, a tube and its ends) are intersected, the normal
// being that of the part entered last. An ellipsoid becomes a unit sphere by scaling.
#include "geom/ray.h"

#include "math/vec3.h"

#include <string.h>

// Part of the ray inside a convex solid so far.
typedef struct ray_part {
    double t0, t1;
    double normal[3]; // where t0 is
    bool empty;
} ray_part;

// Cuts by the half-space n . x <= offset.
static void cut_plane(ray_part *part, const double o[3], const double d[3], const double n[3],
                      double offset) {
    double rate = math_dot3(n, d), apart = offset - math_dot3(n, o);
    if (rate == 0.0) {
        part->empty = part->empty || apart < 0.0;
        return;
    }
    double t = apart / rate;
    if (rate > 0.0) {
        part->t1 = fmin(part->t1, t);
    } else if (t > part->t0) {
        part->t0 = t;
        memcpy(part->normal, n, 3 * sizeof *n);
    }
}

// The interval in which |x|^2 <= radius^2, x = o + t d, of the first `axes` coordinates; false: it
// is empty.
static bool round_interval(const double o[3], const double d[3], int axes, double radius,
                           double *low, double *high) {
    double a = 0.0, b = 0.0, c = 0.0;
    for (int k = 0; k < axes; k++) {
        a += d[k] * d[k];
        b += o[k] * d[k];
        c += o[k] * o[k];
    }
    if (a == 0.0) {
        *low = -HUGE_VAL;
        *high = HUGE_VAL;
        return c <= radius * radius;
    }
    // The point nearest to the axis, from which the discriminant does not cancel.
    double nearest = -b / a, off = 0.0;
    for (int k = 0; k < axes; k++) {
        double x = o[k] + nearest * d[k];
        off += x * x;
    }
    double half = radius * radius - off;
    if (half < 0.0) {
        return false;
    }
    half = sqrt(half / a);
    *low = nearest - half;
    *high = nearest + half;
    return true;
}

static void cut_round(ray_part *part, const double o[3], const double d[3], int axes,
                      double radius) {
    double low, high;
    if (!round_interval(o, d, axes, radius, &low, &high)) {
        part->empty = true;
        return;
    }
    part->t1 = fmin(part->t1, high);
    if (low > part->t0) {
        part->t0 = low;
        for (int k = 0; k < 3; k++) {
            part->normal[k] = k < axes ? (o[k] + low * d[k]) / radius : 0.0;
        }
    }
}

static void ray_hull(const geom_hull *hull, const double o[3], const double d[3], ray_part *part) {
    for (int32_t f = 0; f < hull->face_count && !part->empty; f++) {
        cut_plane(part, o, d, hull->normal + 3 * (int64_t)f, hull->offset[f]);
    }
}

static void ray_cylinder(const geom_shape *shape, const double o[3], const double d[3],
                         ray_part *part) {
    static const double up[3] = {0.0, 0.0, 1.0}, down[3] = {0.0, 0.0, -1.0};
    cut_round(part, o, d, 2, shape->radius);
    cut_plane(part, o, d, up, shape->half);
    cut_plane(part, o, d, down, shape->half);
}

// The union of a tube and two spheres, which is convex: the first entry of the three, the last
// exit.
static void ray_capsule(const geom_shape *shape, const double o[3], const double d[3],
                        ray_part *part) {
    ray_part whole = {.t0 = HUGE_VAL, .t1 = -HUGE_VAL, .empty = true};
    for (int i = 0; i < 3; i++) {
        ray_part one = *part;
        if (i == 2) {
            ray_cylinder(shape, o, d, &one);
        } else {
            const double from[3] = {o[0], o[1], o[2] + (i == 0 ? shape->half : -shape->half)};
            cut_round(&one, from, d, 3, shape->radius);
        }
        if (one.empty || one.t0 > one.t1) {
            continue;
        }
        whole.empty = false;
        whole.t1 = fmax(whole.t1, one.t1);
        if (one.t0 < whole.t0) {
            whole.t0 = one.t0;
            memcpy(whole.normal, one.normal, sizeof whole.normal);
        }
    }
    *part = whole;
}

static void ray_ellipsoid(const geom_shape *shape, int32_t dim, const double o[3],
                          const double d[3], ray_part *part) {
    double from[3] = {0.0}, way[3] = {0.0};
    for (int k = 0; k < dim; k++) {
        from[k] = o[k] / shape->axes[k];
        way[k] = d[k] / shape->axes[k];
    }
    double before = part->t0;
    cut_round(part, from, way, 3, 1.0);
    if (part->t0 > before && !part->empty) {
        double length = 0.0;
        for (int k = 0; k < 3; k++) {
            part->normal[k] = k < dim ? part->normal[k] / shape->axes[k] : 0.0;
            length = hypot(length, part->normal[k]);
        }
        for (int k = 0; k < 3; k++) {
            part->normal[k] /= length;
        }
    }
}

// Solid outside its circle: a ray from inside enters where it leaves the circle.
static bool ray_ring(const geom_shape *shape, const double o[3], const double d[3], double reach,
                     double *t, double normal[3]) {
    double low, high;
    if (math_norm3(o) >= shape->radius || !round_interval(o, d, 2, shape->radius, &low, &high)) {
        *t = 0.0;
        for (int k = 0; k < 3; k++) {
            normal[k] = -d[k];
        }
        return true;
    }
    *t = high;
    for (int k = 0; k < 3; k++) {
        normal[k] = k < 2 ? -(o[k] + high * d[k]) / shape->radius : 0.0;
    }
    return high <= reach;
}

bool geom_shape_ray(const geom_shape *shape, int32_t dim, const double o[3], const double d[3],
                    double reach, double *t, double normal[3]) {
    // Hulls, planes and lines are in the body's frame, the others in their own.
    bool in_body = shape->hull.vertex_count > 0 || shape->kind == CN_SHAPE_PLANE ||
                   shape->kind == CN_SHAPE_LINE;
    double from[3], way[3];
    memcpy(from, o, sizeof from);
    memcpy(way, d, sizeof way);
    if (!in_body) {
        math_sub3(o, shape->position, from);
        math_mat3_apply_transposed(shape->R, from, from);
        math_mat3_apply_transposed(shape->R, d, way);
    }
    ray_part part = {.t0 = -HUGE_VAL, .t1 = HUGE_VAL};
    switch (shape->kind) {
    case CN_SHAPE_RING:
        if (!ray_ring(shape, from, way, reach, t, normal)) {
            return false;
        }
        math_mat3_apply(shape->R, normal, normal);
        return true;
    case CN_SHAPE_PLANE:
    case CN_SHAPE_LINE:
        cut_plane(&part, from, way, shape->normal, shape->offset);
        break;
    case CN_SHAPE_SPHERE:
    case CN_SHAPE_DISK:
        cut_round(&part, from, way, 3, shape->radius);
        break;
    case CN_SHAPE_CAPSULE:
        ray_capsule(shape, from, way, &part);
        break;
    case CN_SHAPE_CYLINDER:
        ray_cylinder(shape, from, way, &part);
        break;
    case CN_SHAPE_ELLIPSOID:
    case CN_SHAPE_ELLIPSE:
        ray_ellipsoid(shape, dim, from, way, &part);
        break;
    default:
        ray_hull(&shape->hull, from, way, &part);
        break;
    }
    if (part.empty || !(part.t0 <= part.t1) || part.t1 < 0.0 || part.t0 > reach) {
        return false;
    }
    *t = fmax(part.t0, 0.0);
    if (part.t0 < 0.0) {
        math_add_scaled3(d, -2.0, d, normal);
    } else if (in_body) {
        memcpy(normal, part.normal, sizeof part.normal);
    } else {
        math_mat3_apply(shape->R, part.normal, normal);
    }
    return true;
}
