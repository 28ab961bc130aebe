// app/support/support.c
// Exit codes, memory, time and names for the subcommands; see support.h.
#include "support/support.h"
#include "support/progress.h"

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

FILE *text_stream_open(char **text, size_t *size) {
    FILE *stream = open_memstream(text, size);
    if (!stream) {
        exit(report_failure("out of memory"));
    }
    return stream;
}

void text_stream_close(FILE *stream, char *const *text) {
    bool whole = !ferror(stream);
    whole = fclose(stream) == 0 && whole;
    if (!whole || !*text) {
        exit(report_failure("out of memory"));
    }
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
