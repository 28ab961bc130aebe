// app/support/support.c
// Errors, arguments, memory and names for the subcommands; see support.h.
#include "support/support.h"
#include "support/json.h"
#include "support/progress.h"
#include "support/terminal.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int exit_join(int a, int b) {
    // An interruption ends everything; then what hides results (failure, bad input), then their
    // quality.
    static const int gravest_first[] = {EXIT_INTERRUPTED, EXIT_FAILED, EXIT_INPUT, EXIT_TOLERANCE};
    for (size_t i = 0; i < sizeof gravest_first / sizeof gravest_first[0]; i++) {
        if (a == gravest_first[i] || b == gravest_first[i]) {
            return gravest_first[i];
        }
    }
    return EXIT_DONE;
}

// ---- errors ----

#define EXCERPT_WIDTH 76 // columns of a source line shown around the place of an error

// The line of a text file and a caret under the column. Prints nothing when the file is not text.
static void print_excerpt(const cn_error *error) {
    FILE *file = error->line > 0 && error->column > 0 ? fopen(error->file, "r") : NULL;
    if (!file) {
        return;
    }
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length = 0;
    for (int32_t i = 0; i < error->line && length >= 0; i++) {
        length = getline(&line, &capacity, file);
    }
    fclose(file);
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r')) {
        length--;
    }
    ssize_t at = error->column - 1;
    bool printable = length > 0 && at <= length;
    for (ssize_t i = 0; printable && i < length; i++) {
        printable = line[i] == '\t' || (line[i] >= ' ' && line[i] <= '~');
    }
    if (printable) {
        // A window around the place: data files have lines of any length.
        ssize_t first = at > EXCERPT_WIDTH / 2 ? at - EXCERPT_WIDTH / 2 : 0;
        ssize_t shown = length - first < EXCERPT_WIDTH ? length - first : EXCERPT_WIDTH;
        for (ssize_t i = 0; i < shown; i++) {
            if (line[first + i] == '\t') {
                line[first + i] = ' ';
            }
        }
        fprintf(stderr, "  %.*s\n  %*s^\n", (int)shown, line + first, (int)(at - first), "");
    }
    free(line);
}

// One line: what it quotes of files and arguments can neither break it nor command the terminal.
static void print_problem(const char *who, const char *text) {
    fputs(who, stderr);
    print_safe(stderr, text);
    fputc('\n', stderr);
}

int report_error(const cn_error *error) {
    char text[1400];
    cn_error_format(error, text, sizeof text);
    print_problem(error->file[0] ? "" : "cairn: ", text);
    print_excerpt(error);
    switch (error->status) {
    case CN_ERR_CANCELLED:
        return EXIT_INTERRUPTED;
    case CN_ERR_MEMORY:
    case CN_ERR_NUMERIC:
        return EXIT_FAILED;
    case CN_ERR_ARGUMENT: // with a place it points into an option, as --set
        return error->file[0] ? EXIT_USAGE : EXIT_FAILED;
    default:
        return EXIT_INPUT;
    }
}

int report_error_in(const cn_error *error, const char *path) {
    cn_error located = *error;
    if (!located.file[0]) {
        snprintf(located.file, sizeof located.file, "%s", path);
    }
    return report_error(&located);
}

cn_status error_memory(cn_error *error) {
    *error = (cn_error){.status = CN_ERR_MEMORY, .message = "out of memory"};
    return CN_ERR_MEMORY;
}

void usage_error(const char *command, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = format_text_of(format, args);
    va_end(args);
    fprintf(stderr, "cairn %s: ", command);
    print_problem("", text);
    free(text);
    exit(EXIT_USAGE);
}

int report_failure(const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = format_text_of(format, args);
    va_end(args);
    print_problem("cairn: ", text);
    free(text);
    return EXIT_FAILED;
}

// ---- arguments ----

#define OPTION_MAX 32 // long options of one subcommand, with help and usage

// The long names of an argp table, for "did you mean".
static int32_t option_names(const struct argp *argp, const char *names[OPTION_MAX]) {
    int32_t count = 0;
    for (const struct argp_option *o = argp->options; o && (o->name || o->doc || o->key); o++) {
        if (o->name && count < OPTION_MAX - 2) {
            names[count++] = o->name;
        }
    }
    names[count++] = "help";
    names[count++] = "usage";
    return count;
}

// getopt also takes an unambiguous beginning of an option's name.
static bool begins_an_option(const char *word, size_t length, const char *const *names,
                             int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        if (strncmp(word, names[i], length) == 0) {
            return true;
        }
    }
    return false;
}

void parse_arguments(const struct argp *argp, int argc, char **argv, void *user) {
    const char *names[OPTION_MAX];
    int32_t count = option_names(argp, names);
    const char *command = argv[0] + strlen("cairn ");
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "-h") == 0) {
            argv[i] = "--help";
        }
        if (argv[i][0] == '-' && argv[i][1] && argv[i][1] != '-' && utf8_length(argv[i] + 1) != 1) {
            usage_error(command, "no option %s; see cairn %s --help", argv[i], command);
        }
        const char *word = argv[i] + 2;
        size_t length = strcspn(argv[i], "=") - (strcspn(argv[i], "=") >= 2 ? 2 : 0);
        if (strncmp(argv[i], "--", 2) != 0 || begins_an_option(word, length, names, count)) {
            continue;
        }
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)length, word);
        const char *near = cn_nearest_name(name, names, count);
        if (near) {
            usage_error(command, "no option --%s; did you mean --%s?", name, near);
        }
        usage_error(command, "no option --%s; see cairn %s --help", name, command);
    }
    argp_err_exit_status = EXIT_USAGE;
    if (argp_parse(argp, argc, argv, 0, NULL, user) == ENOMEM) {
        exit(report_failure("out of memory"));
    }
}

double parse_real(const char *command, const char *option, const char *text, double min,
                  double max) {
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end) {
        usage_error(command, "%s wants a number, not '%s'", option, text);
    }
    if (!(value >= min && value <= max)) {
        usage_error(command, "%s must be in [%g, %g], not %s", option, min, max, text);
    }
    return value;
}

int32_t parse_threads(const char *command, const char *text) {
    return (int32_t)parse_int(command, "--threads", text, 1, CN_THREADS_MAX);
}

int32_t threads_wanted(const char *command) {
    const char *text = getenv("CAIRN_THREADS");
    return text && text[0] ? (int32_t)parse_int(command, "CAIRN_THREADS", text, 1, CN_THREADS_MAX)
                           : 0;
}

cn_env env_with_threads(int32_t threads) {
    cn_env env = cn_env_default();
    env.threads = threads > 0 ? cn_threads_create(threads) : NULL;
    env.cancel = interrupt_poll;
    return env;
}

int64_t parse_int(const char *command, const char *option, const char *text, int64_t min,
                  int64_t max) {
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end) {
        usage_error(command, "%s wants a whole number, not '%s'", option, text);
    }
    if (errno || value < min || value > max) {
        usage_error(command, "%s must be in [%lld, %lld], not %s", option, (long long)min,
                    (long long)max, text);
    }
    return value;
}

cn_measure parse_measure(const char *command, const char *text) {
    const char *names[3];
    for (int32_t i = 0; i < 3; i++) {
        names[i] = cn_measure_text((cn_measure)i);
        if (strcmp(text, names[i]) == 0) {
            return (cn_measure)i;
        }
    }
    usage_error(command, "no measure '%s'; use scaled, q or max", text);
}

void word_list_add(word_list *list, const char *word) {
    list->words = reallocate(list->words, list->count + 1, sizeof *list->words);
    list->words[list->count++] = word;
}

// ---- memory, time, names ----

void *reallocate(void *pointer, int64_t count, size_t size) {
    size_t bytes;
    void *memory = NULL;
    if (count >= 0 && !__builtin_mul_overflow((size_t)count, size, &bytes)) {
        memory = realloc(pointer, bytes ? bytes : 1);
    }
    if (!memory) {
        exit(report_failure("out of memory"));
    }
    return memory;
}

void *allocate(int64_t count, size_t size) {
    void *memory = reallocate(NULL, count, size);
    return memset(memory, 0, (size_t)count * size);
}

double *copy_reals(const double *from, int64_t count) {
    double *copy = ALLOCATE(double, count);
    if (from && count > 0) {
        memcpy(copy, from, (size_t)count * sizeof *copy);
    }
    return copy;
}

static double read_clock(clockid_t which) {
    struct timespec now;
    clock_gettime(which, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double wall_clock(void) {
    return read_clock(CLOCK_MONOTONIC);
}

double cpu_clock(void) {
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

double thread_clock(void) {
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

char *path_stem(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return format_text("%.*s", dot && dot > name ? (int)(dot - name) : (int)strlen(name), name);
}

char *format_text_of(const char *format, va_list args) {
    char *text;
    if (vasprintf(&text, format, args) < 0) {
        fputs("cairn: out of memory\n", stderr);
        exit(EXIT_FAILED);
    }
    return text;
}

char *format_text(const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = format_text_of(format, args);
    va_end(args);
    return text;
}
