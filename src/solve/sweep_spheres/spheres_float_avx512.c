// solve/sweep_spheres/spheres_float_avx512.c
// The kernel of spheres and disks in single precision for processors with AVX-512; built with
// -mavx512f there.
// A batch fills a register of 256 bits; what is gained are twice as many registers.
#define MATH_SINGLE
#include "solve/sweep_spheres/spheres.h"

#include "base/processor.h"

#if defined(__AVX512F__)
#include "solve/sweep_spheres/spheres_kernel.h"

static const gs_sphere_kernel own_kernel = GS_SPHERE_KERNEL;
#endif

BASE_AVX512_KERNEL(const gs_sphere_kernel, gs_sphere_kernel_float_avx512, &own_kernel)
