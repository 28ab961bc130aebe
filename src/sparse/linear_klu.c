// sparse/linear_klu.c
// Sparse LU with threshold pivoting by KLU: block triangular form, AMD ordering, Gilbert-Peierls.
//
// Reference: Davis and Palamadai Natarajan, ACM TOMS 37(3), 2010. Any regular sparse matrix,
// without BLAS, so bitwise identical on every machine. Slow where the factors fill in (3D meshes):
// "cholmod" where the matrix is definite. It allocates for itself.
#include "sparse/linear.h"

#include "base/arena.h"

#include <klu.h>
#include <math.h>

typedef struct sparse_klu {
    klu_l_common common;
    klu_l_symbolic *symbolic;
    klu_l_numeric *numeric;
    SuiteSparse_long *start, *row; // our rows are KLU's columns: it factorises A'
} sparse_klu;

static cn_status klu_analyse(sparse_linear *linear) {
    cn_csr *own = &linear->A;
    int64_t entries = own->start[own->rows];
    sparse_klu *state = BASE_TAKE_ZERO(linear->memory, sparse_klu, 1);
    if (!state) {
        return CN_ERR_MEMORY;
    }
    state->start = BASE_TAKE(linear->memory, SuiteSparse_long, (int64_t)own->rows + 1);
    state->row = BASE_TAKE(linear->memory, SuiteSparse_long, entries);
    if (!state->start || !state->row) {
        return CN_ERR_MEMORY;
    }
    for (int32_t i = 0; i <= own->rows; i++) {
        state->start[i] = own->start[i];
    }
    for (int64_t k = 0; k < entries; k++) {
        state->row[k] = own->column[k];
    }
    klu_l_defaults(&state->common);
    linear->state = state;
    if (own->rows == 0) {
        return CN_OK;
    }
    state->symbolic = klu_l_analyze(own->rows, state->start, state->row, &state->common);
    // A structurally singular matrix has no analysis, which the factorisation then reports.
    bool memory = state->symbolic || state->common.status == KLU_SINGULAR;
    return memory ? CN_OK : CN_ERR_MEMORY;
}

static cn_status klu_factorize(sparse_linear *linear, int32_t *row) {
    sparse_klu *state = linear->state;
    if (linear->A.rows == 0) {
        return CN_OK;
    }
    if (!state->symbolic) {
        return CN_ERR_NUMERIC;
    }
    klu_l_free_numeric(&state->numeric, &state->common);
    state->numeric =
        klu_l_factor(state->start, state->row, linear->A.value, state->symbolic, &state->common);
    if (!state->numeric || state->common.status == KLU_SINGULAR) {
        *row = -1;
        return state->common.status == KLU_OUT_OF_MEMORY ? CN_ERR_MEMORY : CN_ERR_NUMERIC;
    }
    // A cheap estimate of the condition: what is below is rounding.
    klu_l_rcond(state->symbolic, state->numeric, &state->common);
    return state->common.rcond > SPARSE_PIVOT_MIN * SPARSE_PIVOT_MIN ? CN_OK : CN_ERR_NUMERIC;
}

static cn_status apply_klu_factors(sparse_linear *linear, int32_t columns, double *b) {
    sparse_klu *state = linear->state;
    int32_t n = linear->A.rows;
    klu_l_tsolve(state->symbolic, state->numeric, n, columns, b, &state->common);
    return CN_OK;
}

static void klu_destroy(sparse_linear *linear) {
    sparse_klu *state = linear->state;
    klu_l_free_numeric(&state->numeric, &state->common);
    klu_l_free_symbolic(&state->symbolic, &state->common);
}

double sparse_linear_klu_work(const sparse_linear *linear) {
    const sparse_klu *state = linear->state;
    return state->symbolic && state->symbolic->est_flops > 0.0 ? state->symbolic->est_flops : 0.0;
}

const sparse_linear_backend sparse_linear_klu = {
    .name = "klu",
    .about = "sparse LU with threshold pivoting (KLU); any regular matrix, no BLAS",
    .definite = false,
    .analyse = klu_analyse,
    .factorize = klu_factorize,
    .solve = apply_klu_factors,
    .destroy = klu_destroy,
};
