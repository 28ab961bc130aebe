// detect/hulls.c
#include "detect/hulls.h"

#include "math/vec3.h"

#include <string.h>

#define CN_CORNER_BITS 7 // of an id, for the corner that a cut one descends from

void cn_hull_face(const cn_placed *hull, int32_t f, cn_polygon *out) {
    const cn_hull *shape = &hull->shape->hull;
    out->count = 0;
    for (int32_t k = shape->face[f]; k < shape->face[f + 1] && out->count < CN_POLYGON_MOST; k++) {
        cn_corner *corner = &out->corner[out->count++];
        cn_placed_point(hull, shape->vertex + 3 * (int64_t)shape->loop[k], corner->x);
        corner->id = (uint32_t)(k - shape->face[f]);
    }
}

static void cn_append_corner(cn_polygon *polygon, const double x[3], uint32_t id) {
    if (polygon->count < CN_POLYGON_MOST) {
        cn_corner *corner = &polygon->corner[polygon->count++];
        memcpy(corner->x, x, sizeof corner->x);
        corner->id = id;
    }
}

void cn_polygon_clip(cn_polygon *polygon, const double normal[3], double offset, double slack,
                     uint32_t side) {
    cn_polygon in = *polygon;
    polygon->count = 0;
    for (int32_t i = 0; i < in.count; i++) {
        const cn_corner *a = &in.corner[i], *b = &in.corner[(i + 1) % in.count];
        double height_a = cn_dot3(normal, a->x) - offset, height_b = cn_dot3(normal, b->x) - offset;
        bool inside_a = height_a <= slack, inside_b = height_b <= slack;
        if (inside_a) {
            cn_append_corner(polygon, a->x, a->id);
        }
        if (inside_a != inside_b) {
            double x[3], along[3];
            cn_sub3(b->x, a->x, along);
            cn_add_scaled3(a->x, height_a / (height_a - height_b), along, x);
            uint32_t from = (inside_a ? a->id : b->id) & ((1u << CN_CORNER_BITS) - 1u);
            cn_append_corner(polygon, x, (side + 1u) << CN_CORNER_BITS | from);
        }
    }
}

void cn_polygon_reduce(cn_polygon *polygon, const double normal[3]) {
    if (polygon->count <= CN_MANIFOLD_MOST) {
        return;
    }
    double t1[3], t2[3];
    bool keep[CN_POLYGON_MOST] = {false};
    cn_tangents3(normal, t1, t2);
    for (int32_t d = 0; d < CN_MANIFOLD_MOST; d++) {
        // The eight directions (1,0) (1,1) (0,1) ... : lengths differ, extremes do not.
        const int32_t x[] = {1, 1, 0, -1, -1, -1, 0, 1}, y[] = {0, 1, 1, 1, 0, -1, -1, -1};
        int32_t best = 0;
        double farthest = 0.0;
        for (int32_t i = 0; i < polygon->count; i++) {
            double far =
                x[d] * cn_dot3(t1, polygon->corner[i].x) + y[d] * cn_dot3(t2, polygon->corner[i].x);
            if (i == 0 || far > farthest) {
                best = i;
                farthest = far;
            }
        }
        keep[best] = true;
    }
    int32_t count = 0;
    for (int32_t i = 0; i < polygon->count; i++) {
        if (keep[i]) {
            polygon->corner[count++] = polygon->corner[i];
        }
    }
    polygon->count = count;
}

static double cn_clamp_unit(double x) {
    return x < 0.0 ? 0.0 : (x > 1.0 ? 1.0 : x);
}

void cn_segment_nearest(const double a0[3], const double a1[3], const double b0[3],
                        const double b1[3], double on_a[3], double on_b[3]) {
    double u[3], v[3], w[3];
    cn_sub3(a1, a0, u);
    cn_sub3(b1, b0, v);
    cn_sub3(a0, b0, w);
    double uu = cn_dot3(u, u), uv = cn_dot3(u, v), vv = cn_dot3(v, v), uw = cn_dot3(u, w),
           vw = cn_dot3(v, w);
    double det = uu * vv - uv * uv;
    // Parallel segments: any foot will do, the clamps below make it a nearest one.
    double s = det > 0.0 ? cn_clamp_unit((uv * vw - vv * uw) / det) : 0.0;
    double t = vv > 0.0 ? cn_clamp_unit((uv * s + vw) / vv) : 0.0;
    s = uu > 0.0 ? cn_clamp_unit((uv * t - uw) / uu) : 0.0;
    cn_add_scaled3(a0, s, u, on_a);
    cn_add_scaled3(b0, t, v, on_b);
}
