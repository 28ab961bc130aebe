// app/support/table_writer.c
// Cells in a growing array; see table_writer.h.
#include "support/table_writer.h"

#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

cn_sheet cn_sheet_start(const cn_heading *headings) {
    cn_sheet sheet = {.headings = headings};
    while (headings[sheet.columns].title) {
        sheet.columns++;
    }
    return sheet;
}

void cn_sheet_free(cn_sheet *sheet) {
    for (int32_t i = 0; i < sheet->count; i++) {
        free(sheet->cells[i].text);
    }
    free(sheet->cells);
}

static void cn_sheet_add(cn_sheet *sheet, char *text, double value, cn_ink ink) {
    sheet->cells = cn_reallocate(sheet->cells, sheet->count + 1, sizeof *sheet->cells);
    sheet->cells[sheet->count++] = (cn_cell){text, value, ink};
}

void cn_sheet_text(cn_sheet *sheet, const char *text, cn_ink ink) {
    cn_sheet_add(sheet, cn_text("%s", text), (double)NAN, ink);
}

void cn_sheet_int(cn_sheet *sheet, int64_t value) {
    cn_sheet_add(sheet, cn_text("%lld", (long long)value), (double)value, CN_INK_PLAIN);
}

void cn_sheet_real(cn_sheet *sheet, int32_t digits, double value) {
    char *text = isnan(value) ? cn_text("-") : cn_text("%.*g", (int)digits, value);
    cn_sheet_add(sheet, text, value, CN_INK_PLAIN);
}

// Columns as wide as what is in them; those with words are aligned to the left.
static cn_column cn_sheet_column(const cn_sheet *sheet, int32_t column) {
    int32_t width = cn_text_columns(sheet->headings[column].title);
    bool words = false;
    for (int32_t i = column; i < sheet->count; i += sheet->columns) {
        int32_t columns = cn_text_columns(sheet->cells[i].text);
        width = columns > width ? columns : width;
        words = words || (isnan(sheet->cells[i].value) && columns > 1);
    }
    return (cn_column){sheet->headings[column].title, words ? -width : width};
}

void cn_sheet_print(const cn_sheet *sheet, FILE *out) {
    cn_column columns[CN_TABLE_COLUMNS + 1] = {{NULL, 0}};
    for (int32_t i = 0; i < sheet->columns && i < CN_TABLE_COLUMNS; i++) {
        columns[i] = cn_sheet_column(sheet, i);
    }
    cn_table table;
    cn_table_start(&table, out, columns);
    for (int32_t i = 0; i < sheet->count; i++) {
        cn_table_text(&table, sheet->cells[i].text, sheet->cells[i].ink);
    }
}

void cn_csv_text(FILE *out, const char *text) {
    char shown[CN_SHOWN];
    fputc('"', out);
    // Spreadsheets compute what begins so; an apostrophe makes it text.
    if (strchr("=+-@", *text) && *text && text[1]) {
        fputc('\'', out);
    }
    while (*text) {
        text += cn_show_character(text, shown);
        fputs(shown[0] == '"' ? "\"\"" : shown, out);
    }
    fputc('"', out);
}

void cn_sheet_csv(const cn_sheet *sheet, FILE *out) {
    for (int32_t i = 0; i < sheet->columns; i++) {
        fprintf(out, "%s%s", i ? "," : "", sheet->headings[i].key);
    }
    for (int32_t i = 0; i < sheet->count; i++) {
        const cn_cell *cell = &sheet->cells[i];
        char number[32];
        fputc(i % sheet->columns ? ',' : '\n', out);
        if (isnan(cell->value)) {
            cn_csv_text(out, cell->text);
        } else {
            fputs(cn_real_text(cell->value, number), out);
        }
    }
    fputc('\n', out);
}

void cn_sheet_json(const cn_sheet *sheet, cn_json *json, const char *key) {
    cn_put_open(json, key, '[');
    for (int32_t i = 0; i < sheet->count; i++) {
        const cn_cell *cell = &sheet->cells[i];
        const char *name = sheet->headings[i % sheet->columns].key;
        if (i % sheet->columns == 0) {
            cn_put_open(json, NULL, '{');
        }
        if (isnan(cell->value)) {
            cn_put_text(json, name, cell->text);
        } else {
            cn_put_real(json, name, cell->value);
        }
        if ((i + 1) % sheet->columns == 0) {
            cn_put_close(json, '}');
        }
    }
    cn_put_close(json, ']');
}
