// base/hash_portable.c
// Checksums on any processor.
#include "base/hash_kernel.h"

base_hash_fn *base_hash_parts_portable(void) {
    return base_hash_kernel;
}
