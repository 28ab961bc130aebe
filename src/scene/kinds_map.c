// scene/kinds_map.c
// The kinds of values that hold maps of keys, each by a table of its own.
#include "scene/kinds.h"

#include "base/arena.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

void scene_json_table(io_json *json, const scene_table_of *table) {
    char reference[96];
    snprintf(reference, sizeof reference, "#/definitions/%s", table->name);
    io_json_member(json, "$ref", reference);
}

static cn_status map_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                          void *out) {
    // "solver:" with nothing behind it gives no key of the map.
    if (node->kind == IO_YAML_NULL && field->table->size == 0) {
        return CN_OK;
    }
    return scene_table_read(reader, field->table, node, out);
}

static void map_json(io_json *json, const scene_field *field) {
    if (!field->table->brief) {
        scene_json_table(json, field->table);
        return;
    }
    io_json_key(json, "anyOf");
    io_json_open(json, '[');
    io_json_open(json, '{');
    field->table->field[0].kind->json(json, &field->table->field[0]);
    io_json_close(json, '}');
    io_json_open(json, '{');
    scene_json_table(json, field->table);
    io_json_close(json, '}');
    io_json_close(json, ']');
}

const scene_kind scene_kind_table = {.what = "a map of keys", .read = map_read, .json = map_json};

static cn_status boxed_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                            void *out) {
    void *box = base_arena_take(reader->memory, 1, field->table->size);
    if (!box) {
        return base_fail_memory(reader->error);
    }
    *(void **)out = box;
    return scene_table_read(reader, field->table, node, box);
}

const scene_kind scene_kind_boxed = {.what = "a map of keys", .read = boxed_read, .json = map_json};

// ---- several ----

static cn_status items_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                            io_yaml **child, int32_t count, scene_items *items) {
    size_t size = field->table->size;
    items->item = base_arena_take(reader->memory, count, size);
    items->node = node;
    items->count = count;
    if (!items->item) {
        return base_fail_memory(reader->error);
    }
    for (int32_t i = 0; i < count; i++) {
        CN_TRY(scene_table_read(reader, field->table, child[i],
                                (char *)items->item + (size_t)i * size));
    }
    return CN_OK;
}

static cn_status list_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                           void *out) {
    if (node->kind == IO_YAML_NULL) {
        return CN_OK;
    }
    if (node->kind != IO_YAML_LIST) {
        scene_fail_kind(reader, field, node);
        if (node->kind == IO_YAML_MAP) {
            base_fail_hint(reader->error, "put \"- \" before each of its entries");
        }
        return CN_ERR_INPUT;
    }
    return items_read(reader, field, node, node->item, node->count, out);
}

static void list_json(io_json *json, const scene_field *field) {
    io_json_member(json, "type", "array");
    io_json_key(json, "items");
    io_json_open(json, '{');
    scene_json_table(json, field->table);
    io_json_close(json, '}');
}

const scene_kind scene_kind_list = {.what = "a list of maps", .read = list_read, .json = list_json};

static cn_status one_or_list_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                                  void *out) {
    if (node->kind == IO_YAML_MAP) {
        return items_read(reader, field, node, &node, 1, out);
    }
    return node->kind == IO_YAML_LIST ? list_read(reader, field, node, out)
                                      : scene_fail_kind(reader, field, node);
}

static void one_or_list_json(io_json *json, const scene_field *field) {
    io_json_key(json, "anyOf");
    io_json_open(json, '[');
    io_json_open(json, '{');
    scene_json_table(json, field->table);
    io_json_close(json, '}');
    io_json_open(json, '{');
    list_json(json, field);
    io_json_close(json, '}');
    io_json_close(json, ']');
}

const scene_kind scene_kind_one_or_list = {
    .what = "a map or a list of maps", .read = one_or_list_read, .json = one_or_list_json};

static cn_status dictionary_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                                 void *out) {
    if (node->kind == IO_YAML_NULL) {
        return CN_OK;
    }
    if (node->kind != IO_YAML_MAP) {
        return scene_fail_kind(reader, field, node);
    }
    return items_read(reader, field, node, node->item, node->count, out);
}

static void dictionary_json(io_json *json, const scene_field *field) {
    io_json_member(json, "type", "object");
    io_json_key(json, "additionalProperties");
    io_json_open(json, '{');
    scene_json_table(json, field->table);
    io_json_close(json, '}');
}

const scene_kind scene_kind_dictionary = {
    .what = "a map of names to maps", .read = dictionary_read, .json = dictionary_json};
