// tests/small_problems.h
// Small problems of every kind for the file tests: random, with both zeros, empty rows, and blocks
// that hold nothing but zeros. They are data to write and read, not problems to solve.
#ifndef CAIRN_TESTS_SMALL_PROBLEMS_H
#define CAIRN_TESTS_SMALL_PROBLEMS_H

#include "base/arena.h"
#include "base/memory.h"
#include "base/rng.h"
#include "problem/operator/operator.h"
#include "same_problem.h"
#include "sparse/csr.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline double cn_small_number(base_rng *rng) {
    int32_t choice = base_rng_below(rng, 8);
    if (choice < 2) {
        return choice ? -0.0 : 0.0;
    }
    return base_rng_uniform(rng, -1.0, 1.0);
}

static inline double *cn_small_vector(cn_arena *memory, base_rng *rng, int32_t count) {
    double *x = BASE_TAKE(memory, double, count);
    for (int32_t i = 0; i < count; i++) {
        x[i] = cn_small_number(rng);
    }
    return x;
}

// One entry in three, and the whole diagonal when asked.
static inline cn_csr cn_small_matrix(cn_arena *memory, base_rng *rng, int32_t rows, int32_t cols,
                                     bool diagonal) {
    cn_csr a;
    int32_t *row = BASE_TAKE(memory, int32_t, (int64_t)rows * cols);
    int32_t *column = BASE_TAKE(memory, int32_t, (int64_t)rows * cols);
    double *value = BASE_TAKE(memory, double, (int64_t)rows *cols);
    int64_t count = 0;
    for (int32_t i = 0; i < rows; i++) {
        for (int32_t j = 0; j < cols; j++) {
            if (base_rng_below(rng, 3) == 0 || (diagonal && i == j)) {
                row[count] = i;
                column[count] = j;
                value[count++] = diagonal && i == j ? 4.0 : cn_small_number(rng);
            }
        }
    }
    sparse_csr_from_triplets(memory, rows, cols, count, row, column, value, &a);
    return a;
}

// A stored solution, a guess and texts, of random content.
static inline void cn_small_answers(cn_problem *p, base_rng *rng, int32_t rows, int32_t dofs) {
    p->r = cn_small_vector(p->memory, rng, rows);
    p->u = cn_small_vector(p->memory, rng, rows);
    p->v = dofs > 0 ? cn_small_vector(p->memory, rng, dofs) : NULL;
    p->guess = cn_small_vector(p->memory, rng, rows);
}

static inline cn_problem *cn_small_local(uint64_t seed, int32_t dim, int32_t contacts,
                                         bool answers) {
    base_rng rng = base_rng_seed(seed);
    cn_problem *p = cn_problem_create(NULL, CN_PROBLEM_FRICTION);
    cn_csr W = cn_small_matrix(p->memory, &rng, dim * contacts, dim * contacts, true);
    double *q = cn_small_vector(p->memory, &rng, dim * contacts);
    double *mu = BASE_TAKE(p->memory, double, contacts);
    for (int32_t a = 0; a < contacts; a++) {
        mu[a] = base_rng_uniform(&rng, 0.0, 1.0);
    }
    prob_friction_from_csr(p->memory, dim, contacts, &W, q, mu, &p->friction);
    if (answers) {
        cn_small_answers(p, &rng, dim * contacts, 0);
    }
    return p;
}

static inline cn_problem *cn_small_global(uint64_t seed, int32_t dim, int32_t contacts,
                                          int32_t dofs, bool answers) {
    base_rng rng = base_rng_seed(seed);
    cn_problem *p = cn_problem_create(NULL, CN_PROBLEM_FRICTION_GLOBAL);
    cn_friction_global *g = &p->global;
    *g = (cn_friction_global){.dim = dim, .contacts = contacts, .dofs = dofs};
    g->M = cn_small_matrix(p->memory, &rng, dofs, dofs, true);
    g->H = cn_small_matrix(p->memory, &rng, dofs, dim * contacts, false);
    g->f = cn_small_vector(p->memory, &rng, dofs);
    g->w = cn_small_vector(p->memory, &rng, dim * contacts);
    g->mu = BASE_TAKE(p->memory, double, contacts);
    for (int32_t a = 0; a < contacts; a++) {
        g->mu[a] = base_rng_uniform(&rng, 0.0, 1.0);
    }
    if (answers) {
        cn_small_answers(p, &rng, dim * contacts, dofs);
    }
    return p;
}

static inline cn_problem *cn_small_lcp(uint64_t seed, int32_t n, bool answers) {
    base_rng rng = base_rng_seed(seed);
    cn_problem *p = cn_problem_create(NULL, CN_PROBLEM_LCP);
    p->lcp.n = n;
    p->lcp.M = cn_small_matrix(p->memory, &rng, n, n, true);
    p->lcp.q = cn_small_vector(p->memory, &rng, n);
    if (answers) {
        cn_small_answers(p, &rng, n, 0);
    }
    return p;
}

// A file name of this process alone, in the folder where the tests run.
static inline const char *cn_small_path(char path[64], const char *ending) {
    snprintf(path, 64, "cairn-test-%ld%s", (long)getpid(), ending);
    return path;
}

// Log lines, for tests of warnings.
typedef struct cn_log_lines {
    int32_t count;
    char last[512];
} cn_log_lines;

static inline void cn_log_keep(void *user, cn_log_level level, const char *text) {
    cn_log_lines *lines = user;
    lines->count += level == CN_LOG_WARNING;
    snprintf(lines->last, sizeof lines->last, "%s", text);
}

static inline cn_env cn_log_env(cn_log_lines *lines) {
    cn_env env = cn_env_default();
    *lines = (cn_log_lines){0};
    env.log = cn_log_keep;
    env.log_user = lines;
    return env;
}

#endif
