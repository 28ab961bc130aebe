// base/hash.c
#include "base/hash.h"

#define XXH_INLINE_ALL // header only: the state stays on the stack
#include <xxhash.h>

#define CN_HASH_TILE 128 // numbers turned from -0 to 0 at a time

static void cn_hash_numbers(XXH64_state_t *hash, const double *x, int64_t count) {
    double tile[CN_HASH_TILE];
    for (int64_t from = 0; from < count; from += CN_HASH_TILE) {
        int64_t size = count - from < CN_HASH_TILE ? count - from : CN_HASH_TILE;
        for (int64_t i = 0; i < size; i++) {
            tile[i] = x[from + i] + 0.0;
        }
        XXH64_update(hash, tile, sizeof *tile * (size_t)size);
    }
}

uint64_t cn_hash_state(int64_t step, const double *q, int64_t q_count, const double *v,
                       int64_t v_count) {
    XXH64_state_t hash;
    XXH64_reset(&hash, 0);
    XXH64_update(&hash, &step, sizeof step);
    cn_hash_numbers(&hash, q, q_count);
    cn_hash_numbers(&hash, v, v_count);
    return XXH64_digest(&hash);
}

uint64_t cn_hash_parts(const cn_hash_part *part, int32_t count) {
    XXH64_state_t hash;
    XXH64_reset(&hash, 0);
    for (int32_t i = 0; i < count; i++) {
        XXH64_update(&hash, part[i].bytes, part[i].size);
    }
    return XXH64_digest(&hash);
}

_Static_assert(sizeof(XXH64_state_t) <= sizeof(cn_hash), "the state of the hash must fit");

void cn_hash_start(cn_hash *hash) {
    XXH64_reset((XXH64_state_t *)hash->words, 0);
}

void cn_hash_add(cn_hash *hash, const void *bytes, size_t size) {
    if (size > 0) {
        XXH64_update((XXH64_state_t *)hash->words, bytes, size);
    }
}

uint64_t cn_hash_end(const cn_hash *hash) {
    return XXH64_digest((const XXH64_state_t *)hash->words);
}
