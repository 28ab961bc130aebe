// problem/operator/mass.c
// Splitting the mass matrix into independent parts and factorising each, M_part = L L'.
//
// A rigid-body M falls into blocks of 3 or 6 and costs nothing. One large part (a mesh with a
// consistent mass matrix, or an implicit stiffness) costs a sparse factorisation and one solve for
// each contact row that touches it.
#include "problem/operator/mass.h"

#include "base/arena.h"
#include "base/error.h"
#include "sparse/cholesky.h"
#include "sparse/csr.h"

#include <math.h>

// M_ij and M_ji may differ by this share of sqrt(M_ii M_jj): text files keep six digits.
#define SYMMETRY_MIN 1e-5

// ---- the parts ----

static int32_t find_root(int32_t *parent, int32_t i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// Joins the dofs that M couples; the root of a part is its smallest dof.
static void join_coupled(const cn_csr *M, int32_t *parent) {
    for (int32_t i = 0; i < M->rows; i++) {
        parent[i] = i;
    }
    for (int32_t i = 0; i < M->rows; i++) {
        for (int64_t k = M->start[i]; k < M->start[i + 1]; k++) {
            if (M->value[k] == 0.0) {
                continue;
            }
            int32_t a = find_root(parent, i), b = find_root(parent, M->column[k]);
            parent[a > b ? a : b] = a > b ? b : a;
        }
    }
}

static cn_status mass_split(const cn_csr *M, cn_arena *memory, prob_mass *mass) {
    int32_t n = M->rows;
    mass->dofs = n;
    mass->start = BASE_TAKE_ZERO(memory, int32_t, (int64_t)n + 2);
    mass->dof = BASE_TAKE(memory, int32_t, n);
    mass->part = BASE_TAKE(memory, int32_t, n);
    mass->place = BASE_TAKE(memory, int32_t, n);
    if (!mass->start || !mass->dof || !mass->part || !mass->place) {
        return CN_ERR_MEMORY;
    }
    // place serves as the forest first.
    join_coupled(M, mass->place);
    for (int32_t i = 0; i < n; i++) {
        int32_t root = find_root(mass->place, i);
        mass->part[i] = root == i ? mass->parts++ : mass->part[root];
        mass->start[mass->part[i] + 2]++;
    }
    // Counted two places on, so that filling leaves start where it belongs.
    for (int32_t p = 0; p < mass->parts; p++) {
        int32_t size = mass->start[p + 2];
        mass->largest = size > mass->largest ? size : mass->largest;
        mass->start[p + 2] += mass->start[p + 1];
    }
    for (int32_t i = 0; i < n; i++) {
        int32_t at = mass->start[mass->part[i] + 1]++;
        mass->dof[at] = i;
    }
    for (int32_t p = 0; p < mass->parts; p++) {
        for (int32_t k = mass->start[p]; k < mass->start[p + 1]; k++) {
            mass->place[mass->dof[k]] = k - mass->start[p];
        }
    }
    return CN_OK;
}

// ---- symmetry ----

static double csr_entry(const cn_csr *a, int32_t row, int32_t column) {
    int64_t low = a->start[row], high = a->start[row + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (a->column[middle] < column) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < a->start[row + 1] && a->column[low] == column ? a->value[low] : 0.0;
}

static cn_status mass_check_symmetry(const cn_csr *M, cn_arena *scratch, cn_error *error) {
    double *size = BASE_TAKE(scratch, double, M->rows); // sqrt of the diagonal
    if (!size) {
        return base_fail_memory(error);
    }
    for (int32_t i = 0; i < M->rows; i++) {
        size[i] = sqrt(fabs(csr_entry(M, i, i)));
    }
    for (int32_t i = 0; i < M->rows; i++) {
        for (int64_t k = M->start[i]; k < M->start[i + 1]; k++) {
            int32_t j = M->column[k];
            double other = csr_entry(M, j, i);
            if (!(fabs(M->value[k] - other) <= SYMMETRY_MIN * size[i] * size[j])) {
                base_fail(error, CN_ERR_INPUT,
                          "M is not symmetric: entry (%d, %d) is %g and (%d, %d) is %g", i, j,
                          M->value[k], j, i, other);
                base_fail_hint(error,
                               "the condensed problem needs a symmetric positive definite M");
                return CN_ERR_INPUT;
            }
        }
    }
    return CN_OK;
}

// ---- factorisation ----

// row: place in the part; -1 when not known.
static cn_status fail_indefinite(const prob_mass *mass, int32_t part, int32_t row,
                                 cn_error *error) {
    if (row >= 0) {
        base_fail(error, CN_ERR_INPUT, "M is not positive definite (at velocity %d)",
                  mass->dof[mass->start[part] + row]);
    } else {
        base_fail(error, CN_ERR_INPUT, "M is not positive definite (in the part of velocity %d)",
                  mass->dof[mass->start[part]]);
    }
    base_fail_hint(error, "every body needs a positive mass and inertia");
    return CN_ERR_INPUT;
}

// Half of every entry and half of its mirror image: the symmetric part of M.
static cn_status factorize_dense(const cn_csr *M, cn_arena *memory, prob_mass *mass, int32_t part,
                                 cn_error *error) {
    int32_t n = mass->start[part + 1] - mass->start[part];
    double *A = BASE_TAKE_ZERO(memory, double, (int64_t)n *n);
    if (!A) {
        return base_fail_memory(error);
    }
    for (int32_t i = 0; i < n; i++) {
        int32_t dof = mass->dof[mass->start[part] + i];
        for (int64_t k = M->start[dof]; k < M->start[dof + 1]; k++) {
            // A stored zero may point into another part.
            if (mass->part[M->column[k]] == part) {
                int32_t j = mass->place[M->column[k]];
                A[n * j + i] += 0.5 * M->value[k];
                A[n * i + j] += 0.5 * M->value[k];
            }
        }
    }
    mass->factor[part] = A;
    int32_t row = -1;
    return sparse_cholesky_factor(n, A, &row) ? CN_OK : fail_indefinite(mass, part, row, error);
}

static cn_status part_matrix(const cn_csr *M, cn_arena *scratch, const prob_mass *mass,
                             int32_t part, cn_csr *out) {
    int32_t n = mass->start[part + 1] - mass->start[part];
    int64_t bound = 0, count = 0;
    for (int32_t i = 0; i < n; i++) {
        int32_t dof = mass->dof[mass->start[part] + i];
        bound += M->start[dof + 1] - M->start[dof];
    }
    int32_t *row = BASE_TAKE(scratch, int32_t, 2 * bound);
    int32_t *column = BASE_TAKE(scratch, int32_t, 2 * bound);
    double *value = BASE_TAKE(scratch, double, 2 * bound);
    if (!row || !column || !value) {
        return CN_ERR_MEMORY;
    }
    for (int32_t i = 0; i < n; i++) {
        int32_t dof = mass->dof[mass->start[part] + i];
        for (int64_t k = M->start[dof]; k < M->start[dof + 1]; k++) {
            if (mass->part[M->column[k]] == part) {
                row[count] = column[count + 1] = i;
                column[count] = row[count + 1] = mass->place[M->column[k]];
                value[count] = value[count + 1] = 0.5 * M->value[k];
                count += 2;
            }
        }
    }
    return sparse_csr_from_triplets(scratch, n, n, count, row, column, value, out);
}

static cn_status factorize_large(const cn_csr *M, cn_arena *memory, prob_mass *mass, int32_t part,
                                 cn_error *error) {
    base_arena_mark mark = base_arena_get_mark(memory);
    cn_csr A;
    cn_status status = part_matrix(M, memory, mass, part, &A);
    if (status != CN_OK) {
        return base_fail_memory(error);
    }
    status = sparse_linear_create(sparse_linear_backend_sparse(), cn_arena_env(memory), &A,
                                  &mass->linear[part], error);
    if (status == CN_OK) {
        status = sparse_linear_factorize(mass->linear[part], &A, error);
        status = status == CN_ERR_NUMERIC ? fail_indefinite(mass, part, -1, error) : status;
    }
    base_arena_release(memory, mark);
    return status;
}

cn_status prob_mass_create(const cn_csr *M, cn_arena *memory, prob_mass *mass, cn_error *error) {
    *mass = (prob_mass){0};
    if (mass_split(M, memory, mass) != CN_OK) {
        return base_fail_memory(error);
    }
    mass->factor = BASE_TAKE_ZERO(memory, double *, mass->parts);
    mass->linear = BASE_TAKE_ZERO(memory, sparse_linear *, mass->parts);
    if (!mass->factor || !mass->linear) {
        return base_fail_memory(error);
    }
    base_arena_mark mark = base_arena_get_mark(memory);
    cn_status status = mass_check_symmetry(M, memory, error);
    base_arena_release(memory, mark);
    for (int32_t p = 0; status == CN_OK && p < mass->parts; p++) {
        int32_t size = mass->start[p + 1] - mass->start[p];
        status = size <= PROB_MASS_DENSE_MAX ? factorize_dense(M, memory, mass, p, error)
                                             : factorize_large(M, memory, mass, p, error);
    }
    if (status != CN_OK) {
        prob_mass_destroy(mass);
    }
    return status;
}

void prob_mass_destroy(prob_mass *mass) {
    for (int32_t p = 0; mass->linear && p < mass->parts; p++) {
        sparse_linear_destroy(mass->linear[p]);
        mass->linear[p] = NULL;
    }
}

// ---- solves ----

cn_status prob_mass_solve(const prob_mass *mass, int32_t part, int32_t columns, double *b) {
    if (mass->linear[part]) {
        return sparse_linear_solve(mass->linear[part], columns, b);
    }
    int32_t n = mass->start[part + 1] - mass->start[part];
    for (int32_t j = 0; j < columns; j++) {
        sparse_cholesky_lower(n, mass->factor[part], b + (int64_t)n * j);
        sparse_cholesky_upper(n, mass->factor[part], b + (int64_t)n * j);
    }
    return CN_OK;
}

cn_status prob_mass_solve_all(const prob_mass *mass, cn_arena *scratch, double *x) {
    base_arena_mark mark = base_arena_get_mark(scratch);
    double *b = BASE_TAKE(scratch, double, mass->largest);
    cn_status status = b ? CN_OK : CN_ERR_MEMORY;
    for (int32_t p = 0; status == CN_OK && p < mass->parts; p++) {
        const int32_t *dof = mass->dof + mass->start[p];
        int32_t n = mass->start[p + 1] - mass->start[p];
        for (int32_t i = 0; i < n; i++) {
            b[i] = x[dof[i]];
        }
        status = prob_mass_solve(mass, p, 1, b);
        for (int32_t i = 0; i < n; i++) {
            x[dof[i]] = b[i];
        }
    }
    base_arena_release(scratch, mark);
    return status;
}
