// The block LU on a fixed pattern.
#include "check.h"

#include "base/arena.h"
#include "base/rng.h"
#include "sparse/block_lu.h"

#include <string.h>

// A random symmetric pattern on a ring with chords, unsymmetric values, dominant diagonal: A x for
// a known x, solved back.
static void solve_random(int32_t dim, int32_t rows, int32_t chords, uint64_t seed) {
    cn_arena *arena = cn_arena_create(NULL);
    base_rng rng = base_rng_seed(seed);
    bool *coupled = BASE_TAKE_ZERO(arena, bool, (int64_t)rows *rows);
    for (int32_t i = 0; i < rows; i++) {
        coupled[rows * i + (i + 1) % rows] = coupled[rows * ((i + 1) % rows) + i] = rows > 1;
    }
    for (int32_t k = 0; k < chords; k++) {
        int32_t i = base_rng_below(&rng, rows), j = base_rng_below(&rng, rows);
        coupled[rows * i + j] = coupled[rows * j + i] = true;
    }
    int64_t *start = BASE_TAKE_ZERO(arena, int64_t, (int64_t)rows + 1);
    int32_t *column = BASE_TAKE(arena, int32_t, (int64_t)rows * rows);
    for (int32_t i = 0; i < rows; i++) {
        start[i + 1] = start[i];
        for (int32_t j = 0; j < rows; j++) {
            if (coupled[rows * i + j]) {
                column[start[i + 1]++] = j;
            }
        }
    }
    sparse_block_lu lu;
    assert_int_equal(sparse_block_lu_analyse(dim, rows, start, column, NULL, arena, &lu), CN_OK);
    double *x = BASE_TAKE(arena, double, rows *dim), *b = BASE_TAKE(arena, double, rows *dim);
    for (int round = 0; round < 2; round++) { // twice on one analysis
        sparse_block_lu_clear(&lu, 0);
        memset(b, 0, sizeof *b * (size_t)(rows * dim));
        for (int32_t i = 0; i < rows * dim; i++) {
            x[i] = base_rng_uniform(&rng, -1.0, 1.0);
        }
        for (int32_t i = 0; i < rows; i++) {
            for (int32_t j = 0; j < rows; j++) {
                if (i != j && !coupled[rows * i + j]) {
                    continue;
                }
                double *block = sparse_block_lu_at(&lu, i, j);
                CN_CHECK_TRUE(block != NULL);
                for (int32_t k = 0; k < dim * dim; k++) {
                    // The diagonal block is a turned identity, so that rows must be exchanged
                    // inside it.
                    bool heavy = i == j && (k / dim + 1) % dim == k % dim;
                    block[k] = base_rng_uniform(&rng, -1.0, 1.0) + (heavy ? 5.0 * rows : 0.0);
                    b[dim * i + k / dim] += block[k] * x[dim * j + k % dim];
                }
            }
        }
        CN_CHECK_TRUE(sparse_block_lu_factor(&lu, 0));
        sparse_block_lu_solve(&lu, b);
        for (int32_t i = 0; i < rows * dim; i++) {
            CN_CHECK_NEAR(b[i], x[i], 1e-12);
        }
    }
    cn_arena_destroy(arena);
}

CN_TEST(solves_random_systems_of_every_block_size) {
    solve_random(2, 30, 20, 1);
    solve_random(3, 30, 60, 2);
    solve_random(6, 25, 10, 3);
    solve_random(6, 1, 0, 4);
    solve_random(3, 12, 200, 5);
}

CN_TEST(singular_block_is_reported) {
    cn_arena *arena = cn_arena_create(NULL);
    const int64_t start[] = {0, 1, 2};
    const int32_t column[] = {1, 0};
    sparse_block_lu lu;
    assert_int_equal(sparse_block_lu_analyse(3, 2, start, column, NULL, arena, &lu), CN_OK);
    sparse_block_lu_clear(&lu, 0);
    CN_CHECK_TRUE(!sparse_block_lu_factor(&lu, 0));
    CN_CHECK_TRUE(sparse_block_lu_at(&lu, 0, 1) != NULL);
    cn_arena_destroy(arena);
}

// A path ordered badly would fill; minimum degree keeps it a path.
CN_TEST(a_tree_does_not_fill) {
    cn_arena *arena = cn_arena_create(NULL);
    enum { rows = 50 };
    int64_t start[rows + 1] = {0};
    int32_t column[2 * rows];
    for (int32_t i = 0; i < rows; i++) { // a star: every row couples with row 0
        start[i + 1] = start[i];
        if (i == 0) {
            for (int32_t j = 1; j < rows; j++) {
                column[start[i + 1]++] = j;
            }
        } else {
            column[start[i + 1]++] = 0;
        }
    }
    sparse_block_lu lu;
    assert_int_equal(sparse_block_lu_analyse(2, rows, start, column, NULL, arena, &lu), CN_OK);
    assert_int_equal(lu.start[rows], 3 * rows - 2);
    cn_arena_destroy(arena);
}

// Entry k of block (i, j) of a chain, whose late blocks have another diagonal each round.
static double chain_entry(int32_t i, int32_t j, int k, bool late, int round) {
    double off = 0.1 * ((7 * i + 3 * j + 5 * k) % 11 - 5);
    return off + (i == j && k % 4 == 0 ? 9.0 + (late ? round : 0) : 0.0);
}

CN_TEST(late_rows_are_factored_anew_behind_those_that_are_kept) {
    enum { rows = 20, dim = 3 };
    cn_arena *arena = cn_arena_create(NULL);
    int64_t start[rows + 1] = {0};
    int32_t column[2 * rows];
    uint8_t late[rows] = {0};
    for (int32_t i = 0; i < rows; i++) {
        start[i + 1] = start[i];
        late[i] = i >= 8 && i < 12;
        for (int32_t j = i - 1; j <= i + 1; j += 2) {
            if (j >= 0 && j < rows) {
                column[start[i + 1]++] = j;
            }
        }
    }
    sparse_block_lu lu;
    assert_int_equal(sparse_block_lu_analyse(dim, rows, start, column, late, arena, &lu), CN_OK);
    assert_int_equal(lu.early, rows - 4);
    for (int round = 0; round < 3; round++) {
        int32_t first = round == 0 ? 0 : lu.early;
        double b[rows * dim] = {0};
        sparse_block_lu_clear(&lu, first);
        for (int32_t i = 0; i < rows; i++) {
            for (int32_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < rows; j++) {
                for (int k = 0; k < dim * dim; k++) {
                    double entry = chain_entry(i, j, k, late[i], round);
                    b[dim * i + k / dim] += entry * (1.0 + j + k % dim);
                    if (lu.place[i] >= first) {
                        sparse_block_lu_at(&lu, i, j)[k] = entry;
                    }
                }
            }
        }
        CN_CHECK_TRUE(sparse_block_lu_factor(&lu, first));
        sparse_block_lu_solve(&lu, b);
        for (int32_t i = 0; i < rows * dim; i++) {
            CN_CHECK_NEAR(b[i], 1.0 + i / dim + i % dim, 1e-12);
        }
    }
    cn_arena_destroy(arena);
}

// A full graph whose factors would be larger than any should be.
CN_TEST(factors_too_large_are_refused) {
    enum { rows = 2800 };
    cn_arena *memory = cn_arena_create(NULL);
    int64_t *start = BASE_TAKE(memory, int64_t, rows + 1);
    int32_t *column = BASE_TAKE(memory, int32_t, (int64_t)rows * rows);
    for (int32_t i = 0; i <= rows; i++) {
        start[i] = (int64_t)rows * i;
        for (int32_t j = 0; i < rows && j < rows; j++) {
            column[start[i] + j] = j;
        }
    }
    sparse_block_lu lu;
    assert_int_equal(sparse_block_lu_analyse(6, rows, start, column, NULL, memory, &lu),
                     CN_ERR_UNSUPPORTED);
    cn_arena_destroy(memory);
}
