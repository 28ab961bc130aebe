// problem/grade/grade_contacts_avx2.c
// The checker's errors for processors with 256-bit registers; built with -mavx2 there.
#include "problem/grade/grade_contacts.h"

#include "base/processor.h"

#if defined(__AVX2__)
#include "problem/grade/grade_contacts_kernel.h"
#endif

BASE_AVX2_KERNEL(prob_grade_fours_fn, prob_grade_fours_avx2, prob_grade_fours)
