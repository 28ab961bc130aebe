// sparse/dense.h
// Small dense systems in the caller's memory by our own kernel: LU with row exchanges, the same
// bits on every machine. The backends of linear.h own their memory and lean on LAPACK.
#ifndef CAIRN_SPARSE_DENSE_H
#define CAIRN_SPARSE_DENSE_H

#include <stdbool.h>
#include <stdint.h>

// a (n x n, by rows) := its factors, pivot[n] := the row exchanges. false when a is singular to
// working accuracy; a is spoilt then.
bool sparse_lu_factor(int32_t n, double *a, int32_t *pivot);
// The same, asking before each of the n steps whether to stop, since large n take seconds; then
// false, with *stopped true.
typedef struct sparse_lu_stop {
    bool (*asks)(void *user);
    void *user;
    bool *stopped;
} sparse_lu_stop;
bool sparse_lu_factor_watched(int32_t n, double *a, int32_t *pivot, const sparse_lu_stop *stop);
// x := A^-1 x with the factors of sparse_lu_factor.
void sparse_lu_solve(int32_t n, const double *factors, const int32_t *pivot, double *x);

#endif
