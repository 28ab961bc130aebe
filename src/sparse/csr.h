// sparse/csr.h
// Building and using compressed-row matrices. All arrays go to the arena given; NULL /
// CN_ERR_MEMORY when it is full.
#ifndef CAIRN_SPARSE_CSR_H
#define CAIRN_SPARSE_CSR_H

#include <cairn/sparse.h>

// Entries (row[k], column[k], value[k]), k < count, in any order; repeated ones are summed in the
// order given. Indices must be in range. Explicit zeros are kept.
cn_status sparse_csr_from_triplets(cn_arena *memory, int32_t rows, int32_t cols, int64_t count,
                                   const int32_t *row, const int32_t *column, const double *value,
                                   cn_csr *out);
cn_status sparse_csr_transpose(cn_arena *memory, const cn_csr *a, cn_csr *out);
// y = A x
void sparse_csr_apply(const cn_csr *a, const double *x, double *y);
// y = A' x
void sparse_csr_apply_transposed(const cn_csr *a, const double *x, double *y);
// Indices ascend and are in range, values finite. *bad_row: where not.
bool sparse_csr_is_sound(const cn_csr *a, int32_t *bad_row);

#endif
