// solve/drivers/lcp_rows.h
// The functions and parameters that the rows of the LCP table name, and that "auto" combines.
#ifndef CAIRN_SOLVE_DRIVERS_LCP_ROWS_H
#define CAIRN_SOLVE_DRIVERS_LCP_ROWS_H

#include <cairn/solve.h>

// Lemke's own settings.
typedef struct solve_lemke_params {
    int32_t starts;      // paths tried, each after a ray of the one before
    int32_t refinements; // of the final basic solution
    int32_t max_size;    // n beyond this is refused: the tableau is dense
    bool scale;          // equilibrate first
} solve_lemke_params;
#define SOLVE_LEMKE_PARAM_COUNT 4
extern const cn_param solve_lemke_param_table[SOLVE_LEMKE_PARAM_COUNT];

// Settings of the active-set quadratic programme.
typedef struct solve_qp_params {
    int32_t max_size; // n beyond this is refused: the tableau is dense
    bool scale;       // equilibrate first
} solve_qp_params;
#define SOLVE_QP_PARAM_COUNT 2
extern const cn_param solve_qp_param_table[SOLVE_QP_PARAM_COUNT];

// Settings of the sweeps: "psor" shows both, "nsgs" all but the relaxation, which is 1 there.
typedef struct solve_psor_params {
    double relaxation; // omega
    int32_t anderson;  // depth of the acceleration, 0: none
} solve_psor_params;
#define SOLVE_PSOR_PARAM_COUNT 2
extern const cn_param solve_psor_param_table[SOLVE_PSOR_PARAM_COUNT];
#define SOLVE_LCP_NSGS_PARAM_COUNT 1
extern const cn_param solve_lcp_nsgs_param_table[SOLVE_LCP_NSGS_PARAM_COUNT];

cn_lcp_fn solve_lcp_auto, solve_lcp_lemke, solve_lcp_qp, solve_lcp_mcp, solve_lcp_psor,
    solve_lcp_nsgs, solve_lcp_cpg;

// Every complementary support tried: finds a solution of any LCP that has one, or CN_INFEASIBLE
// when it has none; CN_UNSUPPORTED for n above SOLVE_LCP_ENUMERATE_MAX (3^n supports).
#define SOLVE_LCP_ENUMERATE_MAX 8
cn_lcp_fn solve_lcp_enumerate;

#endif
