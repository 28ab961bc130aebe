// detect/narrow/pair_plane.c
// Bounded bodies over a plane: the points of them that reach lowest, with as many as a flat or
// straight part has.
#include "detect/narrow/convex.h"

#include "math/vec3.h"

#include <float.h>
#include <string.h>

// A point of the body over the plane.
static void plane_add(const double normal[3], double offset, const double x[3], double alert,
                      uint32_t feature, det_manifold *out) {
    double gap = math_dot3(normal, x) - offset, point[3];
    math_add_scaled3(x, -0.5 * gap, normal, point);
    det_manifold_add(out, point, normal, gap, alert, feature);
}

void det_sphere_plane_contact(const double center[3], double radius, const det_placed *plane,
                              double alert, det_manifold *out) {
    double normal[3], offset, point[3];
    det_placed_plane(plane, normal, &offset);
    double gap = math_dot3(normal, center) - offset - radius;
    math_add_scaled3(center, -(radius + 0.5 * gap), normal, point);
    det_manifold_add(out, point, normal, gap, alert, 0);
}

void det_pair_sphere_plane(const det_placed *a, const det_placed *b, double alert,
                           det_manifold *out) {
    double center[3];
    det_placed_origin(a, center);
    det_sphere_plane_contact(center, a->shape->radius, b, alert, out);
}

// ---- hulls: their corners ----

typedef struct det_corners {
    const det_placed *hull;
    double normal[3], offset;
} det_corners;

static double plane_corner(const void *from, int32_t v, double x[3]) {
    const det_corners *corners = from;
    det_placed_point(corners->hull, corners->hull->shape->hull.vertex + 3 * (int64_t)v, x);
    return math_dot3(corners->normal, x) - corners->offset;
}

// Two directions of the plane that turn with the body: the two of its axes that lie flattest.
static void body_tangents(const double R[9], const double normal[3], double t1[3], double t2[3]) {
    int flattest = 0;
    for (int k = 1; k < 3; k++) {
        const double axis[3] = {R[k], R[3 + k], R[6 + k]},
                     best[3] = {R[flattest], R[3 + flattest], R[6 + flattest]};
        flattest = fabs(math_dot3(axis, normal)) < fabs(math_dot3(best, normal)) ? k : flattest;
    }
    const double axis[3] = {R[flattest], R[3 + flattest], R[6 + flattest]};
    math_cross3(normal, axis, t2);
    math_cross3(t2, normal, t1);
}

void det_pair_hull_plane(const det_placed *a, const det_placed *b, double alert,
                         det_manifold *out) {
    const geom_hull *hull = &a->shape->hull;
    det_corners corners = {.hull = a};
    double own[3], x[3], t1[3], t2[3];
    int32_t near = 0, keep[DET_MANIFOLD_MAX];
    det_placed_plane(b, corners.normal, &corners.offset);
    math_mat3_apply_transposed(a->R, corners.normal, own);
    double level = corners.offset - math_dot3(corners.normal, a->position);
    for (int32_t v = 0; v < hull->vertex_count; v++) {
        if (math_dot3(own, hull->vertex + 3 * (int64_t)v) - level <= alert) {
            if (near < DET_MANIFOLD_MAX) {
                keep[near] = v;
            }
            near++;
        }
    }
    if (near > DET_MANIFOLD_MAX) {
        body_tangents(a->R, corners.normal, t1, t2);
        near = det_pick_extremes(plane_corner, &corners, hull->vertex_count, t1, t2, alert,
                                 DET_SLACK * a->shape->bound, keep);
    }
    for (int32_t k = 0; k < near; k++) {
        plane_corner(&corners, keep[k], x);
        plane_add(corners.normal, corners.offset, x, alert, (uint32_t)keep[k], out);
    }
}

// ---- round ones: what the plane sees of them ----

// Cosine between the axis and the plane's normal from which a cylinder is taken to stand: then its
// rim counts, else its line.
#define STANDING 0.7

void det_pair_round_plane(const det_placed *a, const det_placed *b, double alert,
                          det_manifold *out) {
    proj_convex body;
    det_patch patch;
    double normal[3], offset, x[3];
    det_placed_plane(b, normal, &offset);
    offset -= math_dot3(normal, a->position);
    det_convex_place(a, a->position, &body);
    const double down[3] = {-normal[0], -normal[1], -normal[2]};
    double lowest = -det_convex_height(&body, down) - offset, min = DBL_MAX;
    if (!(lowest <= alert)) {
        return;
    }
    det_convex_patch(&body, down, STANDING, 1.0, &patch);
    // Every second corner of a rim: eight stand as well as sixteen.
    for (int32_t i = 0; i<patch.count; i += patch.count> DET_MANIFOLD_MAX ? 2 : 1) {
        double gap = math_dot3(normal, patch.corner[i].x) - offset;
        min = gap < min ? gap : min;
        plane_add(normal, offset, patch.corner[i].x, alert, patch.corner[i].id, out);
    }
    // A tilted rim is lowest between its corners.
    if (min > lowest + DET_SLACK * a->shape->bound) {
        det_convex_support(&body, down, x);
        plane_add(normal, offset, x, alert, DET_FEATURE_DEEPEST, out);
    }
    for (int32_t k = 0; k < out->count; k++) {
        math_add_scaled3(out->point[k].point, 1.0, a->position, out->point[k].point);
    }
}
