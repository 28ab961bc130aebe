// solve/pivoting/friction_facets.c
// Friction by complementarity: the cone is replaced by a polytope (problem/formulation.c), the LCP
// or mixed LCP is solved by pivoting or by a Newton method, and the impulses are mapped back.
//
// Exact in 2D, where the cone has two edges. In 3D the answer is that of the polytope: its
// direction is off by up to pi/facets and its strength by up to 1 - cos(pi/facets), which no
// tolerance mends. So these rows report "stalled" in 3D unless the facets happen to fit, with the
// residual that the round cone gives them; for answers use "auto". Reference: Renouf, Acary and
// Dumont 2005, section 5.1; Renouf and Acary 2006, section 4.
#include "base/arena.h"
#include "solve/drivers/friction_rows.h"
#include "solve/drivers/natural_map.h"
#include "solve/drivers/watch.h"
#include "solve/pivoting/formulated.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// The complementarity problem is solved this much finer, since its residual has other units.
#define FACET_FINER 1e-2
#define FACET_FINEST 1e-14 // but not finer than rounding allows

const cn_param pivot_facet_param_table[PIVOT_FACET_PARAM_COUNT] = {
    {"facets", CN_PARAM_INT, offsetof(pivot_facet_params, facets), 8, 2, CN_FACETS_MAX,
     "facets of the cone in 3D; 2D has always two"},
    {"outer", CN_PARAM_BOOL, offsetof(pivot_facet_params, outer), 0, 0, 1,
     "cone around Coulomb's, cut by facets, instead of the one inside it"},
    {"most", CN_PARAM_INT, offsetof(pivot_facet_params, max), 100000, 1, 1000000,
     "unknowns of the complementarity problem beyond which it is refused"},
};

static cn_status facets_run(const char *solver_name, const cn_friction *p,
                            const cn_solve_opts *opts, cn_arena *scratch, double *r, double *u,
                            cn_solve_report *report) {
    pivot_facet_params own;
    memcpy(&own, opts->params, sizeof own);
    const cn_mcp_solver *solver = cn_mcp_solver_find(solver_name);
    const cn_formulation *formulation = cn_formulation_find(own.outer ? "outer" : "inner");
    int64_t block = (p->dim == 2 ? 2 : own.facets) + (own.outer ? p->dim : 2);
    if (block * p->contacts > own.max) {
        report->outcome = CN_UNSUPPORTED;
        report->detail = "more unknowns than \"most\" allows: use auto, fewer facets, or raise it";
        return CN_OK;
    }
    double *v = BASE_TAKE(scratch, double, cn_operator_dofs(&p->W, p->dim));
    if (!v) {
        return CN_ERR_MEMORY;
    }
    cn_friction_velocity(p, r, v, u);
    if (solve_natural_error(p, opts->measure, r, u) <= SOLVE_WATCH_MARGIN * opts->tolerance) {
        report->outcome = CN_SOLVED;
        report->detail = "the first guess is a solution";
        return CN_OK;
    }
    cn_solve_opts inner_opts = cn_solve_opts_default(&solver->info);
    inner_opts.tolerance = fmax(FACET_FINER * opts->tolerance, FACET_FINEST);
    inner_opts.max_iterations = opts->max_iterations;
    inner_opts.time_limit = opts->time_limit;
    solve_opts_take_callbacks(&inner_opts, opts);
    cn_formulation_opts how = cn_formulation_opts_default();
    how.facets = own.facets;
    cn_solve_report inner;
    const cn_formulation_choice choice = {
        .formulation = formulation, .opts = &how, .solver = solver};
    cn_status status = pivot_formulated_run(p, &choice, &inner_opts, scratch, r, &inner, NULL);
    if (status == CN_OK || status == CN_ERR_CANCELLED) {
        pivot_formulated_view(formulation, p->dim, &inner, report);
    }
    return status;
}

cn_status solve_friction_lemke(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                               double *r, double *u, cn_solve_report *report) {
    return facets_run("lemke", p, opts, scratch, r, u, report);
}

cn_status solve_friction_qp(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                            double *r, double *u, cn_solve_report *report) {
    return facets_run("qp", p, opts, scratch, r, u, report);
}

cn_status solve_friction_mcp(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                             double *r, double *u, cn_solve_report *report) {
    return facets_run("mcp", p, opts, scratch, r, u, report);
}
