// app/support/table_writer.h
// A table of results, kept as a whole: for people as text, for programs as CSV and JSON, from the
// same cells.
#ifndef CAIRN_APP_SUPPORT_TABLE_WRITER_H
#define CAIRN_APP_SUPPORT_TABLE_WRITER_H

#include "support/json.h"
#include "support/terminal.h"

typedef struct cn_heading {
    const char *title; // for people
    const char *key;   // for CSV and JSON
} cn_heading;

typedef struct cn_cell {
    char *text;
    double value; // NaN: only the text counts
    cn_ink ink;
} cn_cell;

typedef struct cn_sheet {
    const cn_heading *headings;
    int32_t columns;
    cn_cell *cells; // row by row
    int32_t count;
} cn_sheet;

// headings ends with a NULL title and outlives the sheet.
cn_sheet cn_sheet_start(const cn_heading *headings);
void cn_sheet_free(cn_sheet *sheet);

// The next cell; a row ends with its last one.
void cn_sheet_text(cn_sheet *sheet, const char *text, cn_ink ink);
void cn_sheet_int(cn_sheet *sheet, int64_t value);
void cn_sheet_real(cn_sheet *sheet, int32_t digits, double value); // NaN as "-"

void cn_sheet_print(const cn_sheet *sheet, FILE *out);
void cn_sheet_csv(const cn_sheet *sheet, FILE *out);
void cn_sheet_json(const cn_sheet *sheet, cn_json *json, const char *key); // an array of objects

// A text cell of a CSV file; quotes inside are doubled.
void cn_csv_text(FILE *out, const char *text);

#endif
