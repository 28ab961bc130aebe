// solve/sweep_spheres/spheres_portable.c
// The kernel of spheres and disks, portable.
#include "solve/sweep_spheres/spheres_kernel.h"

const gs_sphere_kernel gs_sphere_kernel_portable = GS_SPHERE_KERNEL;
