// Islands at rest that are left alone until something acts on them.
#include "world.h"

#include <math.h>

#define STEP 0.01
#define ASLEEP_BY 1.2 // [s] by when the piles below sleep

// Two spheres and a stack of two boxes on a floor, apart from one another, and what else is given.
static world piles(const char *sleeping, const char *more) {
    return world_open("cairn: 1\ntime: {step: 0.01}\nsolver: {tolerance: 1.0e-8}\n%s"
                      "materials: {stone: {density: 1000}}\n"
                      "contacts: [{between: [stone, stone], friction: 0.5}]\n"
                      "bodies:\n"
                      "  - {name: floor, fixed: true, material: stone,\n"
                      "     shape: [{plane: {normal: [0, 0, 1], offset: 0}}]}\n"
                      "  - {name: left, material: stone, position: [0, 0, 0.501],\n"
                      "     shape: [{sphere: {radius: 0.5}}]}\n"
                      "  - {name: right, material: stone, position: [1.5, 0, 0.5],\n"
                      "     shape: [{sphere: {radius: 0.5}}]}\n"
                      "  - {name: lower, material: stone, position: [5, 0, 0.5],\n"
                      "     shape: [{box: {size: [1, 1, 1]}}]}\n"
                      "  - {name: upper, material: stone, position: [5, 0, 1.501],\n"
                      "     shape: [{box: {size: [1, 1, 1]}}]}\n%s",
                      sleeping, more);
}

#define SLEEPING "sleeping: {speed: 0.02, after: 0.2}\n"
enum { LEFT = 2, RIGHT, LOWER, UPPER, LATER };

static double speed_of(const world *w, cn_body_id body) {
    const double *v = world_velocity(w, body);
    return fmax(fmax(fabs(v[0]), fabs(v[1])),
                fmax(fabs(v[2]), fmax(fabs(v[3]), fmax(fabs(v[4]), fabs(v[5])))));
}

// Asleep bodies have velocity zero to the last bit, which bodies that are solved for do not keep.
static bool sleeps(const world *w, cn_body_id body) {
    return speed_of(w, body) == 0.0;
}

static world asleep(const char *more) {
    world w = piles(SLEEPING, more);
    world_run(&w, ASLEEP_BY);
    for (cn_body_id body = LEFT; body <= UPPER; body++) {
        CN_CHECK_TRUE(sleeps(&w, body));
    }
    return w;
}

CN_TEST(without_the_setting_nothing_sleeps) {
    world w = piles("", ""), other = piles("sleeping: {speed: 0}\n", "");
    world_run(&w, ASLEEP_BY);
    world_run(&other, ASLEEP_BY);
    CN_CHECK_TRUE(cn_sim_hash(w.sim) == cn_sim_hash(other.sim));
    CN_CHECK_TRUE(w.last.iterations > 0 || w.last.contacts > 0);
    world_close(&w);
    world_close(&other);
}

CN_TEST(piles_at_rest_keep_their_bits_and_impulses) {
    world w = asleep("");
    double pose[7 * 5];
    memcpy(pose, w.q, sizeof pose);
    int32_t contacts = w.last.contacts;
    world_steps(&w, 100);
    assert_memory_equal(pose, w.q, sizeof pose);
    assert_int_equal(w.last.iterations, 0);
    assert_int_equal(w.last.contacts, contacts);
    assert_int_equal(w.last.sticking + w.last.sliding, contacts);
    CN_CHECK_BELOW(w.worst_balance, 1e-8);
    assert_int_equal(w.unsolved, 0);
    // What is kept carries the weights.
    double impulse[3], sphere = 1000.0 * 4.0 / 3.0 * 3.14159265358979 * 0.125;
    world_impulse(&w, LEFT, impulse);
    CN_CHECK_NEAR(impulse[2], sphere * 9.81 * STEP, 1e-4);
    world_impulse(&w, LOWER, impulse);
    CN_CHECK_NEAR(impulse[2], 1000.0 * 9.81 * STEP, 1e-3);
    CN_CHECK_BELOW(w.worst_residual, 1e-8);
    world_close(&w);
}

// What the stilled bodies had is booked: the balance of the whole run closes.
CN_TEST(energy_taken_by_falling_asleep_is_booked) {
    world w = piles("sleeping: {speed: 0.5, after: 0.1}\n", // still rolling slowly
                    "  - {name: roller, material: stone, position: [0, 5, 0.5],\n"
                    "     velocity: [0.2, 0, 0], angular_velocity: [0, 0.4, 0],\n"
                    "     shape: [{sphere: {radius: 0.5}}]}\n");
    double start = w.energy, lost = 0.0, numerical = 0.0;
    for (int step = 0; step < 100; step++) {
        world_step(&w);
        lost += w.last.dissipated_friction + w.last.dissipated_impact + w.last.dissipated_numerical;
        numerical += w.last.dissipated_numerical;
    }
    CN_CHECK_TRUE(sleeps(&w, LATER));
    CN_CHECK_TRUE(numerical > 0.5 * 0.5 * 520.0 * 0.04); // most of m v^2 / 2
    CN_CHECK_NEAR(start - w.energy, lost, 1e-8 * fabs(start));
    CN_CHECK_BELOW(w.worst_balance, 1e-8);
    world_close(&w);
}

// A sphere falls on the boxes: their island wakes in the step of the hit, the spheres sleep on.
static const char falling[] = "  - {name: later, material: stone, position: [5.2, 0, 22.5],\n"
                              "     shape: [{sphere: {radius: 0.5}}]}\n";

CN_TEST(a_pile_wakes_when_it_is_hit_and_others_sleep_on) {
    world w = asleep(falling), awake = piles("", falling);
    world_run(&awake, ASLEEP_BY);
    double left[7];
    memcpy(left, world_position(&w, LEFT), sizeof left);
    bool woke = false;
    for (int step = 0; step < 130; step++) {
        world_step(&w);
        world_step(&awake);
        woke = woke || !sleeps(&w, LOWER);
        CN_CHECK_TRUE(sleeps(&w, LEFT) && sleeps(&w, RIGHT));
        CN_CHECK_BELOW(w.last.penetration_max, 2e-3);
        if (cn_sim_time(w.sim) < 2.2) { // before the bounces differ
            for (int k = 0; k < 3; k++) {
                CN_CHECK_NEAR(world_position(&w, LATER)[k], world_position(&awake, LATER)[k], 1e-4);
                CN_CHECK_NEAR(world_position(&w, UPPER)[k], world_position(&awake, UPPER)[k], 1e-4);
            }
        }
    }
    CN_CHECK_TRUE(woke);
    assert_memory_equal(left, world_position(&w, LEFT), sizeof left);
    CN_CHECK_BELOW(w.worst_balance, 1e-6);
    world_close(&w);
    world_close(&awake);
}

CN_TEST(piles_wake_when_their_floor_moves) {
    const char *moving = "motions:\n  - {body: floor, velocity: [\"0.3*(t >= 1.5)\", 0, 0]}\n";
    world w = asleep(moving);
    double before = world_position(&w, UPPER)[0];
    world_run(&w, 1.45);
    CN_CHECK_TRUE(sleeps(&w, UPPER) && sleeps(&w, LEFT));
    world_run(&w, 2.5);
    CN_CHECK_NEAR(world_velocity(&w, UPPER)[0], 0.3, 1e-6); // carried along
    CN_CHECK_NEAR(world_position(&w, UPPER)[0] - before, 0.3, 0.02);
    CN_CHECK_TRUE(speed_of(&w, LEFT) > 0.01); // rolls
    world_close(&w);
}

CN_TEST(piles_wake_when_gravity_or_friction_are_steered) {
    world w = asleep("");
    cn_steering steering = cn_sim_steering(w.sim);
    steering.gravity[0] = 8.0; // more than friction holds
    assert_int_equal(cn_sim_steer(w.sim, &steering, NULL), CN_OK);
    world_steps(&w, 10);
    CN_CHECK_TRUE(world_velocity(&w, UPPER)[0] > 0.1 && world_velocity(&w, LEFT)[0] > 0.1);
    world_close(&w);

    w = piles(SLEEPING "gravity: [2, 0, -9.81]\n", "");
    world_run(&w, ASLEEP_BY);
    CN_CHECK_TRUE(sleeps(&w, UPPER) && !sleeps(&w, LEFT)); // boxes hold, spheres roll
    steering = cn_sim_steering(w.sim);
    steering.friction = 0.1;
    assert_int_equal(cn_sim_steer(w.sim, &steering, NULL), CN_OK);
    world_steps(&w, 20);
    CN_CHECK_TRUE(world_velocity(&w, UPPER)[0] > 0.1);
    world_close(&w);
}

CN_TEST(piles_wake_when_a_controller_pushes) {
    world w = asleep("forces: [{body: right, force: [\"u\", 0, 0]}]\n"
                     "control:\n  - {period: 0.1, sensors: {height: \"right_z\"},\n"
                     "     outputs: {u: \"t < 1.45 ? 0 : 3000*(height > 0.4)\"}}\n");
    world_run(&w, 1.45);
    CN_CHECK_TRUE(sleeps(&w, RIGHT));
    world_run(&w, 1.6);
    CN_CHECK_TRUE(world_velocity(&w, RIGHT)[0] > 0.1);
    CN_CHECK_TRUE(sleeps(&w, LEFT) && sleeps(&w, UPPER));
    world_close(&w);
}

CN_TEST(piles_wake_when_a_force_changes_or_a_hand_pulls) {
    world w = asleep("forces:\n  - {body: right, force: [\"3000*(t >= 1.5)\", 0, 0]}\n"
                     "  - {body: upper, force: [100, 0, 0]}\n"); // constant: sleeps under it
    world_run(&w, 1.45);
    CN_CHECK_TRUE(sleeps(&w, RIGHT));
    world_run(&w, 1.6);
    CN_CHECK_TRUE(world_velocity(&w, RIGHT)[0] > 0.1);
    CN_CHECK_TRUE(sleeps(&w, LEFT) && sleeps(&w, UPPER));
    cn_steering steering = cn_sim_steering(w.sim);
    steering.pulled = LEFT;
    steering.target[0] = -3.0;
    steering.target[2] = 1.0;
    steering.stiffness = 1e4;
    assert_int_equal(cn_sim_steer(w.sim, &steering, NULL), CN_OK);
    world_steps(&w, 10);
    CN_CHECK_TRUE(world_velocity(&w, LEFT)[0] < -0.1);
    CN_CHECK_TRUE(sleeps(&w, UPPER));
    world_close(&w);
}

// Along any axis, and the others stay zero.
CN_TEST(piles_wake_when_a_force_lifts_them) {
    world w = asleep("forces: [{body: left, force: [0, 0, \"1e4*(t>1.5)\"]}]\n");
    world_steps(&w, 25);
    CN_CHECK_TRUE(sleeps(&w, LEFT));
    world_steps(&w, 20);
    CN_CHECK_TRUE(world_velocity(&w, LEFT)[2] > 0.1);
    world_close(&w);
}

// In free flight without gravity: only speed and time decide.
CN_TEST(bodies_sleep_below_the_speed_after_the_time) {
    world w = world_open("cairn: 1\ntime: {step: 0.01}\ngravity: [0, 0, 0]\n" SLEEPING
                         "materials: {stone: {density: 1000}}\n"
                         "contacts: [{between: [stone, stone], friction: 0.5}]\n"
                         "bodies:\n"
                         "  - {material: stone, velocity: [0.019, 0, 0],\n"
                         "     shape: [{sphere: {radius: 0.5}}]}\n"
                         "  - {material: stone, position: [0, 0, 5], velocity: [0.021, 0, 0],\n"
                         "     shape: [{sphere: {radius: 0.5}}]}\n");
    world_steps(&w, 19);
    CN_CHECK_NEAR(speed_of(&w, 1), 0.019, 1e-12);
    world_steps(&w, 2);
    CN_CHECK_TRUE(sleeps(&w, 1));
    world_steps(&w, 60);
    CN_CHECK_NEAR(speed_of(&w, 2), 0.021, 1e-12);
    world_close(&w);
}

CN_TEST(nothing_sleeps_on_a_floor_that_moves_slowly) {
    world w = world_open("cairn: 1\ntime: {step: 0.01}\nsolver: {tolerance: 1.0e-10}\n" SLEEPING
                         "materials: {stone: {density: 1000}}\n"
                         "contacts: [{between: [stone, stone], friction: 0.5}]\n"
                         "bodies:\n"
                         "  - {name: floor, fixed: true, material: stone,\n"
                         "     shape: [{plane: {normal: [0, 0, 1]}}]}\n"
                         "  - {material: stone, position: [0, 0, 0.5], velocity: [0.01, 0, 0],\n"
                         "     shape: [{box: {size: [1, 1, 1]}}]}\n"
                         "motions: [{body: floor, velocity: [0.01, 0, 0]}]\n");
    for (int i = 0; i < 60; i++) {
        world_steps(&w, 1);
        CN_CHECK_NEAR(world_velocity(&w, 2)[0], 0.01, 1e-6);
    }
    world_close(&w);
}

// Saved while asleep and in the step in which it falls asleep, and gone on with after the hit.
CN_TEST(a_saved_sleep_goes_on_to_the_same_bits) {
    for (int at = 1; at <= 120; at += 7) {
        world w = piles(SLEEPING, falling), other = piles(SLEEPING, falling);
        world_steps(&w, at);
        void *bytes;
        size_t size;
        assert_int_equal(cn_sim_save(w.sim, &bytes, &size), CN_OK);
        cn_error error = {0};
        assert_int_equal(cn_sim_load(other.sim, bytes, size, &error), CN_OK);
        assert_int_equal(cn_sim_load(other.sim, bytes, size - 1, &error), CN_ERR_INPUT);
        assert_int_equal(cn_sim_load(other.sim, bytes, size, &error), CN_OK);
        cn_sim_free(w.sim, bytes, size);
        world_run(&w, 2.6);
        world_steps(&other, 260 - at);
        CN_CHECK_TRUE(cn_sim_hash(w.sim) == cn_sim_hash(other.sim));
        CN_CHECK_TRUE(w.last.contacts == other.last.contacts);
        world_close(&w);
        world_close(&other);
    }
}

CN_TEST(bodies_of_joints_do_not_sleep) {
    world w = piles(SLEEPING, "joints:\n  - {kind: ball, bodies: [left, right],\n"
                              "     point: [0.75, 0, 0.5]}\n");
    world_run(&w, ASLEEP_BY);
    CN_CHECK_TRUE(sleeps(&w, UPPER) && !sleeps(&w, LEFT));
    world_close(&w);
}

CN_TEST(sleeping_and_steps_cut_to_an_error_exclude_one_another) {
    const char *text = "cairn: 1\nsleeping: {speed: 0.1}\nintegrator: {error: 1.0e-4}\n"
                       "materials: {stone: {density: 1000}}\n"
                       "bodies: [{material: stone, shape: [{sphere: {radius: 1}}]}]\n";
    cn_model *model;
    cn_error error = {0};
    assert_int_equal(
        cn_scene_read_text(NULL, "scene.yaml", text, strlen(text), NULL, 0, &model, &error),
        CN_ERR_INPUT);
    assert_non_null(strstr(error.message, "sleeping needs steps"));
}
