// solve/sweep_spheres/spheres_float.c
// The kernel of spheres and disks in single precision, portable.
#define MATH_SINGLE
#include "solve/sweep_spheres/spheres_kernel.h"

const gs_sphere_kernel gs_sphere_kernel_float = GS_SPHERE_KERNEL;
