// problem/grade/grade_contacts_kernel.h
// The errors of contacts four at a time, from one source for every processor; the bits are the
// same. Included by the file of each kind of processor.
#ifndef CAIRN_PROBLEM_GRADE_GRADE_CONTACTS_KERNEL_H
#define CAIRN_PROBLEM_GRADE_GRADE_CONTACTS_KERNEL_H

#include "problem/grade/grade_contacts.h"

typedef struct prob_four {
    math_wide mu, lift, r[3], u[3], slip;
    math_wide_mask regular; // lanes whose squares lose nothing
} prob_four;

// sqrt of a sum of squares, which is noted where it is neither well inside the numbers nor zero.
// sum: of the sizes that were squared.
MATH_INLINE math_wide prob_root(math_wide square, math_wide sum, math_wide_mask *regular) {
    *regular &=
        ((square > math_wide_all(PROB_SQUARE_MIN)) & (square < math_wide_all(PROB_SQUARE_MAX))) |
        (sum == math_wide_all(0.0));
    return math_wide_sqrt(square);
}

MATH_INLINE math_wide prob_wide_abs(math_wide x) {
    return math_wide_select(x < math_wide_all(0.0), -x, x);
}

MATH_INLINE math_wide prob_wide_length(math_wide a, math_wide b, math_wide c,
                                       math_wide_mask *regular) {
    return prob_root(a * a + b * b + c * c, prob_wide_abs(a) + prob_wide_abs(b) + prob_wide_abs(c),
                     regular);
}

MATH_INLINE math_wide prob_wide_larger(math_wide a, math_wide b) {
    return math_wide_select(a >= b, a, b);
}

// |e| of four contacts, as cn_contact_error has it.
MATH_INLINE math_wide prob_four_error(prob_four *four, math_wide rho) {
    const math_wide zero = math_wide_all(0.0), one = math_wide_all(1.0), *r = four->r, *u = four->u;
    math_wide mu = four->mu;
    math_wide z[3] = {r[0] - rho * (u[0] + four->lift * four->slip), r[1] - rho * u[1],
                      r[2] - rho * u[2]};
    math_wide tangent = prob_wide_length(z[1], z[2], zero, &four->regular);
    math_wide normal = (z[0] + mu * tangent) / (one + mu * mu);
    math_wide_mask apex = mu * tangent <= -z[0], inside = tangent <= mu * z[0];
    math_wide n = math_wide_select(apex, zero, math_wide_select(inside, z[0], normal));
    math_wide share = math_wide_select(
        apex, zero,
        math_wide_select(inside, one,
                         mu * normal / math_wide_select(tangent > zero, tangent, one)));
    math_wide error =
        prob_wide_length(r[0] - n, r[1] - share * z[1], r[2] - share * z[2], &four->regular) / rho;
    math_wide open = r[0] / rho, min = math_wide_select(open <= u[0], open, u[0]);
    math_wide normal_law = math_wide_all(PROB_GRADE_NORMAL_WEIGHT) * prob_wide_abs(min);
    math_wide_mask steep = four->lift > math_wide_all(PROB_GRADE_STEEP);
    return math_wide_select(steep & (normal_law > error), normal_law, error);
}

// Contacts a .. a + 3; false, and nothing added: one of them needs more care.
MATH_INLINE bool prob_grade_four(const cn_friction *p, bool convex, int32_t a, const double *r,
                                 const double *u, const double *trace, prob_four_sums *four_sums,
                                 prob_contact_sums *sums) {
    int32_t dim = p->dim;
    const math_wide zero = math_wide_all(0.0);
    prob_four four;
    four.mu = math_wide_load(p->mu + a);
    four.r[2] = four.u[2] = zero;
    for (int lane = 0; lane < MATH_WIDE; lane++) {
        int64_t row = (int64_t)dim * (a + lane);
        for (int32_t i = 0; i < dim; i++) {
            four.r[i][lane] = r[row + i];
            four.u[i][lane] = u[row + i];
        }
    }
    math_wide traces = math_wide_load(trace + a);
    four.lift = convex ? zero : four.mu;
    four.regular = (four.mu >= zero) & (four.mu < math_wide_all(PROB_SQUARE_MAX)) & (traces > zero);
    math_wide r_tangent = prob_wide_length(four.r[1], four.r[2], zero, &four.regular);
    four.slip = prob_wide_length(four.u[1], four.u[2], zero, &four.regular);
    math_wide scaled = prob_four_error(&four, math_wide_all(dim) / traces),
              plain = prob_four_error(&four, math_wide_all(1.0)),
              size_r = prob_wide_length(four.r[0], r_tangent, zero, &four.regular),
              size_u = prob_wide_length(four.u[0], four.slip, zero, &four.regular);
    for (int lane = 0; lane < MATH_WIDE; lane++) {
        if (!four.regular[lane]) {
            return false;
        }
    }
    math_wide product = four.r[1] * four.u[1] + four.r[2] * four.u[2] +
                        four.r[0] * (four.u[0] + four.lift * four.slip);
    four_sums->scaled += scaled * scaled;
    four_sums->plain += plain * plain;
    four_sums->trace += traces;
    four_sums->r = prob_wide_larger(four_sums->r, size_r);
    four_sums->u = prob_wide_larger(four_sums->u, size_u);
    four_sums->cone = prob_wide_larger(
        four_sums->cone, prob_wide_larger(r_tangent - four.mu * four.r[0], -four.r[0]));
    four_sums->dual =
        prob_wide_larger(four_sums->dual, (four.mu - four.lift) * four.slip - four.u[0]);
    four_sums->product = prob_wide_larger(four_sums->product, prob_wide_abs(product));
    math_wide_mask worse = scaled > math_wide_all(sums->worst_error);
    for (int lane = 0; lane < MATH_WIDE; lane++) {
        if (worse[lane] && scaled[lane] > sums->worst_error) {
            sums->worst = a + lane;
            sums->worst_error = scaled[lane];
        }
    }
    return true;
}

// Four by four from contact a on; returns the first contact of the four that need more care, or
// that are not there.
static int32_t prob_grade_fours(const cn_friction *p, bool convex, int32_t a, int32_t end,
                                const double *r, const double *u, const double *trace,
                                prob_four_sums *four_sums, prob_contact_sums *sums) {
    while (a + MATH_WIDE <= end && prob_grade_four(p, convex, a, r, u, trace, four_sums, sums)) {
        a += MATH_WIDE;
    }
    return a;
}

#endif
