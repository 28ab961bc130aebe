// solve/sweep_manifolds/manifolds_fill_kernel.h
// A contact a lane, four at a time, from one source for every processor; the results are bitwise
// identical. Included by the file of each kind of processor.
#ifndef CAIRN_SOLVE_SWEEP_MANIFOLDS_MANIFOLDS_FILL_KERNEL_H
#define CAIRN_SOLVE_SWEEP_MANIFOLDS_MANIFOLDS_FILL_KERNEL_H

#include "math/wide.h"
#include "solve/sweep_manifolds/manifolds_fill.h"

#define GS_RIGID_AGREES 1e-12 // what numbers that should be equal may differ by
#define GS_RIGID_UNIQUE 0.95  // mu |W_NT| / W_NN below which one contact has one solution
// det S over trace(S)^2 above which the 2x2 inverse may be written out, and sizes of blocks whose
// powers neither overflow nor vanish.
#define GS_RIGID_DET 1e-4
#define GS_RIGID_SMALL 1e-30
#define GS_RIGID_LARGE 1e30

// Four numbers in a row of each of four contacts, which become lanes.
MATH_INLINE void gs_lanes_load(const double *const from[MATH_WIDE], int at,
                               math_wide out[MATH_WIDE]) {
    for (int lane = 0; lane < MATH_WIDE; lane++) {
        out[lane] = math_wide_load(from[lane] + at);
    }
    math_wide_transpose(out);
}

MATH_INLINE math_wide gs_lanes_one(const double *const from[MATH_WIDE], int at) {
    return (math_wide){from[0][at], from[1][at], from[2][at], from[3][at]};
}

// Six numbers of each as two vectors.
MATH_INLINE void gs_lanes_vectors(const double *const from[MATH_WIDE], int first,
                                  double a[3][GS_BATCH], double b[3][GS_BATCH]) {
    math_wide low[MATH_WIDE], high[MATH_WIDE];
    gs_lanes_load(from, 0, low);
    gs_lanes_load(from, 2, high);
    for (int k = 0; k < 3; k++) {
        math_wide_store(a[k] + first, low[k]);
        math_wide_store(b[k] + first, high[k + 1]);
    }
}

MATH_INLINE math_wide gs_wide_size(math_wide x) {
    return math_wide_select(x < math_wide_all(0.0), -x, x);
}

// The blocks on their tangent planes: 1/W_NN, W_NT/W_NN, S and rho.
MATH_INLINE bool gs_lanes_blocks(const double *const block[MATH_WIDE], math_wide mu, int32_t dim,
                                 int first, gs_rigid_point *out) {
    const math_wide zero = math_wide_all(0.0);
    math_wide low[MATH_WIDE], high[MATH_WIDE];
    gs_lanes_load(block, 0, low);
    gs_lanes_load(block, 4, high);
    math_wide nn = low[0], tn[2] = {low[1], low[2]}, nt[2] = {low[3], high[2]},
              tt[2] = {high[0], gs_lanes_one(block, 8)}, across[2] = {high[1], high[3]};
    math_wide inv_nn = math_wide_all(1.0) / nn, lean[2] = {nt[0] * inv_nn, nt[1] * inv_nn};
    math_wide S11 = tt[0] - lean[0] * tn[0], S12 = across[1] - lean[1] * tn[0],
              S22 = tt[1] - lean[1] * tn[1];
    math_wide trace = S11 + S22, det = S11 * S22 - S12 * S12, scale = nn + tt[0] + tt[1],
              size = dim == 2 ? nn + tt[0] : scale, close = math_wide_all(GS_RIGID_AGREES) * scale;
    math_wide_store(out->mu + first, mu);
    math_wide_store(out->inv_nn + first, inv_nn);
    math_wide_store(out->nt[0] + first, lean[0]);
    math_wide_store(out->nt[1] + first, lean[1]);
    math_wide_store(out->S[0] + first, S11);
    math_wide_store(out->S[1] + first, S12);
    math_wide_store(out->S[2] + first, S22);
    math_wide_store(out->rho + first, math_wide_all(dim) / size);
    math_wide_mask good = (nn > zero) & (scale >= math_wide_all(GS_RIGID_SMALL)) &
                          (scale <= math_wide_all(GS_RIGID_LARGE)) & (trace > zero) &
                          (det > math_wide_all(GS_RIGID_DET) * trace * trace) &
                          (mu * math_wide_sqrt(lean[0] * lean[0] + lean[1] * lean[1]) <
                           math_wide_all(GS_RIGID_UNIQUE)) &
                          (gs_wide_size(nt[0] - tn[0]) <= close) &
                          (gs_wide_size(nt[1] - tn[1]) <= close) &
                          (gs_wide_size(across[0] - across[1]) <= close);
    return !math_wide_any(~good);
}

static bool gs_point_fill(const gs_point_lanes *lanes, int32_t dim, gs_rigid_point *out) {
    bool good = true;
    for (int first = 0; first < GS_BATCH; first += MATH_WIDE) {
        gs_lanes_vectors(lanes->frame + first, first, out->n, out->t);
        gs_lanes_vectors(lanes->arm + first, first, out->arm_a, out->arm_b);
        for (int k = 0; k < 3; k++) {
            math_wide_store(out->q[k] + first, gs_lanes_one(lanes->q + first, k));
        }
        good &= gs_lanes_blocks(lanes->block + first, math_wide_load(lanes->mu + first), dim, first,
                                out);
    }
    return good;
}

#endif
