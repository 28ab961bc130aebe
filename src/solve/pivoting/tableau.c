// solve/pivoting/tableau.c
// Pivots on a dense tableau, and the tableau anew from its basis now and then. Reference: Cottle,
// Pang and Stone, The Linear Complementarity Problem, chapters 2 and 4.
//
// n^2 numbers, n^2 work a pivot: bad beyond a few thousand unknowns. Scratch: n (n + 2) and as much
// again for refreshing.
#include "solve/pivoting/tableau.h"

#include "base/arena.h"
#include "sparse/dense.h"

#include <math.h>
#include <string.h>

#define RAY_ZERO 1e-12   // of the sum of sizes: a sum that counts as zero in the proof
#define RAY_CERTAIN 1e-8 // of the sum of sizes: a sum that is negative beyond doubt

void pivot_tableau_place(const pivot_lcp_dense *d, double *reals, int32_t *ints, pivot_tableau *t) {
    int64_t n = d->n;
    *t = (pivot_tableau){.d = d, .n = d->n, .stride = n + 2};
    t->T = reals;
    t->factors = t->T + t->stride * n;
    t->cover = t->factors + n * n;
    t->column = t->cover + n;
    t->basic = ints;
    t->first = t->basic + n;
    t->tied = t->first + n;
    t->exchange = t->tied + n;
    t->free = t->exchange + n;
    t->place = t->free + n + 1;
}

cn_status pivot_tableau_prepare(const pivot_lcp_dense *d, cn_arena *scratch, pivot_tableau *t) {
    int64_t n = d->n;
    double *reals = BASE_TAKE(scratch, double, PIVOT_TABLEAU_REALS(n));
    int32_t *ints = BASE_TAKE(scratch, int32_t, PIVOT_TABLEAU_INTS(n));
    if (!reals || !ints) {
        return CN_ERR_MEMORY;
    }
    pivot_tableau_place(d, reals, ints, t);
    return CN_OK;
}

void pivot_tableau_reset(pivot_tableau *t) {
    int32_t n = t->n;
    for (int32_t i = 0; i < n; i++) {
        double *row = t->T + t->stride * i;
        for (int32_t j = 0; j < n; j++) {
            row[j] = -t->d->M[(int64_t)n * i + j];
        }
        row[n] = 0.0;
        t->cover[i] = 0.0;
        t->first[i] = i;
        row[n + 1] = t->d->q[i];
        t->basic[i] = i;
        t->free[i] = n + i;
        t->place[i] = i;
        t->place[n + i] = -1 - i;
    }
    t->free[n] = 2 * n;
    t->place[2 * n] = -1 - n;
}

void pivot_tableau_pivot(pivot_tableau *t, int32_t r, int32_t c) {
    double *top = t->T + t->stride * r;
    double inverse = 1.0 / top[c];
    for (int64_t j = 0; j < t->stride; j++) {
        top[j] *= inverse;
    }
    top[c] = inverse;
    for (int32_t i = 0; i < t->n; i++) {
        double *row = t->T + t->stride * i;
        double factor = row[c];
        if (i == r || factor == 0.0) {
            continue;
        }
        row[c] = 0.0;
        for (int64_t j = 0; j < t->stride; j++) {
            row[j] -= factor * top[j];
        }
    }
    int32_t leaving = t->basic[r];
    t->basic[r] = t->free[c];
    t->free[c] = leaving;
    t->place[t->basic[r]] = r;
    t->place[leaving] = -1 - c;
    t->pivots++;
}

int32_t pivot_tableau_complement(const pivot_tableau *t, int32_t variable) {
    return variable < t->n ? variable + t->n : variable - t->n;
}

double pivot_tableau_entry(const pivot_tableau *t, int32_t variable, int32_t i) {
    int32_t n = t->n;
    if (variable < n) {
        return variable == i ? 1.0 : 0.0;
    }
    return variable < 2 * n ? -t->d->M[(int64_t)n * i + variable - n] : -t->cover[i];
}

bool pivot_tableau_stops(pivot_tableau *t) {
    return solve_watch_tick(t->watch, "pivots", t->pivots, (double)NAN, t->report);
}

static bool tableau_asks(void *user) {
    return pivot_tableau_stops(user);
}

// LU of the basis. SINGULAR: rounding has made it so.
static pivot_tableau_state tableau_factor(pivot_tableau *t) {
    int32_t n = t->n;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            t->factors[(int64_t)n * i + j] = pivot_tableau_entry(t, t->basic[j], i);
        }
    }
    bool stopped = false;
    sparse_lu_stop stop = {.asks = tableau_asks, .user = t, .stopped = &stopped};
    bool regular = sparse_lu_factor_watched(n, t->factors, t->exchange, &stop);
    return regular ? PIVOT_TABLEAU_FRESH
                   : (stopped ? PIVOT_TABLEAU_STOPPED : PIVOT_TABLEAU_SINGULAR);
}

pivot_tableau_state pivot_tableau_refresh(pivot_tableau *t) {
    int32_t n = t->n;
    pivot_tableau_state state = tableau_factor(t);
    for (int32_t j = 0; state == PIVOT_TABLEAU_FRESH && j < n + 2; j++) {
        for (int32_t i = 0; i < n; i++) {
            t->column[i] = j <= n ? pivot_tableau_entry(t, t->free[j], i) : t->d->q[i];
        }
        sparse_lu_solve(n, t->factors, t->exchange, t->column);
        for (int32_t i = 0; i < n; i++) {
            t->T[t->stride * i + j] = t->column[i];
        }
        state = pivot_tableau_stops(t) ? PIVOT_TABLEAU_STOPPED : PIVOT_TABLEAU_FRESH;
    }
    return state;
}

void pivot_tableau_refine(pivot_tableau *t, int32_t steps) {
    int32_t n = t->n;
    if (steps == 0 || tableau_factor(t) != PIVOT_TABLEAU_FRESH) {
        return;
    }
    for (int32_t step = 0; step < steps; step++) {
        for (int32_t i = 0; i < n; i++) {
            t->column[i] = t->d->q[i];
            for (int32_t j = 0; j < n; j++) {
                t->column[i] -=
                    pivot_tableau_entry(t, t->basic[j], i) * t->T[t->stride * j + n + 1];
            }
        }
        sparse_lu_solve(n, t->factors, t->exchange, t->column);
        for (int32_t i = 0; i < n; i++) {
            t->T[t->stride * i + n + 1] += t->column[i];
        }
    }
}

// Entry j of row i of (right side, basis inverse); the inverse, relative to the first basis, has
// the columns of the variables that were basic then.
static double tableau_order(const pivot_tableau *t, int32_t i, int32_t j) {
    if (j < 0) {
        return t->T[t->stride * i + t->n + 1];
    }
    int32_t place = t->place[t->first[j]];
    return place >= 0 ? (place == i ? 1.0 : 0.0) : t->T[t->stride * i - 1 - place];
}

int32_t pivot_tableau_narrow(pivot_tableau *t, int32_t count, int32_t j, int32_t c) {
    double min = HUGE_VAL, size = 0.0;
    for (int32_t k = 0; k < count; k++) {
        double entry = tableau_order(t, t->tied[k], j);
        double ratio = entry / t->T[t->stride * t->tied[k] + c];
        min = ratio < min ? ratio : min;
        size = fmax(size, fabs(entry));
    }
    int32_t kept = 0;
    for (int32_t k = 0; k < count; k++) {
        int32_t i = t->tied[k];
        // What this entry would be after the pivot.
        double after = tableau_order(t, i, j) - min * t->T[t->stride * i + c];
        if (after <= PIVOT_TABLEAU_TIE * size) {
            t->tied[kept++] = i;
        }
    }
    return kept;
}

int32_t pivot_tableau_break_tie(pivot_tableau *t, int32_t count, int32_t c) {
    for (int32_t j = 0; j < t->n && count > 1; j++) {
        count = pivot_tableau_narrow(t, count, j, c);
    }
    return t->tied[0];
}

void pivot_tableau_read(const pivot_tableau *t, int32_t column, double *z) {
    int32_t n = t->n;
    for (int32_t i = 0; i < n; i++) {
        int32_t place = t->place[n + i];
        if (column < 0) {
            z[i] = place >= 0 ? t->T[t->stride * place + n + 1] : 0.0;
        } else {
            z[i] = place >= 0 ? -t->T[t->stride * place + column] : (-1 - place == column);
        }
        z[i] = z[i] > 0.0 ? z[i] : 0.0;
    }
    pivot_lcp_dense_unscale(t->d, z, z);
}

bool pivot_ray_proves(const cn_lcp *p, const double *v, double *sum, double *size) {
    double product = 0.0, products = 0.0;
    memset(sum, 0, (size_t)p->n * sizeof *sum);
    memset(size, 0, (size_t)p->n * sizeof *size);
    for (int32_t i = 0; i < p->n; i++) {
        product += p->q[i] * v[i];
        products += fabs(p->q[i]) * v[i];
        for (int64_t k = p->M.start[i]; k < p->M.start[i + 1]; k++) {
            sum[p->M.column[k]] += p->M.value[k] * v[i];
            size[p->M.column[k]] += fabs(p->M.value[k]) * v[i];
        }
    }
    for (int32_t j = 0; j < p->n; j++) {
        if (!(sum[j] <= RAY_ZERO * size[j])) {
            return false;
        }
    }
    return product < -RAY_CERTAIN * products;
}
