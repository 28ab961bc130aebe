// One-step problems of experiments: taken from a scene of the gallery, since a run file does not
// hold them, and solved by whatever is compared; see lab.h.
#include "lab/lab.h"

#include "run/steps.h"
#include "support/progress.h"

#include <math.h>
#include <stdlib.h>

typedef struct lab_moment {
    reproduction *lab;
    problem_fn *visit;
    void *user;
} lab_moment;

static void lab_visit(const cn_friction *problem, void *user) {
    const lab_moment *moment = user;
    moment->visit(moment->lab, problem, moment->user);
}

bool lab_problem(reproduction *lab, const char *scene, const cn_override *set, int32_t count,
                 double until, problem_fn *visit, void *user) {
    lab_moment moment = {lab, visit, user};
    int code = problem_at(scene, set, count, until, lab_visit, &moment);
    lab->code = exit_join(lab->code, code);
    return code == EXIT_DONE;
}

typedef struct attempt_notes {
    point_series *iterations, *cpu;
    double start; // [s]
} attempt_notes;

static bool attempt_note(void *user, const cn_progress *progress) {
    attempt_notes *notes = user;
    if (progress->done > 0 && isfinite(progress->residual)) {
        if (notes->iterations) {
            series_add(notes->iterations, (double)progress->done, progress->residual);
        }
        if (notes->cpu) {
            series_add(notes->cpu, cpu_clock() - notes->start, progress->residual);
        }
    }
    return !interrupted();
}

bool lab_solve(reproduction *lab, const cn_friction *problem, const solve_attempt *attempt,
               cn_solve_report *report) {
    const cn_friction_solver *solver = cn_friction_solver_find(attempt->solver);
    attempt_notes notes = {attempt->iterations, attempt->cpu, cpu_clock()};
    cn_error error = {.status = CN_OK};
    cn_arena *scratch = cn_arena_create(NULL);
    int64_t size = (int64_t)problem->dim * problem->contacts;
    double *r = ALLOCATE(double, size), *u = ALLOCATE(double, size);
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    opts.tolerance = attempt->tolerance;
    opts.time_limit = attempt->time_limit;
    opts.progress = attempt_note;
    opts.progress_user = &notes;
    if (attempt->max_iterations > 0) {
        opts.max_iterations = attempt->max_iterations;
    }
    if (attempt->local) {
        opts.local = cn_local_solver_find(attempt->local);
    }
    cn_status status = scratch ? CN_OK : error_memory(&error);
    if (status == CN_OK && attempt->param) {
        status = cn_solve_opts_set(&opts, &solver->info, attempt->param, attempt->value, &error);
    }
    if (status == CN_OK) {
        status = cn_friction_solve(problem, solver, &opts, scratch, r, u, report, &error);
    }
    if (status != CN_OK) {
        lab->code = exit_join(lab->code, report_error(&error));
    }
    free(r);
    free(u);
    cn_arena_destroy(scratch);
    return status == CN_OK;
}
