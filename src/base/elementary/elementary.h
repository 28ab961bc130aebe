// base/elementary/elementary.h
// Elementary functions of our own, so that the bits of a run do not depend on the C library. Only
// additions, products, quotients, square roots and powers of two, in a fixed order.
//
// Sine and cosine are within 1 unit in the last place of the true value, the others within 4.
// What has no value is NaN; what is too large is infinite.
#ifndef CAIRN_BASE_ELEMENTARY_H
#define CAIRN_BASE_ELEMENTARY_H

void base_sincos(double angle, double *sine, double *cosine); // of any finite angle
double base_sin(double x);
double base_cos(double x);
double base_tan(double x);

double base_exp(double x);
double base_ln(double x);        // natural
double base_ln_1_plus(double x); // log(1 + x), right for small x too
double base_log2(double x);      // exact for powers of 2
double base_log10(double x);
double base_sinh(double x);
double base_cosh(double x);
double base_tanh(double x);
double base_asinh(double x);
double base_acosh(double x);
double base_atanh(double x);

double base_atan(double x);
double base_atan2(double y, double x); // (-pi, pi]
double base_asin(double x);
double base_acos(double x);

#endif
