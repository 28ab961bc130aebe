// sparse/block_lu.h
// LU of a block matrix with a symmetric pattern and unsymmetric values, in the caller's memory: one
// symbolic analysis, then any number of factorisations on the same pattern.
//
// Rows are exchanged inside a diagonal block only. That suits matrices whose diagonal blocks
// dominate (mass plus something, a regularised Delassus operator); a vanishing pivot is reported,
// not mended.
#ifndef CAIRN_SPARSE_BLOCK_LU_H
#define CAIRN_SPARSE_BLOCK_LU_H

#include <cairn/base.h>

#define SPARSE_BLOCK_MAX 6

typedef struct sparse_block_lu {
    int32_t dim;       // of a block: 2, 3 or 6
    int32_t rows;      // block rows
    int32_t early;     // of them, those that are not late
    int32_t *place;    // where row i stands in the elimination order
    int64_t *start;    // of a row in that order, rows + 1
    int64_t *diagonal; // its diagonal block
    int32_t *column;   // ascending, in that order
    double *value;     // blocks by rows: entry (i, j) of block k is value[dim*dim*k + dim*i + j]
    int32_t *exchange; // row exchanges inside the diagonal blocks
    double *work;      // one block row, dense
    double *x;         // a right-hand side in the elimination order
    double multiplications; // of one factorisation, for decisions by count
    const cn_env *env;      // of the memory
} sparse_block_lu;

// The pattern: block row i couples with column[k], k in [start[i], start[i+1]), symmetric; the
// diagonal may be left out. late: NULL, or rows (1) to be eliminated after all others, since their
// values change from one factorisation to the next: the first `early` rows of the order can then be
// kept. CN_ERR_UNSUPPORTED: the factors would be larger than any should be.
cn_status sparse_block_lu_analyse(int32_t dim, int32_t rows, const int64_t *start,
                                  const int32_t *column, const uint8_t *late, cn_arena *memory,
                                  sparse_block_lu *out);
// All values to zero, from the row `first` of the order on, to be filled through sparse_block_lu_at.
void sparse_block_lu_clear(sparse_block_lu *lu, int32_t first);
// The block (i, j) of the pattern, by rows, to be added to; NULL when it is not in it.
double *sparse_block_lu_at(sparse_block_lu *lu, int32_t i, int32_t j);
// false when a pivot vanishes or is not finite, and when the work is cancelled. first: rows before
// it are factored already, and of the values of those behind only these have been filled anew.
bool sparse_block_lu_factor(sparse_block_lu *lu, int32_t first);
// x := A^-1 x
void sparse_block_lu_solve(sparse_block_lu *lu, double *x);

#endif
