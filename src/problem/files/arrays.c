// problem/files/arrays.c
// Problems as files of arrays; see arrays.h.
#include "problem/files/arrays.h"

#include "base/arena.h"
#include "base/error.h"
#include "io/file.h"
#include "problem/operator/operator.h"
#include "sparse/csr.h"

#include <stdio.h>
#include <string.h>

#define PATH_MAX_BYTES 4096
#define DENSE_MAX 16384 // rows of a matrix that is written dense: 2 GB

// "dir/p.mtx" and "q" give "dir/p_q.mtx"; false: too long.
static bool beside(const char *path, const char *vector, char out[PATH_MAX_BYTES]) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    size_t stem = dot ? (size_t)(dot - path) : strlen(path);
    int length =
        snprintf(out, PATH_MAX_BYTES, "%.*s_%s%s", (int)stem, path, vector, dot ? dot : "");
    return length > 0 && length < PATH_MAX_BYTES;
}

// ---- reading ----

static cn_status fail_size(cn_error *error, const char *what, int64_t got, int64_t wanted) {
    return base_fail(error, CN_ERR_INPUT, "%s has %lld numbers where %lld are needed", what,
                     (long long)got, (long long)wanted);
}

static bool is_column(const io_array *a) {
    return a->cols == 1 || a->rows == 1;
}

// The numbers of a vector, zeros of a row that were left out included.
static cn_status vector_take(const io_array *a, const char *what, int64_t wanted, cn_arena *memory,
                             double **out, cn_error *error) {
    int64_t size = (int64_t)a->rows * a->cols;
    if (!is_column(a) || (wanted >= 0 && size != wanted)) {
        return fail_size(error, what, size, wanted);
    }
    *out = BASE_TAKE_ZERO(memory, double, size);
    if (!*out) {
        return base_fail_memory(error);
    }
    for (int64_t k = 0; k < a->count; k++) {
        (*out)[a->cols == 1 ? a->row[k] : a->column[k]] += a->value[k];
    }
    return CN_OK;
}

static cn_status make_friction(const io_array *A, const io_array *mu_array, const double *q,
                               cn_problem *problem, cn_error *error) {
    double *mu;
    cn_csr W;
    int64_t contacts = (int64_t)mu_array->rows * mu_array->cols;
    int64_t dim = contacts > 0 ? A->rows / contacts : 0;
    if (contacts == 0 || dim * contacts != A->rows || (dim != 2 && dim != 3)) {
        base_fail(error, CN_ERR_INPUT, "%d rows and %lld coefficients of friction", A->rows,
                  (long long)contacts);
        base_fail_hint(error, "each contact has a coefficient and 2 or 3 rows, the normal first");
        return CN_ERR_INPUT;
    }
    CN_TRY(vector_take(mu_array, "mu", contacts, problem->memory, &mu, error));
    if (sparse_csr_from_triplets(problem->memory, A->rows, A->cols, A->count, A->row, A->column,
                                 A->value, &W) != CN_OK ||
        prob_friction_from_csr(problem->memory, (int32_t)dim, (int32_t)contacts, &W, q, mu,
                               &problem->friction) != CN_OK) {
        return base_fail_memory(error);
    }
    return CN_OK;
}

cn_status prob_from_arrays(const cn_env *env, const io_array *A, const io_array *q,
                           const io_array *mu, cn_problem **out, cn_error *error) {
    *out = NULL;
    if (A->rows != A->cols) {
        return base_fail(error, CN_ERR_INPUT, "the matrix is %d x %d, not square", A->rows,
                         A->cols);
    }
    cn_problem *problem = cn_problem_create(env, mu ? CN_PROBLEM_FRICTION : CN_PROBLEM_LCP);
    if (!problem) {
        return base_fail_memory(error);
    }
    double *vector;
    cn_status status = vector_take(q, "q", A->rows, problem->memory, &vector, error);
    if (status == CN_OK && mu) {
        status = make_friction(A, mu, vector, problem, error);
    } else if (status == CN_OK) {
        problem->lcp.n = A->rows;
        problem->lcp.q = vector;
        status = sparse_csr_from_triplets(problem->memory, A->rows, A->cols, A->count, A->row,
                                          A->column, A->value, &problem->lcp.M) == CN_OK
                     ? CN_OK
                     : base_fail_memory(error);
    }
    problem->format = "arrays";
    if (status != CN_OK) {
        cn_problem_destroy(problem);
        return status;
    }
    *out = problem;
    return CN_OK;
}

// A vector beside the matrix; *found is false where there is no such file.
static cn_status read_beside(const char *path, const char *vector, cn_arena *memory, io_array *out,
                             bool *found, cn_error *error) {
    char file[PATH_MAX_BYTES];
    base_buffer bytes;
    if (!beside(path, vector, file)) {
        return base_fail(error, CN_ERR_INPUT, "the path is too long");
    }
    *found = io_file_exists(file);
    if (!*found) {
        return CN_OK;
    }
    base_buffer_init(&bytes, cn_arena_env(memory));
    cn_status status = io_file_read(file, &bytes, error);
    if (status == CN_OK) {
        status = io_array_read(file, bytes.data, bytes.size, memory, out, error);
    }
    base_buffer_free(&bytes);
    return status;
}

static cn_status fail_without_q(const char *path, cn_error *error) {
    char file[PATH_MAX_BYTES];
    beside(path, "q", file);
    base_fail(error, CN_ERR_INPUT, "a matrix alone is no problem: there is no file %.300s", file);
    base_fail_hint(error, "put q there, and for a friction problem its coefficients into ..._mu; "
                          "cairn convert writes such files");
    return CN_ERR_INPUT;
}

// Answers and guess, where they are there.
static cn_status read_answers(const char *path, cn_arena *scratch, cn_problem *problem,
                              int64_t rows, cn_error *error) {
    const struct {
        const char *name;
        double **vector;
    } list[] = {{"r", &problem->r}, {"u", &problem->u}, {"guess", &problem->guess}};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        io_array array;
        bool found;
        CN_TRY(read_beside(path, list[i].name, scratch, &array, &found, error));
        if (found) {
            CN_TRY(vector_take(&array, list[i].name, rows, problem->memory, list[i].vector, error));
        }
    }
    return CN_OK;
}

static cn_status arrays_read(const cn_env *env, const char *path, const void *bytes, size_t size,
                             cn_arena *scratch, cn_problem **out, cn_error *error) {
    io_array A, q, mu;
    bool has_q, has_mu;
    CN_TRY(io_array_read(path, bytes, size, scratch, &A, error));
    CN_TRY(read_beside(path, "q", scratch, &q, &has_q, error));
    if (!has_q) {
        return fail_without_q(path, error);
    }
    CN_TRY(read_beside(path, "mu", scratch, &mu, &has_mu, error));
    CN_TRY(prob_from_arrays(env, &A, &q, has_mu ? &mu : NULL, out, error));
    cn_status status = read_answers(path, scratch, *out, A.rows, error);
    if (status != CN_OK) {
        cn_problem_destroy(*out);
        *out = NULL;
    }
    return status;
}

cn_status prob_arrays_read(const cn_env *env, const char *path, const void *bytes, size_t size,
                           cn_problem **out, cn_error *error) {
    cn_arena *scratch = cn_arena_create(env);
    *out = NULL;
    cn_status status = scratch ? arrays_read(env, path, bytes, size, scratch, out, error)
                               : base_fail_memory(error);
    cn_arena_destroy(scratch);
    if (status != CN_OK && error && !error->file[0]) {
        base_fail_at(error, path, 0, 0);
    }
    return status;
}

// ---- writing ----

// The entries of W or M. Arrays go to memory.
static cn_status entries_of(const cn_problem *problem, cn_arena *memory, io_array *out) {
    bool lcp = problem->kind == CN_PROBLEM_LCP;
    const cn_csr *M = &problem->lcp.M;
    const cn_bsr *W = &problem->friction.W.assembled;
    int32_t dim = lcp ? 1 : W->dim, rows = lcp ? M->rows : W->block_rows;
    const int64_t *start = lcp ? M->start : W->start;
    const int32_t *column = lcp ? M->column : W->column;
    const double *value = lcp ? M->value : W->value;
    int64_t capacity = start[rows] * dim * dim;
    *out = (io_array){.rows = rows * dim, .cols = rows * dim};
    out->row = BASE_TAKE(memory, int32_t, capacity);
    out->column = BASE_TAKE(memory, int32_t, capacity);
    out->value = BASE_TAKE(memory, double, capacity);
    if (!out->row || !out->column || !out->value) {
        return CN_ERR_MEMORY;
    }
    for (int32_t a = 0; a < rows; a++) {
        for (int32_t i = 0; i < dim; i++) {
            for (int64_t k = start[a]; k < start[a + 1]; k++) {
                for (int32_t j = 0; j < dim; j++) {
                    out->row[out->count] = dim * a + i;
                    out->column[out->count] = dim * column[k] + j;
                    out->value[out->count++] = value[dim * dim * k + dim * j + i];
                }
            }
        }
    }
    return CN_OK;
}

static cn_status write_matrix(const io_array *A, const char *path, bool npy, cn_arena *memory,
                              cn_error *error) {
    base_buffer bytes;
    base_buffer_init(&bytes, cn_arena_env(memory));
    cn_status status = CN_OK;
    if (npy) {
        double *dense = BASE_TAKE_ZERO(memory, double, (int64_t)A->rows * A->cols);
        status = dense ? CN_OK : base_fail_memory(error);
        for (int64_t k = 0; dense && k < A->count; k++) {
            dense[(int64_t)A->row[k] * A->cols + A->column[k]] += A->value[k];
        }
        status = dense ? io_npy_write(&bytes, A->rows, A->cols, dense, error) : status;
    } else {
        status = io_mtx_write(&bytes, A, error);
    }
    status = status == CN_OK ? io_file_write(path, bytes.data, bytes.size, error) : status;
    base_buffer_free(&bytes);
    return status;
}

static cn_status write_vector(const char *path, const char *name, int32_t count, double *x,
                              bool npy, cn_arena *memory, cn_error *error) {
    char file[PATH_MAX_BYTES];
    base_buffer bytes;
    if (!x) {
        return CN_OK;
    }
    if (!beside(path, name, file)) {
        return base_fail(error, CN_ERR_INPUT, "the path is too long");
    }
    io_array column = {.rows = count, .cols = 1, .count = count, .value = x};
    base_buffer_init(&bytes, cn_arena_env(memory));
    cn_status status =
        npy ? io_npy_write(&bytes, count, 0, x, error) : io_mtx_write(&bytes, &column, error);
    status = status == CN_OK ? io_file_write(file, bytes.data, bytes.size, error) : status;
    base_buffer_free(&bytes);
    return status;
}

static cn_status arrays_write(const cn_problem *problem, const char *path, bool npy,
                              cn_arena *memory, cn_error *error) {
    bool lcp = problem->kind == CN_PROBLEM_LCP;
    io_array A;
    if (entries_of(problem, memory, &A) != CN_OK) {
        return base_fail_memory(error);
    }
    if (npy && A.rows > DENSE_MAX) {
        base_fail(error, CN_ERR_UNSUPPORTED, "a dense matrix of %d rows is too large", A.rows);
        base_fail_hint(error, "write .mtx, which holds the entries that are not zero");
        return CN_ERR_UNSUPPORTED;
    }
    const struct {
        const char *name;
        double *x;
        int32_t count;
    } vectors[] = {{"q", lcp ? problem->lcp.q : problem->friction.q, A.rows},
                   {"mu", lcp ? NULL : problem->friction.mu, lcp ? 0 : problem->friction.contacts},
                   {"r", problem->r, A.rows},
                   {"u", problem->u, A.rows},
                   {"guess", problem->guess, A.rows}};
    CN_TRY(write_matrix(&A, path, npy, memory, error));
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        CN_TRY(write_vector(path, vectors[i].name, vectors[i].count, vectors[i].x, npy, memory,
                            error));
    }
    return CN_OK;
}

cn_status prob_arrays_write(const cn_problem *problem, const char *path, bool npy,
                            cn_error *error) {
    cn_arena *memory = cn_arena_create(problem->memory ? cn_arena_env(problem->memory) : NULL);
    cn_problem local = *problem;
    cn_status status = memory ? CN_OK : base_fail_memory(error);
    // One matrix is all that such files hold: W, also of a problem that is given by M and H.
    if (status == CN_OK && problem->kind == CN_PROBLEM_FRICTION_GLOBAL) {
        status = cn_friction_reduce(&problem->global, memory, &local.friction, error);
        local.kind = CN_PROBLEM_FRICTION;
    } else if (status == CN_OK && problem->kind == CN_PROBLEM_FRICTION) {
        status = cn_friction_assemble(&problem->friction, memory, &local.friction, error);
    }
    status = status == CN_OK ? arrays_write(&local, path, npy, memory, error) : status;
    cn_arena_destroy(memory);
    return status;
}

// ---- vectors ----

cn_status cn_vector_read(const cn_env *env, const char *path, cn_arena *memory, double **values,
                         int64_t *count, cn_error *error) {
    if (!path || !memory || !values || !count) {
        return base_fail_missing(error);
    }
    base_buffer bytes;
    io_array array;
    base_buffer_init(&bytes, env);
    cn_status status = io_file_read(path, &bytes, error);
    if (status == CN_OK) {
        status = io_array_read(path, bytes.data, bytes.size, memory, &array, error);
    }
    base_buffer_free(&bytes);
    CN_TRY(status);
    if (!is_column(&array)) {
        base_fail(error, CN_ERR_INPUT, "a matrix of %d x %d where a vector is needed", array.rows,
                  array.cols);
        base_fail_at(error, path, 0, 0);
        return CN_ERR_INPUT;
    }
    *count = (int64_t)array.rows * array.cols;
    return vector_take(&array, "the vector", *count, memory, values, error);
}
