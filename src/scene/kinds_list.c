// scene/kinds_list.c
// The kinds of values that are lists of numbers or words: vectors, points, faces, names.
#include "scene/kinds.h"

#include "base/arena.h"
#include "base/error.h"
#include "io/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define UNIT_SLACK 1e-15 // off by which a normalised quaternion can be after rounding

static cn_status no_memory(scene_reader *reader) {
    return base_fail_memory(reader->error);
}

// Where a list of numbers seems to have a decimal comma, "-9,81": two entries without a blank
// between them; -1: nowhere. *count: at how many places.
static int32_t find_cut_number(const io_yaml *node, int32_t *count) {
    int32_t first = -1;
    *count = 0;
    for (int32_t i = 0; node->kind == IO_YAML_LIST && i + 1 < node->count; i++) {
        const io_yaml *a = node->item[i], *b = node->item[i + 1];
        bool whole = a->kind == IO_YAML_NUMBER && b->kind == IO_YAML_NUMBER &&
                     strspn(a->text, "+-0123456789") == strlen(a->text) &&
                     strspn(b->text, "0123456789") == strlen(b->text);
        if (whole && a->line == b->line && b->column == a->column + (int32_t)strlen(a->text) + 1) {
            first = first < 0 ? i : first;
            ++*count;
            i++; // the second half begins no other number
        }
    }
    return first;
}

static cn_status fail_length(scene_reader *reader, const scene_field *field, const io_yaml *node,
                             int32_t count, const char *what) {
    if (node->kind == IO_YAML_LIST) {
        scene_fail_node(reader, node, CN_ERR_INPUT, "%s must be a list of %d %s, not of %d",
                        field->key, count, what, node->count);
    } else {
        scene_fail_node(reader, node, CN_ERR_INPUT, "%s must be a list of %d %s", field->key, count,
                        what);
    }
    int32_t cuts, cut = find_cut_number(node, &cuts);
    if (cut >= 0 && node->count - count > 0 && cuts != node->count - count) {
        base_fail_hint(reader->error, "a comma separates entries; write a decimal point, as 0.5");
    } else if (cut >= 0 && node->count > count) {
        base_fail_hint(reader->error, "a comma separates entries; write a decimal point: %s.%s",
                       node->item[cut]->text, node->item[cut + 1]->text);
    } else {
        static const char *const shown[] = {"[a]", "[a, b]", "[a, b, c]", "[a, b, c, d]"};
        base_fail_hint(reader->error, "write %s", shown[count < 4 ? count - 1 : 3]);
    }
    return CN_ERR_INPUT;
}

static cn_status read_numbers(scene_reader *reader, const scene_field *field, const io_yaml *node,
                              int32_t count, double *out) {
    if (node->kind != IO_YAML_LIST || node->count != count) {
        return fail_length(reader, field, node, count, "numbers");
    }
    // Items are numbers of this row, whatever the row's own kind is called.
    scene_field item = *field;
    item.kind = &scene_kind_real;
    for (int32_t i = 0; i < count; i++) {
        CN_TRY(scene_read_number(reader, &item, node->item[i], &out[i]));
    }
    return CN_OK;
}

// "type": "array" of numbers in the field's range, of low to high items.
static void json_array(io_json *json, const scene_field *field, const char *type, int32_t low,
                       int32_t high) {
    io_json_member(json, "type", "array");
    io_json_key(json, "items");
    io_json_open(json, '{');
    if (strcmp(type, "number") == 0) {
        scene_json_number(json, field);
    } else {
        io_json_member(json, "type", type);
        scene_json_range(json, field);
    }
    io_json_close(json, '}');
    if (low > 0) {
        io_json_member_number(json, "minItems", low);
        io_json_member_number(json, "maxItems", high);
    }
}

static bool put_numbers(char text[SCENE_DEFAULT_MAX], const double *value, int32_t count) {
    size_t used = 0;
    for (int32_t i = 0; i < count; i++) {
        char number[IO_NUMBER_TEXT_MAX];
        if (!isfinite(value[i])) {
            return false;
        }
        int length = snprintf(text + used, SCENE_DEFAULT_MAX - used, "%s%s%s", i ? ", " : "[",
                              io_number_text(value[i], number), i == count - 1 ? "]" : "");
        used += length > 0 ? (size_t)length : 0;
        if (used >= SCENE_DEFAULT_MAX) {
            return false;
        }
    }
    return true;
}

// ---- vectors ----

static cn_status vector_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                             void *out) {
    double *v = out;
    cn_status status = read_numbers(reader, field, node, reader->dim, v);
    if (status != CN_OK || !(field->flags & SCENE_UNIT_LENGTH)) {
        return status;
    }
    double norm = reader->dim == 3 ? sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
                                   : sqrt(v[0] * v[0] + v[1] * v[1]);
    if (!(norm > 0.0 && isfinite(norm))) {
        scene_fail_node(reader, node, CN_ERR_INPUT, "%s must have a length", field->key);
        base_fail_hint(reader->error, "it is a direction, as [0, 0, 1]; any length but 0 will do");
        return CN_ERR_INPUT;
    }
    // One that was normalised is left alone, so that what was written is what is used.
    for (int32_t i = 0; i < reader->dim && fabs(norm - 1.0) > UNIT_SLACK; i++) {
        v[i] /= norm;
    }
    return CN_OK;
}

static void vector_json(io_json *json, const scene_field *field) {
    int32_t low = field->flags & SCENE_ONLY_3D ? 3 : 2;
    json_array(json, field, "number", low, field->flags & SCENE_ONLY_2D ? 2 : 3);
}

static bool vector_print(const scene_field *field, int32_t dim, const void *value,
                         char text[SCENE_DEFAULT_MAX]) {
    (void)field;
    return put_numbers(text, value, dim);
}

const scene_kind scene_kind_vector = {.what = "a list of numbers, one a dimension",
                                      .read = vector_read,
                                      .json = vector_json,
                                      .print = vector_print};

static cn_status counts_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                             void *out) {
    int32_t *counts = out;
    counts[0] = counts[1] = counts[2] = 1;
    if (node->kind != IO_YAML_LIST || node->count != reader->dim) {
        return fail_length(reader, field, node, reader->dim, "whole numbers");
    }
    scene_field item = *field;
    item.kind = &scene_kind_int;
    for (int32_t i = 0; i < reader->dim; i++) {
        double value = 0.0;
        CN_TRY(scene_read_whole(reader, &item, node->item[i], INT32_MAX, &value));
        counts[i] = (int32_t)value;
    }
    return CN_OK;
}

static void counts_json(io_json *json, const scene_field *field) {
    json_array(json, field, "integer", 2, 3);
}

const scene_kind scene_kind_counts = {
    .what = "a list of whole numbers, one a dimension", .read = counts_read, .json = counts_json};

static cn_status quaternion_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                                 void *out) {
    double *q = out;
    CN_TRY(read_numbers(reader, field, node, 4, q));
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(norm > 0.0 && isfinite(norm))) {
        scene_fail_node(reader, node, CN_ERR_INPUT, "%s must not be null", field->key);
        base_fail_hint(reader->error, "[1, 0, 0, 0] is no rotation");
        return CN_ERR_INPUT;
    }
    // A unit quaternion is left alone, so that what was written is what is used.
    if (fabs(norm - 1.0) > UNIT_SLACK) {
        for (int i = 0; i < 4; i++) {
            q[i] /= norm;
        }
    }
    return CN_OK;
}

static void quaternion_json(io_json *json, const scene_field *field) {
    json_array(json, field, "number", 4, 4);
}

static bool quaternion_print(const scene_field *field, int32_t dim, const void *value,
                             char text[SCENE_DEFAULT_MAX]) {
    (void)field;
    (void)dim;
    return put_numbers(text, value, 4);
}

const scene_kind scene_kind_quaternion = {.what = "a quaternion [w, x, y, z]",
                                          .read = quaternion_read,
                                          .json = quaternion_json,
                                          .print = quaternion_print};

// ---- what is a vector in 3D and a number in 2D ----

static cn_status spin_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                           void *out) {
    double *spin = out;
    return reader->dim == 3 ? read_numbers(reader, field, node, 3, spin)
                            : scene_read_number(reader, field, node, &spin[2]);
}

static void spin_json(io_json *json, const scene_field *field) {
    io_json_key(json, "anyOf");
    io_json_open(json, '[');
    io_json_open(json, '{');
    json_array(json, field, "number", 3, 3);
    io_json_close(json, '}');
    io_json_open(json, '{');
    scene_json_number(json, field);
    io_json_close(json, '}');
    io_json_close(json, ']');
}

static bool spin_print(const scene_field *field, int32_t dim, const void *value,
                       char text[SCENE_DEFAULT_MAX]) {
    (void)field;
    const double *spin = value;
    return dim == 3 ? put_numbers(text, spin, 3) : io_number_text(spin[2], text) != NULL;
}

const scene_kind scene_kind_spin = {.what = "3 numbers in 3D, a number in 2D",
                                    .read = spin_read,
                                    .json = spin_json,
                                    .print = spin_print};

// [a, b, c] are principal moments along the body's axes; else three rows.
static cn_status inertia_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                              void *out) {
    double *J = out;
    if (reader->dim == 2) {
        J[0] = 0.0; // given: [0] is not NaN
        return scene_read_number(reader, field, node, &J[8]);
    }
    if (node->kind != IO_YAML_LIST || node->count != 3) {
        return fail_length(reader, field, node, 3, "numbers or rows");
    }
    if (node->item[0]->kind != IO_YAML_LIST) {
        double moment[3];
        memset(J, 0, 9 * sizeof *J);
        CN_TRY(read_numbers(reader, field, node, 3, moment));
        for (int i = 0; i < 3; i++) {
            J[4 * i] = moment[i];
        }
        return CN_OK;
    }
    scene_field row = *field;
    row.flags = 0; // products of inertia may be negative
    for (int i = 0; i < 3; i++) {
        CN_TRY(read_numbers(reader, &row, node->item[i], 3, J + 3 * i));
    }
    return CN_OK;
}

static void inertia_json(io_json *json, const scene_field *field) {
    (void)field;
    io_json_key(json, "type");
    io_json_open(json, '[');
    io_json_text(json, "number");
    io_json_text(json, "array");
    io_json_close(json, ']');
}

const scene_kind scene_kind_inertia = {.what = "3 numbers or 3 rows in 3D, a number in 2D",
                                       .read = inertia_read,
                                       .json = inertia_json};

// ---- ranges and boxes ----

static cn_status range_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                            void *out) {
    double *range = out;
    if (node->kind == IO_YAML_LIST) {
        cn_status status = read_numbers(reader, field, node, 2, range);
        if (status == CN_OK && !(range[0] <= range[1])) {
            scene_fail_node(reader, node, CN_ERR_INPUT, "%s must go from the smaller to the larger",
                            field->key);
            base_fail_hint(reader->error, "write [%s, %s]", node->item[1]->text,
                           node->item[0]->text);
            return CN_ERR_INPUT;
        }
        return status;
    }
    cn_status status = scene_read_number(reader, field, node, &range[0]);
    range[1] = range[0];
    return status;
}

static void range_json(io_json *json, const scene_field *field) {
    io_json_key(json, "anyOf");
    io_json_open(json, '[');
    io_json_open(json, '{');
    scene_json_number(json, field);
    io_json_close(json, '}');
    io_json_open(json, '{');
    json_array(json, field, "number", 2, 2);
    io_json_close(json, '}');
    io_json_close(json, ']');
}

const scene_kind scene_kind_range = {
    .what = "a number or [min, max]", .read = range_read, .json = range_json};

static cn_status corners_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                              void *out) {
    double *corner = out;
    if (node->kind != IO_YAML_LIST || node->count != 2) {
        return fail_length(reader, field, node, 2, "points");
    }
    for (int i = 0; i < 2; i++) {
        CN_TRY(read_numbers(reader, field, node->item[i], reader->dim, corner + 3 * i));
    }
    for (int32_t i = 0; i < reader->dim; i++) {
        if (!(corner[i] < corner[3 + i])) {
            return scene_fail_node(reader, node->item[1], CN_ERR_INPUT,
                                   "the second point of %s must be beyond the first in every axis",
                                   field->key);
        }
    }
    return CN_OK;
}

static void corners_json(io_json *json, const scene_field *field) {
    scene_json_list(json, field, vector_json);
    io_json_member_number(json, "minItems", 2);
    io_json_member_number(json, "maxItems", 2);
}

const scene_kind scene_kind_corners = {
    .what = "two points [low, high]", .read = corners_read, .json = corners_json};

// ---- lists of any length ----

static cn_status reals_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                            void *out) {
    scene_reals *reals = out;
    if (node->kind != IO_YAML_LIST) {
        return scene_fail_kind(reader, field, node);
    }
    reals->value = BASE_TAKE(reader->memory, double, node->count);
    reals->count = node->count;
    return reals->value ? read_numbers(reader, field, node, node->count, reals->value)
                        : no_memory(reader);
}

static void reals_json(io_json *json, const scene_field *field) {
    json_array(json, field, "number", 0, 0);
}

const scene_kind scene_kind_reals = {
    .what = "a list of numbers", .read = reals_read, .json = reals_json};

static cn_status points_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                             void *out) {
    scene_reals *points = out;
    if (node->kind != IO_YAML_LIST) {
        return scene_fail_kind(reader, field, node);
    }
    points->value = BASE_TAKE(reader->memory, double, (int64_t)node->count * reader->dim);
    points->count = node->count;
    if (!points->value) {
        return no_memory(reader);
    }
    for (int32_t i = 0; i < node->count; i++) {
        double *point = points->value + (int64_t)i * reader->dim;
        CN_TRY(read_numbers(reader, field, node->item[i], reader->dim, point));
    }
    return CN_OK;
}

static void points_json(io_json *json, const scene_field *field) {
    scene_json_list(json, field, vector_json);
}

const scene_kind scene_kind_points = {
    .what = "a list of points", .read = points_read, .json = points_json};

static cn_status faces_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                            void *out) {
    scene_faces *faces = out;
    if (node->kind != IO_YAML_LIST) {
        return scene_fail_kind(reader, field, node);
    }
    int64_t total = 0;
    for (int32_t i = 0; i < node->count; i++) {
        if (node->item[i]->kind != IO_YAML_LIST || node->item[i]->count < 3) {
            return scene_fail_node(reader, node->item[i], CN_ERR_INPUT,
                                   "each of %s must be a list of at least 3 indices", field->key);
        }
        total += node->item[i]->count;
    }
    faces->size = BASE_TAKE(reader->memory, int32_t, node->count);
    faces->index = BASE_TAKE(reader->memory, int32_t, total);
    faces->count = node->count;
    if (!faces->size || !faces->index) {
        return no_memory(reader);
    }
    int64_t next = 0;
    for (int32_t i = 0; i < node->count; i++) {
        const io_yaml *face = node->item[i];
        faces->size[i] = face->count;
        for (int32_t j = 0; j < face->count; j++) {
            double value = 0.0;
            CN_TRY(scene_read_whole(reader, field, face->item[j], INT32_MAX, &value));
            faces->index[next++] = (int32_t)value;
        }
    }
    return CN_OK;
}

static void faces_json(io_json *json, const scene_field *field) {
    io_json_member(json, "type", "array");
    io_json_key(json, "items");
    io_json_open(json, '{');
    json_array(json, field, "integer", 0, 0);
    io_json_member_number(json, "minItems", 3);
    io_json_close(json, '}');
}

const scene_kind scene_kind_faces = {
    .what = "a list of lists of vertex indices, from 0", .read = faces_read, .json = faces_json};

// ---- words ----

static cn_status names_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                            void *out) {
    bool one = node->kind == IO_YAML_TEXT && field->count == 0;
    if (node->kind == IO_YAML_NULL && field->count == 0) {
        return CN_OK;
    }
    if (!one && node->kind != IO_YAML_LIST) {
        return scene_fail_kind(reader, field, node);
    }
    if (field->count > 0 && node->count != field->count) {
        return fail_length(reader, field, node, field->count, "words");
    }
    scene_words own = {.count = one ? 1 : node->count};
    own.text = field->count > 0 ? out : BASE_TAKE(reader->memory, const char *, own.count);
    if (!own.text) {
        return no_memory(reader);
    }
    for (int32_t i = 0; i < own.count; i++) {
        io_yaml *item = one ? node : node->item[i];
        CN_TRY(scene_kind_text.read(reader, field, item, &own.text[i]));
    }
    if (field->count == 0) {
        *(scene_words *)out = own;
    }
    return CN_OK;
}

static void names_json(io_json *json, const scene_field *field) {
    scene_field plain = *field;
    plain.flags = 0;
    if (field->count == 0) {
        io_json_key(json, "type");
        io_json_open(json, '[');
        io_json_text(json, "string");
        io_json_text(json, "array");
        io_json_close(json, ']');
        return;
    }
    json_array(json, &plain, "string", field->count, field->count);
}

const scene_kind scene_kind_names = {
    .what = "a list of words", .read = names_read, .json = names_json};

static cn_status choices_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                              void *out) {
    uint32_t flags = 0;
    if (node->kind != IO_YAML_LIST) {
        return scene_fail_kind(reader, field, node);
    }
    for (int32_t i = 0; i < node->count; i++) {
        int32_t value = 0;
        CN_TRY(scene_read_choice(reader, field, node->item[i], &value));
        flags |= (uint32_t)value;
    }
    *(uint32_t *)out = flags;
    return CN_OK;
}

static void choices_json(io_json *json, const scene_field *field) {
    scene_json_list(json, field, scene_json_choices);
}

const scene_kind scene_kind_choices = {
    .what = "a list of words", .read = choices_read, .json = choices_json};
