// system/moreau_jean.c
// The Moreau-Jean theta-scheme with the geometry of the end of the step: find v1, p, s with
//     M(q1) (v1 - v0) = h (theta F1 + (1 - theta) F0) + H(q1)' p + (theta G1 + (1 - theta) G0)' s
//     q1 = q0 + h (theta v1 + (1 - theta) v0),   Theta(t1, q1) = 0
// (with theta = 1/2 the joints then do no work where Theta is quadratic), and the laws of the
// contacts that are active at the old instant. Newton's method: each iteration linearises about v1
// with K = M - h theta F_v - (h theta)^2 F_q, the force gradients held over the step, and solves
// one contact problem. The changes of M and H with q are left out of K; they cost a factor of order
// h an iteration.
//
// The laws look at velocities, so that lasting contacts sink in by the square of the step again and
// again; with opts.projection positions are then pushed out, the shortest way in the metric of M.
//
// First order at impacts. With opts.error the step is cut: a step of h against two of h/2, both of
// which see the same contact laws. Reference: Acary and Brogliato, Numerical Methods for Nonsmooth
// Dynamical Systems, chapter 10. For impact times to many digits use "event-driven".
#include "base/cancel.h"
#include "base/error.h"
#include "system/system.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define STEP_SHORTEST (1.0 / 1024.0) // of h, where none is given
#define STEP_SAFETY 0.9              // of the step that the error estimate allows
#define STEP_GROWTH 2.0              // most from one step to the next
#define PROJECTIONS 10               // rounds at most; each squares what is left
#define STEP_ROUND 1e-9              // of h: a rest this short is none

// ---- Newton's method ----

// K and its factors at the instant now.
static cn_status newton_matrix(cn_system_run *run, const sys_instant *now, double h, bool gradients,
                               cn_error *error) {
    int64_t n = run->system->lagrangian.n;
    double part = h * run->opts.theta;
    memcpy(run->response.K, now->M, sizeof(double) * (size_t)(n * n));
    for (int64_t k = 0; gradients && k < n * n; k++) {
        run->response.K[k] -= part * run->F_v[k] + part * part * run->F_q[k];
    }
    int64_t entries = n * run->system->lagrangian.joints;
    for (int64_t k = 0; k < entries; k++) {
        run->direction[k] =
            run->opts.theta * now->joint_rows[k] + (1.0 - run->opts.theta) * run->old.joint_rows[k];
    }
    return sys_response_prepare(&run->response, now->joint_rows, run->direction, error);
}

// The residual without contacts, M (v1 - v0) - h F_theta, negated.
static void newton_residual(const cn_system_run *run, const sys_instant *old,
                            const sys_instant *now, double h, double *out) {
    int32_t n = run->system->lagrangian.n;
    double theta = run->opts.theta;
    for (int32_t i = 0; i < n; i++) {
        double sum = h * (theta * now->F[i] + (1.0 - theta) * old->F[i]);
        for (int32_t j = 0; j < n; j++) {
            sum -= now->M[(int64_t)n * i + j] * (now->v[j] - old->v[j]);
        }
        out[i] = sum;
    }
}

static void newton_place(const cn_system_run *run, const sys_instant *old, double h,
                         sys_instant *now) {
    double theta = run->opts.theta;
    for (int32_t i = 0; i < run->system->lagrangian.n; i++) {
        now->q[i] = old->q[i] + h * (theta * now->v[i] + (1.0 - theta) * old->v[i]);
    }
}

// One iteration: now->v moves; *size and *change say how large it is and by how much.
static cn_status newton_iterate(cn_system_run *run, double h, bool gradients, double *size,
                                double *change, cn_system_report *report, cn_error *error) {
    const cn_lagrangian *def = &run->system->lagrangian;
    sys_instant *old = &run->old, *now = &run->now;
    cn_status status = newton_matrix(run, now, h, gradients, error);
    CN_TRY(status);
    newton_residual(run, old, now, h, run->change);
    for (int32_t j = 0; j < def->joints; j++) {
        run->d[j] = -now->theta[j] / (h * run->opts.theta);
    }
    sys_response_apply(&run->response, run->d, run->change);
    double *v = run->residual; // the new velocities
    for (int32_t i = 0; i < def->n; i++) {
        v[i] = now->v[i] + run->change[i];
        *size = fmax(*size, fmax(fabs(v[i] - old->v[i]), fabs(old->v[i])));
    }
    // Joint impulses of the contacts' response come on top of those just found.
    status = sys_contacts_solve(run, now, &run->set, v, report, error);
    *change = 0.0;
    for (int32_t i = 0; status == CN_OK && i < def->n; i++) {
        double by = fabs(v[i] - now->v[i]);
        *size = fmax(*size, fabs(v[i]));
        *change = by <= *change ? *change : by; // NaN goes through
        now->v[i] = v[i];
    }
    return status;
}

static cn_status newton_solve(cn_system_run *run, double t, double h, cn_system_report *report,
                              cn_error *error) {
    const cn_system *system = run->system;
    sys_instant *old = &run->old, *now = &run->now;
    bool gradients = system->lagrangian.force_gradient || run->opts.differences;
    cn_status status = CN_OK;
    if (gradients) {
        status = sys_force_gradient(system, old, &run->spare, run->F_q, run->F_v, error);
    }
    now->t = t + h;
    memcpy(now->v, old->v, sizeof(double) * (size_t)system->lagrangian.n);
    double size = 0.0, change = HUGE_VAL;
    double rounding = sys_joint_rounding(system, old->q) / (h * run->opts.theta);
    bool settled = false;
    int32_t iterations = 0;
    while (status == CN_OK && !settled && iterations < run->opts.newton_max) {
        status = base_poll_status(&run->env, error);
        if (status != CN_OK) {
            break;
        }
        newton_place(run, old, h, now);
        status = sys_instant_evaluate(system, now, error);
        if (status == CN_OK) {
            status = newton_iterate(run, h, gradients, &size, &change, report, error);
        }
        settled = change <= run->opts.newton_tolerance * size + rounding;
        iterations++;
    }
    report->iterations += iterations;
    if (status == CN_OK && !settled) {
        report->outcome = CN_LIMIT;
        report->residual = size > 0.0 ? change / size : change;
    }
    if (status == CN_OK) {
        newton_place(run, old, h, now);
        status = sys_instant_evaluate(system, now, error);
    }
    return status;
}

// ---- a step ----

// M1 (v1 - v0) (v0 + v1)/2 = K1 - K0 - v0 (M1 - M0) v0 / 2: the balance is exact for any theta.
static void step_energy(cn_system_run *run, double h, cn_system_report *report) {
    const cn_system *system = run->system;
    const sys_instant *old = &run->old, *now = &run->now;
    int32_t n = system->lagrangian.n, m = system->lagrangian.joints;
    double theta = run->opts.theta, work = 0.0;
    for (int32_t i = 0; i < n; i++) {
        double force = h * (theta * now->F[i] + (1.0 - theta) * old->F[i]);
        double inertia = 0.0;
        for (int32_t j = 0; j < n; j++) {
            inertia += now->M[(int64_t)n * i + j] * (now->v[j] - old->v[j]);
        }
        // Joint impulses are what the equation of motion leaves to them.
        double joint = 0.0, contact = 0.0;
        int32_t contacts = system->lagrangian.contacts;
        for (int32_t c = 0; c < sys_contact_parts(system) * contacts; c++) {
            contact += now->rows[(int64_t)n * c + i] *
                       run->set.p[CN_CONTACT_PARTS * (int64_t)(c % contacts) + c / contacts];
        }
        joint = m > 0 ? inertia - force - contact : 0.0;
        work += (force + joint) * 0.5 * (old->v[i] + now->v[i]);
    }
    double kinetic = sys_kinetic(system, now->M, now->v);
    double before = sys_kinetic(system, old->M, old->v);
    double moved = sys_kinetic(system, now->M, old->v) - before;
    double stored = sys_potential(system, now->t, now->q) - sys_potential(system, old->t, old->q);
    report->work += work + moved + stored;
    report->balance_error += kinetic - before + stored;
}

// ---- projection ----

static double deepest_gap(const cn_system_run *run) {
    double deepest = 0.0;
    for (int32_t c = 0; c < run->system->lagrangian.contacts; c++) {
        deepest = run->set.active[c] ? fmax(deepest, -run->now.gap[c]) : deepest;
    }
    return deepest;
}

// Coordinates of the end of the step out of the active contacts; what energy that gives is booked.
static cn_status project_step(cn_system_run *run, cn_system_report *report, cn_error *error) {
    const cn_system *system = run->system;
    int64_t n = system->lagrangian.n;
    sys_instant *now = &run->now;
    double before = sys_kinetic(system, now->M, now->v) + sys_potential(system, now->t, now->q);
    cn_status status = CN_OK;
    for (int32_t round = 0;
         status == CN_OK && round < PROJECTIONS && deepest_gap(run) > run->opts.projection;
         round++) {
        memcpy(run->response.K, now->M, sizeof(double) * (size_t)(n * n));
        memset(run->change, 0, sizeof(double) * (size_t)n);
        status = sys_response_prepare(&run->response, now->joint_rows, now->joint_rows, error);
        for (int32_t j = 0; status == CN_OK && j < system->lagrangian.joints; j++) {
            run->d[j] = -now->theta[j];
        }
        if (status == CN_OK) {
            sys_response_apply(&run->response, run->d, run->change);
            status = sys_contacts_push_out(run, now, &run->set, run->change, error);
        }
        for (int32_t i = 0; status == CN_OK && i < n; i++) {
            now->q[i] += run->change[i];
        }
        if (status == CN_OK) {
            status = sys_instant_evaluate(system, now, error);
        }
    }
    double given =
        sys_kinetic(system, now->M, now->v) + sys_potential(system, now->t, now->q) - before;
    report->dissipated_numerical -= given;
    report->balance_error += given;
    return status;
}

cn_status sys_moreau_jean_advance(cn_system_run *run, double t, double h, double *q, double *v,
                                  cn_system_report *report, cn_error *error) {
    const cn_system *system = run->system;
    size_t bytes = sizeof(double) * (size_t)system->lagrangian.n;
    run->old.t = t;
    memcpy(run->old.q, q, bytes);
    memcpy(run->old.v, v, bytes);
    cn_status status = sys_instant_evaluate(system, &run->old, error);
    if (status == CN_OK) {
        sys_contacts_activate(run, &run->old, h, &run->set);
        status = newton_solve(run, t, h, report, error);
    }
    CN_TRY(status);
    sys_contacts_report(run, t + h, &run->old, &run->now, run->old.v, &run->set, report);
    step_energy(run, h, report);
    if (run->opts.projection > 0.0) {
        status = project_step(run, report, error);
    }
    for (int32_t j = 0; j < system->lagrangian.joints; j++) {
        report->joint_error_max = fmax(report->joint_error_max, fabs(run->now.theta[j]));
    }
    memcpy(q, run->now.q, bytes);
    memcpy(v, run->now.v, bytes);
    report->substeps++;
    return status;
}

// ---- adapted steps ----

// The larger of the differences of coordinates and velocities, each over its size.
static double step_difference(int32_t n, const double *q, const double *v, const double *q_fine,
                              const double *v_fine) {
    double off[2] = {0.0, 0.0}, size[2] = {DBL_MIN, DBL_MIN};
    for (int32_t i = 0; i < n; i++) {
        off[0] = fmax(off[0], fabs(q[i] - q_fine[i]));
        off[1] = fmax(off[1], fabs(v[i] - v_fine[i]));
        size[0] = fmax(size[0], fmax(fabs(q[i]), 1.0));
        size[1] = fmax(size[1], fabs(v_fine[i]));
    }
    return fmax(off[0] / size[0], off[1] / size[1]);
}

// What is not to be counted twice while a step is tried.
static void trial_begin(cn_system_run *run, cn_system_opts *kept, double *impulse) {
    *kept = run->opts;
    run->opts.impact = NULL;
    memcpy(impulse, run->impulse,
           sizeof(double) * CN_CONTACT_PARTS * (size_t)run->system->lagrangian.contacts);
}

static void trial_end(cn_system_run *run, const cn_system_opts *kept, const double *impulse) {
    run->opts = *kept;
    memcpy(run->impulse, impulse,
           sizeof(double) * CN_CONTACT_PARTS * (size_t)run->system->lagrangian.contacts);
}

static double overlap(const cn_system *system, const sys_instant *at) {
    double deepest = 0.0;
    for (int32_t c = 0; c < system->lagrangian.contacts; c++) {
        deepest = fmax(deepest, -at->gap[c]);
    }
    return deepest;
}

// The error of a step of h from the run's state, by two of half the length. An impact in its last
// quarter is seen by neither, but leaves an overlap.
static cn_status step_estimate(cn_system_run *run, double t, double h, double *estimate,
                               cn_error *error) {
    int32_t n = run->system->lagrangian.n;
    base_arena_mark mark = base_arena_get_mark(run->scratch);
    double *work = BASE_TAKE(run->scratch, double, 4 * (int64_t)n);
    double *impulse = BASE_TAKE(run->scratch, double,
                                CN_CONTACT_PARTS *(int64_t)run->system->lagrangian.contacts);
    if (!work || !impulse) {
        return base_fail_memory(error);
    }
    double *q = work, *v = q + n, *q_fine = v + n, *v_fine = q_fine + n;
    cn_system_opts kept;
    trial_begin(run, &kept, impulse);
    memcpy(q, run->q, sizeof(double) * (size_t)n);
    memcpy(v, run->v, sizeof(double) * (size_t)n);
    memcpy(q_fine, run->q, sizeof(double) * (size_t)n);
    memcpy(v_fine, run->v, sizeof(double) * (size_t)n);
    cn_system_report unused = {.outcome = CN_SOLVED};
    cn_status status = sys_moreau_jean_advance(run, t, h, q, v, &unused, error);
    double before = status == CN_OK ? overlap(run->system, &run->old) : 0.0;
    for (int32_t half = 0; status == CN_OK && half < 2; half++) {
        status = sys_moreau_jean_advance(run, t + 0.5 * h * half, 0.5 * h, q_fine, v_fine, &unused,
                                         error);
    }
    *estimate = step_difference(n, q, v, q_fine, v_fine);
    if (status == CN_OK) {
        *estimate = fmax(*estimate, overlap(run->system, &run->now) - before);
    }
    trial_end(run, &kept, impulse);
    base_arena_release(run->scratch, mark);
    return status;
}

// Steps whose estimated error stays below opts.error until one h is over; the last length is kept.
static cn_status moreau_jean_adapted(cn_system_run *run, double t, cn_system_report *report,
                                     cn_error *error) {
    double h = run->opts.step, done = 0.0;
    double min = run->opts.step_min > 0.0 ? run->opts.step_min : STEP_SHORTEST * h;
    double next = run->memory_of_scheme[0] > 0.0 ? run->memory_of_scheme[0] : h;
    cn_status status = CN_OK;
    while (status == CN_OK && h - done > STEP_ROUND * h) {
        double length = fmin(next, h - done), estimate;
        status = step_estimate(run, t + done, length, &estimate, error);
        if (status != CN_OK) {
            break;
        }
        double share = estimate > 0.0 ? sqrt(run->opts.error / estimate) : STEP_GROWTH;
        next = fmax(min, length * fmin(STEP_GROWTH, STEP_SAFETY * share));
        if (estimate <= run->opts.error || length <= min) {
            status = sys_moreau_jean_advance(run, t + done, length, run->q, run->v, report, error);
            done += length;
        }
    }
    run->memory_of_scheme[0] = fmin(next, h);
    return status;
}

cn_status sys_moreau_jean_step(cn_system_run *run, cn_system_report *report, cn_error *error) {
    double t = (double)run->step * run->opts.step;
    if (run->opts.error > 0.0) {
        CN_TRY(moreau_jean_adapted(run, t, report, error));
    } else {
        CN_TRY(sys_moreau_jean_advance(run, t, run->opts.step, run->q, run->v, report, error));
    }
    return CN_OK;
}
