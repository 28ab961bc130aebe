// math/rotation.h
// Quaternions (w, x, y, z), rotation matrices (by rows) and the exponential map, with our own sine
// and cosine so that the bits do not depend on the C library.
#ifndef CAIRN_MATH_ROTATION_H
#define CAIRN_MATH_ROTATION_H

// Below this angle squared the exponential is a series: the first term left out, a^6/645120, is
// under 2^-60 of its sum.
#define MATH_SMALL_ANGLE_SQUARED 1e-4

#include "base/elementary/elementary.h" // base_sincos

// R of a unit quaternion.
void math_quat_matrix(const double q[4], double R[9]);
// out = a b (out may be either).
void math_quat_multiply(const double a[4], const double b[4], double out[4]);
void math_quat_normalize(double q[4]); // a null quaternion becomes the identity
// The rotation by |w| about w, world axes: q := exp(w) q, normalised.
void math_quat_rotate(double q[4], const double w[3]);
// Rotation vectors as coordinates of exp(r): the rate of turning, world axes, is T(r) r'; with the
// second derivative it is T r'' + bend, bend = (dT/dt) r'. T is singular at a whole turn.
void math_turn_rates(const double r[3], double T[9]);
void math_turn_bend(const double r[3], const double rate[3], double bend[3]);
// R of a rotation by angle about z, the 2D case in 3x3 clothes.
void math_angle_matrix(double angle, double R[9]);

#endif
