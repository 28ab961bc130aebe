// solve/gauss_seidel/cache.c
// Makes and ends what solves leave to each other.
#include "solve/gauss_seidel/cache.h"

#include "base/arena.h"

cn_solve_cache *cn_solve_cache_create(const cn_env *env) {
    cn_arena *memory = cn_arena_create(env);
    cn_solve_cache *cache = memory ? BASE_TAKE_ZERO(memory, cn_solve_cache, 1) : NULL;
    if (!cache) {
        cn_arena_destroy(memory);
        return NULL;
    }
    cache->memory = memory;
    cache->batches.memory = cn_arena_create(env);
    if (!cache->batches.memory) {
        cn_arena_destroy(memory);
        return NULL;
    }
    return cache;
}

void cn_solve_cache_destroy(cn_solve_cache *cache) {
    if (cache) {
        cn_arena_destroy(cache->batches.memory);
        cn_arena_destroy(cache->memory);
    }
}
