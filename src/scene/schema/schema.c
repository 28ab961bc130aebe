// scene/schema/schema.c
// Reading a map by its table: unknown keys, missing keys, variants, defaults; and the errors that
// point at a node.
#include "scene/schema/schema.h"

#include "base/arena.h"
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CN_SHOWN_MAX 40   // bytes of a wrong value that an error shows
#define CN_NAMES_MAX 64   // keys of a table offered to "did you mean"
#define CN_LISTED_MAX 200 // bytes of a list of keys in an error

// ---- failing at a node ----

cn_status cn_fail_node(cn_reader *reader, const cn_yaml *node, cn_status status, const char *format,
                       ...) {
    char message[sizeof((cn_error *)0)->message];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    cn_fail(reader->error, status, "%s", message);
    if (node) {
        cn_fail_at(reader->error, node->file, node->line, node->column);
    }
    return status;
}

void cn_hint_nearest(cn_reader *reader, const char *word, const char *const *names, int32_t count) {
    const char *near = cn_nearest_name(word, names, count);
    if (near) {
        cn_fail_hint(reader->error, "did you mean \"%s\"?", near);
    }
}

// The value as an error shows it: short, printable.
static const char *cn_shown(const cn_yaml *node, char shown[CN_SHOWN_MAX + 8]) {
    if (node->kind == CN_YAML_NULL) {
        return "nothing";
    }
    if (node->kind == CN_YAML_LIST || node->kind == CN_YAML_MAP) {
        return node->kind == CN_YAML_LIST ? "a list" : "a map";
    }
    bool text = node->kind == CN_YAML_TEXT;
    size_t length = strlen(node->text);
    bool cut = length > CN_SHOWN_MAX;
    snprintf(shown, CN_SHOWN_MAX + 8, "%s%.*s%s%s", text ? "\"" : "", CN_SHOWN_MAX, node->text,
             cut ? "..." : "", text ? "\"" : "");
    for (char *c = shown; *c; c++) {
        if ((unsigned char)*c < ' ') {
            *c = '?';
        }
    }
    return shown;
}

cn_status cn_fail_kind(cn_reader *reader, const cn_field *field, const cn_yaml *node) {
    char shown[CN_SHOWN_MAX + 8];
    cn_fail_node(reader, node, CN_ERR_INPUT, "%s must be %s, not %s", field->key, field->kind->what,
                 cn_shown(node, shown));
    if (node->kind == CN_YAML_NUMBER && strcmp(node->text, ".nan") == 0) {
        cn_fail_hint(reader->error, "not-a-number is never accepted");
    } else if (node->quoted && strspn(node->text, "0123456789+-.eE") == strlen(node->text)) {
        cn_fail_hint(reader->error, "what stands in quotes is text; take the quotes away");
    } else if (node->kind == CN_YAML_NULL) {
        cn_fail_hint(reader->error, "write a value after the colon, or take the key away");
    }
    return CN_ERR_INPUT;
}

// ---- tables ----

bool cn_field_in(const cn_field *field, int32_t dim) {
    return !(field->flags & (dim == 2 ? CN_ONLY_3D : CN_ONLY_2D));
}

const cn_field *cn_table_field(const cn_table *table, const char *key) {
    for (int32_t i = 0; i < table->count; i++) {
        if (strcmp(table->field[i].key, key) == 0) {
            return &table->field[i];
        }
    }
    return NULL;
}

void *cn_table_initial(cn_arena *memory, const cn_table *table, int32_t dim) {
    void *out = cn_arena_take_zero(memory, 1, table->size);
    if (out && table->initial) {
        table->initial(out, dim);
    }
    return out;
}

static cn_status cn_fail_unknown(cn_reader *reader, const cn_table *table, const cn_yaml *key) {
    cn_fail_node(reader, key, CN_ERR_INPUT, "%s has no key \"%.*s\"", table->name, CN_SHOWN_MAX,
                 key->text);
    const char *names[CN_NAMES_MAX];
    int32_t count = 0;
    for (int32_t i = 0; i < table->count && count < CN_NAMES_MAX; i++) {
        if (cn_field_in(&table->field[i], reader->dim)) {
            names[count++] = table->field[i].key;
        }
    }
    const char *near = cn_nearest_name(key->text, names, count);
    if (near) {
        cn_fail_hint(reader->error, "did you mean \"%s\"?", near);
        return CN_ERR_INPUT;
    }
    char list[CN_LISTED_MAX] = "";
    size_t used = 0;
    for (int32_t i = 0; i < count && used < sizeof list - 1; i++) {
        int more = snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
        used += more > 0 ? (size_t)more : 0;
    }
    cn_fail_hint(reader->error, "it has %s%s", list, used >= sizeof list - 1 ? " ..." : "");
    return CN_ERR_INPUT;
}

cn_status cn_field_read(cn_reader *reader, const cn_field *field, cn_yaml *node, void *out) {
    return field->kind->read(reader, field, node, (char *)out + field->offset);
}

static cn_status cn_table_read_keys(cn_reader *reader, const cn_table *table, cn_yaml *node,
                                    void *out) {
    for (int32_t i = 0; i < node->count; i++) {
        const cn_field *field = cn_table_field(table, node->key[i]->text);
        if (!field) {
            return cn_fail_unknown(reader, table, node->key[i]);
        }
        if (!cn_field_in(field, reader->dim)) {
            return cn_fail_node(reader, node->key[i], CN_ERR_INPUT,
                                "\"%s\" is for %dD, and this scene has %d dimensions", field->key,
                                reader->dim == 2 ? 3 : 2, reader->dim);
        }
        cn_status status = cn_field_read(reader, field, node->item[i], out);
        if (status != CN_OK) {
            return status;
        }
    }
    return CN_OK;
}

// Of the variants, exactly one: which?
static cn_status cn_table_variant(cn_reader *reader, const cn_table *table, const cn_yaml *node,
                                  void *out) {
    const char *given = NULL;
    bool any = false;
    for (int32_t i = 0; i < table->count; i++) {
        const cn_field *field = &table->field[i];
        if (!(field->flags & CN_VARIANT)) {
            continue;
        }
        any = true;
        const cn_yaml *key = cn_yaml_key(node, field->key);
        if (key && given) {
            return cn_fail_node(reader, key, CN_ERR_INPUT, "%s cannot be both \"%s\" and \"%s\"",
                                table->name, given, field->key);
        }
        if (key) {
            given = field->key;
            memcpy((char *)out + table->variant, &i, sizeof i);
        }
    }
    if (any && !given) {
        cn_fail_node(reader, node, CN_ERR_INPUT, "%s does not say what it is", table->name);
        cn_fail_hint(reader->error, "give it one key such as \"%s\"", table->field[0].key);
        return CN_ERR_INPUT;
    }
    return CN_OK;
}

static cn_status cn_table_required(cn_reader *reader, const cn_table *table, const cn_yaml *node) {
    for (int32_t i = 0; i < table->count; i++) {
        const cn_field *field = &table->field[i];
        if ((field->flags & CN_REQUIRED) && cn_field_in(field, reader->dim) &&
            !cn_yaml_get(node, field->key)) {
            cn_fail_node(reader, node, CN_ERR_INPUT, "%s needs \"%s\"", table->name, field->key);
            cn_fail_hint(reader->error, "%s", field->help);
            return CN_ERR_INPUT;
        }
    }
    return CN_OK;
}

cn_status cn_table_read(cn_reader *reader, const cn_table *table, cn_yaml *node, void *out) {
    if (table->size > 0) {
        memset(out, 0, table->size);
        if (table->initial) {
            table->initial(out, reader->dim);
        }
        const cn_yaml *source = node;
        memcpy(out, &source, sizeof source);
    }
    cn_status status;
    if (table->brief && node->kind != CN_YAML_MAP) {
        cn_field first = table->field[0];
        first.key = table->name; // what the file calls it
        status = cn_field_read(reader, &first, node, out);
    } else if (node->kind != CN_YAML_MAP) {
        char shown[CN_SHOWN_MAX + 8];
        status = cn_fail_node(reader, node, CN_ERR_INPUT, "%s must be a map of keys, not %s",
                              table->name, cn_shown(node, shown));
    } else {
        status = cn_table_read_keys(reader, table, node, out);
        status = status != CN_OK ? status : cn_table_required(reader, table, node);
        status = status != CN_OK ? status : cn_table_variant(reader, table, node, out);
    }
    return status == CN_OK && table->check ? table->check(reader, node, out) : status;
}
