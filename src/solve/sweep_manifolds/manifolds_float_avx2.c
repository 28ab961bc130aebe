// solve/sweep_manifolds/manifolds_float_avx2.c
// The kernel of rigid bodies in single precision for processors with 256-bit registers; built with
// -mavx2 there.
#define CN_SINGLE
#include "solve/sweep_manifolds/manifolds.h"

#include "base/processor.h"

#if defined(__AVX2__)
#include "solve/sweep_manifolds/manifolds_kernel.h"

static const cn_manifold_kernel cn_own_kernel = CN_MANIFOLD_KERNEL;
#endif

CN_AVX2_KERNEL(const cn_manifold_kernel, cn_manifold_kernel_float_avx2, &cn_own_kernel)
