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

#define COMMENT_COLUMN 46

typedef struct starter_line {
    const char *lead;            // what stands before the key: indentation, "- "
    const scene_table_of *table; // NULL: lead is the whole line
    const char *key;
    const char *value; // NULL: the default
} starter_line;

static const starter_line starter_lines[] = {
    {"# A first scene: a tower of three blocks, and a ball that comes flying.", NULL, NULL, NULL},
    {"# Lengths are in m, masses in kg, times in s, angles in rad.", NULL, NULL, NULL},
    {"# Run it with: cairn run FILE", NULL, NULL, NULL},
    {"", &scene_table, "cairn", "1"},
    {"", &scene_table, "name", "first-scene"},
    {"", &scene_table, "dimension", NULL},
    {"", &scene_table, "gravity", NULL},
    {"", NULL, NULL, NULL},
    {"", &scene_table, "time", ""},
    {"", &scene_table, "integrator", ""},
    {"", &scene_table, "solver", ""},
    {"", &scene_table, "detection", ""},
    {"", &scene_table, "sleeping", ""},
    {"", NULL, NULL, NULL},
    {"materials:", NULL, NULL, NULL},
    {"  stone:", NULL, NULL, NULL},
    {"    ", &scene_material_table, "density", "2500"},
    {"", NULL, NULL, NULL},
    {"contacts:", NULL, NULL, NULL},
    {"  - ", &scene_contact_table, "between", "[\"*\", \"*\"]"},
    {"    ", &scene_contact_table, "friction", "0.5"},
    {"    ", &scene_contact_table, "restitution", "0"},
    {"", NULL, NULL, NULL},
    {"bodies:", NULL, NULL, NULL},
    {"  - ", &scene_body_table, "name", "ground"},
    {"    ", &scene_body_table, "fixed", "true"},
    {"    ", &scene_body_table, "material", "stone"},
    {"    ", &scene_body_table, "shape", "{plane: {normal: [0, 0, 1], offset: 0}}"},
    {"  - ", &scene_body_table, "name", "ball"},
    {"    ", &scene_body_table, "material", "stone"},
    {"    ", &scene_body_table, "position", "[-3, 0, 1.5]"},
    {"    ", &scene_body_table, "velocity", "[8, 0, 2]"},
    {"    ", &scene_body_table, "shape", "{sphere: {radius: 0.3}}"},
    {"", NULL, NULL, NULL},
    {"generate:", NULL, NULL, NULL},
    {"  - column:", NULL, NULL, NULL},
    {"      count: 3", NULL, NULL, NULL},
    {"      material: stone", NULL, NULL, NULL},
    {"      shape: {box: {size: [1, 1, 1]}}", NULL, NULL, NULL},
};

static bool starter_comment(base_buffer *out, size_t line_start, const scene_field *field) {
    bool good = true;
    while (good && out->size - line_start < COMMENT_COLUMN) {
        good = scene_print_text(out, " ");
    }
    good = good && scene_print_text(out, " # ") && scene_print_text(out, field->help);
    if (field->unit) {
        good = good && scene_print_text(out, " [") && scene_print_text(out, field->unit) &&
               scene_print_text(out, "]");
    }
    return good && scene_print_text(out, "\n");
}

static bool starter_row(base_buffer *out, const char *lead, const scene_field *field,
                        const char *value) {
    size_t start = out->size;
    return scene_print_text(out, lead) && scene_print_text(out, field->key) &&
           scene_print_text(out, ": ") && scene_print_text(out, value) &&
           starter_comment(out, start, field);
}

// A map of settings with all its keys; those without a default are shown as comments.
static bool starter_part(base_buffer *out, const scene_field *part, const void *defaults) {
    bool good = scene_print_text(out, part->key) && scene_print_text(out, ":\n");
    for (int32_t i = 0; i < part->table->count && good; i++) {
        const scene_field *field = &part->table->field[i];
        char text[SCENE_DEFAULT_MAX];
        good = scene_field_default(field, 3, defaults, text) ? starter_row(out, "  ", field, text)
                                                             : starter_row(out, "  # ", field, "");
    }
    return good;
}

static cn_status starter_write(cn_arena *memory, base_buffer *out) {
    const void *defaults = scene_table_initial(memory, &scene_table, 3);
    bool good = defaults != NULL;
    for (int32_t i = 0; i < SCENE_COUNT(starter_lines) && good; i++) {
        const starter_line *line = &starter_lines[i];
        const scene_field *field = line->table ? scene_table_field(line->table, line->key) : NULL;
        if (!line->table) {
            good = scene_print_text(out, line->lead) && scene_print_text(out, "\n");
        } else if (!field) {
            return CN_ERR_ARGUMENT; // a line that names no row: a test would have seen it
        } else if (field->table && field->table->size == 0) {
            good = starter_part(out, field, defaults);
        } else {
            char text[SCENE_DEFAULT_MAX] = "";
            const char *value = line->value;
            if (!value) { // only rows of the scene's own table
                scene_field_default(field, 3, defaults, text);
                value = text;
            }
            good = starter_row(out, line->lead, field, value);
        }
    }
    return good ? CN_OK : CN_ERR_MEMORY;
}

typedef cn_status text_maker(cn_arena *memory, base_buffer *out);

static cn_status text_make(cn_arena *memory, text_maker *make, const char **text) {
    if (!memory || !text) {
        return CN_ERR_ARGUMENT;
    }
    base_buffer out;
    base_buffer_init(&out, cn_arena_env(memory));
    cn_status status = make(memory, &out);
    *text = status == CN_OK ? base_arena_text(memory, (const char *)out.data, out.size) : NULL;
    base_buffer_free(&out);
    return status == CN_OK && !*text ? CN_ERR_MEMORY : status;
}

static cn_status schema_write(cn_arena *memory, base_buffer *out) {
    return scene_schema_json(&scene_table, memory, out) ? CN_OK : CN_ERR_MEMORY;
}

cn_status cn_scene_starter(cn_arena *memory, const char **text) {
    return text_make(memory, starter_write, text);
}

cn_status cn_scene_schema(cn_arena *memory, const char **text) {
    return text_make(memory, schema_write, text);
}
