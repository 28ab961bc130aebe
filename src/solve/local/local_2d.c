// solve/local/local_2d.c
// One 2D contact in closed form (Jean 1999, eq. 33-34), written through the Schur complement so
// that no inverse of W is needed:
//     c = -q_N/W_NN,  a = W_NT/W_NN,  b = q_T + W_TN c,  s = W_TT - W_TN a,
//     u_N = 0  <=>  r_N = c - a r_T,  then  u_T = b + s r_T.
// Cases: open (c <= 0); stick, r_T = -b/s inside the cone; slide forward (u_T > 0) or backward,
// r_T = -/+ mu r_N with r_N = c/(1 -/+ mu a). The fifth: mu |a| >= 1, where several of them may
// hold at once, or none (the Painleve paradox of a rod with large friction; W is singular or
// indefinite when none does). Sticking is preferred there, then the direction of b.
#include "solve/local/local.h"

#include <float.h>
#include <math.h>

// s and b below these shares of their terms are round-off: no stiffness, no slip.
#define STIFFNESS_ROUNDOFF (16.0 * DBL_EPSILON)
#define SLIP_ROUNDOFF (4.0 * DBL_EPSILON)

// Sliding with u_T of the given sign: true when r_N > 0 and the slip has that sign.
static bool slide_2d(double mu, double c, double a, double b, double s, double sign, double r[2]) {
    double share = 1.0 - mu * a * sign;
    double normal = c / share;
    if (!(share > 0.0 && normal * (1.0 + mu) <= DBL_MAX)) {
        return false;
    }
    r[0] = normal;
    r[1] = -sign * mu * normal;
    return sign * (b + s * r[1]) >= 0.0;
}

// A given r_T with u_N = 0: true when it is inside the cone.
static bool stick_2d(double mu, double c, double a, double tangent, double r[2]) {
    double normal = c - a * tangent;
    if (!(fabs(tangent) <= mu * normal && normal <= DBL_MAX)) {
        return false;
    }
    r[0] = normal;
    r[1] = tangent;
    return true;
}

bool local_solve_2d(const double W[4], double mu, const double q[2], double r[2]) {
    double inv_nn = 1.0 / W[0];
    double a = W[2] * inv_nn;
    double s = W[3] - W[1] * a;
    double c = -q[0] * inv_nn;
    double b = q[1] + W[1] * c;
    r[0] = r[1] = 0.0;
    if (q[0] >= 0.0 || !(c > 0.0)) {
        return q[0] >= 0.0;
    }
    if (!(c + fabs(a) + fabs(b) + fabs(s) + mu <= DBL_MAX && mu >= 0.0)) {
        return false;
    }

    // Stick. Without tangential stiffness only a vanishing slip can be held.
    if (fabs(s) > STIFFNESS_ROUNDOFF * fabs(W[3])) {
        if (stick_2d(mu, c, a, -b / s, r)) {
            return true;
        }
    } else if (fabs(b) <= SLIP_ROUNDOFF * (fabs(q[1]) + fabs(W[1] * c)) &&
               stick_2d(mu, c, a, 0.0, r)) {
        return true;
    }

    // Slide the way it would slip; the other way can only be right when mu |a| > 1.
    double sign = b < 0.0 ? -1.0 : 1.0;
    if (slide_2d(mu, c, a, b, s, sign, r) || slide_2d(mu, c, a, b, s, -sign, r)) {
        return true;
    }
    r[0] = c;
    r[1] = 0.0;
    return false;
}
