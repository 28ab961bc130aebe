// solve/newton/newton_system.h
// The linear system of a Newton step on the contacts, for either operator. Per contact a,
//     A_a ((W + E) dr)_a + K_a dr_a = -F_a.
// Assembled: blocks A_a W_ab + K_a on the pattern of W, K := K + A E. Body space: with C = K^-1 A
// and g = -K^-1 F
// the velocities y = M^-1 H dr follow from (I + M^-1 H C H') y = M^-1 H g, on the pattern of the
// bodies that touch, whatever the number of contact points; then dr = g - C H' y. One symbolic
// analysis per problem.
#ifndef CAIRN_SOLVE_NEWTON_NEWTON_SYSTEM_H
#define CAIRN_SOLVE_NEWTON_NEWTON_SYSTEM_H

#include "solve/gauss_seidel/body_pack.h"
#include "sparse/block_lu.h"

#include <cairn/solve.h>

typedef struct newton_form newton_form;

typedef struct newton_system {
    const cn_friction *p;
    const newton_form *form; // of the matrix
    sparse_block_lu lu;
    gs_body_pack pack; // body space
    int64_t *offset;   // of each block written: one a block of W, or four a contact
    double *A, *K, *F; // to be filled: dim*dim each by rows, dim each
    double *ridge;     // NULL, or one per row, the caller's: K + A ridge is factorised for K, where
                       // K alone is too near to singular; refinement takes it out again,
    double enough, left; // until |F| of what is left is below enough; left: how much it is, or less
    const double *toward; // with a ridge: NULL, or the r that dr will be added to; what W does not
                          // feel of r + dr is then as small as the ridge makes it
    double *C, *g;        // body space
    double *inverse;      // K^-1, body space
    double *root;         // NULL, or the caller's to fill like K: R by rows with K^-1 = R'R, for K
                          // of which no entry by entry inverse is accurate in all directions
    bool keep;  // the caller's: what bilateral rows add to the matrix stays as it is, and with it
                // the factors of bodies that nothing else acts on
    bool known; // those factors are there; the caller's to put to false when the ridge is changed
    double *y;  // the system's unknowns
    double *v, *product;  // W dr, for refinement
    double *extra, *zero; // a second right-hand side; a zero q
} newton_system;

// CN_ERR_UNSUPPORTED: body space, but not two rigid bodies per contact. Everything comes from
// scratch.
cn_status newton_analyse(const cn_friction *p, cn_arena *scratch, newton_system *out);
// u = W r + q of p, which is the system's problem but for its q, by the quickest way at hand.
void newton_velocity(newton_system *s, const cn_friction *p, const double *r, double *u);
// Multiplications' worth of one Newton step, in the unit of gs_sweep_cost.
double newton_cost(const newton_system *s);
// The two halves of a step, for a system that is solved many times: the factors of A, K, false when
// it is singular; then dr from an F with them, without refinement.
bool newton_factor(newton_system *s);
void newton_backsolve(newton_system *s, const double *F, double *dr);
// The second half with iterative refinement, one step of it, or with a ridge as many as pay. F is
// spoilt: with a ridge it is what is left of the equation, unless that is less than enough.
void newton_refine(newton_system *s, double *F, double *dr);
// dr from A, K, F, with one step of iterative refinement; false when the system is singular. F is
// spoilt.
bool newton_solve(newton_system *s, double *dr);

// What the Newton methods share about a problem: scale[a] = trace(W_aa)/dim, 1 where that is not
// positive; returns the norm of q over the pressing contacts, or of all q, or 1 where that is zero.
double newton_scales(const cn_friction *p, double *scale);
// What a solver does about a failed analysis: says so in the report and returns CN_OK where the
// form of the problem is at fault, else returns the status.
cn_status newton_refuse(cn_status status, cn_solve_report *report);

#endif
