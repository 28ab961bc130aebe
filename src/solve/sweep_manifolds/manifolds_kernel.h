// solve/sweep_manifolds/manifolds_kernel.h
// The kernel of solve/sweep_manifolds/manifolds.h, included by one source a kind of processor,
// which names it.
//
// The secular equation is solved by a fixed small number of Newton steps from the last multiplier;
// what is left of its error is left to the next sweep, since the answer is on the cone with u_N = 0
// whatever the multiplier.
#include "solve/drivers/natural_map_simd.h"
#include "solve/sweep_manifolds/manifolds.h"

// Lanes are two strands of MATH_WIDE, which share no body: those of one batch, or two batches in a
// row.
#define GS_TOGETHER (2 * MATH_WIDE / GS_BATCH)
#define GS_PARTS (GS_RIGID_RECORD / MATH_WIDE)
// Points that memory is asked for ahead: as long as it takes to come, and not those of a batch
// that is under way.
#define GS_POINTS_AHEAD (GS_TOGETHER > 1 ? 8 : 6)
#define GS_BODIES_AHEAD 2 // batches

#if defined(MATH_SINGLE)
#define GS_SECULAR_STEPS 2   // two or three
#define GS_SECULAR_MAX 1e15F // a multiplier without friction
typedef gs_rigid_point_float gs_point;
typedef gs_manifold_batch_float gs_batch;
#else
#define GS_SECULAR_STEPS 3
#define GS_SECULAR_MAX 1e100
typedef gs_rigid_point gs_point;
typedef gs_manifold_batch gs_batch;
#endif

// The two bodies of a group of lanes.
typedef struct gs_wide_pair {
    math_wide3 va, wa, vb, wb;
} gs_wide_pair;

// Records are loaded whole, GS_PARTS times MATH_WIDE numbers, and turned.
MATH_INLINE void gs_fetch(const math_real *body, const int32_t *at, math_wide3 *v, math_wide3 *w) {
    math_wide row[GS_RIGID_RECORD];
    for (int part = 0; part < GS_PARTS; part++) {
        for (int lane = 0; lane < MATH_WIDE; lane++) {
            row[MATH_WIDE * part + lane] = math_wide_load(body + at[lane] + MATH_WIDE * part);
        }
        math_wide_transpose(row + MATH_WIDE * part);
    }
    *v = (math_wide3){row[0], row[1], row[2]};
    *w = (math_wide3){row[4], row[5], row[6]};
}

// The static record takes what it had: its velocities never change, since its inverse mass is zero.
MATH_INLINE void gs_put(math_real *body, const int32_t *at, math_wide3 v, math_wide3 w) {
    math_wide zero = math_wide_all(0);
    math_wide row[GS_RIGID_RECORD] = {v.x, v.y, v.z, zero, w.x, w.y, w.z, zero};
    for (int part = 0; part < GS_PARTS; part++) {
        math_wide_transpose(row + MATH_WIDE * part);
    }
    for (int lane = 0; lane < MATH_WIDE; lane++) {
        for (int part = 0; part < GS_PARTS; part++) {
            math_wide_store(body + at[lane] + MATH_WIDE * part, row[MATH_WIDE * part + lane]);
        }
    }
}

MATH_INLINE gs_wide_pair gs_fetch_pair(const gs_batch *batch, int at, const math_real *body) {
    gs_wide_pair pair;
    gs_fetch(body, batch->a + at, &pair.va, &pair.wa);
    gs_fetch(body, batch->b + at, &pair.vb, &pair.wb);
    return pair;
}

MATH_INLINE void gs_put_pair(const gs_batch *batch, int at, gs_wide_pair pair, math_real *body) {
    gs_put(body, batch->a + at, pair.va, pair.wa);
    gs_put(body, batch->b + at, pair.vb, pair.wb);
}

MATH_INLINE math_wide3 gs_symmetric_apply(const math_real inverse[6][GS_BATCH], int at,
                                          math_wide3 x) {
    math_wide xy = math_wide_load(&inverse[1][at]), xz = math_wide_load(&inverse[2][at]),
              yz = math_wide_load(&inverse[4][at]);
    return (math_wide3){math_wide_load(&inverse[0][at]) * x.x + xy * x.y + xz * x.z,
                        xy * x.x + math_wide_load(&inverse[3][at]) * x.y + yz * x.z,
                        xz * x.x + yz * x.y + math_wide_load(&inverse[5][at]) * x.z};
}

// u of a point in contact axes.
MATH_INLINE math_wide3 gs_point_velocity(const gs_point *point, int at, const gs_wide_pair *pair) {
    math_wide3 n = math_wide3_load(&point->n[0][at], GS_BATCH),
               t = math_wide3_load(&point->t[0][at], GS_BATCH);
    math_wide3 a = math_wide3_load(&point->arm_a[0][at], GS_BATCH),
               b = math_wide3_load(&point->arm_b[0][at], GS_BATCH);
    math_wide3 dv = math_wide3_sub(math_wide3_sum(pair->vb, math_wide3_cross(pair->wb, b)),
                                   math_wide3_sum(pair->va, math_wide3_cross(pair->wa, a)));
    math_wide3 q = math_wide3_load(&point->q[0][at], GS_BATCH);
    return (math_wide3){math_wide3_dot(dv, n) + q.x, math_wide3_dot(dv, t) + q.y,
                        math_wide3_dot(dv, math_wide3_cross(n, t)) + q.z};
}

// The bodies under a change d of the point's impulse, in contact axes.
MATH_INLINE void gs_point_push(const gs_batch *batch, const gs_point *point, int at, math_wide3 d,
                               gs_wide_pair *pair) {
    math_wide3 n = math_wide3_load(&point->n[0][at], GS_BATCH),
               t = math_wide3_load(&point->t[0][at], GS_BATCH), s = math_wide3_cross(n, t);
    math_wide3 a = math_wide3_load(&point->arm_a[0][at], GS_BATCH),
               b = math_wide3_load(&point->arm_b[0][at], GS_BATCH);
    math_wide3 push = {d.x * n.x + d.y * t.x + d.z * s.x, d.x * n.y + d.y * t.y + d.z * s.y,
                       d.x * n.z + d.y * t.z + d.z * s.z};
    pair->va = math_wide3_add(pair->va, -math_wide_load(&batch->inv_mass_a[at]), push);
    pair->vb = math_wide3_add(pair->vb, math_wide_load(&batch->inv_mass_b[at]), push);
    math_wide3 spin_a = gs_symmetric_apply(batch->inv_inertia_a, at, math_wide3_cross(a, push));
    math_wide3 spin_b = gs_symmetric_apply(batch->inv_inertia_b, at, math_wide3_cross(b, push));
    pair->wa = math_wide3_sub(pair->wa, spin_a);
    pair->wb = math_wide3_sum(pair->wb, spin_b);
}

// A group's points as the secular equation has them (solve/local/local_secular.h).
typedef struct gs_point_plane {
    math_wide c, b1, b2, h1, h2; // r = 0: what presses, and the slip with and without the plane's S
    math_wide m1, m2, mb;        // mu W_NT/W_NN, and its product with b
    math_wide trace;             // of S
    math_wide Q[3], N2[3];       // coefficients of Q(l), and of N(l)^2 with its middle one halved
    math_wide_mask press, slide;
    math_wide3 answer; // in the end; until then, what would make it stick
} gs_point_plane;

MATH_INLINE gs_point_plane gs_point_open(const gs_point *point, int at, math_wide3 u,
                                         math_wide3 r) {
    gs_point_plane p;
    math_wide zero = math_wide_all(0), mu = math_wide_load(&point->mu[at]);
    math_wide nt1 = math_wide_load(&point->nt[0][at]), nt2 = math_wide_load(&point->nt[1][at]);
    math_wide S11 = math_wide_load(&point->S[0][at]), S12 = math_wide_load(&point->S[1][at]),
              S22 = math_wide_load(&point->S[2][at]);
    p.c = r.x + (nt1 * r.y + nt2 * r.z) - u.x * math_wide_load(&point->inv_nn[at]);
    p.b1 = u.y - nt1 * u.x - (S11 * r.y + S12 * r.z);
    p.b2 = u.z - nt2 * u.x - (S12 * r.y + S22 * r.z);
    p.h1 = S22 * p.b1 - S12 * p.b2;
    p.h2 = S11 * p.b2 - S12 * p.b1;
    p.m1 = mu * nt1;
    p.m2 = mu * nt2;
    math_wide det = S11 * S22 - S12 * S12, trace = S11 + S22;
    math_wide limit = mu * p.c, mb = p.m1 * p.b1 + p.m2 * p.b2;
    p.Q[0] = limit * det + (p.m1 * p.h1 + p.m2 * p.h2);
    p.Q[1] = limit * trace + mb;
    p.Q[2] = limit;
    p.N2[0] = p.h1 * p.h1 + p.h2 * p.h2;
    p.N2[1] = p.h1 * p.b1 + p.h2 * p.b2;
    p.N2[2] = p.b1 * p.b1 + p.b2 * p.b2;
    p.press = p.c > zero;
    p.slide = p.press & ~((p.Q[0] >= zero) & (p.N2[0] <= p.Q[0] * p.Q[0]));
    math_wide inv_det = math_wide_all(1) / det;
    p.answer.y = -p.h1 * inv_det;
    p.answer.z = -p.h2 * inv_det;
    p.answer.x = p.c - (nt1 * p.answer.y + nt2 * p.answer.z);
    p.mb = mb;
    p.trace = trace;
    return p;
}

// A first multiplier, near where Q and N are as good as straight.
MATH_INLINE math_wide gs_point_guess(const gs_point_plane *p) {
    math_wide zero = math_wide_all(0);
    math_wide guess =
        (math_wide_sqrt(p->N2[2]) - p->mb) / p->Q[2] - (p->trace - p->N2[1] / p->N2[2]);
    math_wide_mask good = (guess > zero) & (guess <= math_wide_all(GS_SECULAR_MAX));
    return math_wide_select(good, guess, zero);
}

// Newton on Q(l) = N(l); a step that leaves the positive numbers halves l. The sixth powers in it
// are beyond a single, which divides by N(l)^2 first.
MATH_INLINE math_wide gs_point_newton(const gs_point_plane *p, math_wide l) {
    const math_wide *Q = p->Q, *N2 = p->N2, two = math_wide_all(2), three = math_wide_all(3);
    math_wide n2 = N2[0] + l * (two * N2[1] + l * N2[2]), half_slope = N2[1] + l * N2[2];
    math_wide value = Q[0] + l * (Q[1] + l * Q[2]), slope = Q[1] + two * l * Q[2];
#if defined(MATH_SINGLE)
    math_wide inverse = math_wide_all(1) / n2, share = value * inverse, ratio = value * share;
    math_wide top = ratio * ratio - math_wide_all(1);
    math_wide bottom = (three + ratio) * (share * slope - ratio * (half_slope * inverse));
#else
    math_wide v2 = value * value;
    math_wide top = (v2 - n2) * (v2 + n2) * n2;
    math_wide bottom = (three * n2 + v2) * value * (slope * n2 - value * half_slope);
#endif
    math_wide next = l - top / bottom;
    math_wide_mask good = (next >= math_wide_all(0)) & (next <= math_wide_all(GS_SECULAR_MAX));
    return math_wide_select(good, next, math_wide_all((math_real)0.5) * l);
}

// The answer with the multiplier l where it slides, what it was elsewhere.
MATH_INLINE math_wide3 gs_point_slide(const gs_point_plane *p, math_wide mu, math_wide l) {
    math_wide g1 = p->h1 + l * p->b1, g2 = p->h2 + l * p->b2;
    math_wide length = math_wide_sqrt(g1 * g1 + g2 * g2);
    math_wide share = p->c / (length - (p->m1 * g1 + p->m2 * g2));
    return (math_wide3){math_wide_select(p->slide, share * length, p->answer.x),
                        math_wide_select(p->slide, -mu * share * g1, p->answer.y),
                        math_wide_select(p->slide, -mu * share * g2, p->answer.z)};
}

// A group of lanes on its way through the points of its batch. Of each it opens the point, finds
// the answer and pushes the bodies, in this order.
typedef struct gs_strand {
    const gs_batch *batch;
    int at;                // its first lane
    int way;               // 1: from the first point to the last, -1: back
    const gs_point *point; // where it is
    math_real *x, *slip;   // the point's impulses and multipliers, of these lanes
    gs_wide_pair pair;
    math_wide3 r, u; // of the point when it was opened
    gs_point_plane plane;
} gs_strand;

// The lanes from at of batch i.
MATH_INLINE gs_strand gs_strand_begin(const gs_manifolds *s, int32_t i, int at, int way,
                                      math_real *x) {
    const gs_batch *batch = (const gs_batch *)s->batch + i;
    int64_t first = s->span[i].first + (way < 0 ? s->span[i].points - 1 : 0);
    return (gs_strand){.batch = batch,
                       .at = at,
                       .way = way,
                       .point = (const gs_point *)s->point + first,
                       .x = x + GS_POINT_IMPULSES * first + at,
                       .slip = (math_real *)s->slip + GS_BATCH * first + at,
                       .pair = gs_fetch_pair(batch, at, s->body)};
}

MATH_INLINE void gs_strand_approach(gs_strand *strand) {
    strand->r = math_wide3_load(strand->x, GS_BATCH);
    strand->u = gs_point_velocity(strand->point, strand->at, &strand->pair);
}

MATH_INLINE void gs_strand_open(gs_strand *strand) {
    strand->plane = gs_point_open(strand->point, strand->at, strand->u, strand->r);
}

// The answer takes effect, and the strand goes on to the next point.
MATH_INLINE void gs_strand_push(gs_strand *strand) {
    const gs_point_plane *plane = &strand->plane;
    math_wide zero = math_wide_all(0);
    math_wide3 next = {math_wide_select(plane->press, plane->answer.x, zero),
                       math_wide_select(plane->press, plane->answer.y, zero),
                       math_wide_select(plane->press, plane->answer.z, zero)};
    next = math_wide3_clean(next);
    math_wide3_store(strand->x, GS_BATCH, next);
    gs_point_push(strand->batch, strand->point, strand->at, math_wide3_sub(next, strand->r),
                  &strand->pair);
    strand->point += strand->way;
    strand->x += strand->way * GS_POINT_IMPULSES;
    strand->slip += strand->way * GS_BATCH;
}

// The multiplier of a point that slides, to begin with: the last one, or a guess.
MATH_INLINE math_wide gs_strand_guess(const gs_strand *strand) {
    math_wide l = math_wide_load(strand->slip);
    math_wide_mask fresh = strand->plane.slide & ~(l > math_wide_all(0));
    return math_wide_any(fresh) ? math_wide_select(fresh, gs_point_guess(&strand->plane), l) : l;
}

// What the other strand does meanwhile.
typedef enum gs_meanwhile { GS_RESTS = 0, GS_PUSHES = 1, GS_OPENS = 2 } gs_meanwhile;

// One strand finds the answer of its point: open, sticking or sliding. That is a chain of roots and
// quotients that wait for each other, so the other strand's sums are strewn among them.
MATH_INLINE void gs_strand_answer(gs_strand *strand, gs_strand *other, int meanwhile) {
    gs_point_plane *plane = &strand->plane;
    math_wide zero = math_wide_all(0);
    if (!math_wide_any(plane->slide)) {
        math_wide_store(strand->slip, zero);
        if (meanwhile & GS_PUSHES) {
            gs_strand_push(other);
        }
        if (meanwhile & GS_OPENS) {
            gs_strand_approach(other);
            gs_strand_open(other);
        }
        return;
    }
    math_wide l = gs_strand_guess(strand);
    l = gs_point_newton(plane, l);
    if (meanwhile & GS_PUSHES) {
        gs_strand_push(other);
    }
    l = gs_point_newton(plane, l);
    if (meanwhile & GS_OPENS) {
        gs_strand_approach(other);
    }
    if (GS_SECULAR_STEPS > 2) {
        l = gs_point_newton(plane, l);
    }
    if (meanwhile & GS_OPENS) {
        gs_strand_open(other);
    }
    plane->answer = gs_point_slide(plane, math_wide_load(&strand->point->mu[strand->at]), l);
    math_wide_store(strand->slip, math_wide_clean(math_wide_select(plane->slide, l, zero)));
}

// Asks for the numbers of a point some points ahead.
MATH_INLINE void gs_points_ahead(const gs_strand *strand) {
    int ahead = GS_POINTS_AHEAD * strand->way;
    math_ask_for(strand->point + ahead, sizeof *strand->point);
    math_ask_for(strand->x + ahead * GS_POINT_IMPULSES, GS_POINT_IMPULSES * sizeof *strand->x);
    math_ask_for(strand->slip + ahead * GS_BATCH, GS_BATCH * sizeof *strand->slip);
}

// The same for the second strand, unless it has the first one's points.
MATH_INLINE void gs_other_points_ahead(const gs_strand *strand) {
    if (GS_TOGETHER > 1) {
        gs_points_ahead(strand);
    }
}

// Asks for the bodies of a batch some batches ahead, and for the batch behind it.
MATH_INLINE void gs_bodies_ahead(const gs_batch *batch, int way, const math_real *body) {
    const gs_batch *ahead = batch + GS_BODIES_AHEAD * way;
    math_ask_for(ahead + GS_BODIES_AHEAD * way, sizeof *ahead);
    for (int lane = 0; lane < GS_BATCH; lane++) {
        math_ask_for(body + ahead->a[lane], GS_RIGID_RECORD * sizeof *body);
        math_ask_for(body + ahead->b[lane], GS_RIGID_RECORD * sizeof *body);
    }
}

// A strand by itself.
MATH_INLINE void gs_strand_run(gs_strand *strand, int32_t points) {
    for (int32_t k = 0; k < points; k++) {
        gs_points_ahead(strand);
        gs_strand_approach(strand);
        gs_strand_open(strand);
        gs_strand_answer(strand, NULL, GS_RESTS);
        gs_strand_push(strand);
    }
}

// Two strands, which share no body, half a point apart.
MATH_INLINE void gs_strands_run(gs_strand *first, gs_strand *second, int32_t points) {
    gs_points_ahead(first);
    gs_strand_approach(first);
    gs_strand_open(first);
    gs_strand_answer(first, second, GS_OPENS);
    for (int32_t k = 1; k < points; k++) {
        gs_other_points_ahead(second);
        gs_strand_answer(second, first, GS_PUSHES | GS_OPENS);
        gs_points_ahead(first);
        gs_strand_answer(first, second, GS_PUSHES | GS_OPENS);
    }
    gs_other_points_ahead(second);
    gs_strand_answer(second, first, GS_PUSHES);
    gs_strand_push(second);
}

// Batch i, or the two from it: first the points that both strands have, then those of the longer.
MATH_INLINE void gs_batches_solve(gs_manifolds *s, int32_t i, int way, math_real *x) {
    int32_t other = i + way * (GS_TOGETHER - 1);
    gs_strand first = gs_strand_begin(s, i, 0, way, x),
              second = gs_strand_begin(s, other, GS_BATCH - MATH_WIDE, way, x);
    int32_t points = s->span[i].points, others = s->span[other].points,
            both = points < others ? points : others;
    if (both > 0) {
        gs_strands_run(&first, &second, both);
    }
    if (GS_TOGETHER > 1) {
        gs_strand_run(&first, points - both);
        gs_strand_run(&second, others - both);
    }
    gs_put_pair(first.batch, first.at, first.pair, s->body);
    gs_put_pair(second.batch, second.at, second.pair, s->body);
}

// count batches, from the first to the last or back.
MATH_INLINE void gs_sweep_along(gs_manifolds *s, int32_t first, int32_t count, int way,
                                math_real *x) {
    const gs_batch *batch = s->batch;
    int32_t i = way < 0 ? first + count - 1 : first, left = count;
    for (; left >= GS_TOGETHER; left -= GS_TOGETHER, i += way * GS_TOGETHER) {
        for (int32_t k = 0; k < GS_TOGETHER && k + GS_BODIES_AHEAD < left; k++) {
            gs_bodies_ahead(&batch[i + way * k], way, s->body);
        }
        gs_batches_solve(s, i, way, x);
    }
    if (left > 0) {
        gs_strand last = gs_strand_begin(s, i, 0, way, x);
        gs_strand_run(&last, s->span[i].points);
        gs_put_pair(last.batch, 0, last.pair, s->body);
    }
}

static void gs_manifold_sweep(gs_manifolds *s, int32_t first, int32_t count, void *x) {
    gs_sweep_along(s, first, count, 1, x);
}

static void gs_manifold_sweep_back(gs_manifolds *s, int32_t first, int32_t count, void *x) {
    gs_sweep_along(s, first, count, -1, x);
}

static void gs_manifold_beyond(double share, int64_t first, int64_t end, const void *from,
                               void *to) {
    const math_real *restrict x = from, part = (math_real)share;
    math_real *restrict y = to;
    for (int64_t i = first; i < end; i++) {
        y[i] = x[i] + part * (x[i] - y[i]);
    }
}

static void gs_manifold_push(gs_manifolds *s, int32_t first, int32_t count, const void *x) {
    for (int32_t i = first; i < first + count; i++) {
        const gs_batch *batch = (const gs_batch *)s->batch + i;
        const gs_manifold_span *span = &s->span[i];
        for (int at = 0; at < GS_BATCH; at += MATH_WIDE) {
            gs_wide_pair pair = gs_fetch_pair(batch, at, s->body);
            for (int64_t k = span->first; k < span->first + span->points; k++) {
                const math_real *own = (const math_real *)x + GS_POINT_IMPULSES * k + at;
                math_wide3 r = math_wide3_load(own, GS_BATCH);
                gs_point_push(batch, (const gs_point *)s->point + k, at, r, &pair);
            }
            gs_put_pair(batch, at, pair, s->body);
        }
    }
}

// Lanes' sums. Doubles know |x| from elsewhere and no round-off.
typedef struct gs_manifold_lanes {
    math_wide_sum error, force, moved;
} gs_manifold_lanes;

// What a group's points add, in the order of the points for each lane of the sum.
MATH_INLINE void gs_group_measure(const gs_manifolds *s, int32_t i, int at, const math_real *x,
                                  gs_manifold_lanes *sums) {
    gs_wide_pair pair = gs_fetch_pair((const gs_batch *)s->batch + i, at, s->body);
    math_wide zero = math_wide_all(0), term[GS_MANIFOLD_POINTS];
    int32_t points = s->span[i].points;
    for (int32_t k = 0; k < points; k++) {
        int64_t place = s->span[i].first + k;
        const gs_point *point = (const gs_point *)s->point + place;
        math_wide3 u = gs_point_velocity(point, at, &pair);
        math_wide3 r = math_wide3_load(x + GS_POINT_IMPULSES * place + at, GS_BATCH);
        math_wide3 ut = {u.y, u.z, zero}, rt = {r.y, r.z, zero};
        math_wide rho = math_wide_load(&point->rho[at]);
        term[k] = solve_wide_natural(math_wide_load(&point->mu[at]), rho, u.x, ut, r.x, rt);
#if defined(MATH_SINGLE)
        math_wide force = math_wide3_dot(r, r);
        sums->force += force;
        sums->moved += force / (rho * rho);
#endif
    }
    for (int part = 0; part < MATH_SUM_PARTS; part++) {
        for (int32_t k = 0; k < points; k++) {
            sums->error += math_wide_terms(term[k], part);
        }
    }
}

static gs_error_sums gs_manifold_error(const gs_manifolds *s, int32_t first, int32_t count,
                                       const void *x) {
    gs_manifold_lanes sums = {.error = {0}};
    gs_error_sums total = {.error = 0.0};
    for (int32_t i = first; i < first + count; i++) {
        for (int at = 0; at < GS_BATCH; at += MATH_WIDE) {
            gs_group_measure(s, i, at, x, &sums);
        }
        // What is small in a large set would be lost to floats.
        if (sizeof(math_real) < sizeof(double) || i + 1 == first + count) {
            total.error += math_wide_total(sums.error);
            total.force += math_wide_total(sums.force);
            total.moved += math_wide_total(sums.moved);
            sums = (gs_manifold_lanes){.error = {0}};
        }
    }
    return total;
}

#define GS_MANIFOLD_KERNEL                                                                         \
    {                                                                                              \
        .number = sizeof(math_real), .batch = sizeof(gs_batch), .point = sizeof(gs_point),         \
        .sweep = gs_manifold_sweep, .sweep_back = gs_manifold_sweep_back,                          \
        .beyond = gs_manifold_beyond, .push = gs_manifold_push, .error = gs_manifold_error         \
    }
