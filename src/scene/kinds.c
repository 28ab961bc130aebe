// scene/kinds.c
// The kinds of single values: numbers, truth, text, words to choose from.
#include "scene/kinds.h"

#include "base/arena.h"
#include "base/error.h"
#include "io/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CN_SEED_MAX 9007199254740992.0 // 2^53: every whole number up to here is a double

bool cn_print_text(cn_buffer *out, const char *text) {
    return cn_buffer_append(out, text, strlen(text));
}

bool cn_print_number(cn_buffer *out, double value) {
    char text[CN_NUMBER_TEXT_MAX];
    return cn_print_text(out, cn_number_text(value, text));
}

// Defaults are short; what would not fit is none.
static bool cn_put_default(char text[CN_DEFAULT_MAX], const char *words) {
    int length = snprintf(text, CN_DEFAULT_MAX, "%s", words);
    return length >= 0 && length < CN_DEFAULT_MAX;
}

// ---- numbers ----

static cn_status cn_fail_range(cn_reader *reader, const cn_field *field, const cn_yaml *node) {
    char low[CN_NUMBER_TEXT_MAX];
    char high[CN_NUMBER_TEXT_MAX];
    if (field->flags & CN_RANGE) {
        return cn_fail_node(reader, node, CN_ERR_INPUT, "%s must be from %s to %s, not %.40s",
                            field->key, cn_number_text(field->min, low),
                            cn_number_text(field->max, high), node->text);
    }
    return cn_fail_node(reader, node, CN_ERR_INPUT, "%s must be %s, not %.40s", field->key,
                        field->flags & CN_ABOVE_ZERO ? "above 0" : "0 or more", node->text);
}

cn_status cn_read_number(cn_reader *reader, const cn_field *field, const cn_yaml *node,
                         double *value) {
    if (node->kind != CN_YAML_NUMBER) {
        return cn_fail_kind(reader, field, node);
    }
    if (!isfinite(node->number)) {
        return cn_fail_node(reader, node, CN_ERR_INPUT, "%s must be a finite number, not %.40s",
                            field->key, node->text);
    }
    double number = node->number;
    bool good = (!(field->flags & CN_ABOVE_ZERO) || number > 0.0) &&
                (!(field->flags & CN_NOT_BELOW_ZERO) || number >= 0.0) &&
                (!(field->flags & CN_RANGE) || (number >= field->min && number <= field->max));
    if (!good) {
        return cn_fail_range(reader, field, node);
    }
    *value = number;
    return CN_OK;
}

void cn_json_range(cn_json *json, const cn_field *field) {
    if (field->flags & CN_ABOVE_ZERO) {
        cn_json_member_number(json, "exclusiveMinimum", 0.0);
    }
    if (field->flags & CN_NOT_BELOW_ZERO) {
        cn_json_member_number(json, "minimum", 0.0);
    }
    if (field->flags & CN_RANGE) {
        cn_json_member_number(json, "minimum", field->min);
        cn_json_member_number(json, "maximum", field->max);
    }
}

static cn_status cn_real_read(cn_reader *reader, const cn_field *field, cn_yaml *node, void *out) {
    return cn_read_number(reader, field, node, out);
}

static void cn_real_json(cn_json *json, const cn_field *field) {
    cn_json_member(json, "type", "number");
    cn_json_range(json, field);
}

static bool cn_real_print(const cn_field *field, int32_t dim, const void *value,
                          char text[CN_DEFAULT_MAX]) {
    (void)field;
    (void)dim;
    double number;
    memcpy(&number, value, sizeof number);
    return isfinite(number) && cn_number_text(number, text);
}

const cn_kind cn_kind_real = {
    .what = "a number", .read = cn_real_read, .json = cn_real_json, .print = cn_real_print};

cn_status cn_read_whole(cn_reader *reader, const cn_field *field, const cn_yaml *node, double most,
                        double *value) {
    if (node->kind == CN_YAML_NUMBER && node->number != floor(node->number)) {
        return cn_fail_kind(reader, field, node);
    }
    cn_status status = cn_read_number(reader, field, node, value);
    if (status == CN_OK && !(fabs(*value) <= most)) {
        return cn_fail_node(reader, node, CN_ERR_INPUT, "%s is too large: %.40s", field->key,
                            node->text);
    }
    return status;
}

static cn_status cn_int_read(cn_reader *reader, const cn_field *field, cn_yaml *node, void *out) {
    double value = 0.0;
    cn_status status = cn_read_whole(reader, field, node, INT32_MAX, &value);
    if (status == CN_OK) {
        *(int32_t *)out = (int32_t)value;
    }
    return status;
}

static void cn_int_json(cn_json *json, const cn_field *field) {
    cn_json_member(json, "type", "integer");
    cn_json_range(json, field);
}

static bool cn_int_print(const cn_field *field, int32_t dim, const void *value,
                         char text[CN_DEFAULT_MAX]) {
    (void)field;
    (void)dim;
    snprintf(text, CN_DEFAULT_MAX, "%d", *(const int32_t *)value);
    return true;
}

const cn_kind cn_kind_int = {
    .what = "a whole number", .read = cn_int_read, .json = cn_int_json, .print = cn_int_print};

static cn_status cn_seed_read(cn_reader *reader, const cn_field *field, cn_yaml *node, void *out) {
    double value = 0.0;
    cn_status status = cn_read_whole(reader, field, node, CN_SEED_MAX, &value);
    if (status == CN_OK) {
        *(int64_t *)out = (int64_t)value;
    }
    return status;
}

static bool cn_seed_print(const cn_field *field, int32_t dim, const void *value,
                          char text[CN_DEFAULT_MAX]) {
    (void)field;
    (void)dim;
    snprintf(text, CN_DEFAULT_MAX, "%lld", (long long)*(const int64_t *)value);
    return true;
}

const cn_kind cn_kind_seed = {
    .what = "a whole number", .read = cn_seed_read, .json = cn_int_json, .print = cn_seed_print};

// ---- truth and text ----

static cn_status cn_bool_read(cn_reader *reader, const cn_field *field, cn_yaml *node, void *out) {
    if (node->kind != CN_YAML_BOOL) {
        return cn_fail_kind(reader, field, node);
    }
    *(bool *)out = node->truth;
    return CN_OK;
}

static void cn_bool_json(cn_json *json, const cn_field *field) {
    (void)field;
    cn_json_member(json, "type", "boolean");
}

static bool cn_bool_print(const cn_field *field, int32_t dim, const void *value,
                          char text[CN_DEFAULT_MAX]) {
    (void)field;
    (void)dim;
    return cn_put_default(text, *(const bool *)value ? "true" : "false");
}

const cn_kind cn_kind_bool = {
    .what = "true or false", .read = cn_bool_read, .json = cn_bool_json, .print = cn_bool_print};

static cn_status cn_text_read(cn_reader *reader, const cn_field *field, cn_yaml *node, void *out) {
    if (node->kind == CN_YAML_NULL || node->kind == CN_YAML_LIST || node->kind == CN_YAML_MAP) {
        return cn_fail_kind(reader, field, node);
    }
    *(const char **)out = node->text;
    return CN_OK;
}

static void cn_text_json(cn_json *json, const cn_field *field) {
    (void)field;
    cn_json_member(json, "type", "string");
}

static bool cn_text_print(const cn_field *field, int32_t dim, const void *value,
                          char text[CN_DEFAULT_MAX]) {
    (void)field;
    (void)dim;
    const char *given = *(const char *const *)value;
    return given && cn_put_default(text, given);
}

const cn_kind cn_kind_text = {
    .what = "text", .read = cn_text_read, .json = cn_text_json, .print = cn_text_print};

// ---- words ----

static cn_status cn_fail_word(cn_reader *reader, const cn_field *field, const cn_yaml *node,
                              const char *const *names, int32_t count) {
    cn_fail_node(reader, node, CN_ERR_INPUT, "%s cannot be \"%.40s\"", field->key, node->text);
    const char *near = cn_nearest_name(node->text, names, count);
    if (near) {
        cn_fail_hint(reader->error, "did you mean \"%s\"?", near);
        return CN_ERR_INPUT;
    }
    char list[160] = "";
    size_t used = 0;
    for (int32_t i = 0; i < count && used < sizeof list; i++) {
        int more = snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
        used += more > 0 ? (size_t)more : 0;
    }
    cn_fail_hint(reader->error, "it is one of %s", list);
    return CN_ERR_INPUT;
}

static cn_status cn_fail_later(cn_reader *reader, const cn_field *field, const cn_yaml *node) {
    return cn_fail_node(reader, node, CN_ERR_UNSUPPORTED, "the %s \"%s\" is not available yet",
                        field->key, node->text);
}

cn_status cn_read_choice(cn_reader *reader, const cn_field *field, const cn_yaml *node,
                         int32_t *value) {
    if (node->kind == CN_YAML_LIST || node->kind == CN_YAML_MAP || node->kind == CN_YAML_NULL) {
        return cn_fail_kind(reader, field, node);
    }
    const char *names[CN_CHOICES_MAX];
    int32_t count = 0;
    for (const cn_choice *c = field->choice; c->text && count < CN_CHOICES_MAX; c++) {
        if (strcmp(c->text, node->text) == 0) {
            *value = c->value;
            return c->later ? cn_fail_later(reader, field, node) : CN_OK;
        }
        if (!c->later) {
            names[count++] = c->text;
        }
    }
    return cn_fail_word(reader, field, node, names, count);
}

static cn_status cn_choice_read(cn_reader *reader, const cn_field *field, cn_yaml *node,
                                void *out) {
    return cn_read_choice(reader, field, node, out);
}

void cn_json_choices(cn_json *json, const cn_field *field) {
    cn_json_key(json, "enum");
    cn_json_open(json, '[');
    for (const cn_choice *c = field->choice; c->text; c++) {
        if (!c->later) {
            cn_json_text(json, c->text);
        }
    }
    cn_json_close(json, ']');
}

static bool cn_choice_print(const cn_field *field, int32_t dim, const void *value,
                            char text[CN_DEFAULT_MAX]) {
    (void)dim;
    for (const cn_choice *c = field->choice; c->text; c++) {
        if (c->value == *(const int32_t *)value && !c->later) {
            return cn_put_default(text, c->text);
        }
    }
    return false;
}

const cn_kind cn_kind_choice = {
    .what = "a word", .read = cn_choice_read, .json = cn_json_choices, .print = cn_choice_print};

// The rows of a C table by name, and the names of the contract whose rows are still to come.
static cn_status cn_name_read(cn_reader *reader, const cn_field *field, cn_yaml *node, void *out) {
    if (node->kind != CN_YAML_TEXT) {
        return cn_fail_kind(reader, field, node);
    }
    const char *names[CN_CHOICES_MAX];
    int32_t count = 0;
    for (const char *name; count < CN_CHOICES_MAX && (name = field->name_at(count)); count++) {
        names[count] = name;
        if (strcmp(name, node->text) == 0) {
            *(const char **)out = node->text;
            return CN_OK;
        }
    }
    for (const cn_choice *c = field->choice; c && c->text; c++) {
        if (strcmp(c->text, node->text) == 0) {
            return cn_fail_later(reader, field, node);
        }
    }
    return cn_fail_word(reader, field, node, names, count);
}

static void cn_name_json(cn_json *json, const cn_field *field) {
    cn_json_key(json, "enum");
    cn_json_open(json, '[');
    const char *name;
    for (int32_t i = 0; (name = field->name_at(i)); i++) {
        cn_json_text(json, name);
    }
    cn_json_close(json, ']');
}

const cn_kind cn_kind_name = {
    .what = "a word", .read = cn_name_read, .json = cn_name_json, .print = cn_text_print};

// ---- what comes later ----

static cn_status cn_later_read(cn_reader *reader, const cn_field *field, cn_yaml *node, void *out) {
    (void)out;
    if (node->kind == CN_YAML_NULL || (node->kind == CN_YAML_LIST && node->count == 0)) {
        return CN_OK;
    }
    return cn_fail_node(reader, node, CN_ERR_UNSUPPORTED, "%s are not available yet", field->key);
}

static void cn_later_json(cn_json *json, const cn_field *field) {
    (void)field;
    cn_json_member_number(json, "maxItems", 0.0);
}

const cn_kind cn_kind_later = {.what = "nothing yet", .read = cn_later_read, .json = cn_later_json};
