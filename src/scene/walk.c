// scene/walk.c
// The tables as a list, and the words for what a row takes and is by default.
#include "scene/walk.h"

#include "base/arena.h"
#include "scene/kinds.h"

#include <string.h>

#define TABLES_MAX 128

static bool tables_add(const scene_table_of *table, const scene_table_of **tables, int32_t *count) {
    for (int32_t i = 0; i < *count; i++) {
        if (tables[i] == table) {
            return true;
        }
    }
    if (*count == TABLES_MAX) {
        return false;
    }
    tables[(*count)++] = table;
    for (int32_t i = 0; i < table->count; i++) {
        if (table->field[i].table && !tables_add(table->field[i].table, tables, count)) {
            return false;
        }
    }
    return true;
}

bool scene_schema_tables(const scene_table_of *root, cn_arena *memory,
                         const scene_table_of ***tables, int32_t *count) {
    *tables = BASE_TAKE(memory, const scene_table_of *, TABLES_MAX);
    *count = 0;
    return *tables && tables_add(root, *tables, count);
}

bool scene_field_default(const scene_field *field, int32_t dim, const void *defaults,
                         char text[SCENE_DEFAULT_MAX]) {
    return !(field->flags & SCENE_REQUIRED) && field->kind->print && defaults &&
           field->kind->print(field, dim, (const char *)defaults + field->offset, text);
}

// What a kind is called in a table: without its article, and short where it stands often.
static const char *kind_words(const scene_kind *kind) {
    if (kind == &scene_kind_vector) {
        return "vector";
    }
    if (kind == &scene_kind_table || kind == &scene_kind_boxed) {
        return "map";
    }
    return strncmp(kind->what, "a ", 2) == 0 ? kind->what + 2 : kind->what;
}

bool scene_field_words(const scene_field *field, base_buffer *out) {
    bool good = true;
    bool words = field->choice && !field->name_at;
    if (!words) {
        good = scene_print_text(out, kind_words(field->kind));
    }
    const char *between = field->kind == &scene_kind_choices ? "a list of " : "";
    for (const scene_choice *c = words ? field->choice : NULL; c && c->text && good; c++) {
        if (!c->later) {
            good = scene_print_text(out, between) && scene_print_text(out, c->text);
            between = ", ";
        }
    }
    if (field->flags & SCENE_ABOVE_ZERO) {
        good = good && scene_print_text(out, " > 0");
    }
    if (field->flags & SCENE_NOT_BELOW_ZERO) {
        good = good && scene_print_text(out, " >= 0");
    }
    if (field->flags & BASE_RANGE) {
        good = good && scene_print_text(out, " from ") && scene_print_number(out, field->min) &&
               scene_print_text(out, " to ") && scene_print_number(out, field->max);
    }
    return good;
}
