// problem/operator/point_map.h
// The operator of points between rigid bodies, beside what <cairn/problem.h> says of it.
#ifndef CAIRN_PROBLEM_OPERATOR_POINT_MAP_H
#define CAIRN_PROBLEM_OPERATOR_POINT_MAP_H

#include <cairn/problem.h>

// W_aa = F' K F with K the sum over both bodies of L + [arm] J [arm]', L and J the linear and the
// angular part of M^-1.
void prob_point_map_diagonal(const cn_point_map *points, int32_t dim, int32_t contacts,
                             double *diagonal);
// v = M^-1 H r, v being 6 (2D 3) a body.
void prob_point_map_push(const cn_point_map *points, int32_t dim, int32_t contacts, const double *r,
                         double *v);
// u = H' v + q. env: whose threads; may be NULL.
void prob_point_map_velocity(const cn_env *env, const cn_point_map *points, int32_t dim,
                             int32_t contacts, const double *q, const double *v, double *u);
// What is done with contacts in space, for one kind of processor.
typedef struct prob_point_kernel {
    void (*diagonal)(const cn_point_map *points, int32_t contacts, double *diagonal);
    // v += H r
    void (*push)(const cn_point_map *points, int32_t contacts, const double *r, double *v);
    // u of the contacts from the first to before the end
    void (*velocity)(const cn_point_map *points, int64_t first, int64_t end, const double *q,
                     const double *v, double *u);
} prob_point_kernel;
extern const prob_point_kernel prob_point_kernel_portable; // portable
const prob_point_kernel *prob_point_kernel_avx2(void);     // NULL: not on this processor
// Whether a body answers to impulses.
bool prob_point_map_moves(const cn_point_map *points, int32_t dim, int32_t body);
// A problem of points with H and M^-1 H written out, the velocities being the same.
cn_status prob_points_to_body_space(const cn_friction *p, cn_arena *memory, cn_friction *out);

#endif
