// solve/friction_nsgs.h
// Nonsmooth Gauss-Seidel with Anderson acceleration, as other solvers of the room call it.
#ifndef CAIRN_SOLVE_FRICTION_NSGS_H
#define CAIRN_SOLVE_FRICTION_NSGS_H

#include <cairn/solve.h>

typedef struct cn_nsgs_params {
    double relaxation; // omega
    int32_t anderson;  // depth; 0: plain sweeps
    int32_t every;     // sweeps per mixing step
} cn_nsgs_params;

#define CN_NSGS_PARAM_COUNT 3
extern const cn_param cn_nsgs_param_table[CN_NSGS_PARAM_COUNT];

cn_friction_fn cn_friction_nsgs;

#endif
