// scene/starter.c
// The texts that the tables give: the commented first scene of "cairn new", and the JSON Schema.
//
// A line of the first scene names a row of a table; its comment is the row's own help, and its
// value the row's default unless another is written here.
#include "base/arena.h"
#include "base/error.h"
#include "scene/kinds.h"
#include "scene/scene.h"
#include "scene/walk.h"

#include <string.h>

#define CN_COMMENT_COLUMN 46

typedef struct cn_starter_line {
    const char *lead;      // what stands before the key: indentation, "- "
    const cn_table *table; // NULL: lead is the whole line
    const char *key;
    const char *value; // NULL: the default
} cn_starter_line;

static const cn_starter_line cn_starter_lines[] = {
    {"# A first scene: a tower of three blocks, and a ball that comes flying.", NULL, NULL, NULL},
    {"# Lengths are in m, masses in kg, times in s, angles in rad.", NULL, NULL, NULL},
    {"# Run it with: cairn run FILE", NULL, NULL, NULL},
    {"", &cn_scene_table, "cairn", "1"},
    {"", &cn_scene_table, "name", "first-scene"},
    {"", &cn_scene_table, "dimension", NULL},
    {"", &cn_scene_table, "gravity", NULL},
    {"", NULL, NULL, NULL},
    {"", &cn_scene_table, "time", ""},
    {"", &cn_scene_table, "integrator", ""},
    {"", &cn_scene_table, "solver", ""},
    {"", &cn_scene_table, "detection", ""},
    {"", &cn_scene_table, "sleeping", ""},
    {"", NULL, NULL, NULL},
    {"materials:", NULL, NULL, NULL},
    {"  stone:", NULL, NULL, NULL},
    {"    ", &cn_material_table, "density", "2500"},
    {"", NULL, NULL, NULL},
    {"contacts:", NULL, NULL, NULL},
    {"  - ", &cn_contact_table, "between", "[\"*\", \"*\"]"},
    {"    ", &cn_contact_table, "friction", "0.5"},
    {"    ", &cn_contact_table, "restitution", "0"},
    {"", NULL, NULL, NULL},
    {"bodies:", NULL, NULL, NULL},
    {"  - ", &cn_body_table, "name", "ground"},
    {"    ", &cn_body_table, "fixed", "true"},
    {"    ", &cn_body_table, "material", "stone"},
    {"    ", &cn_body_table, "shape", "{plane: {normal: [0, 0, 1], offset: 0}}"},
    {"  - ", &cn_body_table, "name", "ball"},
    {"    ", &cn_body_table, "material", "stone"},
    {"    ", &cn_body_table, "position", "[-3, 0, 1.5]"},
    {"    ", &cn_body_table, "velocity", "[8, 0, 2]"},
    {"    ", &cn_body_table, "shape", "{sphere: {radius: 0.3}}"},
    {"", NULL, NULL, NULL},
    {"generate:", NULL, NULL, NULL},
    {"  - column:", NULL, NULL, NULL},
    {"      count: 3", NULL, NULL, NULL},
    {"      material: stone", NULL, NULL, NULL},
    {"      shape: {box: {size: [1, 1, 1]}}", NULL, NULL, NULL},
};

static bool cn_starter_comment(cn_buffer *out, size_t line_start, const cn_field *field) {
    bool good = true;
    while (good && out->size - line_start < CN_COMMENT_COLUMN) {
        good = cn_print_text(out, " ");
    }
    good = good && cn_print_text(out, " # ") && cn_print_text(out, field->help);
    if (field->unit) {
        good = good && cn_print_text(out, " [") && cn_print_text(out, field->unit) &&
               cn_print_text(out, "]");
    }
    return good && cn_print_text(out, "\n");
}

static bool cn_starter_row(cn_buffer *out, const char *lead, const cn_field *field,
                           const char *value) {
    size_t start = out->size;
    return cn_print_text(out, lead) && cn_print_text(out, field->key) && cn_print_text(out, ": ") &&
           cn_print_text(out, value) && cn_starter_comment(out, start, field);
}

// A map of settings with all its keys; those without a default are shown as comments.
static bool cn_starter_part(cn_buffer *out, const cn_field *part, const void *defaults) {
    bool good = cn_print_text(out, part->key) && cn_print_text(out, ":\n");
    for (int32_t i = 0; i < part->table->count && good; i++) {
        const cn_field *field = &part->table->field[i];
        char text[CN_DEFAULT_MAX];
        good = cn_field_default(field, 3, defaults, text) ? cn_starter_row(out, "  ", field, text)
                                                          : cn_starter_row(out, "  # ", field, "");
    }
    return good;
}

static cn_status cn_starter_write(cn_arena *memory, cn_buffer *out) {
    const void *defaults = cn_table_initial(memory, &cn_scene_table, 3);
    bool good = defaults != NULL;
    for (int32_t i = 0; i < CN_COUNT(cn_starter_lines) && good; i++) {
        const cn_starter_line *line = &cn_starter_lines[i];
        const cn_field *field = line->table ? cn_table_field(line->table, line->key) : NULL;
        if (!line->table) {
            good = cn_print_text(out, line->lead) && cn_print_text(out, "\n");
        } else if (!field) {
            return CN_ERR_ARGUMENT; // a line that names no row: a test would have seen it
        } else if (field->table && field->table->size == 0) {
            good = cn_starter_part(out, field, defaults);
        } else {
            char text[CN_DEFAULT_MAX] = "";
            const char *value = line->value;
            if (!value) { // only rows of the scene's own table
                cn_field_default(field, 3, defaults, text);
                value = text;
            }
            good = cn_starter_row(out, line->lead, field, value);
        }
    }
    return good ? CN_OK : CN_ERR_MEMORY;
}

typedef cn_status cn_text_maker(cn_arena *memory, cn_buffer *out);

static cn_status cn_text_make(cn_arena *memory, cn_text_maker *make, const char **text) {
    if (!memory || !text) {
        return CN_ERR_ARGUMENT;
    }
    cn_buffer out;
    cn_buffer_init(&out, cn_arena_env(memory));
    cn_status status = make(memory, &out);
    *text = status == CN_OK ? cn_arena_text(memory, (const char *)out.data, out.size) : NULL;
    cn_buffer_free(&out);
    return status == CN_OK && !*text ? CN_ERR_MEMORY : status;
}

static cn_status cn_schema_write(cn_arena *memory, cn_buffer *out) {
    return cn_schema_json(&cn_scene_table, memory, out) ? CN_OK : CN_ERR_MEMORY;
}

cn_status cn_scene_starter(cn_arena *memory, const char **text) {
    return cn_text_make(memory, cn_starter_write, text);
}

cn_status cn_scene_schema(cn_arena *memory, const char **text) {
    return cn_text_make(memory, cn_schema_write, text);
}
