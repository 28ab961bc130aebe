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

#define SLOW_ROOM 1.000001 // of the speed of sleep: rates turn with bodies in the rest of the step

void check_give_impulse(check_frame *frame, int32_t body, const double arm[3],
                        const double impulse[3], double sign) {
    double moment[3], *own = frame->impulse + 6 * (int64_t)body,
                      *scale = frame->scale + 2 * (int64_t)body;
    math_cross3(arm, impulse, moment);
    math_add_scaled3(own, sign, impulse, own);
    math_add_scaled3(own + 3, sign, moment, own + 3);
    scale[0] += math_norm3(impulse);
    scale[1] += math_norm3(arm) * math_norm3(impulse);
}

// ---- given forces ----

double check_mean_signal(const check_checking *check, const base_signal *signal) {
    const check_frame *frame = &check->frame;
    return check->theta * base_signal_at(signal, check->signals, frame->start + frame->h) +
           (1.0 - check->theta) * base_signal_at(signal, check->signals, frame->start);
}

static void given_force(check_checking *check, const model_force *given, double *load) {
    const cn_model *model = check->model;
    double force[3], torque[3], R[9];
    for (int k = 0; k < 3; k++) {
        force[k] = check_mean_signal(check, given->force[k]);
        torque[k] = check_mean_signal(check, given->torque[k]);
    }
    check_rotation_of(model->dim, check_pose_of(model, check->frame.middle, given->body), R);
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
    math_add_scaled3(load, 1.0, force, load);
    math_add_scaled3(load + 3, 1.0, torque, load + 3);
}

double check_motor_force(const check_checking *check, const model_joint *joint) {
    double given = joint->motor == CN_MOTOR_FORCE ? check_mean_signal(check, joint->target) : 0.0;
    return fmin(fmax(given, -joint->motor_max), joint->motor_max);
}

static void motor_force(check_checking *check, int32_t j, double *load) {
    const cn_model *model = check->model;
    check_frame *frame = &check->frame;
    const model_joint *joint = &model->joint[j];
    if (joint->motor != CN_MOTOR_FORCE) {
        return;
    }
    double J[12], given = check_motor_force(check, joint);
    joint_view view;
    joint_look(model->dim, &joint->geometry, check_pose_of(model, frame->middle, joint->body[0]),
               check_pose_of(model, frame->middle, joint->body[1]), frame->angle + 2 * (int64_t)j,
               &view);
    joint_gauge(&view, joint_form_of(joint->geometry.kind, model->dim)->drive, J);
    for (int32_t k = 0; k < 12; k++) {
        load[6 * (int64_t)joint->body[k / 6] + k % 6] += given * J[k];
    }
}

void check_loads(check_checking *check) {
    const cn_model *model = check->model;
    check_frame *frame = &check->frame;
    int64_t numbers = 6 * (int64_t)model->body_count;
    if (!frame->load && !model->control && (model->force_count > 0 || model->joint_count > 0)) {
        frame->load = BASE_TAKE_ZERO(check->frame_memory, double, numbers);
        for (int32_t i = 0; frame->load && i < model->force_count; i++) {
            given_force(check, &model->force[i], frame->load + 6 * (int64_t)model->force[i].body);
        }
        for (int32_t j = 0; frame->load && j < model->joint_count; j++) {
            motor_force(check, j, frame->load);
        }
    }
    // Velocities without contacts and joints: for the scale of the residual.
    for (int32_t i = 0; i < model->body_count; i++) {
        const double none[6] = {0.0}, *load = frame->load ? frame->load + 6 * (int64_t)i : none;
        double *free = check_velocity_of(model, frame->v_free, i), inverse[36], force[3];
        size_t bytes = sizeof *free * (size_t)model_velocity_size(model->dim);
        if (!check_is_moved(check, i)) {
            memcpy(free, check_velocity_of(model, frame->v_new, i), bytes);
            continue;
        }
        body_rigid rigid = model_body_rigid(model, i);
        rigid_inverse_mass(&rigid, check_pose_of(model, frame->middle, i), inverse);
        math_add_scaled3(load, rigid.mass, frame->gravity, force);
        rigid_kick(&rigid, check_pose_of(model, frame->middle, i), inverse, force, load + 3,
                   frame->h, check_velocity_of(model, frame->v_before, i), free);
    }
}

// ---- the balance ----

// Axes of the locks as columns.
static void axes_of_locks(const cn_model *model, int32_t i, const double R[9], double axes[9]) {
    static const double world[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    memcpy(axes, model->body[i].lock_body_axes ? R : world, sizeof world);
}

// M times the change of velocity in the free directions, less what was given; the part that is left
// there. half 0: linear, 1: angular.
static double left_over(const cn_model *model, int32_t i, int half, const double R[9],
                        const double change[3], const double given[3], double *size) {
    const model_body *body = &model->body[i];
    double axes[9], moved[3], own[3], part[3], left = 0.0;
    uint32_t lock = body->lock >> (3 * half);
    axes_of_locks(model, i, R, axes);
    memcpy(moved, change, sizeof moved);
    for (int k = 0; k < 3; k++) {
        const double axis[3] = {axes[k], axes[3 + k], axes[6 + k]};
        if (lock >> k & 1u) {
            math_add_scaled3(moved, -math_dot3(axis, moved), axis, moved);
        }
    }
    if (half == 0) {
        for (int k = 0; k < 3; k++) {
            own[k] = body->mass * moved[k];
        }
    } else {
        const double *inertia = model->inertia[body->inertia].tensor;
        math_mat3_apply_transposed(R, moved, own);
        if (model->dim == 3) {
            math_mat3_apply(inertia, own, own);
        } else {
            own[2] *= inertia[8];
        }
        math_mat3_apply(R, own, own);
    }
    *size += math_norm3(own);
    math_sub3(own, given, part);
    for (int k = 0; k < 3; k++) {
        const double axis[3] = {axes[k], axes[3 + k], axes[6 + k]};
        bool there = model->dim == 3 || (half == 0 ? k < 2 : k == 2);
        if (there && !(lock >> k & 1u)) {
            left = hypot(left, math_dot3(axis, part));
        }
    }
    return left;
}

// A body that sleeps: what rests on it and its weight balance to what it moved by when it fell
// asleep. Slow is a body of which no point is faster than the speed of sleep.
static void sleeper_balance(check_checking *check, int32_t i, check_worst *worst) {
    const cn_model *model = check->model;
    const check_frame *frame = &check->frame;
    const model_body *body = &model->body[i];
    double sum[6], slow = model->settings.sleep_speed, *scale = frame->scale + 2 * (int64_t)i;
    for (int k = 0; k < 6; k++) {
        double load = frame->load ? frame->load[6 * (int64_t)i + k] : 0.0;
        double weight = k < model->dim && k < 3 ? body->mass * frame->gravity[k] : 0.0;
        sum[k] = frame->impulse[6 * (int64_t)i + k] + model->settings.step * (weight + load);
    }
    // A step that was cut was shorter than this.
    bool whole = !(model->settings.error > 0.0) && body->lock == 0;
    if (whole) {
        check_worst_add(worst, math_norm3(sum), 2.0 * body->mass * slow + CHECK_ROUND * scale[0],
                        i);
        check_worst_add(worst, math_norm3(sum + 3),
                        2.0 * body->mass * body->bound * slow + CHECK_ROUND * scale[1], i);
    }
}

// A body that fell asleep at the end of the step: it was slow, and is at rest.
static void sleeper_start(check_checking *check, int32_t i, check_worst *worst) {
    const cn_model *model = check->model;
    check_frame *frame = &check->frame;
    double own[6], before[6], at_rest = 0.0;
    check_six(model->dim, check_velocity_of(model, frame->v, i), own);
    check_six(model->dim, check_velocity_of(model, frame->v_new, i), before);
    for (int k = 0; k < 6; k++) {
        at_rest += fabs(own[k]);
    }
    check_worst_add(worst, at_rest, 0.0, i);
    check_worst_add(worst, fmax(math_norm3(before), model->body[i].bound * math_norm3(before + 3)),
                    SLOW_ROOM * model->settings.sleep_speed, i);
}

static void body_balance(check_checking *check, int32_t i, check_worst *worst) {
    const cn_model *model = check->model;
    check_frame *frame = &check->frame;
    const double none[6] = {0.0}, *load = frame->load ? frame->load + 6 * (int64_t)i : none;
    double before[6], after[6], change[6], given[6], R[9], *scale = frame->scale + 2 * (int64_t)i;
    check_six(model->dim, check_velocity_of(model, frame->v_before, i), before);
    check_six(model->dim, check_velocity_of(model, frame->v_new, i), after);
    check_rotation_of(model->dim, check_pose_of(model, frame->middle, i), R);
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
        double left = left_over(model, i, half, R, change + 3 * half, given + 3 * half, &size);
        check_worst_add(worst, half ? left / fmax(length, 1e-300) : left,
                        CHECK_ROUND * (half ? size / fmax(length, 1e-300) : size), i);
    }
}

void check_momentum(check_checking *check) {
    const cn_model *model = check->model;
    check_frame *frame = &check->frame;
    check_worst worst = {.any = false}, sleeping = {.any = false}, fallen = {.any = false};
    for (int32_t i = 0; i < model->body_count; i++) {
        if (model->body[i].role != MODEL_BODY_FREE) {
            continue;
        }
        if (frame->asleep && frame->asleep[i] > 0 && !(model->settings.sleep_speed > 0.0)) {
            check_find(check, "frame", frame->step, 1.0, 0.0,
                       "body %d sleeps, which its scene does not allow", (int)i + 1);
            return;
        }
        if (check_is_moved(check, i)) {
            body_balance(check, i, &worst);
            if (frame->asleep && frame->asleep[i] == 2) {
                sleeper_start(check, i, &fallen);
            }
        } else {
            double at_rest = 0.0;
            for (int32_t k = 0; k < model_velocity_size(model->dim); k++) {
                at_rest += fabs(check_velocity_of(model, frame->v, i)[k]);
            }
            check_worst_add(&worst, at_rest, 0.0, i);
            sleeper_balance(check, i, &sleeping);
        }
    }
    if (check_worst_note(check, CN_CHECK_MOMENTUM, &worst, frame->step)) {
        check_find(check, "frame", frame->step, worst.value, worst.allowed,
                   "the momentum of body %d does not balance", (int)worst.where + 1);
    }
    if (check_worst_note(check, CN_CHECK_MOMENTUM, &sleeping, frame->step)) {
        check_find(check, "contact", frame->step, sleeping.value, sleeping.allowed,
                   "body %d sleeps, and what it rests on does not bear it",
                   (int)sleeping.where + 1);
    }
    if (fallen.any && !(fallen.value <= fallen.allowed)) {
        check_find(check, "frame", frame->step, fallen.value, fallen.allowed,
                   "body %d fell asleep while it moved, or moves in its sleep",
                   (int)fallen.where + 1);
    }
}
