// solve/acceleration/anderson_kernel.h
// The long sums of the acceleration, from one source for every precision and processor; the bits
// are the same on every processor. Included by one source each, which names it.
#ifndef CAIRN_SOLVE_ACCELERATION_ANDERSON_KERNEL_H
#define CAIRN_SOLVE_ACCELERATION_ANDERSON_KERNEL_H

#include "math/wide.h"
#include "solve/acceleration/anderson.h"

// Entries handled together, so that every column stays in the first cache, and so few that a sum
// of floats loses nothing that counts.
#define GS_ANDERSON_TILE 512

MATH_INLINE double gs_dot(int64_t n, const math_real *a, const math_real *b) {
    math_wide sum = math_wide_all(0);
    int64_t i = 0;
    for (; i + MATH_WIDE <= n; i += MATH_WIDE) {
        sum += math_wide_load(a + i) * math_wide_load(b + i);
    }
    for (; i < n; i++) {
        sum[0] += a[i] * b[i];
    }
    return math_wide_total(sum);
}

// f = D (g - x) of MATH_WIDE entries, and of one.
MATH_INLINE math_wide gs_weigh(const float *weight, const math_real *x, const math_real *g) {
    return math_wide_load_float(weight) * (math_wide_load(g) - math_wide_load(x));
}

MATH_INLINE math_real gs_weigh_one(float weight, math_real x, math_real g) {
    return (math_real)weight * (g - x);
}

static double gs_anderson_norm2(const gs_anderson *s, const void *from, const void *to,
                                int64_t first, int64_t end) {
    const math_real *x = from, *g = to;
    double norm2 = 0.0;
    for (int64_t at = first; at < end; at += GS_ANDERSON_TILE) {
        int64_t last = end - at < GS_ANDERSON_TILE ? end : at + GS_ANDERSON_TILE, i = at;
        math_wide sum = math_wide_all(0);
        for (; i + MATH_WIDE <= last; i += MATH_WIDE) {
            math_wide f = gs_weigh(s->weight + i, x + i, g + i);
            sum += f * f;
        }
        for (; i < last; i++) {
            math_real f = gs_weigh_one(s->weight[i], x[i], g[i]);
            sum[0] += f * f;
        }
        norm2 += math_wide_total(sum);
    }
    return norm2;
}

// f and g of a tile take the place of the old ones, after their differences are taken; f is left
// in a place of its own too.
MATH_INLINE void gs_differ_tile(int64_t n, const float *weight, const math_real *x,
                                const math_real *g, math_real *f_old, math_real *g_old,
                                math_real *f, math_real *dF, math_real *dG) {
    int64_t i = 0;
    for (; i + MATH_WIDE <= n; i += MATH_WIDE) {
        math_wide own = gs_weigh(weight + i, x + i, g + i), value = math_wide_load(g + i);
        math_wide_store(dF + i, own - math_wide_load(f_old + i));
        math_wide_store(dG + i, value - math_wide_load(g_old + i));
        math_wide_store(f + i, own);
        math_wide_store(f_old + i, own);
        math_wide_store(g_old + i, value);
    }
    for (; i < n; i++) {
        f[i] = gs_weigh_one(weight[i], x[i], g[i]);
        dF[i] = f[i] - f_old[i];
        dG[i] = g[i] - g_old[i];
        f_old[i] = f[i];
        g_old[i] = g[i];
    }
}

static void gs_anderson_differ(const gs_anderson *s, int32_t column, const void *from,
                               const void *to, int64_t first, int64_t end, double *row) {
    const math_real *x = from, *g = to;
    math_real *history = s->dF, *dF = history + column * s->n,
              *dG = (math_real *)s->dG + column * s->n, *f_old = s->f_old, *g_old = s->g_old,
              f[GS_ANDERSON_TILE];
    for (int64_t i = first; i < end; i += GS_ANDERSON_TILE) {
        int64_t size = end - i < GS_ANDERSON_TILE ? end - i : GS_ANDERSON_TILE;
        gs_differ_tile(size, s->weight + i, x + i, g + i, f_old + i, g_old + i, f, dF + i, dG + i);
        for (int32_t j = 0; j < s->count; j++) {
            row[j] += gs_dot(size, dF + i, history + j * s->n + i);
        }
        row[GS_ANDERSON_MAX] += gs_dot(size, dF + i, f);
    }
}

static void gs_anderson_keep(const gs_anderson *s, const void *from, const void *to, int64_t first,
                             int64_t end) {
    const math_real *x = from, *g = to;
    math_real *f_old = s->f_old, *g_old = s->g_old;
    for (int64_t i = first; i < end; i++) {
        f_old[i] = gs_weigh_one(s->weight[i], x[i], g[i]);
        g_old[i] = g[i];
    }
}

static void gs_anderson_mix(const gs_anderson *s, const double *gamma, const void *from,
                            int64_t first, int64_t last, void *to) {
    const math_real *g = from;
    math_real *x = to;
    for (int64_t i = first; i < last; i += GS_ANDERSON_TILE) {
        int64_t end = last - i < GS_ANDERSON_TILE ? last : i + GS_ANDERSON_TILE;
        for (int64_t k = i; k < end; k++) {
            x[k] = g[k];
        }
        for (int32_t j = 0; j < s->count; j++) {
            const math_real *dG = (const math_real *)s->dG + j * s->n;
            math_real share = (math_real)gamma[j];
            for (int64_t k = i; k < end; k++) {
                x[k] -= share * dG[k];
            }
        }
    }
}

static void gs_anderson_extrapolate(double length, const void *from, int64_t first, int64_t end,
                                    void *to) {
    const math_real *g = from;
    math_real *x = to;
    for (int64_t i = first; i < end; i++) {
        x[i] = g[i] + (math_real)length * (g[i] - x[i]);
    }
}

#define GS_ANDERSON_KERNEL                                                                         \
    {                                                                                              \
        .number = sizeof(math_real), .norm2 = gs_anderson_norm2, .differ = gs_anderson_differ,     \
        .keep = gs_anderson_keep, .mix = gs_anderson_mix, .extrapolate = gs_anderson_extrapolate   \
    }

#endif
