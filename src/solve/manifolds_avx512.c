// solve/manifolds_avx512.c
// The kernel of rigid bodies for processors with 512-bit registers; built with -mavx512f there.
#define CN_WIDE 8
#include "solve/manifolds.h"

#if defined(__AVX512F__)
#include "base/processor.h"
#include "solve/manifolds_kernel.h"

static const cn_manifold_kernel cn_own_kernel = CN_MANIFOLD_KERNEL;

const cn_manifold_kernel *cn_manifold_kernel_avx512(void) {
    return cn_has_avx512() ? &cn_own_kernel : NULL;
}
#else
const cn_manifold_kernel *cn_manifold_kernel_avx512(void) {
    return NULL;
}
#endif
