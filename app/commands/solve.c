// app/commands/solve.c
// cairn solve: solve one-step problem files, print a row or a JSON object for each solve, write the
// solved problems.
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

typedef struct cn_solve_job {
    cn_choice choice;
    cn_form form;
    cn_word_list paths;
    const char *out; // file, or folder with several problems; NULL: nothing is written
    bool json, quiet, warm;
    int32_t threads; // 0: one
    cn_env env;
    bool out_is_folder;
    cn_table table;
} cn_solve_job;

// ---- command line ----

enum {
    CN_KEY_MEASURE = 256,
    CN_KEY_LOCAL,
    CN_KEY_TIME,
    CN_KEY_SET,
    CN_KEY_FORM,
    CN_KEY_WARM,
    CN_KEY_FORMULATION,
    CN_KEY_FACETS,
    CN_KEY_THREADS
};

static const struct argp_option cn_solve_options[] = {
    {"solver", 's', "NAME", 0, "Solver, \"auto\" (default) or \"all\" that fit; see cairn solvers",
     0},
    {"local", CN_KEY_LOCAL, "NAME", 0, "Local solver of one 3D contact (default hybrid)", 0},
    {"tol", 't', "E", 0, "Tolerance on the residual (default 1e-8)", 0},
    {"measure", CN_KEY_MEASURE, "M", 0,
     "Residual that the tolerance means: scaled (default), q or max", 0},
    {"max-iter", 'n', "N", 0, "Iteration limit, in the solver's own unit", 0},
    {"time-limit", CN_KEY_TIME, "S", 0, "CPU seconds a solve may take", 0},
    {"set", CN_KEY_SET, "SOLVER.PARAM=VALUE", 0,
     "A solver's own parameter, as nsgs.anderson=0; may be repeated", 0},
    {"operator", CN_KEY_FORM, "FORM", 0,
     "How a global problem is reduced: auto (default), assembled or body", 0},
    {"formulation", CN_KEY_FORMULATION, "NAME", 0,
     "Solve as a complementarity problem: inner, outer, ...; see cairn solvers", 0},
    {"facets", CN_KEY_FACETS, "N", 0, "Facets of the cone of that formulation in 3D (default 8)",
     0},
    {"warm", CN_KEY_WARM, NULL, 0, "Start from the guess stored in the file (default: r = 0)", 0},
    CN_THREADS_OPTION(CN_KEY_THREADS, "1"),
    {"output", 'o', "OUT", 0,
     "Write the problem with its solution; a folder when there are several problems", 0},
    {"json", 'j', NULL, 0, "One JSON object a line on standard output", 0},
    {"quiet", 'q', NULL, 0, "No table and no progress, only errors and the exit code", 0},
    {0}};

static error_t cn_solve_option(int key, char *value, struct argp_state *state) {
    cn_solve_job *job = state->input;
    cn_choice *choice = &job->choice;
    const char *command = choice->command;
    switch (key) {
    case 's':
        choice->solver = value;
        break;
    case CN_KEY_LOCAL:
        choice->local = value;
        break;
    case 't':
        choice->tolerance = cn_parse_real(command, "--tol", value, 1e-300, 1e300);
        break;
    case CN_KEY_MEASURE:
        choice->measure = cn_parse_measure(command, value);
        break;
    case 'n':
        choice->max_iterations = (int32_t)cn_parse_int(command, "--max-iter", value, 0, INT32_MAX);
        break;
    case CN_KEY_TIME:
        choice->time_limit = cn_parse_real(command, "--time-limit", value, 1e-9, 1e9);
        break;
    case CN_KEY_SET:
        cn_word_list_add(&choice->settings, value);
        break;
    case CN_KEY_FORM:
        job->form = cn_parse_form(command, value);
        break;
    case CN_KEY_FORMULATION:
        choice->formulation = cn_parse_formulation(command, value);
        break;
    case CN_KEY_FACETS:
        choice->facets = (int32_t)cn_parse_int(command, "--facets", value, 2, CN_FACETS_MAX);
        break;
    case CN_KEY_THREADS:
        job->threads = cn_parse_threads(command, value);
        break;
    case CN_KEY_WARM:
        job->warm = true;
        break;
    case 'o':
        job->out = value;
        break;
    case 'j':
        job->json = true;
        break;
    case 'q':
        job->quiet = true;
        break;
    case ARGP_KEY_ARG:
        cn_word_list_add(&job->paths, value);
        break;
    case ARGP_KEY_NO_ARGS:
        cn_usage_error(command, "no problem file given; see cairn solve --help");
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp cn_solve_argp = {
    .options = cn_solve_options,
    .parser = cn_solve_option,
    .args_doc = "PROBLEM...",
    .doc = "Solve one-step problem files: FCLIB HDF5 (local and global), Siconos .dat, LCP text."
           "\vThe residuals printed are measured after the solve by an independent checker. "
           "Exit code 0: all solved; 3: some solve did not reach its tolerance; 4: some file could "
           "not be used; 130: interrupted (the iterate at hand is written when -o was given)."};

// ---- printing ----

static void cn_solve_print_json(const cn_case *c, const cn_chosen *chosen,
                                const cn_solve_report *report) {
    cn_json json = cn_put_start(stdout);
    cn_put_open(&json, NULL, '{');
    cn_put_text(&json, "problem", c->name);
    cn_put_int(&json, "dim", c->dim);
    cn_put_int(&json, "contacts", c->contacts);
    cn_put_text(&json, "solver", chosen->info->name);
    cn_put_text(&json, "local", cn_chosen_local(chosen, c));
    cn_put_real(&json, "tol", chosen->opts.tolerance);
    cn_put_text(&json, "outcome", cn_outcome_text(report->outcome));
    cn_put_int(&json, "iterations", report->iterations);
    cn_put_real(&json, "residual", report->grade.residual);
    cn_put_real(&json, "residual_q", report->grade.residual_q);
    cn_put_real(&json, "residual_max", report->grade.residual_max);
    cn_put_real(&json, "cpu_s", report->cpu_s);
    if (chosen->formulation) {
        cn_put_text(&json, "formulation", chosen->formulation->name);
        cn_put_int(&json, "facets", c->dim == 2 ? 2 : chosen->facets);
        cn_put_text(&json, "formulated_outcome", cn_outcome_text(chosen->formulated.outcome));
        cn_put_real(&json, "formulated_residual", chosen->formulated.grade.residual);
    }
    cn_put_close(&json, '}');
    cn_put_end(&json);
    fflush(stdout);
}

static void cn_solve_print_row(cn_solve_job *job, const cn_case *c, const cn_chosen *chosen,
                               const cn_solve_report *report) {
    const char *local = cn_chosen_local(chosen, c);
    bool solved = report->outcome == CN_SOLVED;
    cn_table *table = &job->table;
    cn_table_text(table, c->name, CN_INK_PLAIN);
    cn_table_int(table, c->dim);
    cn_table_int(table, c->contacts);
    cn_table_text(table, chosen->info->name, CN_INK_PLAIN);
    cn_table_text(table, local ? local : "-", CN_INK_PLAIN);
    cn_table_text(table, cn_outcome_text(report->outcome), solved ? CN_INK_GOOD : CN_INK_BAD);
    cn_table_int(table, report->iterations);
    cn_table_real(table, 3, cn_grade_residual(&report->grade, chosen->opts.measure));
    cn_table_real(table, 3, report->cpu_s);
    cn_table_text(table, solved ? "" : report->detail, CN_INK_DIM);
}

static void cn_solve_start_table(cn_solve_job *job) {
    size_t widest = strlen("problem");
    for (int32_t i = 0; i < job->paths.count; i++) {
        char *name = cn_path_stem(job->paths.words[i]);
        widest = strlen(name) > widest ? strlen(name) : widest;
        free(name);
    }
    const cn_column columns[] = {{"problem", -(int32_t)widest},
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
    cn_table_start(&job->table, stdout, columns);
}

// ---- writing ----

// With several problems, or an existing folder, OUT/NAME.hdf5; an LCP can only be written as text.
static char *cn_solve_out_path(const cn_solve_job *job, const cn_case *c) {
    if (!job->out_is_folder) {
        return cn_text("%s", job->out);
    }
    return cn_text("%s/%s.%s", job->out, c->name, cn_case_is_lcp(c) ? "dat" : "hdf5");
}

static int cn_solve_write(const cn_solve_job *job, cn_case *c, double *r, double *u) {
    cn_problem *problem = c->problem;
    cn_error error = {.status = CN_OK};
    double *stored_r = problem->r, *stored_u = problem->u, *stored_v = problem->v;
    double *v = NULL;
    problem->r = r;
    problem->u = u;
    cn_status status = CN_OK;
    if (problem->kind == CN_PROBLEM_FRICTION_GLOBAL) {
        v = CN_ALLOCATE(double, problem->global.dofs);
        status = cn_friction_global_velocity(&problem->global, c->memory, r, v, &error);
        problem->v = v;
    }
    char *path = cn_solve_out_path(job, c);
    if (status == CN_OK) {
        cn_file_format format = cn_case_is_lcp(c) ? CN_FILE_AUTO : CN_FILE_FCLIB;
        status = cn_problem_write(problem, path, format, &error);
    }
    problem->r = stored_r;
    problem->u = stored_u;
    problem->v = stored_v;
    free(v);
    free(path);
    if (status != CN_OK) {
        cn_report_error(&error);
        return CN_EXIT_FAILURE;
    }
    return CN_EXIT_DONE;
}

static bool cn_same_name(const char *path, const char *other) {
    char *name = cn_path_stem(path), *other_name = cn_path_stem(other);
    bool same = strcmp(name, other_name) == 0;
    free(name);
    free(other_name);
    return same;
}

// Before any work: the folder exists, and no two problems would overwrite each other's file.
static void cn_solve_prepare_out(cn_solve_job *job) {
    struct stat about;
    const char *command = job->choice.command;
    bool exists = stat(job->out, &about) == 0;
    job->out_is_folder = job->paths.count > 1 || (exists && S_ISDIR(about.st_mode));
    if (job->out_is_folder && !cn_folder_ensure(job->out)) {
        cn_usage_error(command, "-o %s cannot be a folder: %s", job->out, strerror(errno));
    }
    for (int32_t i = 0; i < job->paths.count; i++) {
        for (int32_t j = 0; j < i; j++) {
            if (cn_same_name(job->paths.words[i], job->paths.words[j])) {
                cn_usage_error(command, "%s and %s would both be written to the same file in %s",
                               job->paths.words[j], job->paths.words[i], job->out);
            }
        }
    }
}

// ---- solving ----

// The best answer of the solvers that ran on a problem.
typedef struct cn_best {
    double *r, *u;
    double residual;
} cn_best;

static void cn_best_offer(cn_best *best, double residual, const double *r, const double *u,
                          int64_t count) {
    if (best->r && !(residual < best->residual)) {
        return;
    }
    free(best->r);
    free(best->u);
    *best = (cn_best){cn_copy_reals(r, count), cn_copy_reals(u, count), residual};
}

static int cn_solve_once(cn_solve_job *job, cn_case *c, cn_chosen *chosen, cn_best *best) {
    double *r = cn_copy_reals(job->warm ? c->problem->guess : NULL, c->unknowns);
    double *u = CN_ALLOCATE(double, c->unknowns);
    char *label = cn_text("%s %s", c->name, chosen->info->name);
    cn_progress_line line = cn_progress_start(label, !job->quiet);
    chosen->opts.progress = cn_progress_step;
    chosen->opts.progress_user = &line;
    cn_solve_report report;
    cn_error error;
    cn_status status = cn_chosen_run(chosen, c, r, u, &report, &error);
    cn_progress_finish(&line);

    int code = CN_EXIT_DONE;
    double residual = status == CN_OK || status == CN_ERR_CANCELLED
                          ? cn_grade_residual(&report.grade, chosen->opts.measure)
                          : (double)NAN;
    if (status == CN_OK) {
        if (job->json) {
            cn_solve_print_json(c, chosen, &report);
        } else if (!job->quiet) {
            cn_solve_print_row(job, c, chosen, &report);
        }
        code = report.outcome == CN_SOLVED ? CN_EXIT_DONE : CN_EXIT_TOLERANCE;
        if (report.outcome != CN_UNSUPPORTED) {
            cn_best_offer(best, residual, r, u, c->unknowns);
        }
    } else if (status == CN_ERR_CANCELLED) {
        cn_say(stderr, "cairn: interrupted: %s after %d %s of %s, residual %.3g\n", c->name,
               (int)report.iterations, chosen->info->unit, chosen->info->name, residual);
        code = CN_EXIT_INTERRUPTED;
        cn_best_offer(best, residual, r, u, c->unknowns);
    } else {
        code = cn_report_error(&error);
    }
    free(label);
    free(r);
    free(u);
    return code;
}

static int cn_solve_file(cn_solve_job *job, const char *path) {
    cn_case c;
    cn_error error;
    if (cn_case_open(&job->env, path, job->form, &c, &error) != CN_OK) {
        return cn_report_error(&error);
    }
    cn_chosen *chosen;
    int32_t count = cn_choice_expand(&job->choice, &c, &chosen);
    cn_best best = {.residual = (double)NAN};
    int code = CN_EXIT_DONE;
    for (int32_t i = 0; i < count && !cn_interrupted(); i++) {
        code = cn_exit_join(code, cn_solve_once(job, &c, &chosen[i], &best));
    }
    if (job->out && best.r) {
        code = cn_exit_join(code, cn_solve_write(job, &c, best.r, best.u));
    }
    free(best.r);
    free(best.u);
    free(chosen);
    cn_case_close(&c);
    return code;
}

int cn_command_solve(int argc, char **argv) {
    cn_solve_job job = {.choice = cn_choice_default("solve"),
                        .threads = cn_threads_wanted("solve")};
    cn_parse_arguments(&cn_solve_argp, argc, argv, &job);
    cn_choice_check(&job.choice);
    if (job.out) {
        cn_solve_prepare_out(&job);
    }
    job.env = cn_env_with_threads(job.threads);
    cn_interrupt_catch();
    if (!job.json && !job.quiet) {
        cn_solve_start_table(&job);
    }
    int code = CN_EXIT_DONE;
    for (int32_t i = 0; i < job.paths.count && !cn_interrupted(); i++) {
        code = cn_exit_join(code, cn_solve_file(&job, job.paths.words[i]));
    }
    free(job.paths.words);
    free(job.choice.settings.words);
    cn_threads_destroy(job.env.threads);
    if (cn_interrupted() && code != CN_EXIT_INTERRUPTED) {
        fputs("cairn: interrupted between two solves\n", stderr);
        code = CN_EXIT_INTERRUPTED;
    }
    return code;
}
