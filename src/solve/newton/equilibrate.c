// solve/newton/equilibrate.c
// Symmetric equilibration after Ruiz (2001), s_i := s_i / sqrt(largest entry of row and column i),
// a few rounds, rounded to powers of two. It cannot help a matrix whose (i, j) and (j, i) entries
// differ by many orders of magnitude.
#include "solve/newton/equilibrate.h"

#include <math.h>
#include <string.h>

#define EQUILIBRATE_ROUNDS 4 // entries are within a factor 4 of balanced by then

// The power of two nearest to 1 / sqrt(x) in exponent.
static double inverse_root(double x) {
    int exponent;
    frexp(x, &exponent);
    return ldexp(1.0, -(exponent / 2));
}

void newton_equilibrate(const cn_csr *M, double *scale, double *largest) {
    for (int32_t i = 0; i < M->rows; i++) {
        scale[i] = 1.0;
    }
    for (int32_t round = 0; round < EQUILIBRATE_ROUNDS; round++) {
        memset(largest, 0, sizeof *largest * (size_t)M->rows);
        for (int32_t i = 0; i < M->rows; i++) {
            for (int64_t k = M->start[i]; k < M->start[i + 1]; k++) {
                int32_t j = M->column[k];
                double entry = fabs(M->value[k]) * scale[i] * scale[j];
                largest[i] = fmax(largest[i], entry);
                largest[j] = fmax(largest[j], entry);
            }
        }
        for (int32_t i = 0; i < M->rows; i++) {
            scale[i] *= largest[i] > 0.0 ? inverse_root(largest[i]) : 1.0;
        }
    }
}
