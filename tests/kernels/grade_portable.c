// The errors of contacts as any processor has them.
#include "problem/grade/grade_contacts_kernel.h"
#include "work.h"

cn_grade_fours_fn *const plain_grade = cn_grade_fours;
