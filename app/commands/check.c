// app/commands/check.c
// cairn check: grade run files and the solutions stored in problem files with the independent
// checkers. Nothing of a solver takes part.
#include "run/recorded.h"
#include "support/file_kind.h"
#include "support/json.h"
#include "support/problem_file.h"
#include "support/support.h"
#include "support/terminal.h"

#include <math.h>
#include <stdlib.h>

#define CN_CHECK_TOLERANCE 1e-8
#define CN_CHECK_SHOWN 20 // findings that are printed; --json has more

typedef struct cn_check_job {
    double tolerance; // NaN: CN_CHECK_TOLERANCE for problems, its scene's for a run
    cn_measure measure;
    bool json, quiet, allow_plugins;
    int32_t threads; // 0: one
    cn_env env;
    cn_word_list paths;
} cn_check_job;

enum { CN_KEY_MEASURE = 256, CN_KEY_THREADS, CN_KEY_PLUGINS };

static const struct argp_option cn_check_options[] = {
    {"tol", 't', "E", 0,
     "Tolerance on the residual (default: 1e-8; for a run file that of its scene)", 0},
    {"measure", CN_KEY_MEASURE, "M", 0,
     "Residual that the tolerance means: scaled (default), q or max", 0},
    CN_THREADS_OPTION(CN_KEY_THREADS, "1"),
    {"allow-plugins", CN_KEY_PLUGINS, NULL, 0,
     "Let the scene of a run file load shared libraries, which run code", 0},
    {"json", 'j', NULL, 0, "One JSON object a line on standard output", 0},
    {"quiet", 'q', NULL, 0, "Only errors and the exit code", 0},
    {0}};

static error_t cn_check_option(int key, char *value, struct argp_state *state) {
    cn_check_job *job = state->input;
    switch (key) {
    case 't':
        job->tolerance = cn_parse_real("check", "--tol", value, 0.0, 1e300);
        break;
    case CN_KEY_MEASURE:
        job->measure = cn_parse_measure("check", value);
        break;
    case CN_KEY_THREADS:
        job->threads = cn_parse_threads("check", value);
        break;
    case CN_KEY_PLUGINS:
        job->allow_plugins = true;
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
        cn_usage_error("check", "no file given; see cairn check --help");
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp cn_check_argp = {
    .options = cn_check_options,
    .parser = cn_check_option,
    .args_doc = "FILE...",
    .doc =
        "Verify run files and the solutions stored in problem files, independently of the "
        "solvers. Of a run: that no row was lost or changed; that bodies, friction and tolerance "
        "are those of its scene; and of every recorded step the momentum of each body, the law "
        "of each contact and joint, points, normals and gaps, and the energies."
        "\vExit code 0: all verified; 3: something was found, or the check is incomplete because "
        "the file lacks what it needs (--no-evidence, an older version, a run that was killed); 4: "
        "a "
        "file cannot be used or holds no solution."};

static void cn_check_print_json(const cn_check_job *job, const cn_case *c, const cn_grade *grade,
                                double tolerance, bool good) {
    cn_json json = cn_put_start(stdout);
    cn_put_open(&json, NULL, '{');
    cn_put_text(&json, "problem", c->name);
    cn_put_int(&json, "dim", c->dim);
    cn_put_int(&json, "contacts", c->contacts);
    cn_put_real(&json, "tol", tolerance);
    cn_put_text(&json, "measure", cn_measure_text(job->measure));
    cn_put_bool(&json, "within", good);
    cn_put_real(&json, "residual", grade->residual);
    cn_put_real(&json, "residual_q", grade->residual_q);
    cn_put_real(&json, "residual_max", grade->residual_max);
    cn_put_real(&json, "cone_violation", grade->cone_violation);
    cn_put_real(&json, "dual_violation", grade->dual_violation);
    cn_put_real(&json, "complementarity", grade->complementarity);
    cn_put_real(&json, "velocity_mismatch", grade->velocity_mismatch);
    cn_put_int(&json, "worst", grade->worst);
    cn_put_real(&json, "worst_error", grade->worst_error);
    cn_put_int(&json, "open", grade->open);
    cn_put_int(&json, "stick", grade->stick);
    cn_put_int(&json, "slide", grade->slide);
    cn_put_close(&json, '}');
    cn_put_end(&json);
}

static void cn_check_print(const cn_check_job *job, const cn_case *c, const cn_grade *grade,
                           double tolerance, bool good) {
    cn_ink ink = good ? CN_INK_GOOD : CN_INK_BAD;
    cn_print_safe(stdout, c->path);
    printf(": %s%s%s (%s residual %.3g, tolerance %.3g)\n", cn_ink_begin(stdout, ink),
           good ? "within tolerance" : "NOT within tolerance", cn_ink_end(stdout, ink),
           cn_measure_text(job->measure), cn_grade_residual(grade, job->measure), tolerance);
    printf("  residuals           scaled %.3g, q %.3g, max %.3g\n", grade->residual,
           grade->residual_q, grade->residual_max);
    if (cn_case_is_lcp(c)) {
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

static int cn_check_problem(const cn_check_job *job, const char *path) {
    cn_case c;
    cn_error error;
    if (cn_case_open(&job->env, path, CN_FORM_AUTO, &c, &error) != CN_OK) {
        return cn_report_error(&error);
    }
    int code;
    cn_grade grade;
    if (!c.problem->r) {
        cn_say(stderr, "%s: no solution is stored; cairn solve %s -o OUT writes one\n", path, path);
        code = CN_EXIT_INPUT;
    } else if (cn_case_grade(&c, c.problem->r, c.problem->u, &grade, &error) != CN_OK) {
        code = error.status == CN_OK ? cn_report_failure("out of memory") : cn_report_error(&error);
    } else {
        // Written so that a NaN is not within.
        double tolerance = isnan(job->tolerance) ? CN_CHECK_TOLERANCE : job->tolerance;
        bool good = cn_grade_residual(&grade, job->measure) <= tolerance;
        if (job->json) {
            cn_check_print_json(job, &c, &grade, tolerance, good);
        } else if (!job->quiet) {
            cn_check_print(job, &c, &grade, tolerance, good);
        }
        code = good ? CN_EXIT_DONE : CN_EXIT_TOLERANCE;
    }
    cn_case_close(&c);
    return code;
}

// ---- run files ----

static void cn_check_put_worst(cn_json *json, const cn_run_grade *grade) {
    cn_put_open(json, "worst", '{');
    for (int kind = 0; kind < CN_CHECK_KINDS; kind++) {
        const cn_run_worst *worst = &grade->worst[kind];
        if (worst->step >= 0) {
            cn_put_open(json, cn_check_kind_text((cn_check_kind)kind), '{');
            cn_put_int(json, "step", worst->step);
            cn_put_real(json, "value", worst->value);
            cn_put_real(json, "allowed", worst->allowed);
            cn_put_close(json, '}');
        }
    }
    cn_put_close(json, '}');
}

static void cn_check_print_run_json(const char *path, const cn_run_grade *grade) {
    cn_json json = cn_put_start(stdout);
    cn_put_open(&json, NULL, '{');
    cn_put_text(&json, "run", path);
    cn_put_bool(&json, "within", grade->within);
    cn_put_bool(&json, "complete", grade->complete);
    cn_put_text(&json, "incomplete", grade->incomplete);
    cn_put_bool(&json, "finished", grade->finished);
    cn_put_real(&json, "tol", grade->tolerance);
    cn_put_int(&json, "steps", grade->steps);
    cn_put_int(&json, "frames", grade->frames);
    cn_put_int(&json, "frames_checked", grade->checked);
    cn_put_int(&json, "frames_limited", grade->limited);
    cn_put_int(&json, "frames_steered", grade->steered);
    cn_put_int(&json, "contacts", grade->contacts);
    cn_put_int(&json, "bad_hashes", grade->bad_hashes);
    cn_put_int(&json, "unsolved_steps", grade->unsolved_steps);
    cn_put_real(&json, "energy_balance_error", grade->energy_balance_error);
    cn_check_put_worst(&json, grade);
    cn_put_int(&json, "finding_count", grade->finding_count);
    cn_put_open(&json, "findings", '[');
    for (int64_t i = 0; i < grade->finding_count && i < CN_RUN_FINDINGS; i++) {
        const cn_run_finding *finding = &grade->finding[i];
        cn_put_open(&json, NULL, '{');
        cn_put_int(&json, "step", finding->step);
        cn_put_text(&json, "table", finding->table);
        cn_put_text(&json, "what", finding->what);
        cn_put_real(&json, "value", finding->value);
        cn_put_real(&json, "allowed", finding->allowed);
        cn_put_close(&json, '}');
    }
    cn_put_close(&json, ']');
    cn_put_close(&json, '}');
    cn_put_end(&json);
}

static void cn_check_print_findings(const cn_run_grade *grade) {
    for (int64_t i = 0; i < grade->finding_count && i < CN_CHECK_SHOWN; i++) {
        const cn_run_finding *finding = &grade->finding[i];
        if (finding->step >= 0) {
            printf("  step %-14lld ", (long long)finding->step);
        } else {
            printf("  file                ");
        }
        cn_print_safe(stdout, finding->what);
        printf(" (%.6g, allowed %.6g)\n", finding->value, finding->allowed);
    }
    if (grade->finding_count > CN_CHECK_SHOWN) {
        printf("  ... %lld findings in all\n", (long long)grade->finding_count);
    }
}

static void cn_check_print_run(const char *path, const cn_run_grade *grade) {
    bool good = grade->within && grade->complete;
    cn_ink ink = good ? CN_INK_GOOD : CN_INK_BAD;
    cn_print_safe(stdout, path);
    printf(": %s%s%s (tolerance %.3g)\n", cn_ink_begin(stdout, ink),
           !grade->within     ? "NOT verified"
           : !grade->complete ? "nothing found, but the check is INCOMPLETE"
                              : "verified",
           cn_ink_end(stdout, ink), grade->tolerance);
    if (!grade->complete) {
        printf("  incomplete          ");
        cn_print_safe(stdout, grade->incomplete);
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
    cn_check_print_findings(grade);
}

static int cn_check_run(const cn_check_job *job, const char *path) {
    cn_run *run;
    cn_model *model = NULL;
    cn_error error = {.status = CN_OK}, unread = {.status = CN_OK};
    if (cn_run_open(NULL, path, &run, &error) != CN_OK) {
        return cn_report_error(&error);
    }
    cn_run_grade *grade = CN_ALLOCATE(cn_run_grade, 1);
    cn_env env = cn_env_default();
    env.allow_plugins = job->allow_plugins;
    if (cn_run_model_in(&env, run, path, NULL, 0, &model, &unread) != CN_OK) {
        model = NULL;
    }
    cn_status status = cn_run_check(run, model, job->tolerance, grade, &error);
    cn_run_close(run);
    cn_model_destroy(model);
    int code = CN_EXIT_DONE;
    if (status != CN_OK) {
        code = cn_report_error_in(&error, path);
    } else {
        if (!model && !job->quiet) {
            cn_report_error(&unread);
        }
        if (job->json) {
            cn_check_print_run_json(path, grade);
        } else if (!job->quiet) {
            cn_check_print_run(path, grade);
        }
        code = grade->within && grade->complete ? CN_EXIT_DONE : CN_EXIT_TOLERANCE;
    }
    free(grade);
    return code;
}

int cn_command_check(int argc, char **argv) {
    cn_check_job job = {
        .tolerance = NAN, .measure = CN_MEASURE_SCALED, .threads = cn_threads_wanted("check")};
    cn_parse_arguments(&cn_check_argp, argc, argv, &job);
    job.env = cn_env_with_threads(job.threads);
    int code = CN_EXIT_DONE;
    for (int32_t i = 0; i < job.paths.count; i++) {
        const char *path = job.paths.words[i];
        bool is_run = cn_file_kind(path) == CN_FILE_RUN;
        code = cn_exit_join(code, is_run ? cn_check_run(&job, path) : cn_check_problem(&job, path));
    }
    cn_threads_destroy(job.env.threads);
    free(job.paths.words);
    return code;
}
