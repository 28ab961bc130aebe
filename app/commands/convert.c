// app/commands/convert.c
// cairn convert: the same problem in another format, chosen by the ending of the new file.
#include "support/arguments.h"
#include "support/file_kind.h"
#include "support/problem_file.h"
#include "support/solver_choice.h"
#include "support/support.h"

#include <stdlib.h>

typedef struct convert_job {
    word_list paths;
    const cn_formulation *formulation; // NULL: the problem as it is
    int32_t facets;
} convert_job;

static void convert_formulation(void *user, const char *command, const command_option *option,
                                char *text) {
    convert_job *job = user;
    (void)option;
    job->formulation = parse_formulation(command, text);
    if (!(job->formulation->traits & CN_FORMULATES_LCP)) {
        usage_error(command, "the formulation %s is not an LCP, which is what files hold", text);
    }
}

static const command_option convert_options[] = {
    {"formulation", 0, "NAME",
     "Write the friction problem as an LCP: frictionless, inner or convex",
     TO_FUNCTION(convert_formulation)},
    {"facets", 0, "N", "Facets of the cone of that formulation in 3D (default 8)",
     TO_INT(convert_job, facets, 2, CN_FACETS_MAX)},
    {0}};

static const command_line convert_line = {
    .options = convert_options,
    .args_doc = "IN OUT",
    ALL_ARGUMENTS(convert_job, paths),
    .doc =
        "Write the problem of IN in the format that the ending of OUT says: .hdf5 or .h5 is "
        "FCLIB, .dat is text, .mtx (Matrix Market) and .npy (NumPy) the matrix, its vectors beside "
        "it as OUT_q, OUT_mu, OUT_r. Text keeps a solution where other readers do not look, but no "
        "title."};

// The LCP that a formulation makes of a friction problem, as text.
static cn_status convert_formulated(const convert_job *job, cn_problem *problem, cn_error *error) {
    problem_file c;
    CN_TRY(problem_file_adopt(NULL, problem, job->paths.words[0], FORM_ASSEMBLED, &c, error));
    cn_problem *lcp = cn_problem_create(NULL, CN_PROBLEM_LCP);
    const cn_friction *p =
        problem_file_is_lcp(&c) ? NULL : problem_file_friction(&c, CN_TAKES_ASSEMBLED, error);
    cn_formulation_opts how = cn_formulation_opts_default();
    how.facets = job->facets > 0 ? job->facets : how.facets;
    cn_formulated f;
    if (!lcp) {
        error_memory(error);
    } else if (problem_file_is_lcp(&c)) {
        *error = (cn_error){.status = CN_ERR_INPUT, .message = "an LCP has no other formulation"};
    } else if (p && cn_formulate(job->formulation, p, &how, lcp->memory, &f, error) == CN_OK &&
               cn_mcp_as_lcp(&f.mcp, &lcp->lcp)) {
        cn_problem_write(lcp, job->paths.words[1], CN_FILE_TEXT, error);
    }
    cn_problem_destroy(lcp);
    problem_file_close(&c);
    return error->status;
}

int command_convert(int argc, char **argv) {
    convert_job job = {.facets = 0};
    parse_arguments(&convert_line, argc, argv, &job);
    if (job.paths.count != 2) {
        usage_error("convert", "usage: cairn convert IN OUT; see --help");
    }
    cn_problem *problem = NULL;
    cn_error error = {.status = CN_OK};
    int code = EXIT_DONE;
    if (cn_problem_read(NULL, job.paths.words[0], &problem, &error) != CN_OK) {
        code = report_error(&error);
    } else if (job.formulation) {
        if (convert_formulated(&job, problem, &error) != CN_OK) {
            report_error(&error);
            code = error.status == CN_ERR_INPUT ? EXIT_INPUT : EXIT_FAILED;
        }
        problem = NULL; // the case has closed it
    } else if (cn_problem_write(problem, job.paths.words[1], CN_FILE_AUTO, &error) != CN_OK) {
        report_error(&error);
        code = EXIT_FAILED;
    }
    cn_problem_destroy(problem);
    free(job.paths.words);
    return code;
}
