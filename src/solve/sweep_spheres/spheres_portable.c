// solve/sweep_spheres/spheres_portable.c
// The kernel of spheres and disks for any processor.
#include "solve/sweep_spheres/spheres_kernel.h"

const cn_ball_kernel cn_ball_kernel_plain = CN_BALL_KERNEL;
