// body/rigid_four.h
// The drift of four bodies at once, for one kind of processor.
#ifndef CAIRN_BODY_RIGID_FOUR_H
#define CAIRN_BODY_RIGID_FOUR_H

#include "body/rigid.h"

#define CN_RIGID_FOUR 4

// Bodies in space without locks, with what cn_rigid_drift takes and gives of each.
typedef struct cn_rigid_four {
    const double *inertia[CN_RIGID_FOUR], *inverse_inertia[CN_RIGID_FOUR];
    const double *pose[CN_RIGID_FOUR], *velocity[CN_RIGID_FOUR];
    double *out_pose[CN_RIGID_FOUR], *out_velocity[CN_RIGID_FOUR]; // may be the inputs
} cn_rigid_four;

// The bits of cn_rigid_drift. false, and nothing written: one of them turns too fast.
typedef bool cn_rigid_four_fn(const cn_rigid_four *four, double h);
// Bodies of any inertia, and those with the same about every axis, whose rates stay.
typedef enum cn_rigid_group { CN_RIGID_ANY, CN_RIGID_ROUND, CN_RIGID_GROUPS } cn_rigid_group;
typedef struct cn_rigid_four_kernel {
    cn_rigid_four_fn *drift[CN_RIGID_GROUPS];
} cn_rigid_four_kernel;
const cn_rigid_four_kernel *cn_rigid_four_avx2(void); // NULL: not on this processor

// Bodies of a group that wait for others.
typedef struct cn_rigid_waiting {
    int32_t count;
    cn_rigid body[CN_RIGID_FOUR];
    cn_rigid_four four;
} cn_rigid_waiting;

// Drifts of many bodies, in any order: those that fit go four at a time.
typedef struct cn_rigid_drifts {
    double h;
    const cn_rigid_four_kernel *kernel;
    cn_rigid_waiting group[CN_RIGID_GROUPS];
} cn_rigid_drifts;

void cn_rigid_drifts_start(cn_rigid_drifts *drifts, double h);
// As cn_rigid_drift, at once or later.
void cn_rigid_drifts_add(cn_rigid_drifts *drifts, const cn_rigid *body, const double *pose,
                         const double *velocity, double *out_pose, double *out_velocity);
void cn_rigid_drifts_end(cn_rigid_drifts *drifts);

#endif
