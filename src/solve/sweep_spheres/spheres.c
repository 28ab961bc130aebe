// solve/sweep_spheres/spheres.c
// Recognises an operator of spheres and disks, unless it says itself that it is one, and lays it
// out in packets.
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
#define CN_BALL_AGREES 1e-12

// A body's part of one contact, in three dimensions.
typedef struct cn_ball_side {
    double L[3][3], A[3][3]; // by direction: N, T1, T2; in 2D T2 = N x T1, without lever
    double inv_mass, inv_inertia, radius;
} cn_ball_side;

static bool cn_agrees(double a, double b, double size) {
    return fabs(a - b) <= CN_BALL_AGREES * size;
}

// G = factor * H for three components of every direction.
static bool cn_ball_is_multiple(const double (*H)[3], const double (*G)[3], int32_t dim,
                                double factor) {
    for (int32_t d = 0; d < dim; d++) {
        for (int k = 0; k < 3; k++) {
            double size = factor * (fabs(H[d][0]) + fabs(H[d][1]) + fabs(H[d][2]));
            if (!cn_agrees(G[d][k], factor * H[d][k], size)) {
                return false;
            }
        }
    }
    return true;
}

// The run of velocities from entry first, as a side; false: not that of a ball.
static bool cn_ball_read(const cn_friction *p, int64_t first, cn_ball_side *side) {
    const cn_body_map *map = &p->W.body;
    int32_t dim = p->dim;
    double G[3][3] = {{0.0}}, B[3][3] = {{0.0}};
    *side = (cn_ball_side){.inv_mass = 0.0};
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
    cn_cross3(n, t, lever); // unit; L_N x L_T1 has the same sign on both sides
    if (dim == 2) {
        cn_cross3(n, t, side->L[2]);
    }
    double length2 = cn_dot3(lever, lever), lever2 = cn_dot3(side->A[1], side->A[1]);
    side->radius = -cn_dot3(side->A[1], lever);
    side->inv_mass = cn_dot3(G[0], n) / cn_dot3(n, n);
    side->inv_inertia = lever2 > 0.0 ? cn_dot3(B[1], side->A[1]) / lever2 : 0.0;
    double turned[3];
    cn_cross3(n, side->L[2], turned);
    bool radial = cn_agrees(length2, 1.0, 1.0);
    for (int k = 0; k < 3; k++) {
        double size = fabs(side->radius);
        radial = radial && cn_agrees(side->A[0][k], 0.0, size) &&
                 cn_agrees(side->A[1][k], -side->radius * lever[k], size) &&
                 (dim == 2 || cn_agrees(side->A[2][k], -side->radius * turned[k], size));
    }
    return radial && cn_ball_is_multiple(side->L, G, dim, side->inv_mass) &&
           cn_ball_is_multiple(side->A, B, dim, side->inv_inertia);
}

// The sides of contact a: B, and A where there is a second body; its body or bodies in pair.
static bool cn_ball_sides(const cn_friction *p, int32_t a, int32_t bodies, int32_t pair[2],
                          cn_ball_side sides[2]) {
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
    if (!cn_ball_read(p, last, &sides[1])) {
        return false;
    }
    if (count == run) {
        return true;
    }
    pair[0] = map->dof[first] / run;
    bool opposite = cn_ball_read(p, first, &sides[0]);
    for (int d = 0; d < p->dim; d++) {
        for (int k = 0; k < 3; k++) {
            opposite = opposite && cn_agrees(sides[0].L[d][k], -sides[1].L[d][k], 1.0);
        }
    }
    return opposite;
}

// 1/m and 1/I of a body, or whether they agree with those of an earlier contact.
static bool cn_ball_lightness(const cn_ball_side *side, double *light, bool *seen) {
    if (!*seen) {
        *seen = true;
        light[0] = side->inv_mass;
        light[1] = side->inv_inertia;
        return side->inv_mass >= 0.0 && side->inv_inertia >= 0.0;
    }
    return cn_agrees(light[0], side->inv_mass, light[0]) &&
           cn_agrees(light[1], side->inv_inertia, light[1]);
}

static void cn_ball_world(const double L[3][3], int32_t dim, const double *from, double to[3]) {
    for (int k = 0; k < 3; k++) {
        to[k] = from[0] * L[0][k] + from[1] * L[1][k] + (dim == 3 ? from[2] * L[2][k] : 0.0);
    }
}

// The directions of contact a in world axes: rows N, T1, T2 (2D: N, T1).
static void cn_ball_frame(const cn_friction *p, int32_t a, double L[3][3]) {
    if (p->W.kind == CN_OPERATOR_BALLS) {
        cn_contact_axes(p->dim, cn_ball_normal(&p->W.balls, a), L[0]);
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

// Reads every contact; false: one is not that of balls.
static bool cn_balls_recognise(cn_balls *balls, bool *seen) {
    const cn_friction *p = balls->p;
    for (int32_t a = 0; a < p->contacts; a++) {
        cn_ball_side sides[2];
        int32_t *own = balls->pair + 2 * (int64_t)a;
        if (!cn_ball_sides(p, a, balls->bodies, own, sides)) {
            return false;
        }
        for (int side = own[0] < balls->bodies ? 0 : 1; side < 2; side++) {
            double *light = balls->light + 2 * (int64_t)own[side];
            if (!cn_ball_lightness(&sides[side], light, &seen[own[side]])) {
                return false;
            }
            balls->arm[2 * (int64_t)a + side] = sides[side].radius;
        }
    }
    return true;
}

// 1/m and 1/I of every body.
static const double *cn_balls_light(const cn_balls *balls) {
    return balls->light ? balls->light : balls->p->W.balls.light;
}

// The bodies of contact a, those that answer to no impulse as one past the last, and its arms.
static void cn_ball_ends(const cn_balls *balls, int64_t a, int32_t body[2], double arm[2]) {
    if (!balls->pair) {
        cn_ball_arms(&balls->p->W.balls, a, arm);
    }
    for (int side = 0; side < 2; side++) {
        int64_t k = 2 * a + side;
        if (balls->pair) {
            body[side] = balls->pair[k];
            arm[side] = balls->arm[k];
        } else {
            const cn_ball_map *map = &balls->p->W.balls;
            bool answers = map->light[2 * (int64_t)map->body[k]] > 0.0;
            body[side] = answers ? map->body[k] : balls->bodies;
            arm[side] = answers ? arm[side] : 0.0;
        }
    }
}

// w_N of contact a.
static double cn_ball_stiffness(const cn_balls *balls, const int32_t body[2]) {
    const double *light = cn_balls_light(balls);
    return (body[0] < balls->bodies ? light[2 * (int64_t)body[0]] : 0.0) +
           (body[1] < balls->bodies ? light[2 * (int64_t)body[1]] : 0.0);
}

// ---- laying out ----

// A loop over contacts or packets.
typedef struct cn_ball_loop {
    cn_balls *balls;
    const double *r;
    const void *from;
    void *to;
    gs_error_sums *part; // of each unit
    double momentum;
} cn_ball_loop;

static void cn_balls_idle(void *user, int32_t unit, int32_t first, int32_t count) {
    const cn_balls *balls = ((cn_ball_loop *)user)->balls;
    balls->kernel->record(balls->bodies + unit, 0.0, 0.0, balls->body);
    balls->kernel->idle(count, balls->bodies + unit,
                        (char *)balls->packet + (size_t)first * balls->kernel->packet);
}

static void cn_balls_fill(void *user, int64_t first, int64_t end) {
    const cn_balls *balls = ((const cn_ball_loop *)user)->balls;
    const cn_friction *p = balls->p;
    const double *light = cn_balls_light(balls);
    for (int32_t a = (int32_t)first; a < end; a++) {
        double L[3][3];
        cn_ball_frame(p, a, L);
        cn_ball_contact own = {.mu = p->mu[a]};
        cn_ball_world(L, p->dim, p->q + (int64_t)p->dim * a, own.q);
        cn_ball_ends(balls, a, own.body, own.arm);
        double wn = cn_ball_stiffness(balls, own.body), wt = wn;
        for (int side = 0; side < 2; side++) {
            if (own.body[side] < balls->bodies) {
                wt += own.arm[side] * own.arm[side] * light[2 * (int64_t)own.body[side] + 1];
            } else {
                own.body[side] += balls->packets.unit ? balls->packets.unit[a] : 0;
            }
            own.arm[side] *= balls->units.length;
        }
        own.inv_wn = 1.0 / (wn * balls->units.lightness);
        own.inv_wt = 1.0 / (wt * balls->units.lightness);
        for (int k = 0; k < 3; k++) {
            own.n[k] = L[0][k];
            own.q[k] *= balls->units.velocity;
        }
        balls->kernel->put(&own, balls->packets.slot[a], balls->packet);
    }
}

static void spheres_use_portable(void *elements) {
    cn_balls *balls = elements;
    balls->kernel = balls->single ? &cn_ball_kernel_single : &cn_ball_kernel_plain;
}

// The widest for this processor.
static void cn_balls_choose_kernel(cn_balls *balls) {
    const cn_ball_kernel *most =
        balls->single ? cn_ball_kernel_single_avx512() : cn_ball_kernel_avx512();
    const cn_ball_kernel *wide =
        balls->single ? cn_ball_kernel_single_avx2() : cn_ball_kernel_avx2();
    balls->kernel = most ? most : wide;
    if (!balls->kernel) {
        spheres_use_portable(balls);
    }
}

static void cn_balls_record_range(void *user, int64_t first, int64_t end) {
    const cn_balls *balls = ((const cn_ball_loop *)user)->balls;
    const double *light = cn_balls_light(balls);
    double turning = balls->units.lightness / (balls->units.length * balls->units.length);
    for (int64_t i = first; i < end; i++) {
        balls->kernel->record((int32_t)i, light[2 * i] * balls->units.lightness,
                              light[2 * i + 1] * turning, balls->body);
    }
}

// Packets and records in the precision that balls say.
static cn_status cn_balls_lay(cn_balls *balls, cn_arena *scratch) {
    cn_balls_choose_kernel(balls);
    balls->packet = cn_arena_take(scratch, balls->packets.count, balls->kernel->packet);
    balls->body = cn_arena_take(scratch, (int64_t)balls->bodies + balls->packets.units,
                                CN_BALL_RECORD * balls->kernel->number);
    balls->former = cn_arena_take(scratch, (int64_t)balls->bodies + balls->packets.units,
                                  CN_BALL_RECORD * balls->kernel->number);
    if (!balls->packet || !balls->body || !balls->former) {
        return CN_ERR_MEMORY;
    }
    cn_ball_loop loop = {.balls = balls};
    cn_parallel_ranges(balls->packets.env, balls->bodies, cn_balls_record_range, &loop);
    cn_packets_prepare(&balls->packets, cn_balls_idle, &loop);
    cn_parallel_ranges(balls->packets.env, balls->p->contacts, cn_balls_fill, &loop);
    return CN_OK;
}

// The sum of all arms, and how many contacts have no normal stiffness.
typedef struct cn_ball_survey {
    double arms, loose;
} cn_ball_survey;

static void cn_balls_survey(const void *user, int64_t first, int64_t end, void *part) {
    const cn_ball_loop *loop = user;
    cn_ball_survey *own = part;
    for (int64_t a = first; a < end; a++) {
        int32_t *pair = (int32_t *)loop->to + 2 * a;
        double arm[2];
        cn_ball_ends(loop->balls, a, pair, arm);
        own->loose += cn_ball_stiffness(loop->balls, pair) > 0.0 ? 0.0 : 1.0;
        own->arms += fabs(arm[0]) + fabs(arm[1]);
    }
}

static void cn_balls_join(void *total, const void *part) {
    cn_ball_survey *all = total;
    const cn_ball_survey *more = part;
    all->arms += more->arms;
    all->loose += more->loose;
}

// The packets' choice, and the units; *fits: every contact has normal stiffness.
static cn_status cn_balls_pack(cn_balls *balls, const cn_natural_unit *unit, cn_packets_kept *kept,
                               cn_arena *scratch, bool *fits) {
    int32_t contacts = balls->p->contacts;
    cn_status status = CN_OK;
    balls->packets.env = cn_arena_env(scratch);
    if (!kept) {
        status = cn_packets_take(contacts, scratch, &balls->packets);
    }
    cn_arena_mark mark = cn_arena_get_mark(scratch);
    int32_t *pair = CN_TAKE(scratch, int32_t, 2 * (int64_t)contacts);
    if (status != CN_OK || !pair) {
        return CN_ERR_MEMORY;
    }
    const cn_ball_loop loop = {.balls = balls, .to = pair};
    cn_ball_survey all = {0.0, 0.0};
    cn_parallel_fold(balls->packets.env, contacts, cn_balls_survey, cn_balls_join, &loop,
                     sizeof all, &all);
    *fits = all.loose == 0.0;
    if (*fits) {
        balls->units = cn_units_of(unit, contacts, all.arms);
        status =
            kept ? cn_packets_keep(kept, contacts, pair, balls->bodies, scratch, &balls->packets)
                 : cn_packets_choose(contacts, pair, balls->bodies, scratch, &balls->packets);
    }
    cn_arena_release(scratch, mark);
    return status;
}

// Bodies and arms of an operator that does not say them; *fits: it is one of balls.
static cn_status cn_balls_read(cn_balls *balls, cn_arena *scratch, bool *fits) {
    int64_t contacts = balls->p->contacts;
    balls->pair = CN_TAKE(scratch, int32_t, 2 * contacts);
    balls->arm = CN_TAKE_ZERO(scratch, double, 2 * contacts);
    balls->light = CN_TAKE_ZERO(scratch, double, 2 * (int64_t)balls->bodies);
    cn_arena_mark mark = cn_arena_get_mark(scratch);
    bool *seen = CN_TAKE_ZERO(scratch, bool, balls->bodies);
    if (!balls->pair || !balls->arm || !balls->light || !seen) {
        return CN_ERR_MEMORY;
    }
    *fits = cn_balls_recognise(balls, seen);
    cn_arena_release(scratch, mark);
    return CN_OK;
}

static cn_status spheres_build(cn_sweep *sweep, cn_arena *scratch, bool *fits) {
    const cn_friction *p = sweep->p;
    int32_t run = p->dim == 3 ? 6 : 3, bodies = cn_operator_dofs(&p->W, p->dim) / run;
    *fits = false;
    if (p->W.kind == CN_OPERATOR_POINTS || bodies >= INT32_MAX / CN_BALL_RECORD - CN_UNITS_MAX ||
        p->contacts > INT32_MAX / (2 * CN_PACKET)) {
        return CN_OK;
    }
    bool fit = true;
    cn_arena_mark mark = cn_arena_get_mark(scratch);
    cn_balls *balls = CN_TAKE(scratch, cn_balls, 1);
    if (!balls) {
        return CN_ERR_MEMORY;
    }
    *balls = (cn_balls){.p = p, .single = sweep->ops->single, .bodies = bodies};
    cn_status status = p->W.kind == CN_OPERATOR_BALLS ? CN_OK : cn_balls_read(balls, scratch, &fit);
    if (status == CN_OK && fit) {
        status = cn_balls_pack(balls, &sweep->unit, sweep->plan.kept, scratch, &fit);
    }
    if (status == CN_OK && !fit) {
        cn_arena_release(scratch, mark);
        return CN_OK;
    }
    *fits = true;
    sweep->elements = balls;
    sweep->size = (int64_t)CN_BALL_IMPULSES * balls->packets.count;
    return status == CN_OK ? cn_balls_lay(balls, scratch) : status;
}

static cn_status spheres_widen(void *elements, cn_arena *scratch) {
    cn_balls *balls = elements;
    balls->single = false;
    return cn_balls_lay(balls, scratch);
}

// ---- iterates ----

static int64_t cn_balls_size(const cn_balls *balls) {
    return (int64_t)CN_BALL_IMPULSES * balls->packets.count;
}

// Where the first of the three numbers of contact a is in an iterate.
static int64_t cn_ball_place(const cn_balls *balls, int32_t a) {
    int32_t slot = balls->packets.slot[a];
    return (int64_t)CN_BALL_IMPULSES * (slot / CN_PACKET) + slot % CN_PACKET;
}

static void cn_balls_load_range(void *user, int64_t first, int64_t end) {
    const cn_ball_loop *loop = user;
    const cn_balls *balls = loop->balls;
    const cn_friction *p = balls->p;
    for (int32_t a = (int32_t)first; a < end; a++) {
        double L[3][3], world[3];
        cn_ball_frame(p, a, L);
        cn_ball_world(L, p->dim, loop->r + (int64_t)p->dim * a, world);
        for (int k = 0; k < 3; k++) {
            world[k] *= balls->units.impulse;
        }
        balls->kernel->load(world, cn_ball_place(balls, a), loop->to);
    }
}

static void spheres_load(const void *elements, const double *r, void *x) {
    const cn_balls *balls = elements;
    cn_ball_loop loop = {.balls = (cn_balls *)balls, .r = r, .to = x};
    cn_parallel_zero(balls->packets.env, x, balls->kernel->number * (size_t)cn_balls_size(balls));
    cn_parallel_ranges(balls->packets.env, balls->p->contacts, cn_balls_load_range, &loop);
}

static void cn_balls_store_range(void *user, int64_t first, int64_t end) {
    const cn_ball_loop *loop = user;
    const cn_balls *balls = loop->balls;
    const cn_friction *p = balls->p;
    double back = 1.0 / balls->units.impulse; // a power of two
    for (int32_t a = (int32_t)first; a < end; a++) {
        double L[3][3], world[3], *own = (double *)loop->to + (int64_t)p->dim * a;
        balls->kernel->store(loop->from, cn_ball_place(balls, a), world);
        cn_ball_frame(p, a, L);
        for (int32_t d = 0; d < p->dim; d++) {
            own[d] = (world[0] * L[d][0] + world[1] * L[d][1] + world[2] * L[d][2]) * back;
        }
        if (balls->single) {
            cn_cone_project(p->dim, p->mu[a], own);
        }
    }
}

static void spheres_store(const void *elements, const void *x, double *r) {
    const cn_balls *balls = elements;
    cn_ball_loop loop = {.balls = (cn_balls *)balls, .from = x, .to = r};
    cn_parallel_ranges(balls->packets.env, balls->p->contacts, cn_balls_store_range, &loop);
}

static void cn_balls_weights_range(void *user, int64_t first, int64_t end) {
    const cn_ball_loop *loop = user;
    const cn_friction *p = loop->balls->p;
    for (int32_t a = (int32_t)first; a < end; a++) {
        double trace = cn_operator_trace(&p->W, p->dim, a);
        float *own = (float *)loop->to + cn_ball_place(loop->balls, a);
        for (int k = 0; k < 3; k++) {
            own[CN_PACKET * k] = (float)(trace / p->dim * loop->balls->units.lightness);
        }
    }
}

static void spheres_weights(const void *elements, float *weight) {
    const cn_balls *balls = elements;
    cn_ball_loop loop = {.balls = (cn_balls *)balls, .to = weight};
    for (int64_t i = 0; i < cn_balls_size(balls); i++) {
        weight[i] = 1.0F;
    }
    cn_parallel_ranges(balls->packets.env, balls->p->contacts, cn_balls_weights_range, &loop);
}

// The first packet of a unit and its impulses.
static const void *cn_balls_packet(const cn_balls *balls, int32_t first) {
    return (const char *)balls->packet + (size_t)first * balls->kernel->packet;
}

static size_t cn_balls_offset(const cn_balls *balls, int32_t first) {
    return (size_t)first * CN_BALL_IMPULSES * balls->kernel->number;
}

static void cn_balls_push_unit(void *user, int32_t unit, int32_t first, int32_t count) {
    const cn_ball_loop *loop = user;
    const cn_balls *balls = loop->balls;
    (void)unit;
    balls->kernel->push(count, cn_balls_packet(balls, first),
                        (const char *)loop->from + cn_balls_offset(balls, first), balls->body);
}

// Records are gone through in pieces of so many, more than there are threads.
#define CN_BALLS_PIECE 4096

static int32_t cn_balls_pieces(const cn_balls *balls) {
    return (balls->bodies + CN_BALLS_PIECE - 1) / CN_BALLS_PIECE;
}

// Bytes before the records of a piece, and how many those are.
static size_t cn_balls_piece(const cn_balls *balls, int32_t piece, int32_t *count) {
    int32_t first = CN_BALLS_PIECE * piece, left = balls->bodies - first;
    *count = left < CN_BALLS_PIECE ? left : CN_BALLS_PIECE;
    return (size_t)first * CN_BALL_RECORD * balls->kernel->number;
}

static void cn_balls_still_piece(void *user, int32_t piece) {
    const cn_balls *balls = ((const cn_ball_loop *)user)->balls;
    int32_t count;
    size_t offset = cn_balls_piece(balls, piece, &count);
    balls->kernel->still(count, (char *)balls->body + offset);
}

static void spheres_begin(void *elements, const void *x) {
    cn_balls *balls = elements;
    cn_ball_loop loop = {.balls = balls, .from = x};
    cn_parallel_for(balls->packets.env, cn_balls_pieces(balls), cn_balls_still_piece, &loop);
    cn_packets_sweep(&balls->packets, cn_balls_push_unit, &loop);
}

static void cn_balls_sweep_unit(void *user, int32_t unit, int32_t first, int32_t count) {
    const cn_ball_loop *loop = user;
    const cn_balls *balls = loop->balls;
    (void)unit;
    balls->kernel->sweep(count, cn_balls_packet(balls, first),
                         (char *)loop->to + cn_balls_offset(balls, first), balls->body);
}

static void spheres_sweep(void *elements, void *x) {
    cn_balls *balls = elements;
    cn_ball_loop loop = {.balls = balls, .to = x};
    cn_packets_sweep(&balls->packets, cn_balls_sweep_unit, &loop);
}

static void spheres_begin_momentum(void *elements) {
    cn_balls *balls = elements;
    cn_parallel_copy(balls->packets.env, balls->former, balls->body,
                     ((size_t)balls->bodies + (size_t)balls->packets.units) * CN_BALL_RECORD *
                         balls->kernel->number);
}

static void cn_balls_swap(cn_balls *balls) {
    void *body = balls->body;
    balls->body = balls->former;
    balls->former = body;
}

static void spheres_refresh(void *elements, const void *x, const void *before) {
    cn_balls *balls = elements;
    cn_balls_swap(balls);
    spheres_begin(balls, before);
    cn_balls_swap(balls);
    spheres_begin(balls, x);
}

static void cn_balls_drift_piece(void *user, int32_t piece) {
    const cn_ball_loop *loop = user;
    const cn_balls *balls = loop->balls;
    int32_t count;
    size_t offset = cn_balls_piece(balls, piece, &count);
    balls->kernel->drift(count, loop->momentum, (char *)balls->body + offset,
                         (char *)balls->former + offset);
}

static void cn_balls_glide_unit(void *user, int32_t unit, int32_t first, int32_t count) {
    const cn_ball_loop *loop = user;
    const cn_balls *balls = loop->balls;
    size_t offset = cn_balls_offset(balls, first);
    (void)unit;
    balls->kernel->glide(count, cn_balls_packet(balls, first), loop->momentum,
                         (const char *)loop->from + offset, (char *)loop->to + offset, balls->body);
}

static void spheres_momentum_sweep(void *elements, double momentum, bool symmetric, const void *x,
                                   void *to) {
    cn_balls *balls = elements;
    (void)symmetric;
    cn_ball_loop loop = {.balls = balls, .from = x, .to = to, .momentum = momentum};
    cn_parallel_for(balls->packets.env, cn_balls_pieces(balls), cn_balls_drift_piece, &loop);
    cn_packets_sweep(&balls->packets, cn_balls_glide_unit, &loop);
}

static void cn_balls_error_unit(void *user, int32_t unit, int32_t first, int32_t count) {
    const cn_ball_loop *loop = user;
    const cn_balls *balls = loop->balls;
    loop->part[unit] =
        balls->kernel->error(count, cn_balls_packet(balls, first), balls->p->dim,
                             (const char *)loop->from + cn_balls_offset(balls, first), balls->body);
}

static gs_error_sums spheres_error(const void *elements, const void *x) {
    const cn_balls *balls = elements;
    gs_error_sums part[CN_UNITS_MAX], sums = {0.0, 0.0, 0.0};
    cn_ball_loop loop = {.balls = (cn_balls *)balls, .from = x, .part = part};
    cn_packets_each(&balls->packets, cn_balls_error_unit, &loop);
    for (int32_t unit = 0; unit < balls->packets.units; unit++) {
        sums.error += part[unit].error;
        sums.force += part[unit].force;
        sums.moved += part[unit].moved;
    }
    sums.error /= balls->units.velocity * balls->units.velocity;
    sums.force /= balls->units.impulse * balls->units.impulse;
    sums.moved /= balls->units.velocity * balls->units.velocity;
    return sums;
}

#define GS_SPHERES_COMMON                                                                          \
    .kind = CN_SWEEP_BALLS, .momentum_max = 1.0, .build = spheres_build,                           \
    .use_portable = spheres_use_portable, .load = spheres_load, .store = spheres_store,            \
    .weights = spheres_weights, .begin = spheres_begin, .sweep = spheres_sweep,                    \
    .begin_momentum = spheres_begin_momentum, .momentum_sweep = spheres_momentum_sweep,            \
    .refresh = spheres_refresh, .error = spheres_error

// Costs: multiplications' worth of all that a contact takes in a sweep.
const gs_sweep_ops gs_sweep_spheres = {GS_SPHERES_COMMON, .contact_cost = 40.0};
const gs_sweep_ops gs_sweep_spheres_float = {GS_SPHERES_COMMON, .single = true,
                                             .contact_cost = 20.0, .wide = &gs_sweep_spheres,
                                             .widen = spheres_widen};
