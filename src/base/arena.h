// base/arena.h
// Taking memory from an arena. Pieces are 64-byte aligned and zeroed on request; mark and release
// give back all that was taken since. The arena keeps its memory after a release, and puts it
// together to one piece when all is given back: a third solve of the same size allocates nothing.
#ifndef CAIRN_BASE_ARENA_H
#define CAIRN_BASE_ARENA_H

#include <cairn/base.h>

// count * size bytes, checked for overflow; NULL: no memory. A count of 0 gives a valid pointer.
void *base_arena_take(cn_arena *arena, int64_t count, size_t size);
void *base_arena_take_zero(cn_arena *arena, int64_t count, size_t size);
char *base_arena_text(cn_arena *arena, const char *text, size_t length); // a copy with a final '\0'

#define BASE_TAKE(arena, type, count)                                                              \
    ((type *)base_arena_take((arena), (int64_t)(count), sizeof(type)))
#define BASE_TAKE_ZERO(arena, type, count)                                                         \
    ((type *)base_arena_take_zero((arena), (int64_t)(count), sizeof(type)))

// Whether memory was once asked for and not given, since the arena was made.
bool base_arena_exhausted(const cn_arena *arena);

typedef struct base_arena_mark {
    int32_t chunk;
    size_t used;
} base_arena_mark;

base_arena_mark base_arena_get_mark(const cn_arena *arena);
void base_arena_release(cn_arena *arena, base_arena_mark mark);

#endif
