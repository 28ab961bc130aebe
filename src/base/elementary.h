// base/elementary.h
// Elementary functions of our own, so that the bits of a run do not depend on the C library. Only
// additions, products, quotients, square roots and powers of two, in a fixed order.
#ifndef CAIRN_BASE_ELEMENTARY_H
#define CAIRN_BASE_ELEMENTARY_H

// sin and cos of any finite angle, within 1 unit in the last place of the true value. NaN for what
// is not finite.
void cn_sincos(double angle, double *sine, double *cosine);

#endif
