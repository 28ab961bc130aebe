// app/support/table_writer.c
// Cells in a growing array, and rows that are written cell by cell; see table_writer.h.
#include "support/table_writer.h"

#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

data_table data_table_start(const heading *headings) {
    data_table data = {.headings = headings};
    while (headings[data.columns].title) {
        data.columns++;
    }
    return data;
}

void data_table_free(data_table *data) {
    for (int32_t i = 0; i < data->count; i++) {
        free(data->cells[i].text);
    }
    free(data->cells);
}

static void data_table_add(data_table *data, char *text, double value, text_ink ink) {
    data->cells = reallocate(data->cells, data->count + 1, sizeof *data->cells);
    data->cells[data->count++] = (table_cell){text, value, ink};
}

void data_table_text(data_table *data, const char *text, text_ink ink) {
    data_table_add(data, format_text("%s", text), (double)NAN, ink);
}

void data_table_int(data_table *data, int64_t value) {
    data_table_add(data, format_text("%lld", (long long)value), (double)value, INK_PLAIN);
}

void data_table_real(data_table *data, int32_t digits, double value) {
    char *text = isnan(value) ? format_text("-") : format_text("%.*g", (int)digits, value);
    data_table_add(data, text, value, INK_PLAIN);
}

// Columns as wide as what is in them; those with words are aligned to the left.
static text_column data_table_column(const data_table *data, int32_t column) {
    int32_t width = text_columns(data->headings[column].title);
    bool words = false;
    for (int32_t i = column; i < data->count; i += data->columns) {
        int32_t columns = text_columns(data->cells[i].text);
        width = columns > width ? columns : width;
        words = words || (isnan(data->cells[i].value) && columns > 1);
    }
    return (text_column){data->headings[column].title, words ? -width : width};
}

void data_table_print(const data_table *data, FILE *out) {
    text_column columns[TEXT_TABLE_COLUMNS + 1] = {{NULL, 0}};
    for (int32_t i = 0; i < data->columns && i < TEXT_TABLE_COLUMNS; i++) {
        columns[i] = data_table_column(data, i);
    }
    text_table table;
    text_table_start(&table, out, columns);
    for (int32_t i = 0; i < data->count; i++) {
        text_table_text(&table, data->cells[i].text, data->cells[i].ink);
    }
}

void csv_text(FILE *out, const char *text) {
    char shown[ESCAPED_SIZE];
    fputc('"', out);
    // Spreadsheets compute what begins so; an apostrophe makes it text.
    if (strchr("=+-@", *text) && *text && text[1]) {
        fputc('\'', out);
    }
    while (*text) {
        text += escape_character(text, shown);
        fputs(shown[0] == '"' ? "\"\"" : shown, out);
    }
    fputc('"', out);
}

void data_table_csv(const data_table *data, FILE *out) {
    for (int32_t i = 0; i < data->columns; i++) {
        fprintf(out, "%s%s", i ? "," : "", data->headings[i].key);
    }
    for (int32_t i = 0; i < data->count; i++) {
        const table_cell *cell = &data->cells[i];
        char number[32];
        fputc(i % data->columns ? ',' : '\n', out);
        if (isnan(cell->value)) {
            csv_text(out, cell->text);
        } else {
            fputs(real_text(cell->value, number), out);
        }
    }
    fputc('\n', out);
}

void data_table_json(const data_table *data, json_writer *json, const char *key) {
    put_open(json, key, '[');
    for (int32_t i = 0; i < data->count; i++) {
        const table_cell *cell = &data->cells[i];
        const char *name = data->headings[i % data->columns].key;
        if (i % data->columns == 0) {
            put_open(json, NULL, '{');
        }
        if (isnan(cell->value)) {
            put_text(json, name, cell->text);
        } else {
            put_real(json, name, cell->value);
        }
        if ((i + 1) % data->columns == 0) {
            put_close(json, '}');
        }
    }
    put_close(json, ']');
}

// ---- row by row ----

static bool is_column(const row_column *column) {
    return column->key || column->title;
}

row_table row_table_start(FILE *out, bool json, const char *kind, const row_column *columns) {
    row_table table = {.columns = columns, .kind = kind, .is_json = json, .json = {.out = out}};
    text_column shown[TEXT_TABLE_COLUMNS + 1] = {{NULL, 0}};
    int32_t count = 0;
    for (int32_t i = 0; is_column(&columns[i]) && count < TEXT_TABLE_COLUMNS; i++) {
        if (columns[i].title) {
            shown[count++] = (text_column){columns[i].title, columns[i].width};
        }
    }
    if (!json) {
        text_table_start(&table.text, out, shown);
    }
    return table;
}

static void row_open(row_table *table) {
    if (table->next == 0) {
        table->json = put_start(table->json.out);
        put_open(&table->json, NULL, '{');
        if (table->kind) {
            put_text(&table->json, "bench", table->kind);
        }
    }
}

static void row_close_group(row_table *table) {
    if (table->group) {
        put_close(&table->json, '}');
        table->group = NULL;
    }
}

// The key of the next cell in its object, which is opened here, as the row is; NULL: the cell is
// not part of JSON, or nothing is.
static const char *row_key(row_table *table) {
    const char *key = table->columns[table->next].key;
    if (!table->is_json) {
        return NULL;
    }
    row_open(table);
    if (!key) {
        return NULL;
    }
    const char *dot = strchr(key, '.');
    size_t group = dot ? (size_t)(dot - key) + 1 : 0;
    if (table->group && (!dot || strncmp(table->group, key, group) != 0)) {
        row_close_group(table);
    }
    if (dot && !table->group) {
        char *name = format_text("%.*s", (int)group - 1, key);
        put_open(&table->json, name, '{');
        table->group = key;
        free(name);
    }
    return key + group;
}

// The text of a cell for people, where it has one, and the end of its row.
static void row_end_cell(row_table *table, const char *text) {
    if (!table->is_json && table->columns[table->next].title) {
        text_table_text(&table->text, text, table->ink);
    }
    table->ink = INK_PLAIN;
    table->next++;
    if (is_column(&table->columns[table->next])) {
        return;
    }
    table->next = 0;
    if (table->is_json) {
        row_close_group(table);
        put_close(&table->json, '}');
        put_end(&table->json);
        fflush(table->json.out);
    }
}

void row_text(row_table *table, const char *text) {
    const char *key = row_key(table);
    if (key) {
        put_text(&table->json, key, text);
    }
    row_end_cell(table, text ? text : "-");
}

void row_int(row_table *table, int64_t value) {
    char text[32];
    const char *key = row_key(table);
    if (key) {
        put_int(&table->json, key, value);
    }
    snprintf(text, sizeof text, "%lld", (long long)value);
    row_end_cell(table, text);
}

void row_real(row_table *table, double value) {
    char text[64];
    const row_column *column = &table->columns[table->next];
    const char *key = row_key(table);
    if (key) {
        put_real(&table->json, key, value);
    }
    snprintf(text, sizeof text, "%.*g", column->digits > 0 ? (int)column->digits : 3,
             column->unit > 0.0 ? value / column->unit : value);
    row_end_cell(table, isfinite(value) ? text : "-");
}

void row_bool(row_table *table, bool value, const char *yes, const char *no) {
    const char *key = row_key(table);
    if (key) {
        put_bool(&table->json, key, value);
    }
    row_end_cell(table, value ? yes : no);
}

void row_reals(row_table *table, const double *values, int32_t count) {
    const char *key = row_key(table);
    if (key) {
        put_open(&table->json, key, '[');
        for (int32_t i = 0; i < count; i++) {
            put_real(&table->json, NULL, values[i]);
        }
        put_close(&table->json, ']');
    }
    row_end_cell(table, "-");
}

void row_texts(row_table *table, const char *const *texts, int32_t count) {
    const char *key = row_key(table);
    if (key) {
        put_open(&table->json, key, '[');
        for (int32_t i = 0; i < count; i++) {
            put_text(&table->json, NULL, texts[i]);
        }
        put_close(&table->json, ']');
    }
    row_end_cell(table, "-");
}

void row_none(row_table *table) {
    if (table->is_json) {
        row_open(table);
    } else {
        row_ink(table, INK_DIM);
    }
    row_end_cell(table, "-");
}

void row_ink(row_table *table, text_ink ink) {
    table->ink = ink;
}
