// detect/narrow/spheres_portable.c
// The kernel of pairs of balls for any processor.
#include "detect/narrow/spheres_kernel.h"

const cn_pair_kernel cn_pair_kernel_plain = CN_PAIR_KERNEL;
