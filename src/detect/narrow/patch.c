// detect/narrow/patch.c
// Contacts of two parts of surfaces that face each other: one polygon, the reference, stands as a
// prism along the normal; the other part is cut by its sides (Sutherland and Hodgman 1974). A
// corner's gap is its height over the reference plane along the normal, so normals other than that
// of a face (edge against edge of two nearly parallel faces) give full manifolds too.
#include "detect/narrow/patch.h"

#include "math/vec3.h"

#include <float.h>
#include <string.h>

#define NO_EDGE UINT32_MAX
#define NAMED 5e-2  // of the bodies' size: as near a corner may have a vertex's name
#define MERGED 1e-3 // corners that are nearer are one

// A corner of the part while it is cut: where it comes from, and the edge that leaves it, own edge
// or side of the reference.
typedef struct cut_corner {
    double x[3];
    uint32_t own, other; // own vertex; or own edge and side; or, of the reference, a vertex
    enum { CORNER_OWN, CORNER_CROSSING, CORNER_OTHER } kind;
    uint32_t edge; // leaving it: own edge, by its first vertex
    uint32_t side; // or the side that it lies along; NO_EDGE when it is an own edge
} cut_corner;

typedef struct cut_part {
    int32_t count;
    cut_corner corner[DET_PATCH_MAX];
} cut_part;

// Where the edge from a to b meets the side. Along an own edge that is a crossing; along another
// side it is the vertex that the two sides share.
static void cross_side(const cut_corner *a, const cut_corner *b, double height_a, double height_b,
                       uint32_t side, uint32_t sides, cut_corner *out) {
    double along[3];
    math_sub3(b->x, a->x, along);
    math_add_scaled3(a->x, height_a / (height_a - height_b), along, out->x);
    out->own = a->edge;
    out->other = side;
    out->kind = CORNER_CROSSING;
    if (a->side != NO_EDGE) {
        // Side i runs from vertex i to vertex i + 1.
        out->kind = CORNER_OTHER;
        out->other = (a->side + 1) % sides == side ? side : a->side;
    }
}

// Keeps the part below the side. Corners within slack of it count as on it, and are kept as they
// are.
static void cut_by_side(const cut_part *in, const double *height, double slack, uint32_t side,
                        uint32_t sides, cut_part *out) {
    out->count = 0;
    int32_t edges = in->count == 2 ? 1 : in->count; // a segment does not come back
    // A convex polygon has room for all; one that waves by round-off is cut short.
    for (int32_t i = 0; i < in->count && out->count < DET_PATCH_MAX - 1; i++) {
        int32_t after = i + 1 < in->count ? i + 1 : 0;
        const cut_corner *a = &in->corner[i], *b = &in->corner[after];
        double height_a = height[i], height_b = height[after];
        bool inside_a = height_a <= slack, inside_b = height_b <= slack;
        if (inside_a) {
            out->corner[out->count++] = *a;
        }
        if (i >= edges || inside_a == inside_b) {
            continue;
        }
        bool leaves = inside_a;
        if (fabs(leaves ? height_a : height_b) <= slack) {
            // The crossing is the corner itself; what leaves it runs along the side now.
            if (leaves) {
                out->corner[out->count - 1].side = side;
            }
            continue;
        }
        cut_corner *cross = &out->corner[out->count++];
        cross_side(a, b, height_a, height_b, side, sides, cross);
        cross->edge = a->edge;
        cross->side = leaves ? side : a->side;
    }
}

// The incident part, cut by the sides of the reference prism.
static cut_part *cut_by_prism(const det_patch *reference, const det_patch *incident,
                              const double normal[3], double slack, cut_part work[2]) {
    cut_part *now = &work[0], *next = &work[1];
    int32_t sides = reference->count;
    now->count = incident->count;
    for (int32_t i = 0; i < incident->count; i++) {
        const det_corner *corner = &incident->corner[i];
        cut_corner *cut = &now->corner[i];
        memcpy(cut->x, corner->x, sizeof corner->x);
        cut->kind = CORNER_OWN;
        cut->own = cut->edge = corner->id;
        cut->side = NO_EDGE;
    }
    for (int32_t i = 0; i < sides && now->count > 0; i++) {
        const double *p = reference->corner[i].x,
                     *q = reference->corner[i + 1 < sides ? i + 1 : 0].x;
        double along[3], across[3], height[DET_PATCH_MAX], highest = 0.0;
        math_sub3(q, p, along);
        math_cross3(along, normal, across);
        double offset = math_dot3(across, p);
        for (int32_t k = 0; k < now->count; k++) {
            height[k] = math_dot3(across, now->corner[k].x) - offset;
            highest = height[k] > highest ? height[k] : highest;
        }
        // Heights are compared with the slack times the length of `across`: no division.
        if (highest > 0.0 && highest > slack * math_norm3(across)) {
            cut_by_side(now, height, slack * math_norm3(across), (uint32_t)i, (uint32_t)sides,
                        next);
            cut_part *swap = now;
            now = next;
            next = swap;
        }
    }
    return now;
}

// The feature of a corner by the way it came about.
static uint32_t cut_feature(const cut_corner *corner, const det_patch *reference,
                            bool reference_is_b) {
    uint32_t own = reference_is_b ? DET_FEATURE_A : DET_FEATURE_B,
             other = reference_is_b ? DET_FEATURE_B : DET_FEATURE_A;
    if (corner->kind == CORNER_OWN) {
        return own | corner->own;
    }
    uint32_t vertex = reference->corner[corner->other].id;
    if (corner->kind == CORNER_OTHER) {
        return other | vertex;
    }
    return DET_FEATURE_CROSSING | (reference_is_b ? corner->own << DET_VERTEX_BITS | vertex
                                                  : vertex << DET_VERTEX_BITS | corner->own);
}

// ---- corners that round-off tells apart ----

// The corners of the overlap while they are tidied, as the normal sees them.
_Static_assert(DET_PATCH_MAX <= 64, "a bit a corner");

typedef struct det_tidy {
    double t1[3], t2[3];
    double at[DET_PATCH_MAX][2];
} det_tidy;

static void tidy_see(const det_tidy *tidy, const double x[3], double at[2]) {
    at[0] = math_dot3(tidy->t1, x);
    at[1] = math_dot3(tidy->t2, x);
}

// The square of the distance of two places.
static inline double tidy_distance2(const double x[2], const double y[2]) {
    double span[2] = {x[0] - y[0], x[1] - y[1]};
    return span[0] * span[0] + span[1] * span[1];
}

// The square of the distance of x from the segment p q.
static double tidy_apart(const double x[2], const double p[2], const double q[2]) {
    double along[2] = {q[0] - p[0], q[1] - p[1]}, span[2] = {x[0] - p[0], x[1] - p[1]};
    double length2 = along[0] * along[0] + along[1] * along[1];
    if (length2 > 0.0) {
        double share = (span[0] * along[0] + span[1] * along[1]) / length2;
        share = fmin(fmax(share, 0.0), 1.0);
        span[0] -= share * along[0];
        span[1] -= share * along[1];
    }
    return span[0] * span[0] + span[1] * span[1];
}

// Puts corner `from` in the place of corner `to`.
static void tidy_copy(det_tidy *tidy, cut_part *cut, double *gap, int32_t from, int32_t to) {
    cut->corner[to] = cut->corner[from];
    gap[to] = gap[from];
    tidy->at[to][0] = tidy->at[from][0];
    tidy->at[to][1] = tidy->at[from][1];
}

static void tidy_drop(det_tidy *tidy, cut_part *cut, double *gap, int32_t i) {
    cut->count--;
    for (; i < cut->count; i++) {
        tidy_copy(tidy, cut, gap, i + 1, i);
    }
}

// Of corners at the same place the deepest stays; of crossings on the line between their
// neighbours, which add nothing to the support, none.
static void tidy_merge(det_tidy *tidy, cut_part *cut, double *gap, double merged, double slack) {
    for (int32_t i = 0; i < cut->count; i++) {
        for (int32_t k = cut->count - 1; k > i; k--) {
            if (tidy_distance2(tidy->at[k], tidy->at[i]) <= merged * merged) {
                if (gap[k] < gap[i]) {
                    tidy_copy(tidy, cut, gap, k, i);
                }
                tidy_drop(tidy, cut, gap, k);
            }
        }
    }
    for (int32_t i = 0; i < cut->count && cut->count > 4;) {
        int32_t before = (i > 0 ? i : cut->count) - 1, after = i + 1 < cut->count ? i + 1 : 0;
        if (cut->corner[i].kind == CORNER_CROSSING &&
            gap[i] >= fmin(gap[before], gap[after]) - slack &&
            tidy_apart(tidy->at[i], tidy->at[before], tidy->at[after]) <= merged * merged) {
            tidy_drop(tidy, cut, gap, i);
        } else {
            i++;
        }
    }
}

// Each vertex of the patch gives its name to the nearest corner that has none yet.
static void tidy_name(const det_tidy *tidy, const cut_part *cut, const det_patch *patch,
                      uint32_t kind, double named, uint64_t *has, uint32_t *feature) {
    uint64_t all = cut->count < 64 ? ((uint64_t)1 << cut->count) - 1 : UINT64_MAX;
    // When all have names there are no more to give.
    for (int32_t i = 0; i < patch->count && *has != all; i++) {
        double at[2], min = named * named;
        int32_t nearest = -1;
        tidy_see(tidy, patch->corner[i].x, at);
        for (int32_t k = 0; k < cut->count; k++) {
            double apart = tidy_distance2(tidy->at[k], at);
            if (apart <= min && !(*has >> k & 1)) {
                min = apart;
                nearest = k;
            }
        }
        if (nearest >= 0) {
            *has |= (uint64_t)1 << nearest;
            feature[nearest] = kind | patch->corner[i].id;
        }
    }
}

// Where edges of the two parts lie upon each other, as all do in a wall, round-off decides which of
// them cuts the other, and where. What is one corner but for round-off therefore becomes one, and
// corners are named by the vertex they lie at, whatever made them: a joint keeps its contacts, and
// these their impulses, while the bodies rock. Vertices that are corners themselves always have
// their names; what is left are crossings.
static void cut_tidy(cut_part *cut, const det_patch *a, const det_patch *b,
                     const det_patch *reference, const double up[3], double slack, double *gap,
                     uint32_t *feature) {
    det_tidy tidy;
    double size = slack / DET_SLACK;
    uint64_t has = 0; // corners that are named
    math_tangents3(up, tidy.t1, tidy.t2);
    for (int32_t i = 0; i < cut->count; i++) {
        tidy_see(&tidy, cut->corner[i].x, tidy.at[i]);
    }
    tidy_merge(&tidy, cut, gap, MERGED * size, slack);
    for (int32_t i = 0; i < cut->count; i++) {
        feature[i] = cut_feature(&cut->corner[i], reference, reference == b);
    }
    tidy_name(&tidy, cut, a, DET_FEATURE_A, NAMED * size, &has, feature);
    tidy_name(&tidy, cut, b, DET_FEATURE_B, NAMED * size, &has, feature);
}

// ---- the contacts ----

int32_t det_pick_extremes(det_candidate_fn *get, const void *from, int32_t count,
                          const double t1[3], const double t2[3], double alert, double slack,
                          int32_t keep[DET_MANIFOLD_MAX]) {
    static const double x[] = {1, 1, 0, -1, -1, -1, 0, 1}, y[] = {0, 1, 1, 1, 0, -1, -1, -1};
    int32_t kept = 0, highest = 0, lowest = -1;
    double gaps[DET_MANIFOLD_MAX] = {0.0}, min = DBL_MAX, deepest = DBL_MAX;
    for (int32_t d = 0; d < 8; d++) {
        int32_t best = -1, k = 0;
        double max = -DBL_MAX, at[3];
        for (int32_t i = 0; i < count; i++) {
            double gap = get(from, i, at);
            double far = x[d] * math_dot3(t1, at) + y[d] * math_dot3(t2, at);
            if (gap <= alert && far > max) {
                best = i;
                max = far;
                gaps[kept] = gap;
            }
            if (gap < deepest) {
                deepest = gap;
                lowest = i;
            }
        }
        while (k < kept && keep[k] != best) {
            k++;
        }
        if (best >= 0 && k == kept) {
            min = fmin(min, gaps[kept]);
            highest = gaps[kept] > gaps[highest] ? kept : highest;
            keep[kept++] = best;
            if (kept == DET_MANIFOLD_MAX) {
                break;
            }
        }
    }
    // The deepest has its place whatever its direction.
    if (kept > 0 && deepest < min - slack) {
        keep[kept < DET_MANIFOLD_MAX ? kept++ : highest] = lowest;
    }
    return kept;
}

typedef struct det_overlap {
    const cut_part *cut;
    const double *gap;
} det_overlap;

static double overlap_corner(const void *from, int32_t i, double x[3]) {
    const det_overlap *overlap = from;
    memcpy(x, overlap->cut->corner[i].x, 3 * sizeof *x);
    return overlap->gap[i];
}

// Whether b is the reference: the polygon that the normal fits best, of equal ones the one with
// fewer sides.
static bool is_reference(const det_patch *a, const det_patch *b, const double normal[3]) {
    if (a->count < 3 || b->count < 3) {
        return a->count < 3;
    }
    double fit_a = -math_dot3(a->normal, normal), fit_b = math_dot3(b->normal, normal);
    bool equal = fabs(fit_a - fit_b) <= DET_SLACK;
    return equal ? b->count <= a->count : fit_b > fit_a;
}

double det_patch_contact(const det_patch *a, const det_patch *b, const double normal[3],
                         double alert, double slack, det_manifold *out) {
    bool reference_is_b = is_reference(a, b, normal);
    const det_patch *reference = reference_is_b ? b : a, *incident = reference_is_b ? a : b;
    double up[3], gap[DET_PATCH_MAX], min = DBL_MAX;
    uint32_t feature[DET_PATCH_MAX];
    for (int i = 0; i < 3; i++) {
        up[i] = reference_is_b ? normal[i] : -normal[i];
    }
    cut_part work[2];
    cut_part *cut = cut_by_prism(reference, incident, up, slack, work);

    // Heights over the reference plane.
    double slope = math_dot3(reference->normal, up);
    double offset = math_dot3(reference->normal, reference->corner[0].x);
    for (int32_t i = 0; i < cut->count; i++) {
        gap[i] = (math_dot3(reference->normal, cut->corner[i].x) - offset) / slope;
        min = gap[i] < min ? gap[i] : min;
    }
    cut_tidy(cut, a, b, reference, up, slack, gap, feature);
    int32_t count = cut->count, keep[DET_MANIFOLD_MAX];
    bool many = count > DET_MANIFOLD_MAX;
    if (many) {
        // Directions are reckoned from the middle of the part that is most like a rim to its first
        // corner: they turn with its body.
        const det_patch *rim = reference->count > incident->count ? reference : incident;
        double t1[3], t2[3], middle[3] = {0.0};
        for (int32_t i = 0; i < rim->count; i++) {
            math_add_scaled3(middle, 1.0 / rim->count, rim->corner[i].x, middle);
        }
        math_sub3(rim->corner[0].x, middle, t1);
        math_cross3(up, t1, t2);
        math_cross3(t2, up, t1);
        count = det_pick_extremes(overlap_corner, &(det_overlap){cut, gap}, count, t1, t2, alert,
                                  slack, keep);
    }
    for (int32_t k = 0; k < count; k++) {
        int32_t i = many ? keep[k] : k;
        double point[3];
        math_add_scaled3(cut->corner[i].x, -0.5 * gap[i], up, point);
        det_manifold_add(out, point, normal, gap[i], alert, feature[i]);
    }
    return min;
}

int32_t det_segment_overlap(const double a[2][3], const double b[2][3], double slack,
                            det_side_end out[2]) {
    double along[3], span[3];
    math_sub3(a[1], a[0], along);
    double size = math_norm3(along), start = math_dot3(along, a[0]);
    // Places along a, times its length: a has [0, size^2].
    const double at_b[2] = {math_dot3(along, b[0]) - start, math_dot3(along, b[1]) - start};
    int32_t low = at_b[0] <= at_b[1] ? 0 : 1;
    double shared = fmin(at_b[1 - low], size * size) - fmax(at_b[low], 0.0);
    if (!(shared >= -slack * size)) {
        return 0;
    }
    // End to end there is one place only.
    int32_t count = shared > slack * size ? 2 : 1;
    for (int32_t end = 0; end < count; end++) {
        int32_t of_b = end == 0 ? low : 1 - low;
        bool own = end == 0 ? at_b[of_b] <= 0.0 : at_b[of_b] >= size * size;
        const double *x = own ? a[end] : b[of_b];
        const double(*line)[3] = own ? b : a;
        det_side_end *place = &out[end];
        place->of_a = own;
        place->end = own ? end : of_b;
        math_sub3(line[1], line[0], along);
        math_sub3(x, line[0], span);
        double *foot = own ? place->on_b : place->on_a;
        math_add_scaled3(line[0], math_dot3(span, along) / math_dot3(along, along), along, foot);
        memcpy(own ? place->on_a : place->on_b, x, sizeof place->on_a);
    }
    return count;
}

double det_segment_contact(const det_patch *a, const det_patch *b, const double normal[3],
                           double alert, double slack, det_manifold *out) {
    double line_a[2][3], line_b[2][3], min = DBL_MAX;
    det_side_end end[2];
    for (int i = 0; i < 2; i++) {
        memcpy(line_a[i], a->corner[i].x, sizeof line_a[i]);
        memcpy(line_b[i], b->corner[i].x, sizeof line_b[i]);
    }
    int32_t count = det_segment_overlap(line_a, line_b, slack, end);
    for (int32_t i = 0; i < count; i++) {
        double span[3], point[3];
        math_sub3(end[i].on_a, end[i].on_b, span);
        double gap = math_dot3(normal, span);
        min = gap < min ? gap : min;
        math_add_scaled3(end[i].on_b, 0.5, span, point);
        det_manifold_add(out, point, normal, gap, alert,
                         end[i].of_a ? DET_FEATURE_A | a->corner[end[i].end].id
                                     : DET_FEATURE_B | b->corner[end[i].end].id);
    }
    return min;
}

static double clamp_unit(double x) {
    return x < 0.0 ? 0.0 : (x > 1.0 ? 1.0 : x);
}

void det_segment_nearest(const double a0[3], const double a1[3], const double b0[3],
                         const double b1[3], double on_a[3], double on_b[3]) {
    double u[3], v[3], w[3];
    math_sub3(a1, a0, u);
    math_sub3(b1, b0, v);
    math_sub3(a0, b0, w);
    double uu = math_dot3(u, u), uv = math_dot3(u, v), vv = math_dot3(v, v), uw = math_dot3(u, w),
           vw = math_dot3(v, w);
    double det = uu * vv - uv * uv;
    // Parallel segments: any foot will do, the clamps below make it a nearest one.
    double s = det > 0.0 ? clamp_unit((uv * vw - vv * uw) / det) : 0.0;
    double t = vv > 0.0 ? clamp_unit((uv * s + vw) / vv) : 0.0;
    s = uu > 0.0 ? clamp_unit((uv * t - uw) / uu) : 0.0;
    math_add_scaled3(a0, s, u, on_a);
    math_add_scaled3(b0, t, v, on_b);
}
