// sparse/linear_cholmod.c
// Sparse Cholesky P A P' = L L' by CHOLMOD, simplicial or supernodal as the fill asks for.
//
// Reference: Chen, Davis, Hager and Rajamanickam, ACM TOMS 35(3), 2008. One ordering (AMD) is
// tried, so that the answer depends on the pattern alone. The supernodal kernels call BLAS, whose
// bits depend on the processor: where bits matter use "skyline". Built only with CAIRN_CHOLMOD,
// since CHOLMOD's supernodal part is under the GPL; it allocates for itself.
#ifdef CAIRN_WITH_CHOLMOD

#include "sparse/linear.h"

#include "base/arena.h"

#include <cholmod.h>

typedef struct sparse_cholmod {
    cholmod_common common;
    cholmod_sparse A; // by columns, upper triangle: the rows of our lower triangle
    cholmod_factor *L;
    cholmod_dense *X, *Y, *E; // work space of the solves, kept
} sparse_cholmod;

static cn_status cholmod_analyse(sparse_linear *linear) {
    cn_csr *own = &linear->A;
    int64_t entries = own->start[own->rows];
    sparse_cholmod *state = BASE_TAKE_ZERO(linear->memory, sparse_cholmod, 1);
    SuiteSparse_long *row = BASE_TAKE(linear->memory, SuiteSparse_long, entries);
    SuiteSparse_long *start = BASE_TAKE(linear->memory, SuiteSparse_long, (int64_t)own->rows + 1);
    if (!state || !row || !start) {
        return CN_ERR_MEMORY;
    }
    for (int64_t k = 0; k < entries; k++) {
        row[k] = own->column[k];
    }
    for (int32_t i = 0; i <= own->rows; i++) {
        start[i] = own->start[i];
    }
    cholmod_l_start(&state->common);
    linear->state = state;
    state->common.print = 0;
    state->common.nmethods = 1;
    state->common.method[0].ordering = CHOLMOD_AMD;
    // L D L' would go on through negative pivots; L L' stops there.
    state->common.final_ll = true;
    state->A = (cholmod_sparse){.nrow = (size_t)own->rows,
                                .ncol = (size_t)own->rows,
                                .nzmax = (size_t)entries,
                                .p = start,
                                .i = row,
                                .x = own->value,
                                .stype = 1,
                                .itype = CHOLMOD_LONG,
                                .xtype = CHOLMOD_REAL,
                                .dtype = CHOLMOD_DOUBLE,
                                .sorted = true,
                                .packed = true};
    state->L = cholmod_l_analyze(&state->A, &state->common);
    return state->L ? CN_OK : CN_ERR_MEMORY;
}

static cn_status factorize_by_cholmod(sparse_linear *linear, int32_t *row) {
    sparse_cholmod *state = linear->state;
    if (!cholmod_l_factorize(&state->A, state->L, &state->common)) {
        return CN_ERR_MEMORY;
    }
    if (state->common.status == CHOLMOD_NOT_POSDEF || state->L->minor < state->L->n) {
        const SuiteSparse_long *order = state->L->Perm;
        *row = state->L->minor < state->L->n ? (int32_t)order[state->L->minor] : -1;
        return CN_ERR_NUMERIC;
    }
    // The diagonal of A is about 1, so the ratio of extreme pivots tells the smallest one.
    return cholmod_l_rcond(state->L, &state->common) > SPARSE_PIVOT_MIN ? CN_OK : CN_ERR_NUMERIC;
}

static cn_status apply_cholmod_factors(sparse_linear *linear, int32_t columns, double *b) {
    sparse_cholmod *state = linear->state;
    size_t n = (size_t)linear->A.rows, count = (size_t)columns;
    cholmod_dense rhs = {.nrow = n,
                         .ncol = count,
                         .nzmax = n * count,
                         .d = n,
                         .x = b,
                         .xtype = CHOLMOD_REAL,
                         .dtype = CHOLMOD_DOUBLE};
    if (!cholmod_l_solve2(CHOLMOD_A, state->L, &rhs, NULL, &state->X, NULL, &state->Y, &state->E,
                          &state->common)) {
        return CN_ERR_MEMORY;
    }
    const double *x = state->X->x;
    for (size_t j = 0; j < count; j++) {
        for (size_t i = 0; i < n; i++) {
            b[n * j + i] = x[state->X->d * j + i];
        }
    }
    return CN_OK;
}

static void cholmod_destroy(sparse_linear *linear) {
    sparse_cholmod *state = linear->state;
    cholmod_l_free_dense(&state->X, &state->common);
    cholmod_l_free_dense(&state->Y, &state->common);
    cholmod_l_free_dense(&state->E, &state->common);
    cholmod_l_free_factor(&state->L, &state->common);
    cholmod_l_finish(&state->common);
}

const sparse_linear_backend sparse_linear_cholmod = {
    .name = "cholmod",
    .about = "CHOLMOD sparse Cholesky; positive definite, any size",
    .definite = true,
    .analyse = cholmod_analyse,
    .factorize = factorize_by_cholmod,
    .solve = apply_cholmod_factors,
    .destroy = cholmod_destroy,
};

#endif
