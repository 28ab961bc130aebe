// solve/sweep_manifolds/manifolds_float_avx512.c
// The kernel of rigid bodies in single precision for processors with AVX-512; built with -mavx512f
// there. A batch fills a register of 256 bits; what is gained are twice as many registers.
#define CN_SINGLE
#include "solve/sweep_manifolds/manifolds.h"

#include "base/processor.h"

#if defined(__AVX512F__)
#include "solve/sweep_manifolds/manifolds_kernel.h"

static const cn_manifold_kernel cn_own_kernel = CN_MANIFOLD_KERNEL;
#endif

CN_AVX512_KERNEL(const cn_manifold_kernel, cn_manifold_kernel_float_avx512, &cn_own_kernel)
