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
