// cairn/eliminate.h
// Bilateral joint rows condensed out of a friction problem, so that solvers of contacts alone can
// be used with joints.
//
//     cn_eliminated *e;
//     cn_friction_eliminate(problem, memory, &e, NULL);
//     cn_friction_solve(cn_eliminated_contacts(e), solver, &opts, scratch, own, u, &report, NULL);
//     cn_eliminated_recover(e, own, r);
//
// or all of it, graded as a whole: cn_friction_solve_eliminated.
#ifndef CAIRN_ELIMINATE_H
#define CAIRN_ELIMINATE_H

#include <cairn/solve.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cn_eliminated cn_eliminated;

// p must outlive *out, which lives in memory. Redundant rows are allowed. CN_ERR_UNSUPPORTED: p has
// no joint rows, or some with finite bounds (limits, motors), or a body space of another shape than
// two rigid bodies a block.
CN_API cn_status cn_friction_eliminate(const cn_friction *p, cn_arena *memory, cn_eliminated **out,
                                       cn_error *error);
// The contacts alone, in the order of p: assembled W' = W_cc - W_cj W_jj^+ W_jc and its q', mu.
CN_API const cn_friction *cn_eliminated_contacts(const cn_eliminated *e);
// What the joint rows leave of their own equations, relative: round-off, unless they contradict
// each other.
CN_API double cn_eliminated_residual(const cn_eliminated *e);
// r of p from that of the contacts.
CN_API void cn_eliminated_recover(cn_eliminated *e, const double *r_contacts, double *r);
// The contacts' part of r.
CN_API void cn_eliminated_restrict(const cn_eliminated *e, const double *r, double *r_contacts);

// cn_friction_solve with the joints eliminated first: any solver of assembled problems. The report
// is about p as a whole, its iterations those of the solver.
CN_API cn_status cn_friction_solve_eliminated(const cn_friction *p,
                                              const cn_friction_solver *solver,
                                              const cn_solve_opts *opts, cn_arena *scratch,
                                              double *r, double *u, cn_solve_report *report,
                                              cn_error *error);

#ifdef __cplusplus
}
#endif
#endif
