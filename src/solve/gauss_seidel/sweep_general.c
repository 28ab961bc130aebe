// solve/gauss_seidel/sweep_general.c
// The Gauss-Seidel sweep over the operator as it is, contact by contact. Cost of a contact: the
// product of its block row with r (assembled), or its few velocities (body space), and one local
// solve.
//
// A 3x3 block is read as three columns of four lanes: the fourth lane is the next number in memory
// and its sum is thrown away. Lanes are multiplied and added one by one, never fused, so that a
// processor with wider registers gives bitwise identical results as one without.
#include "base/arena.h"
#include "base/cancel.h"
#include "math/wide.h"
#include "problem/operator/operator.h"
#include "solve/drivers/joint_rows.h"
#include "solve/gauss_seidel/body_pack.h"
#include "solve/gauss_seidel/contact_order.h"
#include "solve/gauss_seidel/sweep.h"
#include "solve/local/local_secular.h"

#include <math.h>
#include <string.h>

#define LOCAL_COST 100.0 // multiplications' worth of a local solve
// |dr|^2 of an inner sweep over that of the first: three figures, which the next visit of the
// block, after its neighbours have moved, takes on.
#define BLOCK_SOLVED 1e-6

typedef struct gs_general gs_general;
typedef void gs_visit_fn(gs_general *s, int32_t a, double *r);

// A form of the operator: contact a solved; all of them once by index; the bodies' velocities v,
// and u, of r.
typedef struct gs_form {
    gs_visit_fn *visit;
    void (*sweep)(gs_general *s, double *r);
    void (*sweep_avx2)(gs_general *s, double *r); // NULL: no faster
    void (*begin)(gs_general *s, const double *r);
    void (*velocity)(const gs_general *s, const double *r, double *u);
} gs_form;

struct gs_general {
    const cn_friction *p; // with H, where it is in body space
    const gs_form *form;
    void (*run)(gs_general *s, double *r); // one sweep of the form, or by the plan
    local_fn *local;                       // 3D
    bool fast;                             // local is the hybrid chain, whose first link is inlined
    double relaxation;  // r := r_old + relaxation (answer - r_old), back into the cone when it is
                        // over 1
    local_block *block; // 3D: a contact's own block, made ready
    double *q;          // q with room for a wide load past its end
    double *slip;       // last slip multiplier of a contact
    gs_body_pack pack;  // body space, two rigid bodies per contact
    double *v;          // body space: M^-1 H r, carried along
    const cn_env *env;
    // A plan: block b is contacts order[first[b]] .. order[first[b+1] - 1].
    bool planned, symmetric;
    int32_t inner, blocks, *order, *first;
    int32_t unusable; // contacts without normal stiffness, left as they are
};

// sum += column * factor, lane by lane.
MATH_INLINE void add_column(math_wide *sum, const double *column, double factor) {
    *sum += math_wide_load(column) * factor;
}

// r := r + relaxation (answer - r), in the cone.
MATH_INLINE void gs_relax(const gs_general *s, int32_t dim, double mu, const double *answer,
                          double *r) {
    if (s->relaxation == 1.0) {
        memcpy(r, answer, sizeof *r * (size_t)dim);
        return;
    }
    for (int32_t i = 0; i < dim; i++) {
        r[i] += s->relaxation * (answer[i] - r[i]);
    }
    math_cone_project(dim, mu, r);
}

// One contact solved with q the velocity that the others leave it; r: its impulse, in and out.
MATH_INLINE void visit_3d(const gs_general *s, int32_t a, const double q[3], double r[3]) {
    const local_block *block = &s->block[a];
    double answer[3] = {r[0], r[1], r[2]};
    local_plane plane = local_plane_from_q(block, q);
    if (!s->fast || !local_secular_fast(block, &plane, answer, &s->slip[a])) {
        s->local(block, q, answer, &s->slip[a]);
    }
    gs_relax(s, 3, block->mu, answer, r);
}

// The same from u, the velocity with the contact's own impulse in it.
MATH_INLINE void visit_3d_from_u(const gs_general *s, int32_t a, const double u[3], double r[3]) {
    const local_block *block = &s->block[a];
    double answer[3] = {r[0], r[1], r[2]};
    local_plane plane = local_plane_from_u(block, u, r);
    if (!s->fast || !local_secular_fast(block, &plane, answer, &s->slip[a])) {
        double q[3];
        for (int i = 0; i < 3; i++) {
            q[i] = u[i] - (block->W[i] * r[0] + block->W[3 + i] * r[1] + block->W[6 + i] * r[2]);
        }
        s->local(block, q, answer, &s->slip[a]);
    }
    gs_relax(s, 3, block->mu, answer, r);
}

// A block of joint rows, W and q with its own compliance.
static void visit_box(const gs_general *s, int32_t a, const double *q, double *r) {
    int32_t dim = s->p->dim;
    int64_t row = (int64_t)dim * a;
    double answer[3] = {0.0, 0.0, 0.0};
    memcpy(answer, r, sizeof *r * (size_t)dim);
    solve_box_solve(dim, s->p->W.diagonal + dim * row, s->p->bounds.lower + row,
                    s->p->bounds.upper + row, q, answer);
    for (int32_t i = 0; i < dim; i++) {
        r[i] += s->relaxation * (answer[i] - r[i]);
    }
    solve_block_project(s->p, a, r);
}

MATH_INLINE void visit_2d(const gs_general *s, int32_t a, const double q[2], double r[2]) {
    if (prob_is_boxed(&s->p->bounds, a)) {
        visit_box(s, a, q, r);
        return;
    }
    double answer[2] = {r[0], r[1]};
    const double *W = s->p->W.diagonal + 4 * (int64_t)a;
    if (s->p->convex) {
        local_convex_2d(W, s->p->mu[a], q, answer);
    } else {
        local_solve_2d(W, s->p->mu[a], q, answer);
    }
    gs_relax(s, 2, s->p->mu[a], answer, r);
}

// q := q - W_aa r_a, the velocity without the block's own impulse. The diagonal holds compliance,
// which the velocities of the bodies know nothing of.
MATH_INLINE void take_out_own(const gs_general *s, int32_t a, const double *own, double *q) {
    int32_t dim = s->p->dim;
    const double *block = s->p->W.diagonal + (int64_t)dim * dim * a;
    for (int32_t j = 0; j < dim; j++) {
        for (int32_t i = 0; i < dim; i++) {
            q[i] -= block[dim * j + i] * own[j];
        }
    }
    for (int32_t j = 0; s->p->bounds.boxed && j < dim; j++) {
        q[j] += prob_compliance_of(&s->p->bounds, (int64_t)dim * a + j) * own[j];
    }
}

// ---- one contact of each form of the operator; r: all impulses, in and out ----

MATH_INLINE void contact_assembled_3d(gs_general *s, int32_t a, double *r) {
    const cn_bsr *W = &s->p->W.assembled;
    double *own = r + 3 * (int64_t)a;
    double last[3] = {own[0], own[1], own[2]};
    // With its own impulse put to zero the whole row gives what the others do.
    own[0] = own[1] = own[2] = 0.0;
    // One sum a column: three chains of additions keep pace with the loads.
    math_wide sum[3] = {{0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}};
    add_column(&sum[0], s->q + 3 * (int64_t)a, 1.0);
    for (int64_t k = W->start[a], end = W->start[a + 1]; k < end; k++) {
        const double *block = W->value + 9 * k;
        const double *other = r + 3 * (int64_t)W->column[k];
        add_column(&sum[0], block, other[0]);
        add_column(&sum[1], block + 3, other[1]);
        add_column(&sum[2], block + 6, other[2]);
    }
    sum[0] += sum[1] + sum[2];
    double q[4];
    memcpy(q, &sum[0], sizeof q);
    if (prob_is_boxed(&s->p->bounds, a)) {
        visit_box(s, a, q, last);
    } else if (s->block[a].inv_nn > 0.0) {
        visit_3d(s, a, q, last);
    }
    memcpy(own, last, sizeof last);
}

MATH_INLINE void contact_assembled_2d(gs_general *s, int32_t a, double *r) {
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
    visit_2d(s, a, q, last);
    memcpy(own, last, sizeof last);
}

// Two rigid bodies per contact: u = H' v + q, then v += M^-1 H dr.
MATH_INLINE void contact_packed_3d(gs_general *s, int32_t a, double *r) {
    double *own = r + 3 * (int64_t)a;
    const double *H = s->pack.H + 36 * (int64_t)a, *G = s->pack.G + 36 * (int64_t)a;
    double *v[2] = {s->v + s->pack.dof[2 * a], s->v + s->pack.dof[2 * a + 1]};
    math_wide sum[3] = {{0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}};
    add_column(&sum[0], s->q + 3 * (int64_t)a, 1.0);
    for (int k = 0; k < 12; k++) {
        add_column(&sum[k % 3], H + 3 * k, v[k / 6][k % 6]);
    }
    sum[0] += sum[1] + sum[2];
    double u[4], last[3] = {own[0], own[1], own[2]};
    memcpy(u, &sum[0], sizeof u);
    if (prob_is_boxed(&s->p->bounds, a)) {
        take_out_own(s, a, own, u);
        visit_box(s, a, u, own);
    } else if (!(s->block[a].inv_nn > 0.0)) {
        return;
    } else if (prob_is_soft(&s->p->bounds, 3, a)) {
        take_out_own(s, a, own, u);
        visit_3d(s, a, u, own);
    } else {
        visit_3d_from_u(s, a, u, own);
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

MATH_INLINE void contact_packed_2d(gs_general *s, int32_t a, double *r) {
    double *own = r + 2 * (int64_t)a;
    const double *H = s->pack.H + 12 * (int64_t)a, *G = s->pack.G + 12 * (int64_t)a;
    const double *W = s->p->W.diagonal + 4 * (int64_t)a;
    double *v[2] = {s->v + s->pack.dof[2 * a], s->v + s->pack.dof[2 * a + 1]};
    double last[2] = {own[0], own[1]};
    double q[2] = {s->q[2 * a] - (W[0] * last[0] + W[2] * last[1]),
                   s->q[2 * a + 1] - (W[1] * last[0] + W[3] * last[1])};
    for (int i = 0; s->p->bounds.boxed && i < 2; i++) {
        q[i] += prob_compliance_of(&s->p->bounds, 2 * (int64_t)a + i) * last[i];
    }
    for (int k = 0; k < 6; k++) {
        q[0] += H[2 * k] * v[k / 3][k % 3];
        q[1] += H[2 * k + 1] * v[k / 3][k % 3];
    }
    visit_2d(s, a, q, own);
    double change[2] = {own[0] - last[0], own[1] - last[1]};
    for (int k = 0; k < 6; k++) {
        const double *g = G + 6 * (k / 3) + k % 3;
        v[k / 3][k % 3] += g[0] * change[0] + g[3] * change[1];
    }
}

// Any body map in either dimension: u from the velocities, less what the contact itself does to it.
MATH_INLINE void contact_body(gs_general *s, int32_t a, double *r) {
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
    take_out_own(s, a, own, q);
    if (dim == 2) {
        visit_2d(s, a, q, own);
    } else if (prob_is_boxed(&s->p->bounds, a)) {
        visit_box(s, a, q, own);
    } else if (s->block[a].inv_nn > 0.0) {
        visit_3d(s, a, q, own);
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
#define SWEEP_POLLED 32768 // contacts between two polls of a sweep

// A sweep that is cancelled is left where it is.
MATH_INLINE void sweep_all(gs_general *s, gs_visit_fn *visit, double *r) {
    int32_t contacts = s->p->contacts, end = 0;
    while (end < contacts && (end == 0 || !base_is_cancelled(s->env))) {
        int32_t first = end;
        end = contacts - first < SWEEP_POLLED ? contacts : first + SWEEP_POLLED;
        for (int32_t a = first; a < end; a++) {
            visit(s, a, r);
        }
    }
}

// ---- the forms of the operator ----

static void begin_none(gs_general *s, const double *r) {
    (void)s;
    (void)r;
}

static void begin_pairs(gs_general *s, const double *r) {
    gs_body_pack_impulse(&s->pack, s->p, r, s->v);
}

// v = M^-1 H r
static void begin_body(gs_general *s, const double *r) {
    const cn_friction *p = s->p;
    const cn_body_map *map = &p->W.body;
    memset(s->v, 0, sizeof *s->v * (size_t)map->dofs);
    for (int32_t a = 0; a < p->contacts; a++) {
        for (int64_t k = map->start[a]; k < map->start[a + 1]; k++) {
            for (int32_t i = 0; i < p->dim; i++) {
                s->v[map->dof[k]] += map->MinvH[p->dim * k + i] * r[(int64_t)p->dim * a + i];
            }
        }
    }
}

static void velocity_pairs(const gs_general *s, const double *r, double *u) {
    gs_body_pack_velocity(&s->pack, s->p, s->v, u);
    prob_bounds_comply(s->p, r, u);
}

static void velocity_any(const gs_general *s, const double *r, double *u) {
    prob_friction_velocity_by(s->env, s->p, r, s->v, u);
}

static void sweep_assembled_2d(gs_general *s, double *r) {
    sweep_all(s, contact_assembled_2d, r);
}

static void sweep_assembled_3d(gs_general *s, double *r) {
    sweep_all(s, contact_assembled_3d, r);
}

static void sweep_pairs_2d(gs_general *s, double *r) {
    sweep_all(s, contact_packed_2d, r);
}

static void sweep_pairs_3d(gs_general *s, double *r) {
    sweep_all(s, contact_packed_3d, r);
}

static void sweep_body(gs_general *s, double *r) {
    sweep_all(s, contact_body, r);
}

#if defined(__x86_64__)
// The same code for processors with 256-bit registers.
__attribute__((target("avx2"))) static void sweep_assembled_3d_avx2(gs_general *s, double *r) {
    sweep_all(s, contact_assembled_3d, r);
}

__attribute__((target("avx2"))) static void sweep_pairs_3d_avx2(gs_general *s, double *r) {
    sweep_all(s, contact_packed_3d, r);
}
#define GS_AVX2(sweep) (sweep)
#define GS_HAS_AVX2() __builtin_cpu_supports("avx2")
#else
#define GS_AVX2(sweep) NULL
#define GS_HAS_AVX2() false
#endif

static const gs_form forms_assembled[2] = {
    {.visit = contact_assembled_2d,
     .sweep = sweep_assembled_2d,
     .begin = begin_none,
     .velocity = velocity_any},
    {.visit = contact_assembled_3d,
     .sweep = sweep_assembled_3d,
     .sweep_avx2 = GS_AVX2(sweep_assembled_3d_avx2),
     .begin = begin_none,
     .velocity = velocity_any},
};
// Two rigid bodies per contact.
static const gs_form forms_pairs[2] = {
    {.visit = contact_packed_2d,
     .sweep = sweep_pairs_2d,
     .begin = begin_pairs,
     .velocity = velocity_pairs},
    {.visit = contact_packed_3d,
     .sweep = sweep_pairs_3d,
     .sweep_avx2 = GS_AVX2(sweep_pairs_3d_avx2),
     .begin = begin_pairs,
     .velocity = velocity_pairs},
};
// Any body map, in either dimension.
static const gs_form form_body = {
    .visit = contact_body, .sweep = sweep_body, .begin = begin_body, .velocity = velocity_any};

static cn_status take_assembled(gs_general *s, cn_arena *scratch) {
    (void)scratch;
    s->form = &forms_assembled[s->p->dim - 2];
    return CN_OK;
}

static cn_status take_body(gs_general *s, cn_arena *scratch) {
    CN_TRY(gs_body_pack_build(s->p, scratch, &s->pack));
    s->form = s->pack.size > 0 ? &forms_pairs[s->p->dim - 2] : &form_body;
    return CN_OK;
}

// The implicit forms are expanded before.
typedef cn_status take_fn(gs_general *s, cn_arena *scratch);
static take_fn *const takers[] = {
    [CN_OPERATOR_ASSEMBLED] = take_assembled, [CN_OPERATOR_BODY] = take_body};

// ---- the sweep by a plan ----

// Visits contact a and returns |dr|^2.
static double visit_change(gs_general *s, int32_t a, double *r) {
    int32_t dim = s->p->dim;
    double *own = r + (int64_t)dim * a, last[3] = {0.0, 0.0, 0.0}, sum = 0.0;
    memcpy(last, own, sizeof *own * (size_t)dim);
    s->form->visit(s, a, r);
    for (int32_t i = 0; i < dim; i++) {
        sum += (own[i] - last[i]) * (own[i] - last[i]);
    }
    return sum;
}

// The contacts first .. end - 1 of the plan's order, or from the last to the first: inner sweeps
// until one changes little against what the first of them did. A contact alone is solved at once.
static void sweep_block(gs_general *s, int32_t first, int32_t end, bool back, double *r) {
    int32_t max = end - first > 1 ? s->inner : 1;
    double change = 0.0, whole = 0.0;
    for (int32_t i = 0; i < max && (i == 0 || change > BLOCK_SOLVED * whole); i++) {
        change = 0.0;
        for (int32_t k = first; k < end; k++) {
            change += visit_change(s, s->order[back ? first + end - 1 - k : k], r);
        }
        whole = i == 0 ? change : whole;
    }
}

static void sweep_planned(gs_general *s, double *r) {
    for (int32_t b = 0; b < s->blocks; b++) {
        sweep_block(s, s->first[b], s->first[b + 1], false, r);
    }
    for (int32_t b = s->symmetric ? s->blocks - 1 : -1; b >= 0; b--) {
        sweep_block(s, s->first[b], s->first[b + 1], true, r);
    }
}

static cn_status prepare_plan(gs_general *s, cn_arena *scratch) {
    int32_t n = s->p->contacts;
    s->order = BASE_TAKE(scratch, int32_t, n);
    s->first = BASE_TAKE(scratch, int32_t, (int64_t)n + 1);
    if (!s->order || !s->first) {
        return CN_ERR_MEMORY;
    }
    s->planned = true;
    s->run = sweep_planned;
    if (s->inner > 0) {
        return gs_contact_pairs(s->p, scratch, s->order, s->first, &s->blocks);
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

static cn_status prepare_blocks(gs_general *s, cn_arena *scratch) {
    const cn_friction *p = s->p;
    s->block = BASE_TAKE(scratch, local_block, p->contacts);
    s->slip = BASE_TAKE_ZERO(scratch, double, p->contacts);
    if (!s->block || !s->slip) {
        return CN_ERR_MEMORY;
    }
    for (int32_t a = 0; a < p->contacts; a++) {
        if (!local_prepare(p->W.diagonal + 9 * (int64_t)a, p->mu[a], &s->block[a])) {
            s->block[a].inv_nn = 0.0; // marks it
            s->unusable += !prob_is_boxed(&p->bounds, a);
        }
    }
    return CN_OK;
}

static cn_status general_build(gs_sweep *sweep, cn_arena *scratch, bool *fits) {
    gs_general *s = BASE_TAKE_ZERO(scratch, gs_general, 1);
    cn_friction *p = BASE_TAKE(scratch, cn_friction, 1);
    if (!s || !p || cn_friction_expand(sweep->p, scratch, p) != CN_OK) {
        return CN_ERR_MEMORY;
    }
    const gs_sweep_plan *plan = &sweep->plan;
    *fits = true;
    sweep->p = p;
    sweep->elements = s;
    sweep->size = (int64_t)p->dim * p->contacts;
    s->p = p;
    s->env = sweep->env;
    s->v = sweep->v;
    s->relaxation = plan->relaxation;
    s->symmetric = plan->symmetric;
    s->inner = plan->inner;
    s->fast = sweep->local->solve == local_hybrid && !p->convex;
    s->local = p->convex ? local_convex : sweep->local->solve;
    s->q = BASE_TAKE_ZERO(scratch, double, sweep->size + GS_SWEEP_PAD);
    if (!s->q) {
        return CN_ERR_MEMORY;
    }
    memcpy(s->q, p->q, sizeof(double) * (size_t)sweep->size);
    CN_TRY(takers[p->W.kind](s, scratch));
    s->run = s->form->sweep_avx2 && GS_HAS_AVX2() ? s->form->sweep_avx2 : s->form->sweep;
    cn_status status = p->dim == 3 ? prepare_blocks(s, scratch) : CN_OK;
    sweep->unusable = s->unusable;
    return status == CN_OK && gs_sweep_is_planned(plan) ? prepare_plan(s, scratch) : status;
}

static void general_use_portable(void *elements) {
    gs_general *s = elements;
    s->run = s->planned ? s->run : s->form->sweep;
}

static void general_relax(void *elements, double omega) {
    ((gs_general *)elements)->relaxation = omega;
}

static size_t general_bytes(const gs_general *s) {
    return sizeof(double) * (size_t)s->p->dim * (size_t)s->p->contacts;
}

static void general_load(const void *elements, const double *r, void *x) {
    memcpy(x, r, general_bytes(elements));
}

static void general_store(const void *elements, const void *x, double *r) {
    memcpy(r, x, general_bytes(elements));
}

static void general_weights(const void *elements, float *weight) {
    const cn_friction *p = ((const gs_general *)elements)->p;
    for (int32_t a = 0; a < p->contacts; a++) {
        double trace = prob_operator_trace(&p->W, p->dim, a);
        for (int32_t i = 0; i < p->dim; i++) {
            weight[(int64_t)p->dim * a + i] = trace > 0.0 ? (float)(trace / p->dim) : 1.0F;
        }
    }
}

static void general_begin(void *elements, const void *x) {
    gs_general *s = elements;
    s->form->begin(s, x);
}

static void general_sweep(void *elements, void *x) {
    gs_general *s = elements;
    s->run(s, x);
}

static void general_velocity(const void *elements, const double *r, double *u) {
    const gs_general *s = elements;
    s->form->velocity(s, r, u);
}

const gs_sweep_ops gs_sweep_general = {.kind = GS_SWEEP_ANY,
                                       .contact_cost = LOCAL_COST,
                                       .reads_operator = true,
                                       .build = general_build,
                                       .use_portable = general_use_portable,
                                       .relax = general_relax,
                                       .load = general_load,
                                       .store = general_store,
                                       .weights = general_weights,
                                       .begin = general_begin,
                                       .sweep = general_sweep,
                                       .velocity = general_velocity};
