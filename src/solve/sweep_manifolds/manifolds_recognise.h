// solve/sweep_manifolds/manifolds_recognise.h
// Points between rigid bodies in an operator that has H.
#ifndef CAIRN_SOLVE_SWEEP_MANIFOLDS_MANIFOLDS_RECOGNISE_H
#define CAIRN_SOLVE_SWEEP_MANIFOLDS_MANIFOLDS_RECOGNISE_H

#include <cairn/problem.h>

// The contacts of p, in body space, as points; what is static is the last body. *fits: whether all
// are of that form, and the masses known; otherwise nothing is written.
cn_status gs_points_recognise(const cn_friction *p, cn_arena *scratch, cn_point_map *out,
                              bool *fits);

#endif
