// app/support/table_writer.h
// A table of results, kept as a whole: for people as text, for programs as CSV and JSON, from the
// same cells.
#ifndef CAIRN_APP_SUPPORT_TABLE_WRITER_H
#define CAIRN_APP_SUPPORT_TABLE_WRITER_H

#include "support/json.h"
#include "support/terminal.h"

typedef struct heading {
    const char *title; // for people
    const char *key;   // for CSV and JSON
} heading;

typedef struct table_cell {
    char *text;
    double value; // NaN: only the text counts
    text_ink ink;
} table_cell;

typedef struct data_table {
    const heading *headings;
    int32_t columns;
    table_cell *cells; // row by row
    int32_t count;
} data_table;

// headings ends with a NULL title and outlives the table.
data_table data_table_start(const heading *headings);
void data_table_free(data_table *table);

// The next cell; a row ends with its last one.
void data_table_text(data_table *table, const char *text, text_ink ink);
void data_table_int(data_table *table, int64_t value);
void data_table_real(data_table *table, int32_t digits, double value); // NaN as "-"

void data_table_print(const data_table *table, FILE *out);
void data_table_csv(const data_table *table, FILE *out);
void data_table_json(const data_table *table, json_writer *json,
                     const char *key); // an array of objects

// A text cell of a CSV file; quotes inside are doubled.
void csv_text(FILE *out, const char *text);

#endif
