// solve/acceleration/anderson_float_avx2.c
// The sums of the acceleration in single precision for processors with 256-bit registers; built
// with -mavx2 there.
#define MATH_SINGLE
#include "solve/acceleration/anderson.h"

#include "base/processor.h"

#if defined(__AVX2__)
#include "solve/acceleration/anderson_kernel.h"

static const gs_anderson_kernel own_kernel = GS_ANDERSON_KERNEL;
#endif

BASE_AVX2_KERNEL(const gs_anderson_kernel, gs_anderson_kernel_float_avx2, &own_kernel)
