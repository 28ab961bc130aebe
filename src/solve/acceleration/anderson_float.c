// solve/acceleration/anderson_float.c
// The sums of the acceleration in single precision, portable.
#define CN_SINGLE
#include "solve/acceleration/anderson_kernel.h"

const cn_anderson_kernel cn_anderson_kernel_float = CN_ANDERSON_KERNEL;
