// sparse/linear.h
// Linear systems A x = b: one interface, a table of backends.
//
//     sparse_linear *solver;
//     sparse_linear_create(sparse_linear_backend_sparse(), env, &A, &solver, error); // pattern: once
//     sparse_linear_factorize(solver, &A, error);                                    // values: often
//     sparse_linear_solve(solver, columns, b);                                       // b becomes x
//     sparse_linear_destroy(solver);
//
// A handle owns all its memory; factorising again on the same pattern and solving again with no
// more columns allocate nothing (what CHOLMOD does inside is its own affair). Not shared between
// threads. BLAS runs on one thread, so that the answer does not depend on their number: with
// OpenBLAS the handle sets the process to one thread and leaves it so.
//
// To add a backend write sparse/linear_<name>.c, declare its row below and list it in linear.c.
#ifndef CAIRN_SPARSE_LINEAR_H
#define CAIRN_SPARSE_LINEAR_H

#include <cairn/sparse.h>

typedef struct sparse_linear sparse_linear;
typedef struct sparse_linear_backend sparse_linear_backend;

int32_t sparse_linear_backend_count(void);
const sparse_linear_backend *sparse_linear_backend_at(int32_t index);
const sparse_linear_backend *sparse_linear_backend_find(const char *name); // NULL: no such
// The fastest of this build for sparse positive definite matrices.
const sparse_linear_backend *sparse_linear_backend_sparse(void);
const char *sparse_linear_backend_name(const sparse_linear_backend *backend);
const char *sparse_linear_backend_about(const sparse_linear_backend *backend);
// Whether it needs a symmetric positive definite matrix, of which it reads the lower triangle only.
bool sparse_linear_backend_is_definite(const sparse_linear_backend *backend);

// Looks at the pattern of A (square) only. error may be NULL.
cn_status sparse_linear_create(const sparse_linear_backend *backend, const cn_env *env,
                               const cn_csr *A, sparse_linear **out, cn_error *error);
// A must have the pattern given to create. CN_ERR_NUMERIC: not positive definite, or singular, to
// working precision; the handle may be factorised again, as after CN_ERR_CANCELLED.
cn_status sparse_linear_factorize(sparse_linear *linear, const cn_csr *A, cn_error *error);
// b: columns of length n, one after the other; overwritten by x. CN_ERR_ARGUMENT: not factorised.
cn_status sparse_linear_solve(sparse_linear *linear, int32_t columns, double *b);
void sparse_linear_destroy(sparse_linear *linear); // NULL is allowed
// Of a handle of the backend "klu": the multiplications that its ordering predicts for one
// factorisation, for decisions by count.
double sparse_linear_klu_work(const sparse_linear *linear);

// ---- for the backends ----

// A pivot below this share of its diagonal entry (LU: of the largest entry of its column) is what
// rounding leaves of zero.
#define SPARSE_PIVOT_MIN 1e-14

struct sparse_linear {
    const sparse_linear_backend *backend;
    cn_arena *memory;
    // What the backend factorises. Definite: the lower triangle of S A S with S = diag(scale),
    // powers of two that bring the diagonal into [1/2, 2], so that pivots can be judged; else A.
    cn_csr A;
    double *scale; // NULL when not definite
    bool factored;
    void *state; // the backend's own, in memory
};

struct sparse_linear_backend {
    const char *name;
    const char *about;
    bool definite;
    cn_status (*analyse)(sparse_linear *linear);
    // *row: in A, where it broke down, when CN_ERR_NUMERIC is returned; -1 when not known.
    cn_status (*factorize)(sparse_linear *linear, int32_t *row);
    cn_status (*solve)(sparse_linear *linear, int32_t columns, double *b);
    void (*destroy)(sparse_linear *linear); // what does not live in memory; may be NULL
};

extern const sparse_linear_backend sparse_linear_dense_cholesky, sparse_linear_dense_lu,
    sparse_linear_klu, sparse_linear_skyline, sparse_linear_cholmod;

// One thread for OpenBLAS, where that is the BLAS.
void sparse_blas_single_thread(void);

#endif
