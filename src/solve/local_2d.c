// solve/local_2d.c
// One 2D contact in closed form (Jean 1999, eq. 33-34), written through the Schur complement so
// that no inverse of W is needed:
//     c = -q_N/W_NN,  a = W_NT/W_NN,  b = q_T - W_TN q_N/W_NN,  s = W_TT - W_TN a,
//     u_N = 0  <=>  r_N = c - a r_T,  then  u_T = b + s r_T.
// Cases: open (c <= 0); stick, r_T = -b/s inside the cone; slide forward (u_T > 0) or backward,
// r_T = -/+ mu r_N with r_N = c/(1 -/+ mu a). The fifth: mu |a| >= 1, where several cases may hold
// at once, or none (the Painleve paradox of a rod with large friction; W is singular or indefinite
// when none does). Sticking is preferred there, then the direction in which the contact would slip.
#include "solve/local.h"

#include <float.h>
#include <math.h>

// |b| below this share of its terms is round-off: a contact without stiffness sticks there.
#define CN_STICK_ROUNDOFF (4.0 * DBL_EPSILON)

// Sliding with u_T of the given sign: true when r_N > 0 and the slip has that sign.
static bool cn_slide_2d(double mu, double c, double a, double b, double s, double sign,
                        double r[2]) {
    double share = 1.0 - mu * a * sign;
    double normal = c / share;
    if (!(share > 0.0 && normal <= DBL_MAX)) {
        return false;
    }
    r[0] = normal;
    r[1] = -sign * mu * normal;
    return sign * (b + s * r[1]) >= 0.0;
}

bool cn_local_solve_2d(const double W[4], double mu, const double q[2], double r[2]) {
    double c = -q[0] / W[0];
    double a = W[2] / W[0];
    double b = q[1] + W[1] * c;
    double s = W[3] - W[1] * a;
    r[0] = r[1] = 0.0;
    if (!(W[0] > 0.0 && mu >= 0.0 && fabs(a) + fabs(s) <= DBL_MAX && fabs(q[1]) <= DBL_MAX)) {
        return false;
    }
    if (!(q[0] < 0.0)) {
        return q[0] >= 0.0;
    }
    if (!(c + fabs(b) <= DBL_MAX)) {
        return false;
    }

    // Stick. Without tangential stiffness only a vanishing slip can be held.
    double tangent = s != 0.0 ? -b / s : 0.0;
    double normal = c - a * tangent;
    bool held = s != 0.0 || fabs(b) <= CN_STICK_ROUNDOFF * (fabs(q[1]) + fabs(W[1] * c));
    if (held && fabs(tangent) <= mu * normal && normal <= DBL_MAX) {
        r[0] = normal;
        r[1] = tangent;
        return true;
    }

    // Slide the way it would slip; the other way can only be right when mu |a| > 1.
    double sign = b < 0.0 ? -1.0 : 1.0;
    if (cn_slide_2d(mu, c, a, b, s, sign, r) || cn_slide_2d(mu, c, a, b, s, -sign, r)) {
        return true;
    }
    r[0] = c;
    r[1] = 0.0;
    return false;
}
