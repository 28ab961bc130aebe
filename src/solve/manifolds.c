// solve/manifolds.c
// Recognises an operator of rigid bodies, and lays it out in packets of manifolds.
//
// Of a body's run in H: on side B the linear part in direction d is d, the angular part arm x d; on
// side A both have the other sign. Summed over the directions, d x (arm x d) gives the arm back,
// twice in 3D and once in 2D. Runs that are not of this form, masses that are not 1/m and a
// symmetric inverse inertia (a lock, say), blocks that are not symmetric and regular, and contacts
// that may have several solutions are left to the general sweep.
#include "solve/manifolds.h"

#include "base/arena.h"
#include "math/vec3.h"
#include "solve/local.h"
#include "solve/manifolds_kernel.h"

#include <math.h>
#include <string.h>

#define CN_RIGID_AGREES 1e-12 // what products of unit vectors and arms may differ by
#define CN_RIGID_UNIQUE 0.95  // mu |W_NT| / W_NN below which one contact has one solution

const cn_manifold_kernel cn_manifold_kernel_plain = CN_MANIFOLD_KERNEL;

// A contact as the packets hold it.
typedef struct cn_rigid_contact {
    int32_t pair[2]; // A, B; the number of bodies: static
    double frame[3][3], arm[2][3];
} cn_rigid_contact;

static bool cn_is_close(double a, double b, double size) {
    return fabs(a - b) <= CN_RIGID_AGREES * size;
}

static int32_t cn_run_length(const cn_friction *p) {
    return p->dim == 3 ? 6 : 3;
}

// Linear and angular part of a body's run in H, in three dimensions, by direction.
typedef struct cn_run {
    double L[3][3], A[3][3];
} cn_run;

static inline __attribute__((always_inline)) void cn_read_run(int32_t dim, const double *H,
                                                              cn_run *run) {
    *run = (cn_run){0};
    for (int32_t d = 0; d < dim; d++) {
        for (int32_t k = 0; k < dim; k++) {
            run->L[d][k] = H[dim * k + d];
        }
        for (int32_t k = dim == 3 ? 0 : 2; k < 3; k++) {
            run->A[d][k] = H[dim * (dim == 3 ? 3 + k : 2) + d];
        }
    }
}

// The lever arm of a run whose linear part is sign times the frame. Differences are looked at
// without a branch each: nearly all agree.
static inline __attribute__((always_inline)) bool
cn_read_arm(int32_t dim, const cn_run *run, double sign, const double frame[3][3], double arm[3]) {
    int good = 1;
    memset(arm, 0, 3 * sizeof *arm);
    for (int32_t d = 0; d < dim; d++) {
        double part[3];
        cn_cross3(run->L[d], run->A[d], part);
        cn_add_scaled3(arm, dim == 3 ? 0.5 : 1.0, part, arm);
        for (int k = 0; k < 3; k++) {
            good &= cn_is_close(run->L[d][k], sign * frame[d][k], 1.0);
        }
    }
    double size = cn_norm3(arm);
    for (int32_t d = 0; d < dim; d++) {
        double moment[3];
        cn_cross3(arm, run->L[d], moment);
        for (int k = dim == 3 ? 0 : 2; k < 3; k++) {
            good &= cn_is_close(moment[k], run->A[d][k], size);
        }
    }
    return good;
}

// Frame and arms of a contact of one or two runs, for a dimension known to the compiler.
static inline __attribute__((always_inline)) bool cn_read_arms(int32_t dim, const double *H,
                                                               bool two, cn_rigid_contact *out) {
    int32_t length = dim * (dim == 3 ? 6 : 3);
    double third[3];
    cn_run run;
    cn_read_run(dim, H + (two ? length : 0), &run);
    memcpy(out->frame, run.L, sizeof run.L);
    cn_cross3(out->frame[0], out->frame[1], third);
    if (dim == 2) {
        memcpy(out->frame[2], third, sizeof third);
    }
    const double(*frame)[3] = (const double(*)[3])out->frame;
    bool good = cn_is_close(cn_dot3(third, third), 1.0, 1.0) &&
                cn_is_close(cn_dot3(third, out->frame[2]), 1.0, 1.0) &&
                cn_read_arm(dim, &run, 1.0, frame, out->arm[1]);
    if (good && two) {
        cn_read_run(dim, H, &run);
        good = cn_read_arm(dim, &run, -1.0, frame, out->arm[0]);
    }
    return good;
}

static bool cn_read_contact(const cn_friction *p, int32_t a, int32_t bodies,
                            cn_rigid_contact *out) {
    const cn_body_map *map = &p->W.body;
    int32_t run = cn_run_length(p), bad = 0;
    int64_t first = map->start[a], count = map->start[a + 1] - first;
    *out = (cn_rigid_contact){.pair = {bodies, bodies}};
    if (count != run && count != 2 * run) {
        return false;
    }
    for (int64_t k = 0; k < count; k += run) {
        int32_t base = map->dof[first + k];
        bad |= base % run;
        for (int32_t i = 1; i < run; i++) {
            bad |= map->dof[first + k + i] - (base + i);
        }
    }
    const double *H = map->H + p->dim * first;
    bool two = count == 2 * run;
    out->pair[1] = map->dof[first + count - run] / run;
    out->pair[0] = two ? map->dof[first] / run : bodies;
    return bad == 0 && (p->dim == 3 ? cn_read_arms(3, H, two, out) : cn_read_arms(2, H, two, out));
}

// 1/m and the inverse inertia of a body; false when its mass matrix is not of that form.
static bool cn_read_mass(const cn_friction *p, int32_t body, double *inv_mass, double inertia[6]) {
    int32_t dim = p->dim, run = cn_run_length(p);
    const double *inverse = p->W.body.inverse + (int64_t)run * run * body;
    double size = inverse[(run + 1) * dim] + (dim == 3 ? inverse[28] + inverse[35] : 0.0);
    *inv_mass = inverse[0];
    memset(inertia, 0, 6 * sizeof *inertia);
    for (int32_t i = 0; i < run; i++) {
        for (int32_t j = 0; j < run; j++) {
            double value = inverse[run * i + j];
            bool angular = i >= dim && j >= dim;
            double expected = angular ? inverse[run * j + i] : (i == j ? *inv_mass : 0.0);
            if (!cn_is_close(value, expected, angular ? size : *inv_mass)) {
                return false;
            }
        }
    }
    if (dim == 2) {
        inertia[5] = inverse[8];
        return true;
    }
    const int32_t place[6] = {21, 22, 23, 28, 29, 35}; // of xx xy xz yy yz zz in 6 x 6
    for (int k = 0; k < 6; k++) {
        inertia[k] = inverse[place[k]];
    }
    return true;
}

// The block of a contact, 2D with a third direction of its own.
static bool cn_read_block(const cn_friction *p, int32_t a, cn_local_block *block) {
    const double *W = p->W.diagonal + (int64_t)p->dim * p->dim * a;
    double plane[9] = {W[0], W[1], 0.0, W[2], W[3], 0.0, 0.0, 0.0, W[3]};
    if (!cn_local_prepare(p->dim == 3 ? W : plane, p->mu[a], block)) {
        return false;
    }
    double coupling = sqrt(block->nt[0] * block->nt[0] + block->nt[1] * block->nt[1]);
    return block->regular && block->mu * coupling < CN_RIGID_UNIQUE &&
           cn_is_close(block->nt[0], block->tn[0], 1.0 + coupling) &&
           cn_is_close(block->nt[1], block->tn[1], 1.0 + coupling) &&
           cn_is_close(block->S[1], block->S[2], block->trace);
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

static void cn_fill_point(const cn_friction *p, int32_t a, const cn_rigid_contact *contact,
                          const cn_local_block *block, int lane, cn_rigid_point *point) {
    for (int k = 0; k < 3; k++) {
        point->n[k][lane] = contact->frame[0][k];
        point->t[k][lane] = contact->frame[1][k];
        point->arm_a[k][lane] = contact->arm[0][k];
        point->arm_b[k][lane] = contact->arm[1][k];
        point->q[k][lane] = k < p->dim ? p->q[(int64_t)p->dim * a + k] : 0.0;
    }
    const double *W = p->W.diagonal + (int64_t)p->dim * p->dim * a;
    double trace = p->dim == 3 ? W[0] + W[4] + W[8] : W[0] + W[3];
    point->mu[lane] = block->mu;
    point->inv_nn[lane] = block->inv_nn;
    point->nt[0][lane] = block->nt[0];
    point->nt[1][lane] = block->nt[1];
    point->S[0][lane] = block->S[0];
    point->S[1][lane] = block->S[1];
    point->S[2][lane] = block->S[3];
    point->rho[lane] = p->dim / trace;
}

static bool cn_fill_masses(cn_manifolds *s, const int32_t *pair, int lane, int32_t unit,
                           cn_manifold_packet *packet) {
    double inertia[6] = {0.0};
    packet->a[lane] = CN_RIGID_RECORD * (pair[0] < s->bodies ? pair[0] : s->bodies + unit);
    packet->b[lane] = CN_RIGID_RECORD * (pair[1] < s->bodies ? pair[1] : s->bodies + unit);
    bool good =
        pair[0] == s->bodies || cn_read_mass(s->p, pair[0], &packet->inv_mass_a[lane], inertia);
    for (int k = 0; k < 6; k++) {
        packet->inv_inertia_a[k][lane] = inertia[k];
    }
    good = good && cn_read_mass(s->p, pair[1], &packet->inv_mass_b[lane], inertia);
    for (int k = 0; k < 6; k++) {
        packet->inv_inertia_b[k][lane] = inertia[k];
    }
    return good;
}

// Contacts read and put together as manifolds: pair of each, and the manifold and the turn in it
// of each contact.
typedef struct cn_manifold_list {
    int32_t count;
    int32_t *pair;
    int32_t *manifold, *turn;
    cn_rigid_contact *contact;
    cn_local_block *block;
} cn_manifold_list;

static bool cn_list_manifolds(const cn_friction *p, int32_t bodies, cn_manifold_list *list) {
    list->count = 0;
    for (int32_t a = 0; a < p->contacts; a++) {
        cn_rigid_contact *contact = &list->contact[a];
        if (!cn_read_contact(p, a, bodies, contact) || !cn_read_block(p, a, &list->block[a])) {
            return false;
        }
        int32_t last = list->count - 1;
        bool same = a > 0 && contact->pair[0] == list->pair[2 * (int64_t)last] &&
                    contact->pair[1] == list->pair[2 * (int64_t)last + 1] &&
                    list->turn[a - 1] + 1 < CN_MANIFOLD_POINTS;
        if (!same) {
            last = list->count++;
            memcpy(list->pair + 2 * (int64_t)last, contact->pair, sizeof contact->pair);
        }
        list->manifold[a] = last;
        list->turn[a] = same ? list->turn[a - 1] + 1 : 0;
    }
    return true;
}

static cn_status cn_list_prepare(const cn_friction *p, cn_arena *scratch, cn_manifold_list *list) {
    list->pair = CN_TAKE(scratch, int32_t, 2 * (int64_t)p->contacts);
    list->manifold = CN_TAKE(scratch, int32_t, p->contacts);
    list->turn = CN_TAKE(scratch, int32_t, p->contacts);
    list->contact = CN_TAKE(scratch, cn_rigid_contact, p->contacts);
    list->block = CN_TAKE(scratch, cn_local_block, p->contacts);
    bool complete = list->pair && list->manifold && list->turn && list->contact && list->block;
    return complete ? CN_OK : CN_ERR_MEMORY;
}

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
    return s->point && s->slip && s->body ? CN_OK : CN_ERR_MEMORY;
}

static bool cn_fill_packets(cn_manifolds *s, const cn_manifold_list *list) {
    bool good = true;
    cn_idle_packets(s);
    for (int32_t a = 0; a < s->p->contacts && good; a++) {
        int32_t manifold = list->manifold[a], slot = s->packets.slot[manifold];
        int lane = slot % CN_PACKET;
        cn_manifold_packet *packet = &s->packet[slot / CN_PACKET];
        int64_t point = packet->first + list->turn[a];
        s->place[a] = CN_POINT_IMPULSES * point + lane;
        cn_fill_point(s->p, a, &list->contact[a], &list->block[a], lane, &s->point[point]);
        int32_t unit = s->packets.unit ? s->packets.unit[manifold] : 0;
        good = list->turn[a] > 0 ||
               cn_fill_masses(s, list->pair + 2 * (int64_t)manifold, lane, unit, packet);
    }
    return good;
}

cn_status cn_manifolds_build(const cn_friction *p, cn_arena *scratch, cn_manifolds *out,
                             bool *fits) {
    *fits = false;
    *out = (cn_manifolds){.p = p, .bodies = p->W.body.dofs / cn_run_length(p)};
    if (!p->W.body.inverse || out->bodies >= INT32_MAX / CN_RIGID_RECORD ||
        p->contacts > INT32_MAX / (2 * CN_PACKET)) {
        return CN_OK;
    }
    cn_arena_mark mark = cn_arena_get_mark(scratch);
    cn_manifold_list list;
    cn_status status = cn_list_prepare(p, scratch, &list);
    bool good = status == CN_OK && cn_list_manifolds(p, out->bodies, &list);
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

static double cn_manifolds_error_unit(const void *user, int32_t first, int32_t count) {
    const cn_manifold_loop *loop = user;
    return loop->manifolds->kernel->error(loop->manifolds, first, count, loop->from);
}

double cn_manifolds_error(const cn_manifolds *manifolds, const double *x) {
    cn_manifold_loop loop = {.manifolds = (cn_manifolds *)manifolds, .from = x};
    return cn_packets_sum(&manifolds->packets, cn_manifolds_error_unit, &loop);
}
