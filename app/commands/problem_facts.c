// app/commands/problem_facts.c
// One pass over the blocks for the sums, one search per block for the symmetry, and a union-find
// over the couplings for the islands.
#include "commands/problem_facts.h"

#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

cn_bsr bsr_view(const cn_csr *A) {
    return (cn_bsr){
        .dim = 1, .block_rows = A->rows, .start = A->start, .column = A->column, .value = A->value};
}

double max_norm(const double *x, int64_t count) {
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

// Block (row, column) of A, or NULL. Columns ascend.
static const double *block_find(const cn_bsr *A, int32_t row, int32_t column) {
    int64_t low = A->start[row], high = A->start[row + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (A->column[middle] < column) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < A->start[row + 1] && A->column[low] == column;
    return found ? A->value + low * A->dim * A->dim : NULL;
}

// |B - C'|^2 over the entries of a block B and its mirror image C; a missing C is zero and then
// counts for both.
static double mirror_defect(const double *B, const double *C, int32_t dim) {
    double sum = 0.0;
    for (int32_t i = 0; i < dim; i++) {
        for (int32_t j = 0; j < dim; j++) {
            double defect = B[dim * j + i] - (C ? C[dim * i + j] : 0.0);
            sum += defect * defect;
        }
    }
    return C ? sum : 2.0 * sum;
}

// The island of a row, with every row on the way brought nearer to it.
static int32_t island_of(int32_t *parent, int32_t row) {
    while (parent[row] != row) {
        parent[row] = parent[parent[row]];
        row = parent[row];
    }
    return row;
}

static void count_islands(int32_t *parent, int32_t rows, matrix_facts *facts) {
    int32_t *size = ALLOCATE(int32_t, rows);
    for (int32_t a = 0; a < rows; a++) {
        int32_t root = island_of(parent, a);
        facts->islands += size[root] == 0;
        size[root]++;
        facts->island_max = size[root] > facts->island_max ? size[root] : facts->island_max;
    }
    free(size);
}

void matrix_facts_find(const cn_bsr *A, matrix_facts *facts) {
    int32_t dim = A->dim, rows = A->block_rows;
    int64_t block = (int64_t)dim * dim;
    int64_t m = (int64_t)dim * rows;
    *facts = (matrix_facts){.rows = m,
                            .nonzeros = block * A->start[rows],
                            .diagonal_min = HUGE_VAL,
                            .diagonal_max = -HUGE_VAL};
    facts->density = m > 0 ? (double)facts->nonzeros / ((double)m * (double)m) : 0.0;
    facts->blocks_mean = rows > 0 ? (double)A->start[rows] / rows : 0.0;
    int32_t *parent = ALLOCATE(int32_t, rows);
    for (int32_t a = 0; a < rows; a++) {
        parent[a] = a;
    }
    double defect = 0.0;
    for (int32_t a = 0; a < rows; a++) {
        int64_t count = A->start[a + 1] - A->start[a];
        facts->blocks_max = count > facts->blocks_max ? count : facts->blocks_max;
        for (int64_t k = A->start[a]; k < A->start[a + 1]; k++) {
            int32_t b = A->column[k];
            const double *B = A->value + block * k;
            defect += mirror_defect(B, block_find(A, b, a), dim);
            if (b != a && max_norm(B, block) > 0.0) {
                parent[island_of(parent, a)] = island_of(parent, b);
            }
            for (int32_t i = 0; a == b && i < dim; i++) {
                facts->diagonal_min = fmin(facts->diagonal_min, B[dim * i + i]);
                facts->diagonal_max = fmax(facts->diagonal_max, B[dim * i + i]);
            }
        }
    }
    double norm = max_norm(A->value, facts->nonzeros);
    facts->asymmetry = norm > 0.0 ? sqrt(defect) / norm : 0.0;
    count_islands(parent, rows, facts);
    free(parent);
}
