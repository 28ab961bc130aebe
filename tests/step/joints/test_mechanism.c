// Joints in motion against closed forms: V13, V14, V16 and the catalogue of pendulums, linkages,
// tops, chains and shafts (A1 to A5, A8, A9, A12).
#include "world.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

// A body named so, placed at x, y and angle, with mass and inertia (2D).
#define BAR                                                                                        \
    "  - {name: %s, material: m, position: [%.17g, %.17g], angle: %.17g, mass: %.17g, inertia: "   \
    "%.17g}\n"
#define HEAD_2D                                                                                    \
    "cairn: 1\ndimension: 2\ngravity: [0, %.17g]\ntime: {step: %.17g}\n"                           \
    "materials: {m: {density: 1}}\nbodies:\n"                                                      \
    "  - {name: ground, fixed: true, material: m}\n"

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

// ---- A3: the slider-crank ----

CN_TEST(slider_crank_follows_the_closed_form) {
    double r = 0.153, l = 0.306, h = 1e-5, rate = 150.0;
    world w = world_open(HEAD_2D BAR BAR BAR
                         "joints:\n"
                         "  - {kind: hinge, bodies: [ground, crank], point: [0, 0], "
                         "motor: {velocity: 150}}\n"
                         "  - {kind: hinge, bodies: [crank, rod], point: [0.153, 0]}\n"
                         "  - {kind: hinge, bodies: [rod, piston], point: [0.459, 0]}\n"
                         "  - {kind: slider, bodies: [ground, piston], point: [0.459, 0], "
                         "axis: [1, 0]}\n",
                         0.0, h, "crank", 0.5 * r, 0.0, 0.0, 0.038, 7.4e-5, "rod", r + 0.5 * l, 0.0,
                         0.0, 0.038, 5.9e-4, "piston", r + l, 0.0, 0.0, 0.076, 2.7e-6);
    double worst[3] = {0.0, 0.0, 0.0};
    world_run(&w, 2e-3); // past the jerk of the start
    while (cn_sim_time(w.sim) < 0.06) {
        world_step(&w);
        double a = world_position(&w, 2)[2], s = sqrt(l * l - r * r * sin(a) * sin(a));
        double x = r * cos(a) + s, v = -rate * r * sin(a) * (1.0 + r * cos(a) / s);
        worst[0] = fmax(worst[0], fabs(world_position(&w, 4)[0] - x));
        worst[1] = fmax(worst[1], fabs(world_position(&w, 3)[2] + asin(r * sin(a) / l)));
        worst[2] = fmax(worst[2], fabs(world_velocity(&w, 4)[0] - v));
    }
    CN_CHECK_BELOW(worst[0], 1e-8);
    CN_CHECK_BELOW(worst[1], 1e-7);
    CN_CHECK_BELOW(worst[2], 1e-3);
    CN_CHECK_TRUE(w.unsolved == 0);
    world_close(&w);
}

// ---- A4: the four-bar, and loops with more joints than they need ----

// Ground 3, crank 1, coupler 4, rocker 2.5; the crank starts along x.
static world four_bar(double h) {
    double x = 0.25 * (16.0 - 6.25 + 4.0), y = sqrt(16.0 - x * x), c = 1.0 + x;
    return world_open(HEAD_2D BAR BAR BAR
                      "joints:\n"
                      "  - {kind: hinge, bodies: [ground, crank], point: [0, 0], "
                      "motor: {velocity: 2}}\n"
                      "  - {kind: hinge, bodies: [crank, coupler], point: [1, 0]}\n"
                      "  - {kind: hinge, bodies: [coupler, rocker], point: [%.17g, %.17g]}\n"
                      "  - {kind: hinge, bodies: [rocker, ground], point: [3, 0]}\n",
                      -9.81, h, "crank", 0.5, 0.0, 0.0, 1.0, 1.0 / 12.0, "coupler", 0.5 * (1.0 + c),
                      0.5 * y, atan2(y, x), 1.0, 16.0 / 12.0, "rocker", 0.5 * (3.0 + c), 0.5 * y,
                      atan2(y, c - 3.0), 1.0, 6.25 / 12.0, c, y);
}

CN_TEST(four_bar_follows_the_closed_form) {
    world w = four_bar(1e-3);
    double worst = 0.0, joint = 0.0;
    for (int i = 0; i < 4000; i++) {
        world_step(&w);
        double a = world_position(&w, 2)[2];
        double D = sqrt(9.0 + 1.0 - 6.0 * cos(a)), g = atan2(-sin(a), 3.0 - cos(a));
        double alpha = g + acos((16.0 + D * D - 6.25) / (8.0 * D));
        double phi = atan2(sin(a) + 4.0 * sin(alpha), cos(a) + 4.0 * cos(alpha) - 3.0);
        worst = fmax(worst, fabs(remainder(world_position(&w, 3)[2] - alpha, 2.0 * PI)));
        worst = fmax(worst, fabs(remainder(world_position(&w, 4)[2] - phi, 2.0 * PI)));
        joint = fmax(joint, w.last.joint_error_max);
    }
    CN_CHECK_BELOW(worst, 1e-8);
    CN_CHECK_BELOW(joint, 1e-9);
    CN_CHECK_TRUE(w.unsolved == 0);
    CN_CHECK_BELOW(w.worst_balance, 1e-11);
    world_close(&w);
}

// Three parallel rods of length 1 carry a bar, one of them more than it takes; they swing from 60
// degrees, so that they never lie flat, where the loop is singular.
static world parallelogram(double h, const char *motor) {
    double x = sin(PI / 3.0), y = -cos(PI / 3.0);
    return world_open(
        HEAD_2D BAR BAR BAR BAR "joints:\n"
                                "  - {kind: hinge, bodies: [ground, one], point: [0, 0]%s}\n"
                                "  - {kind: hinge, bodies: [ground, two], point: [1, 0]}\n"
                                "  - {kind: hinge, bodies: [ground, three], point: [2, 0]}\n"
                                "  - {kind: hinge, bodies: [one, bar], point: [%.17g, %.17g]}\n"
                                "  - {kind: hinge, bodies: [two, bar], point: [%.17g, %.17g]}\n"
                                "  - {kind: hinge, bodies: [three, bar], point: [%.17g, %.17g]}\n",
        -9.81, h, "one", 0.5 * x, 0.5 * y, 0.0, 1.0, 1.0 / 12.0, "two", 1.0 + 0.5 * x, 0.5 * y, 0.0,
        1.0, 1.0 / 12.0, "three", 2.0 + 0.5 * x, 0.5 * y, 0.0, 1.0, 1.0 / 12.0, "bar", 1.0 + x, y,
        0.0, 2.0, 0.7, motor, x, y, 1.0 + x, y, 2.0 + x, y);
}

CN_TEST(redundant_parallelogram_holds) {
    world w = parallelogram(1e-3, "");
    double worst = 0.0, joint = 0.0, start = w.energy;
    for (int i = 0; i < 4000; i++) {
        world_step(&w);
        worst = fmax(worst, fabs(world_position(&w, 5)[2]));
        joint = fmax(joint, w.last.joint_error_max);
    }
    CN_CHECK_BELOW(worst, 1e-9); // the bar stays level
    CN_CHECK_NEAR(w.energy, start, 1e-5 * fabs(start));
    CN_CHECK_BELOW(joint, 1e-9);
    CN_CHECK_TRUE(w.unsolved == 0);
    world_close(&w);
}

// Where it lies flat, the rows depend on one another once more, and what is off then can be taken
// back only to second order.
CN_TEST(redundant_parallelogram_goes_through_its_flat_position) {
    world w = parallelogram(1e-3, ", motor: {velocity: 2}");
    double joint = 0.0;
    for (int i = 0; i < 4000; i++) { // two and a half half-turns
        world_step(&w);
        joint = fmax(joint, w.last.joint_error_max);
    }
    CN_CHECK_BELOW(joint, 5e-9);
    CN_CHECK_NEAR(world_position(&w, 5)[2], 0.0, 1e-6); // the bar stays level
    CN_CHECK_NEAR(world_position(&w, 2)[2], 8.0, 2e-3); // it starts from rest
    CN_CHECK_TRUE(w.unsolved == 0);
    world_close(&w);
}

// ---- A5: the heavy top ----

// A top on a ball joint: m = 0.5, l = 0.05, I1 = 1.5e-3 about the point, I3 = 2.5e-4, axis at 30
// degrees from the vertical in the x z plane, spinning at 200 rad/s about it.
static world heavy_top(double precession, double h) {
    double tilt = PI / 6.0, l = 0.05, s = sin(tilt), c = cos(tilt);
    double across = 1.5e-3 - 0.5 * l * l;
    // The total rate about the axis is 200: w = precession e_z + (200 - precession c) axis.
    double own = 200.0 - precession * c;
    double rate[3] = {own * s, 0.0, precession + own * c};
    return world_open("cairn: 1\ntime: {step: %.17g}\nmaterials: {m: {density: 1}}\nbodies:\n"
                      "  - {name: ground, fixed: true, material: m}\n"
                      "  - {name: top, material: m, position: [%.17g, 0, %.17g], "
                      "rotation: {axis: [0, 1, 0], angle: %.17g}, mass: 0.5, "
                      "inertia: [[%.17g, 0, 0], [0, %.17g, 0], [0, 0, 2.5e-4]], "
                      "velocity: [0, %.17g, 0], angular_velocity: [%.17g, 0, %.17g]}\n"
                      "joints: [{kind: ball, bodies: [ground, top], point: [0, 0, 0]}]\n",
                      h, l * s, l * c, tilt, across, across, precession * l * s, rate[0], rate[2]);
}

CN_TEST(heavy_top_precesses_steadily) {
    double want = 5.76996417, tilt = 0.0;
    world w = heavy_top(want, 2e-4);
    world_run(&w, 0.5);
    const double *x = world_position(&w, 2);
    CN_CHECK_NEAR(atan2(x[1], x[0]), 0.5 * want, 1e-4);
    tilt = atan2(hypot(x[0], x[1]), x[2]);
    CN_CHECK_NEAR(tilt, PI / 6.0, 1e-5);
    CN_CHECK_BELOW(w.last.joint_error_max, 1e-9);
    world_close(&w);
}

CN_TEST(top_released_without_precession_nutates_to_the_closed_form) {
    world w = heavy_top(0.0, 2e-4);
    double max = 0.0, min = 10.0, start = w.energy;
    for (int i = 0; i < 2000; i++) {
        world_step(&w);
        const double *x = world_position(&w, 2);
        double tilt = atan2(hypot(x[0], x[1]), x[2]);
        max = fmax(max, tilt);
        min = fmin(min, tilt);
    }
    CN_CHECK_NEAR(max, 0.75616211, 2e-4);
    CN_CHECK_NEAR(min, PI / 6.0, 2e-4);
    CN_CHECK_NEAR(w.energy, start, 1e-4 * fabs(start));
    world_close(&w);
}

// ---- A8: the hanging chain ----

// Ten rods of 0.2 between two pins 1.6 apart, with a damper in every joint, come to rest in the
// shape of least potential energy.
CN_TEST(chain_hangs_as_the_closed_form_says) {
    char bodies[4000], joints[4000];
    size_t b = 0, j = 0;
    double cosine = 0.8, sine = 0.6; // two straight halves at first
    for (int i = 0; i < 10; i++) {
        double s = 0.2 * i + 0.1, x = cosine * s, y = i < 5 ? -sine * s : -sine * (2.0 - s);
        b +=
            (size_t)snprintf(bodies + b, sizeof bodies - b,
                             "  - {name: r%d, material: m, position: [%.17g, %.17g], angle: %.17g, "
                             "mass: 0.2, inertia: 6.6666666666666664e-4}\n",
                             i, x, y, i < 5 ? -asin(sine) : asin(sine));
    }
    for (int i = 0; i <= 10; i++) {
        char from[16] = "ground", to[16] = "ground";
        if (i > 0) {
            snprintf(from, sizeof from, "r%d", i - 1);
        }
        if (i < 10) {
            snprintf(to, sizeof to, "r%d", i);
        }
        double s = 0.2 * i;
        j += (size_t)snprintf(
            joints + j, sizeof joints - j,
            "  - {kind: hinge, bodies: [%s, %s], point: [%.17g, %.17g], damping: 0.05}\n", from, to,
            cosine * s, i <= 5 ? -sine * s : -sine * (2.0 - s));
    }
    world w = world_open("cairn: 1\ndimension: 2\ntime: {step: 5e-3}\nintegrator: {theta: 1}\n"
                         "materials: {m: {density: 1}}\n"
                         "bodies:\n  - {name: ground, fixed: true, material: m}\n%sjoints:\n%s",
                         bodies, joints);
    world_run(&w, 12.0);
    static const double joint[5][2] = {{0.11995472, -0.16003395},
                                       {0.25873942, -0.30404369},
                                       {0.41941728, -0.42313452},
                                       {0.60216181, -0.50440221},
                                       {0.8, -0.53372885}};
    for (int i = 0; i < 5; i++) {
        const double *q = world_position(&w, 2 + i);
        CN_CHECK_NEAR(q[0] + 0.1 * cos(q[2]), joint[i][0], 1e-6);
        CN_CHECK_NEAR(q[1] + 0.1 * sin(q[2]), joint[i][1], 1e-6);
    }
    CN_CHECK_BELOW(w.last.kinetic, 1e-10);
    world_close(&w);
}

// ---- A9: torsion ----

CN_TEST(torsion_swings_and_decays_as_the_closed_form_says) {
    world w = world_open(HEAD_2D BAR "joints: [{kind: torsion, bodies: [ground, disk], "
                                     "stiffness: 5, damping: 0.01, rest: -0.1}]\n",
                         0.0, 1e-4, "disk", 0.0, 0.0, 0.0, 1.0, 0.02);
    world_run(&w, 1.0);
    CN_CHECK_NEAR(world_position(&w, 2)[2] + 0.1, -0.07760438, 1e-6);
    CN_CHECK_BELOW(w.worst_balance, 1e-13);
    world_close(&w);
}

CN_TEST(two_discs_on_a_shaft_swing_against_one_another) {
    world w = world_open(
        "cairn: 1\ngravity: [0, 0, 0]\ntime: {step: 1e-4}\nmaterials: {m: {density: 1}}\nbodies:\n"
        "  - {name: a, material: m, mass: 1, inertia: [0.1, 0.1, 0.02], angular_velocity: [0, 0, "
        "5]}\n"
        "  - {name: b, material: m, mass: 1, inertia: [0.1, 0.1, 0.05], angular_velocity: [0, 0, "
        "-2]}\n"
        "joints: [{kind: torsion, bodies: [a, b], axis: [0, 0, 1], stiffness: 5}]\n");
    double omega = 18.70828693;
    world_run(&w, 0.25);
    CN_CHECK_NEAR(world_velocity(&w, 1)[5], 5.0 * cos(omega * 0.25), 1e-4);
    CN_CHECK_NEAR(world_velocity(&w, 2)[5], -2.0 * cos(omega * 0.25), 1e-4);
    world_close(&w);
}

// ---- A12: the universal joint ----

CN_TEST(universal_joint_turns_unevenly) {
    double d = PI / 6.0, rate = 2.0;
    world w = world_open(
        "cairn: 1\ngravity: [0, 0, 0]\ntime: {step: 1e-3}\nmaterials: {m: {density: 1}}\nbodies:\n"
        "  - {name: frame, fixed: true, material: m}\n"
        "  - {name: in, material: m, position: [-0.5, 0, 0], mass: 1, inertia: [0.01, 0.08, 0.08], "
        "angular_velocity: [%.17g, 0, 0]}\n"
        "  - {name: out, material: m, position: [%.17g, %.17g, 0], mass: 1, "
        "inertia: [0.01, 0.08, 0.08], rotation: {axis: [0, 0, 1], angle: %.17g}}\n"
        "joints:\n"
        "  - {kind: hinge, bodies: [frame, in], point: [-0.5, 0, 0], axis: [1, 0, 0], "
        "motor: {velocity: %.17g}}\n"
        "  - {kind: hinge, bodies: [frame, out], point: [%.17g, %.17g, 0], axis: [%.17g, %.17g, "
        "0]}\n"
        "  - {kind: universal, bodies: [in, out], point: [0, 0, 0], axis: [0, 0, 1], "
        "second_axis: [%.17g, %.17g, 0]}\n",
        rate, 0.5 * cos(d), 0.5 * sin(d), d, rate, 0.5 * cos(d), 0.5 * sin(d), cos(d), sin(d),
        -sin(d), cos(d));
    double worst = 0.0, joint = 0.0;
    for (int i = 0; i < 2000; i++) {
        world_step(&w);
        // Angles of the shafts about their axes; the output's start is turned by d about z.
        const double *in = world_position(&w, 2) + 3, *q = world_position(&w, 3) + 3;
        double c = cos(0.5 * d), s = sin(0.5 * d), a = 2.0 * atan2(in[1], in[0]);
        double e[4] = {q[0] * c + q[3] * s, q[1] * c - q[2] * s, q[2] * c + q[1] * s,
                       q[3] * c - q[0] * s};
        double out = 2.0 * atan2(e[1] * cos(d) + e[2] * sin(d), e[0]);
        worst = fmax(worst, fabs(remainder(out - atan2(sin(a) * cos(d), cos(a)), 2.0 * PI)));
        joint = fmax(joint, w.last.joint_error_max);
    }
    CN_CHECK_BELOW(worst, 1e-8);
    CN_CHECK_BELOW(joint, 1e-9);
    CN_CHECK_TRUE(w.unsolved == 0);
    world_close(&w);
}

// ---- V16: spring, mass and dry friction ----

CN_TEST(dry_friction_takes_twice_its_force_over_the_stiffness_each_half_swing) {
    double F = 4.5, k = 100.0;
    world w =
        world_open(HEAD_2D BAR "joints: [{kind: slider, bodies: [ground, block], point: [0, 0], "
                               "axis: [1, 0], stiffness: %.17g, rest: -1, friction: %.17g}]\n",
                   0.0, 1e-3, "block", 0.0, 0.0, 0.0, 1.0, 0.01, k, F);
    double last = 0.0, want = 1.0, worst = 0.0;
    int turns = 0;
    for (int i = 0; i < 6000; i++) {
        world_step(&w);
        double v = world_velocity(&w, 2)[0], x = world_position(&w, 2)[0] + 1.0;
        if (fabs(v) < 1e-3) {
            continue; // it stands still for a step where it turns
        }
        if (last * v < 0.0) {
            turns++;
            want -= 2.0 * F / k;
            worst = fmax(worst, fabs(fabs(x) - want));
        }
        last = v;
    }
    // By 0.09 a half swing until the spring, at 0.01, cannot pull: ten turns, then it stays.
    CN_CHECK_TRUE(turns == 10);
    CN_CHECK_BELOW(worst, 1e-3);
    CN_CHECK_NEAR(fabs(world_position(&w, 2)[0] + 1.0), 0.01, 1e-3);
    CN_CHECK_NEAR(world_velocity(&w, 2)[0], 0.0, 1e-6);
    world_close(&w);
}

// ---- limits, motors, screws, gears ----

CN_TEST(limit_stops_a_hinge_without_bounce) {
    world w = world_open(HEAD_2D BAR "joints: [{kind: hinge, bodies: [ground, arm], point: [0, 0], "
                                     "limits: [-0.5, 1]}]\n",
                         -9.81, 1e-3, "arm", 1.0, 0.0, 0.0, 1.0, 0.1);
    double min = 0.0;
    for (int i = 0; i < 2000; i++) {
        world_step(&w);
        min = fmin(min, world_position(&w, 2)[2]);
    }
    CN_CHECK_NEAR(min, -0.5, 1e-6);
    CN_CHECK_NEAR(world_position(&w, 2)[2], -0.5, 1e-6);
    CN_CHECK_NEAR(world_velocity(&w, 2)[2], 0.0, 1e-9);
    world_close(&w);
}

CN_TEST(rope_holds_only_when_it_is_taut) {
    world w =
        world_open(HEAD_2D BAR "joints: [{kind: distance, bodies: [ground, bob], point: [0, 0], "
                               "second_point: [0, -0.5], limits: [0, 1]}]\n",
                   -9.81, 1e-3, "bob", 0.0, -0.5, 0.0, 1.0, 0.1);
    world_run(&w, 0.3);
    CN_CHECK_NEAR(world_position(&w, 2)[1], -0.5 - 0.5 * 9.81 * 0.09, 1e-9); // falls freely
    world_run(&w, 1.0);
    CN_CHECK_NEAR(world_position(&w, 2)[1], -1.0, 1e-6);
    world_close(&w);
}

CN_TEST(motor_gives_at_most_its_torque) {
    world w =
        world_open(HEAD_2D BAR "joints: [{kind: hinge, bodies: [ground, wheel], point: [0, 0], "
                               "motor: {velocity: 3, max_torque: 2}}]\n",
                   0.0, 1e-3, "wheel", 0.0, 0.0, 0.0, 1.0, 0.5);
    world_run(&w, 0.5);
    CN_CHECK_NEAR(world_velocity(&w, 2)[2], 2.0, 1e-9); // 2/0.5 for half a second
    world_run(&w, 1.0);
    CN_CHECK_NEAR(world_velocity(&w, 2)[2], 3.0, 1e-6);
    world_close(&w);
}

CN_TEST(servo_follows_an_expression) {
    for (int soft = 0; soft < 2; soft++) {
        world w = world_open(HEAD_2D BAR "joints: [{kind: slider, bodies: [ground, block], "
                                         "point: [0, 0], axis: [0, 1], motor: {position: "
                                         "\"0.1*sin(3*t)\"%s}}]\n",
                             -9.81, 1e-3, "block", 0.0, 0.0, 0.0, 1.0, 0.1,
                             soft ? ", stiffness: 1e5, damping: 600" : "");
        world_run(&w, 2.0);
        CN_CHECK_NEAR(world_position(&w, 2)[1], 0.1 * sin(6.0), soft ? 2e-4 : 1e-6);
        world_close(&w);
    }
}

CN_TEST(torque_is_booked_as_external_work) {
    world w =
        world_open(HEAD_2D BAR "joints: [{kind: hinge, bodies: [ground, wheel], point: [0, 0], "
                               "motor: {torque: \"2*t\"}}]\n",
                   0.0, 1e-3, "wheel", 0.0, 0.0, 0.0, 1.0, 0.5);
    world_run(&w, 1.0);
    CN_CHECK_NEAR(world_velocity(&w, 2)[2], 2.0, 1e-9);
    CN_CHECK_BELOW(w.worst_balance, 1e-14);
    world_close(&w);
}

CN_TEST(screw_advances_as_it_turns) {
    world w = world_open(
        "cairn: 1\ngravity: [0, 0, 0]\ntime: {step: 1e-3}\nmaterials: {m: {density: 1}}\nbodies:\n"
        "  - {name: nut, fixed: true, material: m}\n"
        "  - {name: bolt, material: m, mass: 1, inertia: [0.1, 0.1, 0.02]}\n"
        "joints: [{kind: screw, bodies: [nut, bolt], point: [0, 0, 0], axis: [0, 0, 1], "
        "pitch: 0.05, motor: {velocity: 20}}]\n");
    world_run(&w, 2.0);
    // 40 rad but for the step of the start, in which the rate comes up.
    double turned = 40.0 - 0.5 * 20.0 * 1e-3;
    CN_CHECK_NEAR(world_position(&w, 2)[2], 0.05 * turned / (2.0 * PI), 1e-7);
    CN_CHECK_BELOW(w.last.joint_error_max, 1e-9);
    world_close(&w);
}

CN_TEST(gear_couples_two_wheels) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        const char *place = dim == 3 ? ", 0]" : "]";
        const char *axis = dim == 3 ? ", axis: [0, 0, 1]" : "";
        const char *inertia = dim == 3 ? "[0.1, 0.1, 0.1]" : "0.1";
        world w = world_open(
            "cairn: 1\ndimension: %d\ngravity: [0, 0%s\ntime: {step: 1e-3}\n"
            "materials: {m: {density: 1}}\nbodies:\n"
            "  - {name: frame, fixed: true, material: m}\n"
            "  - {name: a, material: m, mass: 1, inertia: %s}\n"
            "  - {name: b, material: m, mass: 1, inertia: %s, position: [1, 0%s}\n"
            "joints:\n"
            "  - {kind: hinge, bodies: [frame, a], point: [0, 0%s%s, motor: {velocity: 10}}\n"
            "  - {kind: hinge, bodies: [frame, b], point: [1, 0%s%s}\n"
            "  - {kind: gear, bodies: [a, b], ratio: -2%s}\n",
            dim, place, inertia, inertia, place, place, axis, place, axis, axis);
        world_run(&w, 2.0); // more than three turns of the first
        int32_t spin = dim == 3 ? 5 : 2;
        CN_CHECK_NEAR(world_velocity(&w, 2)[spin], 10.0, 1e-5);
        CN_CHECK_NEAR(world_velocity(&w, 3)[spin], -20.0, 1e-5);
        CN_CHECK_BELOW(w.last.joint_error_max, 1e-9);
        world_close(&w);
    }
}

// ---- what a run does with them ----

CN_TEST(saved_state_goes_on_bit_for_bit) {
    world one = four_bar(1e-3), other = four_bar(1e-3);
    void *bytes;
    size_t size;
    cn_error error = {0};
    world_steps(&one, 50);
    CN_CHECK_TRUE(cn_sim_save(one.sim, &bytes, &size) == CN_OK);
    CN_CHECK_TRUE(cn_sim_load(other.sim, bytes, size, &error) == CN_OK);
    cn_sim_free(one.sim, bytes, size);
    world_steps(&one, 50);
    world_steps(&other, 50);
    CN_CHECK_TRUE(cn_sim_hash(one.sim) == cn_sim_hash(other.sim));
    world_close(&one);
    world_close(&other);
}

// Two touching balls on a rod: contact between them only where the joint asks for it.
CN_TEST(jointed_bodies_touch_only_when_asked) {
    for (int asked = 0; asked < 2; asked++) {
        world w = world_open("cairn: 1\ndimension: 2\ntime: {step: 1e-3}\n"
                             "materials: {m: {density: 1}}\nbodies:\n"
                             "  - {name: a, material: m, shape: {disk: {radius: 0.5}}}\n"
                             "  - {name: b, material: m, position: [1.001, 0], "
                             "shape: {disk: {radius: 0.5}}}\n"
                             "joints: [{kind: spring, bodies: [a, b], point: [0, 0], "
                             "second_point: [1.001, 0], stiffness: 100%s}]\n",
                             asked ? ", contact: true" : "");
        world_steps(&w, 3);
        CN_CHECK_TRUE(w.last.contacts == asked);
        world_close(&w);
    }
}

// An angular velocity without the velocity that the pin asks for: the start takes it out.
CN_TEST(velocities_that_joints_forbid_are_taken_out_at_the_start) {
    world w = world_open("cairn: 1\ndimension: 2\ngravity: [0, 0]\ntime: {step: 1e-3}\n"
                         "materials: {m: {density: 1}}\nbodies:\n"
                         "  - {name: ground, fixed: true, material: m}\n"
                         "  - {name: rod, material: m, position: [1, 0], mass: 1, inertia: 1, "
                         "angular_velocity: 2}\n"
                         "joints: [{kind: hinge, bodies: [ground, rod], point: [0, 0]}]\n");
    // The angular momentum about the pin stays: 1 * 2 = (1 + 1) rate.
    CN_CHECK_NEAR(world_velocity(&w, 2)[2], 1.0, 1e-5);
    CN_CHECK_NEAR(world_velocity(&w, 2)[1], 1.0, 1e-5);
    world_close(&w);
}

// An arm held at one end is pulled at the other by a cart that does not give way. A pendulum beside
// them has no part in it.
CN_TEST(contradictory_joints_are_named) {
    world w = world_open(HEAD_2D BAR
                         "  - {name: bob, material: m, position: [9, 1], mass: 1, inertia: 1}\n"
                         "  - {name: cart, material: m, fixed: true, position: [2, 0]}\n"
                         "motions: [{body: cart, velocity: [1, 0]}]\n"
                         "joints:\n"
                         "  - {name: beside, kind: hinge, bodies: [ground, bob], "
                         "point: [9, 0]}\n"
                         "  - {name: wall, kind: hinge, bodies: [ground, arm], "
                         "point: [0, 0]}\n"
                         "  - {name: hook, kind: hinge, bodies: [arm, cart], "
                         "point: [2, 0]}\n",
                         0.0, 1e-2, "arm", 1.0, 0.0, 0.0, 1.0, 0.1);
    cn_error error = {0};
    cn_status status = CN_OK;
    for (int i = 0; i < 100 && status == CN_OK; i++) {
        status = cn_sim_step(w.sim, &w.last, &error);
    }
    print_message("%s; %s\n", error.message, error.hint);
    CN_CHECK_TRUE(status == CN_ERR_NUMERIC);
    CN_CHECK_TRUE(strstr(error.message, "wall") || strstr(error.message, "hook"));
    CN_CHECK_TRUE(strstr(error.hint, "wall, line ") || strstr(error.hint, "hook, line "));
    CN_CHECK_TRUE(!strstr(error.hint, "beside"));
    assert_string_equal(error.file, "scene.yaml");
    CN_CHECK_TRUE(error.line > 1 && error.column > 1);
    world_close(&w);
}

// The remedies against drift: how far the pin of a pendulum is off after ten seconds.
CN_TEST(remedies_differ_in_drift_and_energy) {
    static const struct {
        const char *name;
        double error_min, error_max, energy_max;
    } want[] = {{"iterate", 0.0, 1e-9, 1e-4},    {"ggl", 0.0, 1e-9, 1e-4},
                {"linearised", 0.0, 1e-6, 1e-3}, {"projection", 0.0, 1e-9, 1.0},
                {"baumgarte", 1e-8, 1e-3, 1.0},  {"none", 1e-4, 10.0, 10.0}};
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        char integrator[40];
        snprintf(integrator, sizeof integrator, "joints: %s", want[k].name);
        world w = rod_pendulum(2, 2e-3, integrator);
        world_run(&w, 4.0);
        double error = w.last.joint_error_max;
        print_message("%s: error %.3g m, energy %.3g J, balance %.3g J\n", want[k].name, error,
                      w.energy, w.worst_balance);
        CN_CHECK_BELOW(error, want[k].error_max);
        CN_CHECK_BELOW(want[k].error_min, error);
        CN_CHECK_BELOW(fabs(w.energy), want[k].energy_max);
        CN_CHECK_BELOW(w.worst_balance, 1e-13);
        world_close(&w);
    }
}
