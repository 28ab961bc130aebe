// solve/sweep_manifolds/manifolds_float.c
// The kernel of rigid bodies in single precision, portable.
#define MATH_SINGLE
#include "solve/sweep_manifolds/manifolds_kernel.h"

const gs_manifold_kernel gs_manifold_kernel_float = GS_MANIFOLD_KERNEL;
