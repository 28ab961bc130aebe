// scene/schema/schema.c
// Reading a map by its table: unknown keys, missing keys, variants, defaults; and the errors that
// point at a node.
#include "scene/schema/schema.h"

#include "base/arena.h"
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_MAX 40   // bytes of a wrong value that an error shows
#define NAMES_MAX 64   // keys of a table offered to "did you mean"
#define LISTED_MAX 200 // bytes of a list of keys in an error

// ---- failing at a node ----

cn_status scene_fail_node(scene_reader *reader, const io_yaml *node, cn_status status,
                          const char *format, ...) {
    char message[sizeof((cn_error *)0)->message];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    base_fail(reader->error, status, "%s", message);
    if (node) {
        base_fail_at(reader->error, node->file, node->line, node->column);
    }
    return status;
}

void scene_hint_nearest(scene_reader *reader, const char *word, const char *const *names,
                        int32_t count) {
    const char *near = cn_nearest_name(word, names, count);
    if (near) {
        base_fail_hint(reader->error, "did you mean \"%s\"?", near);
    }
}

// The value as an error shows it: short, printable.
static const char *scene_shown(const io_yaml *node, char shown[SHOWN_MAX + 8]) {
    if (node->kind == IO_YAML_NULL) {
        return "nothing";
    }
    if (node->kind == IO_YAML_LIST || node->kind == IO_YAML_MAP) {
        return node->kind == IO_YAML_LIST ? "a list" : "a map";
    }
    bool text = node->kind == IO_YAML_TEXT;
    size_t length = strlen(node->text);
    bool cut = length > SHOWN_MAX;
    snprintf(shown, SHOWN_MAX + 8, "%s%.*s%s%s", text ? "\"" : "", SHOWN_MAX, node->text,
             cut ? "..." : "", text ? "\"" : "");
    for (char *c = shown; *c; c++) {
        if ((unsigned char)*c < ' ') {
            *c = '?';
        }
    }
    return shown;
}

cn_status scene_fail_kind(scene_reader *reader, const scene_field *field, const io_yaml *node) {
    char shown[SHOWN_MAX + 8];
    scene_fail_node(reader, node, CN_ERR_INPUT, "%s must be %s, not %s", field->key,
                    field->kind->what, scene_shown(node, shown));
    if (node->kind == IO_YAML_NUMBER && strcmp(node->text, ".nan") == 0) {
        base_fail_hint(reader->error, "not-a-number is never accepted");
    } else if (node->quoted && strspn(node->text, "0123456789+-.eE") == strlen(node->text)) {
        base_fail_hint(reader->error, "what stands in quotes is text; take the quotes away");
    } else if (node->kind == IO_YAML_NULL) {
        base_fail_hint(reader->error, "write a value after the colon, or take the key away");
    }
    return CN_ERR_INPUT;
}

// ---- tables ----

bool scene_field_in(const scene_field *field, int32_t dim) {
    return !(field->flags & (dim == 2 ? SCENE_ONLY_3D : SCENE_ONLY_2D));
}

const scene_field *scene_table_field(const scene_table_of *table, const char *key) {
    for (int32_t i = 0; i < table->count; i++) {
        if (strcmp(table->field[i].key, key) == 0) {
            return &table->field[i];
        }
    }
    return NULL;
}

void *scene_table_initial(cn_arena *memory, const scene_table_of *table, int32_t dim) {
    void *out = base_arena_take_zero(memory, 1, table->size);
    if (out && table->initial) {
        table->initial(out, dim);
    }
    return out;
}

static cn_status fail_unknown(scene_reader *reader, const scene_table_of *table,
                              const io_yaml *key) {
    scene_fail_node(reader, key, CN_ERR_INPUT, "%s has no key \"%.*s\"", table->name, SHOWN_MAX,
                    key->text);
    const char *names[NAMES_MAX];
    int32_t count = 0;
    for (int32_t i = 0; i < table->count && count < NAMES_MAX; i++) {
        if (scene_field_in(&table->field[i], reader->dim)) {
            names[count++] = table->field[i].key;
        }
    }
    const char *near = cn_nearest_name(key->text, names, count);
    if (near) {
        base_fail_hint(reader->error, "did you mean \"%s\"?", near);
        return CN_ERR_INPUT;
    }
    char list[LISTED_MAX] = "";
    size_t used = 0;
    for (int32_t i = 0; i < count && used < sizeof list - 1; i++) {
        int more = snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
        used += more > 0 ? (size_t)more : 0;
    }
    base_fail_hint(reader->error, "it has %s%s", list, used >= sizeof list - 1 ? " ..." : "");
    return CN_ERR_INPUT;
}

cn_status scene_field_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                           void *out) {
    return field->kind->read(reader, field, node, (char *)out + field->offset);
}

static cn_status table_read_keys(scene_reader *reader, const scene_table_of *table, io_yaml *node,
                                 void *out) {
    for (int32_t i = 0; i < node->count; i++) {
        const scene_field *field = scene_table_field(table, node->key[i]->text);
        if (!field) {
            return fail_unknown(reader, table, node->key[i]);
        }
        if (!scene_field_in(field, reader->dim)) {
            return scene_fail_node(reader, node->key[i], CN_ERR_INPUT,
                                   "\"%s\" is for %dD, and this scene has %d dimensions",
                                   field->key, reader->dim == 2 ? 3 : 2, reader->dim);
        }
        cn_status status = scene_field_read(reader, field, node->item[i], out);
        if (status != CN_OK) {
            return status;
        }
    }
    return CN_OK;
}

// Of the variants, exactly one: which?
static cn_status table_variant(scene_reader *reader, const scene_table_of *table,
                               const io_yaml *node, void *out) {
    const char *given = NULL;
    bool any = false;
    for (int32_t i = 0; i < table->count; i++) {
        const scene_field *field = &table->field[i];
        if (!(field->flags & SCENE_VARIANT)) {
            continue;
        }
        any = true;
        const io_yaml *key = io_yaml_key(node, field->key);
        if (key && given) {
            return scene_fail_node(reader, key, CN_ERR_INPUT, "%s cannot be both \"%s\" and \"%s\"",
                                   table->name, given, field->key);
        }
        if (key) {
            given = field->key;
            memcpy((char *)out + table->variant, &i, sizeof i);
        }
    }
    if (any && !given) {
        scene_fail_node(reader, node, CN_ERR_INPUT, "%s does not say what it is", table->name);
        base_fail_hint(reader->error, "give it one key such as \"%s\"", table->field[0].key);
        return CN_ERR_INPUT;
    }
    return CN_OK;
}

static cn_status table_required(scene_reader *reader, const scene_table_of *table,
                                const io_yaml *node) {
    for (int32_t i = 0; i < table->count; i++) {
        const scene_field *field = &table->field[i];
        if ((field->flags & SCENE_REQUIRED) && scene_field_in(field, reader->dim) &&
            !io_yaml_get(node, field->key)) {
            scene_fail_node(reader, node, CN_ERR_INPUT, "%s needs \"%s\"", table->name, field->key);
            base_fail_hint(reader->error, "%s", field->help);
            return CN_ERR_INPUT;
        }
    }
    return CN_OK;
}

cn_status scene_table_read(scene_reader *reader, const scene_table_of *table, io_yaml *node,
                           void *out) {
    if (table->size > 0) {
        memset(out, 0, table->size);
        if (table->initial) {
            table->initial(out, reader->dim);
        }
        const io_yaml *source = node;
        memcpy(out, &source, sizeof source);
    }
    cn_status status;
    if (table->brief && node->kind != IO_YAML_MAP) {
        scene_field first = table->field[0];
        first.key = table->name; // what the file calls it
        status = scene_field_read(reader, &first, node, out);
    } else if (node->kind != IO_YAML_MAP) {
        char shown[SHOWN_MAX + 8];
        status = scene_fail_node(reader, node, CN_ERR_INPUT, "%s must be a map of keys, not %s",
                                 table->name, scene_shown(node, shown));
    } else {
        status = table_read_keys(reader, table, node, out);
        status = status != CN_OK ? status : table_required(reader, table, node);
        status = status != CN_OK ? status : table_variant(reader, table, node, out);
    }
    return status == CN_OK && table->check ? table->check(reader, node, out) : status;
}
