// detect/narrow/convex.c
// Shapes as sums of a polytope, an ellipsoid and a sphere; their support points, faces and patches.
#include "detect/narrow/convex.h"

#include "math/vec3.h"

#include <float.h>
#include <string.h>

// The rim of a cylinder's end is a polygon of 16 corners, of which a flat end stands on 8.
// Numbers of a cylinder's features: the two rims, then the two ends of the line it lies on.
#define LINE_FEATURE (2 * DET_AROUND)

static void shape_axis(const det_placed *placed, int32_t k, double out[3]) {
    const double *R = placed->shape->R, own[3] = {R[k], R[3 + k], R[6 + k]};
    math_mat3_apply(placed->R, own, out);
}

void det_convex_place(const det_placed *placed, const double origin[3], proj_convex *out) {
    const geom_shape *shape = placed->shape;
    out->shape = shape;
    memcpy(out->R, placed->R, sizeof out->R);
    math_sub3(placed->position, origin, out->position);
    out->margin = 0.0;
    out->round = false;
    if (shape->hull.vertex_count) {
        out->corner_count = shape->hull.vertex_count;
        out->corner = shape->hull.vertex;
        return;
    }
    bool tube = shape->kind == CN_SHAPE_CAPSULE || shape->kind == CN_SHAPE_CYLINDER;
    const double axis[3] = {shape->R[2], shape->R[5], shape->R[8]};
    out->corner = out->own;
    out->corner_count = tube ? 2 : 1;
    for (int32_t i = 0; i < out->corner_count; i++) {
        double end = tube ? (i == 0 ? -shape->half : shape->half) : 0.0;
        math_add_scaled3(shape->position, end, axis, out->own + 3 * i);
    }
    shape_axis(placed, 2, out->axis);
    if (shape->kind == CN_SHAPE_SPHERE || shape->kind == CN_SHAPE_CAPSULE) {
        out->margin = shape->radius;
        return;
    }
    out->round = true;
    for (int32_t k = 0; k < 3; k++) {
        double direction[3];
        double length = tube ? (k < 2 ? shape->radius : 0.0) : shape->axes[k];
        shape_axis(placed, k, direction);
        for (int i = 0; i < 3; i++) {
            out->L[3 * k + i] = length * direction[i];
        }
    }
}

// The corner farthest along d, and how far that is.
static int32_t convex_far_corner(const proj_convex *c, const double d[3], double *far) {
    double own[3];
    int32_t best = 0;
    math_mat3_apply_transposed(c->R, d, own);
    *far = math_dot3(own, c->corner);
    for (int32_t i = 1; i < c->corner_count; i++) {
        double along = math_dot3(own, c->corner + 3 * (int64_t)i);
        if (along > *far) {
            *far = along;
            best = i;
        }
    }
    *far += math_dot3(d, c->position);
    return best;
}

int32_t det_convex_support(const proj_convex *c, const double d[3], double point[3]) {
    double far;
    int32_t corner = convex_far_corner(c, d, &far);
    det_convex_corner(c, corner, point);
    if (c->round) {
        double scaled[3], offset[3];
        math_mat3_apply(c->L, d, scaled);
        math_mat3_apply_transposed(c->L, scaled, offset);
        double length = math_norm3(scaled);
        if (length > 0.0) {
            math_add_scaled3(point, 1.0 / length, offset, point);
        }
    }
    return corner;
}

double det_convex_height(const proj_convex *c, const double d[3]) {
    double far;
    convex_far_corner(c, d, &far);
    if (c->round) {
        double scaled[3];
        math_mat3_apply(c->L, d, scaled);
        far += math_norm3(scaled);
    }
    return far + c->margin;
}

// ---- faces ----

int32_t det_convex_faces(const proj_convex *c) {
    return c->shape->kind == CN_SHAPE_CYLINDER ? 2 : c->shape->hull.face_count;
}

void det_convex_face_plane(const proj_convex *c, int32_t f, double normal[3], double *offset) {
    const geom_hull *hull = &c->shape->hull;
    if (hull->face_count) {
        math_mat3_apply(c->R, hull->normal + 3 * (int64_t)f, normal);
        *offset = hull->offset[f] + math_dot3(normal, c->position);
        return;
    }
    double end[3];
    for (int i = 0; i < 3; i++) {
        normal[i] = f == 0 ? -c->axis[i] : c->axis[i];
    }
    det_convex_corner(c, f, end);
    *offset = math_dot3(normal, end);
}

bool det_convex_face_holds(const proj_convex *c, int32_t f, const double x[3], double slack) {
    const geom_hull *hull = &c->shape->hull;
    double span[3], own[3];
    if (!hull->face_count) {
        double end[3], across[3];
        det_convex_corner(c, f, end);
        math_sub3(x, end, span);
        math_add_scaled3(span, -math_dot3(c->axis, span), c->axis, across);
        return math_norm3(across) <= c->shape->radius + slack;
    }
    math_sub3(x, c->position, span);
    math_mat3_apply_transposed(c->R, span, own);
    const int32_t *loop = hull->loop + hull->face[f];
    int32_t count = hull->face[f + 1] - hull->face[f];
    for (int32_t i = 0; i < count; i++) {
        const double *p = hull->vertex + 3 * (int64_t)loop[i];
        const double *q = hull->vertex + 3 * (int64_t)loop[(i + 1) % count];
        double along[3], across[3];
        math_sub3(q, p, along);
        math_cross3(along, hull->normal + 3 * (int64_t)f, across);
        math_sub3(own, p, span);
        if (!(math_dot3(across, span) <= slack * math_norm3(along))) {
            return false;
        }
    }
    return true;
}

static void hull_patch(const proj_convex *c, int32_t f, det_patch *out) {
    const geom_hull *hull = &c->shape->hull;
    const int32_t *loop = hull->loop + hull->face[f];
    int32_t count = hull->face[f + 1] - hull->face[f];
    out->count = det_patch_taken(count);
    math_mat3_apply(c->R, hull->normal + 3 * (int64_t)f, out->normal);
    for (int32_t i = 0; i < out->count; i++) {
        int32_t vertex = loop[det_patch_pick(count, i)];
        det_convex_corner(c, vertex, out->corner[i].x);
        out->corner[i].id = (uint32_t)vertex;
    }
}

void det_convex_face_patch(const proj_convex *c, int32_t f, det_patch *out) {
    if (c->shape->hull.face_count) {
        hull_patch(c, f, out);
        return;
    }
    double end[3];
    out->count = DET_AROUND;
    det_convex_corner(c, f, end);
    for (int i = 0; i < 3; i++) {
        out->normal[i] = f == 0 ? -c->axis[i] : c->axis[i];
    }
    for (int32_t i = 0; i < DET_AROUND; i++) {
        // Counter-clockwise about the outward normal: backwards on the lower end.
        int32_t k = f == 0 ? (DET_AROUND - i) % DET_AROUND : i;
        math_add_scaled3(end, det_around[k][0], c->L, out->corner[i].x);
        math_add_scaled3(out->corner[i].x, det_around[k][1], c->L + 3, out->corner[i].x);
        out->corner[i].id = (uint32_t)(f * DET_AROUND + k);
    }
}

// ---- what a direction sees ----

static bool patch_face(const proj_convex *c, const double d[3], double flat, det_patch *out) {
    double best = flat, normal[3], offset;
    int32_t face = -1;
    if (c->shape->hull.face_count) {
        double own[3];
        math_mat3_apply_transposed(c->R, d, own);
        for (int32_t f = 0; f < c->shape->hull.face_count; f++) {
            double along = math_dot3(own, c->shape->hull.normal + 3 * (int64_t)f);
            if (along >= best) {
                best = along;
                face = f;
            }
        }
    } else {
        for (int32_t f = 0; f < det_convex_faces(c); f++) {
            det_convex_face_plane(c, f, normal, &offset);
            face = math_dot3(normal, d) >= best ? f : face;
        }
    }
    if (face >= 0) {
        det_convex_face_patch(c, face, out);
    }
    return face >= 0;
}

// The edge of the hull at its farthest corner that d meets most nearly square.
static bool patch_hull_edge(const proj_convex *c, const double d[3], double square,
                            det_patch *out) {
    const geom_hull *hull = &c->shape->hull;
    double far, own[3];
    int32_t corner = convex_far_corner(c, d, &far), best = -1;
    math_mat3_apply_transposed(c->R, d, own);
    for (int32_t e = 0; e < hull->edge_count; e++) {
        const int32_t *edge = hull->edge + 4 * (int64_t)e;
        if (edge[0] == corner || edge[1] == corner) {
            double along[3];
            math_sub3(hull->vertex + 3 * (int64_t)edge[1], hull->vertex + 3 * (int64_t)edge[0],
                      along);
            double cosine = fabs(math_dot3(own, along)) / math_norm3(along);
            if (cosine <= square) {
                square = cosine;
                best = e;
            }
        }
    }
    out->count = best >= 0 ? 2 : 0;
    for (int32_t i = 0; i < out->count; i++) {
        int32_t vertex = hull->edge[4 * (int64_t)best + i];
        det_convex_corner(c, vertex, out->corner[i].x);
        out->corner[i].id = (uint32_t)vertex;
    }
    return best >= 0;
}

// The line of a cylinder's or capsule's side that faces d.
static bool patch_line(const proj_convex *c, const double d[3], double square, det_patch *out) {
    double along = math_dot3(c->axis, d), across[3];
    if (!(fabs(along) <= square)) {
        return false;
    }
    // A capsule's sphere reaches out along d itself, a cylinder's disc along d in its plane.
    math_add_scaled3(d, c->round ? -along : 0.0, c->axis, across);
    double length = math_norm3(across);
    out->count = 2;
    for (int32_t i = 0; i < 2; i++) {
        det_convex_corner(c, i, out->corner[i].x);
        math_add_scaled3(out->corner[i].x, c->shape->radius / length, across, out->corner[i].x);
        out->corner[i].id = LINE_FEATURE + (uint32_t)i;
    }
    return true;
}

void det_convex_patch(const proj_convex *c, const double d[3], double flat, double square,
                      det_patch *out) {
    if (patch_face(c, d, flat, out) ||
        (c->shape->hull.edge_count && patch_hull_edge(c, d, square, out)) ||
        (c->corner_count == 2 && patch_line(c, d, square, out))) {
        return;
    }
    out->count = 1;
    int32_t corner = det_convex_support(c, d, out->corner[0].x);
    math_add_scaled3(out->corner[0].x, c->margin, d, out->corner[0].x);
    // The point of a round body wanders over it: no vertex to know it by, but its end.
    out->corner[0].id = c->corner_count == 2 ? LINE_FEATURE + (uint32_t)corner : (uint32_t)corner;
}
