// base/hash_avx512.c
// Checksums for processors with 512-bit registers; built with the options for them there.
#include "base/hash.h"

#include "base/processor.h"

#if defined(__AVX512F__)
#include "base/hash_kernel.h"
#endif

BASE_AVX512_KERNEL(base_hash_fn, base_hash_parts_avx512, base_hash_kernel)
