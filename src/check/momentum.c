// check/momentum.c
// The balance of every body over the step, at q~ and in its free directions:
//     M (v_new - v_before) = h (m g + F) + sum of the impulses of contacts and joints.
// M is written out here, not its inverse, which the run works with.
#include "check/check.h"

#include "base/arena.h"
#include "math/rotation.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define CN_SLOW_ROOM                                                                               \
    1.000001 // of the speed of sleep: rates turn with bodies in the rest of the step

void cn_give_impulse(cn_check_frame *frame, int32_t body, const double arm[3],
                     const double impulse[3], double sign) {
    double moment[3], *own = frame->impulse + 6 * (int64_t)body,
                      *scale = frame->scale + 2 * (int64_t)body;
    cn_cross3(arm, impulse, moment);
    cn_add_scaled3(own, sign, impulse, own);
    cn_add_scaled3(own + 3, sign, moment, own + 3);
    scale[0] += cn_norm3(impulse);
    scale[1] += cn_norm3(arm) * cn_norm3(impulse);
}

// ---- given forces ----

static double cn_mean_of(const cn_checking *check, const cn_signal *signal) {
    const cn_check_frame *frame = &check->frame;
    return check->theta * cn_signal_at(signal, check->signals, frame->start + frame->h) +
           (1.0 - check->theta) * cn_signal_at(signal, check->signals, frame->start);
}

static void cn_given_force(cn_checking *check, const cn_force *given, double *load) {
    const cn_model *model = check->model;
    double force[3], torque[3], R[9];
    for (int k = 0; k < 3; k++) {
        force[k] = cn_mean_of(check, given->force[k]);
        torque[k] = cn_mean_of(check, given->torque[k]);
    }
    cn_rotation_of(model->dim, cn_pose_of(model, check->frame.middle, given->body), R);
    if (given->body_axes) {
        cn_mat3_apply(R, force, force);
        cn_mat3_apply(R, torque, torque);
    }
    if (!given->at_center) {
        double arm[3], moment[3];
        cn_mat3_apply(R, given->point, arm);
        cn_cross3(arm, force, moment);
        cn_add_scaled3(torque, 1.0, moment, torque);
    }
    cn_add_scaled3(load, 1.0, force, load);
    cn_add_scaled3(load + 3, 1.0, torque, load + 3);
}

static void cn_motor_force(cn_checking *check, int32_t j, double *load) {
    const cn_model *model = check->model;
    cn_check_frame *frame = &check->frame;
    const cn_joint *joint = &model->joint[j];
    if (joint->motor != CN_MOTOR_FORCE) {
        return;
    }
    double J[12], given = cn_mean_of(check, joint->target);
    cn_joint_view view;
    given = fmin(fmax(given, -joint->motor_most), joint->motor_most);
    cn_joint_look(model->dim, &joint->geometry, cn_pose_of(model, frame->middle, joint->body[0]),
                  cn_pose_of(model, frame->middle, joint->body[1]), frame->angle + 2 * (int64_t)j,
                  &view);
    cn_joint_gauge(&view, cn_joint_form_of(joint->geometry.kind, model->dim)->drive, J);
    for (int32_t k = 0; k < 12; k++) {
        load[6 * (int64_t)joint->body[k / 6] + k % 6] += given * J[k];
    }
}

void cn_check_loads(cn_checking *check) {
    const cn_model *model = check->model;
    cn_check_frame *frame = &check->frame;
    int64_t numbers = 6 * (int64_t)model->body_count;
    if (!frame->load && !model->control && (model->force_count > 0 || model->joint_count > 0)) {
        frame->load = CN_TAKE_ZERO(check->frame_memory, double, numbers);
        for (int32_t i = 0; frame->load && i < model->force_count; i++) {
            cn_given_force(check, &model->force[i],
                           frame->load + 6 * (int64_t)model->force[i].body);
        }
        for (int32_t j = 0; frame->load && j < model->joint_count; j++) {
            cn_motor_force(check, j, frame->load);
        }
    }
    // Velocities without contacts and joints: for the scale of the residual.
    for (int32_t i = 0; i < model->body_count; i++) {
        const double none[6] = {0.0}, *load = frame->load ? frame->load + 6 * (int64_t)i : none;
        double *free = cn_velocity_of(model, frame->v_free, i), inverse[36], force[3];
        size_t bytes = sizeof *free * (size_t)cn_velocity_size(model->dim);
        if (!cn_is_moved(check, i)) {
            memcpy(free, cn_velocity_of(model, frame->v_new, i), bytes);
            continue;
        }
        cn_rigid rigid = cn_body_rigid(model, i);
        cn_rigid_inverse_mass(&rigid, cn_pose_of(model, frame->middle, i), inverse);
        cn_add_scaled3(load, rigid.mass, frame->gravity, force);
        cn_rigid_kick(&rigid, cn_pose_of(model, frame->middle, i), inverse, force, load + 3,
                      frame->h, cn_velocity_of(model, frame->v_before, i), free);
    }
}

// ---- the balance ----

// Axes of the locks as columns.
static void cn_axes_of_locks(const cn_model *model, int32_t i, const double R[9], double axes[9]) {
    static const double world[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    memcpy(axes, model->body[i].lock_body_axes ? R : world, sizeof world);
}

// M times the change of velocity in the free directions, less what was given; the part that is left
// there. half 0: linear, 1: angular.
static double cn_left_over(const cn_model *model, int32_t i, int half, const double R[9],
                           const double change[3], const double given[3], double *size) {
    const cn_body *body = &model->body[i];
    double axes[9], moved[3], own[3], part[3], left = 0.0;
    uint32_t lock = body->lock >> (3 * half);
    cn_axes_of_locks(model, i, R, axes);
    memcpy(moved, change, sizeof moved);
    for (int k = 0; k < 3; k++) {
        const double axis[3] = {axes[k], axes[3 + k], axes[6 + k]};
        if (lock >> k & 1u) {
            cn_add_scaled3(moved, -cn_dot3(axis, moved), axis, moved);
        }
    }
    if (half == 0) {
        for (int k = 0; k < 3; k++) {
            own[k] = body->mass * moved[k];
        }
    } else {
        const double *inertia = model->inertia[body->inertia].tensor;
        cn_mat3_apply_transposed(R, moved, own);
        if (model->dim == 3) {
            cn_mat3_apply(inertia, own, own);
        } else {
            own[2] *= inertia[8];
        }
        cn_mat3_apply(R, own, own);
    }
    *size += cn_norm3(own);
    cn_sub3(own, given, part);
    for (int k = 0; k < 3; k++) {
        const double axis[3] = {axes[k], axes[3 + k], axes[6 + k]};
        bool there = model->dim == 3 || (half == 0 ? k < 2 : k == 2);
        if (there && !(lock >> k & 1u)) {
            left = hypot(left, cn_dot3(axis, part));
        }
    }
    return left;
}

// A body that sleeps: what rests on it and its weight balance to what it moved by when it fell
// asleep. Slow is a body of which no point is faster than the speed of sleep.
static void cn_sleeper_balance(cn_checking *check, int32_t i, cn_check_worst *worst) {
    const cn_model *model = check->model;
    const cn_check_frame *frame = &check->frame;
    const cn_body *body = &model->body[i];
    double sum[6], slow = model->settings.sleep_speed, *scale = frame->scale + 2 * (int64_t)i;
    for (int k = 0; k < 6; k++) {
        double load = frame->load ? frame->load[6 * (int64_t)i + k] : 0.0;
        double weight = k < model->dim && k < 3 ? body->mass * frame->gravity[k] : 0.0;
        sum[k] = frame->impulse[6 * (int64_t)i + k] + model->settings.step * (weight + load);
    }
    // A step that was cut was shorter than this.
    bool whole = !(model->settings.error > 0.0) && body->lock == 0;
    if (whole) {
        cn_worst_add(worst, cn_norm3(sum), 2.0 * body->mass * slow + CN_CHECK_ROUND * scale[0], i);
        cn_worst_add(worst, cn_norm3(sum + 3),
                     2.0 * body->mass * body->bound * slow + CN_CHECK_ROUND * scale[1], i);
    }
}

// A body that fell asleep at the end of the step: it was slow, and is at rest.
static void cn_sleeper_start(cn_checking *check, int32_t i, cn_check_worst *worst) {
    const cn_model *model = check->model;
    cn_check_frame *frame = &check->frame;
    double own[6], before[6], at_rest = 0.0;
    cn_six(model->dim, cn_velocity_of(model, frame->v, i), own);
    cn_six(model->dim, cn_velocity_of(model, frame->v_new, i), before);
    for (int k = 0; k < 6; k++) {
        at_rest += fabs(own[k]);
    }
    cn_worst_add(worst, at_rest, 0.0, i);
    cn_worst_add(worst, fmax(cn_norm3(before), model->body[i].bound * cn_norm3(before + 3)),
                 CN_SLOW_ROOM * model->settings.sleep_speed, i);
}

static void cn_body_balance(cn_checking *check, int32_t i, cn_check_worst *worst) {
    const cn_model *model = check->model;
    cn_check_frame *frame = &check->frame;
    const double none[6] = {0.0}, *load = frame->load ? frame->load + 6 * (int64_t)i : none;
    double before[6], after[6], change[6], given[6], R[9], *scale = frame->scale + 2 * (int64_t)i;
    cn_six(model->dim, cn_velocity_of(model, frame->v_before, i), before);
    cn_six(model->dim, cn_velocity_of(model, frame->v_new, i), after);
    cn_rotation_of(model->dim, cn_pose_of(model, frame->middle, i), R);
    for (int k = 0; k < 6; k++) {
        double weight = k < model->dim && k < 3 ? model->body[i].mass * frame->gravity[k] : 0.0;
        change[k] = after[k] - before[k];
        given[k] = frame->h * (weight + load[k]) + frame->impulse[6 * (int64_t)i + k];
        scale[k / 3] += frame->h * (fabs(weight) + fabs(load[k])) +
                        (k < 3 ? model->body[i].mass * (fabs(before[k]) + fabs(after[k])) : 0.0);
    }
    // Rates of the body at the end of an arm of its own size count for the angular terms.
    double length = model->body[i].bound < HUGE_VAL ? model->body[i].bound : 1.0;
    for (int half = 0; half < 2; half++) {
        double size = scale[half] + (half ? length * scale[0] : 0.0);
        double left = cn_left_over(model, i, half, R, change + 3 * half, given + 3 * half, &size);
        cn_worst_add(worst, half ? left / fmax(length, 1e-300) : left,
                     CN_CHECK_ROUND * (half ? size / fmax(length, 1e-300) : size), i);
    }
}

void cn_check_momentum(cn_checking *check) {
    const cn_model *model = check->model;
    cn_check_frame *frame = &check->frame;
    cn_check_worst worst = {.any = false}, sleeping = {.any = false}, fallen = {.any = false};
    for (int32_t i = 0; i < model->body_count; i++) {
        if (model->body[i].role != CN_BODY_FREE) {
            continue;
        }
        if (frame->asleep && frame->asleep[i] > 0 && !(model->settings.sleep_speed > 0.0)) {
            cn_check_find(check, "frame", frame->step, 1.0, 0.0,
                          "body %d sleeps, which its scene does not allow", (int)i + 1);
            return;
        }
        if (cn_is_moved(check, i)) {
            cn_body_balance(check, i, &worst);
            if (frame->asleep && frame->asleep[i] == 2) {
                cn_sleeper_start(check, i, &fallen);
            }
        } else {
            double at_rest = 0.0;
            for (int32_t k = 0; k < cn_velocity_size(model->dim); k++) {
                at_rest += fabs(cn_velocity_of(model, frame->v, i)[k]);
            }
            cn_worst_add(&worst, at_rest, 0.0, i);
            cn_sleeper_balance(check, i, &sleeping);
        }
    }
    if (cn_worst_note(check, CN_CHECK_MOMENTUM, &worst, frame->step)) {
        cn_check_find(check, "frame", frame->step, worst.value, worst.allowed,
                      "the momentum of body %d does not balance", (int)worst.where + 1);
    }
    if (cn_worst_note(check, CN_CHECK_MOMENTUM, &sleeping, frame->step)) {
        cn_check_find(check, "contact", frame->step, sleeping.value, sleeping.allowed,
                      "body %d sleeps, and what it rests on does not bear it",
                      (int)sleeping.where + 1);
    }
    if (fallen.any && !(fallen.value <= fallen.allowed)) {
        cn_check_find(check, "frame", frame->step, fallen.value, fallen.allowed,
                      "body %d fell asleep while it moved, or moves in its sleep",
                      (int)fallen.where + 1);
    }
}
