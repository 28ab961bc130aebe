// problem/operator/point_map_avx2.c
// The operator of points for processors with 256-bit registers; built with -mavx2 there.
#include "problem/operator/point_map.h"

#include "base/processor.h"

#if defined(__AVX2__)
#include "problem/operator/point_map_kernel.h"

static const cn_point_kernel cn_own_kernel = CN_POINT_KERNEL;
#endif

CN_AVX2_KERNEL(const cn_point_kernel, cn_point_kernel_avx2, &cn_own_kernel)
