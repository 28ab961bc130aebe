// solve/newton/semismooth.h
// Generalised (semismooth) Newton on one function of the contacts, globalised: what newton-ac,
// newton-jm and newton-fb share.
#ifndef CAIRN_SOLVE_NEWTON_SEMISMOOTH_H
#define CAIRN_SOLVE_NEWTON_SEMISMOOTH_H

#include "solve/newton/contact_functions.h"

#include <cairn/solve.h>

typedef struct newton_semismooth_params {
    double rho;            // step of the function, in units of dim / trace W_aa
    double regularisation; // share of the merit that is added to the diagonal of W in the matrix
    int32_t halvings;      // of a step, at most
    int32_t memory;        // merits over which a step need not descend
} newton_semismooth_params;

#define NEWTON_SEMISMOOTH_PARAM_COUNT 4
extern const cn_param newton_semismooth_param_table[NEWTON_SEMISMOOTH_PARAM_COUNT];

// r: in, the guess; out, the best iterate by the measure asked for.
cn_status newton_semismooth_run(const cn_friction *p, const cn_solve_opts *opts,
                                newton_contact_fn *law, cn_arena *scratch, double *r,
                                cn_solve_report *report);

#endif
