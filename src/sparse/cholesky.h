// sparse/cholesky.h
// Small dense positive definite matrices (a body's mass matrix): own kernels without scratch, the
// same bits everywhere. Above some hundred unknowns use sparse/linear.h.
#ifndef CAIRN_SPARSE_CHOLESKY_H
#define CAIRN_SPARSE_CHOLESKY_H

#include <stdbool.h>
#include <stdint.h>

// A = L L', n x n by columns, in place in the lower triangle; the upper one is neither read nor
// written. false: not positive definite to working precision, at *row.
bool sparse_cholesky_factor(int32_t n, double *A, int32_t *row);
// b := L^-1 b
void sparse_cholesky_lower(int32_t n, const double *L, double *b);
// b := L'^-1 b
void sparse_cholesky_upper(int32_t n, const double *L, double *b);

#endif
