// solve/sweep_spheres/spheres.c
// Recognises an operator of spheres and disks, unless it says itself that it is one, and lays it
// out in batches.
//
// Of a body's run in H, with L_d its linear and A_d its angular part in direction d: on side B,
// L_d = d and A_d = -R n x d; on side A, L_d = -d and the same A_d. The side whose L_N is taken
// as the normal is B by definition. M^-1 H must be 1/m and 1/I times that, the same for all
// contacts of a body.
#include "solve/sweep_spheres/spheres.h"

#include "base/arena.h"
#include "base/parallel.h"
#include "math/cone.h"
#include "math/vec3.h"
#include "problem/operator/operator.h"
#include "solve/gauss_seidel/sweep.h"

#include <math.h>
#include <string.h>

// Products of unit vectors agree to this; a real lever arm off the normal shows far above it.
#define SPHERE_AGREES 1e-12

// A body's part of one contact, in three dimensions.
typedef struct sphere_side {
    double L[3][3], A[3][3]; // by direction: N, T1, T2; in 2D T2 = N x T1, without lever
    double inv_mass, inv_inertia, radius;
} sphere_side;

static bool agrees(double a, double b, double size) {
    return fabs(a - b) <= SPHERE_AGREES * size;
}

// G = factor * H for three components of every direction.
static bool sphere_is_multiple(const double (*H)[3], const double (*G)[3], int32_t dim,
                               double factor) {
    for (int32_t d = 0; d < dim; d++) {
        for (int k = 0; k < 3; k++) {
            double size = factor * (fabs(H[d][0]) + fabs(H[d][1]) + fabs(H[d][2]));
            if (!agrees(G[d][k], factor * H[d][k], size)) {
                return false;
            }
        }
    }
    return true;
}

// The run of velocities from entry first, as a side; false: not that of a sphere.
static bool sphere_read(const cn_friction *p, int64_t first, sphere_side *side) {
    const cn_body_map *map = &p->W.body;
    int32_t dim = p->dim;
    double G[3][3] = {{0.0}}, B[3][3] = {{0.0}};
    *side = (sphere_side){.inv_mass = 0.0};
    for (int32_t d = 0; d < dim; d++) {
        for (int32_t k = 0; k < dim; k++) {
            side->L[d][k] = map->H[dim * (first + k) + d];
            G[d][k] = map->MinvH[dim * (first + k) + d];
        }
        for (int32_t k = dim == 3 ? 0 : 2; k < 3; k++) {
            int64_t row = first + (dim == 3 ? 3 + k : 2);
            side->A[d][k] = map->H[dim * row + d];
            B[d][k] = map->MinvH[dim * row + d];
        }
    }
    const double *n = side->L[0], *t = side->L[1];
    double lever[3];
    math_cross3(n, t, lever); // unit; L_N x L_T1 has the same sign on both sides
    if (dim == 2) {
        math_cross3(n, t, side->L[2]);
    }
    double length2 = math_dot3(lever, lever), lever2 = math_dot3(side->A[1], side->A[1]);
    side->radius = -math_dot3(side->A[1], lever);
    side->inv_mass = math_dot3(G[0], n) / math_dot3(n, n);
    side->inv_inertia = lever2 > 0.0 ? math_dot3(B[1], side->A[1]) / lever2 : 0.0;
    double turned[3];
    math_cross3(n, side->L[2], turned);
    bool radial = agrees(length2, 1.0, 1.0);
    for (int k = 0; k < 3; k++) {
        double size = fabs(side->radius);
        radial = radial && agrees(side->A[0][k], 0.0, size) &&
                 agrees(side->A[1][k], -side->radius * lever[k], size) &&
                 (dim == 2 || agrees(side->A[2][k], -side->radius * turned[k], size));
    }
    return radial && sphere_is_multiple(side->L, G, dim, side->inv_mass) &&
           sphere_is_multiple(side->A, B, dim, side->inv_inertia);
}

// The sides of contact a: B, and A where there is a second body; its body or bodies in pair.
static bool sphere_sides(const cn_friction *p, int32_t a, int32_t bodies, int32_t pair[2],
                         sphere_side sides[2]) {
    const cn_body_map *map = &p->W.body;
    int32_t run = p->dim == 3 ? 6 : 3;
    int64_t first = map->start[a], count = map->start[a + 1] - first;
    pair[0] = bodies;
    if (count != run && count != 2 * run) {
        return false;
    }
    for (int64_t k = 0; k < count; k++) {
        int32_t base = map->dof[first + k / run * run];
        if (base % run != 0 || map->dof[first + k] != base + (int32_t)(k % run)) {
            return false;
        }
    }
    int64_t last = first + count - run;
    pair[1] = map->dof[last] / run;
    if (!sphere_read(p, last, &sides[1])) {
        return false;
    }
    if (count == run) {
        return true;
    }
    pair[0] = map->dof[first] / run;
    bool opposite = sphere_read(p, first, &sides[0]);
    for (int d = 0; d < p->dim; d++) {
        for (int k = 0; k < 3; k++) {
            opposite = opposite && agrees(sides[0].L[d][k], -sides[1].L[d][k], 1.0);
        }
    }
    return opposite;
}

// 1/m and 1/I of a body, or whether they agree with those of an earlier contact.
static bool sphere_inverse_masses(const sphere_side *side, double *inv_mass, bool *seen) {
    if (!*seen) {
        *seen = true;
        inv_mass[0] = side->inv_mass;
        inv_mass[1] = side->inv_inertia;
        return side->inv_mass >= 0.0 && side->inv_inertia >= 0.0;
    }
    return agrees(inv_mass[0], side->inv_mass, inv_mass[0]) &&
           agrees(inv_mass[1], side->inv_inertia, inv_mass[1]);
}

static void sphere_world(const double L[3][3], int32_t dim, const double *from, double to[3]) {
    for (int k = 0; k < 3; k++) {
        to[k] = from[0] * L[0][k] + from[1] * L[1][k] + (dim == 3 ? from[2] * L[2][k] : 0.0);
    }
}

// The directions of contact a in world axes: rows N, T1, T2 (2D: N, T1).
static void sphere_frame(const cn_friction *p, int32_t a, double L[3][3]) {
    if (p->W.kind == CN_OPERATOR_SPHERES) {
        math_contact_axes(p->dim, prob_sphere_normal(&p->W.spheres, a), L[0]);
        return;
    }
    const cn_body_map *map = &p->W.body;
    int32_t dim = p->dim;
    int64_t first = map->start[a + 1] - (dim == 3 ? 6 : 3);
    memset(L, 0, 9 * sizeof L[0][0]);
    for (int32_t k = 0; k < dim; k++) {
        for (int32_t d = 0; d < dim; d++) {
            L[d][k] = map->H[dim * (first + k) + d];
        }
    }
}

// Reads every contact; false: one is not that of spheres.
static bool spheres_recognise(gs_spheres *spheres, bool *seen) {
    const cn_friction *p = spheres->p;
    for (int32_t a = 0; a < p->contacts; a++) {
        sphere_side sides[2];
        int32_t *own = spheres->pair + 2 * (int64_t)a;
        if (!sphere_sides(p, a, spheres->bodies, own, sides)) {
            return false;
        }
        for (int side = own[0] < spheres->bodies ? 0 : 1; side < 2; side++) {
            double *inv_mass = spheres->inv_mass + 2 * (int64_t)own[side];
            if (!sphere_inverse_masses(&sides[side], inv_mass, &seen[own[side]])) {
                return false;
            }
            spheres->arm[2 * (int64_t)a + side] = sides[side].radius;
        }
    }
    return true;
}

// 1/m and 1/I of every body.
static const double *spheres_inv_mass(const gs_spheres *spheres) {
    return spheres->inv_mass ? spheres->inv_mass : spheres->p->W.spheres.inv_mass;
}

// The bodies of contact a, those that answer to no impulse as one past the last, and its arms.
static void sphere_ends(const gs_spheres *spheres, int64_t a, int32_t body[2], double arm[2]) {
    if (!spheres->pair) {
        prob_sphere_arms(&spheres->p->W.spheres, a, arm);
    }
    for (int side = 0; side < 2; side++) {
        int64_t k = 2 * a + side;
        if (spheres->pair) {
            body[side] = spheres->pair[k];
            arm[side] = spheres->arm[k];
        } else {
            const cn_sphere_map *map = &spheres->p->W.spheres;
            bool answers = map->inv_mass[2 * (int64_t)map->body[k]] > 0.0;
            body[side] = answers ? map->body[k] : spheres->bodies;
            arm[side] = answers ? arm[side] : 0.0;
        }
    }
}

// w_N of contact a.
static double sphere_stiffness(const gs_spheres *spheres, const int32_t body[2]) {
    const double *inv_mass = spheres_inv_mass(spheres);
    return (body[0] < spheres->bodies ? inv_mass[2 * (int64_t)body[0]] : 0.0) +
           (body[1] < spheres->bodies ? inv_mass[2 * (int64_t)body[1]] : 0.0);
}

// ---- laying out ----

// A loop over contacts or batches.
typedef struct sphere_loop {
    gs_spheres *spheres;
    const double *r;
    const void *from;
    void *to;
    gs_error_sums *part; // of each unit
    double momentum;
} sphere_loop;

static void spheres_idle(void *user, int32_t unit, int32_t first, int32_t count) {
    const gs_spheres *spheres = ((sphere_loop *)user)->spheres;
    spheres->kernel->record(spheres->bodies + unit, 0.0, 0.0, spheres->body);
    spheres->kernel->idle(count, spheres->bodies + unit,
                          (char *)spheres->batch + (size_t)first * spheres->kernel->batch);
}

static void spheres_fill(void *user, int64_t first, int64_t end) {
    const gs_spheres *spheres = ((const sphere_loop *)user)->spheres;
    const cn_friction *p = spheres->p;
    const double *inv_mass = spheres_inv_mass(spheres);
    for (int32_t a = (int32_t)first; a < end; a++) {
        double L[3][3];
        sphere_frame(p, a, L);
        gs_sphere_contact own = {.mu = p->mu[a]};
        sphere_world(L, p->dim, p->q + (int64_t)p->dim * a, own.q);
        sphere_ends(spheres, a, own.body, own.arm);
        double wn = sphere_stiffness(spheres, own.body), wt = wn;
        for (int side = 0; side < 2; side++) {
            if (own.body[side] < spheres->bodies) {
                wt += own.arm[side] * own.arm[side] * inv_mass[2 * (int64_t)own.body[side] + 1];
            } else {
                own.body[side] += spheres->batches.unit ? spheres->batches.unit[a] : 0;
            }
            own.arm[side] *= spheres->units.length;
        }
        own.inv_wn = 1.0 / (wn * spheres->units.inv_mass);
        own.inv_wt = 1.0 / (wt * spheres->units.inv_mass);
        for (int k = 0; k < 3; k++) {
            own.n[k] = L[0][k];
            own.q[k] *= spheres->units.velocity;
        }
        spheres->kernel->put(&own, spheres->batches.slot[a], spheres->batch);
    }
}

static void spheres_use_portable(void *elements) {
    gs_spheres *spheres = elements;
    spheres->kernel = spheres->single ? &gs_sphere_kernel_float : &gs_sphere_kernel_portable;
}

// The widest for this processor.
static void spheres_choose_kernel(gs_spheres *spheres) {
    const gs_sphere_kernel *max =
        spheres->single ? gs_sphere_kernel_float_avx512() : gs_sphere_kernel_avx512();
    const gs_sphere_kernel *wide =
        spheres->single ? gs_sphere_kernel_float_avx2() : gs_sphere_kernel_avx2();
    spheres->kernel = max ? max : wide;
    if (!spheres->kernel) {
        spheres_use_portable(spheres);
    }
}

static void spheres_record_range(void *user, int64_t first, int64_t end) {
    const gs_spheres *spheres = ((const sphere_loop *)user)->spheres;
    const double *inv_mass = spheres_inv_mass(spheres);
    double turning = spheres->units.inv_mass / (spheres->units.length * spheres->units.length);
    for (int64_t i = first; i < end; i++) {
        spheres->kernel->record((int32_t)i, inv_mass[2 * i] * spheres->units.inv_mass,
                                inv_mass[2 * i + 1] * turning, spheres->body);
    }
}

// Batches and records in the precision that spheres say.
static cn_status spheres_lay(gs_spheres *spheres, cn_arena *scratch) {
    spheres_choose_kernel(spheres);
    spheres->batch = base_arena_take(scratch, spheres->batches.count, spheres->kernel->batch);
    spheres->body = base_arena_take(scratch, (int64_t)spheres->bodies + spheres->batches.units,
                                    GS_SPHERE_RECORD * spheres->kernel->number);
    spheres->former = base_arena_take(scratch, (int64_t)spheres->bodies + spheres->batches.units,
                                      GS_SPHERE_RECORD * spheres->kernel->number);
    if (!spheres->batch || !spheres->body || !spheres->former) {
        return CN_ERR_MEMORY;
    }
    sphere_loop loop = {.spheres = spheres};
    base_parallel_ranges(spheres->batches.env, spheres->bodies, spheres_record_range, &loop);
    gs_batches_prepare(&spheres->batches, spheres_idle, &loop);
    base_parallel_ranges(spheres->batches.env, spheres->p->contacts, spheres_fill, &loop);
    return CN_OK;
}

// The sum of all arms, and how many contacts have no normal stiffness.
typedef struct sphere_survey {
    double arms, loose;
} sphere_survey;

static void spheres_survey(const void *user, int64_t first, int64_t end, void *part) {
    const sphere_loop *loop = user;
    sphere_survey *own = part;
    for (int64_t a = first; a < end; a++) {
        int32_t *pair = (int32_t *)loop->to + 2 * a;
        double arm[2];
        sphere_ends(loop->spheres, a, pair, arm);
        own->loose += sphere_stiffness(loop->spheres, pair) > 0.0 ? 0.0 : 1.0;
        own->arms += fabs(arm[0]) + fabs(arm[1]);
    }
}

static void spheres_join(void *total, const void *part) {
    sphere_survey *all = total;
    const sphere_survey *more = part;
    all->arms += more->arms;
    all->loose += more->loose;
}

// The batches' choice, and the units; *fits: every contact has normal stiffness.
static cn_status spheres_pack(gs_spheres *spheres, const solve_natural_unit *unit,
                              gs_batches_cache *cache, cn_arena *scratch, bool *fits) {
    int32_t contacts = spheres->p->contacts;
    cn_status status = CN_OK;
    spheres->batches.env = cn_arena_env(scratch);
    if (!cache) {
        status = gs_batches_take(contacts, scratch, &spheres->batches);
    }
    base_arena_mark mark = base_arena_get_mark(scratch);
    int32_t *pair = BASE_TAKE(scratch, int32_t, 2 * (int64_t)contacts);
    if (status != CN_OK || !pair) {
        return CN_ERR_MEMORY;
    }
    const sphere_loop loop = {.spheres = spheres, .to = pair};
    sphere_survey all = {0.0, 0.0};
    base_parallel_fold(spheres->batches.env, contacts, spheres_survey, spheres_join, &loop,
                       sizeof all, &all);
    *fits = all.loose == 0.0;
    if (*fits) {
        spheres->units = gs_units_of(unit, contacts, all.arms);
        status =
            cache ? gs_batches_cached(cache, contacts, pair, spheres->bodies, scratch,
                                      &spheres->batches)
                  : gs_batches_choose(contacts, pair, spheres->bodies, scratch, &spheres->batches);
    }
    base_arena_release(scratch, mark);
    return status;
}

// Bodies and arms of an operator that does not say them; *fits: it is one of spheres.
static cn_status spheres_read(gs_spheres *spheres, cn_arena *scratch, bool *fits) {
    int64_t contacts = spheres->p->contacts;
    spheres->pair = BASE_TAKE(scratch, int32_t, 2 * contacts);
    spheres->arm = BASE_TAKE_ZERO(scratch, double, 2 * contacts);
    spheres->inv_mass = BASE_TAKE_ZERO(scratch, double, 2 * (int64_t)spheres->bodies);
    base_arena_mark mark = base_arena_get_mark(scratch);
    bool *seen = BASE_TAKE_ZERO(scratch, bool, spheres->bodies);
    if (!spheres->pair || !spheres->arm || !spheres->inv_mass || !seen) {
        return CN_ERR_MEMORY;
    }
    *fits = spheres_recognise(spheres, seen);
    base_arena_release(scratch, mark);
    return CN_OK;
}

static cn_status spheres_given(gs_spheres *spheres, cn_arena *scratch, bool *fits) {
    (void)spheres;
    (void)scratch;
    *fits = true;
    return CN_OK;
}

// The operator as one of spheres; NULL: it is never one.
typedef cn_status read_fn(gs_spheres *spheres, cn_arena *scratch, bool *fits);
static read_fn *const reads[] = {[CN_OPERATOR_ASSEMBLED] = NULL,
                                 [CN_OPERATOR_BODY] = spheres_read,
                                 [CN_OPERATOR_SPHERES] = spheres_given,
                                 [CN_OPERATOR_POINTS] = NULL};

static cn_status spheres_build(gs_sweep *sweep, cn_arena *scratch, bool *fits) {
    const cn_friction *p = sweep->p;
    int32_t run = p->dim == 3 ? 6 : 3, bodies = cn_operator_dofs(&p->W, p->dim) / run;
    *fits = false;
    if (!reads[p->W.kind] || bodies >= INT32_MAX / GS_SPHERE_RECORD - GS_UNITS_MAX ||
        p->contacts > INT32_MAX / (2 * GS_BATCH)) {
        return CN_OK;
    }
    bool fit = true;
    base_arena_mark mark = base_arena_get_mark(scratch);
    gs_spheres *spheres = BASE_TAKE(scratch, gs_spheres, 1);
    if (!spheres) {
        return CN_ERR_MEMORY;
    }
    *spheres = (gs_spheres){.p = p, .single = sweep->ops->single, .bodies = bodies};
    cn_status status = reads[p->W.kind](spheres, scratch, &fit);
    if (status == CN_OK && fit) {
        status = spheres_pack(spheres, &sweep->unit, sweep->plan.cache, scratch, &fit);
    }
    if (status == CN_OK && !fit) {
        base_arena_release(scratch, mark);
        return CN_OK;
    }
    *fits = true;
    sweep->elements = spheres;
    sweep->size = (int64_t)GS_SPHERE_IMPULSES * spheres->batches.count;
    CN_TRY(status);
    return spheres_lay(spheres, scratch);
}

static cn_status spheres_widen(void *elements, cn_arena *scratch) {
    gs_spheres *spheres = elements;
    spheres->single = false;
    return spheres_lay(spheres, scratch);
}

// ---- iterates ----

static int64_t spheres_size(const gs_spheres *spheres) {
    return (int64_t)GS_SPHERE_IMPULSES * spheres->batches.count;
}

// Where the first of the three numbers of contact a is in an iterate.
static int64_t sphere_place(const gs_spheres *spheres, int32_t a) {
    int32_t slot = spheres->batches.slot[a];
    return (int64_t)GS_SPHERE_IMPULSES * (slot / GS_BATCH) + slot % GS_BATCH;
}

static void spheres_load_range(void *user, int64_t first, int64_t end) {
    const sphere_loop *loop = user;
    const gs_spheres *spheres = loop->spheres;
    const cn_friction *p = spheres->p;
    for (int32_t a = (int32_t)first; a < end; a++) {
        double L[3][3], world[3];
        sphere_frame(p, a, L);
        sphere_world(L, p->dim, loop->r + (int64_t)p->dim * a, world);
        for (int k = 0; k < 3; k++) {
            world[k] *= spheres->units.impulse;
        }
        spheres->kernel->load(world, sphere_place(spheres, a), loop->to);
    }
}

static void spheres_load(const void *elements, const double *r, void *x) {
    const gs_spheres *spheres = elements;
    sphere_loop loop = {.spheres = (gs_spheres *)spheres, .r = r, .to = x};
    base_parallel_zero(spheres->batches.env, x,
                       spheres->kernel->number * (size_t)spheres_size(spheres));
    base_parallel_ranges(spheres->batches.env, spheres->p->contacts, spheres_load_range, &loop);
}

static void spheres_store_range(void *user, int64_t first, int64_t end) {
    const sphere_loop *loop = user;
    const gs_spheres *spheres = loop->spheres;
    const cn_friction *p = spheres->p;
    double back = 1.0 / spheres->units.impulse; // a power of two
    for (int32_t a = (int32_t)first; a < end; a++) {
        double L[3][3], world[3], *own = (double *)loop->to + (int64_t)p->dim * a;
        spheres->kernel->store(loop->from, sphere_place(spheres, a), world);
        sphere_frame(p, a, L);
        for (int32_t d = 0; d < p->dim; d++) {
            own[d] = (world[0] * L[d][0] + world[1] * L[d][1] + world[2] * L[d][2]) * back;
        }
        if (spheres->single) {
            math_cone_project(p->dim, p->mu[a], own);
        }
    }
}

static void spheres_store(const void *elements, const void *x, double *r) {
    const gs_spheres *spheres = elements;
    sphere_loop loop = {.spheres = (gs_spheres *)spheres, .from = x, .to = r};
    base_parallel_ranges(spheres->batches.env, spheres->p->contacts, spheres_store_range, &loop);
}

static void spheres_weights_range(void *user, int64_t first, int64_t end) {
    const sphere_loop *loop = user;
    const cn_friction *p = loop->spheres->p;
    for (int32_t a = (int32_t)first; a < end; a++) {
        double trace = prob_operator_trace(&p->W, p->dim, a);
        float *own = (float *)loop->to + sphere_place(loop->spheres, a);
        for (int k = 0; k < 3; k++) {
            own[GS_BATCH * k] = (float)(trace / p->dim * loop->spheres->units.inv_mass);
        }
    }
}

static void spheres_weights(const void *elements, float *weight) {
    const gs_spheres *spheres = elements;
    sphere_loop loop = {.spheres = (gs_spheres *)spheres, .to = weight};
    for (int64_t i = 0; i < spheres_size(spheres); i++) {
        weight[i] = 1.0F;
    }
    base_parallel_ranges(spheres->batches.env, spheres->p->contacts, spheres_weights_range, &loop);
}

// The first batch of a unit and its impulses.
static const void *spheres_batch(const gs_spheres *spheres, int32_t first) {
    return (const char *)spheres->batch + (size_t)first * spheres->kernel->batch;
}

static size_t spheres_offset(const gs_spheres *spheres, int32_t first) {
    return (size_t)first * GS_SPHERE_IMPULSES * spheres->kernel->number;
}

static void spheres_push_unit(void *user, int32_t unit, int32_t first, int32_t count) {
    const sphere_loop *loop = user;
    const gs_spheres *spheres = loop->spheres;
    (void)unit;
    spheres->kernel->push(count, spheres_batch(spheres, first),
                          (const char *)loop->from + spheres_offset(spheres, first), spheres->body);
}

// Records are gone through in pieces of so many, more than there are threads.
#define SPHERES_PIECE 4096

static int32_t spheres_pieces(const gs_spheres *spheres) {
    return (spheres->bodies + SPHERES_PIECE - 1) / SPHERES_PIECE;
}

// Bytes before the records of a piece, and how many those are.
static size_t spheres_piece(const gs_spheres *spheres, int32_t piece, int32_t *count) {
    int32_t first = SPHERES_PIECE * piece, left = spheres->bodies - first;
    *count = left < SPHERES_PIECE ? left : SPHERES_PIECE;
    return (size_t)first * GS_SPHERE_RECORD * spheres->kernel->number;
}

static void spheres_still_piece(void *user, int32_t piece) {
    const gs_spheres *spheres = ((const sphere_loop *)user)->spheres;
    int32_t count;
    size_t offset = spheres_piece(spheres, piece, &count);
    spheres->kernel->still(count, (char *)spheres->body + offset);
}

static void spheres_begin(void *elements, const void *x) {
    gs_spheres *spheres = elements;
    sphere_loop loop = {.spheres = spheres, .from = x};
    base_parallel_for(spheres->batches.env, spheres_pieces(spheres), spheres_still_piece, &loop);
    gs_batches_sweep(&spheres->batches, spheres_push_unit, &loop);
}

static void spheres_sweep_unit(void *user, int32_t unit, int32_t first, int32_t count) {
    const sphere_loop *loop = user;
    const gs_spheres *spheres = loop->spheres;
    (void)unit;
    spheres->kernel->sweep(count, spheres_batch(spheres, first),
                           (char *)loop->to + spheres_offset(spheres, first), spheres->body);
}

static void spheres_sweep(void *elements, void *x) {
    gs_spheres *spheres = elements;
    sphere_loop loop = {.spheres = spheres, .to = x};
    gs_batches_sweep(&spheres->batches, spheres_sweep_unit, &loop);
}

static void spheres_begin_momentum(void *elements) {
    gs_spheres *spheres = elements;
    base_parallel_copy(spheres->batches.env, spheres->former, spheres->body,
                       ((size_t)spheres->bodies + (size_t)spheres->batches.units) *
                           GS_SPHERE_RECORD * spheres->kernel->number);
}

static void spheres_swap(gs_spheres *spheres) {
    void *body = spheres->body;
    spheres->body = spheres->former;
    spheres->former = body;
}

static void spheres_refresh(void *elements, const void *x, const void *before) {
    gs_spheres *spheres = elements;
    spheres_swap(spheres);
    spheres_begin(spheres, before);
    spheres_swap(spheres);
    spheres_begin(spheres, x);
}

static void spheres_drift_piece(void *user, int32_t piece) {
    const sphere_loop *loop = user;
    const gs_spheres *spheres = loop->spheres;
    int32_t count;
    size_t offset = spheres_piece(spheres, piece, &count);
    spheres->kernel->drift(count, loop->momentum, (char *)spheres->body + offset,
                           (char *)spheres->former + offset);
}

static void spheres_momentum_unit(void *user, int32_t unit, int32_t first, int32_t count) {
    const sphere_loop *loop = user;
    const gs_spheres *spheres = loop->spheres;
    size_t offset = spheres_offset(spheres, first);
    (void)unit;
    spheres->kernel->momentum(count, spheres_batch(spheres, first), loop->momentum,
                              (const char *)loop->from + offset, (char *)loop->to + offset,
                              spheres->body);
}

static void spheres_momentum_sweep(void *elements, double momentum, bool symmetric, const void *x,
                                   void *to) {
    gs_spheres *spheres = elements;
    (void)symmetric;
    sphere_loop loop = {.spheres = spheres, .from = x, .to = to, .momentum = momentum};
    base_parallel_for(spheres->batches.env, spheres_pieces(spheres), spheres_drift_piece, &loop);
    gs_batches_sweep(&spheres->batches, spheres_momentum_unit, &loop);
}

static void spheres_error_unit(void *user, int32_t unit, int32_t first, int32_t count) {
    const sphere_loop *loop = user;
    const gs_spheres *spheres = loop->spheres;
    loop->part[unit] = spheres->kernel->error(
        count, spheres_batch(spheres, first), spheres->p->dim,
        (const char *)loop->from + spheres_offset(spheres, first), spheres->body);
}

static gs_error_sums spheres_error(const void *elements, const void *x) {
    const gs_spheres *spheres = elements;
    gs_error_sums part[GS_UNITS_MAX], sums = {0.0, 0.0, 0.0};
    sphere_loop loop = {.spheres = (gs_spheres *)spheres, .from = x, .part = part};
    gs_batches_each(&spheres->batches, spheres_error_unit, &loop);
    for (int32_t unit = 0; unit < spheres->batches.units; unit++) {
        sums.error += part[unit].error;
        sums.force += part[unit].force;
        sums.moved += part[unit].moved;
    }
    sums.error /= spheres->units.velocity * spheres->units.velocity;
    sums.force /= spheres->units.impulse * spheres->units.impulse;
    sums.moved /= spheres->units.velocity * spheres->units.velocity;
    return sums;
}

#define GS_SPHERES_COMMON                                                                          \
    .kind = GS_SWEEP_SPHERES, .granular = true, .momentum_max = 1.0, .build = spheres_build,       \
    .use_portable = spheres_use_portable, .load = spheres_load, .store = spheres_store,            \
    .weights = spheres_weights, .begin = spheres_begin, .sweep = spheres_sweep,                    \
    .begin_momentum = spheres_begin_momentum, .momentum_sweep = spheres_momentum_sweep,            \
    .refresh = spheres_refresh, .error = spheres_error

// Costs: multiplications' worth of all that a contact takes in a sweep.
const gs_sweep_ops gs_sweep_spheres = {GS_SPHERES_COMMON, .contact_cost = 40.0};
const gs_sweep_ops gs_sweep_spheres_float = {GS_SPHERES_COMMON, .single = true,
                                             .contact_cost = 20.0, .wide = &gs_sweep_spheres,
                                             .widen = spheres_widen};
