// problem/operator/point_map_portable.c
// The operator of points, portable.
#include "problem/operator/point_map_kernel.h"

const prob_point_kernel prob_point_kernel_portable = PROB_POINT_KERNEL;
