// solve/gauss_seidel/body_pack.h
// The body-space operator laid out for sweeping, when every contact touches at most two runs of
// consecutive velocities (6 in 3D, 3 in 2D): two rigid bodies.
//
// Contact a: runs starting at dof[2a], dof[2a+1]; a missing one points at spare zeros behind the
// velocities. For run s, H[(size*dim) (2a+s) + dim*k + i] is the entry of velocity k and direction
// i, and G holds M^-1 H turned, G[(size*dim) (2a+s) + size*i + k], so that both products run along
// memory.
#ifndef CAIRN_SOLVE_GAUSS_SEIDEL_BODY_PACK_H
#define CAIRN_SOLVE_GAUSS_SEIDEL_BODY_PACK_H

#include <cairn/problem.h>

typedef struct gs_body_pack {
    int32_t size; // velocities of a run; 0: the operator has another shape
    int32_t *dof;
    double *H, *G; // with CN_BSR_PAD doubles behind
} gs_body_pack;

// size = 0 and CN_OK when the operator does not have this shape.
cn_status gs_body_pack_build(const cn_friction *p, cn_arena *scratch, gs_body_pack *out);

// v = M^-1 H r; v has size spare zeros behind the velocities.
void gs_body_pack_impulse(const gs_body_pack *pack, const cn_friction *p, const double *r,
                          double *v);
// u = H' v + q
void gs_body_pack_velocity(const gs_body_pack *pack, const cn_friction *p, const double *v,
                           double *u);

#endif
