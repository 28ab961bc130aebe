// scene/kinds_signal.c
// Functions of time: a number, an expression in t, or a table of times and values.
#include "scene/kinds.h"

#include "base/error.h"
#include "base/signal.h"

typedef struct signal_entry {
    const io_yaml *node;
    scene_reals times, values;
} signal_entry;

static cn_status signal_check(scene_reader *reader, io_yaml *node, void *out) {
    const signal_entry *entry = out;
    if (entry->times.count != entry->values.count || entry->times.count == 0) {
        return scene_fail_node(
            reader, node, CN_ERR_INPUT,
            "times and values must be as many, and not none: there are %d and %d",
            entry->times.count, entry->values.count);
    }
    for (int32_t i = 1; i < entry->times.count; i++) {
        if (!(entry->times.value[i - 1] < entry->times.value[i])) {
            return scene_fail_node(reader, io_yaml_get(node, "times")->item[i], CN_ERR_INPUT,
                                   "the times must ascend");
        }
    }
    return CN_OK;
}

static const scene_field signal_fields[] = {
    {.key = "times",
     .kind = &scene_kind_reals,
     .offset = offsetof(signal_entry, times),
     .flags = SCENE_REQUIRED,
     .unit = "s",
     .help = "ascending times"},
    {.key = "values",
     .kind = &scene_kind_reals,
     .offset = offsetof(signal_entry, values),
     .flags = SCENE_REQUIRED,
     .help = "the value at each time; linear between them, constant outside"},
};

const scene_table_of scene_signal_table = {
    .name = "signal",
    .help = "A function of time as a table. A number or an expression in t (\"2*sin(3*t)\") may "
            "stand in its place.",
    .field = signal_fields,
    .count = SCENE_COUNT(signal_fields),
    .size = sizeof(signal_entry),
    .check = signal_check,
};

// Compiles the expression once, so that a fault is pointed at inside it.
static cn_status check_expression(scene_reader *reader, const io_yaml *node) {
    cn_error fault = {0};
    base_signal *signal = base_signal_create(cn_arena_env(reader->memory), 0.0, node->text, NULL,
                                             NULL, 0, &reader->outputs, &fault);
    if (signal) {
        base_signal_destroy(signal);
        return CN_OK;
    }
    int32_t behind = fault.column > 0 ? fault.column - 1 : 0;
    base_fail_at(&fault, node->file, node->line, node->column + node->quoted + behind);
    if (reader->error) {
        *reader->error = fault;
    }
    return fault.status;
}

static cn_status read_signal(scene_reader *reader, const scene_field *field, io_yaml *node,
                             cn_signal_def *out) {
    *out =
        (cn_signal_def){.source = {.file = node->file, .line = node->line, .column = node->column}};
    if (node->kind == IO_YAML_NUMBER) {
        scene_field number = *field;
        number.kind = &scene_kind_real;
        return scene_read_number(reader, &number, node, &out->constant);
    }
    if (node->kind == IO_YAML_TEXT) {
        out->expression = node->text;
        return check_expression(reader, node);
    }
    if (node->kind != IO_YAML_MAP) {
        return scene_fail_kind(reader, field, node);
    }
    signal_entry entry;
    cn_status status = scene_table_read(reader, field->table, node, &entry);
    out->times = entry.times.value;
    out->values = entry.values.value;
    out->count = entry.times.count;
    return status;
}

static void json_signal(io_json *json, const scene_field *field) {
    static const char *const types[] = {"number", "string"};
    io_json_key(json, "anyOf");
    io_json_open(json, '[');
    for (int i = 0; i < 2; i++) {
        io_json_open(json, '{');
        io_json_member(json, "type", types[i]);
        io_json_close(json, '}');
    }
    io_json_open(json, '{');
    scene_json_table(json, field->table);
    io_json_close(json, '}');
    io_json_close(json, ']');
}

static cn_status signal_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                             void *out) {
    return read_signal(reader, field, node, out);
}

const scene_kind scene_kind_signal = {
    .what = "a number, an expression in t or a table", .read = signal_read, .json = json_signal};

static cn_status signals_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                              void *out) {
    cn_signal_def *signal = out;
    if (node->kind != IO_YAML_LIST || node->count != reader->dim) {
        return scene_fail_node(reader, node, CN_ERR_INPUT,
                               "%s must be a list of %d numbers, expressions or tables", field->key,
                               reader->dim);
    }
    for (int32_t i = 0; i < reader->dim; i++) {
        cn_status status = read_signal(reader, field, node->item[i], &signal[i]);
        if (status != CN_OK) {
            return status;
        }
    }
    return CN_OK;
}

static void signals_json(io_json *json, const scene_field *field) {
    io_json_member(json, "type", "array");
    io_json_key(json, "items");
    io_json_open(json, '{');
    json_signal(json, field);
    io_json_close(json, '}');
    io_json_member_number(json, "minItems", 2);
    io_json_member_number(json, "maxItems", 3);
}

const scene_kind scene_kind_signals = {.what = "a list of numbers, expressions in t or tables",
                                       .read = signals_read,
                                       .json = signals_json};

static cn_status spin_signals_read(scene_reader *reader, const scene_field *field, io_yaml *node,
                                   void *out) {
    cn_signal_def *signal = out;
    return reader->dim == 3 ? signals_read(reader, field, node, out)
                            : read_signal(reader, field, node, &signal[2]);
}

static void spin_signals_json(io_json *json, const scene_field *field) {
    io_json_key(json, "anyOf");
    io_json_open(json, '[');
    io_json_open(json, '{');
    signals_json(json, field);
    io_json_close(json, '}');
    io_json_open(json, '{');
    json_signal(json, field);
    io_json_close(json, '}');
    io_json_close(json, ']');
}

const scene_kind scene_kind_spin_signals = {
    .what = "3 numbers, expressions in t or tables in 3D, one in 2D",
    .read = spin_signals_read,
    .json = spin_signals_json};
