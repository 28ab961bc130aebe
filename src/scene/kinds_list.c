// scene/kinds_list.c
// The kinds of values that are lists of numbers or words: vectors, points, faces, names.
#include "scene/kinds.h"

#include "base/arena.h"
#include "base/error.h"
#include "io/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CN_UNIT_SLACK 1e-15 // off by which a normalised quaternion can be after rounding

static cn_status cn_no_memory(cn_reader *reader) {
    return cn_fail_memory(reader->error);
}

static cn_status cn_fail_length(cn_reader *reader, const cn_field *field, const cn_yaml *node,
                                int32_t count, const char *what) {
    if (node->kind == CN_YAML_LIST) {
        return cn_fail_node(reader, node, CN_ERR_INPUT, "%s must be a list of %d %s, not of %d",
                            field->key, count, what, node->count);
    }
    return cn_fail_node(reader, node, CN_ERR_INPUT, "%s must be a list of %d %s", field->key, count,
                        what);
}

static cn_status cn_read_numbers(cn_reader *reader, const cn_field *field, const cn_yaml *node,
                                 int32_t count, double *out) {
    if (node->kind != CN_YAML_LIST || node->count != count) {
        return cn_fail_length(reader, field, node, count, "numbers");
    }
    // Items are numbers of this row, whatever the row's own kind is called.
    cn_field item = *field;
    item.kind = &cn_kind_real;
    for (int32_t i = 0; i < count; i++) {
        cn_status status = cn_read_number(reader, &item, node->item[i], &out[i]);
        if (status != CN_OK) {
            return status;
        }
    }
    return CN_OK;
}

// "type": "array" of numbers in the field's range, of low to high items.
static void cn_json_array(cn_json *json, const cn_field *field, const char *type, int32_t low,
                          int32_t high) {
    cn_json_member(json, "type", "array");
    cn_json_key(json, "items");
    cn_json_open(json, '{');
    cn_json_member(json, "type", type);
    cn_json_range(json, field);
    cn_json_close(json, '}');
    if (low > 0) {
        cn_json_member_number(json, "minItems", low);
        cn_json_member_number(json, "maxItems", high);
    }
}

static bool cn_put_numbers(char text[CN_DEFAULT_MAX], const double *value, int32_t count) {
    size_t used = 0;
    for (int32_t i = 0; i < count; i++) {
        char number[CN_NUMBER_TEXT_MAX];
        if (!isfinite(value[i])) {
            return false;
        }
        int length = snprintf(text + used, CN_DEFAULT_MAX - used, "%s%s%s", i ? ", " : "[",
                              cn_number_text(value[i], number), i == count - 1 ? "]" : "");
        used += length > 0 ? (size_t)length : 0;
        if (used >= CN_DEFAULT_MAX) {
            return false;
        }
    }
    return true;
}

// ---- vectors ----

static cn_status cn_vector_read(cn_reader *reader, const cn_field *field, cn_yaml *node,
                                void *out) {
    double *v = out;
    cn_status status = cn_read_numbers(reader, field, node, reader->dim, v);
    if (status != CN_OK || !(field->flags & CN_UNIT_LENGTH)) {
        return status;
    }
    double norm = reader->dim == 3 ? sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
                                   : sqrt(v[0] * v[0] + v[1] * v[1]);
    if (!(norm > 0.0 && isfinite(norm))) {
        return cn_fail_node(reader, node, CN_ERR_INPUT, "%s must have a length", field->key);
    }
    for (int32_t i = 0; i < reader->dim; i++) {
        v[i] /= norm;
    }
    return CN_OK;
}

static void cn_vector_json(cn_json *json, const cn_field *field) {
    int32_t low = field->flags & CN_ONLY_3D ? 3 : 2;
    cn_json_array(json, field, "number", low, field->flags & CN_ONLY_2D ? 2 : 3);
}

static bool cn_vector_print(const cn_field *field, int32_t dim, const void *value,
                            char text[CN_DEFAULT_MAX]) {
    (void)field;
    return cn_put_numbers(text, value, dim);
}

const cn_kind cn_kind_vector = {.what = "a list of numbers, one a dimension",
                                .read = cn_vector_read,
                                .json = cn_vector_json,
                                .print = cn_vector_print};

static cn_status cn_counts_read(cn_reader *reader, const cn_field *field, cn_yaml *node,
                                void *out) {
    int32_t *counts = out;
    counts[0] = counts[1] = counts[2] = 1;
    if (node->kind != CN_YAML_LIST || node->count != reader->dim) {
        return cn_fail_length(reader, field, node, reader->dim, "whole numbers");
    }
    cn_field item = *field;
    item.kind = &cn_kind_int;
    for (int32_t i = 0; i < reader->dim; i++) {
        double value = 0.0;
        cn_status status = cn_read_whole(reader, &item, node->item[i], INT32_MAX, &value);
        if (status != CN_OK) {
            return status;
        }
        counts[i] = (int32_t)value;
    }
    return CN_OK;
}

static void cn_counts_json(cn_json *json, const cn_field *field) {
    cn_json_array(json, field, "integer", 2, 3);
}

const cn_kind cn_kind_counts = {.what = "a list of whole numbers, one a dimension",
                                .read = cn_counts_read,
                                .json = cn_counts_json};

static cn_status cn_quaternion_read(cn_reader *reader, const cn_field *field, cn_yaml *node,
                                    void *out) {
    double *q = out;
    cn_status status = cn_read_numbers(reader, field, node, 4, q);
    if (status == CN_OK) {
        double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        if (!(norm > 0.0 && isfinite(norm))) {
            return cn_fail_node(reader, node, CN_ERR_INPUT, "%s must not be null", field->key);
        }
        // A unit quaternion is left alone, so that what was written is what is used.
        if (fabs(norm - 1.0) > CN_UNIT_SLACK) {
            for (int i = 0; i < 4; i++) {
                q[i] /= norm;
            }
        }
    }
    return status;
}

static void cn_quaternion_json(cn_json *json, const cn_field *field) {
    cn_json_array(json, field, "number", 4, 4);
}

static bool cn_quaternion_print(const cn_field *field, int32_t dim, const void *value,
                                char text[CN_DEFAULT_MAX]) {
    (void)field;
    (void)dim;
    return cn_put_numbers(text, value, 4);
}

const cn_kind cn_kind_quaternion = {.what = "a quaternion [w, x, y, z]",
                                    .read = cn_quaternion_read,
                                    .json = cn_quaternion_json,
                                    .print = cn_quaternion_print};

// ---- what is a vector in 3D and a number in 2D ----

static cn_status cn_spin_read(cn_reader *reader, const cn_field *field, cn_yaml *node, void *out) {
    double *spin = out;
    return reader->dim == 3 ? cn_read_numbers(reader, field, node, 3, spin)
                            : cn_read_number(reader, field, node, &spin[2]);
}

static void cn_spin_json(cn_json *json, const cn_field *field) {
    cn_json_key(json, "anyOf");
    cn_json_open(json, '[');
    cn_json_open(json, '{');
    cn_json_array(json, field, "number", 3, 3);
    cn_json_close(json, '}');
    cn_json_open(json, '{');
    cn_json_member(json, "type", "number");
    cn_json_close(json, '}');
    cn_json_close(json, ']');
}

static bool cn_spin_print(const cn_field *field, int32_t dim, const void *value,
                          char text[CN_DEFAULT_MAX]) {
    (void)field;
    const double *spin = value;
    return dim == 3 ? cn_put_numbers(text, spin, 3) : cn_number_text(spin[2], text) != NULL;
}

const cn_kind cn_kind_spin = {.what = "3 numbers in 3D, a number in 2D",
                              .read = cn_spin_read,
                              .json = cn_spin_json,
                              .print = cn_spin_print};

// [a, b, c] are principal moments along the body's axes; else three rows.
static cn_status cn_inertia_read(cn_reader *reader, const cn_field *field, cn_yaml *node,
                                 void *out) {
    double *J = out;
    if (reader->dim == 2) {
        J[0] = 0.0; // given: [0] is not NaN
        return cn_read_number(reader, field, node, &J[8]);
    }
    if (node->kind != CN_YAML_LIST || node->count != 3) {
        return cn_fail_length(reader, field, node, 3, "numbers or rows");
    }
    if (node->item[0]->kind != CN_YAML_LIST) {
        double moment[3];
        memset(J, 0, 9 * sizeof *J);
        cn_status status = cn_read_numbers(reader, field, node, 3, moment);
        for (int i = 0; i < 3 && status == CN_OK; i++) {
            J[4 * i] = moment[i];
        }
        return status;
    }
    cn_field row = *field;
    row.flags = 0; // products of inertia may be negative
    for (int i = 0; i < 3; i++) {
        cn_status status = cn_read_numbers(reader, &row, node->item[i], 3, J + 3 * i);
        if (status != CN_OK) {
            return status;
        }
    }
    return CN_OK;
}

static void cn_inertia_json(cn_json *json, const cn_field *field) {
    (void)field;
    cn_json_key(json, "type");
    cn_json_open(json, '[');
    cn_json_text(json, "number");
    cn_json_text(json, "array");
    cn_json_close(json, ']');
}

const cn_kind cn_kind_inertia = {.what = "3 numbers or 3 rows in 3D, a number in 2D",
                                 .read = cn_inertia_read,
                                 .json = cn_inertia_json};

// ---- ranges and boxes ----

static cn_status cn_range_read(cn_reader *reader, const cn_field *field, cn_yaml *node, void *out) {
    double *range = out;
    if (node->kind == CN_YAML_LIST) {
        cn_status status = cn_read_numbers(reader, field, node, 2, range);
        if (status == CN_OK && !(range[0] <= range[1])) {
            return cn_fail_node(reader, node, CN_ERR_INPUT,
                                "%s must go from the smaller to the larger", field->key);
        }
        return status;
    }
    cn_status status = cn_read_number(reader, field, node, &range[0]);
    range[1] = range[0];
    return status;
}

static void cn_range_json(cn_json *json, const cn_field *field) {
    cn_json_key(json, "anyOf");
    cn_json_open(json, '[');
    cn_json_open(json, '{');
    cn_json_member(json, "type", "number");
    cn_json_range(json, field);
    cn_json_close(json, '}');
    cn_json_open(json, '{');
    cn_json_array(json, field, "number", 2, 2);
    cn_json_close(json, '}');
    cn_json_close(json, ']');
}

const cn_kind cn_kind_range = {
    .what = "a number or [least, most]", .read = cn_range_read, .json = cn_range_json};

static cn_status cn_corners_read(cn_reader *reader, const cn_field *field, cn_yaml *node,
                                 void *out) {
    double *corner = out;
    if (node->kind != CN_YAML_LIST || node->count != 2) {
        return cn_fail_length(reader, field, node, 2, "points");
    }
    for (int i = 0; i < 2; i++) {
        cn_status status =
            cn_read_numbers(reader, field, node->item[i], reader->dim, corner + 3 * i);
        if (status != CN_OK) {
            return status;
        }
    }
    for (int32_t i = 0; i < reader->dim; i++) {
        if (!(corner[i] < corner[3 + i])) {
            return cn_fail_node(reader, node->item[1], CN_ERR_INPUT,
                                "the second point of %s must be beyond the first in every axis",
                                field->key);
        }
    }
    return CN_OK;
}

static void cn_corners_json(cn_json *json, const cn_field *field) {
    cn_json_member(json, "type", "array");
    cn_json_key(json, "items");
    cn_json_open(json, '{');
    cn_vector_json(json, field);
    cn_json_close(json, '}');
    cn_json_member_number(json, "minItems", 2);
    cn_json_member_number(json, "maxItems", 2);
}

const cn_kind cn_kind_corners = {
    .what = "two points [low, high]", .read = cn_corners_read, .json = cn_corners_json};

// ---- lists of any length ----

static cn_status cn_reals_read(cn_reader *reader, const cn_field *field, cn_yaml *node, void *out) {
    cn_reals *reals = out;
    if (node->kind != CN_YAML_LIST) {
        return cn_fail_kind(reader, field, node);
    }
    reals->value = CN_TAKE(reader->memory, double, node->count);
    reals->count = node->count;
    return reals->value ? cn_read_numbers(reader, field, node, node->count, reals->value)
                        : cn_no_memory(reader);
}

static void cn_reals_json(cn_json *json, const cn_field *field) {
    cn_json_array(json, field, "number", 0, 0);
}

const cn_kind cn_kind_reals = {
    .what = "a list of numbers", .read = cn_reals_read, .json = cn_reals_json};

static cn_status cn_points_read(cn_reader *reader, const cn_field *field, cn_yaml *node,
                                void *out) {
    cn_reals *points = out;
    if (node->kind != CN_YAML_LIST) {
        return cn_fail_kind(reader, field, node);
    }
    points->value = CN_TAKE(reader->memory, double, (int64_t)node->count * reader->dim);
    points->count = node->count;
    if (!points->value) {
        return cn_no_memory(reader);
    }
    for (int32_t i = 0; i < node->count; i++) {
        double *point = points->value + (int64_t)i * reader->dim;
        cn_status status = cn_read_numbers(reader, field, node->item[i], reader->dim, point);
        if (status != CN_OK) {
            return status;
        }
    }
    return CN_OK;
}

static void cn_points_json(cn_json *json, const cn_field *field) {
    cn_json_member(json, "type", "array");
    cn_json_key(json, "items");
    cn_json_open(json, '{');
    cn_vector_json(json, field);
    cn_json_close(json, '}');
}

const cn_kind cn_kind_points = {
    .what = "a list of points", .read = cn_points_read, .json = cn_points_json};

static cn_status cn_faces_read(cn_reader *reader, const cn_field *field, cn_yaml *node, void *out) {
    cn_faces *faces = out;
    if (node->kind != CN_YAML_LIST) {
        return cn_fail_kind(reader, field, node);
    }
    int64_t total = 0;
    for (int32_t i = 0; i < node->count; i++) {
        if (node->item[i]->kind != CN_YAML_LIST || node->item[i]->count < 3) {
            return cn_fail_node(reader, node->item[i], CN_ERR_INPUT,
                                "each of %s must be a list of at least 3 indices", field->key);
        }
        total += node->item[i]->count;
    }
    faces->size = CN_TAKE(reader->memory, int32_t, node->count);
    faces->index = CN_TAKE(reader->memory, int32_t, total);
    faces->count = node->count;
    if (!faces->size || !faces->index) {
        return cn_no_memory(reader);
    }
    int64_t next = 0;
    for (int32_t i = 0; i < node->count; i++) {
        const cn_yaml *face = node->item[i];
        faces->size[i] = face->count;
        for (int32_t j = 0; j < face->count; j++) {
            double value = 0.0;
            cn_status status = cn_read_whole(reader, field, face->item[j], INT32_MAX, &value);
            if (status != CN_OK) {
                return status;
            }
            faces->index[next++] = (int32_t)value;
        }
    }
    return CN_OK;
}

static void cn_faces_json(cn_json *json, const cn_field *field) {
    cn_json_member(json, "type", "array");
    cn_json_key(json, "items");
    cn_json_open(json, '{');
    cn_json_array(json, field, "integer", 0, 0);
    cn_json_member_number(json, "minItems", 3);
    cn_json_close(json, '}');
}

const cn_kind cn_kind_faces = {.what = "a list of lists of vertex indices, from 0",
                               .read = cn_faces_read,
                               .json = cn_faces_json};

// ---- words ----

static cn_status cn_names_read(cn_reader *reader, const cn_field *field, cn_yaml *node, void *out) {
    bool one = node->kind == CN_YAML_TEXT && field->count == 0;
    if (node->kind == CN_YAML_NULL && field->count == 0) {
        return CN_OK;
    }
    if (!one && node->kind != CN_YAML_LIST) {
        return cn_fail_kind(reader, field, node);
    }
    if (field->count > 0 && node->count != field->count) {
        return cn_fail_length(reader, field, node, field->count, "words");
    }
    cn_words own = {.count = one ? 1 : node->count};
    own.text = field->count > 0 ? out : CN_TAKE(reader->memory, const char *, own.count);
    if (!own.text) {
        return cn_no_memory(reader);
    }
    for (int32_t i = 0; i < own.count; i++) {
        cn_yaml *item = one ? node : node->item[i];
        cn_status status = cn_kind_text.read(reader, field, item, &own.text[i]);
        if (status != CN_OK) {
            return status;
        }
    }
    if (field->count == 0) {
        *(cn_words *)out = own;
    }
    return CN_OK;
}

static void cn_names_json(cn_json *json, const cn_field *field) {
    cn_field plain = *field;
    plain.flags = 0;
    if (field->count == 0) {
        cn_json_key(json, "type");
        cn_json_open(json, '[');
        cn_json_text(json, "string");
        cn_json_text(json, "array");
        cn_json_close(json, ']');
        return;
    }
    cn_json_array(json, &plain, "string", field->count, field->count);
}

const cn_kind cn_kind_names = {
    .what = "a list of words", .read = cn_names_read, .json = cn_names_json};

static cn_status cn_choices_read(cn_reader *reader, const cn_field *field, cn_yaml *node,
                                 void *out) {
    uint32_t flags = 0;
    if (node->kind != CN_YAML_LIST) {
        return cn_fail_kind(reader, field, node);
    }
    for (int32_t i = 0; i < node->count; i++) {
        int32_t value = 0;
        cn_status status = cn_read_choice(reader, field, node->item[i], &value);
        if (status != CN_OK) {
            return status;
        }
        flags |= (uint32_t)value;
    }
    *(uint32_t *)out = flags;
    return CN_OK;
}

static void cn_choices_json(cn_json *json, const cn_field *field) {
    cn_json_member(json, "type", "array");
    cn_json_key(json, "items");
    cn_json_open(json, '{');
    cn_json_choices(json, field);
    cn_json_close(json, '}');
}

const cn_kind cn_kind_choices = {
    .what = "a list of words", .read = cn_choices_read, .json = cn_choices_json};
