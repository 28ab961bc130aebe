// check/path.c
// The way from the frame before to this one, of which nothing but the ledger is recorded. Driven
// bodies follow their motion, which is summed here step by step as the scheme sums it. A free body
// has at most the kinetic energy of its row, so that in each step it comes no farther than
//     h ((1 - theta) sqrt(2 T_0 / m) + theta sqrt(2 T_1 / m)).
#include "check/check.h"

#include "base/arena.h"
#include "math/rotation.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define WAY_ROOM 2.0 // of that bound: what joints and parts of a step take within it

struct check_path {
    int64_t step;            // up to which poses are summed
    double *driven, *varied; // of each motion: pose, and how far parts of steps may change it
    double way, lifts;       // since the frame before: of a body of mass 1; by overlaps
    double energy;           // of the row before
    double *from;            // centres of mass at the frame before, dim each; NaN: unknown
};

bool check_path_prepare(check_checking *check) {
    const cn_model *model = check->model;
    int32_t pose = model_pose_size(model->dim);
    check_path *path = BASE_TAKE_ZERO(check->memory, check_path, 1);
    check->path = path;
    if (!path) {
        return false;
    }
    path->driven = BASE_TAKE(check->memory, double, (int64_t)pose * model->motion_count);
    path->varied = BASE_TAKE_ZERO(check->memory, double, model->motion_count);
    path->from = BASE_TAKE(check->memory, double, (int64_t)model->dim * model->body_count);
    if (!path->driven || !path->varied || !path->from) {
        return false;
    }
    path->from[0] = (double)NAN;
    for (int32_t m = 0; m < model->motion_count; m++) {
        memcpy(path->driven + (int64_t)pose * m, model->q0 + (int64_t)pose * model->motion[m].body,
               sizeof(double) * (size_t)pose);
    }
    return true;
}

// ---- driven bodies ----

static void given_velocity(const check_checking *check, const model_motion *motion, double t,
                           double out[6]) {
    const cn_model *model = check->model;
    double v[6];
    model_motion_velocity(model, motion, check->signals, t, v);
    memset(out, 0, 6 * sizeof *out);
    memcpy(out, v, sizeof *out * (size_t)model->dim);
    memcpy(out + model->dim, model->dim == 3 ? v + 3 : v + 5,
           sizeof *out * (size_t)(model_velocity_size(model->dim) - model->dim));
}

// Poses of the driven bodies at the end of a step.
static void path_drive(check_checking *check, int64_t step) {
    const cn_model *model = check->model;
    check_path *path = check->path;
    double h = model->settings.step, theta = check->theta;
    for (; path->step < step; path->step++) {
        double t = (double)path->step * h;
        bool may_be_cut = check_may_be_cut(check, path->step + 1);
        check_inputs_at(check, path->step + 1);
        for (int32_t m = 0; m < model->motion_count; m++) {
            double *q = path->driven + (int64_t)model_pose_size(model->dim) * m, before[6],
                   after[6];
            given_velocity(check, &model->motion[m], t, before);
            given_velocity(check, &model->motion[m], t + h, after);
            rigid_move(model->dim, q, before, (1.0 - theta) * h, q);
            rigid_move(model->dim, q, after, theta * h, q);
            for (int k = 0; k < model_velocity_size(model->dim); k++) {
                path->varied[m] += may_be_cut ? h * fabs(after[k] - before[k]) : 0.0;
            }
        }
    }
}

static void path_driven(check_checking *check, check_worst *worst) {
    const cn_model *model = check->model;
    const check_path *path = check->path;
    int32_t pose = model_pose_size(model->dim);
    for (int32_t m = 0; m < model->motion_count; m++) {
        const double *q = path->driven + (int64_t)pose * m,
                     *own = check_pose_of(model, check->frame.end, model->motion[m].body);
        double apart = 0.0, straight = 0.0, mirrored = 0.0, scale = 1.0;
        for (int32_t k = 0; k < pose; k++) {
            scale += fabs(q[k]);
            if (model->dim == 3 && k >= 3) { // a quaternion and its negative are one orientation
                straight += fabs(own[k] - q[k]);
                mirrored += fabs(own[k] + q[k]);
            } else {
                apart += fabs(own[k] - q[k]);
            }
        }
        check_worst_add(worst, apart + fmin(straight, mirrored),
                        CHECK_ROUND * scale + path->varied[m], model->motion[m].body);
    }
}

// ---- free bodies ----

void check_path_start(check_checking *check, double kinetic) {
    if (check->path) {
        check->path->energy = kinetic;
    }
}

void check_path_row(check_checking *check, const cn_step_report *row) {
    check_path *path = check->path;
    if (!path) {
        return;
    }
    double h = check->model->settings.step, theta = check->theta;
    double fall = h * math_norm3(check->model->settings.gravity);
    path->way += h * ((1.0 - theta) * sqrt(2.0 * fmax(path->energy, 0.0)) +
                      theta * sqrt(2.0 * fmax(row->kinetic, 0.0)));
    path->lifts += (double)row->contacts * row->penetration_max + h * fall;
    path->energy = row->kinetic;
}

static void path_free(check_checking *check, check_worst *worst) {
    const cn_model *model = check->model;
    const check_path *path = check->path;
    for (int32_t i = 0; !isnan(path->from[0]) && i < model->body_count; i++) {
        double apart[3] = {0.0, 0.0, 0.0}, size = 1.0;
        const double *now = check_pose_of(model, check->frame.end, i),
                     *from = path->from + (int64_t)model->dim * i;
        for (int32_t k = 0; k < model->dim; k++) {
            apart[k] = now[k] - from[k];
            size += fabs(now[k]) + fabs(from[k]);
        }
        if (model->body[i].role == MODEL_BODY_FREE) {
            check_worst_add(worst, math_norm3(apart),
                            WAY_ROOM * path->way / sqrt(model->body[i].mass) + path->lifts +
                                CHECK_ROUND * size,
                            i);
        }
    }
}

void check_path_to(check_checking *check) {
    const cn_model *model = check->model;
    check_path *path = check->path;
    check_frame *frame = &check->frame;
    check_worst worst = {.any = false};
    if (!path || !frame->end) {
        return;
    }
    if (!model->control) {
        path_drive(check, frame->step);
        path_driven(check, &worst);
    }
    if (!frame->jumped) {
        path_free(check, &worst);
    }
    for (int32_t i = 0; i < model->body_count; i++) {
        memcpy(path->from + (int64_t)model->dim * i, check_pose_of(model, frame->end, i),
               sizeof(double) * (size_t)model->dim);
    }
    path->way = path->lifts = 0.0;
    if (check_worst_note(check, CN_CHECK_MOTION, &worst, frame->step)) {
        check_find(check, "frame", frame->step, worst.value, worst.allowed,
                   "body %d is not where its motion takes it, or farther than its energy lets it",
                   (int)worst.where + 1);
    }
}
