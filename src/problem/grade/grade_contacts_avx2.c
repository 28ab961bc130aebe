// problem/grade/grade_contacts_avx2.c
// The checker's errors for processors with 256-bit registers; built with -mavx2 there.
#include "problem/grade/grade_contacts.h"

#include "base/processor.h"

#if defined(__AVX2__)
#include "problem/grade/grade_contacts_kernel.h"
#endif

CN_AVX2_KERNEL(cn_grade_fours_fn, cn_grade_fours_avx2, cn_grade_fours)
