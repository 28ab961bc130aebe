// solve/balls_plain.c
// The kernel of spheres and disks for any processor.
#include "solve/balls_kernel.h"

const cn_ball_kernel cn_ball_kernel_plain = CN_BALL_KERNEL;
