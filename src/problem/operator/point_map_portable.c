// problem/operator/point_map_portable.c
// The operator of points for any processor.
#include "problem/operator/point_map_kernel.h"

const cn_point_kernel cn_point_kernel_plain = CN_POINT_KERNEL;
