// problem/ball_map.h
// The operator of spheres and disks, beside what <cairn/problem.h> says of it.
#ifndef CAIRN_PROBLEM_BALL_MAP_H
#define CAIRN_PROBLEM_BALL_MAP_H

#include <cairn/problem.h>

// W_aa = diag(w_N, w_T, w_T) with w_N = 1/m_A + 1/m_B, w_T = w_N + R_A^2/I_A + R_B^2/I_B.
void cn_ball_map_diagonal(const cn_ball_map *balls, int32_t dim, int32_t contacts,
                          double *diagonal);
// v += M^-1 H r, v being 6 (2D 3) a body. env: whose threads; may be NULL.
void cn_ball_map_push(const cn_env *env, const cn_ball_map *balls, int32_t dim, int32_t contacts,
                      const double *r, double *v);
// u = H' v + q
void cn_ball_map_velocity(const cn_env *env, const cn_ball_map *balls, int32_t dim,
                          int32_t contacts, const double *q, const double *v, double *u);
// A problem of balls with H and M^-1 H written out, the velocities being the same.
cn_status cn_balls_to_body_space(const cn_friction *p, cn_arena *memory, cn_friction *out);

#endif
