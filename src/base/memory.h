// base/memory.h
// Growing arrays outside an arena, for readers that do not know a size beforehand. Same allocator,
// same checks.
#ifndef CAIRN_BASE_MEMORY_H
#define CAIRN_BASE_MEMORY_H

#include <cairn/base.h>

// true and *bytes = count * size, or false when that does not fit.
bool base_size_multiply(int64_t count, size_t size, size_t *bytes);

// The environment's allocator, malloc when it has none; see cn_allocator.
void *base_env_resize(const cn_env *env, void *ptr, size_t old_bytes, size_t new_bytes);

// A byte buffer that grows; data is NULL while empty.
typedef struct base_buffer {
    const cn_env *env;
    unsigned char *data;
    size_t size, capacity;
} base_buffer;

void base_buffer_init(base_buffer *buffer, const cn_env *env);
bool base_buffer_reserve(base_buffer *buffer,
                         size_t count); // room for count more; false: no memory
bool base_buffer_append(base_buffer *buffer, const void *bytes, size_t count); // false: no memory
void base_buffer_free(base_buffer *buffer);

void base_log(const cn_env *env, cn_log_level level, const char *format, ...) CN_PRINTF(3, 4);

#endif
