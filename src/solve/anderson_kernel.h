// solve/anderson_kernel.h
// The long sums of the acceleration, from one source for every processor; the bits are the same.
// Included by the file of each kind of processor.
#ifndef CAIRN_SOLVE_ANDERSON_KERNEL_H
#define CAIRN_SOLVE_ANDERSON_KERNEL_H

#include "math/wide.h"
#include "solve/anderson.h"

#define CN_ANDERSON_TILE                                                                           \
    512 // entries handled together, so that every column stays in the first cache

CN_INLINE double cn_wide_total(cn_wide sum) {
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

CN_INLINE double cn_dot(int64_t n, const double *a, const double *b) {
    cn_wide sum = cn_wide_all(0.0);
    int64_t i = 0;
    for (; i + CN_WIDE <= n; i += CN_WIDE) {
        sum += cn_wide_load(a + i) * cn_wide_load(b + i);
    }
    for (; i < n; i++) {
        sum[0] += a[i] * b[i];
    }
    return cn_wide_total(sum);
}

static double cn_anderson_weigh(int64_t n, const double *weight, const double *x, const double *g,
                                double *f) {
    cn_wide sum = cn_wide_all(0.0);
    int64_t i = 0;
    for (; i + CN_WIDE <= n; i += CN_WIDE) {
        cn_wide own = cn_wide_load(weight + i) * (cn_wide_load(g + i) - cn_wide_load(x + i));
        cn_wide_store(f + i, own);
        sum += own * own;
    }
    for (; i < n; i++) {
        f[i] = weight[i] * (g[i] - x[i]);
        sum[0] += f[i] * f[i];
    }
    return cn_wide_total(sum);
}

static void cn_anderson_differ(const cn_anderson *s, int32_t column, const double *g, int64_t first,
                               int64_t end, double *row) {
    double *dF = s->dF + column * s->n, *dG = s->dG + column * s->n;
    for (int64_t i = first; i < end; i += CN_ANDERSON_TILE) {
        int64_t size = end - i < CN_ANDERSON_TILE ? end - i : CN_ANDERSON_TILE;
        for (int64_t k = i; k < i + size; k++) {
            dF[k] = s->f[k] - s->f_old[k];
            dG[k] = g[k] - s->g_old[k];
        }
        for (int32_t j = 0; j < s->count; j++) {
            row[j] += cn_dot(size, dF + i, s->dF + j * s->n + i);
        }
        row[CN_ANDERSON_MAX] += cn_dot(size, dF + i, s->f + i);
    }
}

static void cn_anderson_mix(const cn_anderson *s, const double *gamma, const double *g,
                            int64_t first, int64_t last, double *x) {
    for (int64_t i = first; i < last; i += CN_ANDERSON_TILE) {
        int64_t end = last - i < CN_ANDERSON_TILE ? last : i + CN_ANDERSON_TILE;
        for (int64_t k = i; k < end; k++) {
            x[k] = g[k];
        }
        for (int32_t j = 0; j < s->count; j++) {
            const double *dG = s->dG + j * s->n;
            for (int64_t k = i; k < end; k++) {
                x[k] -= gamma[j] * dG[k];
            }
        }
    }
}

#define CN_ANDERSON_KERNEL                                                                         \
    { .weigh = cn_anderson_weigh, .differ = cn_anderson_differ, .mix = cn_anderson_mix }

#endif
