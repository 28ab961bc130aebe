// step/phases.c
// The phases that schemes for rigid bodies share: drift, loads, free velocity, solve, end.
//
// A drift is motion without forces, x + h v and free rotation, which turns the rate of an
// asymmetric body too; every force and impulse acts at q~. Drifts keep energy and both momenta, and
// at q~ the mass matrix is one constant, so the balance of METHOD section 6 is exact and impulses
// between bodies keep the total angular momentum, whatever the shapes.
#include "step/phases.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/parallel.h"
#include "body/rigid_four.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "solve/drivers/drive.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define CN_PHASE_LONG 2e-4 // [s] which the clock of CPU time adds nothing to, so that it is asked
// Of what gravity adds to a velocity in a step: frame changes below it are round-off. Without this
// the warm start of a scene at rest is disturbed by changes of 1e-17 m/s.
#define CN_STILL_SHARE 1e-10
#define CN_SLIDE_MARGIN 1e-9 // a contact slides when |r_T| is within this share of mu r_N

static bool cn_step_take_vectors(const cn_model *model, cn_arena *memory, cn_step *step) {
    int64_t poses = (int64_t)cn_pose_size(model->dim) * model->body_count;
    int64_t velocities = (int64_t)cn_velocity_size(model->dim) * model->body_count;
    step->q_middle = CN_TAKE(memory, double, poses);
    step->q = CN_TAKE(memory, double, poses);
    step->v_old = CN_TAKE(memory, double, velocities);
    step->v_free = CN_TAKE(memory, double, velocities);
    step->v_new = CN_TAKE(memory, double, velocities);
    step->v = CN_TAKE(memory, double, velocities);
    return step->q_middle && step->q && step->v_old && step->v_free && step->v_new && step->v;
}

static cn_status cn_step_allocate(cn_sim *sim, cn_step *step) {
    const cn_model *model = sim->model;
    bool loaded = model->force_count > 0 || model->joint_count > 0 || sim->state.island ||
                  sim->steering.pulled != 0;
    bool complete = true;
    if (sim->next_q) {
        step->q_middle = step->q = sim->next_q;
        step->v_free = step->v_new = step->v = sim->next_v;
        step->v_old = sim->state.v;
    } else {
        complete = cn_step_take_vectors(model, sim->step_memory, step);
    }
    if (complete && loaded) {
        step->load = CN_TAKE_ZERO(sim->step_memory, double, 6 * (int64_t)model->body_count);
        complete = step->load != NULL;
    }
    return complete ? CN_OK : CN_ERR_MEMORY;
}

// Velocities that motions prescribe at time t, written into v.
void cn_step_drive(const cn_sim *sim, double t, double *v) {
    const cn_model *model = sim->model;
    for (int32_t i = 0; i < model->motion_count; i++) {
        const cn_motion *motion = &model->motion[i];
        double *own = v + (int64_t)cn_velocity_size(model->dim) * motion->body;
        for (int32_t k = 0; k < model->dim; k++) {
            own[k] = cn_signal_at(motion->velocity[k], sim->signals, t);
        }
        if (model->dim == 2) {
            own[2] = cn_signal_at(motion->angular_velocity[2], sim->signals, t);
        } else {
            for (int32_t k = 0; k < 3; k++) {
                own[3 + k] = cn_signal_at(motion->angular_velocity[k], sim->signals, t);
            }
        }
    }
}

// theta f(t + h) + (1 - theta) f(t)
static double cn_mean_signal(const cn_signal *signal, const cn_step *step) {
    double theta = step->opts.theta;
    return theta * cn_signal_at(signal, step->opts.signals, step->t + step->h) +
           (1.0 - theta) * cn_signal_at(signal, step->opts.signals, step->t);
}

// Forces and torques that motors give, on the second body and against it on the first.
static void cn_motor_loads(const cn_sim *sim, cn_step *step) {
    const cn_model *model = sim->model;
    for (int32_t j = 0; j < model->joint_count; j++) {
        const cn_joint *joint = &model->joint[j];
        if (joint->motor != CN_MOTOR_FORCE) {
            continue;
        }
        double J[12];
        cn_joint_view view;
        double given = cn_mean_signal(joint->target, step);
        given = fmin(fmax(given, -joint->motor_most), joint->motor_most);
        cn_joint_view_at(model, &sim->state, j, step->q_middle, &view);
        cn_joint_gauge(&view, cn_joint_form_of(joint->geometry.kind, model->dim)->drive, J);
        for (int32_t k = 0; k < 12; k++) {
            step->load[6 * (int64_t)joint->body[k / 6] + k % 6] += given * J[k];
        }
    }
}

// The given forces of the step; those in body axes, or with a point, turn with the body at q~.
void cn_step_loads(const cn_sim *sim, cn_step *step) {
    const cn_model *model = sim->model;
    for (int32_t i = 0; i < model->force_count; i++) {
        const cn_force *given = &model->force[i];
        const double *pose = step->q_middle + (int64_t)cn_pose_size(model->dim) * given->body;
        double *load = step->load + 6 * (int64_t)given->body;
        double force[3], torque[3], R[9];
        for (int k = 0; k < 3; k++) {
            force[k] = cn_mean_signal(given->force[k], step);
            torque[k] = cn_mean_signal(given->torque[k], step);
        }
        if (model->dim == 3) {
            cn_quat_matrix(pose + 3, R);
        } else {
            cn_angle_matrix(pose[2], R);
        }
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
    cn_motor_loads(sim, step);
}

typedef struct cn_drift_loop {
    const cn_model *model;
    const double *q, *v;
    double h, *q_out, *v_out;
} cn_drift_loop;

static void cn_drift_range(void *user, int64_t first, int64_t end) {
    const cn_drift_loop *loop = user;
    const cn_model *model = loop->model;
    int32_t pose = cn_pose_size(model->dim), size = cn_velocity_size(model->dim);
    cn_rigid_drifts drifts;
    cn_rigid_drifts_start(&drifts, loop->h);
    for (int64_t i = first; i < end; i++) {
        const double *q = loop->q + pose * i, *v = loop->v + size * i;
        double *q_out = loop->q_out + pose * i, *v_out = loop->v_out + size * i;
        if (model->body[i].role == CN_BODY_FREE) {
            cn_rigid rigid = cn_body_rigid(model, (int32_t)i);
            cn_rigid_drifts_add(&drifts, &rigid, q, v, q_out, v_out);
        } else {
            cn_rigid_move(model->dim, q, v, loop->h, q_out);
            memmove(v_out, v, sizeof *v * (size_t)size);
        }
    }
    cn_rigid_drifts_end(&drifts);
}

void cn_step_drift(const cn_sim *sim, const double *q, const double *v, double h, double *q_out,
                   double *v_out) {
    cn_drift_loop loop = {sim->model, q, v, h, q_out, v_out};
    cn_parallel_ranges(&sim->env, sim->model->body_count, cn_drift_range, &loop);
}

// Numbers of the bodies, so many each.
typedef struct cn_body_numbers {
    const double *x;
    int32_t size;
} cn_body_numbers;

static bool cn_body_is_finite(const cn_body_numbers *numbers, int64_t body) {
    double sum = 0.0;
    for (int32_t k = 0; k < numbers->size; k++) {
        sum += numbers->x[numbers->size * body + k];
    }
    return isfinite(sum);
}

static double cn_count_unfinite(const void *user, int64_t first, int64_t end) {
    int64_t count = 0;
    for (int64_t i = first; i < end; i++) {
        count += !cn_body_is_finite(user, i);
    }
    return (double)count;
}

// The first body with a number that is not finite, -1: none has.
static int32_t cn_first_unfinite(const cn_sim *sim, const double *x, int32_t size) {
    cn_body_numbers numbers = {x, size};
    int32_t count = sim->model->body_count, body = 0;
    if (!(cn_parallel_sum(&sim->env, count, cn_count_unfinite, &numbers) > 0.0)) {
        return -1;
    }
    while (cn_body_is_finite(&numbers, body)) {
        body++;
    }
    return body;
}

// Expressions may lose their value in the course of time, as sqrt(1 - t).
static cn_status cn_check_given(const cn_sim *sim, cn_error *error) {
    const cn_model *model = sim->model;
    const cn_step *step = &sim->last;
    int32_t body = cn_first_unfinite(sim, step->v_free, cn_velocity_size(model->dim));
    if (body < 0) {
        return CN_OK;
    }
    cn_fail(error, CN_ERR_NUMERIC, "the %s of body %d (%s) is not finite in the step from t = %g",
            model->body[body].role == CN_BODY_FREE ? "force" : "motion", (int)body + 1,
            model->body[body].name, step->t);
    cn_fail_hint(error,
                 "its expression must have a value at every time, and its size be reasonable");
    return CN_ERR_NUMERIC;
}

static void cn_push_range(void *user, int64_t first, int64_t end) {
    const cn_sim *sim = user;
    const cn_model *model = sim->model;
    const cn_step *step = &sim->last;
    int32_t pose = cn_pose_size(model->dim), size = cn_velocity_size(model->dim);
    for (int64_t i = first; i < end; i++) {
        if (model->body[i].role == CN_BODY_FREE) {
            cn_rigid rigid = cn_body_rigid(model, (int32_t)i);
            static const double none[6] = {0.0};
            const double *load = step->load ? step->load + 6 * i : none;
            double force[3], own[36];
            cn_add_scaled3(load, rigid.mass, step->steering->gravity, force);
            cn_rigid_kick(&rigid, step->q_middle + pose * i,
                          cn_inertia_at(model, &step->inertia, (int32_t)i, own), force, load + 3,
                          step->h, step->v_old + size * i, step->v_free + size * i);
        }
    }
}

cn_status cn_step_push(cn_sim *sim, cn_error *error) {
    const cn_model *model = sim->model;
    cn_step *step = &sim->last;
    cn_steer_pull(model, step);
    memset(step->v_free, 0,
           sizeof(double) * (size_t)cn_velocity_size(model->dim) * (size_t)model->body_count);
    cn_step_drive(sim, step->t + step->h, step->v_free);
    cn_parallel_ranges(&sim->env, model->body_count, cn_push_range, sim);
    return cn_check_given(sim, error);
}

static void cn_keep_better(cn_sim *sim, const cn_friction *p, double *trial_r, double *trial_u,
                           const cn_solve_report *trial) {
    cn_step *step = &sim->last;
    size_t bytes = sizeof(double) * (size_t)p->dim * (size_t)p->contacts;
    if (trial->grade.residual < step->solved.grade.residual) {
        int32_t before = step->solved.iterations;
        memcpy(step->r, trial_r, bytes);
        if (step->u) {
            memcpy(step->u, trial_u, bytes);
        }
        step->solved = *trial;
        step->solved.iterations += before;
        step->solver = sim->fallback->info.name;
    }
}

static const cn_param *cn_budget_param(const cn_solver_info *info) {
    for (int32_t i = 0; i < info->param_count; i++) {
        if (strcmp(info->params[i].name, "budget") == 0) {
            return &info->params[i];
        }
    }
    return NULL;
}

// Bounds a solve by what the step has left of its effort: by the solver's own budget of work where
// it has one, which its own parameter may have set lower, else by iterations. Some work is always
// left, so that no answer is nothing but its start.
static void cn_step_bound(const cn_sim *sim, const cn_solver_info *info, cn_solve_opts *opts) {
    const cn_param *budget = cn_budget_param(info);
    if (!(sim->effort > 0.0)) {
        return;
    }
    if (budget) {
        double *own = (double *)(void *)((char *)opts->params + budget->offset);
        *own = *own > 0.0 ? fmin(*own, sim->effort) : sim->effort;
    } else if (sim->effort < opts->max_iterations) {
        opts->max_iterations = (int32_t)sim->effort;
    }
}

// What a solve with these options took of the effort.
static void cn_step_spend(cn_sim *sim, const cn_solve_opts *opts, int32_t max_iterations,
                          cn_solve_report *report) {
    if (!(sim->effort > 0.0)) {
        return;
    }
    if (report->outcome == CN_LIMIT && opts->max_iterations < max_iterations) {
        report->outcome = CN_EFFORT;
        report->detail = "the effort of the step is spent";
    }
    sim->effort = fmax(sim->effort - fmax(report->work, report->iterations), 1.0);
}

// The solver's settings with what the step has left of its time: the limit is the whole step's, so
// detection and assembly have had their part, and what follows the solve gets as much as last time.
static cn_solve_opts cn_step_limited(cn_sim *sim, const cn_solver_info *info,
                                     const cn_solve_opts *opts) {
    cn_solve_opts limited = *opts;
    cn_step_bound(sim, info, &limited);
    if (opts->time_limit > 0.0) {
        sim->clock.solving = cn_clock_cpu();
        double spent = sim->clock.solving - sim->clock.start;
        limited.time_limit = fmax(opts->time_limit - spent - sim->clock.rest, DBL_MIN);
    }
    return limited;
}

// The solve, and with the policy "retry" the fallback from the best iterate, unless time is up.
cn_status cn_step_solve(cn_sim *sim, cn_error *error) {
    cn_step *step = &sim->last;
    const cn_friction *p = &step->assembled.problem;
    int64_t m = (int64_t)p->dim * p->contacts;
    step->r = step->assembled.r;
    bool told = sim->next_v != NULL; // u follows from v_new
    step->u = step->u || told ? step->u : CN_TAKE(sim->step_memory, double, m);
    if (!step->u && !told) {
        return cn_fail_memory(error);
    }
    step->solver = sim->solver->info.name;
    cn_solve_opts opts = cn_step_limited(sim, &sim->solver->info, &sim->opts);
    bool timed = opts.time_limit > 0.0;
    cn_status status = cn_friction_drive(p, sim->solver, &opts, timed, sim->scratch, step->r,
                                         step->u, &step->solved, error);
    cn_step_spend(sim, &opts, sim->opts.max_iterations, &step->solved);
    bool retry = sim->model->settings.on_stall == CN_STALL_RETRY &&
                 step->solved.outcome != CN_SOLVED && step->solved.outcome != CN_TIME &&
                 step->solved.outcome != CN_EFFORT;
    if (status != CN_OK || !retry) {
        return status;
    }
    double *r = CN_TAKE(sim->step_memory, double, m),
           *u = told ? NULL : CN_TAKE(sim->step_memory, double, m);
    if (!r || (!u && !told)) {
        return cn_fail_memory(error);
    }
    memcpy(r, step->r, sizeof *r * (size_t)m);
    cn_solve_report trial;
    step->retries++;
    opts = cn_step_limited(sim, &sim->fallback->info, &sim->fallback_opts);
    status = cn_friction_drive(p, sim->fallback, &opts, timed, sim->scratch, r, u, &trial, error);
    if (status == CN_OK) {
        cn_step_spend(sim, &opts, sim->fallback_opts.max_iterations, &trial);
        cn_keep_better(sim, p, r, u, &trial);
    }
    return status;
}

static void cn_status_range(void *user, int64_t first, int64_t end) {
    const cn_step *step = user;
    const cn_friction *p = &step->assembled.problem;
    for (int64_t a = first; a < end; a++) {
        const double *r = step->r + p->dim * a;
        double tangent2 = r[1] * r[1] + (p->dim == 3 ? r[2] * r[2] : 0.0);
        double limit = (1.0 - CN_SLIDE_MARGIN) * p->mu[a] * r[0];
        step->status[a] = !(r[0] > 0.0) ? 0 : (tangent2 < limit * limit ? 1 : 2);
    }
}

cn_status cn_step_statuses(cn_sim *sim, cn_error *error) {
    cn_step *step = &sim->last;
    step->status = CN_TAKE(sim->step_memory, uint8_t, step->assembled.problem.contacts);
    if (!step->status) {
        return cn_fail_memory(error);
    }
    cn_parallel_ranges(&sim->env, step->assembled.contacts, cn_status_range, step);
    return CN_OK;
}

// v and q at the end of the step.
cn_status cn_step_end(cn_sim *sim, cn_error *error) {
    cn_step *step = &sim->last;
    const cn_model *model = sim->model;
    cn_apply_impulses(&sim->env, model, &step->assembled, step->v_free, step->r, step->v_new);
    step->v_seen = step->v_new;
    cn_step_drift(sim, step->q_middle, step->v_new, step->h * step->opts.theta, step->q, step->v);
    int32_t body = cn_first_unfinite(sim, step->v, cn_velocity_size(model->dim));
    body = body < 0 ? cn_first_unfinite(sim, step->q, cn_pose_size(model->dim)) : body;
    if (body < 0) {
        return CN_OK;
    }
    cn_fail(error, CN_ERR_NUMERIC, "body %d (%s) left the finite numbers at t = %g", (int)body + 1,
            model->body[body].name, step->t);
    cn_fail_hint(error, "a smaller step, or look at its forces");
    return CN_ERR_NUMERIC;
}

cn_status cn_step_begin(cn_sim *sim, double t, double h, cn_error *error) {
    const cn_model *model = sim->model;
    cn_step *step = &sim->last;
    *step =
        (cn_step){.t = t,
                  .h = h,
                  .sweep = model->settings.theta * h + (1.0 - model->settings.theta) * sim->next_h,
                  .drift_limit = HUGE_VAL,
                  .steering = &sim->steering,
                  .joint_worst = -1,
                  .opts = {.t = t,
                           .h = h,
                           .theta = model->settings.theta,
                           .signals = sim->signals,
                           .still = CN_STILL_SHARE * h * cn_norm3(sim->steering.gravity),
                           .drift = model->settings.joint_drift,
                           .baumgarte = model->settings.baumgarte}};
    cn_arena_release(sim->step_memory, (cn_arena_mark){0});
    if (cn_step_allocate(sim, step) != CN_OK) {
        return cn_fail_memory(error);
    }
    if (step->v_old != sim->state.v) {
        memcpy(step->v_old, sim->state.v,
               sizeof(double) * (size_t)cn_velocity_size(model->dim) * (size_t)model->body_count);
    }
    cn_step_drive(sim, t, step->v_old);
    return cn_sleep_begin(sim) == CN_OK ? CN_OK : cn_fail_memory(error);
}

// Each phase since the last time has its share of the CPU time that all took. Time when the
// processor did something else is counted off the longest, where it most likely was.
static void cn_phases_settle(cn_phase_clock *clock, double now) {
    double cpu = cn_clock_cpu(), used = cpu - clock->began_cpu,
           elsewhere = now - clock->began - used;
    int32_t longest = 0;
    for (int32_t i = 1; i < CN_PHASES; i++) {
        longest = clock->taken[i] > clock->taken[longest] ? i : longest;
    }
    if (elsewhere > 0.0) {
        clock->taken[longest] = fmax(clock->taken[longest] - elsewhere, 0.0);
    }
    double all = 0.0;
    for (int32_t i = 0; i < CN_PHASES; i++) {
        all += clock->taken[i];
    }
    for (int32_t i = 0; i < CN_PHASES; i++) {
        clock->cpu[i] += all > 0.0 ? clock->taken[i] / all * used : 0.0;
        clock->taken[i] = 0.0;
    }
    clock->began = now;
    clock->began_cpu = cpu;
}

void cn_step_enter(cn_sim *sim, cn_phase phase) {
    cn_phase_clock *clock = &sim->phases;
    bool first = clock->phase == CN_PHASES;
    clock->began_cpu = first ? cn_clock_cpu() : clock->began_cpu;
    double now = cn_clock_steady();
    if (first) {
        clock->began = now;
    } else {
        clock->taken[clock->phase] += now - clock->entered;
    }
    clock->phase = phase;
    clock->entered = now;
    if (phase == CN_PHASES || now - clock->began > CN_PHASE_LONG) {
        cn_phases_settle(clock, now);
    }
}

// The contacts at q~.
static cn_status cn_step_detect(cn_sim *sim, cn_error *error) {
    cn_step *step = &sim->last;
    int32_t missed = step->contacts.missed;
    cn_step_enter(sim, CN_PHASE_DETECT);
    cn_detector_rest(sim->detector, step->resting);
    cn_status status = cn_detect(sim->detector, step->q_middle, step->v_old,
                                 fmax(step->h, step->sweep), &step->contacts, error);
    step->contacts.missed += missed;
    cn_step_enter(sim, CN_PHASE_ASSEMBLE);
    return status;
}

// Inverse masses at q~; those of bodies that sleep are zero.
static cn_status cn_step_masses(cn_sim *sim, cn_error *error) {
    cn_step *step = &sim->last;
    cn_status status =
        cn_inertia_prepare(sim->model, step->q_middle, sim->step_memory, &step->inertia);
    if (status != CN_OK) {
        return cn_fail_memory(error);
    }
    cn_sleep_hold(sim, step);
    return CN_OK;
}

// Bodies out of penetration; contacts and masses are then those of the new poses.
static cn_status cn_step_lift(cn_sim *sim, cn_error *error) {
    bool moved = false;
    cn_status status = cn_step_project(sim, &moved, error);
    if (status == CN_OK && moved) {
        status = cn_step_detect(sim, error);
        status = status == CN_OK ? cn_step_masses(sim, error) : status;
    }
    return status;
}

cn_status cn_step_go(cn_sim *sim, cn_error *error) {
    const cn_model *model = sim->model;
    cn_step *step = &sim->last;
    cn_step_drift(sim, sim->state.q, step->v_old, step->h * (1.0 - step->opts.theta),
                  step->q_middle, step->v_old);

    cn_status status = cn_step_detect(sim, error);
    if (status == CN_OK) {
        cn_step_loads(sim, step);
        cn_sleep_look(sim);
        if (step->woken > 0) {
            return CN_OK;
        }
        status = cn_step_masses(sim, error);
    }
    if (status == CN_OK) {
        status = cn_step_lift(sim, error);
    }
    if (status == CN_OK) {
        status = cn_fast_mark(sim, error);
    }
    if (status == CN_OK) {
        status = cn_step_push(sim, error);
    }
    if (status == CN_OK) {
        cn_sleep_hold(sim, step);
        status = cn_assemble(model, &sim->state, &step->contacts, &step->inertia, step->v_old,
                             step->v_free, &step->opts, sim->step_memory, &step->assembled, error);
    }
    status = status == CN_OK ? cn_step_finish(sim, error) : status;
    status = status == CN_OK ? cn_fast_check(sim, error) : status;
    if (status == CN_OK) {
        cn_sleep_disturb(sim);
    }
    return status;
}
