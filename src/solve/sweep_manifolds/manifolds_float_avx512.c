// solve/sweep_manifolds/manifolds_float_avx512.c
// The kernel of rigid bodies in single precision for processors with AVX-512; built with -mavx512f
// there. A batch fills a register of 256 bits; what is gained are twice as many registers.
#define MATH_SINGLE
#include "solve/sweep_manifolds/manifolds.h"

#include "base/processor.h"

#if defined(__AVX512F__)
#include "solve/sweep_manifolds/manifolds_kernel.h"

static const gs_manifold_kernel own_kernel = GS_MANIFOLD_KERNEL;
#endif

BASE_AVX512_KERNEL(const gs_manifold_kernel, gs_manifold_kernel_float_avx512, &own_kernel)
