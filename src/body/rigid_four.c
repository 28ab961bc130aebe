// body/rigid_four.c
// Drifts of many bodies. A drift is a chain of roots and quotients, each waiting for the one
// before, so four side by side take little more time than one. Without registers for four, and for
// what does not fit, they go one by one; the bits are the same.
#include "body/rigid_four.h"

cn_rigid_drifts cn_rigid_drifts_start(double h) {
    return (cn_rigid_drifts){.h = h, .fn = cn_rigid_four_avx2()};
}

static void cn_rigid_drifts_one(const cn_rigid_drifts *drifts, int32_t i) {
    const cn_rigid_four *four = &drifts->four;
    cn_rigid_drift(&drifts->body[i], four->pose[i], four->velocity[i], drifts->h, four->out_pose[i],
                   four->out_velocity[i]);
}

void cn_rigid_drifts_add(cn_rigid_drifts *drifts, const cn_rigid *body, const double *pose,
                         const double *velocity, double *out_pose, double *out_velocity) {
    if (!drifts->fn || body->dim == 2 || body->lock != 0 ||
        cn_inertia_is_isotropic(body->inertia)) {
        cn_rigid_drift(body, pose, velocity, drifts->h, out_pose, out_velocity);
        return;
    }
    cn_rigid_four *four = &drifts->four;
    int32_t i = drifts->count++;
    drifts->body[i] = *body;
    four->inertia[i] = body->inertia;
    four->inverse_inertia[i] = body->inverse_inertia;
    four->pose[i] = pose;
    four->velocity[i] = velocity;
    four->out_pose[i] = out_pose;
    four->out_velocity[i] = out_velocity;
    if (drifts->count == CN_RIGID_FOUR) {
        if (drifts->fn(four, drifts->h)) {
            drifts->count = 0;
        }
        cn_rigid_drifts_end(drifts);
    }
}

void cn_rigid_drifts_end(cn_rigid_drifts *drifts) {
    for (int32_t i = 0; i < drifts->count; i++) {
        cn_rigid_drifts_one(drifts, i);
    }
    drifts->count = 0;
}
