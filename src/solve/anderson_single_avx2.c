// solve/anderson_single_avx2.c
// The sums in single precision for processors with 256-bit registers; built with -mavx2 there.
#define CN_SINGLE
#include "solve/anderson.h"

#if defined(__AVX2__)
#include "solve/anderson_kernel.h"

static const cn_anderson_kernel cn_anderson_kernel_avx2 = CN_ANDERSON_KERNEL;

const cn_anderson_kernel *cn_anderson_kernel_single_wide(void) {
    return __builtin_cpu_supports("avx2") ? &cn_anderson_kernel_avx2 : NULL;
}
#else
const cn_anderson_kernel *cn_anderson_kernel_single_wide(void) {
    return NULL;
}
#endif
