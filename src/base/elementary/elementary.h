// base/elementary/elementary.h
// Elementary functions of our own, so that the bits of a run do not depend on the C library. Only
// additions, products, quotients, square roots and powers of two, in a fixed order.
//
// Sine and cosine are within 1 unit in the last place of the true value, the others within 4.
// What has no value is NaN; what is too large is infinite.
#ifndef CAIRN_BASE_ELEMENTARY_H
#define CAIRN_BASE_ELEMENTARY_H

void cn_sincos(double angle, double *sine, double *cosine); // of any finite angle
double cn_sin(double x);
double cn_cos(double x);
double cn_tan(double x);

double cn_exp(double x);
double cn_ln(double x);        // natural
double cn_ln_1_plus(double x); // log(1 + x), right for small x too
double cn_log2(double x);      // exact for powers of 2
double cn_log10(double x);
double cn_sinh(double x);
double cn_cosh(double x);
double cn_tanh(double x);
double cn_asinh(double x);
double cn_acosh(double x);
double cn_atanh(double x);

double cn_atan(double x);
double cn_atan2(double y, double x); // (-pi, pi]
double cn_asin(double x);
double cn_acos(double x);

#endif
