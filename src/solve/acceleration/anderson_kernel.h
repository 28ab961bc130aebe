// solve/acceleration/anderson_kernel.h
// The long sums of the acceleration, from one source for every precision and processor; the bits
// are the same on every processor. Included by one source each, which names it.
#ifndef CAIRN_SOLVE_ACCELERATION_ANDERSON_KERNEL_H
#define CAIRN_SOLVE_ACCELERATION_ANDERSON_KERNEL_H

#include "math/wide.h"
#include "solve/acceleration/anderson.h"

// Entries handled together, so that every column stays in the first cache, and so few that a sum
// of floats loses nothing that counts.
#define CN_ANDERSON_TILE 512

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

// f = D (g - x) of CN_WIDE entries, and of one.
CN_INLINE cn_wide cn_weigh(const float *weight, const cn_real *x, const cn_real *g) {
    return cn_wide_load_float(weight) * (cn_wide_load(g) - cn_wide_load(x));
}

CN_INLINE cn_real cn_weigh_one(float weight, cn_real x, cn_real g) {
    return (cn_real)weight * (g - x);
}

static double cn_anderson_norm2(const cn_anderson *s, const void *from, const void *to,
                                int64_t first, int64_t end) {
    const cn_real *x = from, *g = to;
    double norm2 = 0.0;
    for (int64_t at = first; at < end; at += CN_ANDERSON_TILE) {
        int64_t last = end - at < CN_ANDERSON_TILE ? end : at + CN_ANDERSON_TILE, i = at;
        cn_wide sum = cn_wide_all(0);
        for (; i + CN_WIDE <= last; i += CN_WIDE) {
            cn_wide f = cn_weigh(s->weight + i, x + i, g + i);
            sum += f * f;
        }
        for (; i < last; i++) {
            cn_real f = cn_weigh_one(s->weight[i], x[i], g[i]);
            sum[0] += f * f;
        }
        norm2 += cn_wide_total(sum);
    }
    return norm2;
}

// f and g of a tile take the place of the old ones, after their differences are taken; f is left
// in a place of its own too.
CN_INLINE void cn_differ_tile(int64_t n, const float *weight, const cn_real *x, const cn_real *g,
                              cn_real *f_old, cn_real *g_old, cn_real *f, cn_real *dF,
                              cn_real *dG) {
    int64_t i = 0;
    for (; i + CN_WIDE <= n; i += CN_WIDE) {
        cn_wide own = cn_weigh(weight + i, x + i, g + i), value = cn_wide_load(g + i);
        cn_wide_store(dF + i, own - cn_wide_load(f_old + i));
        cn_wide_store(dG + i, value - cn_wide_load(g_old + i));
        cn_wide_store(f + i, own);
        cn_wide_store(f_old + i, own);
        cn_wide_store(g_old + i, value);
    }
    for (; i < n; i++) {
        f[i] = cn_weigh_one(weight[i], x[i], g[i]);
        dF[i] = f[i] - f_old[i];
        dG[i] = g[i] - g_old[i];
        f_old[i] = f[i];
        g_old[i] = g[i];
    }
}

static void cn_anderson_differ(const cn_anderson *s, int32_t column, const void *from,
                               const void *to, int64_t first, int64_t end, double *row) {
    const cn_real *x = from, *g = to;
    cn_real *history = s->dF, *dF = history + column * s->n, *dG = (cn_real *)s->dG + column * s->n,
            *f_old = s->f_old, *g_old = s->g_old, f[CN_ANDERSON_TILE];
    for (int64_t i = first; i < end; i += CN_ANDERSON_TILE) {
        int64_t size = end - i < CN_ANDERSON_TILE ? end - i : CN_ANDERSON_TILE;
        cn_differ_tile(size, s->weight + i, x + i, g + i, f_old + i, g_old + i, f, dF + i, dG + i);
        for (int32_t j = 0; j < s->count; j++) {
            row[j] += cn_dot(size, dF + i, history + j * s->n + i);
        }
        row[CN_ANDERSON_MAX] += cn_dot(size, dF + i, f);
    }
}

static void cn_anderson_keep(const cn_anderson *s, const void *from, const void *to, int64_t first,
                             int64_t end) {
    const cn_real *x = from, *g = to;
    cn_real *f_old = s->f_old, *g_old = s->g_old;
    for (int64_t i = first; i < end; i++) {
        f_old[i] = cn_weigh_one(s->weight[i], x[i], g[i]);
        g_old[i] = g[i];
    }
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

static void cn_anderson_extrapolate(double length, const void *from, int64_t first, int64_t end,
                                    void *to) {
    const cn_real *g = from;
    cn_real *x = to;
    for (int64_t i = first; i < end; i++) {
        x[i] = g[i] + (cn_real)length * (g[i] - x[i]);
    }
}

#define CN_ANDERSON_KERNEL                                                                         \
    {                                                                                              \
        .number = sizeof(cn_real), .norm2 = cn_anderson_norm2, .differ = cn_anderson_differ,       \
        .keep = cn_anderson_keep, .mix = cn_anderson_mix, .extrapolate = cn_anderson_extrapolate   \
    }

#endif
