// solve/anderson_kernel.h
// The long sums of the acceleration, from one source for every precision and processor; the bits
// are the same on every processor. Included by one source each, which names it.
#ifndef CAIRN_SOLVE_ANDERSON_KERNEL_H
#define CAIRN_SOLVE_ANDERSON_KERNEL_H

#include "math/wide.h"
#include "solve/anderson.h"

#define CN_ANDERSON_TILE                                                                           \
    512 // entries handled together, so that every column stays in the first cache, and so few
        // that a sum of singles loses nothing that counts

CN_INLINE double cn_dot(int64_t n, const cn_real *a, const cn_real *b) {
    cn_wide sum = cn_wide_all(0);
    int64_t i = 0;
    for (; i + CN_WIDE <= n; i += CN_WIDE) {
        sum += cn_wide_load(a + i) * cn_wide_load(b + i);
    }
    for (; i < n; i++) {
        sum[0] += a[i] * b[i];
    }
    return cn_wide_total(sum);
}

// f = D (g - x) of a tile; returns |f|^2.
CN_INLINE double cn_weigh_tile(int64_t n, const float *weight, const cn_real *x, const cn_real *g,
                               cn_real *f) {
    cn_wide sum = cn_wide_all(0);
    int64_t i = 0;
    for (; i + CN_WIDE <= n; i += CN_WIDE) {
        cn_wide own = cn_wide_load_single(weight + i) * (cn_wide_load(g + i) - cn_wide_load(x + i));
        cn_wide_store(f + i, own);
        sum += own * own;
    }
    for (; i < n; i++) {
        f[i] = (cn_real)weight[i] * (g[i] - x[i]);
        sum[0] += f[i] * f[i];
    }
    return cn_wide_total(sum);
}

static double cn_anderson_weigh(const cn_anderson *s, int32_t column, const void *from,
                                const void *to, int64_t first, int64_t end, double *row) {
    const cn_real *x = from, *g = to, *g_old = s->g_old, *f_old = s->f_old;
    cn_real *f = s->f;
    cn_real *history = s->dF, *dF = history + column * s->n, *dG = (cn_real *)s->dG + column * s->n;
    double norm2 = 0.0;
    for (int64_t i = first; i < end; i += CN_ANDERSON_TILE) {
        int64_t size = end - i < CN_ANDERSON_TILE ? end - i : CN_ANDERSON_TILE;
        norm2 += cn_weigh_tile(size, s->weight + i, x + i, g + i, f + i);
        if (!row) {
            continue;
        }
        for (int64_t k = i; k < i + size; k++) {
            dF[k] = f[k] - f_old[k];
            dG[k] = g[k] - g_old[k];
        }
        for (int32_t j = 0; j < s->count; j++) {
            row[j] += cn_dot(size, dF + i, history + j * s->n + i);
        }
        row[CN_ANDERSON_MAX] += cn_dot(size, dF + i, f + i);
    }
    return norm2;
}

static void cn_anderson_mix(const cn_anderson *s, const double *gamma, const void *from,
                            int64_t first, int64_t last, void *to) {
    const cn_real *g = from;
    cn_real *x = to;
    for (int64_t i = first; i < last; i += CN_ANDERSON_TILE) {
        int64_t end = last - i < CN_ANDERSON_TILE ? last : i + CN_ANDERSON_TILE;
        for (int64_t k = i; k < end; k++) {
            x[k] = g[k];
        }
        for (int32_t j = 0; j < s->count; j++) {
            const cn_real *dG = (const cn_real *)s->dG + j * s->n;
            cn_real share = (cn_real)gamma[j];
            for (int64_t k = i; k < end; k++) {
                x[k] -= share * dG[k];
            }
        }
    }
}

static void cn_anderson_leap(double length, const void *from, int64_t first, int64_t end,
                             void *to) {
    const cn_real *g = from;
    cn_real *x = to;
    for (int64_t i = first; i < end; i++) {
        x[i] = g[i] + (cn_real)length * (g[i] - x[i]);
    }
}

#define CN_ANDERSON_KERNEL                                                                         \
    {                                                                                              \
        .number = sizeof(cn_real), .weigh = cn_anderson_weigh, .mix = cn_anderson_mix,             \
        .leap = cn_anderson_leap                                                                   \
    }

#endif
