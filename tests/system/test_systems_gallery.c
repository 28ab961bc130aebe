// Mechanisms of the gallery against closed forms and published numbers: rocking block, walker,
// cam, four-bar with clearance, two-link arm, double pendulum at a wall.
#include "world.h"

#include "mechanisms.h"

// ---- the rocking block (V15, A11) ----

// Housner's block: impacts at the closed form's times, the same share of the rate kept at each.
CN_TEST(rocking_block_follows_the_table_of_the_closed_form) {
    static const double want[4][3] = {{0.49391433, 1.46063843, 0.78649762},
                                      {0.86907150, 0.78649762, 0.42349872},
                                      {1.06000622, 0.42349872, 0.22803777},
                                      {1.16132187, 0.22803777, 0.12278957}};
    double b = 0.5, half = 0.75, angle = SCENE_PI / 10, h = 5e-5;
    // It leans on its lower left corner, at the origin.
    world w = world_open("cairn: 1\ndimension: 2\ngravity: [0, -9.81]\ntime: {step: %.17g}\n"
                         "materials: {stone: {density: 1000}}\n"
                         "contacts: [{between: [stone, stone], friction: 1, restitution: 0}]\n"
                         "bodies:\n"
                         "  - {fixed: true, material: stone, shape: {line: {normal: [0, 1]}}}\n"
                         "  - {material: stone, position: [%.17g, %.17g], angle: %.17g,\n"
                         "     shape: {box: {size: [1, 1.5]}}}\n",
                         h, b * cos(angle) - half * sin(angle), b * sin(angle) + half * cos(angle),
                         angle);
    // A landing may take some steps: rates are looked at three steps before and after.
    double last_angle = angle, before[4] = {0.0};
    int hits = 0;
    for (int64_t i = 0; hits < 4 && cn_sim_time(w.sim) < 1.3; i++) {
        before[i % 4] = fabs(world_velocity(&w, 2)[2]);
        world_step(&w);
        double now = world_position(&w, 2)[2];
        if (now * last_angle < 0.0) {
            CN_CHECK_NEAR(cn_sim_time(w.sim), want[hits][0], 1e-3);
            CN_CHECK_NEAR(before[(i + 1) % 4], want[hits][1], 3e-3);
            world_steps(&w, 3);
            CN_CHECK_NEAR(fabs(world_velocity(&w, 2)[2]), want[hits][2], 3e-3);
            now = world_position(&w, 2)[2];
            hits++;
        }
        last_angle = now;
    }
    CN_CHECK_TRUE(hits == 4);
    world_close(&w);
}

// ---- the simplest walker ----

// The passive gait of Garcia, Chatterjee, Ruina and Coleman (1998) at a slope of 0.009: fixed point
// 0.200310900544287, period 3.88246375 (integrated again by an independent Runge-Kutta scheme).
CN_TEST(biped_walks_in_the_published_gait) {
    CN_LONG_RUN();
    world w = world_gallery("biped", NULL, 0);
    double last = 0.0, sum = 0.0, angles = 0.0;
    int strikes = 0, counted = 0;
    while (cn_sim_time(w.sim) < 79.5) {
        double v[2] = {world_velocity(&w, 1)[0], world_velocity(&w, 1)[1]};
        double angle = fabs(world_position(&w, 1)[2]), t = cn_sim_time(w.sim);
        world_step(&w);
        // A strike turns the velocity of the hip by more than gravity can in a step.
        if (hypot(world_velocity(&w, 1)[0] - v[0], world_velocity(&w, 1)[1] - v[1]) > 0.01) {
            if (++strikes > 5) {
                sum += t - last;
                angles += angle;
                counted++;
            }
            last = t;
        }
    }
    CN_CHECK_TRUE(strikes == 20);
    CN_CHECK_NEAR(sum / counted, 3.88246375, 4e-3);
    CN_CHECK_NEAR(angles / counted, 0.2003109, 4e-4);
    // The slope gives at each step what a strike takes.
    double along = world_position(&w, 1)[0] + sin(0.2003109);
    CN_CHECK_NEAR(along, 20 * 2 * sin(0.2003109), 0.3);
    CN_CHECK_TRUE(w.unsolved == 0);
    world_close(&w);
}

// ---- cam and follower ----

CN_TEST(follower_of_the_gallery_flies_as_the_closed_form_says) {
    // Start of a flight after the cam begins to rise, height and velocity there; look at it later.
    static const double flight[2][4] = {{0.09285510, 0.1, 10.02426, 0.12},
                                        {0.16540263, 0.1, 8.01941, 0.19}};
    world w = world_gallery("cam-follower", NULL, 0);
    double rate = sqrt(1430.8 / 1.221);
    for (int i = 0; i < 2; i++) {
        world_run(&w, flight[i][3]);
        double t = cn_sim_time(w.sim) - 0.002 - flight[i][0];
        double want = flight[i][1] * cos(rate * t) + flight[i][2] / rate * sin(rate * t);
        CN_CHECK_NEAR(world_position(&w, 1)[0], want, 2e-6);
    }
    world_close(&w);
}

// ---- the two-link arm (E11) ----

CN_TEST(two_link_arm_of_the_gallery_meets_the_ground_when_published) {
    world w = world_gallery("two-link", NULL, 0);
    double first = 0.0, end = 0.0, h = 1e-3;
    int count = 0, in_a_row = 0;
    world_run(&w, 1.0);
    CN_CHECK_NEAR(world_position(&w, 1)[0], 0.873663, 2e-6);
    CN_CHECK_NEAR(world_position(&w, 1)[1], -1.537650, 2e-6);
    while (in_a_row < 2 && cn_sim_time(w.sim) < 7.0) {
        world_step(&w);
        cn_contact_record ground = {0};
        if (cn_sim_contact_count(w.sim) > 0) {
            cn_sim_contact(w.sim, 0, &ground);
        }
        bool hit = ground.impulse[0] > 0.0;
        first = hit && count == 0 ? cn_sim_time(w.sim) : first;
        count += hit;
        in_a_row = hit ? in_a_row + 1 : 0;
        end = cn_sim_time(w.sim);
    }
    CN_CHECK_NEAR(first, 5.4156, 3 * h);
    CN_CHECK_NEAR(end, 5.7647, 3 * h);
    CN_CHECK_TRUE(count >= 12 && count <= 14);
    // Sliding along and take-off: on the ground at 8 s, on the circle again at 11 s.
    world_run(&w, 8.0);
    CN_CHECK_NEAR(world_position(&w, 1)[0], 0.8519, 1e-3);
    CN_CHECK_NEAR(world_position(&w, 1)[1], -1.7038, 2e-3);
    world_run(&w, 11.5);
    double a = world_position(&w, 1)[0], b = world_position(&w, 1)[1];
    CN_CHECK_NEAR(0.5 * (sin(a) + sin(a + b)), 0.1 * sin(2 * SCENE_PI * 0.15), 5e-3);
    world_close(&w);
}

// ---- the four-bar with clearance ----

// Another code's numbers for the law of the public demonstration (two slips in it), which projects
// positions to 1e-6: all journals but for a moment stay at their bearings, 0.005 from the centres.
CN_TEST(four_bar_with_clearance_follows_another_codes_numbers) {
    CN_LONG_RUN();
    static const double want[4][5] = {{0.25, 3.469429, 0.722471, 1.960191, 10.43248},
                                      {0.50, 5.545613, 0.915803, 1.499657, 5.28502},
                                      {0.75, 5.885876, 0.748229, 1.219071, -2.74891},
                                      {1.00, 4.238456, 0.918991, 1.995552, -9.98531}};
    const cn_override demo[3] = {
        {"integrator.projection", "1.0e-6"},
        {"system.define.C", "\"(16/3*s1*d1 + 25/24*s2*d2 + 2*(cos(q1 - al)*d1 - sin(q1 - al)*(1 - "
                            "s1)*s1))*v1\""},
        {"system.force.0", "\"-g*l1*cos(q1)/2 + M*(-w^2*6*sin(w*t) - lambda*(v1 - want)) + C*(v1 - "
                           "lambda*off) - K*(v1 - want) - K*lambda*off + G\""}};
    world w = world_gallery("four-bar-clearance", demo, 3);
    for (int k = 0; k < 4; k++) {
        world_run(&w, want[k][0]);
        for (int i = 0; i < 3; i++) {
            CN_CHECK_NEAR(world_position(&w, 1)[i], want[k][1 + i], 5e-5);
        }
        CN_CHECK_NEAR(world_velocity(&w, 1)[0], want[k][4], 2e-3);
        const double *q = world_position(&w, 1);
        CN_CHECK_NEAR(hypot(q[5] - 1.25 * cos(q[2]), q[6] - 1.25 * sin(q[2])), 0.005, 2e-6);
        CN_CHECK_BELOW(w.last.penetration_max, 2e-6);
    }
    CN_CHECK_BELOW(w.worst_balance, 1e-9);
    CN_CHECK_TRUE(w.unsolved == 0);
    world_close(&w);
}

CN_TEST(four_bar_with_clearance_follows_the_ideal_one) {
    CN_LONG_RUN();
    static const double want[4][5] = {{0.25, 3.4635, 0.7209, 1.9593, 10.447},
                                      {0.50, 5.5506, 0.9136, 1.4958, 5.335},
                                      {0.75, 5.8863, 0.7480, 1.2187, -2.757},
                                      {1.00, 4.2429, 0.9200, 1.9951, -10.017}};
    world w = world_gallery("four-bar-clearance", NULL, 0);
    for (int k = 0; k < 4; k++) {
        world_run(&w, want[k][0]);
        const double *q = world_position(&w, 1);
        for (int i = 0; i < 3; i++) {
            CN_CHECK_NEAR(q[i], want[k][1 + i], 2e-4);
        }
        CN_CHECK_NEAR(world_velocity(&w, 1)[0], want[k][4], 5e-3);
        // The loop with ideal joints at the same crank angle.
        double d2 = 10.0 - 6.0 * cos(q[0]);
        double al =
            atan2(-sin(q[0]), 3.0 - cos(q[0])) + acos((16.0 + d2 - 6.25) / (8.0 * sqrt(d2)));
        double ph = atan2(sin(q[0]) + 4.0 * sin(al), cos(q[0]) + 4.0 * cos(al) - 3.0);
        CN_CHECK_NEAR(q[1], al, 0.008);
        CN_CHECK_NEAR(q[2], ph, 0.0125);
    }
    world_close(&w);
}

// ---- the double pendulum at a wall ----

// The same two rods in two angles from the downward vertical, with the corners of their free ends.
static void cn_double_mass(void *user, const double *q, double *M) {
    (void)user;
    M[0] = 4.0 / 3.0;
    M[1] = M[2] = 0.5 * cos(q[0] - q[1]);
    M[3] = 1.0 / 3.0;
}

static void cn_double_force(void *user, double t, const double *q, const double *v, double *F) {
    (void)user;
    (void)t;
    double s = 0.5 * sin(q[0] - q[1]);
    F[0] = -s * v[1] * v[1] - 1.5 * 9.81 * sin(q[0]);
    F[1] = s * v[0] * v[0] - 0.5 * 9.81 * sin(q[1]);
}

// Corner k: of the upper rod's end (0, 1) or the lower one's (2, 3), half a thickness to a side.
static double cn_double_corner(const double *q, int k, double row[2]) {
    int rod = k / 2;
    double side = k % 2 ? 0.02 : -0.02, x = 0.0;
    row[0] = row[1] = 0.0;
    for (int i = 0; i <= rod; i++) {
        x += sin(q[i]);
        row[i] = cos(q[i]);
    }
    row[rod] -= side * sin(q[rod]);
    return x + side * cos(q[rod]);
}

static void cn_double_gap(void *user, double t, const double *q, double *g) {
    double row[2];
    (void)user;
    (void)t;
    for (int k = 0; k < 4; k++) {
        g[k] = cn_double_corner(q, k, row) + 0.6;
    }
}

static void cn_double_rows(void *user, double t, const double *q, double *normal, double *tangent,
                           double *normal_rate, double *tangent_rate) {
    (void)user;
    (void)t;
    (void)tangent;
    (void)normal_rate;
    (void)tangent_rate;
    for (int k = 0; k < 4; k++) {
        cn_double_corner(q, k, normal + 2 * k);
    }
}

// Angles of the scene at a time, with a step; the joint error stays small.
static void double_pendulum_at(double t, const char *step, double angle[2]) {
    const cn_override fine = {"time.step", step};
    world w = world_gallery("double-pendulum-wall", &fine, 1);
    world_run(&w, t);
    CN_CHECK_BELOW(w.last.joint_error_max, 1e-9);
    CN_CHECK_TRUE(w.unsolved == 0);
    for (int i = 0; i < 2; i++) {
        angle[i] = world_position(&w, 3 + i)[2] + 0.5 * SCENE_PI;
    }
    world_close(&w);
}

CN_TEST(double_pendulum_bounces_off_its_wall_as_in_two_angles) {
    static const double start[2] = {SCENE_PI / 2, SCENE_PI / 2};
    cn_lagrangian_contact corners[4];
    cn_lagrangian def = cn_lagrangian_default(2);
    cn_error error = {.status = CN_OK};
    cn_system *system = NULL;
    cn_system_run *run = NULL;
    cn_system_report report;
    for (int k = 0; k < 4; k++) {
        corners[k] = (cn_lagrangian_contact){.restitution = 0.6};
    }
    def.q = start;
    def.mass = cn_double_mass;
    def.force = cn_double_force;
    def.contacts = 4;
    def.contact = corners;
    def.gap = cn_double_gap;
    def.contact_rows = cn_double_rows;
    cn_system_opts opts = cn_system_opts_default();
    opts.scheme = "event-driven";
    opts.step = 1e-3;
    if (cn_system_create(NULL, &def, &system, &error) != CN_OK ||
        cn_system_run_create(system, &opts, NULL, &run, &error) != CN_OK) {
        print_error("%s\n", error.message);
        fail();
    }
    static const double times[2] = {0.7, 1.2};
    int impacts = 0;
    for (int k = 0; k < 2; k++) {
        double coarse[2], fine[2], worst[2] = {0.0, 0.0};
        while (cn_system_run_time(run) < times[k] - 5e-4) {
            CN_CHECK_TRUE(cn_system_run_step(run, &report, &error) == CN_OK);
            impacts += report.impacts;
        }
        double_pendulum_at(times[k], "4.0e-4", coarse);
        double_pendulum_at(times[k], "5.0e-5", fine);
        for (int i = 0; i < 2; i++) {
            worst[0] = fmax(worst[0], fabs(coarse[i] - cn_system_run_q(run)[i]));
            worst[1] = fmax(worst[1], fabs(fine[i] - cn_system_run_q(run)[i]));
        }
        print_message("t = %g: %d impacts, off by %g and %g\n", times[k], impacts, worst[0],
                      worst[1]);
        CN_CHECK_BELOW(worst[1], k == 0 ? 1e-6 : 2e-3);
        CN_CHECK_BELOW(worst[1], 0.5 * worst[0]);
    }
    CN_CHECK_TRUE(impacts > 0);
    cn_system_run_destroy(run);
    cn_system_destroy(system);
}
