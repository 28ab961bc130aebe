// solve/manifolds.h
// The sweep for rigid bodies of any shape in body space. The points of a pair of bodies are a
// manifold: its bodies' velocities are fetched once, its points are solved one after the other.
// A packet holds a manifold a lane. With lever arms a, b and directions n, t, s = n x t,
//     u = (n, t, s)' (v_B + omega_B x b - v_A - omega_A x a) + q,
// and the local problem is the secular equation of solve/local_secular.h. 200 bytes a point. 2D is
// the plane z = 0.
#ifndef CAIRN_SOLVE_MANIFOLDS_H
#define CAIRN_SOLVE_MANIFOLDS_H

#include "solve/packets.h"

#include <cairn/problem.h>

// Of a body: v, 0, omega, 0. Behind the bodies every unit of the packets has a record of its own
// for what is static.
#define CN_RIGID_RECORD 8
#define CN_MANIFOLD_POINTS 4 // of a lane; longer manifolds go on in another packet

typedef struct cn_rigid_point {
    double n[3][CN_PACKET], t[3][CN_PACKET];
    double arm_a[3][CN_PACKET], arm_b[3][CN_PACKET];
    double q[3][CN_PACKET];
    double mu[CN_PACKET];
    // The block on the tangent plane (solve/local.h), symmetric: 1/W_NN, W_NT/W_NN, S.
    double inv_nn[CN_PACKET], nt[2][CN_PACKET], S[3][CN_PACKET];
    double rho[CN_PACKET]; // dim / trace(W_aa)
} cn_rigid_point;

typedef struct cn_manifold_packet {
    _Alignas(64) int32_t a[CN_PACKET]; // CN_RIGID_RECORD times the body; lanes begin on a line
    int32_t b[CN_PACKET];
    double inv_mass_a[CN_PACKET], inv_mass_b[CN_PACKET];
    double inv_inertia_a[6][CN_PACKET], inv_inertia_b[6][CN_PACKET]; // xx xy xz yy yz zz
    int64_t first;                                                   // of its points
    int32_t points;
} cn_manifold_packet;

#define CN_POINT_IMPULSES (3 * CN_PACKET) // of a point, x[3][CN_PACKET], in contact axes

typedef struct cn_manifolds {
    const cn_friction *p;
    const struct cn_manifold_kernel *kernel;
    int32_t bodies;
    cn_packets packets;
    cn_manifold_packet *packet;
    int64_t points; // of all packets
    cn_rigid_point *point;
    int64_t *place; // of each contact's first number in an iterate
    double *slip;   // last slip multiplier, CN_PACKET a point
    double *body;   // records, bodies + packets.units
    double *former; // those of the iterate before, where sweeps glide
} cn_manifolds;

// What a kernel does with count packets from the first, for one kind of processor.
typedef struct cn_manifold_kernel {
    // x := one sweep from x; the bodies' velocities are those of x, before and after.
    void (*sweep)(cn_manifolds *manifolds, int32_t first, int32_t count, double *x);
    // Adds the velocities that x gives the bodies.
    void (*push)(cn_manifolds *manifolds, int32_t first, int32_t count, const double *x);
    // |e|^2 of the natural map, summed lane by lane.
    double (*error)(const cn_manifolds *manifolds, int32_t first, int32_t count, const double *x);
} cn_manifold_kernel;

// For any processor, and for wider ones; NULL: not on this processor. The bits are the same.
extern const cn_manifold_kernel cn_manifold_kernel_plain;
const cn_manifold_kernel *cn_manifold_kernel_avx2(void), *cn_manifold_kernel_avx512(void);

// p: of points, or in body space with H in which they are recognised. *fits: whether the masses are
// 1/m and an inverse inertia, and every contact's block regular and without the chance of several
// solutions; otherwise nothing is built. kept: a choice of packets that may still hold; NULL: none.
cn_status cn_manifolds_build(const cn_friction *p, cn_packets_kept *kept, cn_arena *scratch,
                             cn_manifolds *out, bool *fits);

// Numbers in an iterate, and the way between contact axes and packets. fill: for empty lanes.
int64_t cn_manifolds_size(const cn_manifolds *manifolds);
void cn_manifolds_load(const cn_manifolds *manifolds, const double *r, double fill, double *x);
void cn_manifolds_store(const cn_manifolds *manifolds, const double *x, double *r);
// The bodies' velocities from x anew.
void cn_manifolds_reset(cn_manifolds *manifolds, const double *x);
// Sweeps with momentum, as in solve/balls.h: to := one sweep from x + share (x - to).
void cn_manifolds_start_gliding(cn_manifolds *manifolds);
void cn_manifolds_glide(cn_manifolds *manifolds, double share, const double *x, double *to);
void cn_manifolds_freshen(cn_manifolds *manifolds, const double *x, const double *before);
// x := one sweep from x, whose velocities the bodies have; and |e|^2 of such an x.
void cn_manifolds_sweep(cn_manifolds *manifolds, double *x);
double cn_manifolds_error(const cn_manifolds *manifolds, const double *x);

#endif
