// problem/grade/grade_contacts_avx512.c
// The checker's errors for processors with AVX-512; built with -mavx512f there. Four at a
// time even so: fours are what is looked at more closely, and what sums are made of.
#include "problem/grade/grade_contacts.h"

#include "base/processor.h"

#if defined(__AVX512F__)
#include "problem/grade/grade_contacts_kernel.h"
#endif

CN_AVX512_KERNEL(cn_grade_fours_fn, cn_grade_fours_avx512, cn_grade_fours)
