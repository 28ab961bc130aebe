// body/rigid_four_avx2.c
// Drifts of four bodies for processors with 256-bit registers; built with -mavx2 there.
#include "body/rigid_four.h"

#include "base/processor.h"

#if defined(__AVX2__)
#include "body/rigid_four_kernel.h"

static const rigid_four_kernel own_kernel = RIGID_FOUR_KERNEL;
#endif

BASE_AVX2_KERNEL(const rigid_four_kernel, rigid_four_avx2, &own_kernel)
