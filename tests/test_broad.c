// The broad phase finds exactly the pairs that a double loop finds.
#include "check.h"

#include "base/rng.h"
#include "detect/detect.h"

#include <stdlib.h>

static void compare_call(cn_broad *broad, int32_t count, const double *center,
                         const double *radius) {
    const cn_body_pair *pairs;
    int64_t pair_count, next = 0;
    assert_int_equal(cn_broad_pairs(broad, count, center, radius, &pairs, &pair_count), CN_OK);
    for (int32_t b = 0; b < count; b++) {
        for (int32_t a = 0; a < b; a++) {
            double square = 0.0, reach = radius[a] + radius[b];
            for (int k = 0; k < 3; k++) {
                square += (center[3 * a + k] - center[3 * b + k]) *
                          (center[3 * a + k] - center[3 * b + k]);
            }
            if (square <= reach * reach) {
                CN_CHECK_TRUE(next < pair_count && pairs[next].a == a && pairs[next].b == b);
                next++;
            }
        }
    }
    assert_int_equal(next, pair_count);
}

static void compare_with_double_loop(int32_t count, const double *center, const double *radius) {
    cn_broad *broad = cn_broad_create(NULL);
    // Twice: the second call uses memory of the first.
    compare_call(broad, count, center, radius);
    compare_call(broad, count, center, radius);
    cn_broad_destroy(broad);
}

CN_TEST(finds_every_pair_of_equal_balls) {
    cn_rng rng = cn_rng_seed(1);
    double center[3 * 500], radius[500];
    for (int i = 0; i < 500; i++) {
        radius[i] = cn_rng_uniform(&rng, 0.9, 1.1);
        for (int k = 0; k < 3; k++) {
            center[3 * i + k] = cn_rng_uniform(&rng, -8.0, 8.0);
        }
    }
    compare_with_double_loop(500, center, radius);
}

CN_TEST(finds_every_pair_of_very_different_balls) {
    cn_rng rng = cn_rng_seed(2);
    double center[3 * 400], radius[400];
    for (int i = 0; i < 400; i++) {
        radius[i] = ldexp(cn_rng_uniform(&rng, 0.5, 1.0), cn_rng_below(&rng, 20) - 14);
        for (int k = 0; k < 3; k++) {
            center[3 * i + k] = cn_rng_uniform(&rng, -10.0, 10.0);
        }
    }
    radius[7] = 1e4;
    radius[11] = 0.0;
    radius[13] = INFINITY;
    radius[200] = INFINITY;
    compare_with_double_loop(400, center, radius);
}

CN_TEST(survives_far_positions_and_huge_sizes) {
    const double center[] = {1e300, 0, 0, 1e300,  0, 0, -1e300, 0, 0,
                             0,     0, 0, 1e-300, 0, 0, 5,      5, 5};
    const double radius[] = {1, 1, 1, 1e200, 1e-200, 0};
    compare_with_double_loop(6, center, radius);
}

CN_TEST(no_balls_no_pairs) {
    compare_with_double_loop(0, NULL, NULL);
}

// Balls that drift, some fast, one that jumps, radii that breathe, now and then fewer balls: the
// pairs kept between calls never show.
CN_TEST(finds_every_pair_while_balls_move) {
    cn_rng rng = cn_rng_seed(3);
    double center[3 * 150], radius[150], speed[3 * 150];
    for (int i = 0; i < 150; i++) {
        for (int k = 0; k < 3; k++) {
            center[3 * i + k] = cn_rng_uniform(&rng, -4.0, 4.0);
            speed[3 * i + k] = cn_rng_uniform(&rng, -0.01, 0.01) * (i % 10 == 0 ? 20.0 : 1.0);
        }
    }
    cn_broad *broad = cn_broad_create(NULL);
    for (int call = 0; call < 80; call++) {
        for (int i = 0; i < 150; i++) {
            radius[i] = i == 5 ? (double)INFINITY : 1.0 + 0.003 * ((call * (i + 1)) % 7);
            for (int k = 0; k < 3; k++) {
                center[3 * i + k] += call < 50 ? speed[3 * i + k] : 0.0;
            }
        }
        center[3 * 42] += call == 60 ? 3.0 : 0.0;
        compare_call(broad, call % 20 == 19 ? 100 : 150, center, radius);
    }
    cn_broad_destroy(broad);
}
