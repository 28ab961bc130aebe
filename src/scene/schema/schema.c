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

void scene_hint_list(scene_reader *reader, const char *intro, const char *const *names,
                     int32_t count) {
    char list[LISTED_MAX] = "";
    size_t used = 0;
    bool whole = true;
    for (int32_t i = 0; i < count && whole; i++) {
        int more = snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
        whole = more > 0 && used + (size_t)more < sizeof list;
        list[whole ? used + (size_t)more : used] = '\0';
        used = strlen(list);
    }
    base_fail_hint(reader->error, "%s %s%s", intro, list, whole ? "" : ", ...");
}

void scene_hint_names(scene_reader *reader, const char *what, const char *word,
                      const char *const *names, int32_t count) {
    const char *near = cn_nearest_name(word, names, count);
    if (near) {
        base_fail_hint(reader->error, "did you mean \"%s\"?", near);
    } else if (count > 0) {
        char intro[80];
        snprintf(intro, sizeof intro, "the %s are", what);
        scene_hint_list(reader, intro, names, count);
    } else {
        base_fail_hint(reader->error, "the scene has no %s", what);
    }
}

// The value as an error shows it: short, printable.
static const char *shown_value(const io_yaml *node, char shown[SHOWN_MAX + 8]) {
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

// Whether the row wants a number and the text is one with something behind it, as "1 ms".
static bool is_number_with_unit(const scene_field *field, const io_yaml *node) {
    return node->kind == IO_YAML_TEXT && strstr(field->kind->what, "number") &&
           strspn(node->text, "+-.0123456789") > 0;
}

bool scene_is_decimal_comma(const char *text) {
    size_t sign = strspn(text, "+-"), whole = strspn(text + sign, "0123456789");
    const char *comma = text + sign + whole;
    size_t part = *comma == ',' ? strspn(comma + 1, "0123456789") : 0;
    return whole > 0 && part > 0 && comma[1 + part] == '\0' && strlen(text) <= SHOWN_MAX;
}

cn_status scene_fail_kind(scene_reader *reader, const scene_field *field, const io_yaml *node) {
    char shown[SHOWN_MAX + 8];
    scene_fail_node(reader, node, CN_ERR_INPUT, "%s must be %s, not %s", field->key,
                    field->kind->what, shown_value(node, shown));
    if (node->kind == IO_YAML_NUMBER && strcmp(node->text, ".nan") == 0) {
        base_fail_hint(reader->error, "not-a-number is never accepted");
    } else if (node->kind == IO_YAML_TEXT && scene_is_decimal_comma(node->text)) {
        char point[SHOWN_MAX + 1];
        snprintf(point, sizeof point, "%s", node->text);
        *strchr(point, ',') = '.';
        base_fail_hint(reader->error, "write a decimal point: %s", point);
    } else if (node->quoted && strspn(node->text, "0123456789+-.eE") == strlen(node->text)) {
        base_fail_hint(reader->error, "what stands in quotes is text; take the quotes away");
    } else if (is_number_with_unit(field, node)) {
        if (field->unit && strncmp(field->unit, "rad", 3) == 0) {
            base_fail_hint(reader->error, "write a number [%s], or a text as \"30 deg%s\"",
                           field->unit, strncmp(field->unit, "rad/s", 5) == 0 ? "/s" : "");
        } else {
            base_fail_hint(reader->error, "write the number alone%s%s%s",
                           field->unit ? ", in " : "", field->unit ? field->unit : "",
                           field->unit ? "" : ", without a unit");
        }
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

static bool is_digits(const char *text) {
    return text[0] && strspn(text, "0123456789") == strlen(text);
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
    if (is_digits(key->text)) {
        base_fail_hint(reader->error, "a comma separates keys; write decimal numbers with a point");
        return CN_ERR_INPUT;
    }
    if (near) {
        base_fail_hint(reader->error, "did you mean \"%s\"?", near);
        return CN_ERR_INPUT;
    }
    scene_hint_list(reader, "its keys are", names, count);
    return CN_ERR_INPUT;
}

cn_status scene_field_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                           void *out) {
    return field->kind->read(reader, field, node, (char *)out + field->offset);
}

// The key that scenes of this dimension have instead, or the dimension that has this one.
static void hint_other_dimension(scene_reader *reader, const scene_table_of *table,
                                 const scene_field *field) {
    static const char *const pairs[][2] = {{"sphere", "disk"},        {"ellipsoid", "ellipse"},
                                           {"polyhedron", "polygon"}, {"plane", "line"},
                                           {"rotation", "angle"},     {"orientation", "angle"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const char *other = pairs[i][reader->dim == 2];
        if (strcmp(field->key, pairs[i][reader->dim != 2]) == 0 &&
            scene_table_field(table, other)) {
            base_fail_hint(reader->error, "in %dD it is \"%s\"", reader->dim, other);
            return;
        }
    }
    base_fail_hint(reader->error, "take it away, or write \"dimension: %d\" at the top",
                   reader->dim == 2 ? 3 : 2);
}

// "{radius: 0,5}" is a map of a number and a key "5" without a value.
static cn_status check_decimal_comma(scene_reader *reader, const io_yaml *node, int32_t i) {
    const io_yaml *number = node->item[i];
    const char *key = i + 1 < node->count ? node->key[i + 1]->text : "";
    bool cut = number->kind == IO_YAML_NUMBER && is_digits(key) &&
               node->item[i + 1]->kind == IO_YAML_NULL &&
               strspn(number->text, "+-0123456789") == strlen(number->text);
    if (!cut) {
        return CN_OK;
    }
    scene_fail_node(reader, number, CN_ERR_INPUT, "in {...} a comma separates keys, so %s is cut",
                    node->key[i]->text);
    base_fail_hint(reader->error, "write a decimal point: %.40s.%.40s", number->text, key);
    return CN_ERR_INPUT;
}

static cn_status table_read_keys(scene_reader *reader, const scene_table_of *table, io_yaml *node,
                                 void *out) {
    for (int32_t i = 0; i < node->count; i++) {
        const scene_field *field = scene_table_field(table, node->key[i]->text);
        if (!field) {
            return fail_unknown(reader, table, node->key[i]);
        }
        if (!scene_field_in(field, reader->dim)) {
            scene_fail_node(reader, node->key[i], CN_ERR_INPUT,
                            "\"%s\" is for %dD, and this scene has %d dimensions", field->key,
                            reader->dim == 2 ? 3 : 2, reader->dim);
            hint_other_dimension(reader, table, field);
            return CN_ERR_INPUT;
        }
        CN_TRY(check_decimal_comma(reader, node, i));
        CN_TRY(scene_field_read(reader, field, node->item[i], out));
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

// How the map that a table wants is written: "write {axis: ..., angle: ...}".
static void hint_map(scene_reader *reader, const scene_table_of *table) {
    char keys[LISTED_MAX] = "";
    size_t used = 0;
    for (int pass = 0; pass < 2 && used == 0; pass++) { // those required, else the first
        for (int32_t i = 0; i < table->count && used < sizeof keys - 1; i++) {
            const scene_field *field = &table->field[i];
            bool wanted = pass == 0 ? (field->flags & SCENE_REQUIRED) != 0 : used == 0;
            if (wanted && scene_field_in(field, reader->dim)) {
                int more = snprintf(keys + used, sizeof keys - used, "%s%s: ...", used ? ", " : "",
                                    field->key);
                used += more > 0 ? (size_t)more : 0;
            }
        }
    }
    base_fail_hint(reader->error, "write {%s}", keys);
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
                                 table->name, shown_value(node, shown));
        hint_map(reader, table);
    } else {
        status = table_read_keys(reader, table, node, out);
        status = status != CN_OK ? status : table_required(reader, table, node);
        status = status != CN_OK ? status : table_variant(reader, table, node, out);
    }
    return status == CN_OK && table->check ? table->check(reader, node, out) : status;
}
