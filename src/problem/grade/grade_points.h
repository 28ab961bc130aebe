// problem/grade/grade_points.h
// The checker's own product with W of points between rigid bodies.
#ifndef CAIRN_PROBLEM_GRADE_GRADE_POINTS_H
#define CAIRN_PROBLEM_GRADE_GRADE_POINTS_H

#include <cairn/problem.h>

// v = M^-1 H r, v being zero before.
void prob_plain_points_push(const cn_friction *p, const double *r, double *v);
// u = H' v + q and trace[a] = trace W_aa of the contacts from the first to before the end.
void prob_plain_points(const cn_friction *p, const double *v, int64_t first, int64_t end, double *u,
                       double *trace);

// The same in space without M^-1, for one kind of processor.
typedef struct prob_plain_kernel {
    void (*impulses)(const cn_friction *p, const double *r, double *v); // v += H r
    void (*velocities)(const cn_friction *p, const double *v, int64_t first, int64_t end, double *u,
                       double *trace);
} prob_plain_kernel;
extern const prob_plain_kernel prob_plain_kernel_any;  // for any processor
const prob_plain_kernel *prob_plain_kernel_avx2(void); // NULL: not on this processor

#endif
