// solve/sweep_manifolds/manifolds_fill_avx2.c
// Laying contacts out as lanes for processors with 256-bit registers; built with -mavx2 there.
#include "solve/sweep_manifolds/manifolds_fill.h"

#if defined(__AVX2__)
#include "base/processor.h"
#include "solve/sweep_manifolds/manifolds_fill_kernel.h"

gs_point_fill_fn *gs_point_fill_avx2(void) {
    return base_has_avx2() ? gs_point_fill : NULL;
}
#else
gs_point_fill_fn *gs_point_fill_avx2(void) {
    return NULL;
}
#endif
