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

#define CN_WAY_ROOM 2.0 // of that bound: what joints and parts of a step take within it

struct cn_check_path {
    int64_t step;            // up to which poses are summed
    double *driven, *varied; // of each motion: pose, and how far parts of steps may change it
    double way, lifts;       // since the frame before: of a body of mass 1; by overlaps
    double energy;           // of the row before
    double *from;            // centres of mass at the frame before, dim each; NaN: unknown
};

bool cn_path_prepare(cn_checking *check) {
    const cn_model *model = check->model;
    int32_t pose = cn_pose_size(model->dim);
    cn_check_path *path = CN_TAKE_ZERO(check->memory, cn_check_path, 1);
    check->path = path;
    if (!path) {
        return false;
    }
    path->driven = CN_TAKE(check->memory, double, (int64_t)pose * model->motion_count);
    path->varied = CN_TAKE_ZERO(check->memory, double, model->motion_count);
    path->from = CN_TAKE(check->memory, double, (int64_t)model->dim * model->body_count);
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

static void cn_given_velocity(const cn_checking *check, const cn_motion *motion, double t,
                              double out[6]) {
    const cn_model *model = check->model;
    double v[6];
    cn_motion_at(check, motion, t, v);
    memset(out, 0, 6 * sizeof *out);
    memcpy(out, v, sizeof *out * (size_t)model->dim);
    memcpy(out + model->dim, model->dim == 3 ? v + 3 : v + 5,
           sizeof *out * (size_t)(cn_velocity_size(model->dim) - model->dim));
}

// Poses of the driven bodies at the end of a step.
static void cn_path_drive(cn_checking *check, int64_t step) {
    const cn_model *model = check->model;
    cn_check_path *path = check->path;
    double h = model->settings.step, theta = check->theta;
    for (; path->step < step; path->step++) {
        double t = (double)path->step * h;
        bool may_be_cut = cn_may_be_cut(check, path->step + 1);
        for (int32_t m = 0; m < model->motion_count; m++) {
            double *q = path->driven + (int64_t)cn_pose_size(model->dim) * m, before[6], after[6];
            cn_given_velocity(check, &model->motion[m], t, before);
            cn_given_velocity(check, &model->motion[m], t + h, after);
            cn_rigid_move(model->dim, q, before, (1.0 - theta) * h, q);
            cn_rigid_move(model->dim, q, after, theta * h, q);
            for (int k = 0; k < cn_velocity_size(model->dim); k++) {
                path->varied[m] += may_be_cut ? h * fabs(after[k] - before[k]) : 0.0;
            }
        }
    }
}

static void cn_path_driven(cn_checking *check, cn_check_worst *worst) {
    const cn_model *model = check->model;
    const cn_check_path *path = check->path;
    int32_t pose = cn_pose_size(model->dim);
    for (int32_t m = 0; m < model->motion_count; m++) {
        const double *q = path->driven + (int64_t)pose * m,
                     *own = cn_pose_of(model, check->frame.end, model->motion[m].body);
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
        cn_worst_add(worst, apart + fmin(straight, mirrored),
                     CN_CHECK_ROUND * scale + path->varied[m], model->motion[m].body);
    }
}

// ---- free bodies ----

void cn_path_start(cn_checking *check, double kinetic) {
    if (check->path) {
        check->path->energy = kinetic;
    }
}

void cn_path_row(cn_checking *check, const cn_step_report *row) {
    cn_check_path *path = check->path;
    if (!path) {
        return;
    }
    double h = check->model->settings.step, theta = check->theta;
    double fall = h * cn_norm3(check->model->settings.gravity);
    path->way += h * ((1.0 - theta) * sqrt(2.0 * fmax(path->energy, 0.0)) +
                      theta * sqrt(2.0 * fmax(row->kinetic, 0.0)));
    path->lifts += (double)row->contacts * row->penetration_max + h * fall;
    path->energy = row->kinetic;
}

static void cn_path_free(cn_checking *check, cn_check_worst *worst) {
    const cn_model *model = check->model;
    const cn_check_path *path = check->path;
    for (int32_t i = 0; !isnan(path->from[0]) && i < model->body_count; i++) {
        double apart[3] = {0.0, 0.0, 0.0}, size = 1.0;
        const double *now = cn_pose_of(model, check->frame.end, i),
                     *from = path->from + (int64_t)model->dim * i;
        for (int32_t k = 0; k < model->dim; k++) {
            apart[k] = now[k] - from[k];
            size += fabs(now[k]) + fabs(from[k]);
        }
        if (model->body[i].role == CN_BODY_FREE) {
            cn_worst_add(worst, cn_norm3(apart),
                         CN_WAY_ROOM * path->way / sqrt(model->body[i].mass) + path->lifts +
                             CN_CHECK_ROUND * size,
                         i);
        }
    }
}

void cn_check_path_to(cn_checking *check) {
    const cn_model *model = check->model;
    cn_check_path *path = check->path;
    cn_check_frame *frame = &check->frame;
    cn_check_worst worst = {.any = false};
    if (!path || !frame->end) {
        return;
    }
    if (!model->control) {
        cn_path_drive(check, frame->step);
        cn_path_driven(check, &worst);
    }
    cn_path_free(check, &worst);
    for (int32_t i = 0; i < model->body_count; i++) {
        memcpy(path->from + (int64_t)model->dim * i, cn_pose_of(model, frame->end, i),
               sizeof(double) * (size_t)model->dim);
    }
    path->way = path->lifts = 0.0;
    if (cn_worst_note(check, CN_CHECK_MOTION, &worst, frame->step)) {
        cn_check_find(
            check, "frame", frame->step, worst.value, worst.allowed,
            "body %d is not where its motion takes it, or farther than its energy lets it",
            (int)worst.where + 1);
    }
}
