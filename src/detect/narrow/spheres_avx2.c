// detect/narrow/spheres_avx2.c
// The kernel of pairs of balls for processors with 256-bit registers; built with -mavx2 there.
#include "detect/narrow/spheres.h"

#include "base/processor.h"

#if defined(__AVX2__)
#include "detect/narrow/spheres_kernel.h"

static const cn_pair_kernel cn_own_kernel = CN_PAIR_KERNEL;
#endif

CN_AVX2_KERNEL(const cn_pair_kernel, cn_pair_kernel_avx2, &cn_own_kernel)
