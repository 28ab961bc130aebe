// base/error.c
// Status names, error text and the "did you mean" search.
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *cn_status_text(cn_status status) {
    static const char *const text[] = {
#define STATUS_TEXT(name, words) words,
        CN_STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
    };
    return (unsigned)status < CN_STATUS_COUNT ? text[status] : "unknown status";
}

// Names come from files: bytes that would break the line, or the terminal, are shown as '?'.
static void make_printable(char *text) {
    for (; *text; text++) {
        if ((unsigned char)*text < ' ' || *text == 0x7f) {
            *text = '?';
        }
    }
}

cn_status base_fail(cn_error *error, cn_status status, const char *format, ...) {
    if (error) {
        error->status = status;
        error->file[0] = '\0';
        error->line = error->column = 0;
        error->hint[0] = '\0';
        va_list args;
        va_start(args, format);
        vsnprintf(error->message, sizeof error->message, format, args);
        va_end(args);
        make_printable(error->message);
    }
    return status;
}

void base_fail_hint(cn_error *error, const char *format, ...) {
    if (error) {
        va_list args;
        va_start(args, format);
        vsnprintf(error->hint, sizeof error->hint, format, args);
        va_end(args);
        make_printable(error->hint);
    }
}

void base_fail_at(cn_error *error, const char *file, int32_t line, int32_t column) {
    if (error) {
        snprintf(error->file, sizeof error->file, "%s", file ? file : "");
        error->line = line;
        error->column = column;
    }
}

cn_status base_fail_memory(cn_error *error) {
    return base_fail(error, CN_ERR_MEMORY, "out of memory");
}

cn_status base_fail_cancelled(cn_error *error) {
    return base_fail(error, CN_ERR_CANCELLED, "cancelled");
}

const char *cn_error_format(const cn_error *error, char *text, size_t size) {
    if (size == 0) {
        return text;
    }
    char place[600] = "";
    if (error->file[0] && error->line > 0 && error->column > 0) {
        snprintf(place, sizeof place, "%s:%d:%d: ", error->file, error->line, error->column);
    } else if (error->file[0] && error->line > 0) {
        snprintf(place, sizeof place, "%s:%d: ", error->file, error->line);
    } else if (error->file[0]) {
        snprintf(place, sizeof place, "%s: ", error->file);
    }
    snprintf(text, size, "%s%s%s%s", place, error->message, error->hint[0] ? "; " : "",
             error->hint);
    return text;
}

#define NAME_MAX 32     // longer words are not compared
#define BEGINNING_MIN 3 // letters of a word that may begin a name

// Edit distance with insertions, deletions and replacements, in one row of the usual table.
static int32_t edit_distance(const char *a, const char *b) {
    int32_t row[NAME_MAX + 1];
    int32_t length = (int32_t)strlen(b);
    for (int32_t j = 0; j <= length; j++) {
        row[j] = j;
    }
    for (int32_t i = 1; a[i - 1]; i++) {
        int32_t corner = row[0];
        row[0] = i;
        for (int32_t j = 1; j <= length; j++) {
            int32_t above = row[j];
            int32_t best = corner + (a[i - 1] != b[j - 1]);
            best = above + 1 < best ? above + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            row[j] = best;
            corner = above;
        }
    }
    return row[length];
}

const char *cn_nearest_name(const char *word, const char *const *names, int32_t count) {
    const char *best = NULL;
    size_t length = strlen(word);
    if (length > NAME_MAX) {
        return NULL;
    }
    int32_t best_distance =
        ((int32_t)length + 1) / 3 + 1; // more than a third of the word wrong is another word
    for (int32_t i = 0; i < count; i++) {
        if (strlen(names[i]) > NAME_MAX) {
            continue;
        }
        int32_t distance = edit_distance(word, names[i]);
        if (distance < best_distance) {
            best = names[i];
            best_distance = distance;
        }
    }
    // The beginning of a name stands for it, as "moreau" for "moreau-jean".
    for (int32_t i = 0; i < count && !best && length >= BEGINNING_MIN; i++) {
        best = strncmp(word, names[i], length) == 0 ? names[i] : NULL;
    }
    return best;
}

cn_status base_fail_missing(cn_error *error) {
    return base_fail(error, CN_ERR_ARGUMENT, "an argument that must be given is NULL");
}
