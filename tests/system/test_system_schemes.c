// tests/system/test_system_schemes.c
// Newmark, HHT and generalized-alpha against closed forms, with joints and impacts.
#include "check.h"
#include "mechanisms.h"

#include <string.h>

static cn_system_run *cn_started(const cn_lagrangian *def, const cn_system_opts *opts,
                                 cn_system **system) {
    cn_error error = {.status = CN_OK};
    cn_system_run *run = NULL;
    if (cn_system_create(NULL, def, system, &error) != CN_OK ||
        cn_system_run_create(*system, opts, NULL, &run, &error) != CN_OK) {
        print_error("%s\n", error.message);
        fail();
    }
    return run;
}

static void step_data(cn_system_run *run, cn_system_report *report) {
    cn_error error = {.status = CN_OK};
    if (cn_system_run_step(run, report, &error) != CN_OK) {
        print_error("%s\n", error.message);
        fail();
    }
    CN_CHECK_TRUE(report->outcome == CN_SOLVED);
}

// ---- the oscillator u'' + (2 pi)^2 u = 0 over one period ----

static void cn_oscillate(const char *scheme, int steps, double end[2]) {
    cn_follower spring = {.mass = 1, .stiffness = 4 * SCENE_PI * SCENE_PI};
    double q[1] = {1.0};
    cn_lagrangian_contact none = {.restitution = 0.0};
    cn_lagrangian def = cn_follower_system(&spring, q, &none);
    cn_system_opts opts = cn_system_opts_default();
    cn_system *system;
    cn_system_report report;
    def.contacts = 0;
    opts.scheme = scheme;
    opts.step = 1.0 / steps;
    cn_system_run *run = cn_started(&def, &opts, &system);
    for (int i = 0; i < steps; i++) {
        step_data(run, &report);
    }
    end[0] = cn_system_run_q(run)[0];
    end[1] = cn_system_run_v(run)[0];
    cn_system_run_destroy(run);
    cn_system_destroy(system);
}

CN_TEST(generalized_alpha_has_its_known_digits) {
    static const int steps[] = {20, 40, 80, 160};
    static const double known[][2] = {{0.9984312302, 0.3370680073},
                                      {0.9998913280, 0.0853213926},
                                      {0.9999921256, 0.0213968491},
                                      {0.9999993767, 0.0053535434}};
    for (int k = 0; k < 4; k++) {
        double end[2];
        cn_oscillate("generalized-alpha", steps[k], end);
        CN_CHECK_NEAR(end[0], known[k][0], 1e-10);
        CN_CHECK_NEAR(end[1], known[k][1], 1e-10);
    }
}

CN_TEST(moreau_jean_at_one_half_turns_by_the_known_angle) {
    double end[2];
    cn_oscillate("moreau-jean", 20, end);
    CN_CHECK_NEAR(end[0], cos(40 * atan(SCENE_PI / 20)), 1e-11);
    CN_CHECK_NEAR(end[0], 0.9987035867, 1e-10);
}

// The average-acceleration rule is the trapezoidal one, as Moreau-Jean at 1/2.
CN_TEST(newmark_is_the_trapezoidal_rule) {
    double newmark[2], theta[2];
    cn_oscillate("newmark", 40, newmark);
    cn_oscillate("moreau-jean", 40, theta);
    CN_CHECK_NEAR(newmark[0], theta[0], 1e-10);
    CN_CHECK_NEAR(newmark[1], theta[1], 1e-9);
}

CN_TEST(hht_is_of_second_order) {
    double coarse[2], fine[2];
    cn_oscillate("hht", 80, coarse);
    cn_oscillate("hht", 160, fine);
    CN_CHECK_NEAR(coarse[1] / fine[1], 4.0, 0.1);
}

// ---- pendulum: a point held at distance 1 by a joint ----

static void cn_bob_mass(void *user, const double *q, double *M) {
    (void)user;
    (void)q;
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
}

static void cn_bob_force(void *user, double t, const double *q, const double *v, double *F) {
    (void)user;
    (void)t;
    (void)q;
    (void)v;
    F[0] = 0.0;
    F[1] = -9.81;
}

static void cn_bob_joint(void *user, double t, const double *q, double *theta) {
    (void)t;
    theta[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
    if (user) { // said twice
        theta[1] = 3.0 * theta[0];
    }
}

static void cn_bob_joint_rows(void *user, double t, const double *q, double *rows, double *rate) {
    (void)t;
    (void)rate;
    rows[0] = q[0];
    rows[1] = q[1];
    if (user) {
        rows[2] = 3.0 * q[0];
        rows[3] = 3.0 * q[1];
    }
}

// Released at 90 degrees; the angle from the downward vertical at t = 1 and what the joint is off.
static double cn_swing(const char *scheme, double h, void *redundant, double *joint_error) {
    static const double q[2] = {1.0, 0.0};
    cn_lagrangian def = cn_lagrangian_default(2);
    def.q = q;
    def.user = redundant;
    def.mass = cn_bob_mass;
    def.force = cn_bob_force;
    def.joints = redundant ? 2 : 1;
    def.joint = cn_bob_joint;
    def.joint_rows = cn_bob_joint_rows;
    cn_system_opts opts = cn_system_opts_default();
    cn_system *system;
    cn_system_report report;
    opts.scheme = scheme;
    opts.step = h;
    cn_system_run *run = cn_started(&def, &opts, &system);
    *joint_error = 0.0;
    while (cn_system_run_time(run) < 1.0 - 0.5 * h) {
        step_data(run, &report);
        *joint_error = fmax(*joint_error, report.joint_error_max);
    }
    double angle = atan2(cn_system_run_q(run)[0], -cn_system_run_q(run)[1]);
    cn_system_run_destroy(run);
    cn_system_destroy(system);
    return angle;
}

CN_TEST(pendulum_on_a_joint_swings_right) {
    static const char *const schemes[] = {"moreau-jean", "generalized-alpha", "hht"};
    for (int k = 0; k < 3; k++) {
        double joint;
        CN_CHECK_NEAR(cn_swing(schemes[k], 1e-3, NULL, &joint), -1.40502731, 1e-5);
        CN_CHECK_BELOW(joint, 1e-12);
    }
}

CN_TEST(pendulum_error_falls_with_the_square_of_the_step) {
    double joint;
    double coarse = cn_swing("generalized-alpha", 2e-3, NULL, &joint) + 1.40502731;
    double fine = cn_swing("generalized-alpha", 1e-3, NULL, &joint) + 1.40502731;
    CN_CHECK_NEAR(coarse / fine, 4.0, 0.3);
}

CN_TEST(a_joint_said_twice_is_no_obstacle) {
    int twice = 1;
    double joint, other;
    double angle = cn_swing("moreau-jean", 1e-3, &twice, &joint);
    CN_CHECK_NEAR(angle, cn_swing("moreau-jean", 1e-3, NULL, &other), 1e-9);
    CN_CHECK_BELOW(joint, 1e-11);
}

// ---- impacts ----

static void cn_last_impact(void *user, const cn_system_impact *impact) {
    double *times = user;
    if (impact->velocity[0] > 1.0) {
        times[1] = times[0] == 0.0 ? times[1] : (times[1] == 0.0 ? impact->t : times[1]);
        times[0] = times[0] == 0.0 ? impact->t : times[0];
    }
}

CN_TEST(sphere_bounces_with_every_scheme) {
    static const char *const schemes[] = {"moreau-jean", "newmark", "hht", "generalized-alpha"};
    cn_follower sphere = {.mass = 1, .gravity = 9.81};
    double q[1] = {1.0};
    cn_lagrangian_contact floor = {.restitution = 0.8};
    cn_lagrangian def = cn_follower_system(&sphere, q, &floor);
    for (int k = 0; k < 4; k++) {
        double times[2] = {0.0, 0.0};
        cn_system_opts opts = cn_system_opts_default();
        cn_system *system;
        cn_system_report report;
        opts.scheme = schemes[k];
        opts.step = 1e-4;
        opts.impact = cn_last_impact;
        opts.impact_user = times;
        cn_system_run *run = cn_started(&def, &opts, &system);
        double low = 0.0;
        while (cn_system_run_time(run) < 5.0) {
            step_data(run, &report);
            low = fmin(low, cn_system_run_q(run)[0]);
        }
        CN_CHECK_NEAR(times[0], 0.45152364, 3e-4);
        CN_CHECK_NEAR(times[1], 1.17396147, 1e-3);
        CN_CHECK_NEAR(cn_system_run_q(run)[0], 0.0, 1e-3);
        CN_CHECK_NEAR(cn_system_run_v(run)[0], 0.0, 1e-9);
        CN_CHECK_BELOW(-low, 1e-3);
        cn_system_run_destroy(run);
        cn_system_destroy(system);
    }
}
