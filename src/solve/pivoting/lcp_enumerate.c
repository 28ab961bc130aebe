// solve/pivoting/lcp_enumerate.c
// Tiny LCPs of any kind: every complementary support is tried.
//
// A solution is a point x >= 0 of C x = q, where for each i the column of C is e_i (w_i), -M e_i
// (z_i) or nothing. Where a solution exists there is one whose columns are independent (an extreme
// point), so that the search over all independent supports finds it, or shows that there is none.
// The columns are made orthonormal as they are added, q - C x is what remains of q.
//
// 3^n supports: bad beyond SOLVE_LCP_ENUMERATE_MAX, and slower than "lemke" wherever that succeeds.
#include "base/arena.h"
#include "solve/drivers/lcp_rows.h"
#include "solve/pivoting/lcp_dense.h"

#include <math.h>
#include <string.h>

#define SUPPORT_MAX SOLVE_LCP_ENUMERATE_MAX
#define SUPPORT_DEPENDENT 1e-10 // of a column's norm: less is in the span of the others
#define SUPPORT_EQUAL 1e-10     // of |q|: a remainder that counts as zero
#define SUPPORT_SIGN 1e-10      // of the largest x: more negative is not a solution

typedef enum index_choice { CHOICE_W, CHOICE_Z, CHOICE_NONE, CHOICE_COUNT } index_choice;

// Depth-first search. Level i decides about pair i; column k of the support is the k-th pair that
// is not CHOICE_NONE.
typedef struct pivot_support {
    const pivot_lcp_dense *d;
    index_choice choice[SUPPORT_MAX];
    int32_t count;
    double Q[SUPPORT_MAX][SUPPORT_MAX]; // orthonormal columns, Q[k] the k-th
    double R[SUPPORT_MAX][SUPPORT_MAX]; // column k = sum_j R[j][k] Q[j]
    double y[SUPPORT_MAX];              // Q' q
    double z[SUPPORT_MAX];              // the solution found
    int32_t tried;
} pivot_support;

// Adds the column of pair i; false when it depends on the others.
static bool support_push(pivot_support *s, int32_t i, index_choice choice) {
    int32_t n = s->d->n, k = s->count;
    double column[SUPPORT_MAX], norm = 0.0, left = 0.0;
    for (int32_t row = 0; row < n; row++) {
        column[row] = choice == CHOICE_W ? (row == i) : -s->d->M[(int64_t)n * row + i];
        norm += column[row] * column[row];
    }
    // Twice is enough (Kahan): the second pass takes out what cancellation left of the first.
    for (int32_t j = 0; j < k; j++) {
        s->R[j][k] = 0.0;
    }
    for (int32_t pass = 0; pass < 2; pass++) {
        for (int32_t j = 0; j < k; j++) {
            double dot = 0.0;
            for (int32_t row = 0; row < n; row++) {
                dot += s->Q[j][row] * column[row];
            }
            s->R[j][k] += dot;
            for (int32_t row = 0; row < n; row++) {
                column[row] -= dot * s->Q[j][row];
            }
        }
    }
    for (int32_t row = 0; row < n; row++) {
        left += column[row] * column[row];
    }
    if (!(sqrt(left) > SUPPORT_DEPENDENT * sqrt(norm))) {
        return false;
    }
    s->R[k][k] = sqrt(left);
    s->y[k] = 0.0;
    for (int32_t row = 0; row < n; row++) {
        s->Q[k][row] = column[row] / s->R[k][k];
        s->y[k] += s->Q[k][row] * s->d->q[row];
    }
    s->count++;
    return true;
}

// Whether q lies in the cone of the columns; z from the coefficients then.
static bool support_accept(pivot_support *s) {
    int32_t n = s->d->n;
    double left = 0.0, norm = 0.0, largest = 0.0, min = 0.0;
    for (int32_t row = 0; row < n; row++) {
        double rest = s->d->q[row];
        norm += rest * rest;
        for (int32_t k = 0; k < s->count; k++) {
            rest -= s->y[k] * s->Q[k][row];
        }
        left += rest * rest;
    }
    s->tried++;
    if (!(sqrt(left) <= SUPPORT_EQUAL * sqrt(norm))) {
        return false;
    }
    double x[SUPPORT_MAX];
    for (int32_t k = s->count - 1; k >= 0; k--) {
        x[k] = s->y[k];
        for (int32_t j = k + 1; j < s->count; j++) {
            x[k] -= s->R[k][j] * x[j];
        }
        x[k] /= s->R[k][k];
        largest = fmax(largest, fabs(x[k]));
        min = fmin(min, x[k]);
    }
    if (!(min >= -SUPPORT_SIGN * largest)) {
        return false;
    }
    int32_t k = 0;
    for (int32_t i = 0; i < n; i++) {
        s->z[i] = s->choice[i] == CHOICE_Z ? fmax(0.0, x[k]) : 0.0;
        k += s->choice[i] != CHOICE_NONE;
    }
    return true;
}

static bool support_search(pivot_support *s, int32_t level) {
    if (level == s->d->n) {
        return support_accept(s);
    }
    for (int32_t c = 0; c < CHOICE_COUNT; c++) {
        int32_t count = s->count;
        s->choice[level] = (index_choice)c;
        if (c != CHOICE_NONE && !support_push(s, level, (index_choice)c)) {
            continue;
        }
        if (support_search(s, level + 1)) {
            return true;
        }
        s->count = count;
    }
    return false;
}

#define ENUMERATE_REFINEMENTS 3

cn_status solve_lcp_enumerate(const cn_lcp *p, const cn_solve_opts *opts, cn_arena *scratch,
                              double *z, double *w, cn_solve_report *report) {
    (void)opts;
    if (p->n > SUPPORT_MAX) {
        report->outcome = CN_UNSUPPORTED;
        report->detail = "too many unknowns to try every support";
        return CN_OK;
    }
    pivot_lcp_dense dense;
    CN_TRY(pivot_lcp_dense_build(p, true, scratch, &dense));
    pivot_support support = {.d = &dense};
    bool found = support_search(&support, 0);
    report->iterations = support.tried;
    if (!found) {
        report->outcome = CN_INFEASIBLE;
        report->detail = "every complementary support was tried: there is no solution";
        return CN_OK;
    }
    double residual;
    pivot_lcp_dense_unscale(&dense, support.z, z);
    report->outcome = CN_SOLVED;
    report->detail = "found among the complementary supports";
    return pivot_lcp_polish(p, ENUMERATE_REFINEMENTS, scratch, z, w, &residual);
}
