// solve/manifolds.c
// Lays the points between rigid bodies out in packets of manifolds. Masses that are not 1/m and a
// symmetric inverse inertia (a lock, say), blocks that are not symmetric and regular, and contacts
// that may have several solutions are left to the general sweep.
#include "solve/manifolds.h"

#include "base/arena.h"
#include "base/parallel.h"
#include "solve/manifolds_kernel.h"
#include "solve/manifolds_recognise.h"

#include <math.h>
#include <string.h>

#define CN_RIGID_AGREES 1e-12 // what numbers that should be equal may differ by
#define CN_RIGID_UNIQUE 0.95  // mu |W_NT| / W_NN below which one contact has one solution
// det S over trace(S)^2 above which the 2x2 inverse may be written out, and sizes of blocks whose
// powers neither overflow nor vanish.
#define CN_RIGID_DET 1e-4
#define CN_RIGID_SMALL 1e-30
#define CN_RIGID_LARGE 1e30

const cn_manifold_kernel cn_manifold_kernel_plain = CN_MANIFOLD_KERNEL;

static bool cn_is_close(double a, double b, double size) {
    return fabs(a - b) <= CN_RIGID_AGREES * size;
}

// ---- masses ----

typedef enum cn_rigid_kind {
    CN_RIGID_STATIC,
    CN_RIGID_FREE,
    CN_RIGID_OTHER // its mass matrix is not 1/m and a symmetric inverse inertia
} cn_rigid_kind;

typedef struct cn_rigid_mass {
    double inv_mass, inertia[6]; // xx xy xz yy yz zz
    cn_rigid_kind kind;
} cn_rigid_mass;

static cn_rigid_mass cn_read_mass(int32_t dim, const double *inverse) {
    int32_t run = dim == 3 ? 6 : 3;
    cn_rigid_mass mass = {.inv_mass = inverse[0], .kind = CN_RIGID_FREE};
    double size = inverse[(run + 1) * dim] + (dim == 3 ? inverse[28] + inverse[35] : 0.0);
    bool moves = false;
    for (int32_t i = 0; i < run; i++) {
        moves = moves || inverse[(run + 1) * i] != 0.0;
        for (int32_t j = 0; j < run; j++) {
            bool angular = i >= dim && j >= dim;
            double expected = angular ? inverse[run * j + i] : (i == j ? mass.inv_mass : 0.0);
            if (!cn_is_close(inverse[run * i + j], expected, angular ? size : mass.inv_mass)) {
                mass.kind = CN_RIGID_OTHER;
            }
        }
    }
    if (!moves) {
        mass.kind = CN_RIGID_STATIC;
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

// What the packets are made from: contacts put together as manifolds, pair of each, and the
// manifold and the turn in it of each contact.
typedef struct cn_manifold_list {
    const cn_point_map *points;
    cn_rigid_mass *mass; // of each body
    int32_t count;
    int32_t *pair; // the number of bodies: static
    int32_t *manifold, *turn;
} cn_manifold_list;

// The body's number in a pair; -1: it fits in no packet.
static int32_t cn_pair_body(const cn_manifold_list *list, int32_t body) {
    switch (list->mass[body].kind) {
    case CN_RIGID_STATIC:
        return list->points->bodies;
    case CN_RIGID_FREE:
        return body;
    case CN_RIGID_OTHER:
        break;
    }
    return -1;
}

static bool cn_list_manifolds(const cn_friction *p, cn_manifold_list *list) {
    const int32_t *body = list->points->body;
    list->count = 0;
    for (int64_t a = 0; a < p->contacts; a++) {
        bool same = a > 0 && body[2 * a] == body[2 * a - 2] && body[2 * a + 1] == body[2 * a - 1] &&
                    list->turn[a - 1] + 1 < CN_MANIFOLD_POINTS;
        if (!same) {
            int32_t *pair = list->pair + 2 * (int64_t)list->count++;
            pair[0] = cn_pair_body(list, body[2 * a]);
            pair[1] = cn_pair_body(list, body[2 * a + 1]);
            if (pair[0] < 0 || pair[1] < 0 || body[2 * a] == body[2 * a + 1]) {
                return false;
            }
        }
        list->manifold[a] = list->count - 1;
        list->turn[a] = same ? list->turn[a - 1] + 1 : 0;
    }
    return true;
}

static cn_status cn_list_prepare(const cn_friction *p, const cn_point_map *points,
                                 cn_arena *scratch, cn_manifold_list *list) {
    int32_t square = p->dim == 3 ? 36 : 9;
    list->points = points;
    list->mass = CN_TAKE(scratch, cn_rigid_mass, points->bodies);
    list->pair = CN_TAKE(scratch, int32_t, 2 * (int64_t)p->contacts);
    list->manifold = CN_TAKE(scratch, int32_t, p->contacts);
    list->turn = CN_TAKE(scratch, int32_t, p->contacts);
    if (!list->mass || !list->pair || !list->manifold || !list->turn) {
        return CN_ERR_MEMORY;
    }
    for (int64_t i = 0; i < points->bodies; i++) {
        list->mass[i] = cn_read_mass(p->dim, points->inverse + square * i);
    }
    return CN_OK;
}

// ---- packets ----

static cn_status cn_lay_out(cn_manifolds *s, const cn_manifold_list *list, cn_arena *scratch) {
    cn_status status = cn_packets_fill(list->count, list->pair, s->bodies, scratch, &s->packets);
    s->packet = CN_TAKE_ZERO(scratch, cn_manifold_packet, s->packets.count);
    s->place = CN_TAKE(scratch, int64_t, s->p->contacts);
    if (status != CN_OK || !s->packet || !s->place) {
        return CN_ERR_MEMORY;
    }
    for (int32_t a = 0; a < s->p->contacts; a++) {
        cn_manifold_packet *packet = &s->packet[s->packets.slot[list->manifold[a]] / CN_PACKET];
        packet->points = list->turn[a] + 1 > packet->points ? list->turn[a] + 1 : packet->points;
    }
    for (int32_t i = 0; i < s->packets.count; i++) {
        s->packet[i].first = s->points;
        s->points += s->packet[i].points;
    }
    s->point = CN_TAKE_ZERO(scratch, cn_rigid_point, s->points);
    s->slip = CN_TAKE_ZERO(scratch, double, CN_PACKET * s->points);
    s->body =
        CN_TAKE_ZERO(scratch, double, CN_RIGID_RECORD *((int64_t)s->bodies + s->packets.units));
    s->former = CN_TAKE(scratch, double, CN_RIGID_RECORD *((int64_t)s->bodies + s->packets.units));
    return s->point && s->slip && s->body && s->former ? CN_OK : CN_ERR_MEMORY;
}

// Parting without friction: an impulse of zero stays zero.
static void cn_idle_packets(cn_manifolds *s) {
    for (int32_t unit = 0; unit < s->packets.units; unit++) {
        for (int32_t i = s->packets.first[unit]; i < s->packets.first[unit + 1]; i++) {
            for (int lane = 0; lane < CN_PACKET; lane++) {
                s->packet[i].a[lane] = s->packet[i].b[lane] = CN_RIGID_RECORD * (s->bodies + unit);
            }
        }
    }
    for (int64_t k = 0; k < s->points; k++) {
        cn_rigid_point *point = &s->point[k];
        for (int lane = 0; lane < CN_PACKET; lane++) {
            point->n[0][lane] = point->t[1][lane] = point->q[0][lane] = 1.0;
            point->inv_nn[lane] = point->S[0][lane] = point->S[2][lane] = point->rho[lane] = 1.0;
        }
    }
}

// The block of a contact on its tangent plane, 2D with a third direction of its own.
static bool cn_fill_block(const cn_friction *p, int64_t a, int lane, cn_rigid_point *point) {
    const double *W = p->W.diagonal + p->dim * p->dim * a;
    bool plane = p->dim == 2;
    double nn = W[0], nt[2] = {plane ? W[2] : W[3], plane ? 0.0 : W[6]},
           tn[2] = {W[1], plane ? 0.0 : W[2]}, tt[2] = {plane ? W[3] : W[4], plane ? W[3] : W[8]},
           across[2] = {plane ? 0.0 : W[5], plane ? 0.0 : W[7]};
    double inv_nn = 1.0 / nn, first = nt[0] * inv_nn, second = nt[1] * inv_nn;
    double S11 = tt[0] - first * tn[0], S12 = across[1] - second * tn[0],
           S22 = tt[1] - second * tn[1];
    double trace = S11 + S22, det = S11 * S22 - S12 * S12, mu = p->mu[a],
           size = nn + tt[0] + (plane ? 0.0 : tt[1]), scale = nn + tt[0] + tt[1];
    point->mu[lane] = mu;
    point->inv_nn[lane] = inv_nn;
    point->nt[0][lane] = first;
    point->nt[1][lane] = second;
    point->S[0][lane] = S11;
    point->S[1][lane] = S12;
    point->S[2][lane] = S22;
    point->rho[lane] = p->dim / size;
    return nn > 0.0 && scale >= CN_RIGID_SMALL && scale <= CN_RIGID_LARGE && trace > 0.0 &&
           det > CN_RIGID_DET * trace * trace &&
           mu * sqrt(first * first + second * second) < CN_RIGID_UNIQUE &&
           cn_is_close(nt[0], tn[0], scale) && cn_is_close(nt[1], tn[1], scale) &&
           cn_is_close(across[0], across[1], scale);
}

static void cn_fill_point(const cn_friction *p, const cn_point_map *points, int64_t a, int lane,
                          cn_rigid_point *point) {
    const double *frame = points->frame + 6 * a, *arm = points->arm + 6 * a;
    for (int k = 0; k < 3; k++) {
        point->n[k][lane] = frame[k];
        point->t[k][lane] = frame[3 + k];
        point->arm_a[k][lane] = arm[k];
        point->arm_b[k][lane] = arm[3 + k];
        point->q[k][lane] = k < p->dim ? p->q[p->dim * a + k] : 0.0;
    }
}

static void cn_fill_pair(const cn_manifolds *s, const cn_manifold_list *list, int64_t a, int lane,
                         cn_manifold_packet *packet) {
    int32_t manifold = list->manifold[a], unit = s->packets.unit ? s->packets.unit[manifold] : 0;
    const int32_t *pair = list->pair + 2 * (int64_t)manifold, *body = list->points->body + 2 * a;
    const cn_rigid_mass *first = &list->mass[body[0]], *second = &list->mass[body[1]];
    packet->a[lane] = CN_RIGID_RECORD * (pair[0] < s->bodies ? pair[0] : s->bodies + unit);
    packet->b[lane] = CN_RIGID_RECORD * (pair[1] < s->bodies ? pair[1] : s->bodies + unit);
    packet->inv_mass_a[lane] = first->inv_mass;
    packet->inv_mass_b[lane] = second->inv_mass;
    for (int k = 0; k < 6; k++) {
        packet->inv_inertia_a[k][lane] = first->inertia[k];
        packet->inv_inertia_b[k][lane] = second->inertia[k];
    }
}

static bool cn_fill_packets(cn_manifolds *s, const cn_manifold_list *list) {
    bool good = true;
    cn_idle_packets(s);
    for (int64_t a = 0; a < s->p->contacts && good; a++) {
        int32_t slot = s->packets.slot[list->manifold[a]], lane = slot % CN_PACKET;
        cn_manifold_packet *packet = &s->packet[slot / CN_PACKET];
        int64_t point = packet->first + list->turn[a];
        s->place[a] = CN_POINT_IMPULSES * point + lane;
        cn_fill_point(s->p, list->points, a, lane, &s->point[point]);
        good = cn_fill_block(s->p, a, lane, &s->point[point]);
        if (list->turn[a] == 0) {
            cn_fill_pair(s, list, a, lane, packet);
        }
    }
    return good;
}

cn_status cn_manifolds_build(const cn_friction *p, cn_arena *scratch, cn_manifolds *out,
                             bool *fits) {
    *fits = false;
    *out = (cn_manifolds){.p = p};
    cn_arena_mark mark = cn_arena_get_mark(scratch);
    cn_point_map points = p->W.points;
    bool good = true;
    cn_status status = CN_OK;
    if (p->W.kind != CN_OPERATOR_POINTS) {
        status = cn_points_recognise(p, scratch, &points, &good);
    }
    out->bodies = points.bodies;
    good = good && points.bodies < INT32_MAX / CN_RIGID_RECORD - CN_UNITS_MAX &&
           p->contacts <= INT32_MAX / (2 * CN_PACKET);
    cn_manifold_list list;
    if (status == CN_OK && good) {
        status = cn_list_prepare(p, &points, scratch, &list);
    }
    good = good && status == CN_OK && cn_list_manifolds(p, &list);
    if (good) {
        status = cn_lay_out(out, &list, scratch);
        good = status == CN_OK && cn_fill_packets(out, &list);
    }
    if (!good) {
        cn_arena_release(scratch, mark);
        return status;
    }
    const cn_manifold_kernel *wide = cn_manifold_kernel_wide();
    out->kernel = wide ? wide : &cn_manifold_kernel_plain;
    *fits = true;
    return CN_OK;
}

int64_t cn_manifolds_size(const cn_manifolds *manifolds) {
    return CN_POINT_IMPULSES * manifolds->points;
}

void cn_manifolds_load(const cn_manifolds *manifolds, const double *r, double fill, double *x) {
    int32_t dim = manifolds->p->dim;
    for (int64_t i = 0; i < cn_manifolds_size(manifolds); i++) {
        x[i] = fill;
    }
    for (int32_t a = 0; a < manifolds->p->contacts; a++) {
        double *own = x + manifolds->place[a];
        for (int32_t k = 0; k < 3; k++) {
            own[CN_PACKET * k] = k < dim ? r[(int64_t)dim * a + k] : fill;
        }
    }
}

void cn_manifolds_store(const cn_manifolds *manifolds, const double *x, double *r) {
    int32_t dim = manifolds->p->dim;
    for (int32_t a = 0; a < manifolds->p->contacts; a++) {
        for (int32_t k = 0; k < dim; k++) {
            r[(int64_t)dim * a + k] = x[manifolds->place[a] + CN_PACKET * k];
        }
    }
}

// A loop over packets.
typedef struct cn_manifold_loop {
    cn_manifolds *manifolds;
    const double *from;
    double *to;
    double share;
} cn_manifold_loop;

static void cn_manifolds_push_unit(void *user, int32_t unit, int32_t first, int32_t count) {
    const cn_manifold_loop *loop = user;
    (void)unit;
    loop->manifolds->kernel->push(loop->manifolds, first, count, loop->from);
}

void cn_manifolds_reset(cn_manifolds *manifolds, const double *x) {
    cn_manifold_loop loop = {.manifolds = manifolds, .from = x};
    memset(manifolds->body, 0, sizeof(double) * CN_RIGID_RECORD * (size_t)manifolds->bodies);
    cn_packets_sweep(&manifolds->packets, cn_manifolds_push_unit, &loop);
}

static void cn_manifolds_sweep_unit(void *user, int32_t unit, int32_t first, int32_t count) {
    const cn_manifold_loop *loop = user;
    (void)unit;
    loop->manifolds->kernel->sweep(loop->manifolds, first, count, loop->to);
}

void cn_manifolds_sweep(cn_manifolds *manifolds, double *x) {
    cn_manifold_loop loop = {.manifolds = manifolds, .to = x};
    cn_packets_sweep(&manifolds->packets, cn_manifolds_sweep_unit, &loop);
}

static size_t cn_manifolds_record_bytes(const cn_manifolds *manifolds) {
    return sizeof(double) * CN_RIGID_RECORD *
           ((size_t)manifolds->bodies + (size_t)manifolds->packets.units);
}

void cn_manifolds_start_gliding(cn_manifolds *manifolds) {
    memcpy(manifolds->former, manifolds->body, cn_manifolds_record_bytes(manifolds));
}

// Numbers beyond from, as far again as share of the way from to, which they replace.
static void cn_beyond(void *user, int64_t first, int64_t end) {
    const cn_manifold_loop *loop = user;
    for (int64_t i = first; i < end; i++) {
        loop->to[i] = loop->from[i] + loop->share * (loop->from[i] - loop->to[i]);
    }
}

static void cn_manifolds_swap(cn_manifolds *manifolds) {
    double *body = manifolds->body;
    manifolds->body = manifolds->former;
    manifolds->former = body;
}

void cn_manifolds_glide(cn_manifolds *manifolds, double share, const double *x, double *to) {
    const cn_env *env = manifolds->packets.env;
    cn_manifold_loop loop = {.manifolds = manifolds, .from = x, .to = to, .share = share};
    cn_parallel_ranges(env, cn_manifolds_size(manifolds), cn_beyond, &loop);
    loop.from = manifolds->body;
    loop.to = manifolds->former;
    cn_parallel_ranges(env, CN_RIGID_RECORD * (int64_t)manifolds->bodies, cn_beyond, &loop);
    cn_manifolds_swap(manifolds);
    cn_manifolds_sweep(manifolds, to);
}

void cn_manifolds_freshen(cn_manifolds *manifolds, const double *x, const double *before) {
    cn_manifolds_swap(manifolds);
    cn_manifolds_reset(manifolds, before);
    cn_manifolds_swap(manifolds);
    cn_manifolds_reset(manifolds, x);
}

static double cn_manifolds_error_unit(const void *user, int32_t first, int32_t count) {
    const cn_manifold_loop *loop = user;
    return loop->manifolds->kernel->error(loop->manifolds, first, count, loop->from);
}

double cn_manifolds_error(const cn_manifolds *manifolds, const double *x) {
    cn_manifold_loop loop = {.manifolds = (cn_manifolds *)manifolds, .from = x};
    return cn_packets_sum(&manifolds->packets, cn_manifolds_error_unit, &loop);
}
