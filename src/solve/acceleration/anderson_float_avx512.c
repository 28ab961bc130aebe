// solve/acceleration/anderson_float_avx512.c
// The sums of the acceleration in single precision for processors with AVX-512; built with
// -mavx512f there.
// A batch fills a register of 256 bits; what is gained are twice as many registers.
#define MATH_SINGLE
#include "solve/acceleration/anderson.h"

#include "base/processor.h"

#if defined(__AVX512F__)
#include "solve/acceleration/anderson_kernel.h"

static const gs_anderson_kernel own_kernel = GS_ANDERSON_KERNEL;
#endif

BASE_AVX512_KERNEL(const gs_anderson_kernel, gs_anderson_kernel_float_avx512, &own_kernel)
