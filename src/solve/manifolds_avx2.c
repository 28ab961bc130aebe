// solve/manifolds_avx2.c
// The kernel of rigid bodies for processors with 256-bit registers; built with -mavx2 there.
#include "solve/manifolds_kernel.h"

#if defined(__AVX2__)
static const cn_manifold_kernel cn_manifold_kernel_avx2 = CN_MANIFOLD_KERNEL;

const cn_manifold_kernel *cn_manifold_kernel_wide(void) {
    return __builtin_cpu_supports("avx2") ? &cn_manifold_kernel_avx2 : NULL;
}
#else
const cn_manifold_kernel *cn_manifold_kernel_wide(void) {
    return NULL;
}
#endif
