// solve/sweep_manifolds/manifolds_float.c
// The kernel of rigid bodies in single precision, for any processor.
#define CN_SINGLE
#include "solve/sweep_manifolds/manifolds_kernel.h"

const cn_manifold_kernel cn_manifold_kernel_single = CN_MANIFOLD_KERNEL;
