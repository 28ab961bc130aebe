// base/elementary/elementary_exp.c
// The exponential, the logarithm, and what is made of them.
//
// exp: x = k ln 2 + r with |r| <= ln 2 / 2 and Taylor's series in r. log: x = 2^k m with m between
// sqrt(1/2) and sqrt(2), and with f = m - 1, s = f/(2 + f) the series
//     log(1 + f) = f - f^2/2 + s (f^2/2 + R),  R = 2/3 s^2 + 2/5 s^4 + ...
// ln 2 is in two parts, the first short enough for k times it to be exact. Series are cut where the
// next term is below 2^-55 of the value.
#include "base/elementary/elementary.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#define LN2_HEAD 0x1.62e42fef00000p-1
#define LN2_TAIL 0x1.473de6af278edp-34
#define EXP_TERMS 13
#define LOG_TERMS 10
// Below this the hyperbolic sine is its series, since the difference of exponentials cancels.
#define SINH_SMALL 0.5
#define SINH_TERMS 7

double base_exp(double x) {
    if (!(x > -746.0)) {
        return x <= -746.0 ? 0.0 : x;
    }
    if (x > 710.0) {
        return INFINITY;
    }
    double k = rint(x * 0x1.71547652b82fep+0);
    double head = x - k * LN2_HEAD, tail = k * LN2_TAIL;
    double r = head - tail;
    double rest = (head - r) - tail;
    // (e^r - 1 - r)/r^2 from the last term on
    double p = 0.0;
    for (int i = EXP_TERMS; i >= 2; i--) {
        p = (p * r + 1.0) / i;
    }
    return ldexp(1.0 + (r + (r * (r * p) + rest)), (int)k);
}

// k ln 2 + log(1 + f), |f| < 1/2
static double ln_series(double k, double f) {
    double s = f / (2.0 + f), z = s * s, half = 0.5 * f * f;
    double R = 0.0;
    for (int i = LOG_TERMS; i >= 1; i--) {
        R = z * (R + 2.0 / (2 * i + 1));
    }
    return k * LN2_HEAD - ((half - (s * (half + R) + k * LN2_TAIL)) - f);
}

// x = 2^k (1 + f); false when the logarithm is not a number, which is then in *f.
static bool ln_split(double x, double *k, double *f) {
    if (!(x > 0.0 && x <= DBL_MAX)) {
        *f = x == 0.0 ? -HUGE_VAL : (x > 0.0 ? x : (double)NAN);
        return false;
    }
    int exponent;
    double m = frexp(x, &exponent);
    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2.0;
        exponent--;
    }
    *k = exponent;
    *f = m - 1.0;
    return true;
}

double base_ln(double x) {
    double k, f;
    return ln_split(x, &k, &f) ? ln_series(k, f) : f;
}

double base_ln_1_plus(double x) {
    if (fabs(x) < 0.25) {
        return ln_series(0.0, x);
    }
    // What 1 + x lost is put back; where that is no number, it lost nothing.
    double sum = 1.0 + x, lost = (x - (sum - 1.0)) / sum;
    return fabs(lost) < 1.0 ? base_ln(sum) + lost : base_ln(sum);
}

double base_log2(double x) {
    double k, f;
    return ln_split(x, &k, &f) ? k + ln_series(0.0, f) * 0x1.71547652b82fep+0 : f;
}

double base_log10(double x) {
    return base_ln(x) * 0x1.bcb7b1526e50ep-2;
}

double base_sinh(double x) {
    if (fabs(x) < SINH_SMALL) {
        double sum = 0.0;
        for (int i = SINH_TERMS; i >= 1; i--) {
            sum = (sum + 1.0) * x * x / (2 * i * (2 * i + 1));
        }
        return x + x * sum;
    }
    double e = base_exp(fabs(x));
    return copysign(0.5 * (e - 1.0 / e), x);
}

double base_cosh(double x) {
    double e = base_exp(fabs(x));
    return 0.5 * (e + 1.0 / e);
}

double base_tanh(double x) {
    if (fabs(x) < SINH_SMALL) {
        return base_sinh(x) / base_cosh(x);
    }
    return copysign(1.0 - 2.0 / (base_exp(2.0 * fabs(x)) + 1.0), x);
}

double base_asinh(double x) {
    double a = fabs(x);
    // Where x^2 + 1 = x^2 the sum is 2 x.
    if (a > 0x1p28) {
        return copysign(base_ln(a) + (LN2_HEAD + LN2_TAIL), x);
    }
    return copysign(base_ln_1_plus(a + a * a / (1.0 + sqrt(a * a + 1.0))), x);
}

double base_acosh(double x) {
    if (x > 0x1p28) {
        return base_ln(x) + (LN2_HEAD + LN2_TAIL);
    }
    double over = x - 1.0;
    return base_ln_1_plus(over + sqrt(over * (x + 1.0)));
}

double base_atanh(double x) {
    double a = fabs(x);
    return copysign(0.5 * base_ln_1_plus(2.0 * a / (1.0 - a)), x);
}
