// solve/local_secular.c
// The bracketed slip multiplier: the fast path of local_secular.h, and behind it the same equation
// solved so that nothing can go wrong.
//
// In the frame of the eigenvectors of the symmetric part of S, and in units in which q and W are of
// the order of 1,
//     S = [s0 w; -w s1],  h(l) = ((s1+l) b0 - w b1, (s0+l) b1 + w b0),  det(l) = (s0+l)(s1+l) +
//     w^2,
// have no cancellation, so a singular S does no harm. With W positive semi-definite (symmetric or
// not) det(l) > 0 for l > 0, Q(0) < N(0) where sticking failed, and Q > N for large l: a root is
// always bracketed. Newton on Q/N - 1 inside the bracket, bisection where it leaves it.
//
// Bad only where W is indefinite or where no solution exists (large mu and strong coupling of the
// normal and tangent): "exact" enumerates all roots there.
#include "solve/local_secular.h"

#include <float.h>

// Stiffness below this (units of scale) is round-off of a singular S: high enough above the
// round-off of W r that a contact held by it alone is not taken for solved.
#define CN_STIFFNESS_FLOOR (256.0 * DBL_EPSILON)
// A multiplier beyond which S + l I = l I to round-off, in units of scale.
#define CN_SLIP_INFINITE 1e18
// Newton needs about 6 steps, bisection over the 34 decades of l about 60.
#define CN_SECULAR_STEPS 200

// The problem in the frame and units above: r = unit x.
typedef struct cn_secular {
    double mu, c, unit;
    double a[2], b[2], s[2], w;
    double cosine, sine; // of the frame
} cn_secular;

typedef struct cn_secular_value {
    double h[2], Q, N, slope; // slope: that of Q/N, times N^3
} cn_secular_value;

static void cn_secular_rotate(const cn_secular *p, double sine, const double x[2], double y[2]) {
    y[0] = p->cosine * x[0] - sine * x[1];
    y[1] = sine * x[0] + p->cosine * x[1];
}

// One Jacobi rotation of the symmetric part; the skew part w is the same in every frame.
static void cn_secular_frame(cn_secular *p, const double S[4], double scale) {
    double first = S[0] / scale, last = S[3] / scale;
    double off = 0.5 * (S[1] / scale + S[2] / scale);
    double tangent = 0.0;
    if (off != 0.0) {
        double ratio = (last - first) / (2.0 * off);
        tangent = copysign(1.0, ratio) / (fabs(ratio) + hypot(1.0, ratio));
    }
    p->cosine = 1.0 / hypot(1.0, tangent);
    p->sine = tangent * p->cosine;
    p->s[0] = first - tangent * off;
    p->s[1] = last + tangent * off;
    p->w = 0.5 * (S[2] / scale - S[1] / scale);
    for (int i = 0; i < 2; i++) {
        if (fabs(p->s[i]) < CN_STIFFNESS_FLOOR) {
            p->s[i] = CN_STIFFNESS_FLOOR;
        }
    }
}

// false when q is not finite. q_N < 0.
static bool cn_secular_set(const cn_local_block *block, const double q[3], cn_secular *p) {
    double size = fmax(-q[0], fmax(fabs(q[1]), fabs(q[2])));
    if (!(size <= DBL_MAX && fabs(q[1]) <= DBL_MAX && fabs(q[2]) <= DBL_MAX &&
          block->scale > 0.0)) {
        return false;
    }
    double normal = q[0] / size;
    double b[2] = {q[1] / size - block->tn[0] * normal, q[2] / size - block->tn[1] * normal};
    cn_secular_frame(p, block->S, block->scale);
    cn_secular_rotate(p, p->sine, b, p->b);
    cn_secular_rotate(p, p->sine, block->nt, p->a);
    p->mu = block->mu;
    p->c = -normal * block->inv_nn * block->scale;
    p->unit = size / block->scale;
    return true;
}

static cn_secular_value cn_secular_at(const cn_secular *p, double l) {
    double d0 = p->s[0] + l, d1 = p->s[1] + l;
    cn_secular_value v;
    v.h[0] = d1 * p->b[0] - p->w * p->b[1];
    v.h[1] = d0 * p->b[1] + p->w * p->b[0];
    v.N = hypot(v.h[0], v.h[1]);
    v.Q = p->mu * (p->c * (d0 * d1 + p->w * p->w) + (p->a[0] * v.h[0] + p->a[1] * v.h[1]));
    double Q_slope = p->mu * (p->c * (d0 + d1) + (p->a[0] * p->b[0] + p->a[1] * p->b[1]));
    v.slope = Q_slope * v.N * v.N - v.Q * (v.h[0] * p->b[0] + v.h[1] * p->b[1]);
    return v;
}

static void cn_secular_impulse(const cn_secular *p, double normal, const double tangent[2],
                               double r[3]) {
    double back[2];
    cn_secular_rotate(p, -p->sine, tangent, back);
    r[0] = p->unit * normal;
    r[1] = p->unit * back[0];
    r[2] = p->unit * back[1];
}

// On the cone along -h with u_N = 0. false when that needs r_N <= 0.
static bool cn_secular_close(const cn_secular *p, const double h[2], double r[3]) {
    double length = hypot(h[0], h[1]);
    double bottom = length - p->mu * (p->a[0] * h[0] + p->a[1] * h[1]);
    double share = p->c / bottom;
    if (!(bottom > 0.0 && share * length <= DBL_MAX)) {
        return false;
    }
    double tangent[2] = {-p->mu * share * h[0], -p->mu * share * h[1]};
    cn_secular_impulse(p, share * length, tangent, r);
    return true;
}

// Largest l >= 0 at which det(l) = 0; 0 when there is none.
static double cn_secular_singular(const cn_secular *p) {
    double half = 0.5 * (p->s[0] - p->s[1]);
    double square = half * half - p->w * p->w;
    return square >= 0.0 ? fmax(0.0, sqrt(square) - 0.5 * (p->s[0] + p->s[1])) : 0.0;
}

// Middle of a bracket that may span many decades.
static double cn_secular_middle(double low, double high) {
    double floor = fmax(low, CN_STIFFNESS_FLOOR * CN_STIFFNESS_FLOOR);
    return high > 4.0 * floor ? sqrt(floor * high) : 0.5 * (low + high);
}

// The root of Q = N between low (Q < N) and infinity, from a first guess. Returns its h.
static double cn_secular_root(const cn_secular *p, double low, double start) {
    double high = DBL_MAX, l = fmax(start, low);
    for (int step = 0; step < CN_SECULAR_STEPS; step++) {
        cn_secular_value v = cn_secular_at(p, l);
        if (fabs(v.Q - v.N) <= DBL_EPSILON * v.N || l >= CN_SLIP_INFINITE) {
            break;
        }
        if (v.Q < v.N) {
            low = l;
        } else {
            high = l;
        }
        if (high - low <= 2.0 * DBL_EPSILON * high) {
            break;
        }
        double next = l - (v.Q - v.N) * v.N * v.N / v.slope;
        if (!(v.Q > 0.0 && next > low && next < high)) {
            next = high < DBL_MAX ? cn_secular_middle(low, high) : 1.0 + 4.0 * l;
        }
        l = next;
    }
    return l;
}

// Stick, else slide; false when neither could be formed.
static bool cn_secular_solve(const cn_secular *p, double scale, double r[3], double *slip) {
    double low = cn_secular_singular(p);
    cn_secular_value v = cn_secular_at(p, low);
    double det = p->s[0] * p->s[1] + p->w * p->w;
    if (low == 0.0 && v.N <= v.Q) {
        double tangent[2] = {-v.h[0] / det, -v.h[1] / det};
        cn_secular_impulse(p, p->c - (p->a[0] * tangent[0] + p->a[1] * tangent[1]), tangent, r);
        *slip = 0.0;
        return true;
    }
    if (v.N <= v.Q) {
        return false;
    }
    double isotropic = hypot(p->b[0], p->b[1]) / (p->mu * p->c) - 0.5 * (p->s[0] + p->s[1]);
    if (!(isotropic < CN_SLIP_INFINITE)) {
        *slip = 0.0;
        return cn_secular_close(p, p->b, r);
    }
    double l = cn_secular_root(p, low, isotropic);
    *slip = l * scale;
    return cn_secular_close(p, cn_secular_at(p, l).h, r);
}

bool cn_secular_bracketed(const cn_local_block *block, const double q[3], double r[3],
                          double *slip) {
    cn_secular p;
    if (!(q[0] < 0.0) || !cn_secular_set(block, q, &p)) {
        r[0] = r[1] = r[2] = 0.0;
        *slip = 0.0;
        return q[0] >= 0.0;
    }
    if (!cn_secular_solve(&p, block->scale, r, slip)) {
        const double none[2] = {0.0, 0.0};
        cn_secular_impulse(&p, p.c, none, r);
        *slip = 0.0;
    }
    if (!(fabs(r[0]) + fabs(r[1]) + fabs(r[2]) <= DBL_MAX)) {
        r[0] = r[1] = r[2] = 0.0;
    }
    return cn_local_accept(block, q, r);
}

bool cn_local_secular(const cn_local_block *block, const double q[3], double r[3], double *slip) {
    cn_local_plane plane = cn_local_plane_from_q(block, q);
    return cn_secular_fast(block, &plane, r, slip) || cn_secular_bracketed(block, q, r, slip);
}
