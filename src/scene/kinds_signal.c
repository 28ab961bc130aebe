// scene/kinds_signal.c
// Functions of time: a number, an expression in t, or a table of times and values.
#include "scene/kinds.h"

#include "base/error.h"
#include "base/signal.h"

typedef struct cn_signal_entry {
    const cn_yaml *node;
    cn_reals times, values;
} cn_signal_entry;

static cn_status cn_signal_check(cn_reader *reader, cn_yaml *node, void *out) {
    const cn_signal_entry *entry = out;
    if (entry->times.count != entry->values.count || entry->times.count == 0) {
        return cn_fail_node(reader, node, CN_ERR_INPUT,
                            "times and values must be as many, and not none: there are %d and %d",
                            entry->times.count, entry->values.count);
    }
    for (int32_t i = 1; i < entry->times.count; i++) {
        if (!(entry->times.value[i - 1] < entry->times.value[i])) {
            return cn_fail_node(reader, cn_yaml_get(node, "times")->item[i], CN_ERR_INPUT,
                                "the times must ascend");
        }
    }
    return CN_OK;
}

static const cn_field cn_signal_fields[] = {
    {.key = "times",
     .kind = &cn_kind_reals,
     .offset = offsetof(cn_signal_entry, times),
     .flags = CN_REQUIRED,
     .unit = "s",
     .help = "ascending times"},
    {.key = "values",
     .kind = &cn_kind_reals,
     .offset = offsetof(cn_signal_entry, values),
     .flags = CN_REQUIRED,
     .help = "the value at each time; linear between them, constant outside"},
};

const cn_table cn_signal_table = {
    .name = "signal",
    .help = "A function of time as a table. A number or an expression in t (\"2*sin(3*t)\") may "
            "stand in its place.",
    .field = cn_signal_fields,
    .count = CN_COUNT(cn_signal_fields),
    .size = sizeof(cn_signal_entry),
    .check = cn_signal_check,
};

// Compiles the expression once, so that a fault is pointed at inside it.
static cn_status cn_check_expression(cn_reader *reader, const cn_yaml *node) {
    cn_error fault = {0};
    cn_signal *signal = cn_signal_create(cn_arena_env(reader->memory), 0.0, node->text, NULL, NULL,
                                         0, &reader->outputs, &fault);
    if (signal) {
        cn_signal_destroy(signal);
        return CN_OK;
    }
    int32_t behind = fault.column > 0 ? fault.column - 1 : 0;
    cn_fail_at(&fault, node->file, node->line, node->column + node->quoted + behind);
    if (reader->error) {
        *reader->error = fault;
    }
    return fault.status;
}

static cn_status cn_read_signal(cn_reader *reader, const cn_field *field, cn_yaml *node,
                                cn_signal_def *out) {
    *out =
        (cn_signal_def){.source = {.file = node->file, .line = node->line, .column = node->column}};
    if (node->kind == CN_YAML_NUMBER) {
        cn_field number = *field;
        number.kind = &cn_kind_real;
        return cn_read_number(reader, &number, node, &out->constant);
    }
    if (node->kind == CN_YAML_TEXT) {
        out->expression = node->text;
        return cn_check_expression(reader, node);
    }
    if (node->kind != CN_YAML_MAP) {
        return cn_fail_kind(reader, field, node);
    }
    cn_signal_entry entry;
    cn_status status = cn_table_read(reader, field->table, node, &entry);
    out->times = entry.times.value;
    out->values = entry.values.value;
    out->count = entry.times.count;
    return status;
}

static void cn_json_signal(cn_json *json, const cn_field *field) {
    static const char *const types[] = {"number", "string"};
    cn_json_key(json, "anyOf");
    cn_json_open(json, '[');
    for (int i = 0; i < 2; i++) {
        cn_json_open(json, '{');
        cn_json_member(json, "type", types[i]);
        cn_json_close(json, '}');
    }
    cn_json_open(json, '{');
    cn_json_table(json, field->table);
    cn_json_close(json, '}');
    cn_json_close(json, ']');
}

static cn_status cn_signal_read(cn_reader *reader, const cn_field *field, cn_yaml *node,
                                void *out) {
    return cn_read_signal(reader, field, node, out);
}

const cn_kind cn_kind_signal = {.what = "a number, an expression in t or a table",
                                .read = cn_signal_read,
                                .json = cn_json_signal};

static cn_status cn_signals_read(cn_reader *reader, const cn_field *field, cn_yaml *node,
                                 void *out) {
    cn_signal_def *signal = out;
    if (node->kind != CN_YAML_LIST || node->count != reader->dim) {
        return cn_fail_node(reader, node, CN_ERR_INPUT,
                            "%s must be a list of %d numbers, expressions or tables", field->key,
                            reader->dim);
    }
    for (int32_t i = 0; i < reader->dim; i++) {
        cn_status status = cn_read_signal(reader, field, node->item[i], &signal[i]);
        if (status != CN_OK) {
            return status;
        }
    }
    return CN_OK;
}

static void cn_signals_json(cn_json *json, const cn_field *field) {
    cn_json_member(json, "type", "array");
    cn_json_key(json, "items");
    cn_json_open(json, '{');
    cn_json_signal(json, field);
    cn_json_close(json, '}');
    cn_json_member_number(json, "minItems", 2);
    cn_json_member_number(json, "maxItems", 3);
}

const cn_kind cn_kind_signals = {.what = "a list of numbers, expressions in t or tables",
                                 .read = cn_signals_read,
                                 .json = cn_signals_json};

static cn_status cn_spin_signals_read(cn_reader *reader, const cn_field *field, cn_yaml *node,
                                      void *out) {
    cn_signal_def *signal = out;
    return reader->dim == 3 ? cn_signals_read(reader, field, node, out)
                            : cn_read_signal(reader, field, node, &signal[2]);
}

static void cn_spin_signals_json(cn_json *json, const cn_field *field) {
    cn_json_key(json, "anyOf");
    cn_json_open(json, '[');
    cn_json_open(json, '{');
    cn_signals_json(json, field);
    cn_json_close(json, '}');
    cn_json_open(json, '{');
    cn_json_signal(json, field);
    cn_json_close(json, '}');
    cn_json_close(json, ']');
}

const cn_kind cn_kind_spin_signals = {.what =
                                          "3 numbers, expressions in t or tables in 3D, one in 2D",
                                      .read = cn_spin_signals_read,
                                      .json = cn_spin_signals_json};
