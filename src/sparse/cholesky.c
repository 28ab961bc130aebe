// sparse/cholesky.c
// Cholesky of small dense matrices, column by column (left looking, so that columns run through
// memory in order).
#include "sparse/cholesky.h"

#include "sparse/linear.h"

#include <math.h>

bool sparse_cholesky_factor(int32_t n, double *A, int32_t *row) {
    for (int32_t j = 0; j < n; j++) {
        double *column = A + (int64_t)n * j;
        double diagonal = column[j];
        for (int32_t k = 0; k < j; k++) {
            const double *left = A + (int64_t)n * k;
            double factor = left[j];
            for (int32_t i = j; i < n; i++) {
                column[i] -= factor * left[i];
            }
        }
        // Against its own diagonal entry, so that units do not matter.
        if (!(diagonal > 0.0 && column[j] > SPARSE_PIVOT_MIN * diagonal)) {
            *row = j;
            return false;
        }
        double pivot = sqrt(column[j]);
        for (int32_t i = j; i < n; i++) {
            column[i] /= pivot;
        }
    }
    return true;
}

void sparse_cholesky_lower(int32_t n, const double *L, double *b) {
    for (int32_t j = 0; j < n; j++) {
        const double *column = L + (int64_t)n * j;
        b[j] /= column[j];
        for (int32_t i = j + 1; i < n; i++) {
            b[i] -= column[i] * b[j];
        }
    }
}

void sparse_cholesky_upper(int32_t n, const double *L, double *b) {
    for (int32_t j = n - 1; j >= 0; j--) {
        const double *column = L + (int64_t)n * j;
        for (int32_t i = j + 1; i < n; i++) {
            b[j] -= column[i] * b[i];
        }
        b[j] /= column[j];
    }
}
