// base/rng.h
// Our own seeded generator (xoshiro256**, seeded by splitmix64): the same numbers on every machine.
#ifndef CAIRN_BASE_RNG_H
#define CAIRN_BASE_RNG_H

#include <stdint.h>

typedef struct base_rng {
    uint64_t s[4];
} base_rng;

base_rng base_rng_seed(uint64_t seed);
uint64_t base_rng_next(base_rng *rng);
double base_rng_uniform(base_rng *rng, double low, double high); // [low, high)
int32_t base_rng_below(base_rng *rng, int32_t count);            // 0 .. count-1; count > 0

#endif
