// The sparse room: conversions keep every entry.
#include "check.h"

#include "base/arena.h"
#include "sparse/bsr.h"
#include "sparse/csr.h"

CN_TEST(triplets_are_sorted_and_summed) {
    cn_arena *arena = cn_arena_create(NULL);
    const int32_t row[] = {2, 0, 2, 0, 2};
    const int32_t column[] = {1, 2, 0, 0, 1};
    const double value[] = {1, 2, 3, 4, 5};
    cn_csr a, t;
    assert_int_equal(sparse_csr_from_triplets(arena, 3, 3, 5, row, column, value, &a), CN_OK);
    assert_int_equal(a.start[3], 4);
    const double x[] = {1, 10, 100};
    double y[3], z[3];
    sparse_csr_apply(&a, x, y);
    CN_CHECK_NEAR(y[0], 204, 0);
    CN_CHECK_NEAR(y[1], 0, 0);
    CN_CHECK_NEAR(y[2], 63, 0);
    assert_int_equal(sparse_csr_transpose(arena, &a, &t), CN_OK);
    sparse_csr_apply(&t, x, y);
    sparse_csr_apply_transposed(&a, x, z);
    for (int i = 0; i < 3; i++) {
        CN_CHECK_NEAR(y[i], z[i], 0);
    }
    int32_t bad;
    CN_CHECK_TRUE(sparse_csr_is_sound(&a, &bad) && sparse_csr_is_sound(&t, &bad));
    cn_arena_destroy(arena);
}

CN_TEST(blocks_keep_the_product_and_the_diagonal) {
    cn_arena *arena = cn_arena_create(NULL);
    const int32_t row[] = {0, 5, 3, 1, 4};
    const int32_t column[] = {5, 0, 4, 1, 2};
    const double value[] = {1, 2, 3, 4, 5};
    cn_csr a, back;
    cn_bsr b;
    assert_int_equal(sparse_csr_from_triplets(arena, 6, 6, 5, row, column, value, &a), CN_OK);
    assert_int_equal(sparse_bsr_from_csr(arena, &a, 3, &b), CN_OK);
    assert_int_equal(b.start[2], 4); // both diagonal blocks, both couplings
    const double x[] = {1, 2, 3, 4, 5, 6};
    double y[6], z[6], diagonal[18];
    sparse_csr_apply(&a, x, y);
    sparse_bsr_apply(&b, x, z);
    assert_int_equal(sparse_bsr_to_csr(arena, &b, &back), CN_OK);
    for (int i = 0; i < 6; i++) {
        CN_CHECK_NEAR(z[i], y[i], 0);
    }
    sparse_csr_apply(&back, x, z);
    for (int i = 0; i < 6; i++) {
        CN_CHECK_NEAR(z[i], y[i], 0);
    }
    sparse_bsr_diagonal(&b, diagonal);
    CN_CHECK_NEAR(diagonal[4], 4, 0);     // entry (1, 1) of the first block
    CN_CHECK_NEAR(diagonal[9 + 3], 3, 0); // entry (0, 1) of the second, by columns
    cn_arena_destroy(arena);
}
