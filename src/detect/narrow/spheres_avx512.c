// detect/narrow/spheres_avx512.c
// The kernel of pairs of round bodies for processors with 512-bit registers.
// Built with -mavx512f there.
#define MATH_WIDE 8
#include "detect/narrow/spheres.h"

#include "base/processor.h"

#if defined(__AVX512F__)
#include "detect/narrow/spheres_kernel.h"

static const det_pair_kernel own_kernel = DET_PAIR_KERNEL;
#endif

BASE_AVX512_KERNEL(const det_pair_kernel, det_pair_kernel_avx512, &own_kernel)
