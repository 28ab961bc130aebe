// body/rigid_four.h
// The drift of four bodies at once, for one kind of processor.
#ifndef CAIRN_BODY_RIGID_FOUR_H
#define CAIRN_BODY_RIGID_FOUR_H

#include "body/rigid.h"

#define RIGID_FOUR 4

// Bodies in space without locks, with what rigid_drift takes and gives of each.
typedef struct rigid_four {
    const double *inertia[RIGID_FOUR], *inverse_inertia[RIGID_FOUR];
    const double *pose[RIGID_FOUR], *velocity[RIGID_FOUR];
    double *out_pose[RIGID_FOUR], *out_velocity[RIGID_FOUR]; // may be the inputs
} rigid_four;

// The bits of rigid_drift. false, and nothing written: one of them turns too fast.
typedef bool rigid_four_fn(const rigid_four *four, double h);
// Bodies of any inertia, and those with the same about every axis, whose rates stay.
typedef enum rigid_group { RIGID_ANY, RIGID_ROUND, RIGID_GROUPS } rigid_group;
typedef struct rigid_four_kernel {
    rigid_four_fn *drift[RIGID_GROUPS];
} rigid_four_kernel;
const rigid_four_kernel *rigid_four_avx2(void); // NULL: not on this processor

// Bodies of a group that wait for others.
typedef struct rigid_waiting {
    int32_t count;
    body_rigid body[RIGID_FOUR];
    rigid_four four;
} rigid_waiting;

// Drifts of many bodies, in any order: those that fit go four at a time.
typedef struct rigid_drifts {
    double h;
    const rigid_four_kernel *kernel;
    rigid_waiting group[RIGID_GROUPS];
} rigid_drifts;

void rigid_drifts_start(rigid_drifts *drifts, double h);
// As rigid_drift, at once or later.
void rigid_drifts_add(rigid_drifts *drifts, const body_rigid *body, const double *pose,
                      const double *velocity, double *out_pose, double *out_velocity);
void rigid_drifts_end(rigid_drifts *drifts);

#endif
