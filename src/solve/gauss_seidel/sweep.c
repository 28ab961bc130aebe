// solve/gauss_seidel/sweep.c
// The Gauss-Seidel sweep. Cost of a contact: the product of its block row with r (assembled), or
// its few velocities (body space), and one local solve.
//
// A 3x3 block is read as three columns of four lanes: the fourth lane is the next number in memory
// and its sum is thrown away. Lanes are multiplied and added one by one, never fused, so that a
// processor with wider registers gives the same bits as one without.
#include "solve/gauss_seidel/sweep.h"

#include "base/arena.h"
#include "base/cancel.h"
#include "base/parallel.h"
#include "math/wide.h"
#include "problem/operator/operator.h"
#include "problem/operator/sphere_map.h"
#include "solve/drivers/joint_rows.h"
#include "solve/gauss_seidel/contact_order.h"
#include "solve/local/local_secular.h"

#include <math.h>
#include <string.h>

#define CN_SWEEP_SPARE 8    // velocities behind the last body, always zero
#define CN_LOCAL_COST 100.0 // multiplications' worth of a local solve
#define CN_BALL_COST 40.0   // and of all that a contact of balls takes in a sweep
#define CN_BALL_SINGLE_COST 20.0
#define CN_POINT_COST 80.0 // or a point of a manifold
#define CN_POINT_SINGLE_COST 40.0
#define CN_SINGLE_NOISE                                                                            \
    4e-6 // of the velocities that impulses give: 64 times the last figure of a single
#define CN_MANIFOLD_MOMENTUM                                                                       \
    0.8 // of a wall on sinking ground 0.7 to 0.85 did equally well, 0.9 worse
#define CN_BLOCK_SOLVED                                                                            \
    1e-6 // |dr|^2 of an inner sweep over that of the first: three figures, which the next visit
         // of the block, after its neighbours have moved, takes on

// sum += column * factor, lane by lane.
CN_INLINE void cn_add_column(cn_wide *sum, const double *column, double factor) {
    *sum += cn_wide_load(column) * factor;
}

// r := r + relaxation (answer - r), in the cone.
CN_INLINE void cn_relax(const cn_sweep *s, int32_t dim, double mu, const double *answer,
                        double *r) {
    if (s->relaxation == 1.0) {
        memcpy(r, answer, sizeof *r * (size_t)dim);
        return;
    }
    for (int32_t i = 0; i < dim; i++) {
        r[i] += s->relaxation * (answer[i] - r[i]);
    }
    cn_cone_project(dim, mu, r);
}

// One contact solved with q the velocity that the others leave it; r: its impulse, in and out.
CN_INLINE void cn_visit_3d(const cn_sweep *s, int32_t a, const double q[3], double r[3]) {
    const cn_local_block *block = &s->block[a];
    double answer[3] = {r[0], r[1], r[2]};
    cn_local_plane plane = cn_local_plane_from_q(block, q);
    if (!s->fast || !cn_secular_fast(block, &plane, answer, &s->slip[a])) {
        s->local(block, q, answer, &s->slip[a]);
    }
    cn_relax(s, 3, block->mu, answer, r);
}

// The same from u, the velocity with the contact's own impulse in it.
CN_INLINE void cn_visit_3d_from_u(const cn_sweep *s, int32_t a, const double u[3], double r[3]) {
    const cn_local_block *block = &s->block[a];
    double answer[3] = {r[0], r[1], r[2]};
    cn_local_plane plane = cn_local_plane_from_u(block, u, r);
    if (!s->fast || !cn_secular_fast(block, &plane, answer, &s->slip[a])) {
        double q[3];
        for (int i = 0; i < 3; i++) {
            q[i] = u[i] - (block->W[i] * r[0] + block->W[3 + i] * r[1] + block->W[6 + i] * r[2]);
        }
        s->local(block, q, answer, &s->slip[a]);
    }
    cn_relax(s, 3, block->mu, answer, r);
}

// A block of joint rows, W and q with its own compliance.
static void cn_visit_box(const cn_sweep *s, int32_t a, const double *q, double *r) {
    int32_t dim = s->p->dim;
    int64_t row = (int64_t)dim * a;
    double answer[3] = {0.0, 0.0, 0.0};
    memcpy(answer, r, sizeof *r * (size_t)dim);
    cn_box_solve(dim, s->p->W.diagonal + dim * row, s->p->bounds.lower + row,
                 s->p->bounds.upper + row, q, answer);
    for (int32_t i = 0; i < dim; i++) {
        r[i] += s->relaxation * (answer[i] - r[i]);
    }
    cn_block_project(s->p, a, r);
}

CN_INLINE void cn_visit_2d(const cn_sweep *s, int32_t a, const double q[2], double r[2]) {
    if (cn_is_boxed(&s->p->bounds, a)) {
        cn_visit_box(s, a, q, r);
        return;
    }
    double answer[2] = {r[0], r[1]};
    const double *W = s->p->W.diagonal + 4 * (int64_t)a;
    if (s->p->convex) {
        cn_local_convex_2d(W, s->p->mu[a], q, answer);
    } else {
        cn_local_solve_2d(W, s->p->mu[a], q, answer);
    }
    cn_relax(s, 2, s->p->mu[a], answer, r);
}

// q := q - W_aa r_a, the velocity without the block's own impulse. The diagonal holds compliance,
// which the velocities of the bodies know nothing of.
CN_INLINE void cn_take_out_own(const cn_sweep *s, int32_t a, const double *own, double *q) {
    int32_t dim = s->p->dim;
    const double *block = s->p->W.diagonal + (int64_t)dim * dim * a;
    for (int32_t j = 0; j < dim; j++) {
        for (int32_t i = 0; i < dim; i++) {
            q[i] -= block[dim * j + i] * own[j];
        }
    }
    for (int32_t j = 0; cn_is_boxed(&s->p->bounds, a) && j < dim; j++) {
        q[j] += cn_compliance_of(&s->p->bounds, (int64_t)dim * a + j) * own[j];
    }
}

// ---- one contact of each form of the operator; r: all impulses, in and out ----

CN_INLINE void cn_contact_assembled_3d(cn_sweep *s, int32_t a, double *r) {
    const cn_bsr *W = &s->p->W.assembled;
    double *own = r + 3 * (int64_t)a;
    double last[3] = {own[0], own[1], own[2]};
    // With its own impulse put to zero the whole row gives what the others do.
    own[0] = own[1] = own[2] = 0.0;
    // One sum a column: three chains of additions keep pace with the loads.
    cn_wide sum[3] = {{0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}};
    cn_add_column(&sum[0], s->q + 3 * (int64_t)a, 1.0);
    for (int64_t k = W->start[a], end = W->start[a + 1]; k < end; k++) {
        const double *block = W->value + 9 * k;
        const double *other = r + 3 * (int64_t)W->column[k];
        cn_add_column(&sum[0], block, other[0]);
        cn_add_column(&sum[1], block + 3, other[1]);
        cn_add_column(&sum[2], block + 6, other[2]);
    }
    sum[0] += sum[1] + sum[2];
    double q[4];
    memcpy(q, &sum[0], sizeof q);
    if (cn_is_boxed(&s->p->bounds, a)) {
        cn_visit_box(s, a, q, last);
    } else if (s->block[a].inv_nn > 0.0) {
        cn_visit_3d(s, a, q, last);
    }
    memcpy(own, last, sizeof last);
}

CN_INLINE void cn_contact_assembled_2d(cn_sweep *s, int32_t a, double *r) {
    const cn_bsr *W = &s->p->W.assembled;
    double *own = r + 2 * (int64_t)a;
    double last[2] = {own[0], own[1]};
    own[0] = own[1] = 0.0;
    double q[2] = {s->q[2 * (int64_t)a], s->q[2 * (int64_t)a + 1]};
    for (int64_t k = W->start[a], end = W->start[a + 1]; k < end; k++) {
        const double *block = W->value + 4 * k;
        const double *other = r + 2 * (int64_t)W->column[k];
        q[0] += block[0] * other[0] + block[2] * other[1];
        q[1] += block[1] * other[0] + block[3] * other[1];
    }
    cn_visit_2d(s, a, q, last);
    memcpy(own, last, sizeof last);
}

// Two rigid bodies a contact: u = H' v + q, then v += M^-1 H dr.
CN_INLINE void cn_contact_packed_3d(cn_sweep *s, int32_t a, double *r) {
    double *own = r + 3 * (int64_t)a;
    const double *H = s->pack.H + 36 * (int64_t)a, *G = s->pack.G + 36 * (int64_t)a;
    double *v[2] = {s->v + s->pack.dof[2 * a], s->v + s->pack.dof[2 * a + 1]};
    cn_wide sum[3] = {{0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}};
    cn_add_column(&sum[0], s->q + 3 * (int64_t)a, 1.0);
    for (int k = 0; k < 12; k++) {
        cn_add_column(&sum[k % 3], H + 3 * k, v[k / 6][k % 6]);
    }
    sum[0] += sum[1] + sum[2];
    double u[4], last[3] = {own[0], own[1], own[2]};
    memcpy(u, &sum[0], sizeof u);
    if (cn_is_boxed(&s->p->bounds, a)) {
        cn_take_out_own(s, a, own, u);
        cn_visit_box(s, a, u, own);
    } else if (!(s->block[a].inv_nn > 0.0)) {
        return;
    } else {
        cn_visit_3d_from_u(s, a, u, own);
    }
    double change[3] = {own[0] - last[0], own[1] - last[1], own[2] - last[2]};
    if (change[0] == 0.0 && change[1] == 0.0 && change[2] == 0.0) {
        return; // an open contact that stays open
    }
    for (int k = 0; k < 12; k++) {
        const double *g = G + 18 * (k / 6) + k % 6;
        v[k / 6][k % 6] += g[0] * change[0] + g[6] * change[1] + g[12] * change[2];
    }
}

CN_INLINE void cn_contact_packed_2d(cn_sweep *s, int32_t a, double *r) {
    double *own = r + 2 * (int64_t)a;
    const double *H = s->pack.H + 12 * (int64_t)a, *G = s->pack.G + 12 * (int64_t)a;
    const double *W = s->p->W.diagonal + 4 * (int64_t)a;
    double *v[2] = {s->v + s->pack.dof[2 * a], s->v + s->pack.dof[2 * a + 1]};
    double last[2] = {own[0], own[1]};
    double q[2] = {s->q[2 * a] - (W[0] * last[0] + W[2] * last[1]),
                   s->q[2 * a + 1] - (W[1] * last[0] + W[3] * last[1])};
    for (int i = 0; cn_is_boxed(&s->p->bounds, a) && i < 2; i++) {
        q[i] += cn_compliance_of(&s->p->bounds, 2 * (int64_t)a + i) * last[i];
    }
    for (int k = 0; k < 6; k++) {
        q[0] += H[2 * k] * v[k / 3][k % 3];
        q[1] += H[2 * k + 1] * v[k / 3][k % 3];
    }
    cn_visit_2d(s, a, q, own);
    double change[2] = {own[0] - last[0], own[1] - last[1]};
    for (int k = 0; k < 6; k++) {
        const double *g = G + 6 * (k / 3) + k % 3;
        v[k / 3][k % 3] += g[0] * change[0] + g[3] * change[1];
    }
}

// Any body map in either dimension: u from the velocities, less what the contact itself does to it.
CN_INLINE void cn_contact_body(cn_sweep *s, int32_t a, double *r) {
    const cn_body_map *map = &s->p->W.body;
    int32_t dim = s->p->dim;
    double *own = r + (int64_t)dim * a;
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
    cn_take_out_own(s, a, own, q);
    if (dim == 2) {
        cn_visit_2d(s, a, q, own);
    } else if (cn_is_boxed(&s->p->bounds, a)) {
        cn_visit_box(s, a, q, own);
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

// ---- the sweep by index of each form ----

// All contacts once; inlined, so that the visit is too.
#define CN_SWEEP_POLLED 32768 // contacts between two polls of a sweep

// A sweep that is cancelled is left where it is.
CN_INLINE void cn_sweep_all(cn_sweep *s, cn_visit_fn *visit, double *r) {
    int32_t contacts = s->p->contacts, end = 0;
    while (end < contacts && (end == 0 || !cn_is_cancelled(s->env))) {
        int32_t first = end;
        end = contacts - first < CN_SWEEP_POLLED ? contacts : first + CN_SWEEP_POLLED;
        for (int32_t a = first; a < end; a++) {
            visit(s, a, r);
        }
    }
}

static void cn_sweep_body(cn_sweep *s, void *r) {
    cn_sweep_all(s, cn_contact_body, r);
}

static void cn_sweep_manifolds(cn_sweep *s, void *x) {
    cn_manifolds_sweep(&s->manifolds, x);
}

static void cn_sweep_balls(cn_sweep *s, void *x) {
    cn_balls_sweep(&s->balls, x);
}

static void cn_sweep_2d_plain(cn_sweep *s, void *r) {
    cn_sweep_all(s, cn_contact_assembled_2d, r);
}

static void cn_sweep_3d_plain(cn_sweep *s, void *r) {
    cn_sweep_all(s, cn_contact_assembled_3d, r);
}

static void cn_sweep_2d_packed_plain(cn_sweep *s, void *r) {
    cn_sweep_all(s, cn_contact_packed_2d, r);
}

static void cn_sweep_3d_packed_plain(cn_sweep *s, void *r) {
    cn_sweep_all(s, cn_contact_packed_3d, r);
}

// The code for any processor.
static cn_sweep_fn *cn_choose_plain(const cn_sweep *s) {
    if (s->p->W.kind == CN_OPERATOR_ASSEMBLED) {
        return s->p->dim == 2 ? cn_sweep_2d_plain : cn_sweep_3d_plain;
    }
    if (s->pack.size == 0) {
        return cn_sweep_body;
    }
    return s->p->dim == 2 ? cn_sweep_2d_packed_plain : cn_sweep_3d_packed_plain;
}

#if defined(__x86_64__)
// The same code for processors with 256-bit registers.
__attribute__((target("avx2"))) static void cn_sweep_3d_avx2(cn_sweep *s, void *r) {
    cn_sweep_all(s, cn_contact_assembled_3d, r);
}

__attribute__((target("avx2"))) static void cn_sweep_3d_packed_avx2(cn_sweep *s, void *r) {
    cn_sweep_all(s, cn_contact_packed_3d, r);
}

static cn_sweep_fn *cn_choose(const cn_sweep *s) {
    cn_sweep_fn *plain = cn_choose_plain(s);
    if (!__builtin_cpu_supports("avx2")) {
        return plain;
    }
    return plain == cn_sweep_3d_plain          ? cn_sweep_3d_avx2
           : plain == cn_sweep_3d_packed_plain ? cn_sweep_3d_packed_avx2
                                               : plain;
}
#else
static cn_sweep_fn *cn_choose(const cn_sweep *s) {
    return cn_choose_plain(s);
}
#endif

// ---- the sweep by a plan ----

static void cn_visit_assembled_2d(cn_sweep *s, int32_t a, double *r) {
    cn_contact_assembled_2d(s, a, r);
}

static void cn_visit_assembled_3d(cn_sweep *s, int32_t a, double *r) {
    cn_contact_assembled_3d(s, a, r);
}

static void cn_visit_packed_2d(cn_sweep *s, int32_t a, double *r) {
    cn_contact_packed_2d(s, a, r);
}

static void cn_visit_packed_3d(cn_sweep *s, int32_t a, double *r) {
    cn_contact_packed_3d(s, a, r);
}

static void cn_visit_body(cn_sweep *s, int32_t a, double *r) {
    cn_contact_body(s, a, r);
}

static cn_visit_fn *cn_choose_visit(const cn_sweep *s) {
    bool flat = s->p->dim == 2;
    if (s->p->W.kind == CN_OPERATOR_ASSEMBLED) {
        return flat ? cn_visit_assembled_2d : cn_visit_assembled_3d;
    }
    if (s->pack.size == 0) {
        return cn_visit_body;
    }
    return flat ? cn_visit_packed_2d : cn_visit_packed_3d;
}

// Visits contact a and returns |dr|^2.
static double cn_visit_change(cn_sweep *s, int32_t a, double *r) {
    int32_t dim = s->p->dim;
    double *own = r + (int64_t)dim * a, last[3] = {0.0, 0.0, 0.0}, sum = 0.0;
    memcpy(last, own, sizeof *own * (size_t)dim);
    s->visit(s, a, r);
    for (int32_t i = 0; i < dim; i++) {
        sum += (own[i] - last[i]) * (own[i] - last[i]);
    }
    return sum;
}

// The contacts first .. end - 1 of the plan's order, or from the last to the first: inner sweeps
// until one changes little against what the first of them did. A contact alone is solved at once.
static void cn_sweep_block(cn_sweep *s, int32_t first, int32_t end, bool back, double *r) {
    int32_t most = end - first > 1 ? s->plan.inner : 1;
    double change = 0.0, whole = 0.0;
    for (int32_t i = 0; i < most && (i == 0 || change > CN_BLOCK_SOLVED * whole); i++) {
        change = 0.0;
        for (int32_t k = first; k < end; k++) {
            change += cn_visit_change(s, s->order[back ? first + end - 1 - k : k], r);
        }
        whole = i == 0 ? change : whole;
    }
}

static void cn_sweep_planned(cn_sweep *s, void *r) {
    for (int32_t b = 0; b < s->blocks; b++) {
        cn_sweep_block(s, s->first[b], s->first[b + 1], false, r);
    }
    for (int32_t b = s->plan.symmetric ? s->blocks - 1 : -1; b >= 0; b--) {
        cn_sweep_block(s, s->first[b], s->first[b + 1], true, r);
    }
}

static cn_status cn_prepare_plan(cn_sweep *s, cn_arena *scratch) {
    int32_t n = s->p->contacts;
    s->order = CN_TAKE(scratch, int32_t, n);
    s->first = CN_TAKE(scratch, int32_t, (int64_t)n + 1);
    if (!s->order || !s->first) {
        return CN_ERR_MEMORY;
    }
    s->visit = cn_choose_visit(s);
    s->run = cn_sweep_planned;
    if (s->plan.inner > 0) {
        return cn_contact_pairs(s->p, scratch, s->order, s->first, &s->blocks);
    }
    s->blocks = n;
    for (int32_t a = 0; a <= n; a++) {
        s->first[a] = a;
        if (a < n) {
            s->order[a] = a;
        }
    }
    return CN_OK;
}

// ---- preparing ----

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
            s->unusable += !cn_is_boxed(&p->bounds, a);
        }
    }
    return CN_OK;
}

// Whether contacts are visited in another way than once each, by index.
static bool cn_is_planned(const cn_sweep *s) {
    return s->plan.symmetric || s->plan.inner > 0;
}

// Wide enough a closed form for the packets, and nobody asked for another local solver or way.
static bool cn_may_be_packed(const cn_sweep *s) {
    return s->p->W.kind != CN_OPERATOR_ASSEMBLED && s->fast && s->relaxation == 1.0 &&
           !s->plan.varies && !cn_is_planned(s) && cn_boxes_count(s->p) == 0 && !s->p->convex;
}

cn_status cn_sweep_take_weights(cn_sweep *s, cn_arena *scratch) {
    int32_t dim = s->p->dim;
    s->weight = CN_TAKE(scratch, float, s->size);
    if (!s->weight) {
        return CN_ERR_MEMORY;
    }
    if (s->kind == CN_SWEEP_BALLS) {
        cn_balls_weights(&s->balls, s->weight);
        return CN_OK;
    }
    if (s->kind == CN_SWEEP_MANIFOLDS) {
        cn_manifolds_weights(&s->manifolds, s->weight);
        return CN_OK;
    }
    for (int32_t a = 0; a < s->p->contacts; a++) {
        double trace = cn_operator_trace(&s->p->W, dim, a);
        for (int32_t i = 0; i < dim; i++) {
            s->weight[(int64_t)dim * a + i] = trace > 0.0 ? (float)(trace / dim) : 1.0F;
        }
    }
    return CN_OK;
}

// The packets that the operator fits, if any.
static cn_status cn_prepare_packets(cn_sweep *s, cn_arena *scratch) {
    bool fits = false;
    cn_status status = s->p->W.kind == CN_OPERATOR_POINTS
                           ? CN_OK
                           : cn_balls_build(s->p, &s->unit, s->plan.single, s->plan.kept, scratch,
                                            &s->balls, &fits);
    if (status == CN_OK && fits) {
        s->kind = CN_SWEEP_BALLS;
        s->single = s->plan.single;
        s->size = cn_balls_size(&s->balls);
        s->run = cn_sweep_balls;
        return CN_OK;
    }
    if (status == CN_OK && s->p->W.kind != CN_OPERATOR_BALLS) {
        status = cn_manifolds_build(s->p, &s->unit, s->plan.rigid_single, s->plan.kept, scratch,
                                    &s->manifolds, &fits);
    }
    if (status == CN_OK && fits) {
        s->kind = CN_SWEEP_MANIFOLDS;
        s->single = s->plan.rigid_single;
        s->size = cn_manifolds_size(&s->manifolds);
        s->run = cn_sweep_manifolds;
    }
    return status;
}

// The sweep over the operator as it is; what has no H is given one.
static cn_status cn_prepare_any(cn_sweep *s, cn_arena *scratch) {
    cn_friction *p = CN_TAKE(scratch, cn_friction, 1);
    if (!p || cn_friction_expand(s->p, scratch, p) != CN_OK) {
        return CN_ERR_MEMORY;
    }
    s->p = p;
    s->q = CN_TAKE_ZERO(scratch, double, s->size + CN_SWEEP_PAD);
    if (!s->q) {
        return CN_ERR_MEMORY;
    }
    memcpy(s->q, p->q, sizeof(double) * (size_t)s->size);
    if (p->W.kind == CN_OPERATOR_BODY) {
        if (cn_body_pack_build(p, scratch, &s->pack) != CN_OK) {
            return CN_ERR_MEMORY;
        }
    }
    s->run = cn_choose(s);
    cn_status status = p->dim == 3 ? cn_prepare_blocks(s, scratch) : CN_OK;
    return status == CN_OK && cn_is_planned(s) ? cn_prepare_plan(s, scratch) : status;
}

// What doubles need besides.
static cn_status cn_prepare_room(cn_sweep *s, cn_arena *scratch) {
    int64_t m = (int64_t)s->p->dim * s->p->contacts;
    s->r = CN_TAKE(scratch, double, m);
    s->u = CN_TAKE(scratch, double, m);
    // Spare zeros behind the velocities, for the second body of a contact that has one.
    int64_t velocities = cn_operator_dofs(&s->p->W, s->p->dim) + CN_SWEEP_SPARE;
    s->v = CN_TAKE_ZERO(scratch, double, velocities);
    return s->r && s->u && s->v ? CN_OK : CN_ERR_MEMORY;
}

cn_status cn_sweep_prepare(const cn_friction *p, const cn_local_solver *local, double relaxation,
                           cn_arena *scratch, cn_sweep *sweep) {
    const cn_sweep_plan plain = {.relaxation = relaxation};
    return cn_sweep_prepare_plan(p, local, &plain, scratch, sweep);
}

cn_status cn_sweep_prepare_plan(const cn_friction *p, const cn_local_solver *local,
                                const cn_sweep_plan *plan, cn_arena *scratch, cn_sweep *sweep) {
    int64_t m = (int64_t)p->dim * p->contacts;
    *sweep = (cn_sweep){.p = p, .local = local->solve, .plan = *plan, .size = m};
    sweep->env = cn_arena_env(scratch);
    sweep->relaxation = plan->relaxation;
    sweep->fast = local->solve == cn_local_hybrid && !p->convex;
    sweep->local = p->convex ? cn_local_convex : sweep->local;
    sweep->unit = cn_natural_unit_of(sweep->env, p);
    cn_status status = cn_may_be_packed(sweep) ? cn_prepare_packets(sweep, scratch) : CN_OK;
    if (status == CN_OK && !sweep->single) {
        status = cn_prepare_room(sweep, scratch);
    }
    if (status == CN_OK && sweep->kind == CN_SWEEP_ANY) {
        status = cn_prepare_any(sweep, scratch);
    }
    return status;
}

cn_status cn_sweep_widen(cn_sweep *sweep, cn_arena *scratch) {
    sweep->single = false;
    cn_status status = sweep->kind == CN_SWEEP_BALLS
                           ? cn_balls_widen(&sweep->balls, scratch)
                           : cn_manifolds_widen(&sweep->manifolds, scratch);
    return status == CN_OK ? cn_prepare_room(sweep, scratch) : status;
}

size_t cn_sweep_bytes(const cn_sweep *sweep) {
    return (size_t)sweep->size * (sweep->single ? sizeof(float) : sizeof(double));
}

void cn_sweep_use_plain(cn_sweep *sweep) {
    cn_balls_use_plain(&sweep->balls);
    cn_manifolds_use_plain(&sweep->manifolds);
    if (sweep->kind == CN_SWEEP_ANY && !cn_is_planned(sweep)) {
        sweep->run = cn_choose_plain(sweep);
    }
}

void cn_sweep_load(const cn_sweep *sweep, const double *r, void *x) {
    switch (sweep->kind) {
    case CN_SWEEP_BALLS:
        cn_balls_load(&sweep->balls, r, x);
        break;
    case CN_SWEEP_MANIFOLDS:
        cn_manifolds_load(&sweep->manifolds, r, x);
        break;
    case CN_SWEEP_ANY:
        memcpy(x, r, cn_sweep_bytes(sweep));
    }
}

void cn_sweep_store(const cn_sweep *sweep, const void *x, double *r) {
    switch (sweep->kind) {
    case CN_SWEEP_BALLS:
        cn_balls_store(&sweep->balls, x, r);
        break;
    case CN_SWEEP_MANIFOLDS:
        cn_manifolds_store(&sweep->manifolds, x, r);
        break;
    case CN_SWEEP_ANY:
        memcpy(r, x, cn_sweep_bytes(sweep));
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

void cn_sweep_run(cn_sweep *sweep, void *x, int32_t count) {
    // v anew: x may have been mixed since, and nothing drifts.
    if (sweep->kind == CN_SWEEP_BALLS) {
        cn_balls_reset(&sweep->balls, x);
    } else if (sweep->kind == CN_SWEEP_MANIFOLDS) {
        cn_manifolds_reset(&sweep->manifolds, x);
    } else if (sweep->pack.size > 0) {
        cn_body_pack_impulse(&sweep->pack, sweep->p, x, sweep->v);
    } else if (sweep->p->W.kind == CN_OPERATOR_BODY) {
        cn_body_velocity(sweep->p, x, sweep->v);
    }
    cn_sweep_go_on(sweep, x, count);
}

void cn_sweep_go_on(cn_sweep *sweep, void *x, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        sweep->run(sweep, x);
    }
}

double cn_sweep_most_momentum(const cn_sweep *sweep) {
    switch (sweep->kind) {
    case CN_SWEEP_BALLS:
        return 1.0;
    case CN_SWEEP_MANIFOLDS:
        return CN_MANIFOLD_MOMENTUM;
    case CN_SWEEP_ANY:
        break;
    }
    return 0.0;
}

bool cn_sweep_can_return(const cn_sweep *sweep) {
    return sweep->kind == CN_SWEEP_MANIFOLDS;
}

cn_status cn_sweep_depth(const cn_sweep *sweep, cn_arena *scratch, int32_t *depth) {
    return cn_manifolds_depth(&sweep->manifolds, scratch, depth);
}

void cn_sweep_start_gliding(cn_sweep *sweep) {
    if (sweep->kind == CN_SWEEP_BALLS) {
        cn_balls_start_gliding(&sweep->balls);
    } else {
        cn_manifolds_start_gliding(&sweep->manifolds);
    }
}

void cn_sweep_glide(cn_sweep *sweep, double share, bool returns, const void *x, void *to) {
    if (sweep->kind == CN_SWEEP_BALLS) {
        cn_balls_glide(&sweep->balls, share, x, to);
    } else {
        cn_manifolds_glide(&sweep->manifolds, share, returns, x, to);
    }
}

void cn_sweep_freshen(cn_sweep *sweep, const void *x, const void *before) {
    if (sweep->kind == CN_SWEEP_BALLS) {
        cn_balls_freshen(&sweep->balls, x, before);
    } else {
        cn_manifolds_freshen(&sweep->manifolds, x, before);
    }
}

static double cn_square_range(const void *user, int64_t first, int64_t end) {
    const double *x = user;
    double sum = 0.0;
    for (int64_t i = first; i < end; i++) {
        sum += x[i] * x[i];
    }
    return sum;
}

static double cn_length(const cn_env *env, int64_t n, const double *x) {
    return sqrt(cn_parallel_sum(env, n, cn_square_range, x));
}

// The scaled error from the squares of the error, of |r| and of the velocities that impulses give,
// and what round-off may have made of it.
static double cn_scaled_error(cn_sweep *s, double error, double force, double moved) {
    double noise = s->single ? CN_SINGLE_NOISE * sqrt(moved) : 0.0;
    s->floor = cn_natural_divide(&s->unit, noise, sqrt(force));
    return cn_natural_divide(&s->unit, sqrt(error), sqrt(force));
}

static double cn_manifold_sweep_error(cn_sweep *s, const void *x) {
    cn_manifold_sums sums = cn_manifolds_error(&s->manifolds, x);
    return s->single ? cn_scaled_error(s, sums.error, sums.force, sums.moved)
                     : cn_natural_divide(&s->unit, sqrt(sums.error), cn_length(s->env, s->size, x));
}

double cn_sweep_error(cn_sweep *sweep, cn_measure measure, const void *x) {
    if (sweep->kind == CN_SWEEP_BALLS && measure == CN_MEASURE_SCALED) {
        cn_ball_sums sums = cn_balls_error(&sweep->balls, x);
        return cn_scaled_error(sweep, sums.error, sums.force, sums.moved);
    }
    if (sweep->kind == CN_SWEEP_MANIFOLDS && measure == CN_MEASURE_SCALED) {
        return cn_manifold_sweep_error(sweep, x);
    }
    cn_sweep_store(sweep, x, sweep->r);
    if (sweep->pack.size > 0) {
        cn_body_pack_velocity(&sweep->pack, sweep->p, sweep->v, sweep->u);
        cn_bounds_comply(sweep->p, sweep->r, sweep->u);
    } else {
        cn_friction_velocity_by(sweep->env, sweep->p, sweep->r, sweep->v, sweep->u);
    }
    return measure == CN_MEASURE_SCALED
               ? cn_natural_error_in(sweep->env, &sweep->unit, sweep->p, sweep->r, sweep->u)
               : cn_natural_error_by(sweep->env, sweep->p, measure, sweep->r, sweep->u);
}

cn_status cn_sweep_error_of(const cn_sweep *sweep, const double *r, cn_arena *scratch,
                            double *error) {
    const cn_friction *p = sweep->p;
    int32_t dofs = cn_operator_dofs(&p->W, p->dim);
    bool balls = p->W.kind == CN_OPERATOR_BALLS;
    cn_arena_mark mark = cn_arena_get_mark(scratch);
    double *v = CN_TAKE_ZERO(scratch, double, dofs),
           *u = balls ? NULL : CN_TAKE(scratch, double, (int64_t)p->dim * p->contacts);
    if (!v || (!u && !balls)) {
        return CN_ERR_MEMORY;
    }
    if (balls) {
        cn_ball_map_push(sweep->env, &p->W.balls, p->dim, p->contacts, r, v);
        *error = cn_natural_error_balls(sweep->env, &sweep->unit, p, r, v);
    } else {
        cn_friction_velocity_by(sweep->env, p, r, v, u);
        *error = cn_natural_error_in(sweep->env, &sweep->unit, p, r, u);
    }
    cn_arena_release(scratch, mark);
    return CN_OK;
}

double cn_sweep_cost(const cn_sweep *sweep) {
    const cn_friction *p = sweep->p;
    switch (sweep->kind) {
    case CN_SWEEP_BALLS:
        return (sweep->single ? CN_BALL_SINGLE_COST : CN_BALL_COST) * p->contacts;
    case CN_SWEEP_MANIFOLDS:
        return (sweep->single ? CN_POINT_SINGLE_COST : CN_POINT_COST) * p->contacts;
    case CN_SWEEP_ANY:
        break;
    }
    return (double)cn_operator_sweep_cost(&p->W, p->dim, p->contacts) + CN_LOCAL_COST * p->contacts;
}
