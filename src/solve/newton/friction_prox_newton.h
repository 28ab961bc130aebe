// solve/newton/friction_prox_newton.h
// Proximal point with Newton inside, as other solvers of the room call it.
#ifndef CAIRN_SOLVE_NEWTON_FRICTION_PROX_NEWTON_H
#define CAIRN_SOLVE_NEWTON_FRICTION_PROX_NEWTON_H

#include "solve/newton/newton_system.h"

#include <cairn/solve.h>

typedef struct newton_prox_params {
    double eps;
} newton_prox_params;

#define NEWTON_PROX_PARAM_COUNT 1
extern const cn_param newton_prox_param_table[NEWTON_PROX_PARAM_COUNT];

cn_friction_fn newton_friction_prox_newton;

// The same with a system analysed before, from a first weight eps.
cn_status newton_prox_newton_run(newton_system *system, const cn_solve_opts *opts, double eps,
                                 cn_arena *scratch, double *r, cn_solve_report *report);

#endif
