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

static void vertex_in_world(const det_placed *polygon, int32_t v, double x[3]) {
    const geom_hull *hull = &polygon->shape->hull;
    det_placed_point(polygon, hull->vertex + 3 * (int64_t)(v % hull->vertex_count), x);
}

static void edge_normal(const det_placed *polygon, int32_t f, double normal[3]) {
    math_mat3_apply(polygon->R, polygon->shape->hull.normal + 3 * (int64_t)f, normal);
}

// Largest separation of the other polygon along an edge normal of the first, and that edge.
static double edge_axis_2d(const det_placed *first, const det_placed *other, int32_t *edge) {
    const geom_hull *hull = &first->shape->hull, *seen = &other->shape->hull;
    double best = -DBL_MAX;
    for (int32_t f = 0; f < hull->face_count; f++) {
        double normal[3], corner[3], turned[3], lowest = DBL_MAX;
        edge_normal(first, f, normal);
        vertex_in_world(first, f, corner);
        math_mat3_apply_transposed(other->R, normal, turned);
        for (int32_t v = 0; v < seen->vertex_count; v++) {
            double height = math_dot3(turned, seen->vertex + 3 * (int64_t)v);
            lowest = height < lowest ? height : lowest;
        }
        double apart = lowest + math_dot3(normal, other->position) - math_dot3(normal, corner);
        if (apart > best) {
            best = apart;
            *edge = f;
        }
    }
    return best;
}

static int32_t opposed_edge(const det_placed *polygon, const double direction[3]) {
    const geom_hull *hull = &polygon->shape->hull;
    double turned[3], min = DBL_MAX;
    int32_t edge = 0;
    math_mat3_apply_transposed(polygon->R, direction, turned);
    for (int32_t f = 0; f < hull->face_count; f++) {
        double along = math_dot3(turned, hull->normal + 3 * (int64_t)f);
        if (along < min) {
            min = along;
            edge = f;
        }
    }
    return edge;
}

// A segment while it is cut, its ends known by vertices.
typedef struct edge_2d {
    double x[2][3];
    uint32_t id[2];
} edge_2d;

static void edge_of(const det_placed *polygon, int32_t f, uint32_t kind, edge_2d *out) {
    for (int32_t i = 0; i < 2; i++) {
        int32_t v = (f + i) % polygon->shape->hull.vertex_count;
        vertex_in_world(polygon, v, out->x[i]);
        out->id[i] = kind | (uint32_t)v;
    }
}

// Cuts the segment to direction . x <= offset; what is cut off ends at the vertex `id` of the other
// polygon. False when nothing is left.
static bool cut_segment(edge_2d *edge, const double direction[3], double offset, double slack,
                        uint32_t id) {
    double height[2] = {math_dot3(direction, edge->x[0]) - offset,
                        math_dot3(direction, edge->x[1]) - offset};
    if (height[0] > slack && height[1] > slack) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        if (height[i] > slack) {
            double along[3], inside = fmin(height[1 - i], 0.0);
            math_sub3(edge->x[1 - i], edge->x[i], along);
            math_add_scaled3(edge->x[i], height[i] / (height[i] - inside), along, edge->x[i]);
            edge->id[i] = id;
        }
    }
    return true;
}

// The two corners nearest to one another of two edges that are apart, normal from `from` to `to`;
// `normal` where they are one.
static void nearest_corners(const edge_2d *from, const edge_2d *to, const double normal[3],
                            double alert, det_manifold *out) {
    double min = DBL_MAX;
    int best = 0;
    for (int k = 0; k < 4; k++) {
        double apart[3];
        math_sub3(to->x[k % 2], from->x[k / 2], apart);
        if (math_dot3(apart, apart) < min) {
            min = math_dot3(apart, apart);
            best = k;
        }
    }
    det_sphere_contact(to->x[best % 2], 0.0, from->x[best / 2], 0.0, normal, alert,
                       to->id[best % 2], out);
}

// Edge f of `reference`, which the other polygon is `apart` from at its lowest; normals from the
// reference to the other. kind, other_kind: of the features of the two.
static void edge_contact_2d(const det_placed *reference, int32_t f, const det_placed *other,
                            double apart, double alert, double slack, uint32_t kind,
                            uint32_t other_kind, det_manifold *out) {
    double normal[3], along[3], back[3], min = DBL_MAX;
    edge_2d edge, incident, whole;
    edge_normal(reference, f, normal);
    edge_of(reference, f, kind, &edge);
    edge_of(other, opposed_edge(other, normal), other_kind, &incident);
    whole = incident;
    math_sub3(edge.x[1], edge.x[0], along);
    double length = math_norm3(along);
    for (int k = 0; k < 3; k++) {
        along[k] /= length;
        back[k] = -along[k];
    }
    if (cut_segment(&incident, along, math_dot3(along, edge.x[1]), slack, edge.id[1]) &&
        cut_segment(&incident, back, math_dot3(back, edge.x[0]), slack, edge.id[0])) {
        double left[3];
        math_sub3(incident.x[1], incident.x[0], left);
        // What is cut down to a point is one contact.
        for (int32_t i = 0; i < (math_norm3(left) > slack ? 2 : 1); i++) {
            double gap = math_dot3(normal, incident.x[i]) - math_dot3(normal, edge.x[0]), point[3];
            min = fmin(min, gap);
            math_add_scaled3(incident.x[i], -0.5 * gap, normal, point);
            det_manifold_add(out, point, normal, gap, alert, incident.id[i]);
        }
    }
    // The lowest corner is not over the edge: corner to corner.
    if (min > apart + slack && apart > 0.0) {
        out->count = 0;
        nearest_corners(&edge, &whole, normal, alert, out);
    }
}

void det_pair_polygon_polygon(const det_placed *a, const det_placed *b, double alert,
                              det_manifold *out) {
    double slack = DET_SLACK * (a->shape->bound + b->shape->bound);
    int32_t edge_a = 0, edge_b = 0;
    double apart_a = edge_axis_2d(a, b, &edge_a);
    if (apart_a > alert) {
        return;
    }
    double apart_b = edge_axis_2d(b, a, &edge_b);
    if (apart_b > alert) {
        return;
    }
    if (apart_b > apart_a + slack) {
        edge_contact_2d(b, edge_b, a, apart_b, alert, slack, DET_FEATURE_B, DET_FEATURE_A, out);
    } else {
        edge_contact_2d(a, edge_a, b, apart_a, alert, slack, DET_FEATURE_A, DET_FEATURE_B, out);
        det_manifold_flip(out);
    }
}

void det_pair_polygon_line(const det_placed *a, const det_placed *b, double alert,
                           det_manifold *out) {
    double normal[3], offset;
    det_placed_plane(b, normal, &offset);
    for (int32_t v = 0; v < a->shape->hull.vertex_count; v++) {
        double x[3], point[3];
        vertex_in_world(a, v, x);
        double gap = math_dot3(normal, x) - offset;
        math_add_scaled3(x, -0.5 * gap, normal, point);
        det_manifold_add(out, point, normal, gap, alert, (uint32_t)v);
    }
}

void det_pair_polygon_ring(const det_placed *a, const det_placed *b, double alert,
                           det_manifold *out) {
    double ring[3];
    det_placed_origin(b, ring);
    for (int32_t v = 0; v < a->shape->hull.vertex_count; v++) {
        double x[3], apart[3], normal[3], point[3];
        vertex_in_world(a, v, x);
        math_sub3(ring, x, apart);
        double distance = math_norm3(apart), gap = b->shape->radius - distance;
        for (int k = 0; k < 3; k++) {
            normal[k] = distance > 0.0 ? apart[k] / distance : (k == 1 ? 1.0 : 0.0);
        }
        math_add_scaled3(x, -0.5 * gap, normal, point);
        det_manifold_add(out, point, normal, gap, alert, (uint32_t)v);
    }
}

// Outside, the nearest point is on the edge that sees the centre from farthest, or at one of its
// two corners.
void det_pair_disk_polygon(const det_placed *a, const det_placed *b, double alert,
                           det_manifold *out) {
    const geom_hull *hull = &b->shape->hull;
    double center[3], highest = -DBL_MAX, normal[3] = {0.0}, corner[2][3], along[3], span[3],
                      point[3];
    int32_t edge = 0;
    det_placed_origin(a, center);
    for (int32_t f = 0; f < hull->face_count; f++) {
        double n[3], x[3];
        edge_normal(b, f, n);
        vertex_in_world(b, f, x);
        double height = math_dot3(n, center) - math_dot3(n, x);
        if (height > highest) {
            highest = height;
            edge = f;
        }
    }
    edge_normal(b, edge, normal);
    vertex_in_world(b, edge, corner[0]);
    vertex_in_world(b, edge + 1, corner[1]);
    math_sub3(corner[1], corner[0], along);
    math_sub3(center, corner[0], span);
    double share = math_dot3(span, along) / math_dot3(along, along);
    if (highest > 0.0 && (share < 0.0 || share > 1.0)) {
        det_sphere_contact(center, a->shape->radius, corner[share > 1.0], 0.0, normal, alert, 0,
                           out);
        return;
    }
    double gap = highest - a->shape->radius;
    math_add_scaled3(center, -(a->shape->radius + 0.5 * gap), normal, point);
    det_manifold_add(out, point, normal, gap, alert, 0);
}
