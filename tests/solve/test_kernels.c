// Kernels give the bits of those for any processor: the ones that this processor has, and the ones
// with eight doubles a group, which AVX-512 runs, in registers of whatever length.
#include "check.h"
#include "kernels/work.h"

// The kernel's bits, or nothing where this processor does not have it.
#define CHECK_BITS(work, kernel, expected)                                                         \
    do {                                                                                           \
        if (kernel) {                                                                              \
            assert_true(work(kernel) == (expected));                                               \
        } else {                                                                                   \
            print_message("no %s on this processor\n", #kernel);                                   \
        }                                                                                          \
    } while (0)

CN_TEST(spheres_have_the_same_bits_on_every_processor) {
    uint64_t plain = spheres_work(&gs_sphere_kernel_portable);
    assert_true(spheres_work(&gs_sphere_kernel_portable) == plain);
    assert_true(spheres_work(&eight_spheres) == plain);
    CHECK_BITS(spheres_work, gs_sphere_kernel_avx2(), plain);
    CHECK_BITS(spheres_work, gs_sphere_kernel_avx512(), plain);
}

CN_TEST(spheres_in_single_have_the_same_bits_on_every_processor) {
    uint64_t plain = spheres_work(&gs_sphere_kernel_float);
    assert_true(plain != spheres_work(&gs_sphere_kernel_portable));
    CHECK_BITS(spheres_work, gs_sphere_kernel_float_avx2(), plain);
    CHECK_BITS(spheres_work, gs_sphere_kernel_float_avx512(), plain);
}

CN_TEST(rigid_bodies_have_the_same_bits_on_every_processor) {
    uint64_t plain = manifolds_work(&gs_manifold_kernel_portable);
    assert_true(manifolds_work(&eight_manifolds) == plain);
    CHECK_BITS(manifolds_work, gs_manifold_kernel_avx2(), plain);
    CHECK_BITS(manifolds_work, gs_manifold_kernel_avx512(), plain);
}

CN_TEST(rigid_bodies_in_single_have_the_same_bits_on_every_processor) {
    uint64_t plain = manifolds_work(&gs_manifold_kernel_float);
    assert_true(plain != manifolds_work(&gs_manifold_kernel_portable));
    CHECK_BITS(manifolds_work, gs_manifold_kernel_float_avx2(), plain);
    CHECK_BITS(manifolds_work, gs_manifold_kernel_float_avx512(), plain);
}

CN_TEST(the_acceleration_has_the_same_bits_on_every_processor) {
    uint64_t plain = anderson_work(&gs_anderson_kernel_portable),
             single = anderson_work(&gs_anderson_kernel_float);
    CHECK_BITS(anderson_work, gs_anderson_kernel_avx2(), plain);
    CHECK_BITS(anderson_work, gs_anderson_kernel_avx512(), plain);
    CHECK_BITS(anderson_work, gs_anderson_kernel_float_avx2(), single);
    CHECK_BITS(anderson_work, gs_anderson_kernel_float_avx512(), single);
}

CN_TEST(the_checker_has_the_same_bits_on_every_processor) {
    uint64_t plain = grade_work(plain_grade);
    CHECK_BITS(grade_work, prob_grade_fours_avx2(), plain);
    CHECK_BITS(grade_work, prob_grade_fours_avx512(), plain);
}

CN_TEST(pairs_of_spheres_have_the_same_bits_on_every_processor) {
    uint64_t plain = pairs_work(&det_pair_kernel_portable);
    assert_true(pairs_work(&eight_pairs) == plain);
    CHECK_BITS(pairs_work, det_pair_kernel_avx2(), plain);
    CHECK_BITS(pairs_work, det_pair_kernel_avx512(), plain);
}
