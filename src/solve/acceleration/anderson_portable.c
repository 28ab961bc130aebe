// solve/acceleration/anderson_portable.c
// The sums of the acceleration, portable.
#include "solve/acceleration/anderson_kernel.h"

const gs_anderson_kernel gs_anderson_kernel_portable = GS_ANDERSON_KERNEL;
