// problem/operator/point_map_portable.c
// The operator of points, portable.
#include "problem/operator/point_map_kernel.h"

const cn_point_kernel cn_point_kernel_portable = CN_POINT_KERNEL;
