// detect/balls_avx2.c
// The kernel of pairs of balls for processors with 256-bit registers; built with -mavx2 there.
#include "detect/balls.h"

#if defined(__AVX2__)
#include "base/processor.h"
#include "detect/balls_kernel.h"

static const cn_pair_kernel cn_own_kernel = CN_PAIR_KERNEL;

const cn_pair_kernel *cn_pair_kernel_avx2(void) {
    return cn_has_avx2() ? &cn_own_kernel : NULL;
}
#else
const cn_pair_kernel *cn_pair_kernel_avx2(void) {
    return NULL;
}
#endif
