// Joints in motion against closed forms: V13, V14, V16 and the catalogue of pendulums, linkages,
// tops, chains and shafts (A1 to A5, A8, A9, A12).
#include "world.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

// A body named so, placed at x, y and angle, with mass and inertia (2D).
#define BAR                                                                                        \
    "  - {name: %s, material: m, shape: {box: {size: [0.02, 0.02]}}, "                             \
    "position: [%.17g, %.17g], angle: %.17g, mass: %.17g, inertia: %.17g}\n"
#define HEAD_2D                                                                                    \
    "cairn: 1\ndimension: 2\ngravity: [0, %.17g]\ntime: {step: %.17g}\n"                           \
    "materials: {m: {density: 1}}\nbodies:\n"                                                      \
    "  - {name: ground, fixed: true, material: m, shape: {box: {size: [0.01, 0.01]}}}\n"

// ---- A1: the pendulum ----

// A rod of length 1, pinned at its end, released level; in 3D it swings about the y axis.
static world rod_pendulum(int32_t dim, double h, const char *integrator) {
    if (dim == 2) {
        return world_open("cairn: 1\ndimension: 2\ntime: {step: %.17g}\nintegrator: {%s}\n"
                          "materials: {m: {density: 1}}\nbodies:\n"
                          "  - {name: ground, fixed: true, material: m, "
                          "shape: {box: {size: [0.1, 0.1]}}}\n"
                          "  - {name: rod, material: m, mass: 1, inertia: 0.083333333333333329, "
                          "position: [0.5, 0], shape: {box: {size: [1, 0.01]}}}\n"
                          "joints: [{kind: hinge, bodies: [ground, rod], point: [0, 0]}]\n",
                          h, integrator);
    }
    return world_open("cairn: 1\ntime: {step: %.17g}\nintegrator: {%s}\n"
                      "materials: {m: {density: 1}}\nbodies:\n"
                      "  - {name: ground, fixed: true, material: m, "
                      "shape: {box: {size: [0.1, 0.1, 0.1]}}}\n"
                      "  - {name: rod, material: m, mass: 1, "
                      "inertia: [[1e-3, 0, 0], [0, 0.083333333333333329, 0], "
                      "[0, 0, 0.083333333333333329]], "
                      "position: [0.5, 0, 0], shape: {box: {size: [1, 0.01, 0.01]}}}\n"
                      "joints: [{kind: hinge, bodies: [ground, rod], point: [0, 0, 0], "
                      "axis: [0, 1, 0]}]\n",
                      h, integrator);
}

// The time when the rate of turning is zero again for the second time: a period.
static double swing_period(world *w, int32_t part) {
    double last = 0.0;
    int turns = 0;
    for (int64_t i = 0; i < 100000; i++) {
        world_step(w);
        double rate = world_velocity(w, 2)[part], t = cn_sim_time(w->sim);
        double h = t / (double)(i + 1);
        if (i > 0 && last * rate <= 0.0 && ++turns == 2) {
            return t - h * rate / (rate - last);
        }
        last = rate;
    }
    return NAN;
}

CN_TEST(pendulum_swings_with_the_period_of_the_elliptic_integral) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        world w = rod_pendulum(dim, 1e-3, "theta: 0.5");
        double period = swing_period(&w, dim == 2 ? 2 : 4);
        CN_CHECK_NEAR(period / 1.93333485, 1.0, 1e-6);
        CN_CHECK_BELOW(w.last.joint_error_max, 1e-9);
        CN_CHECK_NEAR(w.energy, 0.0, 1e-6);
        CN_CHECK_BELOW(w.worst_balance, 1e-13);
        CN_CHECK_TRUE(w.unsolved == 0);
        world_close(&w);
    }
}

// A rod without mass, so that only the distance counts.
CN_TEST(mass_on_a_rod_swings_as_a_point) {
    world w = world_open(HEAD_2D BAR "joints: [{kind: distance, bodies: [ground, bob], "
                                     "point: [0, 0], second_point: [1, 0]}]\n",
                         -9.81, 1e-3, "bob", 1.0, 0.0, 0.0, 1.0, 0.01);
    double last = 0.0, period = 0.0;
    int turns = 0;
    for (int i = 0; turns < 2 && i < 3000; i++) {
        world_step(&w);
        double up = world_velocity(&w, 2)[1] * world_position(&w, 2)[0] -
                    world_velocity(&w, 2)[0] * world_position(&w, 2)[1];
        if (i > 0 && last * up <= 0.0) {
            turns++;
            period = cn_sim_time(w.sim) - 1e-3 * up / (up - last);
        }
        last = up;
    }
    CN_CHECK_NEAR(period / 2.36784195, 1.0, 1e-6);
    CN_CHECK_NEAR(world_velocity(&w, 2)[2], 0.0, 1e-12);
    world_close(&w);
}

CN_TEST(energy_of_a_pendulum_is_of_second_order_and_does_not_drift) {
    double worst[2];
    for (int k = 0; k < 2; k++) {
        world w = rod_pendulum(2, k ? 1e-3 : 2e-3, "theta: 0.5");
        worst[k] = 0.0;
        for (int i = 0; i < 4000 * (k + 1); i++) {
            world_step(&w);
            worst[k] = fmax(worst[k], fabs(w.energy));
        }
        world_close(&w);
    }
    CN_CHECK_NEAR(world_order(worst[0], worst[1]), 2.0, 0.1);
    CN_CHECK_BELOW(worst[1], 5e-5);
}

// ---- A2: the double pendulum ----

CN_TEST(double_pendulum_of_rods_follows_the_reference) {
    world w =
        world_open(HEAD_2D BAR BAR "joints:\n"
                                   "  - {kind: hinge, bodies: [ground, upper], point: [0, 0]}\n"
                                   "  - {kind: hinge, bodies: [upper, lower], point: [1, 0]}\n",
                   -9.81, 5e-4, "upper", 0.5, 0.0, 0.0, 1.0, 1.0 / 12.0, "lower", 1.5, 0.0, 0.0,
                   1.0, 1.0 / 12.0);
    static const double want[2][5] = {{0.5, 0.44814263, 1.04196289, -2.41430831, -5.94910494},
                                      {1.0, -1.20771624, -0.81439102, -3.40651753, -0.51604547}};
    for (int k = 0; k < 2; k++) {
        world_run(&w, want[k][0]);
        for (int i = 0; i < 2; i++) { // angles from the downward vertical
            CN_CHECK_NEAR(world_position(&w, 2 + i)[2] + 0.5 * PI, want[k][1 + i], 2e-5);
            CN_CHECK_NEAR(world_velocity(&w, 2 + i)[2], want[k][3 + i], 2e-4);
        }
    }
    CN_CHECK_BELOW(fabs(w.energy), 1e-5);
    CN_CHECK_BELOW(w.last.joint_error_max, 1e-9);
    world_close(&w);
}
