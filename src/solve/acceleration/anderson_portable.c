// solve/acceleration/anderson_portable.c
// The sums of the acceleration, portable.
#include "solve/acceleration/anderson_kernel.h"

const cn_anderson_kernel cn_anderson_kernel_portable = CN_ANDERSON_KERNEL;
