// assemble/approach_avx2.c
// Approaching points for processors with 256-bit registers; built with -mavx2 there.
#include "assemble/approach.h"

#include <stddef.h>

#if defined(__AVX2__)
#include "assemble/approach_kernel.h"
#include "base/processor.h"

cn_approach_fn *cn_approach_avx2(void) {
    return cn_has_avx2() ? cn_approach_four : NULL;
}
#else
cn_approach_fn *cn_approach_avx2(void) {
    return NULL;
}
#endif
