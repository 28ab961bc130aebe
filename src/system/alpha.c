// system/alpha.c
// Newmark's scheme, HHT and generalized-alpha with nonsmooth contact. The smooth part of the motion
// follows
//     (1 - am) a1 + am a0 = (1 - af) q''1 + af q''0
//     M(q1) q''1 = F(t1, q1, v1) + G(q1)' s,   Theta(t1, q1) = 0
//     v1 = v0 + h ((1 - g) a0 + g a1) + w
//     q1 = q0 + h v0 + h^2 ((1/2 - b) a0 + b a1) + h/2 w
// with the auxiliary acceleration a, and the velocity jump w of the step takes all contact
// impulses: M(q1) w = H' p + G' s, G w = 0, under Newton's law for u1 + e u0, so that impacts are
// those of Moreau's time stepping while smooth phases are of second order. am = af = 0 is Newmark;
// am = 0 is HHT. References: Chung and Hulbert 1993; Arnold and Bruls 2007; Chen, Acary, Virlez and
// Bruls, International Journal for Numerical Methods in Engineering 96, 2013.
//
// For flexible systems with high frequencies, which spectral_radius < 1 damps out. Lasting contact
// is as accurate as with moreau-jean only: of first order in the gaps.
#include "base/cancel.h"
#include "base/error.h"
#include "system/system.h"

#include <math.h>
#include <string.h>

typedef struct sys_alpha {
    double am, af, beta, gamma;
} sys_alpha;

// ---- the smooth part ----

// q and v at the end for the true acceleration now (run->residual) and the jump w.
static void alpha_place(cn_system_run *run, const sys_alpha *alpha, double h,
                        const double *acceleration, const double *w, double *a1) {
    for (int32_t i = 0; i < run->system->lagrangian.n; i++) {
        double a0 = run->a[i];
        a1[i] = ((1.0 - alpha->af) * acceleration[i] + alpha->af * run->acceleration[i] -
                 alpha->am * a0) /
                (1.0 - alpha->am);
        run->now.v[i] =
            run->old.v[i] + h * ((1.0 - alpha->gamma) * a0 + alpha->gamma * a1[i]) + w[i];
        run->now.q[i] = run->old.q[i] + h * run->old.v[i] +
                        h * h * ((0.5 - alpha->beta) * a0 + alpha->beta * a1[i]) + 0.5 * h * w[i];
    }
}

// K = M - c_v F_v - c_q F_q, the derivative of M q'' - F to q''.
static cn_status alpha_matrix(cn_system_run *run, const sys_alpha *alpha, double h, bool gradients,
                              cn_error *error) {
    int64_t n = run->system->lagrangian.n;
    double share = (1.0 - alpha->af) / (1.0 - alpha->am);
    memcpy(run->response.K, run->now.M, sizeof(double) * (size_t)(n * n));
    for (int64_t k = 0; gradients && k < n * n; k++) {
        run->response.K[k] -=
            h * alpha->gamma * share * run->F_v[k] + h * h * alpha->beta * share * run->F_q[k];
    }
    return sys_response_prepare(&run->response, run->now.joint_rows, run->now.joint_rows, error);
}

// One correction of the acceleration; *change is the largest, over the size of the accelerations.
static cn_status alpha_correct(cn_system_run *run, const sys_alpha *alpha, double h, bool gradients,
                               double *acceleration, double *change, cn_error *error) {
    int32_t n = run->system->lagrangian.n;
    cn_status status = alpha_matrix(run, alpha, h, gradients, error);
    double size = 0.0, share = (1.0 - alpha->af) / (1.0 - alpha->am);
    for (int32_t i = 0; i < n; i++) {
        double sum = run->now.F[i];
        for (int32_t j = 0; j < n; j++) {
            sum -= run->now.M[(int64_t)n * i + j] * acceleration[j];
        }
        run->change[i] = sum;
    }
    for (int32_t j = 0; j < run->system->lagrangian.joints; j++) {
        run->d[j] = -run->now.theta[j] / (h * h * alpha->beta * share);
    }
    if (status == CN_OK) {
        sys_response_apply(&run->response, run->d, run->change);
    }
    *change = 0.0;
    for (int32_t i = 0; status == CN_OK && i < n; i++) {
        acceleration[i] += run->change[i];
        size = fmax(size, fmax(fabs(acceleration[i]), fabs(run->old.v[i]) / h));
        double by = fabs(run->change[i]);
        *change = by <= *change ? *change : by;
    }
    double rounding = sys_joint_rounding(run->system, run->old.q) / (h * h * alpha->beta * share);
    *change = *change <= rounding ? 0.0 : *change;
    *change = size > 0.0 ? *change / size : *change;
    return status;
}

// ---- the jump ----

// w from the velocities without it: the contact problem with K = M at the end of the step.
static cn_status alpha_jump(cn_system_run *run, double *w, double *v, cn_system_report *report,
                            double *change, cn_error *error) {
    const cn_lagrangian *def = &run->system->lagrangian;
    int64_t n = def->n;
    memcpy(run->response.K, run->now.M, sizeof(double) * (size_t)(n * n));
    cn_status status =
        sys_response_prepare(&run->response, run->now.joint_rows, run->now.joint_rows, error);
    CN_TRY(status);
    double size = 0.0;
    for (int32_t i = 0; i < def->n; i++) {
        v[i] = run->now.v[i] - w[i];
    }
    status = sys_contacts_solve(run, &run->now, &run->set, v, report, error);
    *change = 0.0;
    for (int32_t i = 0; status == CN_OK && i < def->n; i++) {
        double without = run->now.v[i] - w[i], jump = v[i] - without, by = fabs(jump - w[i]);
        // Of a body at rest the velocity without contact tells the size.
        size = fmax(size, fmax(fabs(without), fmax(fabs(v[i]), fabs(run->old.v[i]))));
        *change = by <= *change ? *change : by;
        w[i] = jump;
    }
    *change = size > 0.0 ? *change / size : *change;
    return status;
}

// ---- the step ----

static cn_status alpha_iterate(cn_system_run *run, const sys_alpha *alpha, double *acceleration,
                               double *w, double *a1, double *v, cn_system_report *report,
                               cn_error *error) {
    const cn_system *system = run->system;
    double h = run->opts.step;
    bool gradients = system->lagrangian.force_gradient || run->opts.differences;
    cn_status status = CN_OK;
    if (gradients) {
        status = sys_force_gradient(system, &run->old, &run->spare, run->F_q, run->F_v, error);
    }
    bool settled = false;
    int32_t iterations = 0;
    while (status == CN_OK && !settled && iterations < run->opts.newton_max) {
        status = base_poll_status(&run->env, error);
        if (status != CN_OK) {
            break;
        }
        double smooth = HUGE_VAL, jump = HUGE_VAL;
        alpha_place(run, alpha, h, acceleration, w, a1);
        status = sys_instant_evaluate(system, &run->now, error);
        if (status == CN_OK) {
            status = alpha_jump(run, w, v, report, &jump, error);
        }
        if (status == CN_OK) {
            status = alpha_correct(run, alpha, h, gradients, acceleration, &smooth, error);
        }
        settled = smooth <= run->opts.newton_tolerance && jump <= run->opts.newton_tolerance;
        iterations++;
    }
    report->iterations = iterations;
    if (status == CN_OK && !settled) {
        report->outcome = CN_LIMIT;
    }
    if (status == CN_OK) {
        alpha_place(run, alpha, h, acceleration, w, a1);
        status = sys_instant_evaluate(system, &run->now, error);
    }
    return status;
}

// Work by the trapezoidal rule: what the scheme damps is then the balance error.
static void alpha_energy(cn_system_run *run, cn_system_report *report) {
    const cn_system *system = run->system;
    double *mean = run->change, work = 0.0;
    for (int32_t i = 0; i < system->lagrangian.n; i++) {
        work += 0.5 * (run->old.F[i] + run->now.F[i]) * (run->now.q[i] - run->old.q[i]);
        mean[i] = 0.5 * (run->old.v[i] + run->now.v[i]);
    }
    double moved = sys_kinetic(system, run->now.M, mean) - sys_kinetic(system, run->old.M, mean);
    double before = sys_kinetic(system, run->old.M, run->old.v);
    double after = sys_kinetic(system, run->now.M, run->now.v);
    double stored = sys_potential(system, run->now.t, run->now.q) -
                    sys_potential(system, run->old.t, run->old.q);
    report->work += work + moved + stored;
    report->balance_error += after - before + stored;
    for (int32_t j = 0; j < system->lagrangian.joints; j++) {
        report->joint_error_max = fmax(report->joint_error_max, fabs(run->now.theta[j]));
    }
}

static cn_status alpha_step(cn_system_run *run, const sys_alpha *alpha, cn_system_report *report,
                            cn_error *error) {
    const cn_system *system = run->system;
    int64_t n = system->lagrangian.n;
    size_t bytes = sizeof(double) * (size_t)n;
    double h = run->opts.step;
    double *work = BASE_TAKE_ZERO(run->scratch, double, 4 * n);
    if (!work) {
        return base_fail_memory(error);
    }
    double *acceleration = work, *w = work + n, *a1 = w + n, *v = a1 + n;
    run->old.t = (double)run->step * h;
    run->now.t = (double)(run->step + 1) * h;
    memcpy(run->old.q, run->q, bytes);
    memcpy(run->old.v, run->v, bytes);
    memcpy(acceleration, run->acceleration, bytes);
    CN_TRY(sys_instant_evaluate(system, &run->old, error));
    sys_contacts_activate(run, &run->old, h, &run->set);
    CN_TRY(alpha_iterate(run, alpha, acceleration, w, a1, v, report, error));

    sys_contacts_report(run, run->now.t, &run->old, &run->now, run->old.v, &run->set, report);
    alpha_energy(run, report);
    memcpy(run->q, run->now.q, bytes);
    memcpy(run->v, run->now.v, bytes);
    memcpy(run->a, a1, bytes);
    memcpy(run->acceleration, acceleration, bytes);
    report->substeps = 1;
    return CN_OK;
}

// Both accelerations are at first that of the forces and joints at the start.
cn_status sys_alpha_start(cn_system_run *run, cn_system_report *report, cn_error *error) {
    (void)report;
    size_t bytes = sizeof(double) * (size_t)run->system->lagrangian.n;
    run->old.t = 0.0;
    memcpy(run->old.q, run->q, bytes);
    memcpy(run->old.v, run->v, bytes);
    CN_TRY(sys_instant_evaluate(run->system, &run->old, error));
    CN_TRY(sys_smooth_acceleration(run, &run->old, run->a, error));

    memcpy(run->acceleration, run->a, bytes);
    return CN_OK;
}

cn_status sys_newmark_step(cn_system_run *run, cn_system_report *report, cn_error *error) {
    sys_alpha alpha = {.beta = run->opts.newmark_beta, .gamma = run->opts.newmark_gamma};
    return alpha_step(run, &alpha, report, error);
}

cn_status sys_hht_step(cn_system_run *run, cn_system_report *report, cn_error *error) {
    double damping = run->opts.damping;
    sys_alpha alpha = {
        .af = damping, .beta = 0.25 * (1.0 + damping) * (1.0 + damping), .gamma = 0.5 + damping};
    return alpha_step(run, &alpha, report, error);
}

cn_status sys_generalized_alpha_step(cn_system_run *run, cn_system_report *report,
                                     cn_error *error) {
    double rho = run->opts.spectral_radius;
    double am = (2.0 * rho - 1.0) / (rho + 1.0), af = rho / (rho + 1.0);
    sys_alpha alpha = {.am = am,
                       .af = af,
                       .beta = 0.25 * (1.0 - am + af) * (1.0 - am + af),
                       .gamma = 0.5 - am + af};
    return alpha_step(run, &alpha, report, error);
}
