// problem/grade/grade_contacts_kernel.h
// The errors of contacts four at a time, from one source for every processor; the bits are the
// same. Included by the file of each kind of processor.
#ifndef CAIRN_PROBLEM_GRADE_GRADE_CONTACTS_KERNEL_H
#define CAIRN_PROBLEM_GRADE_GRADE_CONTACTS_KERNEL_H

#include "problem/grade/grade_contacts.h"

typedef struct cn_four {
    cn_wide mu, lift, r[3], u[3], slip;
    cn_wide_mask regular; // lanes whose squares lose nothing
} cn_four;

// sqrt of a sum of squares, which is noted where it is neither well inside the numbers nor zero.
// sum: of the sizes that were squared.
CN_INLINE cn_wide cn_root(cn_wide square, cn_wide sum, cn_wide_mask *regular) {
    *regular &= ((square > cn_wide_all(CN_SQUARE_LEAST)) & (square < cn_wide_all(CN_SQUARE_MOST))) |
                (sum == cn_wide_all(0.0));
    return cn_wide_sqrt(square);
}

CN_INLINE cn_wide cn_wide_abs(cn_wide x) {
    return cn_wide_select(x < cn_wide_all(0.0), -x, x);
}

CN_INLINE cn_wide cn_wide_length(cn_wide a, cn_wide b, cn_wide c, cn_wide_mask *regular) {
    return cn_root(a * a + b * b + c * c, cn_wide_abs(a) + cn_wide_abs(b) + cn_wide_abs(c),
                   regular);
}

CN_INLINE cn_wide cn_wide_larger(cn_wide a, cn_wide b) {
    return cn_wide_select(a >= b, a, b);
}

// |e| of four contacts, as cn_contact_error has it.
CN_INLINE cn_wide cn_four_error(cn_four *four, cn_wide rho) {
    const cn_wide zero = cn_wide_all(0.0), one = cn_wide_all(1.0), *r = four->r, *u = four->u;
    cn_wide mu = four->mu;
    cn_wide z[3] = {r[0] - rho * (u[0] + four->lift * four->slip), r[1] - rho * u[1],
                    r[2] - rho * u[2]};
    cn_wide tangent = cn_wide_length(z[1], z[2], zero, &four->regular);
    cn_wide normal = (z[0] + mu * tangent) / (one + mu * mu);
    cn_wide_mask apex = mu * tangent <= -z[0], inside = tangent <= mu * z[0];
    cn_wide n = cn_wide_select(apex, zero, cn_wide_select(inside, z[0], normal));
    cn_wide share = cn_wide_select(
        apex, zero,
        cn_wide_select(inside, one, mu * normal / cn_wide_select(tangent > zero, tangent, one)));
    cn_wide error =
        cn_wide_length(r[0] - n, r[1] - share * z[1], r[2] - share * z[2], &four->regular) / rho;
    cn_wide open = r[0] / rho, least = cn_wide_select(open <= u[0], open, u[0]);
    cn_wide normal_law = cn_wide_all(CN_GRADE_NORMAL_WEIGHT) * cn_wide_abs(least);
    cn_wide_mask steep = four->lift > cn_wide_all(CN_GRADE_STEEP);
    return cn_wide_select(steep & (normal_law > error), normal_law, error);
}

// Contacts a .. a + 3; false, and nothing added: one of them needs more care.
CN_INLINE bool cn_grade_four(const cn_friction *p, bool convex, int32_t a, const double *r,
                             const double *u, const double *trace, cn_four_sums *four_sums,
                             cn_contact_sums *sums) {
    int32_t dim = p->dim;
    const cn_wide zero = cn_wide_all(0.0);
    cn_four four;
    four.mu = cn_wide_load(p->mu + a);
    four.r[2] = four.u[2] = zero;
    for (int lane = 0; lane < CN_WIDE; lane++) {
        int64_t row = (int64_t)dim * (a + lane);
        for (int32_t i = 0; i < dim; i++) {
            four.r[i][lane] = r[row + i];
            four.u[i][lane] = u[row + i];
        }
    }
    cn_wide traces = cn_wide_load(trace + a);
    four.lift = convex ? zero : four.mu;
    four.regular = (four.mu >= zero) & (four.mu < cn_wide_all(CN_SQUARE_MOST)) & (traces > zero);
    cn_wide r_tangent = cn_wide_length(four.r[1], four.r[2], zero, &four.regular);
    four.slip = cn_wide_length(four.u[1], four.u[2], zero, &four.regular);
    cn_wide scaled = cn_four_error(&four, cn_wide_all(dim) / traces),
            plain = cn_four_error(&four, cn_wide_all(1.0)),
            size_r = cn_wide_length(four.r[0], r_tangent, zero, &four.regular),
            size_u = cn_wide_length(four.u[0], four.slip, zero, &four.regular);
    for (int lane = 0; lane < CN_WIDE; lane++) {
        if (!four.regular[lane]) {
            return false;
        }
    }
    cn_wide product = four.r[1] * four.u[1] + four.r[2] * four.u[2] +
                      four.r[0] * (four.u[0] + four.lift * four.slip);
    four_sums->scaled += scaled * scaled;
    four_sums->plain += plain * plain;
    four_sums->trace += traces;
    four_sums->r = cn_wide_larger(four_sums->r, size_r);
    four_sums->u = cn_wide_larger(four_sums->u, size_u);
    four_sums->cone = cn_wide_larger(four_sums->cone,
                                     cn_wide_larger(r_tangent - four.mu * four.r[0], -four.r[0]));
    four_sums->dual =
        cn_wide_larger(four_sums->dual, (four.mu - four.lift) * four.slip - four.u[0]);
    four_sums->product = cn_wide_larger(four_sums->product, cn_wide_abs(product));
    cn_wide_mask worse = scaled > cn_wide_all(sums->worst_error);
    for (int lane = 0; lane < CN_WIDE; lane++) {
        if (worse[lane] && scaled[lane] > sums->worst_error) {
            sums->worst = a + lane;
            sums->worst_error = scaled[lane];
        }
    }
    return true;
}

// Four by four from contact a on; returns the first contact of the four that need more care, or
// that are not there.
static int32_t cn_grade_fours(const cn_friction *p, bool convex, int32_t a, int32_t end,
                              const double *r, const double *u, const double *trace,
                              cn_four_sums *four_sums, cn_contact_sums *sums) {
    while (a + CN_WIDE <= end && cn_grade_four(p, convex, a, r, u, trace, four_sums, sums)) {
        a += CN_WIDE;
    }
    return a;
}

#endif
