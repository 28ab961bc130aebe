// problem/operator/operator.c
// The operator r -> W r in its forms.
//
//     assembled    u_a = q_a + sum_b W_ab r_b                      (block-sparse rows)
//     body space   v = M^-1 H r,  u = H' v + q                     (no W at all)
//     balls        the same without H                              (problem/operator/sphere_map.c)
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

cn_status cn_friction_from_csr(cn_arena *memory, int32_t dim, int32_t contacts, const cn_csr *W,
                               const double *q, const double *mu, cn_friction *out) {
    int64_t m = (int64_t)dim * contacts;
    *out = (cn_friction){.dim = dim, .contacts = contacts};
    if ((dim != 2 && dim != 3) || contacts < 0 || W->rows != m || W->cols != m) {
        return CN_ERR_ARGUMENT;
    }
    out->W.kind = CN_OPERATOR_ASSEMBLED;
    cn_status status = cn_bsr_from_csr(memory, W, dim, &out->W.assembled);
    if (status != CN_OK) {
        return status;
    }
    out->W.diagonal = CN_TAKE(memory, double, m *dim);
    out->q = CN_TAKE(memory, double, m);
    out->mu = CN_TAKE(memory, double, contacts);
    if (!out->W.diagonal || !out->q || !out->mu) {
        return CN_ERR_MEMORY;
    }
    cn_operator_diagonal(&out->W, dim, contacts, out->W.diagonal);
    if (contacts > 0) {
        memcpy(out->q, q, sizeof *q * (size_t)m);
        memcpy(out->mu, mu, sizeof *mu * (size_t)contacts);
    }
    return CN_OK;
}

// For a dimension known to the compiler.
static inline __attribute__((always_inline)) void
cn_body_map_diagonal(const cn_body_map *body, int dim, int32_t contacts, double *diagonal) {
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

void cn_operator_diagonal(const cn_operator *W, int32_t dim, int32_t contacts, double *diagonal) {
    if (W->kind == CN_OPERATOR_BALLS) {
        cn_ball_map_diagonal(&W->balls, dim, contacts, diagonal);
    } else if (W->kind == CN_OPERATOR_POINTS) {
        cn_point_map_diagonal(&W->points, dim, contacts, diagonal);
    } else if (W->kind == CN_OPERATOR_BODY) {
        if (dim == 3) {
            cn_body_map_diagonal(&W->body, 3, contacts, diagonal);
        } else {
            cn_body_map_diagonal(&W->body, 2, contacts, diagonal);
        }
    } else {
        cn_bsr_diagonal(&W->assembled, diagonal);
    }
}

int32_t cn_operator_dofs(const cn_operator *W, int32_t dim) {
    int32_t size = dim == 3 ? 6 : 3;
    switch (W->kind) {
    case CN_OPERATOR_BODY:
        return W->body.dofs;
    case CN_OPERATOR_BALLS:
        return size * W->balls.bodies;
    case CN_OPERATOR_POINTS:
        return size * W->points.bodies;
    case CN_OPERATOR_ASSEMBLED:
        break;
    }
    return 0;
}

int64_t cn_operator_sweep_cost(const cn_operator *W, int32_t dim, int32_t contacts) {
    return W->kind == CN_OPERATOR_BODY ? 2 * (int64_t)dim * W->body.start[contacts]
                                       : (int64_t)dim * dim * W->assembled.start[contacts];
}

// For a dimension known to the compiler.
static inline __attribute__((always_inline)) void cn_body_push(const cn_friction *p, int dim,
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
typedef struct cn_body_loop {
    const cn_friction *p;
    const double *v;
    double *u;
} cn_body_loop;

static inline __attribute__((always_inline)) void
cn_body_velocity(const cn_body_loop *loop, int dim, int64_t first, int64_t end) {
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

static void cn_body_velocity_range(void *user, int64_t first, int64_t end) {
    const cn_body_loop *loop = user;
    if (loop->p->dim == 3) {
        cn_body_velocity(loop, 3, first, end);
    } else {
        cn_body_velocity(loop, 2, first, end);
    }
}

static void cn_body_apply(const cn_env *env, const cn_friction *p, const double *r, double *v,
                          double *u) {
    if (p->dim == 3) {
        cn_body_push(p, 3, r, v);
    } else {
        cn_body_push(p, 2, r, v);
    }
    cn_body_loop loop = {p, v, u};
    cn_parallel_ranges(env, p->contacts, cn_body_velocity_range, &loop);
}

void cn_friction_velocity_by(const cn_env *env, const cn_friction *p, const double *r, double *v,
                             double *u) {
    if (p->W.kind == CN_OPERATOR_BALLS) {
        memset(v, 0, sizeof *v * (size_t)cn_operator_dofs(&p->W, p->dim));
        cn_ball_map_push(env, &p->W.balls, p->dim, p->contacts, r, v);
        cn_ball_map_velocity(env, &p->W.balls, p->dim, p->contacts, p->q, v, u);
    } else if (p->W.kind == CN_OPERATOR_POINTS) {
        cn_point_map_push(&p->W.points, p->dim, p->contacts, r, v);
        cn_point_map_velocity(env, &p->W.points, p->dim, p->contacts, p->q, v, u);
    } else if (p->W.kind == CN_OPERATOR_BODY) {
        cn_body_apply(env, p, r, v, u);
    } else {
        cn_bsr_apply(&p->W.assembled, r, u);
        int64_t m = (int64_t)p->dim * p->contacts;
        for (int64_t i = 0; i < m; i++) {
            u[i] += p->q[i];
        }
    }
    cn_bounds_comply(p, r, u);
}

void cn_friction_velocity(const cn_friction *p, const double *r, double *v, double *u) {
    cn_friction_velocity_by(NULL, p, r, v, u);
}

cn_status cn_friction_expand(const cn_friction *p, cn_arena *memory, cn_friction *out) {
    switch (p->W.kind) {
    case CN_OPERATOR_BALLS:
        return cn_balls_to_body_space(p, memory, out);
    case CN_OPERATOR_POINTS:
        return cn_points_to_body_space(p, memory, out);
    case CN_OPERATOR_ASSEMBLED:
    case CN_OPERATOR_BODY:
        break;
    }
    *out = *p;
    return CN_OK;
}
