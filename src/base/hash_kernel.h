// base/hash_kernel.h
// XXH3 of bytes in parts, for the processor that the source is built for; the hash is the same
// for all of them.
#ifndef CAIRN_BASE_HASH_KERNEL_H
#define CAIRN_BASE_HASH_KERNEL_H

#include "base/hash.h"

#define XXH_INLINE_ALL // header only: the state stays on the stack, and its loops are this source's
#include <xxhash.h>

static uint64_t base_hash_kernel(const base_hash_part *part, int32_t count) {
    XXH3_state_t hash;
    XXH3_64bits_reset(&hash);
    for (int32_t i = 0; i < count; i++) {
        if (part[i].size > 0) {
            XXH3_64bits_update(&hash, part[i].bytes, part[i].size);
        }
    }
    return XXH3_64bits_digest(&hash);
}

#endif
