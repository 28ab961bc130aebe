// Packets of made-up contacts, swept, pushed and measured.
#include "work.h"

#include <string.h>

// Numbers at random, the same everywhere: a congruential generator and exact conversions.
static double number(uint64_t *state, double min, double max) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return min + (max - min) * ((double)(*state >> 11) * 0x1p-53);
}

static void hash(uint64_t *sum, const void *data, size_t bytes) {
    const unsigned char *from = data;
    for (size_t i = 0; i < bytes; i++) {
        *sum = (*sum ^ from[i]) * 1099511628211u;
    }
}

static void unit_vector(uint64_t *state, double out[3]) {
    for (int k = 0; k < 3; k++) {
        out[k] = number(state, -1.0, 1.0);
    }
    double length = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]) + 1e-3;
    for (int k = 0; k < 3; k++) {
        out[k] /= length;
    }
}

// ---- bodies of batches ----

#define BATCHES 64
#define BODIES 64 // and one that is static
#define BLOCK 8

// The body of a lane: batches take blocks of bodies of the first and second half in turn, so that
// neither lanes nor batches in a row share any. Every ninth is the static one.
static int32_t body_of(int batch, int lane, int side) {
    int turn = batch / 2, first = turn % 4, second = (first + 1 + turn / 4 % 3) % 4;
    int block = 4 * (batch % 2) + (side == 0 ? first : second);
    bool still = side == 0 && (GS_BATCH * batch + lane) % 9 == 0;
    return still ? BODIES : BLOCK * block + (lane + side * batch) % BLOCK;
}

// ---- spheres ----

typedef struct sphere_world {
    double batch[BATCHES * (11 * GS_BATCH + GS_BATCH)];
    double body[(BODIES + 1) * GS_SPHERE_RECORD], former[(BODIES + 1) * GS_SPHERE_RECORD];
    double x[2][(BATCHES + 1) * GS_SPHERE_IMPULSES];
} sphere_world;

static void fill_spheres(const gs_sphere_kernel *kernel, sphere_world *world) {
    uint64_t state = 1;
    for (int32_t i = 0; i < BODIES; i++) {
        kernel->record(i, 1.0 + 0.25 * (i % 3), 2.5 + 0.5 * (i % 2), world->body);
    }
    kernel->record(BODIES, 0.0, 0.0, world->body);
    kernel->idle(BATCHES, BODIES, world->batch);
    for (int i = 0; i < BATCHES; i++) {
        for (int lane = 0; lane < GS_BATCH; lane++) {
            gs_sphere_contact contact = {.mu = number(&state, 0.0, 0.8)};
            double inv_mass[2] = {0.0, 0.0};
            for (int side = 0; side < 2; side++) {
                int32_t body = contact.body[side] = body_of(i, lane, side);
                contact.arm[side] = number(&state, 0.5, 1.5);
                double mass = body < BODIES ? 1.0 + 0.25 * (body % 3) : 0.0;
                double turn = body < BODIES ? 2.5 + 0.5 * (body % 2) : 0.0;
                inv_mass[0] += mass;
                inv_mass[1] += mass + turn * contact.arm[side] * contact.arm[side];
            }
            unit_vector(&state, contact.n);
            for (int k = 0; k < 3; k++) {
                contact.q[k] = number(&state, -1.0, 0.3);
            }
            contact.q[1] *= lane == 3 ? 1e-40 : 1.0; // less than a single is for
            contact.inv_wn = 1.0 / inv_mass[0];
            contact.inv_wt = 1.0 / inv_mass[1];
            if ((i + lane) % 7 != 0) { // the others stay empty
                kernel->put(&contact, GS_BATCH * i + lane, world->batch);
            }
        }
    }
}

uint64_t spheres_work(const gs_sphere_kernel *kernel) {
    static sphere_world world;
    uint64_t sum = 14695981039346656037u;
    size_t bytes = kernel->number * BATCHES * GS_SPHERE_IMPULSES,
           records = kernel->number * (BODIES + 1) * GS_SPHERE_RECORD;
    memset(&world, 0, sizeof world);
    fill_spheres(kernel, &world);
    hash(&sum, world.batch, kernel->batch * BATCHES);
    for (int64_t i = 0; i < BATCHES; i++) {
        const double start[3] = {0.1, 1e-41, -0.01 * (double)i};
        kernel->load(start, GS_SPHERE_IMPULSES * i + i % GS_BATCH, world.x[0]);
    }
    kernel->push(BATCHES, world.batch, world.x[0], world.body);
    for (int k = 0; k < 40; k++) {
        kernel->sweep(BATCHES, world.batch, world.x[0], world.body);
        gs_error_sums sums = kernel->error(BATCHES, world.batch, 3, world.x[0], world.body);
        hash(&sum, &sums, sizeof sums);
    }
    memcpy(world.x[1], world.x[0], sizeof world.x[0]);
    memcpy(world.former, world.body, sizeof world.body);
    for (int k = 0; k < 40; k++) {
        kernel->drift(BODIES, 0.7, world.body, world.former);
        kernel->momentum(BATCHES, world.batch, 0.7, world.x[k % 2], world.x[1 - k % 2], world.body);
    }
    hash(&sum, world.x[0], bytes);
    hash(&sum, world.x[1], bytes);
    hash(&sum, world.body, records);
    kernel->still(BODIES, world.body);
    kernel->push(BATCHES, world.batch, world.x[0], world.body);
    hash(&sum, world.body, records);
    double impulse[3];
    kernel->store(world.x[0], GS_SPHERE_IMPULSES + 1, impulse);
    hash(&sum, impulse, sizeof impulse);
    return sum;
}

// ---- rigid bodies ----

// Doubles, in the place of which singles may be.
typedef struct rigid_world {
    gs_manifold_span span[BATCHES];
    gs_manifold_batch batch[BATCHES + 4]; // memory is asked for beyond the end
    gs_rigid_point point[BATCHES * GS_MANIFOLD_POINTS];
    double slip[BATCHES * GS_MANIFOLD_POINTS * GS_BATCH];
    double body[(BODIES + 1) * GS_RIGID_RECORD];
    double x[BATCHES * GS_MANIFOLD_POINTS * GS_POINT_IMPULSES];
} rigid_world;

// A block that is heavier than the bodies make it, so that sweeps come to rest.
static void fill_point(uint64_t *state, int lane, gs_rigid_point *point) {
    double n[3], side[3], a[3], b[3];
    unit_vector(state, n);
    unit_vector(state, side);
    unit_vector(state, a);
    unit_vector(state, b);
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3, last = (k + 2) % 3;
        point->n[k][lane] = n[k];
        point->t[k][lane] = n[next] * side[last] - n[last] * side[next];
        point->arm_a[k][lane] = a[k];
        point->arm_b[k][lane] = b[k];
        point->q[k][lane] = number(state, -1.0, 0.3);
    }
    point->mu[lane] = lane == 5 ? 0.0 : number(state, 0.0, 0.9);
    point->inv_nn[lane] = number(state, 0.1, 0.125);
    point->nt[0][lane] = number(state, -0.2, 0.2);
    point->nt[1][lane] = number(state, -0.2, 0.2);
    point->S[0][lane] = number(state, 7.0, 9.0);
    point->S[1][lane] = number(state, -1.0, 1.0);
    point->S[2][lane] = number(state, 7.0, 9.0);
    point->rho[lane] = number(state, 0.1, 0.2);
}

static int64_t fill_manifolds(rigid_world *world) {
    uint64_t state = 2;
    int64_t points = 0;
    for (int i = 0; i < BATCHES; i++) {
        gs_manifold_batch *batch = &world->batch[i];
        gs_manifold_span *span = &world->span[i];
        span->first = points;
        span->points = i % 11 == 10 ? 0 : 1 + i % GS_MANIFOLD_POINTS; // some are empty
        points += span->points;
        for (int lane = 0; lane < GS_BATCH; lane++) {
            int32_t a = body_of(i, lane, 0), b = body_of(i, lane, 1);
            double inv_mass = a < BODIES ? 1.0 : 0.0;
            batch->a[lane] = GS_RIGID_RECORD * a;
            batch->b[lane] = GS_RIGID_RECORD * b;
            batch->inv_mass_a[lane] = inv_mass;
            batch->inv_mass_b[lane] = 1.0;
            for (int k = 0; k < 6; k++) {
                bool diagonal = k == 0 || k == 3 || k == 5;
                batch->inv_inertia_a[k][lane] = inv_mass * (diagonal ? 1.0 + 0.1 * k : 0.05);
                batch->inv_inertia_b[k][lane] = diagonal ? 1.2 - 0.1 * k : -0.05;
            }
            for (int k = 0; k < span->points; k++) {
                fill_point(&state, lane, &world->point[span->first + k]);
            }
        }
    }
    return points;
}

// Doubles rounded to singles where they are: each is written over what was read before it.
static void round_numbers(size_t count, const double *from, float *to) {
    for (size_t i = 0; i < count; i++) {
        double exact;
        memcpy(&exact, from + i, sizeof exact);
        float rounded = (float)exact;
        memcpy(to + i, &rounded, sizeof rounded);
    }
}

static void round_world(rigid_world *world) {
    for (int i = 0; i < BATCHES; i++) {
        gs_manifold_batch *from = &world->batch[i];
        gs_manifold_batch_float to;
        memcpy(to.a, from->a, sizeof to.a);
        memcpy(to.b, from->b, sizeof to.b);
        round_numbers(2 * GS_BATCH, from->inv_mass_a, to.inv_mass_a);
        round_numbers(12 * GS_BATCH, from->inv_inertia_a[0], to.inv_inertia_a[0]);
        memcpy((char *)world->batch + (size_t)i * sizeof to, &to, sizeof to);
    }
    round_numbers(sizeof world->point / (sizeof(double)), (const void *)world->point,
                  (void *)world->point);
}

uint64_t manifolds_work(const gs_manifold_kernel *kernel) {
    static rigid_world world;
    uint64_t sum = 14695981039346656037u;
    memset(&world, 0, sizeof world);
    gs_manifolds s = {.bodies = BODIES,
                      .kernel = kernel,
                      .span = world.span,
                      .batch = world.batch,
                      .point = world.point,
                      .slip = world.slip,
                      .body = world.body};
    s.points = fill_manifolds(&world);
    if (kernel->number < sizeof(double)) {
        round_world(&world);
    }
    for (int k = 0; k < 40; k++) {
        int32_t first = k % 3; // so that batches go together as they come, and one is left over
        kernel->sweep(&s, 0, first, world.x);
        kernel->sweep(&s, first, BATCHES - first, world.x);
        kernel->sweep_back(&s, first, BATCHES - first, world.x);
        kernel->sweep_back(&s, 0, first, world.x);
        gs_error_sums error = kernel->error(&s, 0, BATCHES, world.x);
        hash(&sum, &error, sizeof error);
    }
    hash(&sum, world.x, sizeof world.x);
    hash(&sum, world.slip, sizeof world.slip);
    hash(&sum, world.body, sizeof world.body);
    memset(world.body, 0, sizeof world.body);
    kernel->push(&s, 0, BATCHES, world.x);
    kernel->beyond(0.7, 3, BODIES, world.x, world.body);
    hash(&sum, world.body, sizeof world.body);
    return sum;
}

// ---- the acceleration ----

#define NUMBERS 1339 // neither tiles nor lanes come out even
#define DEPTH 3

typedef struct mixed_world {
    float weight[NUMBERS];
    double x[NUMBERS], g[NUMBERS], dF[DEPTH * NUMBERS], dG[DEPTH * NUMBERS], f_old[NUMBERS],
        g_old[NUMBERS];
} mixed_world;

static void fill_numbers(const gs_anderson_kernel *kernel, uint64_t *state, double *to) {
    for (int i = 0; i < NUMBERS; i++) {
        double x = number(state, -1.0, 1.0);
        if (kernel->number == sizeof(double)) {
            to[i] = x;
        } else {
            ((float *)to)[i] = (float)x;
        }
    }
}

uint64_t anderson_work(const gs_anderson_kernel *kernel) {
    static mixed_world world;
    uint64_t sum = 14695981039346656037u, state = 3;
    const double gamma[DEPTH] = {0.5, -0.25, 0.125};
    memset(&world, 0, sizeof world);
    for (int i = 0; i < NUMBERS; i++) {
        world.weight[i] = (float)number(&state, 0.5, 2.0);
    }
    gs_anderson s = {.kernel = kernel,
                     .depth = DEPTH,
                     .n = NUMBERS,
                     .weight = world.weight,
                     .dF = world.dF,
                     .dG = world.dG,
                     .f_old = world.f_old,
                     .g_old = world.g_old};
    for (int32_t column = 0; column < DEPTH; column++) {
        double row[GS_ANDERSON_MAX + 1] = {0.0};
        fill_numbers(kernel, &state, world.x);
        fill_numbers(kernel, &state, world.g);
        double norm2 = kernel->norm2(&s, world.x, world.g, column, NUMBERS - column);
        s.count = column + 1;
        kernel->differ(&s, column, world.x, world.g, 5, NUMBERS, row);
        kernel->mix(&s, gamma, world.g, 0, NUMBERS, world.x);
        hash(&sum, world.x, sizeof world.x);
        kernel->extrapolate(2.5, world.g, 3, NUMBERS, world.x);
        kernel->keep(&s, world.x, world.g, 0, NUMBERS);
        hash(&sum, &norm2, sizeof norm2);
        hash(&sum, row, sizeof row);
    }
    hash(&sum, &world, sizeof world);
    return sum;
}

// ---- the checker ----

#define GRADED 203

uint64_t grade_work(prob_grade_fours_fn *fours) {
    static double mu[GRADED], r[3 * GRADED], u[3 * GRADED], trace[GRADED];
    uint64_t sum = 14695981039346656037u, state = 4;
    for (int32_t dim = 2; dim <= 3; dim++) {
        for (int i = 0; i < GRADED; i++) {
            mu[i] = number(&state, 0.0, 1.0);
            trace[i] = number(&state, 1.0, 4.0);
            for (int k = 0; k < dim; k++) {
                r[dim * i + k] = i % 5 == 0 ? 0.0 : number(&state, -0.3, 1.0);
                u[dim * i + k] = i % 7 == 0 ? 0.0 : number(&state, -0.3, 1.0);
            }
        }
        r[dim * 77] = 1e-200; // a square that is lost: its four are left to more care
        cn_friction p = {.dim = dim, .contacts = GRADED, .mu = mu};
        for (int convex = 0; convex < 2; convex++) {
            prob_four_sums lanes;
            prob_contact_sums sums = {.scaled = 0.0};
            memset(&lanes, 0, sizeof lanes);
            for (int32_t a = 0; a < GRADED; a += MATH_WIDE) {
                a = fours(&p, convex == 1, a, GRADED, r, u, trace, &lanes, &sums);
                hash(&sum, &a, sizeof a);
            }
            hash(&sum, &lanes, sizeof lanes);
            hash(&sum, &sums.worst, sizeof sums.worst);
            hash(&sum, &sums.worst_error, sizeof sums.worst_error);
        }
    }
    return sum;
}

// ---- pairs of balls ----

#define SPHERES 90
#define PAIRS (SPHERES * (SPHERES - 1) / 2)

typedef struct pair_world {
    det_bounding sphere[SPHERES];
    det_body body[SPHERES];
    det_body_pair pair[PAIRS];
    uint8_t mark[PAIRS];
    int32_t touching[PAIRS];
    det_contact contact[PAIRS];
    uint32_t beside[SPHERES];
} pair_world;

static void fill_pairs(pair_world *world) {
    uint64_t state = 5;
    int32_t count = 0;
    for (int32_t i = 0; i < SPHERES; i++) {
        det_body *body = &world->body[i];
        body->radius = number(&state, 0.2, 0.4);
        body->reach = number(&state, 0.0, 0.05);
        body->bound = 1.000001 * body->radius;
        for (int k = 0; k < 3; k++) { // a few in the same place
            world->sphere[i].center[k] =
                i % 20 == 19 ? world->sphere[i - 1].center[k] : number(&state, -1.0, 1.0);
        }
        world->sphere[i].radius = i == 7 ? HUGE_VAL : body->bound + 0.05 + body->reach;
        for (int32_t a = 0; a < i; a++) {
            world->pair[count] = (det_body_pair){a, i};
            world->mark[count] = (uint8_t)(count % 3 == 0);
            count++;
        }
    }
}

uint64_t pairs_work(const det_pair_kernel *kernel) {
    static pair_world world;
    uint64_t sum = 14695981039346656037u;
    const det_wall wall[] = {{{0.0, 0.0, 1.0}, {0.1, 0.2, 0.3}, -1.0, 0.0},
                             {{0.6, -0.8, 0.0}, {0.0, 0.0, 0.0}, -0.9, 0.01},
                             {{1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, 0.0, HUGE_VAL}};
    memset(&world, 0, sizeof world);
    fill_pairs(&world);
    for (int32_t first = 0; first < PAIRS; first += 1001) { // lanes do not come out even
        const det_round_scan scan = {world.sphere, world.body, 0.1, {0.0, 1.0, 0.0}, 0.2};
        det_missed missed = {.count = 0};
        int32_t count = PAIRS - first < 1001 ? PAIRS - first : 1001;
        int32_t near = kernel->touch(world.sphere, world.pair + first, count, world.mark + first,
                                     world.touching);
        hash(&sum, world.touching, sizeof *world.touching * (size_t)near);
        int32_t found = kernel->contacts(&scan, world.pair + first, world.touching, near,
                                         world.mark + first, world.contact, &missed);
        hash(&sum, world.contact, sizeof *world.contact * (size_t)found);
        hash(&sum, &missed, sizeof missed);
    }
    hash(&sum, world.mark, sizeof world.mark);
    for (int32_t count = SPHERES - 9; count <= SPHERES; count++) {
        kernel->beside(wall, 3, 0.1, count, world.sphere, world.body, world.beside);
        hash(&sum, world.beside, sizeof world.beside);
    }
    return sum;
}
