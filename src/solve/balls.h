// solve/balls.h
// The sweep for spheres and disks in body space. Every lever arm lies along the normal, R long, and
// every inertia is isotropic, so
//     u = v_B - v_A - (R_A omega_A + R_B omega_B) x n + q,   W_aa = diag(w_N, w_T, w_T),
//     w_N = 1/m_A + 1/m_B,   w_T = w_N + R_A^2/I_A + R_B^2/I_B,
// and the local problem has a closed form. Vectors are kept in world axes, 2D as z = 0, so there
// are no tangents to store: 120 bytes a contact and 64 a body, where the operator has 1152.
#ifndef CAIRN_SOLVE_BALLS_H
#define CAIRN_SOLVE_BALLS_H

#include "solve/packets.h"

#include <cairn/problem.h>

// A body's record: v, 1/m, omega, 1/I. Behind them every unit of the packets has a record of its
// own for what is static and never moves; empty lanes are there too.
#define CN_BALL_RECORD 8

typedef struct cn_ball_packet {
    double n[3][CN_PACKET], q[3][CN_PACKET]; // normal from A to B; q in world axes
    double mu[CN_PACKET], inv_wn[CN_PACKET], inv_wt[CN_PACKET];
    double arm_a[CN_PACKET], arm_b[CN_PACKET]; // R
    int32_t a[CN_PACKET], b[CN_PACKET];        // CN_BALL_RECORD times the body
} cn_ball_packet;

#define CN_BALL_IMPULSES (3 * CN_PACKET) // of a packet, x[3][CN_PACKET], in world axes

// What a kernel does with the packets, for one kind of processor.
typedef struct cn_ball_kernel {
    // x := one sweep from x; the bodies' velocities are those of x, before and after.
    void (*sweep)(int32_t packets, const cn_ball_packet *packet, double *x, double *body);
    // Adds the velocities that x gives the bodies.
    void (*push)(int32_t packets, const cn_ball_packet *packet, const double *x, double *body);
    // |e|^2 of the natural map with rho = dim/trace(W_aa), summed lane by lane.
    double (*error)(int32_t packets, const cn_ball_packet *packet, int32_t dim, const double *x,
                    const double *body);
} cn_ball_kernel;

extern const cn_ball_kernel cn_ball_kernel_plain; // for any processor
const cn_ball_kernel *cn_ball_kernel_wide(void);  // for AVX2; NULL: not on this processor

typedef struct cn_balls {
    const cn_friction *p;
    const cn_ball_kernel *kernel;
    int32_t bodies;
    cn_packets packets;
    cn_ball_packet *packet;
    double *body; // records, bodies + packets.units
} cn_balls;

// *fits: whether the operator is one of spheres or disks; otherwise nothing is built.
cn_status cn_balls_build(const cn_friction *p, cn_arena *scratch, cn_balls *out, bool *fits);

// Numbers in an iterate, and the way between contact axes and packets.
int64_t cn_balls_size(const cn_balls *balls);
void cn_balls_load(const cn_balls *balls, const double *r, double *x);
void cn_balls_store(const cn_balls *balls, const double *x, double *r);
// A number a row of the contacts, spread over the iterate; 1 in empty lanes.
void cn_balls_weights(const cn_balls *balls, const double *row, double *weight);
// The bodies' velocities from x anew.
void cn_balls_reset(cn_balls *balls, const double *x);
// x := one sweep from x, whose velocities the bodies have; and |e|^2 of such an x.
void cn_balls_sweep(cn_balls *balls, double *x);
double cn_balls_error(const cn_balls *balls, const double *x);

#endif
