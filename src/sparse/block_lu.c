// sparse/block_lu.c
// Row-wise LU (each row eliminated by the finished ones before it) on the filled pattern of the
// symmetrised graph, ordered by approximate minimum degree (AMD). The fill comes from the
// elimination tree (Liu 1986; Davis 2006, chapter 4).
#include "sparse/block_lu.h"

#include "base/arena.h"
#include "base/cancel.h"

#include <amd.h>
#include <math.h>
#include <string.h>

// Numbers in the factors, 2 GB of them: a packing of some 30 000 spheres. What needs more is not
// for a factorisation.
#define LU_MAX (INT64_C(1) << 28)

#define MATH_INLINE static inline __attribute__((always_inline))

// ---- symbolic ----

// AMD on the pattern without its diagonal; order[k] is the row that is eliminated k-th.
static cn_status order_rows(int32_t rows, const int64_t *start, const int32_t *column,
                            cn_arena *memory, int32_t *order) {
    int64_t entries = start[rows];
    int32_t *pointer = BASE_TAKE(memory, int32_t, (int64_t)rows + 1),
            *index = BASE_TAKE(memory, int32_t, entries);
    if (!pointer || !index || entries > INT32_MAX) {
        return CN_ERR_MEMORY;
    }
    for (int32_t i = 0; i <= rows; i++) {
        pointer[i] = (int32_t)start[i];
    }
    memcpy(index, column, sizeof *index * (size_t)entries);
    int result = amd_order(rows, pointer, index, order, NULL, NULL);
    return result == AMD_OK || result == AMD_OK_BUT_JUMBLED ? CN_OK : CN_ERR_MEMORY;
}

// Rows k < i of the filled lower triangle, in elimination order: those on the way up the
// elimination tree from the entries of row i. Calls back by filling list; returns how many.
static int32_t row_reach(const sparse_block_lu *lu, const int32_t *order, const int64_t *start,
                         const int32_t *column, int32_t i, int32_t *parent, int32_t *seen,
                         int32_t *list) {
    int32_t count = 0, row = order[i];
    seen[i] = i;
    for (int64_t k = start[row]; k < start[row + 1]; k++) {
        for (int32_t j = lu->place[column[k]]; j < i && seen[j] != i; j = parent[j]) {
            seen[j] = i;
            list[count++] = j;
            if (parent[j] < 0) {
                parent[j] = i;
            }
        }
    }
    return count;
}

// Counts or writes the filled rows: the lower part from the reach, the upper part as its mirror.
// CN_ERR_UNSUPPORTED when they are too many.
static cn_status fill(sparse_block_lu *lu, const int32_t *order, const int64_t *start,
                      const int32_t *column, cn_arena *memory) {
    int32_t n = lu->rows;
    int32_t *parent = BASE_TAKE(memory, int32_t, n), *seen = BASE_TAKE(memory, int32_t, n);
    int32_t *list = BASE_TAKE(memory, int32_t, n);
    int64_t *next = BASE_TAKE(memory, int64_t, n);
    lu->start = BASE_TAKE_ZERO(memory, int64_t, (int64_t)n + 1);
    lu->diagonal = BASE_TAKE_ZERO(memory, int64_t, n);
    if (!parent || !seen || !list || !next || !lu->start || !lu->diagonal) {
        return CN_ERR_MEMORY;
    }
    for (int pass = 0; pass < 2; pass++) {
        memset(parent, -1, sizeof *parent * (size_t)n);
        memset(seen, -1, sizeof *seen * (size_t)n);
        int64_t filled = 0;
        for (int32_t i = 0; i < n; i++) {
            int32_t count = row_reach(lu, order, start, column, i, parent, seen, list);
            filled += 2 * (int64_t)count + 1;
            if (filled > LU_MAX / (lu->dim * lu->dim)) {
                return CN_ERR_UNSUPPORTED;
            }
            if (pass == 0) {
                lu->start[i + 1] += count + 1;
                lu->diagonal[i] = count;
                for (int32_t k = 0; k < count; k++) {
                    lu->start[list[k] + 1]++;
                }
                continue;
            }
            // Ascending rows i append themselves to the upper parts in order; the lower part is
            // sorted below.
            for (int32_t k = 0; k < count; k++) {
                lu->column[lu->start[i] + k] = list[k];
                lu->column[next[list[k]]++] = i;
            }
            lu->column[lu->diagonal[i]] = i;
        }
        if (pass == 0) {
            for (int32_t i = 0; i < n; i++) {
                lu->start[i + 1] += lu->start[i];
                lu->diagonal[i] += lu->start[i];
                next[i] = lu->diagonal[i] + 1;
            }
            lu->column = BASE_TAKE(memory, int32_t, lu->start[n]);
            if (!lu->column) {
                return CN_ERR_MEMORY;
            }
        }
    }
    return CN_OK;
}

// The lower parts ascending: a transpose of the upper parts lists them in order.
static void sort_lower(sparse_block_lu *lu, int64_t *next) {
    for (int32_t i = 0; i < lu->rows; i++) {
        next[i] = lu->start[i];
    }
    for (int32_t i = 0; i < lu->rows; i++) {
        for (int64_t k = lu->diagonal[i] + 1; k < lu->start[i + 1]; k++) {
            lu->column[next[lu->column[k]]++] = i;
        }
    }
}

static double count_multiplications(const sparse_block_lu *lu) {
    double blocks = 0.0;
    for (int32_t i = 0; i < lu->rows; i++) {
        for (int64_t k = lu->start[i]; k < lu->diagonal[i]; k++) {
            int32_t row = lu->column[k];
            blocks += (double)(lu->start[row + 1] - lu->diagonal[row]);
        }
    }
    return blocks * lu->dim * lu->dim * lu->dim;
}

// order with the late rows behind the others, either as they were among themselves; returns how
// many are not late.
static int32_t order_late(int32_t rows, const uint8_t *late, int32_t *spare, int32_t *order) {
    int32_t early = 0, behind = 0;
    for (int32_t i = 0; i < rows; i++) {
        if (late[order[i]]) {
            spare[behind++] = order[i];
        } else {
            order[early++] = order[i];
        }
    }
    for (int32_t i = 0; i < behind; i++) {
        order[early + i] = spare[i];
    }
    return early;
}

cn_status sparse_block_lu_analyse(int32_t dim, int32_t rows, const int64_t *start,
                                  const int32_t *column, const uint8_t *late, cn_arena *memory,
                                  sparse_block_lu *out) {
    *out = (sparse_block_lu){.dim = dim, .rows = rows, .env = cn_arena_env(memory)};
    int32_t *order = BASE_TAKE(memory, int32_t, rows);
    int64_t *next = BASE_TAKE(memory, int64_t, rows);
    out->place = BASE_TAKE(memory, int32_t, rows);
    if (!order || !next || !out->place || order_rows(rows, start, column, memory, order) != CN_OK) {
        return CN_ERR_MEMORY;
    }
    out->early = late ? order_late(rows, late, out->place, order) : 0;
    for (int32_t i = 0; i < rows; i++) {
        out->place[order[i]] = i;
    }
    CN_TRY(fill(out, order, start, column, memory));
    sort_lower(out, next);
    out->multiplications = count_multiplications(out);
    out->value = BASE_TAKE(memory, double, out->start[rows] * dim * dim);
    out->work = BASE_TAKE(memory, double, (int64_t)rows *dim *dim);
    out->exchange = BASE_TAKE(memory, int32_t, (int64_t)rows * dim);
    out->x = BASE_TAKE(memory, double, (int64_t)rows *dim);
    return out->value && out->work && out->exchange && out->x ? CN_OK : CN_ERR_MEMORY;
}

void sparse_block_lu_clear(sparse_block_lu *lu, int32_t first) {
    int64_t size = (int64_t)lu->dim * lu->dim, from = lu->start[first];
    memset(lu->value + size * from, 0,
           sizeof *lu->value * (size_t)(size * (lu->start[lu->rows] - from)));
}

double *sparse_block_lu_at(sparse_block_lu *lu, int32_t i, int32_t j) {
    int32_t row = lu->place[i], wanted = lu->place[j];
    int64_t low = lu->start[row], high = lu->start[row + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (lu->column[middle] < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < lu->start[row + 1] && lu->column[low] == wanted;
    return found ? lu->value + low * lu->dim * lu->dim : NULL;
}

// ---- numeric, for a block size known to the compiler ----

// Diagonal block := its LU factors with row exchanges.
MATH_INLINE bool factor_block(int dim, double *block, int32_t *exchange) {
    for (int k = 0; k < dim; k++) {
        int pivot = k;
        for (int i = k + 1; i < dim; i++) {
            pivot = fabs(block[dim * i + k]) > fabs(block[dim * pivot + k]) ? i : pivot;
        }
        exchange[k] = pivot;
        double size = fabs(block[dim * pivot + k]);
        if (!(size > 0.0 && size < HUGE_VAL)) {
            return false;
        }
        for (int j = 0; pivot != k && j < dim; j++) {
            double swap = block[dim * k + j];
            block[dim * k + j] = block[dim * pivot + j];
            block[dim * pivot + j] = swap;
        }
        for (int i = k + 1; i < dim; i++) {
            double factor = block[dim * i + k] /= block[dim * k + k];
            for (int j = k + 1; j < dim; j++) {
                block[dim * i + j] -= factor * block[dim * k + j];
            }
        }
    }
    return true;
}

// block := block D^-1, D = P' L U the factored pivot. All rows at a time: turned over, they are the
// lanes of what the compiler makes of the inner loops.
MATH_INLINE void divide_block(int dim, const double *pivot, const int32_t *exchange,
                              double *block) {
    double turned[SPARSE_BLOCK_MAX * SPARSE_BLOCK_MAX];
    for (int j = 0; j < dim; j++) {
        for (int r = 0; r < dim; r++) {
            turned[dim * j + r] = block[dim * r + j];
        }
    }
    for (int j = 0; j < dim; j++) {
        for (int k = 0; k < j; k++) {
            for (int r = 0; r < dim; r++) {
                turned[dim * j + r] -= turned[dim * k + r] * pivot[dim * k + j];
            }
        }
        for (int r = 0; r < dim; r++) {
            turned[dim * j + r] /= pivot[dim * j + j];
        }
    }
    for (int j = dim - 1; j >= 0; j--) {
        for (int k = j + 1; k < dim; k++) {
            for (int r = 0; r < dim; r++) {
                turned[dim * j + r] -= turned[dim * k + r] * pivot[dim * k + j];
            }
        }
    }
    for (int k = dim - 1; k >= 0; k--) {
        for (int r = 0; r < dim; r++) {
            double swap = turned[dim * k + r];
            turned[dim * k + r] = turned[dim * exchange[k] + r];
            turned[dim * exchange[k] + r] = swap;
        }
    }
    for (int j = 0; j < dim; j++) {
        for (int r = 0; r < dim; r++) {
            block[dim * r + j] = turned[dim * j + r];
        }
    }
}

// to -= left right
MATH_INLINE void subtract_product(int dim, const double *restrict left,
                                  const double *restrict right, double *restrict to) {
    for (int i = 0; i < dim; i++) {
        for (int k = 0; k < dim; k++) {
            double factor = left[dim * i + k];
            for (int j = 0; j < dim; j++) {
                to[dim * i + j] -= factor * right[dim * k + j];
            }
        }
    }
}

MATH_INLINE bool factor_rows(int dim, sparse_block_lu *lu, int32_t from) {
    int size = dim * dim;
    base_poll poll = {.env = lu->env};
    for (int32_t i = from; i < lu->rows; i++) {
        int64_t first = lu->start[i], last = lu->start[i + 1];
        for (int64_t k = first; k < last; k++) {
            memcpy(lu->work + (int64_t)size * lu->column[k], lu->value + size * k,
                   sizeof(double) * (size_t)size);
        }
        for (int64_t k = first; k < lu->diagonal[i]; k++) {
            int32_t row = lu->column[k];
            double *left = lu->work + (int64_t)size * row;
            const double *pivot = lu->value + size * lu->diagonal[row];
            if (base_poll_work(&poll,
                               (double)(size * dim * (lu->start[row + 1] - lu->diagonal[row])))) {
                return false;
            }
            divide_block(dim, pivot, lu->exchange + (int64_t)dim * row, left);
            for (int64_t l = lu->diagonal[row] + 1; l < lu->start[row + 1]; l++) {
                subtract_product(dim, left, lu->value + size * l,
                                 lu->work + (int64_t)size * lu->column[l]);
            }
        }
        for (int64_t k = first; k < last; k++) {
            memcpy(lu->value + size * k, lu->work + (int64_t)size * lu->column[k],
                   sizeof(double) * (size_t)size);
        }
        if (!factor_block(dim, lu->value + size * lu->diagonal[i],
                          lu->exchange + (int64_t)dim * i)) {
            return false;
        }
    }
    return true;
}

static bool factor_2(sparse_block_lu *lu, int32_t from) {
    return factor_rows(2, lu, from);
}

static bool factor_3(sparse_block_lu *lu, int32_t from) {
    return factor_rows(3, lu, from);
}

static bool factor_6(sparse_block_lu *lu, int32_t from) {
    return factor_rows(6, lu, from);
}

#if defined(__x86_64__)
// The same code for processors with 256-bit registers; products and sums are not fused, so the bits
// are the same.
__attribute__((target("avx2"))) static bool factor_6_avx2(sparse_block_lu *lu, int32_t from) {
    return factor_rows(6, lu, from);
}

bool sparse_block_lu_factor(sparse_block_lu *lu, int32_t first) {
    if (lu->dim == 6 && __builtin_cpu_supports("avx2")) {
        return factor_6_avx2(lu, first);
    }
    return lu->dim == 2   ? factor_2(lu, first)
           : lu->dim == 3 ? factor_3(lu, first)
                          : factor_6(lu, first);
}
#else
bool sparse_block_lu_factor(sparse_block_lu *lu, int32_t first) {
    return lu->dim == 2   ? factor_2(lu, first)
           : lu->dim == 3 ? factor_3(lu, first)
                          : factor_6(lu, first);
}
#endif

// x := D^-1 x for a factored diagonal block.
MATH_INLINE void solve_block(int dim, const double *block, const int32_t *exchange, double *x) {
    for (int k = 0; k < dim; k++) {
        double swap = x[k];
        x[k] = x[exchange[k]];
        x[exchange[k]] = swap;
    }
    for (int i = 1; i < dim; i++) {
        for (int k = 0; k < i; k++) {
            x[i] -= block[dim * i + k] * x[k];
        }
    }
    for (int i = dim - 1; i >= 0; i--) {
        for (int k = i + 1; k < dim; k++) {
            x[i] -= block[dim * i + k] * x[k];
        }
        x[i] /= block[dim * i + i];
    }
}

// to -= block x
MATH_INLINE void subtract_apply(int dim, const double *block, const double *x, double *to) {
    for (int i = 0; i < dim; i++) {
        double sum = 0.0;
        for (int j = 0; j < dim; j++) {
            sum += block[dim * i + j] * x[j];
        }
        to[i] -= sum;
    }
}

MATH_INLINE void solve_rows(int dim, sparse_block_lu *lu, double *x) {
    int size = dim * dim;
    double *y = lu->x;
    for (int32_t i = 0; i < lu->rows; i++) {
        memcpy(y + (int64_t)dim * lu->place[i], x + (int64_t)dim * i, sizeof *x * (size_t)dim);
    }
    for (int32_t i = 0; i < lu->rows; i++) {
        for (int64_t k = lu->start[i]; k < lu->diagonal[i]; k++) {
            subtract_apply(dim, lu->value + size * k, y + (int64_t)dim * lu->column[k],
                           y + (int64_t)dim * i);
        }
    }
    for (int32_t i = lu->rows - 1; i >= 0; i--) {
        for (int64_t k = lu->diagonal[i] + 1; k < lu->start[i + 1]; k++) {
            subtract_apply(dim, lu->value + size * k, y + (int64_t)dim * lu->column[k],
                           y + (int64_t)dim * i);
        }
        solve_block(dim, lu->value + size * lu->diagonal[i], lu->exchange + (int64_t)dim * i,
                    y + (int64_t)dim * i);
    }
    for (int32_t i = 0; i < lu->rows; i++) {
        memcpy(x + (int64_t)dim * i, y + (int64_t)dim * lu->place[i], sizeof *x * (size_t)dim);
    }
}

void sparse_block_lu_solve(sparse_block_lu *lu, double *x) {
    if (lu->dim == 6) {
        solve_rows(6, lu, x);
    } else if (lu->dim == 3) {
        solve_rows(3, lu, x);
    } else {
        solve_rows(2, lu, x);
    }
}
