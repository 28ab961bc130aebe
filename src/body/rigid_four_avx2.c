// body/rigid_four_avx2.c
// Drifts of four bodies for processors with 256-bit registers; built with -mavx2 there.
#include "body/rigid_four.h"

#include "base/processor.h"

#if defined(__AVX2__)
#include "body/rigid_four_kernel.h"

static const cn_rigid_four_kernel cn_own_kernel = CN_RIGID_FOUR_KERNEL;
#endif

CN_AVX2_KERNEL(const cn_rigid_four_kernel, cn_rigid_four_avx2, &cn_own_kernel)
