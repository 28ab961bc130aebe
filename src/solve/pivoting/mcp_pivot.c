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

#define CN_PIVOT_POLISH 3 // refinements on the mixed problem

static int64_t cn_pivot_size(const cn_mcp *p) {
    int64_t size = p->n;
    for (int32_t i = 0; i < p->n; i++) {
        size += isfinite(p->lower[i]) && isfinite(p->upper[i]);
    }
    return size;
}

// The reduced problem solved within what is left of the time, and z from its answer.
static cn_status cn_pivot_run(const cn_mcp *p, const cn_solve_opts *opts, cn_lcp_fn *solve,
                              cn_arena *scratch, double *z, double *w, cn_solve_report *report) {
    double start = cn_clock_cpu();
    cn_watch watch = cn_watch_start(opts);
    cn_mcp_reduced reduced;
    bool stopped;
    cn_status status = cn_mcp_reduce(p, &watch, scratch, &reduced, report, &stopped);
    if (status != CN_OK || stopped) {
        return status != CN_OK ? status : watch.status;
    }
    double *y = CN_TAKE(scratch, double, reduced.lcp.n);
    double *v = CN_TAKE(scratch, double, reduced.lcp.n);
    double *trial = CN_TAKE(scratch, double, p->n);
    if (!y || !v || !trial) {
        return CN_ERR_MEMORY;
    }
    cn_solve_opts inner = *opts;
    if (opts->time_limit > 0.0) {
        // A time that has run out is kept just above zero, which would mean "no limit".
        inner.time_limit = fmax(opts->time_limit - (cn_clock_cpu() - start), DBL_MIN);
    }
    cn_mcp_reduced_start(&reduced, z, y);
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
    cn_mcp_velocity(p, z, w);
    before = cn_natural_error_mcp(p, z, w);
    cn_mcp_reduced_finish(&reduced, p, y, trial);
    cn_status polished = cn_mcp_polish(p, CN_PIVOT_POLISH, scratch, trial, w, &after);
    if (polished == CN_OK && after < before) {
        memcpy(z, trial, sizeof *z * (size_t)p->n);
    }
    return status != CN_OK ? status : polished;
}

cn_status cn_mcp_by_lcp(const cn_mcp *p, const cn_solve_opts *opts, cn_lcp_fn *solve,
                        int32_t max_size, cn_arena *scratch, double *z, double *w,
                        cn_solve_report *report) {
    cn_lcp same;
    if (cn_mcp_as_lcp(p, &same)) {
        return solve(&same, opts, scratch, z, w, report);
    }
    if (cn_pivot_size(p) > max_size) {
        cn_report_end(report, CN_UNSUPPORTED,
                      "too large for a dense tableau (max_size): use mcp or raise it");
        return CN_OK;
    }
    cn_mcp_velocity(p, z, w);
    if (cn_natural_error_mcp(p, z, w) <= CN_WATCH_MARGIN * opts->tolerance) {
        cn_report_end(report, CN_SOLVED, "the first guess is a solution");
        return CN_OK;
    }
    return cn_pivot_run(p, opts, solve, scratch, z, w, report);
}

cn_status cn_mcp_lemke(const cn_mcp *p, const cn_solve_opts *opts, cn_arena *scratch, double *z,
                       double *w, cn_solve_report *report) {
    cn_lemke_params own;
    memcpy(&own, opts->params, sizeof own);
    return cn_mcp_by_lcp(p, opts, cn_lcp_lemke, own.max_size, scratch, z, w, report);
}

cn_status cn_mcp_qp(const cn_mcp *p, const cn_solve_opts *opts, cn_arena *scratch, double *z,
                    double *w, cn_solve_report *report) {
    cn_qp_params own;
    memcpy(&own, opts->params, sizeof own);
    return cn_mcp_by_lcp(p, opts, cn_lcp_qp, own.max_size, scratch, z, w, report);
}
