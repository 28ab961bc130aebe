// solve/gauss_seidel/sweep.h
// One Gauss-Seidel sweep over the contacts, for either operator: each contact is solved by itself
// while the others are held, in index order or by a plan, so that nothing but the problem decides
// the answer.
#ifndef CAIRN_SOLVE_GAUSS_SEIDEL_SWEEP_H
#define CAIRN_SOLVE_GAUSS_SEIDEL_SWEEP_H

#include "solve/drivers/natural_map.h"
#include "solve/gauss_seidel/body_pack.h"
#include "solve/local/local.h"
#include "solve/sweep_manifolds/manifolds.h"
#include "solve/sweep_spheres/spheres.h"

typedef enum cn_sweep_kind {
    CN_SWEEP_ANY,      // the operator as it is
    CN_SWEEP_BALLS,    // spheres and disks, in packets
    CN_SWEEP_MANIFOLDS // rigid bodies of any shape, in packets
} cn_sweep_kind;

typedef struct cn_sweep cn_sweep;
typedef void cn_sweep_fn(cn_sweep *sweep, void *x);
typedef void cn_visit_fn(cn_sweep *sweep, int32_t a, double *x);

// What a sweep does besides visiting every contact once by index. Packets do none of it.
typedef struct cn_sweep_plan {
    double relaxation; // omega
    bool varies;       // the caller will change cn_sweep.relaxation between runs
    bool symmetric;    // forward, then backward
    int32_t inner;     // most inner sweeps over the contacts of one pair of bodies; 0: one by one
    bool single;       // spheres and disks in single precision
    bool rigid_single; // bodies of other shapes in single precision
    cn_packets_kept *kept; // a choice of packets that may still hold; NULL: none
} cn_sweep_plan;

// An iterate x holds the impulses as the sweep likes them: in contact axes as they come, or in
// packets, there in single precision too. Mixtures of iterates are iterates.
struct cn_sweep {
    const cn_friction *p;
    int64_t size;       // numbers in an iterate
    bool single;        // they are of single precision, not double
    float *weight;      // trace(W_aa) / dim of the contact that each number is of; NULL until taken
    cn_sweep_fn *run;   // x := one sweep from x; use cn_sweep_run
    cn_local_fn *local; // 3D
    bool fast;          // local is the hybrid chain, whose first link is inlined
    double relaxation;  // r := r_old + relaxation (answer - r_old), back into the cone when it is
                        // over 1
    cn_local_block *block; // 3D: a contact's own block, made ready
    double *q;             // q with room for a wide load past its end
    double *slip;          // last slip multiplier of a contact
    cn_body_pack pack;     // body space, two rigid bodies a contact
    double *v;             // body space: M^-1 H r, carried along
    cn_sweep_kind kind;
    cn_balls balls;         // of the kind named so
    cn_manifolds manifolds; //
    cn_natural_unit unit;   // of the scaled measure
    double floor;           // what round-off may have made of the last scaled error, of singles
    double *r, *u;          // impulses and velocities in contact axes, for the other measures of
                            // doubles
    const cn_env *env;      // whose threads work
    cn_sweep_plan plan;
    cn_visit_fn *visit;     // of a plan: one contact solved
    int32_t *order, *first; // block b of a plan: contacts order[first[b]] .. order[first[b+1] - 1]
    int32_t blocks;         //
    int32_t unusable;       // contacts without normal stiffness, left as they are
};

// p and local must outlive the sweep; its arrays come from scratch.
cn_status cn_sweep_prepare(const cn_friction *p, const cn_local_solver *local, double relaxation,
                           cn_arena *scratch, cn_sweep *sweep);
cn_status cn_sweep_prepare_plan(const cn_friction *p, const cn_local_solver *local,
                                const cn_sweep_plan *plan, cn_arena *scratch, cn_sweep *sweep);
// For an acceleration: the weights, which a sweep does without.
cn_status cn_sweep_take_weights(cn_sweep *sweep, cn_arena *scratch);
// From singles to doubles; iterates of before are of another precision.
cn_status cn_sweep_widen(cn_sweep *sweep, cn_arena *scratch);
// An iterate needs room for CN_SWEEP_PAD numbers more than size; they are read but not used.
#define CN_SWEEP_PAD 4
size_t cn_sweep_bytes(const cn_sweep *sweep); // of an iterate without them
void cn_sweep_load(const cn_sweep *sweep, const double *r, void *x);
void cn_sweep_store(const cn_sweep *sweep, const void *x, double *r);
// count sweeps from x; 0 only makes x known.
void cn_sweep_run(cn_sweep *sweep, void *x, int32_t count);
// The same where x is as the last run left it.
void cn_sweep_go_on(cn_sweep *sweep, void *x, int32_t count);
// Sweeps with momentum: to := one sweep from x + share (x - to), where x is the iterate of the last
// run or glide. They begin with to the same as x. The largest share that does more good than harm;
// 0: there are no such sweeps.
double cn_sweep_most_momentum(const cn_sweep *sweep);
// Whether such sweeps can also go forth and back as one (returns), which bears more momentum: the
// errors that such a pair leaves do not swing.
bool cn_sweep_can_return(const cn_sweep *sweep);
// The most contacts on the shortest way of a body to what is static, where they can.
cn_status cn_sweep_depth(const cn_sweep *sweep, cn_arena *scratch, int32_t *depth);
void cn_sweep_start_gliding(cn_sweep *sweep);
void cn_sweep_glide(cn_sweep *sweep, double share, bool returns, const void *x, void *to);
// The velocities anew, of x and of the iterate before it, so that nothing drifts.
void cn_sweep_freshen(cn_sweep *sweep, const void *x, const void *before);
// The error of the x of the last run, as cn_natural_error has it; of singles, in singles, the
// scaled one only.
double cn_sweep_error(cn_sweep *sweep, cn_measure measure, const void *x);
// The scaled error of r, in doubles whatever the sweep's. Scratch is given back.
cn_status cn_sweep_error_of(const cn_sweep *sweep, const double *r, cn_arena *scratch,
                            double *error);
// Multiplications' worth of one visit to every contact, by counts that were measured once and hold
// on any machine.
double cn_sweep_cost(const cn_sweep *sweep);
// Takes the code for any processor instead of the one chosen for this; the bits are the same.
void cn_sweep_use_plain(cn_sweep *sweep);

#endif
