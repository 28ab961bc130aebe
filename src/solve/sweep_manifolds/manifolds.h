// solve/sweep_manifolds/manifolds.h
// The sweep for rigid bodies of any shape in body space. The points of a pair of bodies are a
// manifold: its bodies' velocities are fetched once, its points are solved one after the other.
// A batch holds a manifold a lane. With lever arms a, b and directions n, t, s = n x t,
//     u = (n, t, s)' (v_B + omega_B x b - v_A - omega_A x a) + q,
// and the local problem is the secular equation of solve/local/local_secular.h. 232 bytes a point,
// 116 in single precision. 2D is the plane z = 0.
#ifndef CAIRN_SOLVE_SWEEP_MANIFOLDS_MANIFOLDS_H
#define CAIRN_SOLVE_SWEEP_MANIFOLDS_MANIFOLDS_H

#include "solve/gauss_seidel/batches.h"
#include "solve/gauss_seidel/scaling.h"
#include "solve/gauss_seidel/sweep_ops.h"

// Of a body: v, 0, omega, 0. Behind the bodies every unit of the batches has a record of its own
// for what is static.
#define GS_RIGID_RECORD 8
#define GS_MANIFOLD_POINTS 4 // of a lane; longer manifolds go on in another batch

// Rows of GS_BATCH lanes. The block is on the tangent plane (solve/local/local.h), symmetric:
// 1/W_NN, W_NT/W_NN, S; rho = dim / trace(W_aa).
#define GS_RIGID_POINT(real)                                                                       \
    {                                                                                              \
        real n[3][GS_BATCH], t[3][GS_BATCH];                                                       \
        real arm_a[3][GS_BATCH], arm_b[3][GS_BATCH];                                               \
        real q[3][GS_BATCH];                                                                       \
        real mu[GS_BATCH];                                                                         \
        real inv_nn[GS_BATCH], nt[2][GS_BATCH], S[3][GS_BATCH];                                    \
        real rho[GS_BATCH];                                                                        \
    }

// a, b: GS_RIGID_RECORD times the body. Inverse inertias: xx xy xz yy yz zz.
#define GS_MANIFOLD_BATCH(real)                                                                    \
    {                                                                                              \
        int32_t a[GS_BATCH], b[GS_BATCH];                                                          \
        real inv_mass_a[GS_BATCH], inv_mass_b[GS_BATCH];                                           \
        real inv_inertia_a[6][GS_BATCH], inv_inertia_b[6][GS_BATCH];                               \
    }

typedef struct gs_rigid_point GS_RIGID_POINT(double) gs_rigid_point;
typedef struct gs_manifold_batch GS_MANIFOLD_BATCH(double) gs_manifold_batch;
typedef struct gs_rigid_point_float GS_RIGID_POINT(float) gs_rigid_point_float;
typedef struct gs_manifold_batch_float GS_MANIFOLD_BATCH(float) gs_manifold_batch_float;

// The points of a batch.
typedef struct gs_manifold_span {
    int64_t first;
    int32_t points; // 0: an unused batch
} gs_manifold_span;

#define GS_POINT_IMPULSES (3 * GS_BATCH) // of a point, x[3][GS_BATCH], in contact axes

// Numbers are doubles, or floats in units of the problem's own (solve/gauss_seidel/scaling.h), of
// half the size: batches, points, slip, bodies and iterates.
typedef struct gs_manifolds {
    const cn_friction *p;
    bool single; // precision
    const struct gs_manifold_kernel *kernel;
    int32_t bodies;
    gs_batches batches;
    gs_manifold_span *span; // of each batch
    void *batch;
    int64_t points; // of all batches
    void *point;
    int64_t *place;                // of each contact's first number in an iterate
    void *slip;                    // last slip multiplier, GS_BATCH a point
    void *body;                    // records, bodies + batches.units
    void *former;                  // those of the iterate before, where sweeps have momentum
    struct gs_manifold_list *list; // what the batches are made from
    gs_units units;                // 1 where numbers are doubles
} gs_manifolds;

// What a kernel does with count batches from the first in one precision, for one kind of processor.
// x: numbers of that precision.
typedef struct gs_manifold_kernel {
    size_t number, batch, point; // bytes
    // x := one sweep from x; the bodies' velocities are those of x, before and after.
    void (*sweep)(gs_manifolds *manifolds, int32_t first, int32_t count, void *x);
    // The same in the reverse order.
    void (*sweep_back)(gs_manifolds *manifolds, int32_t first, int32_t count, void *x);
    // Numbers first .. end - 1: to := from + share (from - to).
    void (*beyond)(double share, int64_t first, int64_t end, const void *from, void *to);
    // Adds the velocities that x gives the bodies.
    void (*push)(gs_manifolds *manifolds, int32_t first, int32_t count, const void *x);
    // Summed lane by lane.
    gs_error_sums (*error)(const gs_manifolds *manifolds, int32_t first, int32_t count,
                           const void *x);
} gs_manifold_kernel;

// Portable, and for wider registers; NULL: not on this processor. Bitwise identical.
extern const gs_manifold_kernel gs_manifold_kernel_portable, gs_manifold_kernel_float;
const gs_manifold_kernel *gs_manifold_kernel_avx2(void), *gs_manifold_kernel_avx512(void);
const gs_manifold_kernel *gs_manifold_kernel_float_avx2(void),
    *gs_manifold_kernel_float_avx512(void);

// Fit an operator of points, or in body space with H in which they are recognised, where the masses
// are 1/m and an inverse inertia, and every contact's block is regular and without the chance of
// several solutions.
extern const gs_sweep_ops gs_sweep_manifolds, gs_sweep_manifolds_float;

#endif
