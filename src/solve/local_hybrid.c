// solve/local_hybrid.c
// The default: the fast path (solve/local_secular.h), which verifies its own answer; behind it a
// chain of ever more patient solvers, each graded by the natural-map error, the best answer kept.
//
// The chain is reached for near-singular blocks, at the corners of the cone, and where no solution
// exists; the answer is then the nearest found, and false is returned.
#include "solve/local_secular.h"

#include <float.h>
#include <string.h>

// In order of price. The radial answer closes the list: it exists whatever the block is.
static cn_local_fn *const cn_hybrid_chain[] = {cn_secular_bracketed, cn_local_radial};

static bool cn_hybrid_patient(const cn_local_block *block, const double q[3], double r[3],
                              double *slip) {
    double best[3] = {0.0, 0.0, 0.0}, best_slip = 0.0, best_error = DBL_MAX;
    for (size_t i = 0; i < sizeof cn_hybrid_chain / sizeof cn_hybrid_chain[0]; i++) {
        double trial[3] = {r[0], r[1], r[2]}, trial_slip = *slip;
        bool solved = cn_hybrid_chain[i](block, q, trial, &trial_slip);
        double error = cn_local_error(block, q, trial);
        if (error < best_error) {
            memcpy(best, trial, sizeof best);
            best_slip = trial_slip;
            best_error = error;
        }
        if (solved) {
            break;
        }
    }
    memcpy(r, best, sizeof best);
    *slip = best_slip;
    return cn_local_accept(block, q, r);
}

bool cn_local_hybrid(const cn_local_block *block, const double q[3], double r[3], double *slip) {
    cn_local_plane plane = cn_local_plane_from_q(block, q);
    return cn_secular_fast(block, &plane, r, slip) || cn_hybrid_patient(block, q, r, slip);
}
