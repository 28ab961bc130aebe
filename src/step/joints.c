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
#include "step/step.h"

#include "base/arena.h"
#include "base/error.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define JOINT_ROUNDS 60 // at most; two or three are usual
// A round that leaves more than this share of the error has met what the solver's tolerance leaves,
// round-off or a contradiction. Near singular positions, as a parallelogram that lies flat, rows
// nearly depend on one another, and their compliance takes most of a correction.
#define JOINT_GAIN 0.95
#define JOINT_SHARES 0.1 // of the worst error: a joint that has its part in it
#define JOINTS_NAMED 3   // beside the worst
// [m], [rad] An error that no rounding explains: the joints cannot all hold.
#define JOINT_BROKEN 1e-2
// Of joint_tolerance: rates across joints that change them by less in a step are left as they are.
#define JOINT_RATE 0.1

// ---- velocities and positions onto the joints ----

// The held rows of all joints at q, as a problem of their own.
static cn_status assemble_held(const step_context *in, const double *q, const double *v,
                               double share, asm_assembled *rows, cn_error *error) {
    const cn_model *model = in->model;
    det_contact_list none = {0};
    asm_inertia_map inertia;
    asm_assemble_opts opts = {
        .h = 1.0, .theta = 1.0, .drift = CN_DRIFT_BAUMGARTE, .baumgarte = share, .held_only = true};
    cn_status status = asm_inertia_prepare(model, q, in->memory, &inertia);
    if (status != CN_OK) {
        return base_fail_memory(error);
    }
    return asm_assemble(model, in->state, &none, &inertia, v, v, &opts, in->memory, rows, error);
}

// Its solution, in rows->r.
static cn_status solve_held(const step_context *in, const step_solvers *solvers,
                            asm_assembled *rows, cn_error *error) {
    int32_t count = in->model->joint_row_count;
    double *u = BASE_TAKE(in->memory, double, count);
    cn_solve_report solved;
    if (!u) {
        return base_fail_memory(error);
    }
    memset(rows->r, 0, sizeof(double) * (size_t)count);
    return cn_friction_solve(&rows->problem, solvers->main, &solvers->opts, in->scratch, rows->r, u,
                             &solved, error);
}

cn_status step_project_joint_velocities(const step_context *in, const step_solvers *solvers,
                                        const double *q, double *v, const double **impulses,
                                        cn_error *error) {
    const cn_settings *settings = &in->model->settings;
    double min = JOINT_RATE * settings->joint_tolerance / settings->step;
    return step_remove_joint_rates(in, solvers, min, q, v, impulses, error);
}

cn_status step_remove_joint_rates(const step_context *in, const step_solvers *solvers, double min,
                                  const double *q, double *v, const double **impulses,
                                  cn_error *error) {
    const cn_model *model = in->model;
    *impulses = NULL;
    if (asm_joints_rate(model, in->state, q, v) <= min) {
        return CN_OK;
    }
    asm_assembled rows;
    CN_TRY(assemble_held(in, q, v, 0.0, &rows, error));
    CN_TRY(solve_held(in, solvers, &rows, error));
    int64_t size = (int64_t)model_velocity_size(model->dim) * model->body_count;
    double *before = BASE_TAKE(in->memory, double, size);
    if (!before) {
        return base_fail_memory(error);
    }
    memcpy(before, v, sizeof *v * (size_t)size);
    asm_apply_impulses(in->env, model, &rows, before, rows.r, v);
    *impulses = rows.r;
    return CN_OK;
}

cn_status step_project_positions(const step_context *in, const step_solvers *solvers, double *q,
                                 cn_error *error) {
    const cn_model *model = in->model;
    int64_t size = model_velocity_size(model->dim), pose = model_pose_size(model->dim);
    double *rest = BASE_TAKE_ZERO(in->memory, double, size * model->body_count);
    double *way = BASE_TAKE(in->memory, double, size * model->body_count);
    int32_t worst;
    if (!rest || !way) {
        return base_fail_memory(error);
    }
    for (int32_t round = 0; round < JOINT_ROUNDS; round++) {
        asm_assembled rows;
        if (!(asm_joints_error(model, in->state, q, &worst) > model->settings.joint_tolerance)) {
            break;
        }
        CN_TRY(assemble_held(in, q, rest, 1.0, &rows, error));
        CN_TRY(solve_held(in, solvers, &rows, error));
        asm_apply_impulses(in->env, model, &rows, rest, rows.r, way);
        for (int32_t i = 0; i < model->body_count; i++) {
            rigid_move(model->dim, q + pose * i, way + size * i, 1.0, q + pose * i);
        }
    }
    return CN_OK;
}

// The velocities of the end of the step onto the joints; what that changes is seen by the next
// step.
static cn_status project_end_velocities(const step_context *in, const step_solvers *solvers,
                                        step_data *step, cn_error *error) {
    int64_t size = (int64_t)model_velocity_size(in->model->dim) * in->model->body_count;
    double *seen = BASE_TAKE(in->memory, double, size);
    if (!seen) {
        return base_fail_memory(error);
    }
    for (int64_t i = 0; i < size; i++) {
        seen[i] = step->v_new[i] - step->v[i];
    }
    cn_status status =
        step_project_joint_velocities(in, solvers, step->q, step->v, &step->settled, error);
    for (int64_t i = 0; i < size; i++) {
        seen[i] += step->v[i];
    }
    step->v_seen = seen;
    return status;
}

cn_status step_project_joints(const step_context *in, const step_solvers *solvers, step_data *step,
                              cn_error *error) {
    if (in->opts.drift != CN_DRIFT_PROJECTION && in->opts.drift != CN_DRIFT_GGL) {
        return CN_OK;
    }
    double before[2], after[2];
    const double *gravity = in->steering->gravity;
    cn_status status = CN_OK;
    step_energy_of(in->env, in->model, gravity, step->q, step->v, &before[0], &before[1]);
    if (in->opts.drift == CN_DRIFT_PROJECTION) {
        status = step_project_positions(in, solvers, step->q, error);
        step->joint_error = asm_joints_error(in->model, in->state, step->q, &step->joint_worst);
    }
    if (status == CN_OK) {
        status = project_end_velocities(in, solvers, step, error);
    }
    step_energy_of(in->env, in->model, gravity, step->q, step->v, &after[0], &after[1]);
    step->projected = before[0] + before[1] - after[0] - after[1];
    return status;
}

// ---- further solves ----

// The largest |gauge| of a joint's held rows at q.
static double joint_error_of(const step_context *in, const double *q, int32_t index) {
    const model_joint *joint = &in->model->joint[index];
    joint_view view;
    double max = 0.0, J[12];
    asm_joint_view_at(in->model, in->state, index, q, &view);
    for (int32_t i = 0; i < joint->row_count; i++) {
        bool held = joint->row[i].role == JOINT_ROLE_HELD;
        max = held ? fmax(max, fabs(asm_joint_value(joint, &view, i, J))) : max;
    }
    return max;
}

// Names the joints that are off, the worst first: what cannot be met is shared among those that
// contradict one another.
static cn_status name_broken(const step_context *in, const step_data *step, cn_error *error) {
    const cn_model *model = in->model;
    const model_joint *worst = &model->joint[step->joint_worst];
    char others[160] = "";
    size_t used = 0;
    int32_t count = 0;
    for (int32_t j = 0; j < model->joint_count; j++) {
        const model_joint *joint = &model->joint[j];
        if (joint == worst ||
            !(joint_error_of(in, step->q, j) > JOINT_SHARES * step->joint_error)) {
            continue;
        }
        if (++count <= JOINTS_NAMED && used < sizeof others) {
            used +=
                (size_t)snprintf(others + used, sizeof others - used, "%s%d (%.40s%s%.0d)",
                                 count > 1 ? ", " : "", (int)j + 1, joint->name,
                                 joint->source.line > 0 ? ", line " : "", (int)joint->source.line);
        }
    }
    base_fail(error, CN_ERR_NUMERIC, "joint %d (%s) is off by %.3g at t = %g",
              (int)(worst - model->joint) + 1, worst->name, step->joint_error, in->t + in->h);
    base_fail_at(error, worst->source.file, worst->source.line, worst->source.column);
    if (count > 0) {
        base_fail_hint(error, "it cannot be met together with joint%s %s%s", count > 1 ? "s" : "",
                       others, count > JOINTS_NAMED ? " and more" : "");
    } else {
        base_fail_hint(error, "a motion or a motor may contradict it, or the step is too long");
    }
    return CN_ERR_NUMERIC;
}

// The error at which to stop: as asked, but no less than what a residual of the solver's tolerance
// leaves, h |e| with |e| = tolerance |q|.
static double error_to_reach(const step_context *in, double tolerance,
                             const asm_assembled *assembled) {
    const cn_friction *p = &assembled->problem;
    double sum = 0.0;
    for (int64_t i = (int64_t)p->dim * assembled->contacts; i < (int64_t)p->dim * p->contacts;
         i++) {
        sum += p->bounds.upper[i] > 0.0 && p->bounds.lower[i] < 0.0 ? p->q[i] * p->q[i] : 0.0;
    }
    return fmax(in->model->settings.joint_tolerance, in->h * tolerance * sqrt(sum));
}

// Each solve starts where the first one did: close to a solution of the problem before, Newton's
// method has been seen to lose its way, and joints alone are solved in one step from anywhere.
cn_status step_close_joints(const step_context *in, step_solvers *solvers, const double *guess,
                            step_data *step, cn_error *error) {
    const cn_model *model = in->model;
    const cn_friction *p = &step->assembled.problem;
    size_t bytes = sizeof *guess * (size_t)p->dim * (size_t)p->contacts;
    bool iterate = in->opts.drift == CN_DRIFT_ITERATE || in->opts.drift == CN_DRIFT_GGL;
    double last = HUGE_VAL, aim = error_to_reach(in, solvers->opts.tolerance, &step->assembled);
    step->joint_error = asm_joints_error(model, in->state, step->q, &step->joint_worst);
    for (int32_t round = 0; round < JOINT_ROUNDS && iterate && step->joint_error > aim &&
                            step->joint_error < JOINT_GAIN * last;
         round++) {
        last = step->joint_error;
        asm_joints_correct(model, in->state, &step->opts, step->q, step->r, step->u,
                           &step->assembled);
        memcpy(step->r, guess, bytes);
        CN_TRY(step_solve(in, solvers, p, step->r, step->u, step, error));
        CN_TRY(step_integrate(in, &step->assembled, step->r, step->q_middle, step->v_free,
                              step->v_new, step->q, step->v, error));
        step->joint_error = asm_joints_error(model, in->state, step->q, &step->joint_worst);
    }
    return iterate && !(step->joint_error <= JOINT_BROKEN) ? name_broken(in, step, error) : CN_OK;
}
