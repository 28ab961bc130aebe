// One-step problems of experiments: taken from a scene of the gallery, since a run file does not
// hold them, and solved by whatever is compared; see lab.h.
#include "lab/lab.h"

#include "run/steps.h"
#include "support/progress.h"

#include <math.h>
#include <stdlib.h>

static void cn_lab_complain(cn_lab *lab, const cn_error *error) {
    lab->code = cn_exit_join(lab->code, cn_report_error(error));
}

typedef struct cn_lab_moment {
    cn_lab *lab;
    cn_problem_fn *visit;
    void *user;
} cn_lab_moment;

static void cn_lab_visit(const cn_friction *problem, void *user) {
    const cn_lab_moment *moment = user;
    moment->visit(moment->lab, problem, moment->user);
}

bool cn_lab_problem(cn_lab *lab, const char *scene, const cn_override *set, int32_t count,
                    double until, cn_problem_fn *visit, void *user) {
    cn_lab_moment moment = {lab, visit, user};
    int code = cn_problem_at(scene, set, count, until, cn_lab_visit, &moment);
    lab->code = cn_exit_join(lab->code, code);
    return code == CN_EXIT_DONE;
}

typedef struct cn_attempt_notes {
    cn_series *iterations, *cpu;
    double start; // [s]
} cn_attempt_notes;

static bool cn_attempt_note(void *user, const cn_progress *progress) {
    cn_attempt_notes *notes = user;
    if (progress->done > 0 && isfinite(progress->residual)) {
        if (notes->iterations) {
            cn_series_add(notes->iterations, (double)progress->done, progress->residual);
        }
        if (notes->cpu) {
            cn_series_add(notes->cpu, cn_cpu_clock() - notes->start, progress->residual);
        }
    }
    return !cn_interrupted();
}

bool cn_lab_solve(cn_lab *lab, const cn_friction *problem, const cn_attempt *attempt,
                  cn_solve_report *report) {
    const cn_friction_solver *solver = cn_friction_solver_find(attempt->solver);
    cn_attempt_notes notes = {attempt->iterations, attempt->cpu, cn_cpu_clock()};
    cn_error error = {.status = CN_OK};
    cn_arena *scratch = cn_arena_create(NULL);
    int64_t size = (int64_t)problem->dim * problem->contacts;
    double *r = CN_ALLOCATE(double, size), *u = CN_ALLOCATE(double, size);
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    opts.tolerance = attempt->tolerance;
    opts.time_limit = attempt->time_limit;
    opts.progress = cn_attempt_note;
    opts.progress_user = &notes;
    if (attempt->max_iterations > 0) {
        opts.max_iterations = attempt->max_iterations;
    }
    if (attempt->local) {
        opts.local = cn_local_solver_find(attempt->local);
    }
    cn_status status = scratch ? CN_OK : cn_error_memory(&error);
    if (status == CN_OK && attempt->param) {
        status = cn_solve_opts_set(&opts, &solver->info, attempt->param, attempt->value, &error);
    }
    if (status == CN_OK) {
        status = cn_friction_solve(problem, solver, &opts, scratch, r, u, report, &error);
    }
    if (status != CN_OK) {
        cn_lab_complain(lab, &error);
    }
    free(r);
    free(u);
    cn_arena_destroy(scratch);
    return status == CN_OK;
}
