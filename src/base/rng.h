// base/rng.h
// Our own seeded generator (xoshiro256**, seeded by splitmix64): the same numbers on every machine.
#ifndef CAIRN_BASE_RNG_H
#define CAIRN_BASE_RNG_H

#include <stdint.h>

typedef struct cn_rng {
    uint64_t s[4];
} cn_rng;

cn_rng cn_rng_seed(uint64_t seed);
uint64_t cn_rng_next(cn_rng *rng);
double cn_rng_uniform(cn_rng *rng, double low, double high); // [low, high)
int32_t cn_rng_below(cn_rng *rng, int32_t count);            // 0 .. count-1; count > 0

#endif
