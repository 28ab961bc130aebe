// problem/problem.c
// The container of a problem: one arena that holds everything, the container included.
#include <cairn/problem.h>

#include "base/arena.h"

cn_problem *cn_problem_create(const cn_env *env, cn_problem_kind kind) {
    cn_arena *memory = cn_arena_create(env);
    cn_problem *problem = memory ? BASE_TAKE_ZERO(memory, cn_problem, 1) : NULL;
    if (!problem) {
        cn_arena_destroy(memory);
        return NULL;
    }
    problem->kind = kind;
    problem->memory = memory;
    return problem;
}

void cn_problem_destroy(cn_problem *problem) {
    if (problem) {
        cn_arena_destroy(problem->memory);
    }
}
