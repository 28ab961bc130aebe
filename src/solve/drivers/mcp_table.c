// solve/drivers/mcp_table.c
// The solvers of mixed complementarity problems. To add one: its file, its line in mcp_rows.h, its
// row here.
#include "base/rows.h"
#include "solve/drivers/lcp_rows.h"
#include "solve/drivers/mcp_rows.h"

static const cn_mcp_solver mcp_table[] = {
    {.info = {.name = "mcp",
              .about = "in the manner of PATH: active-set crash, semismooth Newton with a "
                       "non-monotone line search, sparse LU",
              .strengths = "sparse; free unknowns, bounds and boxes alike; few steps; warm starts",
              .weaknesses = "one sparse factorisation per step; may stall where M is not "
                            "semi-definite, and then pivots where n is small: use lemke",
              .unit = "newton steps",
              .max_iterations = 10000,
              .params = solve_mcp_param_table,
              .param_count = SOLVE_MCP_PARAM_COUNT},
     .solve = solve_mcp_newton_solve},
    {.info = {.name = "lemke",
              .about = "Lemke's pivoting, free unknowns pivoted in first, boxes as pairs, dense",
              .strengths = "exact; any semi-definite M and facetted friction, degenerate or not",
              .weaknesses = "dense, cubic cost and worse: beyond some hundred unknowns use mcp",
              .unit = "pivots",
              .max_iterations = 1000000,
              .params = solve_lemke_param_table,
              .param_count = SOLVE_LEMKE_PARAM_COUNT},
     .solve = solve_mcp_lemke},
    {.info = {.name = "qp",
              .about = "active-set quadratic programming with an unsymmetric matrix, dense",
              .strengths = "exact; any semi-definite M; few pivots where few unknowns carry",
              .weaknesses =
                  "where M is not semi-definite, as with friction, Lemke's path ends it: use "
                  "lemke; dense",
              .unit = "pivots",
              .max_iterations = 1000000,
              .params = solve_qp_param_table,
              .param_count = SOLVE_QP_PARAM_COUNT},
     .solve = solve_mcp_qp},
};

int32_t cn_mcp_solver_count(void) {
    return (int32_t)(sizeof mcp_table / sizeof *mcp_table);
}

const cn_mcp_solver *cn_mcp_solver_at(int32_t index) {
    return index >= 0 && index < cn_mcp_solver_count() ? &mcp_table[index] : NULL;
}

const cn_mcp_solver *cn_mcp_solver_find(const char *name) {
    return BASE_ROW_FIND(mcp_table, cn_mcp_solver, info.name, name);
}
