// assemble/approach_avx2.c
// Approaching points for processors with 256-bit registers; built with -mavx2 there.
#include "assemble/approach.h"

#include "base/processor.h"

#if defined(__AVX2__)
#include "assemble/approach_kernel.h"
#endif

CN_AVX2_KERNEL(cn_approach_fn, cn_approach_avx2, cn_approach_four)
