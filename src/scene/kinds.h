// scene/kinds.h
// What the kinds of values share among themselves.
#ifndef CAIRN_SCENE_KINDS_H
#define CAIRN_SCENE_KINDS_H

#include "scene/schema/schema.h"

#define SCENE_CHOICES_MAX 64 // words of one list

// A finite number inside the field's range.
cn_status scene_read_number(scene_reader *reader, const scene_field *field, const io_yaml *node,
                            double *value);
// The same, whole and at most this large.
cn_status scene_read_whole(scene_reader *reader, const scene_field *field, const io_yaml *node,
                           double max, double *value);
cn_status scene_read_choice(scene_reader *reader, const scene_field *field, const io_yaml *node,
                            int32_t *value);

void scene_json_range(io_json *json, const scene_field *field);
void scene_json_choices(io_json *json, const scene_field *field);
// "$ref" to a table's definition.
void scene_json_table(io_json *json, const scene_table_of *table);

bool scene_print_text(base_buffer *out, const char *text);
bool scene_print_number(base_buffer *out, double value);

#endif
