// io/array.h
// Arrays of numbers in files of other programs: NumPy's .npy and Matrix Market's .mtx.
#ifndef CAIRN_IO_ARRAY_H
#define CAIRN_IO_ARRAY_H

#include "base/memory.h"

#include <cairn/base.h>

// Entries of a matrix, or of a vector as a matrix of one column. Zeros of a dense file are left out
// of matrices with several columns; of a column every row has its entry, in order.
typedef struct io_array {
    int32_t rows, cols;
    int64_t count;
    int32_t *row, *column; // from 0
    double *value;
} io_array;

bool io_array_is_npy(const void *bytes, size_t size);
bool io_array_is_mtx(const void *bytes, size_t size);

// Either by its first bytes; other text is a column of numbers. All finite. Arrays go to memory.
cn_status io_array_read(const char *name, const void *bytes, size_t size, cn_arena *memory,
                        io_array *out, cn_error *error);

// Appends a file: dense by rows as .npy (a vector where cols is 0), or as Matrix Market
// "coordinate" of the entries given (a vector, row and column NULL, as "array").
cn_status io_npy_write(base_buffer *out, int32_t rows, int32_t cols, const double *value,
                       cn_error *error);
cn_status io_mtx_write(base_buffer *out, const io_array *array, cn_error *error);

#endif
