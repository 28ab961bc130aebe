// The kernel of pairs of balls as AVX-512 runs it, for any processor.
#define MATH_WIDE 8
#include "detect/narrow/spheres_kernel.h"

const det_pair_kernel eight_pairs = DET_PAIR_KERNEL;
