// app/support/terminal.c
// Colours, wrapping and tables; see terminal.h.
#include "support/terminal.h"

#include "support/json.h"
#include "support/support.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DEFAULT_COLUMNS 80
#define WIDEST_TEXT 100 // longer lines are tiring to read

static bool is_coloured(FILE *stream) {
    const char *refused = getenv("NO_COLOR");
    const char *kind = getenv("TERM");
    return isatty(fileno(stream)) && !(refused && refused[0]) && kind && strcmp(kind, "dumb") != 0;
}

const char *ink_begin(FILE *stream, text_ink ink) {
    static const char *const codes[] = {"", "\033[32m", "\033[31m", "\033[2m", "\033[1m"};
    return is_coloured(stream) ? codes[ink] : "";
}

const char *ink_end(FILE *stream, text_ink ink) {
    return ink != INK_PLAIN && is_coloured(stream) ? "\033[0m" : "";
}

int32_t terminal_columns(FILE *stream) {
    struct winsize size;
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col >= 20) {
        return size.ws_col;
    }
    return DEFAULT_COLUMNS;
}

int32_t escape_character(const char *text, char shown[ESCAPED_SIZE]) {
    int32_t length = utf8_length(text);
    if (length > 0) {
        memcpy(shown, text, (size_t)length);
        shown[length] = '\0';
        return length;
    }
    snprintf(shown, ESCAPED_SIZE, "\\x%02X", (unsigned)(unsigned char)*text);
    return 1;
}

void print_safe(FILE *out, const char *text) {
    char shown[ESCAPED_SIZE];
    while (*text) {
        text += escape_character(text, shown);
        fputs(shown, out);
    }
}

void print_format(FILE *out, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = format_text_of(format, args);
    va_end(args);
    print_lines(out, text);
    free(text);
}

void print_lines(FILE *out, const char *text) {
    char shown[ESCAPED_SIZE];
    while (*text) {
        if (*text == '\n') {
            fputc(*text++, out);
        } else {
            text += escape_character(text, shown);
            fputs(shown, out);
        }
    }
}

// Columns of a word that ends at a blank.
static int32_t word_columns(const char *word) {
    int32_t columns = 0;
    char shown[ESCAPED_SIZE];
    while (*word && *word != ' ' && *word != '\n' && *word != '\t') {
        int32_t taken = escape_character(word, shown);
        columns += utf8_length(word) > 0 ? 1 : (int32_t)strlen(shown);
        word += taken;
    }
    return columns;
}

void print_wrapped(FILE *out, const char *label, int32_t label_width, const char *text) {
    fputs(label, out);
    print_wrapped_after(out, text_columns(label), label_width, text);
}

void print_wrapped_after(FILE *out, int32_t printed, int32_t label_width, const char *text) {
    int32_t width = terminal_columns(out);
    width = width < WIDEST_TEXT ? width : WIDEST_TEXT;
    int32_t at = label_width;
    bool line_start = true;
    fprintf(out, "%*s", printed < label_width ? (int)(label_width - printed) : 0, "");
    while (*text) {
        if (*text == '\n' && text[1]) {
            fprintf(out, "\n%*s", (int)label_width, "");
            at = label_width;
            line_start = true;
        }
        if (*text == ' ' || *text == '\n' || *text == '\t' || *text == '\r') {
            text++;
            continue;
        }
        int32_t columns = word_columns(text);
        if (!line_start && at + 1 + columns > width) {
            fprintf(out, "\n%*s", (int)label_width, "");
            at = label_width;
            line_start = true;
        }
        if (!line_start) {
            fputc(' ', out);
            at++;
        }
        char shown[ESCAPED_SIZE];
        while (*text && *text != ' ' && *text != '\n' && *text != '\t') {
            text += escape_character(text, shown);
            fputs(shown, out);
        }
        at += columns;
        line_start = false;
    }
    fputc('\n', out);
}

// ---- tables ----

int32_t text_columns(const char *text) {
    int32_t columns = 0;
    for (; *text; text++) {
        columns += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return columns;
}

// A cell padded by characters, not bytes.
static void text_table_cell(text_table *table, const char *text, text_ink ink) {
    int32_t width = abs(table->columns[table->next].width);
    bool left = table->columns[table->next].width < 0;
    int32_t columns = text_columns(text);
    int32_t padding = width > columns ? width - columns : 0;
    int added = snprintf(table->row + table->used, sizeof table->row - table->used,
                         "%s%*s%s%s%s%*s", table->next > 0 ? "  " : "", left ? 0 : (int)padding, "",
                         ink_begin(table->out, ink), text, ink_end(table->out, ink),
                         left ? (int)padding : 0, "");
    size_t room = sizeof table->row - 1 - table->used;
    table->used += added > 0 && (size_t)added < room ? (size_t)added : room;
    if (++table->next == table->count) {
        while (table->used > 0 && table->row[table->used - 1] == ' ') {
            table->used--;
        }
        fprintf(table->out, "%.*s\n", (int)table->used, table->row);
        fflush(table->out);
        table->used = 0;
        table->next = 0;
    }
}

void text_table_start(text_table *table, FILE *out, const text_column *columns) {
    *table = (text_table){.out = out};
    while (columns[table->count].title && table->count < TEXT_TABLE_COLUMNS) {
        table->columns[table->count] = columns[table->count];
        table->count++;
    }
    for (int32_t i = 0; i < table->count; i++) {
        text_table_cell(table, columns[i].title, INK_BOLD);
    }
}

void text_table_text(text_table *table, const char *text, text_ink ink) {
    char safe[256];
    size_t used = 0;
    while (*text && used + 8 < sizeof safe) {
        text += escape_character(text, safe + used);
        used += strlen(safe + used);
    }
    safe[used] = '\0';
    text_table_cell(table, safe, ink);
}

void text_table_int(text_table *table, int64_t value) {
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)value);
    text_table_cell(table, text, INK_PLAIN);
}

void text_table_real(text_table *table, int32_t digits, double value) {
    char text[64];
    snprintf(text, sizeof text, "%.*g", (int)digits, value);
    text_table_cell(table, isnan(value) ? "-" : text, INK_PLAIN);
}
