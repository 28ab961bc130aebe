// app/support/arguments.c
// From a subcommand's table of options to argp, and from what argp finds to the job.
#include "support/arguments.h"

#include "support/json.h"
#include "support/support.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A value that is no number; a comma in it is meant as a decimal point.
static _Noreturn void refuse_number(const char *command, const char *option, const char *what,
                                    const char *text) {
    char point[64];
    char *end, *comma = strchr(text, ',');
    snprintf(point, sizeof point, "%s", text);
    if (comma && comma - text < (ptrdiff_t)sizeof point) {
        point[comma - text] = '.';
        strtod(point, &end);
        if (*end == '\0') {
            usage_error(command, "%s wants %s, not '%s'; write a decimal point: %s", option, what,
                        text, point);
        }
    }
    usage_error(command, "%s wants %s, not '%s'", option, what, text);
}

double parse_real(const char *command, const char *option, const char *text, double min,
                  double max) {
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end) {
        refuse_number(command, option, "a number", text);
    }
    if (!(value >= min && value <= max)) {
        // Bounds at the end of the range of double are no bounds to the one who types.
        if (max < REAL_MAX) {
            usage_error(command, "%s must be from %g to %g, not %s", option, min, max, text);
        }
        usage_error(command, "%s must be %s, not %s", option,
                    isnan(value) || value > max ? "a finite number"
                    : min > 0.0                 ? "above 0"
                                                : "0 or more",
                    text);
    }
    return value;
}

int32_t threads_wanted(const char *command) {
    const char *text = getenv("CAIRN_THREADS");
    return text && text[0] ? (int32_t)parse_int(command, "CAIRN_THREADS", text, 1, CN_THREADS_MAX)
                           : 0;
}

int64_t parse_int(const char *command, const char *option, const char *text, int64_t min,
                  int64_t max) {
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end) {
        refuse_number(command, option, "a whole number", text);
    }
    if (errno || value < min || value > max) {
        if (max >= INT32_MAX && value < min) {
            usage_error(command, "%s must be %lld or more, not %s", option, (long long)min, text);
        }
        usage_error(command, "%s must be from %lld to %lld, not %s", option, (long long)min,
                    (long long)max, text);
    }
    return value;
}

static cn_measure parse_measure(const char *command, const char *text) {
    for (int32_t i = 0; i < 3; i++) {
        if (strcmp(text, cn_measure_text((cn_measure)i)) == 0) {
            return (cn_measure)i;
        }
    }
    usage_error(command, "no measure '%s'; use scaled, q or max", text);
}

void word_list_add(word_list *list, const char *word) {
    list->words = reallocate(list->words, list->count + 1, sizeof *list->words);
    list->words[list->count++] = word;
}

// ---- the table ----

#define OPTION_MAX 32 // options of one subcommand, with help and usage
#define LONG_ONLY 256 // argp's key of the first option, for those without a letter

// A table as argp reads it, and the job that it fills.
typedef struct parser {
    const command_line *line;
    const char *command;
    void *job;
    bool any; // argument
    struct argp_option options[OPTION_MAX];
    const char *names[OPTION_MAX]; // for "did you mean"
    int32_t count;
} parser;

static void parser_start(parser *p) {
    const command_option *option = p->line->options;
    for (; option && option->name && p->count < OPTION_MAX - 2; option++, p->count++) {
        p->names[p->count] = option->name;
        p->options[p->count] =
            (struct argp_option){.name = option->name,
                                 .key = option->letter ? option->letter : LONG_ONLY + p->count,
                                 .arg = option->value,
                                 .doc = option->help};
    }
    p->names[p->count++] = "help";
    p->names[p->count++] = "usage";
}

static void take_option(const parser *p, const command_option *option, char *text) {
    void *at = (char *)p->job + option->offset;
    char name[64];
    snprintf(name, sizeof name, "--%s", option->name);
    switch (option->kind) {
    case OPTION_SET:
        *(bool *)at = true;
        break;
    case OPTION_CLEAR:
        *(bool *)at = false;
        break;
    case OPTION_TEXT:
        *(const char **)at = text;
        break;
    case OPTION_REAL:
        *(double *)at = parse_real(p->command, name, text, option->min, option->max);
        break;
    case OPTION_INT:
        *(int32_t *)at =
            (int32_t)parse_int(p->command, name, text, (int64_t)option->min, (int64_t)option->max);
        break;
    case OPTION_THREADS:
        *(int32_t *)at = (int32_t)parse_int(p->command, name, text, 1, CN_THREADS_MAX);
        break;
    case OPTION_MEASURE:
        *(cn_measure *)at = parse_measure(p->command, text);
        break;
    case OPTION_LIST:
        word_list_add(at, text);
        break;
    case OPTION_TAKEN:
        option->take(p->job, p->command, option, text);
        break;
    }
}

static void take_argument(parser *p, char *text) {
    const command_line *line = p->line;
    void *at = (char *)p->job + line->offset;
    if (line->arguments == OPTION_TAKEN) {
        line->take(p->job, p->command, NULL, text);
    } else if (line->arguments == OPTION_LIST) {
        word_list_add(at, text);
    } else if (p->any) {
        usage_error(p->command, line->again, text);
    } else {
        *(const char **)at = text;
    }
    p->any = true;
}

static error_t parser_take(int key, char *text, struct argp_state *state) {
    parser *p = state->input;
    const command_option *options = p->line->options;
    if (key == ARGP_KEY_ARG && p->line->arguments != OPTION_SET) {
        take_argument(p, text);
        return 0;
    }
    if (key == ARGP_KEY_NO_ARGS && p->line->missing) {
        usage_error(p->command, "%s", p->line->missing);
    }
    for (int32_t i = 0; options && options[i].name; i++) {
        if (key == p->options[i].key) {
            take_option(p, &options[i], text);
            return 0;
        }
    }
    return ARGP_ERR_UNKNOWN;
}

// getopt also takes an unambiguous beginning of an option's name.
static bool begins_an_option(const parser *p, const char *word, size_t length) {
    for (int32_t i = 0; i < p->count; i++) {
        if (strncmp(word, p->names[i], length) == 0) {
            return true;
        }
    }
    return false;
}

// The key of a scene that a word would set if it were an option; NULL: none that is known.
static const char *scene_key(const char *word) {
    static const char *const keys[][2] = {{"step", "time.step"},
                                          {"dt", "time.step"},
                                          {"timestep", "time.step"},
                                          {"gravity", "gravity.2"},
                                          {"theta", "integrator.theta"},
                                          {"scheme", "integrator.scheme"},
                                          {"friction", "contacts.0.friction"},
                                          {"restitution", "contacts.0.restitution"}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(word, keys[i][0]) == 0) {
            return keys[i][1];
        }
    }
    return NULL;
}

// argp's own message for an option that there is not says nothing of those that there are.
static void refuse_unknown(const parser *p, const char *argument) {
    if (argument[0] == '-' && argument[1] && argument[1] != '-' && utf8_length(argument + 1) != 1) {
        usage_error(p->command, "no option %s; see cairn %s --help", argument, p->command);
    }
    const char *word = argument + 2;
    size_t length = strcspn(argument, "=") - (strcspn(argument, "=") >= 2 ? 2 : 0);
    if (strncmp(argument, "--", 2) != 0 || begins_an_option(p, word, length)) {
        return;
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    const char *near = cn_nearest_name(name, p->names, p->count);
    if (near) {
        usage_error(p->command, "no option --%s; did you mean --%s?", name, near);
    }
    const char *key = scene_key(name);
    if (key && begins_an_option(p, "until", 5) && begins_an_option(p, "set", 3)) {
        usage_error(p->command, "no option --%s; a value of the scene is changed by --set %s=VALUE",
                    name, key);
    }
    usage_error(p->command, "no option --%s; see cairn %s --help", name, p->command);
}

void parse_arguments(const command_line *line, int argc, char **argv, void *job) {
    // Whether JSON is wanted decides how wrong options are reported, so that is looked for first.
    for (const command_option *option = line->options; option && option->name; option++) {
        for (int i = 1; i < argc && strcmp(option->name, "json") == 0; i++) {
            if (strcmp(argv[i], "--json") == 0 || strcmp(argv[i], "-j") == 0) {
                report_errors_as_json();
            }
        }
    }
    parser p = {.line = line, .command = argv[0] + strlen("cairn "), .job = job};
    parser_start(&p);
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "-h") == 0) {
            argv[i] = "--help";
        }
        refuse_unknown(&p, argv[i]);
    }
    // A table without entries would leak memory in the C library's help.
    const struct argp argp = {.options = p.options[0].name ? p.options : NULL,
                              .parser = parser_take,
                              .args_doc = line->args_doc,
                              .doc = line->doc};
    argp_err_exit_status = EXIT_USAGE;
    if (argp_parse(&argp, argc, argv, 0, NULL, &p) == ENOMEM) {
        exit(report_failure("out of memory"));
    }
}
