// solve/acceleration/anderson_float_avx2.c
// The sums of the acceleration in single precision for processors with 256-bit registers; built
// with -mavx2 there.
#define CN_SINGLE
#include "solve/acceleration/anderson.h"

#include "base/processor.h"

#if defined(__AVX2__)
#include "solve/acceleration/anderson_kernel.h"

static const cn_anderson_kernel cn_own_kernel = CN_ANDERSON_KERNEL;
#endif

CN_AVX2_KERNEL(const cn_anderson_kernel, cn_anderson_kernel_float_avx2, &cn_own_kernel)
