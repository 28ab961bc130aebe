// step/adapt.c
// Steps in halves, where a whole one does not stand, and in parts, cut to an error.
//
// Cut to an error, each part is taken once whole and once as two halves, and where the two differ
// by more than settings.error in the position of any point of a free body, or where bodies overlap
// at its end by so much more than at its start, the part is made shorter. The halves become the
// state. (An impact in the last quarter of a part is seen by neither: hence the overlaps.)
//
// Positions alone are compared. The velocities around an impact differ by what it changes however
// short the part, while positions differ by speed times the length of the part: an impact is so
// located to about error over speed, and a part is never shorter than settings.step_least, which
// ends the search where more is asked for. Each step starts with its whole length, so that nothing
// is stored from step to step.
#include "step/bonds/bonds.h"
#include "step/sim.h"

#include "base/arena.h"
#include "base/error.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

// Of what gravity adds to a velocity in a step: frame changes below it are round-off. Without this
// the warm start of a scene at rest is disturbed by changes of 1e-17 m/s.
#define STILL_SHARE 1e-10

#define PART_SHORTEST (1.0 / 1024.0) // of h, where step_least is not given
#define PART_SAFETY 0.9              // of the length that the error allows
#define PART_GROWTH 2.0              // most from one part to the next
#define PART_SHRINK 0.1              // least
#define PART_ROUND 1e-9              // of h: a rest this short is none

step_context sim_context(cn_sim *sim, double t, double h) {
    const cn_settings *settings = &sim->model->settings;
    step_context in = {.env = &sim->env,
                       .model = sim->model,
                       .state = &sim->state,
                       .steering = &sim->steering,
                       .given = {sim->outside.holds ? sim->outside.held : NULL,
                                 sim->outside.pushes ? sim->outside.once : NULL},
                       .t = t,
                       .h = h,
                       .sweep = settings->theta * h + (1.0 - settings->theta) * sim->next_h,
                       .opts = {.t = t,
                                .h = h,
                                .signals = sim->signals,
                                .still = STILL_SHARE * h * math_norm3(sim->steering.gravity)},
                       .memory = sim->step_memory,
                       .scratch = sim->scratch,
                       .detector = sim->detector,
                       .deformable = sim->deformable,
                       .bonds = sim->bonds,
                       .clock = &sim->phases};
    if (sim->scheme) {
        sim->scheme->choose(settings, &in.opts);
    }
    return in;
}

// ---- one step ----

// Two steps of half the length.
static cn_status halve_step(cn_sim *sim, double t, double h, int32_t halvings,
                            cn_step_report *report, cn_error *error) {
    double next = sim->next_h;
    sim->next_h = 0.5 * h;
    cn_status status = sim_protect(sim, error);
    status = status == CN_OK ? sim_step_or_halve(sim, t, 0.5 * h, halvings, report, error) : status;
    sim->next_h = next;
    return status == CN_OK ? sim_step_or_halve(sim, t + 0.5 * h, 0.5 * h, halvings, report, error)
                           : status;
}

// The same, since bodies would pass through one another in one step.
static cn_status halve_for_fast(cn_sim *sim, double t, double h, int32_t halvings,
                                cn_step_report *report, cn_error *error) {
    report->substeps++;
    sim->retry.halvings--;
    cn_status status = halve_step(sim, t, h, halvings, report, error);
    sim->retry.halvings++;
    return status;
}

cn_status sim_step_or_halve(cn_sim *sim, double t, double h, int32_t halvings,
                            cn_step_report *report, cn_error *error) {
    const cn_settings *settings = &sim->model->settings;
    if ((1.0 - settings->theta) * h > sim->state.drift_limit && sim->retry.halvings > 0) {
        return halve_for_fast(sim, t, h, halvings, report, error);
    }
    step_context in = sim_context(sim, t, h);
    CN_TRY(
        step_run(&in, &sim->vectors, &sim->sleep, &sim->solvers, &sim->retry, &sim->last, error));
    if (sim->last.verdict == STEP_HALVE) {
        return halve_for_fast(sim, t, h, halvings, report, error);
    }
    const cn_solve_report *solved = &sim->last.solved;
    bool stalled = solved->outcome != CN_SOLVED;
    // A solve that ran out of time or effort would not be helped by having to make two of it.
    if (stalled && solved->outcome != CN_TIME && solved->outcome != CN_EFFORT &&
        settings->on_stall == CN_STALL_HALVE && halvings > 0) {
        report->halvings++;
        return halve_step(sim, t, h, halvings - 1, report, error);
    }
    if (stalled && settings->on_stall == CN_STALL_STOP) {
        report->outcome = solved->outcome;
        report->residual = solved->grade.residual;
        return base_fail(error, CN_ERR_NUMERIC,
                         "the solve stalled at t = %g with residual %.3g (%s)", t,
                         solved->grade.residual, solved->detail);
    }
    CN_TRY(step_fall_asleep(&in, &sim->sleep, &sim->last, error));
    step_add_report(&in, &sim->sleep, &sim->last, report);
    return sim_accept(sim, error);
}

// ---- parts whose error is small ----

// Into room for as many.
static void copy_impulses(const model_state *from, model_state *to) {
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

static bool copy_state(cn_sim *sim, cn_arena *memory, const model_state *from, model_state *to) {
    const cn_model *model = sim->model;
    int64_t poses = (int64_t)model_pose_size(model->dim) * model->body_count;
    int64_t velocities = (int64_t)model_velocity_size(model->dim) * model->body_count;
    int64_t angles = 2 * (int64_t)model->joint_count, rows = model->joint_row_count;
    *to = *from;
    to->q = BASE_TAKE(memory, double, poses);
    to->v = BASE_TAKE(memory, double, velocities);
    to->joint_impulse = BASE_TAKE(memory, double, rows);
    to->joint_angle = BASE_TAKE(memory, double, angles);
    int64_t bonds = step_bonds_count(sim->bonds);
    to->damage = BASE_TAKE(memory, double, bonds);
    to->impulse = BASE_TAKE(memory, double, 3 * (int64_t)from->impulse_count);
    to->key = BASE_TAKE(memory, model_contact_key, from->impulse_count);
    to->past = BASE_TAKE(memory, uint8_t, from->impulse_count);
    to->motion = from->motion ? BASE_TAKE(memory, model_contact_motion, from->impulse_count) : NULL;
    if (!to->q || !to->v || !to->joint_impulse || !to->damage || !to->joint_angle || !to->impulse ||
        !to->key || !to->past || (from->motion && !to->motion)) {
        return false;
    }
    memcpy(to->q, from->q, sizeof(double) * (size_t)poses);
    memcpy(to->v, from->v, sizeof(double) * (size_t)velocities);
    memcpy(to->joint_impulse, from->joint_impulse, sizeof(double) * (size_t)rows);
    memcpy(to->joint_angle, from->joint_angle, sizeof(double) * (size_t)angles);
    if (bonds > 0) {
        memcpy(to->damage, from->damage, sizeof(double) * (size_t)bonds);
    }
    copy_impulses(from, to);
    return true;
}

// The sim goes back to a stored state.
static cn_status restore_state(cn_sim *sim, const model_state *stored, cn_error *error) {
    const cn_model *model = sim->model;
    model_state *now = &sim->state;
    if (!sim_resize_impulses(sim, stored->impulse_count)) {
        return base_fail_memory(error);
    }
    memcpy(now->q, stored->q,
           sizeof(double) * (size_t)model_pose_size(model->dim) * (size_t)model->body_count);
    memcpy(now->v, stored->v,
           sizeof(double) * (size_t)model_velocity_size(model->dim) * (size_t)model->body_count);
    memcpy(now->joint_impulse, stored->joint_impulse,
           sizeof(double) * (size_t)model->joint_row_count);
    memcpy(now->joint_angle, stored->joint_angle, sizeof(double) * 2 * (size_t)model->joint_count);
    if (sim->bonds) {
        memcpy(now->damage, stored->damage, sizeof(double) * (size_t)step_bonds_count(sim->bonds));
    }
    copy_impulses(stored, now);
    now->last_h = stored->last_h;
    now->drift_limit = stored->drift_limit;
    return CN_OK;
}

// The farthest that a point of a free body is apart in two sets of poses [m].
static double poses_apart(const cn_model *model, const double *a, const double *b) {
    int64_t size = model_pose_size(model->dim);
    double max = 0.0;
    for (int32_t i = 0; i < model->body_count; i++) {
        const model_body *body = &model->body[i];
        const double *p = a + size * i, *q = b + size * i;
        double square = 0.0, turn = 0.0;
        if (body->role != MODEL_BODY_FREE) {
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
        max = off <= max ? max : off;
    }
    return max;
}

cn_status sim_own_contacts(cn_sim *sim, cn_error *error) {
    det_contact_list *list = &sim->last.contacts;
    cn_sphere_map *round = &sim->last.assembled.problem.W.spheres;
    det_contact *own = BASE_TAKE(sim->step_memory, det_contact, list->count);
    if (!own) {
        return base_fail_memory(error);
    }
    if (list->count > 0) {
        memcpy(own, list->contact, sizeof *own * (size_t)list->count);
    }
    if (round->stride > 0) {
        round->normal = own->normal; // they are read where they lie
    }
    list->contact = own;
    return CN_OK;
}

// The deepest overlap in the state [m].
static cn_status deepest_overlap(cn_sim *sim, double h, double *deepest, cn_error *error) {
    det_contact_list list;
    cn_status status = det_detect(sim->detector, sim->state.q, sim->state.v, h, &list, error);
    *deepest = 0.0;
    for (int32_t c = 0; status == CN_OK && c < list.count; c++) {
        *deepest = fmax(*deepest, -list.contact[c].gap);
    }
    return status;
}

// A part of length h from t, whole and then in halves, which become the state; *apart: by how much
// the two differ, or the overlap grows.
static cn_status try_part(cn_sim *sim, double t, double h, double *whole, double *apart,
                          cn_step_report *report, cn_error *error) {
    const cn_model *model = sim->model;
    double before, after;
    CN_TRY(deepest_overlap(sim, h, &before, error));
    step_context in = sim_context(sim, t, h);
    CN_TRY(
        step_run(&in, &sim->vectors, &sim->sleep, &sim->solvers, &sim->retry, &sim->last, error));
    memcpy(whole, sim->last.q,
           sizeof(double) * (size_t)model_pose_size(model->dim) * (size_t)model->body_count);
    double next = sim->next_h;
    for (int32_t half = 0; half < 2; half++) {
        sim->next_h = half == 0 ? 0.5 * h : next;
        CN_TRY(sim_step_or_halve(sim, t + 0.5 * h * half, 0.5 * h, model->settings.halvings, report,
                                 error));
    }
    CN_TRY(sim_own_contacts(sim, error));
    CN_TRY(deepest_overlap(sim, h, &after, error));
    *apart = fmax(poses_apart(model, whole, sim->state.q), after - before);
    return CN_OK;
}

static cn_status advance_parts(cn_sim *sim, double t, double h, double *whole,
                               cn_step_report *report, cn_error *error) {
    const cn_settings *settings = &sim->model->settings;
    double min = settings->step_min > 0.0 ? settings->step_min : PART_SHORTEST * h;
    double done = 0.0, next = h;
    cn_status status = CN_OK;
    while (status == CN_OK && h - done > PART_ROUND * h) {
        double length = fmin(next, h - done), apart = 0.0;
        base_arena_mark mark = base_arena_get_mark(sim->scratch);
        cn_step_report before = *report;
        model_state stored;
        if (!copy_state(sim, sim->scratch, &sim->state, &stored)) {
            return base_fail_memory(error);
        }
        status = try_part(sim, t + done, length, whole, &apart, report, error);
        double share = apart > 0.0 ? PART_SAFETY * sqrt(settings->error / apart) : HUGE_VAL;
        share = fmin(PART_GROWTH, fmax(PART_SHRINK, share));
        bool good = apart <= settings->error || length <= min;
        next = fmax(min, length * (good ? share : fmin(share, 0.5)));
        if (status == CN_OK && good) {
            done = length >= h - done ? h : done + length;
            report->substeps++;
        } else if (status == CN_OK) {
            status = restore_state(sim, &stored, error);
            *report = before;
        }
        base_arena_release(sim->scratch, mark);
    }
    return status;
}

cn_status sim_step_in_parts(cn_sim *sim, double t, double h, cn_step_report *report,
                            cn_error *error) {
    const cn_model *model = sim->model;
    base_arena_mark mark = base_arena_get_mark(sim->scratch);
    double *whole =
        BASE_TAKE(sim->scratch, double, (int64_t)model_pose_size(model->dim) * model->body_count);
    cn_status status =
        whole ? advance_parts(sim, t, h, whole, report, error) : base_fail_memory(error);
    base_arena_release(sim->scratch, mark);
    return status;
}
