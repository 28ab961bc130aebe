// problem/grade/grade_contacts_avx512.c
// The checker's errors for processors with AVX-512; built with -mavx512f there. Four at a
// time even so: fours are what is looked at more closely, and what sums are made of.
#include "problem/grade/grade_contacts.h"

#include "base/processor.h"

#if defined(__AVX512F__)
#include "problem/grade/grade_contacts_kernel.h"
#endif

BASE_AVX512_KERNEL(prob_grade_fours_fn, prob_grade_fours_avx512, prob_grade_fours)
