// problem/grade/grade_points_avx2.c
// The checker's points for processors with 256-bit registers; built with -mavx2 there.
#include "problem/grade/grade_points.h"

#include "base/processor.h"

#if defined(__AVX2__)
#include "problem/grade/grade_points_kernel.h"

static const prob_plain_kernel own_kernel = PROB_PLAIN_KERNEL;
#endif

BASE_AVX2_KERNEL(const prob_plain_kernel, prob_plain_kernel_avx2, &own_kernel)
