// sparse/linear_dense.c
// Dense factorisations by LAPACK: Cholesky A = L L' and LU with row exchanges.
//
// Good up to some hundred unknowns, or when A is full. Cost n^3/3 and 2n^3/3, memory n^2: for
// larger sparse systems use "cholmod" or "skyline". Any regular matrix: "dense-lu".
#include "sparse/linear.h"

#include "base/arena.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

typedef struct dense_state {
    double *factor;       // n x n by columns
    lapack_int *exchange; // LU only
    double *column_size;  // LU only: largest entry of each column
} dense_state;

static cn_status dense_analyse(sparse_linear *linear) {
    int64_t n = linear->A.rows;
    dense_state *state = BASE_TAKE_ZERO(linear->memory, dense_state, 1);
    if (!state) {
        return CN_ERR_MEMORY;
    }
    state->factor = BASE_TAKE(linear->memory, double, n *n);
    state->exchange = BASE_TAKE(linear->memory, lapack_int, n);
    state->column_size = BASE_TAKE(linear->memory, double, n);
    linear->state = state;
    return state->factor && state->exchange && state->column_size ? CN_OK : CN_ERR_MEMORY;
}

static void dense_fill(const sparse_linear *linear, double *dense) {
    int64_t n = linear->A.rows;
    memset(dense, 0, sizeof *dense * (size_t)(n * n));
    for (int32_t i = 0; i < n; i++) {
        for (int64_t k = linear->A.start[i]; k < linear->A.start[i + 1]; k++) {
            dense[n * linear->A.column[k] + i] = linear->A.value[k];
        }
    }
}

static cn_status dense_cholesky_factorize(sparse_linear *linear, int32_t *row) {
    dense_state *state = linear->state;
    int32_t n = linear->A.rows;
    if (n == 0) {
        return CN_OK;
    }
    dense_fill(linear, state->factor);
    lapack_int info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, state->factor, n);
    if (info != 0) {
        *row = info > 0 ? info - 1 : -1;
        return CN_ERR_NUMERIC;
    }
    for (int32_t i = 0; i < n; i++) {
        double pivot = state->factor[(int64_t)n * i + i];
        if (!(pivot * pivot > SPARSE_PIVOT_MIN * linear->A.value[linear->A.start[i + 1] - 1])) {
            *row = i;
            return CN_ERR_NUMERIC;
        }
    }
    return CN_OK;
}

static cn_status dense_cholesky_solve(sparse_linear *linear, int32_t columns, double *b) {
    dense_state *state = linear->state;
    int32_t n = linear->A.rows;
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', n, columns, state->factor, n, b, n);
    return CN_OK;
}

static cn_status dense_lu_factorize(sparse_linear *linear, int32_t *row) {
    dense_state *state = linear->state;
    int32_t n = linear->A.rows;
    if (n == 0) {
        return CN_OK;
    }
    dense_fill(linear, state->factor);
    for (int64_t j = 0; j < n; j++) {
        state->column_size[j] = 0.0;
        for (int64_t i = 0; i < n; i++) {
            state->column_size[j] = fmax(state->column_size[j], fabs(state->factor[n * j + i]));
        }
    }
    LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, state->factor, n, state->exchange);
    for (int32_t j = 0; j < n; j++) {
        double pivot = fabs(state->factor[(int64_t)n * j + j]);
        if (!(pivot > SPARSE_PIVOT_MIN * state->column_size[j] && isfinite(pivot))) {
            *row = j;
            return CN_ERR_NUMERIC;
        }
    }
    return CN_OK;
}

static cn_status dense_lu_solve(sparse_linear *linear, int32_t columns, double *b) {
    dense_state *state = linear->state;
    int32_t n = linear->A.rows;
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n, columns, state->factor, n, state->exchange, b, n);
    return CN_OK;
}

const sparse_linear_backend sparse_linear_dense_cholesky = {
    .name = "dense-cholesky",
    .about = "LAPACK Cholesky of the full matrix; positive definite, a few hundred unknowns",
    .definite = true,
    .analyse = dense_analyse,
    .factorize = dense_cholesky_factorize,
    .solve = dense_cholesky_solve,
};

const sparse_linear_backend sparse_linear_dense_lu = {
    .name = "dense-lu",
    .about = "LAPACK LU of the full matrix; any regular one, a few hundred unknowns",
    .definite = false,
    .analyse = dense_analyse,
    .factorize = dense_lu_factorize,
    .solve = dense_lu_solve,
};
