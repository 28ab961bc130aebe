// scene/kinds_map.c
// The kinds of values that hold maps of keys, each by a table of its own.
#include "scene/kinds.h"

#include "base/arena.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

void cn_json_table(cn_json *json, const cn_table *table) {
    char reference[96];
    snprintf(reference, sizeof reference, "#/definitions/%s", table->name);
    cn_json_member(json, "$ref", reference);
}

static cn_status cn_map_read(cn_reader *reader, const cn_field *field, cn_yaml *node, void *out) {
    // "solver:" with nothing behind it gives no key of the map.
    if (node->kind == CN_YAML_NULL && field->table->size == 0) {
        return CN_OK;
    }
    return cn_table_read(reader, field->table, node, out);
}

static void cn_map_json(cn_json *json, const cn_field *field) {
    if (!field->table->brief) {
        cn_json_table(json, field->table);
        return;
    }
    cn_json_key(json, "anyOf");
    cn_json_open(json, '[');
    cn_json_open(json, '{');
    field->table->field[0].kind->json(json, &field->table->field[0]);
    cn_json_close(json, '}');
    cn_json_open(json, '{');
    cn_json_table(json, field->table);
    cn_json_close(json, '}');
    cn_json_close(json, ']');
}

const cn_kind cn_kind_table = {.what = "a map of keys", .read = cn_map_read, .json = cn_map_json};

static cn_status cn_boxed_read(cn_reader *reader, const cn_field *field, cn_yaml *node, void *out) {
    void *box = cn_arena_take(reader->memory, 1, field->table->size);
    if (!box) {
        return cn_fail_memory(reader->error);
    }
    *(void **)out = box;
    return cn_table_read(reader, field->table, node, box);
}

const cn_kind cn_kind_boxed = {.what = "a map of keys", .read = cn_boxed_read, .json = cn_map_json};

// ---- several ----

static cn_status cn_items_read(cn_reader *reader, const cn_field *field, cn_yaml *node,
                               cn_yaml **child, int32_t count, cn_items *items) {
    size_t size = field->table->size;
    items->item = cn_arena_take(reader->memory, count, size);
    items->node = node;
    items->count = count;
    if (!items->item) {
        return cn_fail_memory(reader->error);
    }
    for (int32_t i = 0; i < count; i++) {
        cn_status status =
            cn_table_read(reader, field->table, child[i], (char *)items->item + (size_t)i * size);
        if (status != CN_OK) {
            return status;
        }
    }
    return CN_OK;
}

static cn_status cn_list_read(cn_reader *reader, const cn_field *field, cn_yaml *node, void *out) {
    if (node->kind == CN_YAML_NULL) {
        return CN_OK;
    }
    if (node->kind != CN_YAML_LIST) {
        cn_fail_kind(reader, field, node);
        if (node->kind == CN_YAML_MAP) {
            cn_fail_hint(reader->error, "put \"- \" before each of its entries");
        }
        return CN_ERR_INPUT;
    }
    return cn_items_read(reader, field, node, node->item, node->count, out);
}

static void cn_list_json(cn_json *json, const cn_field *field) {
    cn_json_member(json, "type", "array");
    cn_json_key(json, "items");
    cn_json_open(json, '{');
    cn_json_table(json, field->table);
    cn_json_close(json, '}');
}

const cn_kind cn_kind_list = {.what = "a list of maps", .read = cn_list_read, .json = cn_list_json};

static cn_status cn_one_or_list_read(cn_reader *reader, const cn_field *field, cn_yaml *node,
                                     void *out) {
    if (node->kind == CN_YAML_MAP) {
        return cn_items_read(reader, field, node, &node, 1, out);
    }
    return node->kind == CN_YAML_LIST ? cn_list_read(reader, field, node, out)
                                      : cn_fail_kind(reader, field, node);
}

static void cn_one_or_list_json(cn_json *json, const cn_field *field) {
    cn_json_key(json, "anyOf");
    cn_json_open(json, '[');
    cn_json_open(json, '{');
    cn_json_table(json, field->table);
    cn_json_close(json, '}');
    cn_json_open(json, '{');
    cn_list_json(json, field);
    cn_json_close(json, '}');
    cn_json_close(json, ']');
}

const cn_kind cn_kind_one_or_list = {
    .what = "a map or a list of maps", .read = cn_one_or_list_read, .json = cn_one_or_list_json};

static cn_status cn_dictionary_read(cn_reader *reader, const cn_field *field, cn_yaml *node,
                                    void *out) {
    if (node->kind == CN_YAML_NULL) {
        return CN_OK;
    }
    if (node->kind != CN_YAML_MAP) {
        return cn_fail_kind(reader, field, node);
    }
    return cn_items_read(reader, field, node, node->item, node->count, out);
}

static void cn_dictionary_json(cn_json *json, const cn_field *field) {
    cn_json_member(json, "type", "object");
    cn_json_key(json, "additionalProperties");
    cn_json_open(json, '{');
    cn_json_table(json, field->table);
    cn_json_close(json, '}');
}

const cn_kind cn_kind_dictionary = {
    .what = "a map of names to maps", .read = cn_dictionary_read, .json = cn_dictionary_json};
