// base/names.h
// A table from names to numbers; both stay where they are, so the names must outlive the table.
#ifndef CAIRN_BASE_NAMES_H
#define CAIRN_BASE_NAMES_H

#include <cairn/base.h>

typedef struct base_name_entry {
    const char *name; // NULL: free
    int32_t value;
} base_name_entry;

// Empty when all zero.
typedef struct base_names {
    base_name_entry *entry;
    int32_t capacity, count; // capacity is 0 or a power of two
} base_names;

int32_t base_names_find(const base_names *names, const char *name); // -1: not there
// Makes room for one more; false: no memory. The memory of smaller tables stays in the arena.
bool base_names_reserve(base_names *names, cn_arena *memory);
// The name must not be there and there must be room.
void base_names_add(base_names *names, const char *name, int32_t value);
// Another value for a name that is there; -1: it is as if it were not.
void base_names_set(base_names *names, const char *name, int32_t value);

#endif
