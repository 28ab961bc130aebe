// solve/pivoting/lcp_dense.h
// An LCP as a scaled dense matrix, for the direct methods, and the way back.
//
//     M' = S M S,  q' = S q / size,  z = size S z',  w = size S^-1 w'
// with S a positive diagonal of powers of two: exact, and a congruence, so that M' is semi-definite
// or copositive where M is.
#ifndef CAIRN_SOLVE_PIVOTING_LCP_DENSE_H
#define CAIRN_SOLVE_PIVOTING_LCP_DENSE_H

#include <cairn/solve.h>

typedef struct pivot_lcp_dense {
    int32_t n;
    double *M; // n x n, by rows
    double *q;
    double *scale; // S
    double size;
} pivot_lcp_dense;

// scaled = false: S = 1 and size = 1.
cn_status pivot_lcp_dense_build(const cn_lcp *p, bool scaled, cn_arena *scratch,
                                pivot_lcp_dense *out);
// z from z'.
void pivot_lcp_dense_unscale(const pivot_lcp_dense *d, const double *inner, double *z);

// Whether a direct method has anything to do: false, and the reason in the report, where the
// problem has more than max_size unknowns or the guess z solves it. residual: that of z.
bool pivot_lcp_dense_asked(const cn_lcp *p, const cn_solve_opts *opts, int64_t max_size,
                           const double *z, double *w, double *residual, cn_solve_report *report);

// w = M z + q
void pivot_lcp_velocity(const cn_lcp *p, const double *z, double *w);

// solve_mcp_polish (solve/drivers/mcp_rows.h) of an LCP: A = { i : z_i > 0 }.
cn_status pivot_lcp_polish(const cn_lcp *p, int32_t refinements, cn_arena *scratch, double *z,
                           double *w, double *residual);

#endif
