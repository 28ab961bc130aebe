// The kernel of spheres as AVX-512 runs it, for any processor.
#define CN_WIDE 8
#include "solve/sweep_spheres/spheres_kernel.h"

const cn_sphere_kernel eight_balls = CN_SPHERE_KERNEL;
