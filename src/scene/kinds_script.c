// scene/kinds_script.c
// Numbers and expressions of systems: single ones, lists, matrices, and maps of names. They are
// compiled when the system is built, since only then all names are known.
#include "scene/kinds.h"

#include "base/arena.h"
#include "base/error.h"

static cn_status read_formula(scene_reader *reader, const scene_field *field, const io_yaml *node,
                              sys_script_text *out) {
    *out = (sys_script_text){
        .source = {.file = node->file, .line = node->line, .column = node->column + node->quoted}};
    if (node->kind == IO_YAML_NUMBER) {
        scene_field number = *field;
        number.kind = &scene_kind_real;
        number.flags = 0;
        return scene_read_number(reader, &number, node, &out->number);
    }
    if (node->kind != IO_YAML_TEXT) {
        return scene_fail_kind(reader, field, node);
    }
    out->text = node->text;
    return CN_OK;
}

static void formula_json(io_json *json, const scene_field *field) {
    (void)field;
    io_json_key(json, "anyOf");
    io_json_open(json, '[');
    scene_json_number_or_text(json);
    io_json_close(json, ']');
}

static cn_status formula_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                              void *out) {
    return read_formula(reader, field, node, out);
}

const scene_kind scene_kind_formula = {
    .what = "a number or an expression", .read = formula_read, .json = formula_json};

// ---- lists ----

static cn_status formulas_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                               void *out) {
    sys_script_list *list = out;
    if (node->kind != IO_YAML_LIST) {
        return scene_fail_kind(reader, field, node);
    }
    list->of = BASE_TAKE(reader->memory, sys_script_text, node->count);
    list->count = node->count;
    if (!list->of) {
        return base_fail_memory(reader->error);
    }
    for (int32_t i = 0; i < node->count; i++) {
        CN_TRY(read_formula(reader, field, node->item[i], &list->of[i]));
    }
    return CN_OK;
}

static void formulas_json(io_json *json, const scene_field *field) {
    scene_json_list(json, field, formula_json);
}

const scene_kind scene_kind_formulas = {
    .what = "a list of numbers or expressions", .read = formulas_read, .json = formulas_json};

// ---- matrices, by rows ----

static cn_status matrix_size(scene_reader *reader, const scene_field *field, const io_yaml *node,
                             int32_t *rows, int32_t *cols) {
    if (node->kind != IO_YAML_LIST || node->count == 0) {
        return scene_fail_kind(reader, field, node);
    }
    *rows = node->count;
    for (int32_t i = 0; i < node->count; i++) {
        const io_yaml *row = node->item[i];
        if (row->kind != IO_YAML_LIST) {
            return scene_fail_kind(reader, field, row);
        }
        *cols = i == 0 ? row->count : *cols;
        if (row->count != *cols) {
            return scene_fail_node(reader, row, CN_ERR_INPUT,
                                   "%s: row %d has %d entries, the first has %d", field->key,
                                   (int)i + 1, (int)row->count, (int)*cols);
        }
    }
    return CN_OK;
}

static cn_status formula_rows_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                                   void *out) {
    scene_formula_matrix *matrix = out;
    CN_TRY(matrix_size(reader, field, node, &matrix->rows, &matrix->cols));
    matrix->of = BASE_TAKE(reader->memory, sys_script_text, (int64_t)matrix->rows * matrix->cols);
    if (!matrix->of) {
        return base_fail_memory(reader->error);
    }
    for (int64_t k = 0; k < (int64_t)matrix->rows * matrix->cols; k++) {
        const io_yaml *entry = node->item[k / matrix->cols]->item[k % matrix->cols];
        CN_TRY(read_formula(reader, field, entry, &matrix->of[k]));
    }
    return CN_OK;
}

static void formula_rows_json(io_json *json, const scene_field *field) {
    scene_json_list(json, field, formulas_json);
}

const scene_kind scene_kind_formula_rows = {
    .what = "a matrix: a list of rows of numbers or expressions",
    .read = formula_rows_read,
    .json = formula_rows_json};

static cn_status matrix_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                             void *out) {
    scene_matrix *matrix = out;
    CN_TRY(matrix_size(reader, field, node, &matrix->rows, &matrix->cols));
    matrix->value = BASE_TAKE(reader->memory, double, (int64_t)matrix->rows * matrix->cols);
    if (!matrix->value) {
        return base_fail_memory(reader->error);
    }
    for (int64_t k = 0; k < (int64_t)matrix->rows * matrix->cols; k++) {
        const io_yaml *entry = node->item[k / matrix->cols]->item[k % matrix->cols];
        CN_TRY(scene_read_number(reader, field, entry, &matrix->value[k]));
    }
    return CN_OK;
}

static void matrix_json(io_json *json, const scene_field *field) {
    (void)field;
    io_json_member(json, "type", "array");
    io_json_key(json, "items");
    io_json_open(json, '{');
    io_json_member(json, "type", "array");
    io_json_key(json, "items");
    io_json_open(json, '{');
    io_json_member(json, "type", "number");
    io_json_close(json, '}');
    io_json_close(json, '}');
}

const scene_kind scene_kind_matrix = {
    .what = "a matrix: a list of rows of numbers", .read = matrix_read, .json = matrix_json};

// ---- maps of names ----

static cn_status assignments_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                                  void *out) {
    sys_script_names *names = out;
    if (node->kind == IO_YAML_NULL) {
        return CN_OK;
    }
    if (node->kind != IO_YAML_MAP) {
        return scene_fail_kind(reader, field, node);
    }
    names->of = BASE_TAKE(reader->memory, sys_script_name, node->count);
    names->count = node->count;
    if (!names->of) {
        return base_fail_memory(reader->error);
    }
    for (int32_t i = 0; i < node->count; i++) {
        names->of[i].name = node->key[i]->text;
        CN_TRY(read_formula(reader, field, node->item[i], &names->of[i].value));
    }
    return CN_OK;
}

static void assignments_json(io_json *json, const scene_field *field) {
    io_json_member(json, "type", "object");
    io_json_key(json, "additionalProperties");
    io_json_open(json, '{');
    formula_json(json, field);
    io_json_close(json, '}');
}

const scene_kind scene_kind_assignments = {.what = "a map of names to numbers or expressions",
                                           .read = assignments_read,
                                           .json = assignments_json};
