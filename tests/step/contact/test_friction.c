// Friction of one body on a plane: V4, V5, V6, V7 (E2), V12.
#include "world.h"

#include "math/vec3.h"

#define GRAVITY 9.81

// A scene of one body (the second) on level or tilted ground, gravity leaning by phi towards x.
static world on_ground(int32_t dim, double phi, double mu, double h, double tolerance,
                       const char *rest) {
    double along = GRAVITY * sin(phi), down = -GRAVITY * cos(phi);
    if (dim == 3) {
        return world_open("cairn: 1\ngravity: [%.17g, 0, %.17g]\ntime: {step: %g}\n"
                          "solver: {tolerance: %g}\nmaterials: {stone: {density: 1000}}\n"
                          "contacts: [{between: [\"*\", \"*\"], friction: %.17g}]\nbodies:\n"
                          "  - {material: stone, fixed: true, shape: {plane: {normal: [0, 0, 1], "
                          "offset: 0}}}\n%s",
                          along, down, h, tolerance, mu, rest);
    }
    return world_open("cairn: 1\ndimension: 2\ngravity: [%.17g, %.17g]\ntime: {step: %g}\n"
                      "solver: {tolerance: %g}\nmaterials: {stone: {density: 1000}}\n"
                      "contacts: [{between: [\"*\", \"*\"], friction: %.17g}]\nbodies:\n"
                      "  - {material: stone, fixed: true, shape: {line: {normal: [0, 1], offset: "
                      "0}}}\n%s",
                      along, down, h, tolerance, mu, rest);
}

static const char flat_box[] = "  - {material: stone, shape: {box: {size: [2, 2, 0.5]}}, position: "
                               "[0, 0, 0.25], velocity: [3, 0, 0]}\n";
static const char flat_box_2d[] = "  - {material: stone, shape: {box: {size: [2, 0.5]}}, position: "
                                  "[0, 0.25], velocity: [3, 0]}\n";

// ---- V4 ----

static double stopping_error(int32_t dim, double h) {
    world w = on_ground(dim, 0.0, 0.3, h, 1e-10, dim == 3 ? flat_box : flat_box_2d);
    double stop = 3.0 / (0.3 * GRAVITY);
    world_run(&w, stop - 0.01);
    CN_CHECK_NEAR(world_velocity(&w, 2)[0], 3.0 - 0.3 * GRAVITY * cn_sim_time(w.sim), 1e-6);
    world_run(&w, stop + 0.01);
    CN_CHECK_NEAR(world_velocity(&w, 2)[0], 0.0, 1e-8);
    world_run(&w, stop + 0.2);
    double error = world_position(&w, 2)[0] - 9.0 / (2.0 * 0.3 * GRAVITY);
    CN_CHECK_TRUE(w.unsolved == 0);
    world_close(&w);
    return error;
}

// Constant deceleration is exact at theta = 1/2: what is left is the step in which the block stops,
// at most mu g h^2/2.
CN_TEST(sliding_block_stops_where_coulomb_says) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        CN_CHECK_NEAR(stopping_error(dim, 1e-3), 0.0, 0.5 * 0.3 * GRAVITY * 1e-6 + 1e-7);
    }
}

// ---- V5 ----

// Displacement along the slope between 1 s and the end, below the friction angle (0.5 < 0.6).
static double creep(int32_t dim, const char *body, double tolerance, double until) {
    world w = on_ground(dim, atan(0.5), 0.6, 1e-3, tolerance, body);
    double start[3], worst = 0.0;
    memcpy(start, world_position(&w, 2), sizeof start);
    while (cn_sim_time(w.sim) < until) {
        world_step(&w);
        worst = fmax(worst, fabs(world_position(&w, 2)[0] - start[0]));
        if (dim == 3) {
            worst = fmax(worst, fabs(world_position(&w, 2)[1] - start[1]));
        }
    }
    CN_CHECK_TRUE(w.unsolved == 0);
    world_close(&w);
    return worst;
}

#define LONG_TIME (CN_WORLD_SLOW ? 2.0 : 100.0)

CN_TEST(point_contact_below_the_friction_angle_never_creeps) {
    CN_CHECK_BELOW(creep(3,
                         "  - {material: stone, shape: {sphere: {radius: 1}}, position: [0, 0, 1], "
                         "lock: [rx, ry, rz]}\n",
                         1e-8, LONG_TIME),
                   1e-12);
    CN_CHECK_BELOW(creep(2,
                         "  - {material: stone, shape: {disk: {radius: 1}}, position: [0, 1], "
                         "lock: [rz]}\n",
                         1e-8, LONG_TIME),
                   1e-12);
}

static const char slope_box[] =
    "  - {material: stone, shape: {box: {size: [1, 1, 1]}}, position: [0, 0, 0.5]}\n";
static const char slope_box_2d[] =
    "  - {material: stone, shape: {box: {size: [1, 1]}}, position: [0, 0.5]}\n";

CN_TEST(box_below_the_friction_angle_never_creeps) {
    CN_CHECK_BELOW(creep(3, slope_box, 1e-8, LONG_TIME), 5e-8);
    CN_CHECK_BELOW(creep(2, slope_box_2d, 1e-8, LONG_TIME), 5e-8);
}

CN_TEST(box_below_the_friction_angle_creeps_less_at_a_finer_tolerance) {
    CN_CHECK_BELOW(creep(3, slope_box, 1e-11, LONG_TIME), 1e-10);
    CN_CHECK_BELOW(creep(2, slope_box_2d, 1e-11, LONG_TIME), 1e-10);
}

CN_TEST(box_above_the_friction_angle_slides_at_the_constant_rate) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        double phi = atan(0.5), rate = GRAVITY * (sin(phi) - 0.3 * cos(phi));
        world w = on_ground(dim, phi, 0.3, 1e-3, 1e-10, dim == 3 ? slope_box : slope_box_2d);
        world_run(&w, 1.0);
        CN_CHECK_NEAR(world_velocity(&w, 2)[0], rate, 1e-7);
        CN_CHECK_NEAR(world_position(&w, 2)[0], 0.5 * rate, 1e-7);
        world_close(&w);
    }
}

// ---- V6 ----

// A ball or disk thrown along the ground without spin: when it rolls and how fast.
static void check_rolling(int32_t dim, double share, double time, double h) {
    double v = 2.0, mu = 0.2, until = time * v / (mu * GRAVITY), rolls = 0.0;
    world w = on_ground(dim, 0.0, mu, h, 1e-12,
                        dim == 3 ? "  - {material: stone, shape: {sphere: {radius: 0.5}}, "
                                   "position: [0, 0, 0.5], velocity: [2, 0, 0]}\n"
                                 : "  - {material: stone, shape: {disk: {radius: 0.5}}, "
                                   "position: [0, 0.5], velocity: [2, 0]}\n");
    while (cn_sim_time(w.sim) < 1.5 * until) {
        world_step(&w);
        const double *u = world_velocity(&w, 2);
        double slip = u[0] - (dim == 3 ? 0.5 * u[4] : -0.5 * u[2]);
        if (rolls == 0.0 && slip < 1e-9) {
            rolls = cn_sim_time(w.sim);
        }
    }
    CN_CHECK_NEAR(rolls, until, h);
    CN_CHECK_NEAR(world_velocity(&w, 2)[0], share * v, 1e-9);
    // Exact but for the step in which sliding ends.
    double slid = v * until - 0.5 * mu * GRAVITY * until * until;
    double distance = slid + share * v * (cn_sim_time(w.sim) - until);
    CN_CHECK_NEAR(world_position(&w, 2)[0], distance, mu * GRAVITY * h * h);
    world_close(&w);
}

CN_TEST(sliding_sphere_starts_to_roll_at_five_sevenths) {
    check_rolling(3, 5.0 / 7.0, 2.0 / 7.0, 1e-3);
}

CN_TEST(sliding_disk_starts_to_roll_at_two_thirds) {
    check_rolling(2, 2.0 / 3.0, 1.0 / 3.0, 1e-3);
}

// ---- V7: E2 ----

#define EDGES 3

// Pushed with 2 mu m g for a second and let go for a second, in three directions 120 degrees apart.
static world triangle(double h) {
    return world_open(
        "cairn: 1\ntime: {step: %g}\nsolver: {tolerance: 1e-13}\n"
        "materials: {stone: {density: 1000}}\ncontacts: [{between: [\"*\", \"*\"], friction: "
        "0.3}]\n"
        "bodies:\n"
        "  - {material: stone, fixed: true, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n"
        "  - {name: ball, material: stone, mass: 1, shape: {sphere: {radius: 0.5}}, position: [0, "
        "0, 0.5], lock: [rx, ry, rz]}\n"
        "forces:\n  - body: ball\n    force:\n"
        "      - \"5.886*((t<1) - 0.5*(t>=2)*(t<3) - 0.5*(t>=4)*(t<5))\"\n"
        "      - \"5.886*0.86602540378443864676*((t>=2)*(t<3) - (t>=4)*(t<5))\"\n      - 0\n",
        h);
}

// Over an edge: the corner reached, and the largest distance from its straight line.
static void check_triangle(double h) {
    world w = triangle(h);
    double length = 0.3 * GRAVITY, corner[EDGES + 1][2] = {{0}}, bent = 0.0;
    for (int e = 0; e < EDGES; e++) {
        double angle = 2.0 * acos(-1.0) / 3.0 * e, across[2] = {-sin(angle), cos(angle)};
        while (cn_sim_time(w.sim) < 2.0 * (e + 1) - 0.5 * h) {
            world_step(&w);
            const double *x = world_position(&w, 2);
            bent = fmax(
                bent, fabs(across[0] * (x[0] - corner[e][0]) + across[1] * (x[1] - corner[e][1])));
        }
        memcpy(corner[e + 1], world_position(&w, 2), sizeof corner[e]);
        CN_CHECK_NEAR(math_norm3(world_velocity(&w, 2)), 0.0, 1e-10);
        double reached = cos(angle) * (corner[e + 1][0] - corner[e][0]) +
                         sin(angle) * (corner[e + 1][1] - corner[e][1]);
        CN_CHECK_NEAR(reached, length, 2.0 * length * h);
    }
    CN_CHECK_BELOW(bent / length, 1e-6);
    CN_CHECK_BELOW(hypot(corner[EDGES][0], corner[EDGES][1]) / length, 1e-9);
    CN_CHECK_TRUE(w.unsolved == 0);
    world_close(&w);
}

CN_TEST(exact_cone_traces_a_closed_triangle) {
    check_triangle(1e-3);
}

// ---- V12: Painleve ----

#define LEAN 1.1071487177940904 // [rad] atan 2, where a slender rod needs the least friction

// A rod 2 m long with a round tip on the ground, leaning back by LEAN, tip ahead, moving at speed
// u. In space it is a capsule whose plane is turned by 0.7 about the vertical.
static world rod(int32_t dim, double mu, double u, double h) {
    char body[512];
    double turn = 0.7, c = cos(LEAN), s = sin(LEAN);
    if (dim == 3) {
        // The capsule's z axis turned towards (cos turn, sin turn, 0) and down: tip at its end.
        snprintf(body, sizeof body,
                 "  - {material: stone, mass: 3, inertia: [1, 1, 1], shape: {capsule: {radius: "
                 "0.01, length: 2}}, position: [0, 0, %.17g], rotation: {axis: [%.17g, %.17g, 0], "
                 "angle: %.17g}, velocity: [%.17g, %.17g, 0]}\n",
                 s + 0.01, -sin(turn), cos(turn), 0.5 * M_PI + LEAN, u * cos(turn), u * sin(turn));
    } else {
        snprintf(
            body, sizeof body,
            "  - {material: stone, mass: 3, inertia: 1, center_of_mass: [0, 0], shape: {disk: "
            "{radius: 0.01}, position: [%.17g, %.17g]}, position: [0, %.17g], velocity: [%.17g, "
            "0]}\n",
            c, -s, s + 0.01, u);
    }
    return on_ground(dim, 0.0, mu, h, 1e-12, body);
}

// mu |W_NT| / W_NN of the tip, arms (c, -s - 0.01): W_NN = 1/m + c^2/I, W_NT = c (s + 0.01)/I.
static double rod_ratio(double mu) {
    double c = cos(LEAN), s = sin(LEAN) + 0.01;
    return mu * c * s / (1.0 / 3.0 + c * c);
}

CN_TEST(rod_is_paradoxical_from_the_friction_of_painleve_on) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        double limit = 1.0 / rod_ratio(1.0);
        for (int i = 0; i < 2; i++) {
            double mu = limit * (i == 0 ? 0.999 : 1.001);
            world w = rod(dim, mu, 0.1, 1e-6);
            world_step(&w);
            assert_int_equal(w.last.paradoxes, i);
            assert_int_equal(w.last.paradox_candidate, i == 0 ? 0 : 2);
            assert_int_equal(w.last.paradox_antagonist, i == 0 ? 0 : 1);
            CN_CHECK_NEAR(w.last.paradox_ratio, i == 0 ? 0.0 : rod_ratio(mu), 1e-7);
            CN_CHECK_TRUE(w.unsolved == 0);
            world_close(&w);
        }
    }
}

// Below the limit the impulse of a step is of order h. Above it the tip catches: it stops within
// the step, by the impulse -W^-1 (0, u_T), r_N = W_NT u/det W, whatever h.
CN_TEST(paradoxical_rod_catches_without_a_collision) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        double c = cos(LEAN), s = sin(LEAN) + 0.01;
        double W_NN = 1.0 / 3.0 + c * c, W_TT = 1.0 / 3.0 + s * s, W_NT = c * s;
        for (int i = 0; i < 4; i++) {
            double h = i % 2 == 0 ? 1e-4 : 1e-6, impulse[3];
            world w = rod(dim, i < 2 ? 1.2 : 1.6, 2.0, h);
            world_step(&w);
            world_impulse(&w, 2, impulse);
            double want = i < 2 ? 0.0 : 2.0 * W_NT / (W_NN * W_TT - W_NT * W_NT);
            CN_CHECK_NEAR(impulse[dim - 1], want, 1e3 * h);
            CN_CHECK_TRUE(w.unsolved == 0 && (w.last.paradoxes > 0) == (i >= 2));
            world_close(&w);
        }
    }
}

// A box on a slope and a ball have none.
CN_TEST(ordinary_contacts_are_not_paradoxical) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        world w = on_ground(dim, atan(0.5), 0.8, 1e-3, 1e-8, dim == 3 ? slope_box : slope_box_2d);
        for (int i = 0; i < 50; i++) {
            world_step(&w);
            assert_int_equal(w.last.paradoxes, 0);
        }
        world_close(&w);
    }
}
