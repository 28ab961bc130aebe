// base/rows.c
#include "base/rows.h"

#include <string.h>

const void *base_row_find(const void *rows, size_t count, size_t size, size_t offset,
                          const char *name) {
    for (size_t i = 0; name && i < count; i++) {
        const char *row = (const char *)rows + size * i, *own;
        memcpy(&own, row + offset, sizeof own);
        if (strcmp(own, name) == 0) {
            return row;
        }
    }
    return NULL;
}
