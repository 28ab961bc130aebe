// step/joints.c
// The end of a step that has joints. The rows at q~ make Theta(q_{i+1}) = 0 to third order in h;
// here the step is gone round, s := s + Theta(q_{i+1})/(h theta) and solved again, until it holds
// to joint_tolerance. Each round gains a factor of about h |omega|, so one or two suffice unless a
// body turns by a radian in a step.
//
// At theta = 1/2 the map is symmetric: it keeps the energy of smooth motion to second order without
// drift. What an impact leaves of velocity across a joint then alternates in sign from step to
// step, since u_1 = -u_0; GGL takes it out (Gear, Leimkuhler and Gupta 1985, as a projection).
// The other remedies are there to be compared with: rates alone drift, Baumgarte trades drift for
// oscillation, projection loses energy.
#include "step/phases.h"

#include "base/arena.h"
#include "base/error.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CN_JOINT_ROUNDS 60 // at most; two or three are usual
// A round that leaves more than this share of the error has met what the solver's tolerance leaves,
// round-off or a contradiction. Near singular positions, as a parallelogram that lies flat, rows
// nearly depend on one another, and their compliance takes most of a correction.
#define CN_JOINT_GAIN 0.95
#define CN_JOINT_SHARES 0.1 // of the worst error: a joint that has its part in it
#define CN_JOINTS_NAMED 3   // beside the worst
// [m], [rad] An error that no rounding explains: the joints cannot all hold.
#define CN_JOINT_BROKEN 1e-2
// Of joint_tolerance: rates across joints that change them by less in a step are left as they are.
#define CN_JOINT_RATE 0.1

// ---- rates and positions onto the joints ----

// The held rows of all joints at q, as a problem of their own.
static cn_status cn_joints_assemble(cn_sim *sim, const double *q, const double *v, double share,
                                    cn_assembled *rows, cn_error *error) {
    const cn_model *model = sim->model;
    cn_contact_list none = {0};
    cn_inertia_map inertia;
    cn_assemble_opts opts = {
        .h = 1.0, .theta = 1.0, .drift = CN_DRIFT_BAUMGARTE, .baumgarte = share, .held_only = true};
    cn_status status = cn_inertia_prepare(model, q, sim->step_memory, &inertia);
    if (status != CN_OK) {
        return cn_fail_memory(error);
    }
    return cn_assemble(model, &sim->state, &none, &inertia, v, v, &opts, sim->step_memory, rows,
                       error);
}

// Its solution, in rows->r.
static cn_status cn_joints_solve(cn_sim *sim, cn_assembled *rows, cn_error *error) {
    int32_t count = sim->model->joint_row_count;
    double *u = CN_TAKE(sim->step_memory, double, count);
    cn_solve_report solved;
    if (!u) {
        return cn_fail_memory(error);
    }
    memset(rows->r, 0, sizeof(double) * (size_t)count);
    return cn_friction_solve(&rows->problem, sim->solver, &sim->opts, sim->scratch, rows->r, u,
                             &solved, error);
}

cn_status cn_joints_settle(cn_sim *sim, const double *q, double *v, cn_error *error) {
    const cn_model *model = sim->model;
    double least = CN_JOINT_RATE * model->settings.joint_tolerance / model->settings.step;
    if (cn_joints_rate(model, &sim->state, q, v) <= least) {
        return CN_OK;
    }
    cn_assembled rows;
    cn_status status = cn_joints_assemble(sim, q, v, 0.0, &rows, error);
    status = status == CN_OK ? cn_joints_solve(sim, &rows, error) : status;
    if (status == CN_OK) {
        int64_t size = (int64_t)cn_velocity_size(model->dim) * model->body_count;
        double *before = CN_TAKE(sim->step_memory, double, size);
        if (!before) {
            return cn_fail_memory(error);
        }
        memcpy(before, v, sizeof *v * (size_t)size);
        cn_apply_impulses(&sim->env, model, &rows, before, rows.r, v);
        sim->last.settled = rows.r;
    }
    return status;
}

// Positions onto Theta = 0, the nearest way in the metric of the masses.
static cn_status cn_joints_project(cn_sim *sim, double *q, cn_error *error) {
    const cn_model *model = sim->model;
    int64_t size = cn_velocity_size(model->dim), pose = cn_pose_size(model->dim);
    double *rest = CN_TAKE_ZERO(sim->step_memory, double, size * model->body_count);
    double *way = CN_TAKE(sim->step_memory, double, size * model->body_count);
    int32_t worst;
    if (!rest || !way) {
        return cn_fail_memory(error);
    }
    for (int32_t round = 0; round < CN_JOINT_ROUNDS; round++) {
        cn_assembled rows;
        if (!(cn_joints_error(model, &sim->state, q, &worst) > model->settings.joint_tolerance)) {
            break;
        }
        cn_status status = cn_joints_assemble(sim, q, rest, 1.0, &rows, error);
        status = status == CN_OK ? cn_joints_solve(sim, &rows, error) : status;
        if (status != CN_OK) {
            return status;
        }
        cn_apply_impulses(&sim->env, model, &rows, rest, rows.r, way);
        for (int32_t i = 0; i < model->body_count; i++) {
            cn_rigid_move(model->dim, q + pose * i, way + size * i, 1.0, q + pose * i);
        }
    }
    return CN_OK;
}

// The velocities of the end of the step onto the joints; what that changes is seen by the next
// step.
static cn_status cn_joints_settle_seen(cn_sim *sim, cn_error *error) {
    cn_step *step = &sim->last;
    int64_t size = (int64_t)cn_velocity_size(sim->model->dim) * sim->model->body_count;
    double *seen = CN_TAKE(sim->step_memory, double, size);
    if (!seen) {
        return cn_fail_memory(error);
    }
    for (int64_t i = 0; i < size; i++) {
        seen[i] = step->v_new[i] - step->v[i];
    }
    cn_status status = cn_joints_settle(sim, step->q, step->v, error);
    for (int64_t i = 0; i < size; i++) {
        seen[i] += step->v[i];
    }
    step->v_seen = seen;
    return status;
}

// What the remedies do to the end of the step, and the energy that it takes.
static cn_status cn_joints_remedy(cn_sim *sim, cn_error *error) {
    cn_step *step = &sim->last;
    cn_drift drift = step->opts.drift;
    if (drift != CN_DRIFT_PROJECTION && drift != CN_DRIFT_GGL) {
        return CN_OK;
    }
    double before[2], after[2];
    cn_status status = CN_OK;
    cn_state_energy(sim, step->q, step->v, &before[0], &before[1]);
    if (drift == CN_DRIFT_PROJECTION) {
        status = cn_joints_project(sim, step->q, error);
        step->joint_error = cn_joints_error(sim->model, &sim->state, step->q, &step->joint_worst);
    }
    if (status == CN_OK) {
        status = cn_joints_settle_seen(sim, error);
    }
    cn_state_energy(sim, step->q, step->v, &after[0], &after[1]);
    step->projected = before[0] + before[1] - after[0] - after[1];
    return status;
}

// ---- going round ----

// The largest |gauge| of a joint's held rows at the end of the step.
static double cn_joint_off(const cn_sim *sim, int32_t index) {
    const cn_joint *joint = &sim->model->joint[index];
    cn_joint_view view;
    double most = 0.0, J[12];
    cn_joint_view_at(sim->model, &sim->state, index, sim->last.q, &view);
    for (int32_t i = 0; i < joint->row_count; i++) {
        bool held = joint->row[i].role == CN_ROLE_HELD;
        most = held ? fmax(most, fabs(cn_joint_value(joint, &view, i, J))) : most;
    }
    return most;
}

// Names the joints that are off, the worst first: what cannot be met is shared among those that
// contradict one another.
static cn_status cn_joints_broken(const cn_sim *sim, cn_error *error) {
    const cn_model *model = sim->model;
    const cn_step *step = &sim->last;
    const cn_joint *worst = &model->joint[step->joint_worst];
    char others[160] = "";
    size_t used = 0;
    int32_t count = 0;
    for (int32_t j = 0; j < model->joint_count; j++) {
        const cn_joint *joint = &model->joint[j];
        if (joint == worst || !(cn_joint_off(sim, j) > CN_JOINT_SHARES * step->joint_error)) {
            continue;
        }
        if (++count <= CN_JOINTS_NAMED && used < sizeof others) {
            used +=
                (size_t)snprintf(others + used, sizeof others - used, "%s%d (%.40s%s%.0d)",
                                 count > 1 ? ", " : "", (int)j + 1, joint->name,
                                 joint->source.line > 0 ? ", line " : "", (int)joint->source.line);
        }
    }
    cn_fail(error, CN_ERR_NUMERIC, "joint %d (%s) is off by %.3g at t = %g",
            (int)(worst - model->joint) + 1, worst->name, step->joint_error, step->t + step->h);
    cn_fail_at(error, worst->source.file, worst->source.line, worst->source.column);
    if (count > 0) {
        cn_fail_hint(error, "it cannot be met together with joint%s %s%s", count > 1 ? "s" : "",
                     others, count > CN_JOINTS_NAMED ? " and more" : "");
    } else {
        cn_fail_hint(error, "a motion or a motor may contradict it, or the step is too long");
    }
    return CN_ERR_NUMERIC;
}

static cn_status cn_solve_and_end(cn_sim *sim, cn_error *error) {
    cn_step *step = &sim->last;
    int32_t before = step->solved.iterations;
    cn_step_enter(sim, CN_PHASE_SOLVE);
    cn_status status = cn_step_solve(sim, error);
    step->solved.iterations += before;
    cn_step_enter(sim, CN_PHASE_ADVANCE);
    return status == CN_OK ? cn_step_end(sim, error) : status;
}

// The error at which to stop: as asked, but no less than what a residual of the solver's tolerance
// leaves, h |e| with |e| = tolerance |q|.
static double cn_joints_aim(const cn_sim *sim) {
    const cn_step *step = &sim->last;
    const cn_friction *p = &step->assembled.problem;
    double sum = 0.0;
    for (int64_t i = (int64_t)p->dim * step->assembled.contacts; i < (int64_t)p->dim * p->contacts;
         i++) {
        sum += p->bounds.upper[i] > 0.0 && p->bounds.lower[i] < 0.0 ? p->q[i] * p->q[i] : 0.0;
    }
    return fmax(sim->model->settings.joint_tolerance, step->h * sim->opts.tolerance * sqrt(sum));
}

// A further solve, from where the first one started: close to a solution of the problem before,
// Newton's method has been seen to lose its way, and joints alone are solved in one step from
// anywhere.
static cn_status cn_solve_again(cn_sim *sim, const double *start, cn_error *error) {
    cn_step *step = &sim->last;
    const cn_friction *p = &step->assembled.problem;
    memcpy(step->assembled.r, start, sizeof *start * (size_t)p->dim * (size_t)p->contacts);
    return cn_solve_and_end(sim, error);
}

static cn_status cn_joints_close(cn_sim *sim, const double *start, cn_error *error) {
    const cn_model *model = sim->model;
    cn_step *step = &sim->last;
    bool iterate = step->opts.drift == CN_DRIFT_ITERATE || step->opts.drift == CN_DRIFT_GGL;
    double last = HUGE_VAL, aim = cn_joints_aim(sim);
    step->joint_error = cn_joints_error(model, &sim->state, step->q, &step->joint_worst);
    for (int32_t round = 0; round < CN_JOINT_ROUNDS && iterate && step->joint_error > aim &&
                            step->joint_error < CN_JOINT_GAIN * last;
         round++) {
        last = step->joint_error;
        cn_joints_correct(model, &sim->state, &step->opts, step->q, step->r, step->u,
                          &step->assembled);
        cn_status status = cn_solve_again(sim, start, error);
        if (status != CN_OK) {
            return status;
        }
        step->joint_error = cn_joints_error(model, &sim->state, step->q, &step->joint_worst);
    }
    return iterate && !(step->joint_error <= CN_JOINT_BROKEN) ? cn_joints_broken(sim, error)
                                                              : CN_OK;
}

cn_status cn_step_finish(cn_sim *sim, cn_error *error) {
    cn_step *step = &sim->last;
    const cn_friction *p = &step->assembled.problem;
    int64_t rows = (int64_t)p->dim * p->contacts;
    bool joints = sim->model->joint_count > 0;
    double *start = CN_TAKE(sim->step_memory, double, joints ? rows : 0);
    if (!start) {
        return cn_fail_memory(error);
    }
    if (joints) {
        memcpy(start, step->assembled.r, sizeof *start * (size_t)rows);
    }
    cn_steer_friction(step);
    cn_status status = cn_solve_and_end(sim, error);
    if (status == CN_OK && joints) {
        status = cn_joints_close(sim, start, error);
        status = status == CN_OK ? cn_joints_remedy(sim, error) : status;
    }
    return status == CN_OK ? cn_step_statuses(sim, error) : status;
}
