// detect/narrow/spheres_portable.c
// The scalar kernel of pairs of round bodies.
#include "detect/narrow/spheres_kernel.h"

const det_pair_kernel det_pair_kernel_portable = DET_PAIR_KERNEL;
