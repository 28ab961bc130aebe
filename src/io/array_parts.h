// io/array_parts.h
// What the readers of arrays share; see array.h.
#ifndef CAIRN_IO_ARRAY_PARTS_H
#define CAIRN_IO_ARRAY_PARTS_H

#include "io/array.h"

// Room for so many entries; none are there yet.
cn_status io_array_take(cn_arena *memory, int64_t capacity, io_array *out, cn_error *error);
void io_array_add(io_array *array, int32_t row, int32_t column, double value);

cn_status io_npy_read(const void *bytes, size_t size, cn_arena *memory, io_array *out,
                      cn_error *error);

#endif
