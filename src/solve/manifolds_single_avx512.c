// solve/manifolds_single_avx512.c
// The kernel of rigid bodies in single precision for processors with AVX-512; built with -mavx512f
// there. A packet fills a register of 256 bits; what is gained are twice as many registers.
#define CN_SINGLE
#include "solve/manifolds.h"

#if defined(__AVX512F__)
#include "base/processor.h"
#include "solve/manifolds_kernel.h"

static const cn_manifold_kernel cn_own_kernel = CN_MANIFOLD_KERNEL;

const cn_manifold_kernel *cn_manifold_kernel_single_avx512(void) {
    return cn_has_avx512() ? &cn_own_kernel : NULL;
}
#else
const cn_manifold_kernel *cn_manifold_kernel_single_avx512(void) {
    return NULL;
}
#endif
