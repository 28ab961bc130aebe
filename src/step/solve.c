// step/solve.c
// The problem of a step and its solvers: the scene's, with the policy "retry" also the fallback,
// both within what the step has left of its effort and time.
#include "step/deformable/deformable.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/parallel.h"
#include "solve/drivers/drive.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SLIDE_MARGIN 1e-9     // a contact slides when |r_T| is within this share of mu r_N
#define EFFORT_LEFT 0.1       // of the effort of a step, for every solve after the first
#define NORMALS_SOLVER "auto" // takes every operator, and joints

static const cn_param *budget_param(const cn_solver_info *info) {
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
static void bound_effort(double effort, const cn_solver_info *info, cn_solve_opts *opts) {
    const cn_param *budget = budget_param(info);
    if (!(effort > 0.0)) {
        return;
    }
    if (budget) {
        double *own = (double *)(void *)((char *)opts->params + budget->offset);
        *own = *own > 0.0 ? fmin(*own, effort) : effort;
    } else if (effort < opts->max_iterations) {
        opts->max_iterations = (int32_t)effort;
    }
}

// Takes what a solve with these options took from the effort. A part of the whole is always left: a
// step whose first solve spent everything may have to be solved again with more contacts, and an
// answer that is nothing but its start is worse than none.
static void spend_effort(double *effort, double whole, const cn_solve_opts *opts,
                         int32_t max_iterations, cn_solve_report *report) {
    if (!(*effort > 0.0)) {
        return;
    }
    if (report->outcome == CN_LIMIT && opts->max_iterations < max_iterations) {
        report->outcome = CN_EFFORT;
        report->detail = "the effort of the step is spent";
    }
    double spent = fmax(report->work, report->iterations);
    *effort = fmax(*effort - spent, fmax(EFFORT_LEFT * whole, 1.0));
}

// The solver's settings with what the step has left of its time: the limit is the whole step's, so
// detection and assembly have had their part, and what follows the solve gets as much as last time.
static cn_solve_opts limited(step_solvers *solvers, double wall_limit, const cn_solver_info *info,
                             const cn_solve_opts *opts) {
    cn_solve_opts own = *opts;
    step_time_limit *limit = &solvers->limit;
    bound_effort(solvers->effort, info, &own);
    if (opts->time_limit > 0.0) {
        limit->solving = base_clock_cpu();
        double spent = limit->solving - limit->start;
        own.time_limit = fmax(opts->time_limit - spent - limit->rest, DBL_MIN);
    }
    if (wall_limit > 0.0) {
        own.deadline = fmax(limit->wall_start + wall_limit - limit->wall_rest, DBL_MIN);
    }
    return own;
}

static bool is_limited(const cn_solve_opts *opts) {
    return opts->time_limit > 0.0 || opts->deadline > 0.0;
}

// The time when a solve ended, of steps with a limit by the wall clock.
static void note_end(step_solvers *solvers, const cn_solve_opts *opts) {
    if (opts->deadline > 0.0) {
        solvers->limit.wall_solved = base_clock_steady();
    }
}

// The fallback from the best iterate; its answer replaces one that is worse.
static cn_status try_fallback(const step_context *in, step_solvers *solvers, const cn_friction *p,
                              double *r, double *u, step_data *step, cn_error *error) {
    int64_t rows = (int64_t)p->dim * p->contacts;
    size_t bytes = sizeof(double) * (size_t)rows;
    double *trial_r = BASE_TAKE(in->memory, double, rows),
           *trial_u = u ? BASE_TAKE(in->memory, double, rows) : NULL;
    if (!trial_r || (u && !trial_u)) {
        return base_fail_memory(error);
    }
    memcpy(trial_r, r, bytes);
    cn_solve_report trial;
    step->retries++;
    cn_solve_opts opts = limited(solvers, in->model->settings.wall_limit, &solvers->fallback->info,
                                 &solvers->fallback_opts);
    cn_status status = solve_friction_drive(p, solvers->fallback, &opts, is_limited(&opts),
                                            in->scratch, trial_r, trial_u, &trial, error);
    note_end(solvers, &opts);
    CN_TRY(status);
    spend_effort(&solvers->effort, in->model->settings.effort, &opts,
                 solvers->fallback_opts.max_iterations, &trial);
    if (trial.grade.residual < step->solved.grade.residual) {
        int32_t before = step->solved.iterations;
        memcpy(r, trial_r, bytes);
        if (u) {
            memcpy(u, trial_u, bytes);
        }
        step->solved = trial;
        step->solved.iterations += before;
        step->solver = solvers->fallback->info.name;
    }
    return CN_OK;
}

cn_status step_solve(const step_context *in, step_solvers *solvers, const cn_friction *problem,
                     double *r, double *u, step_data *step, cn_error *error) {
    int32_t before = step->solved.iterations;
    step_enter(in->clock, STEP_SOLVE);
    step->solver = solvers->main->info.name;
    cn_solve_opts opts =
        limited(solvers, in->model->settings.wall_limit, &solvers->main->info, &solvers->opts);
    cn_status status = solve_friction_drive(problem, solvers->main, &opts, is_limited(&opts),
                                            in->scratch, r, u, &step->solved, error);
    note_end(solvers, &opts);
    spend_effort(&solvers->effort, in->model->settings.effort, &opts, solvers->opts.max_iterations,
                 &step->solved);
    cn_outcome outcome = step->solved.outcome;
    // Another solver does not help where time or effort is up.
    if (status == CN_OK && in->model->settings.on_stall == CN_STALL_RETRY && outcome != CN_SOLVED &&
        outcome != CN_TIME && outcome != CN_EFFORT) {
        status = try_fallback(in, solvers, problem, r, u, step, error);
    }
    step->solved.iterations += before;
    step_enter(in->clock, STEP_ADVANCE);
    return status;
}

// ---- status of contacts ----

typedef struct classify_loop {
    const cn_friction *problem;
    const double *r;
    uint8_t *status;
    const asm_layer *layer; // NULL: there are no bonds
} classify_loop;

static void classify_range(void *user, int64_t first, int64_t end) {
    const classify_loop *loop = user;
    const cn_friction *p = loop->problem;
    for (int64_t a = first; a < end; a++) {
        const double *r = loop->r + p->dim * a;
        double tangent2 = r[1] * r[1] + (p->dim == 3 ? r[2] * r[2] : 0.0);
        double limit = (1.0 - SLIDE_MARGIN) * p->mu[a] * r[0];
        loop->status[a] = !(r[0] > 0.0) ? 0 : (tangent2 < limit * limit ? 1 : 2);
        if (loop->layer && loop->layer[a].kind == ASM_LAYER_SOUND) {
            loop->status[a] = 1;
        }
    }
}

cn_status step_classify(const step_context *in, const asm_assembled *assembled, const double *r,
                        uint8_t **status, cn_error *error) {
    *status = BASE_TAKE(in->memory, uint8_t, assembled->problem.contacts);
    if (!*status) {
        return base_fail_memory(error);
    }
    classify_loop loop = {&assembled->problem, r, *status, assembled->layer};
    base_parallel_ranges(in->env, assembled->contacts, classify_range, &loop);
    return CN_OK;
}

// ---- normal impulses alone ----

cn_status step_solve_normals(const step_context *in, const det_contact_list *contacts,
                             const asm_inertia_map *inertia, const double *v, const double *given,
                             double tolerance, asm_assembled *out, cn_error *error) {
    asm_assemble_opts opts = {.h = 1.0,
                              .theta = 1.0,
                              .scheme = ASM_SHIFT_GIVEN,
                              .given = given,
                              .answers = in->deformable ? in->deformable->answers : NULL,
                              .drift = CN_DRIFT_BAUMGARTE,
                              .held_only = true};
    CN_TRY(
        asm_assemble(in->model, in->state, contacts, inertia, v, v, &opts, in->memory, out, error));
    cn_friction *p = &out->problem;
    int64_t rows = (int64_t)p->dim * p->contacts, joints = (int64_t)p->dim * out->contacts;
    double *u = BASE_TAKE(in->memory, double, rows);
    if (!u) {
        return base_fail_memory(error);
    }
    memset(out->r, 0, sizeof(double) * (size_t)rows);
    memset(p->q + joints, 0, sizeof(double) * (size_t)(rows - joints)); // they stay as they are
    const cn_friction_solver *solver = cn_friction_solver_find(NORMALS_SOLVER);
    cn_solve_opts solve = cn_solve_opts_default(&solver->info);
    cn_solve_report solved;
    solve.tolerance = tolerance;
    step_enter(in->clock, STEP_SOLVE);
    cn_status status =
        solve_friction_drive(p, solver, &solve, false, in->scratch, out->r, u, &solved, error);
    step_enter(in->clock, STEP_ASSEMBLE);
    return status;
}
