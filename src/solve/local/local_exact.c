// solve/local/local_exact.c
// Exact enumeration of one contact: open, stick, and every way to slide.
//
// Sliding with the multiplier l (local_frame.h) is |Q(l)| = N(l) with Q and N^2 quadratic in l, so
//     Q(l)^2 - N(l)^2 = 0,
// a quartic whose real roots l >= 0 are isolated (math/roots.h), polished on Q/N = +-1, closed on
// the cone, and tried one by one. Among several solutions (large mu and strong coupling) sticking
// is taken first, then the smallest slip.
//
// Costs some ten times "secular", finds what that cannot: solutions for indefinite W, and the
// certainty that there is none (the nearest candidate is returned, and false).
#include "solve/local/local_frame.h"
#include "solve/local/local_secular.h"

#include "math/roots.h"

#include <math.h>
#include <string.h>

// Newton steps from a root of the expanded quartic, as long as they help; a double root needs many.
#define EXACT_POLISH 20
// Four roots, and three turning points for the double ones.
#define EXACT_SLIPS 8

// The coefficients of Q^2 - N^2, by powers of l.
static void exact_quartic(const local_frame *f, double p[5]) {
    local_frame_value v = local_frame_at(f, 0.0);
    double ab = f->a[0] * f->b[0] + f->a[1] * f->b[1];
    double Q[3] = {v.Q, f->mu * (f->c * (f->s[0] + f->s[1]) + ab), f->mu * f->c};
    double hb = v.h[0] * f->b[0] + v.h[1] * f->b[1];
    double bb = f->b[0] * f->b[0] + f->b[1] * f->b[1];
    p[0] = (Q[0] - v.N) * (Q[0] + v.N);
    p[1] = 2.0 * (Q[0] * Q[1] - hb);
    p[2] = Q[1] * Q[1] + 2.0 * Q[0] * Q[2] - bb;
    p[3] = 2.0 * Q[1] * Q[2];
    p[4] = Q[2] * Q[2];
}

// Beyond this Q > N: from Q >= mu c (l-s)^2 - mu |a| N and N <= (l+s) |b|, s bounding S.
static double exact_last_slip(const local_frame *f) {
    double bound = fabs(f->s[0]) + fabs(f->s[1]) + fabs(f->w);
    double slipping = hypot(f->b[0], f->b[1]) * (1.0 + f->mu * hypot(f->a[0], f->a[1]));
    return slipping / (f->mu * f->c) + 3.0 * bound;
}

// The candidates for l, the smaller roots first.
static int32_t exact_slips(const local_frame *f, double slips[EXACT_SLIPS]) {
    double p[5];
    double turn[4];
    int32_t turns = 0;
    exact_quartic(f, p);
    int32_t count = math_poly_roots(4, p, 0.0, exact_last_slip(f), slips, turn, &turns);
    for (int32_t i = 0; i < turns; i++) {
        slips[count++] = turn[i];
    }
    return count;
}

// r for the root near l; h/det keeps its sign where det < 0.
static bool exact_slide(const local_frame *f, double *l, double r[3]) {
    local_frame_value v = local_frame_at(f, *l);
    for (int step = 0; step < EXACT_POLISH; step++) {
        double next = *l - (v.Q - copysign(v.N, v.det)) * v.N * v.N / v.slope;
        local_frame_value w = local_frame_at(f, next);
        if (!(next >= 0.0 && fabs(fabs(w.Q) - w.N) * v.N < fabs(fabs(v.Q) - v.N) * w.N)) {
            break;
        }
        *l = next;
        v = w;
    }
    double h[2] = {copysign(1.0, v.det) * v.h[0], copysign(1.0, v.det) * v.h[1]};
    return local_frame_slide(f, h, r);
}

// Keeps the trial when it is better than the best; true when it is a solution.
static bool exact_try(const local_block *block, const double q[3], const double trial[3],
                      double *best_error, double r[3]) {
    double error = local_error(block, q, trial);
    if (error < *best_error) {
        memcpy(r, trial, 3 * sizeof *r);
        *best_error = error;
    }
    return error == *best_error && local_accept(block, q, trial);
}

bool local_exact(const local_block *block, const double q[3], double r[3], double *slip) {
    local_frame f;
    double trial[3], best = DBL_MAX;
    *slip = 0.0;
    r[0] = r[1] = r[2] = 0.0;
    if (!local_frame_set(block, q, &f)) {
        return q[0] >= 0.0;
    }
    local_frame_frictionless(&f, r);
    best = local_error(block, q, r);
    if (block->mu == 0.0) {
        return local_accept(block, q, r);
    }
    if (local_frame_stick(&f, trial) && hypot(trial[1], trial[2]) <= block->mu * trial[0] &&
        exact_try(block, q, trial, &best, r)) {
        return true;
    }
    if (!(local_frame_first_slip(&f) < LOCAL_SLIP_INFINITE)) {
        return local_frame_slide(&f, f.b, trial) && exact_try(block, q, trial, &best, r);
    }
    // The corner of stick and slide, where the root may be lost to round-off.
    if (local_frame_slide(&f, local_frame_at(&f, f.hold).h, trial) &&
        exact_try(block, q, trial, &best, r)) {
        return true;
    }
    double slips[EXACT_SLIPS];
    int32_t count = exact_slips(&f, slips);
    for (int32_t i = 0; i < count; i++) {
        if (exact_slide(&f, &slips[i], trial) && exact_try(block, q, trial, &best, r)) {
            *slip = slips[i] * f.scale;
            return true;
        }
    }
    return false;
}
