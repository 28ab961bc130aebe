// problem/grade/grade_points_avx2.c
// The checker's points for processors with 256-bit registers; built with -mavx2 there.
#include "problem/grade/grade_points.h"

#include "base/processor.h"

#if defined(__AVX2__)
#include "problem/grade/grade_points_kernel.h"

static const cn_plain_kernel cn_own_kernel = CN_PLAIN_KERNEL;
#endif

CN_AVX2_KERNEL(const cn_plain_kernel, cn_plain_kernel_avx2, &cn_own_kernel)
