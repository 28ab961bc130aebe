// problem/operator/operator.c
// The Delassus operator r -> W r in its forms.
//
//     assembled    u_a = q_a + sum_b W_ab r_b                      (block-sparse rows)
//     body space   v = M^-1 H r,  u = H' v + q                     (no W at all)
//     spheres      the same without H                              (problem/operator/sphere_map.c)
//     points       the same without H                              (problem/operator/point_map.c)
//
// and the compliance of joint rows, u += E r, in all of them.
// Body space costs less when many contacts share a body (masonry: faces with several points), and
// the assembled form when bodies touch few others or M is not block diagonal.
#include "problem/operator/operator.h"

#include "base/arena.h"
#include "base/parallel.h"
#include "problem/bounds.h"
#include "problem/operator/point_map.h"
#include "problem/operator/sphere_map.h"
#include "sparse/bsr.h"

#include <string.h>

cn_status prob_friction_from_csr(cn_arena *memory, int32_t dim, int32_t contacts, const cn_csr *W,
                                 const double *q, const double *mu, cn_friction *out) {
    int64_t m = (int64_t)dim * contacts;
    *out = (cn_friction){.dim = dim, .contacts = contacts};
    if ((dim != 2 && dim != 3) || contacts < 0 || W->rows != m || W->cols != m) {
        return CN_ERR_ARGUMENT;
    }
    out->W.kind = CN_OPERATOR_ASSEMBLED;
    CN_TRY(sparse_bsr_from_csr(memory, W, dim, &out->W.assembled));
    out->W.diagonal = BASE_TAKE(memory, double, m *dim);
    out->q = BASE_TAKE(memory, double, m);
    out->mu = BASE_TAKE(memory, double, contacts);
    if (!out->W.diagonal || !out->q || !out->mu) {
        return CN_ERR_MEMORY;
    }
    prob_operator_diagonal(&out->W, dim, contacts, out->W.diagonal);
    if (contacts > 0) {
        memcpy(out->q, q, sizeof *q * (size_t)m);
        memcpy(out->mu, mu, sizeof *mu * (size_t)contacts);
    }
    return CN_OK;
}

// For a dimension known to the compiler.
static inline __attribute__((always_inline)) void
body_map_diagonal(const cn_body_map *body, int dim, int32_t contacts, double *diagonal) {
    for (int32_t a = 0; a < contacts; a++) {
        double block[9] = {0.0};
        for (int64_t k = body->start[a]; k < body->start[a + 1]; k++) {
            const double *left = body->H + dim * k;
            const double *right = body->MinvH + dim * k;
            for (int j = 0; j < dim; j++) {
                for (int i = 0; i < dim; i++) {
                    block[dim * j + i] += left[i] * right[j];
                }
            }
        }
        memcpy(diagonal + (int64_t)dim * dim * a, block, sizeof *block * (size_t)(dim * dim));
    }
}

static void body_diagonal(const cn_operator *W, int32_t dim, int32_t contacts, double *diagonal) {
    if (dim == 3) {
        body_map_diagonal(&W->body, 3, contacts, diagonal);
    } else {
        body_map_diagonal(&W->body, 2, contacts, diagonal);
    }
}

// For a dimension known to the compiler.
static inline __attribute__((always_inline)) void body_push(const cn_friction *p, int dim,
                                                            const double *r, double *v) {
    const cn_body_map *body = &p->W.body;
    memset(v, 0, sizeof *v * (size_t)body->dofs);
    for (int32_t a = 0; a < p->contacts; a++) {
        const double *impulse = r + (int64_t)dim * a;
        for (int64_t k = body->start[a]; k < body->start[a + 1]; k++) {
            double sum = v[body->dof[k]];
            for (int i = 0; i < dim; i++) {
                sum += body->MinvH[dim * k + i] * impulse[i];
            }
            v[body->dof[k]] = sum;
        }
    }
}

// What the loop over contacts reads and writes.
typedef struct body_loop {
    const cn_friction *p;
    const double *v;
    double *u;
} body_loop;

static inline __attribute__((always_inline)) void prob_body_velocity(const body_loop *loop, int dim,
                                                                     int64_t first, int64_t end) {
    const cn_body_map *body = &loop->p->W.body;
    for (int64_t a = first; a < end; a++) {
        double sum[3] = {0.0, 0.0, 0.0};
        for (int64_t k = body->start[a]; k < body->start[a + 1]; k++) {
            for (int i = 0; i < dim; i++) {
                sum[i] += body->H[dim * k + i] * loop->v[body->dof[k]];
            }
        }
        for (int i = 0; i < dim; i++) {
            loop->u[dim * a + i] = sum[i] + loop->p->q[dim * a + i];
        }
    }
}

static void body_velocity_range(void *user, int64_t first, int64_t end) {
    const body_loop *loop = user;
    if (loop->p->dim == 3) {
        prob_body_velocity(loop, 3, first, end);
    } else {
        prob_body_velocity(loop, 2, first, end);
    }
}

static void body_velocity(const cn_env *env, const cn_friction *p, const double *r, double *v,
                          double *u) {
    if (p->dim == 3) {
        body_push(p, 3, r, v);
    } else {
        body_push(p, 2, r, v);
    }
    body_loop loop = {p, v, u};
    base_parallel_ranges(env, p->contacts, body_velocity_range, &loop);
}

static int32_t body_dofs(const cn_operator *W, int32_t dim) {
    (void)dim;
    return W->body.dofs;
}

static int64_t body_sweep_cost(const cn_operator *W, int32_t dim, int32_t contacts) {
    return 2 * (int64_t)dim * W->body.start[contacts];
}

static cn_status expand_nothing(const cn_friction *p, cn_arena *memory, cn_friction *out) {
    (void)memory;
    *out = *p;
    return CN_OK;
}

// ---- assembled ----

static int32_t assembled_dofs(const cn_operator *W, int32_t dim) {
    (void)W;
    (void)dim;
    return 0;
}

static void assembled_diagonal(const cn_operator *W, int32_t dim, int32_t contacts,
                               double *diagonal) {
    (void)dim;
    (void)contacts;
    sparse_bsr_diagonal(&W->assembled, diagonal);
}

static void assembled_velocity(const cn_env *env, const cn_friction *p, const double *r, double *v,
                               double *u) {
    (void)env;
    (void)v;
    sparse_bsr_apply(&p->W.assembled, r, u);
    int64_t m = (int64_t)p->dim * p->contacts;
    for (int64_t i = 0; i < m; i++) {
        u[i] += p->q[i];
    }
}

static int64_t assembled_sweep_cost(const cn_operator *W, int32_t dim, int32_t contacts) {
    return (int64_t)dim * dim * W->assembled.start[contacts];
}

// ---- spheres and disks, points ----

static int32_t spheres_dofs(const cn_operator *W, int32_t dim) {
    return (dim == 3 ? 6 : 3) * W->spheres.bodies;
}

static void spheres_diagonal(const cn_operator *W, int32_t dim, int32_t contacts,
                             double *diagonal) {
    prob_sphere_map_diagonal(&W->spheres, dim, contacts, diagonal);
}

static void spheres_velocity(const cn_env *env, const cn_friction *p, const double *r, double *v,
                             double *u) {
    memset(v, 0, sizeof *v * (size_t)cn_operator_dofs(&p->W, p->dim));
    prob_sphere_map_push(env, &p->W.spheres, p->dim, p->contacts, r, v);
    prob_sphere_map_velocity(env, &p->W.spheres, p->dim, p->contacts, p->q, v, u);
}

static int32_t points_dofs(const cn_operator *W, int32_t dim) {
    return (dim == 3 ? 6 : 3) * W->points.bodies;
}

static void points_diagonal(const cn_operator *W, int32_t dim, int32_t contacts, double *diagonal) {
    prob_point_map_diagonal(&W->points, dim, contacts, diagonal);
}

static void points_velocity(const cn_env *env, const cn_friction *p, const double *r, double *v,
                            double *u) {
    prob_point_map_push(&p->W.points, p->dim, p->contacts, r, v);
    prob_point_map_velocity(env, &p->W.points, p->dim, p->contacts, p->q, v, u);
}

static int64_t no_sweep_cost(const cn_operator *W, int32_t dim, int32_t contacts) {
    (void)W;
    (void)dim;
    (void)contacts;
    return 0;
}

// ---- the table ----

static const prob_operator_ops operator_table[] = {
    [CN_OPERATOR_ASSEMBLED] = {.dofs = assembled_dofs,
                               .diagonal = assembled_diagonal,
                               .velocity = assembled_velocity,
                               .sweep_cost = assembled_sweep_cost,
                               .expand = expand_nothing},
    [CN_OPERATOR_BODY] = {.body_space = true,
                          .dofs = body_dofs,
                          .diagonal = body_diagonal,
                          .velocity = body_velocity,
                          .sweep_cost = body_sweep_cost,
                          .expand = expand_nothing},
    [CN_OPERATOR_SPHERES] = {.body_space = true,
                             .implicit = true,
                             .no_diagonal = true,
                             .dofs = spheres_dofs,
                             .diagonal = spheres_diagonal,
                             .velocity = spheres_velocity,
                             .sweep_cost = no_sweep_cost,
                             .expand = prob_spheres_to_body_space},
    [CN_OPERATOR_POINTS] = {.body_space = true,
                            .implicit = true,
                            .dofs = points_dofs,
                            .diagonal = points_diagonal,
                            .velocity = points_velocity,
                            .sweep_cost = no_sweep_cost,
                            .expand = prob_points_to_body_space},
};

const prob_operator_ops *prob_operator_ops_of(cn_operator_kind kind) {
    return &operator_table[kind];
}

void prob_operator_diagonal(const cn_operator *W, int32_t dim, int32_t contacts, double *diagonal) {
    operator_table[W->kind].diagonal(W, dim, contacts, diagonal);
}

int32_t cn_operator_dofs(const cn_operator *W, int32_t dim) {
    return operator_table[W->kind].dofs(W, dim);
}

void prob_friction_velocity_by(const cn_env *env, const cn_friction *p, const double *r, double *v,
                               double *u) {
    operator_table[p->W.kind].velocity(env, p, r, v, u);
    prob_bounds_comply(p, r, u);
}

void cn_friction_velocity(const cn_friction *p, const double *r, double *v, double *u) {
    prob_friction_velocity_by(NULL, p, r, v, u);
}

cn_status cn_friction_expand(const cn_friction *p, cn_arena *memory, cn_friction *out) {
    return operator_table[p->W.kind].expand(p, memory, out);
}
