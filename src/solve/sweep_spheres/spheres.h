// solve/sweep_spheres/spheres.h
// The sweep for spheres and disks in body space. Every lever arm lies along the normal, R long, and
// every inertia is isotropic, so
//     u = v_B - v_A - (R_A omega_A + R_B omega_B) x n + q,   W_aa = diag(w_N, w_T, w_T),
//     w_N = 1/m_A + 1/m_B,   w_T = w_N + R_A^2/I_A + R_B^2/I_B,
// and the local problem has a closed form. Vectors are kept in world axes, 2D as z = 0, so there
// are no tangents to store.
//
// Numbers are double or single: 120 bytes per contact and 64 per body, or 64 and 32, where the
// operator has 1152. They are in units of the problem's own (solve/gauss_seidel/scaling.h).
#ifndef CAIRN_SOLVE_SWEEP_SPHERES_SPHERES_H
#define CAIRN_SOLVE_SWEEP_SPHERES_SPHERES_H

#include "solve/gauss_seidel/batches.h"
#include "solve/gauss_seidel/scaling.h"
#include "solve/gauss_seidel/sweep_ops.h"

// A body's record: v, 1/m, omega, 1/I. Behind them every unit of the batches has a record of its
// own for what is static and never moves; unused lanes are there too.
#define GS_SPHERE_RECORD 8

// Normal from A to B, q in world axes, R, and GS_SPHERE_RECORD times the body.
#define GS_SPHERE_BATCH(real)                                                                      \
    {                                                                                              \
        real n[3][GS_BATCH], q[3][GS_BATCH];                                                       \
        real mu[GS_BATCH], inv_wn[GS_BATCH], inv_wt[GS_BATCH];                                     \
        real arm_a[GS_BATCH], arm_b[GS_BATCH];                                                     \
        int32_t a[GS_BATCH], b[GS_BATCH];                                                          \
    }

#define GS_SPHERE_IMPULSES (3 * GS_BATCH) // of a batch, x[3][GS_BATCH], in world axes

// What a lane of a batch is filled with.
typedef struct gs_sphere_contact {
    double n[3], q[3], mu, inv_wn, inv_wt, arm[2];
    int32_t body[2];
} gs_sphere_contact;

// What is done with the batches in one precision, for one kind of processor. batch, x and body
// hold numbers of that precision.
typedef struct gs_sphere_kernel {
    size_t number, batch; // bytes
    // A body's record, at rest; then all of them at rest.
    void (*record)(int32_t body, double inv_mass, double inv_inertia, void *records);
    void (*still)(int32_t bodies, void *records);
    // Batches of unused lanes at that body; a contact in its lane; its impulse in and out of x.
    void (*idle)(int32_t batches, int32_t body, void *first);
    void (*put)(const gs_sphere_contact *contact, int32_t slot, void *batches);
    void (*load)(const double impulse[3], int64_t place, void *x);
    void (*store)(const void *x, int64_t place, double impulse[3]);
    // x := one sweep from x; the bodies' velocities are those of x, before and after.
    void (*sweep)(int32_t batches, const void *first, void *x, void *records);
    // to := one sweep from x + share (x - to), whose velocities the bodies have before; after it,
    // those of to.
    void (*momentum)(int32_t batches, const void *first, double share, const void *x, void *to,
                     void *records);
    // Velocities v := v + share (v - former), and former := v as it was.
    void (*drift)(int32_t bodies, double share, void *records, void *former);
    // Adds the velocities that x gives the bodies.
    void (*push)(int32_t batches, const void *first, const void *x, void *records);
    gs_error_sums (*error)(int32_t batches, const void *first, int32_t dim, const void *x,
                           const void *records);
} gs_sphere_kernel;

// Portable, and for wider registers; NULL: not on this processor. Bitwise identical.
extern const gs_sphere_kernel gs_sphere_kernel_portable, gs_sphere_kernel_float;
const gs_sphere_kernel *gs_sphere_kernel_avx2(void), *gs_sphere_kernel_avx512(void);
const gs_sphere_kernel *gs_sphere_kernel_float_avx2(void), *gs_sphere_kernel_float_avx512(void);

typedef struct gs_spheres {
    const cn_friction *p;
    bool single; // precision
    const gs_sphere_kernel *kernel;
    int32_t bodies;
    gs_batches batches;
    void *batch;
    void *body;   // records, bodies + batches.units
    void *former; // those of the iterate before, where sweeps have momentum
    // Of an operator that does not say itself that it is one of spheres: its contacts' bodies
    // (bodies and above: static) and arms, two each, and 1/m, 1/I of every body. Else NULL.
    int32_t *pair;
    double *arm, *inv_mass;
    gs_units units;
} gs_spheres;

// Fit an operator of spheres or disks, whether it says itself that it is one or not.
extern const gs_sweep_ops gs_sweep_spheres, gs_sweep_spheres_float;

#endif
