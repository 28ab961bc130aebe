// solve/pivoting/mcp_pivot.c
// The pivoting methods for LCPs on mixed problems: bounds shifted to zero, boxes given a second
// unknown, free unknowns pivoted in first; then "lemke" or "qp", and the answer polished on the
// problem as it was.
//
// Bad for large problems with many free unknowns, which cost a dense elimination: "mcp".
#include "base/arena.h"
#include "base/clock.h"
#include "solve/drivers/lcp_rows.h"
#include "solve/drivers/mcp_rows.h"
#include "solve/drivers/natural_map.h"
#include "solve/pivoting/mcp_reduce.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define PIVOT_POLISH 3 // refinements on the mixed problem

static int64_t tableau_size(const cn_mcp *p) {
    int64_t size = p->n;
    for (int32_t i = 0; i < p->n; i++) {
        size += isfinite(p->lower[i]) && isfinite(p->upper[i]);
    }
    return size;
}

// The reduced problem solved within what is left of the time, and z from its answer.
static cn_status run_reduced(const cn_mcp *p, const cn_solve_opts *opts, cn_lcp_fn *solve,
                             cn_arena *scratch, double *z, double *w, cn_solve_report *report) {
    double start = base_clock_cpu();
    solve_watch watch = solve_watch_start(opts);
    pivot_mcp_reduced reduced;
    bool stopped;
    cn_status status = pivot_mcp_reduce(p, &watch, scratch, &reduced, report, &stopped);
    if (status != CN_OK || stopped) {
        return status != CN_OK ? status : watch.status;
    }
    double *y = BASE_TAKE(scratch, double, reduced.lcp.n);
    double *v = BASE_TAKE(scratch, double, reduced.lcp.n);
    double *trial = BASE_TAKE(scratch, double, p->n);
    if (!y || !v || !trial) {
        return CN_ERR_MEMORY;
    }
    cn_solve_opts inner = *opts;
    if (opts->time_limit > 0.0) {
        // A time that has run out is kept just above zero, which would mean "no limit".
        inner.time_limit = fmax(opts->time_limit - (base_clock_cpu() - start), DBL_MIN);
    }
    pivot_mcp_reduced_start(&reduced, z, y);
    report->outcome = CN_SOLVED;
    report->detail = "equations alone";
    if (reduced.lcp.n > 0) {
        status = solve(&reduced.lcp, &inner, scratch, y, v, report);
    }
    if (status != CN_OK && status != CN_ERR_CANCELLED) {
        return status;
    }
    if (report->outcome == CN_UNSUPPORTED) {
        return status;
    }
    double before, after;
    solve_mcp_velocity(p, z, w);
    before = solve_natural_error_mcp(p, z, w);
    pivot_mcp_reduced_finish(&reduced, p, y, trial);
    cn_status polished = solve_mcp_polish(p, PIVOT_POLISH, scratch, trial, w, &after);
    if (polished == CN_OK && after < before) {
        memcpy(z, trial, sizeof *z * (size_t)p->n);
    }
    return status != CN_OK ? status : polished;
}

cn_status solve_mcp_by_lcp(const cn_mcp *p, const cn_solve_opts *opts, cn_lcp_fn *solve,
                           int32_t max_size, cn_arena *scratch, double *z, double *w,
                           cn_solve_report *report) {
    cn_lcp same;
    if (cn_mcp_as_lcp(p, &same)) {
        return solve(&same, opts, scratch, z, w, report);
    }
    if (tableau_size(p) > max_size) {
        solve_report_end(report, CN_UNSUPPORTED,
                         "too large for a dense tableau (max_size): use mcp or raise it");
        return CN_OK;
    }
    solve_mcp_velocity(p, z, w);
    if (solve_natural_error_mcp(p, z, w) <= SOLVE_WATCH_MARGIN * opts->tolerance) {
        solve_report_end(report, CN_SOLVED, "the first guess is a solution");
        return CN_OK;
    }
    return run_reduced(p, opts, solve, scratch, z, w, report);
}

cn_status solve_mcp_lemke(const cn_mcp *p, const cn_solve_opts *opts, cn_arena *scratch, double *z,
                          double *w, cn_solve_report *report) {
    solve_lemke_params own;
    memcpy(&own, opts->params, sizeof own);
    return solve_mcp_by_lcp(p, opts, solve_lcp_lemke, own.max_size, scratch, z, w, report);
}

cn_status solve_mcp_qp(const cn_mcp *p, const cn_solve_opts *opts, cn_arena *scratch, double *z,
                       double *w, cn_solve_report *report) {
    solve_qp_params own;
    memcpy(&own, opts->params, sizeof own);
    return solve_mcp_by_lcp(p, opts, solve_lcp_qp, own.max_size, scratch, z, w, report);
}
