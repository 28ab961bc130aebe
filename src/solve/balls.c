// solve/balls.c
// Recognises an operator of spheres and disks, unless it says itself that it is one, and lays it
// out in packets.
//
// Of a body's run in H, with L_d its linear and A_d its angular part in direction d: on side B,
// L_d = d and A_d = -R n x d; on side A, L_d = -d and the same A_d. The side whose L_N is taken
// as the normal is B by definition. M^-1 H must be 1/m and 1/I times that, the same for all
// contacts of a body.
#include "solve/balls.h"

#include "base/arena.h"
#include "base/parallel.h"
#include "math/vec3.h"
#include "solve/balls_kernel.h"

#include <math.h>
#include <string.h>

// Products of unit vectors agree to this; a real lever arm off the normal shows far above it.
#define CN_BALL_AGREES 1e-12

const cn_ball_kernel cn_ball_kernel_plain = CN_BALL_KERNEL;

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

// The body's record, or whether it agrees with the one that an earlier contact wrote.
static bool cn_ball_record(const cn_ball_side *side, double *record, bool *seen) {
    if (!*seen) {
        *seen = true;
        record[3] = side->inv_mass;
        record[7] = side->inv_inertia;
        return side->inv_mass >= 0.0 && side->inv_inertia >= 0.0;
    }
    return cn_agrees(record[3], side->inv_mass, record[3]) &&
           cn_agrees(record[7], side->inv_inertia, record[7]);
}

static void cn_ball_world(const double L[3][3], int32_t dim, const double *from, double to[3]) {
    for (int k = 0; k < 3; k++) {
        to[k] = from[0] * L[0][k] + from[1] * L[1][k] + (dim == 3 ? from[2] * L[2][k] : 0.0);
    }
}

// The directions of contact a in world axes: rows N, T1, T2 (2D: N, T1).
static void cn_ball_frame(const cn_friction *p, int32_t a, double L[3][3]) {
    if (p->W.kind == CN_OPERATOR_BALLS) {
        cn_contact_axes(p->dim, p->W.balls.normal + 3 * (int64_t)a, L[0]);
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
static bool cn_balls_recognise(const cn_friction *p, int32_t *pair, bool *seen, double *arm,
                               cn_balls *balls) {
    for (int32_t a = 0; a < p->contacts; a++) {
        cn_ball_side sides[2];
        int32_t *own = pair + 2 * (int64_t)a;
        if (!cn_ball_sides(p, a, balls->bodies, own, sides)) {
            return false;
        }
        for (int side = own[0] < balls->bodies ? 0 : 1; side < 2; side++) {
            double *record = balls->body + CN_BALL_RECORD * (int64_t)own[side];
            if (!cn_ball_record(&sides[side], record, &seen[own[side]])) {
                return false;
            }
            arm[2 * (int64_t)a + side] = sides[side].radius;
        }
        double inv_mass = sides[1].inv_mass + (own[0] < balls->bodies ? sides[0].inv_mass : 0.0);
        if (!(inv_mass > 0.0)) {
            return false; // without normal stiffness
        }
    }
    return true;
}

// The same of an operator that says itself what it is; false: a contact has no normal stiffness.
static bool cn_balls_copy(const cn_friction *p, int32_t *pair, double *arm, cn_balls *balls) {
    const cn_ball_map *map = &p->W.balls;
    for (int32_t i = 0; i < balls->bodies; i++) {
        balls->body[CN_BALL_RECORD * (int64_t)i + 3] = map->light[2 * (int64_t)i];
        balls->body[CN_BALL_RECORD * (int64_t)i + 7] = map->light[2 * (int64_t)i + 1];
    }
    bool stiff = true;
    for (int64_t a = 0; a < p->contacts; a++) {
        double inv_mass = 0.0;
        for (int side = 0; side < 2; side++) {
            int32_t body = map->body[2 * a + side];
            bool answers = map->light[2 * (int64_t)body] > 0.0;
            pair[2 * a + side] = answers ? body : balls->bodies;
            arm[2 * a + side] = answers ? map->arm[2 * a + side] : 0.0;
            inv_mass += map->light[2 * (int64_t)body];
        }
        stiff = stiff && inv_mass > 0.0;
    }
    return stiff;
}

// A loop over contacts or packets.
typedef struct cn_ball_loop {
    cn_balls *balls;
    const int32_t *pair;
    const double *arm, *from;
    double *to;
} cn_ball_loop;

// Parting without friction: an impulse of zero stays zero.
static void cn_balls_idle(void *user, int32_t unit, int32_t first, int32_t count) {
    cn_balls *balls = ((cn_ball_loop *)user)->balls;
    cn_ball_packet idle = {.n = {{0.0}}};
    for (int lane = 0; lane < CN_PACKET; lane++) {
        idle.n[0][lane] = idle.q[0][lane] = idle.inv_wn[lane] = idle.inv_wt[lane] = 1.0;
        idle.a[lane] = idle.b[lane] = CN_BALL_RECORD * (balls->bodies + unit);
    }
    for (int32_t i = first; i < first + count; i++) {
        balls->packet[i] = idle;
    }
}

// The record of a body in the packets of contact a.
static int32_t cn_ball_record_of(const cn_balls *balls, int32_t a, int32_t body) {
    int32_t unit = balls->packets.unit ? balls->packets.unit[a] : 0;
    return CN_BALL_RECORD * (body < balls->bodies ? body : balls->bodies + unit);
}

static void cn_balls_fill(void *user, int64_t first_contact, int64_t end) {
    const cn_ball_loop *loop = user;
    cn_balls *balls = loop->balls;
    const cn_friction *p = balls->p;
    for (int32_t a = (int32_t)first_contact; a < end; a++) {
        int32_t slot = balls->packets.slot[a], lane = slot % CN_PACKET;
        cn_ball_packet *packet = &balls->packet[slot / CN_PACKET];
        double L[3][3], q[3];
        cn_ball_frame(p, a, L);
        cn_ball_world(L, p->dim, p->q + (int64_t)p->dim * a, q);
        packet->a[lane] = cn_ball_record_of(balls, a, loop->pair[2 * (int64_t)a]);
        packet->b[lane] = cn_ball_record_of(balls, a, loop->pair[2 * (int64_t)a + 1]);
        const double *first = balls->body + packet->a[lane],
                     *second = balls->body + packet->b[lane];
        double wn = first[3] + second[3];
        packet->inv_wn[lane] = 1.0 / wn;
        packet->arm_a[lane] = loop->arm[2 * (int64_t)a];
        packet->arm_b[lane] = loop->arm[2 * (int64_t)a + 1];
        packet->inv_wt[lane] = 1.0 / (wn + packet->arm_a[lane] * packet->arm_a[lane] * first[7] +
                                      packet->arm_b[lane] * packet->arm_b[lane] * second[7]);
        packet->mu[lane] = p->mu[a];
        for (int k = 0; k < 3; k++) {
            packet->n[k][lane] = L[0][k];
            packet->q[k][lane] = q[k];
        }
    }
}

cn_status cn_balls_build(const cn_friction *p, cn_arena *scratch, cn_balls *out, bool *fits) {
    int32_t run = p->dim == 3 ? 6 : 3;
    *fits = false;
    *out = (cn_balls){.p = p, .bodies = cn_operator_dofs(&p->W, p->dim) / run};
    if (out->bodies >= INT32_MAX / CN_BALL_RECORD || p->contacts > INT32_MAX / (2 * CN_PACKET)) {
        return CN_OK;
    }
    cn_arena_mark mark = cn_arena_get_mark(scratch);
    bool *seen = CN_TAKE_ZERO(scratch, bool, out->bodies);
    double *arm = CN_TAKE_ZERO(scratch, double, 2 * (int64_t)p->contacts);
    int32_t *pair = CN_TAKE(scratch, int32_t, 2 * (int64_t)p->contacts);
    out->body =
        CN_TAKE_ZERO(scratch, double, CN_BALL_RECORD *((int64_t)out->bodies + CN_UNITS_MAX));
    if (!seen || !arm || !pair || !out->body) {
        return CN_ERR_MEMORY;
    }
    bool known = p->W.kind == CN_OPERATOR_BALLS;
    if (!(known ? cn_balls_copy(p, pair, arm, out) : cn_balls_recognise(p, pair, seen, arm, out))) {
        cn_arena_release(scratch, mark);
        return CN_OK;
    }
    cn_status status = cn_packets_fill(p->contacts, pair, out->bodies, scratch, &out->packets);
    out->packet = CN_TAKE(scratch, cn_ball_packet, out->packets.count);
    if (status != CN_OK || !out->packet) {
        return CN_ERR_MEMORY;
    }
    cn_ball_loop loop = {.balls = out, .pair = pair, .arm = arm};
    cn_packets_sweep(&out->packets, cn_balls_idle, &loop);
    cn_parallel_ranges(out->packets.env, p->contacts, cn_balls_fill, &loop);
    const cn_ball_kernel *wide = cn_ball_kernel_wide();
    out->kernel = wide ? wide : &cn_ball_kernel_plain;
    *fits = true;
    return CN_OK;
}

int64_t cn_balls_size(const cn_balls *balls) {
    return (int64_t)CN_BALL_IMPULSES * balls->packets.count;
}

// Where the first of the three numbers of contact a is in an iterate.
static int64_t cn_ball_place(const cn_balls *balls, int32_t a) {
    int32_t slot = balls->packets.slot[a];
    return (int64_t)CN_BALL_IMPULSES * (slot / CN_PACKET) + slot % CN_PACKET;
}

static void cn_balls_load_range(void *user, int64_t first, int64_t end) {
    const cn_ball_loop *loop = user;
    const cn_friction *p = loop->balls->p;
    for (int32_t a = (int32_t)first; a < end; a++) {
        double L[3][3], world[3], *own = loop->to + cn_ball_place(loop->balls, a);
        cn_ball_frame(p, a, L);
        cn_ball_world(L, p->dim, loop->from + (int64_t)p->dim * a, world);
        for (int k = 0; k < 3; k++) {
            own[CN_PACKET * k] = world[k];
        }
    }
}

void cn_balls_load(const cn_balls *balls, const double *r, double *x) {
    cn_ball_loop loop = {.balls = (cn_balls *)balls, .from = r, .to = x};
    memset(x, 0, sizeof *x * (size_t)cn_balls_size(balls));
    cn_parallel_ranges(balls->packets.env, balls->p->contacts, cn_balls_load_range, &loop);
}

static void cn_balls_store_range(void *user, int64_t first, int64_t end) {
    const cn_ball_loop *loop = user;
    const cn_friction *p = loop->balls->p;
    for (int32_t a = (int32_t)first; a < end; a++) {
        const double *own = loop->from + cn_ball_place(loop->balls, a);
        double L[3][3];
        cn_ball_frame(p, a, L);
        for (int32_t d = 0; d < p->dim; d++) {
            loop->to[(int64_t)p->dim * a + d] =
                own[0] * L[d][0] + own[CN_PACKET] * L[d][1] + own[2 * CN_PACKET] * L[d][2];
        }
    }
}

void cn_balls_store(const cn_balls *balls, const double *x, double *r) {
    cn_ball_loop loop = {.balls = (cn_balls *)balls, .from = x, .to = r};
    cn_parallel_ranges(balls->packets.env, balls->p->contacts, cn_balls_store_range, &loop);
}

static void cn_balls_weights_range(void *user, int64_t first, int64_t end) {
    const cn_ball_loop *loop = user;
    for (int32_t a = (int32_t)first; a < end; a++) {
        for (int k = 0; k < 3; k++) {
            loop->to[cn_ball_place(loop->balls, a) + CN_PACKET * k] =
                loop->from[(int64_t)loop->balls->p->dim * a];
        }
    }
}

void cn_balls_weights(const cn_balls *balls, const double *row, double *weight) {
    cn_ball_loop loop = {.balls = (cn_balls *)balls, .from = row, .to = weight};
    for (int64_t i = 0; i < cn_balls_size(balls); i++) {
        weight[i] = 1.0;
    }
    cn_parallel_ranges(balls->packets.env, balls->p->contacts, cn_balls_weights_range, &loop);
}

static void cn_balls_push_unit(void *user, int32_t unit, int32_t first, int32_t count) {
    const cn_ball_loop *loop = user;
    const cn_balls *balls = loop->balls;
    (void)unit;
    balls->kernel->push(count, balls->packet + first,
                        loop->from + (int64_t)CN_BALL_IMPULSES * first, balls->body);
}

void cn_balls_reset(cn_balls *balls, const double *x) {
    cn_ball_loop loop = {.balls = balls, .from = x};
    for (int32_t i = 0; i < balls->bodies; i++) {
        double *record = balls->body + CN_BALL_RECORD * (int64_t)i;
        record[0] = record[1] = record[2] = 0.0;
        record[4] = record[5] = record[6] = 0.0;
    }
    cn_packets_sweep(&balls->packets, cn_balls_push_unit, &loop);
}

static void cn_balls_sweep_unit(void *user, int32_t unit, int32_t first, int32_t count) {
    const cn_ball_loop *loop = user;
    const cn_balls *balls = loop->balls;
    (void)unit;
    balls->kernel->sweep(count, balls->packet + first, loop->to + (int64_t)CN_BALL_IMPULSES * first,
                         balls->body);
}

void cn_balls_sweep(cn_balls *balls, double *x) {
    cn_ball_loop loop = {.balls = balls, .to = x};
    cn_packets_sweep(&balls->packets, cn_balls_sweep_unit, &loop);
}

static double cn_balls_error_unit(const void *user, int32_t first, int32_t count) {
    const cn_ball_loop *loop = user;
    const cn_balls *balls = loop->balls;
    return balls->kernel->error(count, balls->packet + first, balls->p->dim,
                                loop->from + (int64_t)CN_BALL_IMPULSES * first, balls->body);
}

double cn_balls_error(const cn_balls *balls, const double *x) {
    cn_ball_loop loop = {.balls = (cn_balls *)balls, .from = x};
    return cn_packets_sum(&balls->packets, cn_balls_error_unit, &loop);
}
