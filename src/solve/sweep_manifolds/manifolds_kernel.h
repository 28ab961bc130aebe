// solve/sweep_manifolds/manifolds_kernel.h
// The kernel of solve/sweep_manifolds/manifolds.h, included by one source a kind of processor,
// which names it.
//
// The secular equation is solved by a fixed small number of Newton steps from the last multiplier;
// what is left of its error is left to the next sweep, since the answer is on the cone with u_N = 0
// whatever the multiplier.
#include "solve/drivers/natural_map_simd.h"
#include "solve/sweep_manifolds/manifolds.h"

// Lanes are two strands of CN_WIDE, which share no body: those of one batch, or two batches in a
// row.
#define CN_TOGETHER (2 * CN_WIDE / CN_BATCH)
#define CN_PARTS (CN_RIGID_RECORD / CN_WIDE)
// Points that memory is asked for ahead: as long as it takes to come, and not those of a batch
// that is under way.
#define CN_POINTS_AHEAD (CN_TOGETHER > 1 ? 8 : 6)
#define CN_BODIES_AHEAD 2 // batches

#if defined(CN_SINGLE)
#define CN_SECULAR_STEPS 2    // two or three
#define CN_SECULAR_MOST 1e15F // a multiplier without friction
typedef cn_rigid_point_float cn_point;
typedef cn_manifold_batch_float cn_batch;
#else
#define CN_SECULAR_STEPS 3
#define CN_SECULAR_MOST 1e100
typedef cn_rigid_point cn_point;
typedef cn_manifold_batch cn_batch;
#endif

// The two bodies of a group of lanes.
typedef struct cn_wide_pair {
    cn_wide3 va, wa, vb, wb;
} cn_wide_pair;

// Records are loaded whole, CN_PARTS times CN_WIDE numbers, and turned.
CN_INLINE void cn_fetch(const cn_real *body, const int32_t *at, cn_wide3 *v, cn_wide3 *w) {
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
CN_INLINE void cn_put(cn_real *body, const int32_t *at, cn_wide3 v, cn_wide3 w) {
    cn_wide zero = cn_wide_all(0);
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

CN_INLINE cn_wide_pair cn_fetch_pair(const cn_batch *batch, int at, const cn_real *body) {
    cn_wide_pair pair;
    cn_fetch(body, batch->a + at, &pair.va, &pair.wa);
    cn_fetch(body, batch->b + at, &pair.vb, &pair.wb);
    return pair;
}

CN_INLINE void cn_put_pair(const cn_batch *batch, int at, cn_wide_pair pair, cn_real *body) {
    cn_put(body, batch->a + at, pair.va, pair.wa);
    cn_put(body, batch->b + at, pair.vb, pair.wb);
}

CN_INLINE cn_wide3 cn_symmetric_apply(const cn_real inverse[6][CN_BATCH], int at, cn_wide3 x) {
    cn_wide xy = cn_wide_load(&inverse[1][at]), xz = cn_wide_load(&inverse[2][at]),
            yz = cn_wide_load(&inverse[4][at]);
    return (cn_wide3){cn_wide_load(&inverse[0][at]) * x.x + xy * x.y + xz * x.z,
                      xy * x.x + cn_wide_load(&inverse[3][at]) * x.y + yz * x.z,
                      xz * x.x + yz * x.y + cn_wide_load(&inverse[5][at]) * x.z};
}

// u of a point in contact axes.
CN_INLINE cn_wide3 cn_point_velocity(const cn_point *point, int at, const cn_wide_pair *pair) {
    cn_wide3 n = cn_wide3_load(&point->n[0][at], CN_BATCH),
             t = cn_wide3_load(&point->t[0][at], CN_BATCH);
    cn_wide3 a = cn_wide3_load(&point->arm_a[0][at], CN_BATCH),
             b = cn_wide3_load(&point->arm_b[0][at], CN_BATCH);
    cn_wide3 dv = cn_wide3_sub(cn_wide3_sum(pair->vb, cn_wide3_cross(pair->wb, b)),
                               cn_wide3_sum(pair->va, cn_wide3_cross(pair->wa, a)));
    cn_wide3 q = cn_wide3_load(&point->q[0][at], CN_BATCH);
    return (cn_wide3){cn_wide3_dot(dv, n) + q.x, cn_wide3_dot(dv, t) + q.y,
                      cn_wide3_dot(dv, cn_wide3_cross(n, t)) + q.z};
}

// The bodies under a change d of the point's impulse, in contact axes.
CN_INLINE void cn_point_push(const cn_batch *batch, const cn_point *point, int at, cn_wide3 d,
                             cn_wide_pair *pair) {
    cn_wide3 n = cn_wide3_load(&point->n[0][at], CN_BATCH),
             t = cn_wide3_load(&point->t[0][at], CN_BATCH), s = cn_wide3_cross(n, t);
    cn_wide3 a = cn_wide3_load(&point->arm_a[0][at], CN_BATCH),
             b = cn_wide3_load(&point->arm_b[0][at], CN_BATCH);
    cn_wide3 push = {d.x * n.x + d.y * t.x + d.z * s.x, d.x * n.y + d.y * t.y + d.z * s.y,
                     d.x * n.z + d.y * t.z + d.z * s.z};
    pair->va = cn_wide3_add(pair->va, -cn_wide_load(&batch->inv_mass_a[at]), push);
    pair->vb = cn_wide3_add(pair->vb, cn_wide_load(&batch->inv_mass_b[at]), push);
    cn_wide3 spin_a = cn_symmetric_apply(batch->inv_inertia_a, at, cn_wide3_cross(a, push));
    cn_wide3 spin_b = cn_symmetric_apply(batch->inv_inertia_b, at, cn_wide3_cross(b, push));
    pair->wa = cn_wide3_sub(pair->wa, spin_a);
    pair->wb = cn_wide3_sum(pair->wb, spin_b);
}

// A group's points as the secular equation has them (solve/local/local_secular.h).
typedef struct cn_point_plane {
    cn_wide c, b1, b2, h1, h2; // r = 0: what presses, and the slip with and without the plane's S
    cn_wide m1, m2, mb;        // mu W_NT/W_NN, and its product with b
    cn_wide trace;             // of S
    cn_wide Q[3], N2[3];       // coefficients of Q(l), and of N(l)^2 with its middle one halved
    cn_wide_mask press, slide;
    cn_wide3 answer; // in the end; until then, what would make it stick
} cn_point_plane;

CN_INLINE cn_point_plane cn_point_open(const cn_point *point, int at, cn_wide3 u, cn_wide3 r) {
    cn_point_plane p;
    cn_wide zero = cn_wide_all(0), mu = cn_wide_load(&point->mu[at]);
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
    cn_wide inv_det = cn_wide_all(1) / det;
    p.answer.y = -p.h1 * inv_det;
    p.answer.z = -p.h2 * inv_det;
    p.answer.x = p.c - (nt1 * p.answer.y + nt2 * p.answer.z);
    p.mb = mb;
    p.trace = trace;
    return p;
}

// A first multiplier, near where Q and N are as good as straight.
CN_INLINE cn_wide cn_point_guess(const cn_point_plane *p) {
    cn_wide zero = cn_wide_all(0);
    cn_wide guess = (cn_wide_sqrt(p->N2[2]) - p->mb) / p->Q[2] - (p->trace - p->N2[1] / p->N2[2]);
    cn_wide_mask good = (guess > zero) & (guess <= cn_wide_all(CN_SECULAR_MOST));
    return cn_wide_select(good, guess, zero);
}

// Newton on Q(l) = N(l); a step that leaves the positive numbers halves l. The sixth powers in it
// are beyond a single, which divides by N(l)^2 first.
CN_INLINE cn_wide cn_point_newton(const cn_point_plane *p, cn_wide l) {
    const cn_wide *Q = p->Q, *N2 = p->N2, two = cn_wide_all(2), three = cn_wide_all(3);
    cn_wide n2 = N2[0] + l * (two * N2[1] + l * N2[2]), half_slope = N2[1] + l * N2[2];
    cn_wide value = Q[0] + l * (Q[1] + l * Q[2]), slope = Q[1] + two * l * Q[2];
#if defined(CN_SINGLE)
    cn_wide inverse = cn_wide_all(1) / n2, share = value * inverse, ratio = value * share;
    cn_wide top = ratio * ratio - cn_wide_all(1);
    cn_wide bottom = (three + ratio) * (share * slope - ratio * (half_slope * inverse));
#else
    cn_wide v2 = value * value;
    cn_wide top = (v2 - n2) * (v2 + n2) * n2;
    cn_wide bottom = (three * n2 + v2) * value * (slope * n2 - value * half_slope);
#endif
    cn_wide next = l - top / bottom;
    cn_wide_mask good = (next >= cn_wide_all(0)) & (next <= cn_wide_all(CN_SECULAR_MOST));
    return cn_wide_select(good, next, cn_wide_all((cn_real)0.5) * l);
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

// A group of lanes on its way through the points of its batch. Of each it opens the point, finds
// the answer and pushes the bodies, in this order.
typedef struct cn_strand {
    const cn_batch *batch;
    int at;                // its first lane
    int way;               // 1: from the first point to the last, -1: back
    const cn_point *point; // where it is
    cn_real *x, *slip;     // the point's impulses and multipliers, of these lanes
    cn_wide_pair pair;
    cn_wide3 r, u; // of the point when it was opened
    cn_point_plane plane;
} cn_strand;

// The lanes from at of batch i.
CN_INLINE cn_strand cn_strand_begin(const cn_manifolds *s, int32_t i, int at, int way, cn_real *x) {
    const cn_batch *batch = (const cn_batch *)s->batch + i;
    int64_t first = s->span[i].first + (way < 0 ? s->span[i].points - 1 : 0);
    return (cn_strand){.batch = batch,
                       .at = at,
                       .way = way,
                       .point = (const cn_point *)s->point + first,
                       .x = x + CN_POINT_IMPULSES * first + at,
                       .slip = (cn_real *)s->slip + CN_BATCH * first + at,
                       .pair = cn_fetch_pair(batch, at, s->body)};
}

CN_INLINE void cn_strand_approach(cn_strand *strand) {
    strand->r = cn_wide3_load(strand->x, CN_BATCH);
    strand->u = cn_point_velocity(strand->point, strand->at, &strand->pair);
}

CN_INLINE void cn_strand_open(cn_strand *strand) {
    strand->plane = cn_point_open(strand->point, strand->at, strand->u, strand->r);
}

// The answer takes effect, and the strand goes on to the next point.
CN_INLINE void cn_strand_push(cn_strand *strand) {
    const cn_point_plane *plane = &strand->plane;
    cn_wide zero = cn_wide_all(0);
    cn_wide3 next = {cn_wide_select(plane->press, plane->answer.x, zero),
                     cn_wide_select(plane->press, plane->answer.y, zero),
                     cn_wide_select(plane->press, plane->answer.z, zero)};
    next = cn_wide3_clean(next);
    cn_wide3_store(strand->x, CN_BATCH, next);
    cn_point_push(strand->batch, strand->point, strand->at, cn_wide3_sub(next, strand->r),
                  &strand->pair);
    strand->point += strand->way;
    strand->x += strand->way * CN_POINT_IMPULSES;
    strand->slip += strand->way * CN_BATCH;
}

// The multiplier of a point that slides, to begin with: the last one, or a guess.
CN_INLINE cn_wide cn_strand_guess(const cn_strand *strand) {
    cn_wide l = cn_wide_load(strand->slip);
    cn_wide_mask fresh = strand->plane.slide & ~(l > cn_wide_all(0));
    return cn_wide_any(fresh) ? cn_wide_select(fresh, cn_point_guess(&strand->plane), l) : l;
}

// What the other strand does meanwhile.
typedef enum cn_meanwhile { CN_RESTS = 0, CN_PUSHES = 1, CN_OPENS = 2 } cn_meanwhile;

// One strand finds the answer of its point: open, sticking or sliding. That is a chain of roots and
// quotients that wait for each other, so the other strand's sums are strewn among them.
CN_INLINE void cn_strand_answer(cn_strand *strand, cn_strand *other, int meanwhile) {
    cn_point_plane *plane = &strand->plane;
    cn_wide zero = cn_wide_all(0);
    if (!cn_wide_any(plane->slide)) {
        cn_wide_store(strand->slip, zero);
        if (meanwhile & CN_PUSHES) {
            cn_strand_push(other);
        }
        if (meanwhile & CN_OPENS) {
            cn_strand_approach(other);
            cn_strand_open(other);
        }
        return;
    }
    cn_wide l = cn_strand_guess(strand);
    l = cn_point_newton(plane, l);
    if (meanwhile & CN_PUSHES) {
        cn_strand_push(other);
    }
    l = cn_point_newton(plane, l);
    if (meanwhile & CN_OPENS) {
        cn_strand_approach(other);
    }
    if (CN_SECULAR_STEPS > 2) {
        l = cn_point_newton(plane, l);
    }
    if (meanwhile & CN_OPENS) {
        cn_strand_open(other);
    }
    plane->answer = cn_point_slide(plane, cn_wide_load(&strand->point->mu[strand->at]), l);
    cn_wide_store(strand->slip, cn_wide_clean(cn_wide_select(plane->slide, l, zero)));
}

// Asks for the numbers of a point some points ahead.
CN_INLINE void cn_points_ahead(const cn_strand *strand) {
    int ahead = CN_POINTS_AHEAD * strand->way;
    cn_ask_for(strand->point + ahead, sizeof *strand->point);
    cn_ask_for(strand->x + ahead * CN_POINT_IMPULSES, CN_POINT_IMPULSES * sizeof *strand->x);
    cn_ask_for(strand->slip + ahead * CN_BATCH, CN_BATCH * sizeof *strand->slip);
}

// The same for the second strand, unless it has the first one's points.
CN_INLINE void cn_other_points_ahead(const cn_strand *strand) {
    if (CN_TOGETHER > 1) {
        cn_points_ahead(strand);
    }
}

// Asks for the bodies of a batch some batches ahead, and for the batch behind it.
CN_INLINE void cn_bodies_ahead(const cn_batch *batch, int way, const cn_real *body) {
    const cn_batch *ahead = batch + CN_BODIES_AHEAD * way;
    cn_ask_for(ahead + CN_BODIES_AHEAD * way, sizeof *ahead);
    for (int lane = 0; lane < CN_BATCH; lane++) {
        cn_ask_for(body + ahead->a[lane], CN_RIGID_RECORD * sizeof *body);
        cn_ask_for(body + ahead->b[lane], CN_RIGID_RECORD * sizeof *body);
    }
}

// A strand by itself.
CN_INLINE void cn_strand_run(cn_strand *strand, int32_t points) {
    for (int32_t k = 0; k < points; k++) {
        cn_points_ahead(strand);
        cn_strand_approach(strand);
        cn_strand_open(strand);
        cn_strand_answer(strand, NULL, CN_RESTS);
        cn_strand_push(strand);
    }
}

// Two strands, which share no body, half a point apart.
CN_INLINE void cn_strands_run(cn_strand *first, cn_strand *second, int32_t points) {
    cn_points_ahead(first);
    cn_strand_approach(first);
    cn_strand_open(first);
    cn_strand_answer(first, second, CN_OPENS);
    for (int32_t k = 1; k < points; k++) {
        cn_other_points_ahead(second);
        cn_strand_answer(second, first, CN_PUSHES | CN_OPENS);
        cn_points_ahead(first);
        cn_strand_answer(first, second, CN_PUSHES | CN_OPENS);
    }
    cn_other_points_ahead(second);
    cn_strand_answer(second, first, CN_PUSHES);
    cn_strand_push(second);
}

// Batch i, or the two from it: first the points that both strands have, then those of the longer.
CN_INLINE void cn_batches_solve(cn_manifolds *s, int32_t i, int way, cn_real *x) {
    int32_t other = i + way * (CN_TOGETHER - 1);
    cn_strand first = cn_strand_begin(s, i, 0, way, x),
              second = cn_strand_begin(s, other, CN_BATCH - CN_WIDE, way, x);
    int32_t points = s->span[i].points, others = s->span[other].points,
            both = points < others ? points : others;
    if (both > 0) {
        cn_strands_run(&first, &second, both);
    }
    if (CN_TOGETHER > 1) {
        cn_strand_run(&first, points - both);
        cn_strand_run(&second, others - both);
    }
    cn_put_pair(first.batch, first.at, first.pair, s->body);
    cn_put_pair(second.batch, second.at, second.pair, s->body);
}

// count batches, from the first to the last or back.
CN_INLINE void cn_sweep_along(cn_manifolds *s, int32_t first, int32_t count, int way, cn_real *x) {
    const cn_batch *batch = s->batch;
    int32_t i = way < 0 ? first + count - 1 : first, left = count;
    for (; left >= CN_TOGETHER; left -= CN_TOGETHER, i += way * CN_TOGETHER) {
        for (int32_t k = 0; k < CN_TOGETHER && k + CN_BODIES_AHEAD < left; k++) {
            cn_bodies_ahead(&batch[i + way * k], way, s->body);
        }
        cn_batches_solve(s, i, way, x);
    }
    if (left > 0) {
        cn_strand last = cn_strand_begin(s, i, 0, way, x);
        cn_strand_run(&last, s->span[i].points);
        cn_put_pair(last.batch, 0, last.pair, s->body);
    }
}

static void cn_manifold_sweep(cn_manifolds *s, int32_t first, int32_t count, void *x) {
    cn_sweep_along(s, first, count, 1, x);
}

static void cn_manifold_sweep_back(cn_manifolds *s, int32_t first, int32_t count, void *x) {
    cn_sweep_along(s, first, count, -1, x);
}

static void cn_manifold_beyond(double share, int64_t first, int64_t end, const void *from,
                               void *to) {
    const cn_real *restrict x = from, part = (cn_real)share;
    cn_real *restrict y = to;
    for (int64_t i = first; i < end; i++) {
        y[i] = x[i] + part * (x[i] - y[i]);
    }
}

static void cn_manifold_push(cn_manifolds *s, int32_t first, int32_t count, const void *x) {
    for (int32_t i = first; i < first + count; i++) {
        const cn_batch *batch = (const cn_batch *)s->batch + i;
        const cn_manifold_span *span = &s->span[i];
        for (int at = 0; at < CN_BATCH; at += CN_WIDE) {
            cn_wide_pair pair = cn_fetch_pair(batch, at, s->body);
            for (int64_t k = span->first; k < span->first + span->points; k++) {
                const cn_real *own = (const cn_real *)x + CN_POINT_IMPULSES * k + at;
                cn_wide3 r = cn_wide3_load(own, CN_BATCH);
                cn_point_push(batch, (const cn_point *)s->point + k, at, r, &pair);
            }
            cn_put_pair(batch, at, pair, s->body);
        }
    }
}

// Lanes' sums. Doubles know |x| from elsewhere and no round-off.
typedef struct cn_manifold_lanes {
    cn_wide_sum error, force, moved;
} cn_manifold_lanes;

// What a group's points add, in the order of the points for each lane of the sum.
CN_INLINE void cn_group_measure(const cn_manifolds *s, int32_t i, int at, const cn_real *x,
                                cn_manifold_lanes *sums) {
    cn_wide_pair pair = cn_fetch_pair((const cn_batch *)s->batch + i, at, s->body);
    cn_wide zero = cn_wide_all(0), term[CN_MANIFOLD_POINTS];
    int32_t points = s->span[i].points;
    for (int32_t k = 0; k < points; k++) {
        int64_t place = s->span[i].first + k;
        const cn_point *point = (const cn_point *)s->point + place;
        cn_wide3 u = cn_point_velocity(point, at, &pair);
        cn_wide3 r = cn_wide3_load(x + CN_POINT_IMPULSES * place + at, CN_BATCH);
        cn_wide3 ut = {u.y, u.z, zero}, rt = {r.y, r.z, zero};
        cn_wide rho = cn_wide_load(&point->rho[at]);
        term[k] = cn_wide_natural(cn_wide_load(&point->mu[at]), rho, u.x, ut, r.x, rt);
#if defined(CN_SINGLE)
        cn_wide force = cn_wide3_dot(r, r);
        sums->force += force;
        sums->moved += force / (rho * rho);
#endif
    }
    for (int part = 0; part < CN_SUM_PARTS; part++) {
        for (int32_t k = 0; k < points; k++) {
            sums->error += cn_wide_terms(term[k], part);
        }
    }
}

static gs_error_sums cn_manifold_error(const cn_manifolds *s, int32_t first, int32_t count,
                                       const void *x) {
    cn_manifold_lanes sums = {.error = {0}};
    gs_error_sums total = {.error = 0.0};
    for (int32_t i = first; i < first + count; i++) {
        for (int at = 0; at < CN_BATCH; at += CN_WIDE) {
            cn_group_measure(s, i, at, x, &sums);
        }
        // What is small in a large set would be lost to floats.
        if (sizeof(cn_real) < sizeof(double) || i + 1 == first + count) {
            total.error += cn_wide_total(sums.error);
            total.force += cn_wide_total(sums.force);
            total.moved += cn_wide_total(sums.moved);
            sums = (cn_manifold_lanes){.error = {0}};
        }
    }
    return total;
}

#define CN_MANIFOLD_KERNEL                                                                         \
    {                                                                                              \
        .number = sizeof(cn_real), .batch = sizeof(cn_batch), .point = sizeof(cn_point),           \
        .sweep = cn_manifold_sweep, .sweep_back = cn_manifold_sweep_back,                          \
        .beyond = cn_manifold_beyond, .push = cn_manifold_push, .error = cn_manifold_error         \
    }
