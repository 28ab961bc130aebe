// solve/sweep_manifolds/manifolds_float_avx2.c
// The kernel of rigid bodies in single precision for processors with 256-bit registers; built with
// -mavx2 there.
#define MATH_SINGLE
#include "solve/sweep_manifolds/manifolds.h"

#include "base/processor.h"

#if defined(__AVX2__)
#include "solve/sweep_manifolds/manifolds_kernel.h"

static const gs_manifold_kernel own_kernel = GS_MANIFOLD_KERNEL;
#endif

BASE_AVX2_KERNEL(const gs_manifold_kernel, gs_manifold_kernel_float_avx2, &own_kernel)
