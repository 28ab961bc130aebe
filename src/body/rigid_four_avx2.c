// body/rigid_four_avx2.c
// Drifts of four bodies for processors with 256-bit registers; built with -mavx2 there.
#include "body/rigid_four.h"

#include <stddef.h>

#if defined(__AVX2__)
#include "base/processor.h"
#include "body/rigid_four_kernel.h"

cn_rigid_four_fn *cn_rigid_four_avx2(void) {
    return cn_has_avx2() ? cn_rigid_drift_four : NULL;
}
#else
cn_rigid_four_fn *cn_rigid_four_avx2(void) {
    return NULL;
}
#endif
