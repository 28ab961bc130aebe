// scene/generate/generate_table.c
// table: bodies from comma-separated values, one a line below a line of column names.
//
// Columns may come in any order; those that are missing, and cells that are empty, have the
// defaults. Lines that are blank or start with '#' are skipped. There are no quoted cells.
#include "scene/generate/generate.h"

#include "base/error.h"
#include "io/number.h"
#include "scene/files.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CN_COLUMNS_MAX 64
#define CN_CELL_MAX 200 // bytes

typedef struct cn_rows {
    const cn_yaml *node;
    cn_lot lot;
    const char *file, *text;
    cn_items shapes;
} cn_rows;

// ---- columns ----

// A line's numbers, before they are a body.
typedef struct cn_row {
    double x[3], angle, q[4], v[3], w[3], mass, radius, size[3];
} cn_row;

typedef struct cn_column_name {
    const char *name;
    size_t offset; // in cn_row
    uint32_t flags;
} cn_column_name;

#define CN_NUMBER_COLUMN(name, member, ...)                                                        \
    { name, offsetof(cn_row, member), __VA_ARGS__ }
#define CN_TEXT_COLUMNS 2 // the first ones are text

static const cn_column_name cn_columns[] = {
    {"name", 0, 0},
    {"material", 0, 0},
    CN_NUMBER_COLUMN("x", x[0], 0),
    CN_NUMBER_COLUMN("y", x[1], 0),
    CN_NUMBER_COLUMN("z", x[2], CN_ONLY_3D),
    CN_NUMBER_COLUMN("angle", angle, CN_ONLY_2D),
    CN_NUMBER_COLUMN("qw", q[0], CN_ONLY_3D),
    CN_NUMBER_COLUMN("qx", q[1], CN_ONLY_3D),
    CN_NUMBER_COLUMN("qy", q[2], CN_ONLY_3D),
    CN_NUMBER_COLUMN("qz", q[3], CN_ONLY_3D),
    CN_NUMBER_COLUMN("vx", v[0], 0),
    CN_NUMBER_COLUMN("vy", v[1], 0),
    CN_NUMBER_COLUMN("vz", v[2], CN_ONLY_3D),
    CN_NUMBER_COLUMN("wx", w[0], CN_ONLY_3D),
    CN_NUMBER_COLUMN("wy", w[1], CN_ONLY_3D),
    CN_NUMBER_COLUMN("wz", w[2], 0),
    CN_NUMBER_COLUMN("mass", mass, CN_ABOVE_ZERO),
    CN_NUMBER_COLUMN("radius", radius, CN_ABOVE_ZERO),
    CN_NUMBER_COLUMN("sx", size[0], CN_ABOVE_ZERO),
    CN_NUMBER_COLUMN("sy", size[1], CN_ABOVE_ZERO),
    CN_NUMBER_COLUMN("sz", size[2], CN_ABOVE_ZERO | CN_ONLY_3D),
};

static const cn_field cn_rows_fields[] = {
    CN_KEY("file", text, cn_rows, file,
           .help = "a CSV file, relative to the scene file; its columns are below"),
    CN_KEY("rows", text, cn_rows, text, .help = "the same as text, instead of a file"),
    CN_KEY("shape", one_or_list, cn_rows, shapes, .table = &cn_shape_table,
           .help = "of the bodies whose line gives neither radius nor sizes"),
    CN_LOT_POSITION(cn_rows, "added to the positions of the lines"),
    CN_LOT_FIELDS(cn_rows),
};

static void cn_rows_initial(void *out, int32_t dim) {
    (void)dim;
    cn_lot_initial(&((cn_rows *)out)->lot);
}

// What a file holds takes its place in the tree, so that the resolved scene stands alone.
static cn_status cn_rows_load(cn_reader *reader, cn_yaml *node, cn_rows *rows) {
    const cn_yaml *place = cn_yaml_get(node, "file");
    const char *path;
    const char *content;
    cn_status status = cn_text_beside(reader, place, rows->file, &path, &content);
    if (status != CN_OK) {
        return status;
    }
    cn_yaml *text = cn_yaml_new(reader->memory, CN_YAML_TEXT, NULL);
    cn_yaml *key = cn_yaml_new_text(reader->memory, "rows", place);
    if (!text || !cn_yaml_replace(reader->memory, node, "file", key, text)) {
        return cn_fail_memory(reader->error);
    }
    // As a block whose first line is the file's line 1.
    text->text = content;
    text->file = path;
    text->block = true;
    rows->text = text->text;
    return CN_OK;
}

static cn_status cn_rows_check(cn_reader *reader, cn_yaml *node, void *out) {
    cn_rows *rows = out;
    if (!rows->file == !rows->text) {
        return cn_fail_node(reader, node, CN_ERR_INPUT,
                            rows->file ? "give file or rows, not both"
                                       : "table needs \"file\" or \"rows\"");
    }
    return rows->file ? cn_rows_load(reader, node, rows) : CN_OK;
}

static cn_status cn_rows_count(cn_reader *reader, const void *params, double *bodies) {
    (void)reader;
    *bodies = 1.0; // a last line without its end
    for (const char *c = ((const cn_rows *)params)->text; *c; c++) {
        *bodies += *c == '\n';
    }
    return CN_OK;
}

// ---- cells ----

typedef struct cn_sheet {
    cn_maker *maker;
    const cn_rows *rows;
    const cn_yaml *node; // of the text
    const cn_column_name *column[CN_COLUMNS_MAX];
    int32_t column_count;
    const char *next;     // the line after this one
    const char *at, *end; // what is left of this one
    const char *start;    // of this line
    const char *word;     // the cell taken last
    int32_t line;         // of this one, from 1
    cn_shape_def *shapes; // the common ones
    int32_t shape_count;
} cn_sheet;

static cn_status cn_sheet_fail(const cn_sheet *sheet, const char *format, ...) CN_PRINTF(2, 3);

static cn_status cn_sheet_fail(const cn_sheet *sheet, const char *format, ...) {
    char message[256];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    cn_error *error = sheet->maker->reader->error;
    bool block = sheet->node->block;
    cn_fail(error, CN_ERR_INPUT, "%s", message);
    cn_fail_at(error, sheet->node->file, sheet->node->line + (block ? sheet->line : 0),
               block ? (int32_t)(sheet->word - sheet->start) + 1 : sheet->node->column);
    return CN_ERR_INPUT;
}

// The next line that is neither blank nor a comment; false at the end.
static bool cn_sheet_line(cn_sheet *sheet) {
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
static bool cn_sheet_cell(cn_sheet *sheet, char cell[CN_CELL_MAX + 1]) {
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
    size_t length = (size_t)(last - first) < CN_CELL_MAX ? (size_t)(last - first) : CN_CELL_MAX;
    memcpy(cell, first, length);
    cell[length] = '\0';
    sheet->word = first;
    sheet->at = stop + 1;
    return true;
}

static cn_status cn_sheet_unknown(const cn_sheet *sheet, const char *cell) {
    const char *names[CN_COUNT(cn_columns)];
    for (int32_t i = 0; i < CN_COUNT(cn_columns); i++) {
        names[i] = cn_columns[i].name;
    }
    cn_sheet_fail(sheet, "there is no column \"%.40s\"", cell);
    cn_hint_nearest(sheet->maker->reader, cell, names, CN_COUNT(cn_columns));
    return CN_ERR_INPUT;
}

static cn_status cn_sheet_header(cn_sheet *sheet) {
    char cell[CN_CELL_MAX + 1];
    if (!cn_sheet_line(sheet)) {
        sheet->word = sheet->start = sheet->next;
        return cn_sheet_fail(sheet, "the table has no line of column names");
    }
    while (cn_sheet_cell(sheet, cell)) {
        const cn_column_name *column = NULL;
        for (int32_t i = 0; i < CN_COUNT(cn_columns) && !column; i++) {
            column = strcmp(cn_columns[i].name, cell) == 0 ? &cn_columns[i] : NULL;
        }
        if (!column) {
            return cn_sheet_unknown(sheet, cell);
        }
        if (column->flags & (sheet->maker->reader->dim == 2 ? CN_ONLY_3D : CN_ONLY_2D)) {
            return cn_sheet_fail(sheet, "the column \"%s\" is for the other dimension", cell);
        }
        for (int32_t i = 0; i < sheet->column_count; i++) {
            if (sheet->column[i] == column) {
                return cn_sheet_fail(sheet, "the column \"%s\" is there twice", cell);
            }
        }
        sheet->column[sheet->column_count++] = column;
    }
    return CN_OK;
}

static cn_status cn_sheet_number(const cn_sheet *sheet, const cn_column_name *column,
                                 const char *cell, cn_row *row) {
    double value;
    if (!cn_number_parse(cell, &value) || !isfinite(value)) {
        return cn_sheet_fail(sheet, "this must be a number, not \"%.40s\"", cell);
    }
    if ((column->flags & CN_ABOVE_ZERO) && !(value > 0.0)) {
        return cn_sheet_fail(sheet, "%s must be above 0", column->name);
    }
    memcpy((char *)row + column->offset, &value, sizeof value);
    return CN_OK;
}

// The shape that the line gives, or the common ones.
static cn_status cn_sheet_shape(const cn_sheet *sheet, const cn_row *row, cn_shape_def *own,
                                cn_body_def *body) {
    int32_t dim = sheet->maker->reader->dim;
    bool box = row->size[0] > 0.0 || row->size[1] > 0.0 || row->size[2] > 0.0;
    body->shapes = own;
    body->shape_count = 1;
    if (row->radius > 0.0 && !box) {
        *own = cn_round(dim, row->radius);
    } else if (box && !(row->radius > 0.0)) {
        *own = cn_shape_def_default(CN_SHAPE_BOX);
        memcpy(own->size, row->size, sizeof own->size);
        if (!(row->size[0] > 0.0 && row->size[1] > 0.0 && (dim == 2 || row->size[2] > 0.0))) {
            return cn_sheet_fail(sheet, "a box needs all its sizes: sx, sy and in 3D sz");
        }
    } else if (box) {
        return cn_sheet_fail(sheet, "a line gives a radius or sizes, not both");
    } else {
        body->shapes = sheet->shapes;
        body->shape_count = sheet->shape_count;
        if (!sheet->shapes) {
            return cn_sheet_fail(sheet, "%s",
                                 "this line has no radius, no sizes, and the "
                                 "table has no shape");
        }
    }
    return CN_OK;
}

static cn_status cn_sheet_body(cn_sheet *sheet) {
    char cell[CN_CELL_MAX + 1];
    char name[CN_CELL_MAX + 1] = "";
    cn_row row = {.q = {1, 0, 0, 0}, .mass = sheet->rows->lot.mass};
    memcpy(row.v, sheet->rows->lot.velocity, sizeof row.v);
    cn_body_def body = cn_lot_body(sheet->maker);
    int32_t count = 0;
    while (cn_sheet_cell(sheet, cell)) {
        if (count == sheet->column_count) {
            return cn_sheet_fail(sheet, "the line has more cells than there are columns");
        }
        const cn_column_name *column = sheet->column[count++];
        cn_status status = CN_OK;
        if (cell[0] == '\0') {
            continue;
        }
        if (column == &cn_columns[0]) {
            memcpy(name, cell, sizeof name);
        } else if (column == &cn_columns[1]) {
            status = sheet->maker->find_material(sheet->maker, sheet->node, cell, &body.material);
        } else {
            status = cn_sheet_number(sheet, column, cell, &row);
        }
        if (status != CN_OK) {
            return status;
        }
    }
    if (count < sheet->column_count) {
        return cn_sheet_fail(sheet, "the line has fewer cells than there are columns");
    }
    for (int i = 0; i < 3; i++) {
        body.position[i] = sheet->rows->lot.position[i] + row.x[i];
        body.velocity[i] = row.v[i];
        body.angular_velocity[i] = row.w[i];
    }
    double norm =
        sqrt(row.q[0] * row.q[0] + row.q[1] * row.q[1] + row.q[2] * row.q[2] + row.q[3] * row.q[3]);
    if (!(norm > 0.0 && isfinite(norm))) {
        return cn_sheet_fail(sheet, "the quaternion must not be null");
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
    cn_status status = cn_sheet_shape(sheet, &row, &own, &body);
    return status == CN_OK ? cn_make_body(sheet->maker, &body) : status;
}

static cn_status cn_rows_run(cn_maker *maker, const void *params) {
    const cn_rows *rows = params;
    cn_sheet sheet = {.maker = maker,
                      .rows = rows,
                      .node = cn_yaml_get(rows->node, "rows"),
                      .next = rows->text,
                      .start = rows->text,
                      .word = rows->text};
    cn_status status = CN_OK;
    if (rows->shapes.count > 0) {
        status = cn_shapes_flatten(maker->reader, &rows->shapes, &sheet.shapes, &sheet.shape_count);
    }
    status = status == CN_OK ? cn_sheet_header(&sheet) : status;
    while (status == CN_OK && cn_sheet_line(&sheet)) {
        status = cn_sheet_body(&sheet);
    }
    return status;
}

const cn_table cn_rows_table = {
    .name = "table",
    .help = "Bodies from a CSV file: a line of column names, then a body a line.",
    .field = cn_rows_fields,
    .count = CN_COUNT(cn_rows_fields),
    .size = sizeof(cn_rows),
    .initial = cn_rows_initial,
    .check = cn_rows_check,
    .use = &(const cn_generator){.count = cn_rows_count, .run = cn_rows_run},
};
