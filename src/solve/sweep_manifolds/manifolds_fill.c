// solve/sweep_manifolds/manifolds_fill.c
// Laying contacts out as lanes, portable.
#include "solve/sweep_manifolds/manifolds_fill_kernel.h"

gs_point_fill_fn *const gs_point_fill_portable = gs_point_fill;
