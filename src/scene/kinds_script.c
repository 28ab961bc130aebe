// scene/kinds_script.c
// Numbers and expressions of systems: single ones, lists, matrices, and maps of names. They are
// compiled when the system is built, since only then all names are known.
#include "scene/kinds.h"

#include "base/arena.h"
#include "base/error.h"

static cn_status cn_read_formula(cn_reader *reader, const cn_field *field, const cn_yaml *node,
                                 cn_script_text *out) {
    *out = (cn_script_text){
        .source = {.file = node->file, .line = node->line, .column = node->column + node->quoted}};
    if (node->kind == CN_YAML_NUMBER) {
        cn_field number = *field;
        number.kind = &cn_kind_real;
        number.flags = 0;
        return cn_read_number(reader, &number, node, &out->number);
    }
    if (node->kind != CN_YAML_TEXT) {
        return cn_fail_kind(reader, field, node);
    }
    out->text = node->text;
    return CN_OK;
}

static void cn_formula_json(cn_json *json, const cn_field *field) {
    static const char *const types[] = {"number", "string"};
    (void)field;
    cn_json_key(json, "anyOf");
    cn_json_open(json, '[');
    for (int i = 0; i < 2; i++) {
        cn_json_open(json, '{');
        cn_json_member(json, "type", types[i]);
        cn_json_close(json, '}');
    }
    cn_json_close(json, ']');
}

static cn_status cn_formula_read(cn_reader *reader, const cn_field *field, cn_yaml *node,
                                 void *out) {
    return cn_read_formula(reader, field, node, out);
}

const cn_kind cn_kind_formula = {
    .what = "a number or an expression", .read = cn_formula_read, .json = cn_formula_json};

// ---- lists ----

static cn_status cn_formulas_read(cn_reader *reader, const cn_field *field, cn_yaml *node,
                                  void *out) {
    cn_script_list *list = out;
    if (node->kind != CN_YAML_LIST) {
        return cn_fail_kind(reader, field, node);
    }
    list->of = CN_TAKE(reader->memory, cn_script_text, node->count);
    list->count = node->count;
    cn_status status = list->of ? CN_OK : cn_fail_memory(reader->error);
    for (int32_t i = 0; status == CN_OK && i < node->count; i++) {
        status = cn_read_formula(reader, field, node->item[i], &list->of[i]);
    }
    return status;
}

static void cn_formulas_json(cn_json *json, const cn_field *field) {
    cn_json_member(json, "type", "array");
    cn_json_key(json, "items");
    cn_json_open(json, '{');
    cn_formula_json(json, field);
    cn_json_close(json, '}');
}

const cn_kind cn_kind_formulas = {
    .what = "a list of numbers or expressions", .read = cn_formulas_read, .json = cn_formulas_json};

// ---- matrices, by rows ----

static cn_status cn_matrix_size(cn_reader *reader, const cn_field *field, const cn_yaml *node,
                                int32_t *rows, int32_t *cols) {
    if (node->kind != CN_YAML_LIST || node->count == 0) {
        return cn_fail_kind(reader, field, node);
    }
    *rows = node->count;
    for (int32_t i = 0; i < node->count; i++) {
        const cn_yaml *row = node->item[i];
        if (row->kind != CN_YAML_LIST) {
            return cn_fail_kind(reader, field, row);
        }
        *cols = i == 0 ? row->count : *cols;
        if (row->count != *cols) {
            return cn_fail_node(reader, row, CN_ERR_INPUT,
                                "%s: row %d has %d entries, the first has %d", field->key,
                                (int)i + 1, (int)row->count, (int)*cols);
        }
    }
    return CN_OK;
}

static cn_status cn_formula_rows_read(cn_reader *reader, const cn_field *field, cn_yaml *node,
                                      void *out) {
    cn_formula_matrix *matrix = out;
    cn_status status = cn_matrix_size(reader, field, node, &matrix->rows, &matrix->cols);
    if (status != CN_OK) {
        return status;
    }
    matrix->of = CN_TAKE(reader->memory, cn_script_text, (int64_t)matrix->rows * matrix->cols);
    status = matrix->of ? CN_OK : cn_fail_memory(reader->error);
    for (int64_t k = 0; status == CN_OK && k < (int64_t)matrix->rows * matrix->cols; k++) {
        const cn_yaml *entry = node->item[k / matrix->cols]->item[k % matrix->cols];
        status = cn_read_formula(reader, field, entry, &matrix->of[k]);
    }
    return status;
}

static void cn_formula_rows_json(cn_json *json, const cn_field *field) {
    cn_json_member(json, "type", "array");
    cn_json_key(json, "items");
    cn_json_open(json, '{');
    cn_formulas_json(json, field);
    cn_json_close(json, '}');
}

const cn_kind cn_kind_formula_rows = {.what = "a matrix: a list of rows of numbers or expressions",
                                      .read = cn_formula_rows_read,
                                      .json = cn_formula_rows_json};

static cn_status cn_matrix_read(cn_reader *reader, const cn_field *field, cn_yaml *node,
                                void *out) {
    cn_matrix *matrix = out;
    cn_status status = cn_matrix_size(reader, field, node, &matrix->rows, &matrix->cols);
    if (status != CN_OK) {
        return status;
    }
    matrix->value = CN_TAKE(reader->memory, double, (int64_t)matrix->rows * matrix->cols);
    status = matrix->value ? CN_OK : cn_fail_memory(reader->error);
    for (int64_t k = 0; status == CN_OK && k < (int64_t)matrix->rows * matrix->cols; k++) {
        const cn_yaml *entry = node->item[k / matrix->cols]->item[k % matrix->cols];
        status = cn_read_number(reader, field, entry, &matrix->value[k]);
    }
    return status;
}

static void cn_matrix_json(cn_json *json, const cn_field *field) {
    (void)field;
    cn_json_member(json, "type", "array");
    cn_json_key(json, "items");
    cn_json_open(json, '{');
    cn_json_member(json, "type", "array");
    cn_json_key(json, "items");
    cn_json_open(json, '{');
    cn_json_member(json, "type", "number");
    cn_json_close(json, '}');
    cn_json_close(json, '}');
}

const cn_kind cn_kind_matrix = {
    .what = "a matrix: a list of rows of numbers", .read = cn_matrix_read, .json = cn_matrix_json};

// ---- maps of names ----

static cn_status cn_assignments_read(cn_reader *reader, const cn_field *field, cn_yaml *node,
                                     void *out) {
    cn_script_names *names = out;
    if (node->kind == CN_YAML_NULL) {
        return CN_OK;
    }
    if (node->kind != CN_YAML_MAP) {
        return cn_fail_kind(reader, field, node);
    }
    names->of = CN_TAKE(reader->memory, cn_script_name, node->count);
    names->count = node->count;
    cn_status status = names->of ? CN_OK : cn_fail_memory(reader->error);
    for (int32_t i = 0; status == CN_OK && i < node->count; i++) {
        names->of[i].name = node->key[i]->text;
        status = cn_read_formula(reader, field, node->item[i], &names->of[i].value);
    }
    return status;
}

static void cn_assignments_json(cn_json *json, const cn_field *field) {
    cn_json_member(json, "type", "object");
    cn_json_key(json, "additionalProperties");
    cn_json_open(json, '{');
    cn_formula_json(json, field);
    cn_json_close(json, '}');
}

const cn_kind cn_kind_assignments = {.what = "a map of names to numbers or expressions",
                                     .read = cn_assignments_read,
                                     .json = cn_assignments_json};
