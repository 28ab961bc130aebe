// solve/sweep_spheres/spheres_float.c
// The kernel of spheres and disks in single precision, portable.
#define CN_SINGLE
#include "solve/sweep_spheres/spheres_kernel.h"

const cn_sphere_kernel cn_sphere_kernel_float = CN_SPHERE_KERNEL;
