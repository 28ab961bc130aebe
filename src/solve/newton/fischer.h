// solve/newton/fischer.h
// What Newton's methods for mixed complementarity problems share: the Fischer-Burmeister merit with
// bounds, and a pattern for matrices to whose diagonal something is added.
#ifndef CAIRN_SOLVE_NEWTON_FISCHER_H
#define CAIRN_SOLVE_NEWTON_FISCHER_H

#include <cairn/mcp.h>

// Half the square of |phi(z, w)|, where each entry vanishes exactly at a solution (Billups 1995),
//     f(a, b) = a + b - sqrt(a^2 + b^2)
//     free  w     below  f(z - l, w)     above  -f(u - z, -w)     box  f(z - l, -f(u - z, -w)).
// phi, dz >= 0 and dw >= 0, its derivatives, n each; all three NULL: not wanted. Only n and the
// bounds of p are read.
double newton_fischer_merit(const cn_mcp *p, const double *z, const double *w, double *phi,
                            double *dz, double *dw);

// out: the pattern of M with its whole diagonal, values 0. source: of an entry of out, its place in
// M or -1; diagonal: of a row, the place of its diagonal in out. All from memory.
cn_status newton_whole_diagonal(const cn_csr *M, cn_arena *memory, cn_csr *out, int64_t **source,
                                int64_t **diagonal);

#endif
