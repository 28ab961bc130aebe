// solve/projection/convex.h
// Coulomb's law as a sequence of convex problems, for solvers that step while it goes on.
//
// With the slip term s_a held, and W symmetric,
//     min { r.W r/2 + q.r + s_a r_N : r in K }                                            (C)
// is convex, and its solution is Coulomb's where s_a = mu |u_T|. So s is taken anew from the u at
// hand as soon as (C) is solved somewhat better than the whole problem, and the method goes on from
// where it is. Reference: Cadoux (2009); De Saxce and Feng (1998) for the term.
#ifndef CAIRN_SOLVE_PROJECTION_CONVEX_H
#define CAIRN_SOLVE_PROJECTION_CONVEX_H

#include "solve/projection/first_order.h"

typedef struct proj_convex {
    cn_first_order base;
    double inner;  // s is renewed when the error of (C) is below this share of the whole error
    double *slip;  // s, one per contact
    double *r, *u; // the iterate and W r + q
    bool renewed;  // s is not that of the step before: what was learnt of (C) may be stale
} proj_convex;

#define PROJ_CONVEX_INNER                                                                          \
    "the slip term is renewed when the convex problem is solved this much better than the whole"

// r: the guess; u: the caller's, where the velocity is carried along.
cn_status proj_convex_prepare(proj_convex *s, const cn_friction *p, const cn_solve_opts *opts,
                              double inner, cn_arena *scratch, double *r, double *u,
                              cn_solve_report *report);
// proj_first_order_ends for the iterate after `step` steps; renews s where it is due.
bool proj_convex_ends(proj_convex *s, int64_t step);

// to = P_K(from - step D^-1 (u + s e_N))
void proj_convex_project(const proj_convex *s, const double *from, const double *u, double step,
                         double *to);
// (u + s e_N) . d
double proj_convex_slope(const proj_convex *s, const double *u, const double *d);

#endif
