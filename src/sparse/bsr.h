// sparse/bsr.h
// Block-sparse square matrices with small dense blocks, stored by columns inside a block.
#ifndef CAIRN_SPARSE_BSR_H
#define CAIRN_SPARSE_BSR_H

#include <cairn/sparse.h>

// Gathers the entries of a (rows = cols = dim * block_rows) into blocks; a block exists where a has
// an entry, and the diagonal blocks always do. Arrays go to memory.
cn_status sparse_bsr_from_csr(cn_arena *memory, const cn_csr *a, int32_t dim, cn_bsr *out);
// Every stored entry, zeros included.
cn_status sparse_bsr_to_csr(cn_arena *memory, const cn_bsr *a, cn_csr *out);
// Copies of the diagonal blocks, dim*dim each; zeros where a row has none.
void sparse_bsr_diagonal(const cn_bsr *a, double *diagonal);
// y = A x
void sparse_bsr_apply(const cn_bsr *a, const double *x, double *y);

#endif
