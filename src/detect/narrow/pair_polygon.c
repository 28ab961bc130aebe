// detect/narrow/pair_polygon.c
// Convex polygons (2D hulls) against one another, lines, rings and disks.
//
// Two polygons: the edge normal of largest separation; the edge of the other that faces it, clipped
// to the reference edge, gives up to two points, each with its own gap. Apart and corner to corner,
// the two nearest corners do.
#include "detect/narrow/patch.h"
#include "math/vec3.h"

#include <float.h>
#include <string.h>

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

// A segment while it is cut, its ends known by vertices.
typedef struct cn_edge_2d {
    double x[2][3];
    uint32_t id[2];
} cn_edge_2d;

static void cn_edge_of(const cn_placed *polygon, int32_t f, uint32_t kind, cn_edge_2d *out) {
    for (int32_t i = 0; i < 2; i++) {
        int32_t v = (f + i) % polygon->shape->hull.vertex_count;
        cn_vertex(polygon, v, out->x[i]);
        out->id[i] = kind | (uint32_t)v;
    }
}

// Cuts the segment to direction . x <= offset; what is cut off ends at the vertex `id` of the other
// polygon. False when nothing is left.
static bool cn_cut_segment(cn_edge_2d *edge, const double direction[3], double offset, double slack,
                           uint32_t id) {
    double height[2] = {cn_dot3(direction, edge->x[0]) - offset,
                        cn_dot3(direction, edge->x[1]) - offset};
    if (height[0] > slack && height[1] > slack) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        if (height[i] > slack) {
            double along[3], inside = fmin(height[1 - i], 0.0);
            cn_sub3(edge->x[1 - i], edge->x[i], along);
            cn_add_scaled3(edge->x[i], height[i] / (height[i] - inside), along, edge->x[i]);
            edge->id[i] = id;
        }
    }
    return true;
}

// The two corners nearest to one another of two edges that are apart, normal from `from` to `to`;
// `normal` where they are one.
static void cn_nearest_corners(const cn_edge_2d *from, const cn_edge_2d *to, const double normal[3],
                               double alert, cn_manifold *out) {
    double least = DBL_MAX;
    int best = 0;
    for (int k = 0; k < 4; k++) {
        double apart[3];
        cn_sub3(to->x[k % 2], from->x[k / 2], apart);
        if (cn_dot3(apart, apart) < least) {
            least = cn_dot3(apart, apart);
            best = k;
        }
    }
    cn_sphere_contact(to->x[best % 2], 0.0, from->x[best / 2], 0.0, normal, alert, to->id[best % 2],
                      out);
}

// Edge f of `reference`, which the other polygon is `apart` from at its lowest; normals from the
// reference to the other. kind, other_kind: of the features of the two.
static void cn_edge_contact_2d(const cn_placed *reference, int32_t f, const cn_placed *other,
                               double apart, double alert, double slack, uint32_t kind,
                               uint32_t other_kind, cn_manifold *out) {
    double normal[3], along[3], back[3], least = DBL_MAX;
    cn_edge_2d edge, incident, whole;
    cn_edge_normal(reference, f, normal);
    cn_edge_of(reference, f, kind, &edge);
    cn_edge_of(other, cn_opposed_edge(other, normal), other_kind, &incident);
    whole = incident;
    cn_sub3(edge.x[1], edge.x[0], along);
    double length = cn_norm3(along);
    for (int k = 0; k < 3; k++) {
        along[k] /= length;
        back[k] = -along[k];
    }
    if (cn_cut_segment(&incident, along, cn_dot3(along, edge.x[1]), slack, edge.id[1]) &&
        cn_cut_segment(&incident, back, cn_dot3(back, edge.x[0]), slack, edge.id[0])) {
        double left[3];
        cn_sub3(incident.x[1], incident.x[0], left);
        // What is cut down to a point is one contact.
        for (int32_t i = 0; i < (cn_norm3(left) > slack ? 2 : 1); i++) {
            double gap = cn_dot3(normal, incident.x[i]) - cn_dot3(normal, edge.x[0]), point[3];
            least = fmin(least, gap);
            cn_add_scaled3(incident.x[i], -0.5 * gap, normal, point);
            cn_manifold_add(out, point, normal, gap, alert, incident.id[i]);
        }
    }
    // The lowest corner is not over the edge: corner to corner.
    if (least > apart + slack && apart > 0.0) {
        out->count = 0;
        cn_nearest_corners(&edge, &whole, normal, alert, out);
    }
}

void cn_pair_polygon_polygon(const cn_placed *a, const cn_placed *b, double alert,
                             cn_manifold *out) {
    double slack = CN_SLACK * (a->shape->bound + b->shape->bound);
    int32_t edge_a = 0, edge_b = 0;
    double apart_a = cn_edge_axis_2d(a, b, &edge_a);
    if (apart_a > alert) {
        return;
    }
    double apart_b = cn_edge_axis_2d(b, a, &edge_b);
    if (apart_b > alert) {
        return;
    }
    if (apart_b > apart_a + slack) {
        cn_edge_contact_2d(b, edge_b, a, apart_b, alert, slack, CN_FEATURE_B, CN_FEATURE_A, out);
    } else {
        cn_edge_contact_2d(a, edge_a, b, apart_a, alert, slack, CN_FEATURE_A, CN_FEATURE_B, out);
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
        cn_sphere_contact(center, a->shape->radius, corner[share > 1.0], 0.0, normal, alert, 0,
                          out);
        return;
    }
    double gap = highest - a->shape->radius;
    cn_add_scaled3(center, -(a->shape->radius + 0.5 * gap), normal, point);
    cn_manifold_add(out, point, normal, gap, alert, 0);
}
