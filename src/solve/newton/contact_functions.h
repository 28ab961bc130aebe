// solve/newton/contact_functions.h
// Functions of one contact, F(r, u) = 0 exactly where Coulomb's law holds, with an element of their
// generalised derivative: what Newton methods on the whole set of contacts are made of.
//
// Each is divided by its step rho > 0, so that F is a velocity. A = dF/du and B = dF/dr, dim x dim
// by rows.
#ifndef CAIRN_SOLVE_NEWTON_CONTACT_FUNCTIONS_H
#define CAIRN_SOLVE_NEWTON_CONTACT_FUNCTIONS_H

#include <stdint.h>

typedef void newton_contact_fn(int32_t dim, double mu, double rho, const double *r, const double *u,
                               double *F, double *A, double *B);

// z = r - rho u. N: r_N - max(0, z_N). T: r_T - P(z_T) with P onto the disc of radius mu max(0,
// z_N); r_T alone where z_N <= 0.
newton_contact_fn newton_alart_curnier;
// The same with the disc of radius mu max(0, r_N).
newton_contact_fn newton_jean_moreau;
// x + y - (x^2 + y^2)^(1/2) in the algebra of the second-order cone, x = (mu r_N, r_T), y = rho
// (u_N/mu + |u_T|, u_T). With mu = 0: the scalar function on N, r_T on T.
newton_contact_fn newton_fischer_burmeister;

// r - P_K(z): the law of the convex problem.
newton_contact_fn newton_cone_function;

// The same of a block of joint rows, r_i - mid(lower_i, z_i, upper_i) row by row, which is their
// law for all of the above.
void newton_box_function(int32_t dim, const double *lower, const double *upper, double rho,
                         const double *r, const double *u, double *F, double *A, double *B);

#endif
