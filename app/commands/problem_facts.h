// app/commands/problem_facts.h
// Facts about a sparse matrix that show how hard its problem will be.
#ifndef CAIRN_APP_COMMANDS_PROBLEM_FACTS_H
#define CAIRN_APP_COMMANDS_PROBLEM_FACTS_H

#include <cairn/problem.h>

typedef struct matrix_facts {
    int64_t rows, nonzeros; // entries stored in blocks, zeros included
    double density;         // nonzeros / rows^2
    double blocks_mean;     // blocks in a block row
    int64_t blocks_max;     //
    double asymmetry;       // |A - A'| / |A|, Frobenius
    double diagonal_min, diagonal_max;
    int32_t islands;    // groups of block rows that are not coupled to others
    int32_t island_max; // block rows of the largest
} matrix_facts;

void matrix_facts_find(const cn_bsr *A, matrix_facts *facts);
// A square CSR matrix as blocks of one entry; nothing is copied.
cn_bsr bsr_view(const cn_csr *A);

double max_norm(const double *x, int64_t count);

#endif
