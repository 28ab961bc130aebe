// problem/files/fclib.c
// FCLIB files: V. Acary, M. Brémond, T. Koziara, F. Pérignon, "FCLIB: a collection of discrete 3D
// frictional contact problems", INRIA RT-0444 (2014). The layout is in docs/reference/formats.md.
//
// The layout leaves several things to guess, and files in circulation need the guesses: one
// triangle of M for the whole, a solution of zeros for none. A file of ours carries a mark, and
// then nothing is guessed: it reads back as it was. Not for mixed problems (bilateral rows) and not
// for rolling friction; both are refused by name.
#include "problem/files/fclib.h"

#include "base/arena.h"
#include "base/error.h"
#include "io/hdf5/hdf5.h"
#include "problem/operator/operator.h"
#include "sparse/bsr.h"
#include "sparse/csr.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FCLIB_MARK "cairn" // attribute of the root group of files that we wrote
#define FCLIB_CSR (-2)     // values of nz that are not a count
#define FCLIB_CSC (-1)
#define FCLIB_GUESSES 100 // guesses looked at for one that is not zero
#define PATH_SIZE 128

// What every step of reading needs.
typedef struct fclib {
    io_hdf5_image file;
    const char *name;
    bool ours;        // written by us: nothing to guess
    cn_arena *memory; // the problem's
    cn_arena *scratch;
    cn_error *error;
} fclib;

static const char *path_join(char path[PATH_SIZE], const char *group, const char *item) {
    snprintf(path, PATH_SIZE, "%s/%s", group, item);
    return path;
}

// ---- reading ----

static cn_status read_size(const fclib *f, const char *group, const char *item, int64_t low,
                           int32_t *value) {
    char path[PATH_SIZE];
    int64_t read;
    CN_TRY(io_hdf5_read_int(&f->file, path_join(path, group, item), 1, &read, f->error));
    if (read < low || read > INT32_MAX) {
        return base_fail(f->error, CN_ERR_INPUT, "%s is %lld, outside %lld .. %d", path,
                         (long long)read, (long long)low, INT32_MAX);
    }
    *value = (int32_t)read;
    return CN_OK;
}

// At least count indices, each in [0, limit].
static cn_status read_indices(const fclib *f, const char *path, int64_t count, int32_t limit,
                              int32_t **out) {
    int64_t there = 0;
    if (count > 0) {
        CN_TRY(io_hdf5_count(&f->file, path, &there, f->error));
    }
    if (there < count) {
        return base_fail(f->error, CN_ERR_INPUT, "%s holds %lld numbers where %lld are needed",
                         path, (long long)there, (long long)count);
    }
    int64_t *wide = BASE_TAKE(f->scratch, int64_t, count);
    *out = BASE_TAKE(f->scratch, int32_t, count);
    if (!wide || !*out) {
        return base_fail_memory(f->error);
    }
    if (count > 0) {
        CN_TRY(io_hdf5_read_int(&f->file, path, count, wide, f->error));
    }
    for (int64_t k = 0; k < count; k++) {
        if (wide[k] < 0 || wide[k] > limit) {
            return base_fail(f->error, CN_ERR_INPUT, "%s: entry %lld is %lld, outside 0 .. %d",
                             path, (long long)k, (long long)wide[k], limit);
        }
        (*out)[k] = (int32_t)wide[k];
    }
    return CN_OK;
}

// count finite numbers; longer datasets only where the layout allows them (exact = false).
static cn_status read_reals(const fclib *f, const char *path, int64_t count, bool exact,
                            cn_arena *memory, double **out) {
    // An empty list may also be left out.
    int64_t there = 0;
    if (count > 0 || io_hdf5_exists(&f->file, path)) {
        CN_TRY(io_hdf5_count(&f->file, path, &there, f->error));
    }
    if (there < count || (exact && there != count)) {
        return base_fail(f->error, CN_ERR_INPUT, "%s holds %lld numbers where %lld are needed",
                         path, (long long)there, (long long)count);
    }
    double *values = BASE_TAKE(memory, double, count);
    if (!values) {
        return base_fail_memory(f->error);
    }
    if (count > 0) {
        CN_TRY(io_hdf5_read_real(&f->file, path, count, values, f->error));
    }
    for (int64_t k = 0; k < count; k++) {
        if (!isfinite(values[k])) {
            return base_fail(f->error, CN_ERR_INPUT, "%s: entry %lld is not a finite number", path,
                             (long long)k);
        }
    }
    *out = values;
    return CN_OK;
}

// A matrix as the file holds it, brought to triplets.
typedef struct triplets {
    int32_t rows, cols;
    int64_t count;
    int32_t *row, *column;
    double *value;
} triplets;

// The outer index of every entry of a compressed matrix, from its offsets.
static cn_status expand_offsets(const fclib *f, const char *path, int32_t outer,
                                const int32_t *start, int32_t **out) {
    for (int32_t i = 0; i < outer; i++) {
        if (start[i + 1] < start[i]) {
            return base_fail(f->error, CN_ERR_INPUT, "%s: the offsets do not ascend at entry %d",
                             path, i + 1);
        }
    }
    if (start[0] != 0) {
        return base_fail(f->error, CN_ERR_INPUT, "%s: the first offset is %d, not 0", path,
                         start[0]);
    }
    *out = BASE_TAKE(f->scratch, int32_t, start[outer]);
    if (!*out) {
        return base_fail_memory(f->error);
    }
    for (int32_t i = 0; i < outer; i++) {
        for (int32_t k = start[i]; k < start[i + 1]; k++) {
            (*out)[k] = i;
        }
    }
    return CN_OK;
}

// nz >= 0: i holds rows and p columns, although FCLIB's own header says the reverse; only this fits
// the shape of the rectangular matrices in circulation. nzmax says nothing that is needed.
static cn_status read_entries(const fclib *f, const char *group, triplets *t) {
    char offsets[PATH_SIZE];
    char indices[PATH_SIZE];
    path_join(offsets, group, "p");
    path_join(indices, group, "i");
    int32_t nz = 0;
    CN_TRY(read_size(f, group, "nz", FCLIB_CSR, &nz));
    if (nz >= 0) {
        t->count = nz;
        CN_TRY(read_indices(f, indices, nz, t->rows - 1, &t->row));
        return read_indices(f, offsets, nz, t->cols - 1, &t->column);
    }
    bool by_rows = nz == FCLIB_CSR;
    int32_t outer = by_rows ? t->rows : t->cols;
    int32_t inner = by_rows ? t->cols : t->rows;
    int32_t **outer_index = by_rows ? &t->row : &t->column;
    int32_t **inner_index = by_rows ? &t->column : &t->row;
    int32_t *start;
    CN_TRY(read_indices(f, offsets, (int64_t)outer + 1, INT32_MAX, &start));
    t->count = start[outer];
    CN_TRY(read_indices(f, indices, t->count, inner - 1, inner_index));
    return expand_offsets(f, offsets, outer, start, outer_index);
}

static cn_status read_triplets(const fclib *f, const char *group, triplets *t) {
    char path[PATH_SIZE];
    *t = (triplets){0};
    CN_TRY(read_size(f, group, "m", 0, &t->rows));
    CN_TRY(read_size(f, group, "n", 0, &t->cols));

    CN_TRY(read_entries(f, group, t));

    path_join(path, group, "x");
    return read_reals(f, path, t->count, false, f->scratch, &t->value);
}

// Some global files hold one triangle of M and do not say so. It is that when no entry is on one
// side of the diagonal and some are on the other: a mass matrix is symmetric.
static bool is_one_triangle(const triplets *t) {
    int64_t below = 0;
    int64_t above = 0;
    for (int64_t k = 0; k < t->count; k++) {
        below += t->row[k] > t->column[k];
        above += t->row[k] < t->column[k];
    }
    return (below == 0) != (above == 0);
}

static cn_status mirror_triangle(const fclib *f, triplets *t) {
    triplets full = {.rows = t->rows, .cols = t->cols};
    full.row = BASE_TAKE(f->scratch, int32_t, 2 * t->count);
    full.column = BASE_TAKE(f->scratch, int32_t, 2 * t->count);
    full.value = BASE_TAKE(f->scratch, double, 2 * t->count);
    if (!full.row || !full.column || !full.value) {
        return base_fail_memory(f->error);
    }
    for (int64_t k = 0; k < t->count; k++) {
        for (int side = 0; side < (t->row[k] == t->column[k] ? 1 : 2); side++) {
            full.row[full.count] = side ? t->column[k] : t->row[k];
            full.column[full.count] = side ? t->row[k] : t->column[k];
            full.value[full.count] = t->value[k];
            full.count++;
        }
    }
    *t = full;
    return CN_OK;
}

// The matrix in compressed rows; its arrays go to memory. rows, cols: what it must be.
static cn_status read_matrix(const fclib *f, const char *group, int32_t rows, int32_t cols,
                             bool symmetric, cn_arena *memory, cn_csr *out) {
    triplets t;
    cn_status status = read_triplets(f, group, &t);
    CN_TRY(status);
    if (t.rows != rows || t.cols != cols) {
        return base_fail(f->error, CN_ERR_INPUT, "%s is %d x %d where %d x %d is needed", group,
                         t.rows, t.cols, rows, cols);
    }
    if (symmetric && !f->ours && is_one_triangle(&t)) {
        base_log(cn_arena_env(f->memory), CN_LOG_WARNING,
                 "%s: %s holds one triangle only; the other is taken to be its mirror", f->name,
                 group);
        status = mirror_triangle(f, &t);
        CN_TRY(status);
    }
    status =
        sparse_csr_from_triplets(memory, t.rows, t.cols, t.count, t.row, t.column, t.value, out);
    return status == CN_OK ? CN_OK : base_fail_memory(f->error);
}

static cn_status read_friction_coefficients(const fclib *f, const char *path, int32_t contacts,
                                            cn_arena *memory, double **mu) {
    cn_status status = read_reals(f, path, contacts, true, memory, mu);
    for (int32_t a = 0; status == CN_OK && a < contacts; a++) {
        if (!((*mu)[a] >= 0.0)) {
            status = base_fail(f->error, CN_ERR_INPUT, "%s: the coefficient of contact %d is %g",
                               path, a, (*mu)[a]);
            base_fail_hint(f->error, "friction coefficients are zero or positive");
        }
    }
    return status;
}

// Space dimension, and the contacts that a list of rows makes.
static cn_status read_shape(const fclib *f, const char *group, const char *rows_path, int32_t *dim,
                            int32_t *contacts) {
    int64_t rows = 0;
    CN_TRY(read_size(f, group, "spacedim", 0, dim));
    if (*dim == 5) {
        return base_fail(f->error, CN_ERR_UNSUPPORTED,
                         "%s/spacedim is 5: a problem with rolling friction", group);
    }
    if (*dim != 2 && *dim != 3) {
        return base_fail(f->error, CN_ERR_INPUT, "%s/spacedim is %d, neither 2 nor 3", group, *dim);
    }
    CN_TRY(io_hdf5_count(&f->file, rows_path, &rows, f->error));
    if (rows % *dim != 0 || rows > INT32_MAX) {
        return base_fail(f->error, CN_ERR_INPUT,
                         "%s holds %lld numbers, which is not %d for every contact", rows_path,
                         (long long)rows, *dim);
    }
    *contacts = (int32_t)(rows / *dim);
    return CN_OK;
}

// An optional matrix of a form that we do not read; one without columns is as good as absent.
static bool has_matrix(const fclib *f, const char *group) {
    char path[PATH_SIZE];
    int64_t rows = 1;
    int64_t cols = 1;
    if (!io_hdf5_exists(&f->file, group)) {
        return false;
    }
    io_hdf5_read_int(&f->file, path_join(path, group, "m"), 1, &rows, NULL);
    io_hdf5_read_int(&f->file, path_join(path, group, "n"), 1, &cols, NULL);
    return rows != 0 && cols != 0;
}

static cn_status read_local(const fclib *f, cn_friction *p) {
    if (has_matrix(f, "/fclib_local/V") || has_matrix(f, "/fclib_local/R")) {
        base_fail(f->error, CN_ERR_UNSUPPORTED,
                  "a mixed problem: /fclib_local/V and /fclib_local/R hold "
                  "bilateral constraints");
        base_fail_hint(f->error, "eliminate them, or write the problem without V, R and s");
        return CN_ERR_UNSUPPORTED;
    }
    int32_t dim = 0;
    int32_t contacts = 0;
    double *q = NULL;
    double *mu = NULL;
    cn_csr W = {0};
    CN_TRY(read_shape(f, "/fclib_local", "/fclib_local/vectors/q", &dim, &contacts));
    int32_t rows = dim * contacts;
    CN_TRY(read_reals(f, "/fclib_local/vectors/q", rows, true, f->scratch, &q));

    CN_TRY(read_friction_coefficients(f, "/fclib_local/vectors/mu", contacts, f->scratch, &mu));

    CN_TRY(read_matrix(f, "/fclib_local/W", rows, rows, false, f->scratch, &W));
    if (prob_friction_from_csr(f->memory, dim, contacts, &W, q, mu, p) != CN_OK) {
        return base_fail_memory(f->error);
    }
    return CN_OK;
}

static cn_status read_global(const fclib *f, cn_friction_global *p) {
    if (has_matrix(f, "/fclib_global/G")) {
        base_fail(f->error, CN_ERR_UNSUPPORTED,
                  "a problem with bilateral constraints: they are in /fclib_global/G");
        base_fail_hint(f->error, "eliminate them, or write the problem without G and b");
        return CN_ERR_UNSUPPORTED;
    }
    int64_t dofs = 0;
    CN_TRY(read_shape(f, "/fclib_global", "/fclib_global/vectors/w", &p->dim, &p->contacts));
    int32_t rows = p->dim * p->contacts;
    CN_TRY(io_hdf5_count(&f->file, "/fclib_global/vectors/f", &dofs, f->error));
    if (dofs > INT32_MAX) {
        return base_fail(f->error, CN_ERR_INPUT, "/fclib_global/vectors/f is too long");
    }
    p->dofs = (int32_t)dofs;
    CN_TRY(read_reals(f, "/fclib_global/vectors/f", dofs, true, f->memory, &p->f));

    CN_TRY(read_reals(f, "/fclib_global/vectors/w", rows, true, f->memory, &p->w));

    CN_TRY(
        read_friction_coefficients(f, "/fclib_global/vectors/mu", p->contacts, f->memory, &p->mu));

    CN_TRY(read_matrix(f, "/fclib_global/M", p->dofs, p->dofs, true, f->memory, &p->M));

    return read_matrix(f, "/fclib_global/H", p->dofs, rows, false, f->memory, &p->H);
}

static cn_status read_info(const fclib *f, const char *group, cn_problem *p) {
    const struct {
        const char *item;
        const char **text;
    } info[] = {{"info/title", &p->title},
                {"info/description", &p->description},
                {"info/math_info", &p->math_info}};
    for (size_t i = 0; i < sizeof info / sizeof *info; i++) {
        char path[PATH_SIZE];
        cn_error ignored = {0};
        if (!io_hdf5_exists(&f->file, path_join(path, group, info[i].item))) {
            continue;
        }
        cn_status status = io_hdf5_read_text(&f->file, path, f->memory, info[i].text, &ignored);
        if (status == CN_ERR_MEMORY) {
            return base_fail_memory(f->error);
        }
        // A comment that cannot be read is no reason to refuse the problem.
        if (status != CN_OK) {
            base_log(cn_arena_env(f->memory), CN_LOG_WARNING, "%s: %s", f->name, ignored.message);
        }
    }
    return CN_OK;
}

static bool is_zero(const double *x, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        if (x[i] != 0.0) {
            return false;
        }
    }
    return true;
}

// A vector that the problem can do without: NULL when absent, and when it cannot be used (with a
// warning).
static cn_status read_optional(const fclib *f, const char *path, int64_t count, double **out) {
    *out = NULL;
    if (!io_hdf5_exists(&f->file, path)) {
        return CN_OK;
    }
    cn_error ignored = {0};
    fclib quiet = *f;
    quiet.error = &ignored;
    cn_status status = read_reals(&quiet, path, count, true, f->memory, out);
    if (status == CN_ERR_MEMORY) {
        return base_fail_memory(f->error);
    }
    if (status != CN_OK) {
        base_log(cn_arena_env(f->memory), CN_LOG_WARNING, "%s: ignored: %s", f->name,
                 ignored.message);
    }
    return CN_OK;
}

// Files made by Siconos hold a zero r beside whatever the solver found: that is no solution.
static cn_status read_solution(const fclib *f, int32_t rows, int32_t dofs, cn_problem *p) {
    CN_TRY(read_optional(f, "/solution/r", rows, &p->r));
    if (p->r && !f->ours && is_zero(p->r, rows)) {
        base_log(cn_arena_env(f->memory), CN_LOG_INFO,
                 "%s: /solution/r is zero and taken as absent", f->name);
        p->r = NULL;
    }
    if (p->r) {
        CN_TRY(read_optional(f, "/solution/u", rows, &p->u));
    }
    if (p->r && dofs >= 0) {
        CN_TRY(read_optional(f, "/solution/v", dofs, &p->v));
    }
    return CN_OK;
}

// The first guess that is not zero.
static cn_status read_guess(const fclib *f, int32_t rows, cn_problem *p) {
    int64_t count = 0;
    if (!io_hdf5_exists(&f->file, "/guesses") ||
        io_hdf5_read_int(&f->file, "/guesses/number_of_guesses", 1, &count, NULL) != CN_OK) {
        return CN_OK;
    }
    for (int64_t i = 1; i <= count && i <= FCLIB_GUESSES && !p->guess; i++) {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "/guesses/%d/r", (int)i);
        CN_TRY(read_optional(f, path, rows, &p->guess));
        if (p->guess && !f->ours && is_zero(p->guess, rows)) {
            p->guess = NULL;
        }
    }
    return CN_OK;
}

static cn_status read_open(const fclib *f, cn_problem *p) {
    bool local = p->kind == CN_PROBLEM_FRICTION;
    CN_TRY(local ? read_local(f, &p->friction) : read_global(f, &p->global));
    int32_t rows =
        local ? p->friction.dim * p->friction.contacts : p->global.dim * p->global.contacts;
    p->format = "fclib";
    CN_TRY(read_info(f, local ? "/fclib_local" : "/fclib_global", p));
    CN_TRY(read_solution(f, rows, local ? -1 : p->global.dofs, p));
    return read_guess(f, rows, p);
}

// Which problem the file holds. A local one is preferred, being ready to solve.
static cn_status read_kind(const io_hdf5_image *file, cn_problem_kind *kind, cn_error *error) {
    if (io_hdf5_exists(file, "/fclib_local")) {
        *kind = CN_PROBLEM_FRICTION;
        return CN_OK;
    }
    if (io_hdf5_exists(file, "/fclib_global")) {
        *kind = CN_PROBLEM_FRICTION_GLOBAL;
        return CN_OK;
    }
    if (io_hdf5_exists(file, "/fclib_global_rolling") ||
        io_hdf5_exists(file, "/fclib_local_rolling")) {
        return base_fail(error, CN_ERR_UNSUPPORTED, "a problem with rolling friction");
    }
    base_fail(error, CN_ERR_INPUT,
              "an HDF5 file with neither /fclib_local nor /fclib_global in it");
    base_fail_hint(error, "is this an FCLIB file?");
    return CN_ERR_INPUT;
}

cn_status prob_fclib_read(const cn_env *env, const char *name, const void *bytes, size_t size,
                          cn_problem **out, cn_error *error) {
    cn_error own;
    fclib f = {.name = name, .error = error ? error : &own};
    cn_problem *problem = NULL;
    cn_problem_kind kind = CN_PROBLEM_FRICTION;
    *out = NULL;
    f.scratch = cn_arena_create(env);
    cn_status status = f.scratch ? CN_OK : base_fail_memory(f.error);
    if (status == CN_OK) {
        status = io_hdf5_open(bytes, size, &f.file, f.error);
        f.file.env = env;
    }
    if (status == CN_OK) {
        status = read_kind(&f.file, &kind, f.error);
    }
    if (status == CN_OK) {
        problem = cn_problem_create(env, kind);
        status = problem ? CN_OK : base_fail_memory(f.error);
    }
    if (status == CN_OK) {
        f.memory = problem->memory;
        f.ours = io_hdf5_has_mark(&f.file, FCLIB_MARK);
        status = read_open(&f, problem);
    }
    cn_arena_destroy(f.scratch);
    if (status != CN_OK) {
        base_fail_at(f.error, name, 0, 0);
        cn_problem_destroy(problem);
        return status;
    }
    *out = problem;
    return CN_OK;
}

// ---- writing ----

// Writing stops at the first failure; each piece is then skipped.
typedef struct fclib_writer {
    io_hdf5_writer *file;
    cn_arena *scratch;
    cn_error *error;
    cn_status status;
} fclib_writer;

static void put_group(fclib_writer *w, const char *path) {
    if (w->status == CN_OK) {
        w->status = io_hdf5_add_group(w->file, path, w->error);
    }
}

static void put_ints(fclib_writer *w, const char *path, int64_t count, const int32_t *values) {
    if (w->status == CN_OK) {
        w->status = io_hdf5_add_int(w->file, path, count, values, w->error);
    }
}

static void put_int(fclib_writer *w, const char *group, const char *item, int32_t value) {
    char path[PATH_SIZE];
    put_ints(w, path_join(path, group, item), 1, &value);
}

// Nothing is written for NULL.
static void put_reals(fclib_writer *w, const char *path, int64_t count, const double *values) {
    if (w->status == CN_OK && values) {
        w->status = io_hdf5_add_real(w->file, path, count, values, w->error);
    }
}

static void put_text(fclib_writer *w, const char *path, const char *text) {
    if (w->status == CN_OK && text) {
        w->status = io_hdf5_add_text(w->file, path, text, w->error);
    }
}

// Compressed rows: what we hold, and the layout has it.
static void put_matrix(fclib_writer *w, const char *group, const cn_csr *a) {
    char path[PATH_SIZE];
    int64_t count = a->start[a->rows];
    if (w->status == CN_OK && count > INT32_MAX) {
        w->status = base_fail(w->error, CN_ERR_UNSUPPORTED,
                              "%s has %lld entries, more than FCLIB's 32-bit offsets can count",
                              group, (long long)count);
    }
    if (w->status != CN_OK) {
        return;
    }
    int32_t *start = BASE_TAKE(w->scratch, int32_t, (int64_t)a->rows + 1);
    if (!start) {
        w->status = base_fail_memory(w->error);
        return;
    }
    for (int32_t i = 0; i <= a->rows; i++) {
        start[i] = (int32_t)a->start[i];
    }
    put_group(w, group);
    put_int(w, group, "nzmax", (int32_t)count);
    put_int(w, group, "m", a->rows);
    put_int(w, group, "n", a->cols);
    put_int(w, group, "nz", FCLIB_CSR);
    put_ints(w, path_join(path, group, "p"), (int64_t)a->rows + 1, start);
    put_ints(w, path_join(path, group, "i"), count, a->column);
    put_reals(w, path_join(path, group, "x"), count, a->value);
}

static void put_local(fclib_writer *w, const cn_friction *p) {
    cn_csr W;
    if (prob_operator_ops_of(p->W.kind)->body_space) {
        w->status = base_fail(w->error, CN_ERR_UNSUPPORTED,
                              "W is given in body space, which FCLIB files cannot hold");
        base_fail_hint(w->error, "write the global problem, or condense it first");
        return;
    }
    if (w->status == CN_OK && sparse_bsr_to_csr(w->scratch, &p->W.assembled, &W) != CN_OK) {
        w->status = base_fail_memory(w->error);
    }
    if (w->status != CN_OK) {
        return;
    }
    put_group(w, "/fclib_local");
    put_int(w, "/fclib_local", "spacedim", p->dim);
    put_matrix(w, "/fclib_local/W", &W);
    put_group(w, "/fclib_local/vectors");
    put_reals(w, "/fclib_local/vectors/q", (int64_t)p->dim * p->contacts, p->q);
    put_reals(w, "/fclib_local/vectors/mu", p->contacts, p->mu);
}

static void put_global(fclib_writer *w, const cn_friction_global *p) {
    put_group(w, "/fclib_global");
    put_int(w, "/fclib_global", "spacedim", p->dim);
    put_matrix(w, "/fclib_global/M", &p->M);
    put_matrix(w, "/fclib_global/H", &p->H);
    put_group(w, "/fclib_global/vectors");
    put_reals(w, "/fclib_global/vectors/f", p->dofs, p->f);
    put_reals(w, "/fclib_global/vectors/w", (int64_t)p->dim * p->contacts, p->w);
    put_reals(w, "/fclib_global/vectors/mu", p->contacts, p->mu);
}

static void put_info(fclib_writer *w, const char *group, const cn_problem *p) {
    char path[PATH_SIZE];
    if (!p->title && !p->description && !p->math_info) {
        return;
    }
    put_group(w, path_join(path, group, "info"));
    put_text(w, path_join(path, group, "info/title"), p->title);
    put_text(w, path_join(path, group, "info/description"), p->description);
    put_text(w, path_join(path, group, "info/math_info"), p->math_info);
}

static void put_answers(fclib_writer *w, const cn_problem *p) {
    bool local = p->kind == CN_PROBLEM_FRICTION;
    int64_t rows = local ? (int64_t)p->friction.dim * p->friction.contacts
                         : (int64_t)p->global.dim * p->global.contacts;
    if (p->r) {
        put_group(w, "/solution");
        put_reals(w, "/solution/r", rows, p->r);
        put_reals(w, "/solution/u", rows, p->u);
        put_reals(w, "/solution/v", p->global.dofs, local ? NULL : p->v);
    }
    if (p->guess) {
        put_group(w, "/guesses");
        put_int(w, "/guesses", "number_of_guesses", 1);
        put_group(w, "/guesses/1");
        put_reals(w, "/guesses/1/r", rows, p->guess);
    }
}

static void put_problem(fclib_writer *w, const cn_problem *p) {
    w->status = io_hdf5_add_mark(w->file, FCLIB_MARK, cn_version(), w->error);
    if (p->kind == CN_PROBLEM_FRICTION) {
        put_local(w, &p->friction);
        put_info(w, "/fclib_local", p);
    } else {
        put_global(w, &p->global);
        put_info(w, "/fclib_global", p);
    }
    put_answers(w, p);
}

cn_status prob_fclib_write(const cn_problem *problem, base_buffer *out, cn_error *error) {
    if (problem->kind == CN_PROBLEM_LCP) {
        base_fail(error, CN_ERR_UNSUPPORTED, "FCLIB files cannot hold an LCP");
        base_fail_hint(error, "write it as text, to a file that ends in .dat");
        return CN_ERR_UNSUPPORTED;
    }
    fclib_writer w = {.error = error, .scratch = cn_arena_create(out->env)};
    if (!w.scratch) {
        return base_fail_memory(error);
    }
    w.status = io_hdf5_create(w.scratch, &w.file, error);
    if (w.status == CN_OK) {
        put_problem(&w, problem);
    }
    const void *bytes = NULL;
    size_t size = 0;
    if (w.status == CN_OK) {
        w.status = io_hdf5_finish(w.file, w.scratch, &bytes, &size, error);
    }
    if (w.status == CN_OK && !base_buffer_append(out, bytes, size)) {
        w.status = base_fail_memory(error);
    }
    io_hdf5_close(w.file);
    cn_arena_destroy(w.scratch);
    return w.status;
}
