// solve/sweep.c
// The Gauss-Seidel sweep. Cost of a contact: the product of its block row with r (assembled), or
// its few velocities (body space), and one local solve.
//
// A 3x3 block is read as three columns of four lanes: the fourth lane is the next number in memory
// and its sum is thrown away. Lanes are multiplied and added one by one, never fused, so that a
// processor with wider registers gives the same bits as one without.
#include "solve/sweep.h"

#include "base/arena.h"
#include "math/cone.h"
#include "solve/local_secular.h"

#include <string.h>

typedef double cn_lanes __attribute__((vector_size(32)));
#define CN_INLINE static inline __attribute__((always_inline))

// sum += column * factor, lane by lane.
CN_INLINE void cn_add_column(cn_lanes *sum, const double *column, double factor) {
    cn_lanes value;
    memcpy(&value, column, sizeof value);
    *sum += value * factor;
}

// One contact solved with q the velocity that the others leave it; r: its impulse, in and out.
CN_INLINE void cn_visit_3d(const cn_sweep *s, int32_t a, const double q[3], double r[3]) {
    const cn_local_block *block = &s->block[a];
    double answer[3] = {r[0], r[1], r[2]};
    cn_local_plane plane = cn_local_plane_from_q(block, q);
    if (!s->fast || !cn_secular_fast(block, &plane, answer, &s->slip[a])) {
        s->local(block, q, answer, &s->slip[a]);
    }
    if (s->relaxation == 1.0) {
        memcpy(r, answer, sizeof answer);
        return;
    }
    for (int i = 0; i < 3; i++) {
        r[i] += s->relaxation * (answer[i] - r[i]);
    }
    cn_cone_project(3, block->mu, r);
}

CN_INLINE void cn_visit_2d(const cn_sweep *s, int32_t a, const double q[2], double r[2]) {
    double answer[2] = {r[0], r[1]};
    cn_local_solve_2d(s->p->W.diagonal + 4 * (int64_t)a, s->p->mu[a], q, answer);
    if (s->relaxation == 1.0) {
        memcpy(r, answer, sizeof answer);
        return;
    }
    for (int i = 0; i < 2; i++) {
        r[i] += s->relaxation * (answer[i] - r[i]);
    }
    cn_cone_project(2, s->p->mu[a], r);
}

CN_INLINE void cn_sweep_assembled_3d(cn_sweep *s, double *r) {
    const cn_bsr *W = &s->p->W.assembled;
    int64_t k = 0;
    for (int32_t a = 0; a < s->p->contacts; a++) {
        double *own = r + 3 * (int64_t)a;
        double last[3] = {own[0], own[1], own[2]};
        // With its own impulse put to zero the whole row gives what the others do.
        own[0] = own[1] = own[2] = 0.0;
        // One sum a column: three chains of additions keep pace with the loads.
        cn_lanes sum[3] = {{0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}};
        cn_add_column(&sum[0], s->q + 3 * (int64_t)a, 1.0);
        for (int64_t end = W->start[a + 1]; k < end; k++) {
            const double *block = W->value + 9 * k;
            const double *other = r + 3 * (int64_t)W->column[k];
            cn_add_column(&sum[0], block, other[0]);
            cn_add_column(&sum[1], block + 3, other[1]);
            cn_add_column(&sum[2], block + 6, other[2]);
        }
        sum[0] += sum[1] + sum[2];
        double q[4];
        memcpy(q, &sum[0], sizeof q);
        if (s->block[a].inv_nn > 0.0) {
            cn_visit_3d(s, a, q, last);
        }
        memcpy(own, last, sizeof last);
    }
}

CN_INLINE void cn_sweep_assembled_2d(cn_sweep *s, double *r) {
    const cn_bsr *W = &s->p->W.assembled;
    int64_t k = 0;
    for (int32_t a = 0; a < s->p->contacts; a++) {
        double *own = r + 2 * (int64_t)a;
        double last[2] = {own[0], own[1]};
        own[0] = own[1] = 0.0;
        double q[2] = {s->q[2 * (int64_t)a], s->q[2 * (int64_t)a + 1]};
        for (int64_t end = W->start[a + 1]; k < end; k++) {
            const double *block = W->value + 4 * k;
            const double *other = r + 2 * (int64_t)W->column[k];
            q[0] += block[0] * other[0] + block[2] * other[1];
            q[1] += block[1] * other[0] + block[3] * other[1];
        }
        cn_visit_2d(s, a, q, last);
        memcpy(own, last, sizeof last);
    }
}

// Either dimension: u from the velocities of the bodies, less what the contact itself does to it.
static void cn_sweep_body(cn_sweep *s, double *r) {
    const cn_body_map *map = &s->p->W.body;
    int32_t dim = s->p->dim;
    for (int32_t a = 0; a < s->p->contacts; a++) {
        double *own = r + (int64_t)dim * a;
        const double *block = s->p->W.diagonal + (int64_t)dim * dim * a;
        double q[3] = {0.0, 0.0, 0.0};
        double change[3] = {0.0, 0.0, 0.0};
        for (int32_t i = 0; i < dim; i++) {
            q[i] = s->q[(int64_t)dim * a + i];
            change[i] = own[i];
        }
        for (int64_t k = map->start[a]; k < map->start[a + 1]; k++) {
            double v = s->v[map->dof[k]];
            for (int32_t i = 0; i < dim; i++) {
                q[i] += map->H[dim * k + i] * v;
            }
        }
        for (int32_t j = 0; j < dim; j++) {
            for (int32_t i = 0; i < dim; i++) {
                q[i] -= block[dim * j + i] * own[j];
            }
        }
        if (dim == 2) {
            cn_visit_2d(s, a, q, own);
        } else if (s->block[a].inv_nn > 0.0) {
            cn_visit_3d(s, a, q, own);
        }
        for (int32_t i = 0; i < dim; i++) {
            change[i] = own[i] - change[i];
        }
        for (int64_t k = map->start[a]; k < map->start[a + 1]; k++) {
            double sum = 0.0;
            for (int32_t i = 0; i < dim; i++) {
                sum += map->MinvH[dim * k + i] * change[i];
            }
            s->v[map->dof[k]] += sum;
        }
    }
}

static void cn_sweep_3d_plain(cn_sweep *s, double *r) {
    cn_sweep_assembled_3d(s, r);
}

static void cn_sweep_2d_plain(cn_sweep *s, double *r) {
    cn_sweep_assembled_2d(s, r);
}

#if defined(__x86_64__)
// The same code for processors with 256-bit registers.
__attribute__((target("avx2"))) static void cn_sweep_3d_avx2(cn_sweep *s, double *r) {
    cn_sweep_assembled_3d(s, r);
}

static cn_sweep_fn *cn_choose_3d(void) {
    return __builtin_cpu_supports("avx2") ? cn_sweep_3d_avx2 : cn_sweep_3d_plain;
}
#else
static cn_sweep_fn *cn_choose_3d(void) {
    return cn_sweep_3d_plain;
}
#endif

static cn_status cn_prepare_blocks(cn_sweep *s, cn_arena *scratch) {
    const cn_friction *p = s->p;
    s->block = CN_TAKE(scratch, cn_local_block, p->contacts);
    s->slip = CN_TAKE_ZERO(scratch, double, p->contacts);
    if (!s->block || !s->slip) {
        return CN_ERR_MEMORY;
    }
    for (int32_t a = 0; a < p->contacts; a++) {
        if (!cn_local_prepare(p->W.diagonal + 9 * (int64_t)a, p->mu[a], &s->block[a])) {
            s->block[a].inv_nn = 0.0; // marks it
            s->unusable++;
        }
    }
    return CN_OK;
}

cn_status cn_sweep_prepare(const cn_friction *p, const cn_local_solver *local, double relaxation,
                           cn_arena *scratch, cn_sweep *sweep) {
    int64_t m = (int64_t)p->dim * p->contacts;
    *sweep = (cn_sweep){.p = p, .local = local->solve, .relaxation = relaxation};
    sweep->fast = local->solve == cn_local_hybrid;
    sweep->q = CN_TAKE_ZERO(scratch, double, m + CN_SWEEP_PAD);
    if (!sweep->q) {
        return CN_ERR_MEMORY;
    }
    memcpy(sweep->q, p->q, sizeof(double) * (size_t)m);
    if (p->W.kind == CN_OPERATOR_BODY) {
        sweep->run = cn_sweep_body;
        sweep->v = CN_TAKE(scratch, double, p->W.body.dofs);
        if (!sweep->v) {
            return CN_ERR_MEMORY;
        }
    } else {
        sweep->run = p->dim == 2 ? cn_sweep_2d_plain : cn_choose_3d();
    }
    return p->dim == 3 ? cn_prepare_blocks(sweep, scratch) : CN_OK;
}

void cn_sweep_use_plain(cn_sweep *sweep) {
    if (sweep->p->W.kind == CN_OPERATOR_ASSEMBLED) {
        sweep->run = sweep->p->dim == 2 ? cn_sweep_2d_plain : cn_sweep_3d_plain;
    }
}

// v = M^-1 H r
static void cn_body_velocity(const cn_friction *p, const double *r, double *v) {
    const cn_body_map *map = &p->W.body;
    memset(v, 0, sizeof *v * (size_t)map->dofs);
    for (int32_t a = 0; a < p->contacts; a++) {
        for (int64_t k = map->start[a]; k < map->start[a + 1]; k++) {
            for (int32_t i = 0; i < p->dim; i++) {
                v[map->dof[k]] += map->MinvH[p->dim * k + i] * r[(int64_t)p->dim * a + i];
            }
        }
    }
}

void cn_sweep_run(cn_sweep *sweep, double *r) {
    if (sweep->p->W.kind == CN_OPERATOR_BODY) {
        cn_body_velocity(
            sweep->p, r,
            sweep->v); // rebuilt each time: x may have been mixed since, and nothing drifts
    }
    sweep->run(sweep, r);
}

void cn_sweep_velocity(const cn_sweep *sweep, const double *r, double *u) {
    cn_friction_velocity(sweep->p, r, sweep->v, u);
}
