// solve/gauss_seidel/sweep.h
// One Gauss-Seidel sweep over the contacts, for every operator: each contact is solved by itself
// while the others are held, in index order or by a plan, so that nothing but the problem decides
// the answer.
#ifndef CAIRN_SOLVE_GAUSS_SEIDEL_SWEEP_H
#define CAIRN_SOLVE_GAUSS_SEIDEL_SWEEP_H

#include "solve/drivers/natural_map.h"
#include "solve/gauss_seidel/batches.h"
#include "solve/gauss_seidel/sweep_ops.h"

// What a sweep does besides visiting every contact once by index. Batches do none of it.
typedef struct gs_sweep_plan {
    double relaxation; // omega
    bool varies;       // the caller will change omega between runs
    bool symmetric;    // forward, then backward
    int32_t inner;     // most inner sweeps over the contacts of one pair of bodies; 0: one by one
    bool single;       // spheres and disks in single precision
    bool rigid_single; // bodies of other shapes in single precision
    gs_batches_cache *cache; // a choice of batches that may still hold; NULL: none
} gs_sweep_plan;

// Linear combinations of iterates are iterates.
struct gs_sweep {
    const cn_friction *p;
    const cn_local_solver *local;
    const gs_sweep_ops *ops;
    void *elements;          // of the ops
    int64_t size;            // numbers in an iterate
    float *weight;           // as ops->weights has it; NULL until taken
    solve_natural_unit unit; // of the scaled measure
    double floor;            // what round-off may have made of the last scaled error, in floats
    double *r, *u;           // impulses and velocities in contact axes, of doubles
    double *v;               // velocities of the bodies and GS_SWEEP_SPARE zeros, of doubles
    const cn_env *env;       // whose threads work
    gs_sweep_plan plan;
    int32_t unusable; // contacts without normal stiffness, left as they are
};

#define GS_SWEEP_SPARE 8 // velocities behind the last body, always zero

// Whether contacts are visited in another way than once each, by index.
bool gs_sweep_is_planned(const gs_sweep_plan *plan);
// p and local must outlive the sweep; its arrays come from scratch.
cn_status gs_sweep_prepare(const cn_friction *p, const cn_local_solver *local, double relaxation,
                           cn_arena *scratch, gs_sweep *sweep);
cn_status gs_sweep_prepare_plan(const cn_friction *p, const cn_local_solver *local,
                                const gs_sweep_plan *plan, cn_arena *scratch, gs_sweep *sweep);
// For an acceleration: the weights, which a sweep does without.
cn_status gs_sweep_take_weights(gs_sweep *sweep, cn_arena *scratch);
// From single to double precision; iterates of before are of another precision.
cn_status gs_sweep_widen(gs_sweep *sweep, cn_arena *scratch);
// Another omega, of a sweep that was prepared for it.
void gs_sweep_relax(gs_sweep *sweep, double omega);
// An iterate needs room for GS_SWEEP_PAD numbers more than size; they are read but not used.
#define GS_SWEEP_PAD 4
size_t gs_sweep_bytes(const gs_sweep *sweep); // of an iterate without them
void gs_sweep_load(const gs_sweep *sweep, const double *r, void *x);
void gs_sweep_store(const gs_sweep *sweep, const void *x, double *r);
// count sweeps from x; 0 only makes x known.
void gs_sweep_run(gs_sweep *sweep, void *x, int32_t count);
// The same where x is as the last run left it.
void gs_sweep_go_on(gs_sweep *sweep, void *x, int32_t count);
// Sweeps with momentum: to := one sweep from x + momentum (x - to), where x is the iterate of the
// last run or momentum sweep. They begin with to the same as x. symmetric: a forward and a backward
// sweep, where ops->symmetric_momentum says that there are such.
void gs_sweep_begin_momentum(gs_sweep *sweep);
void gs_sweep_momentum(gs_sweep *sweep, double momentum, bool symmetric, const void *x, void *to);
// The velocities recomputed from x and from the iterate before it, so that nothing drifts.
void gs_sweep_refresh(gs_sweep *sweep, const void *x, const void *before);
// The most contacts on the shortest path from a body to what is static, where ops->depth is.
cn_status gs_sweep_depth(const gs_sweep *sweep, cn_arena *scratch, int32_t *depth);
// The error of the x of the last run, as solve_natural_error has it; of floats, in floats, the scaled
// one only.
double gs_sweep_error(gs_sweep *sweep, cn_measure measure, const void *x);
// The scaled error of r, in doubles whatever the sweep's. Scratch is given back.
cn_status gs_sweep_error_of(const gs_sweep *sweep, const double *r, cn_arena *scratch,
                            double *error);
// Multiplications' worth of one visit to every contact, by counts that were measured once and hold
// on any machine.
double gs_sweep_cost(const gs_sweep *sweep);
// Takes the portable code instead of the one chosen for this processor; bitwise the same results.
void gs_sweep_use_portable(gs_sweep *sweep);

#endif
