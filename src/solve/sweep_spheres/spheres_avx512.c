// solve/sweep_spheres/spheres_avx512.c
// The kernel of spheres and disks for processors with 512-bit registers; built with -mavx512f
// there.
#define MATH_WIDE 8
#include "solve/sweep_spheres/spheres.h"

#include "base/processor.h"

#if defined(__AVX512F__)
#include "solve/sweep_spheres/spheres_kernel.h"

static const gs_sphere_kernel own_kernel = GS_SPHERE_KERNEL;
#endif

BASE_AVX512_KERNEL(const gs_sphere_kernel, gs_sphere_kernel_avx512, &own_kernel)
