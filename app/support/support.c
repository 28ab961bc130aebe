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

int compare_reals(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
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

cn_env env_with_threads(int32_t threads) {
    cn_env env = cn_env_default();
    env.threads = threads > 0 ? cn_threads_create(threads) : NULL;
    env.cancel = interrupt_poll;
    return env;
}
