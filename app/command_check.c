// app/command_check.c
// cairn check: grade the solution stored in problem files with the independent checker. Nothing of
// a solver takes part.
#include "app.h"
#include "case.h"
#include "json.h"
#include "terminal.h"

#include <stdlib.h>

typedef struct cn_check_job {
    double tolerance;
    cn_measure measure;
    bool json, quiet;
    cn_word_list paths;
} cn_check_job;

enum { CN_KEY_MEASURE = 256 };

static const struct argp_option cn_check_options[] = {
    {"tol", 't', "E", 0, "Tolerance on the residual (default 1e-8)", 0},
    {"measure", CN_KEY_MEASURE, "M", 0,
     "Residual that the tolerance means: scaled (default), q or max", 0},
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
    .doc = "Verify the solution stored in problem files, independently of the solvers."
           "\vExit code 0: all within the tolerance; 3: some are not; 4: a file cannot be used or "
           "holds no solution."};

static void cn_check_print_json(const cn_check_job *job, const cn_case *c, const cn_grade *grade,
                                bool good) {
    cn_json json = cn_json_start(stdout);
    cn_json_open(&json, NULL, '{');
    cn_json_text(&json, "problem", c->name);
    cn_json_int(&json, "dim", c->dim);
    cn_json_int(&json, "contacts", c->contacts);
    cn_json_real(&json, "tol", job->tolerance);
    cn_json_text(&json, "measure", cn_measure_text(job->measure));
    cn_json_bool(&json, "within", good);
    cn_json_real(&json, "residual", grade->residual);
    cn_json_real(&json, "residual_q", grade->residual_q);
    cn_json_real(&json, "residual_max", grade->residual_max);
    cn_json_real(&json, "cone_violation", grade->cone_violation);
    cn_json_real(&json, "dual_violation", grade->dual_violation);
    cn_json_real(&json, "complementarity", grade->complementarity);
    cn_json_real(&json, "velocity_mismatch", grade->velocity_mismatch);
    cn_json_int(&json, "worst", grade->worst);
    cn_json_real(&json, "worst_error", grade->worst_error);
    cn_json_int(&json, "open", grade->open);
    cn_json_int(&json, "stick", grade->stick);
    cn_json_int(&json, "slide", grade->slide);
    cn_json_close(&json, '}');
    cn_json_end(&json);
}

static void cn_check_print(const cn_check_job *job, const cn_case *c, const cn_grade *grade,
                           bool good) {
    cn_ink ink = good ? CN_INK_GOOD : CN_INK_BAD;
    cn_print_safe(stdout, c->path);
    printf(": %s%s%s (%s residual %.3g, tolerance %.3g)\n", cn_ink_begin(stdout, ink),
           good ? "within tolerance" : "NOT within tolerance", cn_ink_end(stdout, ink),
           cn_measure_text(job->measure), cn_grade_residual(grade, job->measure), job->tolerance);
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

static int cn_check_file(const cn_check_job *job, const char *path) {
    cn_case c;
    cn_error error;
    if (cn_case_open(path, CN_FORM_AUTO, &c, &error) != CN_OK) {
        return cn_report_error(&error);
    }
    int code;
    cn_grade grade;
    if (!c.problem->r) {
        fprintf(stderr, "%s: no solution is stored; cairn solve %s -o OUT writes one\n", path,
                path);
        code = CN_EXIT_INPUT;
    } else if (cn_case_grade(&c, c.problem->r, c.problem->u, &grade, &error) != CN_OK) {
        code = error.status == CN_OK ? cn_report_failure("out of memory") : cn_report_error(&error);
    } else {
        // Written so that a NaN is not within.
        bool good = cn_grade_residual(&grade, job->measure) <= job->tolerance;
        if (job->json) {
            cn_check_print_json(job, &c, &grade, good);
        } else if (!job->quiet) {
            cn_check_print(job, &c, &grade, good);
        }
        code = good ? CN_EXIT_DONE : CN_EXIT_TOLERANCE;
    }
    cn_case_close(&c);
    return code;
}

int cn_command_check(int argc, char **argv) {
    cn_check_job job = {.tolerance = 1e-8, .measure = CN_MEASURE_SCALED};
    cn_parse_arguments(&cn_check_argp, argc, argv, &job);
    int code = CN_EXIT_DONE;
    for (int32_t i = 0; i < job.paths.count; i++) {
        code = cn_exit_join(code, cn_check_file(&job, job.paths.words[i]));
    }
    free(job.paths.words);
    return code;
}
