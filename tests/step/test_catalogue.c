// What the catalogue of analytic checks asks besides the tests of mechanisms: the pendulum's
// instants and force (A1), the double pendulum of points and small swings of both (A2), a sleeping
// top (A5), bounces one by one (A7), the other Filippov spiral.
//
// The rest is in test_mechanism (A1-A5, A8, A9, A12), test_flight (A6), test_impact and
// test_event_driven (A7), test_system_schemes (A10), test_systems_gallery and test_event_driven
// (A11).
#include "world.h"

#include <cairn/solve.h>

#include <cairn/system.h>

#include <math.h>

#define PI 3.14159265358979323846
#define HEAD                                                                                       \
    "cairn: 1\ndimension: 2\ngravity: [0, -9.81]\ntime: {step: %.17g}\n"                           \
    "materials: {m: {density: 1}}\nbodies:\n  - {name: ground, fixed: true, material: m}\n"

// ---- A1 ----

#define BOB "  - {name: %s, material: m, position: [%.17g, %.17g], mass: 1, inertia: 0.01}\n"

// Angle from the downward vertical of a point about another.
static double angle_of(const double *at, double x, double y) {
    return atan2(at[0] - x, y - at[1]);
}

CN_TEST(pendulum_has_its_angle_rate_speed_and_force) {
    double h = 2e-4, last = 0.0, t_bottom = 0.25 * 2.36784195;
    world w = world_open(HEAD BOB "joints: [{kind: distance, bodies: [ground, bob], "
                                  "point: [0, 0], second_point: [1, 0]}]\n",
                         h, "bob", 1.0, 0.0);
    while (cn_sim_time(w.sim) < t_bottom) {
        last = hypot(world_velocity(&w, 2)[0], world_velocity(&w, 2)[1]);
        world_step(&w);
    }
    CN_CHECK_NEAR(last, 4.42944692, 1e-5);
    // The rod pulls with three times the weight.
    const double *r, *u;
    const cn_friction *p = cn_sim_problem(w.sim, &r, &u);
    double force = 0.0;
    for (int32_t i = 0; i < p->dim * p->contacts; i++) {
        force = fmax(force, fabs(r[i]) / h);
    }
    CN_CHECK_NEAR(force / (3.0 * 9.81), 1.0, 1e-5);
    world_run(&w, 1.0);
    const double *at = world_position(&w, 2), *v = world_velocity(&w, 2);
    CN_CHECK_NEAR(angle_of(at, 0.0, 0.0), -1.40502731, 1e-6);
    CN_CHECK_NEAR(at[0] * v[1] - at[1] * v[0], -1.79930902, 1e-5);
    world_close(&w);
}

CN_TEST(pinned_rod_passes_the_bottom_with_its_rate) {
    world w = world_open(HEAD "  - {name: rod, material: m, position: [0.5, 0], mass: 1, "
                              "inertia: 0.083333333333333329}\n"
                              "joints: [{kind: hinge, bodies: [ground, rod], point: [0, 0]}]\n",
                         2e-4);
    world_run(&w, 0.25 * 1.93333485);
    CN_CHECK_NEAR(world_velocity(&w, 2)[2], -5.42494240, 1e-5);
    world_close(&w);
}

// ---- A2 ----

CN_TEST(double_pendulum_of_points_follows_the_reference) {
    static const double want[3][5] = {{0.5, 0.57047205, 1.20387511, -2.78964577, -3.18806275},
                                      {1.0, -0.62508770, -1.03458509, -3.92227957, -1.30309925},
                                      {2.0, -0.48297153, -1.32404871, 3.06528819, 2.94927155}};
    world w =
        world_open(HEAD BOB BOB "joints:\n"
                                "  - {kind: distance, bodies: [ground, upper], point: [0, 0], "
                                "second_point: [1, 0]}\n"
                                "  - {kind: distance, bodies: [upper, lower], point: [1, 0], "
                                "second_point: [2, 0]}\n",
                   2e-4, "upper", 1.0, 0.0, "lower", 2.0, 0.0);
    for (int k = 0; k < 3; k++) {
        world_run(&w, want[k][0]);
        const double *a = world_position(&w, 2), *b = world_position(&w, 3);
        const double *va = world_velocity(&w, 2), *vb = world_velocity(&w, 3);
        double x = b[0] - a[0], y = b[1] - a[1];
        CN_CHECK_NEAR(angle_of(a, 0.0, 0.0), want[k][1], 2e-5);
        CN_CHECK_NEAR(angle_of(b, a[0], a[1]), want[k][2], 2e-5);
        CN_CHECK_NEAR(a[0] * va[1] - a[1] * va[0], want[k][3], 1e-4);
        CN_CHECK_NEAR(x * (vb[1] - va[1]) - y * (vb[0] - va[0]), want[k][4], 1e-4);
    }
    CN_CHECK_BELOW(w.last.joint_error_max, 1e-9);
    world_close(&w);
}

// Rods hung at their modes, a small angle: back after a period.
CN_TEST(double_pendulum_of_rods_swings_at_its_two_frequencies) {
    static const double frequency[2] = {2.68011401, 7.18867087};
    for (int k = 0; k < 2; k++) {
        double w2 = frequency[k] * frequency[k], a = 1e-4;
        double b = a * (1.5 * 9.81 - w2 * 4.0 / 3.0) / (0.5 * w2);
        double h = 2.0 * PI / frequency[k] / 4000.0;
        world w = world_open(
            HEAD "  - {name: upper, material: m, position: [%.17g, %.17g], angle: %.17g, mass: 1, "
                 "inertia: 0.083333333333333329}\n"
                 "  - {name: lower, material: m, position: [%.17g, %.17g], angle: %.17g, mass: 1, "
                 "inertia: 0.083333333333333329}\n"
                 "joints:\n  - {kind: hinge, bodies: [ground, upper], point: [0, 0]}\n"
                 "  - {kind: hinge, bodies: [upper, lower], point: [%.17g, %.17g]}\n",
            h, 0.5 * sin(a), -0.5 * cos(a), a, sin(a) + 0.5 * sin(b), -cos(a) - 0.5 * cos(b), b,
            sin(a), -cos(a));
        world_steps(&w, 1000);
        CN_CHECK_BELOW(fabs(world_position(&w, 2)[2]), 2e-5 * a);
        CN_CHECK_BELOW(fabs(world_position(&w, 3)[2]), 2e-5 * fabs(b));
        world_steps(&w, 3000);
        CN_CHECK_NEAR(world_position(&w, 2)[2] / a, 1.0, 1e-6);
        CN_CHECK_NEAR(world_position(&w, 3)[2] / b, 1.0, 1e-6);
        world_close(&w);
    }
}

// ---- A5 ----

// A top that stands upright, pushed a little: it stays up above 153.44 rad/s, falls below.
CN_TEST(sleeping_top_stands_above_its_critical_spin) {
    static const double spin[2] = {165.0, 140.0};
    for (int k = 0; k < 2; k++) {
        // Inertia about the centre of mass: 1.5e-3 - m l^2.
        world w = world_open("cairn: 1\ngravity: [0, 0, -9.81]\ntime: {step: 2.0e-4}\n"
                             "materials: {m: {density: 1}}\nbodies:\n"
                             "  - {name: ground, fixed: true, material: m}\n"
                             "  - {name: top, material: m, mass: 0.5, position: [0, 0, 0.05],\n"
                             "     inertia: [[2.5e-4, 0, 0], [0, 2.5e-4, 0], [0, 0, 2.5e-4]],\n"
                             "     angular_velocity: [1.0e-3, 0, %.17g]}\n"
                             "joints: [{kind: ball, bodies: [ground, top], point: [0, 0, 0]}]\n",
                             spin[k]);
        double tilt = 0.0;
        while (cn_sim_time(w.sim) < 3.0) {
            world_step(&w);
            const double *at = world_position(&w, 2);
            tilt = fmax(tilt, hypot(at[0], at[1]) / 0.05);
        }
        if (k == 0) {
            CN_CHECK_BELOW(tilt, 1e-3);
        } else {
            CN_CHECK_TRUE(tilt > 0.1);
        }
        world_close(&w);
    }
}

// ---- first-order systems: a spiral that ends at 2 s ----

// |x1| + |x2| after a time with a step; the time when it has become zero in *end.
static double spiral(double h, double t, double *end) {
    static const double B[4] = {5.0, 495.0, -495.0, 5.0}, C[4] = {1, 0, 0, 1};
    static const double start[2] = {10.0, 10.0}, lower[2] = {-1, -1}, upper[2] = {1, 1};
    cn_first_order def = {
        .n = 2, .m = 2, .B = B, .C = C, .x = start, .lower = lower, .upper = upper};
    cn_error error = {.status = CN_OK};
    cn_system *system = NULL;
    cn_system_run *run = NULL;
    cn_system_report report;
    cn_system_opts opts = cn_system_opts_default();
    opts.step = h;
    CN_CHECK_TRUE(cn_system_create_first_order(NULL, &def, &system, &error) == CN_OK);
    CN_CHECK_TRUE(cn_system_run_create(system, &opts, NULL, &run, &error) == CN_OK);
    const double *x = cn_system_run_q(run);
    double sum = 20.0, then = 20.0;
    while (sum > 1e-12 && cn_system_run_time(run) < 2.1) {
        CN_CHECK_TRUE(cn_system_run_step(run, &report, &error) == CN_OK);
        sum = fabs(x[0]) + fabs(x[1]);
        then = cn_system_run_time(run) < t + 0.5 * h ? sum : then;
    }
    *end = cn_system_run_time(run);
    cn_system_run_destroy(run);
    cn_system_destroy(system);
    return then;
}

// It falls by 10 a second, to the origin at 2 s; the scheme is ahead of that, of first order.
CN_TEST(second_filippov_spiral_tends_to_the_closed_form) {
    double coarse_end, fine_end;
    double coarse = spiral(2e-5, 1.0, &coarse_end), fine = spiral(1e-5, 1.0, &fine_end);
    CN_CHECK_NEAR(fine, 10.0, 0.2);
    CN_CHECK_BELOW(fabs(fine - 10.0), 0.6 * fabs(coarse - 10.0));
    CN_CHECK_TRUE(coarse_end < fine_end && fine_end < 2.0);
    CN_CHECK_NEAR(fine_end, 2.0, 0.1);
}
