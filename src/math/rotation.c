// math/rotation.c
// Rotations as unit quaternions; the exponential map
//     exp(w) = (cos(a/2), w sin(a/2)/a),  a = |w|.
//
// For small a the quotient is its series, so that a body that hardly turns loses nothing. Angles of
// many turns are right too, but a step that turns a body by more than half a turn says nothing
// about what it met on the way.
#include "math/rotation.h"

#include "math/vec3.h"

// Sums of squares between these lose nothing.
#define SQUARE_MIN 0x1p-900
#define SQUARE_MAX 0x1p900

void math_quat_matrix(const double q[4], double R[9]) {
    double w = q[0], x = q[1], y = q[2], z = q[3];
    R[0] = 1.0 - 2.0 * (y * y + z * z);
    R[1] = 2.0 * (x * y - w * z);
    R[2] = 2.0 * (x * z + w * y);
    R[3] = 2.0 * (x * y + w * z);
    R[4] = 1.0 - 2.0 * (x * x + z * z);
    R[5] = 2.0 * (y * z - w * x);
    R[6] = 2.0 * (x * z - w * y);
    R[7] = 2.0 * (y * z + w * x);
    R[8] = 1.0 - 2.0 * (x * x + y * y);
}

void math_quat_multiply(const double a[4], const double b[4], double out[4]) {
    double w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    double x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    double y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    double z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
    out[0] = w;
    out[1] = x;
    out[2] = y;
    out[3] = z;
}

static double quat_square(const double q[4]) {
    return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
}

void math_quat_normalize(double q[4]) {
    double square = quat_square(q);
    if (!(square > SQUARE_MIN && square < SQUARE_MAX)) {
        // Scaled by the largest entry first, so that no square over- or underflows.
        double max = fmax(fmax(fabs(q[0]), fabs(q[1])), fmax(fabs(q[2]), fabs(q[3])));
        if (max == 0.0) {
            q[0] = 1.0;
            return;
        }
        for (int i = 0; i < 4; i++) {
            q[i] /= max;
        }
        square = quat_square(q);
    }
    double length = sqrt(square);
    for (int i = 0; i < 4; i++) {
        q[i] /= length;
    }
}

void math_quat_rotate(double q[4], const double w[3]) {
    double square = math_dot3(w, w);
    double cosine, share; // cos(a/2), sin(a/2)/a
    if (square < MATH_SMALL_ANGLE_SQUARED) {
        share = 0.5 - square * (1.0 / 48.0 - square / 3840.0);
        cosine = 1.0 - square * (1.0 / 8.0 - square * (1.0 / 384.0 - square / 46080.0));
    } else {
        double angle = sqrt(square), sine;
        base_sincos(0.5 * angle, &sine, &cosine);
        share = sine / angle;
    }
    double turn[4] = {cosine, share * w[0], share * w[1], share * w[2]};
    math_quat_multiply(turn, q, q);
    math_quat_normalize(q);
}

void math_angle_matrix(double angle, double R[9]) {
    double sine, cosine;
    base_sincos(angle, &sine, &cosine);
    R[0] = cosine;
    R[1] = -sine;
    R[2] = 0.0;
    R[3] = sine;
    R[4] = cosine;
    R[5] = 0.0;
    R[6] = 0.0;
    R[7] = 0.0;
    R[8] = 1.0;
}

// a = (1 - cos x)/x^2, b = (x - sin x)/x^3 of T = 1 + a [r] + b [r]^2, x = |r|, and their
// derivatives over x, a'/x and b'/x.
typedef struct turn_factors {
    double a, b, a_slope, b_slope;
} turn_factors;

#define TURN_SERIES 1.0 // x^2 below which the series are summed: nothing cancels in them
#define TURN_TERMS 12   // the next one is below 2^-70 there

static turn_factors turn_factors_at(const double r[3]) {
    double square = math_dot3(r, r);
    turn_factors f = {0.0, 0.0, 0.0, 0.0};
    if (square < TURN_SERIES) {
        // a = sum (-1)^k x^2k / (2k + 2)!, b the same with (2k + 3)!
        double term = 0.5, power = 0.5; // of a, and of its derivative: without one x^2
        for (int k = 0; k < TURN_TERMS; k++) {
            f.a += term;
            f.b += term / (2 * k + 3);
            f.a_slope += k > 0 ? 2 * k * power : 0.0;
            f.b_slope += k > 0 ? 2 * k * power / (2 * k + 3) : 0.0;
            power = -term / ((2 * k + 3) * (2 * k + 4));
            term = power * square;
        }
        return f;
    }
    double x = sqrt(square), sine, cosine;
    base_sincos(x, &sine, &cosine);
    f.a = (1.0 - cosine) / square;
    f.b = (x - sine) / (square * x);
    f.a_slope = (sine / x - 2.0 * f.a) / square;
    f.b_slope = (f.a - 3.0 * f.b) / square;
    return f;
}

void math_turn_rates(const double r[3], double T[9]) {
    turn_factors f = turn_factors_at(r);
    double square = math_dot3(r, r);
    const double cross[9] = {0.0, -r[2], r[1], r[2], 0.0, -r[0], -r[1], r[0], 0.0};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double unit = i == j ? 1.0 : 0.0;
            T[3 * i + j] =
                unit + f.a * cross[3 * i + j] + f.b * (r[i] * r[j] - square * unit); // [r]^2
        }
    }
}

void math_turn_bend(const double r[3], const double rate[3], double bend[3]) {
    turn_factors f = turn_factors_at(r);
    double along = math_dot3(r, rate), first[3], second[3], third[3];
    math_cross3(r, rate, first);
    math_cross3(r, first, second);
    math_cross3(rate, first, third);
    for (int i = 0; i < 3; i++) {
        bend[i] = f.a_slope * along * first[i] + f.b_slope * along * second[i] + f.b * third[i];
    }
}
