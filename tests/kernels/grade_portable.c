// The errors of contacts as any processor has them.
#include "problem/grade/grade_contacts_kernel.h"
#include "work.h"

prob_grade_fours_fn *const plain_grade = prob_grade_fours;
