// base/elementary/elementary.c
// Sine and cosine: take off the nearest multiple n of pi/2, then Taylor's series on
// |r| <= pi/4, where r carries a tail so that angles near a multiple lose nothing.
//
// Reduction: Cody and Waite with pi/2 in four parts up to 2^20 rad; beyond, Payne and Hanek (1983):
// only those bits of 2/pi are multiplied that do not give whole turns. Both leave r right to more
// than 2^-70 of itself. The series is cut where the next term is below 2^-62 of the value.
// Angles of more than 2^20 rad are slow; a body's angle need not be brought back to one turn before
// that.
#include "base/elementary/elementary.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

// Below this n < 2^20, so that n times a part of 33 bits is exact.
#define ANGLE_MEDIUM 0x1p20
#define QUARTER_TURN 0x1.921fb54442d18p+0
#define QUARTER_TURN_TAIL 0x1.1a62633145c07p-54

// An angle as n quarter turns and r + tail, |r| <= pi/4.
typedef struct base_reduced {
    uint32_t n; // modulo 4
    double r, tail;
} base_reduced;

// r + tail := a + b, |a| >= |b| or a = 0.
static base_reduced reduced_make(uint32_t n, double a, double b) {
    double r = a + b;
    return (base_reduced){.n = n & 3u, .r = r, .tail = (a - r) + b};
}

// a - b = *head + *tail exactly (Knuth).
static void exact_difference(double a, double b, double *head, double *tail) {
    double d = a - b;
    double back = d - a;
    *head = d;
    *tail = (a - (d - back)) - (b + back);
}

static base_reduced reduce_medium(double x) {
    // Adding 1.5 2^52 rounds to a whole number.
    double n = (x * 0x1.45f306dc9c883p-1 + 0x1.8p52) - 0x1.8p52;
    double a, b, c, d;
    exact_difference(x - n * 0x1.921fb54400000p+0, n * 0x1.0b4611a600000p-34, &a, &b);
    exact_difference(a, n * 0x1.3198a2e000000p-69, &c, &d);
    return reduced_make((uint32_t)(int32_t)n, c, (b + d) - n * 0x1.b839a252049c1p-104);
}

// 2/pi after the binary point, 32 bits a word: enough for the largest double and 192 bits more.
static const uint32_t two_over_pi[] = {
    0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu,
    0xdebbc561u, 0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu,
    0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u, 0x9c845f8bu,
    0xbdf9283bu, 0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u,
    0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u,
    0x1f8d5d08u, 0x56033046u, 0xfc7b6babu};

#define WINDOW 6 // words of 2/pi that are multiplied

// 32 bits of 2/pi from the given one on; zeros before the point.
static uint32_t two_over_pi_bits(int bit) {
    int word = bit >= 0 ? bit / 32 : -((31 - bit) / 32);
    int shift = bit - 32 * word;
    uint64_t high = word >= 0 ? two_over_pi[word] : 0u;
    uint64_t low = word + 1 >= 0 ? two_over_pi[word + 1] : 0u;
    return (uint32_t)(((high << 32 | low) << shift) >> 32);
}

// x = m 2^e: m 2^e 2/pi modulo 4 is four times the fraction of m V, V the bits of 2/pi from e-2 on.
static base_reduced reduce_large(double x) {
    int e;
    uint64_t m = (uint64_t)ldexp(frexp(fabs(x), &e), 53);
    e -= 53;
    uint32_t product[WINDOW] = {0};
    uint64_t part[2] = {m & 0xffffffffu, m >> 32};
    for (int half = 0; half < 2; half++) {
        uint64_t carry = 0;
        for (int i = WINDOW - 1 - half; i >= 0; i--) {
            uint64_t sum = part[half] * two_over_pi_bits(e - 2 + 32 * (i + half)) + product[i];
            sum += carry;
            product[i] = (uint32_t)sum;
            carry = sum >> 32;
        }
    }
    // The top two bits are quarter turns; the third rounds them and makes the rest negative.
    uint32_t n = (product[0] >> 30) + (product[0] >> 29 & 1u);
    bool negative = product[0] >> 29 & 1u;
    uint64_t word[3];
    for (int i = 0; i < 3; i++) {
        word[i] = (uint64_t)product[2 * i] << 32 | product[2 * i + 1];
    }
    for (int i = 0; i < 3; i++) {
        word[i] = word[i] << 2 | (i < 2 ? word[i + 1] >> 62 : 0u);
    }
    if (negative) {
        uint64_t carry = 1;
        for (int i = 2; i >= 0; i--) {
            word[i] = ~word[i] + carry;
            carry = carry && word[i] == 0;
        }
    }
    // The leading 53 bits and the next 53, as two doubles; no double is closer than 2^-64 to a
    // multiple of pi/2, so 64 leading zeros at most.
    int zeros = 0;
    while (zeros < 64 && !(word[0] >> 63)) {
        word[0] = word[0] << 1 | word[1] >> 63;
        word[1] = word[1] << 1 | word[2] >> 63;
        word[2] <<= 1;
        zeros++;
    }
    double head = ldexp((double)(word[0] >> 11), -53 - zeros);
    double tail = ldexp((double)((word[0] & 0x7ffu) << 42 | word[1] >> 22), -106 - zeros);
    // Times pi/2, and the sign.
    double r = head * QUARTER_TURN;
    double rest = fma(head, QUARTER_TURN, -r) + (head * QUARTER_TURN_TAIL + tail * QUARTER_TURN);
    if (negative) {
        r = -r;
        rest = -rest;
    }
    return x < 0.0 ? reduced_make(0u - n, -r, -rest) : reduced_make(n, r, rest);
}

// sin(r + tail) = r + (r^3 S(r^2) + tail cos r)
static double sine_series(double r, double tail) {
    double z = r * r;
    double s = 1.0 / 355687428096000.0;
    s = s * z - 1.0 / 1307674368000.0;
    s = s * z + 1.0 / 6227020800.0;
    s = s * z - 1.0 / 39916800.0;
    s = s * z + 1.0 / 362880.0;
    s = s * z - 1.0 / 5040.0;
    s = s * z + 1.0 / 120.0;
    s = s * z - 1.0 / 6.0;
    return r + (r * z * s + tail * (1.0 - 0.5 * z));
}

// cos(r + tail) = (1 - z/2) + what that rounding lost + (z^2 C(z) - tail r)
static double cosine_series(double r, double tail) {
    double z = r * r;
    double c = 1.0 / 20922789888000.0;
    c = c * z - 1.0 / 87178291200.0;
    c = c * z + 1.0 / 479001600.0;
    c = c * z - 1.0 / 3628800.0;
    c = c * z + 1.0 / 40320.0;
    c = c * z - 1.0 / 720.0;
    c = c * z + 1.0 / 24.0;
    double half = 0.5 * z;
    double w = 1.0 - half;
    return w + (((1.0 - w) - half) + (z * z * c - tail * r));
}

void base_sincos(double angle, double *sine, double *cosine) {
    base_reduced x;
    if (fabs(angle) <= 0.5 * QUARTER_TURN) {
        x = (base_reduced){.n = 0, .r = angle, .tail = 0.0};
    } else if (fabs(angle) < ANGLE_MEDIUM) {
        x = reduce_medium(angle);
    } else if (isfinite(angle)) {
        x = reduce_large(angle);
    } else {
        *sine = *cosine = NAN;
        return;
    }
    double s = sine_series(x.r, x.tail), c = cosine_series(x.r, x.tail);
    *sine = (x.n & 1u) ? c : s;
    *cosine = (x.n & 1u) ? s : c;
    if (x.n & 2u) {
        *sine = -*sine;
    }
    if ((x.n + 1u) & 2u) {
        *cosine = -*cosine;
    }
}

double base_sin(double x) {
    double sine, cosine;
    base_sincos(x, &sine, &cosine);
    return sine;
}

double base_cos(double x) {
    double sine, cosine;
    base_sincos(x, &sine, &cosine);
    return cosine;
}

double base_tan(double x) {
    double sine, cosine;
    base_sincos(x, &sine, &cosine);
    return sine / cosine;
}
