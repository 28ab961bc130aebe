// base/hash_avx2.c
// Checksums for processors with 256-bit registers; built with -mavx2 there.
#include "base/hash.h"

#include "base/processor.h"

#if defined(__AVX2__)
#include "base/hash_kernel.h"
#endif

BASE_AVX2_KERNEL(base_hash_fn, base_hash_parts_avx2, base_hash_kernel)
