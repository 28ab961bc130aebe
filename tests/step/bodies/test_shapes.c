// Scenes with every shape at once: all steps solved, nothing sinks in, nothing escapes.
#include "world.h"

static world gallery(const char *name, const char *until) {
    char path[512];
    cn_model *model;
    cn_error error = {0};
    cn_override end = {"time.until", until};
    snprintf(path, sizeof path, "%s/scenes/%s.yaml", CAIRN_SOURCE_DIR, name);
    if (cn_scene_read(NULL, path, &end, 1, &model, &error) != CN_OK) {
        world_fail(&error);
    }
    return world_start(model);
}

// Overlap that one step may leave where bodies strike each other while they turn: features come
// that the step did not see. A sixtieth of the smallest radius.
#define STRUCK 2.5e-3

CN_TEST(every_shape_of_space_comes_to_rest_in_a_box) {
    world w = gallery("shapes-3d", "1.6");
    double start = w.energy, deepest = 0.0, balance = 0.0;
    double until = CN_WORLD_SLOW ? 0.15 : 1.6;
    while (cn_sim_time(w.sim) < until) {
        world_step(&w);
        deepest = fmax(deepest, w.last.penetration_max);
        balance += w.last.balance_error;
    }
    assert_int_equal(w.unsolved, 0);
    assert_int_equal(w.missed, 0);
    CN_CHECK_BELOW(deepest, STRUCK);
    CN_CHECK_NEAR(balance, 0.0, 1e-12 * start);
    for (int32_t i = 2; i <= cn_model_body_count(w.model); i++) {
        const double *x = world_position(&w, i);
        CN_CHECK_TRUE(fabs(x[0]) < 1.2 && fabs(x[1]) < 1.2 && x[2] > 0.0);
    }
    if (!CN_WORLD_SLOW) { // what still rolls has little of the energy
        CN_CHECK_BELOW(w.last.kinetic, 2e-3 * start);
        CN_CHECK_BELOW(w.last.penetration_max, 1e-4);
    }
    world_close(&w);
}

// A tube that lies on something, tilted as little or as much as a step may leave it, comes down
// flat and stays.
CN_TEST(lying_tubes_come_to_rest_whatever_their_tilt) {
    static const char *const tubes[] = {"capsule", "cylinder"};
    static const char *const grounds[] = {
        "{plane: {normal: [0, 0, 1], offset: 0}}",
        "{box: {size: [4, 4, 1]}, position: [0, 0, -0.5]}",
        "{polyhedron: {vertices: [[2, 2, 0], [-2, 2, 0], [2, -2, 0], [-2, -2, 0], [0, 0, -2]]}}"};
    static const double tilts[] = {0.0, 1e-9, 1e-6, 1e-4, 1e-3};
    for (int which = 0; which < 2 * 3 * 5; which++) {
        double tilt = tilts[which / 6], radius = 0.2, half = 0.5;
        world w =
            world_open("cairn: 1\ndimension: 3\ngravity: [0, 0, -9.81]\n"
                       "time: {step: 0.005, until: 1}\nsolver: {tolerance: 1.0e-10}\n"
                       "materials: {wood: {density: 700}}\n"
                       "contacts: [{between: [wood, wood], friction: 0.4, restitution: 0}]\n"
                       "bodies:\n"
                       "  - {name: ground, fixed: true, material: wood, shape: %s}\n"
                       "  - {name: tube, material: wood, shape: {%s: {radius: %g, length: %g}},\n"
                       "     position: [0, 0, %.17g], rotation: {axis: [0, 1, 0], angle: %.17g}}\n",
                       grounds[which % 3], tubes[which / 3 % 2], radius, 2.0 * half,
                       radius + half * sin(tilt) + 1e-12, M_PI / 2 - tilt);
        double at[3];
        world_run(&w, 0.2);
        memcpy(at, world_position(&w, 2), sizeof at);
        // Flat, and where it was: its low end rolls or slides by a share of the tilt.
        CN_CHECK_NEAR(at[2], radius, 1e-9 + 1e-3 * tilt);
        CN_CHECK_NEAR(hypot(at[0], at[1]), 0.0, 1e-11 + tilt);
        world_run(&w, 0.4);
        for (int k = 0; k < 3; k++) {
            CN_CHECK_NEAR(world_position(&w, 2)[k], at[k], 1e-11);
        }
        assert_int_equal(w.last.sticking + w.last.sliding, 2);
        assert_int_equal(w.unsolved, 0);
        assert_int_equal(w.missed, 0);
        world_close(&w);
    }
}

CN_TEST(every_shape_of_the_plane_stays_in_a_turning_drum) {
    world w = gallery("shapes-2d", "2");
    double deepest = 0.0, until = CN_WORLD_SLOW ? 0.3 : 2.0;
    while (cn_sim_time(w.sim) < until) {
        world_step(&w);
        deepest = fmax(deepest, w.last.penetration_max);
        for (int32_t i = 2; i <= cn_model_body_count(w.model); i++) {
            const double *x = world_position(&w, i);
            CN_CHECK_BELOW(hypot(x[0], x[1]), 2.0 - 0.06); // half the width of the slimmest
        }
    }
    assert_int_equal(w.unsolved, 0);
    assert_int_equal(w.missed, 0);
    CN_CHECK_BELOW(deepest, STRUCK);
    world_close(&w);
}
