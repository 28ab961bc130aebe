// solve/sweep_manifolds/manifolds_fill.c
// Laying contacts out as lanes, for any processor.
#include "solve/sweep_manifolds/manifolds_fill_kernel.h"

cn_point_fill_fn *const cn_point_fill_plain = cn_point_fill;
