// solve/gauss_seidel/cache.c
// Makes and ends what solves leave to each other.
#include "solve/gauss_seidel/cache.h"

#include "base/arena.h"

cn_solve_memo *cn_solve_memo_create(const cn_env *env) {
    cn_arena *memory = cn_arena_create(env);
    cn_solve_memo *memo = memory ? CN_TAKE_ZERO(memory, cn_solve_memo, 1) : NULL;
    if (!memo) {
        cn_arena_destroy(memory);
        return NULL;
    }
    memo->memory = memory;
    memo->batches.memory = cn_arena_create(env);
    if (!memo->batches.memory) {
        cn_arena_destroy(memory);
        return NULL;
    }
    return memo;
}

void cn_solve_memo_destroy(cn_solve_memo *memo) {
    if (memo) {
        cn_arena_destroy(memo->batches.memory);
        cn_arena_destroy(memo->memory);
    }
}
