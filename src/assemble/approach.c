// assemble/approach.c
// Approaching points for any processor.
#include "assemble/approach_kernel.h"

cn_approach_fn *const cn_approach_plain = cn_approach_four;
