// tests/failing_allocator.h
// An allocator that fails at a chosen call and counts what it has out.
//
//     for (int64_t k = 1;; k++) {
//         cn_failing memory;
//         cn_env env = cn_failing_env(&memory, k);
//         ... call with &env ...
//         if (!memory.failed) { ... it succeeded, and k has covered every allocation ... break; }
//         CN_CHECK_TRUE(memory.live == 0);
//     }
#ifndef CAIRN_TESTS_FAILING_ALLOCATOR_H
#define CAIRN_TESTS_FAILING_ALLOCATOR_H

#include <cairn/base.h>

#include <stdlib.h>

typedef struct cn_failing {
    int64_t calls, fail_at; // allocations and growths so far; the one that fails (0: none)
    int64_t live;           // pieces not given back
    size_t largest;         // bytes asked for in one piece
    bool failed;
    bool lasting; // all later ones fail as well
} cn_failing;

static inline void *cn_failing_resize(void *user, void *ptr, size_t old_bytes, size_t new_bytes) {
    cn_failing *state = user;
    (void)old_bytes;
    if (new_bytes == 0) {
        state->live -= ptr != NULL;
        free(ptr);
        return NULL;
    }
    state->calls++;
    state->largest = new_bytes > state->largest ? new_bytes : state->largest;
    if (state->calls == state->fail_at ||
        (state->lasting && state->fail_at > 0 && state->calls > state->fail_at)) {
        state->failed = true;
        return NULL;
    }
    void *piece = realloc(ptr, new_bytes);
    state->live += piece && !ptr;
    return piece;
}

static inline cn_env cn_failing_env(cn_failing *state, int64_t fail_at) {
    *state = (cn_failing){.fail_at = fail_at};
    cn_env env = cn_env_default();
    env.allocator = (cn_allocator){.resize = cn_failing_resize, .user = state};
    return env;
}

#endif
