// base/hash.h
// XXH64 of a state (the step number and two arrays of numbers, -0 read as 0), and of bytes that
// come piece by piece; XXH3 of bytes that lie in parts. Part of the run-file format.
#ifndef CAIRN_BASE_HASH_H
#define CAIRN_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t base_hash_state(int64_t step, const double *q, int64_t q_count, const double *v,
                         int64_t v_count);
// The same with positions and velocities of nodes behind them, `count` numbers each.
uint64_t base_hash_state_nodes(int64_t step, const double *q, int64_t q_count, const double *v,
                               int64_t v_count, const double *x, const double *w, int64_t count);

// XXH3, of 64 bits, of bytes that lie in parts, one after the other: the checksum of checkpoints.
typedef struct base_hash_part {
    const void *bytes;
    size_t size;
} base_hash_part;
typedef uint64_t base_hash_fn(const base_hash_part *part, int32_t count);
base_hash_fn base_hash_parts;
base_hash_fn *base_hash_parts_portable(void);
base_hash_fn *base_hash_parts_avx2(void); // NULL: not on this processor
base_hash_fn *base_hash_parts_avx512(void);

// Bytes that come piece by piece; the pieces do not count, only the bytes.
typedef struct base_hash {
    uint64_t words[11];
} base_hash;
void base_hash_start(base_hash *hash);
void base_hash_add(base_hash *hash, const void *bytes, size_t size);
uint64_t base_hash_end(const base_hash *hash);

#endif
