// assemble/assemble.h
// Contacts + state -> the one-step problem in body space; impulses -> velocities.
#ifndef CAIRN_ASSEMBLE_ASSEMBLE_H
#define CAIRN_ASSEMBLE_ASSEMBLE_H

#include "detect/detect.h"

// What a step knows of the bodies at q~: poses, and inverse mass matrices in world axes with locks
// worked in (6x6 by rows; 2D 3x3). Fixed and driven bodies have none (zero).
typedef struct cn_inertia_map {
    const double *q;
    double *inverse; // 36 or 9 each
} cn_inertia_map;

// q must outlive the map.
cn_status cn_inertia_prepare(const cn_model *model, const double *q, cn_arena *memory,
                             cn_inertia_map *out);

// The problem of one step. All arrays in the arena given to cn_assemble.
typedef struct cn_assembled {
    cn_friction problem; // body space; only contacts that are active (their law's test)
    int32_t *contact;    // index into the contact list of each problem contact
    double *shift; // s, dim each, in contact axes: the law holds for u + s; folded into problem.q
    double *velocity_before; // u_i, dim each
    double *r;               // warm start in contact axes
} cn_assembled;

// v_old = v_i, v_free: velocities (world), h: step. Velocities of driven bodies enter v_old and
// v_free.
cn_status cn_assemble(const cn_model *model, const cn_state *state, const cn_contact_list *contacts,
                      const cn_inertia_map *inertia, const double *v_old, const double *v_free,
                      double h, cn_arena *memory, cn_assembled *out, cn_error *error);
// v := v_free + M^-1 H r
void cn_apply_impulses(const cn_model *model, const cn_assembled *step, const double *v_free,
                       const double *r, double *v);

#endif
