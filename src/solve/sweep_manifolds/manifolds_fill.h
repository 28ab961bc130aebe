// solve/sweep_manifolds/manifolds_fill.h
// Lays eight contacts out as the lanes of a point, for one kind of processor.
#ifndef CAIRN_SOLVE_SWEEP_MANIFOLDS_MANIFOLDS_FILL_H
#define CAIRN_SOLVE_SWEEP_MANIFOLDS_MANIFOLDS_FILL_H

#include "solve/sweep_manifolds/manifolds.h"

// Where the numbers of the contact in each lane are, in space: 2D has a third direction.
typedef struct cn_point_lanes {
    const double *frame[CN_BATCH], *arm[CN_BATCH]; // 6 each: n, t; of both bodies
    const double *block[CN_BATCH];                 // W_aa by columns, 9
    const double *q[CN_BATCH];                     // 3
    double mu[CN_BATCH];
} cn_point_lanes;

// dim: directions that count in rho. Returns whether every block is symmetric and regular and no
// contact may have several solutions.
typedef bool cn_point_fill_fn(const cn_point_lanes *lanes, int32_t dim, cn_rigid_point *out);
extern cn_point_fill_fn *const cn_point_fill_portable; // portable
cn_point_fill_fn *cn_point_fill_avx2(void);            // NULL: not on this processor

#endif
