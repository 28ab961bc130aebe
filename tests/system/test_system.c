// tests/system/test_system.c
// Lagrangian systems by time stepping, against closed forms and published mechanisms.
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

// Steps until t; *worst gathers the worst of the reports.
static void cn_go(cn_system_run *run, double t, double h, cn_system_report *worst) {
    cn_system_report report;
    cn_error error = {.status = CN_OK};
    while (cn_system_run_time(run) < t - 0.5 * h) {
        if (cn_system_run_step(run, &report, &error) != CN_OK) {
            print_error("%s\n", error.message);
            fail();
        }
        CN_CHECK_TRUE(report.outcome == CN_SOLVED);
        worst->penetration_max = fmax(worst->penetration_max, report.penetration_max);
        worst->balance_error = fmax(worst->balance_error, fabs(report.balance_error));
        worst->joint_error_max = fmax(worst->joint_error_max, report.joint_error_max);
        worst->dissipated_impact += report.dissipated_impact;
    }
}

typedef struct cn_impacts {
    cn_system_impact of[64]; // the first ones
    cn_system_impact last;
    int count;
} cn_impacts;

static void cn_note(void *user, const cn_system_impact *impact) {
    cn_impacts *impacts = user;
    if (impacts->count < 64) {
        impacts->of[impacts->count] = *impact;
    }
    impacts->last = *impact;
    impacts->count++;
}

// ---- slider-crank ----

CN_TEST(slider_crank_meets_its_first_contact) {
    cn_lagrangian def = cn_slider_crank();
    cn_system_opts opts = cn_system_opts_default();
    cn_system *system;
    cn_impacts impacts = {.count = 0};
    cn_system_report worst = {.t = 0.0};
    opts.step = 1e-5;
    opts.impact = cn_note;
    opts.impact_user = &impacts;
    cn_system_run *run = cn_started(&def, &opts, &system);
    double kinetic, potential;
    cn_system_run_energy(run, &kinetic, &potential);
    CN_CHECK_NEAR(kinetic + potential, 7.49554875, 5e-9);
    cn_go(run, 0.0025, opts.step, &worst);
    const double *q = cn_system_run_q(run), *v = cn_system_run_v(run);
    CN_CHECK_NEAR(q[0] / (2 * SCENE_PI), 0.0531567, 1e-7);
    CN_CHECK_NEAR(q[1], -0.161862, 1e-6);
    CN_CHECK_NEAR(v[0], 112.3956, 1e-4);
    CN_CHECK_TRUE(impacts.count == 0);
    cn_go(run, 0.00272, opts.step, &worst);
    CN_CHECK_TRUE(impacts.count == 4);
    CN_CHECK_NEAR(impacts.of[0].impulse[0], 0.00126502, 1e-8);
    CN_CHECK_NEAR(impacts.of[1].impulse[0], 0.00296942, 1e-8);
    CN_CHECK_NEAR(impacts.of[2].impulse[0], 0.0543801, 1e-7);
    CN_CHECK_NEAR(impacts.of[3].impulse[0], 0.0514320, 1e-7);
    cn_system_run_destroy(run);
    cn_system_destroy(system);
}

CN_TEST(slider_crank_follows_the_published_motion) {
    cn_lagrangian def = cn_slider_crank();
    cn_system_opts opts = cn_system_opts_default();
    cn_system *system;
    cn_system_report worst = {.t = 0.0};
    opts.step = 1e-5;
    cn_system_run *run = cn_started(&def, &opts, &system);
    const double *q = cn_system_run_q(run), *v = cn_system_run_v(run);
    cn_go(run, 0.01, opts.step, &worst);
    CN_CHECK_NEAR(q[0] / (2 * SCENE_PI), 0.150940, 1e-6);
    CN_CHECK_NEAR(q[1], -0.414760, 1e-6);
    CN_CHECK_NEAR(v[0], 67.530, 1e-3);
    cn_go(run, 0.02, opts.step, &worst);
    CN_CHECK_NEAR(q[0] / (2 * SCENE_PI), 0.256966, 1e-6);
    CN_CHECK_NEAR(q[1], -0.519872, 1e-6);
    CN_CHECK_NEAR(v[0], 71.809, 1e-3);
    CN_CHECK_NEAR((cn_crank_l1 * cos(q[0]) + cn_crank_l2 * cos(q[1]) - cn_crank_l2) / cn_crank_l1,
                  -0.307989, 1e-6);
    CN_CHECK_BELOW(worst.balance_error, 1e-9);
    cn_system_run_destroy(run);
    cn_system_destroy(system);
}

// ---- woodpecker ----

CN_TEST(woodpecker_strikes) {
    cn_lagrangian def = cn_woodpecker();
    cn_system_opts opts = cn_system_opts_default();
    cn_system *system;
    cn_system_report worst = {.t = 0.0};
    opts.step = 2e-5;
    cn_system_run *run = cn_started(&def, &opts, &system);
    cn_go(run, 0.081, opts.step, &worst);
    double beak[CN_CONTACT_PARTS], strike = 0.0, when = 0.0;
    for (int i = 0; i < 10 && strike == 0.0; i++) {
        cn_go(run, cn_system_run_time(run) + opts.step, opts.step, &worst);
        cn_system_run_impulse(run, 0, beak);
        strike = beak[0];
        when = cn_system_run_time(run);
    }
    CN_CHECK_NEAR(when, 0.08104, 1.1e-5);
    CN_CHECK_NEAR(strike, 1.28595e-3, 1e-8);
    CN_CHECK_NEAR(cn_system_run_q(run)[2], 0.120194, 1e-6);
    cn_system_run_destroy(run);
    cn_system_destroy(system);
}

// ---- rocking block ----

// Block of 1 x 1.5 on one corner at an angle, at rest: the corner touches the floor.
static cn_planar cn_block = {.mass = 1,
                             .inertia = 0.8125 / 3,
                             .gravity = 9.81,
                             .corners = 2,
                             .corner = {{-0.5, -0.75}, {0.5, -0.75}}};

CN_TEST(rocking_block_keeps_housners_share_at_an_impact) {
    // About its right corner: the other one is high.
    double angle = -SCENE_PI / 10;
    double q[3] = {0.0, sin(-angle) * 0.5 + cos(angle) * 0.75, angle}, v[3] = {0, 0, 0};
    cn_lagrangian_contact corners[2] = {{.friction = 0.6}, {.friction = 0.6}};
    cn_lagrangian def = cn_planar_system(&cn_block, q, v, corners);
    cn_system_opts opts = cn_system_opts_default();
    cn_system *system;
    cn_system_report worst = {.t = 0.0};
    opts.step = 1e-4;
    cn_system_run *run = cn_started(&def, &opts, &system);
    cn_go(run, 0.4938, opts.step, &worst);
    double before = cn_system_run_v(run)[2];
    CN_CHECK_NEAR(before, 1.46063843, 3e-3);
    cn_go(run, 0.4941, opts.step, &worst);
    CN_CHECK_NEAR(cn_system_run_v(run)[2], 0.78649762, 2e-3);
    cn_go(run, 0.68149292, opts.step, &worst);
    CN_CHECK_NEAR(cn_system_run_q(run)[2], 0.07229134, 2e-4);
    cn_system_run_destroy(run);
    cn_system_destroy(system);
}

// ---- impacting stick ----

static void cn_stick_impact(double restitution_tangent, cn_impacts *impacts, double end[3]) {
    static cn_planar rod = {
        .mass = 1, .inertia = 1.0 / 12, .gravity = 10, .corners = 1, .corner = {{0.0, -0.5}}};
    double q[3] = {0.5 * sin(SCENE_PI / 4), 0.5 * cos(SCENE_PI / 4) + 0.01, SCENE_PI / 4};
    double v[3] = {-0.5, 0.1, 0.1};
    cn_lagrangian_contact tip = {
        .friction = 0.01, .restitution = 1.0, .restitution_tangent = restitution_tangent};
    cn_lagrangian def = cn_planar_system(&rod, q, v, &tip);
    cn_system_opts opts = cn_system_opts_default();
    cn_system *system;
    cn_system_report worst = {.t = 0.0};
    opts.step = 1e-4;
    opts.impact = cn_note;
    opts.impact_user = impacts;
    cn_system_run *run = cn_started(&def, &opts, &system);
    cn_go(run, 0.2, opts.step, &worst);
    memcpy(end, cn_system_run_q(run), 3 * sizeof *end);
    cn_system_run_destroy(run);
    cn_system_destroy(system);
}

// The exact impact, to what the place of the impact in its step leaves open: g h in the velocity.
static void cn_check_stick(const cn_impacts *impacts, double impulse, double gain) {
    const cn_system_impact *first = &impacts->of[0];
    double got = 0.5 * (first->velocity_before[0] + first->velocity[0]) * first->impulse[0] +
                 0.5 * (first->velocity_before[1] + first->velocity[1]) * first->impulse[1];
    CN_CHECK_TRUE(impacts->count == 2);
    CN_CHECK_NEAR(first->t, 0.0602740891, 2e-4);
    CN_CHECK_NEAR(first->impulse[0], impulse, 1e-3 * 2 / 2.518);
    CN_CHECK_NEAR(got, gain, 3e-6);
}

CN_TEST(stick_gains_energy_by_newtons_law) {
    cn_impacts impacts = {.count = 0};
    double end[3];
    cn_stick_impact(0.0, &impacts, end);
    cn_check_stick(&impacts, 0.37327817, 7.08e-4);
    CN_CHECK_NEAR(end[0], 0.252917, 2e-4);
    CN_CHECK_NEAR(end[1], 0.247169, 2e-4);
    CN_CHECK_NEAR(end[2], 1.081891, 5e-4);
}

CN_TEST(stick_loses_energy_by_fremonds_law) {
    cn_impacts impacts = {.count = 0};
    double end[3];
    cn_stick_impact(1.0, &impacts, end);
    cn_check_stick(&impacts, 0.36885765, -6.77e-4);
    CN_CHECK_NEAR(end[0], 0.253954, 2e-4);
    CN_CHECK_NEAR(end[1], 0.246507, 2e-4);
    CN_CHECK_NEAR(end[2], 1.083496, 5e-4);
}

// ---- cam and follower ----

CN_TEST(cam_throws_its_follower) {
    static cn_follower follower = {.mass = 1.221, .stiffness = 1430.8, .floor = cn_cam};
    double q[1] = {0.1};
    cn_lagrangian_contact cam = {.restitution = 0.8};
    cn_lagrangian def = cn_follower_system(&follower, q, &cam);
    cn_system_opts opts = cn_system_opts_default();
    cn_system *system;
    cn_impacts impacts = {.count = 0};
    cn_system_report worst = {.t = 0.0};
    opts.step = 1e-5;
    opts.impact = cn_note;
    opts.impact_user = &impacts;
    cn_system_run *run = cn_started(&def, &opts, &system);
    cn_go(run, 0.0929 / 2, opts.step, &worst);
    CN_CHECK_NEAR(impacts.last.t, 0.02801647, 3e-5);
    CN_CHECK_NEAR(impacts.last.velocity[0], 0.0, 1e-2);
    cn_go(run, 0.09284, opts.step, &worst);
    CN_CHECK_NEAR(cn_system_run_v(run)[0], -12.53032, 1e-2);
    cn_go(run, 0.0929, opts.step, &worst);
    CN_CHECK_NEAR(cn_system_run_v(run)[0], 10.02426, 1e-2);
    CN_CHECK_NEAR(impacts.last.t, 0.09285510, 3e-5);
    CN_CHECK_BELOW(worst.balance_error, 1e-9);
    cn_system_run_destroy(run);
    cn_system_destroy(system);
}

// ---- descriptions that are wrong ----

static void cn_wrong_rows(void *user, double t, const double *q, double *normal, double *tangent,
                          double *normal_rate, double *tangent_rate) {
    cn_crank_rows(user, t, q, normal, tangent, normal_rate, tangent_rate);
    normal[3 * 2 + 1] *= 1.01;
}

CN_TEST(a_wrong_row_is_named_with_both_values) {
    cn_lagrangian def = cn_slider_crank();
    cn_system *system;
    cn_error error;
    def.contact_rows = cn_wrong_rows;
    CN_CHECK_TRUE(cn_system_create(NULL, &def, &system, &error) == CN_ERR_INPUT);
    CN_CHECK_TRUE(strstr(error.message, "gap 3") && strstr(error.message, "q2"));
    CN_CHECK_TRUE(strstr(error.message, "0.309") && strstr(error.message, "0.30599"));
}

static void cn_wrong_gradient(void *user, double t, const double *q, const double *v, double *F_q,
                              double *F_v) {
    (void)user;
    (void)t;
    (void)q;
    (void)v;
    memset(F_q, 0, 9 * sizeof *F_q);
    memset(F_v, 0, 9 * sizeof *F_v);
}

CN_TEST(a_wrong_force_gradient_is_named) {
    cn_lagrangian def = cn_slider_crank();
    cn_system *system;
    cn_error error;
    def.force_gradient = cn_wrong_gradient;
    CN_CHECK_TRUE(cn_system_create(NULL, &def, &system, &error) == CN_ERR_INPUT);
    CN_CHECK_TRUE(strstr(error.message, "force 1") && strstr(error.message, "q1"));
}

// A force that is no number once the ball is below one half.
static void cn_broken_force(void *user, double t, const double *q, const double *v, double *F) {
    cn_follower_force(user, t, q, v, F);
    F[0] = q[0] < 0.5 ? (double)NAN : F[0];
}

CN_TEST(a_nan_is_named_and_leaves_the_last_good_state) {
    static cn_follower sphere = {.mass = 1, .gravity = 9.81};
    double q[1] = {1.0};
    cn_lagrangian_contact floor = {.restitution = 0.5};
    cn_lagrangian def = cn_follower_system(&sphere, q, &floor);
    cn_system_opts opts = cn_system_opts_default();
    cn_system *system;
    cn_system_report report;
    cn_error error = {.status = CN_OK};
    def.force = cn_broken_force;
    cn_system_run *run = cn_started(&def, &opts, &system);
    cn_status status = CN_OK;
    while (status == CN_OK && cn_system_run_time(run) < 1.0) {
        status = cn_system_run_step(run, &report, &error);
    }
    CN_CHECK_TRUE(status == CN_ERR_NUMERIC);
    CN_CHECK_TRUE(strstr(error.message, "force") && strstr(error.message, "nan"));
    CN_CHECK_NEAR(cn_system_run_q(run)[0], 0.5, 5e-3);
    CN_CHECK_TRUE(cn_system_run_q(run)[0] >= 0.5);
    cn_system_run_destroy(run);
    cn_system_destroy(system);
}

CN_TEST(a_mass_matrix_that_is_not_definite_is_refused) {
    static cn_follower sphere = {.mass = -1, .gravity = 9.81};
    double q[1] = {1.0};
    cn_lagrangian_contact floor = {.restitution = 0.5};
    cn_lagrangian def = cn_follower_system(&sphere, q, &floor);
    cn_system *system;
    cn_error error;
    CN_CHECK_TRUE(cn_system_create(NULL, &def, &system, &error) == CN_ERR_INPUT);
    CN_CHECK_TRUE(strstr(error.message, "positive definite") != NULL);
}

// ---- save and load; adapted steps ----

CN_TEST(a_loaded_state_goes_on_with_the_same_bits) {
    cn_lagrangian def = cn_slider_crank();
    cn_system_opts opts = cn_system_opts_default();
    cn_system *system;
    cn_system_report worst = {.t = 0.0};
    double kept[64], q[3];
    opts.step = 1e-5;
    cn_system_run *run = cn_started(&def, &opts, &system);
    cn_go(run, 0.003, opts.step, &worst);
    CN_CHECK_TRUE(cn_system_run_state_size(run) <= 64);
    cn_system_run_save(run, kept);
    cn_go(run, 0.004, opts.step, &worst);
    memcpy(q, cn_system_run_q(run), sizeof q);
    cn_system_run_load(run, kept);
    cn_go(run, 0.004, opts.step, &worst);
    CN_CHECK_TRUE(memcmp(q, cn_system_run_q(run), sizeof q) == 0);
    cn_system_run_destroy(run);
    cn_system_destroy(system);
}

CN_TEST(adapted_steps_keep_the_error_small) {
    static cn_follower spring = {.mass = 1, .stiffness = 100};
    double q[1] = {1.0};
    cn_lagrangian_contact none = {.restitution = 0.0};
    cn_lagrangian def = cn_follower_system(&spring, q, &none);
    cn_system_opts opts = cn_system_opts_default();
    cn_system *system;
    cn_system_report report, worst = {.t = 0.0};
    def.contacts = 0;
    opts.step = 0.1;
    opts.error = 1e-7;
    cn_system_run *run = cn_started(&def, &opts, &system);
    CN_CHECK_TRUE(cn_system_run_step(run, &report, NULL) == CN_OK);
    CN_CHECK_TRUE(report.substeps > 5);
    cn_go(run, 1.0, opts.step, &worst);
    CN_CHECK_NEAR(cn_system_run_q(run)[0], cos(10.0), 1e-4);
    cn_system_run_destroy(run);
    cn_system_destroy(system);
}
