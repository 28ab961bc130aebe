// assemble/approach.c
// Approaching points for any processor.
#include "assemble/approach_kernel.h"

asm_approach_fn *const asm_approach_plain = asm_approach_four;
