// solve/drivers/friction_table.c
// The friction solvers. To add one: its file, its line in friction_rows.h, its row here.
#include "base/rows.h"
#include "solve/drivers/friction_rows.h"
#include "solve/gauss_seidel/friction_nsgs.h"
#include "solve/newton/friction_prox_newton.h"
#include "solve/newton/semismooth.h"
#include "solve/pivoting/formulated.h"
#include "solve/projection/convex_sequence.h"
#include "solve/projection/variational_inequality.h"

#define ANY_FRICTION (CN_SOLVES_2D | CN_SOLVES_3D | CN_TAKES_ASSEMBLED | CN_TAKES_BODY)
#define ANY_JOINTED (ANY_FRICTION | CN_TAKES_BOUNDS)
#define ANY_LAW (ANY_JOINTED | CN_TAKES_CONVEX)

static const cn_friction_solver friction_table[] = {
    {.info = {.name = "auto",
              .about =
                  "the default: tiny 2D problems by enumeration, else accelerated Gauss-Seidel "
                  "and Newton methods in turns",
              .strengths = "no setting to choose; rigid hyperstatic and easy sets alike to 1e-8",
              .weaknesses =
                  "the largest masonry walls stay above 1e-4 for seconds: give it time, or "
                  "accept the residual shown",
              .unit = "sweeps and newton steps",
              .accepts = ANY_LAW | CN_USES_LOCAL | CN_TAKES_BARE,
              .max_iterations = 100000,
              .params = gs_nsgs_param_table,
              .param_count = GS_AUTO_PARAM_COUNT},
     .solve = solve_friction_auto},
    {.info = {.name = "nsgs",
              .about = "nonsmooth Gauss-Seidel over the contacts, Anderson-accelerated",
              .strengths = "cheap sweeps, robust down to 1e-4, any W, warm starts",
              .weaknesses = "creeps on tall packings and may cycle on hyperstatic sets: use "
                            "prox-newton or auto",
              .unit = "sweeps",
              .accepts = ANY_LAW | CN_USES_LOCAL | CN_TAKES_BARE,
              .max_iterations = 10000,
              .params = gs_nsgs_param_table,
              .param_count = GS_NSGS_PARAM_COUNT},
     .solve = gs_friction_nsgs},
    {.info = {.name = "fixed-point",
              .about = "fixed-point projection of the variational inequality, self-adaptive step",
              .strengths = "one product with W per step, any W, nothing to factorise",
              .weaknesses = "many steps, no proof of convergence when W is rank deficient: use "
                            "extra-gradient or nsgs",
              .unit = "steps",
              .accepts = ANY_LAW,
              .max_iterations = 100000,
              .params = proj_vi_param_table,
              .param_count = PROJ_VI_PARAM_COUNT},
     .solve = solve_friction_fixed_point},
    {.info = {.name = "extra-gradient",
              .about = "extra-gradient for the variational inequality, self-adaptive step",
              .strengths = "steady on hyperstatic sets where Gauss-Seidel cycles, any W",
              .weaknesses =
                  "two products with W per step and many steps: for more than 1e-4 use auto",
              .unit = "steps",
              .accepts = ANY_LAW,
              .max_iterations = 100000,
              .params = proj_vi_param_table,
              .param_count = PROJ_VI_PARAM_COUNT},
     .solve = solve_friction_extra_gradient},
    {.info = {.name = "prox-newton",
              .about = "proximal point with a semismooth Newton method (Alart-Curnier) inside",
              .strengths = "hyperstatic sets to 1e-8 and beyond in tens of factorisations; in body "
                           "space the system is "
                           "that of the bodies, however many points touch",
              .weaknesses = "one factorisation per step, so slow for large packings far from the "
                            "solution: start with nsgs",
              .unit = "newton steps",
              .accepts = ANY_LAW,
              .max_iterations = 2000,
              .params = newton_prox_param_table,
              .param_count = NEWTON_PROX_PARAM_COUNT},
     .solve = newton_friction_prox_newton},
    {.info = {.name = "cpg",
              .about = "conjugate projected gradient for the quasi-optimisation form",
              .strengths = "two products with W per step and nothing else; quick in 2D",
              .weaknesses = "stops where the curvature vanishes (hyperstatic sets) and wanders in "
                            "3D where contacts slide: use nsgs or auto",
              .unit = "steps",
              .accepts = ANY_FRICTION,
              .max_iterations = 100000,
              .params = solve_cpg_param_table,
              .param_count = SOLVE_CPG_PARAM_COUNT},
     .solve = solve_friction_cpg},
    {.info = {.name = "uzawa",
              .about = "De Saxce-Feng projection, every contact with a step length of its own",
              .strengths = "one product with W per step, no trial steps, any W",
              .weaknesses = "linear rate near 1 on tall or hyperstatic sets: use nsgs or auto",
              .unit = "steps",
              .accepts = ANY_LAW,
              .max_iterations = 100000,
              .params = solve_uzawa_param_table,
              .param_count = SOLVE_UZAWA_PARAM_COUNT},
     .solve = solve_friction_uzawa},
    {.info = {.name = "apgd",
              .about = "accelerated projected gradient with restarts, the slip term renewed on the "
                       "way",
              .strengths = "one product with W per step; hyperstatic sets without a factorisation",
              .weaknesses = "needs a nearly symmetric W, thousands of steps on tall sets: use auto",
              .unit = "steps",
              .accepts = ANY_LAW,
              .max_iterations = 100000,
              .params = solve_apgd_param_table,
              .param_count = SOLVE_APGD_PARAM_COUNT},
     .solve = solve_friction_apgd},
    {.info = {.name = "bb",
              .about = "spectral projected gradient (Barzilai-Borwein), the slip term renewed on "
                       "the way",
              .strengths = "one product with W per step; often the fewest steps of the gradient "
                           "methods",
              .weaknesses = "needs a nearly symmetric W, erratic on hyperstatic sets: use auto",
              .unit = "steps",
              .accepts = ANY_LAW,
              .max_iterations = 100000,
              .params = solve_bb_param_table,
              .param_count = SOLVE_BB_PARAM_COUNT},
     .solve = solve_friction_bb},
    {.info = {.name = "admm",
              .about = "alternating directions: one factorisation of W plus a penalty, cones apart",
              .strengths = "cheap steps whatever the conditioning: hyperstatic sets to 1e-4",
              .weaknesses = "circles where strong friction slides, pays a factorisation on large "
                            "packings: use auto",
              .unit = "steps",
              .accepts = ANY_LAW,
              .max_iterations = 20000,
              .params = solve_admm_param_table,
              .param_count = SOLVE_ADMM_PARAM_COUNT},
     .solve = solve_friction_admm},
    {.info = {.name = "lemke",
              .about = "Lemke's pivoting on a facetted cone",
              .strengths =
                  "2D exact to round-off, whatever the rank; finds a solution where sweeps "
                  "cycle",
              .weaknesses =
                  "in 3D the answer is that of the polytope, off by pi/facets; dense: for "
                  "answers use auto",
              .unit = "pivots",
              .accepts = ANY_JOINTED | CN_FACETS_CONE,
              .max_iterations = 1000000,
              .params = pivot_facet_param_table,
              .param_count = PIVOT_FACET_PARAM_COUNT},
     .solve = solve_friction_lemke},
    {.info = {.name = "qp",
              .about = "active-set quadratic programming with an unsymmetric matrix, on a facetted "
                       "cone",
              .strengths = "2D exact to round-off; few pivots where few contacts carry",
              .weaknesses =
                  "friction makes the matrix indefinite, so Lemke's path often ends it: use "
                  "lemke; in 3D off by pi/facets: use auto",
              .unit = "pivots",
              .accepts = ANY_JOINTED | CN_FACETS_CONE,
              .max_iterations = 1000000,
              .params = pivot_facet_param_table,
              .param_count = PIVOT_FACET_PARAM_COUNT},
     .solve = solve_friction_qp},
    {.info = {.name = "mcp",
              .about = "in the manner of PATH, on a facetted cone: active-set crash, semismooth "
                       "Newton, sparse LU",
              .strengths = "2D to 1e-8 and beyond in tens of steps; sparse",
              .weaknesses = "in 3D the answer is that of the polytope, off by pi/facets: for "
                            "answers use auto; may stall, friction being indefinite: use lemke",
              .unit = "newton steps",
              .accepts = ANY_JOINTED | CN_FACETS_CONE,
              .max_iterations = 10000,
              .params = pivot_facet_param_table,
              .param_count = PIVOT_FACET_PARAM_COUNT},
     .solve = solve_friction_mcp},
    {.info =
         {.name = "newton-ac",
          .about =
              "semismooth Newton on the function of Alart and Curnier, non-monotone line search",
          .strengths = "few steps on sets of full rank, from any guess; quadratic at the end",
          .weaknesses =
              "may end in a minimum of the merit on hyperstatic sets: use prox-newton or auto",
          .unit = "newton steps",
          .accepts = ANY_JOINTED,
          .max_iterations = 1000,
          .params = newton_semismooth_param_table,
          .param_count = NEWTON_SEMISMOOTH_PARAM_COUNT},
     .solve = solve_friction_newton_ac},
    {.info = {.name = "newton-jm",
              .about =
                  "semismooth Newton on the function of Jean and Moreau, non-monotone line search",
              .strengths =
                  "as newton-ac; the friction threshold follows r_N alone, often a step less",
              .weaknesses =
                  "may end in a minimum of the merit on hyperstatic sets: use prox-newton or auto",
              .unit = "newton steps",
              .accepts = ANY_JOINTED,
              .max_iterations = 1000,
              .params = newton_semismooth_param_table,
              .param_count = NEWTON_SEMISMOOTH_PARAM_COUNT},
     .solve = solve_friction_newton_jm},
    {.info = {.name = "newton-fb",
              .about = "semismooth Newton on the function of Fischer and Burmeister, non-monotone "
                       "line search",
              .strengths =
                  "the smoothest of the three functions: the line search misleads it least",
              .weaknesses = "more steps than newton-ac at the end; stalls on hyperstatic sets: use "
                            "prox-newton or auto",
              .unit = "newton steps",
              .accepts = ANY_JOINTED,
              .max_iterations = 1000,
              .params = newton_semismooth_param_table,
              .param_count = NEWTON_SEMISMOOTH_PARAM_COUNT},
     .solve = solve_friction_newton_fb},
    {.info = {.name = "ipm",
              .about =
                  "primal-dual interior point on second-order cones, slip updated every iteration",
              .strengths =
                  "to 1e-4 on nearly everything in tens of factorisations, whatever the rank of W",
              .weaknesses = "creeps to 1e-8 where many contacts slide: go on with prox-newton",
              .unit = "iterations",
              .accepts = ANY_FRICTION | CN_TAKES_CONVEX,
              .max_iterations = 200,
              .params = solve_ipm_param_table,
              .param_count = SOLVE_IPM_PARAM_COUNT},
     .solve = solve_friction_ipm},
    {.info = {.name = "tresca",
              .about = "fixed point on the friction threshold, convex problems by interior points",
              .strengths = "the classic of finite elements; steady for small mu and full rank",
              .weaknesses =
                  "does not settle for large mu or where r_N is not unique: use cadoux or auto",
              .unit = "interior point iterations",
              .accepts = ANY_FRICTION,
              .max_iterations = 2000,
              .params = proj_sequence_param_table,
              .param_count = PROJ_SEQUENCE_PARAM_COUNT},
     .solve = solve_friction_tresca},
    {.info = {.name = "cadoux",
              .about = "sequence of convex cone programs with the slip frozen, by interior points",
              .strengths = "one program where nothing slides, whatever the rank of W",
              .weaknesses =
                  "cycles where many contacts slide with mu near 1: use prox-newton or auto",
              .unit = "interior point iterations",
              .accepts = ANY_FRICTION | CN_TAKES_CONVEX,
              .max_iterations = 2000,
              .params = proj_sequence_param_table,
              .param_count = PROJ_SEQUENCE_PARAM_COUNT},
     .solve = solve_friction_cadoux},
};

int32_t cn_friction_solver_count(void) {
    return (int32_t)(sizeof friction_table / sizeof *friction_table);
}

const cn_friction_solver *cn_friction_solver_at(int32_t index) {
    return index >= 0 && index < cn_friction_solver_count() ? &friction_table[index] : NULL;
}

const cn_friction_solver *cn_friction_solver_find(const char *name) {
    return BASE_ROW_FIND(friction_table, cn_friction_solver, info.name, name);
}
