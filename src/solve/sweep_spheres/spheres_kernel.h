// solve/sweep_spheres/spheres_kernel.h
// The kernel of solve/sweep_spheres/spheres.h, included by one source a precision and kind of
// processor, which names it.
//
// A batch is CN_GROUPS groups of CN_WIDE lanes. Body records are loaded whole, CN_PARTS times
// CN_WIDE numbers, and turned, which beats gathering single numbers; the groups' statements
// alternate, so that one computes while the other waits.
#include "solve/drivers/natural_map_simd.h"
#include "solve/sweep_spheres/spheres.h"

#define CN_GROUPS (CN_BATCH / CN_WIDE)
#define CN_PARTS (CN_SPHERE_RECORD / CN_WIDE)
#define CN_BATCHES_AHEAD 8  // that memory is asked for: as long as it takes to come
#define CN_BODIES_AHEAD 4   // batches
#define CN_BATCHES_NEAR 400 // so few stay in the caches that are near, and need not be asked for

typedef struct cn_sphere_batch CN_SPHERE_BATCH(cn_real) cn_sphere_batch;

// What multiplies the numbers of a part of a record: linear ones by sign, angular ones by arm.
CN_INLINE cn_wide cn_sphere_factor(int part, cn_real sign, cn_real arm) {
#if CN_WIDE == CN_SPHERE_RECORD
    (void)part;
    return __builtin_shufflevector(cn_wide_all(sign), cn_wide_all(arm), 0, 1, 2, 3, 12, 13, 14, 15);
#else
    return cn_wide_all(part == 0 ? sign : arm);
#endif
}

// u of a group of lanes.
CN_INLINE cn_wide3 cn_sphere_velocity(const cn_sphere_batch *batch, int at, cn_wide3 n,
                                      const cn_real *body) {
    cn_wide row[CN_SPHERE_RECORD];
    for (int part = 0; part < CN_PARTS; part++) {
        for (int lane = 0; lane < CN_WIDE; lane++) {
            const cn_real *a = body + batch->a[at + lane] + CN_WIDE * part,
                          *b = body + batch->b[at + lane] + CN_WIDE * part;
            row[CN_WIDE * part + lane] =
                cn_sphere_factor(part, 1, batch->arm_b[at + lane]) * cn_wide_load(b) +
                cn_sphere_factor(part, -1, batch->arm_a[at + lane]) * cn_wide_load(a);
        }
        cn_wide_transpose(row + CN_WIDE * part);
    }
    cn_wide3 s = {row[4], row[5], row[6]}, q = cn_wide3_load(&batch->q[0][at], CN_BATCH);
    cn_wide3 dv = {row[0] + q.x, row[1] + q.y, row[2] + q.z};
    return cn_wide3_sub(dv, cn_wide3_cross(s, n));
}

// One body under a change of its impulse, turned into a row.
CN_INLINE void cn_sphere_move(int part, cn_real sign, cn_real arm, cn_wide row, cn_real *record) {
    cn_wide own = cn_wide_load(record);
    cn_wide share = cn_sphere_factor(part, sign, arm) * cn_wide_last(own);
    cn_wide_store(record, own - share * row);
}

// The bodies of a group under a change d of its impulses.
CN_INLINE void cn_sphere_push(const cn_sphere_batch *batch, int at, cn_wide3 n, cn_wide3 d,
                              cn_real *body) {
    cn_wide3 turn = cn_wide3_cross(n, d);
    cn_wide zero = cn_wide_all(0);
    cn_wide row[CN_SPHERE_RECORD] = {d.x, d.y, d.z, zero, turn.x, turn.y, turn.z, zero};
    for (int part = 0; part < CN_PARTS; part++) {
        cn_wide_transpose(row + CN_WIDE * part);
    }
    for (int lane = 0; lane < CN_WIDE; lane++) {
        cn_real *a = body + batch->a[at + lane], *b = body + batch->b[at + lane];
        for (int part = 0; part < CN_PARTS; part++) {
            cn_wide own = row[CN_WIDE * part + lane];
            cn_sphere_move(part, 1, batch->arm_a[at + lane], own, a + CN_WIDE * part);
            cn_sphere_move(part, -1, batch->arm_b[at + lane], own, b + CN_WIDE * part);
        }
    }
}

// The closed form: the normal impulse that stops the approach, the tangential one that stops the
// slip, cut to the cone.
CN_INLINE cn_wide3 cn_sphere_solve(const cn_sphere_batch *batch, int at, cn_wide3 n, cn_wide3 u,
                                   cn_wide3 r) {
    cn_wide inv_wn = cn_wide_load(&batch->inv_wn[at]), inv_wt = cn_wide_load(&batch->inv_wt[at]);
    cn_wide un = cn_wide3_dot(u, n), rn = cn_wide3_dot(r, n);
    cn_wide normal = cn_wide_positive(rn - un * inv_wn);
    cn_wide3 t = cn_wide3_add(cn_wide3_add(r, -inv_wt, u), un * inv_wt - rn, n);
    cn_wide limit = cn_wide_load(&batch->mu[at]) * normal;
    cn_wide length = cn_wide_sqrt(cn_wide3_dot(t, t));
    cn_wide share = cn_wide_select(length > limit, limit / length, cn_wide_all(1));
    cn_wide3 result = {share * t.x, share * t.y, share * t.z};
    return cn_wide3_clean(cn_wide3_add(result, normal, n));
}

// Normals and velocities of a batch.
CN_INLINE void cn_sphere_fetch(const cn_sphere_batch *batch, const cn_real *body,
                               cn_wide3 n[CN_GROUPS], cn_wide3 u[CN_GROUPS]) {
    CN_UNROLL
    for (int g = 0; g < CN_GROUPS; g++) {
        n[g] = cn_wide3_load(&batch->n[0][CN_WIDE * g], CN_BATCH);
        u[g] = cn_sphere_velocity(batch, CN_WIDE * g, n[g], body);
    }
}

// Asks for a batch and its impulses some batches ahead, and for the bodies of a nearer one.
CN_INLINE void cn_sphere_ahead(const cn_sphere_batch *batch, const cn_real *x, const cn_real *to,
                               const cn_real *body) {
    cn_ask_for(batch + CN_BATCHES_AHEAD, sizeof *batch);
    cn_ask_for(x + CN_BATCHES_AHEAD * CN_SPHERE_IMPULSES, CN_SPHERE_IMPULSES * sizeof *x);
    if (to != x) {
        cn_ask_for(to + CN_BATCHES_AHEAD * CN_SPHERE_IMPULSES, CN_SPHERE_IMPULSES * sizeof *to);
    }
    const cn_sphere_batch *near = batch + CN_BODIES_AHEAD;
    for (int lane = 0; lane < CN_BATCH; lane++) {
        cn_ask_for(body + near->a[lane], CN_SPHERE_RECORD * sizeof *body);
        cn_ask_for(body + near->b[lane], CN_SPHERE_RECORD * sizeof *body);
    }
}

// to := one sweep from x, or, where they are not the same, from x + share (x - to).
CN_INLINE void cn_sphere_sweep_to(int32_t batches, const cn_sphere_batch *batch, cn_real share,
                                  const cn_real *x, cn_real *to, cn_real *body) {
    if (batches == 0) {
        return;
    }
    // The next batch shares no body with this one: its velocities are fetched before this one's
    // impulses are known, so that neither waits for the other.
    cn_wide3 n[CN_GROUPS], u[CN_GROUPS], next_n[CN_GROUPS], next_u[CN_GROUPS], d[CN_GROUPS];
    bool glides = x != to;
    cn_sphere_fetch(batch, body, n, u);
    int32_t asks = batches > CN_BATCHES_NEAR ? batches - CN_BODIES_AHEAD : 0;
    for (int32_t i = 0; i < batches;
         i++, batch++, x += CN_SPHERE_IMPULSES, to += CN_SPHERE_IMPULSES) {
        if (i < asks) {
            cn_sphere_ahead(batch, x, to, body);
        }
        CN_UNROLL
        for (int g = 0; g < CN_GROUPS; g++) {
            cn_wide3 r = cn_wide3_load(x + CN_WIDE * g, CN_BATCH);
            if (glides) {
                cn_wide3 before = cn_wide3_load(to + CN_WIDE * g, CN_BATCH);
                r = cn_wide3_add(r, cn_wide_all(share), cn_wide3_sub(r, before));
            }
            cn_wide3 answer = cn_sphere_solve(batch, CN_WIDE * g, n[g], u[g], r);
            d[g] = cn_wide3_sub(answer, r);
            cn_wide3_store(to + CN_WIDE * g, CN_BATCH, answer);
        }
        cn_sphere_fetch(i + 1 < batches ? batch + 1 : batch, body, next_n, next_u);
        CN_UNROLL
        for (int g = 0; g < CN_GROUPS; g++) {
            cn_sphere_push(batch, CN_WIDE * g, n[g], d[g], body);
            n[g] = next_n[g];
            u[g] = next_u[g];
        }
    }
}

static void cn_sphere_sweep(int32_t batches, const void *first, void *x, void *records) {
    cn_sphere_sweep_to(batches, first, 0, x, x, records);
}

static void cn_sphere_glide(int32_t batches, const void *first, double share, const void *x,
                            void *to, void *records) {
    cn_sphere_sweep_to(batches, first, (cn_real)share, x, to, records);
}

// Masses are the same in both, and stay.
static void cn_sphere_drift(int32_t bodies, double share, void *records, void *former) {
    cn_real *now = records, *last = former;
    cn_wide part = cn_wide_all((cn_real)share);
    for (int64_t i = 0; i < CN_SPHERE_RECORD * (int64_t)bodies; i += CN_WIDE) {
        cn_wide v = cn_wide_load(now + i);
        cn_wide_store(now + i, v + part * (v - cn_wide_load(last + i)));
        cn_wide_store(last + i, v);
    }
}

static void cn_sphere_push_all(int32_t batches, const void *first, const void *impulses,
                               void *records) {
    const cn_sphere_batch *batch = first;
    const cn_real *x = impulses;
    for (int32_t i = 0; i < batches; i++, batch++, x += CN_SPHERE_IMPULSES) {
        for (int at = 0; at < CN_BATCH; at += CN_WIDE) {
            cn_wide3 n = cn_wide3_load(&batch->n[0][at], CN_BATCH);
            cn_wide3 r = cn_wide3_load(x + at, CN_BATCH);
            cn_sphere_push(batch, at, n, r, records);
        }
    }
}

// Lanes' sums: of floats in doubles, which do not lose what is small in a large packing.
typedef struct cn_sphere_lanes {
    double error[CN_SUMS], force[CN_SUMS], moved[CN_SUMS];
} cn_sphere_lanes;

CN_INLINE void cn_sphere_add(double sum[CN_SUMS], cn_wide term) {
    for (int lane = 0; lane < CN_WIDE; lane++) {
        sum[lane % CN_SUMS] += (double)term[lane];
    }
}

CN_INLINE void cn_sphere_measure(const cn_sphere_batch *batch, int at, int32_t dim, cn_wide3 n,
                                 cn_wide3 u, cn_wide3 r, cn_sphere_lanes *sums) {
    cn_wide size = cn_wide_all((cn_real)dim);
    cn_wide trace = cn_wide_all(1) / cn_wide_load(&batch->inv_wn[at]) +
                    (size - cn_wide_all(1)) / cn_wide_load(&batch->inv_wt[at]);
    cn_wide un = cn_wide3_dot(u, n), rn = cn_wide3_dot(r, n), rho = size / trace;
    cn_wide force = cn_wide3_dot(r, r);
    cn_sphere_add(sums->error,
                  cn_wide_natural(cn_wide_load(&batch->mu[at]), rho, un, cn_wide3_add(u, -un, n),
                                  rn, cn_wide3_add(r, -rn, n)));
    cn_sphere_add(sums->force, force);
    cn_sphere_add(sums->moved, force / (rho * rho));
}

CN_INLINE double cn_sphere_total(const double sum[CN_SUMS]) {
    double total = 0.0;
    for (int lane = 0; lane < CN_SUMS; lane += 2) {
        total += sum[lane] + sum[lane + 1];
    }
    return total;
}

static gs_error_sums cn_sphere_error(int32_t batches, const void *first, int32_t dim,
                                     const void *impulses, const void *records) {
    const cn_sphere_batch *batch = first;
    const cn_real *x = impulses;
    cn_sphere_lanes sums = {.error = {0.0}};
    for (int32_t i = 0; i < batches; i++, batch++, x += CN_SPHERE_IMPULSES) {
        for (int at = 0; at < CN_BATCH; at += CN_WIDE) {
            cn_wide3 n = cn_wide3_load(&batch->n[0][at], CN_BATCH);
            cn_wide3 u = cn_sphere_velocity(batch, at, n, records);
            cn_wide3 r = cn_wide3_load(x + at, CN_BATCH);
            cn_sphere_measure(batch, at, dim, n, u, r, &sums);
        }
    }
    return (gs_error_sums){cn_sphere_total(sums.error), cn_sphere_total(sums.force),
                           cn_sphere_total(sums.moved)};
}

// ---- laying out ----

static void cn_sphere_record(int32_t body, double inv_mass, double inv_inertia, void *records) {
    cn_real *record = (cn_real *)records + CN_SPHERE_RECORD * (int64_t)body;
    memset(record, 0, CN_SPHERE_RECORD * sizeof *record);
    record[3] = (cn_real)inv_mass;
    record[7] = (cn_real)inv_inertia;
}

static void cn_sphere_still(int32_t bodies, void *records) {
    cn_real *record = records;
    for (int32_t i = 0; i < bodies; i++, record += CN_SPHERE_RECORD) {
        record[0] = record[1] = record[2] = 0;
        record[4] = record[5] = record[6] = 0;
    }
}

// Parting without friction: an impulse of zero stays zero.
static void cn_sphere_idle(int32_t batches, int32_t body, void *first) {
    cn_sphere_batch *batch = first, idle = {.n = {{0}}};
    for (int lane = 0; lane < CN_BATCH; lane++) {
        idle.n[0][lane] = idle.q[0][lane] = idle.inv_wn[lane] = idle.inv_wt[lane] = 1;
        idle.a[lane] = idle.b[lane] = CN_SPHERE_RECORD * body;
    }
    for (int32_t i = 0; i < batches; i++) {
        batch[i] = idle;
    }
}

// A number that the sweep does not choke on.
CN_INLINE cn_real cn_sphere_number(double x) {
    return cn_wide_clean(cn_wide_all((cn_real)x))[0];
}

static void cn_sphere_put(const cn_sphere_contact *contact, int32_t slot, void *batches) {
    cn_sphere_batch *batch = (cn_sphere_batch *)batches + slot / CN_BATCH;
    int32_t lane = slot % CN_BATCH;
    batch->a[lane] = CN_SPHERE_RECORD * contact->body[0];
    batch->b[lane] = CN_SPHERE_RECORD * contact->body[1];
    batch->arm_a[lane] = (cn_real)contact->arm[0];
    batch->arm_b[lane] = (cn_real)contact->arm[1];
    batch->inv_wn[lane] = (cn_real)contact->inv_wn;
    batch->inv_wt[lane] = (cn_real)contact->inv_wt;
    batch->mu[lane] = (cn_real)contact->mu;
    for (int k = 0; k < 3; k++) {
        batch->n[k][lane] = (cn_real)contact->n[k];
        batch->q[k][lane] = cn_sphere_number(contact->q[k]);
    }
}

static void cn_sphere_load(const double impulse[3], int64_t place, void *x) {
    for (int k = 0; k < 3; k++) {
        ((cn_real *)x)[place + CN_BATCH * k] = cn_sphere_number(impulse[k]);
    }
}

static void cn_sphere_store(const void *x, int64_t place, double impulse[3]) {
    for (int k = 0; k < 3; k++) {
        impulse[k] = (double)((const cn_real *)x)[place + CN_BATCH * k];
    }
}

#define CN_SPHERE_KERNEL                                                                           \
    {                                                                                              \
        .number = sizeof(cn_real), .batch = sizeof(cn_sphere_batch), .record = cn_sphere_record,   \
        .still = cn_sphere_still, .idle = cn_sphere_idle, .put = cn_sphere_put,                    \
        .load = cn_sphere_load, .store = cn_sphere_store, .sweep = cn_sphere_sweep,                \
        .glide = cn_sphere_glide, .drift = cn_sphere_drift, .push = cn_sphere_push_all,            \
        .error = cn_sphere_error                                                                   \
    }
