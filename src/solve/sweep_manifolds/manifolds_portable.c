// solve/sweep_manifolds/manifolds_portable.c
// The kernel of rigid bodies for any processor.
#include "solve/sweep_manifolds/manifolds_kernel.h"

const cn_manifold_kernel cn_manifold_kernel_plain = CN_MANIFOLD_KERNEL;
