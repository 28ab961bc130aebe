// body/rigid_four.c
// Drifts of many bodies. A drift is a chain of roots and quotients, each waiting for the one
// before, so four side by side take little more time than one. Without registers for four, and for
// what does not fit, they go one by one; the results are bitwise identical.
#include "body/rigid_four.h"

void rigid_drifts_start(rigid_drifts *drifts, double h) {
    drifts->h = h;
    drifts->kernel = rigid_four_avx2();
    for (int32_t i = 0; i < RIGID_GROUPS; i++) {
        drifts->group[i].count = 0;
    }
}

// Those that wait, one by one.
static void clear_drifts(const rigid_drifts *drifts, rigid_waiting *group) {
    const rigid_four *four = &group->four;
    for (int32_t i = 0; i < group->count; i++) {
        rigid_drift(&group->body[i], four->pose[i], four->velocity[i], drifts->h, four->out_pose[i],
                    four->out_velocity[i]);
    }
    group->count = 0;
}

void rigid_drifts_add(rigid_drifts *drifts, const body_rigid *body, const double *pose,
                      const double *velocity, double *out_pose, double *out_velocity) {
    if (!drifts->kernel || body->dim == 2 || body->lock != 0) {
        rigid_drift(body, pose, velocity, drifts->h, out_pose, out_velocity);
        return;
    }
    rigid_group kind = body_inertia_is_isotropic(body->inertia) ? RIGID_ROUND : RIGID_ANY;
    rigid_waiting *group = &drifts->group[kind];
    rigid_four *four = &group->four;
    int32_t i = group->count++;
    group->body[i] = *body;
    four->inertia[i] = body->inertia;
    four->inverse_inertia[i] = body->inverse_inertia;
    four->pose[i] = pose;
    four->velocity[i] = velocity;
    four->out_pose[i] = out_pose;
    four->out_velocity[i] = out_velocity;
    if (group->count == RIGID_FOUR) {
        if (drifts->kernel->drift[kind](four, drifts->h)) {
            group->count = 0;
        }
        clear_drifts(drifts, group);
    }
}

void rigid_drifts_end(rigid_drifts *drifts) {
    for (int32_t i = 0; i < RIGID_GROUPS; i++) {
        clear_drifts(drifts, &drifts->group[i]);
    }
}
