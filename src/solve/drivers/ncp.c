// solve/drivers/ncp.c
// The driver of nonlinear mixed complementarity problems: checks, runs, grades.
#include "problem/ncp.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "solve/drivers/params.h"
#include "solve/newton/ncp_path.h"

#include <math.h>

static const cn_solver_info ncp_info = {
    .name = "path",
    .about = "in the manner of PATH: crash, Newton's method on the normal map with a path search, "
             "proximal steps, restarts",
    .strengths = "free unknowns, bounds and boxes alike; quadratic at the end; sparse",
    .weaknesses = "one affine problem a step; where F is not monotone nothing is certain",
    .unit = "newton steps",
    .max_iterations = 2000,
    .params = solve_ncp_param_table,
    .param_count = SOLVE_NCP_PARAM_COUNT,
};

const cn_solver_info *cn_ncp_solver_info(void) {
    return &ncp_info;
}

static cn_status ncp_arguments(const cn_ncp *p, const cn_solve_opts *opts, const cn_arena *scratch,
                               const double *z, const double *w, cn_ncp_report *report,
                               cn_error *error) {
    if (!report || !opts || !scratch || !z || !w) {
        return base_fail(error, CN_ERR_ARGUMENT, "no %s was given",
                         !report    ? "report"
                         : !opts    ? "options"
                         : !scratch ? "scratch arena"
                                    : "array of unknowns");
    }
    *report = (cn_ncp_report){.solve = {.outcome = CN_STALLED, .detail = "not run"}};
    CN_TRY(prob_ncp_validate(p, error));
    for (int32_t i = 0; i < p->n; i++) {
        if (!isfinite(z[i])) {
            return base_fail(error, CN_ERR_ARGUMENT, "the start of unknown %d is %g", (int)i, z[i]);
        }
    }
    return solve_opts_validate(opts, &ncp_info, error);
}

cn_status cn_ncp_solve(const cn_ncp *p, const cn_solve_opts *opts, cn_arena *scratch, double *z,
                       double *w, cn_ncp_report *report, cn_error *error) {
    CN_TRY(ncp_arguments(p, opts, scratch, z, w, report, error));
    cn_solve_opts own = *opts;
    if (!own.cancel) {
        own.cancel = cn_arena_env(scratch)->cancel;
        own.cancel_user = cn_arena_env(scratch)->cancel_user;
    }
    for (int32_t i = 0; i < p->n; i++) {
        z[i] = prob_ncp_clamp(p, i, z[i]);
    }
    if (!prob_ncp_value(p, z, w)) {
        base_fail(error, CN_ERR_INPUT, "F is not defined or not finite at the start");
        base_fail_hint(error, "start where it is: the start is brought between the bounds first");
        return CN_ERR_INPUT;
    }
    cn_solve_report *solve = &report->solve;
    base_arena_mark mark = base_arena_get_mark(scratch);
    double start = base_clock_cpu();
    cn_status run = solve_ncp_path(p, &own, scratch, z, report);
    solve->cpu_s = base_clock_cpu() - start;
    base_arena_release(scratch, mark);
    cn_status status =
        run == CN_OK || run == CN_ERR_CANCELLED ? cn_ncp_grade(p, z, scratch, &solve->grade) : run;
    if (status == CN_OK) {
        prob_ncp_value(p, z, w);
        bool within = solve->grade.residual <= opts->tolerance;
        if (!within && solve->outcome == CN_SOLVED) {
            solve->outcome = CN_STALLED;
            solve->detail = "the checker's residual is above the tolerance";
        }
        solve->outcome = within ? CN_SOLVED : solve->outcome;
    }
    status = status == CN_OK ? run : status;
    if (status == CN_ERR_MEMORY) {
        return base_fail_memory(error);
    }
    return status == CN_OK ? CN_OK
                           : base_fail(error, status, "the solver path ended early: %s",
                                       cn_status_text(status));
}
