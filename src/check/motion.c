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

#define TIME_ROUND 1e-12 // [s] and of the time: a step's start and length against its end

// Poses of the centres of mass from those of the bodies' own frames.
static double *centres(check_checking *check) {
    const cn_model *model = check->model;
    int64_t count = (int64_t)model_pose_size(model->dim) * model->body_count;
    double *out = BASE_TAKE(check->frame_memory, double, count);
    if (!out) {
        return NULL;
    }
    memcpy(out, check->frame.q, sizeof *out * (size_t)count);
    for (int32_t i = 0; i < model->body_count; i++) {
        double *pose = check_pose_of(model, out, i), R[9], offset[3];
        check_rotation_of(model->dim, pose, R);
        math_mat3_apply(R, model->body[i].com, offset);
        for (int32_t k = 0; k < model->dim; k++) {
            pose[k] += offset[k];
        }
    }
    return out;
}

// Free motion of a body for time h.
static void flight(const cn_model *model, int32_t i, const double *q, const double *v, double h,
                   double *q_out, double *v_out) {
    if (model->body[i].role == MODEL_BODY_FREE) {
        body_rigid rigid = model_body_rigid(model, i);
        rigid_drift(&rigid, q, v, h, q_out, v_out);
    } else {
        rigid_move(model->dim, q, v, h, q_out);
        memcpy(v_out, v, sizeof *v * (size_t)model_velocity_size(model->dim));
    }
}

void check_middle(check_checking *check) {
    const cn_model *model = check->model;
    check_frame *frame = &check->frame;
    int64_t poses = (int64_t)model_pose_size(model->dim) * model->body_count,
            velocities = model_node_velocity(model, model->node_count);
    frame->cut = frame->h < model->settings.step;
    frame->middle = frame->middle ? frame->middle : BASE_TAKE(check->frame_memory, double, poses);
    frame->v_new = BASE_TAKE(check->frame_memory, double, velocities);
    frame->v_free = BASE_TAKE(check->frame_memory, double, velocities);
    frame->impulse = BASE_TAKE_ZERO(check->frame_memory, double, 6 * (int64_t)model->body_count);
    frame->scale = BASE_TAKE_ZERO(check->frame_memory, double, 2 * (int64_t)model->body_count);
    frame->end = centres(check);
    double back = -check->theta * frame->h;
    if (!frame->middle || !frame->v_new || !frame->v_free || !frame->end || !frame->impulse ||
        !frame->scale) {
        return;
    }
    for (int32_t i = 0; i < model->body_count; i++) {
        double *q = check_pose_of(model, frame->middle, i),
               *v = check_velocity_of(model, frame->v_new, i);
        const double *end = check_pose_of(model, frame->end, i),
                     *last = check_velocity_of(model, frame->v, i);
        if (!frame->v_after) {
            flight(model, i, end, last, back, q, v);
            continue;
        }
        memcpy(v, check_velocity_of(model, frame->v_after, i),
               sizeof *v * (size_t)model_velocity_size(model->dim));
    }
    memcpy(frame->v_new + model_node_velocity(model, 0), frame->v + model_node_velocity(model, 0),
           sizeof *frame->v * (size_t)model->dim * (size_t)model->node_count);
}

// ---- given motions ----

static void check_driven(check_checking *check, check_worst *worst) {
    const cn_model *model = check->model;
    check_frame *frame = &check->frame;
    for (int32_t m = 0; m < model->motion_count && !model->control; m++) {
        const model_motion *motion = &model->motion[m];
        for (int end = 0; end < 2; end++) {
            double given[6], own[6], apart = 0.0, scale = 1.0;
            model_motion_velocity(model, motion, check->signals,
                                  end ? frame->start + frame->h : frame->start, given);
            check_six(model->dim,
                      check_velocity_of(model, end ? frame->v_new : frame->v_before, motion->body),
                      own);
            for (int k = 0; k < 6; k++) {
                apart += fabs(own[k] - given[k]);
                scale += fabs(given[k]);
            }
            check_worst_add(worst, apart, CHECK_ROUND * scale, motion->body);
        }
    }
}

// Fixed bodies where the scene has them, at rest; at the start all bodies.
static void check_fixed(check_checking *check, check_worst *worst) {
    const cn_model *model = check->model;
    check_frame *frame = &check->frame;
    bool start = frame->step == 0 && !frame->jumped;
    int32_t pose = model_pose_size(model->dim), size = model_velocity_size(model->dim);
    for (int32_t i = 0; i < model->body_count; i++) {
        bool fixed = model->body[i].role == MODEL_BODY_FIXED;
        double apart = 0.0, scale = 1.0;
        for (int32_t k = 0; (fixed || start) && k < pose; k++) {
            double given = model->q0[(int64_t)pose * i + k];
            apart += fabs(check_pose_of(model, frame->end, i)[k] - given);
            scale += fabs(given);
        }
        for (int32_t k = 0; k < size && (fixed || (start && model->joint_count == 0)); k++) {
            double given = model->v0 && !fixed ? model->v0[(int64_t)size * i + k] : 0.0;
            apart += fabs(check_velocity_of(model, frame->v, i)[k] - given);
            scale += fabs(given);
        }
        check_worst_add(worst, apart, CHECK_ROUND * scale, i);
    }
}

// ---- from the frame before ----

// q~ and the velocities before the impulses, from the end of the step before and the lift.
static void check_chain(check_checking *check, int32_t i, check_worst *worst) {
    const cn_model *model = check->model;
    check_frame *frame = &check->frame;
    int32_t dim = model->dim, pose = model_pose_size(dim), size = model_velocity_size(dim);
    double q[7], v[6], from[6], apart = 0.0, scale = 1.0;
    memcpy(from, check_velocity_of(model, check->last.v, i), sizeof *from * (size_t)size);
    if (model->body[i].role == MODEL_BODY_DRIVEN) {
        memcpy(from, check_velocity_of(model, frame->v_before, i), sizeof *from * (size_t)size);
    }
    flight(model, i, check_pose_of(model, check->last.end, i), from,
           (1.0 - check->theta) * frame->h, q, v);
    const double *own = check_velocity_of(model, frame->v_before, i);
    if (frame->projection && model->body[i].role == MODEL_BODY_FREE) {
        const double *way = check_velocity_of(model, frame->projection, i);
        rigid_move(dim, q, way, 1.0, q);
        // The rate of a body that is lifted turns with it, where its inertia is not isotropic; its
        // size stays in any case.
        if (dim == 3) {
            double sign = math_norm3(v + 3) > 0.0 ? math_norm3(own + 3) / math_norm3(v + 3) : 1.0;
            for (int k = 3; k < 6; k++) {
                v[k] = model->body[i].sphere ? v[k] : own[k] / (sign > 0.0 ? sign : 1.0);
            }
        }
    }
    const double *at = check_pose_of(model, frame->middle, i);
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
    check_worst_add(worst, apart + fmin(straight, mirrored), CHECK_ROUND * scale, i);
}

// The end of the step where q~ was recorded beside it: free motion from there, but for velocities
// that joints or sleep change, and poses that were projected onto joints.
static void check_end(check_checking *check, int32_t i, check_worst *worst) {
    const cn_model *model = check->model;
    check_frame *frame = &check->frame;
    double q[7], v[6], apart = 0.0, scale = 1.0;
    bool slept = frame->asleep && frame->asleep[i] == 2,
         projected = model->settings.joint_drift == CN_DRIFT_PROJECTION;
    flight(model, i, check_pose_of(model, frame->middle, i),
           check_velocity_of(model, frame->v_new, i), check->theta * frame->h, q, v);
    for (int32_t k = 0; k < model_pose_size(model->dim) && !projected; k++) {
        apart += fabs(q[k] - check_pose_of(model, frame->end, i)[k]);
        scale += fabs(q[k]);
    }
    bool changed = model->body[i].role == MODEL_BODY_FREE && (frame->settled || slept);
    for (int32_t k = 0; k < model_velocity_size(model->dim) && !changed; k++) {
        apart += fabs(v[k] - check_velocity_of(model, frame->v, i)[k]);
        scale += fabs(v[k]);
    }
    check_worst_add(worst, apart, CHECK_ROUND * scale, i);
}

bool check_may_be_cut(const check_checking *check, int64_t step) {
    const cn_settings *settings = &check->model->settings;
    bool fast = settings->continuous && (check->model->bounces || step == 1);
    return settings->error > 0.0 || fast || settings->on_stall == CN_STALL_HALVE;
}

static void check_times(check_checking *check) {
    const check_frame *frame = &check->frame;
    double step = check->model->settings.step, end = frame->start + frame->h;
    bool sound = frame->h > 0.0 && frame->h <= step &&
                 fabs(end - frame->t) <= TIME_ROUND * (1.0 + fabs(frame->t));
    if (!sound) {
        check_find(check, "frame", frame->step, end, frame->t,
                   "start and h are not those of a step that ends at t");
    }
    if (sound && frame->h < step && !check_may_be_cut(check, frame->step)) {
        check_find(check, "frame", frame->step, frame->h, step,
                   "the step was cut, which its scene does not allow");
    }
}

// Bodies are lifted out of overlaps, by no more than all of these together.
static void check_lift(check_checking *check, check_worst *worst) {
    const cn_model *model = check->model;
    check_frame *frame = &check->frame;
    double overlaps = 0.0;
    bool may = model->settings.penetration_slop > 0.0 && !check->stabilised;
    for (int32_t c = 0; c < frame->contacts && may; c++) {
        overlaps += fmax(0.0, -frame->contact[c].gap);
    }
    for (int32_t i = 0; frame->projection && i < model->body_count; i++) {
        double way[6], bound = model->body[i].bound;
        check_six(model->dim, check_velocity_of(model, frame->projection, i), way);
        double size = math_norm3(way) + (bound < HUGE_VAL ? bound * math_norm3(way + 3) : 0.0);
        check_worst_add(worst, size, model->body[i].role == MODEL_BODY_FREE ? overlaps : 0.0, i);
    }
}

void check_motion(check_checking *check) {
    const cn_model *model = check->model;
    check_frame *frame = &check->frame;
    check_worst worst = {.any = false};
    if (model->system) {
        return;
    }
    frame->end = frame->end ? frame->end : centres(check);
    if (!frame->end) {
        return;
    }
    check_fixed(check, &worst);
    if (frame->v_new) {
        check_times(check);
        check_driven(check, &worst);
        check_lift(check, &worst);
        bool next = check->has_last && check->last.end && check->last.step == frame->step - 1 &&
                    !frame->cut && !frame->jumped;
        for (int32_t i = 0; i < model->body_count; i++) {
            if (model_is_deformable(model, i)) {
                continue; // its nodes are followed
            }
            if (next) {
                check_chain(check, i, &worst);
            }
            if (frame->v_after) {
                check_end(check, i, &worst);
            }
        }
    }
    if (check_worst_note(check, CN_CHECK_MOTION, &worst, frame->step)) {
        check_find(check, "frame", frame->step, worst.value, worst.allowed,
                   "body %d is not where it must be, or moves as it cannot", (int)worst.where + 1);
    }
}
