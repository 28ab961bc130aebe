// app/commands/convert.c
// cairn convert: the same problem in another format, chosen by the ending of the new file.
#include "support/problem_file.h"
#include "support/solver_choice.h"
#include "support/support.h"

#include <stdlib.h>

typedef struct cn_convert_job {
    cn_word_list paths;
    const cn_formulation *formulation; // NULL: the problem as it is
    int32_t facets;
} cn_convert_job;

enum { CN_KEY_FORMULATION = 256, CN_KEY_FACETS };

static const struct argp_option cn_convert_options[] = {
    {"formulation", CN_KEY_FORMULATION, "NAME", 0,
     "Write the friction problem as an LCP: frictionless, inner or convex", 0},
    {"facets", CN_KEY_FACETS, "N", 0, "Facets of the cone of that formulation in 3D (default 8)",
     0},
    {0}};

static error_t cn_convert_option(int key, char *value, struct argp_state *state) {
    cn_convert_job *job = state->input;
    switch (key) {
    case CN_KEY_FORMULATION:
        job->formulation = cn_parse_formulation("convert", value);
        if (!(job->formulation->traits & CN_FORMULATES_LCP)) {
            cn_usage_error("convert", "the formulation %s is not an LCP, which is what files hold",
                           value);
        }
        break;
    case CN_KEY_FACETS:
        job->facets = (int32_t)cn_parse_int("convert", "--facets", value, 2, CN_FACETS_MAX);
        break;
    case ARGP_KEY_ARG:
        cn_word_list_add(&job->paths, value);
        break;
    case ARGP_KEY_END:
        if (job->paths.count != 2) {
            cn_usage_error("convert", "usage: cairn convert IN OUT; see --help");
        }
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp cn_convert_argp = {
    .options = cn_convert_options,
    .parser = cn_convert_option,
    .args_doc = "IN OUT",
    .doc = "Write the problem of IN in the format that the ending of OUT says: .hdf5 or .h5 is "
           "FCLIB, .dat is text. Text keeps a solution where other readers do not look, but no "
           "title."};

// The LCP that a formulation makes of a friction problem, as text.
static cn_status cn_convert_formulated(const cn_convert_job *job, cn_problem *problem,
                                       cn_error *error) {
    cn_case c;
    cn_status status =
        cn_case_adopt(NULL, problem, job->paths.words[0], CN_FORM_ASSEMBLED, &c, error);
    if (status != CN_OK) {
        return status;
    }
    cn_problem *lcp = cn_problem_create(NULL, CN_PROBLEM_LCP);
    const cn_friction *p =
        cn_case_is_lcp(&c) ? NULL : cn_case_friction(&c, CN_TAKES_ASSEMBLED, error);
    cn_formulation_opts how = cn_formulation_opts_default();
    how.facets = job->facets > 0 ? job->facets : how.facets;
    cn_formulated f;
    if (!lcp) {
        cn_error_memory(error);
    } else if (cn_case_is_lcp(&c)) {
        *error = (cn_error){.status = CN_ERR_INPUT, .message = "an LCP has no other formulation"};
    } else if (p && cn_formulate(job->formulation, p, &how, lcp->memory, &f, error) == CN_OK &&
               cn_mcp_as_lcp(&f.mcp, &lcp->lcp)) {
        cn_problem_write(lcp, job->paths.words[1], CN_FILE_TEXT, error);
    }
    cn_problem_destroy(lcp);
    cn_case_close(&c);
    return error->status;
}

int cn_command_convert(int argc, char **argv) {
    cn_convert_job job = {.facets = 0};
    cn_parse_arguments(&cn_convert_argp, argc, argv, &job);
    cn_problem *problem = NULL;
    cn_error error = {.status = CN_OK};
    int code = CN_EXIT_DONE;
    if (cn_problem_read(NULL, job.paths.words[0], &problem, &error) != CN_OK) {
        code = cn_report_error(&error);
    } else if (job.formulation) {
        if (cn_convert_formulated(&job, problem, &error) != CN_OK) {
            cn_report_error(&error);
            code = error.status == CN_ERR_INPUT ? CN_EXIT_INPUT : CN_EXIT_FAILURE;
        }
        problem = NULL; // the case has closed it
    } else if (cn_problem_write(problem, job.paths.words[1], CN_FILE_AUTO, &error) != CN_OK) {
        cn_report_error(&error);
        code = CN_EXIT_FAILURE;
    }
    cn_problem_destroy(problem);
    free(job.paths.words);
    return code;
}
