// app/commands/check.c
// cairn check: grade run files and the solutions stored in problem files with the independent
// checkers. Nothing of a solver takes part.
#include "run/recorded.h"
#include "support/arguments.h"
#include "support/file_kind.h"
#include "support/json.h"
#include "support/problem_file.h"
#include "support/support.h"
#include "support/terminal.h"

#include <math.h>
#include <stdlib.h>

#define CHECK_TOLERANCE 1e-8
#define CHECK_SHOWN 20 // findings that are printed; --json has more

typedef struct check_job {
    double tolerance; // NaN: CHECK_TOLERANCE for problems, its scene's for a run
    cn_measure measure;
    bool json, quiet, allow_plugins;
    int32_t threads; // 0: one
    cn_env env;
    word_list paths;
} check_job;

static const command_option check_options[] = {
    {"tol", 't', "E", "Tolerance on the residual (default: 1e-8; for a run file that of its scene)",
     TO_REAL(check_job, tolerance, 0.0, 1e300)},
    MEASURE_OPTION(check_job, measure),
    THREADS_OPTION(check_job, "1"),
    {"allow-plugins", 0, NULL, "Let the scene of a run file load shared libraries, which run code",
     TO_SET(check_job, allow_plugins)},
    JSON_LINES_OPTION(check_job),
    {"quiet", 'q', NULL, "Only errors and the exit code", TO_SET(check_job, quiet)},
    {0}};

static const command_line check_line = {
    .options = check_options,
    .args_doc = "FILE...",
    ALL_ARGUMENTS(check_job, paths),
    .missing = "no file given; see cairn check --help",
    .doc =
        "Verify run files and the solutions stored in problem files, independently of the "
        "solvers. Of a run: that no row was lost or changed; that bodies, friction and tolerance "
        "are those of its scene; and of every recorded step the momentum of each body, the law "
        "of each contact and joint, points, normals and gaps, and the energies."
        "\vExit code 0: all verified; 3: something was found, or the check is incomplete because "
        "the file lacks what it needs (--no-evidence, an older version, a run that was killed); 4: "
        "a "
        "file cannot be used or holds no solution."};

static void check_print_json(const check_job *job, const problem_file *c, const cn_grade *grade,
                             double tolerance, bool good) {
    json_writer json = put_start(stdout);
    put_open(&json, NULL, '{');
    put_text(&json, "problem", c->name);
    put_int(&json, "dim", c->dim);
    put_int(&json, "contacts", c->contacts);
    put_real(&json, "tol", tolerance);
    put_text(&json, "measure", cn_measure_text(job->measure));
    put_bool(&json, "within", good);
    put_real(&json, "residual", grade->residual);
    put_real(&json, "residual_q", grade->residual_q);
    put_real(&json, "residual_max", grade->residual_max);
    put_real(&json, "cone_violation", grade->cone_violation);
    put_real(&json, "dual_violation", grade->dual_violation);
    put_real(&json, "complementarity", grade->complementarity);
    put_real(&json, "velocity_mismatch", grade->velocity_mismatch);
    put_int(&json, "worst", grade->worst);
    put_real(&json, "worst_error", grade->worst_error);
    put_int(&json, "open", grade->open);
    put_int(&json, "stick", grade->stick);
    put_int(&json, "slide", grade->slide);
    put_close(&json, '}');
    put_end(&json);
}

static void check_print(const check_job *job, const problem_file *c, const cn_grade *grade,
                        double tolerance, bool good) {
    text_ink ink = good ? INK_GOOD : INK_BAD;
    print_safe(stdout, c->path);
    printf(": %s%s%s (%s residual %.3g, tolerance %.3g)\n", ink_begin(stdout, ink),
           good ? "within tolerance" : "NOT within tolerance", ink_end(stdout, ink),
           cn_measure_text(job->measure), cn_grade_residual(grade, job->measure), tolerance);
    printf("  residuals           scaled %.3g, q %.3g, max %.3g\n", grade->residual,
           grade->residual_q, grade->residual_max);
    if (problem_file_is_lcp(c)) {
        printf("  unknowns            %d: %d zero, %d positive\n", (int)c->contacts,
               (int)grade->open, (int)grade->stick);
        return;
    }
    printf("  cone violation      %.3g (of the largest impulse)\n", grade->cone_violation);
    printf("  dual violation      %.3g (of the largest velocity)\n", grade->dual_violation);
    printf("  complementarity     %.3g (of their product)\n", grade->complementarity);
    printf("  velocity mismatch   %.3g (stored u against W r + q)\n", grade->velocity_mismatch);
    printf("  contacts            %d: %d open, %d sticking, %d sliding\n", (int)c->contacts,
           (int)grade->open, (int)grade->stick, (int)grade->slide);
    if (grade->worst >= 0) {
        printf("  worst contact       %d, off by %.3g m/s\n", (int)grade->worst,
               grade->worst_error);
    }
}

static int check_problem(const check_job *job, const char *path) {
    problem_file c;
    cn_error error;
    if (problem_file_open(&job->env, path, FORM_AUTO, &c, &error) != CN_OK) {
        return report_error(&error);
    }
    int code;
    cn_grade grade;
    if (!c.problem->r) {
        print_format(stderr, "%s: no solution is stored; cairn solve %s -o OUT writes one\n", path,
                     path);
        code = EXIT_INPUT;
    } else if (problem_file_grade(&c, c.problem->r, c.problem->u, &grade, &error) != CN_OK) {
        code = error.status == CN_OK ? report_failure("out of memory") : report_error(&error);
    } else {
        // Written so that a NaN is not within.
        double tolerance = isnan(job->tolerance) ? CHECK_TOLERANCE : job->tolerance;
        bool good = cn_grade_residual(&grade, job->measure) <= tolerance;
        if (job->json) {
            check_print_json(job, &c, &grade, tolerance, good);
        } else if (!job->quiet) {
            check_print(job, &c, &grade, tolerance, good);
        }
        code = good ? EXIT_DONE : EXIT_TOLERANCE;
    }
    problem_file_close(&c);
    return code;
}

// ---- run files ----

static void check_put_worst(json_writer *json, const cn_run_grade *grade) {
    put_open(json, "worst", '{');
    for (int kind = 0; kind < CN_CHECK_KINDS; kind++) {
        const cn_run_worst *worst = &grade->worst[kind];
        if (worst->step >= 0) {
            put_open(json, cn_check_kind_text((cn_check_kind)kind), '{');
            put_int(json, "step", worst->step);
            put_real(json, "value", worst->value);
            put_real(json, "allowed", worst->allowed);
            put_close(json, '}');
        }
    }
    put_close(json, '}');
}

static void check_print_run_json(const char *path, const cn_run_grade *grade) {
    json_writer json = put_start(stdout);
    put_open(&json, NULL, '{');
    put_text(&json, "run", path);
    put_bool(&json, "within", grade->within);
    put_bool(&json, "complete", grade->complete);
    put_text(&json, "incomplete", grade->incomplete);
    put_bool(&json, "finished", grade->finished);
    put_real(&json, "tol", grade->tolerance);
    put_int(&json, "steps", grade->steps);
    put_int(&json, "frames", grade->frames);
    put_int(&json, "frames_checked", grade->checked);
    put_int(&json, "frames_limited", grade->limited);
    put_int(&json, "frames_steered", grade->steered);
    put_int(&json, "contacts", grade->contacts);
    put_int(&json, "bad_hashes", grade->bad_hashes);
    put_int(&json, "unsolved_steps", grade->unsolved_steps);
    put_real(&json, "energy_balance_error", grade->energy_balance_error);
    check_put_worst(&json, grade);
    put_int(&json, "finding_count", grade->finding_count);
    put_open(&json, "findings", '[');
    for (int64_t i = 0; i < grade->finding_count && i < CN_RUN_FINDINGS; i++) {
        const cn_run_finding *finding = &grade->finding[i];
        put_open(&json, NULL, '{');
        put_int(&json, "step", finding->step);
        put_text(&json, "table", finding->table);
        put_text(&json, "what", finding->what);
        put_real(&json, "value", finding->value);
        put_real(&json, "allowed", finding->allowed);
        put_close(&json, '}');
    }
    put_close(&json, ']');
    put_close(&json, '}');
    put_end(&json);
}

static void check_print_findings(const cn_run_grade *grade) {
    for (int64_t i = 0; i < grade->finding_count && i < CHECK_SHOWN; i++) {
        const cn_run_finding *finding = &grade->finding[i];
        if (finding->step >= 0) {
            printf("  step %-14lld ", (long long)finding->step);
        } else {
            printf("  file                ");
        }
        print_safe(stdout, finding->what);
        printf(" (%.6g, allowed %.6g)\n", finding->value, finding->allowed);
    }
    if (grade->finding_count > CHECK_SHOWN) {
        printf("  ... %lld findings in all\n", (long long)grade->finding_count);
    }
}

static void check_print_run(const char *path, const cn_run_grade *grade) {
    bool good = grade->within && grade->complete;
    text_ink ink = good ? INK_GOOD : INK_BAD;
    print_safe(stdout, path);
    printf(": %s%s%s (tolerance %.3g)\n", ink_begin(stdout, ink),
           !grade->within     ? "NOT verified"
           : !grade->complete ? "nothing found, but the check is INCOMPLETE"
                              : "verified",
           ink_end(stdout, ink), grade->tolerance);
    if (!grade->complete) {
        printf("  incomplete          ");
        print_safe(stdout, grade->incomplete);
        putchar('\n');
    }
    if (grade->complete && !grade->finished) {
        printf("  ended early         it stopped or failed before the end of its scene\n");
    }
    printf("  recorded            %lld steps, %lld frames, %lld contacts\n",
           (long long)grade->steps, (long long)grade->frames, (long long)grade->contacts);
    printf("  steps checked       %lld with every body, contact and joint\n",
           (long long)grade->checked);
    if (grade->limited > 0 || grade->steered > 0) {
        printf("  of these            %lld with bodies stopped without bouncing, %lld steered\n",
               (long long)grade->limited, (long long)grade->steered);
    }
    for (int kind = 0; kind < CN_CHECK_KINDS; kind++) {
        const cn_run_worst *worst = &grade->worst[kind];
        if (worst->step >= 0) {
            printf("  %-19s %.3g, allowed %.3g, step %lld\n",
                   cn_check_kind_text((cn_check_kind)kind), worst->value, worst->allowed,
                   (long long)worst->step);
        }
    }
    printf("  energy balance      off by %.3g J over the ledger\n", grade->energy_balance_error);
    check_print_findings(grade);
}

static int check_run(const check_job *job, const char *path) {
    cn_run *run;
    cn_model *model = NULL;
    cn_error error = {.status = CN_OK}, unread = {.status = CN_OK};
    if (cn_run_open(NULL, path, &run, &error) != CN_OK) {
        return report_error(&error);
    }
    cn_run_grade *grade = ALLOCATE(cn_run_grade, 1);
    cn_env env = cn_env_default();
    env.allow_plugins = job->allow_plugins;
    // A scene that cannot be read leaves the check incomplete; one that there is no memory for is
    // nothing that the run could help.
    cn_status status = run_model(&env, run, path, &model, &unread);
    if (status != CN_OK) {
        model = NULL;
    }
    if (status == CN_ERR_MEMORY) {
        error = unread;
    } else {
        status = cn_run_check(run, model, job->tolerance, grade, &error);
    }
    cn_run_close(run);
    cn_model_destroy(model);
    int code = EXIT_DONE;
    if (status != CN_OK) {
        code = report_error_in(&error, path);
    } else {
        if (!model && !job->quiet) {
            report_error_text(&unread);
        }
        if (job->json) {
            check_print_run_json(path, grade);
        } else if (!job->quiet) {
            check_print_run(path, grade);
        }
        code = grade->within && grade->complete ? EXIT_DONE : EXIT_TOLERANCE;
    }
    free(grade);
    return code;
}

int command_check(int argc, char **argv) {
    check_job job = {
        .tolerance = NAN, .measure = CN_MEASURE_SCALED, .threads = threads_wanted("check")};
    parse_arguments(&check_line, argc, argv, &job);
    job.env = env_with_threads(job.threads);
    int code = EXIT_DONE;
    for (int32_t i = 0; i < job.paths.count; i++) {
        const char *path = job.paths.words[i];
        if (file_refuse(path, FILE_RUN | FILE_PROBLEM) != EXIT_DONE) {
            code = exit_join(code, EXIT_INPUT);
            continue;
        }
        bool is_run = file_kind(path) == FILE_RUN;
        code = exit_join(code, is_run ? check_run(&job, path) : check_problem(&job, path));
    }
    cn_threads_destroy(job.env.threads);
    free(job.paths.words);
    return code;
}
