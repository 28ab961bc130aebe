// step/adapt.c
// Steps cut to an error: each part is taken once whole and once as two halves, and where the two
// differ by more than settings.error in the position of any point of a free body, or where bodies
// overlap at its end by so much more than at its start, the part is made shorter. The halves are
// what is kept. (An impact in the last quarter of a part is seen by neither: hence the overlaps.)
//
// Positions alone are compared. The velocities around an impact differ by what it changes however
// short the part, while positions differ by speed times the length of the part: an impact is so
// located to about error over speed, and a part is never shorter than settings.step_least, which
// ends the search where more is asked for. Each step starts with its whole length, so that nothing
// is kept from step to step.
#include "step/phases.h"

#include "base/arena.h"
#include "base/error.h"
#include "math/rotation.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define CN_PART_SHORTEST (1.0 / 1024.0) // of h, where step_least is not given
#define CN_PART_SAFETY 0.9              // of the length that the error allows
#define CN_PART_GROWTH 2.0              // most from one part to the next
#define CN_PART_SHRINK 0.1              // least
#define CN_PART_ROUND 1e-9              // of h: a rest this short is none

// Into room for as many.
static void cn_copy_impulses(const cn_state *from, cn_state *to) {
    if (from->impulse_count > 0) {
        size_t count = (size_t)from->impulse_count;
        memcpy(to->impulse, from->impulse, sizeof(double) * 3 * count);
        memcpy(to->key, from->key, sizeof *to->key * count);
        memcpy(to->past, from->past, count);
        if (from->motion) {
            memcpy(to->motion, from->motion, sizeof *to->motion * count);
        }
    }
}

static bool cn_state_copy(cn_sim *sim, cn_arena *memory, const cn_state *from, cn_state *to) {
    const cn_model *model = sim->model;
    int64_t poses = (int64_t)cn_pose_size(model->dim) * model->body_count;
    int64_t velocities = (int64_t)cn_velocity_size(model->dim) * model->body_count;
    int64_t angles = 2 * (int64_t)model->joint_count, rows = model->joint_row_count;
    *to = *from;
    to->q = CN_TAKE(memory, double, poses);
    to->v = CN_TAKE(memory, double, velocities);
    to->joint_impulse = CN_TAKE(memory, double, rows);
    to->joint_angle = CN_TAKE(memory, double, angles);
    to->impulse = CN_TAKE(memory, double, 3 * (int64_t)from->impulse_count);
    to->key = CN_TAKE(memory, cn_contact_key, from->impulse_count);
    to->past = CN_TAKE(memory, uint8_t, from->impulse_count);
    to->motion = from->motion ? CN_TAKE(memory, cn_contact_motion, from->impulse_count) : NULL;
    if (!to->q || !to->v || !to->joint_impulse || !to->joint_angle || !to->impulse || !to->key ||
        !to->past || (from->motion && !to->motion)) {
        return false;
    }
    memcpy(to->q, from->q, sizeof(double) * (size_t)poses);
    memcpy(to->v, from->v, sizeof(double) * (size_t)velocities);
    memcpy(to->joint_impulse, from->joint_impulse, sizeof(double) * (size_t)rows);
    memcpy(to->joint_angle, from->joint_angle, sizeof(double) * (size_t)angles);
    cn_copy_impulses(from, to);
    return true;
}

// The sim goes back to the state put aside.
static cn_status cn_state_restore(cn_sim *sim, const cn_state *kept, cn_error *error) {
    const cn_model *model = sim->model;
    cn_state *now = &sim->state;
    if (!cn_state_make_room(sim, kept->impulse_count)) {
        return cn_fail_memory(error);
    }
    memcpy(now->q, kept->q,
           sizeof(double) * (size_t)cn_pose_size(model->dim) * (size_t)model->body_count);
    memcpy(now->v, kept->v,
           sizeof(double) * (size_t)cn_velocity_size(model->dim) * (size_t)model->body_count);
    memcpy(now->joint_impulse, kept->joint_impulse,
           sizeof(double) * (size_t)model->joint_row_count);
    memcpy(now->joint_angle, kept->joint_angle, sizeof(double) * 2 * (size_t)model->joint_count);
    cn_copy_impulses(kept, now);
    now->last_h = kept->last_h;
    now->drift_limit = kept->drift_limit;
    return CN_OK;
}

// The farthest that a point of a free body is apart in two sets of poses [m].
static double cn_poses_apart(const cn_model *model, const double *a, const double *b) {
    int64_t size = cn_pose_size(model->dim);
    double most = 0.0;
    for (int32_t i = 0; i < model->body_count; i++) {
        const cn_body *body = &model->body[i];
        const double *p = a + size * i, *q = b + size * i;
        double square = 0.0, turn = 0.0;
        if (body->role != CN_BODY_FREE) {
            continue;
        }
        for (int32_t k = 0; k < model->dim; k++) {
            square += (p[k] - q[k]) * (p[k] - q[k]);
        }
        if (model->dim == 2) {
            turn = fabs(p[2] - q[2]);
        } else {
            // |p - q| of unit quaternions is half the angle between, up to the sign of either.
            double apart[2] = {0.0, 0.0};
            for (int32_t k = 3; k < 7; k++) {
                apart[0] += (p[k] - q[k]) * (p[k] - q[k]);
                apart[1] += (p[k] + q[k]) * (p[k] + q[k]);
            }
            turn = 2.0 * sqrt(fmin(apart[0], apart[1]));
        }
        double off = sqrt(square) + turn * (body->bound > 0.0 ? body->bound : 1.0);
        most = off <= most ? most : off;
    }
    return most;
}

// The last step's contacts out of the detector's list, which is about to be made anew.
static cn_status cn_keep_contacts(cn_sim *sim, cn_error *error) {
    cn_contact_list *list = &sim->last.contacts;
    cn_ball_map *balls = &sim->last.assembled.problem.W.balls;
    cn_contact *own = CN_TAKE(sim->step_memory, cn_contact, list->count);
    if (!own) {
        return cn_fail_memory(error);
    }
    if (list->count > 0) {
        memcpy(own, list->contact, sizeof *own * (size_t)list->count);
    }
    if (balls->stride > 0) {
        balls->normal = own->normal; // they are looked at where they lie
    }
    list->contact = own;
    return CN_OK;
}

// The deepest overlap in the state [m].
static cn_status cn_state_deepest(cn_sim *sim, double h, double *deepest, cn_error *error) {
    cn_contact_list list;
    cn_status status = cn_detect(sim->detector, sim->state.q, sim->state.v, h, &list, error);
    *deepest = 0.0;
    for (int32_t c = 0; status == CN_OK && c < list.count; c++) {
        *deepest = fmax(*deepest, -list.contact[c].gap);
    }
    return status;
}

// A part of length h from t, whole and then in halves, which become the state; *apart: by how much
// the two differ, or the overlap grows.
static cn_status cn_part_try(cn_sim *sim, double t, double h, double *whole, double *apart,
                             cn_step_report *report, cn_error *error) {
    const cn_model *model = sim->model;
    double before, after;
    cn_status status = cn_state_deepest(sim, h, &before, error);
    if (status == CN_OK) {
        status = cn_step_try(sim, t, h, error);
    }
    if (status != CN_OK) {
        return status;
    }
    memcpy(whole, sim->last.q,
           sizeof(double) * (size_t)cn_pose_size(model->dim) * (size_t)model->body_count);
    double next = sim->next_h;
    for (int32_t half = 0; status == CN_OK && half < 2; half++) {
        sim->next_h = half == 0 ? 0.5 * h : next;
        status = cn_step_or_halve(sim, t + 0.5 * h * half, 0.5 * h, model->settings.halvings,
                                  report, error);
    }
    status = status == CN_OK ? cn_keep_contacts(sim, error) : status;
    if (status == CN_OK) {
        status = cn_state_deepest(sim, h, &after, error);
    }
    if (status == CN_OK) {
        *apart = fmax(cn_poses_apart(model, whole, sim->state.q), after - before);
    }
    return status;
}

static cn_status cn_adapt_parts(cn_sim *sim, double t, double h, double *whole,
                                cn_step_report *report, cn_error *error) {
    const cn_settings *settings = &sim->model->settings;
    double least = settings->step_least > 0.0 ? settings->step_least : CN_PART_SHORTEST * h;
    double done = 0.0, next = h;
    cn_status status = CN_OK;
    while (status == CN_OK && h - done > CN_PART_ROUND * h) {
        double length = fmin(next, h - done), apart = 0.0;
        cn_arena_mark mark = cn_arena_get_mark(sim->scratch);
        cn_step_report before = *report;
        cn_state kept;
        if (!cn_state_copy(sim, sim->scratch, &sim->state, &kept)) {
            return cn_fail_memory(error);
        }
        status = cn_part_try(sim, t + done, length, whole, &apart, report, error);
        double share = apart > 0.0 ? CN_PART_SAFETY * sqrt(settings->error / apart) : HUGE_VAL;
        share = fmin(CN_PART_GROWTH, fmax(CN_PART_SHRINK, share));
        bool good = apart <= settings->error || length <= least;
        next = fmax(least, length * (good ? share : fmin(share, 0.5)));
        if (status == CN_OK && good) {
            done = length >= h - done ? h : done + length;
            report->substeps++;
        } else if (status == CN_OK) {
            status = cn_state_restore(sim, &kept, error);
            *report = before;
        }
        cn_arena_release(sim->scratch, mark);
    }
    return status;
}

cn_status cn_step_adapted(cn_sim *sim, double t, double h, cn_step_report *report,
                          cn_error *error) {
    const cn_model *model = sim->model;
    cn_arena_mark mark = cn_arena_get_mark(sim->scratch);
    double *whole =
        CN_TAKE(sim->scratch, double, (int64_t)cn_pose_size(model->dim) * model->body_count);
    cn_status status =
        whole ? cn_adapt_parts(sim, t, h, whole, report, error) : cn_fail_memory(error);
    cn_arena_release(sim->scratch, mark);
    return status;
}
