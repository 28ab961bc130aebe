// scene/schema/schema_docs.c
// The reference part of docs/scene.md, from the tables: a heading and a table of keys each.
#include "scene/schema/schema.h"

#include "base/arena.h"
#include "scene/kinds.h"
#include "scene/walk.h"

#include <string.h>

// Text inside a Markdown table: a bar would end the cell.
static bool cn_docs_put(cn_buffer *out, const char *text) {
    for (; *text; text++) {
        if ((*text == '|' || *text == '*') && !cn_buffer_append(out, "\\", 1)) {
            return false;
        }
        if (!cn_buffer_append(out, text, 1)) {
            return false;
        }
    }
    return true;
}

static bool cn_docs_default(const cn_field *field, const void *defaults, cn_buffer *out) {
    if (field->flags & CN_REQUIRED) {
        return cn_print_text(out, "required");
    }
    char text[CN_DEFAULT_MAX];
    int32_t dim = field->flags & CN_ONLY_2D ? 2 : 3;
    return !cn_field_default(field, dim, defaults, text) || cn_print_text(out, text);
}

static bool cn_docs_row(const cn_field *field, const void *defaults, cn_buffer *out) {
    const char *where = field->flags & CN_ONLY_2D   ? " (2D)"
                        : field->flags & CN_ONLY_3D ? " (3D)"
                                                    : "";
    bool good = cn_print_text(out, "| `") && cn_print_text(out, field->key) &&
                cn_print_text(out, "`") && cn_print_text(out, where) && cn_print_text(out, " | ") &&
                cn_field_words(field, out);
    if (field->table) {
        good = good && cn_print_text(out, ": [") && cn_print_text(out, field->table->name) &&
               cn_print_text(out, "](#") && cn_print_text(out, field->table->name) &&
               cn_print_text(out, ")");
    }
    good = good && cn_print_text(out, " | ") && cn_docs_default(field, defaults, out) &&
           cn_print_text(out, " | ") && cn_docs_put(out, field->help);
    if (field->unit) {
        good = good && cn_print_text(out, " [") && cn_print_text(out, field->unit) &&
               cn_print_text(out, "]");
    }
    return good && cn_print_text(out, " |\n");
}

static bool cn_docs_table(const cn_table *table, const void *defaults, cn_buffer *out) {
    bool good = cn_print_text(out, "### ") && cn_print_text(out, table->name) &&
                cn_print_text(out, "\n\n") && cn_docs_put(out, table->help) &&
                cn_print_text(out, "\n\n| key | value | default | meaning |\n|---|---|---|---|\n");
    for (int32_t i = 0; i < table->count && good; i++) {
        good = cn_docs_row(&table->field[i], defaults, out);
    }
    return good && cn_print_text(out, "\n");
}

// Parts of a struct show the defaults of the struct that they are parts of.
static const void *cn_docs_owner(const cn_table *const *tables, int32_t count, const cn_table *part,
                                 const void *const *defaults) {
    for (int32_t i = 0; i < count; i++) {
        for (int32_t j = 0; j < tables[i]->count; j++) {
            if (tables[i]->field[j].table == part && tables[i]->size > 0) {
                return defaults[i];
            }
        }
    }
    return NULL;
}

bool cn_schema_markdown(const cn_table *root, cn_arena *memory, cn_buffer *out) {
    const cn_table **tables;
    int32_t count;
    if (!cn_schema_tables(root, memory, &tables, &count)) {
        return false;
    }
    const void **defaults = CN_TAKE_ZERO(memory, const void *, count);
    for (int32_t i = 0; i < count && defaults; i++) {
        if (tables[i]->size > 0) {
            defaults[i] = cn_table_initial(memory, tables[i], 3);
        }
    }
    bool good = defaults != NULL;
    for (int32_t i = 0; i < count && good; i++) {
        const void *own =
            tables[i]->size > 0 ? defaults[i] : cn_docs_owner(tables, count, tables[i], defaults);
        good = cn_docs_table(tables[i], own, out);
    }
    return good;
}
