// solve/sweep_manifolds/manifolds_float.c
// The kernel of rigid bodies in single precision, portable.
#define CN_SINGLE
#include "solve/sweep_manifolds/manifolds_kernel.h"

const cn_manifold_kernel cn_manifold_kernel_float = CN_MANIFOLD_KERNEL;
