// app/commands/solve.c
// cairn solve: solve one-step problem files, print a row or a JSON object for each solve, write the
// solved problems.
#include "draw/history.h"
#include "support/arguments.h"
#include "support/file_kind.h"
#include "support/problem_file.h"
#include "support/progress.h"
#include "support/solver_choice.h"
#include "support/support.h"
#include "support/table_writer.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SOLVE_NAME, SOLVE_COLUMNS = 18 };

typedef struct solve_job {
    solver_choice choice;
    problem_form form;
    word_list paths;
    const char *out;     // file, or folder with several problems; NULL: nothing is written
    const char *plugin;  // file of a solver of one's own; NULL: none
    const char *start;   // file of the first guess; NULL: none
    const char *history; // file of the residuals by iteration; NULL: none
    solve_history curves;
    double *first; // the first guess of the problem at hand, from start; NULL: none
    bool json, quiet, warm, allow_plugins;
    int32_t threads; // 0: one
    cn_env env;
    bool out_is_folder;
    row_column columns[SOLVE_COLUMNS];
    row_table table;
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
    {"time-limit", 0, "S", "CPU time limit per solve [s]",
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
    {"plugin", 0, "FILE",
     "A solver of your own, as a shared library; it is the solver unless another is named. Needs "
     "--allow-plugins",
     TO_TEXT(solve_job, plugin)},
    {"allow-plugins", 0, NULL, "Let --plugin run code", TO_SET(solve_job, allow_plugins)},
    {"history", 0, "FILE",
     "Write the residual by iteration of every solve: FILE.csv with the numbers and FILE.svg, "
     "their "
     "plot, beside it; or only FILE.svg",
     TO_TEXT(solve_job, history)},
    {"start", 0, "FILE",
     "Start from the impulses (of an LCP: z) in a .npy, Matrix Market or text file",
     TO_TEXT(solve_job, start)},
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
    .doc =
        "Solve one-step problem files: FCLIB HDF5 (local and global), Siconos .dat, LCP text, "
        "Matrix Market .mtx and NumPy .npy (the matrix; its vectors beside it as NAME_q, NAME_mu)."
        "\vThe residuals printed are measured after the solve by an independent checker. "
        "Exit code 0: all solved; 3: some solve did not reach its tolerance; 4: some file could "
        "not be used; 130: interrupted (the iterate at hand is written when -o was given)."};

// ---- printing ----

static const row_column solve_columns[SOLVE_COLUMNS] = {
    [SOLVE_NAME] = {"problem", "problem", 0, 0, 0.0},
    {"dim", "dim", 3, 0, 0.0},
    {"contacts", "contacts", 8, 0, 0.0},
    {"solver", "solver", -14, 0, 0.0},
    {"local", NULL, 0, 0, 0.0},
    {"tol", NULL, 0, 0, 0.0},
    {"outcome", "outcome", -8, 0, 0.0},
    {"iterations", "iterations", 10, 0, 0.0},
    {"residual", NULL, 0, 0, 0.0},
    {"residual_q", NULL, 0, 0, 0.0},
    {"residual_max", NULL, 0, 0, 0.0},
    {NULL, "residual", 8, 3, 0.0}, // in the measure chosen
    {"cpu_s", "CPU s", 8, 3, 0.0},
    {"formulation", NULL, 0, 0, 0.0},
    {"facets", NULL, 0, 0, 0.0},
    {"formulated_outcome", NULL, 0, 0, 0.0},
    {"formulated_residual", NULL, 0, 0, 0.0},
    {NULL, NULL, 0, 0, 0.0}};

#define SOLVE_NAME_MAX 256
#define SOLVE_OTHER_COLUMNS 73 // of a row, besides the problem's name
#define SOLVE_DETAIL_COLUMN 9  // of the reason on the next line

// The name as it fits its column: of a long one the middle is left out.
static const char *solve_name(const solve_job *job, const char *name, char text[SOLVE_NAME_MAX]) {
    size_t width = (size_t)-job->columns[SOLVE_NAME].width, length = strlen(name);
    if (length <= width || width < 3 || width >= SOLVE_NAME_MAX) {
        return name;
    }
    size_t end = width / 2;
    snprintf(text, SOLVE_NAME_MAX, "%.*s~%s", (int)(width - 1 - end), name, name + length - end);
    return text;
}

static void solve_print(solve_job *job, const problem_file *c, const chosen_solver *chosen,
                        const cn_solve_report *report) {
    bool solved = report->outcome == CN_SOLVED;
    row_table *table = &job->table;
    char name[SOLVE_NAME_MAX];
    row_text(table, job->json ? c->name : solve_name(job, c->name, name));
    row_int(table, c->dim);
    row_int(table, c->contacts);
    row_text(table, chosen->info->name);
    row_text(table, chosen_solver_local(chosen, c));
    row_real(table, chosen->opts.tolerance);
    row_ink(table, solved ? INK_GOOD : INK_BAD);
    row_text(table, cn_outcome_text(report->outcome));
    row_int(table, report->iterations);
    row_real(table, report->grade.residual);
    row_real(table, report->grade.residual_q);
    row_real(table, report->grade.residual_max);
    row_real(table, cn_grade_residual(&report->grade, chosen->opts.measure));
    row_real(table, report->cpu_s);
    if (chosen->formulation) {
        row_text(table, chosen->formulation->name);
        row_int(table, c->dim == 2 ? 2 : chosen->facets);
        row_text(table, cn_outcome_text(chosen->formulated.outcome));
        row_real(table, chosen->formulated.grade.residual);
    } else {
        for (int32_t i = 0; i < 4; i++) {
            row_none(table);
        }
    }
    if (!job->json && !solved && report->detail) {
        print_wrapped(stdout, "", SOLVE_DETAIL_COLUMN, report->detail);
    }
}

static void solve_start_table(solve_job *job) {
    size_t widest = strlen("problem");
    for (int32_t i = 0; i < job->paths.count; i++) {
        char *name = path_stem(job->paths.words[i]);
        widest = strlen(name) > widest ? strlen(name) : widest;
        free(name);
    }
    memcpy(job->columns, solve_columns, sizeof job->columns);
    if (isatty(STDOUT_FILENO)) {
        int32_t room = terminal_columns(stdout) - SOLVE_OTHER_COLUMNS;
        size_t allowed = room > (int32_t)strlen("problem") ? (size_t)room : strlen("problem");
        widest = widest < allowed ? widest : allowed;
    }
    job->columns[SOLVE_NAME].width = -(int32_t)widest;
    job->table = row_table_start(stdout, job->json, NULL, job->columns);
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
        // FCLIB unless the ending says otherwise, as ever.
        const char *dot = strrchr(path, '.');
        bool arrays = dot && (strcasecmp(dot, ".npy") == 0 || strcasecmp(dot, ".mtx") == 0);
        cn_file_format format = problem_file_is_lcp(c) || arrays ? CN_FILE_AUTO : CN_FILE_FCLIB;
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
    double *r = copy_reals(job->first  ? job->first
                           : job->warm ? c->problem->guess
                                       : NULL,
                           c->unknowns);
    double *u = ALLOCATE(double, c->unknowns);
    char *label = format_text("%s %s", c->name, chosen->info->name);
    progress_line line = progress_start(label, !job->quiet);
    chosen->opts.progress = job->history ? history_step : progress_step;
    chosen->opts.progress_user = job->history ? (void *)&job->curves : (void *)&line;
    if (job->history) {
        history_begin(&job->curves, c->name, chosen->info->name, &line);
    }
    cn_solve_report report;
    cn_error error;
    cn_status status = chosen_solver_run(chosen, c, r, u, &report, &error);
    progress_finish(&line);

    int code = EXIT_DONE;
    double residual = status == CN_OK || status == CN_ERR_CANCELLED
                          ? cn_grade_residual(&report.grade, chosen->opts.measure)
                          : (double)NAN;
    if (job->history && isfinite(residual)) {
        history_end(&job->curves, report.iterations, residual, cn_outcome_text(report.outcome));
    }
    if (status == CN_OK) {
        if (job->json || !job->quiet) {
            solve_print(job, c, chosen, &report);
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

// The first guess for a problem, which must be as long as that.
static int solve_read_start(solve_job *job, problem_file *c) {
    int64_t count;
    cn_error error = {.status = CN_OK};
    job->first = NULL;
    if (!job->start) {
        return EXIT_DONE;
    }
    if (cn_vector_read(&job->env, job->start, c->memory, &job->first, &count, &error) != CN_OK) {
        return report_error_in(&error, job->start);
    }
    if (count != c->unknowns) {
        error = (cn_error){.status = CN_ERR_INPUT};
        snprintf(error.message, sizeof error.message,
                 "%lld numbers where the problem %.200s has %lld unknowns", (long long)count,
                 c->name, (long long)c->unknowns);
        snprintf(error.hint, sizeof error.hint,
                 "the impulses of contact after contact, the normal one first");
        return report_error_in(&error, job->start);
    }
    return EXIT_DONE;
}

static int solve_file(solve_job *job, const char *path) {
    problem_file c;
    cn_error error;
    if (file_refuse(path, FILE_PROBLEM) != EXIT_DONE) {
        return EXIT_INPUT;
    }
    if (problem_file_open(&job->env, path, job->form, &c, &error) != CN_OK) {
        return report_error(&error);
    }
    int started = solve_read_start(job, &c);
    if (started != EXIT_DONE) {
        problem_file_close(&c);
        return started;
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

static void solve_check_history(const solve_job *job) {
    const char *dot = job->history ? strrchr(job->history, '.') : NULL;
    if (job->history && (!dot || (strcasecmp(dot, ".csv") != 0 && strcasecmp(dot, ".svg") != 0))) {
        usage_error(job->choice.command, "--history %s: the file is .csv or .svg", job->history);
    }
}

int command_solve(int argc, char **argv) {
    solve_job job = {.choice = solver_choice_default("solve"), .threads = threads_wanted("solve")};
    parse_arguments(&solve_line, argc, argv, &job);
    if (job.plugin) {
        int code = solver_choice_load(&job.choice, job.plugin, job.allow_plugins);
        if (code != EXIT_DONE) {
            free(job.paths.words);
            solver_choice_free(&job.choice);
            return code;
        }
    }
    solver_choice_check(&job.choice);
    solve_check_history(&job);
    if (job.out) {
        solve_prepare_out(&job);
    }
    job.env = env_with_threads(job.threads);
    interrupt_catch();
    if (job.json || !job.quiet) {
        solve_start_table(&job);
    }
    int code = EXIT_DONE;
    for (int32_t i = 0; i < job.paths.count && !interrupted(); i++) {
        code = exit_join(code, solve_file(&job, job.paths.words[i]));
    }
    if (job.history) {
        code = exit_join(code, history_write(&job.curves, job.history, job.choice.tolerance));
        history_free(&job.curves);
    }
    free(job.paths.words);
    solver_choice_free(&job.choice);
    cn_threads_destroy(job.env.threads);
    if (interrupted() && code != EXIT_INTERRUPTED) {
        fputs("cairn: interrupted between two solves\n", stderr);
        code = EXIT_INTERRUPTED;
    }
    return code;
}
