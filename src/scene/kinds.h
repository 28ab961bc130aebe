// scene/kinds.h
// What the kinds of values share among themselves.
#ifndef CAIRN_SCENE_KINDS_H
#define CAIRN_SCENE_KINDS_H

#include "scene/schema/schema.h"

#define CN_CHOICES_MAX 64 // words of one list

// A finite number inside the field's range.
cn_status cn_read_number(cn_reader *reader, const cn_field *field, const cn_yaml *node,
                         double *value);
// The same, whole and at most this large.
cn_status cn_read_whole(cn_reader *reader, const cn_field *field, const cn_yaml *node, double most,
                        double *value);
cn_status cn_read_choice(cn_reader *reader, const cn_field *field, const cn_yaml *node,
                         int32_t *value);

void cn_json_range(cn_json *json, const cn_field *field);
void cn_json_choices(cn_json *json, const cn_field *field);
// "$ref" to a table's definition.
void cn_json_table(cn_json *json, const cn_table *table);

bool cn_print_text(cn_buffer *out, const char *text);
bool cn_print_number(cn_buffer *out, double value);

#endif
