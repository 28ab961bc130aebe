// cairn/ncp.h
// Nonlinear mixed complementarity problems, the form that PATH solves: the data, the check of a
// Jacobian by differences, the checker.
//
// Given F: R^n -> R^n and lower <= upper (infinite where there is no bound), find z, w = F(z):
//     z_i = lower_i  and  w_i >= 0,
//     or  lower_i <= z_i <= upper_i  and  w_i = 0,
//     or  z_i = upper_i  and  w_i <= 0.
// Without bounds this is a system of equations; lower = 0, upper = infinity everywhere is a
// nonlinear complementarity problem (NCP). F is evaluated between the bounds only.
//
//     cn_ncp p = cn_ncp_default(n);
//     p.lower = lower; p.upper = upper; p.value = F; p.gradient = dF; p.user = data;
//     cn_ncp_check(&p, z, scratch, &error);              // once: is dF the derivative of F?
//     cn_ncp_solve(&p, &opts, scratch, z, w, &report, &error); // cairn/solve.h
#ifndef CAIRN_NCP_H
#define CAIRN_NCP_H

#include <cairn/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cn_ncp {
    const char *name; // for messages; may be NULL
    int32_t n;
    const double *lower, *upper; // n each; NULL: no bounds on that side
    void *user;
    // w := F(z). false: F is not defined there, or not finite; a solver then takes a shorter step.
    bool (*value)(void *user, const double *z, double *w);
    // Entries of dF_i/dz_j in the order of the pattern. NULL: by differences, one more evaluation
    // of F per group of columns without a common row.
    bool (*gradient)(void *user, const double *z, double *entries);
    // The pattern of the Jacobian, n x n; its values are not used. start NULL: dense, by rows.
    cn_csr pattern;
} cn_ncp;

CN_API cn_ncp cn_ncp_default(int32_t n);

// Sizes, bounds and pattern in order, F defined and finite at z brought between its bounds, and
// every entry of the Jacobian there equal to the central difference of F, none missing in the
// pattern. error names row, column and both values. error may be NULL.
CN_API cn_status cn_ncp_check(const cn_ncp *p, const double *z, cn_arena *scratch, cn_error *error);

// The independent checker. The three residuals are all |z - mid(lower, z - F(z), upper)| in the
// Euclidean norm, absolute; worst is the index of the largest entry, cone_violation the largest
// violation of a bound, open counts the unknowns at a bound, stick those between. Everything is
// infinite where F is not defined.
CN_API cn_status cn_ncp_grade(const cn_ncp *p, const double *z, cn_arena *scratch, cn_grade *grade);

#ifdef __cplusplus
}
#endif
#endif
