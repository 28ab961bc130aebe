// detect/narrow/pair_box.c
// Two boxes: the fifteen axes that can part them (Gottschalk 1996), three of each and the nine
// products, in closed form. Where they overlap the best of these is the best of all normals; where
// they are apart and it is not, corner to corner or corner to edge, axis.c finds the nearest
// points.
#include "detect/narrow/convex.h"

#include "math/vec3.h"

#include <float.h>
#include <string.h>

// Squared sine of two edges below which they count as parallel and give no axis.
#define PARALLEL 1e-12

// Half edges, axes (rows) and centres about b's origin; the axes of b seen from a.
typedef struct det_boxes {
    const double *half_a, *half_b;
    double axis_a[3][3], axis_b[3][3], center_a[3], center_b[3];
    double C[3][3], D[3][3]; // a_i . b_j, and its absolute value
    double t[3], apart[3];   // from a's centre to b's, along a's axes and in the world
} det_boxes;

void det_box_frame_place(const det_placed *placed, det_box_frame *out) {
    const geom_hull *hull = &placed->shape->hull;
    for (int i = 0; i < 3; i++) {
        // The second of each pair of faces looks along the axis.
        math_mat3_apply(placed->R, hull->normal + 3 * (2 * i + 1), out->axis[i]);
    }
    math_mat3_apply(placed->R, hull->center, out->center);
    math_add_scaled3(out->center, 1.0, placed->position, out->center);
}

static const det_box_frame *box_frame_of(const det_placed *placed, det_box_frame *own) {
    if (placed->frame) {
        return placed->frame;
    }
    det_box_frame_place(placed, own);
    return own;
}

// All but what the axes of b look like from a.
static void boxes_place(const det_placed *a, const det_placed *b, det_boxes *out) {
    det_box_frame own[2];
    const det_box_frame *frame_a = box_frame_of(a, &own[0]), *frame_b = box_frame_of(b, &own[1]);
    out->half_a = a->shape->axes;
    out->half_b = b->shape->axes;
    memcpy(out->axis_a, frame_a->axis, sizeof out->axis_a);
    memcpy(out->axis_b, frame_b->axis, sizeof out->axis_b);
    math_sub3(frame_a->center, b->position, out->center_a);
    math_sub3(frame_b->center, b->position, out->center_b);
    math_sub3(out->center_b, out->center_a, out->apart);
}

// a_i . b_j
static inline void boxes_product(det_boxes *p, int i, int j) {
    p->C[i][j] = math_dot3(p->axis_a[i], p->axis_b[j]);
    p->D[i][j] = fabs(p->C[i][j]);
}

static void boxes_products(det_boxes *p) {
    for (int i = 0; i < 3; i++) {
        p->t[i] = math_dot3(p->axis_a[i], p->apart);
        for (int j = 0; j < 3; j++) {
            boxes_product(p, i, j);
        }
    }
}

// How far the faces across axis i, those of a first, part the boxes. *along: from a to b, or from b
// to a.
static inline double boxes_gap(const det_boxes *p, int i, double *along) {
    int k = i < 3 ? i : i - 3;
    double reach;
    if (i < 3) {
        *along = math_dot3(p->axis_a[k], p->apart);
        reach = p->half_a[k] + p->half_b[0] * p->D[k][0] + p->half_b[1] * p->D[k][1] +
                p->half_b[2] * p->D[k][2];
    } else {
        *along = -math_dot3(p->axis_b[k], p->apart);
        reach = p->half_b[k] + p->half_a[0] * p->D[0][k] + p->half_a[1] * p->D[1][k] +
                p->half_a[2] * p->D[2][k];
    }
    return fabs(*along) - reach;
}

// Whether axis `parting`, from 1 on, still parts the boxes: then the best axis, which slack makes
// differ from it, does.
static bool boxes_parted(det_boxes *p, uint32_t parting, double slack, double alert) {
    if (parting == 0 || parting > 6) {
        return false;
    }
    int axis = (int)parting - 1;
    for (int j = 0; j < 3; j++) {
        boxes_product(p, axis < 3 ? axis : j, axis < 3 ? j : axis - 3);
    }
    double along;
    return boxes_gap(p, axis, &along) > alert + slack;
}

// The face of either box that the other is farthest from.
static void boxes_face(const det_boxes *p, double slack, det_best_face *best) {
    best->gap = -DBL_MAX;
    double side = 0.0;
    for (int i = 0; i < 6; i++) {
        double along, gap = boxes_gap(p, i, &along);
        if (gap > best->gap + (i == 0 ? 0.0 : slack)) {
            best->gap = gap;
            best->of_a = i < 3;
            best->face = 2 * (i % 3) + (along > 0.0);
            side = along > 0.0 ? 1.0 : -1.0;
        }
    }
    const double *axis = best->of_a ? p->axis_a[best->face / 2] : p->axis_b[best->face / 2];
    for (int i = 0; i < 3; i++) {
        best->normal[i] = side * axis[i];
    }
}

// The product of edges that parts the boxes by more than `best`; i + 3 j, -1: none does.
static int boxes_edges(const det_boxes *p, double *best) {
    int edges = -1;
    for (int i = 0; i < 3; i++) {
        int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int j = 0; j < 3; j++) {
            int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            double reach = p->half_a[i1] * p->D[i2][j] + p->half_a[i2] * p->D[i1][j] +
                           p->half_b[j1] * p->D[i][j2] + p->half_b[j2] * p->D[i][j1];
            double along = fabs(p->t[i2] * p->C[i1][j] - p->t[i1] * p->C[i2][j]) - reach;
            // The product is shorter than 1: dividing by its length makes an overlap deeper.
            if (along < 0.0 && along <= *best) {
                continue;
            }
            double length2 = 1.0 - p->C[i][j] * p->C[i][j];
            if (length2 > PARALLEL && along > *best * sqrt(length2)) {
                *best = along / sqrt(length2);
                edges = i + 3 * j;
            }
        }
    }
    return edges;
}

// The ends of the edge along axis i of a box that reaches farthest along d.
static void box_edge(const double axis[3][3], const double half[3], const double center[3], int i,
                     const double d[3], double ends[2][3]) {
    double middle[3];
    memcpy(middle, center, sizeof middle);
    for (int k = 1; k < 3; k++) {
        const double *other = axis[(i + k) % 3];
        double far = half[(i + k) % 3];
        math_add_scaled3(middle, math_dot3(other, d) > 0.0 ? far : -far, other, middle);
    }
    math_add_scaled3(middle, -half[i], axis[i], ends[0]);
    math_add_scaled3(middle, half[i], axis[i], ends[1]);
}

// The normal of two edges as an axis, and the points of the edges nearest to each other; false when
// these are not one above the other: then corners are nearest.
static bool boxes_axis(const det_boxes *p, int edges, double gap, double slack, det_axis *out) {
    double ends_a[2][3], ends_b[2][3], back[3], span[3];
    int i = edges % 3, j = edges / 3;
    math_cross3(p->axis_a[i], p->axis_b[j], out->normal);
    double length = math_norm3(out->normal) * (math_dot3(out->normal, p->apart) > 0.0 ? -1.0 : 1.0);
    for (int k = 0; k < 3; k++) {
        out->normal[k] /= length; // from b to a
        back[k] = -out->normal[k];
    }
    box_edge(p->axis_a, p->half_a, p->center_a, i, back, ends_a);
    box_edge(p->axis_b, p->half_b, p->center_b, j, out->normal, ends_b);
    det_segment_nearest(ends_a[0], ends_a[1], ends_b[0], ends_b[1], out->on_a, out->on_b);
    math_sub3(out->on_a, out->on_b, span);
    math_add_scaled3(span, -gap, out->normal, span);
    out->gap = gap;
    return math_norm3(span) <= slack;
}

void det_pair_box_box(const det_placed *a, const det_placed *b, double alert, det_manifold *out) {
    det_boxes boxes;
    det_couple couple;
    det_best_face best = {.face = -1};
    det_axis axis;
    double slack = DET_SLACK * (a->shape->bound + b->shape->bound);
    boxes_place(a, b, &boxes);
    if (boxes_parted(&boxes, out->parting, slack, alert)) {
        return;
    }
    boxes_products(&boxes);
    boxes_face(&boxes, slack, &best);
    out->parting = 0;
    if (best.gap > alert) {
        out->parting = (uint32_t)(best.face / 2 + (best.of_a ? 1 : 4));
        return;
    }
    double gap = best.gap + slack;
    int edges = boxes_edges(&boxes, &gap);
    if (edges >= 0 && gap > alert) {
        return;
    }
    det_couple_place(a, b, &couple);
    if (edges >= 0 && boxes_axis(&boxes, edges, gap, slack, &axis)) {
        det_axis_contacts(&couple, &axis, alert, out);
    } else {
        det_couple_contacts(&couple, &best, true, alert, out);
    }
    det_couple_restore(b, out);
}
