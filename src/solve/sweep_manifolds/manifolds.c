// solve/sweep_manifolds/manifolds.c
// Lays the points between rigid bodies out in batches of contact manifolds. Masses that are not 1/m
// and a symmetric inverse inertia (a lock, say), blocks that are not symmetric and regular, and
// contacts that may have several solutions are left to the general sweep.
#include "solve/sweep_manifolds/manifolds.h"

#include "base/arena.h"
#include "base/parallel.h"
#include "math/cone.h"
#include "problem/operator/operator.h"
#include "solve/gauss_seidel/body_order.h"
#include "solve/gauss_seidel/sweep.h"
#include "solve/sweep_manifolds/manifolds_fill.h"
#include "solve/sweep_manifolds/manifolds_recognise.h"

#include <math.h>
#include <string.h>

#define GS_RIGID_AGREES 1e-12 // what numbers that should be equal may differ by

static bool is_close(double a, double b, double size) {
    return fabs(a - b) <= GS_RIGID_AGREES * size;
}

// ---- masses ----

typedef enum rigid_kind {
    RIGID_STATIC,
    RIGID_FREE,
    RIGID_OTHER // its mass matrix is not 1/m and a symmetric inverse inertia
} rigid_kind;

typedef struct rigid_mass {
    double inv_mass, inertia[6]; // xx xy xz yy yz zz
    rigid_kind kind;
} rigid_mass;

// For a dimension known to the compiler. Entries are looked at without a branch each: nearly all
// agree.
static inline __attribute__((always_inline)) rigid_mass read_mass(int dim, const double *inverse) {
    int run = dim == 3 ? 6 : 3, agrees = 1, moves = 0;
    rigid_mass mass = {.inv_mass = inverse[0]};
    double size = inverse[(run + 1) * dim] + (dim == 3 ? inverse[28] + inverse[35] : 0.0);
    for (int i = 0; i < run; i++) {
        moves |= inverse[(run + 1) * i] != 0.0;
        for (int j = 0; j < run; j++) {
            bool angular = i >= dim && j >= dim;
            double expected = angular ? inverse[run * j + i] : (i == j ? mass.inv_mass : 0.0);
            agrees &= is_close(inverse[run * i + j], expected, angular ? size : mass.inv_mass);
        }
    }
    mass.kind = agrees ? RIGID_FREE : RIGID_OTHER;
    if (!moves) {
        mass.kind = RIGID_STATIC;
    } else if (dim == 2) {
        mass.inertia[5] = inverse[8];
    } else {
        const int32_t place[6] = {21, 22, 23, 28, 29, 35}; // of xx xy xz yy yz zz in 6 x 6
        for (int k = 0; k < 6; k++) {
            mass.inertia[k] = inverse[place[k]];
        }
    }
    return mass;
}

// ---- manifolds ----

// What the batches are made from: contacts that follow each other put together as manifolds.
typedef struct gs_manifold_list {
    cn_point_map points;
    rigid_mass *mass; // of each body
    int32_t count;
    int32_t *pair;  // of each manifold; the number of bodies: static
    int32_t *first; // its first contact; behind the last all of them
    int32_t *lane;  // the manifold of each lane of the batches, -1: none
} gs_manifold_list;

// The body's number in a pair; -1: it fits in no batch.
static int32_t pair_body(const gs_manifold_list *list, int32_t body) {
    switch (list->mass[body].kind) {
    case RIGID_STATIC:
        return list->points.bodies;
    case RIGID_FREE:
        return body;
    case RIGID_OTHER:
        break;
    }
    return -1;
}

static bool list_manifolds(const cn_friction *p, gs_manifold_list *list) {
    const int32_t *body = list->points.body;
    list->count = 0;
    for (int32_t a = 0; a < p->contacts; a++) {
        const int32_t *own = body + 2 * (int64_t)a;
        bool same = list->count > 0 && own[0] == own[-2] && own[1] == own[-1] &&
                    a - list->first[list->count - 1] < GS_MANIFOLD_POINTS;
        if (!same) {
            int32_t *pair = list->pair + 2 * (int64_t)list->count;
            pair[0] = pair_body(list, own[0]);
            pair[1] = pair_body(list, own[1]);
            if (pair[0] < 0 || pair[1] < 0 || own[0] == own[1]) {
                return false;
            }
            list->first[list->count++] = a;
        }
    }
    list->first[list->count] = p->contacts;
    return true;
}

static cn_status list_prepare(const cn_friction *p, const cn_point_map *points, cn_arena *scratch,
                              gs_manifold_list *list) {
    int32_t square = p->dim == 3 ? 36 : 9;
    list->points = *points;
    list->mass = BASE_TAKE(scratch, rigid_mass, points->bodies);
    list->pair = BASE_TAKE(scratch, int32_t, 2 * (int64_t)p->contacts);
    list->first = BASE_TAKE(scratch, int32_t, (int64_t)p->contacts + 1);
    if (!list->mass || !list->pair || !list->first) {
        return CN_ERR_MEMORY;
    }
    for (int64_t i = 0; i < points->bodies; i++) {
        const double *inverse = points->inverse + square * i;
        list->mass[i] = p->dim == 3 ? read_mass(3, inverse) : read_mass(2, inverse);
    }
    return CN_OK;
}

// ---- batches ----

// Which manifold each lane has, and how many points each batch.
static void place_manifolds(gs_manifolds *s, gs_manifold_list *list) {
    for (int64_t k = 0; k < GS_BATCH * (int64_t)s->batches.count; k++) {
        list->lane[k] = -1;
    }
    for (int32_t i = 0; i < s->batches.count; i++) {
        s->span[i].points = 0;
    }
    for (int32_t m = 0; m < list->count; m++) {
        int32_t slot = s->batches.slot[m], points = list->first[m + 1] - list->first[m];
        gs_manifold_span *span = &s->span[slot / GS_BATCH];
        list->lane[slot] = m;
        span->points = points > span->points ? points : span->points;
    }
    for (int32_t i = 0; i < s->batches.count; i++) {
        s->span[i].first = s->points;
        s->points += s->span[i].points;
    }
}

// The batches' choice and where contacts are in them.
static cn_status manifolds_pack(gs_manifolds *s, gs_batches_cache *cache, cn_arena *scratch) {
    gs_manifold_list *list = s->list;
    cn_status status =
        gs_batches_cached(cache, list->count, list->pair, s->bodies, scratch, &s->batches);
    s->span = BASE_TAKE(scratch, gs_manifold_span, s->batches.count);
    s->place = BASE_TAKE(scratch, int64_t, s->p->contacts);
    list->lane = BASE_TAKE(scratch, int32_t, GS_BATCH * (int64_t)s->batches.count);
    if (status != CN_OK || !s->span || !s->place || !list->lane) {
        return CN_ERR_MEMORY;
    }
    place_manifolds(s, list);
    return CN_OK;
}

static void manifolds_use_portable(void *elements) {
    gs_manifolds *s = elements;
    s->kernel = s->single ? &gs_manifold_kernel_float : &gs_manifold_kernel_portable;
}

// The widest for this processor.
static void manifolds_choose_kernel(gs_manifolds *s) {
    const gs_manifold_kernel *max =
        s->single ? gs_manifold_kernel_float_avx512() : gs_manifold_kernel_avx512();
    const gs_manifold_kernel *wide =
        s->single ? gs_manifold_kernel_float_avx2() : gs_manifold_kernel_avx2();
    s->kernel = max ? max : wide;
    if (!s->kernel) {
        manifolds_use_portable(s);
    }
}

// Room in the precision that s says; bodies at rest.
static cn_status manifolds_take(gs_manifolds *s, cn_arena *scratch) {
    manifolds_choose_kernel(s);
    int64_t records = (int64_t)s->bodies + s->batches.units;
    size_t number = s->kernel->number, record = GS_RIGID_RECORD * number;
    s->batch = base_arena_take(scratch, s->batches.count, s->kernel->batch);
    s->point = base_arena_take(scratch, s->points, s->kernel->point);
    s->slip = base_arena_take_zero(scratch, GS_BATCH * s->points, number);
    s->body = base_arena_take_zero(scratch, records, record);
    s->former = base_arena_take(scratch, records, record);
    return s->batch && s->point && s->slip && s->body && s->former ? CN_OK : CN_ERR_MEMORY;
}

// The bodies of a lane; without a manifold both are static.
static void fill_pair(const gs_manifolds *s, const gs_manifold_list *list, int32_t unit,
                      int32_t manifold, int lane, gs_manifold_batch *batch) {
    static const rigid_mass still = {.kind = RIGID_STATIC};
    const rigid_mass *first = &still, *second = &still;
    int32_t a = s->bodies + unit, b = a;
    if (manifold >= 0) {
        const int32_t *pair = list->pair + 2 * (int64_t)manifold,
                      *body = list->points.body + 2 * (int64_t)list->first[manifold];
        first = &list->mass[body[0]];
        second = &list->mass[body[1]];
        a = pair[0] < s->bodies ? pair[0] : a;
        b = pair[1] < s->bodies ? pair[1] : b;
    }
    batch->a[lane] = GS_RIGID_RECORD * a;
    batch->b[lane] = GS_RIGID_RECORD * b;
    batch->inv_mass_a[lane] = first->inv_mass;
    batch->inv_mass_b[lane] = second->inv_mass;
    for (int k = 0; k < 6; k++) {
        batch->inv_inertia_a[k][lane] = first->inertia[k];
        batch->inv_inertia_b[k][lane] = second->inertia[k];
    }
}

// Room for the numbers of plane contacts as space has them.
typedef struct plane_lanes {
    double block[GS_BATCH][9], q[GS_BATCH][3];
} plane_lanes;

// Where the numbers of contact a are.
static void lane_of(const cn_friction *p, const cn_point_map *points, int64_t a, int lane,
                    plane_lanes *plane, gs_point_lanes *lanes) {
    lanes->frame[lane] = points->frame + 6 * a;
    lanes->arm[lane] = points->arm + 6 * a;
    lanes->mu[lane] = p->mu[a];
    if (p->dim == 3) {
        lanes->block[lane] = p->W.diagonal + 9 * a;
        lanes->q[lane] = p->q + 3 * a;
        return;
    }
    // The third direction is one of its own, as light as the second.
    const double *W = p->W.diagonal + 4 * a,
                 block[9] = {W[0], W[1], 0.0, W[2], W[3], 0.0, 0.0, 0.0, W[3]};
    memcpy(plane->block[lane], block, sizeof block);
    plane->q[lane][0] = p->q[2 * a];
    plane->q[lane][1] = p->q[2 * a + 1];
    plane->q[lane][2] = 0.0;
    lanes->block[lane] = plane->block[lane];
    lanes->q[lane] = plane->q[lane];
}

// Parting without friction, however the bodies move, since it has no directions: an impulse of zero
// stays zero.
static void lane_idle(int lane, gs_point_lanes *lanes) {
    static const double frame[6] = {0.0}, arm[6] = {0.0},
                        block[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0},
                        q[3] = {1.0, 0.0, 0.0};
    lanes->frame[lane] = frame;
    lanes->arm[lane] = arm;
    lanes->block[lane] = block;
    lanes->q[lane] = q;
    lanes->mu[lane] = 0.0;
}

// Rows of lanes as floats, each multiplied by what it takes to come to the units.
static void round_rows(int rows, const double *factor, const void *from, void *to) {
    const double *in = from;
    float *out = to;
    for (int row = 0; row < rows; row++) {
        for (int lane = 0; lane < GS_BATCH; lane++) {
            out[GS_BATCH * row + lane] = (float)(factor[row] * in[GS_BATCH * row + lane]);
        }
    }
}

static void round_point(const gs_units *units, const gs_rigid_point *from,
                        gs_rigid_point_float *to) {
    double arm = units->length, q = units->velocity, W = units->inv_mass, inv = 1.0 / W;
    const double factor[] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, arm, arm, arm, arm, arm, arm,
                             q,   q,   q,   1.0, inv, 1.0, 1.0, W,   W,   W,   inv};
    _Static_assert(sizeof *to / sizeof to->mu == sizeof factor / sizeof *factor, "a factor a row");
    round_rows((int)(sizeof factor / sizeof *factor), factor, from, to);
}

static void round_batch(const gs_units *units, const gs_manifold_batch *from,
                        gs_manifold_batch_float *to) {
    double m = units->inv_mass, I = m / (units->length * units->length);
    const double factor[] = {m, m, I, I, I, I, I, I, I, I, I, I, I, I};
    memcpy(to->a, from->a, sizeof to->a);
    memcpy(to->b, from->b, sizeof to->b);
    round_rows((int)(sizeof factor / sizeof *factor), factor, from->inv_mass_a, to->inv_mass_a);
}

// Point turn of the batch whose manifolds are given, in doubles.
static bool fill_point(gs_manifolds *s, const int32_t *manifold, int64_t place, int32_t turn,
                       gs_point_fill_fn *fill, gs_rigid_point *out) {
    const gs_manifold_list *list = s->list;
    gs_point_lanes lanes;
    plane_lanes plane;
    for (int lane = 0; lane < GS_BATCH; lane++) {
        int32_t m = manifold[lane];
        if (m < 0 || list->first[m] + turn >= list->first[m + 1]) {
            lane_idle(lane, &lanes);
            continue;
        }
        int32_t a = list->first[m] + turn;
        s->place[a] = GS_POINT_IMPULSES * place + lane;
        lane_of(s->p, &list->points, a, lane, &plane, &lanes);
    }
    return fill(&lanes, s->p->dim, out);
}

// Batch i of a unit with all its points.
static bool fill_batch(gs_manifolds *s, gs_point_fill_fn *fill, int32_t unit, int32_t i) {
    const int32_t *manifold = s->list->lane + GS_BATCH * (int64_t)i;
    gs_manifold_batch wide, *batch = s->single ? &wide : (gs_manifold_batch *)s->batch + i;
    bool good = true;
    for (int lane = 0; lane < GS_BATCH; lane++) {
        fill_pair(s, s->list, unit, manifold[lane], lane, batch);
    }
    if (s->single) {
        round_batch(&s->units, batch, (gs_manifold_batch_float *)s->batch + i);
    }
    for (int32_t turn = 0; turn < s->span[i].points; turn++) {
        int64_t place = s->span[i].first + turn;
        gs_rigid_point exact, *point = s->single ? &exact : (gs_rigid_point *)s->point + place;
        good &= fill_point(s, manifold, place, turn, fill, point);
        if (s->single) {
            round_point(&s->units, point, (gs_rigid_point_float *)s->point + place);
        }
    }
    return good;
}

static bool fill_batches(gs_manifolds *s) {
    gs_point_fill_fn *fill = gs_point_fill_avx2();
    bool good = true;
    fill = fill ? fill : gs_point_fill_portable;
    for (int32_t unit = 0; unit < s->batches.units; unit++) {
        for (int32_t i = s->batches.first[unit]; i < s->batches.first[unit + 1] && good; i++) {
            good = fill_batch(s, fill, unit, i);
        }
    }
    return good;
}

// The units, of which doubles have no need.
static gs_units manifolds_units(const gs_manifolds *s, const solve_natural_unit *unit) {
    const double *arm = s->list->points.arm;
    double arms = 0.0;
    for (int64_t i = 0; s->single && i < 6 * (int64_t)s->p->contacts; i++) {
        arms += fabs(arm[i]);
    }
    return s->single ? gs_units_of(unit, s->p->contacts, arms) : (gs_units){1.0, 1.0, 1.0, 1.0};
}

static cn_status points_given(const cn_friction *p, cn_arena *scratch, cn_point_map *points,
                              bool *good) {
    (void)scratch;
    *points = p->W.points;
    *good = true;
    return CN_OK;
}

// The operator as one of points; NULL: it is never one.
typedef cn_status points_fn(const cn_friction *p, cn_arena *scratch, cn_point_map *points,
                            bool *good);
static points_fn *const points_of[] = {[CN_OPERATOR_ASSEMBLED] = NULL,
                                       [CN_OPERATOR_BODY] = gs_points_recognise,
                                       [CN_OPERATOR_SPHERES] = NULL,
                                       [CN_OPERATOR_POINTS] = points_given};

// The list of manifolds; *good: there is one.
static cn_status manifolds_read(gs_manifolds *s, cn_arena *scratch, bool *good) {
    const cn_friction *p = s->p;
    cn_point_map points = {0};
    *good = false;
    s->list = BASE_TAKE(scratch, gs_manifold_list, 1);
    cn_status status = s->list ? CN_OK : CN_ERR_MEMORY;
    if (status == CN_OK) {
        status = points_of[p->W.kind](p, scratch, &points, good);
    }
    s->bodies = points.bodies;
    *good = *good && points.bodies < INT32_MAX / GS_RIGID_RECORD - GS_UNITS_MAX &&
            p->contacts <= INT32_MAX / (2 * GS_BATCH);
    if (status == CN_OK && *good) {
        status = list_prepare(p, &points, scratch, s->list);
    }
    *good = *good && status == CN_OK && list_manifolds(p, s->list);
    return status;
}

static int64_t manifolds_size(const gs_manifolds *manifolds) {
    return GS_POINT_IMPULSES * manifolds->points;
}

static cn_status manifolds_build(gs_sweep *sweep, cn_arena *scratch, bool *fits) {
    bool good;
    *fits = false;
    if (!points_of[sweep->p->W.kind]) {
        return CN_OK;
    }
    base_arena_mark mark = base_arena_get_mark(scratch);
    gs_manifolds *out = BASE_TAKE(scratch, gs_manifolds, 1);
    if (!out) {
        return CN_ERR_MEMORY;
    }
    *out = (gs_manifolds){.p = sweep->p, .single = sweep->ops->single};
    cn_status status = manifolds_read(out, scratch, &good);
    if (good) {
        out->units = manifolds_units(out, &sweep->unit);
        status = manifolds_pack(out, sweep->plan.cache, scratch);
        if (status == CN_OK) {
            status = manifolds_take(out, scratch);
        }
        good = status == CN_OK && fill_batches(out);
    }
    if (!good) {
        base_arena_release(scratch, mark);
        return status;
    }
    *fits = true;
    sweep->elements = out;
    sweep->size = manifolds_size(out);
    return CN_OK;
}

static cn_status manifolds_widen(void *elements, cn_arena *scratch) {
    gs_manifolds *manifolds = elements;
    manifolds->single = false;
    manifolds->units = manifolds_units(manifolds, NULL);
    CN_TRY(manifolds_take(manifolds, scratch));
    (void)fill_batches(manifolds); // what fitted before
    return CN_OK;
}

// ---- iterates ----

static void manifolds_load(const void *elements, const double *r, void *x) {
    const gs_manifolds *manifolds = elements;
    int32_t dim = manifolds->p->dim;
    memset(x, 0, manifolds->kernel->number * (size_t)manifolds_size(manifolds));
    for (int32_t a = 0; a < manifolds->p->contacts; a++) {
        int64_t place = manifolds->place[a];
        for (int32_t k = 0; k < dim; k++, place += GS_BATCH) {
            double number = r[(int64_t)dim * a + k] * manifolds->units.impulse;
            if (manifolds->single) {
                ((float *)x)[place] = (float)number;
            } else {
                ((double *)x)[place] = number;
            }
        }
    }
}

static void manifolds_store(const void *elements, const void *x, double *r) {
    const gs_manifolds *manifolds = elements;
    int32_t dim = manifolds->p->dim;
    for (int32_t a = 0; a < manifolds->p->contacts; a++) {
        double *own = r + (int64_t)dim * a;
        int64_t place = manifolds->place[a];
        for (int32_t k = 0; k < dim; k++, place += GS_BATCH) {
            own[k] = manifolds->single
                         ? (double)((const float *)x)[place] / manifolds->units.impulse
                         : ((const double *)x)[place];
        }
        if (manifolds->single) {
            math_cone_project(dim, manifolds->p->mu[a], own);
        }
    }
}

static cn_status manifolds_depth(const void *elements, cn_arena *scratch, int32_t *depth) {
    const gs_manifolds *manifolds = elements;
    const gs_manifold_list *list = manifolds->list;
    return gs_body_depth(list->count, list->pair, manifolds->bodies, scratch, depth);
}

static void manifolds_weights(const void *elements, float *weight) {
    const gs_manifolds *manifolds = elements;
    const cn_friction *p = manifolds->p;
    for (int64_t i = 0; i < manifolds_size(manifolds); i++) {
        weight[i] = 1.0F;
    }
    for (int32_t a = 0; a < p->contacts; a++) {
        double trace = prob_operator_trace(&p->W, p->dim, a) * manifolds->units.inv_mass;
        float *own = weight + manifolds->place[a];
        for (int32_t k = 0; k < p->dim; k++) {
            own[GS_BATCH * k] = trace > 0.0 ? (float)(trace / p->dim) : 1.0F;
        }
    }
}

// A loop over batches.
typedef struct manifold_loop {
    gs_manifolds *manifolds;
    const void *from;
    void *to;
    gs_error_sums *part; // of each unit
    double momentum;
} manifold_loop;

static void manifolds_push_unit(void *user, int32_t unit, int32_t first, int32_t count) {
    const manifold_loop *loop = user;
    (void)unit;
    loop->manifolds->kernel->push(loop->manifolds, first, count, loop->from);
}

static void manifolds_begin(void *elements, const void *x) {
    gs_manifolds *manifolds = elements;
    manifold_loop loop = {.manifolds = manifolds, .from = x};
    memset(manifolds->body, 0,
           manifolds->kernel->number * GS_RIGID_RECORD * (size_t)manifolds->bodies);
    gs_batches_sweep(&manifolds->batches, manifolds_push_unit, &loop);
}

static void manifolds_sweep_unit(void *user, int32_t unit, int32_t first, int32_t count) {
    const manifold_loop *loop = user;
    (void)unit;
    loop->manifolds->kernel->sweep(loop->manifolds, first, count, loop->to);
}

static void manifolds_sweep(void *elements, void *x) {
    gs_manifolds *manifolds = elements;
    manifold_loop loop = {.manifolds = manifolds, .to = x};
    gs_batches_sweep(&manifolds->batches, manifolds_sweep_unit, &loop);
}

static void manifolds_back_unit(void *user, int32_t unit, int32_t first, int32_t count) {
    const manifold_loop *loop = user;
    (void)unit;
    loop->manifolds->kernel->sweep_back(loop->manifolds, first, count, loop->to);
}

static size_t manifolds_record_bytes(const gs_manifolds *manifolds) {
    return manifolds->kernel->number * GS_RIGID_RECORD *
           ((size_t)manifolds->bodies + (size_t)manifolds->batches.units);
}

static void manifolds_begin_momentum(void *elements) {
    gs_manifolds *manifolds = elements;
    memcpy(manifolds->former, manifolds->body, manifolds_record_bytes(manifolds));
}

// Numbers beyond from, as far again as share of the way from to, which they replace.
static void range_beyond(void *user, int64_t first, int64_t end) {
    const manifold_loop *loop = user;
    loop->manifolds->kernel->beyond(loop->momentum, first, end, loop->from, loop->to);
}

static void manifolds_swap(gs_manifolds *manifolds) {
    void *body = manifolds->body;
    manifolds->body = manifolds->former;
    manifolds->former = body;
}

static void manifolds_momentum_sweep(void *elements, double momentum, bool symmetric, const void *x,
                                     void *to) {
    gs_manifolds *manifolds = elements;
    const cn_env *env = manifolds->batches.env;
    manifold_loop loop = {.manifolds = manifolds, .from = x, .to = to, .momentum = momentum};
    base_parallel_ranges(env, manifolds_size(manifolds), range_beyond, &loop);
    loop.from = manifolds->body;
    loop.to = manifolds->former;
    base_parallel_ranges(env, GS_RIGID_RECORD * (int64_t)manifolds->bodies, range_beyond, &loop);
    manifolds_swap(manifolds);
    manifolds_sweep(manifolds, to);
    if (symmetric) {
        loop.to = to;
        gs_batches_sweep_back(&manifolds->batches, manifolds_back_unit, &loop);
    }
}

static void manifolds_refresh(void *elements, const void *x, const void *before) {
    gs_manifolds *manifolds = elements;
    manifolds_swap(manifolds);
    manifolds_begin(manifolds, before);
    manifolds_swap(manifolds);
    manifolds_begin(manifolds, x);
}

static void manifolds_error_unit(void *user, int32_t unit, int32_t first, int32_t count) {
    const manifold_loop *loop = user;
    loop->part[unit] = loop->manifolds->kernel->error(loop->manifolds, first, count, loop->from);
}

static gs_error_sums manifolds_error(const void *elements, const void *x) {
    const gs_manifolds *manifolds = elements;
    const gs_units *units = &manifolds->units;
    gs_error_sums part[GS_UNITS_MAX], sums = {0.0, 0.0, 0.0};
    manifold_loop loop = {.manifolds = (gs_manifolds *)manifolds, .from = x, .part = part};
    gs_batches_each(&manifolds->batches, manifolds_error_unit, &loop);
    for (int32_t unit = 0; unit < manifolds->batches.units; unit++) {
        sums.error += part[unit].error;
        sums.force += part[unit].force;
        sums.moved += part[unit].moved;
    }
    sums.error /= units->velocity * units->velocity;
    sums.force /= units->impulse * units->impulse;
    sums.moved /= units->velocity * units->velocity;
    return sums;
}

static double square_range(const void *user, int64_t first, int64_t end) {
    const double *x = user;
    double sum = 0.0;
    for (int64_t i = first; i < end; i++) {
        sum += x[i] * x[i];
    }
    return sum;
}

// The kernels of double precision leave |x|^2 out.
static gs_error_sums manifolds_error_double(const void *elements, const void *x) {
    const gs_manifolds *manifolds = elements;
    gs_error_sums sums = manifolds_error(manifolds, x);
    sums.force =
        base_parallel_sum(manifolds->batches.env, manifolds_size(manifolds), square_range, x);
    return sums;
}

// The momentum: of a wall on sinking ground 0.7 to 0.85 did equally well, 0.9 worse.
#define GS_MANIFOLDS_COMMON                                                                        \
    .kind = GS_SWEEP_MANIFOLDS, .momentum_max = 0.8, .symmetric_momentum = true,                   \
    .build = manifolds_build, .use_portable = manifolds_use_portable, .load = manifolds_load,      \
    .store = manifolds_store, .weights = manifolds_weights, .begin = manifolds_begin,              \
    .sweep = manifolds_sweep, .begin_momentum = manifolds_begin_momentum,                          \
    .momentum_sweep = manifolds_momentum_sweep, .refresh = manifolds_refresh,                      \
    .depth = manifolds_depth

// Costs: multiplications' worth of all that a point of a manifold takes in a sweep.
const gs_sweep_ops gs_sweep_manifolds = {GS_MANIFOLDS_COMMON, .contact_cost = 80.0,
                                         .error = manifolds_error_double};
const gs_sweep_ops gs_sweep_manifolds_float = {
    GS_MANIFOLDS_COMMON,         .single = true,           .contact_cost = 40.0,
    .wide = &gs_sweep_manifolds, .widen = manifolds_widen, .error = manifolds_error};
