// scene/kinds.c
// The kinds of single values: numbers, truth, text, words to choose from.
#include "scene/kinds.h"

#include "base/arena.h"
#include "base/error.h"
#include "io/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ANGLE_TEXT_MAX 40
#define RADIANS_PER_DEGREE 0.017453292519943295 // pi / 180
#define SEED_MAX 9007199254740992.0             // 2^53: every whole number up to here is a double

bool scene_print_text(base_buffer *out, const char *text) {
    return base_buffer_append(out, text, strlen(text));
}

bool scene_print_number(base_buffer *out, double value) {
    char text[IO_NUMBER_TEXT_MAX];
    return scene_print_text(out, io_number_text(value, text));
}

// Defaults are short; what would not fit is none.
static bool put_default(char text[SCENE_DEFAULT_MAX], const char *words) {
    int length = snprintf(text, SCENE_DEFAULT_MAX, "%s", words);
    return length >= 0 && length < SCENE_DEFAULT_MAX;
}

// ---- numbers ----

static cn_status fail_range(scene_reader *reader, const scene_field *field, const io_yaml *node) {
    char low[IO_NUMBER_TEXT_MAX];
    char high[IO_NUMBER_TEXT_MAX];
    if (field->flags & BASE_RANGE) {
        return scene_fail_node(reader, node, CN_ERR_INPUT, "%s must be from %s to %s, not %.40s",
                               field->key, io_number_text(field->min, low),
                               io_number_text(field->max, high), node->text);
    }
    return scene_fail_node(reader, node, CN_ERR_INPUT, "%s must be %s, not %.40s", field->key,
                           field->flags & SCENE_ABOVE_ZERO ? "above 0" : "0 or more", node->text);
}

// ---- angles ----

static bool is_angle(const scene_field *field) {
    return field->unit && strncmp(field->unit, "rad", 3) == 0;
}

bool scene_angle_of(const char *text, bool rate, double *value) {
    char number[ANGLE_TEXT_MAX];
    size_t length = strspn(text, "+-.0123456789eE");
    while (length > 0 && (text[length - 1] == 'e' || text[length - 1] == 'E')) {
        length--;
    }
    const char *unit = text + length + strspn(text + length, " ");
    bool degrees = strncmp(unit, "deg", 3) == 0;
    const char *per = rate ? "/s" : "";
    bool known = (degrees || strncmp(unit, "rad", 3) == 0) && strcmp(unit + 3, per) == 0;
    if (!known || length >= sizeof number) {
        return false;
    }
    memcpy(number, text, length);
    number[length] = '\0';
    if (!io_number_parse(number, value) || !isfinite(*value)) {
        return false;
    }
    *value *= degrees ? RADIANS_PER_DEGREE : 1.0;
    return true;
}

bool scene_read_angle(const scene_field *field, const io_yaml *node, double *value) {
    return node->kind == IO_YAML_TEXT && is_angle(field) &&
           scene_angle_of(node->text, strncmp(field->unit, "rad/s", 5) == 0, value);
}

cn_status scene_read_number(scene_reader *reader, const scene_field *field, const io_yaml *node,
                            double *value) {
    double number = node->number;
    if (node->kind != IO_YAML_NUMBER && !scene_read_angle(field, node, &number)) {
        return scene_fail_kind(reader, field, node);
    }
    if (!isfinite(number)) {
        return scene_fail_node(reader, node, CN_ERR_INPUT, "%s must be a finite number, not %.40s",
                               field->key, node->text);
    }
    bool good = (!(field->flags & SCENE_ABOVE_ZERO) || number > 0.0) &&
                (!(field->flags & SCENE_NOT_BELOW_ZERO) || number >= 0.0) &&
                (!(field->flags & BASE_RANGE) || (number >= field->min && number <= field->max));
    if (!good) {
        return fail_range(reader, field, node);
    }
    *value = number;
    return CN_OK;
}

void scene_json_range(io_json *json, const scene_field *field) {
    if (field->flags & SCENE_ABOVE_ZERO) {
        io_json_member_number(json, "exclusiveMinimum", 0.0);
    }
    if (field->flags & SCENE_NOT_BELOW_ZERO) {
        io_json_member_number(json, "minimum", 0.0);
    }
    if (field->flags & BASE_RANGE) {
        io_json_member_number(json, "minimum", field->min);
        io_json_member_number(json, "maximum", field->max);
    }
}

static cn_status real_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                           void *out) {
    return scene_read_number(reader, field, node, out);
}

void scene_json_number_or_text(io_json *json) {
    static const char *const types[] = {"number", "string"};
    for (int i = 0; i < 2; i++) {
        io_json_open(json, '{');
        io_json_member(json, "type", types[i]);
        io_json_close(json, '}');
    }
}

void scene_json_list(io_json *json, const scene_field *field,
                     void (*item)(io_json *json, const scene_field *field)) {
    io_json_member(json, "type", "array");
    io_json_key(json, "items");
    io_json_open(json, '{');
    item(json, field);
    io_json_close(json, '}');
}

void scene_json_number(io_json *json, const scene_field *field) {
    if (is_angle(field)) {
        io_json_key(json, "type");
        io_json_open(json, '[');
        io_json_text(json, "number");
        io_json_text(json, "string");
        io_json_close(json, ']');
        io_json_member(json, "pattern", "^[-+]?[0-9.]+([eE][-+]?[0-9]+)? *(deg|rad)(/s)?$");
    } else {
        io_json_member(json, "type", "number");
    }
    scene_json_range(json, field);
}

static void real_json(io_json *json, const scene_field *field) {
    scene_json_number(json, field);
}

static bool real_print(const scene_field *field, int32_t dim, const void *value,
                       char text[SCENE_DEFAULT_MAX]) {
    (void)field;
    (void)dim;
    double number;
    memcpy(&number, value, sizeof number);
    return isfinite(number) && io_number_text(number, text);
}

const scene_kind scene_kind_real = {
    .what = "a number", .read = real_read, .json = real_json, .print = real_print};

cn_status scene_read_whole(scene_reader *reader, const scene_field *field, const io_yaml *node,
                           double max, double *value) {
    if (node->kind == IO_YAML_NUMBER && node->number != floor(node->number)) {
        return scene_fail_kind(reader, field, node);
    }
    CN_TRY(scene_read_number(reader, field, node, value));
    if (!(fabs(*value) <= max)) {
        return scene_fail_node(reader, node, CN_ERR_INPUT, "%s is too large: %.40s", field->key,
                               node->text);
    }
    return CN_OK;
}

static cn_status int_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                          void *out) {
    double value = 0.0;
    CN_TRY(scene_read_whole(reader, field, node, INT32_MAX, &value));
    *(int32_t *)out = (int32_t)value;
    return CN_OK;
}

static void int_json(io_json *json, const scene_field *field) {
    io_json_member(json, "type", "integer");
    scene_json_range(json, field);
}

static bool int_print(const scene_field *field, int32_t dim, const void *value,
                      char text[SCENE_DEFAULT_MAX]) {
    (void)field;
    (void)dim;
    snprintf(text, SCENE_DEFAULT_MAX, "%d", *(const int32_t *)value);
    return true;
}

const scene_kind scene_kind_int = {
    .what = "a whole number", .read = int_read, .json = int_json, .print = int_print};

static cn_status seed_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                           void *out) {
    double value = 0.0;
    CN_TRY(scene_read_whole(reader, field, node, SEED_MAX, &value));
    *(int64_t *)out = (int64_t)value;
    return CN_OK;
}

static bool seed_print(const scene_field *field, int32_t dim, const void *value,
                       char text[SCENE_DEFAULT_MAX]) {
    (void)field;
    (void)dim;
    snprintf(text, SCENE_DEFAULT_MAX, "%lld", (long long)*(const int64_t *)value);
    return true;
}

const scene_kind scene_kind_seed = {
    .what = "a whole number", .read = seed_read, .json = int_json, .print = seed_print};

// ---- truth and text ----

static cn_status bool_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                           void *out) {
    if (node->kind != IO_YAML_BOOL) {
        return scene_fail_kind(reader, field, node);
    }
    *(bool *)out = node->truth;
    return CN_OK;
}

static void bool_json(io_json *json, const scene_field *field) {
    (void)field;
    io_json_member(json, "type", "boolean");
}

static bool bool_print(const scene_field *field, int32_t dim, const void *value,
                       char text[SCENE_DEFAULT_MAX]) {
    (void)field;
    (void)dim;
    return put_default(text, *(const bool *)value ? "true" : "false");
}

const scene_kind scene_kind_bool = {
    .what = "true or false", .read = bool_read, .json = bool_json, .print = bool_print};

static cn_status text_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                           void *out) {
    if (node->kind == IO_YAML_NULL || node->kind == IO_YAML_LIST || node->kind == IO_YAML_MAP) {
        return scene_fail_kind(reader, field, node);
    }
    *(const char **)out = node->text;
    return CN_OK;
}

static void text_json(io_json *json, const scene_field *field) {
    (void)field;
    io_json_member(json, "type", "string");
}

static bool text_print(const scene_field *field, int32_t dim, const void *value,
                       char text[SCENE_DEFAULT_MAX]) {
    (void)field;
    (void)dim;
    const char *given = *(const char *const *)value;
    return given && put_default(text, given);
}

const scene_kind scene_kind_text = {
    .what = "text", .read = text_read, .json = text_json, .print = text_print};

// ---- words ----

static cn_status fail_word(scene_reader *reader, const scene_field *field, const io_yaml *node,
                           const char *const *names, int32_t count) {
    scene_fail_node(reader, node, CN_ERR_INPUT, "%s cannot be \"%.40s\"", field->key, node->text);
    const char *near = cn_nearest_name(node->text, names, count);
    if (near) {
        base_fail_hint(reader->error, "did you mean \"%s\"?", near);
        return CN_ERR_INPUT;
    }
    scene_hint_list(reader, "it is one of", names, count);
    return CN_ERR_INPUT;
}

static cn_status fail_later(scene_reader *reader, const scene_field *field, const io_yaml *node) {
    return scene_fail_node(reader, node, CN_ERR_UNSUPPORTED, "the %s \"%s\" is not available yet",
                           field->key, node->text);
}

cn_status scene_read_choice(scene_reader *reader, const scene_field *field, const io_yaml *node,
                            int32_t *value) {
    if (node->kind == IO_YAML_LIST || node->kind == IO_YAML_MAP || node->kind == IO_YAML_NULL) {
        return scene_fail_kind(reader, field, node);
    }
    const char *names[SCENE_CHOICES_MAX];
    int32_t count = 0;
    for (const scene_choice *c = field->choice; c->text && count < SCENE_CHOICES_MAX; c++) {
        if (strcmp(c->text, node->text) == 0) {
            *value = c->value;
            return c->later ? fail_later(reader, field, node) : CN_OK;
        }
        if (!c->later) {
            names[count++] = c->text;
        }
    }
    return fail_word(reader, field, node, names, count);
}

static cn_status choice_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                             void *out) {
    return scene_read_choice(reader, field, node, out);
}

void scene_json_choices(io_json *json, const scene_field *field) {
    io_json_key(json, "enum");
    io_json_open(json, '[');
    for (const scene_choice *c = field->choice; c->text; c++) {
        if (!c->later) {
            io_json_text(json, c->text);
        }
    }
    io_json_close(json, ']');
}

static bool choice_print(const scene_field *field, int32_t dim, const void *value,
                         char text[SCENE_DEFAULT_MAX]) {
    (void)dim;
    for (const scene_choice *c = field->choice; c->text; c++) {
        if (c->value == *(const int32_t *)value && !c->later) {
            return put_default(text, c->text);
        }
    }
    return false;
}

const scene_kind scene_kind_choice = {
    .what = "a word", .read = choice_read, .json = scene_json_choices, .print = choice_print};

static const char *name_of_alias(const scene_field *field, const char *word) {
    for (int32_t i = 0; field->alias && field->alias[i][0]; i++) {
        if (strcmp(field->alias[i][0], word) == 0) {
            return field->alias[i][1];
        }
    }
    return word;
}

// The rows of a C table by name, and the names of the contract whose rows are still to come.
static cn_status name_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                           void *out) {
    if (node->kind != IO_YAML_TEXT) {
        return scene_fail_kind(reader, field, node);
    }
    const char *names[SCENE_CHOICES_MAX];
    int32_t count = 0;
    const char *word = name_of_alias(field, node->text);
    for (const char *name; count < SCENE_CHOICES_MAX && (name = field->name_at(count)); count++) {
        names[count] = name;
        if (strcmp(name, word) == 0) {
            *(const char **)out = word;
            return CN_OK;
        }
    }
    for (const scene_choice *c = field->choice; c && c->text; c++) {
        if (strcmp(c->text, node->text) == 0) {
            return fail_later(reader, field, node);
        }
    }
    return fail_word(reader, field, node, names, count);
}

static void name_json(io_json *json, const scene_field *field) {
    io_json_key(json, "enum");
    io_json_open(json, '[');
    const char *name;
    for (int32_t i = 0; (name = field->name_at(i)); i++) {
        io_json_text(json, name);
    }
    for (int32_t i = 0; field->alias && field->alias[i][0]; i++) {
        io_json_text(json, field->alias[i][0]);
    }
    io_json_close(json, ']');
}

const scene_kind scene_kind_name = {
    .what = "a word", .read = name_read, .json = name_json, .print = text_print};

// ---- what comes later ----

static cn_status later_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                            void *out) {
    (void)out;
    if (node->kind == IO_YAML_NULL || (node->kind == IO_YAML_LIST && node->count == 0)) {
        return CN_OK;
    }
    return scene_fail_node(reader, node, CN_ERR_UNSUPPORTED, "%s are not available yet",
                           field->key);
}

static void later_json(io_json *json, const scene_field *field) {
    (void)field;
    io_json_member_number(json, "maxItems", 0.0);
}

const scene_kind scene_kind_later = {.what = "nothing yet", .read = later_read, .json = later_json};
