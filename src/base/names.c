// base/names.c
// Open addressing with linear steps at a load of one half at most; the FNV-1a hash.
#include "base/names.h"

#include "base/arena.h"

#include <string.h>

static uint64_t name_hash(const char *name) {
    uint64_t hash = 14695981039346656037u;
    for (; *name; name++) {
        hash = (hash ^ (unsigned char)*name) * 1099511628211u;
    }
    return hash ^ hash >> 32;
}

// Where the name is, or where it would go.
static base_name_entry *names_slot(const base_names *names, const char *name) {
    uint64_t mask = (uint64_t)names->capacity - 1;
    uint64_t at = name_hash(name) & mask;
    while (names->entry[at].name && strcmp(names->entry[at].name, name) != 0) {
        at = (at + 1) & mask;
    }
    return &names->entry[at];
}

int32_t base_names_find(const base_names *names, const char *name) {
    if (names->capacity == 0) {
        return -1;
    }
    const base_name_entry *entry = names_slot(names, name);
    return entry->name ? entry->value : -1;
}

bool base_names_reserve(base_names *names, cn_arena *memory) {
    if (names->count + 1 <= names->capacity / 2) {
        return true;
    }
    if (names->capacity > INT32_MAX / 4) {
        return false;
    }
    base_names larger = {.capacity = names->capacity ? 2 * names->capacity : 16};
    larger.entry = BASE_TAKE_ZERO(memory, base_name_entry, larger.capacity);
    if (!larger.entry) {
        return false;
    }
    for (int32_t i = 0; i < names->capacity; i++) {
        if (names->entry[i].name) {
            base_names_add(&larger, names->entry[i].name, names->entry[i].value);
        }
    }
    *names = larger;
    return true;
}

void base_names_add(base_names *names, const char *name, int32_t value) {
    *names_slot(names, name) = (base_name_entry){.name = name, .value = value};
    names->count++;
}

void base_names_set(base_names *names, const char *name, int32_t value) {
    names_slot(names, name)->value = value;
}
