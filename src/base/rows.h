// base/rows.h
// Rows of constant tables by their names.
#ifndef CAIRN_BASE_ROWS_H
#define CAIRN_BASE_ROWS_H

#include <stddef.h>

// The first of count rows of `size` bytes that has the name: a const char * at `offset` in each row.
// NULL: there is none, or name is NULL.
const void *base_row_find(const void *rows, size_t count, size_t size, size_t offset,
                          const char *name);

// In an array of a type whose rows have the name in a member.
#define BASE_ROW_FIND(array, type, member, name)                                                   \
    ((const type *)base_row_find(array, sizeof(array) / sizeof(type), sizeof(type),                \
                                 offsetof(type, member), name))

#endif
