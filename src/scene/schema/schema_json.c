// scene/schema/schema_json.c
// JSON Schema (draft-07) from the tables: a definition a table, a property a row.
#include "scene/schema/schema.h"

#include "base/arena.h"
#include "scene/kinds.h"
#include "scene/walk.h"

#include <stdio.h>
#include <string.h>

static void cn_json_describe(cn_json *json, const cn_field *field) {
    char text[512];
    const char *where = field->flags & CN_ONLY_2D   ? " (2D)"
                        : field->flags & CN_ONLY_3D ? " (3D)"
                                                    : "";
    snprintf(text, sizeof text, "%s%s%s%s%s", field->help, field->unit ? " [" : "",
             field->unit ? field->unit : "", field->unit ? "]" : "", where);
    cn_json_member(json, "description", text);
}

// A reference may have no sisters in draft-07, so the words go beside it in an allOf.
static void cn_json_property(cn_json *json, const cn_field *field) {
    cn_json_key(json, field->key);
    cn_json_open(json, '{');
    cn_json_describe(json, field);
    bool reference =
        (field->kind == &cn_kind_table || field->kind == &cn_kind_boxed) && !field->table->brief;
    if (reference) {
        cn_json_key(json, "allOf");
        cn_json_open(json, '[');
        cn_json_open(json, '{');
    }
    field->kind->json(json, field);
    if (reference) {
        cn_json_close(json, '}');
        cn_json_close(json, ']');
    }
    cn_json_close(json, '}');
}

// The keys that must be there whatever the dimension.
static void cn_json_required(cn_json *json, const cn_table *table) {
    int32_t count = 0;
    for (int32_t i = 0; i < table->count; i++) {
        const cn_field *field = &table->field[i];
        if ((field->flags & CN_REQUIRED) && !(field->flags & (CN_ONLY_2D | CN_ONLY_3D))) {
            if (count++ == 0) {
                cn_json_key(json, "required");
                cn_json_open(json, '[');
            }
            cn_json_text(json, field->key);
        }
    }
    if (count > 0) {
        cn_json_close(json, ']');
    }
}

// Exactly one of the variants.
static void cn_json_variants(cn_json *json, const cn_table *table) {
    bool open = false;
    for (int32_t i = 0; i < table->count; i++) {
        if (!(table->field[i].flags & CN_VARIANT)) {
            continue;
        }
        if (!open) {
            cn_json_key(json, "oneOf");
            cn_json_open(json, '[');
            open = true;
        }
        cn_json_open(json, '{');
        cn_json_key(json, "required");
        cn_json_open(json, '[');
        cn_json_text(json, table->field[i].key);
        cn_json_close(json, ']');
        cn_json_close(json, '}');
    }
    if (open) {
        cn_json_close(json, ']');
    }
}

static void cn_json_object(cn_json *json, const cn_table *table) {
    cn_json_member(json, "description", table->help);
    cn_json_member(json, "type", "object");
    cn_json_key(json, "properties");
    cn_json_open(json, '{');
    for (int32_t i = 0; i < table->count; i++) {
        cn_json_property(json, &table->field[i]);
    }
    cn_json_close(json, '}');
    cn_json_required(json, table);
    cn_json_variants(json, table);
    cn_json_key(json, "additionalProperties");
    cn_json_bool(json, false);
}

bool cn_schema_json(const cn_table *root, cn_arena *memory, cn_buffer *out) {
    const cn_table **tables;
    int32_t count;
    if (!cn_schema_tables(root, memory, &tables, &count)) {
        return false;
    }
    cn_json json;
    cn_json_start(&json, out);
    cn_json_open(&json, '{');
    cn_json_member(&json, "$schema", "http://json-schema.org/draft-07/schema#");
    cn_json_member(&json, "title", "Cairn scene");
    cn_json_object(&json, root);
    cn_json_key(&json, "definitions");
    cn_json_open(&json, '{');
    for (int32_t i = 1; i < count; i++) {
        cn_json_key(&json, tables[i]->name);
        cn_json_open(&json, '{');
        cn_json_object(&json, tables[i]);
        cn_json_close(&json, '}');
    }
    cn_json_close(&json, '}');
    cn_json_close(&json, '}');
    return json.good && cn_buffer_append(out, "\n", 1);
}
