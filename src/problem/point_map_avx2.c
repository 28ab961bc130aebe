// problem/point_map_avx2.c
// The operator of points for processors with 256-bit registers; built with -mavx2 there.
#include "problem/point_map.h"

#if defined(__AVX2__)
#include "base/processor.h"
#include "problem/point_map_kernel.h"

const cn_point_kernel *cn_point_kernel_avx2(void) {
    static const cn_point_kernel kernel = CN_POINT_KERNEL;
    return cn_has_avx2() ? &kernel : NULL;
}
#else
const cn_point_kernel *cn_point_kernel_avx2(void) {
    return NULL;
}
#endif
