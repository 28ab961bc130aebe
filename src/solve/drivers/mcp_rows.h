// solve/drivers/mcp_rows.h
// The functions and parameters that the rows of the MCP table name, and what they share.
#ifndef CAIRN_SOLVE_DRIVERS_MCP_ROWS_H
#define CAIRN_SOLVE_DRIVERS_MCP_ROWS_H

#include <cairn/solve.h>

cn_mcp_fn solve_mcp_lemke, solve_mcp_qp, solve_mcp_newton_solve;

// Settings of the Newton method.
typedef struct solve_mcp_params {
    double work;   // multiplications of one factorisation beyond which a problem is refused
    int32_t crash; // active-set steps at the start
    int32_t pivot; // unknowns up to which Lemke takes over what is left open
} solve_mcp_params;
#define SOLVE_MCP_PARAM_COUNT 3
extern const cn_param solve_mcp_param_table[SOLVE_MCP_PARAM_COUNT];

// Runs an LCP solver on a mixed problem: as it is where it is an LCP, else reduced to one
// (solve/pivoting/mcp_reduce.h) with at most max_size unknowns, boxes counted twice. opts are those
// of the LCP solver.
cn_status solve_mcp_by_lcp(const cn_mcp *p, const cn_solve_opts *opts, cn_lcp_fn *solve,
                           int32_t max_size, cn_arena *scratch, double *z, double *w,
                           cn_solve_report *report);

// w = M z + q
void solve_mcp_velocity(const cn_mcp *p, const double *z, double *w);
// x brought between the bounds of unknown i.
double solve_mcp_clamp(const cn_mcp *p, int32_t i, double x);

// Makes z sharper: with A = { i : lower_i < z_i < upper_i } solves w_A = 0 for z_A by LU with steps
// of iterative refinement, cuts what left its bounds, and keeps the result when its residual is
// smaller. w = M z + q on return; the residual is returned. z is brought between its bounds first.
#define SOLVE_POLISH_MAX 2000 // unknowns in A; beyond it z stays as it is (dense, cubic cost)
cn_status solve_mcp_polish(const cn_mcp *p, int32_t refinements, cn_arena *scratch, double *z,
                           double *w, double *residual);

#endif
