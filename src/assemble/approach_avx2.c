// assemble/approach_avx2.c
// Approaching points for processors with 256-bit registers; built with -mavx2 there.
#include "assemble/approach.h"

#include "base/processor.h"

#if defined(__AVX2__)
#include "assemble/approach_kernel.h"
#endif

BASE_AVX2_KERNEL(asm_approach_fn, asm_approach_avx2, asm_approach_four)
