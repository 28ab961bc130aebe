// detect/pair_hull.c
// Convex polyhedra (boxes, wedges, hulls) against one another, planes and spheres.
//
// Two polyhedra: the axis of largest separation among the normals of both and the products of their
// edges that make a face of the Minkowski difference (Gregorius 2013). A face axis gives the
// incident face clipped to the reference face, every corner with its own gap; an edge axis one
// point. Apart and corner to corner, where no axis gives the distance, the nearest points of the
// two faces do. Costs faces x vertices + edges x edges: for the small polyhedra of masonry and
// rock, not for meshes of thousands of faces.
#include "detect/hulls.h"

#include "math/vec3.h"

#include <float.h>
#include <string.h>

// Lengths below this share of a body's size are round-off: which of two equal axes wins, what lies
// in a plane.
#define CN_HULL_SLACK 1e-9
// Squared sine of two edges below which they count as parallel and give no axis.
#define CN_PARALLEL 1e-12

// The frame of b seen from a: x_a = R x_b + t.
typedef struct cn_relative {
    double R[9], t[3];
} cn_relative;

static void cn_relate(const cn_placed *a, const cn_placed *b, cn_relative *out) {
    double apart[3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out->R[3 * i + j] =
                a->R[i] * b->R[j] + a->R[3 + i] * b->R[3 + j] + a->R[6 + i] * b->R[6 + j];
        }
    }
    cn_sub3(b->position, a->position, apart);
    cn_mat3_apply_transposed(a->R, apart, out->t);
}

// Largest separation along a face normal of a, and that face.
static double cn_face_axis(const cn_hull *a, const cn_hull *b, const cn_relative *ab,
                           int32_t *face) {
    double best = -DBL_MAX;
    for (int32_t f = 0; f < a->face_count; f++) {
        const double *n = a->normal + 3 * (int64_t)f;
        double turned[3], lowest = DBL_MAX;
        cn_mat3_apply_transposed(ab->R, n, turned);
        for (int32_t v = 0; v < b->vertex_count; v++) {
            double height = cn_dot3(turned, b->vertex + 3 * (int64_t)v);
            lowest = height < lowest ? height : lowest;
        }
        double apart = cn_dot3(n, ab->t) - a->offset[f] + lowest;
        if (apart > best) {
            best = apart;
            *face = f;
        }
    }
    return best;
}

// Whether two edges make a face of the Minkowski difference: their arcs on the Gauss map, (a1, a2)
// and (-b1, -b2), cross.
static bool cn_arcs_cross(const double a1[3], const double a2[3], const double b1[3],
                          const double b2[3]) {
    double a[3], b[3];
    cn_cross3(a2, a1, a);
    cn_cross3(b2, b1, b);
    double first = -cn_dot3(b1, a), second = -cn_dot3(b2, a);
    double third = cn_dot3(a1, b), fourth = cn_dot3(a2, b);
    return first * second < 0.0 && third * fourth < 0.0 && first * fourth > 0.0;
}

typedef struct cn_edge_axis {
    double apart;
    double axis[3]; // in a's frame, from a to b
    int32_t a, b;   // edges
} cn_edge_axis;

// One edge of b in a's frame: an end, its direction, the normals of its faces.
static void cn_turn_edge(const cn_hull *b, const cn_relative *ab, int32_t e, double end[3],
                         double along[3], double normal[2][3]) {
    const int32_t *edge = b->edge + 4 * (int64_t)e;
    double difference[3];
    cn_mat3_apply(ab->R, b->vertex + 3 * (int64_t)edge[0], end);
    cn_add_scaled3(end, 1.0, ab->t, end);
    cn_sub3(b->vertex + 3 * (int64_t)edge[1], b->vertex + 3 * (int64_t)edge[0], difference);
    cn_mat3_apply(ab->R, difference, along);
    for (int i = 0; i < 2; i++) {
        cn_mat3_apply(ab->R, b->normal + 3 * (int64_t)edge[2 + i], normal[i]);
    }
}

static void cn_edge_axes(const cn_hull *a, const cn_hull *b, const cn_relative *ab,
                         cn_edge_axis *best) {
    *best = (cn_edge_axis){.apart = -DBL_MAX};
    for (int32_t j = 0; j < b->edge_count; j++) {
        double end_b[3], along_b[3], normal_b[2][3];
        cn_turn_edge(b, ab, j, end_b, along_b, normal_b);
        double size_b = cn_dot3(along_b, along_b);
        for (int32_t i = 0; i < a->edge_count; i++) {
            const int32_t *edge = a->edge + 4 * (int64_t)i;
            const double *end_a = a->vertex + 3 * (int64_t)edge[0];
            double along_a[3], axis[3], span[3];
            if (!cn_arcs_cross(a->normal + 3 * (int64_t)edge[2], a->normal + 3 * (int64_t)edge[3],
                               normal_b[0], normal_b[1])) {
                continue;
            }
            cn_sub3(a->vertex + 3 * (int64_t)edge[1], end_a, along_a);
            cn_cross3(along_a, along_b, axis);
            double length2 = cn_dot3(axis, axis);
            if (!(length2 > CN_PARALLEL * size_b * cn_dot3(along_a, along_a))) {
                continue;
            }
            cn_sub3(end_a, a->center, span);
            double sign = (cn_dot3(axis, span) < 0.0 ? -1.0 : 1.0) / sqrt(length2);
            cn_sub3(end_b, end_a, span);
            double apart = sign * cn_dot3(axis, span);
            if (apart > best->apart) {
                *best =
                    (cn_edge_axis){apart, {sign * axis[0], sign * axis[1], sign * axis[2]}, i, j};
            }
        }
    }
}

// The face of a hull most opposed to a direction of the world.
static int32_t cn_opposed_face(const cn_placed *hull, const double direction[3]) {
    const cn_hull *shape = &hull->shape->hull;
    double turned[3], least = DBL_MAX;
    int32_t face = 0;
    cn_mat3_apply_transposed(hull->R, direction, turned);
    for (int32_t f = 0; f < shape->face_count; f++) {
        double along = cn_dot3(turned, shape->normal + 3 * (int64_t)f);
        if (along < least) {
            least = along;
            face = f;
        }
    }
    return face;
}

// The nearest points of the edges of two faces, as one contact with normal from `from` to `to`.
static void cn_nearest_edges(const cn_polygon *from, const cn_polygon *to, uint32_t id,
                             double alert, cn_manifold *out) {
    double least = DBL_MAX, best_from[3] = {0.0}, best_to[3] = {0.0};
    uint32_t feature = 0;
    for (int32_t i = 0; i < from->count; i++) {
        for (int32_t j = 0; j < to->count; j++) {
            double a[3], b[3], apart[3];
            cn_segment_nearest(from->corner[i].x, from->corner[(i + 1) % from->count].x,
                               to->corner[j].x, to->corner[(j + 1) % to->count].x, a, b);
            cn_sub3(b, a, apart);
            double square = cn_dot3(apart, apart);
            if (square < least) {
                least = square;
                memcpy(best_from, a, sizeof a);
                memcpy(best_to, b, sizeof b);
                feature = (uint32_t)(i << 6 | j);
            }
        }
    }
    cn_manifold one = {.count = 0};
    cn_ball_contact(3, best_to, 0.0, best_from, 0.0, alert, &one);
    if (one.count > 0 && one.point[0].gap > 0.0) {
        cn_manifold_add(out, one.point[0].point, one.point[0].normal, one.point[0].gap, alert,
                        id | feature);
    }
}

// Face f of `reference` against the other hull. Normals come out from the reference to the other.
static void cn_face_contact(const cn_placed *reference, int32_t f, const cn_placed *other,
                            double alert, double slack, uint32_t side, cn_manifold *out) {
    const cn_hull *hull = &reference->shape->hull;
    double normal[3];
    cn_polygon face, incident;
    cn_mat3_apply(reference->R, hull->normal + 3 * (int64_t)f, normal);
    int32_t opposed = cn_opposed_face(other, normal);
    cn_hull_face(reference, f, &face);
    cn_hull_face(other, opposed, &incident);
    cn_polygon whole = incident;
    uint32_t id = side << 31 | (uint32_t)(f & 0xff) << 23 | (uint32_t)(opposed & 0xff) << 15;

    // The side planes of the reference face stand on its edges.
    for (int32_t i = 0; i < face.count && incident.count > 0; i++) {
        double along[3], across[3];
        cn_sub3(face.corner[(i + 1) % face.count].x, face.corner[i].x, along);
        cn_cross3(along, normal, across);
        double length = cn_norm3(across);
        if (length > 0.0) {
            for (int k = 0; k < 3; k++) {
                across[k] /= length;
            }
            cn_polygon_clip(&incident, across, cn_dot3(across, face.corner[i].x), slack,
                            (uint32_t)i);
        }
    }
    double offset = cn_dot3(normal, face.corner[0].x);
    int32_t near = 0;
    for (int32_t i = 0; i < incident.count; i++) {
        if (cn_dot3(normal, incident.corner[i].x) - offset <= alert) {
            incident.corner[near++] = incident.corner[i];
        }
    }
    incident.count = near;
    cn_polygon_reduce(&incident, normal);
    for (int32_t i = 0; i < incident.count; i++) {
        double gap = cn_dot3(normal, incident.corner[i].x) - offset, point[3];
        cn_add_scaled3(incident.corner[i].x, -0.5 * gap, normal, point);
        cn_manifold_add(out, point, normal, gap, alert, id | (incident.corner[i].id & 0x7fffu));
    }
    if (out->count == 0) {
        cn_nearest_edges(&face, &whole, id, alert, out);
    }
}

static void cn_edge_contact(const cn_placed *a, const cn_placed *b, const cn_edge_axis *edges,
                            double alert, cn_manifold *out) {
    const int32_t *ea = a->shape->hull.edge + 4 * (int64_t)edges->a,
                  *eb = b->shape->hull.edge + 4 * (int64_t)edges->b;
    double ends[4][3], on_a[3], on_b[3], normal[3], point[3];
    for (int i = 0; i < 2; i++) {
        cn_placed_point(a, a->shape->hull.vertex + 3 * (int64_t)ea[i], ends[i]);
        cn_placed_point(b, b->shape->hull.vertex + 3 * (int64_t)eb[i], ends[2 + i]);
    }
    cn_segment_nearest(ends[0], ends[1], ends[2], ends[3], on_a, on_b);
    cn_mat3_apply(a->R, edges->axis, normal);
    for (int i = 0; i < 3; i++) {
        normal[i] = -normal[i]; // from b to a
        point[i] = 0.5 * (on_a[i] + on_b[i]);
    }
    uint32_t feature =
        0x40000000u | (uint32_t)(edges->a & 0x7fff) << 15 | (uint32_t)(edges->b & 0x7fff);
    cn_manifold_add(out, point, normal, edges->apart, alert, feature);
}

void cn_pair_hull_hull(const cn_placed *a, const cn_placed *b, double alert, cn_manifold *out) {
    const cn_hull *ha = &a->shape->hull, *hb = &b->shape->hull;
    double slack = CN_HULL_SLACK * (a->shape->bound + b->shape->bound);
    cn_relative ab, ba;
    int32_t face_a = 0, face_b = 0;
    cn_relate(a, b, &ab);
    cn_relate(b, a, &ba);
    double apart_a = cn_face_axis(ha, hb, &ab, &face_a);
    if (apart_a > alert) {
        return;
    }
    double apart_b = cn_face_axis(hb, ha, &ba, &face_b);
    if (apart_b > alert) {
        return;
    }
    cn_edge_axis edges;
    cn_edge_axes(ha, hb, &ab, &edges);
    if (edges.apart > alert) {
        return;
    }
    double best = apart_b > apart_a + slack ? apart_b : apart_a;
    if (edges.apart > best + slack) {
        cn_edge_contact(a, b, &edges, alert, out);
    } else if (apart_b > apart_a + slack) {
        cn_face_contact(b, face_b, a, alert, slack, 1, out);
    } else {
        cn_face_contact(a, face_a, b, alert, slack, 0, out);
        cn_manifold_flip(out);
    }
}

// The corners below the alert distance; of many, the extreme ones.
void cn_pair_hull_plane(const cn_placed *a, const cn_placed *b, double alert, cn_manifold *out) {
    const cn_hull *hull = &a->shape->hull;
    double normal[3], offset;
    cn_polygon corners = {.count = 0};
    cn_placed_plane(b, normal, &offset);
    for (int32_t v = 0; v < hull->vertex_count && corners.count < CN_POLYGON_MOST; v++) {
        cn_corner *corner = &corners.corner[corners.count];
        cn_placed_point(a, hull->vertex + 3 * (int64_t)v, corner->x);
        corner->id = (uint32_t)v;
        corners.count += cn_dot3(normal, corner->x) - offset <= alert;
    }
    cn_polygon_reduce(&corners, normal);
    for (int32_t i = 0; i < corners.count; i++) {
        double gap = cn_dot3(normal, corners.corner[i].x) - offset, point[3];
        cn_add_scaled3(corners.corner[i].x, -0.5 * gap, normal, point);
        cn_manifold_add(out, point, normal, gap, alert, corners.corner[i].id);
    }
}

// The point of face f nearest to x, both in the hull's frame.
static void cn_nearest_on_face(const cn_hull *hull, int32_t f, const double x[3],
                               double nearest[3]) {
    const double *n = hull->normal + 3 * (int64_t)f;
    double least = DBL_MAX;
    bool inside = true;
    int32_t first = hull->face[f], count = hull->face[f + 1] - first;
    double foot[3];
    cn_add_scaled3(x, -(cn_dot3(n, x) - hull->offset[f]), n, foot);
    for (int32_t i = 0; i < count; i++) {
        const double *p = hull->vertex + 3 * (int64_t)hull->loop[first + i];
        const double *q = hull->vertex + 3 * (int64_t)hull->loop[first + (i + 1) % count];
        double along[3], across[3], span[3], on_edge[3], on_x[3], apart[3];
        cn_sub3(q, p, along);
        cn_cross3(along, n, across);
        cn_sub3(foot, p, span);
        inside = inside && cn_dot3(across, span) <= 0.0;
        cn_segment_nearest(x, x, p, q, on_x, on_edge);
        cn_sub3(on_edge, x, apart);
        double square = cn_dot3(apart, apart);
        if (square < least) {
            least = square;
            memcpy(nearest, on_edge, 3 * sizeof *nearest);
        }
    }
    if (inside) {
        memcpy(nearest, foot, sizeof foot);
    }
}

void cn_pair_sphere_hull(const cn_placed *a, const cn_placed *b, double alert, cn_manifold *out) {
    const cn_hull *hull = &b->shape->hull;
    double center[3], x[3], apart[3], highest = -DBL_MAX, least = DBL_MAX, nearest[3] = {0.0};
    int32_t face = 0;
    cn_placed_origin(a, center);
    cn_sub3(center, b->position, apart);
    cn_mat3_apply_transposed(b->R, apart, x);
    for (int32_t f = 0; f < hull->face_count; f++) {
        double height = cn_dot3(hull->normal + 3 * (int64_t)f, x) - hull->offset[f];
        if (height > highest) {
            highest = height;
            face = f;
        }
    }
    if (highest > alert + a->shape->radius) {
        return;
    }
    // Outside: the nearest point of the faces that see the centre. Inside: the way out through the
    // nearest face.
    double normal[3], point[3], distance = highest;
    memcpy(normal, hull->normal + 3 * (int64_t)face, sizeof normal);
    cn_add_scaled3(x, -highest, normal, nearest);
    for (int32_t f = 0; highest > 0.0 && f < hull->face_count; f++) {
        if (cn_dot3(hull->normal + 3 * (int64_t)f, x) > hull->offset[f]) {
            double on_face[3], span[3];
            cn_nearest_on_face(hull, f, x, on_face);
            cn_sub3(x, on_face, span);
            if (cn_dot3(span, span) < least) {
                least = cn_dot3(span, span);
                memcpy(nearest, on_face, sizeof nearest);
            }
        }
    }
    // On an edge or a corner the normal is the line of centres; on a face it stays the face's, to
    // the last bit.
    if (highest > 0.0 && least > highest * highest * (1.0 + CN_HULL_SLACK)) {
        distance = sqrt(least);
        for (int i = 0; i < 3; i++) {
            normal[i] = (x[i] - nearest[i]) / distance;
        }
    }
    double gap = distance - a->shape->radius;
    cn_mat3_apply(b->R, normal, normal);
    cn_placed_point(b, nearest, point);
    cn_add_scaled3(point, 0.5 * gap, normal, point);
    cn_manifold_add(out, point, normal, gap, alert, 0);
}
