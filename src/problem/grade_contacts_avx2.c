// problem/grade_contacts_avx2.c
// The checker's errors for processors with 256-bit registers; built with -mavx2 there.
#include "problem/grade_contacts.h"

#if defined(__AVX2__)
#include "base/processor.h"
#include "problem/grade_contacts_kernel.h"

cn_grade_fours_fn *cn_grade_fours_avx2(void) {
    return cn_has_avx2() ? cn_grade_fours : NULL;
}
#else
cn_grade_fours_fn *cn_grade_fours_avx2(void) {
    return NULL;
}
#endif
