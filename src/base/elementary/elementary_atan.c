// base/elementary/elementary_atan.c
// The arctangent and its relations.
//
// atan x = atan c + atan u, u = (x - c)/(1 + c x), with c the nearest quarter, for 0 <= x <= 1;
// above 1, atan x = pi/2 - atan 1/x. Then |u| <= 1/8 and Taylor's series to u^19. atan c is in two
// parts.
#include "base/elementary/elementary.h"

#include <math.h>

#define ATAN_TERMS 10
#define QUARTER_TURN 0x1.921fb54442d18p+0
#define QUARTER_TURN_TAIL 0x1.1a62633145c07p-54
#define HALF_TURN (2.0 * QUARTER_TURN)
#define HALF_TURN_TAIL (2.0 * QUARTER_TURN_TAIL)

// base + base_tail - or + atan x, x in [0, 1]
static double atan_unit(double x, double sign, double base, double base_tail) {
    static const double head[5] = {0.0, 0x1.f5b75f92c80ddp-3, 0x1.dac670561bb4fp-2,
                                   0x1.4978fa3269ee1p-1, 0x1.921fb54442d18p-1};
    static const double tail[5] = {0.0, 0x1.8ab6e3cf7afbdp-57, 0x1.a2b7f222f65e2p-56,
                                   0x1.2419a87f2a458p-56, 0x1.1a62633145c07p-55};
    int quarter = (int)(4.0 * x + 0.5);
    double c = 0.25 * quarter;
    double u = (x - c) / (1.0 + c * x), z = u * u, sum = 0.0;
    for (int i = ATAN_TERMS - 1; i >= 1; i--) {
        sum = z * (1.0 / (2 * i + 1) - sum);
    }
    double small = (u - u * sum) + tail[quarter];
    return (base + sign * head[quarter]) + (sign * small + base_tail);
}

double base_atan2(double y, double x) {
    if (isnan(x) || isnan(y)) {
        return NAN;
    }
    double a = fabs(x), b = fabs(y), ratio;
    if (a == b) {
        ratio = a == 0.0 ? 0.0 : 1.0; // two infinities count as equal
    } else {
        ratio = b < a ? b / a : a / b;
    }
    double angle;
    if (b > a) {
        angle = atan_unit(ratio, signbit(x) ? 1.0 : -1.0, QUARTER_TURN, QUARTER_TURN_TAIL);
    } else if (signbit(x)) {
        angle = atan_unit(ratio, -1.0, HALF_TURN, HALF_TURN_TAIL);
    } else {
        angle = atan_unit(ratio, 1.0, 0.0, 0.0);
    }
    return copysign(angle, y);
}

double base_atan(double x) {
    return base_atan2(x, 1.0);
}

double base_asin(double x) {
    return base_atan2(x, sqrt((1.0 - x) * (1.0 + x)));
}

double base_acos(double x) {
    return base_atan2(sqrt((1.0 - x) * (1.0 + x)), x);
}
