// sparse/csr.c
// Compressed rows: built from triplets by two stable counting sorts (by column, then by row),
// repeated entries summed.
#include "sparse/csr.h"

#include "base/arena.h"

#include <math.h>
#include <string.h>

// The stable order of count keys in [0, range): order_out[j] lists positions of order_in.
static void counting_sort(int64_t count, const int32_t *key, const int64_t *order_in, int32_t range,
                          int64_t *slot, int64_t *order_out) {
    memset(slot, 0, sizeof *slot * ((size_t)range + 1));
    for (int64_t k = 0; k < count; k++) {
        slot[key[k] + 1]++;
    }
    for (int32_t i = 0; i < range; i++) {
        slot[i + 1] += slot[i];
    }
    for (int64_t j = 0; j < count; j++) {
        int64_t k = order_in ? order_in[j] : j;
        order_out[slot[key[k]]++] = k;
    }
}

static cn_status csr_allocate(cn_arena *memory, int32_t rows, int32_t cols, int64_t count,
                              cn_csr *out) {
    *out = (cn_csr){.rows = rows, .cols = cols};
    out->start = BASE_TAKE_ZERO(memory, int64_t, (int64_t)rows + 1);
    out->column = BASE_TAKE(memory, int32_t, count);
    out->value = BASE_TAKE(memory, double, count);
    return out->start && out->column && out->value ? CN_OK : CN_ERR_MEMORY;
}

cn_status sparse_csr_from_triplets(cn_arena *memory, int32_t rows, int32_t cols, int64_t count,
                                   const int32_t *row, const int32_t *column, const double *value,
                                   cn_csr *out) {
    CN_TRY(csr_allocate(memory, rows, cols, count, out));
    base_arena_mark mark = base_arena_get_mark(memory);
    int32_t range = rows > cols ? rows : cols;
    int64_t *slot = BASE_TAKE(memory, int64_t, (int64_t)range + 2);
    int64_t *by_column = BASE_TAKE(memory, int64_t, count);
    int64_t *by_row = BASE_TAKE(memory, int64_t, count);
    if (!slot || !by_column || !by_row) {
        base_arena_release(memory, mark);
        return CN_ERR_MEMORY;
    }
    counting_sort(count, column, NULL, cols, slot, by_column);
    counting_sort(count, row, by_column, rows, slot, by_row);
    int64_t filled = 0;
    int32_t last_row = -1;
    for (int64_t j = 0; j < count; j++) {
        int64_t k = by_row[j];
        if (row[k] == last_row && out->column[filled - 1] == column[k]) {
            out->value[filled - 1] += value[k];
            continue;
        }
        out->column[filled] = column[k];
        out->value[filled] = value[k];
        filled++;
        out->start[row[k] + 1]++;
        last_row = row[k];
    }
    for (int32_t i = 0; i < rows; i++) {
        out->start[i + 1] += out->start[i];
    }
    base_arena_release(memory, mark);
    return CN_OK;
}

cn_status sparse_csr_transpose(cn_arena *memory, const cn_csr *a, cn_csr *out) {
    CN_TRY(csr_allocate(memory, a->cols, a->rows, a->start[a->rows], out));
    for (int64_t k = 0; k < a->start[a->rows]; k++) {
        out->start[a->column[k] + 1]++;
    }
    for (int32_t i = 0; i < a->cols; i++) {
        out->start[i + 1] += out->start[i];
    }
    // start[j] serves as the next free place of row j, then is shifted back by one row.
    for (int32_t i = 0; i < a->rows; i++) {
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) {
            int64_t place = out->start[a->column[k]]++;
            out->column[place] = i;
            out->value[place] = a->value[k];
        }
    }
    memmove(out->start + 1, out->start, sizeof *out->start * (size_t)a->cols);
    out->start[0] = 0;
    return CN_OK;
}

void sparse_csr_apply(const cn_csr *a, const double *x, double *y) {
    for (int32_t i = 0; i < a->rows; i++) {
        double sum = 0.0;
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) {
            sum += a->value[k] * x[a->column[k]];
        }
        y[i] = sum;
    }
}

void sparse_csr_apply_transposed(const cn_csr *a, const double *x, double *y) {
    memset(y, 0, sizeof *y * (size_t)a->cols);
    for (int32_t i = 0; i < a->rows; i++) {
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) {
            y[a->column[k]] += a->value[k] * x[i];
        }
    }
}

bool sparse_csr_is_sound(const cn_csr *a, int32_t *bad_row) {
    for (int32_t i = 0; i < a->rows; i++) {
        *bad_row = i;
        if (a->start[i + 1] < a->start[i]) {
            return false;
        }
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) {
            bool ascending = k == a->start[i] || a->column[k] > a->column[k - 1];
            if (!ascending || a->column[k] < 0 || a->column[k] >= a->cols ||
                !isfinite(a->value[k])) {
                return false;
            }
        }
    }
    return true;
}
