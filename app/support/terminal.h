// app/support/terminal.h
// What is printed for people: colours where they are wanted, wrapped text, tables that appear row
// by row.
#ifndef CAIRN_APP_SUPPORT_TERMINAL_H
#define CAIRN_APP_SUPPORT_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum text_ink { INK_PLAIN, INK_GOOD, INK_BAD, INK_DIM, INK_BOLD } text_ink;

// Escape sequences to begin and end a colour on this stream; empty when it is not a terminal, when
// NO_COLOR is set and not empty, or when TERM is dumb.
const char *ink_begin(FILE *stream, text_ink ink);
const char *ink_end(FILE *stream, text_ink ink);

int32_t terminal_columns(FILE *stream); // 80 when not known
int32_t text_columns(const char *text); // characters of a UTF-8 text

// text as paragraphs to the width of the terminal: first after label, later lines under it. Bytes
// that are not printable UTF-8 are shown as \xHH.
void print_wrapped(FILE *out, const char *label, int32_t label_width, const char *text);
// The same where so many columns of the line are printed already; the text begins at another one.
void print_wrapped_after(FILE *out, int32_t printed, int32_t column, const char *text);
// One character as shown, into shown; returns the bytes of text it took.
#define ESCAPED_SIZE 8
int32_t escape_character(const char *text, char shown[ESCAPED_SIZE]);
// text as it is, unprintable bytes shown as \xHH.
void print_safe(FILE *out, const char *text);
// The same with line breaks kept.
void print_lines(FILE *out, const char *text);

// A printf of what names files or comes from them: as print_lines.
void print_format(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

// ---- tables ----

typedef struct text_column {
    const char *title;
    int32_t width; // negative: aligned to the left
} text_column;

#define TEXT_TABLE_COLUMNS 16

typedef struct text_table {
    FILE *out;
    int32_t count, next;
    text_column columns[TEXT_TABLE_COLUMNS];
    char row[1024]; // the row so far, printed as a whole without blanks at its end
    size_t used;
} text_table;

// columns ends with a NULL title. Prints the titles.
void text_table_start(text_table *table, FILE *out, const text_column *columns);
// The next cell of the current row; the row ends with its last cell.
void text_table_text(text_table *table, const char *text, text_ink ink);
void text_table_int(text_table *table, int64_t value);
void text_table_real(text_table *table, int32_t digits, double value); // NaN as "-"

#endif
