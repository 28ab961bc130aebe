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
typedef struct cn_sweep_plan {
    double relaxation; // omega
    bool varies;       // the caller will change omega between runs
    bool symmetric;    // forward, then backward
    int32_t inner;     // most inner sweeps over the contacts of one pair of bodies; 0: one by one
    bool single;       // spheres and disks in single precision
    bool rigid_single; // bodies of other shapes in single precision
    cn_batches_cache *cache; // a choice of batches that may still hold; NULL: none
} cn_sweep_plan;

// Linear combinations of iterates are iterates.
struct cn_sweep {
    const cn_friction *p;
    const cn_local_solver *local;
    const gs_sweep_ops *ops;
    void *elements;       // of the ops
    int64_t size;         // numbers in an iterate
    float *weight;        // as ops->weights has it; NULL until taken
    cn_natural_unit unit; // of the scaled measure
    double floor;         // what round-off may have made of the last scaled error, in floats
    double *r, *u;        // impulses and velocities in contact axes, of doubles
    double *v;            // velocities of the bodies and CN_SWEEP_SPARE zeros, of doubles
    const cn_env *env;    // whose threads work
    cn_sweep_plan plan;
    int32_t unusable; // contacts without normal stiffness, left as they are
};

#define CN_SWEEP_SPARE 8 // velocities behind the last body, always zero

// Whether contacts are visited in another way than once each, by index.
bool cn_sweep_is_planned(const cn_sweep_plan *plan);
// p and local must outlive the sweep; its arrays come from scratch.
cn_status cn_sweep_prepare(const cn_friction *p, const cn_local_solver *local, double relaxation,
                           cn_arena *scratch, cn_sweep *sweep);
cn_status cn_sweep_prepare_plan(const cn_friction *p, const cn_local_solver *local,
                                const cn_sweep_plan *plan, cn_arena *scratch, cn_sweep *sweep);
// For an acceleration: the weights, which a sweep does without.
cn_status cn_sweep_take_weights(cn_sweep *sweep, cn_arena *scratch);
// From single to double precision; iterates of before are of another precision.
cn_status cn_sweep_widen(cn_sweep *sweep, cn_arena *scratch);
// Another omega, of a sweep that was prepared for it.
void cn_sweep_relax(cn_sweep *sweep, double omega);
// An iterate needs room for CN_SWEEP_PAD numbers more than size; they are read but not used.
#define CN_SWEEP_PAD 4
size_t cn_sweep_bytes(const cn_sweep *sweep); // of an iterate without them
void cn_sweep_load(const cn_sweep *sweep, const double *r, void *x);
void cn_sweep_store(const cn_sweep *sweep, const void *x, double *r);
// count sweeps from x; 0 only makes x known.
void cn_sweep_run(cn_sweep *sweep, void *x, int32_t count);
// The same where x is as the last run left it.
void cn_sweep_go_on(cn_sweep *sweep, void *x, int32_t count);
// Sweeps with momentum: to := one sweep from x + momentum (x - to), where x is the iterate of the
// last run or momentum sweep. They begin with to the same as x. symmetric: a forward and a backward
// sweep, where ops->symmetric_momentum says that there are such.
void cn_sweep_begin_momentum(cn_sweep *sweep);
void cn_sweep_momentum(cn_sweep *sweep, double momentum, bool symmetric, const void *x, void *to);
// The velocities recomputed from x and from the iterate before it, so that nothing drifts.
void cn_sweep_refresh(cn_sweep *sweep, const void *x, const void *before);
// The most contacts on the shortest path from a body to what is static, where ops->depth is.
cn_status cn_sweep_depth(const cn_sweep *sweep, cn_arena *scratch, int32_t *depth);
// The error of the x of the last run, as cn_natural_error has it; of floats, in floats, the scaled
// one only.
double cn_sweep_error(cn_sweep *sweep, cn_measure measure, const void *x);
// The scaled error of r, in doubles whatever the sweep's. Scratch is given back.
cn_status cn_sweep_error_of(const cn_sweep *sweep, const double *r, cn_arena *scratch,
                            double *error);
// Multiplications' worth of one visit to every contact, by counts that were measured once and hold
// on any machine.
double cn_sweep_cost(const cn_sweep *sweep);
// Takes the portable code instead of the one chosen for this processor; bitwise the same results.
void cn_sweep_use_portable(cn_sweep *sweep);

#endif
