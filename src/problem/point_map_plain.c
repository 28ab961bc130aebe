// problem/point_map_plain.c
// The operator of points for any processor.
#include "problem/point_map_kernel.h"

const cn_point_kernel cn_point_kernel_plain = CN_POINT_KERNEL;
