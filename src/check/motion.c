// check/motion.c
// Where bodies are and how they move: q~ by free motion backwards from the end of the step, fixed
// and driven bodies as the scene says, and the way from the frame before where that is one step
// away.
#include "check/check.h"

#include "base/arena.h"
#include "math/rotation.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define CN_TIME_ROUND 1e-12 // [s] and of the time: a step's start and length against its end

// Poses of the centres of mass from those of the bodies' own frames.
static double *cn_centres(cn_checking *check) {
    const cn_model *model = check->model;
    int64_t count = (int64_t)cn_pose_size(model->dim) * model->body_count;
    double *out = CN_TAKE(check->frame_memory, double, count);
    if (!out) {
        return NULL;
    }
    memcpy(out, check->frame.q, sizeof *out * (size_t)count);
    for (int32_t i = 0; i < model->body_count; i++) {
        double *pose = cn_pose_of(model, out, i), R[9], offset[3];
        cn_rotation_of(model->dim, pose, R);
        cn_mat3_apply(R, model->body[i].com, offset);
        for (int32_t k = 0; k < model->dim; k++) {
            pose[k] += offset[k];
        }
    }
    return out;
}

// Free motion of a body for time h.
static void cn_flight(const cn_model *model, int32_t i, const double *q, const double *v, double h,
                      double *q_out, double *v_out) {
    if (model->body[i].role == CN_BODY_FREE) {
        cn_rigid rigid = cn_body_rigid(model, i);
        cn_rigid_drift(&rigid, q, v, h, q_out, v_out);
    } else {
        cn_rigid_move(model->dim, q, v, h, q_out);
        memcpy(v_out, v, sizeof *v * (size_t)cn_velocity_size(model->dim));
    }
}

void cn_check_middle(cn_checking *check) {
    const cn_model *model = check->model;
    cn_check_frame *frame = &check->frame;
    int64_t poses = (int64_t)cn_pose_size(model->dim) * model->body_count,
            velocities = (int64_t)cn_velocity_size(model->dim) * model->body_count;
    frame->cut = frame->h < model->settings.step;
    frame->middle = frame->middle ? frame->middle : CN_TAKE(check->frame_memory, double, poses);
    frame->v_new = CN_TAKE(check->frame_memory, double, velocities);
    frame->v_free = CN_TAKE(check->frame_memory, double, velocities);
    frame->impulse = CN_TAKE_ZERO(check->frame_memory, double, 6 * (int64_t)model->body_count);
    frame->scale = CN_TAKE_ZERO(check->frame_memory, double, 2 * (int64_t)model->body_count);
    frame->end = cn_centres(check);
    double back = -check->theta * frame->h;
    if (!frame->middle || !frame->v_new || !frame->v_free || !frame->end || !frame->impulse ||
        !frame->scale) {
        return;
    }
    for (int32_t i = 0; i < model->body_count; i++) {
        double *q = cn_pose_of(model, frame->middle, i),
               *v = cn_velocity_of(model, frame->v_new, i);
        const double *end = cn_pose_of(model, frame->end, i),
                     *last = cn_velocity_of(model, frame->v, i);
        if (!frame->v_after) {
            cn_flight(model, i, end, last, back, q, v);
            continue;
        }
        memcpy(v, cn_velocity_of(model, frame->v_after, i),
               sizeof *v * (size_t)cn_velocity_size(model->dim));
    }
}

// ---- given motions ----

void cn_motion_at(const cn_checking *check, const cn_motion *motion, double t, double out[6]) {
    const cn_model *model = check->model;
    cn_evaluator *signals = check->signals;
    for (int32_t k = 0; k < 3; k++) {
        out[k] = k < model->dim ? cn_signal_at(motion->velocity[k], signals, t) : 0.0;
        bool turns = model->dim == 3 || k == 2;
        out[3 + k] = turns ? cn_signal_at(motion->angular_velocity[k], signals, t) : 0.0;
    }
}

static void cn_check_driven(cn_checking *check, cn_check_worst *worst) {
    const cn_model *model = check->model;
    cn_check_frame *frame = &check->frame;
    for (int32_t m = 0; m < model->motion_count && !model->control; m++) {
        const cn_motion *motion = &model->motion[m];
        for (int end = 0; end < 2; end++) {
            double given[6], own[6], apart = 0.0, scale = 1.0;
            cn_motion_at(check, motion, end ? frame->start + frame->h : frame->start, given);
            cn_six(model->dim,
                   cn_velocity_of(model, end ? frame->v_new : frame->v_before, motion->body), own);
            for (int k = 0; k < 6; k++) {
                apart += fabs(own[k] - given[k]);
                scale += fabs(given[k]);
            }
            cn_worst_add(worst, apart, CN_CHECK_ROUND * scale, motion->body);
        }
    }
}

// Fixed bodies where the scene has them, at rest; at the start all bodies.
static void cn_check_fixed(cn_checking *check, cn_check_worst *worst) {
    const cn_model *model = check->model;
    cn_check_frame *frame = &check->frame;
    bool start = frame->step == 0;
    int32_t pose = cn_pose_size(model->dim), size = cn_velocity_size(model->dim);
    for (int32_t i = 0; i < model->body_count; i++) {
        bool fixed = model->body[i].role == CN_BODY_FIXED;
        double apart = 0.0, scale = 1.0;
        for (int32_t k = 0; (fixed || start) && k < pose; k++) {
            double given = model->q0[(int64_t)pose * i + k];
            apart += fabs(cn_pose_of(model, frame->end, i)[k] - given);
            scale += fabs(given);
        }
        for (int32_t k = 0; k < size && (fixed || (start && model->joint_count == 0)); k++) {
            double given = model->v0 && !fixed ? model->v0[(int64_t)size * i + k] : 0.0;
            apart += fabs(cn_velocity_of(model, frame->v, i)[k] - given);
            scale += fabs(given);
        }
        cn_worst_add(worst, apart, CN_CHECK_ROUND * scale, i);
    }
}

// ---- from the frame before ----

// q~ and the velocities before the impulses, from the end of the step before and the lift.
static void cn_check_chain(cn_checking *check, int32_t i, cn_check_worst *worst) {
    const cn_model *model = check->model;
    cn_check_frame *frame = &check->frame;
    int32_t dim = model->dim, pose = cn_pose_size(dim), size = cn_velocity_size(dim);
    double q[7], v[6], from[6], apart = 0.0, scale = 1.0;
    memcpy(from, cn_velocity_of(model, check->last.v, i), sizeof *from * (size_t)size);
    if (model->body[i].role == CN_BODY_DRIVEN) {
        memcpy(from, cn_velocity_of(model, frame->v_before, i), sizeof *from * (size_t)size);
    }
    cn_flight(model, i, cn_pose_of(model, check->last.end, i), from,
              (1.0 - check->theta) * frame->h, q, v);
    const double *own = cn_velocity_of(model, frame->v_before, i);
    if (frame->projection && model->body[i].role == CN_BODY_FREE) {
        const double *way = cn_velocity_of(model, frame->projection, i);
        cn_rigid_move(dim, q, way, 1.0, q);
        // The rate of a body that is lifted turns with it, where its inertia is not isotropic; its
        // size stays in any case.
        if (dim == 3) {
            double sign = cn_norm3(v + 3) > 0.0 ? cn_norm3(own + 3) / cn_norm3(v + 3) : 1.0;
            for (int k = 3; k < 6; k++) {
                v[k] = model->body[i].ball ? v[k] : own[k] / (sign > 0.0 ? sign : 1.0);
            }
        }
    }
    const double *at = cn_pose_of(model, frame->middle, i);
    double mirrored = 0.0, straight = 0.0; // a quaternion and its negative are one orientation
    for (int32_t k = 0; k < pose; k++) {
        scale += fabs(q[k]);
        if (dim == 3 && k >= 3) {
            straight += fabs(at[k] - q[k]);
            mirrored += fabs(at[k] + q[k]);
        } else {
            apart += fabs(at[k] - q[k]);
        }
    }
    for (int32_t k = 0; k < size; k++) {
        apart += fabs(own[k] - v[k]);
        scale += fabs(v[k]);
    }
    cn_worst_add(worst, apart + fmin(straight, mirrored), CN_CHECK_ROUND * scale, i);
}

// The end of the step where q~ was recorded beside it: free motion from there, but for velocities
// that joints or sleep change, and poses that were projected onto joints.
static void cn_check_end(cn_checking *check, int32_t i, cn_check_worst *worst) {
    const cn_model *model = check->model;
    cn_check_frame *frame = &check->frame;
    double q[7], v[6], apart = 0.0, scale = 1.0;
    bool slept = frame->asleep && frame->asleep[i] == 2,
         projected = model->settings.joint_drift == CN_DRIFT_PROJECTION;
    cn_flight(model, i, cn_pose_of(model, frame->middle, i), cn_velocity_of(model, frame->v_new, i),
              check->theta * frame->h, q, v);
    for (int32_t k = 0; k < cn_pose_size(model->dim) && !projected; k++) {
        apart += fabs(q[k] - cn_pose_of(model, frame->end, i)[k]);
        scale += fabs(q[k]);
    }
    bool changed = model->body[i].role == CN_BODY_FREE && (frame->settled || slept);
    for (int32_t k = 0; k < cn_velocity_size(model->dim) && !changed; k++) {
        apart += fabs(v[k] - cn_velocity_of(model, frame->v, i)[k]);
        scale += fabs(v[k]);
    }
    cn_worst_add(worst, apart, CN_CHECK_ROUND * scale, i);
}

bool cn_may_be_cut(const cn_checking *check, int64_t step) {
    const cn_settings *settings = &check->model->settings;
    bool fast = settings->continuous && (check->model->bounces || step == 1);
    return settings->error > 0.0 || fast || settings->on_stall == CN_STALL_HALVE;
}

static void cn_check_times(cn_checking *check) {
    const cn_check_frame *frame = &check->frame;
    double step = check->model->settings.step, end = frame->start + frame->h;
    bool sound = frame->h > 0.0 && frame->h <= step &&
                 fabs(end - frame->t) <= CN_TIME_ROUND * (1.0 + fabs(frame->t));
    if (!sound) {
        cn_check_find(check, "frame", frame->step, end, frame->t,
                      "start and h are not those of a step that ends at t");
    }
    if (sound && frame->h < step && !cn_may_be_cut(check, frame->step)) {
        cn_check_find(check, "frame", frame->step, frame->h, step,
                      "the step was cut, which its scene does not allow");
    }
}

// Bodies are lifted out of overlaps, by no more than all of these together.
static void cn_check_lift(cn_checking *check, cn_check_worst *worst) {
    const cn_model *model = check->model;
    cn_check_frame *frame = &check->frame;
    double overlaps = 0.0;
    bool may = model->settings.penetration_slop > 0.0 && !check->stabilised;
    for (int32_t c = 0; c < frame->contacts && may; c++) {
        overlaps += fmax(0.0, -frame->contact[c].gap);
    }
    for (int32_t i = 0; frame->projection && i < model->body_count; i++) {
        double way[6], bound = model->body[i].bound;
        cn_six(model->dim, cn_velocity_of(model, frame->projection, i), way);
        double size = cn_norm3(way) + (bound < HUGE_VAL ? bound * cn_norm3(way + 3) : 0.0);
        cn_worst_add(worst, size, model->body[i].role == CN_BODY_FREE ? overlaps : 0.0, i);
    }
}

void cn_check_motion(cn_checking *check) {
    const cn_model *model = check->model;
    cn_check_frame *frame = &check->frame;
    cn_check_worst worst = {.any = false};
    if (model->system) {
        return;
    }
    frame->end = frame->end ? frame->end : cn_centres(check);
    if (!frame->end) {
        return;
    }
    cn_check_fixed(check, &worst);
    if (frame->v_new) {
        cn_check_times(check);
        cn_check_driven(check, &worst);
        cn_check_lift(check, &worst);
        bool next = check->has_last && check->last.end && check->last.step == frame->step - 1 &&
                    !frame->cut;
        for (int32_t i = 0; i < model->body_count; i++) {
            if (next) {
                cn_check_chain(check, i, &worst);
            }
            if (frame->v_after) {
                cn_check_end(check, i, &worst);
            }
        }
    }
    if (cn_worst_note(check, CN_CHECK_MOTION, &worst, frame->step)) {
        cn_check_find(check, "frame", frame->step, worst.value, worst.allowed,
                      "body %d is not where it must be, or moves as it cannot",
                      (int)worst.where + 1);
    }
}
