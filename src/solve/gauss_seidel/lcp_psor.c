// solve/gauss_seidel/lcp_psor.c
// Projected successive over-relaxation, on the rows of a sparse M:
//     z_i := max(0, z_i - omega (M z + q)_i / M_ii),   i = 1 .. n,   0 < omega < 2.
// omega = 1 is projected Gauss-Seidel, which is what nonsmooth Gauss-Seidel becomes for an LCP.
// Converges for symmetric positive semi-definite M with a positive diagonal (Cryer 1971; Cottle,
// Pang and Stone, section 5.2). Anderson acceleration shortens the tail.
//
// Bad for ill-conditioned M (many sweeps) and for unsymmetric M (may cycle); impossible where a
// diagonal entry is not positive: "lemke" is the remedy. Scratch: (2 depth + 6) n.
#include "base/arena.h"
#include "solve/acceleration/anderson.h"
#include "solve/drivers/lcp_rows.h"
#include "solve/drivers/natural_map.h"
#include "solve/drivers/watch.h"
#include "solve/pivoting/lcp_dense.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define PSOR_CHECK 8 // sweeps between two residuals, since one costs as much as a sweep
#define PSOR_EARLY 4 // the first sweeps are all checked: warm starts are often done by then

#define PSOR_ANDERSON(initial)                                                                     \
    {                                                                                              \
        "anderson", CN_PARAM_INT, offsetof(solve_psor_params, anderson), initial, 0,               \
            GS_ANDERSON_MAX, "sweeps remembered by the acceleration; 0: none"                      \
    }

const cn_param solve_psor_param_table[SOLVE_PSOR_PARAM_COUNT] = {
    {"relaxation", CN_PARAM_REAL, offsetof(solve_psor_params, relaxation), 1.2, 0.01, 1.99,
     "omega; below 1 damps, above 1 hurries"},
    PSOR_ANDERSON(0),
};
const cn_param solve_lcp_nsgs_param_table[SOLVE_LCP_NSGS_PARAM_COUNT] = {PSOR_ANDERSON(5)};

// false: some diagonal entry is not positive.
static bool psor_diagonal(const cn_lcp *p, double *diagonal) {
    for (int32_t i = 0; i < p->n; i++) {
        diagonal[i] = 0.0;
        for (int64_t k = p->M.start[i]; k < p->M.start[i + 1]; k++) {
            diagonal[i] += p->M.column[k] == i ? p->M.value[k] : 0.0;
        }
        if (!(diagonal[i] > 0.0)) {
            return false;
        }
    }
    return true;
}

static void psor_sweep(const cn_lcp *p, double omega, const double *diagonal, double *z) {
    for (int32_t i = 0; i < p->n; i++) {
        double w = p->q[i];
        for (int64_t k = p->M.start[i]; k < p->M.start[i + 1]; k++) {
            w += p->M.value[k] * z[p->M.column[k]];
        }
        double next = z[i] - omega * w / diagonal[i];
        z[i] = next > 0.0 ? next : (next <= 0.0 ? 0.0 : next); // NaN goes on
    }
}

// Sweeps until the watch ends them. z: in, the guess; out, the best iterate that was checked.
static cn_status psor_run(const cn_lcp *p, const cn_solve_opts *opts, const solve_psor_params *own,
                          cn_arena *scratch, double *z, double *w, cn_solve_report *report) {
    double *diagonal = BASE_TAKE(scratch, double, p->n);
    float *weight = BASE_TAKE(scratch, float, p->n);
    double *x = BASE_TAKE(scratch, double, p->n);
    double *g = BASE_TAKE(scratch, double, p->n);
    gs_anderson anderson;
    if (!diagonal || !weight || !x || !g ||
        gs_anderson_prepare(own->anderson, p->n, false, weight, scratch, &anderson) != CN_OK) {
        return CN_ERR_MEMORY;
    }
    if (!psor_diagonal(p, diagonal)) {
        report->outcome = CN_UNSUPPORTED;
        report->detail = "a diagonal entry of M is not positive: use lemke";
        return CN_OK;
    }
    for (int32_t i = 0; i < p->n; i++) {
        weight[i] = (float)diagonal[i];
    }
    size_t bytes = (size_t)p->n * sizeof *z;
    memcpy(x, z, bytes);
    pivot_lcp_velocity(p, z, w);
    double residual = solve_natural_error_lcp(p, z, w), best = residual;
    solve_watch watch = solve_watch_start(opts);
    for (int64_t sweep = 0; !solve_watch_stop(&watch, "sweeps", sweep, residual, report);) {
        memcpy(g, x, bytes);
        psor_sweep(p, own->relaxation, diagonal, g);
        sweep++;
        if (sweep <= PSOR_EARLY || sweep % PSOR_CHECK == 0 || sweep >= opts->max_iterations) {
            pivot_lcp_velocity(p, g, w);
            residual = solve_natural_error_lcp(p, g, w);
            if (residual < best) {
                best = residual;
                memcpy(z, g, bytes);
            }
        }
        gs_anderson_step(&anderson, x, g);
    }
    return watch.status;
}

cn_status solve_lcp_psor(const cn_lcp *p, const cn_solve_opts *opts, cn_arena *scratch, double *z,
                         double *w, cn_solve_report *report) {
    solve_psor_params own;
    memcpy(&own, opts->params, sizeof own);
    return psor_run(p, opts, &own, scratch, z, w, report);
}

cn_status solve_lcp_nsgs(const cn_lcp *p, const cn_solve_opts *opts, cn_arena *scratch, double *z,
                         double *w, cn_solve_report *report) {
    solve_psor_params own;
    memcpy(&own, opts->params, sizeof own);
    own.relaxation = 1.0;
    return psor_run(p, opts, &own, scratch, z, w, report);
}
