// problem/ncp.h
// The Jacobian of a nonlinear complementarity problem: its pattern with all entries, and its values
// from the user's function or by differences of F.
#ifndef CAIRN_PROBLEM_NCP_H
#define CAIRN_PROBLEM_NCP_H

#include <cairn/ncp.h>

typedef struct prob_ncp_jacobian {
    cn_csr J;           // the user's pattern, or dense
    int32_t groups;     // of columns without a common row (Curtis, Powell and Reid 1974)
    int32_t *group;     // of a column
    double *z, *w, *w2; // room for differences, n each
    int64_t values;     // evaluations of F for it so far
} prob_ncp_jacobian;

// Sizes, bounds and pattern; not F.
cn_status prob_ncp_validate(const cn_ncp *p, cn_error *error);
double prob_ncp_lower(const cn_ncp *p, int32_t i);
double prob_ncp_upper(const cn_ncp *p, int32_t i);
// x brought between the bounds of unknown i; NaN becomes a bound, or 0 where there is none.
double prob_ncp_clamp(const cn_ncp *p, int32_t i, double x);
// w := F(z); false when F is not defined or an entry is not finite.
bool prob_ncp_value(const cn_ncp *p, const double *z, double *w);

cn_status prob_ncp_jacobian_create(const cn_ncp *p, cn_arena *memory, prob_ncp_jacobian *out);
// The values of J at z with w = F(z); false when they are not all defined and finite.
bool prob_ncp_jacobian_at(const cn_ncp *p, const double *z, const double *w,
                          prob_ncp_jacobian *jacobian);

#endif
