// Our own elementary functions against the C library's in extended precision.
#include "check.h"

#include "base/elementary/elementary.h"
#include "base/rng.h"

typedef struct cn_case {
    const char *name;
    double (*ours)(double);
    long double (*theirs)(long double);
    double low, high;
} cn_case;

static const cn_case cn_cases[] = {
    {"exp", base_exp, expl, -700.0, 700.0},       {"exp", base_exp, expl, -1.0, 1.0},
    {"log", base_ln, logl, 1e-300, 1e300},        {"log", base_ln, logl, 0.5, 2.0},
    {"log1p", base_ln_1_plus, log1pl, -0.5, 3.0}, {"log1p", base_ln_1_plus, log1pl, -1e-6, 1e-6},
    {"log2", base_log2, log2l, 0.5, 1e6},         {"log10", base_log10, log10l, 1.5, 1e6},
    {"sinh", base_sinh, sinhl, -20.0, 20.0},      {"sinh", base_sinh, sinhl, -1e-3, 1e-3},
    {"cosh", base_cosh, coshl, -20.0, 20.0},      {"tanh", base_tanh, tanhl, -3.0, 3.0},
    {"tanh", base_tanh, tanhl, -1e-5, 1e-5},      {"asinh", base_asinh, asinhl, -100.0, 100.0},
    {"asinh", base_asinh, asinhl, -1e-5, 1e-5},   {"acosh", base_acosh, acoshl, 1.001, 100.0},
    {"atanh", base_atanh, atanhl, -0.99, 0.99},   {"atanh", base_atanh, atanhl, -1e-5, 1e-5},
    {"tan", base_tan, tanl, -100.0, 100.0},       {"atan", base_atan, atanl, -100.0, 100.0},
    {"atan", base_atan, atanl, -1.0, 1.0},        {"asin", base_asin, asinl, -1.0, 1.0},
    {"acos", base_acos, acosl, -1.0, 0.99},
};

CN_TEST(functions_are_within_four_ulp) {
    base_rng rng = base_rng_seed(1);
    for (size_t c = 0; c < sizeof cn_cases / sizeof *cn_cases; c++) {
        for (int i = 0; i < 5000; i++) {
            double x = base_rng_uniform(&rng, cn_cases[c].low, cn_cases[c].high);
            long double want = cn_cases[c].theirs((long double)x);
            double rounded = fabs((double)want);
            double unit = nextafter(rounded, INFINITY) - rounded;
            double off = (double)fabsl(((long double)cn_cases[c].ours(x) - want) / unit);
            if (!(off <= 4.0)) {
                print_error("%s(%.17g): off by %.3g ulp\n", cn_cases[c].name, x, off);
                fail();
            }
        }
    }
}

CN_TEST(arctangent_of_two_knows_the_quadrant) {
    base_rng rng = base_rng_seed(2);
    for (int i = 0; i < 5000; i++) {
        double y = base_rng_uniform(&rng, -1.0, 1.0), x = base_rng_uniform(&rng, -1.0, 1.0);
        CN_CHECK_NEAR(base_atan2(y, x), atan2(y, x), 1e-15);
    }
    const double values[] = {0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY};
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            CN_CHECK_NEAR(base_atan2(values[i], values[j]), atan2(values[i], values[j]), 1e-15);
        }
    }
}

CN_TEST(ends_of_the_ranges) {
    CN_CHECK_TRUE(base_exp(-INFINITY) == 0.0 && base_exp(-1000.0) == 0.0);
    CN_CHECK_TRUE(isinf(base_exp(1000.0)) && isinf(base_exp(INFINITY)));
    CN_CHECK_NEAR(base_exp(-745.0), 4.9406564584124654e-324, 0.0);
    CN_CHECK_TRUE(base_ln(0.0) == -HUGE_VAL && base_ln(INFINITY) == HUGE_VAL);
    CN_CHECK_TRUE(isnan(base_ln(-1.0)) && isnan(base_ln(NAN)) && isnan(base_exp(NAN)));
    CN_CHECK_TRUE(isnan(base_asin(1.5)) && isnan(base_acos(-1.5)) && isnan(base_acosh(0.5)));
    CN_CHECK_TRUE(base_atanh(1.0) == HUGE_VAL && isnan(base_atanh(1.5)));
    CN_CHECK_TRUE(base_exp(0.0) == 1.0 && base_ln(1.0) == 0.0 && base_tanh(1e3) == 1.0);
    for (int k = -1000; k <= 1000; k++) {
        CN_CHECK_TRUE(base_log2(ldexp(1.0, k)) == k);
    }
}
