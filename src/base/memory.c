// base/memory.c
// The default environment, growing buffers, and the arena: a short list of chunks. Emptied, an
// arena puts its chunks together to one of the size of all, so that what is taken again and again,
// as in every step, lies in one piece without room left over at the end of each.
#include "base/memory.h"

#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGN 64u
#define CHUNK_MAX 160 // each adds a quarter to all before, so this is past any address space
#define CHUNK_FIRST ((size_t)1 << 16)
#define LARGE ((size_t)1 << 20) // what is smaller doubles

static void *malloc_resize(void *user, void *ptr, size_t old_bytes, size_t new_bytes) {
    (void)user;
    (void)old_bytes;
    if (new_bytes == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, new_bytes);
}

cn_env cn_env_default(void) {
    return (cn_env){.allocator = {.resize = malloc_resize}};
}

void base_log(const cn_env *env, cn_log_level level, const char *format, ...) {
    if (!env || !env->log) {
        return;
    }
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    env->log(env->log_user, level, text);
}

bool base_size_multiply(int64_t count, size_t size, size_t *bytes) {
    // Half the address space is more than any allocation can be, and leaves room to round up.
    if (count < 0 || (uint64_t)count > (SIZE_MAX / 2) / (size ? size : 1)) {
        return false;
    }
    *bytes = (size_t)count * size;
    return true;
}

void *base_env_resize(const cn_env *env, void *ptr, size_t old_bytes, size_t new_bytes) {
    if (!env || !env->allocator.resize) {
        return malloc_resize(NULL, ptr, old_bytes, new_bytes);
    }
    return env->allocator.resize(env->allocator.user, ptr, old_bytes, new_bytes);
}

// By how much something of a size grows: what is spare in large ones counts too.
static size_t growth(size_t size) {
    return size < LARGE ? size : size / 4;
}

void base_buffer_init(base_buffer *buffer, const cn_env *env) {
    *buffer = (base_buffer){.env = env};
}

bool base_buffer_reserve(base_buffer *buffer, size_t count) {
    if (count > buffer->capacity - buffer->size) {
        size_t capacity = buffer->capacity ? buffer->capacity : 256;
        while (capacity - buffer->size < count) {
            if (capacity > SIZE_MAX / 4) {
                return false;
            }
            capacity += growth(capacity);
        }
        void *data = base_env_resize(buffer->env, buffer->data, buffer->capacity, capacity);
        if (!data) {
            return false;
        }
        buffer->data = data;
        buffer->capacity = capacity;
    }
    return true;
}

bool base_buffer_append(base_buffer *buffer, const void *bytes, size_t count) {
    if (!base_buffer_reserve(buffer, count)) {
        return false;
    }
    if (count) {
        memcpy(buffer->data + buffer->size, bytes, count);
    }
    buffer->size += count;
    return true;
}

void base_buffer_free(base_buffer *buffer) {
    if (buffer->data) {
        base_env_resize(buffer->env, buffer->data, buffer->capacity, 0);
    }
    *buffer = (base_buffer){.env = buffer->env};
}

typedef struct base_chunk {
    unsigned char *block; // as allocated
    unsigned char *data;  // aligned
    size_t bytes;         // of block
    size_t capacity;      // of data
} base_chunk;

struct cn_arena {
    cn_env env;
    int32_t chunk_count;
    int32_t current; // chunk in use; the later ones are empty
    size_t used;     // in the current chunk
    size_t total;    // capacity of all chunks, or of those that are to become one
    bool exhausted;  // something was asked for and not given
    base_chunk chunk[CHUNK_MAX];
};

cn_arena *cn_arena_create(const cn_env *env) {
    cn_env own = env ? *env : cn_env_default();
    cn_arena *arena = base_env_resize(&own, NULL, 0, sizeof *arena);
    if (arena) {
        memset(arena, 0, sizeof *arena);
        arena->env = own;
    }
    return arena;
}

static void arena_free(cn_arena *arena) {
    for (int32_t i = 0; i < arena->chunk_count; i++) {
        base_env_resize(&arena->env, arena->chunk[i].block, arena->chunk[i].bytes, 0);
    }
    arena->chunk_count = 0;
}

void cn_arena_destroy(cn_arena *arena) {
    if (!arena) {
        return;
    }
    arena_free(arena);
    cn_env env = arena->env;
    base_env_resize(&env, arena, sizeof *arena, 0);
}

const cn_env *cn_arena_env(const cn_arena *arena) {
    return &arena->env;
}

// A fresh chunk behind the last one, of at least the given capacity.
static bool arena_grow(cn_arena *arena, size_t capacity) {
    if (arena->chunk_count == CHUNK_MAX) {
        return false;
    }
    size_t min = arena->chunk_count > 0 ? growth(arena->total) : arena->total;
    capacity = capacity > min ? capacity : min;
    capacity = capacity > CHUNK_FIRST ? capacity : CHUNK_FIRST;
    base_chunk chunk = {.bytes = capacity + ALIGN, .capacity = capacity};
    chunk.block = base_env_resize(&arena->env, NULL, 0, chunk.bytes);
    if (!chunk.block) {
        return false;
    }
    chunk.data = chunk.block + (ALIGN - (uintptr_t)chunk.block % ALIGN) % ALIGN;
    arena->total = arena->chunk_count > 0 ? arena->total + capacity : capacity;
    arena->chunk[arena->chunk_count++] = chunk;
    return true;
}

static void *arena_take_bytes(cn_arena *arena, size_t bytes, size_t align) {
    for (;;) {
        if (arena->current < arena->chunk_count) {
            base_chunk *chunk = &arena->chunk[arena->current];
            size_t from = (arena->used + align - 1) / align * align;
            if (from <= chunk->capacity && bytes <= chunk->capacity - from) {
                arena->used = from + bytes;
                return chunk->data + from;
            }
        }
        if (arena->current + 1 < arena->chunk_count) {
            arena->current++;
            arena->used = 0;
            continue;
        }
        if (!arena_grow(arena, bytes)) {
            arena->exhausted = true;
            return NULL;
        }
        arena->current = arena->chunk_count - 1;
        arena->used = 0;
    }
}

void *base_arena_take(cn_arena *arena, int64_t count, size_t size) {
    size_t bytes;
    if (!base_size_multiply(count, size, &bytes)) {
        arena->exhausted = true;
        return NULL;
    }
    return arena_take_bytes(arena, bytes, ALIGN);
}

void *base_arena_take_zero(cn_arena *arena, int64_t count, size_t size) {
    void *piece = base_arena_take(arena, count, size);
    if (piece && count > 0) {
        memset(piece, 0, (size_t)count * size);
    }
    return piece;
}

char *base_arena_text(cn_arena *arena, const char *text, size_t length) {
    char *copy = arena_take_bytes(arena, length + 1, 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

bool base_arena_exhausted(const cn_arena *arena) {
    return arena->exhausted;
}

base_arena_mark base_arena_get_mark(const cn_arena *arena) {
    return (base_arena_mark){.chunk = arena->current, .used = arena->used};
}

void base_arena_release(cn_arena *arena, base_arena_mark mark) {
    arena->current = mark.chunk;
    arena->used = mark.used;
    if (mark.chunk == 0 && mark.used == 0 && arena->chunk_count > 1) {
        arena_free(arena);
    }
}
