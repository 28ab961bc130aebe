// solve/balls_avx2.c
// The kernel of spheres and disks for processors with 256-bit registers; built with -mavx2 there.
#include "solve/balls.h"

#if defined(__AVX2__)
#include "solve/balls_kernel.h"

static const cn_ball_kernel cn_ball_kernel_avx2 = CN_BALL_KERNEL;

const cn_ball_kernel *cn_ball_kernel_wide(void) {
    return __builtin_cpu_supports("avx2") ? &cn_ball_kernel_avx2 : NULL;
}
#else
const cn_ball_kernel *cn_ball_kernel_wide(void) {
    return NULL;
}
#endif
