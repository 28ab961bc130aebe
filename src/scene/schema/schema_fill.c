// scene/schema/schema_fill.c
// The resolved scene: the defaults of the scene's own settings written where the file is silent, so
// that a run says what it was made with.
#include "scene/schema/schema.h"

#include "base/arena.h"
#include "base/error.h"
#include "scene/walk.h"

#include <string.h>

static cn_status cn_fill_table(cn_reader *reader, const cn_table *table, const void *defaults,
                               cn_yaml *map);

static cn_status cn_fill_value(cn_reader *reader, const cn_field *field, const void *defaults,
                               cn_yaml *map) {
    char text[CN_DEFAULT_MAX];
    cn_yaml *value;
    if (!cn_field_default(field, reader->dim, defaults, text)) {
        return CN_OK;
    }
    cn_status status =
        cn_yaml_read(reader->memory, "default", text, strlen(text), &value, reader->error);
    if (status == CN_OK &&
        !cn_yaml_put(reader->memory, map, cn_yaml_new_text(reader->memory, field->key, NULL),
                     value)) {
        status = cn_fail_memory(reader->error);
    }
    return status;
}

// A part of the same struct: its map is made where there is none.
static cn_status cn_fill_part(cn_reader *reader, const cn_field *field, const void *defaults,
                              cn_yaml *map) {
    cn_yaml *part = cn_yaml_get(map, field->key);
    if (!part || part->kind == CN_YAML_NULL) {
        part = cn_yaml_new(reader->memory, CN_YAML_MAP, NULL);
        if (!part || !cn_yaml_put(reader->memory, map,
                                  cn_yaml_new_text(reader->memory, field->key, NULL), part)) {
            return cn_fail_memory(reader->error);
        }
    }
    return cn_fill_table(reader, field->table, defaults, part);
}

static cn_status cn_fill_table(cn_reader *reader, const cn_table *table, const void *defaults,
                               cn_yaml *map) {
    cn_status status = CN_OK;
    for (int32_t i = 0; i < table->count && status == CN_OK; i++) {
        const cn_field *field = &table->field[i];
        if (!cn_field_in(field, reader->dim)) {
            continue;
        }
        if (field->kind == &cn_kind_table && field->table->size == 0) {
            status = cn_fill_part(reader, field, defaults, map);
        } else if (!cn_yaml_get(map, field->key)) {
            status = cn_fill_value(reader, field, defaults, map);
        }
    }
    return status;
}

cn_status cn_schema_fill(cn_reader *reader, const cn_table *root, cn_yaml *tree) {
    const void *defaults = cn_table_initial(reader->memory, root, reader->dim);
    return defaults ? cn_fill_table(reader, root, defaults, tree) : cn_fail_memory(reader->error);
}
