// Small dense systems.
#include "check.h"

#include "base/rng.h"
#include "sparse/dense.h"

#include <string.h>

#define SIZE 30

CN_TEST(lu_solves_random_systems) {
    base_rng rng = base_rng_seed(1);
    for (int32_t n = 1; n <= SIZE; n++) {
        double a[SIZE * SIZE], factors[SIZE * SIZE], x[SIZE], b[SIZE];
        int32_t pivot[SIZE];
        for (int32_t k = 0; k < n * n; k++) {
            a[k] = base_rng_uniform(&rng, -1.0, 1.0);
        }
        for (int32_t i = 0; i < n; i++) {
            x[i] = base_rng_uniform(&rng, -1.0, 1.0);
        }
        for (int32_t i = 0; i < n; i++) {
            b[i] = 0.0;
            for (int32_t j = 0; j < n; j++) {
                b[i] += a[n * i + j] * x[j];
            }
        }
        memcpy(factors, a, sizeof a);
        CN_CHECK_TRUE(sparse_lu_factor(n, factors, pivot));
        sparse_lu_solve(n, factors, pivot, b);
        for (int32_t i = 0; i < n; i++) {
            CN_CHECK_NEAR(b[i], x[i], 1e-11);
        }
    }
}

CN_TEST(lu_exchanges_rows_and_refuses_singular_ones) {
    double swap[] = {0.0, 1.0, 2.0, 0.0}, x[] = {3.0, 4.0};
    int32_t pivot[3];
    CN_CHECK_TRUE(sparse_lu_factor(2, swap, pivot));
    sparse_lu_solve(2, swap, pivot, x);
    CN_CHECK_NEAR(x[0], 2.0, 0.0);
    CN_CHECK_NEAR(x[1], 3.0, 0.0);
    double singular[] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0};
    CN_CHECK_TRUE(!sparse_lu_factor(3, singular, pivot));
    double zero[] = {0.0};
    CN_CHECK_TRUE(!sparse_lu_factor(1, zero, pivot));
}
