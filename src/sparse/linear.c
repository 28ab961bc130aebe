// sparse/linear.c
// The table of linear backends, and what they share: scaling, the checks, the error text.
//
// Definite matrices are scaled by powers of two, S A S, which is exact. A pivot is then small only
// when the matrix is nearly singular and not because of its units (masses of 1e-9 beside 1e9).
#include "sparse/linear.h"

#include "base/arena.h"
#include "base/error.h"
#include "sparse/csr.h"

#include <math.h>
#include <string.h>

// One row each; the order is the order of listings.
static const sparse_linear_backend *const linear_table[] = {
    &sparse_linear_dense_cholesky, &sparse_linear_dense_lu, &sparse_linear_klu,
    &sparse_linear_skyline,
#ifdef CAIRN_WITH_CHOLMOD
    &sparse_linear_cholmod,
#endif
};

int32_t sparse_linear_backend_count(void) {
    return (int32_t)(sizeof linear_table / sizeof *linear_table);
}

const sparse_linear_backend *sparse_linear_backend_at(int32_t index) {
    return index >= 0 && index < sparse_linear_backend_count() ? linear_table[index] : NULL;
}

const sparse_linear_backend *sparse_linear_backend_find(const char *name) {
    for (int32_t i = 0; i < sparse_linear_backend_count(); i++) {
        if (strcmp(linear_table[i]->name, name) == 0) {
            return linear_table[i];
        }
    }
    return NULL;
}

const sparse_linear_backend *sparse_linear_backend_sparse(void) {
    return linear_table[sparse_linear_backend_count() - 1];
}

const char *sparse_linear_backend_name(const sparse_linear_backend *backend) {
    return backend->name;
}

const char *sparse_linear_backend_about(const sparse_linear_backend *backend) {
    return backend->about;
}

bool sparse_linear_backend_is_definite(const sparse_linear_backend *backend) {
    return backend->definite;
}

// OpenBLAS only; a weak name is simply absent with another BLAS.
extern void openblas_set_num_threads(int threads) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));

void sparse_blas_single_thread(void) {
    if (openblas_set_num_threads && openblas_get_num_threads && openblas_get_num_threads() != 1) {
        openblas_set_num_threads(1);
    }
}

// Whether entry k of row i is kept: all of them, or the lower triangle.
static bool is_kept(const sparse_linear *linear, int32_t i, int32_t column) {
    return !linear->backend->definite || column <= i;
}

// The pattern of what is factorised. Definite: every diagonal entry is there, even if A lacks it.
static cn_status linear_copy_pattern(sparse_linear *linear, const cn_csr *A) {
    int32_t n = A->rows;
    bool definite = linear->backend->definite;
    cn_csr *own = &linear->A;
    *own = (cn_csr){.rows = n, .cols = n};
    own->start = BASE_TAKE_ZERO(linear->memory, int64_t, (int64_t)n + 1);
    own->column = BASE_TAKE(linear->memory, int32_t, A->start[n] + n);
    own->value = BASE_TAKE_ZERO(linear->memory, double, A->start[n] + n);
    linear->scale = definite ? BASE_TAKE(linear->memory, double, n) : NULL;
    if (!own->start || !own->column || !own->value || (definite && !linear->scale)) {
        return CN_ERR_MEMORY;
    }
    int64_t filled = 0;
    for (int32_t i = 0; i < n; i++) {
        own->start[i] = filled;
        for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
            if (is_kept(linear, i, A->column[k]) && !(definite && A->column[k] == i)) {
                own->column[filled++] = A->column[k];
            }
        }
        if (definite) {
            own->column[filled++] = i; // columns ascend, so the diagonal is last
        }
    }
    own->start[n] = filled;
    return CN_OK;
}

// Copies the values of A, which must have the pattern copied before; false when it does not.
static bool linear_copy_values(sparse_linear *linear, const cn_csr *A) {
    cn_csr *own = &linear->A;
    if (A->rows != own->rows || A->cols != own->cols) {
        return false;
    }
    for (int32_t i = 0; i < A->rows; i++) {
        int64_t place = own->start[i];
        if (linear->backend->definite) {
            own->value[own->start[i + 1] - 1] = 0.0;
        }
        for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
            if (!is_kept(linear, i, A->column[k])) {
                continue;
            }
            if (place == own->start[i + 1] || own->column[place] != A->column[k]) {
                return false;
            }
            own->value[place++] = A->value[k];
        }
        bool without_diagonal =
            linear->backend->definite && place + 1 == own->start[i + 1] && own->column[place] == i;
        if (place != own->start[i + 1] && !without_diagonal) {
            return false;
        }
    }
    return true;
}

// S A S with a diagonal in [1/2, 2]; false with the row where the diagonal is not positive.
static bool linear_apply_scale(sparse_linear *linear, int32_t *row) {
    cn_csr *own = &linear->A;
    for (int32_t i = 0; i < own->rows; i++) {
        double diagonal = own->value[own->start[i + 1] - 1];
        if (!(diagonal > 0.0 && isfinite(diagonal))) {
            *row = i;
            return false;
        }
        int exponent;
        frexp(diagonal, &exponent); // diagonal = f 2^exponent, f in [1/2, 1)
        linear->scale[i] = ldexp(1.0, -(exponent - (exponent & 1)) / 2);
    }
    for (int32_t i = 0; i < own->rows; i++) {
        for (int64_t k = own->start[i]; k < own->start[i + 1]; k++) {
            own->value[k] *= linear->scale[i] * linear->scale[own->column[k]];
        }
    }
    return true;
}

cn_status sparse_linear_create(const sparse_linear_backend *backend, const cn_env *env,
                               const cn_csr *A, sparse_linear **out, cn_error *error) {
    *out = NULL;
    if (A->rows != A->cols) {
        return base_fail(error, CN_ERR_ARGUMENT,
                         "a linear system needs a square matrix, not %d x %d", A->rows, A->cols);
    }
    cn_arena *memory = cn_arena_create(env);
    sparse_linear *linear = memory ? BASE_TAKE_ZERO(memory, sparse_linear, 1) : NULL;
    if (!linear) {
        cn_arena_destroy(memory);
        return base_fail_memory(error);
    }
    linear->backend = backend;
    linear->memory = memory;
    sparse_blas_single_thread();
    cn_status status = linear_copy_pattern(linear, A);
    if (status == CN_OK) {
        status = backend->analyse(linear);
    }
    if (status != CN_OK) {
        sparse_linear_destroy(linear);
        return base_fail_memory(error);
    }
    *out = linear;
    return CN_OK;
}

cn_status sparse_linear_factorize(sparse_linear *linear, const cn_csr *A, cn_error *error) {
    linear->factored = false;
    int32_t row = -1;
    if (!sparse_csr_is_sound(A, &row)) {
        return base_fail(error, CN_ERR_NUMERIC,
                         "row %d of the matrix has a number that is not finite", row);
    }
    if (!linear_copy_values(linear, A)) {
        return base_fail(error, CN_ERR_ARGUMENT,
                         "the matrix does not have the pattern that was analysed");
    }
    sparse_blas_single_thread();
    row = -1;
    bool positive = !linear->backend->definite || linear_apply_scale(linear, &row);
    cn_status status = positive ? linear->backend->factorize(linear, &row) : CN_ERR_NUMERIC;
    if (status == CN_ERR_NUMERIC) {
        const char *what = linear->backend->definite ? "not positive definite" : "singular";
        if (row >= 0) {
            return base_fail(error, status, "the matrix is %s (row %d)", what, row);
        }
        return base_fail(error, status, "the matrix is %s", what);
    }
    if (status == CN_ERR_CANCELLED) {
        return base_fail(error, status, "the factorisation was cancelled");
    }
    if (status != CN_OK) {
        return base_fail_memory(error);
    }
    linear->factored = true;
    return CN_OK;
}

// b := S b, column by column.
static void linear_scale_columns(const sparse_linear *linear, int32_t columns, double *b) {
    int32_t n = linear->A.rows;
    for (int32_t j = 0; linear->scale && j < columns; j++) {
        for (int32_t i = 0; i < n; i++) {
            b[(int64_t)n * j + i] *= linear->scale[i];
        }
    }
}

cn_status sparse_linear_solve(sparse_linear *linear, int32_t columns, double *b) {
    if (!linear->factored || columns < 0) {
        return CN_ERR_ARGUMENT;
    }
    if (columns == 0 || linear->A.rows == 0) {
        return CN_OK;
    }
    sparse_blas_single_thread();
    linear_scale_columns(linear, columns, b);
    cn_status status = linear->backend->solve(linear, columns, b);
    linear_scale_columns(linear, columns, b);
    return status;
}

void sparse_linear_destroy(sparse_linear *linear) {
    if (!linear) {
        return;
    }
    if (linear->backend->destroy && linear->state) {
        linear->backend->destroy(linear);
    }
    cn_arena_destroy(linear->memory);
}
