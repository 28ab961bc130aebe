// solve/sweep_manifolds/manifolds_fill.h
// Lays eight contacts out as the lanes of a point, for one kind of processor.
#ifndef CAIRN_SOLVE_SWEEP_MANIFOLDS_MANIFOLDS_FILL_H
#define CAIRN_SOLVE_SWEEP_MANIFOLDS_MANIFOLDS_FILL_H

#include "solve/sweep_manifolds/manifolds.h"

// Where the numbers of the contact in each lane are, in space: 2D has a third direction.
typedef struct gs_point_lanes {
    const double *frame[GS_BATCH], *arm[GS_BATCH]; // 6 each: n, t; of both bodies
    const double *block[GS_BATCH];                 // W_aa by columns, 9
    const double *q[GS_BATCH];                     // 3
    double mu[GS_BATCH];
} gs_point_lanes;

// dim: directions that count in rho. Returns whether every block is symmetric and regular and no
// contact may have several solutions.
typedef bool gs_point_fill_fn(const gs_point_lanes *lanes, int32_t dim, gs_rigid_point *out);
extern gs_point_fill_fn *const gs_point_fill_portable; // portable
gs_point_fill_fn *gs_point_fill_avx2(void);            // NULL: not on this processor

#endif
