// cairn/mcp.h
// Mixed complementarity problems, affine with bounds: the data, the checker and a generator.
//
// Given M (n x n), q and lower <= upper (infinite where there is no bound), find z, w = M z + q:
//     z_i = lower_i  and  w_i >= 0,
//     or  lower_i <= z_i <= upper_i  and  w_i = 0,
//     or  z_i = upper_i  and  w_i <= 0.
// A row without bounds is an equation of a free unknown; lower = 0, upper = infinity everywhere is
// a linear complementarity problem; lower = -infinity or 0 and upper = infinity a mixed one.
#ifndef CAIRN_MCP_H
#define CAIRN_MCP_H

#include <cairn/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cn_mcp {
    int32_t n;
    cn_csr M; // n x n
    double *q;
    double *lower, *upper; // lower < infinity, upper > -infinity, lower <= upper
} cn_mcp;

// Sizes agree, every number of M and q finite, bounds in order. error may be NULL.
CN_API cn_status cn_mcp_validate(const cn_mcp *p, cn_error *error);

// Whether p is an LCP as it stands; *out then shares its arrays.
CN_API bool cn_mcp_as_lcp(const cn_mcp *p, cn_lcp *out);
// An LCP as a mixed problem: M and q are shared, the bounds go to memory.
CN_API cn_status cn_mcp_from_lcp(const cn_lcp *p, cn_arena *memory, cn_mcp *out, cn_error *error);

// The independent checker. The three residuals are all |z - mid(lower, z - w, upper)| / |q|, which
// for an LCP is |min(z, w)| / |q|; cone_violation is that of the bounds, dual_violation that of the
// sign of w; open counts the unknowns at a bound, stick those between.
CN_API cn_status cn_mcp_grade(const cn_mcp *p, const double *z, cn_arena *scratch, cn_grade *grade);

// A problem whose solution is chosen first: M = A (I + skew K) A' as in cn_planted_lcp, by turns
// free unknowns, bounded below, above and on both sides. opts: contacts is n; open is the share of
// the bounded unknowns that lie at a bound. *z: the solution, in memory.
CN_API cn_status cn_planted_mcp(const cn_planted_opts *opts, cn_arena *memory, cn_mcp *out,
                                double **z, cn_error *error);

#ifdef __cplusplus
}
#endif
#endif
