// The broad phase finds exactly the pairs that a double loop finds.
#include "check.h"

#include "base/arena.h"
#include "base/rng.h"
#include "detect/detect.h"

#include <stdlib.h>

// Every pair that touches is listed, in order; marks stay with their pairs: those of odd a + b were
// set in the call before, if there was one.
static void compare_call(det_broad *broad, const cn_env *env, int32_t count, const double *center,
                         const double *radius, bool marked) {
    det_bounding *sphere = calloc((size_t)count + 1, sizeof *sphere);
    cn_arena *scratch = cn_arena_create(NULL);
    det_near_pairs near;
    int64_t next = 0;
    for (int32_t i = 0; i < count; i++) {
        sphere[i] =
            (det_bounding){{center[3 * i], center[3 * i + 1], center[3 * i + 2]}, radius[i]};
    }
    assert_int_equal(det_broad_near(broad, env, count, sphere, scratch, &near), CN_OK);
    for (int64_t k = 1; k < near.count; k++) {
        CN_CHECK_TRUE(det_pair_before(&near.pair[k - 1], &near.pair[k]));
    }
    for (int32_t b = 0; b < count; b++) {
        for (int32_t a = 0; a < b; a++) {
            det_body_pair pair = {a, b};
            while (next < near.count && det_pair_before(&near.pair[next], &pair)) {
                next++;
            }
            bool listed = next < near.count && near.pair[next].a == a && near.pair[next].b == b;
            CN_CHECK_TRUE(listed || !det_spheres_touch(&sphere[a], &sphere[b]));
            if (listed) {
                CN_CHECK_TRUE(near.mark[next] == 0 || (a + b) % 2 == 1);
                CN_CHECK_TRUE(!marked || near.mark[next] == (a + b) % 2);
            }
        }
    }
    for (int64_t k = 0; k < near.count; k++) {
        near.mark[k] = (near.pair[k].a + near.pair[k].b) % 2 == 1;
    }
    free(sphere);
    cn_arena_destroy(scratch);
}

static void compare_with_double_loop(int32_t count, const double *center, const double *radius) {
    det_broad *broad = det_broad_create(NULL);
    // Twice: the second call uses the pairs of the first.
    compare_call(broad, NULL, count, center, radius, false);
    compare_call(broad, NULL, count, center, radius, true);
    det_broad_destroy(broad);
}

CN_TEST(finds_every_pair_of_equal_spheres) {
    base_rng rng = base_rng_seed(1);
    double center[3 * 500], radius[500];
    for (int i = 0; i < 500; i++) {
        radius[i] = base_rng_uniform(&rng, 0.9, 1.1);
        for (int k = 0; k < 3; k++) {
            center[3 * i + k] = base_rng_uniform(&rng, -8.0, 8.0);
        }
    }
    compare_with_double_loop(500, center, radius);
}

CN_TEST(finds_every_pair_of_very_different_spheres) {
    base_rng rng = base_rng_seed(2);
    double center[3 * 400], radius[400];
    for (int i = 0; i < 400; i++) {
        radius[i] = ldexp(base_rng_uniform(&rng, 0.5, 1.0), base_rng_below(&rng, 20) - 14);
        for (int k = 0; k < 3; k++) {
            center[3 * i + k] = base_rng_uniform(&rng, -10.0, 10.0);
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

CN_TEST(no_spheres_no_pairs) {
    compare_with_double_loop(0, NULL, NULL);
}

// Balls that drift, some fast, one that jumps, radii that breathe, now and then fewer balls: the
// pairs kept between calls never show.
CN_TEST(finds_every_pair_while_spheres_move) {
    base_rng rng = base_rng_seed(3);
    double center[3 * 150], radius[150], speed[3 * 150];
    for (int i = 0; i < 150; i++) {
        for (int k = 0; k < 3; k++) {
            center[3 * i + k] = base_rng_uniform(&rng, -4.0, 4.0);
            speed[3 * i + k] = base_rng_uniform(&rng, -0.01, 0.01) * (i % 10 == 0 ? 20.0 : 1.0);
        }
    }
    det_broad *broad = det_broad_create(NULL);
    for (int call = 0; call < 80; call++) {
        for (int i = 0; i < 150; i++) {
            radius[i] = i == 5 ? (double)INFINITY : 1.0 + 0.003 * ((call * (i + 1)) % 7);
            for (int k = 0; k < 3; k++) {
                center[3 * i + k] += call < 50 ? speed[3 * i + k] : 0.0;
            }
        }
        center[3 * 42] += call == 60 ? 3.0 : 0.0;
        compare_call(broad, NULL, call % 20 == 19 ? 100 : 150, center, radius, false);
    }
    det_broad_destroy(broad);
}

// Large balls that come last and first, and balls upon each other: pairs found late, long lists.
CN_TEST(finds_every_pair_in_several_units_for_any_number_of_threads) {
    enum { n = 5000 };
    base_rng rng = base_rng_seed(4);
    double *center = malloc(sizeof *center * 3 * n), *radius = malloc(sizeof *radius * n);
    for (int i = 0; i < n; i++) {
        radius[i] = i % 500 == 3 ? 2.0 : 0.3;
        for (int k = 0; k < 3; k++) {
            center[3 * i + k] = i % 50 == 7 ? 0.01 * k : base_rng_uniform(&rng, -8.0, 8.0);
        }
    }
    radius[0] = radius[n - 1] = radius[n / 2] = INFINITY;
    for (int32_t threads = 1; threads <= 8; threads *= 2) {
        cn_env env = cn_env_default();
        env.threads = cn_threads_create(threads);
        det_broad *broad = det_broad_create(&env);
        compare_call(broad, &env, n, center, radius, false);
        det_broad_destroy(broad);
        cn_threads_destroy(env.threads);
    }
    free(center);
    free(radius);
}
