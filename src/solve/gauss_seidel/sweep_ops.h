// solve/gauss_seidel/sweep_ops.h
// What a Gauss-Seidel sweep is made of: one row of functions per kind of element (the operator as
// it is, spheres and disks, manifolds of rigid bodies) and precision. solve/gauss_seidel/sweep.c
// calls them once per sweep or evaluation, never per contact.
//
// An iterate x holds the impulses as the elements store them: in contact axes as they come, or in
// SIMD batches, there in single precision too. To add a kind of element: one row, and its name in
// gs_sweep_prepare_plan.
#ifndef CAIRN_SOLVE_GAUSS_SEIDEL_SWEEP_OPS_H
#define CAIRN_SOLVE_GAUSS_SEIDEL_SWEEP_OPS_H

#include <cairn/solve.h>

typedef enum gs_sweep_kind {
    GS_SWEEP_ANY,      // the operator as it is
    GS_SWEEP_SPHERES,  // spheres and disks, in batches
    GS_SWEEP_MANIFOLDS // rigid bodies of any shape, in batches
} gs_sweep_kind;

typedef struct gs_sweep gs_sweep;
typedef struct gs_sweep_ops gs_sweep_ops;

// Squares of |e| of the natural map with rho = dim/trace(W_aa), of |x|, and of |x/rho|, the scale
// of the velocities that impulses give.
typedef struct gs_error_sums {
    double error, force, moved;
} gs_error_sums;

// elements: what build made. Functions that are NULL are things that these elements cannot do.
struct gs_sweep_ops {
    gs_sweep_kind kind;
    bool granular;           // spheres or disks alone, which jam and keep rearranging
    bool single;             // an iterate holds floats, not doubles
    double contact_cost;     // multiplications' worth of a contact and sweep,
    bool reads_operator;     // beside reading the operator
    double momentum_max;     // largest momentum that does more good than harm; 0: none
    bool symmetric_momentum; // a forward and a backward sweep can be one step with momentum: its
                             // error does not oscillate, so that it bears more momentum
    // Sets elements and size of the sweep. *fits: the problem is of this kind; otherwise nothing is
    // built. Arrays come from scratch.
    cn_status (*build)(gs_sweep *sweep, cn_arena *scratch, bool *fits);
    // The row of double precision, and its elements from those of single precision.
    const gs_sweep_ops *wide;
    cn_status (*widen)(void *elements, cn_arena *scratch);
    // The portable kernels instead of those chosen for this processor; bitwise the same results.
    void (*use_portable)(void *elements);
    // r := r_old + omega (local answer - r_old) from now on.
    void (*relax)(void *elements, double omega);
    // Between impulses in contact axes and an iterate. What is stored from single precision is
    // projected onto its cone.
    void (*load)(const void *elements, const double *r, void *x);
    void (*store)(const void *elements, const void *x, double *r);
    // trace(W_aa) / dim of the contact that each number of an iterate is of; 1 in unused lanes.
    void (*weights)(const void *elements, float *weight);
    // The bodies' velocities recomputed from x, so that round-off does not accumulate.
    void (*begin)(void *elements, const void *x);
    // x := one sweep from x, of which the bodies have the velocities, before and after.
    void (*sweep)(void *elements, void *x);
    // A sweep with momentum: to := one sweep, or a forward and a backward one, from
    // x + momentum (x - to). The bodies have the velocities of x before and of to after. Such
    // sweeps start with to the same as x and begin_momentum.
    void (*begin_momentum)(void *elements);
    void (*momentum_sweep)(void *elements, double momentum, bool symmetric, const void *x,
                           void *to);
    // The velocities recomputed from x and from the iterate before it. Both: the error of only one
    // of them would grow tenfold each time.
    void (*refresh)(void *elements, const void *x, const void *before);
    // The sums of the x of the last sweep in SI units, `moved` as a velocity. NULL: the residual is
    // that of r and u.
    gs_error_sums (*error)(const void *elements, const void *x);
    // u of the x of the last sweep, which is r in contact axes. NULL: by the operator.
    void (*velocity)(const void *elements, const double *r, double *u);
    // The most elements on the shortest path from a body to what is static.
    cn_status (*depth)(const void *elements, cn_arena *scratch, int32_t *depth);
};

extern const gs_sweep_ops gs_sweep_general; // of any problem

#endif
