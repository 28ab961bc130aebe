// sparse/dense.c
// P A = L U, outer-product form by rows, so that the inner loop runs along memory. Reference: Golub
// and Van Loan, Matrix Computations, section 3.4. Unblocked: fine to about a thousand unknowns;
// larger systems belong to a LAPACK backend.
#include "sparse/dense.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

static void swap_rows(int32_t n, double *a, int32_t i, int32_t j) {
    double *first = a + (int64_t)n * i, *second = a + (int64_t)n * j;
    for (int32_t k = 0; k < n; k++) {
        double kept = first[k];
        first[k] = second[k];
        second[k] = kept;
    }
}

bool sparse_lu_factor(int32_t n, double *a, int32_t *pivot) {
    return sparse_lu_factor_watched(n, a, pivot, NULL);
}

bool sparse_lu_factor_watched(int32_t n, double *a, int32_t *pivot, const sparse_lu_stop *stop) {
    double largest = 0.0;
    for (int64_t k = 0; k < (int64_t)n * n; k++) {
        largest = fmax(largest, fabs(a[k]));
    }
    // A pivot of this size is what rounding leaves of zero.
    double min = n * DBL_EPSILON * largest;
    for (int32_t k = 0; k < n; k++) {
        if (stop && stop->asks(stop->user)) {
            *stop->stopped = true;
            return false;
        }
        int32_t best = k;
        for (int32_t i = k + 1; i < n; i++) {
            if (fabs(a[(int64_t)n * i + k]) > fabs(a[(int64_t)n * best + k])) {
                best = i;
            }
        }
        pivot[k] = best;
        if (!(fabs(a[(int64_t)n * best + k]) > min)) {
            return false;
        }
        if (best != k) {
            swap_rows(n, a, k, best);
        }
        const double *top = a + (int64_t)n * k;
        for (int32_t i = k + 1; i < n; i++) {
            double *row = a + (int64_t)n * i;
            double factor = row[k] / top[k];
            row[k] = factor;
            if (factor != 0.0) {
                for (int32_t j = k + 1; j < n; j++) {
                    row[j] -= factor * top[j];
                }
            }
        }
    }
    return true;
}

void sparse_lu_solve(int32_t n, const double *factors, const int32_t *pivot, double *x) {
    for (int32_t k = 0; k < n; k++) {
        double kept = x[k];
        x[k] = x[pivot[k]];
        x[pivot[k]] = kept;
    }
    for (int32_t i = 1; i < n; i++) {
        const double *row = factors + (int64_t)n * i;
        for (int32_t j = 0; j < i; j++) {
            x[i] -= row[j] * x[j];
        }
    }
    for (int32_t i = n - 1; i >= 0; i--) {
        const double *row = factors + (int64_t)n * i;
        for (int32_t j = i + 1; j < n; j++) {
            x[i] -= row[j] * x[j];
        }
        x[i] /= row[i];
    }
}
