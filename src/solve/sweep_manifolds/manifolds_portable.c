// solve/sweep_manifolds/manifolds_portable.c
// The kernel of rigid bodies, portable.
#include "solve/sweep_manifolds/manifolds_kernel.h"

const cn_manifold_kernel cn_manifold_kernel_portable = CN_MANIFOLD_KERNEL;
