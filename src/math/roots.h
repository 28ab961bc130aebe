// math/roots.h
// All real roots of a polynomial of low degree in an interval, by isolation: between two
// neighbouring roots of the derivative a polynomial is monotone, so each sign change there brackets
// one root.
#ifndef CAIRN_MATH_ROOTS_H
#define CAIRN_MATH_ROOTS_H

#include <stdint.h>

#define MATH_POLY_DEGREE_MAX 6

// p(x) = sum of coefficient[i] x^i, i = 0 .. degree. Writes the roots in [low, high] at which p
// changes sign, ascending, to root, and the roots of p' there to turn (roots of even order are
// among them); both of room degree. Returns how many roots; *turns how many turning points.
// Coefficients that are not finite give none.
int32_t math_poly_roots(int32_t degree, const double *coefficient, double low, double high,
                        double *root, double *turn, int32_t *turns);

#endif
