// app/support/report.c
// Error lines on standard error with the line of the file that they are about, and, for commands
// that print JSON, an object with the same on standard output; see support.h.
#include "support/file_kind.h"
#include "support/json.h"
#include "support/support.h"
#include "support/terminal.h"

#include <stdlib.h>
#include <string.h>

#define EXCERPT_WIDTH 76 // columns of a source line shown around the place of an error

static bool errors_are_json;

void report_errors_as_json(void) {
    errors_are_json = true;
}

// ---- for programs ----

static void put_error(const cn_error *error, int code) {
    json_writer json = put_start(stdout);
    put_open(&json, NULL, '{');
    put_open(&json, "error", '{');
    put_text(&json, "message", error->message);
    put_text(&json, "hint", error->hint[0] ? error->hint : NULL);
    put_text(&json, "file", error->file[0] ? error->file : NULL);
    if (error->line > 0) {
        put_int(&json, "line", error->line);
        put_int(&json, "column", error->column);
    }
    put_int(&json, "exit_code", code);
    put_close(&json, '}');
    put_close(&json, '}');
    put_end(&json);
}

static void put_message(const char *message, int code) {
    cn_error error = {.status = CN_OK};
    snprintf(error.message, sizeof error.message, "%s", message);
    put_error(&error, code);
}

// ---- the line of a file ----

// Characters of a line as they are shown, one column each: what is not printable UTF-8 as '?'.
typedef struct excerpt {
    char text[EXCERPT_WIDTH * 4 + 1];
    int32_t caret; // columns before it
    bool good;
} excerpt;

static excerpt excerpt_make(const char *line, int32_t column) {
    excerpt made = {.caret = column - 1};
    int32_t total = 0, hidden = 0, first = 0;
    for (const char *at = line; *at; total++) {
        int32_t length = utf8_length(at);
        hidden += length == 0 && *at != '\t';
        at += length > 0 ? length : 1;
    }
    // A window around the place: data files have lines of any length. A line that is mostly bytes
    // that cannot be shown is no text.
    first = made.caret > EXCERPT_WIDTH / 2 ? made.caret - EXCERPT_WIDTH / 2 : 0;
    made.good = total > 0 && made.caret <= total && 4 * hidden <= total;
    size_t used = 0;
    const char *at = line;
    for (int32_t i = 0; made.good && *at && i < first + EXCERPT_WIDTH; i++) {
        int32_t length = utf8_length(at);
        if (i >= first && length > 0) {
            memcpy(made.text + used, at, (size_t)length);
            used += (size_t)length;
        } else if (i >= first) {
            made.text[used++] = *at == '\t' ? ' ' : '?';
        }
        at += length > 0 ? length : 1;
    }
    made.caret -= first;
    return made;
}

// The line of a text file and a caret under the column. Prints nothing when the file is not text.
static void print_excerpt(const cn_error *error) {
    FILE *file = error->line > 0 && error->column > 0 ? fopen(error->file, "r") : NULL;
    if (!file) {
        return;
    }
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length = 0;
    // The scene inside of a run file is text, and its lines are not those of the file.
    int first = fgetc(file);
    ungetc(first, file);
    length = first == 'S' && file_kind(error->file) == FILE_RUN ? -1 : 0;
    for (int32_t i = 0; i < error->line && length >= 0; i++) {
        length = getline(&line, &capacity, file);
    }
    fclose(file);
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r')) {
        line[--length] = '\0';
    }
    if (length > 0 && strlen(line) == (size_t)length) {
        // Columns do not count the mark that some editors begin a file with.
        const char *text = strncmp(line, "\xEF\xBB\xBF", 3) == 0 ? line + 3 : line;
        excerpt shown = excerpt_make(text, error->column);
        if (shown.good) {
            fprintf(stderr, "  %s\n  %*s^\n", shown.text, (int)shown.caret, "");
        }
    }
    free(line);
}

// ---- for people ----

// One line: what it quotes of files and arguments can neither break it nor command the terminal.
static void print_problem(const char *who, const char *text) {
    fputs(who, stderr);
    print_safe(stderr, text);
    fputc('\n', stderr);
}

static int error_code(const cn_error *error) {
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

int report_error_text(const cn_error *error) {
    char text[1400];
    cn_error_format(error, text, sizeof text);
    print_problem(error->file[0] ? "" : "cairn: ", text);
    print_excerpt(error);
    return error_code(error);
}

int report_error(const cn_error *error) {
    int code = report_error_text(error);
    if (errors_are_json) {
        put_error(error, code);
    }
    return code;
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
    if (errors_are_json) {
        put_message(text, EXIT_USAGE);
    }
    free(text);
    exit(EXIT_USAGE);
}

int report_failure(const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = format_text_of(format, args);
    va_end(args);
    print_problem("cairn: ", text);
    if (errors_are_json) {
        put_message(text, EXIT_FAILED);
    }
    free(text);
    return EXIT_FAILED;
}
