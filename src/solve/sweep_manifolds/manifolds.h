// solve/sweep_manifolds/manifolds.h
// The sweep for rigid bodies of any shape in body space. The points of a pair of bodies are a
// manifold: its bodies' velocities are fetched once, its points are solved one after the other.
// A packet holds a manifold a lane. With lever arms a, b and directions n, t, s = n x t,
//     u = (n, t, s)' (v_B + omega_B x b - v_A - omega_A x a) + q,
// and the local problem is the secular equation of solve/local/local_secular.h. 232 bytes a point,
// 116 in single precision. 2D is the plane z = 0.
#ifndef CAIRN_SOLVE_SWEEP_MANIFOLDS_MANIFOLDS_H
#define CAIRN_SOLVE_SWEEP_MANIFOLDS_MANIFOLDS_H

#include "solve/gauss_seidel/batches.h"
#include "solve/gauss_seidel/scaling.h"
#include "solve/gauss_seidel/sweep_ops.h"

// Of a body: v, 0, omega, 0. Behind the bodies every unit of the packets has a record of its own
// for what is static.
#define CN_RIGID_RECORD 8
#define CN_MANIFOLD_POINTS 4 // of a lane; longer manifolds go on in another packet

// Rows of CN_PACKET lanes. The block is on the tangent plane (solve/local/local.h), symmetric:
// 1/W_NN, W_NT/W_NN, S; rho = dim / trace(W_aa).
#define CN_RIGID_POINT(real)                                                                       \
    {                                                                                              \
        real n[3][CN_PACKET], t[3][CN_PACKET];                                                     \
        real arm_a[3][CN_PACKET], arm_b[3][CN_PACKET];                                             \
        real q[3][CN_PACKET];                                                                      \
        real mu[CN_PACKET];                                                                        \
        real inv_nn[CN_PACKET], nt[2][CN_PACKET], S[3][CN_PACKET];                                 \
        real rho[CN_PACKET];                                                                       \
    }

// a, b: CN_RIGID_RECORD times the body. Inverse inertias: xx xy xz yy yz zz.
#define CN_MANIFOLD_PACKET(real)                                                                   \
    {                                                                                              \
        int32_t a[CN_PACKET], b[CN_PACKET];                                                        \
        real inv_mass_a[CN_PACKET], inv_mass_b[CN_PACKET];                                         \
        real inv_inertia_a[6][CN_PACKET], inv_inertia_b[6][CN_PACKET];                             \
    }

typedef struct cn_rigid_point CN_RIGID_POINT(double) cn_rigid_point;
typedef struct cn_manifold_packet CN_MANIFOLD_PACKET(double) cn_manifold_packet;
typedef struct cn_rigid_point_single CN_RIGID_POINT(float) cn_rigid_point_single;
typedef struct cn_manifold_packet_single CN_MANIFOLD_PACKET(float) cn_manifold_packet_single;

// The points of a packet.
typedef struct cn_manifold_span {
    int64_t first;
    int32_t points; // 0: an empty packet
} cn_manifold_span;

#define CN_POINT_IMPULSES (3 * CN_PACKET) // of a point, x[3][CN_PACKET], in contact axes

// Numbers are doubles, or singles in units of the problem's own (solve/gauss_seidel/scaling.h), of
// half the size: packets, points, slip, bodies and iterates.
typedef struct cn_manifolds {
    const cn_friction *p;
    bool single; // precision
    const struct cn_manifold_kernel *kernel;
    int32_t bodies;
    cn_packets packets;
    cn_manifold_span *span; // of each packet
    void *packet;
    int64_t points; // of all packets
    void *point;
    int64_t *place;                // of each contact's first number in an iterate
    void *slip;                    // last slip multiplier, CN_PACKET a point
    void *body;                    // records, bodies + packets.units
    void *former;                  // those of the iterate before, where sweeps glide
    struct cn_manifold_list *list; // what the packets are made from
    cn_units units;                // 1 where numbers are doubles
} cn_manifolds;

// What a kernel does with count packets from the first in one precision, for one kind of processor.
// x: numbers of that precision.
typedef struct cn_manifold_kernel {
    size_t number, packet, point; // bytes
    // x := one sweep from x; the bodies' velocities are those of x, before and after.
    void (*sweep)(cn_manifolds *manifolds, int32_t first, int32_t count, void *x);
    // The same in the reverse order.
    void (*sweep_back)(cn_manifolds *manifolds, int32_t first, int32_t count, void *x);
    // Numbers first .. end - 1: to := from + share (from - to).
    void (*beyond)(double share, int64_t first, int64_t end, const void *from, void *to);
    // Adds the velocities that x gives the bodies.
    void (*push)(cn_manifolds *manifolds, int32_t first, int32_t count, const void *x);
    // Summed lane by lane.
    gs_error_sums (*error)(const cn_manifolds *manifolds, int32_t first, int32_t count,
                           const void *x);
} cn_manifold_kernel;

// For any processor, and for wider ones; NULL: not on this processor. The bits are the same.
extern const cn_manifold_kernel cn_manifold_kernel_plain, cn_manifold_kernel_single;
const cn_manifold_kernel *cn_manifold_kernel_avx2(void), *cn_manifold_kernel_avx512(void);
const cn_manifold_kernel *cn_manifold_kernel_single_avx2(void),
    *cn_manifold_kernel_single_avx512(void);

// Fit an operator of points, or in body space with H in which they are recognised, where the masses
// are 1/m and an inverse inertia, and every contact's block is regular and without the chance of
// several solutions.
extern const gs_sweep_ops gs_sweep_manifolds, gs_sweep_manifolds_float;

#endif
