// solve/sweep_manifolds/manifolds_portable.c
// The kernel of rigid bodies, portable.
#include "solve/sweep_manifolds/manifolds_kernel.h"

const gs_manifold_kernel gs_manifold_kernel_portable = GS_MANIFOLD_KERNEL;
