// solve/newton/fischer.c
#include "solve/newton/fischer.h"

#include "base/arena.h"

#include <math.h>

// f(a, b) and its derivatives.
static double fischer(double a, double b, double *da, double *db) {
    double root = hypot(a, b);
    if (!(root > 0.0)) {
        *da = *db = 1.0 - 0.70710678118654752440; // one element of the generalized gradient
        return 0.0;
    }
    *da = 1.0 - a / root;
    *db = 1.0 - b / root;
    // a + b - root loses everything where one is much larger: 2ab over the conjugate does not.
    return a > 0.0 && b > 0.0 ? 2.0 * a * b / (a + b + root) : a + b - root;
}

double newton_fischer_merit(const cn_mcp *p, const double *z, const double *w, double *phi,
                            double *dz, double *dw) {
    double sum = 0.0;
    for (int32_t i = 0; i < p->n; i++) {
        bool below = p->lower[i] > -HUGE_VAL, above = p->upper[i] < HUGE_VAL;
        double value = w[i], by_z = 0.0, by_w = 1.0, ua, ub, la, lb;
        if (above) {
            value = -fischer(p->upper[i] - z[i], -w[i], &ua, &ub);
            by_z = ua;
            by_w = ub;
        }
        if (below) {
            value = fischer(z[i] - p->lower[i], value, &la, &lb);
            by_z = la + lb * by_z;
            by_w = lb * by_w;
        }
        if (phi) {
            phi[i] = value;
            dz[i] = by_z;
            dw[i] = by_w;
        }
        sum += value * value;
    }
    return 0.5 * sum;
}

cn_status newton_whole_diagonal(const cn_csr *M, cn_arena *memory, cn_csr *out, int64_t **source,
                                int64_t **diagonal) {
    int32_t n = M->rows;
    int64_t room = M->start[n] + n, at = 0;
    *out = (cn_csr){.rows = n, .cols = n};
    out->start = BASE_TAKE_ZERO(memory, int64_t, (int64_t)n + 1);
    out->column = BASE_TAKE(memory, int32_t, room);
    out->value = BASE_TAKE_ZERO(memory, double, room);
    *source = BASE_TAKE(memory, int64_t, room);
    *diagonal = BASE_TAKE(memory, int64_t, n);
    if (!out->start || !out->column || !out->value || !*source || !*diagonal) {
        return CN_ERR_MEMORY;
    }
    for (int32_t i = 0; i < n; i++) {
        bool placed = false;
        for (int64_t k = M->start[i]; k <= M->start[i + 1]; k++) {
            bool last = k == M->start[i + 1];
            if (!placed && (last || M->column[k] >= i)) {
                placed = true;
                (*diagonal)[i] = at;
                if (last || M->column[k] > i) {
                    out->column[at] = i;
                    (*source)[at++] = -1;
                }
            }
            if (!last) {
                out->column[at] = M->column[k];
                (*source)[at++] = k;
            }
        }
        out->start[i + 1] = at;
    }
    return CN_OK;
}
