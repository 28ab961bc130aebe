// solve/projection/friction_uzawa.c
// Uzawa's projection on the cones after De Saxce and Feng (1998): every contact steps along its own
// velocity with its own step length and is projected,
//     r_a := P_K(r_a - rho_a (u_a + mu |u_T| e_N)),   u = W r + q.
//
// rho_a is kappa times the sure length of the contact: the inverse of the largest row sum of |W|
// among its rows, for which no direction can grow (|rho W| <= 1 in the largest norm). With
// "adaptive" kappa follows the rule of Han and Lo (2002) in the metric of those lengths, without
// trial steps: it shrinks when rho |F(r) - F(r_old)| > L |r - r_old|, down to "step", and grows
// when that is below Lmin; without, it stays at "step".
//
// One product with W per step and no trials. Linear at best, with rates near 1 for tall or
// hyperstatic sets: "nsgs" needs far fewer passes, "fixed-point" takes its lengths from the
// diagonal blocks and tests them before it steps. Scratch: four vectors of the size of r.
#include "base/arena.h"
#include "math/cone.h"
#include "solve/drivers/friction_rows.h"
#include "solve/drivers/joint_rows.h"
#include "solve/projection/first_order.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define UZAWA_BOLDEST 1e3 // of kappa; |W| overrates W by at most the contacts of a body or so

typedef struct uzawa_params {
    double step, shrink, max, min;
    bool adaptive;
} uzawa_params;

const cn_param solve_uzawa_param_table[SOLVE_UZAWA_PARAM_COUNT] = {
    {"adaptive", CN_PARAM_BOOL, offsetof(uzawa_params, adaptive), 1, 0, 1,
     "the step lengths adapt themselves; no: they stay"},
    {"step", CN_PARAM_REAL, offsetof(uzawa_params, step), 1.0, 1e-3, 2.0,
     "first and shortest step length, in units of the sure one of each contact"},
    {"shrink", CN_PARAM_REAL, offsetof(uzawa_params, shrink), 0.8, 0.05, 0.99,
     "factor by which the step lengths shrink, and grow by its inverse"},
    {"most", CN_PARAM_REAL, offsetof(uzawa_params, max), 1.9, 0.1, 2.0,
     "L: the step lengths shrink when the Lipschitz ratio is above this"},
    {"least", CN_PARAM_REAL, offsetof(uzawa_params, min), 1.0, 0.0, 1.9,
     "Lmin: the step lengths grow when the ratio is below this"},
};

typedef struct uzawa {
    cn_first_order base;
    const uzawa_params *own;
    double *r, *u, *F;   // the iterate, W r + q, and u + mu |u_T| e_N
    double *old, *F_old; // of the step before
    double factor;       // kappa
    double *sure;        // one per contact
} uzawa;

// Row sums of |W| in body space: |H|' (|M^-1 H| 1). v: dofs numbers of scratch.
static void uzawa_body_sums(const cn_friction *p, double *v, double *sums) {
    const cn_body_map *body = &p->W.body;
    int32_t dim = p->dim;
    memset(v, 0, sizeof *v * (size_t)body->dofs);
    memset(sums, 0, sizeof *sums * (size_t)dim * (size_t)p->contacts);
    for (int64_t k = 0; k < body->start[p->contacts]; k++) {
        for (int32_t i = 0; i < dim; i++) {
            v[body->dof[k]] += fabs(body->MinvH[dim * k + i]);
        }
    }
    for (int32_t a = 0; a < p->contacts; a++) {
        for (int64_t k = body->start[a]; k < body->start[a + 1]; k++) {
            for (int32_t i = 0; i < dim; i++) {
                sums[(int64_t)dim * a + i] += fabs(body->H[dim * k + i]) * v[body->dof[k]];
            }
        }
    }
}

static void uzawa_assembled_sums(const cn_friction *p, double *v, double *sums) {
    (void)v;
    const cn_bsr *W = &p->W.assembled;
    int32_t dim = p->dim;
    memset(sums, 0, sizeof *sums * (size_t)dim * (size_t)p->contacts);
    for (int32_t a = 0; a < p->contacts; a++) {
        for (int64_t k = dim * dim * W->start[a]; k < dim * dim * W->start[a + 1]; k++) {
            sums[(int64_t)dim * a + k % dim] += fabs(W->value[k]);
        }
    }
}

// Row sums of |W|; the other forms are expanded before.
typedef void row_sums(const cn_friction *p, double *v, double *sums);
static row_sums *const sums_of[] = {
    [CN_OPERATOR_ASSEMBLED] = uzawa_assembled_sums, [CN_OPERATOR_BODY] = uzawa_body_sums};

// The sure step length of every contact; sums: scratch of the size of r.
static void uzawa_sure(uzawa *s, double *sums) {
    const cn_friction *p = s->base.p;
    sums_of[p->W.kind](p, s->base.v, sums);
    for (int32_t a = 0; a < p->contacts; a++) {
        double max = s->base.scale[a];
        for (int32_t i = 0; i < p->dim; i++) {
            int64_t row = (int64_t)p->dim * a + i;
            max = fmax(max, sums[row] + prob_compliance_of(&p->bounds, row));
        }
        s->sure[a] = 1.0 / max;
    }
}

static void uzawa_field(uzawa *s) {
    const cn_friction *p = s->base.p;
    memcpy(s->F, s->u, sizeof *s->F * (size_t)s->base.m);
    for (int32_t a = 0; a < p->contacts; a++) {
        int64_t row = (int64_t)p->dim * a;
        s->F[row] += solve_lift_of(p, a) * math_tangent_norm(p->dim, s->u + row);
    }
}

static void uzawa_step(uzawa *s) {
    const cn_friction *p = s->base.p;
    for (int32_t a = 0; a < p->contacts; a++) {
        int64_t row = (int64_t)p->dim * a;
        for (int32_t i = 0; i < p->dim; i++) {
            s->r[row + i] -= s->factor * s->sure[a] * s->F[row + i];
        }
        solve_block_project(p, a, s->r + row);
    }
    proj_first_order_velocity(&s->base, s->r, s->u);
    uzawa_field(s);
}

// kappa from what the step has just seen.
static void uzawa_adapt(uzawa *s) {
    int32_t dim = s->base.p->dim;
    double fields = 0.0, points = 0.0;
    for (int32_t a = 0; a < s->base.p->contacts; a++) {
        double field = 0.0, point = 0.0;
        for (int64_t k = (int64_t)dim * a; k < (int64_t)dim * (a + 1); k++) {
            field += (s->F[k] - s->F_old[k]) * (s->F[k] - s->F_old[k]);
            point += (s->r[k] - s->old[k]) * (s->r[k] - s->old[k]);
        }
        fields += field * s->sure[a];
        points += point / s->sure[a];
    }
    double ratio = points > 0.0 ? s->factor * sqrt(fields / points) : s->own->min;
    if (ratio > s->own->max) {
        s->factor = fmax(s->factor * s->own->shrink, s->own->step);
    } else if (ratio < s->own->min) {
        s->factor = fmin(s->factor / s->own->shrink, UZAWA_BOLDEST);
    }
}

cn_status solve_friction_uzawa(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                               double *r, double *u, cn_solve_report *report) {
    uzawa s = {.own = (const void *)opts->params, .u = u};
    s.factor = s.own->step;
    double **const vectors[] = {&s.r, &s.F, &s.old, &s.F_old};
    cn_status status = proj_first_order_prepare(&s.base, p, opts, "steps", scratch, r, report);
    s.sure = BASE_TAKE(scratch, double, p->contacts);
    if (status != CN_OK || !s.sure || !proj_first_order_take(&s.base, scratch, 4, vectors)) {
        return CN_ERR_MEMORY;
    }
    size_t bytes = sizeof *r * (size_t)s.base.m;
    uzawa_sure(&s, s.F);
    memcpy(s.r, r, bytes);
    proj_first_order_velocity(&s.base, s.r, s.u);
    uzawa_field(&s);
    for (int64_t k = 0; !proj_first_order_ends(&s.base, k, s.r, s.u); k++) {
        if (s.own->adaptive) {
            memcpy(s.old, s.r, bytes);
            memcpy(s.F_old, s.F, bytes);
        }
        uzawa_step(&s);
        if (s.own->adaptive) {
            uzawa_adapt(&s);
        }
    }
    return s.base.watch.status;
}
