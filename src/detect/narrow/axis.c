// detect/narrow/axis.c
// The normal of largest separation of two convex bodies, max s(n) over unit n.
//
// s is the least of n . w over the Minkowski difference w = x_a - x_b of the bodies' cores (spheres
// left out). Apart, the maximum is at the nearest point of the difference to the origin: Wolfe's
// algorithm (1976), which is that of Gilbert, Johnson and Keerthi with another way to the nearest
// point of a simplex. Overlapping, every evaluation of s gives a point w, that is a bound s(n) <=
// n . w from above; the hull of the points bounds s everywhere, best at the facet nearest to the
// origin, where s is evaluated next (the expanding polytope of van den Bergen 2001, here as a
// cutting-plane method: it knows how far from the global maximum it is).
//
// Round bodies would need many points, so Newton's method finishes: with the active corners p_i of
// the polytopes and the ellipsoids' support e(n) = |L_a n| + |L_b n|, a maximum has
//     sum lambda_i p_i - grad e(n) = s n,  n . p_i all equal,  |n| = 1,  sum lambda_i = 1.
// Its result counts when lambda >= 0, no other corner is lower and the curvature is right: then it
// is a local maximum, and when the bodies are apart or overlap by next to nothing, the one.
//
// Costs some thousand operations where Newton starts well, some ten thousand otherwise; bodies of
// hundreds of corners cost as many products an evaluation. Boxes have all their axes in closed
// form: pair_box.c.
#include "detect/narrow/convex.h"

#include "math/vec3.h"

#include <float.h>
#include <string.h>

#define CUTS_MAX 100 // of an overlap; a deep one of thin round bodies needs most of them
#define CN_FACETS_MAX (2 * CUTS_MAX) // a polytope of n corners has 2 n - 4
#define CLIMB_EVERY 4                // cuts between two attempts of Newton's method
#define CLIMB_MAX 8                  // changes of the active corners
#define APART_MAX 64                 // points looked at for the nearest one
#define NEWTON_MAX 24                // steps: limited ones come round a quarter of the sphere first
#define NEWTON_STEP 0.4   // longest step of the normal [rad]: a maximum is not farther than that
#define NEWTON_DONE 1e-12 // [rad] quadratic: the step after one that short is round-off
#define FLAT 1e-7 // of a disc's radius: nearer to its axis its support has no second derivative
#define WEIGHT_SLACK 1e-9 // weights this far below zero are round-off
#define SEEN 1e-4         // of the slack: a cut must rise that much over a facet to see it

// A point of the difference: x_a - x_b at the supports of a normal, spheres left out.
typedef struct det_cut {
    double w[3];
    double on_a[3];
    int32_t a, b; // corners
} det_cut;

typedef struct det_facet {
    int32_t cut[3]; // counter-clockwise from outside
    double normal[3], offset;
} det_facet;

typedef struct search {
    const proj_convex *a, *b;
    bool round;    // one of them is: Newton's method has something to do
    double margin; // of both
    double slack, scale;
    det_axis *best;
    bool settled; // *best is a local maximum
    int32_t cut_count, facet_count;
    det_cut cut[CUTS_MAX];
    det_facet facet[CN_FACETS_MAX];
} search;

// Takes the normal n for the best, with the points x_a and x_a - w of the two cores.
static void take_axis(const search *s, const double n[3], double gap, const double on_a[3],
                      const double w[3]) {
    s->best->gap = gap;
    for (int i = 0; i < 3; i++) {
        s->best->normal[i] = n[i];
        s->best->on_a[i] = on_a[i] - s->a->margin * n[i];
        s->best->on_b[i] = on_a[i] - w[i] + s->b->margin * n[i];
    }
}

// The lowest point of the difference along n; returns s(n).
static double evaluate(const search *s, const double n[3], det_cut *out) {
    const double back[3] = {-n[0], -n[1], -n[2]};
    double on_b[3];
    out->a = det_convex_support(s->a, back, out->on_a);
    out->b = det_convex_support(s->b, n, on_b);
    math_sub3(out->on_a, on_b, out->w);
    return math_dot3(n, out->w) - s->margin;
}

// ---- Newton's method on the active corners ----

typedef struct det_active {
    int32_t count; // 1, 2 or 3
    int32_t a[3], b[3];
    double p[3][3], on_a[3][3], weight[3];
} det_active;

// Where Newton's method stands: the normal, s without the spheres, and e's derivatives there.
typedef struct newton {
    double n[3], value, weight[3];
    double gradient_a[3], gradient_b[3], H[9];
} newton;

// Gradient of |L n|, and its Hessian added to H; false where it has none.
static bool round_derivatives(const proj_convex *c, const double n[3], double gradient[3],
                              double H[9]) {
    memset(gradient, 0, 3 * sizeof *gradient);
    if (!c->round) {
        return true;
    }
    double scaled[3];
    math_mat3_apply(c->L, n, scaled);
    double e = math_norm3(scaled);
    if (!(e > FLAT * math_norm3(c->L))) {
        return false;
    }
    math_mat3_apply_transposed(c->L, scaled, gradient);
    for (int i = 0; i < 3; i++) {
        gradient[i] /= e;
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double LL = c->L[i] * c->L[j] + c->L[3 + i] * c->L[3 + j] + c->L[6 + i] * c->L[6 + j];
            H[3 * i + j] += (LL - gradient[i] * gradient[j]) / e;
        }
    }
    return true;
}

// Gauss with pivoting, size up to 6; false when singular.
static bool solve_small(int32_t size, double A[6][7]) {
    for (int32_t k = 0; k < size; k++) {
        int32_t pivot = k;
        for (int32_t i = k + 1; i < size; i++) {
            pivot = fabs(A[i][k]) > fabs(A[pivot][k]) ? i : pivot;
        }
        if (!(fabs(A[pivot][k]) > DBL_MIN)) {
            return false;
        }
        for (int32_t j = k; j <= size; j++) {
            double swap = A[k][j];
            A[k][j] = A[pivot][j];
            A[pivot][j] = swap;
        }
        for (int32_t i = k + 1; i < size; i++) {
            double factor = A[i][k] / A[k][k];
            for (int32_t j = k; j <= size; j++) {
                A[i][j] -= factor * A[k][j];
            }
        }
    }
    for (int32_t k = size - 1; k >= 0; k--) {
        for (int32_t j = k + 1; j < size; j++) {
            A[k][size] -= A[k][j] * A[j][size];
        }
        A[k][size] /= A[k][k];
    }
    return true;
}

// One step for n, the weights and s; returns its length in n, negative when there is none.
static double newton_step(const det_active *active, newton *at) {
    double A[6][7] = {{0.0}}, *n = at->n, *weight = at->weight;
    int32_t size = 3 + active->count;
    for (int i = 0; i < 3; i++) {
        double sum = active->p[0][i];
        for (int32_t k = 1; k < active->count; k++) {
            double span = active->p[k][i] - active->p[0][i];
            A[i][2 + k] = A[2 + k][i] = span;
            A[2 + k][size] -= n[i] * span;
            sum += weight[k] * span;
        }
        for (int j = 0; j < 3; j++) {
            A[i][j] = -at->H[3 * i + j] - (i == j ? at->value : 0.0);
        }
        A[i][size - 1] = A[size - 1][i] = -n[i];
        A[i][size] = -(sum - at->gradient_a[i] - at->gradient_b[i] - at->value * n[i]);
    }
    A[size - 1][size] = 0.5 * (math_dot3(n, n) - 1.0);
    if (!solve_small(size, A)) {
        return -1.0;
    }
    double step = sqrt(A[0][size] * A[0][size] + A[1][size] * A[1][size] + A[2][size] * A[2][size]);
    double share = step > NEWTON_STEP ? NEWTON_STEP / step : 1.0;
    for (int32_t k = 1; k < active->count; k++) {
        weight[k] += share * A[2 + k][size];
    }
    at->value += share * A[size - 1][size];
    for (int i = 0; i < 3; i++) {
        n[i] += share * A[i][size];
    }
    double length = math_norm3(n);
    for (int i = 0; i < 3; i++) {
        n[i] /= length;
    }
    return step;
}

// Whether s curves down across the directions that the active corners leave free: e'' + s > 0.
static bool curves_down(const det_active *active, const newton *at) {
    double t1[3], t2[3], Ht[3];
    if (active->count == 3 || at->value > 0.0) {
        return true;
    }
    if (active->count == 2) {
        double along[3];
        math_sub3(active->p[1], active->p[0], along);
        math_cross3(at->n, along, t1);
        math_mat3_apply(at->H, t1, Ht);
        return math_dot3(t1, Ht) + at->value * math_dot3(t1, t1) > 0.0;
    }
    math_tangents3(at->n, t1, t2);
    math_mat3_apply(at->H, t1, Ht);
    double h11 = math_dot3(t1, Ht) + at->value, h12 = math_dot3(t2, Ht);
    math_mat3_apply(at->H, t2, Ht);
    double h22 = math_dot3(t2, Ht) + at->value;
    return h11 > 0.0 && h11 * h22 - h12 * h12 > 0.0;
}

// From at->n and the weights to a stationary normal; false when there is none or it is too far.
static bool newton_run(const search *s, const det_active *active, newton *at) {
    double step = 1.0;
    for (int32_t i = 0; i < NEWTON_MAX && step > NEWTON_DONE; i++) {
        memset(at->H, 0, sizeof at->H);
        if (!round_derivatives(s->a, at->n, at->gradient_a, at->H) ||
            !round_derivatives(s->b, at->n, at->gradient_b, at->H)) {
            return false;
        }
        if (i == 0) {
            at->value = math_dot3(at->n, active->p[0]) - math_dot3(at->n, at->gradient_a) -
                        math_dot3(at->n, at->gradient_b);
        }
        step = newton_step(active, at);
        if (!(step >= 0.0)) {
            return false;
        }
    }
    return step <= NEWTON_DONE;
}

// Makes the corners of a cut active, or adds to their weight.
static void activate(const search *s, const det_cut *cut, double weight, det_active *active) {
    int32_t k = 0;
    while (k < active->count && (active->a[k] != cut->a || active->b[k] != cut->b)) {
        k++;
    }
    if (k < active->count) {
        active->weight[k] += weight;
        return;
    }
    double on_b[3];
    active->a[k] = cut->a;
    active->b[k] = cut->b;
    det_convex_corner(s->a, cut->a, active->on_a[k]);
    det_convex_corner(s->b, cut->b, on_b);
    math_sub3(active->on_a[k], on_b, active->p[k]);
    active->weight[k] = weight;
    active->count++;
}

static void deactivate(det_active *active, int32_t k) {
    int32_t end = --active->count;
    active->a[k] = active->a[end];
    active->b[k] = active->b[end];
    memcpy(active->p[k], active->p[end], sizeof active->p[k]);
    memcpy(active->on_a[k], active->on_a[end], sizeof active->on_a[k]);
    active->weight[k] = active->weight[end];
}

static int32_t min_weight(const double *weight, int32_t count) {
    int32_t min = 0;
    for (int32_t k = 1; k < count; k++) {
        min = weight[k] < weight[min] ? k : min;
    }
    return min;
}

// Takes the maximum that Newton's method has come to, if it is the best so far.
static void take_maximum(search *s, const det_active *active, const newton *at, double gap) {
    bool better = gap > s->best->gap || (!s->settled && gap >= s->best->gap - s->slack);
    double on_a[3], w[3];
    if (!better) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        on_a[i] = -at->gradient_a[i];
        for (int32_t k = 0; k < active->count; k++) {
            on_a[i] += at->weight[k] * active->on_a[k][i];
        }
        w[i] = (gap + s->margin) * at->n[i];
    }
    take_axis(s, at->n, gap, on_a, w);
    s->settled = true;
}

// Climbs to a local maximum from n: Newton's method on the active corners, dropping those of
// negative weight, adding those found lower. What it comes to, and any better normal on the way, is
// taken.
static void climb(search *s, det_active *active, const double start[3]) {
    newton at;
    memcpy(at.n, start, sizeof at.n);
    for (int32_t i = 0; i < CLIMB_MAX; i++) {
        double from[3];
        memcpy(from, at.n, sizeof from);
        memcpy(at.weight, active->weight, sizeof at.weight);
        if (!newton_run(s, active, &at)) {
            // Corners in a line with others say nothing new.
            if (active->count == 1) {
                return;
            }
            deactivate(active, min_weight(active->weight, active->count));
            memcpy(at.n, from, sizeof from);
            continue;
        }
        at.weight[0] = 1.0;
        for (int32_t k = 1; k < active->count; k++) {
            at.weight[0] -= at.weight[k];
        }
        int32_t min = min_weight(at.weight, active->count);
        if (at.weight[min] < -WEIGHT_SLACK) {
            deactivate(active, min);
            memcpy(at.n, from, sizeof from);
            continue;
        }
        det_cut here;
        double gap = evaluate(s, at.n, &here);
        memcpy(active->weight, at.weight, sizeof active->weight);
        if (gap >= at.value - s->margin - s->slack) {
            if (curves_down(active, &at)) {
                take_maximum(s, active, &at, gap);
            }
            return;
        }
        if (gap > s->best->gap) {
            take_axis(s, at.n, gap, here.on_a, here.w);
            s->settled = false;
        }
        if (active->count == 3) {
            deactivate(active, min);
        }
        activate(s, &here, 0.0, active);
    }
}

// ---- the polytope ----

static void facet_make(const search *s, int32_t i, int32_t j, int32_t k, det_facet *out) {
    const double *p = s->cut[i].w;
    double u[3], v[3];
    out->cut[0] = i;
    out->cut[1] = j;
    out->cut[2] = k;
    math_sub3(s->cut[j].w, p, u);
    math_sub3(s->cut[k].w, p, v);
    math_cross3(u, v, out->normal);
    double length = math_norm3(out->normal);
    // A sliver says nothing: far away, it is never picked.
    for (int c = 0; c < 3; c++) {
        out->normal[c] = length > 0.0 ? out->normal[c] / length : 0.0;
    }
    out->offset = length > 0.0 ? math_dot3(out->normal, p) : DBL_MAX;
}

// The polytope of the four cuts; false when they are flat.
static bool search_begin(search *s) {
    double u[3], v[3], w[3], across[3];
    math_sub3(s->cut[1].w, s->cut[0].w, u);
    math_sub3(s->cut[2].w, s->cut[0].w, v);
    math_sub3(s->cut[3].w, s->cut[0].w, w);
    math_cross3(u, v, across);
    double volume = math_dot3(across, w);
    // Facets look away from the corner that they do not have.
    static const int32_t corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
    int32_t second = volume > 0.0 ? 2 : 1;
    for (int32_t k = 0; k < 4; k++) {
        facet_make(s, corner[k][0], corner[k][second], corner[k][3 - second], &s->facet[k]);
    }
    s->facet_count = 4;
    return fabs(volume) > 0.0;
}

// Adds cuts across what there are, until four span space.
static void search_complete(search *s) {
    while (s->cut_count < 4) {
        const double *first = s->cut[0].w;
        double u[3], v[3], n[3] = {0.0, 0.0, 1.0}, t[3];
        if (s->cut_count > 1) {
            math_sub3(s->cut[1].w, first, u);
            double length = math_norm3(u);
            for (int i = 0; i < 3; i++) {
                u[i] = length > 0.0 ? u[i] / length : n[i];
            }
            math_tangents3(u, n, t);
        }
        if (s->cut_count > 2) {
            math_sub3(s->cut[2].w, first, v);
            math_cross3(u, v, n);
            double length = math_norm3(n);
            for (int i = 0; i < 3; i++) {
                n[i] = length > 0.0 ? n[i] / length : t[i];
            }
        }
        // Of both sides the one that reaches farther.
        const double back[3] = {-n[0], -n[1], -n[2]};
        det_cut other;
        double reach = -evaluate(s, n, &s->cut[s->cut_count]) + math_dot3(n, first);
        double reach_back = -evaluate(s, back, &other) + math_dot3(back, first);
        if (reach_back > reach) {
            s->cut[s->cut_count] = other;
        }
        s->cut_count++;
    }
}

// Puts cut `last` into the polytope: the facets that it sees give way to new ones round it. False:
// it sees none, or there is no room.
static bool search_expand(search *s, int32_t last) {
    int32_t from[CN_FACETS_MAX], to[CN_FACETS_MAX], edges = 0, kept = 0;
    const double *p = s->cut[last].w;
    for (int32_t f = 0; f < s->facet_count; f++) {
        det_facet *facet = &s->facet[f];
        if (!(math_dot3(facet->normal, p) > facet->offset + SEEN * s->slack)) {
            s->facet[kept++] = *facet;
            continue;
        }
        // An edge that comes up both ways is inside the hole.
        for (int k = 0; k < 3; k++) {
            int32_t i = facet->cut[k], j = facet->cut[(k + 1) % 3], e = 0;
            while (e < edges && (from[e] != j || to[e] != i)) {
                e++;
            }
            if (e < edges) {
                from[e] = from[--edges];
                to[e] = to[edges];
            } else if (edges < CN_FACETS_MAX) {
                from[edges] = i;
                to[edges++] = j;
            }
        }
    }
    s->facet_count = kept;
    if (edges < 3 || kept + edges > CN_FACETS_MAX) {
        return false;
    }
    for (int32_t e = 0; e < edges; e++) {
        facet_make(s, from[e], to[e], last, &s->facet[s->facet_count++]);
    }
    return true;
}

// The weights of its corners at the facet's point nearest to the origin; returns the least before
// it was raised to zero: negative where the foot of the origin is not on the facet.
static double facet_weights(const search *s, const det_facet *facet, double weight[3]) {
    double sum = 0.0, foot[3], min = DBL_MAX;
    for (int i = 0; i < 3; i++) {
        foot[i] = facet->offset * facet->normal[i];
    }
    for (int i = 0; i < 3; i++) {
        double u[3], v[3], area[3];
        math_sub3(s->cut[facet->cut[(i + 1) % 3]].w, foot, u);
        math_sub3(s->cut[facet->cut[(i + 2) % 3]].w, foot, v);
        math_cross3(u, v, area);
        double share = math_dot3(area, facet->normal);
        min = fmin(min, share);
        weight[i] = fmax(share, 0.0);
        sum += weight[i];
    }
    for (int i = 0; i < 3; i++) {
        weight[i] = sum > 0.0 ? weight[i] / sum : 1.0 / 3.0;
    }
    return sum > 0.0 ? min / sum : -1.0;
}

// The facet nearest to the origin; of several in one plane, the one that the origin is over.
static void nearest_facet(const search *s, det_facet *out) {
    int32_t best = 0;
    for (int32_t f = 1; f < s->facet_count; f++) {
        best = s->facet[f].offset < s->facet[best].offset ? f : best;
    }
    double weight[3], limit = s->facet[best].offset + s->slack, over = -DBL_MAX;
    for (int32_t f = 0; f < s->facet_count; f++) {
        if (s->facet[f].offset <= limit) {
            double min = facet_weights(s, &s->facet[f], weight);
            best = min > over ? f : best;
            over = fmax(over, min);
        }
    }
    *out = s->facet[best];
}

// Expands the polytope until the best is near enough to the bound.
static void search_run(search *s, double known) {
    double allowed = DET_SHALLOW * s->scale;
    for (int32_t since = 1; s->facet_count > 0; since++) {
        det_facet facet;
        nearest_facet(s, &facet);
        double bound = -facet.offset - s->margin;
        bool known_best = s->best->gap <= known + s->slack && bound <= known + allowed;
        if (known_best || (s->settled && bound <= s->best->gap + allowed) ||
            s->cut_count == CUTS_MAX) {
            break;
        }
        const double n[3] = {-facet.normal[0], -facet.normal[1], -facet.normal[2]};
        det_cut *cut = &s->cut[s->cut_count];
        double gap = evaluate(s, n, cut);
        double weight[3], on_a[3] = {0.0}, w[3] = {0.0};
        det_active active = {.count = 0};
        facet_weights(s, &facet, weight);
        for (int i = 0; i < 3; i++) {
            const det_cut *corner = &s->cut[facet.cut[i]];
            math_add_scaled3(on_a, weight[i], corner->on_a, on_a);
            math_add_scaled3(w, weight[i], corner->w, w);
            activate(s, corner, weight[i], &active);
        }
        // A value that reaches the bound is the maximum.
        bool reached = bound <= gap + s->slack;
        if (gap > s->best->gap || (reached && !s->settled)) {
            take_axis(s, n, gap, on_a, w);
            s->settled = reached;
        }
        if (s->round && (since % CLIMB_EVERY == 0 || bound <= gap + allowed)) {
            climb(s, &active, n);
            if (s->settled && s->best->gap > -allowed) {
                break;
            }
        }
        if (!search_expand(s, s->cut_count++)) {
            break;
        }
    }
}

// ---- the nearest point of the difference, when the bodies are apart ----

// The weights of the point of the affine hull of the cuts that is nearest to the origin.
static bool affine_nearest(const search *s, double weight[4]) {
    double A[6][7] = {{0.0}};
    int32_t count = s->cut_count;
    for (int32_t i = 0; i < count; i++) {
        for (int32_t j = 0; j < count; j++) {
            A[i][j] = math_dot3(s->cut[i].w, s->cut[j].w);
        }
        A[i][count] = A[count][i] = 1.0;
    }
    A[count][count + 1] = 1.0;
    if (!solve_small(count + 1, A)) {
        return false;
    }
    for (int32_t i = 0; i < count; i++) {
        weight[i] = A[i][count + 1];
    }
    return true;
}

// Moves the weights to the nearest point of the hull of the cuts, dropping those it does not need.
static bool hull_nearest(search *s, double weight[4]) {
    double next[4];
    while (affine_nearest(s, next)) {
        int32_t first = -1;
        double share = 1.0;
        for (int32_t i = 0; i < s->cut_count; i++) {
            if (!(next[i] > 0.0)) {
                double until = weight[i] / (weight[i] - next[i]);
                if (!(until >= share)) {
                    share = until;
                    first = i;
                }
            }
        }
        for (int32_t i = 0; i < s->cut_count; i++) {
            weight[i] += share * (next[i] - weight[i]);
        }
        if (first < 0) {
            return true;
        }
        weight[first] = weight[--s->cut_count];
        s->cut[first] = s->cut[s->cut_count];
    }
    return false;
}

// Wolfe's algorithm (1976) for the point of the difference nearest to the origin. True when the
// bodies' cores are apart: then the best has the normal to it. Otherwise the cuts are those whose
// hull has the origin.
static bool search_apart(search *s, const double start[3]) {
    double weight[4] = {1.0}, n[3];
    memcpy(n, start, sizeof n);
    evaluate(s, n, &s->cut[0]);
    s->cut_count = 1;
    for (int32_t k = 0; k < APART_MAX; k++) {
        double x[3] = {0.0}, on_a[3] = {0.0};
        for (int32_t i = 0; i < s->cut_count; i++) {
            math_add_scaled3(x, weight[i], s->cut[i].w, x);
            math_add_scaled3(on_a, weight[i], s->cut[i].on_a, on_a);
        }
        double distance = math_norm3(x);
        if (s->cut_count == 4 || !(distance > SEEN * s->slack)) {
            return false;
        }
        for (int i = 0; i < 3; i++) {
            n[i] = x[i] / distance;
        }
        det_cut *cut = &s->cut[s->cut_count];
        double gap = evaluate(s, n, cut), reached = distance - s->margin - gap;
        if (gap >= s->best->gap) {
            take_axis(s, n, gap, on_a, x);
            s->settled = false;
        }
        if (reached <= s->slack) {
            break;
        }
        weight[s->cut_count++] = 0.0;
        if (!hull_nearest(s, weight)) {
            break;
        }
    }
    // Newton's method for the last digits.
    bool apart = s->best->gap + s->margin > 0.0;
    det_active active = {.count = 0};
    for (int32_t i = 0; apart && i < s->cut_count && i < 3; i++) {
        activate(s, &s->cut[i], weight[i], &active);
    }
    if (apart) {
        memcpy(n, s->best->normal, sizeof n);
        climb(s, &active, n);
    }
    return apart;
}

// The arrays are left as they are: they are large, and filled as they are needed.
static void search_place(search *s, const det_couple *c, det_axis *best) {
    s->a = &c->a;
    s->b = &c->b;
    s->round = c->a.round || c->b.round;
    s->margin = c->a.margin + c->b.margin;
    s->slack = c->slack;
    s->scale = c->scale;
    s->best = best;
    s->settled = false;
    s->cut_count = s->facet_count = 0;
}

bool det_convex_axis(const det_couple *c, double alert, double known, det_axis *axis) {
    double start[3];
    search s;
    search_place(&s, c, axis);
    memcpy(start, axis->normal, sizeof start);
    det_cut first;
    double gap = evaluate(&s, start, &first);
    if (gap > alert) {
        return false;
    }
    take_axis(&s, start, gap, first.on_a, first.w);
    if (s.round) {
        det_active active = {.count = 0};
        activate(&s, &first, 1.0, &active);
        climb(&s, &active, start);
    }
    if (s.settled && axis->gap > -DET_SHALLOW * c->scale) {
        return axis->gap <= alert;
    }
    memcpy(start, axis->normal, sizeof start);
    if (!search_apart(&s, start)) {
        search_complete(&s);
        if (search_begin(&s)) {
            search_run(&s, known);
        }
    }
    return axis->gap <= alert;
}
