// step/steer.c
// What a person does to a run while it goes on: gravity, friction, and a spring that pulls a body
// from a point p of it to a target,
//     F = k (target - p) - c p',   c = 2 sqrt(k m),
// taken at q~ as every force is, so that its work is booked like any other's. m is a lower bound of
// the mass that the point shows: 1/m = trace of the point's inverse mass matrix.
//
// An explicit spring is stable only while k h^2 < 4 m. A stiffer one is softened to the limit
// below, which leaves room for its damping: a hand that pulls harder than the step can follow.
#include "step/sim.h"

#include "base/error.h"
#include "math/rotation.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define PULL_LIMIT 0.25 // k h^2 / m: with c = 2 sqrt(k m), half the velocity is taken a step

cn_steering sim_steering_default(const cn_model *model) {
    cn_steering steering = {.friction = 1.0};
    memcpy(steering.gravity, model->settings.gravity, sizeof steering.gravity);
    return steering;
}

cn_steering cn_sim_steering(const cn_sim *sim) {
    return sim->steering;
}

cn_status sim_check_steering(const cn_model *model, const cn_steering *steering, cn_error *error) {
    double sum = steering->stiffness;
    for (int32_t k = 0; k < model->dim; k++) {
        sum += steering->gravity[k];
        sum += steering->pulled ? steering->point[k] + steering->target[k] : 0.0;
    }
    if (!isfinite(sum) || !(steering->friction >= 0.0 && isfinite(steering->friction)) ||
        !(steering->stiffness >= 0.0)) {
        return base_fail(
            error, CN_ERR_ARGUMENT,
            "gravity, friction and the spring must be finite, the last two not negative");
    }
    if (steering->pulled < 0 || steering->pulled > model->body_count) {
        return base_fail(error, CN_ERR_ARGUMENT, "there is no body %d", (int)steering->pulled);
    }
    if (steering->pulled && model->body[steering->pulled - 1].role != MODEL_BODY_FREE) {
        return base_fail(error, CN_ERR_ARGUMENT, "body %d (%s) is %s and cannot be pulled",
                         (int)steering->pulled, model->body[steering->pulled - 1].name,
                         model_body_role_text(model->body[steering->pulled - 1].role));
    }
    return CN_OK;
}

cn_status cn_sim_steer(cn_sim *sim, const cn_steering *steering, cn_error *error) {
    if (!sim || !steering) {
        return base_fail_missing(error);
    }
    CN_TRY(sim_check_steering(sim->model, steering, error));
    if (steering->pulled && sim->rigid) {
        return base_fail(error, CN_ERR_ARGUMENT, "bodies cannot be pulled under the scheme %s",
                         sim->model->settings.scheme);
    }
    bool same = steering->friction == sim->steering.friction &&
                memcmp(steering->gravity, sim->steering.gravity, sizeof steering->gravity) == 0;
    if (!same) {
        step_wake_all(&sim->sleep);
    }
    double kinetic, before, after;
    cn_sim_energy(sim, &kinetic, &before);
    sim->steering = *steering;
    if (sim->model->dim == 2) {
        sim->steering.gravity[2] = sim->steering.point[2] = sim->steering.target[2] = 0.0;
    }
    cn_sim_energy(sim, &kinetic, &after);
    sim->steering_work += after - before;
    return CN_OK;
}

// 1/m of a body's point at arm from its centre of mass: the trace of what an impulse there does to
// the velocity there, columns of the velocity's lever times M^-1 times the same.
static double point_mobility(int32_t dim, const double *inverse, const double arm[3]) {
    int32_t size = model_velocity_size(dim);
    double trace = 0.0;
    for (int32_t axis = 0; axis < dim; axis++) {
        double direction[3] = {axis == 0, axis == 1, axis == 2}, moment[3], lever[6];
        math_cross3(arm, direction, moment);
        memcpy(lever, direction, sizeof direction);
        memcpy(lever + dim, dim == 3 ? moment : moment + 2, sizeof(double) * (size_t)(size - dim));
        for (int32_t i = 0; i < size; i++) {
            for (int32_t j = 0; j < size; j++) {
                trace += lever[i] * inverse[size * i + j] * lever[j];
            }
        }
    }
    return trace;
}

void step_add_pull(const step_context *in, const double *q, const double *v,
                   const asm_inertia_map *inertia, double *load) {
    const cn_model *model = in->model;
    const cn_steering *steering = in->steering;
    if (steering->pulled == 0) {
        return;
    }
    int32_t i = steering->pulled - 1, dim = model->dim, size = model_velocity_size(dim);
    const double *pose = q + (int64_t)model_pose_size(dim) * i, *rate = v + (int64_t)size * i;
    double R[9], arm[3], force[3], velocity[3], moment[3];
    if (dim == 3) {
        math_quat_matrix(pose + 3, R);
    } else {
        math_angle_matrix(pose[2], R);
    }
    math_sub3(steering->point, model->body[i].com, arm);
    math_mat3_apply(R, arm, arm);
    double own[36];
    const double *inverse = asm_inertia_at(model, inertia, i, own);
    double mobility = point_mobility(dim, inverse, arm);
    if (!(mobility > 0.0)) {
        return; // every direction is held
    }
    double max = PULL_LIMIT / (mobility * in->h * in->h);
    double stiffness = fmin(steering->stiffness, max);
    double damping = 2.0 * sqrt(stiffness / mobility);
    const double spin[3] = {dim == 3 ? rate[3] : 0.0, dim == 3 ? rate[4] : 0.0,
                            dim == 3 ? rate[5] : rate[2]};
    math_cross3(spin, arm, velocity);
    for (int32_t k = 0; k < 3; k++) {
        double place = k < dim ? pose[k] + arm[k] : 0.0;
        velocity[k] = k < dim ? velocity[k] + rate[k] : 0.0;
        force[k] = stiffness * (steering->target[k] - place) - damping * velocity[k];
    }
    math_cross3(arm, force, moment);
    double *own_load = load + 6 * (int64_t)i;
    math_add_scaled3(own_load, 1.0, force, own_load);
    math_add_scaled3(own_load + 3, 1.0, moment, own_load + 3);
}

void step_scale_friction(const cn_steering *steering, cn_friction *problem) {
    if (steering->friction == 1.0) {
        return; // bitwise identical in any case, and no work
    }
    for (int32_t a = 0; a < problem->contacts; a++) {
        problem->mu[a] *= steering->friction;
    }
}
