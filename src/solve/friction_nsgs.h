// solve/friction_nsgs.h
// Nonsmooth Gauss-Seidel with Anderson acceleration, as other solvers of the room call it.
#ifndef CAIRN_SOLVE_FRICTION_NSGS_H
#define CAIRN_SOLVE_FRICTION_NSGS_H

#include <cairn/solve.h>

typedef struct cn_nsgs_params {
    double relaxation; // omega
    int32_t anderson;  // depth; 0: plain sweeps
    int32_t every;     // sweeps per mixing step
    int32_t order;     // cn_order_kind, of nsgs itself
    int32_t seed;      // of the random order
} cn_nsgs_params;

#define CN_NSGS_PARAM_COUNT 5
#define CN_AUTO_PARAM_COUNT 3 // the first of them, which auto has too
extern const cn_param cn_nsgs_param_table[CN_NSGS_PARAM_COUNT];

cn_friction_fn cn_friction_nsgs;

// The same, left as stalled when the sweeps still needed, foretold from the fall of the error,
// exceed patience; infinite: never. *error: of the r that comes back, in the measure asked for.
cn_status cn_nsgs_run(const cn_friction *p, const cn_solve_opts *opts, double patience,
                      cn_arena *scratch, double *r, double *u, cn_solve_report *report,
                      double *error);

#endif
