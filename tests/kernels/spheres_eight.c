// The kernel of spheres as AVX-512 runs it, for any processor.
#define MATH_WIDE 8
#include "solve/sweep_spheres/spheres_kernel.h"

const gs_sphere_kernel eight_spheres = GS_SPHERE_KERNEL;
