// solve/acceleration/anderson_portable.c
// The sums of the acceleration for any processor.
#include "solve/acceleration/anderson_kernel.h"

const cn_anderson_kernel cn_anderson_kernel_plain = CN_ANDERSON_KERNEL;
