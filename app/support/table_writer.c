// app/support/table_writer.c
// Cells in a growing array; see table_writer.h.
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
