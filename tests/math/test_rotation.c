// Sine and cosine against the C library's, quaternions, matrices and the exponential map.
#include "check.h"

#include "base/rng.h"
#include "math/rotation.h"
#include "math/vec3.h"

#include <float.h>
#include <string.h>

// How far got is from the true value, in units in the last place of the latter; the reference is
// computed in extended precision where the platform has it.
static double cn_ulps(double got, long double want) {
    double rounded = (double)want;
    double unit = nextafter(fabs(rounded), INFINITY) - fabs(rounded);
    return (double)fabsl(((long double)got - want) / unit);
}

static void cn_check_angle(double angle, double allowed) {
    double sine, cosine;
    base_sincos(angle, &sine, &cosine);
    double off_sine = cn_ulps(sine, sinl((long double)angle));
    double off_cosine = cn_ulps(cosine, cosl((long double)angle));
    if (!(off_sine <= allowed && off_cosine <= allowed)) {
        print_error("angle %.17g: sine off by %.3g, cosine by %.3g ulp\n", angle, off_sine,
                    off_cosine);
        fail();
    }
}

CN_TEST(sincos_is_within_one_ulp) {
    base_rng rng = base_rng_seed(1);
    const double ranges[] = {1e-8, 1e-3, 0.7, 1.0, 10.0, 1e3, 1e5, 1e6};
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
        for (int i = 0; i < 20000; i++) {
            cn_check_angle(base_rng_uniform(&rng, -ranges[k], ranges[k]), 1.0);
        }
    }
}

CN_TEST(sincos_of_huge_angles_is_within_one_ulp) {
    base_rng rng = base_rng_seed(2);
    for (int exponent = 18; exponent < 1024; exponent++) {
        for (int i = 0; i < 20; i++) {
            cn_check_angle(ldexp(base_rng_uniform(&rng, 0.5, 1.0), exponent), 1.0);
        }
    }
    cn_check_angle(-DBL_MAX, 1.0);
    // The double that comes nearest to a multiple of pi/2 (Muller, Elementary Functions).
    double sine, cosine;
    base_sincos(ldexp(6381956970095103.0, 797), &sine, &cosine);
    CN_CHECK_NEAR(cosine, -4.68716592425462761112e-19, 1e-34);
    CN_CHECK_NEAR(sine, 1.0, 0.0);
}

CN_TEST(sincos_near_multiples_of_a_quarter_turn_is_within_one_ulp) {
    for (int n = 1; n <= 100000; n++) {
        double angle = n * 1.57079632679489661923;
        cn_check_angle(angle, 1.0);
        if (n < 100) {
            cn_check_angle(nextafter(angle, 0.0), 1.0);
        }
    }
}

CN_TEST(sincos_of_no_number_is_no_number) {
    const double angles[] = {INFINITY, -INFINITY, NAN};
    for (int i = 0; i < 3; i++) {
        double sine, cosine;
        base_sincos(angles[i], &sine, &cosine);
        CN_CHECK_TRUE(isnan(sine) && isnan(cosine));
    }
}

// FNV over the bits of many results: the same for every compiler and every level of optimisation.
CN_TEST(sincos_has_the_same_bits_everywhere) {
    base_rng rng = base_rng_seed(3);
    uint64_t hash = 14695981039346656037u;
    for (int i = 0; i < 10000; i++) {
        double pair[2], mantissa = base_rng_uniform(&rng, -1.0, 1.0);
        base_sincos(ldexp(mantissa, base_rng_below(&rng, 40) - 5), &pair[0], &pair[1]);
        for (int k = 0; k < 2; k++) {
            uint64_t bits;
            memcpy(&bits, &pair[k], sizeof bits);
            hash = (hash ^ bits) * 1099511628211u;
        }
    }
    CN_CHECK_TRUE(hash == 0xcf35ef6ac0a962c9u);
}

static void cn_random_quat(base_rng *rng, double q[4]) {
    for (int i = 0; i < 4; i++) {
        q[i] = base_rng_uniform(rng, -1.0, 1.0);
    }
    math_quat_normalize(q);
}

// A unit quaternion is one to 2 epsilon in its square, which R has four times.
CN_TEST(quaternion_matrix_is_a_rotation) {
    base_rng rng = base_rng_seed(4);
    for (int k = 0; k < 200; k++) {
        double q[4], R[9], last[3];
        cn_random_quat(&rng, q);
        math_quat_matrix(q, R);
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                CN_CHECK_NEAR(math_dot3(R + 3 * i, R + 3 * j), i == j, 8 * DBL_EPSILON);
            }
        }
        math_cross3(R, R + 3, last);
        CN_CHECK_NEAR(math_dot3(last, R + 6), 1.0, 8 * DBL_EPSILON);
    }
}

CN_TEST(quaternion_product_is_the_matrix_product) {
    base_rng rng = base_rng_seed(5);
    for (int k = 0; k < 200; k++) {
        double a[4], b[4], A[9], B[9], AB[9], R[9];
        cn_random_quat(&rng, a);
        cn_random_quat(&rng, b);
        math_quat_matrix(a, A);
        math_quat_matrix(b, B);
        math_mat3_multiply(A, B, AB);
        math_quat_multiply(a, b, b);
        math_quat_matrix(b, R);
        for (int i = 0; i < 9; i++) {
            CN_CHECK_NEAR(R[i], AB[i], 8 * DBL_EPSILON);
        }
    }
}

CN_TEST(normalize_gives_unit_length_for_any_size) {
    const double sizes[] = {1.0, 1e-300, 1e300, 5e-324, 3.0};
    for (int k = 0; k < 5; k++) {
        double q[4] = {sizes[k], -sizes[k], sizes[k], sizes[k]};
        math_quat_normalize(q);
        for (int i = 0; i < 4; i++) {
            CN_CHECK_NEAR(fabs(q[i]), 0.5, DBL_EPSILON);
        }
    }
    double none[4] = {0.0, 0.0, 0.0, 0.0};
    math_quat_normalize(none);
    CN_CHECK_TRUE(none[0] == 1.0 && none[1] == 0.0 && none[2] == 0.0 && none[3] == 0.0);
}

// Rodrigues' formula: R = I + sin(a) K + (1 - cos(a)) K^2.
CN_TEST(rotate_is_rodrigues_formula) {
    base_rng rng = base_rng_seed(6);
    for (int k = 0; k < 500; k++) {
        double size = ldexp(1.0, base_rng_below(&rng, 40) - 36);
        double w[3], q[4] = {1.0, 0.0, 0.0, 0.0}, R[9];
        for (int i = 0; i < 3; i++) {
            w[i] = size * base_rng_uniform(&rng, -1.0, 1.0);
        }
        math_quat_rotate(q, w);
        math_quat_matrix(q, R);
        double a = math_norm3(w), n[3] = {w[0] / a, w[1] / a, w[2] / a};
        double s = sin(a), c = 2.0 * sin(0.5 * a) * sin(0.5 * a);
        const double K[9] = {0.0, -n[2], n[1], n[2], 0.0, -n[0], -n[1], n[0], 0.0};
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                double want = (i == j) + s * K[3 * i + j] + c * (n[i] * n[j] - (i == j));
                CN_CHECK_NEAR(R[3 * i + j], want, 8 * DBL_EPSILON);
            }
        }
    }
}

// The vector part of a small rotation keeps full relative precision.
CN_TEST(small_rotations_lose_nothing) {
    for (int exponent = -1000; exponent < 0; exponent++) {
        double angle = ldexp(0.75, exponent);
        double w[3] = {0.0, angle, 0.0}, q[4] = {1.0, 0.0, 0.0, 0.0};
        math_quat_rotate(q, w);
        CN_CHECK_NEAR(q[2] / sin(0.5 * angle), 1.0, 4 * DBL_EPSILON);
    }
}

CN_TEST(series_and_closed_form_meet) {
    // One step below the angle where the series takes over, and one above.
    double previous = 0.0;
    for (int k = 0; k < 2; k++) {
        double w[3] = {k ? 0.01 * (1.0 + 1e-15) : 0.01 * (1.0 - 1e-15), 0.0, 0.0};
        double q[4] = {1.0, 0.0, 0.0, 0.0};
        math_quat_rotate(q, w);
        if (k) {
            CN_CHECK_NEAR(q[1], previous, 2e-17);
        }
        previous = q[1];
    }
}

CN_TEST(rotation_and_its_opposite_cancel) {
    base_rng rng = base_rng_seed(7);
    for (int k = 0; k < 200; k++) {
        double q[4], p[4], w[3], back[3];
        cn_random_quat(&rng, q);
        memcpy(p, q, sizeof p);
        for (int i = 0; i < 3; i++) {
            w[i] = base_rng_uniform(&rng, -4.0, 4.0);
            back[i] = -w[i];
        }
        math_quat_rotate(p, w);
        math_quat_rotate(p, back);
        for (int i = 0; i < 4; i++) {
            CN_CHECK_NEAR(p[i], q[i], 4 * DBL_EPSILON);
        }
    }
}

CN_TEST(rotations_about_one_axis_add) {
    double q[4] = {1.0, 0.0, 0.0, 0.0}, R[9], Q[9];
    const double w[3] = {0.0, 0.0, 0.01};
    for (int i = 0; i < 1000; i++) {
        math_quat_rotate(q, w);
    }
    math_quat_matrix(q, R);
    math_angle_matrix(10.0, Q);
    for (int i = 0; i < 9; i++) {
        CN_CHECK_NEAR(R[i], Q[i], 1e-13); // a thousand roundings, and 0.01 is not exact
    }
}

// T(r) r' is the rate of turning of exp(r), and T r'' + bend that of its change, by differences.
CN_TEST(turn_rates_are_those_of_the_exponential_map) {
    base_rng rng = base_rng_seed(5);
    for (int round = 0; round < 200; round++) {
        double r[3], rate[3], T[9], bend[3], omega[2][3], by = 1e-4;
        for (int k = 0; k < 3; k++) {
            r[k] = base_rng_uniform(&rng, -1.0, 1.0) * (round % 2 ? 0.3 : 2.0);
            rate[k] = base_rng_uniform(&rng, -1.0, 1.0);
        }
        math_turn_rates(r, T);
        math_turn_bend(r, rate, bend);
        double turned[3], q[4] = {1, 0, 0, 0}, before[4] = {1, 0, 0, 0}, later[3], earlier[3];
        math_mat3_apply(T, rate, turned);
        math_add_scaled3(r, by, rate, later);
        math_add_scaled3(r, -by, rate, earlier);
        math_quat_rotate(q, later);
        math_quat_rotate(before, earlier);
        double inverse[4] = {before[0], -before[1], -before[2], -before[3]};
        math_quat_multiply(q, inverse, q); // the rotation between, by 2 by omega
        for (int k = 0; k < 3; k++) {
            CN_CHECK_NEAR(q[1 + k] / by, turned[k], 1e-7);
        }
        math_turn_rates(later, T);
        math_mat3_apply(T, rate, omega[1]);
        math_turn_rates(earlier, T);
        math_mat3_apply(T, rate, omega[0]);
        for (int k = 0; k < 3; k++) {
            CN_CHECK_NEAR((omega[1][k] - omega[0][k]) / (2.0 * by), bend[k], 1e-7);
        }
    }
}
