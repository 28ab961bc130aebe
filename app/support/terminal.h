// app/support/terminal.h
// What is printed for people: colours where they are wanted, wrapped text, tables that appear row
// by row.
#ifndef CAIRN_APP_SUPPORT_TERMINAL_H
#define CAIRN_APP_SUPPORT_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum cn_ink { CN_INK_PLAIN, CN_INK_GOOD, CN_INK_BAD, CN_INK_DIM, CN_INK_BOLD } cn_ink;

// Escape sequences to begin and end a colour on this stream; empty when it is not a terminal, when
// NO_COLOR is set and not empty, or when TERM is dumb.
const char *cn_ink_begin(FILE *stream, cn_ink ink);
const char *cn_ink_end(FILE *stream, cn_ink ink);

int32_t cn_terminal_columns(FILE *stream); // 80 when not known
int32_t cn_text_columns(const char *text); // characters of a UTF-8 text

// text as paragraphs to the width of the terminal: first after label, later lines under it. Bytes
// that are not printable UTF-8 are shown as \xHH.
void cn_print_wrapped(FILE *out, const char *label, int32_t label_width, const char *text);
// One character as shown, into shown; returns the bytes of text it took.
#define CN_SHOWN 8
int32_t cn_show_character(const char *text, char shown[CN_SHOWN]);
// text as it is, unprintable bytes shown as \xHH.
void cn_print_safe(FILE *out, const char *text);
// The same with line breaks kept.
void cn_print_lines(FILE *out, const char *text);

// A printf of what names files or comes from them: as cn_print_lines.
void cn_say(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

// ---- tables ----

typedef struct cn_column {
    const char *title;
    int32_t width; // negative: aligned to the left
} cn_column;

#define CN_TABLE_COLUMNS 16

typedef struct cn_table {
    FILE *out;
    int32_t count, next;
    cn_column columns[CN_TABLE_COLUMNS];
    char row[1024]; // the row so far, printed as a whole without blanks at its end
    size_t used;
} cn_table;

// columns ends with a NULL title. Prints the titles.
void cn_table_start(cn_table *table, FILE *out, const cn_column *columns);
// The next cell of the current row; the row ends with its last cell.
void cn_table_text(cn_table *table, const char *text, cn_ink ink);
void cn_table_int(cn_table *table, int64_t value);
void cn_table_real(cn_table *table, int32_t digits, double value); // NaN as "-"

#endif
