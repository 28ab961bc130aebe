// detect/narrow/spheres_avx2.c
// The kernel of pairs of round bodies for processors with 256-bit registers.
// Built with -mavx2 there.
#include "detect/narrow/spheres.h"

#include "base/processor.h"

#if defined(__AVX2__)
#include "detect/narrow/spheres_kernel.h"

static const det_pair_kernel own_kernel = DET_PAIR_KERNEL;
#endif

BASE_AVX2_KERNEL(const det_pair_kernel, det_pair_kernel_avx2, &own_kernel)
