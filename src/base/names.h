// base/names.h
// A table from names to numbers; both stay where they are, so the names must outlive the table.
#ifndef CAIRN_BASE_NAMES_H
#define CAIRN_BASE_NAMES_H

#include <cairn/base.h>

typedef struct cn_name_entry {
    const char *name; // NULL: free
    int32_t value;
} cn_name_entry;

// Empty when all zero.
typedef struct cn_names {
    cn_name_entry *entry;
    int32_t capacity, count; // capacity is 0 or a power of two
} cn_names;

int32_t cn_names_find(const cn_names *names, const char *name); // -1: not there
// Makes room for one more; false: no memory. The memory of smaller tables stays in the arena.
bool cn_names_reserve(cn_names *names, cn_arena *memory);
// The name must not be there and there must be room.
void cn_names_add(cn_names *names, const char *name, int32_t value);

#endif
