// app/support/table_writer.h
// Tables of results, for people as text, for programs as JSON (and CSV), from the same cells: one
// that is kept as a whole, and one whose rows appear as they come.
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

// ---- row by row ----

typedef struct row_column {
    const char *key;   // in JSON, "group.key" inside an object; NULL: only for people
    const char *title; // for people; NULL: only in JSON
    int32_t width;     // for people; negative: aligned to the left
    int32_t digits;    // of a real, for people; 0: 3
    double unit;       // in which people see a real; 0: as it is
} row_column;

typedef struct row_table {
    const row_column *columns; // ends without key and title
    const char *kind;          // {"bench": kind, ...; NULL: without
    bool is_json;
    int32_t next;
    text_ink ink;      // of the next cell
    const char *group; // first key of the object that is open; NULL: none
    json_writer json;
    text_table text;
} row_table;

// Prints the titles where it is for people.
row_table row_table_start(FILE *out, bool json, const char *kind, const row_column *columns);

// The next cell; a row appears with its last one.
void row_text(row_table *table, const char *text); // NULL: null, "-"
void row_int(row_table *table, int64_t value);
void row_real(row_table *table, double value); // not finite: null, "-"
void row_bool(row_table *table, bool value, const char *yes, const char *no);
void row_reals(row_table *table, const double *values, int32_t count);     // an array; only JSON
void row_texts(row_table *table, const char *const *texts, int32_t count); // the same
void row_none(row_table *table); // does not apply: left out of JSON, "-"
void row_ink(row_table *table, text_ink ink);

// A text cell of a CSV file; quotes inside are doubled.
void csv_text(FILE *out, const char *text);

#endif
