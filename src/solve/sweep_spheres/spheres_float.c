// solve/sweep_spheres/spheres_float.c
// The kernel of spheres and disks in single precision, for any processor.
#define CN_SINGLE
#include "solve/sweep_spheres/spheres_kernel.h"

const cn_ball_kernel cn_ball_kernel_single = CN_BALL_KERNEL;
