// solve/local/local_secular.h
// The fast path of the local solvers, inlined into the sweep: open, radial, stick and slide in a
// few dozen operations, with the answer verified at the price of one comparison.
//
// Everything is said on the tangent plane (solve/local/local.h): u_N = 0 makes r_N = c - nt . r_T
// and u_T = b + S r_T. Sliding means u_T = -l r_T with the slip multiplier l > 0, so
//     r_T(l) = -h(l)/det(l),  h(l) = adj(S) b + l b,  det(l) = l^2 + trace(S) l + det S,
// and |r_T| = mu r_N becomes one scalar ("secular") equation in l,
//     Q(l) = N(l),  Q = mu (c det(l) + nt . h(l)),  N = |h(l)|,
// where Q/N is nearly linear in l. Sticking is Q(0) >= N(0).
#ifndef CAIRN_SOLVE_LOCAL_LOCAL_SECULAR_H
#define CAIRN_SOLVE_LOCAL_LOCAL_SECULAR_H

#include "solve/local/local.h"

#include <math.h>

// Newton squares the relative error of Q/N = 1 (and takes a share: 0.6 at most was seen on contacts
// of boxes), so the step after one at this error is the last.
#define LOCAL_SECULAR_LAST_STEP 3e-7
// More steps than a fair start ever needs; beyond, the bracketed solver takes over.
#define LOCAL_SECULAR_FAST_STEPS 8
// What |u_T + l r_T| / |b| may be at the end; a part of LOCAL_ACCURACY.
#define LOCAL_SECULAR_ACCURACY 1e-13
// Added to a squared length: keeps 0/0 away and is round-off for |x| > 1e-140.
#define LOCAL_SECULAR_TINY 1e-300
// Sums above this are on their way to overflow, or not numbers.
#define LOCAL_SECULAR_LARGE 1e280

// The free contact on the tangent plane.
typedef struct local_plane {
    double c;    // normal impulse without friction; not positive: open
    double b[2]; // tangential velocity under that impulse
} local_plane;

// From q, the velocity with the contact's own impulse taken out.
static inline local_plane local_plane_from_q(const local_block *block, const double q[3]) {
    local_plane plane = {-q[0] * block->inv_nn,
                         {q[1] - block->tn[0] * q[0], q[2] - block->tn[1] * q[0]}};
    return plane;
}

// From u = W r + q, the velocity under the present impulse r: the same without forming q.
static inline local_plane local_plane_from_u(const local_block *block, const double u[3],
                                             const double r[3]) {
    const double *S = block->S;
    local_plane plane = {r[0] + (block->nt[0] * r[1] + block->nt[1] * r[2]) - u[0] * block->inv_nn,
                         {u[1] - block->tn[0] * u[0] - (S[0] * r[1] + S[2] * r[2]),
                          u[2] - block->tn[1] * u[0] - (S[1] * r[1] + S[3] * r[2])}};
    return plane;
}

// W = diag(w_n, w_t, w_t), or mu = 0.
static inline bool local_secular_radial(const local_block *block, const local_plane *plane,
                                        double r[3]) {
    double b1 = plane->b[0], b2 = plane->b[1];
    double limit = block->mu * plane->c;
    double length2 = b1 * b1 + b2 * b2;
    double reach = limit * block->S[0];
    if (!(length2 + reach < LOCAL_SECULAR_LARGE)) {
        return false;
    }
    // Strictly inside, so that nothing sticks when both squares have underflowed.
    double share = length2 < reach * reach ? block->S[0] * block->inv_det
                                           : limit / sqrt(length2 + LOCAL_SECULAR_TINY);
    r[0] = plane->c;
    r[1] = -share * b1;
    r[2] = -share * b2;
    return true;
}

// Newton on sqrt(e) - 1, e = (Q/N)^2, from l to l; false when it does not settle. The root is
// replaced by its Pade form (1 + 3e)/(3 + e), exact to third order at the solution, which leaves
// one division a step:
//     dl = -2 (e - sqrt(e))/e' = -(Q^4 - N^4) N^2 / ((3 N^2 + Q^2) Q (Q' N^2 - Q N N')).
static inline bool local_secular_iterate(const double Q[3], const double N2[3], double *slip) {
    double l = *slip;
    for (int step = 0; step < LOCAL_SECULAR_FAST_STEPS; step++) {
        double n2 = N2[0] + l * (2.0 * N2[1] + l * N2[2]);
        double half_slope = N2[1] + l * N2[2];
        double value = Q[0] + l * (Q[1] + l * Q[2]);
        double slope = Q[1] + 2.0 * l * Q[2];
        double v2 = value * value;
        double excess = v2 - n2;
        double top = excess * (v2 + n2) * n2;
        double bottom = (3.0 * n2 + v2) * value * (slope * n2 - value * half_slope);
        l -= top / bottom;
        if (fabs(excess) < LOCAL_SECULAR_LAST_STEP * n2) {
            *slip = l;
            return true;
        }
    }
    return false;
}

// The same equation bracketed, without the fast path: slower, and right wherever a solution exists
// and W is positive semi-definite. A local_fn.
bool local_secular_bracketed(const local_block *block, const double q[3], double r[3],
                             double *slip);

// Solves in the common cases; true: r and slip are set, verified. false: both are as they were, and
// the caller goes on with a solver that cannot fail.
static inline bool local_secular_fast(const local_block *block, const local_plane *plane,
                                      double r[3], double *slip) {
    double c = plane->c, b1 = plane->b[0], b2 = plane->b[1];
    if (c <= 0.0) {
        r[0] = r[1] = r[2] = 0.0;
        *slip = 0.0;
        return true;
    }
    if (block->radial) {
        return local_secular_radial(block, plane, r);
    }
    if (!block->regular) {
        return false;
    }

    // Stick: Q(0) > N(0) with everything multiplied by det S > 0.
    const double *S = block->S, *m = block->mu_nt;
    double h1 = S[3] * b1 - S[2] * b2;
    double h2 = S[0] * b2 - S[1] * b1;
    double limit = block->mu * c;
    double mh = m[0] * h1 + m[1] * h2, mb = m[0] * b1 + m[1] * b2;
    double Q[3] = {limit * block->det + mh, limit * block->trace + mb, limit};
    double N2[3] = {h1 * h1 + h2 * h2, h1 * b1 + h2 * b2, b1 * b1 + b2 * b2};
    if (!(N2[0] + N2[2] + c + fabs(Q[0]) < LOCAL_SECULAR_LARGE)) {
        return false;
    }
    if (Q[0] > 0.0 && N2[0] < Q[0] * Q[0]) {
        double t1 = -h1 * block->inv_det, t2 = -h2 * block->inv_det;
        r[0] = c - (block->nt[0] * t1 + block->nt[1] * t2);
        r[1] = t1;
        r[2] = t2;
        *slip = 0.0;
        return true;
    }

    // Slide, from the last multiplier, or from that with S replaced by its value in the direction
    // of b: l = (|b| - mu nt . b)/(mu c) - b'Sb/b'b.
    double l = *slip;
    if (!(l > 0.0)) {
        l = (sqrt(N2[2]) - mb) / limit - (block->trace - N2[1] / N2[2]);
        l = l > 0.0 ? l : 0.0;
    }
    if (!local_secular_iterate(Q, N2, &l)) {
        return false;
    }

    // Close: along -h(l), on the cone and with u_N = 0 whatever is left of the error in l. What is
    // left is u_T + l r_T = -b (Q - N)/bottom, and bottom > 0 is r_N > 0.
    double g1 = h1 + l * b1, g2 = h2 + l * b2;
    double length = sqrt(g1 * g1 + g2 * g2);
    double bottom = length - (m[0] * g1 + m[1] * g2);
    double miss = Q[0] + l * (Q[1] + l * Q[2]) - length;
    if (!(fabs(miss) < LOCAL_SECULAR_ACCURACY * bottom && l >= 0.0)) {
        return false;
    }
    double share = c / bottom;
    r[0] = share * length;
    r[1] = -block->mu * share * g1;
    r[2] = -block->mu * share * g2;
    *slip = l;
    return true;
}

#endif
