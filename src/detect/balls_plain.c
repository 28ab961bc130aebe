// detect/balls_plain.c
// The kernel of pairs of balls for any processor.
#include "detect/balls_kernel.h"

const cn_pair_kernel cn_pair_kernel_plain = CN_PAIR_KERNEL;
