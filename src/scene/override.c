// scene/override.c
// --set path=value: a value put into the tree before it is read, so that it is checked like any
// other. Its "file" in errors is the option itself, and columns count from the path's first letter.
//
// A path is keys with dots between them. In a list a number is an index, from 0 (the number of
// items appends one); a word is the item with that name, or else the first one that has that key,
// so that generate.packing.count needs no number. Keys that are missing are made.
#include "scene/scene.h"

#include "base/arena.h"
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NAMES_MAX 64   // names of a list offered to "did you mean"
#define INDEX_DIGITS 9 // of an index

typedef struct override_walk {
    scene_reader *reader;
    const char *label; // "--set path=value"
    const char *path;
    const char *segment; // of the path, where the walk is
    char *word;          // the segment on its own
} override_walk;

static int32_t walk_column(const override_walk *walk) {
    return (int32_t)(walk->segment - walk->path) + 1;
}

static cn_status walk_fail(const override_walk *walk, const char *format, ...) CN_PRINTF(2, 3);

static cn_status walk_fail(const override_walk *walk, const char *format, ...) {
    char message[256];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    base_fail(walk->reader->error, CN_ERR_ARGUMENT, "%s", message);
    base_fail_at(walk->reader->error, walk->label, 1, walk_column(walk));
    return CN_ERR_ARGUMENT;
}

static io_yaml *walk_node(const override_walk *walk, io_yaml_kind kind) {
    io_yaml at = {.file = walk->label, .line = 1, .column = walk_column(walk)};
    return kind == IO_YAML_TEXT ? io_yaml_new_text(walk->reader->memory, walk->word, &at)
                                : io_yaml_new(walk->reader->memory, kind, &at);
}

// Cuts the next segment off; false at the end of the path.
static bool walk_next(override_walk *walk) {
    const char *start = walk->word ? walk->segment + strlen(walk->word) : walk->path;
    if (walk->word && *start == '\0') {
        return false;
    }
    start += walk->word != NULL; // the dot
    walk->segment = start;
    walk->word = base_arena_text(walk->reader->memory, start, strcspn(start, "."));
    return true;
}

static cn_status walk_unknown(const override_walk *walk, const io_yaml *list) {
    const char *names[NAMES_MAX];
    int32_t count = 0;
    for (int32_t i = 0; i < list->count && count < NAMES_MAX; i++) {
        const io_yaml *name = io_yaml_get(list->item[i], "name");
        if (name) {
            names[count++] = name->text;
        }
    }
    walk_fail(walk, "the list has no \"%.60s\"", walk->word);
    scene_hint_names(walk->reader, "entries", walk->word, names, count);
    return CN_ERR_ARGUMENT;
}

// The place of the segment in a list: where its item's pointer is. *again when the item is entered
// without using the segment up.
static cn_status walk_list(const override_walk *walk, io_yaml *list, io_yaml ***place,
                           bool *again) {
    size_t digits = strspn(walk->word, "0123456789");
    *again = false;
    if (digits > 0 && walk->word[digits] == '\0' && digits <= INDEX_DIGITS) {
        int32_t index = 0;
        for (const char *c = walk->word; *c; c++) {
            index = 10 * index + (*c - '0');
        }
        if (index == list->count &&
            !io_yaml_append(walk->reader->memory, list, walk_node(walk, IO_YAML_NULL))) {
            return base_fail_memory(walk->reader->error);
        }
        *place = index < list->count ? &list->item[index] : NULL;
        return *place ? CN_OK : walk_fail(walk, "the list has no item %s", walk->word);
    }
    for (int32_t i = 0; i < list->count; i++) {
        const io_yaml *name = io_yaml_get(list->item[i], "name");
        if (name && strcmp(name->text, walk->word) == 0) {
            *place = &list->item[i];
            return CN_OK;
        }
    }
    for (int32_t i = 0; i < list->count; i++) {
        if (io_yaml_get(list->item[i], walk->word)) {
            *place = &list->item[i];
            *again = true;
            return CN_OK;
        }
    }
    return walk_unknown(walk, list);
}

static cn_status walk_map(const override_walk *walk, io_yaml *map, io_yaml ***place) {
    io_yaml *old = io_yaml_get(map, walk->word);
    if (!old && !io_yaml_put(walk->reader->memory, map, walk_node(walk, IO_YAML_TEXT),
                             walk_node(walk, IO_YAML_NULL))) {
        return base_fail_memory(walk->reader->error);
    }
    for (int32_t i = 0; i < map->count; i++) {
        if (strcmp(map->key[i]->text, walk->word) == 0) {
            *place = &map->item[i];
        }
    }
    return CN_OK;
}

// The pointer in the tree that the whole path leads to.
static cn_status walk_to(override_walk *walk, io_yaml **root, io_yaml ***out) {
    io_yaml **place = root;
    while (walk_next(walk)) {
        if (!walk->word) {
            return base_fail_memory(walk->reader->error);
        }
        if (walk->word[0] == '\0') {
            return walk_fail(walk, "the path has an empty key");
        }
        bool again = true;
        while (again) {
            again = false;
            if ((*place)->kind == IO_YAML_NULL) {
                *place = walk_node(walk, IO_YAML_MAP);
            }
            if (!*place) {
                return base_fail_memory(walk->reader->error);
            } else if ((*place)->kind == IO_YAML_MAP) {
                CN_TRY(walk_map(walk, *place, &place));
            } else if ((*place)->kind == IO_YAML_LIST) {
                CN_TRY(walk_list(walk, *place, &place, &again));
            } else {
                CN_TRY(
                    walk_fail(walk, "what comes before \"%.60s\" is a single value", walk->word));
            }
        }
    }
    *out = place;
    return CN_OK;
}

// The value's columns count from the start of "path=value".
static void shift_columns(io_yaml *node, int32_t by) {
    node->column += node->line == 1 ? by : 0;
    for (int32_t i = 0; i < node->count; i++) {
        if (node->key) {
            node->key[i]->column += node->key[i]->line == 1 ? by : 0;
        }
        shift_columns(node->item[i], by);
    }
}

static cn_status override_one(scene_reader *reader, io_yaml *tree, const cn_override *override) {
    size_t path = strlen(override->path);
    size_t value = strlen(override->value);
    size_t room = strlen(SCENE_OVERRIDE_PREFIX) + path + value + 2;
    char *label = BASE_TAKE(reader->memory, char, room);
    if (!label) {
        return base_fail_memory(reader->error);
    }
    snprintf(label, room, "%s%s=%s", SCENE_OVERRIDE_PREFIX, override->path, override->value);
    io_yaml *node;
    int32_t shift = path < INT16_MAX ? (int32_t)path + 1 : 0;
    cn_status status =
        io_yaml_read(reader->memory, label, override->value, value, &node, reader->error);
    if (status != CN_OK) {
        if (reader->error && reader->error->line == 1) {
            reader->error->column += shift;
        }
        return status;
    }
    shift_columns(node, shift);
    override_walk walk = {
        .reader = reader, .label = label, .path = override->path, .segment = override->path};
    io_yaml **place = NULL;
    status = walk_to(&walk, &tree, &place);
    if (status == CN_OK && strcmp(override->path, "include") == 0) {
        return walk_fail(&walk, "include cannot be set: the files have been read");
    }
    if (status == CN_OK) {
        *place = node;
    }
    return status;
}

cn_status scene_override(scene_reader *reader, io_yaml *tree, const cn_override *overrides,
                         int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        if (!overrides[i].path || !overrides[i].value) {
            return base_fail(reader->error, CN_ERR_ARGUMENT, "an override needs path and value");
        }
        CN_TRY(override_one(reader, tree, &overrides[i]));
    }
    return CN_OK;
}
