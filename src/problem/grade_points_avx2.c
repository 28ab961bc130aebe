// problem/grade_points_avx2.c
// The checker's points for processors with 256-bit registers; built with -mavx2 there.
#include "problem/grade_points.h"

#if defined(__AVX2__)
#include "base/processor.h"
#include "problem/grade_points_kernel.h"

const cn_plain_kernel *cn_plain_kernel_avx2(void) {
    static const cn_plain_kernel kernel = CN_PLAIN_KERNEL;
    return cn_has_avx2() ? &kernel : NULL;
}
#else
const cn_plain_kernel *cn_plain_kernel_avx2(void) {
    return NULL;
}
#endif
