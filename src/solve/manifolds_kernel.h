// solve/manifolds_kernel.h
// The kernel of solve/manifolds.h, included by one source a kind of processor, which names it.
//
// The secular equation is solved by a fixed small number of Newton steps from the last multiplier;
// what is left of its error is left to the next sweep, since the answer is on the cone with u_N = 0
// whatever the multiplier.
#include "solve/manifolds.h"
#include "solve/natural_wide.h"

#define CN_GROUPS (CN_PACKET / CN_WIDE)
#define CN_PARTS (CN_RIGID_RECORD / CN_WIDE)
#define CN_SECULAR_STEPS 3
#define CN_SECULAR_MOST 1e100 // a multiplier without friction
#define CN_POINTS_AHEAD 6     // that memory is asked for: as long as it takes to come
#define CN_BODIES_AHEAD 2     // packets

// The two bodies of a group of lanes.
typedef struct cn_wide_pair {
    cn_wide3 va, wa, vb, wb;
} cn_wide_pair;

// Records are loaded whole, CN_PARTS times CN_WIDE numbers, and turned.
CN_INLINE void cn_fetch(const double *body, const int32_t *at, cn_wide3 *v, cn_wide3 *w) {
    cn_wide row[CN_RIGID_RECORD];
    for (int part = 0; part < CN_PARTS; part++) {
        for (int lane = 0; lane < CN_WIDE; lane++) {
            row[CN_WIDE * part + lane] = cn_wide_load(body + at[lane] + CN_WIDE * part);
        }
        cn_wide_transpose(row + CN_WIDE * part);
    }
    *v = (cn_wide3){row[0], row[1], row[2]};
    *w = (cn_wide3){row[4], row[5], row[6]};
}

// The static record takes what it had: its velocities never change, since its inverse mass is zero.
CN_INLINE void cn_put(double *body, const int32_t *at, cn_wide3 v, cn_wide3 w) {
    cn_wide zero = cn_wide_all(0.0);
    cn_wide row[CN_RIGID_RECORD] = {v.x, v.y, v.z, zero, w.x, w.y, w.z, zero};
    for (int part = 0; part < CN_PARTS; part++) {
        cn_wide_transpose(row + CN_WIDE * part);
    }
    for (int lane = 0; lane < CN_WIDE; lane++) {
        for (int part = 0; part < CN_PARTS; part++) {
            cn_wide_store(body + at[lane] + CN_WIDE * part, row[CN_WIDE * part + lane]);
        }
    }
}

CN_INLINE cn_wide_pair cn_fetch_pair(const cn_manifold_packet *packet, int at, const double *body) {
    cn_wide_pair pair;
    cn_fetch(body, packet->a + at, &pair.va, &pair.wa);
    cn_fetch(body, packet->b + at, &pair.vb, &pair.wb);
    return pair;
}

CN_INLINE void cn_put_pair(const cn_manifold_packet *packet, int at, cn_wide_pair pair,
                           double *body) {
    cn_put(body, packet->a + at, pair.va, pair.wa);
    cn_put(body, packet->b + at, pair.vb, pair.wb);
}

CN_INLINE cn_wide3 cn_symmetric_apply(const double inverse[6][CN_PACKET], int at, cn_wide3 x) {
    cn_wide xy = cn_wide_load(&inverse[1][at]), xz = cn_wide_load(&inverse[2][at]),
            yz = cn_wide_load(&inverse[4][at]);
    return (cn_wide3){cn_wide_load(&inverse[0][at]) * x.x + xy * x.y + xz * x.z,
                      xy * x.x + cn_wide_load(&inverse[3][at]) * x.y + yz * x.z,
                      xz * x.x + yz * x.y + cn_wide_load(&inverse[5][at]) * x.z};
}

// u of a point in contact axes.
CN_INLINE cn_wide3 cn_point_velocity(const cn_rigid_point *point, int at,
                                     const cn_wide_pair *pair) {
    cn_wide3 n = cn_wide3_load(&point->n[0][at], CN_PACKET),
             t = cn_wide3_load(&point->t[0][at], CN_PACKET);
    cn_wide3 a = cn_wide3_load(&point->arm_a[0][at], CN_PACKET),
             b = cn_wide3_load(&point->arm_b[0][at], CN_PACKET);
    cn_wide3 dv = cn_wide3_sub(cn_wide3_sum(pair->vb, cn_wide3_cross(pair->wb, b)),
                               cn_wide3_sum(pair->va, cn_wide3_cross(pair->wa, a)));
    cn_wide3 q = cn_wide3_load(&point->q[0][at], CN_PACKET);
    return (cn_wide3){cn_wide3_dot(dv, n) + q.x, cn_wide3_dot(dv, t) + q.y,
                      cn_wide3_dot(dv, cn_wide3_cross(n, t)) + q.z};
}

// The bodies under a change d of the point's impulse, in contact axes.
CN_INLINE void cn_point_push(const cn_manifold_packet *packet, const cn_rigid_point *point, int at,
                             cn_wide3 d, cn_wide_pair *pair) {
    cn_wide3 n = cn_wide3_load(&point->n[0][at], CN_PACKET),
             t = cn_wide3_load(&point->t[0][at], CN_PACKET), s = cn_wide3_cross(n, t);
    cn_wide3 a = cn_wide3_load(&point->arm_a[0][at], CN_PACKET),
             b = cn_wide3_load(&point->arm_b[0][at], CN_PACKET);
    cn_wide3 push = {d.x * n.x + d.y * t.x + d.z * s.x, d.x * n.y + d.y * t.y + d.z * s.y,
                     d.x * n.z + d.y * t.z + d.z * s.z};
    pair->va = cn_wide3_add(pair->va, -cn_wide_load(&packet->inv_mass_a[at]), push);
    pair->vb = cn_wide3_add(pair->vb, cn_wide_load(&packet->inv_mass_b[at]), push);
    cn_wide3 spin_a = cn_symmetric_apply(packet->inv_inertia_a, at, cn_wide3_cross(a, push));
    cn_wide3 spin_b = cn_symmetric_apply(packet->inv_inertia_b, at, cn_wide3_cross(b, push));
    pair->wa = cn_wide3_sub(pair->wa, spin_a);
    pair->wb = cn_wide3_sum(pair->wb, spin_b);
}

// A group's points as the secular equation has them (solve/local_secular.h).
typedef struct cn_point_plane {
    cn_wide c, b1, b2, h1, h2; // r = 0: what presses, and the slip with and without the plane's S
    cn_wide m1, m2, mb;        // mu W_NT/W_NN, and its product with b
    cn_wide trace;             // of S
    cn_wide Q[3], N2[3];       // coefficients of Q(l), and of N(l)^2 with its middle one halved
    cn_wide_mask press, slide;
    cn_wide3 answer; // in the end; until then, what would make it stick
} cn_point_plane;

CN_INLINE cn_point_plane cn_point_open(const cn_rigid_point *point, int at, cn_wide3 u,
                                       cn_wide3 r) {
    cn_point_plane p;
    cn_wide zero = cn_wide_all(0.0), mu = cn_wide_load(&point->mu[at]);
    cn_wide nt1 = cn_wide_load(&point->nt[0][at]), nt2 = cn_wide_load(&point->nt[1][at]);
    cn_wide S11 = cn_wide_load(&point->S[0][at]), S12 = cn_wide_load(&point->S[1][at]),
            S22 = cn_wide_load(&point->S[2][at]);
    p.c = r.x + (nt1 * r.y + nt2 * r.z) - u.x * cn_wide_load(&point->inv_nn[at]);
    p.b1 = u.y - nt1 * u.x - (S11 * r.y + S12 * r.z);
    p.b2 = u.z - nt2 * u.x - (S12 * r.y + S22 * r.z);
    p.h1 = S22 * p.b1 - S12 * p.b2;
    p.h2 = S11 * p.b2 - S12 * p.b1;
    p.m1 = mu * nt1;
    p.m2 = mu * nt2;
    cn_wide det = S11 * S22 - S12 * S12, trace = S11 + S22;
    cn_wide limit = mu * p.c, mb = p.m1 * p.b1 + p.m2 * p.b2;
    p.Q[0] = limit * det + (p.m1 * p.h1 + p.m2 * p.h2);
    p.Q[1] = limit * trace + mb;
    p.Q[2] = limit;
    p.N2[0] = p.h1 * p.h1 + p.h2 * p.h2;
    p.N2[1] = p.h1 * p.b1 + p.h2 * p.b2;
    p.N2[2] = p.b1 * p.b1 + p.b2 * p.b2;
    p.press = p.c > zero;
    p.slide = p.press & ~((p.Q[0] >= zero) & (p.N2[0] <= p.Q[0] * p.Q[0]));
    cn_wide inv_det = cn_wide_all(1.0) / det;
    p.answer.y = -p.h1 * inv_det;
    p.answer.z = -p.h2 * inv_det;
    p.answer.x = p.c - (nt1 * p.answer.y + nt2 * p.answer.z);
    p.mb = mb;
    p.trace = trace;
    return p;
}

// A first multiplier, near where Q and N are as good as straight.
CN_INLINE cn_wide cn_point_guess(const cn_point_plane *p) {
    cn_wide zero = cn_wide_all(0.0);
    cn_wide guess = (cn_wide_sqrt(p->N2[2]) - p->mb) / p->Q[2] - (p->trace - p->N2[1] / p->N2[2]);
    cn_wide_mask good = (guess > zero) & (guess <= cn_wide_all(CN_SECULAR_MOST));
    return cn_wide_select(good, guess, zero);
}

// Newton on Q(l) = N(l); a step that leaves the positive numbers halves l.
CN_INLINE cn_wide cn_point_newton(const cn_point_plane *p, cn_wide l) {
    const cn_wide *Q = p->Q, *N2 = p->N2;
    cn_wide n2 = N2[0] + l * (2.0 * N2[1] + l * N2[2]), half_slope = N2[1] + l * N2[2];
    cn_wide value = Q[0] + l * (Q[1] + l * Q[2]), slope = Q[1] + 2.0 * l * Q[2];
    cn_wide v2 = value * value;
    cn_wide top = (v2 - n2) * (v2 + n2) * n2;
    cn_wide bottom = (3.0 * n2 + v2) * value * (slope * n2 - value * half_slope);
    cn_wide next = l - top / bottom;
    cn_wide_mask good = (next >= cn_wide_all(0.0)) & (next <= cn_wide_all(CN_SECULAR_MOST));
    return cn_wide_select(good, next, 0.5 * l);
}

// The answer with the multiplier l where it slides, what it was elsewhere.
CN_INLINE cn_wide3 cn_point_slide(const cn_point_plane *p, cn_wide mu, cn_wide l) {
    cn_wide g1 = p->h1 + l * p->b1, g2 = p->h2 + l * p->b2;
    cn_wide length = cn_wide_sqrt(g1 * g1 + g2 * g2);
    cn_wide share = p->c / (length - (p->m1 * g1 + p->m2 * g2));
    return (cn_wide3){cn_wide_select(p->slide, share * length, p->answer.x),
                      cn_wide_select(p->slide, -mu * share * g1, p->answer.y),
                      cn_wide_select(p->slide, -mu * share * g2, p->answer.z)};
}

// A point of every lane solved: open, sticking or sliding. The groups take turns step by step, so
// that one computes while the other waits.
CN_INLINE void cn_points_solve(const cn_manifold_packet *packet, const cn_rigid_point *point,
                               double *x, double *slip, cn_wide_pair pair[CN_GROUPS]) {
    cn_wide3 r[CN_GROUPS];
    cn_point_plane plane[CN_GROUPS];
    cn_wide l[CN_GROUPS];
    cn_wide_mask slide = {0};
    CN_UNROLL for (int g = 0; g < CN_GROUPS; g++) {
        r[g] = cn_wide3_load(x + CN_WIDE * g, CN_PACKET);
        plane[g] = cn_point_open(point, CN_WIDE * g,
                                 cn_point_velocity(point, CN_WIDE * g, &pair[g]), r[g]);
        l[g] = cn_wide_load(slip + CN_WIDE * g);
        slide |= plane[g].slide;
    }
    if (cn_wide_any(slide)) {
        CN_UNROLL for (int g = 0; g < CN_GROUPS; g++) {
            cn_wide_mask fresh = plane[g].slide & ~(l[g] > cn_wide_all(0.0));
            if (cn_wide_any(fresh)) {
                l[g] = cn_wide_select(fresh, cn_point_guess(&plane[g]), l[g]);
            }
        }
        CN_UNROLL for (int step = 0; step < CN_SECULAR_STEPS; step++) {
            CN_UNROLL for (int g = 0; g < CN_GROUPS; g++) {
                l[g] = cn_point_newton(&plane[g], l[g]);
            }
        }
        CN_UNROLL for (int g = 0; g < CN_GROUPS; g++) {
            plane[g].answer =
                cn_point_slide(&plane[g], cn_wide_load(&point->mu[CN_WIDE * g]), l[g]);
        }
    }
    CN_UNROLL for (int g = 0; g < CN_GROUPS; g++) {
        int at = CN_WIDE * g;
        cn_wide zero = cn_wide_all(0.0);
        cn_wide3 next = {cn_wide_select(plane[g].press, plane[g].answer.x, zero),
                         cn_wide_select(plane[g].press, plane[g].answer.y, zero),
                         cn_wide_select(plane[g].press, plane[g].answer.z, zero)};
        cn_wide_store(slip + at, cn_wide_select(plane[g].slide, l[g], zero));
        cn_wide3_store(x + at, CN_PACKET, next);
        cn_point_push(packet, point, at, cn_wide3_sub(next, r[g]), &pair[g]);
    }
}

// Asks for the numbers of a point some points ahead.
CN_INLINE void cn_points_ahead(const cn_rigid_point *point, const double *x, const double *slip) {
    cn_ask_for(point + CN_POINTS_AHEAD, sizeof *point);
    cn_ask_for(x + CN_POINTS_AHEAD * CN_POINT_IMPULSES, CN_POINT_IMPULSES * sizeof *x);
    cn_ask_for(slip + CN_POINTS_AHEAD * CN_PACKET, CN_PACKET * sizeof *slip);
}

// Asks for the bodies of a packet some packets ahead, and for the packet behind it.
CN_INLINE void cn_bodies_ahead(const cn_manifold_packet *packet, const double *body) {
    const cn_manifold_packet *ahead = packet + CN_BODIES_AHEAD;
    cn_ask_for(ahead + CN_BODIES_AHEAD, sizeof *ahead);
    for (int lane = 0; lane < CN_PACKET; lane++) {
        cn_ask_for(body + ahead->a[lane], CN_RIGID_RECORD * sizeof *body);
        cn_ask_for(body + ahead->b[lane], CN_RIGID_RECORD * sizeof *body);
    }
}

static void cn_manifold_sweep(cn_manifolds *s, int32_t first, int32_t count, double *x) {
    for (int32_t i = first; i < first + count; i++) {
        const cn_manifold_packet *packet = &s->packet[i];
        const cn_rigid_point *point = &s->point[packet->first];
        double *own = x + CN_POINT_IMPULSES * packet->first,
               *slip = s->slip + CN_PACKET * packet->first;
        cn_wide_pair pair[CN_GROUPS];
        if (i + CN_BODIES_AHEAD < first + count) {
            cn_bodies_ahead(packet, s->body);
        }
        CN_UNROLL for (int g = 0; g < CN_GROUPS; g++) {
            pair[g] = cn_fetch_pair(packet, CN_WIDE * g, s->body);
        }
        for (int32_t k = 0; k < packet->points;
             k++, point++, own += CN_POINT_IMPULSES, slip += CN_PACKET) {
            cn_points_ahead(point, own, slip);
            cn_points_solve(packet, point, own, slip, pair);
        }
        CN_UNROLL for (int g = 0; g < CN_GROUPS; g++) {
            cn_put_pair(packet, CN_WIDE * g, pair[g], s->body);
        }
    }
}

static void cn_manifold_push(cn_manifolds *s, int32_t first, int32_t count, const double *x) {
    for (int32_t i = first; i < first + count; i++) {
        const cn_manifold_packet *packet = &s->packet[i];
        for (int at = 0; at < CN_PACKET; at += CN_WIDE) {
            cn_wide_pair pair = cn_fetch_pair(packet, at, s->body);
            for (int64_t k = packet->first; k < packet->first + packet->points; k++) {
                cn_wide3 r = cn_wide3_load(x + CN_POINT_IMPULSES * k + at, CN_PACKET);
                cn_point_push(packet, &s->point[k], at, r, &pair);
            }
            cn_put_pair(packet, at, pair, s->body);
        }
    }
}

// |e|^2 of a group's points, in the order of the points for each lane of the sum.
CN_INLINE cn_wide_sum cn_group_error(const cn_manifolds *s, const cn_manifold_packet *packet,
                                     int at, const double *x, cn_wide_sum sum) {
    cn_wide_pair pair = cn_fetch_pair(packet, at, s->body);
    cn_wide zero = cn_wide_all(0.0), term[CN_MANIFOLD_POINTS];
    for (int32_t k = 0; k < packet->points; k++) {
        const cn_rigid_point *point = &s->point[packet->first + k];
        cn_wide3 u = cn_point_velocity(point, at, &pair);
        cn_wide3 r = cn_wide3_load(x + CN_POINT_IMPULSES * (packet->first + k) + at, CN_PACKET);
        cn_wide3 ut = {u.y, u.z, zero}, rt = {r.y, r.z, zero};
        term[k] = cn_wide_natural(cn_wide_load(&point->mu[at]), cn_wide_load(&point->rho[at]), u.x,
                                  ut, r.x, rt);
    }
    for (int part = 0; part < CN_SUM_PARTS; part++) {
        for (int32_t k = 0; k < packet->points; k++) {
            sum += cn_wide_terms(term[k], part);
        }
    }
    return sum;
}

static double cn_manifold_error(const cn_manifolds *s, int32_t first, int32_t count,
                                const double *x) {
    cn_wide_sum sum = {0.0};
    for (int32_t i = first; i < first + count; i++) {
        for (int at = 0; at < CN_PACKET; at += CN_WIDE) {
            sum = cn_group_error(s, &s->packet[i], at, x, sum);
        }
    }
    return cn_wide_total(sum);
}

#define CN_MANIFOLD_KERNEL                                                                         \
    { .sweep = cn_manifold_sweep, .push = cn_manifold_push, .error = cn_manifold_error }
