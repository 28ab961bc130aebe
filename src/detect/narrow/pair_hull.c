// detect/narrow/pair_hull.c
// A sphere and a convex polyhedron: the nearest point of the faces that see the centre; inside, the
// way out through the nearest face. Costs the corners of these faces.
#include "detect/narrow/patch.h"

#include "math/vec3.h"

#include <float.h>
#include <string.h>

// The point of face f nearest to x, both in the hull's frame; true when it lies inside the face.
static bool nearest_on_face(const geom_hull *hull, int32_t f, const double x[3],
                            double nearest[3]) {
    const double *n = hull->normal + 3 * (int64_t)f;
    double min = DBL_MAX, foot[3];
    bool inside = true;
    int32_t first = hull->face[f], count = hull->face[f + 1] - first;
    math_add_scaled3(x, -(math_dot3(n, x) - hull->offset[f]), n, foot);
    for (int32_t i = 0; i < count; i++) {
        const double *p = hull->vertex + 3 * (int64_t)hull->loop[first + i];
        const double *q = hull->vertex + 3 * (int64_t)hull->loop[first + (i + 1) % count];
        double along[3], across[3], span[3], on_edge[3], on_x[3], apart[3];
        math_sub3(q, p, along);
        math_cross3(along, n, across);
        math_sub3(foot, p, span);
        if (math_dot3(across, span) <= 0.0) {
            continue;
        }
        // Outside this edge: the nearest point of the face is on one of the edges it is outside of.
        inside = false;
        det_segment_nearest(x, x, p, q, on_x, on_edge);
        math_sub3(on_edge, x, apart);
        double square = math_dot3(apart, apart);
        if (square < min) {
            min = square;
            memcpy(nearest, on_edge, sizeof on_edge);
        }
    }
    if (inside) {
        memcpy(nearest, foot, sizeof foot);
    }
    return inside;
}

void det_pair_sphere_hull(const det_placed *a, const det_placed *b, double alert,
                          det_manifold *out) {
    const geom_hull *hull = &b->shape->hull;
    double center[3], x[3], apart[3], highest = -DBL_MAX, min = DBL_MAX;
    int32_t face = 0;
    det_placed_origin(a, center);
    math_sub3(center, b->position, apart);
    math_mat3_apply_transposed(b->R, apart, x);
    for (int32_t f = 0; f < hull->face_count; f++) {
        double height = math_dot3(hull->normal + 3 * (int64_t)f, x) - hull->offset[f];
        if (height > highest) {
            highest = height;
            face = f;
        }
    }
    if (highest > alert + a->shape->radius) {
        return;
    }
    // Over a face the normal is that face's to the last bit; over an edge or a corner it is the
    // line from there.
    double normal[3], distance = highest;
    memcpy(normal, hull->normal + 3 * (int64_t)face, sizeof normal);
    for (int32_t f = 0; highest > 0.0 && f < hull->face_count; f++) {
        double height = math_dot3(hull->normal + 3 * (int64_t)f, x) - hull->offset[f];
        if (!(height > 0.0)) {
            continue;
        }
        double nearest[3] = {0.0}, span[3];
        bool over = nearest_on_face(hull, f, x, nearest);
        math_sub3(x, nearest, span);
        double length = over ? height : math_norm3(span);
        if (length < min && length > 0.0) {
            distance = min = length;
            for (int i = 0; i < 3; i++) {
                normal[i] = over ? hull->normal[3 * (int64_t)f + i] : span[i] / length;
            }
        }
        if (over) {
            break; // no other face is nearer
        }
    }
    double gap = distance - a->shape->radius, point[3];
    math_mat3_apply(b->R, normal, normal);
    math_add_scaled3(center, -(a->shape->radius + 0.5 * gap), normal, point);
    det_manifold_add(out, point, normal, gap, alert, 0);
}
