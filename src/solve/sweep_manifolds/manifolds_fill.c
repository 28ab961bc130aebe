// solve/sweep_manifolds/manifolds_fill.c
// Laying contacts out as lanes, portable.
#include "solve/sweep_manifolds/manifolds_fill_kernel.h"

cn_point_fill_fn *const cn_point_fill_portable = cn_point_fill;
