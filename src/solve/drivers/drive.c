// solve/drivers/drive.c
// The drivers: what surrounds every solver. They check, run, recompute u = W r + q, have the
// checker grade the answer and make the outcome agree with the grade. No solver grades itself.
#include "solve/drivers/drive.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/parallel.h"
#include "problem/operator/operator.h"
#include "solve/drivers/joint_rows.h"
#include "solve/drivers/params.h"
#include "sparse/csr.h"

#include <cairn/solve.h>
#include <math.h>
#include <string.h>

#define DRIVE_ROUNDING 1.5 // times the tolerance: a residual that only rounding keeps above it
#define DRIVE_REPEATS 2    // runs more then,
#define DRIVE_TIGHTER 0.25 // of the tolerance each

// Zero times a number that is not finite is NaN, which a sum keeps; four sums go at once.
static double nothing_range(const void *user, int64_t first, int64_t end) {
    const double *x = user;
    double nothing[4] = {0.0, 0.0, 0.0, 0.0};
    int64_t i = first;
    for (; i + 4 <= end; i += 4) {
        for (int k = 0; k < 4; k++) {
            nothing[k] += 0.0 * x[i + k];
        }
    }
    for (; i < end; i++) {
        nothing[0] += 0.0 * x[i];
    }
    return (nothing[0] + nothing[1]) + (nothing[2] + nothing[3]);
}

// How many coefficients of friction are none.
static double unsound_range(const void *user, int64_t first, int64_t end) {
    const double *mu = user;
    int64_t count = 0;
    for (int64_t a = first; a < end; a++) {
        count += !(mu[a] >= 0.0 && isfinite(mu[a]));
    }
    return (double)count;
}

static bool all_finite(const cn_env *env, int64_t count, const double *x) {
    return base_parallel_sum(env, count, nothing_range, x) == 0.0;
}

// ---- what both kinds share ----

static cn_status drive_check(const void *problem, const cn_solver_info *info, const void *solve,
                             const cn_solve_opts *opts, const void *scratch, const double *r,
                             const double *u, cn_solve_report *report, cn_error *error) {
    if (!report) {
        return base_fail(error, CN_ERR_ARGUMENT, "no report was given");
    }
    *report = (cn_solve_report){.outcome = CN_STALLED, .detail = "not run"};
    if (!problem || !info || !solve || !opts || !scratch || !r || !u) {
        const char *missing = !problem          ? "problem"
                              : !info || !solve ? "solver"
                              : !opts           ? "options"
                              : !scratch        ? "scratch arena"
                              : !r              ? "array for the impulses"
                                                : "array for the velocities";
        return base_fail(error, CN_ERR_ARGUMENT, "no %s was given", missing);
    }
    return solve_opts_validate(opts, info, error);
}

// The options with a callback to poll, where the caller gave one in whatever way.
static cn_solve_opts drive_opts(const cn_solve_opts *opts, const cn_arena *scratch) {
    cn_solve_opts own = *opts;
    const cn_env *env = cn_arena_env(scratch);
    if (!own.cancel) {
        own.cancel = env->cancel;
        own.cancel_user = env->cancel_user;
    }
    return own;
}

// How a run ended. A part of a solver that was left early may have given an answer all the same.
static cn_status drive_run_status(cn_status run, const cn_solve_opts *opts) {
    return run == CN_OK && opts->cancel && opts->cancel(opts->cancel_user) ? CN_ERR_CANCELLED : run;
}

// The grade decides: within the tolerance is solved, whatever the solver said; above it, is not. An
// answer that had to be replaced stays diverged even if zero happens to fit.
static void drive_settle(const cn_solve_opts *opts, bool replaced, cn_solve_report *report) {
    double residual = cn_grade_residual(&report->grade, opts->measure);
    if (replaced) {
        report->outcome = CN_DIVERGED;
        report->detail = "the answer was not finite and was replaced by zero";
    } else if (residual <= opts->tolerance) {
        report->outcome = CN_SOLVED;
    } else if (report->outcome == CN_SOLVED) {
        report->outcome = CN_STALLED;
        report->detail = "the solver claimed to be done but the checker's residual is above the "
                         "tolerance";
    }
    if (!report->detail) {
        report->detail = "the solver gave no reason";
    }
}

// A cancelled solve is judged too: its last iterate may be of use.
static bool drive_has_answer(cn_status run) {
    return run == CN_OK || run == CN_ERR_CANCELLED;
}

// run: how the solver ended. judged: how the judging did.
static cn_status drive_end(const cn_solver_info *info, cn_status run, cn_status judged,
                           cn_solve_report *report, cn_error *error) {
    cn_status status = run != CN_OK ? run : judged;
    if (status == CN_OK) {
        return CN_OK;
    }
    if (!report->detail || status != CN_ERR_CANCELLED) {
        report->detail = cn_status_text(status);
    }
    if (status == CN_ERR_MEMORY) {
        return base_fail_memory(error);
    }
    return base_fail(error, status, "the solver %s ended early: %s", info->name,
                     cn_status_text(status));
}

// ---- friction ----

static cn_status friction_check(const cn_env *env, const cn_friction *p, const double *r,
                                cn_error *error) {
    if ((p->dim != 2 && p->dim != 3) || p->contacts < 0) {
        return base_fail(error, CN_ERR_ARGUMENT, "a friction problem of dimension %d, %d contacts",
                         (int)p->dim, (int)p->contacts);
    }
    int64_t m = (int64_t)p->dim * p->contacts;
    if (!all_finite(env, m, p->q)) {
        return base_fail(error, CN_ERR_ARGUMENT, "q holds a number that is not finite");
    }
    bool sound = base_parallel_sum(env, p->contacts, unsound_range, p->mu) == 0.0;
    for (int32_t a = 0; !sound && a < p->contacts; a++) {
        if (!(p->mu[a] >= 0.0 && isfinite(p->mu[a]))) {
            return base_fail(error, CN_ERR_ARGUMENT, "mu of contact %d is %g", (int)a, p->mu[a]);
        }
    }
    if (!all_finite(env, m, r)) {
        return base_fail(error, CN_ERR_ARGUMENT,
                         "the first guess holds a number that is not finite");
    }
    if (prob_operator_ops_of(p->W.kind)->implicit && p->bounds.boxed) {
        return base_fail(error, CN_ERR_ARGUMENT,
                         "W without H, of round bodies or points, with joint rows");
    }
    return prob_bounds_validate(&p->bounds, p->dim, p->contacts, p->mu, error);
}

// NULL when the solver takes p, else why not.
static const char *friction_refusal(const cn_friction *p, uint32_t accepts) {
    if (!(accepts & (p->dim == 2 ? CN_SOLVES_2D : CN_SOLVES_3D))) {
        return p->dim == 2 ? "this solver is not for 2D problems"
                           : "this solver is not for 3D problems";
    }
    bool assembled = !prob_operator_ops_of(p->W.kind)->body_space;
    if (assembled && !(accepts & CN_TAKES_ASSEMBLED)) {
        return "this solver needs W in body space, not assembled";
    }
    if (!(accepts & CN_TAKES_BOUNDS) && solve_boxes_count(p) > 0) {
        return "this solver does not take joint rows: use auto, or eliminate bilateral ones first";
    }
    for (int32_t a = 0; !(accepts & CN_TAKES_BOUNDS) && a < p->contacts; a++) {
        if (prob_is_soft(&p->bounds, p->dim, a)) {
            return "this solver does not take contacts with compliance: use auto or nsgs";
        }
    }
    if (!(accepts & CN_TAKES_CONVEX) && p->convex) {
        return "this solver does not take convex friction: use auto, nsgs, prox-newton or apgd";
    }
    return NULL;
}

// p in a form that the solver takes.
static cn_status friction_view(const cn_friction *p, uint32_t accepts, cn_arena *scratch,
                               cn_friction *view) {
    // The batches that operators without H are for know Coulomb's law alone.
    cn_friction body = *p;
    if (p->convex || !(accepts & CN_TAKES_BARE)) {
        CN_TRY(cn_friction_expand(p, scratch, &body));
    }
    if (prob_operator_ops_of(body.W.kind)->body_space && !(accepts & CN_TAKES_BODY)) {
        cn_friction whole;
        CN_TRY(cn_friction_assemble(&body, scratch, &whole, NULL));
        body = whole;
    }
    return solve_boxes_view(&body, scratch, view);
}

// u of r, which the checker compares with its own, where somebody asks for it. Whether all is
// finite.
static cn_status friction_see(const cn_friction *p, cn_arena *scratch, const double *r, double *u,
                              bool *finite) {
    const cn_env *env = cn_arena_env(scratch);
    int64_t m = (int64_t)p->dim * p->contacts;
    *finite = all_finite(env, m, r);
    if (u && *finite) {
        double *v = BASE_TAKE(scratch, double, cn_operator_dofs(&p->W, p->dim));
        if (!v) {
            return CN_ERR_MEMORY;
        }
        prob_friction_velocity_by(env, p, r, v, u);
        *finite = all_finite(env, m, u);
    }
    return CN_OK;
}

// Velocity and grade of r as it stands. A non-finite answer is replaced by r = 0.
static cn_status friction_judge(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                                double *r, double *u, cn_solve_report *report) {
    size_t bytes = (size_t)p->dim * (size_t)p->contacts * sizeof *r;
    bool finite;
    cn_status status = friction_see(p, scratch, r, u, &finite);
    if (status == CN_OK && finite) {
        status = cn_friction_grade(p, r, u, scratch, &report->grade);
        finite = u || isfinite(report->grade.residual); // the checker's velocities may overflow
    }
    if (status == CN_OK && !finite) {
        memset(r, 0, bytes);
        if (u) {
            memcpy(u, p->q, bytes);
        }
        status = cn_friction_grade(p, r, u, scratch, &report->grade);
    }
    if (status == CN_OK) {
        drive_settle(opts, !finite, report);
    }
    return status;
}

// One run of the solver, which needs p in a form that it takes.
static cn_status friction_run(const cn_friction *p, const cn_friction_solver *solver,
                              const cn_solve_opts *opts, cn_arena *scratch, double *r, double *u,
                              cn_solve_report *report) {
    uint32_t accepts = solver->info.accepts;
    base_arena_mark mark = base_arena_get_mark(scratch);
    cn_friction view;
    double *room = u;
    cn_status status = friction_view(p, accepts, scratch, &view);
    if (status == CN_OK && !u && !(accepts & CN_TAKES_BARE)) {
        room = BASE_TAKE(scratch, double, (int64_t)p->dim * p->contacts);
        status = room ? CN_OK : CN_ERR_MEMORY;
    }
    if (status == CN_OK) {
        status = solver->solve(&view, opts, scratch, r, room, report);
    }
    base_arena_release(scratch, mark);
    return status;
}

// Where masses differ by many orders, rounding makes the checker find slightly more than a solver
// that claims to be done: it goes on from there, to a tighter tolerance. r stays where that fails.
static cn_status friction_repeat(const cn_friction *p, const cn_friction_solver *solver,
                                 const cn_solve_opts *opts, cn_arena *scratch, double *r, double *u,
                                 cn_solve_report *report) {
    size_t bytes = (size_t)p->dim * (size_t)p->contacts * sizeof *r;
    cn_solve_report first = *report;
    cn_solve_opts tight = *opts;
    base_arena_mark mark = base_arena_get_mark(scratch);
    double *before = BASE_TAKE(scratch, double, (int64_t)p->dim * p->contacts);
    if (!before) {
        return CN_ERR_MEMORY;
    }
    memcpy(before, r, bytes);
    cn_status status = CN_OK;
    for (int32_t k = 0; k < DRIVE_REPEATS && report->outcome != CN_SOLVED && status == CN_OK; k++) {
        int32_t iterations = report->iterations;
        tight.tolerance *= DRIVE_TIGHTER;
        status = friction_run(p, solver, &tight, scratch, r, u, report);
        report->iterations += iterations;
        if (status == CN_OK) {
            status = friction_judge(p, opts, scratch, r, u, report);
        }
    }
    if (status == CN_OK && !(cn_grade_residual(&report->grade, opts->measure) <=
                             cn_grade_residual(&first.grade, opts->measure))) {
        memcpy(r, before, bytes);
        first.iterations = report->iterations;
        *report = first;
        status = friction_judge(p, opts, scratch, r, u, report);
    }
    base_arena_release(scratch, mark);
    return status;
}

cn_status cn_friction_solve(const cn_friction *p, const cn_friction_solver *solver,
                            const cn_solve_opts *opts, cn_arena *scratch, double *r, double *u,
                            cn_solve_report *report, cn_error *error) {
    return solve_friction_drive(p, solver, opts, true, scratch, r, u, report, error);
}

cn_status solve_friction_drive(const cn_friction *p, const cn_friction_solver *solver,
                               const cn_solve_opts *opts, bool timed, cn_arena *scratch, double *r,
                               double *u, cn_solve_report *report, cn_error *error) {
    const cn_solver_info *info = solver ? &solver->info : NULL;
    cn_status status = drive_check(p, info, solver && solver->solve ? solver : NULL, opts, scratch,
                                   r, r, report, error); // u need not be there
    if (status == CN_OK) {
        status = friction_check(cn_arena_env(scratch), p, r, error);
    }
    CN_TRY(status);
    cn_solve_opts own = drive_opts(opts, scratch);
    own.user = solver->user;
    opts = &own;
    base_arena_mark mark = base_arena_get_mark(scratch);
    cn_status run = CN_OK;
    double start = 0.0;
    const char *refusal = friction_refusal(p, info->accepts);
    if (refusal) {
        report->detail = refusal;
    } else if (p->contacts == 0) {
        report->detail = "no contacts";
    } else {
        start = timed ? base_clock_cpu() : 0.0;
        run = friction_run(p, solver, opts, scratch, r, u, report);
        run = drive_run_status(run, opts);
        report->cpu_s = timed ? base_clock_cpu() - start : 0.0;
    }
    bool claimed = run == CN_OK && report->outcome == CN_SOLVED;
    if (drive_has_answer(run)) {
        status = friction_judge(p, opts, scratch, r, u, report);
    }
    double residual = cn_grade_residual(&report->grade, opts->measure);
    if (status == CN_OK && claimed && report->outcome == CN_STALLED && !(opts->time_limit > 0.0) &&
        !(opts->deadline > 0.0) && residual <= DRIVE_ROUNDING * opts->tolerance) {
        run = friction_repeat(p, solver, opts, scratch, r, u, report);
        run = drive_run_status(run, opts);
        report->cpu_s = timed ? base_clock_cpu() - start : 0.0;
    }
    base_arena_release(scratch, mark);
    if (refusal) {
        report->outcome = CN_UNSUPPORTED;
    }
    return drive_end(info, run, status, report, error);
}

// ---- LCP and MCP ----

static cn_status matrix_check(const char *what, int32_t n, const cn_csr *M, const double *q,
                              const double *z, cn_error *error) {
    if (n < 0 || M->rows != n || M->cols != n) {
        return base_fail(error, CN_ERR_ARGUMENT, "an %s of size %d with a %d x %d matrix", what,
                         (int)n, (int)M->rows, (int)M->cols);
    }
    if (!all_finite(NULL, n, q)) {
        return base_fail(error, CN_ERR_ARGUMENT, "q holds a number that is not finite");
    }
    if (!all_finite(NULL, n, z)) {
        return base_fail(error, CN_ERR_ARGUMENT,
                         "the first guess holds a number that is not finite");
    }
    return CN_OK;
}

// w = M z + q; false when z or w is not finite.
static bool matrix_velocity(const cn_csr *M, const double *q, const double *z, double *w) {
    if (!all_finite(NULL, M->rows, z)) {
        return false;
    }
    sparse_csr_apply(M, z, w);
    for (int32_t i = 0; i < M->rows; i++) {
        w[i] += q[i];
    }
    return all_finite(NULL, M->rows, w);
}

// What the driver asks of either kind of problem.
typedef struct matrix_kind {
    const char *name;
    cn_status (*check)(const void *problem, cn_error *error); // beyond matrix_check; NULL: nothing
    cn_status (*run)(const void *solver, const void *problem, const cn_solve_opts *opts,
                     cn_arena *scratch, double *z, double *w, cn_solve_report *report);
    void (*nearest)(const void *problem, double *z); // the point of the set nearest to 0
    cn_status (*grade)(const void *problem, const double *z, cn_arena *scratch, cn_grade *grade);
} matrix_kind;

// A problem of either kind with its solver.
typedef struct matrix_job {
    const matrix_kind *kind;
    const void *problem;
    int32_t n;
    const cn_csr *M;
    const double *q;
    const cn_solver_info *info;
    const void *solver; // NULL: there is none
} matrix_job;

// Velocity and grade of z as it stands; where it is not finite, of the nearest point.
static cn_status matrix_judge(const matrix_job *job, const cn_solve_opts *opts, cn_arena *scratch,
                              double *z, double *w, cn_solve_report *report) {
    bool finite = matrix_velocity(job->M, job->q, z, w);
    if (!finite) {
        job->kind->nearest(job->problem, z);
        matrix_velocity(job->M, job->q, z, w);
    }
    CN_TRY(job->kind->grade(job->problem, z, scratch, &report->grade));
    drive_settle(opts, !finite, report);
    return CN_OK;
}

static cn_status matrix_drive(const matrix_job *job, const cn_solve_opts *opts, cn_arena *scratch,
                              double *z, double *w, cn_solve_report *report, cn_error *error) {
    CN_TRY(drive_check(job->problem, job->info, job->solver, opts, scratch, z, w, report, error));
    CN_TRY(matrix_check(job->kind->name, job->n, job->M, job->q, z, error));
    CN_TRY(job->kind->check ? job->kind->check(job->problem, error) : CN_OK);
    cn_solve_opts own = drive_opts(opts, scratch);
    opts = &own;
    base_arena_mark mark = base_arena_get_mark(scratch);
    cn_status run = CN_OK, judged = CN_OK;
    if (job->n == 0) {
        report->detail = "no unknowns";
    } else {
        double start = base_clock_cpu();
        run = drive_run_status(
            job->kind->run(job->solver, job->problem, opts, scratch, z, w, report), opts);
        report->cpu_s = base_clock_cpu() - start;
        base_arena_release(scratch, mark);
    }
    if (drive_has_answer(run)) {
        judged = matrix_judge(job, opts, scratch, z, w, report);
    }
    base_arena_release(scratch, mark);
    return drive_end(job->info, run, judged, report, error);
}

static cn_status lcp_run(const void *solver, const void *problem, const cn_solve_opts *opts,
                         cn_arena *scratch, double *z, double *w, cn_solve_report *report) {
    return ((const cn_lcp_solver *)solver)->solve(problem, opts, scratch, z, w, report);
}

static void lcp_nearest(const void *problem, double *z) {
    const cn_lcp *p = problem;
    memset(z, 0, (size_t)p->n * sizeof *z);
}

static cn_status lcp_grade(const void *problem, const double *z, cn_arena *scratch,
                           cn_grade *grade) {
    return cn_lcp_grade(problem, z, scratch, grade);
}

static const matrix_kind lcp_kind = {"LCP", NULL, lcp_run, lcp_nearest, lcp_grade};

static cn_status mcp_check(const void *problem, cn_error *error) {
    const cn_mcp *p = problem;
    for (int32_t i = 0; i < p->n; i++) {
        if (!(p->lower[i] <= p->upper[i] && p->lower[i] < HUGE_VAL && p->upper[i] > -HUGE_VAL)) {
            return base_fail(error, CN_ERR_ARGUMENT, "the bounds of unknown %d are %g and %g",
                             (int)i, p->lower[i], p->upper[i]);
        }
    }
    return CN_OK;
}

static cn_status mcp_run(const void *solver, const void *problem, const cn_solve_opts *opts,
                         cn_arena *scratch, double *z, double *w, cn_solve_report *report) {
    return ((const cn_mcp_solver *)solver)->solve(problem, opts, scratch, z, w, report);
}

static void mcp_nearest(const void *problem, double *z) {
    const cn_mcp *p = problem;
    for (int32_t i = 0; i < p->n; i++) {
        z[i] = fmin(fmax(0.0, p->lower[i]), p->upper[i]);
    }
}

static cn_status mcp_grade(const void *problem, const double *z, cn_arena *scratch,
                           cn_grade *grade) {
    return cn_mcp_grade(problem, z, scratch, grade);
}

static const matrix_kind mcp_kind = {"MCP", mcp_check, mcp_run, mcp_nearest, mcp_grade};

cn_status cn_lcp_solve(const cn_lcp *p, const cn_lcp_solver *solver, const cn_solve_opts *opts,
                       cn_arena *scratch, double *z, double *w, cn_solve_report *report,
                       cn_error *error) {
    matrix_job job = {.kind = &lcp_kind, .problem = p, .info = solver ? &solver->info : NULL};
    if (p && solver && solver->solve) {
        job.n = p->n, job.M = &p->M, job.q = p->q, job.solver = solver;
    }
    return matrix_drive(&job, opts, scratch, z, w, report, error);
}

cn_status cn_mcp_solve(const cn_mcp *p, const cn_mcp_solver *solver, const cn_solve_opts *opts,
                       cn_arena *scratch, double *z, double *w, cn_solve_report *report,
                       cn_error *error) {
    matrix_job job = {.kind = &mcp_kind, .problem = p, .info = solver ? &solver->info : NULL};
    if (p && solver && solver->solve) {
        job.n = p->n, job.M = &p->M, job.q = p->q, job.solver = solver;
    }
    return matrix_drive(&job, opts, scratch, z, w, report, error);
}
