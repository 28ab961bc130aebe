// sparse/bsr.c
// Block-sparse rows. The blocks of a block row come out in ascending order because the columns of
// the source do.
#include "sparse/bsr.h"

#include "base/arena.h"

#include <string.h>

// Marks in `seen` the block columns of block row `row` (the diagonal always) and lists them;
// returns their number.
static int32_t collect_blocks(const cn_csr *a, int32_t dim, int32_t row, int32_t *seen,
                              int32_t *list) {
    int32_t count = 0;
    seen[row] = row + 1;
    list[count++] = row;
    for (int32_t i = dim * row; i < dim * (row + 1); i++) {
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) {
            int32_t block = a->column[k] / dim;
            if (seen[block] != row + 1) {
                seen[block] = row + 1;
                list[count++] = block;
            }
        }
    }
    return count;
}

static void sort_ascending(int32_t *list, int32_t count) {
    // Shell sort: rows are short and mostly sorted already.
    for (int32_t gap = count / 2; gap > 0; gap /= 2) {
        for (int32_t i = gap; i < count; i++) {
            int32_t item = list[i];
            int32_t j = i;
            for (; j >= gap && list[j - gap] > item; j -= gap) {
                list[j] = list[j - gap];
            }
            list[j] = item;
        }
    }
}

// Puts the entries of block row `row` of a into its blocks; place[b] is the block index of column b
// in this row.
static void scatter_row(const cn_csr *a, const cn_bsr *out, int32_t row, const int64_t *place) {
    int32_t dim = out->dim;
    for (int32_t i = 0; i < dim; i++) {
        int32_t line = dim * row + i;
        for (int64_t k = a->start[line]; k < a->start[line + 1]; k++) {
            int32_t block = a->column[k] / dim;
            int32_t j = a->column[k] % dim;
            out->value[place[block] * dim * dim + dim * j + i] = a->value[k];
        }
    }
}

cn_status sparse_bsr_from_csr(cn_arena *memory, const cn_csr *a, int32_t dim, cn_bsr *out) {
    int32_t block_rows = a->rows / dim;
    int64_t entries = a->start[a->rows];
    *out = (cn_bsr){.dim = dim, .block_rows = block_rows};
    out->start = BASE_TAKE_ZERO(memory, int64_t, (int64_t)block_rows + 1);
    out->column = BASE_TAKE(memory, int32_t, entries + block_rows);
    int32_t *seen = BASE_TAKE_ZERO(memory, int32_t, block_rows);
    int64_t *place = BASE_TAKE(memory, int64_t, block_rows);
    if (!out->start || !out->column || !seen || !place) {
        return CN_ERR_MEMORY;
    }
    for (int32_t row = 0; row < block_rows; row++) {
        int32_t *list = out->column + out->start[row];
        int32_t count = collect_blocks(a, dim, row, seen, list);
        sort_ascending(list, count);
        out->start[row + 1] = out->start[row] + count;
    }
    int64_t blocks = out->start[block_rows];
    out->value = BASE_TAKE_ZERO(memory, double, blocks *dim *dim + CN_BSR_PAD);
    if (!out->value) {
        return CN_ERR_MEMORY;
    }
    for (int32_t row = 0; row < block_rows; row++) {
        for (int64_t k = out->start[row]; k < out->start[row + 1]; k++) {
            place[out->column[k]] = k;
        }
        scatter_row(a, out, row, place);
    }
    return CN_OK;
}

cn_status sparse_bsr_to_csr(cn_arena *memory, const cn_bsr *a, cn_csr *out) {
    int32_t dim = a->dim;
    int32_t rows = dim * a->block_rows;
    int64_t entries = a->start[a->block_rows] * dim * dim;
    *out = (cn_csr){.rows = rows, .cols = rows};
    out->start = BASE_TAKE(memory, int64_t, (int64_t)rows + 1);
    out->column = BASE_TAKE(memory, int32_t, entries);
    out->value = BASE_TAKE(memory, double, entries);
    if (!out->start || !out->column || !out->value) {
        return CN_ERR_MEMORY;
    }
    int64_t filled = 0;
    for (int32_t line = 0; line < rows; line++) {
        out->start[line] = filled;
        for (int64_t k = a->start[line / dim]; k < a->start[line / dim + 1]; k++) {
            for (int32_t j = 0; j < dim; j++) {
                out->column[filled] = dim * a->column[k] + j;
                out->value[filled] = a->value[k * dim * dim + dim * j + line % dim];
                filled++;
            }
        }
    }
    out->start[rows] = filled;
    return CN_OK;
}

void sparse_bsr_diagonal(const cn_bsr *a, double *diagonal) {
    size_t block = (size_t)a->dim * (size_t)a->dim;
    for (int32_t row = 0; row < a->block_rows; row++) {
        memset(diagonal + block * (size_t)row, 0, sizeof *diagonal * block);
        for (int64_t k = a->start[row]; k < a->start[row + 1]; k++) {
            if (a->column[k] == row) {
                memcpy(diagonal + block * (size_t)row, a->value + block * (size_t)k,
                       sizeof *diagonal * block);
            }
        }
    }
}

// dim is a constant where this is inlined for 2 and 3, so that the small loops unroll.
static inline void bsr_apply_blocks(const cn_bsr *a, int32_t dim, const double *x, double *y) {
    for (int32_t row = 0; row < a->block_rows; row++) {
        double sum[3] = {0.0, 0.0, 0.0};
        for (int64_t k = a->start[row]; k < a->start[row + 1]; k++) {
            const double *block = a->value + k * dim * dim;
            const double *part = x + (int64_t)dim * a->column[k];
            for (int32_t j = 0; j < dim; j++) {
                for (int32_t i = 0; i < dim; i++) {
                    sum[i] += block[dim * j + i] * part[j];
                }
            }
        }
        for (int32_t i = 0; i < dim; i++) {
            y[(int64_t)dim * row + i] = sum[i];
        }
    }
}

void sparse_bsr_apply(const cn_bsr *a, const double *x, double *y) {
    if (a->dim == 3) {
        bsr_apply_blocks(a, 3, x, y);
    } else if (a->dim == 2) {
        bsr_apply_blocks(a, 2, x, y);
    } else {
        bsr_apply_blocks(a, a->dim, x, y);
    }
}
