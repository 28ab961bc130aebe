// solve/projection/friction_bb.c
// Spectral projected gradient with the step lengths of Barzilai and Borwein (1988), in the form of
// Birgin, Martinez and Raydan (2000), on the convex problem of a held slip term, which is renewed
// on the way (solve/projection/convex.h). In the metric D, with f(r) = r.W r/2 + q.r + s r_N:
//     d = P_K(r - t D^-1 f'(r)) - r,   r := r + lambda d,   lambda = 1 or the minimiser along d
//     t = |d|_D^2 / d.W d  and  d.W d / |W d|_D^-1^2  in turns
// lambda is 1 unless f would exceed the largest of its last values: f need not fall at every step,
// which is what lets the method use its curvatures. f is never computed, only its changes. One
// product with W per step.
//
// Erratic by nature: fast on well-conditioned sets, hundreds to thousands of steps on hyperstatic
// ones: "auto". An unsymmetric W has no potential: "extra-gradient". Scratch: three vectors of the
// size of r.
#include "solve/drivers/friction_rows.h"
#include "solve/projection/convex.h"

#include <math.h>
#include <stddef.h>

#define BB_MEMORY_MAX 32
#define BB_SUFFICIENT 1e-4 // share of the slope by which f must fall below the reference
#define BB_SHORTEST 1e-6   // of t: a curvature above a million times the diagonal is not one of W
#define BB_LONGEST 1e4     // of t: longer ones drown r in the round-off of t u

typedef struct bb_params {
    double inner;
    int32_t memory;
} bb_params;

const cn_param solve_bb_param_table[SOLVE_BB_PARAM_COUNT] = {
    {"inner", CN_PARAM_REAL, offsetof(bb_params, inner), 0.5, 1e-6, 1.0, PROJ_CONVEX_INNER},
    {"memory", CN_PARAM_INT, offsetof(bb_params, memory), 10, 1, BB_MEMORY_MAX,
     "steps over which f must fall; 1: at every step"},
};

typedef struct bb {
    proj_convex convex;
    double *d, *Wd;
    double t;
    double f[BB_MEMORY_MAX]; // the last values of f, from the one at hand
    int32_t kept;            // how many
    int64_t steps;
} bb;

// The largest of the values kept.
static double bb_reference(const bb *s) {
    double max = 0.0;
    for (int32_t i = 1; i < s->kept; i++) {
        max = fmax(max, s->f[i]);
    }
    return max;
}

// f changes by this: all others now differ from it by that much less.
static void bb_remember(bb *s, int32_t memory, double change) {
    s->kept = s->kept < memory ? s->kept + 1 : memory;
    for (int32_t i = s->kept - 1; i > 0; i--) {
        s->f[i] = s->f[i - 1] - change;
    }
    s->f[0] = 0.0;
}

static void bb_step(bb *s, int32_t memory) {
    proj_convex *c = &s->convex;
    if (c->renewed) {
        s->kept = 1;
    }
    proj_convex_project(c, c->r, c->u, s->t, s->d);
    for (int64_t i = 0; i < c->base.m; i++) {
        s->d[i] -= c->r[i];
    }
    proj_first_order_product(&c->base, s->d, s->Wd);
    // A projection makes the slope at least this steep; round-off may not.
    double size = proj_first_order_dot_D(&c->base, s->d, s->d);
    double slope = fmin(proj_convex_slope(c, c->u, s->d), -size / s->t);
    double curved = proj_first_order_dot(&c->base, s->d, s->Wd);
    // Whole, unless f would be too large; then as far as f falls.
    double lambda = 1.0;
    if (!(slope + 0.5 * curved <= bb_reference(s) + BB_SUFFICIENT * slope) && curved > -slope) {
        lambda = -slope / curved;
    }
    for (int64_t i = 0; i < c->base.m; i++) {
        c->r[i] += lambda * s->d[i];
        c->u[i] += lambda * s->Wd[i];
    }
    bb_remember(s, memory, lambda * (slope + 0.5 * lambda * curved));
    // The next step length, from the curvature just met.
    double image = proj_first_order_dot_inverse(&c->base, s->Wd, s->Wd);
    double t = s->steps++ % 2 == 0 ? size / curved : curved / image;
    s->t = curved > 0.0 ? fmin(fmax(t, BB_SHORTEST), BB_LONGEST) : 1.0;
}

cn_status solve_friction_bb(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                            double *r, double *u, cn_solve_report *report) {
    const bb_params *own = (const void *)opts->params;
    bb s = {.t = 1.0, .kept = 1};
    double **const vectors[] = {&s.d, &s.Wd};
    cn_status status = proj_convex_prepare(&s.convex, p, opts, own->inner, scratch, r, u, report);
    if (status != CN_OK || !proj_first_order_take(&s.convex.base, scratch, 2, vectors)) {
        return CN_ERR_MEMORY;
    }
    for (int64_t k = 0; !proj_convex_ends(&s.convex, k); k++) {
        bb_step(&s, own->memory);
    }
    return s.convex.base.watch.status;
}
