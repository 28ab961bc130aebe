// solve/sweep_spheres/spheres_avx2.c
// The kernel of spheres and disks for processors with 256-bit registers; built with -mavx2 there.
#include "solve/sweep_spheres/spheres.h"

#include "base/processor.h"

#if defined(__AVX2__)
#include "solve/sweep_spheres/spheres_kernel.h"

static const cn_sphere_kernel cn_own_kernel = CN_SPHERE_KERNEL;
#endif

CN_AVX2_KERNEL(const cn_sphere_kernel, cn_sphere_kernel_avx2, &cn_own_kernel)
