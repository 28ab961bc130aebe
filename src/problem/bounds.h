// problem/bounds.h
// Blocks of joint rows in a friction problem: what the two rooms of problems and solvers share.
#ifndef CAIRN_PROBLEM_BOUNDS_H
#define CAIRN_PROBLEM_BOUNDS_H

#include <cairn/problem.h>
#include <math.h>

// Whether block a has boxes instead of a cone.
static inline bool prob_is_boxed(const cn_bounds *bounds, int32_t a) {
    return bounds->boxed && bounds->boxed[a];
}

// Whether row i of a boxed block is a bilateral constraint.
static inline bool prob_is_bilateral(const cn_bounds *bounds, int64_t i) {
    return isinf(bounds->lower[i]) && isinf(bounds->upper[i]);
}

// compliance of a row; 0 where there is none
static inline double prob_compliance_of(const cn_bounds *bounds, int64_t i) {
    return bounds->boxed && bounds->compliance ? bounds->compliance[i] : 0.0;
}

// u += E r
void prob_bounds_comply(const cn_friction *p, const double *r, double *u);

// A copy in memory; false when that is full.
bool prob_bounds_copy(const cn_bounds *from, int32_t dim, int32_t contacts, cn_arena *memory,
                      cn_bounds *out);

// Whether a block's own impulse changes u by compliance too.
static inline bool prob_is_soft(const cn_bounds *bounds, int32_t dim, int32_t a) {
    bool soft = false;
    for (int32_t i = 0; bounds->boxed && bounds->compliance && i < dim; i++) {
        soft = soft || bounds->compliance[(int64_t)dim * a + i] != 0.0;
    }
    return soft;
}

// Bounds ordered around 0, compliance finite and not negative, mu = 0 in boxes.
cn_status prob_bounds_validate(const cn_bounds *bounds, int32_t dim, int32_t contacts,
                               const double *mu, cn_error *error);

#endif
