// solve/pivoting/lcp_dense.c
#include "solve/pivoting/lcp_dense.h"

#include "base/arena.h"
#include "solve/drivers/mcp_rows.h"
#include "solve/drivers/natural_map.h"
#include "solve/drivers/watch.h"
#include "solve/newton/equilibrate.h"
#include "sparse/csr.h"

#include <math.h>
#include <string.h>

void pivot_lcp_velocity(const cn_lcp *p, const double *z, double *w) {
    sparse_csr_apply(&p->M, z, w);
    for (int32_t i = 0; i < p->n; i++) {
        w[i] += p->q[i];
    }
}

cn_status pivot_lcp_dense_build(const cn_lcp *p, bool scaled, cn_arena *scratch,
                                pivot_lcp_dense *out) {
    int32_t n = p->n;
    *out = (pivot_lcp_dense){.n = n, .size = 1.0};
    out->M = BASE_TAKE_ZERO(scratch, double, (int64_t)n *n);
    out->q = BASE_TAKE(scratch, double, n);
    out->scale = BASE_TAKE(scratch, double, n);
    double *largest = BASE_TAKE(scratch, double, n);
    if (!out->M || !out->q || !out->scale || !largest) {
        return CN_ERR_MEMORY;
    }
    if (scaled) {
        newton_equilibrate(&p->M, out->scale, largest);
    }
    for (int32_t i = 0; i < n; i++) {
        out->scale[i] = scaled ? out->scale[i] : 1.0;
        out->q[i] = p->q[i];
    }
    for (int32_t i = 0; i < n; i++) {
        for (int64_t k = p->M.start[i]; k < p->M.start[i + 1]; k++) {
            int32_t j = p->M.column[k];
            out->M[(int64_t)n * i + j] += out->scale[i] * p->M.value[k] * out->scale[j];
        }
    }
    if (!scaled) {
        return CN_OK;
    }
    double size = 0.0;
    for (int32_t i = 0; i < n; i++) {
        out->q[i] *= out->scale[i];
        size = fmax(size, fabs(out->q[i]));
    }
    int exponent;
    frexp(size, &exponent);
    out->size = ldexp(1.0, exponent);
    for (int32_t i = 0; i < n; i++) {
        out->q[i] /= out->size;
    }
    return CN_OK;
}

void pivot_lcp_dense_unscale(const pivot_lcp_dense *d, const double *inner, double *z) {
    for (int32_t i = 0; i < d->n; i++) {
        z[i] = d->size * d->scale[i] * inner[i];
    }
}

bool pivot_lcp_dense_asked(const cn_lcp *p, const cn_solve_opts *opts, int64_t max_size,
                           const double *z, double *w, double *residual, cn_solve_report *report) {
    if (p->n > max_size) {
        solve_report_end(report, CN_UNSUPPORTED,
                         "too large for a dense tableau (max_size): use nsgs or raise it");
        return false;
    }
    pivot_lcp_velocity(p, z, w);
    *residual = solve_natural_error_lcp(p, z, w);
    if (*residual <= SOLVE_WATCH_MARGIN * opts->tolerance) {
        solve_report_end(report, CN_SOLVED, "the first guess is a solution");
        return false;
    }
    return true;
}

cn_status pivot_lcp_polish(const cn_lcp *p, int32_t refinements, cn_arena *scratch, double *z,
                           double *w, double *residual) {
    cn_mcp same;
    base_arena_mark mark = base_arena_get_mark(scratch);
    cn_status status = cn_mcp_from_lcp(p, scratch, &same, NULL);
    if (status == CN_OK) {
        status = solve_mcp_polish(&same, refinements, scratch, z, w, residual);
    }
    base_arena_release(scratch, mark);
    return status;
}
