// tests/system/test_event_driven.c
// Event-driven integration against closed forms: impact times to many digits, accumulations
// crossed, lasting contact and sliding friction.
#include "check.h"
#include "mechanisms.h"

#include <string.h>

typedef struct cn_impacts {
    cn_system_impact of[200];
    int count;
} cn_impacts;

static void cn_note(void *user, const cn_system_impact *impact) {
    cn_impacts *impacts = user;
    if (impacts->count < 200) {
        impacts->of[impacts->count] = *impact;
    }
    impacts->count++;
}

static cn_system_run *cn_started(const cn_lagrangian *def, double h, cn_impacts *impacts,
                                 cn_system **system) {
    cn_error error = {.status = CN_OK};
    cn_system_run *run = NULL;
    cn_system_opts opts = cn_system_opts_default();
    opts.scheme = "event-driven";
    opts.step = h;
    opts.impact = cn_note;
    opts.impact_user = impacts;
    if (cn_system_create(NULL, def, system, &error) != CN_OK ||
        cn_system_run_create(*system, &opts, NULL, &run, &error) != CN_OK) {
        print_error("%s\n", error.message);
        fail();
    }
    return run;
}

static void cn_go(cn_system_run *run, double t, double h) {
    cn_system_report report;
    cn_error error = {.status = CN_OK};
    while (cn_system_run_time(run) < t - 0.5 * h) {
        if (cn_system_run_step(run, &report, &error) != CN_OK) {
            print_error("%s\n", error.message);
            fail();
        }
        CN_CHECK_TRUE(report.outcome == CN_SOLVED);
    }
}

// ---- bouncing ball ----

CN_TEST(sphere_impacts_to_ten_digits_and_crosses_the_accumulation) {
    cn_follower sphere = {.mass = 1, .gravity = 9.81};
    double q[1] = {1.0}, h = 0.01, fall = sqrt(2.0 / 9.81);
    cn_lagrangian_contact floor = {.restitution = 0.9};
    cn_lagrangian def = cn_follower_system(&sphere, q, &floor);
    cn_impacts impacts = {.count = 0};
    cn_system *system;
    cn_system_run *run = cn_started(&def, h, &impacts, &system);
    cn_go(run, 8.0, h);
    CN_CHECK_NEAR(fall, 0.45152364, 5e-9);
    CN_CHECK_TRUE(impacts.count > 20);
    double t = fall, flight = 2.0 * fall;
    for (int i = 0; i < impacts.count; i++) {
        CN_CHECK_NEAR(impacts.of[i].t, t, 1e-10);
        flight *= 0.9;
        t += flight;
    }
    cn_go(run, 8.57, h);
    CN_CHECK_TRUE(cn_system_run_v(run)[0] != 0.0);
    cn_go(run, 8.60, h);
    CN_CHECK_NEAR(cn_system_run_q(run)[0], 0.0, 1e-12);
    CN_CHECK_NEAR(cn_system_run_v(run)[0], 0.0, 1e-12);
    cn_go(run, 10.0, h);
    CN_CHECK_NEAR(cn_system_run_q(run)[0], 0.0, 1e-12);
    cn_system_run_destroy(run);
    cn_system_destroy(system);
}

// ---- cam and follower ----

CN_TEST(follower_leaves_its_cam_and_comes_back) {
    static const double times[] = {0.09285510, 0.16540263, 0.20179641, 0.20546737};
    static const double before[] = {-12.53032, -10.02426, -0.683619, -0.546895};
    static const double after[] = {10.02426, 8.01941, 0.546895, 0.437516};
    cn_follower follower = {.mass = 1.221, .stiffness = 1430.8, .floor = cn_cam};
    double q[1] = {0.1}, h = 1e-3;
    cn_lagrangian_contact cam = {.restitution = 0.8};
    cn_lagrangian def = cn_follower_system(&follower, q, &cam);
    cn_impacts impacts = {.count = 0};
    cn_system *system;
    cn_system_run *run = cn_started(&def, h, &impacts, &system);
    cn_go(run, 0.028, h);
    double height, rate, rate2;
    cn_cam(0.028, &height, &rate, &rate2);
    CN_CHECK_NEAR(cn_system_run_q(run)[0], height, 1e-10);
    CN_CHECK_NEAR(cn_system_run_v(run)[0], rate, 1e-8);
    cn_go(run, 0.206, h);
    CN_CHECK_TRUE(impacts.count == 4);
    for (int i = 0; i < 4; i++) {
        CN_CHECK_NEAR(impacts.of[i].t, times[i], 1e-7);
        // The cam stands still at these instants: relative velocities are the follower's.
        CN_CHECK_NEAR(impacts.of[i].velocity_before[0], before[i], 2e-5);
        CN_CHECK_NEAR(impacts.of[i].velocity[0], after[i], 2e-5);
    }
    cn_system_run_destroy(run);
    cn_system_destroy(system);
}

// ---- impacting stick ----

CN_TEST(stick_has_the_exact_impact) {
    static cn_planar rod = {
        .mass = 1, .inertia = 1.0 / 12, .gravity = 10, .corners = 1, .corner = {{0.0, -0.5}}};
    double q[3] = {0.5 * sin(SCENE_PI / 4), 0.5 * cos(SCENE_PI / 4) + 0.01, SCENE_PI / 4}, h = 1e-3;
    double v[3] = {-0.5, 0.1, 0.1};
    static const double impulse[2][2] = {{0.37327817, -0.00373278}, {0.36885765, 0.00368858}};
    for (int law = 0; law < 2; law++) {
        cn_lagrangian_contact tip = {
            .friction = 0.01, .restitution = 1.0, .restitution_tangent = law};
        cn_lagrangian def = cn_planar_system(&rod, q, v, &tip);
        cn_impacts impacts = {.count = 0};
        cn_system *system;
        cn_system_run *run = cn_started(&def, h, &impacts, &system);
        cn_go(run, 0.07, h);
        CN_CHECK_TRUE(impacts.count == 1);
        CN_CHECK_NEAR(impacts.of[0].t, 0.0602740891, 1e-10);
        CN_CHECK_NEAR(impacts.of[0].velocity_before[0], -0.46717309, 1e-8);
        CN_CHECK_NEAR(impacts.of[0].velocity_before[1], -0.46485840, 1e-8);
        CN_CHECK_NEAR(impacts.of[0].impulse[0], impulse[law][0], 1e-8);
        CN_CHECK_NEAR(impacts.of[0].impulse[1], impulse[law][1], 1e-8);
        cn_system_run_destroy(run);
        cn_system_destroy(system);
    }
}

// ---- rocking block: impacts, lasting contact with friction on one corner ----

CN_TEST(rocking_block_has_the_exact_times) {
    static cn_planar block = {.mass = 1,
                              .inertia = 0.8125 / 3,
                              .gravity = 9.81,
                              .corners = 2,
                              .corner = {{-0.5, -0.75}, {0.5, -0.75}}};
    static const double times[] = {0.49391433, 0.86907150, 1.06000622, 1.16132187};
    static const double speed[] = {0.78649762, 0.42349872, 0.22803777, 0.12278957};
    double angle = -SCENE_PI / 10, h = 0.01;
    double q[3] = {0.0, sin(-angle) * 0.5 + cos(angle) * 0.75, angle}, v[3] = {0, 0, 0};
    cn_lagrangian_contact corners[2] = {{.friction = 0.6}, {.friction = 0.6}};
    cn_lagrangian def = cn_planar_system(&block, q, v, corners);
    cn_impacts impacts = {.count = 0};
    cn_system *system;
    cn_system_run *run = cn_started(&def, h, &impacts, &system);
    for (int i = 0; i < 4; i++) {
        cn_go(run, ceil(times[i] / h) * h, h);
        CN_CHECK_TRUE(impacts.count >= i + 1);
        double last = impacts.of[impacts.count - 1].t;
        CN_CHECK_NEAR(last, times[i], 1e-8);
        CN_CHECK_NEAR(fabs(cn_system_run_v(run)[2]), speed[i], 0.1);
    }
    cn_go(run, 2.0, h);
    CN_CHECK_NEAR(cn_system_run_q(run)[2], 0.0, 1e-9);
    CN_CHECK_NEAR(cn_system_run_v(run)[2], 0.0, 1e-9);
    cn_system_run_destroy(run);
    cn_system_destroy(system);
}

// ---- dry friction: a block on a belt of constant weight and a spring ----

typedef struct cn_sledge {
    double stiffness;
} cn_sledge;

static void cn_sledge_mass(void *user, const double *q, double *M) {
    (void)user;
    (void)q;
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
}

static void cn_sledge_force(void *user, double t, const double *q, const double *v, double *F) {
    (void)t;
    (void)v;
    F[0] = -((const cn_sledge *)user)->stiffness * q[0];
    F[1] = -10.0;
}

static void cn_sledge_gap(void *user, double t, const double *q, double *g) {
    (void)user;
    (void)t;
    g[0] = q[1];
}

static void cn_sledge_rows(void *user, double t, const double *q, double *normal, double *tangent,
                           double *normal_rate, double *tangent_rate) {
    (void)user;
    (void)t;
    (void)q;
    (void)normal_rate;
    (void)tangent_rate;
    normal[1] = 1.0;
    tangent[0] = 1.0;
}

// mu m g = 1: turning points of the closed form, then rest in the dead zone.
CN_TEST(dry_friction_takes_two_dead_zones_a_cycle_and_stops) {
    cn_sledge sledge = {.stiffness = 1.0};
    double q[2] = {12, 0}, v[2] = {6, 0}, h = 0.01;
    cn_lagrangian_contact ground = {.friction = 0.1};
    cn_lagrangian def = cn_lagrangian_default(2);
    def.q = q;
    def.v = v;
    def.user = &sledge;
    def.mass = cn_sledge_mass;
    def.force = cn_sledge_force;
    def.contacts = 1;
    def.contact = &ground;
    def.gap = cn_sledge_gap;
    def.contact_rows = cn_sledge_rows;
    cn_impacts impacts = {.count = 0};
    cn_system *system;
    cn_system_run *run = cn_started(&def, h, &impacts, &system);
    const double *x = cn_system_run_q(run), *u = cn_system_run_v(run);
    cn_go(run, 1.0, h);
    CN_CHECK_NEAR(x[0], 11.38636019, 1e-8);
    CN_CHECK_NEAR(u[0], -6.62210221, 1e-8);
    cn_go(run, 10.0, h);
    CN_CHECK_NEAR(x[0], -7.25350163, 1e-8);
    CN_CHECK_NEAR(u[0], 0.89921097, 1e-8);
    cn_go(run, 25.0, h);
    CN_CHECK_NEAR(x[0], 0.68217894, 1e-8);
    CN_CHECK_NEAR(u[0], 0.0, 1e-12);
    CN_CHECK_NEAR(x[1], 0.0, 1e-12);
    cn_system_run_destroy(run);
    cn_system_destroy(system);
}
