// math/roots.c
// Roots of a polynomial by a chain of derivatives, from the linear one up: the roots found at one
// degree cut the interval into the monotone pieces of the next. No companion matrix, no closed
// form, hence no cancellation and no complex numbers; about 4 x 10 evaluations for a quartic.
// Roots of even order do not change the sign: they are reported as turning points.
#include "math/roots.h"

#include <stdbool.h>

// A bracket halves at least every second step; 53 bits and the decades of an interval fit.
#define ROOT_STEPS 220

static double poly_value(int32_t degree, const double *p, double x, double *slope) {
    double value = p[degree];
    *slope = 0.0;
    for (int32_t i = degree - 1; i >= 0; i--) {
        *slope = *slope * x + value;
        value = value * x + p[i];
    }
    return value;
}

// The root in [low, high], where p(low) has the sign of from and p(high) the other. Newton from the
// middle; halving whenever it leaves the bracket or the bracket shrinks too slowly.
static double poly_bracketed(int32_t degree, const double *p, double low, double high,
                             double from) {
    double x = 0.5 * (low + high), width = high - low;
    for (int step = 0; step < ROOT_STEPS; step++) {
        double slope, value = poly_value(degree, p, x, &slope);
        if (value == 0.0) {
            break;
        }
        if (value * from > 0.0) {
            low = x;
        } else {
            high = x;
        }
        double next = x - value / slope;
        bool slow = step % 2 == 1 && high - low > 0.5 * width;
        if (step % 2 == 1) {
            width = high - low;
        }
        if (slow || !(next > low && next < high)) {
            next = 0.5 * (low + high);
        }
        if (next == x || !(high - low > 0.0)) {
            break;
        }
        x = next;
    }
    return x;
}

int32_t math_poly_roots(int32_t degree, const double *coefficient, double low, double high,
                        double *root, double *turn, int32_t *turns) {
    double cut[MATH_POLY_DEGREE_MAX + 2], found[MATH_POLY_DEGREE_MAX + 1];
    int32_t count = 0;
    *turns = 0;
    if (degree < 1 || degree > MATH_POLY_DEGREE_MAX || !(low < high)) {
        return 0;
    }
    for (int32_t order = degree - 1; order >= 0; order--) {
        // The derivative of this order.
        double p[MATH_POLY_DEGREE_MAX + 1];
        for (int32_t i = 0; i <= degree - order; i++) {
            p[i] = coefficient[i + order];
            for (int32_t k = 1; k <= order; k++) {
                p[i] *= (double)(i + k);
            }
        }
        // Its monotone pieces lie between the roots of the one before.
        cut[0] = low;
        for (int32_t i = 0; i < count; i++) {
            cut[i + 1] = found[i];
            turn[i] = found[i];
        }
        *turns = count;
        cut[count + 1] = high;
        int32_t pieces = count + 1;
        count = 0;
        for (int32_t i = 0; i < pieces; i++) {
            double slope;
            double from = poly_value(degree - order, p, cut[i], &slope);
            double to = poly_value(degree - order, p, cut[i + 1], &slope);
            if ((from > 0.0 && to <= 0.0) || (from < 0.0 && to >= 0.0)) {
                found[count++] = poly_bracketed(degree - order, p, cut[i], cut[i + 1], from);
            } else if (from == 0.0 && i == 0) {
                found[count++] = cut[0];
            }
        }
    }
    for (int32_t i = 0; i < count; i++) {
        root[i] = found[i];
    }
    return count;
}
