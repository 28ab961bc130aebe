// Poured spheres at the margin of rigidity: what the default solver spends on them, by counts, and
// the Newton step that ends its sweeps.
#include "world.h"

#include "base/arena.h"
#include "solve/drivers/natural_map.h"
#include "solve/newton/newton_correct.h"

#include <math.h>

static world poured(double friction, int seed) {
    return world_open(
        "cairn: 1\ndimension: 3\ntime: {step: 0.001}\nmaterials: {glass: {density: 2000}}\n"
        "contacts: [{between: ['*', '*'], friction: %g, restitution: 0.3}]\nbodies:\n"
        "  - {name: box, fixed: true, material: glass, shape: [{plane: {normal: [0, 0, 1]}}, "
        "{plane: {normal: [1, 0, 0], offset: -0.3}}, {plane: {normal: [-1, 0, 0], offset: -0.3}}, "
        "{plane: {normal: [0, 1, 0], offset: -0.3}}, {plane: {normal: [0, -1, 0], offset: "
        "-0.3}}]}\n"
        "generate: [{packing: {count: 200, radius: [0.04, 0.06], inside: [[-0.3, -0.3, 0], [0.3, "
        "0.3, 2.4]], seed: %d, material: glass}}]\n",
        friction, seed);
}

// The steps in which the packing jams. With sweeps alone some circle until a limit of 15 000, and a
// step takes 250 iterations in the mean.
CN_TEST(jammed_steps_end_by_newton_steps) {
    CN_LONG_RUN();
    world w = poured(0.8, 1);
    int64_t iterations = 0;
    int32_t hard = 0, steps = 750;
    for (int32_t k = 0; k < steps; k++) {
        world_steps(&w, 1);
        iterations += w.last.iterations;
        hard += w.last.iterations > 9000;
    }
    double mean = (double)iterations / steps;
    CN_CHECK_TRUE(hard == 0);
    CN_CHECK_NEAR(mean, 0.0, 225.0);
    world_close(&w);
}

// From an answer to 1e-3 a step lowers the error, keeps the impulses in their cones, and says what
// the natural map says; beyond the distance given it does nothing.
CN_TEST(newton_step_lowers_the_error_of_sweeps) {
    world w = poured(0.5, 2);
    world_steps(&w, 550);
    const double *r, *u;
    const cn_friction *p = cn_sim_problem(w.sim, &r, &u);
    cn_env env = cn_env_default();
    cn_arena *scratch = cn_arena_create(&env);
    CN_CHECK_TRUE(p && scratch);
    int64_t m = (int64_t)p->dim * p->contacts;
    double *x = BASE_TAKE(scratch, double, m), *v = BASE_TAKE(scratch, double, m), error = 0.0;
    newton_system system;
    int32_t steps = -1;
    CN_CHECK_TRUE(x && v && newton_analyse(p, scratch, &system) == CN_OK);
    double before = solve_natural_error(p, CN_MEASURE_SCALED, r, u);
    memcpy(x, r, sizeof *x * (size_t)m);
    CN_CHECK_TRUE(newton_correct(&system, CN_MEASURE_SCALED, 0.0, 0.5 * before, 1, scratch, x, v,
                                 &error, &steps) == CN_OK);
    CN_CHECK_TRUE(steps == 0);
    CN_CHECK_NEAR(error, before, 1e-9 * before);
    CN_CHECK_TRUE(newton_correct(&system, CN_MEASURE_SCALED, 0.0, 1.0, 1, scratch, x, v, &error,
                                 &steps) == CN_OK);
    CN_CHECK_NEAR(error, 0.0, 0.8 * before);
    CN_CHECK_NEAR(solve_natural_error(p, CN_MEASURE_SCALED, x, v), error, 1e-9 * before);
    for (int32_t a = 0; a < p->contacts; a++) {
        double tail = hypot(x[3 * a + 1], x[3 * a + 2]);
        CN_CHECK_TRUE(tail <= p->mu[a] * x[3 * a] * (1.0 + 1e-12));
    }
    cn_arena_destroy(scratch);
    world_close(&w);
}
