// cairn/sparse.h
// Sparse matrices as data.
#ifndef CAIRN_SPARSE_H
#define CAIRN_SPARSE_H

#include <cairn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

// Compressed rows: row i holds column[k], value[k] for k in [start[i], start[i+1]). Columns ascend
// in a row.
typedef struct cn_csr {
    int32_t rows, cols;
    int64_t *start;  // rows + 1
    int32_t *column; // start[rows]
    double *value;   // start[rows]
} cn_csr;

// Compressed rows of dim x dim blocks, square. A block is stored by columns:
// value[dim*dim*k + dim*j + i] is entry (i, j) of block k. Block columns ascend in a row. The value
// array is CN_BSR_PAD doubles longer than its blocks so that a wide load may run over the end.
#define CN_BSR_PAD 8
typedef struct cn_bsr {
    int32_t dim, block_rows;
    int64_t *start;  // block_rows + 1
    int32_t *column; // block columns
    double *value;
} cn_bsr;

#ifdef __cplusplus
}
#endif
#endif
