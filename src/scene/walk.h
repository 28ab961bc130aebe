// scene/walk.h
// Going over all tables that a root names.
#ifndef CAIRN_SCENE_WALK_H
#define CAIRN_SCENE_WALK_H

#include "scene/schema/schema.h"

// Each table once: the root, then the others in the order in which they are met, depth first.
// false: no memory.
bool scene_schema_tables(const scene_table_of *root, cn_arena *memory,
                         const scene_table_of ***tables, int32_t *count);
// A row's default as YAML text; defaults is a struct of the row's table with its defaults. false:
// it has none.
bool scene_field_default(const scene_field *field, int32_t dim, const void *defaults,
                         char text[SCENE_DEFAULT_MAX]);
// What values a row takes, in words: "a number above 0", "one of a, b". false: no memory.
bool scene_field_words(const scene_field *field, base_buffer *out);

#endif
