// base/hash.c
#include "base/hash.h"

#define XXH_INLINE_ALL // header only: the state stays on the stack
#include <xxhash.h>

#define HASH_TILE 128 // numbers turned from -0 to 0 at a time

static void hash_numbers(XXH64_state_t *hash, const double *x, int64_t count) {
    double tile[HASH_TILE];
    for (int64_t from = 0; from < count; from += HASH_TILE) {
        int64_t size = count - from < HASH_TILE ? count - from : HASH_TILE;
        for (int64_t i = 0; i < size; i++) {
            tile[i] = x[from + i] + 0.0;
        }
        XXH64_update(hash, tile, sizeof *tile * (size_t)size);
    }
}

uint64_t base_hash_state_nodes(int64_t step, const double *q, int64_t q_count, const double *v,
                               int64_t v_count, const double *x, const double *w, int64_t count) {
    XXH64_state_t hash;
    XXH64_reset(&hash, 0);
    XXH64_update(&hash, &step, sizeof step);
    hash_numbers(&hash, q, q_count);
    hash_numbers(&hash, v, v_count);
    hash_numbers(&hash, x, count);
    hash_numbers(&hash, w, count);
    return XXH64_digest(&hash);
}

uint64_t base_hash_state(int64_t step, const double *q, int64_t q_count, const double *v,
                         int64_t v_count) {
    return base_hash_state_nodes(step, q, q_count, v, v_count, NULL, NULL, 0);
}

uint64_t base_hash_parts(const base_hash_part *part, int32_t count) {
    base_hash_fn *fn = base_hash_parts_avx512();
    fn = fn ? fn : base_hash_parts_avx2();
    return (fn ? fn : base_hash_parts_portable())(part, count);
}

_Static_assert(sizeof(XXH64_state_t) <= sizeof(base_hash), "the state of the hash must fit");

void base_hash_start(base_hash *hash) {
    XXH64_reset((XXH64_state_t *)hash->words, 0);
}

void base_hash_add(base_hash *hash, const void *bytes, size_t size) {
    if (size > 0) {
        XXH64_update((XXH64_state_t *)hash->words, bytes, size);
    }
}

uint64_t base_hash_end(const base_hash *hash) {
    return XXH64_digest((const XXH64_state_t *)hash->words);
}
