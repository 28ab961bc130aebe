// solve/sweep_spheres/spheres_kernel.h
// The kernel of solve/sweep_spheres/spheres.h, included by one source a precision and kind of
// processor, which names it.
//
// A batch is GS_GROUPS groups of MATH_WIDE lanes. Body records are loaded whole, GS_PARTS times
// MATH_WIDE numbers, and turned, which beats gathering single numbers; the groups' statements
// alternate, so that one computes while the other waits.
#include "solve/drivers/natural_map_simd.h"
#include "solve/sweep_spheres/spheres.h"

#define GS_GROUPS (GS_BATCH / MATH_WIDE)
#define GS_PARTS (GS_SPHERE_RECORD / MATH_WIDE)
#define GS_BATCHES_AHEAD 8  // that memory is asked for: as long as it takes to come
#define GS_BODIES_AHEAD 4   // batches
#define GS_BATCHES_NEAR 400 // so few stay in the caches that are near, and need not be asked for

typedef struct gs_sphere_batch GS_SPHERE_BATCH(math_real) gs_sphere_batch;

// What multiplies the numbers of a part of a record: linear ones by sign, angular ones by arm.
MATH_INLINE math_wide gs_sphere_factor(int part, math_real sign, math_real arm) {
#if MATH_WIDE == GS_SPHERE_RECORD
    (void)part;
    return __builtin_shufflevector(math_wide_all(sign), math_wide_all(arm), 0, 1, 2, 3, 12, 13, 14,
                                   15);
#else
    return math_wide_all(part == 0 ? sign : arm);
#endif
}

// u of a group of lanes.
MATH_INLINE math_wide3 gs_sphere_velocity(const gs_sphere_batch *batch, int at, math_wide3 n,
                                          const math_real *body) {
    math_wide row[GS_SPHERE_RECORD];
    for (int part = 0; part < GS_PARTS; part++) {
        for (int lane = 0; lane < MATH_WIDE; lane++) {
            const math_real *a = body + batch->a[at + lane] + MATH_WIDE * part,
                            *b = body + batch->b[at + lane] + MATH_WIDE * part;
            row[MATH_WIDE * part + lane] =
                gs_sphere_factor(part, 1, batch->arm_b[at + lane]) * math_wide_load(b) +
                gs_sphere_factor(part, -1, batch->arm_a[at + lane]) * math_wide_load(a);
        }
        math_wide_transpose(row + MATH_WIDE * part);
    }
    math_wide3 s = {row[4], row[5], row[6]}, q = math_wide3_load(&batch->q[0][at], GS_BATCH);
    math_wide3 dv = {row[0] + q.x, row[1] + q.y, row[2] + q.z};
    return math_wide3_sub(dv, math_wide3_cross(s, n));
}

// One body under a change of its impulse, turned into a row.
MATH_INLINE void gs_sphere_move(int part, math_real sign, math_real arm, math_wide row,
                                math_real *record) {
    math_wide own = math_wide_load(record);
    math_wide share = gs_sphere_factor(part, sign, arm) * math_wide_last(own);
    math_wide_store(record, own - share * row);
}

// The bodies of a group under a change d of its impulses.
MATH_INLINE void gs_sphere_push(const gs_sphere_batch *batch, int at, math_wide3 n, math_wide3 d,
                                math_real *body) {
    math_wide3 turn = math_wide3_cross(n, d);
    math_wide zero = math_wide_all(0);
    math_wide row[GS_SPHERE_RECORD] = {d.x, d.y, d.z, zero, turn.x, turn.y, turn.z, zero};
    for (int part = 0; part < GS_PARTS; part++) {
        math_wide_transpose(row + MATH_WIDE * part);
    }
    for (int lane = 0; lane < MATH_WIDE; lane++) {
        math_real *a = body + batch->a[at + lane], *b = body + batch->b[at + lane];
        for (int part = 0; part < GS_PARTS; part++) {
            math_wide own = row[MATH_WIDE * part + lane];
            gs_sphere_move(part, 1, batch->arm_a[at + lane], own, a + MATH_WIDE * part);
            gs_sphere_move(part, -1, batch->arm_b[at + lane], own, b + MATH_WIDE * part);
        }
    }
}

// The closed form: the normal impulse that stops the approach, the tangential one that stops the
// slip, cut to the cone.
MATH_INLINE math_wide3 gs_sphere_solve(const gs_sphere_batch *batch, int at, math_wide3 n,
                                       math_wide3 u, math_wide3 r) {
    math_wide inv_wn = math_wide_load(&batch->inv_wn[at]),
              inv_wt = math_wide_load(&batch->inv_wt[at]);
    math_wide un = math_wide3_dot(u, n), rn = math_wide3_dot(r, n);
    math_wide normal = math_wide_positive(rn - un * inv_wn);
    math_wide3 t = math_wide3_add(math_wide3_add(r, -inv_wt, u), un * inv_wt - rn, n);
    math_wide limit = math_wide_load(&batch->mu[at]) * normal;
    math_wide length = math_wide_sqrt(math_wide3_dot(t, t));
    math_wide share = math_wide_select(length > limit, limit / length, math_wide_all(1));
    math_wide3 result = {share * t.x, share * t.y, share * t.z};
    return math_wide3_clean(math_wide3_add(result, normal, n));
}

// Normals and velocities of a batch.
MATH_INLINE void gs_sphere_fetch(const gs_sphere_batch *batch, const math_real *body,
                                 math_wide3 n[GS_GROUPS], math_wide3 u[GS_GROUPS]) {
    MATH_UNROLL
    for (int g = 0; g < GS_GROUPS; g++) {
        n[g] = math_wide3_load(&batch->n[0][MATH_WIDE * g], GS_BATCH);
        u[g] = gs_sphere_velocity(batch, MATH_WIDE * g, n[g], body);
    }
}

// Asks for a batch and its impulses some batches ahead, and for the bodies of a nearer one.
MATH_INLINE void gs_sphere_ahead(const gs_sphere_batch *batch, const math_real *x,
                                 const math_real *to, const math_real *body) {
    math_ask_for(batch + GS_BATCHES_AHEAD, sizeof *batch);
    math_ask_for(x + GS_BATCHES_AHEAD * GS_SPHERE_IMPULSES, GS_SPHERE_IMPULSES * sizeof *x);
    if (to != x) {
        math_ask_for(to + GS_BATCHES_AHEAD * GS_SPHERE_IMPULSES, GS_SPHERE_IMPULSES * sizeof *to);
    }
    const gs_sphere_batch *near = batch + GS_BODIES_AHEAD;
    for (int lane = 0; lane < GS_BATCH; lane++) {
        math_ask_for(body + near->a[lane], GS_SPHERE_RECORD * sizeof *body);
        math_ask_for(body + near->b[lane], GS_SPHERE_RECORD * sizeof *body);
    }
}

// to := one sweep from x, or, where they are not the same, from x + share (x - to).
MATH_INLINE void gs_sphere_sweep_to(int32_t batches, const gs_sphere_batch *batch, math_real share,
                                    const math_real *x, math_real *to, math_real *body) {
    if (batches == 0) {
        return;
    }
    // The next batch shares no body with this one: its velocities are fetched before this one's
    // impulses are known, so that neither waits for the other.
    math_wide3 n[GS_GROUPS], u[GS_GROUPS], next_n[GS_GROUPS], next_u[GS_GROUPS], d[GS_GROUPS];
    bool glides = x != to;
    gs_sphere_fetch(batch, body, n, u);
    int32_t asks = batches > GS_BATCHES_NEAR ? batches - GS_BODIES_AHEAD : 0;
    for (int32_t i = 0; i < batches;
         i++, batch++, x += GS_SPHERE_IMPULSES, to += GS_SPHERE_IMPULSES) {
        if (i < asks) {
            gs_sphere_ahead(batch, x, to, body);
        }
        MATH_UNROLL
        for (int g = 0; g < GS_GROUPS; g++) {
            math_wide3 r = math_wide3_load(x + MATH_WIDE * g, GS_BATCH);
            if (glides) {
                math_wide3 before = math_wide3_load(to + MATH_WIDE * g, GS_BATCH);
                r = math_wide3_add(r, math_wide_all(share), math_wide3_sub(r, before));
            }
            math_wide3 answer = gs_sphere_solve(batch, MATH_WIDE * g, n[g], u[g], r);
            d[g] = math_wide3_sub(answer, r);
            math_wide3_store(to + MATH_WIDE * g, GS_BATCH, answer);
        }
        gs_sphere_fetch(i + 1 < batches ? batch + 1 : batch, body, next_n, next_u);
        MATH_UNROLL
        for (int g = 0; g < GS_GROUPS; g++) {
            gs_sphere_push(batch, MATH_WIDE * g, n[g], d[g], body);
            n[g] = next_n[g];
            u[g] = next_u[g];
        }
    }
}

static void gs_sphere_sweep(int32_t batches, const void *first, void *x, void *records) {
    gs_sphere_sweep_to(batches, first, 0, x, x, records);
}

static void gs_sphere_momentum(int32_t batches, const void *first, double share, const void *x,
                               void *to, void *records) {
    gs_sphere_sweep_to(batches, first, (math_real)share, x, to, records);
}

// Masses are the same in both, and stay.
static void gs_sphere_drift(int32_t bodies, double share, void *records, void *former) {
    math_real *now = records, *last = former;
    math_wide part = math_wide_all((math_real)share);
    for (int64_t i = 0; i < GS_SPHERE_RECORD * (int64_t)bodies; i += MATH_WIDE) {
        math_wide v = math_wide_load(now + i);
        math_wide_store(now + i, v + part * (v - math_wide_load(last + i)));
        math_wide_store(last + i, v);
    }
}

static void gs_sphere_push_all(int32_t batches, const void *first, const void *impulses,
                               void *records) {
    const gs_sphere_batch *batch = first;
    const math_real *x = impulses;
    for (int32_t i = 0; i < batches; i++, batch++, x += GS_SPHERE_IMPULSES) {
        for (int at = 0; at < GS_BATCH; at += MATH_WIDE) {
            math_wide3 n = math_wide3_load(&batch->n[0][at], GS_BATCH);
            math_wide3 r = math_wide3_load(x + at, GS_BATCH);
            gs_sphere_push(batch, at, n, r, records);
        }
    }
}

// Lanes' sums: of floats in doubles, which do not lose what is small in a large packing.
typedef struct gs_sphere_lanes {
    double error[MATH_SUMS], force[MATH_SUMS], moved[MATH_SUMS];
} gs_sphere_lanes;

MATH_INLINE void gs_sphere_add(double sum[MATH_SUMS], math_wide term) {
    for (int lane = 0; lane < MATH_WIDE; lane++) {
        sum[lane % MATH_SUMS] += (double)term[lane];
    }
}

MATH_INLINE void gs_sphere_measure(const gs_sphere_batch *batch, int at, int32_t dim, math_wide3 n,
                                   math_wide3 u, math_wide3 r, gs_sphere_lanes *sums) {
    math_wide size = math_wide_all((math_real)dim);
    math_wide trace = math_wide_all(1) / math_wide_load(&batch->inv_wn[at]) +
                      (size - math_wide_all(1)) / math_wide_load(&batch->inv_wt[at]);
    math_wide un = math_wide3_dot(u, n), rn = math_wide3_dot(r, n), rho = size / trace;
    math_wide force = math_wide3_dot(r, r);
    gs_sphere_add(sums->error,
                  solve_wide_natural(math_wide_load(&batch->mu[at]), rho, un,
                                     math_wide3_add(u, -un, n), rn, math_wide3_add(r, -rn, n)));
    gs_sphere_add(sums->force, force);
    gs_sphere_add(sums->moved, force / (rho * rho));
}

MATH_INLINE double gs_sphere_total(const double sum[MATH_SUMS]) {
    double total = 0.0;
    for (int lane = 0; lane < MATH_SUMS; lane += 2) {
        total += sum[lane] + sum[lane + 1];
    }
    return total;
}

static gs_error_sums gs_sphere_error(int32_t batches, const void *first, int32_t dim,
                                     const void *impulses, const void *records) {
    const gs_sphere_batch *batch = first;
    const math_real *x = impulses;
    gs_sphere_lanes sums = {.error = {0.0}};
    for (int32_t i = 0; i < batches; i++, batch++, x += GS_SPHERE_IMPULSES) {
        for (int at = 0; at < GS_BATCH; at += MATH_WIDE) {
            math_wide3 n = math_wide3_load(&batch->n[0][at], GS_BATCH);
            math_wide3 u = gs_sphere_velocity(batch, at, n, records);
            math_wide3 r = math_wide3_load(x + at, GS_BATCH);
            gs_sphere_measure(batch, at, dim, n, u, r, &sums);
        }
    }
    return (gs_error_sums){gs_sphere_total(sums.error), gs_sphere_total(sums.force),
                           gs_sphere_total(sums.moved)};
}

// ---- laying out ----

static void gs_sphere_record(int32_t body, double inv_mass, double inv_inertia, void *records) {
    math_real *record = (math_real *)records + GS_SPHERE_RECORD * (int64_t)body;
    memset(record, 0, GS_SPHERE_RECORD * sizeof *record);
    record[3] = (math_real)inv_mass;
    record[7] = (math_real)inv_inertia;
}

static void gs_sphere_still(int32_t bodies, void *records) {
    math_real *record = records;
    for (int32_t i = 0; i < bodies; i++, record += GS_SPHERE_RECORD) {
        record[0] = record[1] = record[2] = 0;
        record[4] = record[5] = record[6] = 0;
    }
}

// Parting without friction: an impulse of zero stays zero.
static void gs_sphere_idle(int32_t batches, int32_t body, void *first) {
    gs_sphere_batch *batch = first, idle = {.n = {{0}}};
    for (int lane = 0; lane < GS_BATCH; lane++) {
        idle.n[0][lane] = idle.q[0][lane] = idle.inv_wn[lane] = idle.inv_wt[lane] = 1;
        idle.a[lane] = idle.b[lane] = GS_SPHERE_RECORD * body;
    }
    for (int32_t i = 0; i < batches; i++) {
        batch[i] = idle;
    }
}

// A number that the sweep does not choke on.
MATH_INLINE math_real gs_sphere_number(double x) {
    return math_wide_clean(math_wide_all((math_real)x))[0];
}

static void gs_sphere_put(const gs_sphere_contact *contact, int32_t slot, void *batches) {
    gs_sphere_batch *batch = (gs_sphere_batch *)batches + slot / GS_BATCH;
    int32_t lane = slot % GS_BATCH;
    batch->a[lane] = GS_SPHERE_RECORD * contact->body[0];
    batch->b[lane] = GS_SPHERE_RECORD * contact->body[1];
    batch->arm_a[lane] = (math_real)contact->arm[0];
    batch->arm_b[lane] = (math_real)contact->arm[1];
    batch->inv_wn[lane] = (math_real)contact->inv_wn;
    batch->inv_wt[lane] = (math_real)contact->inv_wt;
    batch->mu[lane] = (math_real)contact->mu;
    for (int k = 0; k < 3; k++) {
        batch->n[k][lane] = (math_real)contact->n[k];
        batch->q[k][lane] = gs_sphere_number(contact->q[k]);
    }
}

static void gs_sphere_load(const double impulse[3], int64_t place, void *x) {
    for (int k = 0; k < 3; k++) {
        ((math_real *)x)[place + GS_BATCH * k] = gs_sphere_number(impulse[k]);
    }
}

static void gs_sphere_store(const void *x, int64_t place, double impulse[3]) {
    for (int k = 0; k < 3; k++) {
        impulse[k] = (double)((const math_real *)x)[place + GS_BATCH * k];
    }
}

#define GS_SPHERE_KERNEL                                                                           \
    {                                                                                              \
        .number = sizeof(math_real), .batch = sizeof(gs_sphere_batch), .record = gs_sphere_record, \
        .still = gs_sphere_still, .idle = gs_sphere_idle, .put = gs_sphere_put,                    \
        .load = gs_sphere_load, .store = gs_sphere_store, .sweep = gs_sphere_sweep,                \
        .momentum = gs_sphere_momentum, .drift = gs_sphere_drift, .push = gs_sphere_push_all,      \
        .error = gs_sphere_error                                                                   \
    }
