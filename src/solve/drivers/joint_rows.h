// solve/drivers/joint_rows.h
// Blocks of joint rows as the solvers see them: the projection of a block on its cone or box, and
// the problem with its compliance in the diagonal blocks.
#ifndef CAIRN_SOLVE_DRIVERS_JOINT_ROWS_H
#define CAIRN_SOLVE_DRIVERS_JOINT_ROWS_H

#include "math/cone.h"
#include "problem/bounds.h"

// r_a := the nearest point of the cone, or the box, of block a.
static inline void solve_block_project(const cn_friction *p, int32_t a, double *r_a) {
    if (!prob_is_boxed(&p->bounds, a)) {
        math_cone_project(p->dim, p->mu[a], r_a);
        return;
    }
    const double *lower = p->bounds.lower + (int64_t)p->dim * a,
                 *upper = p->bounds.upper + (int64_t)p->dim * a;
    for (int32_t i = 0; i < p->dim; i++) {
        r_a[i] =
            r_a[i] < lower[i] ? lower[i] : (r_a[i] > upper[i] ? upper[i] : r_a[i]); // NaN stays
    }
}

// The share of |u_T| that the law adds to u_N: mu, or nothing in the convex problem.
static inline double solve_lift_of(const cn_friction *p, int32_t a) {
    return p->convex ? 0.0 : p->mu[a];
}

// p as solvers are given it by the driver: W.diagonal holds W_aa + E_a, which is what one block by
// itself feels. The rest is shared with p. CN_ERR_MEMORY when scratch is full.
cn_status solve_boxes_view(const cn_friction *p, cn_arena *scratch, cn_friction *out);

// |q|^2 over the rows of the boxed block a that r = 0 does not solve.
double solve_boxes_pressing(const cn_friction *p, int32_t a);

// Blocks of joint rows in p.
int32_t solve_boxes_count(const cn_friction *p);

// One block by itself, u = W r + q with W by columns and dim 2 or 3: r within its bounds. r: in,
// the last impulse; out, the answer, finite and within the bounds. W may be semi-definite. Returns
// false when no combination of statuses fits and the answer is that of a few projected sweeps.
bool solve_box_solve(int32_t dim, const double *W, const double *lower, const double *upper,
                     const double *q, double *r);

#endif
