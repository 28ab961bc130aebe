// problem/grade/grade_contacts.h
// The contacts' share of the checker: the errors of the natural map and the violations, summed.
// Part of problem/grade/grade.c, and of nothing else.
#ifndef CAIRN_PROBLEM_GRADE_GRADE_CONTACTS_H
#define CAIRN_PROBLEM_GRADE_GRADE_CONTACTS_H

#include "math/wide.h"

#include <cairn/problem.h>

#include <math.h>

// Squares between these lose nothing.
#define CN_SQUARE_LEAST 1e-280
#define CN_SQUARE_MOST 1e280

// Above this mu the normal law is measured by itself too: |e| is at least
// |min(r_N / rho, u_N)| / sqrt(1 + CN_GRADE_STEEP^2). Up to this mu the natural map alone gives
// that much: |min(r_N / rho, u_N)| <= sqrt(1 + mu^2) |e|.
#define CN_GRADE_STEEP 1.0
#define CN_GRADE_NORMAL_WEIGHT 0.7071067811865476 // 1 / sqrt(1 + CN_GRADE_STEEP^2)

// Largest and root-mean sums that a NaN cannot hide in.
static inline double cn_larger(double a, double b) {
    return a >= b || isnan(a) ? a : b;
}

// |(a, b, c)|; the slow way only where the squares would leave the numbers.
static inline double cn_length3(double a, double b, double c) {
    double square = a * a + b * b + c * c;
    if (square > CN_SQUARE_LEAST && square < CN_SQUARE_MOST) {
        return sqrt(square);
    }
    return a == 0.0 && b == 0.0 && c == 0.0 ? 0.0 : hypot(hypot(a, b), c);
}

static inline double cn_length(double a, double b) {
    return cn_length3(a, b, 0.0);
}

typedef struct cn_sizes {
    double r, u;   // largest |r_a|, |u_a|
    double offset; // largest |u_given - u|
    double cone, dual, product;
    double trace; // of W
} cn_sizes;

typedef struct cn_contact_sums {
    double scaled, plain; // |e|^2 with rho = dim / trace W_aa, and with rho = 1
    int32_t worst;        // block of the largest scaled |e|
    double worst_error;   //
    cn_sizes sizes;
} cn_contact_sums;

// One block's |e| in both measures. A NaN that was noted stays.
static inline void cn_sums_add(cn_contact_sums *sums, int32_t a, double scaled, double plain) {
    sums->scaled += scaled * scaled;
    sums->plain += plain * plain;
    if (!isnan(sums->worst_error) && !(scaled <= sums->worst_error)) {
        sums->worst = a;
        sums->worst_error = scaled;
    }
}

// The sums of further contacts, added.
void cn_sums_join(const cn_contact_sums *part, cn_contact_sums *sums);

// The blocks first .. end - 1 that have no box. trace: of each W_aa. convex: without mu |u_T| in
// u^.
void cn_grade_contacts(const cn_friction *p, bool convex, int32_t first, int32_t end,
                       const double *r, const double *u, const double *trace,
                       cn_contact_sums *sums);

// What four contacts add to the sums, lane by lane.
typedef struct cn_four_sums {
    cn_wide scaled, plain, r, u, cone, dual, product, trace;
} cn_four_sums;

typedef int32_t cn_grade_fours_fn(const cn_friction *p, bool convex, int32_t a, int32_t end,
                                  const double *r, const double *u, const double *trace,
                                  cn_four_sums *four_sums, cn_contact_sums *sums);
// For wider processors; NULL: not on this processor.
cn_grade_fours_fn *cn_grade_fours_avx2(void), *cn_grade_fours_avx512(void);

#endif
