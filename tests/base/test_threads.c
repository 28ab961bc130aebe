// Threads: every unit once, and the same bits for any number of them.
#include "check.h"
#include "world.h"

#include "base/arena.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "problem/operator/operator.h"
#include "problem/operator/slices.h"
#include "solve/gauss_seidel/batches.h"

static const int32_t counts[] = {1, 2, 3, 4, 8};
#define COUNTS (int)(sizeof counts / sizeof *counts)

static cn_env with_threads(int32_t count) {
    cn_env env = cn_env_default();
    env.threads = cn_threads_create(count);
    assert_non_null(env.threads);
    return env;
}

typedef struct tally {
    const cn_env *env;
    int32_t seen[1000];
    int32_t inner[1000][7];
} tally;

static void see(void *user, int32_t unit) {
    ((tally *)user)->seen[unit]++;
}

static void see_inner(void *user, int32_t unit) {
    ((int32_t *)user)[unit]++;
}

static void see_both(void *user, int32_t unit) {
    tally *t = user;
    t->seen[unit]++;
    base_parallel_for(t->env, 7, see_inner, t->inner[unit]);
}

CN_TEST(every_unit_is_done_once) {
    for (int c = 0; c < COUNTS; c++) {
        cn_env env = with_threads(counts[c]);
        tally t = {.env = &env};
        for (int round = 0; round < 200; round++) {
            base_parallel_for(&env, 1 + round % 1000, see, &t);
        }
        for (int i = 0; i < 1000; i++) {
            assert_int_equal(t.seen[i], i < 200 ? 200 - i : 0);
        }
        cn_threads_destroy(env.threads);
    }
}

CN_TEST(loops_within_units_are_done_too) {
    cn_env env = with_threads(4);
    tally *t = calloc(1, sizeof *t);
    t->env = &env;
    base_parallel_for(&env, 1000, see_both, t);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(t->seen[i], 1);
        for (int k = 0; k < 7; k++) {
            assert_int_equal(t->inner[i][k], 1);
        }
    }
    free(t);
    cn_threads_destroy(env.threads);
}

// Each unit adds up what the two before it that it names have, so a unit that came too early shows.
typedef struct chain {
    const base_unit_after *after;
    int64_t value[BASE_AFTER_MAX];
} chain;

static void chain_link(void *user, int32_t unit) {
    chain *c = user;
    c->value[unit] = 1;
    for (int k = 0; k < 2; k++) {
        int32_t before = c->after[unit].unit[k];
        c->value[unit] += before >= 0 ? c->value[before] : 0;
    }
}

CN_TEST(units_wait_for_those_that_they_name) {
    base_unit_after after[BASE_AFTER_MAX];
    for (int32_t i = 0; i < BASE_AFTER_MAX; i++) {
        after[i] = (base_unit_after){{i % 7 == 0 ? -1 : i - 1 - i % 3, i < 40 ? -1 : i - 32}};
        after[i].unit[0] = after[i].unit[0] < 0 ? -1 : after[i].unit[0];
    }
    chain *want = calloc(1, sizeof *want);
    want->after = after;
    for (int32_t i = 0; i < BASE_AFTER_MAX; i++) {
        chain_link(want, i);
    }
    for (int c = 0; c < COUNTS; c++) {
        cn_env env = with_threads(counts[c]);
        for (int round = 0; round < 100; round++) {
            chain got = {.after = after};
            base_parallel_after(&env, BASE_AFTER_MAX, after, chain_link, &got);
            assert_memory_equal(got.value, want->value, sizeof got.value);
        }
        cn_threads_destroy(env.threads);
    }
    free(want);
}

CN_TEST(bytes_are_copied_and_made_zero) {
    size_t size = 1000003;
    unsigned char *from = malloc(size), *to = malloc(size + 1);
    for (size_t i = 0; i < size; i++) {
        from[i] = (unsigned char)(i * 7 + i / 251);
    }
    for (int c = 0; c < COUNTS; c++) {
        cn_env env = with_threads(counts[c]);
        to[size] = 9;
        base_parallel_copy(&env, to, from, size);
        assert_memory_equal(to, from, size);
        base_parallel_zero(&env, to + 1, size - 1);
        CN_CHECK_TRUE(to[0] == from[0] && to[1] == 0 && memcmp(to + 1, to + 2, size - 2) == 0);
        CN_CHECK_TRUE(to[size] == 9);
        base_parallel_copy(&env, to, from, 0);
        cn_threads_destroy(env.threads);
    }
    free(from);
    free(to);
}

CN_TEST(threads_out_of_range_are_refused) {
    assert_null(cn_threads_create(0));
    assert_null(cn_threads_create(CN_THREADS_MAX + 1));
    cn_threads_destroy(NULL);
    cn_threads *unused = cn_threads_create(3); // never started
    cn_threads_destroy(unused);
}

static double add_up(const void *user, int64_t first, int64_t end) {
    const double *x = user;
    double sum = 0.0;
    for (int64_t i = first; i < end; i++) {
        sum += x[i];
    }
    return sum;
}

CN_TEST(sums_have_the_same_bits_for_any_number_of_threads) {
    enum { n = 3 * BASE_RANGE + 17 };
    double *x = malloc(sizeof *x * n);
    base_rng rng = base_rng_seed(1);
    for (int i = 0; i < n; i++) {
        x[i] = base_rng_uniform(&rng, -1.0, 1.0);
    }
    double expected = base_parallel_sum(NULL, n, add_up, x);
    for (int c = 0; c < COUNTS; c++) {
        cn_env env = with_threads(counts[c]);
        assert_true(base_parallel_sum(&env, n, add_up, x) == expected);
        cn_threads_destroy(env.threads);
    }
    // A short array is summed as a plain loop would.
    assert_true(base_parallel_sum(NULL, 1000, add_up, x) == add_up(x, 0, 1000));
    free(x);
}

typedef struct spread {
    double sum, max;
    int64_t last;
} spread;

static void find_spread(const void *user, int64_t first, int64_t end, void *part) {
    const double *x = user;
    spread *found = part;
    found->sum = add_up(user, first, end);
    for (int64_t i = first; i < end; i++) {
        found->max = x[i] > found->max ? x[i] : found->max;
    }
    found->last = end;
}

static void join_spread(void *total, const void *part) {
    spread *all = total;
    const spread *more = part;
    assert_true(all->last < more->last); // in their order
    all->sum += more->sum;
    all->max = more->max > all->max ? more->max : all->max;
    all->last = more->last;
}

CN_TEST(folds_have_the_same_bits_for_any_number_of_threads) {
    enum { n = 40 * BASE_RANGE + 5 }; // more than are folded at a time
    double *x = malloc(sizeof *x * n);
    base_rng rng = base_rng_seed(2);
    for (int i = 0; i < n; i++) {
        x[i] = base_rng_uniform(&rng, -1.0, 1.0);
    }
    x[n - 3] = 2.0;
    double expected = base_parallel_sum(NULL, n, add_up, x);
    for (int c = 0; c < COUNTS; c++) {
        cn_env env = with_threads(counts[c]);
        spread all = {.last = 0};
        base_parallel_fold(&env, n, find_spread, join_spread, x, sizeof all, &all);
        assert_true(all.sum == expected && all.max == 2.0 && all.last == n);
        cn_threads_destroy(env.threads);
    }
    free(x);
}

// Bodies in layers, each touching some of its own layer and of the next, so many far ones, and
// something static.
static int32_t *layered_pairs_with(int32_t bodies, int32_t contacts, int32_t far) {
    int32_t *pair = malloc(sizeof *pair * 2 * (size_t)contacts);
    base_rng rng = base_rng_seed(7);
    for (int32_t a = 0; a < contacts; a++) {
        int32_t i = (int32_t)((int64_t)a * bodies / contacts), j = i + 1 + base_rng_below(&rng, 90);
        pair[2 * a] = i;
        pair[2 * a + 1] = a < far * 1000 && a % 1000 == 0 ? bodies - 1 - i
                          : a % 11 == 0 || j >= bodies    ? bodies
                                                          : j;
        if (pair[2 * a + 1] == i) {
            pair[2 * a + 1] = bodies;
        }
    }
    return pair;
}

static int32_t *layered_pairs(int32_t bodies, int32_t contacts) {
    return layered_pairs_with(bodies, contacts, contacts / 1000);
}

// There are so many units at least, they have all contacts, and those of a phase share no body.
static void check_units(int32_t contacts, const int32_t *pair, int32_t bodies, int32_t min) {
    cn_arena *arena = cn_arena_create(NULL);
    gs_batches batches;
    assert_int_equal(gs_batches_fill(contacts, pair, bodies, arena, &batches), CN_OK);
    CN_CHECK_BELOW(min - 1, batches.units);
    assert_int_equal(batches.first[0], 0);
    assert_int_equal(batches.first[batches.units], batches.count);
    CN_CHECK_BELOW(batches.count, 1.1 * contacts / GS_BATCH);
    for (int32_t k = 0; k < GS_BATCH_PHASES; k++) {
        int32_t *owner = BASE_TAKE(arena, int32_t, bodies);
        memset(owner, 0xff, sizeof *owner * (size_t)bodies);
        for (int32_t a = 0; a < contacts; a++) {
            int32_t unit = batches.unit[a], batch = batches.slot[a] / GS_BATCH;
            assert_true(batch >= batches.first[unit] && batch < batches.first[unit + 1]);
            for (int side = 0; side < 2; side++) {
                int32_t body = pair[2 * a + side];
                if (body == bodies || unit < batches.phase[k] || unit >= batches.phase[k + 1]) {
                    continue;
                }
                assert_true(owner[body] == -1 || owner[body] == unit);
                owner[body] = unit;
            }
        }
    }
    cn_arena_destroy(arena);
}

CN_TEST(units_of_a_phase_share_no_body) {
    enum { bodies = 20000, contacts = 60000 };
    int32_t *pair = layered_pairs(bodies, contacts);
    check_units(contacts, pair, bodies, 8);
    free(pair);
}

CN_TEST(bodies_numbered_at_random_are_cut_too) {
    enum { bodies = 20000, contacts = 60000 };
    int32_t *pair = layered_pairs_with(bodies, contacts, 0), number[bodies];
    base_rng rng = base_rng_seed(3);
    for (int32_t i = 0; i < bodies; i++) {
        int32_t j = base_rng_below(&rng, i + 1);
        number[i] = number[j];
        number[j] = i;
    }
    for (int32_t k = 0; k < 2 * contacts; k++) {
        pair[k] = pair[k] < bodies ? number[pair[k]] : bodies;
    }
    check_units(contacts, pair, bodies, 8);
    free(pair);
}

CN_TEST(batches_are_the_same_for_any_number_of_threads) {
    enum { bodies = 20000, contacts = 60000 };
    int32_t *pair = layered_pairs(bodies, contacts);
    cn_arena *arena = cn_arena_create(NULL);
    gs_batches want, got;
    assert_int_equal(gs_batches_fill(contacts, pair, bodies, arena, &want), CN_OK);
    for (int c = 0; c < COUNTS; c++) {
        cn_env env = with_threads(counts[c]);
        cn_arena *own = cn_arena_create(&env);
        assert_int_equal(gs_batches_fill(contacts, pair, bodies, own, &got), CN_OK);
        assert_int_equal(got.units, want.units);
        assert_memory_equal(got.first, want.first, sizeof *got.first * (size_t)got.units);
        assert_memory_equal(got.unit, want.unit, contacts);
        assert_memory_equal(got.slot, want.slot, sizeof *got.slot * contacts);
        cn_arena_destroy(own);
        cn_threads_destroy(env.threads);
    }
    cn_arena_destroy(arena);
    free(pair);
}

// Units in the order in which each body sees them.
typedef struct unit_log {
    const gs_batches *batches;
    const int32_t *pair;
    int32_t contacts, bodies;
    int32_t *length, *unit; // of each body; LOG_MOST a body
} unit_log;

#define LOG_MAX 8

static void log_unit(void *user, int32_t unit, int32_t first, int32_t count) {
    unit_log *log = user;
    (void)first;
    (void)count;
    for (int32_t k = 0; k < 2 * log->contacts; k++) {
        int32_t body = log->pair[k], *length = log->length + body;
        if (body == log->bodies || log->batches->unit[k / 2] != unit) {
            continue;
        }
        int32_t *own = log->unit + LOG_MAX * body;
        if (*length == 0 || own[*length - 1] != unit) {
            assert_true(*length < LOG_MAX);
            own[(*length)++] = unit;
        }
    }
}

// A body meets the units of a sweep back in the reverse order, however many threads are at work.
CN_TEST(units_return_the_way_they_came) {
    enum { bodies = 20000, contacts = 60000 };
    int32_t *pair = layered_pairs(bodies, contacts);
    for (int c = 0; c < COUNTS; c++) {
        cn_env env = with_threads(counts[c]);
        cn_arena *arena = cn_arena_create(&env);
        gs_batches batches;
        unit_log log[2];
        assert_int_equal(gs_batches_fill(contacts, pair, bodies, arena, &batches), CN_OK);
        assert_true(batches.units > 3);
        for (int k = 0; k < 2; k++) {
            log[k] = (unit_log){.batches = &batches,
                                .pair = pair,
                                .contacts = contacts,
                                .bodies = bodies,
                                .length = BASE_TAKE_ZERO(arena, int32_t, bodies),
                                .unit = BASE_TAKE_ZERO(arena, int32_t, LOG_MAX * bodies)};
        }
        gs_batches_sweep(&batches, log_unit, &log[0]);
        gs_batches_sweep_back(&batches, log_unit, &log[1]);
        int32_t several = 0;
        for (int32_t i = 0; i < bodies; i++) {
            int32_t length = log[0].length[i];
            assert_int_equal(log[1].length[i], length);
            for (int32_t k = 0; k < length; k++) {
                assert_int_equal(log[1].unit[LOG_MAX * i + k],
                                 log[0].unit[LOG_MAX * i + length - 1 - k]);
            }
            several += length > 1;
        }
        print_message("%d threads, %d units, %d bodies in several\n", counts[c], batches.units,
                      several);
        assert_true(several > bodies / 100);
        cn_arena_destroy(arena);
        cn_threads_destroy(env.threads);
    }
    free(pair);
}

CN_TEST(batches_are_chosen_again_only_when_bodies_change) {
    enum { bodies = 20000, contacts = 60000 };
    int32_t *pair = layered_pairs(bodies, contacts);
    cn_arena *arena = cn_arena_create(NULL);
    gs_batches_cache kept = {.memory = cn_arena_create(NULL)};
    gs_batches want, got;
    for (int round = 0; round < 6; round++) {
        int32_t count = round < 4 ? contacts : contacts / 10; // of which there is one unit
        if (round == 2) {
            pair[1000] = bodies;
        }
        assert_int_equal(gs_batches_fill(count, pair, bodies, arena, &want), CN_OK);
        assert_int_equal(gs_batches_cached(&kept, count, pair, bodies, arena, &got), CN_OK);
        assert_int_equal(kept.uses, 1 + round % 2);
        assert_int_equal(got.count, want.count);
        assert_int_equal(got.units, want.units);
        assert_memory_equal(got.slot, want.slot, sizeof *got.slot * (size_t)count);
    }
    cn_arena_destroy(kept.memory);
    cn_arena_destroy(arena);
    free(pair);
}

// Balls that touch as the pairs say, the last body being fixed.
static cn_friction layered_spheres(int32_t bodies, int32_t contacts, int32_t *pair,
                                   cn_arena *arena) {
    cn_friction p = {.dim = 3, .contacts = contacts, .W = {.kind = CN_OPERATOR_SPHERES}};
    cn_sphere_map *spheres = &p.W.spheres;
    *spheres = (cn_sphere_map){.bodies = bodies + 1,
                               .inv_mass = BASE_TAKE_ZERO(arena, double, 2 * ((int64_t)bodies + 1)),
                               .body = pair,
                               .arm = BASE_TAKE(arena, double, 2 * (int64_t)contacts),
                               .normal = BASE_TAKE(arena, double, 3 * (int64_t)contacts)};
    p.q = BASE_TAKE(arena, double, 3 * (int64_t)contacts);
    p.mu = BASE_TAKE(arena, double, contacts);
    base_rng rng = base_rng_seed(3);
    for (int32_t i = 0; i < 2 * bodies; i++) {
        spheres->inv_mass[i] = base_rng_uniform(&rng, 0.5, 2.0);
    }
    for (int32_t a = 0; a < contacts; a++) {
        double length = 0.0, *n = spheres->normal + 3 * (int64_t)a;
        for (int k = 0; k < 3; k++) {
            n[k] = base_rng_uniform(&rng, -1.0, 1.0);
            length += n[k] * n[k];
            p.q[3 * (int64_t)a + k] = base_rng_uniform(&rng, -1.0, 0.5);
        }
        for (int k = 0; k < 3; k++) {
            n[k] /= sqrt(length);
        }
        spheres->arm[2 * (int64_t)a] = spheres->arm[2 * (int64_t)a + 1] = 0.5;
        p.mu[a] = 0.4;
    }
    return p;
}

// Velocities as one thread has them, and the checker's verdict, for any number of threads.
static void check_velocities(const cn_friction *p, int32_t slices_min, int32_t slices_max) {
    size_t m = 3 * (size_t)p->contacts;
    double *r = malloc(sizeof *r * m), *u = malloc(sizeof *u * m), *want = malloc(sizeof *u * m);
    double *v = malloc(sizeof *v * (size_t)cn_operator_dofs(&p->W, 3));
    for (size_t i = 0; i < m; i++) {
        r[i] = i % 3 == 0 ? fabs(p->q[i]) : 0.3 * p->q[i];
    }
    cn_friction_velocity(p, r, v, want);
    cn_grade first = {.worst = -1};
    for (int c = 0; c < COUNTS; c++) {
        cn_env env = with_threads(counts[c]);
        cn_arena *arena = cn_arena_create(&env);
        prob_slice slice[PROB_SLICES_MAX];
        cn_grade grade;
        int32_t slices = prob_slices_cut(&env, &p->W.spheres, p->contacts, slice);
        assert_true(counts[c] == 1 ? slices == 1 : slices >= slices_min && slices <= slices_max);
        prob_friction_velocity_by(&env, p, r, v, u);
        assert_memory_equal(u, want, sizeof *u * m);
        assert_int_equal(cn_friction_grade(p, r, want, arena, &grade), CN_OK);
        CN_CHECK_BELOW(grade.velocity_mismatch, 1e-12);
        first = c == 0 ? grade : first;
        assert_true(grade.residual == first.residual && grade.residual_q == first.residual_q &&
                    grade.residual_max == first.residual_max && grade.worst == first.worst &&
                    grade.complementarity == first.complementarity && grade.open == first.open &&
                    grade.stick == first.stick && grade.slide == first.slide);
        assert_int_equal(grade.open + grade.stick + grade.slide, p->contacts);
        cn_arena_destroy(arena);
        cn_threads_destroy(env.threads);
    }
    free(r);
    free(u);
    free(want);
    free(v);
}

CN_TEST(velocities_and_verdicts_have_the_same_bits_for_any_number_of_threads) {
    enum { bodies = 20000, contacts = 60000 };
    cn_arena *arena = cn_arena_create(NULL);
    int32_t *pair = layered_pairs(bodies, contacts);
    for (int32_t a = 0; a < contacts; a++) { // without the far ones
        int32_t *other = &pair[2 * a + 1];
        *other = abs(*other - pair[2 * a]) > 90 ? bodies : *other;
    }
    cn_friction p = layered_spheres(bodies, contacts, pair, arena);
    check_velocities(&p, 2, PROB_SLICES_MAX);
    // Numbered at random, every slice would have to look at every contact: it is not cut.
    base_rng rng = base_rng_seed(5);
    for (int32_t a = 0; a < contacts; a++) {
        pair[2 * a] = base_rng_below(&rng, bodies);
        pair[2 * a + 1] = (pair[2 * a] + 1 + base_rng_below(&rng, bodies - 1)) % bodies;
    }
    check_velocities(&p, 1, 1);
    free(pair);
    cn_arena_destroy(arena);
}

// What is left after some steps of a heap that is large enough for every loop to be cut: pairs and
// contacts into units, bodies into ranges. So many sweeps per step.
typedef struct heap_end {
    uint64_t hash;
    cn_step_report report;
} heap_end;

static heap_end run_heap(const char *shape, double height, int32_t steps, int32_t sweeps,
                         int32_t threads) {
    char text[2048];
    snprintf(text, sizeof text,
             "cairn: 1\ndimension: 3\ntime: {step: 0.01}\n"
             "solver: {name: nsgs, tolerance: 1e-14, max_iterations: %d, on_stall: continue}\n"
             "materials: {stone: {density: 1}}\n"
             "contacts: [{between: [stone, stone], friction: 0.3}]\nbodies:\n"
             "  - {name: box, material: stone, fixed: true, shape: ["
             "{plane: {normal: [0, 0, 1], offset: 0}}, {plane: {normal: [1, 0, 0], offset: -10}}, "
             "{plane: {normal: [-1, 0, 0], offset: -10}}]}\n"
             "generate: [{grid: {count: [20, 20, 42], spacing: [1, 1, %g], position: [-9.5, -9.5, "
             "%g], material: stone, shape: {%s}}}]\n",
             (int)sweeps, 0.999 * height, 0.5 * height, shape);
    cn_env env = with_threads(threads);
    cn_model *model;
    cn_sim *sim;
    cn_error error = {.status = CN_OK};
    heap_end end;
    if (cn_scene_read_text(&env, "heap", text, strlen(text), NULL, 0, &model, &error) != CN_OK) {
        fail_msg("%s; %s", error.message, error.hint);
    }
    CN_CHECK_BELOW(BASE_RANGE, cn_model_body_count(model));
    assert_int_equal(cn_sim_create(model, &env, &sim, &error), CN_OK);
    for (int step = 0; step < steps; step++) {
        assert_int_equal(cn_sim_step(sim, &end.report, &error), CN_OK);
    }
    end.hash = cn_sim_hash(sim);
    cn_sim_destroy(sim);
    cn_model_destroy(model);
    cn_threads_destroy(env.threads);
    return end;
}

static void check_heap(const char *shape, double height, int32_t steps, int32_t sweeps) {
    heap_end expected = run_heap(shape, height, steps, sweeps, 1);
    const cn_step_report *one = &expected.report;
    CN_CHECK_BELOW(BASE_RANGE, one->contacts);
    int last = CN_WORLD_SLOW ? 3 : COUNTS; // fewer numbers of threads where every access is checked
    for (int c = 1; c < last; c++) {
        heap_end end = run_heap(shape, height, steps, sweeps, counts[c]);
        const cn_step_report *other = &end.report;
        assert_true(end.hash == expected.hash);
        assert_true(other->kinetic == one->kinetic && other->potential == one->potential &&
                    other->dissipated_friction == one->dissipated_friction &&
                    other->dissipated_impact == one->dissipated_impact &&
                    other->balance_error == one->balance_error &&
                    other->penetration_max == one->penetration_max);
        assert_true(other->residual == one->residual && other->sticking == one->sticking &&
                    other->sliding == one->sliding && other->iterations == one->iterations);
    }
}

CN_TEST(spheres_have_the_same_bits_for_any_number_of_threads) {
    check_heap("sphere: {radius: 0.5}", 1.0, 2, 12);
}

CN_TEST(boxes_have_the_same_bits_for_any_number_of_threads) {
    check_heap("box: {size: [0.45, 0.45, 0.5]}", 0.5, 1, 1);
}
