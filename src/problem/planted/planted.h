// problem/planted/planted.h
// What the generators of planted problems share.
#ifndef CAIRN_PROBLEM_PLANTED_PLANTED_H
#define CAIRN_PROBLEM_PLANTED_PLANTED_H

#include "base/rng.h"

#include <cairn/problem.h>

// Sizes and shares are in range. error may be NULL.
cn_status prob_planted_opts_check(const cn_planted_opts *opts, cn_error *error);

// order := 0 .. count-1, shuffled.
void prob_planted_shuffle(base_rng *rng, int32_t count, int32_t *order);

// M = A (I + skew K) A' of n = opts->contacts rows: positive semi-definite of the rank that
// opts->deficiency says, banded.
cn_status prob_planted_matrix(const cn_planted_opts *opts, base_rng *rng, cn_arena *memory,
                              cn_arena *scratch, cn_csr *M);

// Makes opts->joints of the blocks of g joint rows, with r and u by their law; lever: the reduced
// mass at each block. f and w are not touched.
cn_status prob_planted_joints(const cn_planted_opts *opts, base_rng *rng, const double *lever,
                              cn_arena *memory, cn_arena *scratch, cn_friction_global *g, double *r,
                              double *u);

#endif
