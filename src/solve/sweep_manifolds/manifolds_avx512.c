// solve/sweep_manifolds/manifolds_avx512.c
// The kernel of rigid bodies for processors with 512-bit registers; built with -mavx512f there.
#define MATH_WIDE 8
#include "solve/sweep_manifolds/manifolds.h"

#include "base/processor.h"

#if defined(__AVX512F__)
#include "solve/sweep_manifolds/manifolds_kernel.h"

static const gs_manifold_kernel own_kernel = GS_MANIFOLD_KERNEL;
#endif

BASE_AVX512_KERNEL(const gs_manifold_kernel, gs_manifold_kernel_avx512, &own_kernel)
