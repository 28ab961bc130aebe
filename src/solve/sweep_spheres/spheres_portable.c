// solve/sweep_spheres/spheres_portable.c
// The kernel of spheres and disks, portable.
#include "solve/sweep_spheres/spheres_kernel.h"

const cn_sphere_kernel cn_sphere_kernel_portable = CN_SPHERE_KERNEL;
