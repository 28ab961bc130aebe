// detect/narrow/pair_round.c
// Spheres against spheres, hollow rings and the round bodies of 3D: the signed distance of a point
// to the other body, less the radius. Two capsules: the nearest points of their middle lines, and
// the ends of the stretch along which they run side by side.
#include "detect/narrow/ellipsoid.h"
#include "detect/narrow/patch.h"
#include "math/vec3.h"

#include <string.h>

// Sine between two capsules' lines up to which they count as side by side: what they carry at the
// ends of the stretch then differs little from what they carry all along.
#define SIDE_BY_SIDE 0.05

void det_sphere_contact(const double a[3], double radius_a, const double b[3], double radius_b,
                        const double spare[3], double alert, uint32_t feature, det_manifold *out) {
    double apart[3], normal[3], point[3];
    math_sub3(a, b, apart);
    double distance = math_norm3(apart), gap = distance - (radius_a + radius_b);
    if (!(gap <= alert)) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        normal[i] = distance > 0.0 ? apart[i] / distance : spare[i];
    }
    math_add_scaled3(b, radius_b + 0.5 * gap, normal, point);
    det_manifold_add(out, point, normal, gap, alert, feature);
}

static void round_pair(const det_placed *a, const det_placed *b, const double spare[3],
                       double alert, det_manifold *out) {
    double ca[3], cb[3];
    det_placed_origin(a, ca);
    det_placed_origin(b, cb);
    det_sphere_contact(ca, a->shape->radius, cb, b->shape->radius, spare, alert, 0, out);
}

void det_pair_sphere_sphere(const det_placed *a, const det_placed *b, double alert,
                            det_manifold *out) {
    round_pair(a, b, (const double[3]){0.0, 0.0, 1.0}, alert, out);
}

void det_pair_disk_disk(const det_placed *a, const det_placed *b, double alert, det_manifold *out) {
    round_pair(a, b, (const double[3]){0.0, 1.0, 0.0}, alert, out);
}

// Inside a hollow ring the normal points to its centre. A disk at the centre is farthest from
// contact: any normal will do.
void det_pair_disk_ring(const det_placed *a, const det_placed *b, double alert, det_manifold *out) {
    double center[3], ring[3], apart[3], normal[3], point[3];
    det_placed_origin(a, center);
    det_placed_origin(b, ring);
    math_sub3(center, ring, apart);
    double distance = math_norm3(apart), gap = b->shape->radius - a->shape->radius - distance;
    for (int i = 0; i < 3; i++) {
        normal[i] = distance > 0.0 ? -apart[i] / distance : (i == 1 ? 1.0 : 0.0);
    }
    math_add_scaled3(center, -(a->shape->radius + 0.5 * gap), normal, point);
    det_manifold_add(out, point, normal, gap, alert, 0);
}

// ---- a sphere and a shape with a frame of its own ----

// The sphere's centre in the other's frame.
static void sphere_seen(const det_placed *sphere, const det_placed *other, double x[3]) {
    double center[3], origin[3];
    det_placed_origin(sphere, center);
    det_placed_origin(other, origin);
    math_sub3(center, origin, center);
    math_mat3_apply_transposed(other->R, center, center);
    math_mat3_apply_transposed(other->shape->R, center, x);
}

// The contact of a sphere with a body whose outward normal in its own frame, and distance from the
// sphere's centre, are known.
static void sphere_add(const det_placed *sphere, const det_placed *other,
                       const double own_normal[3], double distance, double alert,
                       det_manifold *out) {
    double center[3], normal[3], point[3], gap = distance - sphere->shape->radius;
    det_placed_origin(sphere, center);
    math_mat3_apply(other->shape->R, own_normal, normal);
    math_mat3_apply(other->R, normal, normal);
    math_add_scaled3(center, -(sphere->shape->radius + 0.5 * gap), normal, point);
    det_manifold_add(out, point, normal, gap, alert, 0);
}

static void sphere_ellipsoid(int32_t dim, const det_placed *a, const det_placed *b, double alert,
                             det_manifold *out) {
    double x[3], foot[3], normal[3];
    sphere_seen(a, b, x);
    double distance = det_ellipsoid_distance(dim, b->shape->axes, x, foot, normal);
    sphere_add(a, b, normal, distance, alert, out);
}

void det_pair_sphere_ellipsoid(const det_placed *a, const det_placed *b, double alert,
                               det_manifold *out) {
    sphere_ellipsoid(3, a, b, alert, out);
}

void det_pair_disk_ellipse(const det_placed *a, const det_placed *b, double alert,
                           det_manifold *out) {
    sphere_ellipsoid(2, a, b, alert, out);
}

void det_pair_sphere_cylinder(const det_placed *a, const det_placed *b, double alert,
                              det_manifold *out) {
    double x[3], normal[3] = {0.0}, distance;
    sphere_seen(a, b, x);
    double away = sqrt(x[0] * x[0] + x[1] * x[1]), side = away - b->shape->radius,
           end = fabs(x[2]) - b->shape->half;
    // Weights of the radial and the axial direction: both beyond an edge, else the nearer way.
    double radial = side > end ? 1.0 : 0.0, axial = 1.0 - radial;
    distance = side > end ? side : end;
    if (side > 0.0 && end > 0.0) {
        distance = sqrt(side * side + end * end);
        radial = side / distance;
        axial = end / distance;
    }
    normal[0] = radial * (away > 0.0 ? x[0] / away : 1.0);
    normal[1] = radial * (away > 0.0 ? x[1] / away : 0.0);
    normal[2] = x[2] < 0.0 ? -axial : axial;
    sphere_add(a, b, normal, distance, alert, out);
}

// ---- capsules ----

// The middle line, from end 0 to end 1.
static void capsule_line(const det_placed *capsule, double end[2][3]) {
    const geom_shape *shape = capsule->shape;
    for (int i = 0; i < 2; i++) {
        double x[3], half = i == 0 ? -shape->half : shape->half;
        const double axis[3] = {shape->R[2], shape->R[5], shape->R[8]};
        math_add_scaled3(shape->position, half, axis, x);
        det_placed_point(capsule, x, end[i]);
    }
}

// A unit vector across a line, and across another as well where they are not parallel.
static void unit_across(const double u[3], const double v[3], double out[3]) {
    double spare[3], length = math_norm3(u);
    const double unit[3] = {u[0] / length, u[1] / length, u[2] / length};
    math_cross3(u, v, out);
    length = math_norm3(out);
    if (!(length > 0.0)) {
        math_tangents3(unit, out, spare);
        return;
    }
    for (int i = 0; i < 3; i++) {
        out[i] /= length;
    }
}

void det_pair_sphere_capsule(const det_placed *a, const det_placed *b, double alert,
                             det_manifold *out) {
    double center[3], line[2][3], along[3], spare[3], on_sphere[3], on_line[3];
    det_placed_origin(a, center);
    capsule_line(b, line);
    math_sub3(line[1], line[0], along);
    unit_across(along, along, spare);
    det_segment_nearest(center, center, line[0], line[1], on_sphere, on_line);
    det_sphere_contact(center, a->shape->radius, on_line, b->shape->radius, spare, alert, 0, out);
}

void det_pair_capsule_capsule(const det_placed *a, const det_placed *b, double alert,
                              det_manifold *out) {
    double line_a[2][3], line_b[2][3], u[3], v[3], span[3], spare[3], on_a[3], on_b[3];
    double ra = a->shape->radius, rb = b->shape->radius;
    capsule_line(a, line_a);
    capsule_line(b, line_b);
    det_segment_nearest(line_a[0], line_a[1], line_b[0], line_b[1], on_a, on_b);
    math_sub3(on_a, on_b, span);
    double min = math_norm3(span), slack = DET_SLACK * (a->shape->bound + b->shape->bound);
    if (!(min - ra - rb <= alert)) {
        return;
    }
    math_sub3(line_a[1], line_a[0], u);
    math_sub3(line_b[1], line_b[0], v);
    unit_across(u, v, spare);
    math_cross3(u, v, span);
    bool side_by_side = math_norm3(span) <= SIDE_BY_SIDE * math_norm3(u) * math_norm3(v);
    det_side_end end[2];
    int32_t count = side_by_side ? det_segment_overlap(line_a, line_b, slack, end) : 0;
    double nearest = INFINITY;
    for (int32_t k = 0; k < count; k++) {
        math_sub3(end[k].on_a, end[k].on_b, span);
        nearest = fmin(nearest, math_norm3(span));
        det_sphere_contact(end[k].on_a, ra, end[k].on_b, rb, spare, alert,
                           (end[k].of_a ? DET_FEATURE_A : DET_FEATURE_B) | (uint32_t)end[k].end,
                           out);
    }
    if (!(nearest <= min + slack)) {
        det_sphere_contact(on_a, ra, on_b, rb, spare, alert, DET_FEATURE_DEEPEST, out);
    }
}
