// solve/drivers/lcp_table.c
// The LCP solvers. To add one: its file, its line in lcp_rows.h, its row here.
#include "base/rows.h"
#include "solve/drivers/lcp_rows.h"
#include "solve/drivers/mcp_rows.h"

static const cn_lcp_solver lcp_table[] = {
    {.info = {.name = "auto",
              .about = "the default: Lemke for small problems, accelerated Gauss-Seidel for large "
                       "ones, then Lemke",
              .strengths = "no setting to choose; settles every problem of up to 8 unknowns, "
                           "solvable or not",
              .weaknesses = "large problems that are not semi-definite may stay open: try lemke "
                            "with more starts",
              .unit = "steps",
              .max_iterations = 1000000},
     .solve = solve_lcp_auto},
    {.info = {.name = "nsgs",
              .about = "projected Gauss-Seidel, Anderson-accelerated",
              .strengths = "cheap sweeps over a sparse M, warm starts, any size",
              .weaknesses = "needs a positive diagonal, creeps when M is ill-conditioned and may "
                            "cycle when it is unsymmetric: use lemke",
              .unit = "sweeps",
              .max_iterations = 10000,
              .params = solve_lcp_nsgs_param_table,
              .param_count = SOLVE_LCP_NSGS_PARAM_COUNT},
     .solve = solve_lcp_nsgs},
    {.info = {.name = "psor",
              .about = "projected successive over-relaxation",
              .strengths = "the classic; with a good relaxation fewer sweeps than Gauss-Seidel",
              .weaknesses = "needs a positive diagonal and a relaxation that suits the problem: "
                            "use nsgs, or lemke",
              .unit = "sweeps",
              .max_iterations = 10000,
              .params = solve_psor_param_table,
              .param_count = SOLVE_PSOR_PARAM_COUNT},
     .solve = solve_lcp_psor},
    {.info = {.name = "lemke",
              .about = "complementary pivoting with the lexicographic rule, dense",
              .strengths = "exact; any semi-definite M, degenerate or not; proves infeasibility "
                           "where a ray does",
              .weaknesses = "dense, cubic cost and worse: beyond some hundred unknowns use auto",
              .unit = "pivots",
              .max_iterations = 1000000,
              .params = solve_lemke_param_table,
              .param_count = SOLVE_LEMKE_PARAM_COUNT},
     .solve = solve_lcp_lemke},
    {.info = {.name = "cpg",
              .about = "conjugate projected gradient",
              .strengths = "two products with M per step; far fewer steps than sweeps when a "
                           "symmetric M is ill-conditioned",
              .weaknesses = "M must be symmetric and semi-definite: use lemke or auto",
              .unit = "steps",
              .max_iterations = 10000},
     .solve = solve_lcp_cpg},
    {.info = {.name = "qp",
              .about = "active-set quadratic programming with an unsymmetric matrix, dense",
              .strengths = "exact; any semi-definite M; fewer pivots than Lemke where few unknowns "
                           "carry",
              .weaknesses =
                  "where M is not semi-definite, as with friction, Lemke's path ends it: use "
                  "lemke; dense",
              .unit = "pivots",
              .max_iterations = 1000000,
              .params = solve_qp_param_table,
              .param_count = SOLVE_QP_PARAM_COUNT},
     .solve = solve_lcp_qp},
    {.info = {.name = "mcp",
              .about = "in the manner of PATH: active-set crash, semismooth Newton with a "
                       "non-monotone line search, sparse LU",
              .strengths =
                  "sparse M of thousands of unknowns in tens of steps; zero diagonals; warm starts",
              .weaknesses = "one sparse factorisation per step; may stall where M is not "
                            "semi-definite, and then pivots where n is small: use lemke or auto",
              .unit = "newton steps",
              .max_iterations = 10000,
              .params = solve_mcp_param_table,
              .param_count = SOLVE_MCP_PARAM_COUNT},
     .solve = solve_lcp_mcp},
};

int32_t cn_lcp_solver_count(void) {
    return (int32_t)(sizeof lcp_table / sizeof *lcp_table);
}

const cn_lcp_solver *cn_lcp_solver_at(int32_t index) {
    return index >= 0 && index < cn_lcp_solver_count() ? &lcp_table[index] : NULL;
}

const cn_lcp_solver *cn_lcp_solver_find(const char *name) {
    return BASE_ROW_FIND(lcp_table, cn_lcp_solver, info.name, name);
}
