// solve/balls_avx512.c
// The kernel of spheres and disks for processors with 512-bit registers; built with -mavx512f
// there.
#define CN_WIDE 8
#include "solve/balls.h"

#if defined(__AVX512F__)
#include "base/processor.h"
#include "solve/balls_kernel.h"

static const cn_ball_kernel cn_own_kernel = CN_BALL_KERNEL;

const cn_ball_kernel *cn_ball_kernel_avx512(void) {
    return cn_has_avx512() ? &cn_own_kernel : NULL;
}
#else
const cn_ball_kernel *cn_ball_kernel_avx512(void) {
    return NULL;
}
#endif
