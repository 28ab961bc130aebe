// scene/generate/generate_table.c
// table: bodies from comma-separated values, one per line below a line of column names.
//
// Columns may come in any order; those that are missing, and cells that are empty, have the
// defaults. Lines that are blank or start with '#' are skipped. There are no quoted cells.
#include "scene/generate/generate.h"
#include "scene/kinds.h"

#include "base/error.h"
#include "io/number.h"
#include "scene/files.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define COLUMNS_MAX 64
#define CELL_MAX 200 // bytes

typedef struct scene_rows {
    const io_yaml *node;
    scene_lot lot;
    const char *file, *text;
    scene_items shapes;
} scene_rows;

// ---- columns ----

// A line's numbers, before they are a body.
typedef struct scene_row {
    double x[3], angle, q[4], v[3], w[3], mass, radius, size[3];
} scene_row;

// Angles and their rates may be "30 deg" and "10 deg/s".
typedef enum column_unit { COLUMN_PLAIN, COLUMN_ANGLE, COLUMN_ANGLE_RATE } column_unit;

typedef struct column_name {
    const char *name;
    size_t offset; // in scene_row
    uint32_t flags;
    column_unit unit;
} column_name;

#define NUMBER_COLUMN(name, member, ...)                                                           \
    { name, offsetof(scene_row, member), __VA_ARGS__ }
#define TEXT_COLUMNS 2 // the first ones are text

static const column_name scene_columns[] = {
    {"name", 0, 0, COLUMN_PLAIN},
    {"material", 0, 0, COLUMN_PLAIN},
    NUMBER_COLUMN("x", x[0], 0, COLUMN_PLAIN),
    NUMBER_COLUMN("y", x[1], 0, COLUMN_PLAIN),
    NUMBER_COLUMN("z", x[2], SCENE_ONLY_3D, COLUMN_PLAIN),
    NUMBER_COLUMN("angle", angle, SCENE_ONLY_2D, COLUMN_ANGLE),
    NUMBER_COLUMN("qw", q[0], SCENE_ONLY_3D, COLUMN_PLAIN),
    NUMBER_COLUMN("qx", q[1], SCENE_ONLY_3D, COLUMN_PLAIN),
    NUMBER_COLUMN("qy", q[2], SCENE_ONLY_3D, COLUMN_PLAIN),
    NUMBER_COLUMN("qz", q[3], SCENE_ONLY_3D, COLUMN_PLAIN),
    NUMBER_COLUMN("vx", v[0], 0, COLUMN_PLAIN),
    NUMBER_COLUMN("vy", v[1], 0, COLUMN_PLAIN),
    NUMBER_COLUMN("vz", v[2], SCENE_ONLY_3D, COLUMN_PLAIN),
    NUMBER_COLUMN("wx", w[0], SCENE_ONLY_3D, COLUMN_ANGLE_RATE),
    NUMBER_COLUMN("wy", w[1], SCENE_ONLY_3D, COLUMN_ANGLE_RATE),
    NUMBER_COLUMN("wz", w[2], 0, COLUMN_ANGLE_RATE),
    NUMBER_COLUMN("mass", mass, SCENE_ABOVE_ZERO, COLUMN_PLAIN),
    NUMBER_COLUMN("radius", radius, SCENE_ABOVE_ZERO, COLUMN_PLAIN),
    NUMBER_COLUMN("sx", size[0], SCENE_ABOVE_ZERO, COLUMN_PLAIN),
    NUMBER_COLUMN("sy", size[1], SCENE_ABOVE_ZERO, COLUMN_PLAIN),
    NUMBER_COLUMN("sz", size[2], SCENE_ABOVE_ZERO | SCENE_ONLY_3D, COLUMN_PLAIN),
};

static const scene_field rows_fields[] = {
    SCENE_KEY("file", text, scene_rows, file,
              .help = "a CSV file, relative to the scene file; its columns are below"),
    SCENE_KEY("rows", text, scene_rows, text, .help = "the same as text, instead of a file"),
    SCENE_KEY("shape", one_or_list, scene_rows, shapes, .table = &scene_shape_table,
              .help = "of the bodies whose line gives neither radius nor sizes"),
    SCENE_LOT_POSITION(scene_rows, "added to the positions of the lines"),
    SCENE_LOT_FIELDS(scene_rows),
};

static void rows_initial(void *out, int32_t dim) {
    (void)dim;
    scene_lot_initial(&((scene_rows *)out)->lot);
}

// What a file holds takes its place in the tree, so that the resolved scene stands alone.
static cn_status rows_load(scene_reader *reader, io_yaml *node, scene_rows *rows) {
    const io_yaml *place = io_yaml_get(node, "file");
    const char *path;
    const char *content;
    CN_TRY(scene_text_beside(reader, place, rows->file, &path, &content));
    io_yaml *text = io_yaml_new(reader->memory, IO_YAML_TEXT, NULL);
    io_yaml *key = io_yaml_new_text(reader->memory, "rows", place);
    if (!text || !io_yaml_replace(reader->memory, node, "file", key, text)) {
        return base_fail_memory(reader->error);
    }
    // As a block whose first line is the file's line 1.
    text->text = content;
    text->file = path;
    text->block = true;
    rows->text = text->text;
    return CN_OK;
}

static cn_status rows_check(scene_reader *reader, io_yaml *node, void *out) {
    scene_rows *rows = out;
    if (!rows->file == !rows->text) {
        return scene_fail_node(reader, node, CN_ERR_INPUT,
                               rows->file ? "give file or rows, not both"
                                          : "table needs \"file\" or \"rows\"");
    }
    return rows->file ? rows_load(reader, node, rows) : CN_OK;
}

static cn_status rows_count(scene_reader *reader, const void *params, double *bodies) {
    (void)reader;
    *bodies = 1.0; // a last line without its end
    for (const char *c = ((const scene_rows *)params)->text; *c; c++) {
        *bodies += *c == '\n';
    }
    return CN_OK;
}

// ---- cells ----

typedef struct scene_sheet {
    scene_maker *maker;
    const scene_rows *rows;
    const io_yaml *node; // of the text
    const column_name *column[COLUMNS_MAX];
    int32_t column_count;
    const char *next;     // the line after this one
    const char *at, *end; // what is left of this one
    const char *start;    // of this line
    const char *word;     // the cell taken last
    int32_t line;         // of this one, from 1
    cn_shape_def *shapes; // the common ones
    int32_t shape_count;
} scene_sheet;

static cn_status sheet_fail(const scene_sheet *sheet, const char *format, ...) CN_PRINTF(2, 3);

static cn_status sheet_fail(const scene_sheet *sheet, const char *format, ...) {
    char message[256];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    cn_error *error = sheet->maker->reader->error;
    bool block = sheet->node->block;
    base_fail(error, CN_ERR_INPUT, "%s", message);
    base_fail_at(error, sheet->node->file, sheet->node->line + (block ? sheet->line : 0),
                 block ? (int32_t)(sheet->word - sheet->start) + 1 : sheet->node->column);
    return CN_ERR_INPUT;
}

// The next line that is neither blank nor a comment; false at the end.
static bool sheet_line(scene_sheet *sheet) {
    while (*sheet->next) {
        sheet->start = sheet->at = sheet->word = sheet->next;
        sheet->end = sheet->start + strcspn(sheet->start, "\n");
        sheet->next = *sheet->end ? sheet->end + 1 : sheet->end;
        sheet->line++;
        const char *first = sheet->start + strspn(sheet->start, " \t\r");
        if (first < sheet->end && *first != '#') {
            return true;
        }
    }
    return false;
}

// The next cell without the blanks round it; false when the line has no more.
static bool sheet_cell(scene_sheet *sheet, char cell[CELL_MAX + 1]) {
    if (sheet->at > sheet->end) {
        return false;
    }
    const char *stop = sheet->at;
    while (stop < sheet->end && *stop != ',') {
        stop++;
    }
    const char *first = sheet->at;
    while (first < stop && strchr(" \t\r", *first)) {
        first++;
    }
    const char *last = stop;
    while (last > first && strchr(" \t\r", last[-1])) {
        last--;
    }
    size_t length = (size_t)(last - first) < CELL_MAX ? (size_t)(last - first) : CELL_MAX;
    memcpy(cell, first, length);
    cell[length] = '\0';
    sheet->word = first;
    sheet->at = stop + 1;
    return true;
}

static cn_status sheet_unknown(const scene_sheet *sheet, const char *cell) {
    const char *names[SCENE_COUNT(scene_columns)];
    for (int32_t i = 0; i < SCENE_COUNT(scene_columns); i++) {
        names[i] = scene_columns[i].name;
    }
    sheet_fail(sheet, "there is no column \"%.40s\"", cell);
    scene_hint_names(sheet->maker->reader, "columns", cell, names, SCENE_COUNT(scene_columns));
    return CN_ERR_INPUT;
}

static cn_status sheet_header(scene_sheet *sheet) {
    char cell[CELL_MAX + 1];
    if (!sheet_line(sheet)) {
        sheet->word = sheet->start = sheet->next;
        return sheet_fail(sheet, "the table has no line of column names");
    }
    while (sheet_cell(sheet, cell)) {
        const column_name *column = NULL;
        for (int32_t i = 0; i < SCENE_COUNT(scene_columns) && !column; i++) {
            column = strcmp(scene_columns[i].name, cell) == 0 ? &scene_columns[i] : NULL;
        }
        if (!column) {
            return sheet_unknown(sheet, cell);
        }
        if (column->flags & (sheet->maker->reader->dim == 2 ? SCENE_ONLY_3D : SCENE_ONLY_2D)) {
            return sheet_fail(sheet, "the column \"%s\" is for the other dimension", cell);
        }
        for (int32_t i = 0; i < sheet->column_count; i++) {
            if (sheet->column[i] == column) {
                return sheet_fail(sheet, "duplicate column \"%s\"", cell);
            }
        }
        sheet->column[sheet->column_count++] = column;
    }
    return CN_OK;
}

static cn_status sheet_number(const scene_sheet *sheet, const column_name *column, const char *cell,
                              scene_row *row) {
    double value;
    bool known = io_number_parse(cell, &value) && isfinite(value);
    if (!known && column->unit != COLUMN_PLAIN) {
        known = scene_angle_of(cell, column->unit == COLUMN_ANGLE_RATE, &value);
    }
    if (!known) {
        return sheet_fail(sheet, "this must be a number, not \"%.40s\"", cell);
    }
    if ((column->flags & SCENE_ABOVE_ZERO) && !(value > 0.0)) {
        return sheet_fail(sheet, "%s must be above 0", column->name);
    }
    memcpy((char *)row + column->offset, &value, sizeof value);
    return CN_OK;
}

// The shape that the line gives, or the common ones.
static cn_status sheet_shape(const scene_sheet *sheet, const scene_row *row, cn_shape_def *own,
                             cn_body_def *body) {
    int32_t dim = sheet->maker->reader->dim;
    bool box = row->size[0] > 0.0 || row->size[1] > 0.0 || row->size[2] > 0.0;
    body->shapes = own;
    body->shape_count = 1;
    if (row->radius > 0.0 && !box) {
        *own = scene_round(dim, row->radius);
    } else if (box && !(row->radius > 0.0)) {
        *own = cn_shape_def_default(CN_SHAPE_BOX);
        memcpy(own->size, row->size, sizeof own->size);
        if (!(row->size[0] > 0.0 && row->size[1] > 0.0 && (dim == 2 || row->size[2] > 0.0))) {
            return sheet_fail(sheet, "a box needs all its sizes: sx, sy and in 3D sz");
        }
    } else if (box) {
        return sheet_fail(sheet, "a line gives a radius or sizes, not both");
    } else {
        body->shapes = sheet->shapes;
        body->shape_count = sheet->shape_count;
        if (!sheet->shapes) {
            return sheet_fail(sheet, "%s",
                              "this line has no radius, no sizes, and the "
                              "table has no shape");
        }
    }
    return CN_OK;
}

static cn_status sheet_body(scene_sheet *sheet) {
    char cell[CELL_MAX + 1];
    char name[CELL_MAX + 1] = "";
    scene_row row = {.q = {1, 0, 0, 0}, .mass = sheet->rows->lot.mass};
    memcpy(row.v, sheet->rows->lot.velocity, sizeof row.v);
    cn_body_def body = scene_lot_body(sheet->maker);
    int32_t count = 0;
    while (sheet_cell(sheet, cell)) {
        if (count == sheet->column_count) {
            return sheet_fail(sheet, "the line has more cells than there are columns");
        }
        const column_name *column = sheet->column[count++];
        if (cell[0] == '\0') {
            continue;
        }
        if (column == &scene_columns[0]) {
            memcpy(name, cell, sizeof name);
        } else if (column == &scene_columns[1]) {
            CN_TRY(sheet->maker->find_material(sheet->maker, sheet->node, cell, &body.material));
        } else {
            CN_TRY(sheet_number(sheet, column, cell, &row));
        }
    }
    if (count < sheet->column_count) {
        return sheet_fail(sheet, "the line has fewer cells than there are columns");
    }
    for (int i = 0; i < 3; i++) {
        body.position[i] = sheet->rows->lot.position[i] + row.x[i];
        body.velocity[i] = row.v[i];
        body.angular_velocity[i] = row.w[i];
    }
    double norm =
        sqrt(row.q[0] * row.q[0] + row.q[1] * row.q[1] + row.q[2] * row.q[2] + row.q[3] * row.q[3]);
    if (!(norm > 0.0 && isfinite(norm))) {
        return sheet_fail(sheet, "the quaternion must not be null");
    }
    for (int i = 0; i < 4; i++) {
        body.orientation[i] = row.q[i] / norm;
    }
    body.angle = row.angle;
    body.mass = row.mass;
    body.name = name[0] ? name : NULL;
    if (sheet->node->block) {
        body.source = (cn_source){
            .file = sheet->node->file, .line = sheet->node->line + sheet->line, .column = 1};
    }
    cn_shape_def own;
    CN_TRY(sheet_shape(sheet, &row, &own, &body));
    return scene_make_body(sheet->maker, &body);
}

static cn_status rows_run(scene_maker *maker, const void *params) {
    const scene_rows *rows = params;
    scene_sheet sheet = {.maker = maker,
                         .rows = rows,
                         .node = io_yaml_get(rows->node, "rows"),
                         .next = rows->text,
                         .start = rows->text,
                         .word = rows->text};
    if (rows->shapes.count > 0) {
        CN_TRY(
            scene_shapes_flatten(maker->reader, &rows->shapes, &sheet.shapes, &sheet.shape_count));
    }
    CN_TRY(sheet_header(&sheet));
    while (sheet_line(&sheet)) {
        CN_TRY(sheet_body(&sheet));
    }
    return CN_OK;
}

const scene_table_of scene_rows_table = {
    .name = "table",
    .help = "Bodies from a CSV file: a line of column names, then one body per line.",
    .field = rows_fields,
    .count = SCENE_COUNT(rows_fields),
    .size = sizeof(scene_rows),
    .initial = rows_initial,
    .check = rows_check,
    .use = &(const scene_generator){.count = rows_count, .run = rows_run},
};
