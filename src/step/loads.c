// step/loads.c
// What is given to a step from outside: prescribed velocities, forces and motors. Forces are means
// over the step, theta f(t + h) + (1 - theta) f(t).
#include "step/step.h"

#include "math/rotation.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

void step_prescribe_velocities(const cn_model *model, base_evaluator *signals, double t,
                               double *v) {
    for (int32_t i = 0; i < model->motion_count; i++) {
        const model_motion *motion = &model->motion[i];
        double *own = v + (int64_t)model_velocity_size(model->dim) * motion->body, given[6];
        model_motion_velocity(model, motion, signals, t, given);
        memcpy(own, given, sizeof *own * (size_t)model->dim);
        memcpy(own + model->dim, model->dim == 3 ? given + 3 : given + 5,
               sizeof *own * (size_t)(model_velocity_size(model->dim) - model->dim));
    }
}

static double mean_signal(const base_signal *signal, const step_context *in) {
    double theta = in->opts.theta;
    return theta * base_signal_at(signal, in->opts.signals, in->t + in->h) +
           (1.0 - theta) * base_signal_at(signal, in->opts.signals, in->t);
}

// Forces and torques that motors give, on the second body and against it on the first.
static void add_motors(const step_context *in, const double *q, double *load, double *effort) {
    const cn_model *model = in->model;
    for (int32_t j = 0; j < model->joint_count; j++) {
        const model_joint *joint = &model->joint[j];
        if (joint->motor != CN_MOTOR_FORCE) {
            continue;
        }
        double J[12];
        joint_view view;
        double given = mean_signal(joint->target, in);
        given = fmin(fmax(given, -joint->motor_max), joint->motor_max);
        if (effort) {
            effort[j] = given;
        }
        asm_joint_view_at(model, in->state, j, q, &view);
        joint_gauge(&view, joint_form_of(joint->geometry.kind, model->dim)->drive, J);
        for (int32_t k = 0; k < 12; k++) {
            load[6 * (int64_t)joint->body[k / 6] + k % 6] += given * J[k];
        }
    }
}

// Forces in body axes, or with a point, turn with the body at q.
void step_add_loads(const step_context *in, const double *q, double *load, double *effort) {
    const cn_model *model = in->model;
    for (int32_t kind = 0; kind < 2; kind++) {
        for (int64_t i = 0; in->given[kind] && i < 6 * (int64_t)model->body_count; i++) {
            load[i] += in->given[kind][i];
        }
    }
    for (int32_t i = 0; i < model->force_count; i++) {
        const model_force *given = &model->force[i];
        const double *pose = q + (int64_t)model_pose_size(model->dim) * given->body;
        double *own = load + 6 * (int64_t)given->body;
        double force[3], torque[3], R[9];
        for (int k = 0; k < 3; k++) {
            force[k] = mean_signal(given->force[k], in);
            torque[k] = mean_signal(given->torque[k], in);
        }
        if (model->dim == 3) {
            math_quat_matrix(pose + 3, R);
        } else {
            math_angle_matrix(pose[2], R);
        }
        if (given->body_axes) {
            math_mat3_apply(R, force, force);
            math_mat3_apply(R, torque, torque);
        }
        if (!given->at_center) {
            double arm[3], moment[3];
            math_mat3_apply(R, given->point, arm);
            math_cross3(arm, force, moment);
            math_add_scaled3(torque, 1.0, moment, torque);
        }
        math_add_scaled3(own, 1.0, force, own);
        math_add_scaled3(own + 3, 1.0, torque, own + 3);
    }
    add_motors(in, q, load, effort);
}
