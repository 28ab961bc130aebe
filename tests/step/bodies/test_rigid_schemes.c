// Ordinary scenes of rigid bodies under the integrators of systems: located impacts, pendulums and
// tops by generalized-alpha, energy by scheme, checkpoints, and what is refused.
#include "world.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

// ---- event-driven ----

#define SPHERE_2D                                                                                  \
    "cairn: 1\ndimension: 2\ngravity: [0, -9.81]\ntime: {step: 0.01}\n"                            \
    "integrator: {scheme: %s}\nmaterials: {m: {density: 1}}\n"                                     \
    "contacts: [{between: [m, m], friction: %g, restitution: %g}]\nbodies:\n"                      \
    "  - {fixed: true, material: m, shape: {line: {normal: [0, 1]}}}\n"                            \
    "  - {material: m, position: [0, 1.1], shape: {disk: {radius: 0.1}}}\n"
#define SPHERE_3D                                                                                  \
    "cairn: 1\ngravity: [0, 0, -9.81]\ntime: {step: 0.01}\n"                                       \
    "integrator: {scheme: %s}\nmaterials: {m: {density: 1}}\n"                                     \
    "contacts: [{between: [m, m], friction: %g, restitution: %g}]\nbodies:\n"                      \
    "  - {fixed: true, material: m, shape: {plane: {normal: [0, 0, 1]}}}\n"                        \
    "  - {material: m, position: [0, 0, 1.1], shape: {sphere: {radius: 0.1}}}\n"

// Height and velocity of a ball dropped from 1 m at time t, restitution e: the closed form.
static void bounce(double e, double t, double *height, double *speed) {
    double flight = sqrt(2.0 / 9.81), start = sqrt(2.0 * 9.81), begin = 0.0;
    *height = 1.0 - 0.5 * 9.81 * t * t;
    *speed = -9.81 * t;
    for (begin = flight; t > begin && start > 1e-12; begin += flight) {
        start *= e;
        flight = 2.0 * start / 9.81;
        double s = t - begin;
        *height = start * s - 0.5 * 9.81 * s * s;
        *speed = start - 9.81 * s;
    }
}

// Positions between impacts tell their times: an impact late by dt moves the ball by (1 + e) v dt.
CN_TEST(sphere_bounces_to_ten_digits_and_crosses_its_accumulation) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        world w = dim == 2 ? world_open(SPHERE_2D, "event-driven", 0.3, 0.9)
                           : world_open(SPHERE_3D, "event-driven", 0.0, 0.9);
        double worst = 0.0, height, speed;
        while (cn_sim_time(w.sim) < 7.0) {
            world_step(&w);
            bounce(0.9, cn_sim_time(w.sim), &height, &speed);
            double off = world_position(&w, 2)[dim - 1] - 0.1 - height;
            worst = fmax(worst, fabs(off) / (1.9 * fmax(fabs(speed), 0.1)));
        }
        print_message("%dD: impact times to %.2g s\n", (int)dim, worst);
        CN_CHECK_BELOW(worst, 1e-10);
        world_run(&w, 8.57);
        CN_CHECK_TRUE(fabs(world_velocity(&w, 2)[dim - 1]) > 0.0);
        world_run(&w, 8.60); // past 8.578949 s
        CN_CHECK_NEAR(world_position(&w, 2)[dim - 1], 0.1, 1e-12);
        CN_CHECK_NEAR(world_velocity(&w, 2)[dim - 1], 0.0, 1e-12);
        world_run(&w, 10.0);
        CN_CHECK_NEAR(world_position(&w, 2)[dim - 1], 0.1, 1e-12);
        CN_CHECK_TRUE(w.unsolved == 0);
        world_close(&w);
    }
}

// Housner's block, its corners located: the closed form's times and rates to many digits.
CN_TEST(rocking_block_has_the_exact_times) {
    static const double want[3][3] = {{0.49391433, 1.46063843, 0.78649762},
                                      {0.86907150, 0.78649762, 0.42349872},
                                      {1.06000622, 0.42349872, 0.22803777}};
    double b = 0.5, half = 0.75, angle = PI / 10, h = 1e-3;
    world w = world_open("cairn: 1\ndimension: 2\ngravity: [0, -9.81]\ntime: {step: %.17g}\n"
                         "integrator: {scheme: event-driven}\nmaterials: {m: {density: 1}}\n"
                         "contacts: [{between: [m, m], friction: 1, restitution: 0}]\nbodies:\n"
                         "  - {fixed: true, material: m, shape: {line: {normal: [0, 1]}}}\n"
                         "  - {material: m, position: [%.17g, %.17g], angle: %.17g,\n"
                         "     shape: {box: {size: [1, 1.5]}}}\n",
                         h, b * cos(angle) - half * sin(angle), b * sin(angle) + half * cos(angle),
                         angle);
    double p2 = 3.0 * 9.81 / (4.0 * hypot(b, half)), alpha = atan(b / half);
    for (int k = 0; k < 3; k++) {
        world_run(&w, want[k][0] - 0.5 * h); // the step before the impact
        double t = want[k][0] - cn_sim_time(w.sim), rate = fabs(world_velocity(&w, 2)[2]);
        double now = fabs(world_position(&w, 2)[2]);
        // What is left of the way to the impact, and the rate there by the energy.
        double bend = p2 * sin(alpha - now);
        CN_CHECK_NEAR(now - rate * t - 0.5 * bend * t * t, 0.0, 2e-8);
        double hit = sqrt(rate * rate + 2.0 * p2 * (cos(alpha - now) - cos(alpha)));
        CN_CHECK_NEAR(hit, want[k][1], 1e-8);
        world_step(&w);
        rate = fabs(world_velocity(&w, 2)[2]);
        now = fabs(world_position(&w, 2)[2]);
        double left = sqrt(rate * rate + 2.0 * p2 * (cos(alpha - now) - cos(alpha)));
        CN_CHECK_NEAR(left, want[k][2], 1e-8);
    }
    CN_CHECK_TRUE(w.unsolved == 0);
    world_close(&w);
}

// A disk that slides comes to roll: at 2 v0 / (3 mu g), with 2/3 of its speed.
CN_TEST(sliding_disk_comes_to_roll_when_it_should) {
    static const char *const schemes[] = {"event-driven", "generalized-alpha"};
    for (int k = 0; k < 2; k++) {
        world w = world_open("cairn: 1\ndimension: 2\ngravity: [0, -9.81]\ntime: {step: 1.0e-3}\n"
                             "integrator: {scheme: %s}\nmaterials: {m: {density: 1}}\n"
                             "contacts: [{between: [m, m], friction: 0.2, restitution: 0}]\n"
                             "bodies:\n"
                             "  - {fixed: true, material: m, shape: {line: {normal: [0, 1]}}}\n"
                             "  - {material: m, position: [0, 0.1], velocity: [1, 0], "
                             "shape: {disk: {radius: 0.1}}}\n",
                             schemes[k]);
        double roll = 1.0 / (3.0 * 0.2 * 9.81), tolerance = k == 0 ? 1e-10 : 2e-3;
        world_run(&w, 0.1);
        CN_CHECK_NEAR(world_velocity(&w, 2)[0], 1.0 - 0.2 * 9.81 * 0.1, tolerance);
        world_run(&w, 0.5);
        CN_CHECK_NEAR(world_velocity(&w, 2)[0], 2.0 / 3.0, tolerance);
        CN_CHECK_NEAR(world_velocity(&w, 2)[2], -2.0 / 3.0 / 0.1, 10.0 * tolerance);
        double way = roll - 0.5 * 0.2 * 9.81 * roll * roll + 2.0 / 3.0 * (0.5 - roll);
        CN_CHECK_NEAR(world_position(&w, 2)[0], way, tolerance);
        world_close(&w);
    }
}

// A sphere that slides askew comes to roll: at 2 v0 / (7 mu g), with 5/7 of its velocity.
CN_TEST(sliding_sphere_comes_to_roll_when_it_should) {
    static const char *const schemes[] = {"newmark", "hht", "generalized-alpha"};
    for (int k = 0; k < 3; k++) {
        world w = world_open("cairn: 1\ngravity: [0, 0, -9.81]\ntime: {step: 1.0e-3}\n"
                             "integrator: {scheme: %s}\nmaterials: {m: {density: 1000}}\n"
                             "contacts: [{between: [m, m], friction: 0.2, restitution: 0}]\n"
                             "bodies:\n"
                             "  - {fixed: true, material: m, shape: {plane: {normal: [0, 0, 1]}}}\n"
                             "  - {material: m, position: [0, 0, 0.1], velocity: [0.6, 0.8, 0], "
                             "shape: {sphere: {radius: 0.1}}}\n",
                             schemes[k]);
        double roll = 2.0 / (7.0 * 0.2 * 9.81);
        world_run(&w, 0.1);
        double slid = 1.0 - 0.2 * 9.81 * 0.1;
        CN_CHECK_NEAR(world_velocity(&w, 2)[0], 0.6 * slid, 2e-3);
        CN_CHECK_NEAR(world_velocity(&w, 2)[1], 0.8 * slid, 2e-3);
        world_run(&w, 0.5);
        const double *v = world_velocity(&w, 2), rolled = 5.0 / 7.0;
        double way = roll - 0.5 * 0.2 * 9.81 * roll * roll + rolled * (0.5 - roll);
        CN_CHECK_NEAR(v[0], 0.6 * rolled, 2e-3);
        CN_CHECK_NEAR(v[1], 0.8 * rolled, 2e-3);
        CN_CHECK_NEAR(v[3], -0.8 * rolled / 0.1, 2e-2);
        CN_CHECK_NEAR(v[4], 0.6 * rolled / 0.1, 2e-2);
        CN_CHECK_NEAR(world_position(&w, 2)[0], 0.6 * way, 1e-3);
        CN_CHECK_NEAR(world_position(&w, 2)[1], 0.8 * way, 1e-3);
        CN_CHECK_TRUE(w.unsolved == 0);
        world_close(&w);
    }
}

// A block slides down a slope of 30 degrees with friction 0.3, and stays on one with 0.7.
CN_TEST(block_slides_or_stays_on_a_slope_in_space) {
    for (int k = 0; k < 2; k++) {
        double mu = k == 0 ? 0.3 : 0.7, slope = PI / 6;
        world w = world_open("cairn: 1\ngravity: [%.17g, 0, %.17g]\ntime: {step: 1.0e-3}\n"
                             "integrator: {scheme: generalized-alpha}\n"
                             "materials: {m: {density: 1000}}\n"
                             "contacts: [{between: [m, m], friction: %g, restitution: 0}]\n"
                             "bodies:\n"
                             "  - {fixed: true, material: m, shape: {plane: {normal: [0, 0, 1]}}}\n"
                             "  - {material: m, position: [0, 0, 0.05], "
                             "shape: {box: {size: [0.4, 0.3, 0.1]}}}\n",
                             9.81 * sin(slope), -9.81 * cos(slope), mu);
        world_run(&w, 0.5);
        double pull = k == 0 ? 9.81 * (sin(slope) - mu * cos(slope)) : 0.0;
        CN_CHECK_NEAR(world_velocity(&w, 2)[0], 0.5 * pull, k == 0 ? 2e-2 : 1e-6);
        CN_CHECK_NEAR(world_position(&w, 2)[0], 0.125 * pull, k == 0 ? 5e-3 : 1e-5);
        CN_CHECK_NEAR(world_position(&w, 2)[2], 0.05, 1e-5);
        CN_CHECK_TRUE(w.unsolved == 0);
        world_close(&w);
    }
}

// ---- hinges under each scheme ----

#define SCHEMES 4
static const char *const scheme_names[SCHEMES] = {"event-driven", "newmark", "hht",
                                                  "generalized-alpha"};
#define DAMPED(k) ((k) != 1) // newmark, which does not damp, is refused with joints

static world pendulum(int32_t dim, double h, const char *scheme) {
    const char *head = "cairn: 1\ndimension: %d\ngravity: %s\ntime: {step: %.17g}\n"
                       "integrator: {scheme: %s}\nsolver: {tolerance: 1.0e-12}\n"
                       "materials: {m: {density: 1}}\nbodies:\n"
                       "  - {name: ground, fixed: true, material: m}\n"
                       "  - {name: rod, material: m, mass: 1, inertia: %s, position: %s}\n"
                       "joints: [{kind: hinge, bodies: [ground, rod], point: %s%s}]\n";
    char text[2000];
    snprintf(text, sizeof text, head, (int)dim, dim == 2 ? "[0, -9.81]" : "[0, 0, -9.81]", h,
             scheme,
             dim == 2 ? "0.083333333333333329"
                      : "[[1e-3, 0, 0], [0, 0.083333333333333329, 0], "
                        "[0, 0, 0.083333333333333329]]",
             dim == 2 ? "[0.5, 0]" : "[0.5, 0, 0]", dim == 2 ? "[0, 0]" : "[0, 0, 0]",
             dim == 2 ? "" : ", axis: [0, 1, 0]");
    return world_open("%s", text);
}

// Twice the time at which the rate of turning is zero again: a period, since both swings are alike.
static double period_of(world *w, int32_t part, double h) {
    double last = 0.0;
    for (int64_t i = 0; i < 100000; i++) {
        world_step(w);
        double rate = world_velocity(w, 2)[part], t = cn_sim_time(w->sim);
        if (i > 0 && last * rate <= 0.0) {
            return 2.0 * (t - h * rate / (rate - last));
        }
        last = rate;
    }
    return NAN;
}

CN_TEST(pendulum_swings_with_the_period_of_the_elliptic_integral) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        for (int k = 0; k < SCHEMES; k += DAMPED(k + 1) ? 1 : 2) {
            world w = pendulum(dim, 1e-3, scheme_names[k]);
            double period = period_of(&w, dim == 2 ? 2 : 4, 1e-3);
            print_message("%dD %s: period off by %.3g\n", (int)dim, scheme_names[k],
                          period / 1.93333485 - 1.0);
            CN_CHECK_NEAR(period / 1.93333485, 1.0, 1e-6);
            CN_CHECK_BELOW(w.last.joint_error_max, 1e-9);
            CN_CHECK_TRUE(w.unsolved == 0);
            world_close(&w);
        }
    }
}

// Largest deviation of the energy over some swings, and what is left at the end of them.
static void pendulum_energy(double h, const char *scheme, double *worst, double *end) {
    world w = pendulum(2, h, scheme);
    *worst = 0.0;
    while (cn_sim_time(w.sim) < 4.0) {
        world_step(&w);
        *worst = fmax(*worst, fabs(w.energy));
    }
    *end = w.energy;
    world_close(&w);
}

// Event-driven keeps the energy to its accuracy, the damped schemes to second order.
CN_TEST(energy_of_a_pendulum_by_scheme) {
    for (int k = 0; k < SCHEMES; k += DAMPED(k + 1) ? 1 : 2) {
        double coarse, fine, end[2];
        pendulum_energy(4e-3, scheme_names[k], &coarse, &end[0]);
        pendulum_energy(2e-3, scheme_names[k], &fine, &end[1]);
        print_message("%s: energy off by %.2g and %.2g, at the end %.2g and %.2g J\n",
                      scheme_names[k], coarse, fine, end[0], end[1]);
        if (k == 0) {
            CN_CHECK_BELOW(fine, 1e-10);
        } else {
            CN_CHECK_BELOW(fine, 2e-4);
            CN_CHECK_TRUE(world_order(coarse, fine) > 1.8);
        }
    }
}

// ---- turning in space ----

// A body about its middle axis flips with the period of the elliptic integral.
CN_TEST(flipping_body_has_the_period_of_the_elliptic_integral) {
    world w = world_open("cairn: 1\ngravity: [0, 0, 0]\ntime: {step: 0.05}\n"
                         "integrator: {scheme: event-driven}\nmaterials: {m: {density: 1}}\n"
                         "bodies: [{material: m, mass: 1, inertia: [[1, 0, 0], [0, 2, 0], "
                         "[0, 0, 3]], angular_velocity: [0.01, 1, 0]}]\n");
    // The component along the body's middle axis changes sign after a quarter of the period.
    double last = 1.0, crossing = 0.0;
    while (crossing == 0.0 && cn_sim_time(w.sim) < 30.0) {
        world_step(&w);
        const double *q = world_position(&w, 1) + 3, *v = world_velocity(&w, 1) + 3;
        double axis[3] = {2.0 * (q[1] * q[2] - q[0] * q[3]),
                          1.0 - 2.0 * (q[1] * q[1] + q[3] * q[3]),
                          2.0 * (q[2] * q[3] + q[0] * q[1])};
        double now = axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2];
        if (now < 0.0) {
            // Between the two the rate is nearly linear.
            crossing = cn_sim_time(w.sim) - 0.05 * now / (now - last);
        }
        last = now;
    }
    CN_CHECK_NEAR(crossing, 0.5 * 20.75460976, 2e-5);
    CN_CHECK_NEAR(w.energy, 0.5 * 2.0001, 1e-10);
    world_close(&w);
}

// A heavy top in steady precession: slow root of I1 cos W^2 - I3 w3 W + mgl = 0. How far the angle
// of precession is off after a second.
static double top_off(const char *scheme, double h) {
    double tilt = PI / 6, rate = 5.76996417, spin = 200.0;
    double axis[3] = {sin(tilt), 0.0, cos(tilt)};
    // omega = W z + (w3 - W cos tilt) axis; inertia about the centre of mass.
    double own = spin - rate * cos(tilt), c = cos(0.5 * tilt), s = sin(0.5 * tilt);
    world w = world_open(
        "cairn: 1\ngravity: [0, 0, -9.81]\ntime: {step: %g}\nintegrator: {scheme: %s}\n"
        "solver: {tolerance: 1.0e-12}\nmaterials: {m: {density: 1}}\nbodies:\n"
        "  - {name: ground, fixed: true, material: m}\n"
        "  - {name: top, material: m, mass: 0.5, position: [%.17g, 0, %.17g],\n"
        "     orientation: [%.17g, 0, %.17g, 0], inertia: [[2.5e-4, 0, 0], [0, 2.5e-4, 0], "
        "[0, 0, 2.5e-4]],\n"
        "     angular_velocity: [%.17g, 0, %.17g], velocity: [0, %.17g, 0]}\n"
        "joints: [{kind: ball, bodies: [ground, top], point: [0, 0, 0]}]\n",
        h, scheme, 0.05 * axis[0], 0.05 * axis[2], c, s, own * axis[0], rate + own * axis[2],
        rate * 0.05 * axis[0]);
    world_run(&w, 1.0);
    const double *at = world_position(&w, 2);
    double off = fabs(remainder(atan2(at[1], at[0]) - rate, 2.0 * PI));
    CN_CHECK_NEAR(acos(at[2] / 0.05), tilt, fmax(off, 1e-8));
    CN_CHECK_BELOW(w.last.joint_error_max, 1e-9);
    world_close(&w);
    return off;
}

CN_TEST(heavy_top_precesses_steadily) {
    CN_CHECK_BELOW(top_off("event-driven", 1e-3), 1e-7);
    double coarse = top_off("generalized-alpha", 5e-4), fine = top_off("generalized-alpha", 2.5e-4);
    print_message("generalized-alpha: precession off by %.2g and %.2g rad\n", coarse, fine);
    CN_CHECK_BELOW(fine, 3e-3);
    CN_CHECK_TRUE(world_order(coarse, fine) > 1.7);
}

// ---- impacts under the time-stepping schemes ----

CN_TEST(sphere_bounces_under_every_scheme) {
    for (int k = 1; k < SCHEMES; k++) {
        double off[2];
        for (int fine = 0; fine < 2; fine++) {
            world w = world_open("cairn: 1\ngravity: [0, 0, -9.81]\ntime: {step: %g}\n"
                                 "integrator: {scheme: %s}\nmaterials: {m: {density: 1}}\n"
                                 "contacts: [{between: [m, m], restitution: 0.8}]\nbodies:\n"
                                 "  - {fixed: true, material: m, shape: {plane: {normal: [0, 0, "
                                 "1]}}}\n"
                                 "  - {material: m, position: [0, 0, 1.1], shape: {sphere: "
                                 "{radius: 0.1}}}\n",
                                 fine ? 2.5e-4 : 1e-3, scheme_names[k]);
            double height, speed;
            world_run(&w, 1.5);
            bounce(0.8, cn_sim_time(w.sim), &height, &speed);
            off[fine] = fabs(world_position(&w, 2)[2] - 0.1 - height);
            CN_CHECK_TRUE(w.unsolved == 0);
            world_close(&w);
        }
        print_message("%s: off by %.2g and %.2g m\n", scheme_names[k], off[0], off[1]);
        CN_CHECK_BELOW(off[0], 5e-3);
        CN_CHECK_BELOW(off[1], 1.5e-3);
    }
}

// ---- limits, springs, driven bodies ----

CN_TEST(limit_of_a_hinge_stops_it) {
    for (int k = 0; k < SCHEMES; k += 3) {
        world w = world_open(
            "cairn: 1\ndimension: 2\ngravity: [0, -9.81]\ntime: {step: 1.0e-3}\n"
            "integrator: {scheme: %s}\nmaterials: {m: {density: 1}}\nbodies:\n"
            "  - {name: ground, fixed: true, material: m}\n"
            "  - {name: rod, material: m, mass: 1, inertia: 0.083333333333333329, "
            "position: [0.5, 0]}\n"
            "joints: [{kind: hinge, bodies: [ground, rod], point: [0, 0], limits: [-1, 1]}]\n",
            scheme_names[k]);
        world_run(&w, 1.0);
        CN_CHECK_NEAR(world_position(&w, 2)[2], -1.0, k == 0 ? 1e-9 : 5e-3);
        CN_CHECK_NEAR(world_velocity(&w, 2)[2], 0.0, 1e-6);
        world_close(&w);
    }
}

// A9: torsion with damping.
CN_TEST(spring_swings_and_decays_as_the_closed_form_says) {
    for (int k = 0; k < SCHEMES; k += 3) {
        world w = world_open(
            "cairn: 1\ndimension: 2\ngravity: [0, 0]\ntime: {step: 5.0e-4}\n"
            "integrator: {scheme: %s}\nmaterials: {m: {density: 1}}\nbodies:\n"
            "  - {name: ground, fixed: true, material: m}\n"
            "  - {name: disc, material: m, mass: 1, inertia: 0.02, angular_velocity: 0}\n"
            "joints: [{kind: hinge, bodies: [ground, disc], point: [0, 0], stiffness: 5, "
            "damping: 0.01, rest: 0.1}]\n",
            scheme_names[k]);
        world_run(&w, 1.0);
        CN_CHECK_NEAR(world_position(&w, 2)[2], 0.1 + 0.07760438, k == 0 ? 1e-8 : 1e-4);
        world_close(&w);
    }
}

// A ball on a floor that moves up and down gently goes with it.
CN_TEST(driven_floor_carries_a_sphere) {
    for (int k = 0; k < SCHEMES; k += 3) {
        world w = world_open(
            "cairn: 1\ndimension: 2\ngravity: [0, -9.81]\ntime: {step: 1.0e-3}\n"
            "integrator: {scheme: %s}\nmaterials: {m: {density: 1}}\n"
            "contacts: [{between: [m, m], friction: 0.5, restitution: 0}]\nbodies:\n"
            "  - {name: floor, material: m, position: [0, -0.1], shape: {box: {size: [2, 0.2]}}}\n"
            "  - {material: m, position: [0, 0.1], velocity: [0, 0.05], "
            "shape: {disk: {radius: 0.1}}}\n"
            "motions: [{body: floor, velocity: [0, \"0.05*cos(2*t)\"]}]\n",
            scheme_names[k]);
        world_run(&w, 2.0);
        CN_CHECK_NEAR(world_position(&w, 1)[1], -0.1 + 0.025 * sin(4.0), 1e-12);
        CN_CHECK_NEAR(world_position(&w, 2)[1], 0.1 + 0.025 * sin(4.0), k == 0 ? 1e-9 : 1e-4);
        world_close(&w);
    }
}

// ---- checkpoints ----

#define TUMBLING                                                                                   \
    "cairn: 1\ngravity: [0, 0, -9.81]\ntime: {step: 2.0e-3}\nintegrator: {scheme: %s}\n"           \
    "materials: {m: {density: 100}}\ncontacts: [{between: [m, m], restitution: 0.5}]\nbodies:\n"   \
    "  - {fixed: true, material: m, shape: {plane: {normal: [0, 0, 1]}}}\n"                        \
    "  - {name: a, material: m, position: [0, 0, 0.6], angular_velocity: [3, 1, 2], shape: {box: " \
    "{size: [0.2, 0.3, 0.4]}}}\n"                                                                  \
    "  - {name: b, material: m, position: [0.5, 0, 0.6], shape: {sphere: {radius: 0.1}}}\n"        \
    "joints: [{kind: ball, bodies: [a, b], point: [0.25, 0, 0.6]}]\n"

CN_TEST(saved_state_goes_on_bit_for_bit) {
    for (int k = 0; k < SCHEMES; k += 3) {
        world one = world_open(TUMBLING, scheme_names[k]);
        world other = world_open(TUMBLING, scheme_names[k]);
        void *bytes;
        size_t size;
        cn_error error = {0};
        world_steps(&one, 200);
        CN_CHECK_TRUE(cn_sim_save(one.sim, &bytes, &size) == CN_OK);
        CN_CHECK_TRUE(cn_sim_load(other.sim, bytes, size, &error) == CN_OK);
        CN_CHECK_TRUE(cn_sim_hash(one.sim) == cn_sim_hash(other.sim));
        cn_sim_free(one.sim, bytes, size);
        world_steps(&one, 150);
        world_steps(&other, 150);
        CN_CHECK_TRUE(cn_sim_hash(one.sim) == cn_sim_hash(other.sim));
        CN_CHECK_BELOW(one.last.joint_error_max, 1e-9);
        world_close(&one);
        world_close(&other);
    }
}

// ---- what is refused ----

static void refused(const char *text, int32_t line, const char *words) {
    cn_model *model = NULL;
    cn_sim *sim = NULL;
    cn_error error = {.status = CN_OK};
    cn_status status =
        cn_scene_read_text(NULL, "s.yaml", text, strlen(text), NULL, 0, &model, &error);
    if (status == CN_OK) {
        status = cn_sim_create(model, NULL, &sim, &error);
    }
    if (status != CN_ERR_UNSUPPORTED || error.line != line || error.column == 0 ||
        !strstr(error.message, words) || !error.hint[0]) {
        print_error("status %d at %d:%d: %s\n", (int)status, (int)error.line, (int)error.column,
                    error.message);
        fail();
    }
    cn_sim_destroy(sim);
    cn_model_destroy(model);
}

#define REFUSED_HEAD                                                                               \
    "cairn: 1\ndimension: 2\ntime: {step: 1.0e-3}\nintegrator: {scheme: event-driven}\n"           \
    "materials: {m: {density: 1}}\n"

CN_TEST(what_a_scheme_cannot_take_is_refused_at_its_place) {
    refused(REFUSED_HEAD
            "bodies:\n  - {name: a, material: m, shape: {disk: {radius: 1}}}\n"
            "  - {name: b, material: m, position: [3, 0], shape: {disk: {radius: 1}}}\n"
            "joints:\n  - {kind: hinge, bodies: [a, b], point: [1, 0], friction: 1}\n",
            10, "dry friction in joint 1");
    refused(REFUSED_HEAD
            "bodies:\n  - {name: a, material: m, shape: {disk: {radius: 1}}}\n"
            "  - {name: b, material: m, position: [3, 0], shape: {disk: {radius: 1}}}\n"
            "joints:\n  - {kind: hinge, bodies: [a, b], point: [1, 0], motor: "
            "{velocity: 1}}\n",
            10, "a motor of given velocity");
    refused(REFUSED_HEAD "contacts: [{between: [m, m], law: stabilised}]\n"
                         "bodies:\n  - {material: m, shape: {disk: {radius: 1}}}\n"
                         "  - {material: m, position: [3, 0], shape: {disk: {radius: 1}}}\n",
            8, "a contact law with gaps");
    refused("cairn: 1\ntime: {step: 1.0e-3}\nintegrator: {scheme: event-driven}\n"
            "materials: {m: {density: 1}}\ncontacts: [{between: [m, m], friction: 0.5}]\nbodies:\n"
            "  - {material: m, shape: {sphere: {radius: 1}}}\n"
            "  - {material: m, position: [3, 0, 0], shape: {sphere: {radius: 1}}}\n",
            7, "friction in space");
    refused("cairn: 1\ndimension: 2\ntime: {step: 1.0e-3}\nintegrator: {scheme: euler-moreau}\n"
            "materials: {m: {density: 1}}\nbodies: [{material: m, shape: {disk: {radius: 1}}}]\n",
            4, "first-order systems");
}
