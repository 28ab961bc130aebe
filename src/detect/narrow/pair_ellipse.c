// detect/narrow/pair_ellipse.c
// Ellipses against one another, polygons and rings, in 2D.
//
// The signed distance is the largest separation s(n) = n . (c_a - c_b) - h_a(n) - h_b(n) over unit
// normals n. Where it is smooth its slope is the tangential part of the support points' difference,
// its second derivative -s - (sum of the radii of curvature). Each change from rise to fall, over
// directions that crowd where the ellipses are flat, is closed in on by Newton's method and
// bisection. Against a polygon the normals of its edges part the smooth pieces. In a ring the
// farthest points of the ellipse from its centre touch, one or two; the same search along the
// ellipse.
#include "detect/narrow/patch.h"
#include "math/vec3.h"

#include <float.h>
#include <string.h>

#define CLOSE_MAX 60   // steps to a top: bisection alone needs less
#define SURVEY_DEPTH 4 // halvings of a stretch that may hide a top

// Centre, direction of the first axis, semi-axes.
typedef struct ellipse {
    double center[3], u[2], a, b;
} ellipse;

static void ellipse_place(const det_placed *placed, ellipse *out) {
    const geom_shape *shape = placed->shape;
    const double first[3] = {shape->R[0], shape->R[3], 0.0};
    double u[3];
    det_placed_origin(placed, out->center);
    math_mat3_apply(placed->R, first, u);
    out->u[0] = u[0];
    out->u[1] = u[1];
    out->a = shape->axes[0];
    out->b = shape->axes[1];
}

// World direction of (x, y) along the ellipse's axes.
static void ellipse_turn(const ellipse *e, double x, double y, double out[3]) {
    out[0] = x * e->u[0] - y * e->u[1];
    out[1] = x * e->u[1] + y * e->u[0];
    out[2] = 0.0;
}

// The farthest point along unit n, from the centre; returns h = n . point, and the radius of
// curvature there.
static double ellipse_support(const ellipse *e, const double n[3], double point[3],
                              double *radius) {
    double x = e->a * (n[0] * e->u[0] + n[1] * e->u[1]),
           y = e->b * (n[1] * e->u[0] - n[0] * e->u[1]), h = sqrt(x * x + y * y);
    ellipse_turn(e, e->a * x / h, e->b * y / h, point);
    *radius = e->a / h * e->a * (e->b / h) * (e->b / h);
    return h;
}

// A function on the circle that is to be made largest: its value, slope and second derivative by
// the angle.
typedef struct hill {
    double value, slope, bend;
} hill;
typedef void hill_fn(const void *of, const double n[3], hill *out);

static void normalize_2d(double n[3]) {
    double length = sqrt(n[0] * n[0] + n[1] * n[1]);
    n[0] /= length;
    n[1] /= length;
}

// Whether n lies between low and high, counter-clockwise, less than half a turn apart.
static bool lies_between(const double low[3], const double n[3], const double high[3]) {
    return low[0] * n[1] - low[1] * n[0] > 0.0 && n[0] * high[1] - n[1] * high[0] > 0.0;
}

// The top between low, where it rises, and high, where it falls.
static void climb(hill_fn *look, const void *of, double low[3], double high[3], double n[3],
                  hill *top) {
    double next[3] = {low[0] + high[0], low[1] + high[1], 0.0};
    for (int32_t i = 0; i < CLOSE_MAX; i++) {
        normalize_2d(next);
        memcpy(n, next, 3 * sizeof *n);
        look(of, n, top);
        if (top->slope == 0.0) {
            return;
        }
        memcpy(top->slope > 0.0 ? low : high, n, 3 * sizeof *n);
        double step = top->bend < 0.0 ? -top->slope / top->bend : DBL_MAX;
        next[0] = n[0] - step * n[1];
        next[1] = n[1] + step * n[0];
        if (fabs(step) <= DBL_EPSILON) {
            return;
        }
        if (!(fabs(step) < 1.0) || !lies_between(low, next, high)) {
            next[0] = low[0] + high[0];
            next[1] = low[1] + high[1];
        }
    }
}

// The best normal so far.
typedef struct summit {
    double value, n[3];
} summit;

// Looks for better normals from low to high. Where the function bends upwards it may rise and fall
// between the two unseen: half-way is looked at as well.
static void survey(hill_fn *look, const void *of, const double low[3], const hill *at_low,
                   const double high[3], const hill *at_high, int32_t depth, summit *best) {
    double n[3] = {low[0] + high[0], low[1] + high[1], 0.0}, from[3], to[3];
    hill top = *at_low;
    if (depth > 0 && (at_low->bend > 0.0 || at_high->bend > 0.0)) {
        normalize_2d(n);
        look(of, n, &top);
        survey(look, of, low, at_low, n, &top, depth - 1, best);
        survey(look, of, n, &top, high, at_high, depth - 1, best);
        return;
    }
    memcpy(n, low, sizeof n);
    if (at_low->slope > 0.0 && at_high->slope <= 0.0) {
        memcpy(from, low, sizeof from);
        memcpy(to, high, sizeof to);
        climb(look, of, from, to, n, &top);
    }
    if (top.value > best->value) {
        best->value = top.value;
        memcpy(best->n, n, sizeof n);
    }
}

// ---- ellipse and ellipse ----

typedef struct ellipse_pair {
    ellipse a, b;
    double apart[3];
} ellipse_pair;

static void separation(const void *of, const double n[3], hill *out) {
    const ellipse_pair *pair = of;
    double on_a[3], on_b[3], radius_a, radius_b;
    double h_a = ellipse_support(&pair->a, n, on_a, &radius_a);
    double h_b = ellipse_support(&pair->b, n, on_b, &radius_b);
    out->value = math_dot3(n, pair->apart) - h_a - h_b;
    double x = pair->apart[0] - on_a[0] - on_b[0], y = pair->apart[1] - on_a[1] - on_b[1];
    out->slope = n[0] * y - n[1] * x;
    out->bend = -out->value - radius_a - radius_b;
}

// The normals of an ellipse at even steps of its parameter.
static void ellipse_normal(const ellipse *e, int32_t i, double n[3]) {
    const double *at = det_around[i % DET_AROUND];
    ellipse_turn(e, at[0] * e->b, at[1] * e->a, n);
    normalize_2d(n);
}

void det_pair_ellipse_ellipse(const det_placed *a, const det_placed *b, double alert,
                              det_manifold *out) {
    ellipse_pair pair;
    ellipse_place(a, &pair.a);
    ellipse_place(b, &pair.b);
    math_sub3(pair.a.center, pair.b.center, pair.apart);
    summit best = {.value = -DBL_MAX};
    double point[3], radius;
    for (int32_t side = 0; side < 2; side++) {
        const ellipse *e = side == 0 ? &pair.a : &pair.b;
        double low[3], high[3];
        hill here, next;
        ellipse_normal(e, 0, high);
        separation(&pair, high, &next);
        for (int32_t i = 1; i <= DET_AROUND; i++) {
            memcpy(low, high, sizeof low);
            here = next;
            ellipse_normal(e, i, high);
            separation(&pair, high, &next);
            survey(separation, &pair, low, &here, high, &next, SURVEY_DEPTH, &best);
        }
    }
    ellipse_support(&pair.b, best.n, point, &radius);
    math_add_scaled3(point, 1.0, pair.b.center, point);
    math_add_scaled3(point, 0.5 * best.value, best.n, point);
    det_manifold_add(out, point, best.n, best.value, alert, 0);
}

// ---- ellipse and polygon ----

// Largest separation along an edge normal of the polygon.
static double best_edge(const ellipse *e, const det_placed *polygon, int32_t *edge,
                        double normal[3]) {
    const geom_hull *hull = &polygon->shape->hull;
    double best = -DBL_MAX;
    for (int32_t f = 0; f < hull->face_count; f++) {
        double n[3], point[3], radius;
        math_mat3_apply(polygon->R, hull->normal + 3 * (int64_t)f, n);
        double height = math_dot3(n, e->center) - math_dot3(n, polygon->position) - hull->offset[f];
        double gap = height - ellipse_support(e, n, point, &radius);
        if (gap > best) {
            best = gap;
            *edge = f;
            memcpy(normal, n, sizeof n);
        }
    }
    return best;
}

// The separation of the ellipse and a corner that is at -apart from its centre.
typedef struct ellipse_corner {
    const ellipse *e;
    double apart[3];
} ellipse_corner;

static void corner_separation(const void *of, const double n[3], hill *out) {
    const ellipse_corner *at = of;
    double point[3], radius, h = ellipse_support(at->e, n, point, &radius);
    double x = at->apart[0] - point[0], y = at->apart[1] - point[1];
    out->value = math_dot3(n, at->apart) - h;
    out->slope = n[0] * y - n[1] * x;
    out->bend = -out->value - radius;
}

// Looks for better normals between those of the two edges at corner v, where it is foremost: in
// each stretch between them and the ellipse's normals that fall among them.
static void look_at_corner(const ellipse *e, const det_placed *polygon, int32_t v, summit *best) {
    const geom_hull *hull = &polygon->shape->hull;
    int32_t before = (v + hull->face_count - 1) % hull->face_count, first = 0;
    ellipse_corner at = {.e = e};
    double low[3], high[3], end[3], n[3];
    hill here, next;
    det_placed_point(polygon, hull->vertex + 3 * (int64_t)v, at.apart);
    math_sub3(e->center, at.apart, at.apart);
    math_mat3_apply(polygon->R, hull->normal + 3 * (int64_t)before, high);
    math_mat3_apply(polygon->R, hull->normal + 3 * (int64_t)v, end);
    corner_separation(&at, high, &next);
    // The first of the ellipse's normals behind the edge before.
    for (int32_t i = 0; i < DET_AROUND; i++) {
        double last[3];
        ellipse_normal(e, i + DET_AROUND - 1, last);
        ellipse_normal(e, i, n);
        first = lies_between(high, n, end) && !lies_between(high, last, end) ? i : first;
    }
    bool inside = true;
    for (int32_t i = 0; inside && i <= DET_AROUND; i++) {
        memcpy(low, high, sizeof low);
        here = next;
        ellipse_normal(e, first + i, high);
        inside = lies_between(low, high, end);
        if (!inside) {
            memcpy(high, end, sizeof high);
        }
        corner_separation(&at, high, &next);
        survey(corner_separation, &at, low, &here, high, &next, SURVEY_DEPTH, best);
    }
}

void det_pair_ellipse_polygon(const det_placed *a, const det_placed *b, double alert,
                              det_manifold *out) {
    ellipse e;
    int32_t edge = 0, count = b->shape->hull.vertex_count;
    double point[3], down[3], radius;
    summit best;
    ellipse_place(a, &e);
    best.value = best_edge(&e, b, &edge, best.n);
    if (best.value > alert) {
        return;
    }
    // Apart, the corner in question is one of the best edge's; overlapping, any may be.
    bool apart = best.value > 0.0;
    for (int32_t k = 0; k < (apart ? 2 : count); k++) {
        look_at_corner(&e, b, apart ? (edge + k) % count : k, &best);
    }
    for (int i = 0; i < 3; i++) {
        down[i] = -best.n[i];
    }
    ellipse_support(&e, down, point, &radius);
    math_add_scaled3(point, 1.0, e.center, point);
    math_add_scaled3(point, -0.5 * best.value, best.n, point);
    det_manifold_add(out, point, best.n, best.value, alert, 0);
}

// ---- ellipse in a ring ----

// Half the square of the distance of the ellipse's point at parameter (cos, sin) = n from the
// ring's centre, which is at p along the ellipse's axes.
typedef struct ellipse_in_ring {
    ellipse e;
    double p[2];
} ellipse_in_ring;

static void distance_along(const void *of, const double n[3], hill *out) {
    const ellipse_in_ring *in = of;
    double a = in->e.a, b = in->e.b, x = a * n[0] - in->p[0], y = b * n[1] - in->p[1];
    out->value = 0.5 * (x * x + y * y);
    out->slope = -a * n[1] * x + b * n[0] * y;
    out->bend = a * n[1] * a * n[1] + b * n[0] * b * n[0] - x * a * n[0] - y * b * n[1];
}

static void ring_add(const ellipse_in_ring *in, const double n[3], const det_placed *ring,
                     double alert, det_manifold *out) {
    const ellipse *e = &in->e;
    double x[3], center[3], apart[3], normal[3], point[3];
    ellipse_turn(e, e->a * n[0], e->b * n[1], x);
    math_add_scaled3(e->center, 1.0, x, x);
    det_placed_origin(ring, center);
    math_sub3(center, x, apart);
    double distance = math_norm3(apart), gap = ring->shape->radius - distance;
    for (int i = 0; i < 3; i++) {
        normal[i] = distance > 0.0 ? apart[i] / distance : (i == 1 ? 1.0 : 0.0);
    }
    math_add_scaled3(x, -0.5 * gap, normal, point);
    // Known by the tip that it is nearer to.
    bool positive = e->a >= e->b ? n[0] >= 0.0 : n[1] >= 0.0;
    det_manifold_add(out, point, normal, gap, alert, positive ? 0 : 1);
}

void det_pair_ellipse_ring(const det_placed *a, const det_placed *b, double alert,
                           det_manifold *out) {
    ellipse_in_ring in;
    double center[3], best[3] = {1.0, 0.0, 0.0}, max = -DBL_MAX;
    ellipse_place(a, &in.e);
    det_placed_origin(b, center);
    math_sub3(center, in.e.center, center);
    in.p[0] = center[0] * in.e.u[0] + center[1] * in.e.u[1];
    in.p[1] = center[1] * in.e.u[0] - center[0] * in.e.u[1];
    int32_t tops = 0;
    for (int32_t i = 0; i < DET_AROUND; i++) {
        const double *from = det_around[i], *to = det_around[(i + 1) % DET_AROUND];
        double low[3] = {from[0], from[1], 0.0}, high[3] = {to[0], to[1], 0.0}, n[3];
        hill here, next, top;
        distance_along(&in, low, &here);
        distance_along(&in, high, &next);
        if (here.slope > 0.0 && next.slope <= 0.0) {
            climb(distance_along, &in, low, high, n, &top);
            ring_add(&in, n, b, alert, out);
            tops++;
        }
        if (here.value > max) {
            max = here.value;
            memcpy(best, low, sizeof best);
        }
    }
    // A circle about the ring's centre has no top.
    if (tops == 0) {
        ring_add(&in, best, b, alert, out);
    }
}
