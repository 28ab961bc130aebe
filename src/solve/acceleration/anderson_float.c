// solve/acceleration/anderson_float.c
// The sums of the acceleration in single precision, portable.
#define MATH_SINGLE
#include "solve/acceleration/anderson_kernel.h"

const gs_anderson_kernel gs_anderson_kernel_float = GS_ANDERSON_KERNEL;
