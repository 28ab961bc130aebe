// base/rng.c
// xoshiro256** by Blackman and Vigna, seeded by splitmix64 as they advise.
#include "base/rng.h"

static uint64_t splitmix(uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static uint64_t rotate_left(uint64_t x, int k) {
    return (x << k) | (x >> (64 - k));
}

base_rng base_rng_seed(uint64_t seed) {
    base_rng rng;
    for (int i = 0; i < 4; i++) {
        rng.s[i] = splitmix(&seed);
    }
    return rng;
}

uint64_t base_rng_next(base_rng *rng) {
    uint64_t *s = rng->s;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

double base_rng_uniform(base_rng *rng, double low, double high) {
    double unit = (double)(base_rng_next(rng) >> 11) * 0x1.0p-53;
    return low + (high - low) * unit;
}

int32_t base_rng_below(base_rng *rng, int32_t count) {
    return (int32_t)(((base_rng_next(rng) >> 32) * (uint64_t)count) >> 32);
}
