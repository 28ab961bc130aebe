// app/commands/solve.c
// cairn solve: solve one-step problem files, print a row or a JSON object for each solve, write the
// solved problems.
#include "support/arguments.h"
#include "support/json.h"
#include "support/problem_file.h"
#include "support/progress.h"
#include "support/solver_choice.h"
#include "support/support.h"
#include "support/terminal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct solve_job {
    solver_choice choice;
    problem_form form;
    word_list paths;
    const char *out; // file, or folder with several problems; NULL: nothing is written
    bool json, quiet, warm;
    int32_t threads; // 0: one
    cn_env env;
    bool out_is_folder;
    text_table table;
} solve_job;

// ---- command line ----

static void solve_formulation(void *job, const char *command, const command_option *option,
                              char *text) {
    (void)option;
    ((solve_job *)job)->choice.formulation = parse_formulation(command, text);
}

static const command_option solve_options[] = {
    {"solver", 's', "NAME", "Solver, \"auto\" (default) or \"all\" that fit; see cairn solvers",
     TO_TEXT(solve_job, choice.solver)},
    {"local", 0, "NAME", "Local solver of one 3D contact (default hybrid)",
     TO_TEXT(solve_job, choice.local)},
    {"tol", 't', "E", "Tolerance on the residual (default 1e-8)",
     TO_REAL(solve_job, choice.tolerance, 1e-300, 1e300)},
    MEASURE_OPTION(solve_job, choice.measure),
    {"max-iter", 'n', "N", "Iteration limit, in the solver's own unit",
     TO_INT(solve_job, choice.max_iterations, 0, INT32_MAX)},
    {"time-limit", 0, "S", "CPU seconds a solve may take",
     TO_REAL(solve_job, choice.time_limit, 1e-9, 1e9)},
    {"set", 0, "SOLVER.PARAM=VALUE",
     "A solver's own parameter, as nsgs.anderson=0; may be repeated",
     TO_LIST(solve_job, choice.settings)},
    FORM_OPTION(solve_job),
    {"formulation", 0, "NAME",
     "Solve as a complementarity problem: inner, outer, ...; see cairn solvers",
     TO_FUNCTION(solve_formulation)},
    {"facets", 0, "N", "Facets of the cone of that formulation in 3D (default 8)",
     TO_INT(solve_job, choice.facets, 2, CN_FACETS_MAX)},
    {"warm", 0, NULL, "Start from the guess stored in the file (default: r = 0)",
     TO_SET(solve_job, warm)},
    THREADS_OPTION(solve_job, "1"),
    {"output", 'o', "OUT",
     "Write the problem with its solution; a folder when there are several problems",
     TO_TEXT(solve_job, out)},
    JSON_LINES_OPTION(solve_job),
    {"quiet", 'q', NULL, "No table and no progress, only errors and the exit code",
     TO_SET(solve_job, quiet)},
    {0}};

static const command_line solve_line = {
    .options = solve_options,
    .args_doc = "PROBLEM...",
    ALL_ARGUMENTS(solve_job, paths),
    .missing = "no problem file given; see cairn solve --help",
    .doc = "Solve one-step problem files: FCLIB HDF5 (local and global), Siconos .dat, LCP text."
           "\vThe residuals printed are measured after the solve by an independent checker. "
           "Exit code 0: all solved; 3: some solve did not reach its tolerance; 4: some file could "
           "not be used; 130: interrupted (the iterate at hand is written when -o was given)."};

// ---- printing ----

static void solve_print_json(const problem_file *c, const chosen_solver *chosen,
                             const cn_solve_report *report) {
    json_writer json = put_start(stdout);
    put_open(&json, NULL, '{');
    put_text(&json, "problem", c->name);
    put_int(&json, "dim", c->dim);
    put_int(&json, "contacts", c->contacts);
    put_text(&json, "solver", chosen->info->name);
    put_text(&json, "local", chosen_solver_local(chosen, c));
    put_real(&json, "tol", chosen->opts.tolerance);
    put_text(&json, "outcome", cn_outcome_text(report->outcome));
    put_int(&json, "iterations", report->iterations);
    put_real(&json, "residual", report->grade.residual);
    put_real(&json, "residual_q", report->grade.residual_q);
    put_real(&json, "residual_max", report->grade.residual_max);
    put_real(&json, "cpu_s", report->cpu_s);
    if (chosen->formulation) {
        put_text(&json, "formulation", chosen->formulation->name);
        put_int(&json, "facets", c->dim == 2 ? 2 : chosen->facets);
        put_text(&json, "formulated_outcome", cn_outcome_text(chosen->formulated.outcome));
        put_real(&json, "formulated_residual", chosen->formulated.grade.residual);
    }
    put_close(&json, '}');
    put_end(&json);
    fflush(stdout);
}

static void solve_print_row(solve_job *job, const problem_file *c, const chosen_solver *chosen,
                            const cn_solve_report *report) {
    const char *local = chosen_solver_local(chosen, c);
    bool solved = report->outcome == CN_SOLVED;
    text_table *table = &job->table;
    text_table_text(table, c->name, INK_PLAIN);
    text_table_int(table, c->dim);
    text_table_int(table, c->contacts);
    text_table_text(table, chosen->info->name, INK_PLAIN);
    text_table_text(table, local ? local : "-", INK_PLAIN);
    text_table_text(table, cn_outcome_text(report->outcome), solved ? INK_GOOD : INK_BAD);
    text_table_int(table, report->iterations);
    text_table_real(table, 3, cn_grade_residual(&report->grade, chosen->opts.measure));
    text_table_real(table, 3, report->cpu_s);
    text_table_text(table, solved ? "" : report->detail, INK_DIM);
}

static void solve_start_table(solve_job *job) {
    size_t widest = strlen("problem");
    for (int32_t i = 0; i < job->paths.count; i++) {
        char *name = path_stem(job->paths.words[i]);
        widest = strlen(name) > widest ? strlen(name) : widest;
        free(name);
    }
    const text_column columns[] = {{"problem", -(int32_t)widest},
                                   {"dim", 3},
                                   {"contacts", 8},
                                   {"solver", -14},
                                   {"local", -10},
                                   {"outcome", -11},
                                   {"iterations", 10},
                                   {"residual", 9},
                                   {"CPU s", 9},
                                   {"", -1},
                                   {NULL, 0}};
    text_table_start(&job->table, stdout, columns);
}

// ---- writing ----

// With several problems, or an existing folder, OUT/NAME.hdf5; an LCP can only be written as text.
static char *solve_out_path(const solve_job *job, const problem_file *c) {
    if (!job->out_is_folder) {
        return format_text("%s", job->out);
    }
    return format_text("%s/%s.%s", job->out, c->name, problem_file_is_lcp(c) ? "dat" : "hdf5");
}

static int solve_write(const solve_job *job, problem_file *c, double *r, double *u) {
    cn_problem *problem = c->problem;
    cn_error error = {.status = CN_OK};
    double *stored_r = problem->r, *stored_u = problem->u, *stored_v = problem->v;
    double *v = NULL;
    problem->r = r;
    problem->u = u;
    cn_status status = CN_OK;
    if (problem->kind == CN_PROBLEM_FRICTION_GLOBAL) {
        v = ALLOCATE(double, problem->global.dofs);
        status = cn_friction_global_velocity(&problem->global, c->memory, r, v, &error);
        problem->v = v;
    }
    char *path = solve_out_path(job, c);
    if (status == CN_OK) {
        cn_file_format format = problem_file_is_lcp(c) ? CN_FILE_AUTO : CN_FILE_FCLIB;
        status = cn_problem_write(problem, path, format, &error);
    }
    problem->r = stored_r;
    problem->u = stored_u;
    problem->v = stored_v;
    free(v);
    free(path);
    if (status != CN_OK) {
        report_error(&error);
        return EXIT_FAILED;
    }
    return EXIT_DONE;
}

static bool same_name(const char *path, const char *other) {
    char *name = path_stem(path), *other_name = path_stem(other);
    bool same = strcmp(name, other_name) == 0;
    free(name);
    free(other_name);
    return same;
}

// Before any work: the folder exists, and no two problems would overwrite each other's file.
static void solve_prepare_out(solve_job *job) {
    struct stat about;
    const char *command = job->choice.command;
    bool exists = stat(job->out, &about) == 0;
    job->out_is_folder = job->paths.count > 1 || (exists && S_ISDIR(about.st_mode));
    if (job->out_is_folder && !folder_ensure(job->out)) {
        usage_error(command, "-o %s cannot be a folder: %s", job->out, strerror(errno));
    }
    for (int32_t i = 0; i < job->paths.count; i++) {
        for (int32_t j = 0; j < i; j++) {
            if (same_name(job->paths.words[i], job->paths.words[j])) {
                usage_error(command, "%s and %s would both be written to the same file in %s",
                            job->paths.words[j], job->paths.words[i], job->out);
            }
        }
    }
}

// ---- solving ----

// The best answer of the solvers that ran on a problem.
typedef struct best_solve {
    double *r, *u;
    double residual;
} best_solve;

static void best_solve_offer(best_solve *best, double residual, const double *r, const double *u,
                             int64_t count) {
    if (best->r && !(residual < best->residual)) {
        return;
    }
    free(best->r);
    free(best->u);
    *best = (best_solve){copy_reals(r, count), copy_reals(u, count), residual};
}

static int solve_once(solve_job *job, problem_file *c, chosen_solver *chosen, best_solve *best) {
    double *r = copy_reals(job->warm ? c->problem->guess : NULL, c->unknowns);
    double *u = ALLOCATE(double, c->unknowns);
    char *label = format_text("%s %s", c->name, chosen->info->name);
    progress_line line = progress_start(label, !job->quiet);
    chosen->opts.progress = progress_step;
    chosen->opts.progress_user = &line;
    cn_solve_report report;
    cn_error error;
    cn_status status = chosen_solver_run(chosen, c, r, u, &report, &error);
    progress_finish(&line);

    int code = EXIT_DONE;
    double residual = status == CN_OK || status == CN_ERR_CANCELLED
                          ? cn_grade_residual(&report.grade, chosen->opts.measure)
                          : (double)NAN;
    if (status == CN_OK) {
        if (job->json) {
            solve_print_json(c, chosen, &report);
        } else if (!job->quiet) {
            solve_print_row(job, c, chosen, &report);
        }
        code = report.outcome == CN_SOLVED ? EXIT_DONE : EXIT_TOLERANCE;
        if (report.outcome != CN_UNSUPPORTED) {
            best_solve_offer(best, residual, r, u, c->unknowns);
        }
    } else if (status == CN_ERR_CANCELLED) {
        print_format(stderr, "cairn: interrupted: %s after %d %s of %s, residual %.3g\n", c->name,
                     (int)report.iterations, chosen->info->unit, chosen->info->name, residual);
        code = EXIT_INTERRUPTED;
        best_solve_offer(best, residual, r, u, c->unknowns);
    } else {
        code = report_error(&error);
    }
    free(label);
    free(r);
    free(u);
    return code;
}

static int solve_file(solve_job *job, const char *path) {
    problem_file c;
    cn_error error;
    if (problem_file_open(&job->env, path, job->form, &c, &error) != CN_OK) {
        return report_error(&error);
    }
    chosen_solver *chosen;
    int32_t count = solver_choice_expand(&job->choice, &c, &chosen);
    best_solve best = {.residual = (double)NAN};
    int code = EXIT_DONE;
    for (int32_t i = 0; i < count && !interrupted(); i++) {
        code = exit_join(code, solve_once(job, &c, &chosen[i], &best));
    }
    if (job->out && best.r) {
        code = exit_join(code, solve_write(job, &c, best.r, best.u));
    }
    free(best.r);
    free(best.u);
    free(chosen);
    problem_file_close(&c);
    return code;
}

int command_solve(int argc, char **argv) {
    solve_job job = {.choice = solver_choice_default("solve"), .threads = threads_wanted("solve")};
    parse_arguments(&solve_line, argc, argv, &job);
    solver_choice_check(&job.choice);
    if (job.out) {
        solve_prepare_out(&job);
    }
    job.env = env_with_threads(job.threads);
    interrupt_catch();
    if (!job.json && !job.quiet) {
        solve_start_table(&job);
    }
    int code = EXIT_DONE;
    for (int32_t i = 0; i < job.paths.count && !interrupted(); i++) {
        code = exit_join(code, solve_file(&job, job.paths.words[i]));
    }
    free(job.paths.words);
    free(job.choice.settings.words);
    cn_threads_destroy(job.env.threads);
    if (interrupted() && code != EXIT_INTERRUPTED) {
        fputs("cairn: interrupted between two solves\n", stderr);
        code = EXIT_INTERRUPTED;
    }
    return code;
}
