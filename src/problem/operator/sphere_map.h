// problem/operator/sphere_map.h
// The operator of spheres and disks, beside what <cairn/problem.h> says of it.
#ifndef CAIRN_PROBLEM_OPERATOR_SPHERE_MAP_H
#define CAIRN_PROBLEM_OPERATOR_SPHERE_MAP_H

#include "math/vec3.h"

#include <cairn/problem.h>

// The normal of contact a.
static inline const double *prob_sphere_normal(const cn_sphere_map *spheres, int64_t a) {
    return spheres->normal + (spheres->stride > 0 ? spheres->stride : 3) * a;
}

// R_A and R_B of contact a.
static inline void prob_sphere_arms(const cn_sphere_map *spheres, int64_t a, double arm[2]) {
    for (int side = 0; side < 2; side++) {
        if (spheres->arm) {
            arm[side] = spheres->arm[2 * a + side];
        } else {
            double radius = spheres->radius[spheres->body[2 * a + side]];
            arm[side] = radius >= 0.0 ? radius + 0.5 * prob_sphere_normal(spheres, a)[3] : 0.0;
        }
    }
}

// w_N and w_T of contact a.
static inline void prob_sphere_weights(const cn_sphere_map *spheres, int64_t a, double w[2]) {
    const double *first = spheres->inv_mass + 2 * (int64_t)spheres->body[2 * a],
                 *second = spheres->inv_mass + 2 * (int64_t)spheres->body[2 * a + 1];
    double arm[2];
    prob_sphere_arms(spheres, a, arm);
    w[0] = first[0] + second[0];
    w[1] = w[0] + arm[0] * arm[0] * first[1] + arm[1] * arm[1] * second[1];
}

// F' (v_B - v_A - (R_A omega_A + R_B omega_B) x n) of contact a for the velocities of its bodies.
// Best with a dimension known to the compiler.
static inline __attribute__((always_inline)) void
prob_sphere_relative(int dim, const cn_sphere_map *spheres, int64_t a, const double *va,
                     const double *vb, double u[3]) {
    double arm[2];
    prob_sphere_arms(spheres, a, arm);
    double apart[3] = {vb[0] - va[0], vb[1] - va[1], dim == 3 ? vb[2] - va[2] : 0.0};
    double spin[3] = {0.0, 0.0, dim == 3 ? 0.0 : arm[0] * va[2] + arm[1] * vb[2]}, turn[3], axes[9];
    for (int k = 0; dim == 3 && k < 3; k++) {
        spin[k] = arm[0] * va[3 + k] + arm[1] * vb[3 + k];
    }
    math_contact_axes(dim, prob_sphere_normal(spheres, a), axes);
    math_cross3(spin, axes, turn);
    math_sub3(apart, turn, apart);
    for (int i = 0; i < dim; i++) {
        u[i] = math_dot3(axes + 3 * i, apart);
    }
}

// All W_aa as blocks.
void prob_sphere_map_diagonal(const cn_sphere_map *spheres, int32_t dim, int32_t contacts,
                              double *diagonal);
// v += M^-1 H r, v being 6 (2D 3) a body. env: whose threads; may be NULL.
void prob_sphere_map_push(const cn_env *env, const cn_sphere_map *spheres, int32_t dim,
                          int32_t contacts, const double *r, double *v);
// u = H' v + q
void prob_sphere_map_velocity(const cn_env *env, const cn_sphere_map *spheres, int32_t dim,
                              int32_t contacts, const double *q, const double *v, double *u);
// A problem of spheres with H and M^-1 H written out, the velocities being the same.
cn_status prob_spheres_to_body_space(const cn_friction *p, cn_arena *memory, cn_friction *out);

#endif
