// solve/acceleration/anderson_float_avx512.c
// The sums of the acceleration in single precision for processors with AVX-512; built with
// -mavx512f there.
// A batch fills a register of 256 bits; what is gained are twice as many registers.
#define CN_SINGLE
#include "solve/acceleration/anderson.h"

#include "base/processor.h"

#if defined(__AVX512F__)
#include "solve/acceleration/anderson_kernel.h"

static const cn_anderson_kernel cn_own_kernel = CN_ANDERSON_KERNEL;
#endif

CN_AVX512_KERNEL(const cn_anderson_kernel, cn_anderson_kernel_float_avx512, &cn_own_kernel)
