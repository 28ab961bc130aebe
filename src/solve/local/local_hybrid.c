// solve/local/local_hybrid.c
// The default: the fast path (solve/local/local_secular.h), which verifies its own answer; behind
// it a chain of other solvers, each graded by the natural-map error, the best answer kept.
//
// The chain is entered for near-singular blocks, where its first link is the answer, and goes on
// only where W is indefinite or no solution exists: the nearest answer is returned then, and false.
#include "solve/local/local_secular.h"

#include <float.h>
#include <string.h>

// The radial answer closes the list: it exists whatever the block is.
static local_fn *const hybrid_chain[] = {
    local_secular_bracketed, local_newton, local_exact, local_projection, local_radial,
};

// Kept out of line, so that the fast path pays for no stack.
__attribute__((noinline)) static bool hybrid_patient(const local_block *block, const double q[3],
                                                     double r[3], double *slip) {
    double best[3] = {0.0, 0.0, 0.0}, best_slip = 0.0, best_error = DBL_MAX;
    bool solved = false;
    for (size_t i = 0; i < sizeof hybrid_chain / sizeof hybrid_chain[0] && !solved; i++) {
        double trial[3] = {r[0], r[1], r[2]}, trial_slip = *slip;
        solved = hybrid_chain[i](block, q, trial, &trial_slip);
        double error = local_error(block, q, trial);
        if (solved || error < best_error) {
            memcpy(best, trial, sizeof best);
            best_slip = trial_slip;
            best_error = error;
        }
    }
    memcpy(r, best, sizeof best);
    *slip = best_slip;
    return solved;
}

bool local_hybrid(const local_block *block, const double q[3], double r[3], double *slip) {
    local_plane plane = local_plane_from_q(block, q);
    return local_secular_fast(block, &plane, r, slip) || hybrid_patient(block, q, r, slip);
}
