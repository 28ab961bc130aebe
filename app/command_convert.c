// app/command_convert.c
// cairn convert: the same problem in another format, chosen by the ending of the new file.
#include "app.h"
#include "case.h"

#include <stdlib.h>

static error_t cn_convert_option(int key, char *value, struct argp_state *state) {
    cn_word_list *paths = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        cn_word_list_add(paths, value);
        break;
    case ARGP_KEY_END:
        if (paths->count != 2) {
            cn_usage_error("convert", "usage: cairn convert IN OUT; see --help");
        }
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp cn_convert_argp = {
    .parser = cn_convert_option,
    .args_doc = "IN OUT",
    .doc = "Write the problem of IN in the format that the ending of OUT says: .hdf5 or .h5 is "
           "FCLIB, .dat is text. Text keeps a solution where other readers do not look, but no "
           "title."};

int cn_command_convert(int argc, char **argv) {
    cn_word_list paths = {.count = 0};
    cn_parse_arguments(&cn_convert_argp, argc, argv, &paths);
    cn_problem *problem = NULL;
    cn_error error = {.status = CN_OK};
    int code = CN_EXIT_DONE;
    if (cn_problem_read(NULL, paths.words[0], &problem, &error) != CN_OK) {
        code = cn_report_error(&error);
    } else if (cn_problem_write(problem, paths.words[1], CN_FILE_AUTO, &error) != CN_OK) {
        cn_report_error(&error);
        code = CN_EXIT_FAILURE;
    }
    cn_problem_destroy(problem);
    free(paths.words);
    return code;
}
