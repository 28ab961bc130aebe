// problem/operator/point_map_avx2.c
// The operator of points for processors with 256-bit registers; built with -mavx2 there.
#include "problem/operator/point_map.h"

#include "base/processor.h"

#if defined(__AVX2__)
#include "problem/operator/point_map_kernel.h"

static const prob_point_kernel own_kernel = PROB_POINT_KERNEL;
#endif

BASE_AVX2_KERNEL(const prob_point_kernel, prob_point_kernel_avx2, &own_kernel)
