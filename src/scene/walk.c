// scene/walk.c
// The tables as a list, and the words for what a row takes and is by default.
#include "scene/walk.h"

#include "base/arena.h"
#include "scene/kinds.h"

#include <string.h>

#define CN_TABLES_MAX 128

static bool cn_tables_add(const cn_table *table, const cn_table **tables, int32_t *count) {
    for (int32_t i = 0; i < *count; i++) {
        if (tables[i] == table) {
            return true;
        }
    }
    if (*count == CN_TABLES_MAX) {
        return false;
    }
    tables[(*count)++] = table;
    for (int32_t i = 0; i < table->count; i++) {
        if (table->field[i].table && !cn_tables_add(table->field[i].table, tables, count)) {
            return false;
        }
    }
    return true;
}

bool cn_schema_tables(const cn_table *root, cn_arena *memory, const cn_table ***tables,
                      int32_t *count) {
    *tables = CN_TAKE(memory, const cn_table *, CN_TABLES_MAX);
    *count = 0;
    return *tables && cn_tables_add(root, *tables, count);
}

bool cn_field_default(const cn_field *field, int32_t dim, const void *defaults,
                      char text[CN_DEFAULT_MAX]) {
    return !(field->flags & CN_REQUIRED) && field->kind->print && defaults &&
           field->kind->print(field, dim, (const char *)defaults + field->offset, text);
}

bool cn_field_words(const cn_field *field, cn_buffer *out) {
    bool good = true;
    bool words = field->choice && !field->name_at;
    if (!words) {
        good = cn_print_text(out, field->kind->what);
    }
    const char *between = field->kind == &cn_kind_choices ? "a list of " : "";
    for (const cn_choice *c = words ? field->choice : NULL; c && c->text && good; c++) {
        if (!c->later) {
            good = cn_print_text(out, between) && cn_print_text(out, c->text);
            between = ", ";
        }
    }
    if (field->flags & CN_ABOVE_ZERO) {
        good = good && cn_print_text(out, " > 0");
    }
    if (field->flags & CN_NOT_BELOW_ZERO) {
        good = good && cn_print_text(out, " >= 0");
    }
    if (field->flags & CN_RANGE) {
        good = good && cn_print_text(out, " from ") && cn_print_number(out, field->min) &&
               cn_print_text(out, " to ") && cn_print_number(out, field->max);
    }
    return good;
}
