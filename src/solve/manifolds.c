// solve/manifolds.c
// Lays the points between rigid bodies out in packets of manifolds. Masses that are not 1/m and a
// symmetric inverse inertia (a lock, say), blocks that are not symmetric and regular, and contacts
// that may have several solutions are left to the general sweep.
#include "solve/manifolds.h"

#include "base/arena.h"
#include "base/parallel.h"
#include "solve/manifolds_fill.h"
#include "solve/manifolds_recognise.h"

#include <math.h>
#include <string.h>

#define CN_RIGID_AGREES 1e-12 // what numbers that should be equal may differ by

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

// For a dimension known to the compiler. Entries are looked at without a branch each: nearly all
// agree.
static inline __attribute__((always_inline)) cn_rigid_mass cn_read_mass(int dim,
                                                                        const double *inverse) {
    int run = dim == 3 ? 6 : 3, agrees = 1, moves = 0;
    cn_rigid_mass mass = {.inv_mass = inverse[0]};
    double size = inverse[(run + 1) * dim] + (dim == 3 ? inverse[28] + inverse[35] : 0.0);
    for (int i = 0; i < run; i++) {
        moves |= inverse[(run + 1) * i] != 0.0;
        for (int j = 0; j < run; j++) {
            bool angular = i >= dim && j >= dim;
            double expected = angular ? inverse[run * j + i] : (i == j ? mass.inv_mass : 0.0);
            agrees &= cn_is_close(inverse[run * i + j], expected, angular ? size : mass.inv_mass);
        }
    }
    mass.kind = agrees ? CN_RIGID_FREE : CN_RIGID_OTHER;
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

// What the packets are made from: contacts that follow each other put together as manifolds.
typedef struct cn_manifold_list {
    const cn_point_map *points;
    cn_rigid_mass *mass; // of each body
    int32_t count;
    int32_t *pair;  // of each manifold; the number of bodies: static
    int32_t *first; // its first contact; behind the last all of them
    int32_t *lane;  // the manifold of each lane of the packets, -1: none
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
    for (int32_t a = 0; a < p->contacts; a++) {
        const int32_t *own = body + 2 * (int64_t)a;
        bool same = list->count > 0 && own[0] == own[-2] && own[1] == own[-1] &&
                    a - list->first[list->count - 1] < CN_MANIFOLD_POINTS;
        if (!same) {
            int32_t *pair = list->pair + 2 * (int64_t)list->count;
            pair[0] = cn_pair_body(list, own[0]);
            pair[1] = cn_pair_body(list, own[1]);
            if (pair[0] < 0 || pair[1] < 0 || own[0] == own[1]) {
                return false;
            }
            list->first[list->count++] = a;
        }
    }
    list->first[list->count] = p->contacts;
    return true;
}

static cn_status cn_list_prepare(const cn_friction *p, const cn_point_map *points,
                                 cn_arena *scratch, cn_manifold_list *list) {
    int32_t square = p->dim == 3 ? 36 : 9;
    list->points = points;
    list->mass = CN_TAKE(scratch, cn_rigid_mass, points->bodies);
    list->pair = CN_TAKE(scratch, int32_t, 2 * (int64_t)p->contacts);
    list->first = CN_TAKE(scratch, int32_t, (int64_t)p->contacts + 1);
    if (!list->mass || !list->pair || !list->first) {
        return CN_ERR_MEMORY;
    }
    for (int64_t i = 0; i < points->bodies; i++) {
        const double *inverse = points->inverse + square * i;
        list->mass[i] = p->dim == 3 ? cn_read_mass(3, inverse) : cn_read_mass(2, inverse);
    }
    return CN_OK;
}

// ---- packets ----

// Which manifold each lane has, and how many points each packet.
static void cn_place_manifolds(cn_manifolds *s, cn_manifold_list *list) {
    for (int64_t k = 0; k < CN_PACKET * (int64_t)s->packets.count; k++) {
        list->lane[k] = -1;
    }
    for (int32_t i = 0; i < s->packets.count; i++) {
        s->packet[i].points = 0;
    }
    for (int32_t m = 0; m < list->count; m++) {
        int32_t slot = s->packets.slot[m], points = list->first[m + 1] - list->first[m];
        cn_manifold_packet *packet = &s->packet[slot / CN_PACKET];
        list->lane[slot] = m;
        packet->points = points > packet->points ? points : packet->points;
    }
    for (int32_t i = 0; i < s->packets.count; i++) {
        s->packet[i].first = s->points;
        s->points += s->packet[i].points;
    }
}

static cn_status cn_lay_out(cn_manifolds *s, cn_manifold_list *list, cn_packets_kept *kept,
                            cn_arena *scratch) {
    cn_status status =
        cn_packets_keep(kept, list->count, list->pair, s->bodies, scratch, &s->packets);
    s->packet = CN_TAKE(scratch, cn_manifold_packet, s->packets.count);
    s->place = CN_TAKE(scratch, int64_t, s->p->contacts);
    list->lane = CN_TAKE(scratch, int32_t, CN_PACKET * (int64_t)s->packets.count);
    if (status != CN_OK || !s->packet || !s->place || !list->lane) {
        return CN_ERR_MEMORY;
    }
    cn_place_manifolds(s, list);
    s->point = CN_TAKE(scratch, cn_rigid_point, s->points);
    s->slip = CN_TAKE_ZERO(scratch, double, CN_PACKET * s->points);
    s->body =
        CN_TAKE_ZERO(scratch, double, CN_RIGID_RECORD *((int64_t)s->bodies + s->packets.units));
    s->former = CN_TAKE(scratch, double, CN_RIGID_RECORD *((int64_t)s->bodies + s->packets.units));
    return s->point && s->slip && s->body && s->former ? CN_OK : CN_ERR_MEMORY;
}

// The bodies of a lane; without a manifold both are static.
static void cn_fill_pair(const cn_manifolds *s, const cn_manifold_list *list, int32_t unit,
                         int32_t manifold, int lane, cn_manifold_packet *packet) {
    static const cn_rigid_mass still = {.kind = CN_RIGID_STATIC};
    const cn_rigid_mass *first = &still, *second = &still;
    int32_t a = s->bodies + unit, b = a;
    if (manifold >= 0) {
        const int32_t *pair = list->pair + 2 * (int64_t)manifold,
                      *body = list->points->body + 2 * (int64_t)list->first[manifold];
        first = &list->mass[body[0]];
        second = &list->mass[body[1]];
        a = pair[0] < s->bodies ? pair[0] : a;
        b = pair[1] < s->bodies ? pair[1] : b;
    }
    packet->a[lane] = CN_RIGID_RECORD * a;
    packet->b[lane] = CN_RIGID_RECORD * b;
    packet->inv_mass_a[lane] = first->inv_mass;
    packet->inv_mass_b[lane] = second->inv_mass;
    for (int k = 0; k < 6; k++) {
        packet->inv_inertia_a[k][lane] = first->inertia[k];
        packet->inv_inertia_b[k][lane] = second->inertia[k];
    }
}

// Room for the numbers of plane contacts as space has them.
typedef struct cn_plane_lanes {
    double block[CN_PACKET][9], q[CN_PACKET][3];
} cn_plane_lanes;

// Where the numbers of contact a are.
static void cn_lane_of(const cn_friction *p, const cn_point_map *points, int64_t a, int lane,
                       cn_plane_lanes *plane, cn_point_lanes *lanes) {
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

// Parting without friction: an impulse of zero stays zero.
static void cn_lane_idle(int lane, cn_point_lanes *lanes) {
    static const double frame[6] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0}, arm[6] = {0.0},
                        block[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0},
                        q[3] = {1.0, 0.0, 0.0};
    lanes->frame[lane] = frame;
    lanes->arm[lane] = arm;
    lanes->block[lane] = block;
    lanes->q[lane] = q;
    lanes->mu[lane] = 0.0;
}

// Packet i of a unit with all its points.
static bool cn_fill_packet(cn_manifolds *s, const cn_manifold_list *list, cn_point_fill_fn *fill,
                           int32_t unit, int32_t i) {
    cn_manifold_packet *packet = &s->packet[i];
    const int32_t *manifold = list->lane + CN_PACKET * (int64_t)i;
    bool good = true;
    for (int lane = 0; lane < CN_PACKET; lane++) {
        cn_fill_pair(s, list, unit, manifold[lane], lane, packet);
    }
    for (int32_t turn = 0; turn < packet->points; turn++) {
        cn_point_lanes lanes;
        cn_plane_lanes plane;
        for (int lane = 0; lane < CN_PACKET; lane++) {
            int32_t m = manifold[lane];
            if (m < 0 || list->first[m] + turn >= list->first[m + 1]) {
                cn_lane_idle(lane, &lanes);
                continue;
            }
            int32_t a = list->first[m] + turn;
            s->place[a] = CN_POINT_IMPULSES * (packet->first + turn) + lane;
            cn_lane_of(s->p, list->points, a, lane, &plane, &lanes);
        }
        good &= fill(&lanes, s->p->dim, &s->point[packet->first + turn]);
    }
    return good;
}

static bool cn_fill_packets(cn_manifolds *s, const cn_manifold_list *list) {
    cn_point_fill_fn *fill = cn_point_fill_avx2();
    bool good = true;
    fill = fill ? fill : cn_point_fill_plain;
    for (int32_t unit = 0; unit < s->packets.units; unit++) {
        for (int32_t i = s->packets.first[unit]; i < s->packets.first[unit + 1] && good; i++) {
            good = cn_fill_packet(s, list, fill, unit, i);
        }
    }
    return good;
}

cn_status cn_manifolds_build(const cn_friction *p, cn_packets_kept *kept, cn_arena *scratch,
                             cn_manifolds *out, bool *fits) {
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
        status = cn_lay_out(out, &list, kept, scratch);
        good = status == CN_OK && cn_fill_packets(out, &list);
    }
    if (!good) {
        cn_arena_release(scratch, mark);
        return status;
    }
    const cn_manifold_kernel *most = cn_manifold_kernel_avx512(), *wide = cn_manifold_kernel_avx2();
    out->kernel = most ? most : wide ? wide : &cn_manifold_kernel_plain;
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
    const double *restrict from = loop->from, share = loop->share;
    double *restrict to = loop->to;
    for (int64_t i = first; i < end; i++) {
        to[i] = from[i] + share * (from[i] - to[i]);
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
