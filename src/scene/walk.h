// scene/walk.h
// Going over all tables that a root names.
#ifndef CAIRN_SCENE_WALK_H
#define CAIRN_SCENE_WALK_H

#include "scene/schema/schema.h"

// Each table once: the root, then the others in the order in which they are met, depth first.
// false: no memory.
bool cn_schema_tables(const cn_table *root, cn_arena *memory, const cn_table ***tables,
                      int32_t *count);
// A row's default as YAML text; defaults is a struct of the row's table with its defaults. false:
// it has none.
bool cn_field_default(const cn_field *field, int32_t dim, const void *defaults,
                      char text[CN_DEFAULT_MAX]);
// What values a row takes, in words: "a number above 0", "one of a, b". false: no memory.
bool cn_field_words(const cn_field *field, cn_buffer *out);

#endif
