// scene/schema/schema_json.c
// JSON Schema (draft-07) from the tables: a definition a table, a property a row.
#include "scene/schema/schema.h"

#include "base/arena.h"
#include "scene/kinds.h"
#include "scene/walk.h"

#include <stdio.h>
#include <string.h>

static void json_describe(io_json *json, const scene_field *field) {
    char text[512];
    const char *where = field->flags & SCENE_ONLY_2D   ? " (2D)"
                        : field->flags & SCENE_ONLY_3D ? " (3D)"
                                                       : "";
    snprintf(text, sizeof text, "%s%s%s%s%s", field->help, field->unit ? " [" : "",
             field->unit ? field->unit : "", field->unit ? "]" : "", where);
    io_json_member(json, "description", text);
}

// A reference may have no sisters in draft-07, so the words go beside it in an allOf.
static void json_property(io_json *json, const scene_field *field) {
    io_json_key(json, field->key);
    io_json_open(json, '{');
    json_describe(json, field);
    bool reference = (field->kind == &scene_kind_table || field->kind == &scene_kind_boxed) &&
                     !field->table->brief;
    if (reference) {
        io_json_key(json, "allOf");
        io_json_open(json, '[');
        io_json_open(json, '{');
    }
    field->kind->json(json, field);
    if (reference) {
        io_json_close(json, '}');
        io_json_close(json, ']');
    }
    io_json_close(json, '}');
}

// The keys that must be there whatever the dimension.
static void json_required(io_json *json, const scene_table_of *table) {
    int32_t count = 0;
    for (int32_t i = 0; i < table->count; i++) {
        const scene_field *field = &table->field[i];
        if ((field->flags & SCENE_REQUIRED) && !(field->flags & (SCENE_ONLY_2D | SCENE_ONLY_3D))) {
            if (count++ == 0) {
                io_json_key(json, "required");
                io_json_open(json, '[');
            }
            io_json_text(json, field->key);
        }
    }
    if (count > 0) {
        io_json_close(json, ']');
    }
}

// Exactly one of the variants.
static void json_variants(io_json *json, const scene_table_of *table) {
    bool open = false;
    for (int32_t i = 0; i < table->count; i++) {
        if (!(table->field[i].flags & SCENE_VARIANT)) {
            continue;
        }
        if (!open) {
            io_json_key(json, "oneOf");
            io_json_open(json, '[');
            open = true;
        }
        io_json_open(json, '{');
        io_json_key(json, "required");
        io_json_open(json, '[');
        io_json_text(json, table->field[i].key);
        io_json_close(json, ']');
        io_json_close(json, '}');
    }
    if (open) {
        io_json_close(json, ']');
    }
}

static void json_object(io_json *json, const scene_table_of *table) {
    io_json_member(json, "description", table->help);
    io_json_member(json, "type", "object");
    io_json_key(json, "properties");
    io_json_open(json, '{');
    for (int32_t i = 0; i < table->count; i++) {
        json_property(json, &table->field[i]);
    }
    io_json_close(json, '}');
    json_required(json, table);
    json_variants(json, table);
    io_json_key(json, "additionalProperties");
    io_json_bool(json, false);
}

bool scene_schema_json(const scene_table_of *root, cn_arena *memory, base_buffer *out) {
    const scene_table_of **tables;
    int32_t count;
    if (!scene_schema_tables(root, memory, &tables, &count)) {
        return false;
    }
    io_json json;
    io_json_start(&json, out);
    io_json_open(&json, '{');
    io_json_member(&json, "$schema", "http://json-schema.org/draft-07/schema#");
    io_json_member(&json, "title", "Cairn scene");
    json_object(&json, root);
    io_json_key(&json, "definitions");
    io_json_open(&json, '{');
    for (int32_t i = 1; i < count; i++) {
        io_json_key(&json, tables[i]->name);
        io_json_open(&json, '{');
        json_object(&json, tables[i]);
        io_json_close(&json, '}');
    }
    io_json_close(&json, '}');
    io_json_close(&json, '}');
    return json.good && base_buffer_append(out, "\n", 1);
}
