// scene/schema/schema_fill.c
// The resolved scene: the defaults of the scene's own settings written where the file is silent, so
// that a run says what it was made with.
#include "scene/schema/schema.h"

#include "base/arena.h"
#include "base/error.h"
#include "scene/walk.h"

#include <string.h>

static cn_status fill_table(scene_reader *reader, const scene_table_of *table, const void *defaults,
                            io_yaml *map);

static cn_status fill_value(scene_reader *reader, const scene_field *field, const void *defaults,
                            io_yaml *map) {
    char text[SCENE_DEFAULT_MAX];
    io_yaml *value;
    if (!scene_field_default(field, reader->dim, defaults, text)) {
        return CN_OK;
    }
    CN_TRY(io_yaml_read(reader->memory, "default", text, strlen(text), &value, reader->error));
    if (!io_yaml_put(reader->memory, map, io_yaml_new_text(reader->memory, field->key, NULL),
                     value)) {
        return base_fail_memory(reader->error);
    }
    return CN_OK;
}

// A part of the same struct: its map is made where there is none.
static cn_status fill_part(scene_reader *reader, const scene_field *field, const void *defaults,
                           io_yaml *map) {
    io_yaml *part = io_yaml_get(map, field->key);
    if (!part || part->kind == IO_YAML_NULL) {
        part = io_yaml_new(reader->memory, IO_YAML_MAP, NULL);
        if (!part || !io_yaml_put(reader->memory, map,
                                  io_yaml_new_text(reader->memory, field->key, NULL), part)) {
            return base_fail_memory(reader->error);
        }
    }
    return fill_table(reader, field->table, defaults, part);
}

static cn_status fill_table(scene_reader *reader, const scene_table_of *table, const void *defaults,
                            io_yaml *map) {
    for (int32_t i = 0; i < table->count; i++) {
        const scene_field *field = &table->field[i];
        if (!scene_field_in(field, reader->dim)) {
            continue;
        }
        if (field->kind == &scene_kind_table && field->table->size == 0) {
            CN_TRY(fill_part(reader, field, defaults, map));
        } else if (!io_yaml_get(map, field->key)) {
            CN_TRY(fill_value(reader, field, defaults, map));
        }
    }
    return CN_OK;
}

cn_status scene_schema_fill(scene_reader *reader, const scene_table_of *root, io_yaml *tree) {
    const void *defaults = scene_table_initial(reader->memory, root, reader->dim);
    return defaults ? fill_table(reader, root, defaults, tree) : base_fail_memory(reader->error);
}
