// Isolation of the real roots of small polynomials.
#include "check.h"

#include "base/rng.h"
#include "math/roots.h"

#define NOT_A_NUMBER ((double)NAN)

// Coefficients of the product of (x - root).
static void expand(int32_t degree, const double *root, double *p) {
    p[0] = 1.0;
    for (int32_t k = 0; k < degree; k++) {
        p[k + 1] = p[k];
        for (int32_t i = k; i > 0; i--) {
            p[i] = p[i - 1] - root[k] * p[i];
        }
        p[0] *= -root[k];
    }
}

CN_TEST(roots_of_a_quartic_are_all_found_in_order) {
    const double want[4] = {-2.0, 0.5, 1.0, 30.0};
    double p[5], root[4], turn[4];
    int32_t turns;
    expand(4, want, p);
    CN_CHECK_TRUE(math_poly_roots(4, p, -100.0, 100.0, root, turn, &turns) == 4 && turns == 3);
    for (int i = 0; i < 4; i++) {
        CN_CHECK_NEAR(root[i], want[i], 1e-13 * fabs(want[i]) + 1e-13);
    }
}

CN_TEST(roots_outside_the_interval_are_left_out) {
    const double all[4] = {-2.0, 0.5, 1.0, 30.0};
    double p[5], root[4], turn[4];
    int32_t turns;
    expand(4, all, p);
    CN_CHECK_TRUE(math_poly_roots(4, p, 0.0, 2.0, root, turn, &turns) == 2);
    CN_CHECK_NEAR(root[0], 0.5, 1e-13);
    CN_CHECK_NEAR(root[1], 1.0, 1e-13);
}

CN_TEST(double_root_is_a_turning_point) {
    const double all[3] = {1.0, 1.0, 4.0};
    double p[4], root[3], turn[3];
    int32_t turns;
    expand(3, all, p);
    int32_t count = math_poly_roots(3, p, 0.0, 10.0, root, turn, &turns);
    CN_CHECK_NEAR(root[count - 1], 4.0, 1e-13);
    CN_CHECK_TRUE(turns == 2);
    CN_CHECK_NEAR(turn[0], 1.0, 1e-13);
}

CN_TEST(random_quartics_have_their_planted_roots) {
    base_rng rng = base_rng_seed(11);
    for (int n = 0; n < 2000; n++) {
        double want[4], p[5], root[4], turn[4], x = 0.0;
        int32_t turns;
        // Well apart, so that the coefficients determine them.
        for (int i = 0; i < 4; i++) {
            x += base_rng_uniform(&rng, 0.3, 2.0);
            want[i] = x;
        }
        expand(4, want, p);
        CN_CHECK_TRUE(math_poly_roots(4, p, 0.0, 20.0, root, turn, &turns) == 4);
        for (int i = 0; i < 4; i++) {
            CN_CHECK_NEAR(root[i], want[i], 1e-9);
        }
    }
}

CN_TEST(lower_degree_hidden_in_a_quartic_is_fine) {
    const double p[5] = {-6.0, 1.0, 1.0, 0.0, 0.0}; // (x - 2)(x + 3)
    double root[4], turn[4];
    int32_t turns;
    CN_CHECK_TRUE(math_poly_roots(4, p, 0.0, 1e12, root, turn, &turns) == 1);
    CN_CHECK_NEAR(root[0], 2.0, 1e-14);
}

CN_TEST(coefficients_that_are_not_numbers_give_no_root) {
    const double p[5] = {NOT_A_NUMBER, 1.0, NOT_A_NUMBER, 1.0, 1.0};
    double root[4], turn[4];
    int32_t turns;
    CN_CHECK_TRUE(math_poly_roots(4, p, 0.0, 1.0, root, turn, &turns) == 0);
}
