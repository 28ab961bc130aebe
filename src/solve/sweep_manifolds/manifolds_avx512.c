// solve/sweep_manifolds/manifolds_avx512.c
// The kernel of rigid bodies for processors with 512-bit registers; built with -mavx512f there.
#define CN_WIDE 8
#include "solve/sweep_manifolds/manifolds.h"

#include "base/processor.h"

#if defined(__AVX512F__)
#include "solve/sweep_manifolds/manifolds_kernel.h"

static const cn_manifold_kernel cn_own_kernel = CN_MANIFOLD_KERNEL;
#endif

CN_AVX512_KERNEL(const cn_manifold_kernel, cn_manifold_kernel_avx512, &cn_own_kernel)
