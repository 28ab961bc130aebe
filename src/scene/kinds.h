// scene/kinds.h
// What the kinds of values share among themselves.
#ifndef CAIRN_SCENE_KINDS_H
#define CAIRN_SCENE_KINDS_H

#include "scene/schema/schema.h"

#define SCENE_CHOICES_MAX 64 // words of one list

// A finite number inside the field's range; for a row in rad or rad/s also a text as "30 deg".
cn_status scene_read_number(scene_reader *reader, const scene_field *field, const io_yaml *node,
                            double *value);
// The same, whole and at most this large.
cn_status scene_read_whole(scene_reader *reader, const scene_field *field, const io_yaml *node,
                           double max, double *value);
cn_status scene_read_choice(scene_reader *reader, const scene_field *field, const io_yaml *node,
                            int32_t *value);

// The value in rad of a text as "30 deg", or as a rate in rad/s of "30 deg/s".
bool scene_angle_of(const char *text, bool rate, double *value);
// The same for a row with such a unit.
bool scene_read_angle(const scene_field *field, const io_yaml *node, double *value);

// "type" of a number in the row's unit, with its range.
void scene_json_number(io_json *json, const scene_field *field);
void scene_json_range(io_json *json, const scene_field *field);
void scene_json_choices(io_json *json, const scene_field *field);
// Two schemas of a list of alternatives.
void scene_json_number_or_text(io_json *json);
// "type" of a list, with the schema that item writes as "items".
void scene_json_list(io_json *json, const scene_field *field,
                     void (*item)(io_json *json, const scene_field *field));
// "$ref" to a table's definition.
void scene_json_table(io_json *json, const scene_table_of *table);

bool scene_print_text(base_buffer *out, const char *text);
bool scene_print_number(base_buffer *out, double value);

#endif
