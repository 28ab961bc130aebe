// solve/local/local_secular.c
// The bracketed slip multiplier: the fast path of local_secular.h, and behind it the same equation
// solved in the eigenframe (local_frame.h) so that nothing can go wrong.
//
// With W positive semi-definite (symmetric or not) det(l) > 0 for l > 0, Q(0) < N(0) where sticking
// failed, and Q > N for large l: a root is always bracketed. Newton on Q/N - 1, which is nearly
// linear, inside the bracket; bisection where Newton leaves it.
//
// Bad only where W is indefinite or where no solution exists (large mu and strong coupling of the
// normal and tangent): "exact" enumerates all roots there.
#include "solve/local/local_secular.h"

#include "solve/local/local_frame.h"

// Newton needs about 6 steps, bisection over the 45 decades that l may span about 60.
#define GS_SECULAR_STEPS 200
// Bisection treats smaller multipliers as this one: no r can tell them from zero.
#define SLIP_SMALLEST (LOCAL_STIFFNESS_FLOOR * LOCAL_STIFFNESS_FLOOR)

// Middle of a bracket that may span many decades.
static double secular_middle(double low, double high) {
    double floor = fmax(low, SLIP_SMALLEST);
    return high > 4.0 * floor ? sqrt(floor * high) : 0.5 * (low + high);
}

// The root of Q = N between low, where Q < N, and infinity, from a first guess.
static double secular_root(const local_frame *f, double low, double start) {
    double high = DBL_MAX, l = fmax(start, low);
    for (int step = 0; step < GS_SECULAR_STEPS; step++) {
        local_frame_value v = local_frame_at(f, l);
        if (fabs(v.Q - v.N) <= DBL_EPSILON * v.N || l >= LOCAL_SLIP_INFINITE) {
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
            next = high < DBL_MAX ? secular_middle(low, high) : 1.0 + 4.0 * l;
        }
        l = next;
    }
    return l;
}

// Stick, else slide; false when neither could be formed.
static bool secular_solve(const local_frame *f, double r[3], double *slip) {
    *slip = 0.0;
    double singular = local_frame_singular_slip(f);
    double low = fmax(singular, f->hold);
    local_frame_value v = local_frame_at(f, low);
    if (v.N <= v.Q) {
        return singular == 0.0 && local_frame_stick(f, r);
    }
    double start = local_frame_first_slip(f);
    if (!(start < LOCAL_SLIP_INFINITE)) {
        return local_frame_slide(f, f->b, r);
    }
    double l = secular_root(f, low, start);
    *slip = l * f->scale;
    return local_frame_slide(f, local_frame_at(f, l).h, r);
}

bool local_secular_bracketed(const local_block *block, const double q[3], double r[3],
                             double *slip) {
    local_frame f;
    if (!local_frame_set(block, q, &f)) {
        r[0] = r[1] = r[2] = 0.0;
        *slip = 0.0;
        return q[0] >= 0.0;
    }
    if (!secular_solve(&f, r, slip)) {
        local_frame_frictionless(&f, r);
        *slip = 0.0;
    }
    return local_accept(block, q, r);
}

bool local_secular(const local_block *block, const double q[3], double r[3], double *slip) {
    local_plane plane = local_plane_from_q(block, q);
    return local_secular_fast(block, &plane, r, slip) || local_secular_bracketed(block, q, r, slip);
}
