// solve/sweep_manifolds/manifolds_fill_avx2.c
// Laying contacts out as lanes for processors with 256-bit registers; built with -mavx2 there.
#include "solve/sweep_manifolds/manifolds_fill.h"

#if defined(__AVX2__)
#include "base/processor.h"
#include "solve/sweep_manifolds/manifolds_fill_kernel.h"

cn_point_fill_fn *cn_point_fill_avx2(void) {
    return cn_has_avx2() ? cn_point_fill : NULL;
}
#else
cn_point_fill_fn *cn_point_fill_avx2(void) {
    return NULL;
}
#endif
