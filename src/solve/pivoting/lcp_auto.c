// solve/pivoting/lcp_auto.c
// The default for an LCP. Small ones go to Lemke at once; large ones to accelerated projected
// Gauss-Seidel in rounds, each followed by a direct solve with the active set it has found, and to
// Lemke when that fails. Tiny ones that Lemke leaves open are settled by enumeration. Decisions
// depend on the size, the diagonal and the residuals, never on time.
//
// Bad for large M that are not semi-definite: nothing here is sure to solve them.
#include "base/arena.h"
#include "base/clock.h"
#include "solve/drivers/lcp_rows.h"
#include "solve/drivers/watch.h"
#include "solve/pivoting/lcp_dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define AUTO_DIRECT 60  // n up to which Lemke comes first: well under a millisecond of pivots
#define AUTO_SWEEPS 100 // of the first round,
#define AUTO_GROWTH 4   // growing by this
#define AUTO_ROUNDS 4   // up to 6400
#define AUTO_REFINEMENTS 3

// One run of "auto": what its stages share.
typedef struct lcp_stages {
    const cn_lcp *p;
    const cn_solve_opts *opts;
    cn_arena *scratch;
    double *z, *w;
    cn_solve_report *report;
    double start; // [s] CPU
    int64_t used; // iterations of the stages before
} lcp_stages;

// Runs a solver for at most so many iterations with the defaults of its own parameters, within what
// is left of the iterations and of the time.
static cn_status stage_run(lcp_stages *s, cn_lcp_fn *solve, const cn_param *params,
                           int32_t param_count, int64_t max) {
    cn_solver_info info = {.params = params, .param_count = param_count};
    cn_solve_opts stage = cn_solve_opts_default(&info);
    double own[CN_PARAM_SLOTS];
    memcpy(own, stage.params, sizeof own);
    stage = *s->opts;
    memcpy(stage.params, own, sizeof own);
    int64_t left = s->opts->max_iterations - s->used;
    stage.max_iterations = (int32_t)(left < max ? left : max);
    if (stage.time_limit > 0.0) {
        // A time that has run out is kept just above zero, which would mean "no limit".
        stage.time_limit = fmax(stage.time_limit - (base_clock_cpu() - s->start), DBL_MIN);
    }
    base_arena_mark mark = base_arena_get_mark(s->scratch);
    cn_status status = solve(s->p, &stage, s->scratch, s->z, s->w, s->report);
    base_arena_release(s->scratch, mark);
    s->used += s->report->iterations;
    s->report->iterations = (int32_t)(s->used < INT32_MAX ? s->used : INT32_MAX);
    return status;
}

// Rounds of sweeps, each with a direct solve for the active set it has found. Ends with CN_SOLVED,
// CN_LIMIT, CN_TIME, or what made the sweeps give up.
static cn_status stage_sweeps(lcp_stages *s) {
    int64_t sweeps = AUTO_SWEEPS;
    for (int32_t round = 0; round < AUTO_ROUNDS; round++) {
        cn_status status = stage_run(s, solve_lcp_nsgs, solve_lcp_nsgs_param_table,
                                     SOLVE_LCP_NSGS_PARAM_COUNT, sweeps);
        if (status != CN_OK || s->report->outcome != CN_LIMIT) {
            return status;
        }
        double residual;
        status = pivot_lcp_polish(s->p, AUTO_REFINEMENTS, s->scratch, s->z, s->w, &residual);
        if (status == CN_OK && residual <= SOLVE_WATCH_MARGIN * s->opts->tolerance) {
            s->report->outcome = CN_SOLVED;
            s->report->detail = "sweeps found the active set, a direct solve the answer";
            return CN_OK;
        }
        if (status != CN_OK || s->used >= s->opts->max_iterations) {
            return status;
        }
        sweeps *= AUTO_GROWTH;
    }
    return CN_OK;
}

cn_status solve_lcp_auto(const cn_lcp *p, const cn_solve_opts *opts, cn_arena *scratch, double *z,
                         double *w, cn_solve_report *report) {
    lcp_stages s = {.p = p,
                    .opts = opts,
                    .scratch = scratch,
                    .z = z,
                    .w = w,
                    .report = report,
                    .start = base_clock_cpu()};
    if (p->n > AUTO_DIRECT) {
        cn_status status = stage_sweeps(&s);
        if (status != CN_OK || report->outcome == CN_SOLVED || report->outcome == CN_TIME ||
            s.used >= opts->max_iterations) {
            return status;
        }
    }
    cn_status status = stage_run(&s, solve_lcp_lemke, solve_lemke_param_table,
                                 SOLVE_LEMKE_PARAM_COUNT, opts->max_iterations);
    if (status == CN_OK && report->outcome == CN_STALLED && p->n <= SOLVE_LCP_ENUMERATE_MAX) {
        status = stage_run(&s, solve_lcp_enumerate, NULL, 0, opts->max_iterations);
    }
    return status;
}
