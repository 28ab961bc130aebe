// problem/grade/grade_contacts.h
// The contacts' share of the checker: the errors of the natural map and the violations, summed.
// Part of problem/grade/grade.c, and of nothing else.
#ifndef CAIRN_PROBLEM_GRADE_GRADE_CONTACTS_H
#define CAIRN_PROBLEM_GRADE_GRADE_CONTACTS_H

#include "math/wide.h"

#include <cairn/problem.h>

#include <math.h>

// Squares between these lose nothing.
#define PROB_SQUARE_MIN 1e-280
#define PROB_SQUARE_MAX 1e280

// Above this mu the normal law is measured by itself too: |e| is at least
// |min(r_N / rho, u_N)| / sqrt(1 + PROB_GRADE_STEEP^2). Up to this mu the natural map alone gives
// that much: |min(r_N / rho, u_N)| <= sqrt(1 + mu^2) |e|.
#define PROB_GRADE_STEEP 1.0
#define PROB_GRADE_NORMAL_WEIGHT 0.7071067811865476 // 1 / sqrt(1 + PROB_GRADE_STEEP^2)

// Largest and root-mean sums that a NaN cannot hide in.
static inline double prob_larger(double a, double b) {
    return a >= b || isnan(a) ? a : b;
}

// |(a, b, c)|; the slow way only where the squares would leave the numbers.
static inline double prob_length3(double a, double b, double c) {
    double square = a * a + b * b + c * c;
    if (square > PROB_SQUARE_MIN && square < PROB_SQUARE_MAX) {
        return sqrt(square);
    }
    return a == 0.0 && b == 0.0 && c == 0.0 ? 0.0 : hypot(hypot(a, b), c);
}

static inline double prob_length(double a, double b) {
    return prob_length3(a, b, 0.0);
}

typedef struct prob_sizes {
    double r, u;   // largest |r_a|, |u_a|
    double offset; // largest |u_given - u|
    double cone, dual, product;
    double trace; // of W
} prob_sizes;

typedef struct prob_contact_sums {
    double scaled, plain; // |e|^2 with rho = dim / trace W_aa, and with rho = 1
    int32_t worst;        // block of the largest scaled |e|
    double worst_error;   //
    prob_sizes sizes;
} prob_contact_sums;

// One block's |e| in both measures. A NaN that was noted stays.
static inline void prob_sums_add(prob_contact_sums *sums, int32_t a, double scaled, double plain) {
    sums->scaled += scaled * scaled;
    sums->plain += plain * plain;
    if (!isnan(sums->worst_error) && !(scaled <= sums->worst_error)) {
        sums->worst = a;
        sums->worst_error = scaled;
    }
}

// The sums of further contacts, added.
void prob_sums_join(const prob_contact_sums *part, prob_contact_sums *sums);

// The blocks first .. end - 1 that have no box. trace: of each W_aa. convex: without mu |u_T| in
// u^.
void prob_grade_contacts(const cn_friction *p, bool convex, int32_t first, int32_t end,
                         const double *r, const double *u, const double *trace,
                         prob_contact_sums *sums);

// What four contacts add to the sums, lane by lane.
typedef struct prob_four_sums {
    math_wide scaled, plain, r, u, cone, dual, product, trace;
} prob_four_sums;

typedef int32_t prob_grade_fours_fn(const cn_friction *p, bool convex, int32_t a, int32_t end,
                                    const double *r, const double *u, const double *trace,
                                    prob_four_sums *four_sums, prob_contact_sums *sums);
// For wider processors; NULL: not on this processor.
prob_grade_fours_fn *prob_grade_fours_avx2(void), *prob_grade_fours_avx512(void);

#endif
