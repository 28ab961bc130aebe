// record/shape_json.h
// Numbers and shapes as JSON text, for the body table.
#ifndef CAIRN_RECORD_SHAPE_JSON_H
#define CAIRN_RECORD_SHAPE_JSON_H

#include "model/model.h"

// "[1,2.5]" with all digits; NULL: no memory.
const char *rec_json_numbers(cn_arena *memory, const double *x, int32_t count);
// The shapes of body i as a list of objects in the words of the scene format, placed in the body's
// own frame.
const char *rec_json_shapes(cn_arena *memory, const cn_model *model, int32_t i);

#endif
