// io/yaml/yaml.c
// Looking into a tree of nodes and making new ones.
#include "io/yaml/yaml.h"

#include "base/arena.h"
#include "io/number.h"

#include <string.h>

static int32_t yaml_index(const io_yaml *map, const char *key) {
    if (map && map->kind == IO_YAML_MAP) {
        for (int32_t i = 0; i < map->count; i++) {
            if (strcmp(map->key[i]->text, key) == 0) {
                return i;
            }
        }
    }
    return -1;
}

io_yaml *io_yaml_get(const io_yaml *map, const char *key) {
    int32_t i = yaml_index(map, key);
    return i < 0 ? NULL : map->item[i];
}

const io_yaml *io_yaml_key(const io_yaml *map, const char *key) {
    int32_t i = yaml_index(map, key);
    return i < 0 ? NULL : map->key[i];
}

io_yaml *io_yaml_new(cn_arena *memory, io_yaml_kind kind, const io_yaml *at) {
    io_yaml *node = BASE_TAKE_ZERO(memory, io_yaml, 1);
    if (node) {
        node->kind = kind;
        node->text = "";
        node->file = at ? at->file : NULL;
        node->line = at ? at->line : 0;
        node->column = at ? at->column : 0;
    }
    return node;
}

io_yaml *io_yaml_new_text(cn_arena *memory, const char *text, const io_yaml *at) {
    io_yaml *node = io_yaml_new(memory, IO_YAML_TEXT, at);
    return node && (node->text = base_arena_text(memory, text, strlen(text))) ? node : NULL;
}

io_yaml *io_yaml_new_number(cn_arena *memory, double number, const io_yaml *at) {
    char text[IO_NUMBER_TEXT_MAX];
    io_yaml *node = io_yaml_new_text(memory, io_number_text(number, text), at);
    if (node) {
        node->kind = IO_YAML_NUMBER;
        node->number = number;
    }
    return node;
}

io_yaml *io_yaml_new_bool(cn_arena *memory, bool truth, const io_yaml *at) {
    io_yaml *node = io_yaml_new(memory, IO_YAML_BOOL, at);
    if (node) {
        node->text = truth ? "true" : "false";
        node->truth = truth;
    }
    return node;
}

// The arrays grow by doubling. A capacity of 0 with children says that the arrays may be shared
// with another node and must be left alone.
static bool yaml_grow(cn_arena *memory, io_yaml *node) {
    if (node->count < node->capacity) {
        return true;
    }
    int64_t capacity = node->count < 4 ? 8 : 2 * (int64_t)node->count;
    bool map = node->kind == IO_YAML_MAP;
    io_yaml **item = BASE_TAKE(memory, io_yaml *, capacity);
    io_yaml **key = map ? BASE_TAKE(memory, io_yaml *, capacity) : NULL;
    if (capacity > INT32_MAX || !item || (map && !key)) {
        return false;
    }
    for (int32_t i = 0; i < node->count; i++) {
        item[i] = node->item[i];
        if (map) {
            key[i] = node->key[i];
        }
    }
    node->item = item;
    node->key = key;
    node->capacity = (int32_t)capacity;
    return true;
}

bool io_yaml_append(cn_arena *memory, io_yaml *list, io_yaml *item) {
    if (!item || !yaml_grow(memory, list)) {
        return false;
    }
    list->item[list->count++] = item;
    return true;
}

bool io_yaml_put(cn_arena *memory, io_yaml *map, io_yaml *key, io_yaml *value) {
    if (!key || !value) {
        return false;
    }
    int32_t i = yaml_index(map, key->text);
    if (i >= 0) {
        map->item[i] = value;
        return true;
    }
    if (!yaml_grow(memory, map)) {
        return false;
    }
    map->key[map->count] = key;
    map->item[map->count++] = value;
    return true;
}

bool io_yaml_replace(cn_arena *memory, io_yaml *map, const char *old, io_yaml *key,
                     io_yaml *value) {
    int32_t i = yaml_index(map, old);
    io_yaml **own = BASE_TAKE(memory, io_yaml *, map->capacity > 0 ? map->capacity : map->count);
    if (i < 0 || !own || !key || !value) {
        return false;
    }
    // The keys may be shared with copies of this map, so it gets its own before one changes.
    memcpy(own, map->key, (size_t)map->count * sizeof *own);
    map->key = own;
    map->key[i] = key;
    map->item[i] = value;
    return true;
}
