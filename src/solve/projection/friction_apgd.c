// solve/projection/friction_apgd.c
// Accelerated projected gradient (Nesterov 1983; Mazhar, Heyn, Negrut and Tasora 2015) on the
// convex problem of a held slip term, which is renewed on the way (solve/projection/convex.h). With
// the metric D and 0 < theta <= 1:
//     y = r_k + beta_k (r_k - r_k-1),   r_k+1 = P_K(y - t D^-1 (W y + q + s e_N))
//     theta_k+1^2 = (1 - theta_k+1) theta_k^2
//     beta_k+1 = theta_k (1 - theta_k) / (theta_k^2 + theta_k+1)
// t shrinks while d.W d > |d|_D^2 / t for the step d = r_k+1 - y, and grows by 1/0.9 otherwise. The
// momentum is dropped when it points uphill (O'Donoghue and Candes 2015). W y follows from the
// products already made, so a step costs one product with W.
//
// Steady, with errors of 1/k^2 where conditioning is bad: thousands of steps for hyperstatic sets,
// and the largest walls stay above 1e-2: "auto". An unsymmetric W has no potential to accelerate
// on: "extra-gradient". Scratch: eight vectors of the size of r.
#include "solve/drivers/friction_rows.h"
#include "solve/projection/convex.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define APGD_GROWTH (1.0 / 0.9) // of t, tried at every step
#define APGD_LONGEST 10.0       // of t: beyond it no curvature of W is left to hit
#define APGD_SHRINK 0.9         // of the longest t that the last trial would have allowed
// A t that is just right, as for contacts that do not interact, must not hang on round-off.
#define APGD_SLACK 1e-10
#define APGD_TRIALS 60 // t is 1e-3 of what it was by then, and more

typedef struct apgd_params {
    double inner;
    bool restart;
} apgd_params;

const cn_param solve_apgd_param_table[SOLVE_APGD_PARAM_COUNT] = {
    {"inner", CN_PARAM_REAL, offsetof(apgd_params, inner), 0.5, 1e-6, 1.0, PROJ_CONVEX_INNER},
    {"restart", CN_PARAM_BOOL, offsetof(apgd_params, restart), 1, 0, 1,
     "drop the momentum where it points uphill"},
};

typedef struct apgd {
    proj_convex convex;
    double *old, *u_old;   // r_k-1
    double *y, *u_y;       // where the gradient is taken
    double *next, *u_next; // r_k+1
    double *d;
    double theta, beta, t;
} apgd;

// next and its velocity from y, with a t that is short enough.
static void apgd_descend(apgd *s) {
    cn_first_order *base = &s->convex.base;
    for (int32_t trial = 0; trial < APGD_TRIALS; trial++) {
        double curved = 0.0;
        proj_convex_project(&s->convex, s->y, s->u_y, s->t, s->next);
        proj_first_order_velocity(base, s->next, s->u_next);
        for (int64_t i = 0; i < base->m; i++) {
            s->d[i] = s->next[i] - s->y[i];
            curved += s->d[i] * (s->u_next[i] - s->u_y[i]);
        }
        double size = proj_first_order_dot_D(base, s->d, s->d);
        if (!(s->t * curved > (1.0 + APGD_SLACK) * size)) {
            return;
        }
        s->t = APGD_SHRINK * size / curved;
    }
}

static void apgd_step(apgd *s, bool restart) {
    proj_convex *c = &s->convex;
    for (int64_t i = 0; i < c->base.m; i++) {
        s->y[i] = c->r[i] + s->beta * (c->r[i] - s->old[i]);
        s->u_y[i] = c->u[i] + s->beta * (c->u[i] - s->u_old[i]);
    }
    s->t = fmin(APGD_GROWTH * s->t, APGD_LONGEST);
    apgd_descend(s);
    for (int64_t i = 0; i < c->base.m; i++) {
        s->old[i] = c->r[i];
        s->u_old[i] = c->u[i];
        c->r[i] = s->next[i];
        c->u[i] = s->u_next[i];
        s->d[i] = c->r[i] - s->old[i];
    }
    // Uphill: the gradient at y looks along the change of r.
    if (restart && proj_convex_slope(c, s->u_y, s->d) > 0.0) {
        s->theta = 1.0;
    }
    double square = s->theta * s->theta;
    double next = 0.5 * (sqrt(square * square + 4.0 * square) - square);
    s->beta = s->theta * (1.0 - s->theta) / (square + next);
    s->theta = next;
}

cn_status solve_friction_apgd(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                              double *r, double *u, cn_solve_report *report) {
    const apgd_params *own = (const void *)opts->params;
    apgd s = {.theta = 1.0, .t = 1.0};
    double **const vectors[] = {&s.old, &s.u_old, &s.y, &s.u_y, &s.next, &s.u_next, &s.d};
    cn_status status = proj_convex_prepare(&s.convex, p, opts, own->inner, scratch, r, u, report);
    if (status != CN_OK || !proj_first_order_take(&s.convex.base, scratch, 7, vectors)) {
        return CN_ERR_MEMORY;
    }
    for (int64_t k = 0; !proj_convex_ends(&s.convex, k); k++) {
        apgd_step(&s, own->restart);
    }
    return s.convex.base.watch.status;
}
