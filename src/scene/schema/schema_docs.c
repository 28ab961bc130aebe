// scene/schema/schema_docs.c
// The reference part of docs/reference/scene.md, from the tables: a heading and a table of keys each.
#include "scene/schema/schema.h"

#include "base/arena.h"
#include "scene/kinds.h"
#include "scene/walk.h"

#include <string.h>

// Text inside a Markdown table: a bar would end the cell.
static bool docs_put(base_buffer *out, const char *text) {
    for (; *text; text++) {
        if ((*text == '|' || *text == '*') && !base_buffer_append(out, "\\", 1)) {
            return false;
        }
        if (!base_buffer_append(out, text, 1)) {
            return false;
        }
    }
    return true;
}

// A paragraph of lines of at most DOCS_WIDTH columns.
#define DOCS_WIDTH 118
static bool docs_paragraph(base_buffer *out, const char *text) {
    size_t start = out->size;
    if (!docs_put(out, text)) {
        return false;
    }
    char *line = (char *)out->data + start, *space = NULL;
    for (char *at = line; at < (char *)out->data + out->size; at++) {
        if (*at == ' ' && at - line <= DOCS_WIDTH) {
            space = at;
        }
        if (at - line > DOCS_WIDTH && space) {
            *space = '\n';
            line = space + 1;
            space = NULL;
        }
    }
    return true;
}

static bool docs_default(const scene_field *field, const void *defaults, base_buffer *out) {
    if (field->flags & SCENE_REQUIRED) {
        return scene_print_text(out, "required");
    }
    char text[SCENE_DEFAULT_MAX];
    int32_t dim = field->flags & SCENE_ONLY_2D ? 2 : 3;
    return !scene_field_default(field, dim, defaults, text) || scene_print_text(out, text);
}

// The anchor of a table's heading: blanks become hyphens.
static bool docs_anchor(const char *name, base_buffer *out) {
    bool good = true;
    for (; good && *name; name++) {
        const char letter[2] = {*name == ' ' ? '-' : *name, '\0'};
        good = scene_print_text(out, letter);
    }
    return good;
}

static bool docs_row(const scene_field *field, const void *defaults, base_buffer *out) {
    const char *where = field->flags & SCENE_ONLY_2D   ? " (2D)"
                        : field->flags & SCENE_ONLY_3D ? " (3D)"
                                                       : "";
    bool good = scene_print_text(out, "| `") && scene_print_text(out, field->key) &&
                scene_print_text(out, "`") && scene_print_text(out, where) &&
                scene_print_text(out, " | ") && scene_field_words(field, out);
    if (field->table) {
        good = good && scene_print_text(out, ": [") && scene_print_text(out, field->table->name) &&
               scene_print_text(out, "](#") && docs_anchor(field->table->name, out) &&
               scene_print_text(out, ")");
    }
    good = good && scene_print_text(out, " | ") && docs_default(field, defaults, out) &&
           scene_print_text(out, " | ") && docs_put(out, field->help);
    if (field->unit) {
        good = good && scene_print_text(out, " [") && scene_print_text(out, field->unit) &&
               scene_print_text(out, "]");
    }
    return good && scene_print_text(out, " |\n");
}

// Keys that an earlier table has shown: their names, and where they are.
static bool docs_shared(const scene_table_of *table, const scene_table_of *first,
                        base_buffer *out) {
    bool good = scene_print_text(out, "\nFurther keys as in [") &&
                scene_print_text(out, first->name) && scene_print_text(out, "](#") &&
                docs_anchor(first->name, out) && scene_print_text(out, "):");
    const char *before = " `";
    for (int32_t i = 0; i < table->count && good; i++) {
        if (table->field[i].flags & SCENE_SHARED) {
            good = scene_print_text(out, before) && scene_print_text(out, table->field[i].key) &&
                   scene_print_text(out, "`");
            before = ", `";
        }
    }
    return good && scene_print_text(out, ".\n");
}

// first: the table that has shown the shared keys, NULL: none has.
static bool docs_table(const scene_table_of *table, const void *defaults,
                       const scene_table_of **first, base_buffer *out) {
    bool good =
        scene_print_text(out, "### ") && scene_print_text(out, table->name) &&
        scene_print_text(out, "\n\n") && docs_paragraph(out, table->help) &&
        scene_print_text(out, "\n\n| key | value | default | meaning |\n|---|---|---|---|\n");
    bool shared = false;
    for (int32_t i = 0; i < table->count && good; i++) {
        bool shares = (table->field[i].flags & SCENE_SHARED) != 0;
        shared = shared || shares;
        good = (shares && *first) || docs_row(&table->field[i], defaults, out);
    }
    if (shared && *first) {
        good = good && docs_shared(table, *first, out);
    } else if (shared) {
        *first = table;
    }
    return good && scene_print_text(out, "\n");
}

// Parts of a struct show the defaults of the struct that they are parts of.
static const void *docs_owner(const scene_table_of *const *tables, int32_t count,
                              const scene_table_of *part, const void *const *defaults) {
    for (int32_t i = 0; i < count; i++) {
        for (int32_t j = 0; j < tables[i]->count; j++) {
            if (tables[i]->field[j].table == part && tables[i]->size > 0) {
                return defaults[i];
            }
        }
    }
    return NULL;
}

bool scene_schema_markdown(const scene_table_of *root, cn_arena *memory, base_buffer *out) {
    const scene_table_of **tables;
    int32_t count;
    if (!scene_schema_tables(root, memory, &tables, &count)) {
        return false;
    }
    const void **defaults = BASE_TAKE_ZERO(memory, const void *, count);
    for (int32_t i = 0; i < count && defaults; i++) {
        if (tables[i]->size > 0) {
            defaults[i] = scene_table_initial(memory, tables[i], 3);
        }
    }
    bool good = defaults != NULL;
    const scene_table_of *first = NULL;
    for (int32_t i = 0; i < count && good; i++) {
        const void *own =
            tables[i]->size > 0 ? defaults[i] : docs_owner(tables, count, tables[i], defaults);
        good = docs_table(tables[i], own, &first, out);
    }
    return good;
}
