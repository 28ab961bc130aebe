// solve/acceleration/anderson_avx512.c
// The sums of the acceleration for processors with 512-bit registers; built with -mavx512f there.
// Four numbers at a time even so, since the order of the sums is theirs.
#include "solve/acceleration/anderson.h"

#include "base/processor.h"

#if defined(__AVX512F__)
#include "solve/acceleration/anderson_kernel.h"

static const gs_anderson_kernel own_kernel = GS_ANDERSON_KERNEL;
#endif

BASE_AVX512_KERNEL(const gs_anderson_kernel, gs_anderson_kernel_avx512, &own_kernel)
