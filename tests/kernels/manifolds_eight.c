// The kernel of rigid bodies as AVX-512 runs it, for any processor.
#define CN_WIDE 8
#include "solve/sweep_manifolds/manifolds_kernel.h"

const cn_manifold_kernel eight_manifolds = CN_MANIFOLD_KERNEL;
