// base/hash.h
// The hash of a state: XXH64 over the step number and two arrays of numbers, -0 read as 0. Part of
// the run-file format.
#ifndef CAIRN_BASE_HASH_H
#define CAIRN_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t cn_hash_state(int64_t step, const double *q, int64_t q_count, const double *v,
                       int64_t v_count);

// XXH64 of bytes that lie in parts, one after the other.
typedef struct cn_hash_part {
    const void *bytes;
    size_t size;
} cn_hash_part;
uint64_t cn_hash_parts(const cn_hash_part *part, int32_t count);

#endif
