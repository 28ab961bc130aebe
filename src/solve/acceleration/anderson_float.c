// solve/acceleration/anderson_float.c
// The sums of the acceleration in single precision, for any processor.
#define CN_SINGLE
#include "solve/acceleration/anderson_kernel.h"

const cn_anderson_kernel cn_anderson_kernel_single = CN_ANDERSON_KERNEL;
