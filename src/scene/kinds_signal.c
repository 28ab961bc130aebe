// scene/kinds_signal.c
// Functions of time: a number, an expression in t, or a table of times and values, which may come
// from a file. What a file holds takes its place in the tree, so that the resolved scene stands
// alone.
#include "scene/kinds.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/signal/signal.h"
#include "io/series.h"
#include "scene/files.h"

#include <math.h>
#include <string.h>
#include <strings.h>

typedef struct signal_entry {
    const io_yaml *node;
    const char *file, *unit;
    scene_reals times, values, columns;
    double interval, start, scale;
    int32_t interpolation, baseline;
} signal_entry;

static const scene_choice interpolations[] = {{.text = "linear", .value = CN_INTERPOLATION_LINEAR},
                                              {.text = "cubic", .value = CN_INTERPOLATION_CUBIC},
                                              {.text = "auto", .value = CN_INTERPOLATION_AUTO},
                                              {0}};
static const scene_choice baselines[] = {
    {.text = "none", .value = CN_BASELINE_NONE},
    {.text = "rest", .value = CN_BASELINE_REST},
    {.text = "least-squares", .value = CN_BASELINE_LEAST_SQUARES},
    {0}};

static void signal_initial(void *out, int32_t dim) {
    (void)dim;
    signal_entry *entry = out;
    entry->scale = 1.0;
    entry->interval = NAN;
}

static cn_status signal_check(scene_reader *reader, io_yaml *node, void *out) {
    const signal_entry *entry = out;
    const io_yaml *times = io_yaml_get(node, "times");
    if (entry->file && (io_yaml_get(node, "values") || times || entry->interval > 0.0)) {
        return scene_fail_node(reader, node, CN_ERR_INPUT,
                               "a table is from a file or has times and values, not both");
    }
    const char *const of_files[] = {"columns", "unit"};
    for (int i = 0; i < 2 && !entry->file; i++) {
        const io_yaml *key = io_yaml_key(node, of_files[i]);
        if (key) {
            return scene_fail_node(reader, key, CN_ERR_INPUT, "\"%s\" is for a table from a file",
                                   key->text);
        }
    }
    if (entry->file) {
        return CN_OK;
    }
    if (!io_yaml_get(node, "values") || !times == !(entry->interval > 0.0)) {
        scene_fail_node(reader, node, CN_ERR_INPUT,
                        "a table needs \"values\", and \"times\" or \"interval\"; or \"file\"");
        return CN_ERR_INPUT;
    }
    if (entry->values.count == 0 || (times && entry->times.count != entry->values.count)) {
        return scene_fail_node(
            reader, node, CN_ERR_INPUT,
            "times and values must be as many, and not none: there are %d and %d",
            times ? entry->times.count : entry->values.count, entry->values.count);
    }
    for (int32_t i = 1; i < entry->times.count; i++) {
        if (!(entry->times.value[i - 1] < entry->times.value[i])) {
            return scene_fail_node(reader, times->item[i], CN_ERR_INPUT, "the times must ascend");
        }
    }
    return CN_OK;
}

static const scene_field signal_fields[] = {
    SCENE_KEY("times", reals, signal_entry, times, .unit = "s", .help = "ascending times"),
    SCENE_KEY("interval", real, signal_entry, interval, .flags = SCENE_ABOVE_ZERO, .unit = "s",
              .help = "between values, instead of times; the first value is at 0"),
    SCENE_KEY("values", reals, signal_entry, values, .help = "the value at each time"),
    SCENE_KEY("file", text, signal_entry, file,
              .help = "instead of times and values: columns of text (CSV) or a PEER record (.at2, "
                      ".vt2, .dt2), relative to the scene file"),
    SCENE_KEY("columns", reals, signal_entry, columns,
              .help = "of a CSV file, from 1: those of times and values; by default [1, 2]"),
    SCENE_KEY("unit", text, signal_entry, unit,
              .help = "of the values in the file, if not SI or as its heading says: g, m/s2, "
                      "cm/s2, mm/s2, m/s, cm/s, mm/s, m, cm, mm"),
    SCENE_KEY("scale", real, signal_entry, scale, .help = "multiplies the values"),
    SCENE_KEY("start", real, signal_entry, start, .unit = "s", .help = "added to the times"),
    SCENE_KEY("interpolation", choice, signal_entry, interpolation, .choice = interpolations,
              .help = "between the points: linear, or cubic, the natural spline; auto: cubic for "
                      "displacement and rotation, else linear"),
    SCENE_KEY("baseline", choice, signal_entry, baseline, .choice = baselines,
              .help = "taken from an acceleration: rest: a line, so that velocity and displacement "
                      "end at zero; least-squares: a parabola, for the least squared velocity"),
};

const scene_table_of scene_signal_table = {
    .name = "signal",
    .help = "A function of time as a table. A number or an expression in t (\"2*sin(3*t)\") may "
            "stand in its place. Outside the table its first and last values hold; a displacement "
            "stands still there, and an acceleration is zero.",
    .field = signal_fields,
    .count = SCENE_COUNT(signal_fields),
    .size = sizeof(signal_entry),
    .initial = signal_initial,
    .check = signal_check,
};

// Rates and integrals are of functions of t alone (cn_motion_by).
static base_signal_use use_of(const scene_field *field) {
    static const struct {
        const char *key;
        base_signal_use use;
    } uses[] = {{"displacement", BASE_SIGNAL_RATE},
                {"rotation", BASE_SIGNAL_RATE},
                {"acceleration", BASE_SIGNAL_INTEGRAL},
                {"angular_acceleration", BASE_SIGNAL_INTEGRAL}};
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) {
        if (strcmp(field->key, uses[i].key) == 0) {
            return uses[i].use;
        }
    }
    return BASE_SIGNAL_VALUE;
}

// Compiles the expression once, so that a fault is pointed at inside it.
static cn_status check_expression(scene_reader *reader, const scene_field *field,
                                  const io_yaml *node) {
    cn_error fault = {0};
    cn_signal_def def = {.expression = node->text};
    base_signal *signal = base_signal_create(cn_arena_env(reader->memory), &def, use_of(field),
                                             &reader->outputs, &fault);
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

// ---- files ----

static io_yaml *numbers_node(cn_arena *memory, const double *x, int32_t count, const io_yaml *at) {
    io_yaml *list = io_yaml_new(memory, IO_YAML_LIST, at);
    for (int32_t i = 0; i < count && list; i++) {
        if (!io_yaml_append(memory, list, io_yaml_new_number(memory, x[i], at))) {
            return NULL;
        }
    }
    return list;
}

// The node without what says how to read the file, and with what was read.
static cn_status signal_stands_alone(scene_reader *reader, io_yaml *node, const io_series *series) {
    cn_arena *memory = reader->memory;
    io_yaml *map = io_yaml_new(memory, IO_YAML_MAP, node);
    bool good = map != NULL;
    for (int32_t i = 0; i < node->count && good; i++) {
        const char *key = node->key[i]->text;
        bool of_file =
            strcmp(key, "file") == 0 || strcmp(key, "columns") == 0 || strcmp(key, "unit") == 0;
        good = of_file || io_yaml_put(memory, map, node->key[i], node->item[i]);
    }
    io_yaml *values = numbers_node(memory, series->value, series->count, node);
    io_yaml *times = series->time ? numbers_node(memory, series->time, series->count, node)
                                  : io_yaml_new_number(memory, series->interval, node);
    const char *name = series->time ? "times" : "interval";
    good = good && values && times &&
           io_yaml_put(memory, map, io_yaml_new_text(memory, name, node), times) &&
           io_yaml_put(memory, map, io_yaml_new_text(memory, "values", node), values);
    if (!good) {
        return base_fail_memory(reader->error);
    }
    *node = *map;
    return CN_OK;
}

// What a motion's key wants of a file that says what it holds.
static cn_status check_quantity(scene_reader *reader, const scene_field *field, const io_yaml *file,
                                io_series_quantity quantity) {
    static const io_series_quantity all[] = {IO_SERIES_ACCELERATION, IO_SERIES_VELOCITY,
                                             IO_SERIES_DISPLACEMENT};
    for (int i = 0; i < 3 && quantity != IO_SERIES_ANY; i++) {
        if (strcmp(field->key, io_series_quantity_text(all[i])) == 0 && quantity != all[i]) {
            const char *held = io_series_quantity_text(quantity);
            scene_fail_node(reader, file, CN_ERR_INPUT, "\"%.200s\" holds values of %s, not of %s",
                            file->text, held, field->key);
            base_fail_hint(reader->error, "write %s: instead of %s:", held, field->key);
            return CN_ERR_INPUT;
        }
    }
    return CN_OK;
}

static cn_status read_columns(scene_reader *reader, io_yaml *node, const signal_entry *entry,
                              const char *path, const char *text, io_series *out) {
    int32_t column[2] = {1, 2};
    double factor = 1.0;
    const io_yaml *place = io_yaml_get(node, "columns"), *unit = io_yaml_get(node, "unit");
    bool good = !place || entry->columns.count == 2;
    for (int k = 0; k < 2 && place && good; k++) {
        double given = entry->columns.value[k];
        good = given >= 1.0 && given <= 1000.0 && floor(given) == given;
        column[k] = good ? (int32_t)given : 1;
    }
    if (!good) {
        return scene_fail_node(reader, place, CN_ERR_INPUT,
                               "columns must be two whole numbers from 1, as in [1, 2]");
    }
    CN_TRY(io_series_read_columns(reader->memory, path, text, column, out, reader->error));
    if (unit && !io_series_unit(entry->unit, &factor, &out->quantity)) {
        scene_fail_node(reader, unit, CN_ERR_INPUT, "the unit \"%.40s\" is not known", entry->unit);
        base_fail_hint(reader->error, "g, m/s2, cm/s2, mm/s2, m/s, cm/s, mm/s, m, cm or mm");
        return CN_ERR_INPUT;
    }
    for (int32_t i = 0; i < out->count; i++) {
        out->value[i] *= factor;
    }
    return CN_OK;
}

static bool is_peer(const char *path) {
    static const char *const ends[] = {".at2", ".vt2", ".dt2"};
    size_t length = strlen(path);
    for (int i = 0; i < 3; i++) {
        if (length > 4 && strcasecmp(path + length - 4, ends[i]) == 0) {
            return true;
        }
    }
    return false;
}

static cn_status signal_load(scene_reader *reader, const scene_field *field, io_yaml *node,
                             signal_entry *entry) {
    const io_yaml *file = io_yaml_get(node, "file");
    const char *path, *text;
    io_series series;
    CN_TRY(scene_text_beside(reader, file, entry->file, &path, &text));
    CN_TRY(is_peer(path) ? io_series_read_peer(reader->memory, path, text, entry->unit, &series,
                                               reader->error)
                         : read_columns(reader, node, entry, path, text, &series));
    CN_TRY(check_quantity(reader, field, file, series.quantity));
    CN_TRY(signal_stands_alone(reader, node, &series));
    entry->times.value = series.time;
    entry->values.value = series.value;
    entry->values.count = series.count;
    entry->interval = series.interval;
    return CN_OK;
}

// The table as a run uses it: its times in full, its values scaled.
static cn_status signal_fill(scene_reader *reader, const signal_entry *entry, cn_signal_def *out) {
    int32_t count = entry->values.count;
    double *times = BASE_TAKE(reader->memory, double, count);
    double *values = BASE_TAKE(reader->memory, double, count);
    if (!times || !values) {
        return base_fail_memory(reader->error);
    }
    for (int32_t i = 0; i < count; i++) {
        double t = entry->interval > 0.0 ? (double)i * entry->interval : entry->times.value[i];
        times[i] = t + entry->start;
        values[i] = entry->scale * entry->values.value[i];
    }
    out->times = times;
    out->values = values;
    out->count = count;
    out->interpolation = (cn_interpolation)entry->interpolation;
    out->baseline = (cn_baseline)entry->baseline;
    return CN_OK;
}

static cn_status read_signal(scene_reader *reader, const scene_field *field, io_yaml *node,
                             cn_signal_def *out) {
    *out =
        (cn_signal_def){.source = {.file = node->file, .line = node->line, .column = node->column}};
    double angle;
    if (node->kind == IO_YAML_NUMBER || scene_read_angle(field, node, &angle)) {
        scene_field number = *field;
        number.kind = &scene_kind_real;
        return scene_read_number(reader, &number, node, &out->constant);
    }
    if (node->kind == IO_YAML_TEXT) {
        out->expression = node->text;
        return check_expression(reader, field, node);
    }
    if (node->kind != IO_YAML_MAP) {
        return scene_fail_kind(reader, field, node);
    }
    signal_entry entry;
    CN_TRY(scene_table_read(reader, field->table, node, &entry));
    CN_TRY(entry.file ? signal_load(reader, field, node, &entry) : CN_OK);
    return signal_fill(reader, &entry, out);
}

static void json_signal(io_json *json, const scene_field *field) {
    io_json_key(json, "anyOf");
    io_json_open(json, '[');
    scene_json_number_or_text(json);
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
        scene_fail_node(reader, node, CN_ERR_INPUT,
                        "%s must be a list of %d numbers, expressions or tables", field->key,
                        reader->dim);
        base_fail_hint(reader->error, "write %s", reader->dim == 3 ? "[a, b, c]" : "[a, b]");
        return CN_ERR_INPUT;
    }
    for (int32_t i = 0; i < reader->dim; i++) {
        CN_TRY(read_signal(reader, field, node->item[i], &signal[i]));
    }
    return CN_OK;
}

static void signals_json(io_json *json, const scene_field *field) {
    scene_json_list(json, field, json_signal);
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
