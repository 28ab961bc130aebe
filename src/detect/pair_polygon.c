// detect/pair_polygon.c
// Convex polygons (2D hulls) against one another, lines, rings and disks.
//
// Two polygons: the edge normal of largest separation; the edge of the other that faces it, clipped
// to the reference edge, gives up to two points, each with its own gap. Apart and corner to corner,
// the two nearest corners do.
#include "detect/pairs.h"
#include "math/vec3.h"

#include <float.h>
#include <string.h>

// Lengths below this share of a body's size are round-off: which of two equal axes wins, what lies
// on a line.
#define CN_POLYGON_SLACK 1e-9

static void cn_vertex(const cn_placed *polygon, int32_t v, double x[3]) {
    const cn_hull *hull = &polygon->shape->hull;
    cn_placed_point(polygon, hull->vertex + 3 * (int64_t)(v % hull->vertex_count), x);
}

static void cn_edge_normal(const cn_placed *polygon, int32_t f, double normal[3]) {
    cn_mat3_apply(polygon->R, polygon->shape->hull.normal + 3 * (int64_t)f, normal);
}

// Largest separation of the other polygon along an edge normal of the first, and that edge.
static double cn_edge_axis_2d(const cn_placed *first, const cn_placed *other, int32_t *edge) {
    const cn_hull *hull = &first->shape->hull, *seen = &other->shape->hull;
    double best = -DBL_MAX;
    for (int32_t f = 0; f < hull->face_count; f++) {
        double normal[3], corner[3], turned[3], lowest = DBL_MAX;
        cn_edge_normal(first, f, normal);
        cn_vertex(first, f, corner);
        cn_mat3_apply_transposed(other->R, normal, turned);
        for (int32_t v = 0; v < seen->vertex_count; v++) {
            double height = cn_dot3(turned, seen->vertex + 3 * (int64_t)v);
            lowest = height < lowest ? height : lowest;
        }
        double apart = lowest + cn_dot3(normal, other->position) - cn_dot3(normal, corner);
        if (apart > best) {
            best = apart;
            *edge = f;
        }
    }
    return best;
}

static int32_t cn_opposed_edge(const cn_placed *polygon, const double direction[3]) {
    const cn_hull *hull = &polygon->shape->hull;
    double turned[3], least = DBL_MAX;
    int32_t edge = 0;
    cn_mat3_apply_transposed(polygon->R, direction, turned);
    for (int32_t f = 0; f < hull->face_count; f++) {
        double along = cn_dot3(turned, hull->normal + 3 * (int64_t)f);
        if (along < least) {
            least = along;
            edge = f;
        }
    }
    return edge;
}

// Cuts the segment x[0] x[1] to direction . x <= offset; false when nothing is left.
static bool cn_cut_segment(double x[2][3], const double direction[3], double offset, double slack) {
    double height[2] = {cn_dot3(direction, x[0]) - offset, cn_dot3(direction, x[1]) - offset};
    if (height[0] > slack && height[1] > slack) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        if (height[i] > slack) {
            double along[3];
            cn_sub3(x[1 - i], x[i], along);
            cn_add_scaled3(x[i], height[i] / (height[i] - height[1 - i]), along, x[i]);
        }
    }
    return true;
}

// The two corners nearest to one another of two edges, normal from `from` to `to`; nothing when
// they overlap.
static void cn_nearest_corners(double from[2][3], double to[2][3], double alert, uint32_t id,
                               cn_manifold *out) {
    double least = DBL_MAX;
    int best = 0;
    for (int k = 0; k < 4; k++) {
        double apart[3];
        cn_sub3(to[k % 2], from[k / 2], apart);
        if (cn_dot3(apart, apart) < least) {
            least = cn_dot3(apart, apart);
            best = k;
        }
    }
    cn_manifold one = {.count = 0};
    cn_ball_contact(2, to[best % 2], 0.0, from[best / 2], 0.0, alert, &one);
    if (one.count > 0 && one.point[0].gap > 0.0) {
        cn_manifold_add(out, one.point[0].point, one.point[0].normal, one.point[0].gap, alert,
                        id | 4u | (uint32_t)best);
    }
}

// Edge f of `reference` against the other polygon; normals from the reference to the other.
static void cn_edge_contact_2d(const cn_placed *reference, int32_t f, const cn_placed *other,
                               double alert, double slack, uint32_t side, cn_manifold *out) {
    double normal[3], edge[2][3], incident[2][3], along[3], back[3];
    cn_edge_normal(reference, f, normal);
    int32_t opposed = cn_opposed_edge(other, normal);
    for (int i = 0; i < 2; i++) {
        cn_vertex(reference, f + i, edge[i]);
        cn_vertex(other, opposed + i, incident[i]);
    }
    double whole[2][3];
    memcpy(whole, incident, sizeof whole);
    cn_sub3(edge[1], edge[0], along);
    double length = cn_norm3(along);
    for (int k = 0; k < 3; k++) {
        along[k] /= length;
        back[k] = -along[k];
    }
    uint32_t id = side << 31 | (uint32_t)(f & 0x3fff) << 17 | (uint32_t)(opposed & 0x3fff) << 3;
    if (cn_cut_segment(incident, along, cn_dot3(along, edge[1]), slack) &&
        cn_cut_segment(incident, back, cn_dot3(back, edge[0]), slack)) {
        for (uint32_t i = 0; i < 2; i++) {
            double gap = cn_dot3(normal, incident[i]) - cn_dot3(normal, edge[0]), point[3];
            cn_add_scaled3(incident[i], -0.5 * gap, normal, point);
            cn_manifold_add(out, point, normal, gap, alert, id | i);
        }
    }
    if (out->count == 0) {
        cn_nearest_corners(edge, whole, alert, id, out);
    }
}

void cn_pair_polygon_polygon(const cn_placed *a, const cn_placed *b, double alert,
                             cn_manifold *out) {
    double slack = CN_POLYGON_SLACK * (a->shape->bound + b->shape->bound);
    int32_t edge_a = 0, edge_b = 0;
    double apart_a = cn_edge_axis_2d(a, b, &edge_a), apart_b = cn_edge_axis_2d(b, a, &edge_b);
    if (apart_a > alert || apart_b > alert) {
        return;
    }
    if (apart_b > apart_a + slack) {
        cn_edge_contact_2d(b, edge_b, a, alert, slack, 1, out);
    } else {
        cn_edge_contact_2d(a, edge_a, b, alert, slack, 0, out);
        cn_manifold_flip(out);
    }
}

void cn_pair_polygon_line(const cn_placed *a, const cn_placed *b, double alert, cn_manifold *out) {
    double normal[3], offset;
    cn_placed_plane(b, normal, &offset);
    for (int32_t v = 0; v < a->shape->hull.vertex_count; v++) {
        double x[3], point[3];
        cn_vertex(a, v, x);
        double gap = cn_dot3(normal, x) - offset;
        cn_add_scaled3(x, -0.5 * gap, normal, point);
        cn_manifold_add(out, point, normal, gap, alert, (uint32_t)v);
    }
}

void cn_pair_polygon_ring(const cn_placed *a, const cn_placed *b, double alert, cn_manifold *out) {
    double ring[3];
    cn_placed_origin(b, ring);
    for (int32_t v = 0; v < a->shape->hull.vertex_count; v++) {
        double x[3], apart[3], normal[3], point[3];
        cn_vertex(a, v, x);
        cn_sub3(ring, x, apart);
        double distance = cn_norm3(apart), gap = b->shape->radius - distance;
        for (int k = 0; k < 3; k++) {
            normal[k] = distance > 0.0 ? apart[k] / distance : (k == 1 ? 1.0 : 0.0);
        }
        cn_add_scaled3(x, -0.5 * gap, normal, point);
        cn_manifold_add(out, point, normal, gap, alert, (uint32_t)v);
    }
}

// Outside, the nearest point is on the edge that sees the centre from farthest, or at one of its
// two corners.
void cn_pair_disk_polygon(const cn_placed *a, const cn_placed *b, double alert, cn_manifold *out) {
    const cn_hull *hull = &b->shape->hull;
    double center[3], highest = -DBL_MAX, normal[3] = {0.0}, corner[2][3], along[3], span[3],
                      point[3];
    int32_t edge = 0;
    cn_placed_origin(a, center);
    for (int32_t f = 0; f < hull->face_count; f++) {
        double n[3], x[3];
        cn_edge_normal(b, f, n);
        cn_vertex(b, f, x);
        double height = cn_dot3(n, center) - cn_dot3(n, x);
        if (height > highest) {
            highest = height;
            edge = f;
        }
    }
    cn_edge_normal(b, edge, normal);
    cn_vertex(b, edge, corner[0]);
    cn_vertex(b, edge + 1, corner[1]);
    cn_sub3(corner[1], corner[0], along);
    cn_sub3(center, corner[0], span);
    double share = cn_dot3(span, along) / cn_dot3(along, along);
    if (highest > 0.0 && (share < 0.0 || share > 1.0)) {
        cn_ball_contact(2, center, a->shape->radius, corner[share > 1.0], 0.0, alert, out);
        return;
    }
    double gap = highest - a->shape->radius;
    cn_add_scaled3(center, -(a->shape->radius + 0.5 * gap), normal, point);
    cn_manifold_add(out, point, normal, gap, alert, 0);
}
