// solve/sweep_spheres/spheres_avx2.c
// The kernel of spheres and disks for processors with 256-bit registers; built with -mavx2 there.
#include "solve/sweep_spheres/spheres.h"

#include "base/processor.h"

#if defined(__AVX2__)
#include "solve/sweep_spheres/spheres_kernel.h"

static const gs_sphere_kernel own_kernel = GS_SPHERE_KERNEL;
#endif

BASE_AVX2_KERNEL(const gs_sphere_kernel, gs_sphere_kernel_avx2, &own_kernel)
