// step/act/joints.c
// What joints did in the last step. The impulses of a joint's rows act at q~, those that projected
// the velocities at the end act there; together they are what the joint gave its second body.
#include "step/sim.h"

#include "base/error.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define SATURATED 1e-9 // a motor this near to its limit, relatively, is at it

// The impulses of the rows of joint j at poses q.
static void add_rows(const cn_sim *sim, int32_t j, const double *q, const double *rows,
                     sim_joint_answer *out) {
    const model_joint *joint = &sim->model->joint[j];
    double J[12];
    joint_view view;
    asm_joint_view_at(sim->model, &sim->state, j, q, &view);
    for (int32_t i = 0; i < joint->row_count; i++) {
        double r = rows[joint->row_first + i];
        asm_joint_value(joint, &view, i, J);
        for (int32_t k = 0; k < 6; k++) {
            out->impulse[k] += r * J[6 + k];
        }
        out->role[joint->row[i].role] += joint->row[i].role == JOINT_ROLE_HELD ? 0.0 : r;
    }
}

// Value and rate of the free motion at the end of the step.
static void measure(const cn_sim *sim, int32_t j, sim_joint_answer *out) {
    static const int flat[3] = {0, 1, 5};
    const cn_model *model = sim->model;
    const model_joint *joint = &model->joint[j];
    joint_gauge_of drive = joint_form_of(joint->geometry.kind, model->dim)->drive;
    int32_t size = model_velocity_size(model->dim);
    double J[12];
    joint_view view;
    if (drive == JOINT_GAUGE_NONE) {
        return;
    }
    asm_joint_view_at(model, &sim->state, j, sim->state.q, &view);
    out->value = joint_gauge(&view, drive, J);
    for (int32_t k = 0; k < 2 * size; k++) {
        int32_t part = k % size;
        out->rate += J[6 * (k / size) + (size == 6 ? part : flat[part])] *
                     sim->state.v[(int64_t)size * joint->body[k / size] + part];
    }
}

void sim_joint_answer_of(const cn_sim *sim, int32_t j, sim_joint_answer *out) {
    const step_data *step = &sim->last;
    *out = (sim_joint_answer){.value = 0.0};
    measure(sim, j, out);
    if (step->q_middle && step->h > 0.0 && j < step->joints) {
        add_rows(sim, j, step->q_middle, sim->state.joint_impulse, out);
        out->effort = step->effort[j] + out->role[JOINT_ROLE_MOTOR] / step->h;
    }
}

// The wrench of a joint's force motor, along the free motion at q~.
static void add_force_motor(const cn_sim *sim, int32_t j, double wrench[6]) {
    const model_joint *joint = &sim->model->joint[j];
    double J[12];
    joint_view view;
    asm_joint_view_at(sim->model, &sim->state, j, sim->last.q_middle, &view);
    joint_gauge(&view, joint_form_of(joint->geometry.kind, sim->model->dim)->drive, J);
    for (int32_t k = 0; k < 6; k++) {
        wrench[k] += sim->last.h * sim->last.effort[j] * J[6 + k];
    }
}

static int8_t sign_of(double x) {
    return (int8_t)((x > 0.0) - (x < 0.0));
}

static void joint_state_of(const cn_sim *sim, int32_t j, cn_joint_state *out) {
    const step_data *step = &sim->last;
    const model_joint *joint = &sim->model->joint[j];
    sim_joint_answer answer;
    *out = (cn_joint_state){.value = 0.0};
    if (joint->removed) {
        return;
    }
    sim_joint_answer_of(sim, j, &answer);
    out->value = answer.value;
    out->rate = answer.rate;
    if (sim->system) { // its integrator has multipliers of its own
        for (int32_t k = 0; k < 3; k++) {
            out->force[k] = out->torque[k] = (double)NAN;
        }
        out->effort = out->limit_effort = out->friction = out->spring = (double)NAN;
        return;
    }
    if (!step->q_middle || !(step->h > 0.0) || j >= step->joints) {
        return;
    }
    if (step->settled) {
        sim_joint_answer settled = {.value = 0.0};
        add_rows(sim, j, step->q, step->settled, &settled);
        for (int32_t k = 0; k < 6; k++) {
            answer.impulse[k] += settled.impulse[k];
        }
    }
    if (joint->motor == CN_MOTOR_FORCE) {
        add_force_motor(sim, j, answer.impulse);
    }
    // From the centre of mass to the joint's point.
    joint_view view;
    double moment[3];
    asm_joint_view_at(sim->model, &sim->state, j, step->q_middle, &view);
    math_cross3(view.arm[1], answer.impulse, moment);
    for (int32_t k = 0; k < 3; k++) {
        out->force[k] = answer.impulse[k] / step->h;
        out->torque[k] = (answer.impulse[3 + k] - moment[k]) / step->h;
    }
    out->effort = answer.effort;
    out->limit_effort = answer.role[JOINT_ROLE_LIMIT] / step->h;
    out->friction = answer.role[JOINT_ROLE_FRICTION] / step->h;
    out->spring = answer.role[JOINT_ROLE_SPRING] / step->h;
    out->limit = (int8_t)-sign_of(answer.role[JOINT_ROLE_LIMIT]);
    bool saturated =
        joint->motor != CN_MOTOR_NONE && fabs(out->effort) >= (1.0 - SATURATED) * joint->motor_max;
    out->saturated = saturated ? sign_of(out->effort) : 0;
}

cn_status cn_sim_joint(const cn_sim *sim, int32_t joint, cn_joint_state *out) {
    if (!out) {
        return CN_ERR_ARGUMENT;
    }
    *out = (cn_joint_state){.value = 0.0};
    if (!sim || !cn_sim_has_joint(sim, joint)) {
        return CN_ERR_ARGUMENT;
    }
    joint_state_of(sim, joint - 1, out);
    return CN_OK;
}

cn_status cn_sim_joints(const cn_sim *sim, cn_joint_state *out) {
    if (!sim || (!out && sim->model->joint_count > 0)) {
        return CN_ERR_ARGUMENT;
    }
    for (int32_t j = 0; j < sim->model->joint_count; j++) {
        joint_state_of(sim, j, &out[j]);
    }
    return CN_OK;
}
