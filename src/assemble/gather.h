// assemble/gather.h
// The assembled one-step operator of contacts whose sides are weighted nodes of deformable bodies:
//     u_a = F_a' (sum over its entries of weight * velocity at the entry) + q_a,
//     W_ab = F_a' sum over pairs of entries on one body (weight_k weight_l R C_kl R') F_b,
// with C the compliance of the body's type (body/fe/type.h): blocks are gathered, nothing is
// solved.
//
// An entry on a rigid body is a point fixed to it. Costs a block for every two contacts of a body.
#ifndef CAIRN_ASSEMBLE_GATHER_H
#define CAIRN_ASSEMBLE_GATHER_H

#include "body/fe/type.h"

#include <cairn/problem.h>

// How a body answers to impulses. Neither compliance nor inverse: it does not.
typedef struct asm_body {
    const fe_compliance *compliance; // deformable
    const double *turn;              // R by rows, dim x dim, world = R body; NULL: the identity
    const double *inverse;           // rigid: M^-1, 6x6 (2D 3x3) by rows, symmetric, world axes
} asm_body;

// A part of one side of a contact. Weights of the candidate side are positive and sum to 1, those
// of the antagonist side negative and sum to -1.
typedef struct asm_entry {
    int32_t body;
    int32_t node; // of its mesh, on the surface; -1: a rigid body
    double weight;
    double arm[3];     // rigid: from the centre of mass, world axes [m]; 2D: z = 0
    const double *row; // rigid: its columns, 6 x 3 (2D 3 x 2) by rows, instead of arm and frame
} asm_entry;

typedef struct asm_rows {
    int32_t dim, contacts, bodies;
    const asm_body *body;
    const double *frame;    // dim x dim by rows per contact: n, t1, t2 (2D: n, t), orthonormal
    const int64_t *start;   // contacts + 1, into the entries
    const asm_entry *entry; // of a contact: those of one body together
} asm_rows;

// W with its diagonal; q and mu are copied. All arrays go to memory. W is exactly symmetric.
cn_status asm_gather(const asm_rows *rows, const double *q, const double *mu, cn_arena *memory,
                     cn_friction *out);

// The two maps between contacts and bodies. velocity[b], impulse[b]: of a deformable body dim per
// node of its mesh, of a rigid one 6 (2D 3); in body axes where it has a turn. NULL: the body does
// not move, or takes no impulses.
//     u = relative velocities in contact axes
void asm_velocity(const asm_rows *rows, const double *const *velocity, double *u);
//     impulse[b] += what r gives
void asm_impulse(const asm_rows *rows, const double *r, double *const *impulse);

#endif
