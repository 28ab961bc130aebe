// The kernel of rigid bodies as AVX-512 runs it, for any processor.
#define MATH_WIDE 8
#include "solve/sweep_manifolds/manifolds_kernel.h"

const gs_manifold_kernel eight_manifolds = GS_MANIFOLD_KERNEL;
