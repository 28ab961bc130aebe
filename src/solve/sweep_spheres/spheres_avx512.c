// solve/sweep_spheres/spheres_avx512.c
// The kernel of spheres and disks for processors with 512-bit registers; built with -mavx512f
// there.
#define CN_WIDE 8
#include "solve/sweep_spheres/spheres.h"

#include "base/processor.h"

#if defined(__AVX512F__)
#include "solve/sweep_spheres/spheres_kernel.h"

static const cn_sphere_kernel cn_own_kernel = CN_SPHERE_KERNEL;
#endif

CN_AVX512_KERNEL(const cn_sphere_kernel, cn_sphere_kernel_avx512, &cn_own_kernel)
