// solve/newton/ncp_path.h
// The method for nonlinear mixed complementarity problems, for its driver.
#ifndef CAIRN_SOLVE_NEWTON_NCP_PATH_H
#define CAIRN_SOLVE_NEWTON_NCP_PATH_H

#include <cairn/solve.h>

// Settings.
typedef struct solve_ncp_params {
    int32_t crash;    // projected Newton steps at the start
    int32_t memory;   // norms that the search looks back on; 1: monotone
    int32_t halvings; // of a step along the path before it is given up
    int32_t restarts; // other strategies that are tried where one stalls
    double proximal;  // weight of the identity at the start, per size of the Jacobian
} solve_ncp_params;
#define SOLVE_NCP_PARAM_COUNT 5
extern const cn_param solve_ncp_param_table[SOLVE_NCP_PARAM_COUNT];

// z: in, the start, between its bounds; out, the best point. Sets outcome, iterations, detail and
// the counts of *report.
cn_status solve_ncp_path(const cn_ncp *p, const cn_solve_opts *opts, cn_arena *scratch, double *z,
                         cn_ncp_report *report);

#endif
