// solve/sweep.h
// One Gauss-Seidel sweep over the contacts, for either operator: each contact is solved by itself
// while the others are held, in index order, so that nothing but the problem decides the answer.
#ifndef CAIRN_SOLVE_SWEEP_H
#define CAIRN_SOLVE_SWEEP_H

#include "solve/body_pack.h"
#include "solve/local.h"

typedef struct cn_sweep cn_sweep;
typedef void cn_sweep_fn(cn_sweep *sweep, double *r);

struct cn_sweep {
    const cn_friction *p;
    cn_sweep_fn *run;   // r := one sweep from r; use cn_sweep_run
    cn_local_fn *local; // 3D
    bool fast;          // local is the hybrid chain, whose first link is inlined
    double relaxation;  // r := r_old + relaxation (answer - r_old), back into the cone when it is
                        // over 1
    cn_local_block *block; // 3D: a contact's own block, made ready
    double *q;             // q with room for a wide load past its end
    double *slip;          // last slip multiplier of a contact
    cn_body_pack pack;     // body space, two rigid bodies a contact
    double *v;             // body space: M^-1 H r, carried along
    int32_t unusable;      // contacts without normal stiffness, left as they are
};

// p and local must outlive the sweep; its arrays come from scratch.
cn_status cn_sweep_prepare(const cn_friction *p, const cn_local_solver *local, double relaxation,
                           cn_arena *scratch, cn_sweep *sweep);
// count sweeps from r; 0 only makes r known. r must have CN_SWEEP_PAD readable doubles past its dim
// * contacts; they are not used.
#define CN_SWEEP_PAD 4
void cn_sweep_run(cn_sweep *sweep, double *r, int32_t count);
// Takes the code for any processor instead of the one chosen for this; the bits are the same.
void cn_sweep_use_plain(cn_sweep *sweep);
// u = W r + q for the r of the last run.
void cn_sweep_velocity(const cn_sweep *sweep, const double *r, double *u);

#endif
