// tests/scene/test_scene_system.c
// Systems, first-order systems and controllers in scene files: motion, checkpoints, errors with
// their place.
#include "check.h"

#include <cairn/scene.h>
#include <cairn/sim.h>
#include <cairn/system.h>

#include <stdlib.h>
#include <string.h>

static cn_sim *cn_opened(const char *text, cn_model **model) {
    cn_error error = {.status = CN_OK};
    cn_sim *sim = NULL;
    if (cn_scene_read_text(NULL, "test.yaml", text, strlen(text), NULL, 0, model, &error) !=
            CN_OK ||
        cn_sim_create(*model, NULL, &sim, &error) != CN_OK) {
        print_error("%d:%d: %s\n", error.line, error.column, error.message);
        fail();
    }
    return sim;
}

static cn_sim *cn_gallery(const char *name, cn_model **model) {
    cn_error error = {.status = CN_OK};
    cn_sim *sim = NULL;
    char path[512];
    snprintf(path, sizeof path, "%s/scenes/%s.yaml", CAIRN_SOURCE_DIR, name);
    if (cn_scene_read(NULL, path, NULL, 0, model, &error) != CN_OK ||
        cn_sim_create(*model, NULL, &sim, &error) != CN_OK) {
        print_error("%s\n", error.message);
        fail();
    }
    return sim;
}

static void cn_go(cn_sim *sim, double t) {
    cn_step_report report;
    cn_error error = {.status = CN_OK};
    double h = cn_model_settings((cn_model *)cn_sim_model(sim))->step;
    while (cn_sim_time(sim) < t - 0.5 * h) {
        if (cn_sim_step(sim, &report, &error) != CN_OK) {
            print_error("%s\n", error.message);
            fail();
        }
        CN_CHECK_TRUE(report.outcome == CN_SOLVED);
    }
}

static void cn_closed(cn_sim *sim, cn_model *model) {
    cn_sim_destroy(sim);
    cn_model_destroy(model);
}

// The scene must be refused at a place, with these words.
static void cn_refused(const char *text, int32_t line, const char *words) {
    cn_model *model = NULL;
    cn_error error = {.status = CN_OK};
    cn_status status =
        cn_scene_read_text(NULL, "test.yaml", text, strlen(text), NULL, 0, &model, &error);
    if (status != CN_ERR_INPUT || error.line != line || !strstr(error.message, words)) {
        print_error("status %d, line %d: %s\n", (int)status, (int)error.line, error.message);
        fail();
    }
}

#define CN_HEAD "cairn: 1\ndimension: 2\ntime: {step: 1.0e-3, until: 1}\n"

// ---- motion ----

CN_TEST(the_slider_crank_of_the_gallery_moves_as_published) {
    cn_model *model;
    cn_sim *sim = cn_gallery("slider-crank-clearance", &model);
    double q[3], v[3];
    cn_go(sim, 0.0025);
    cn_sim_poses(sim, q);
    cn_sim_velocities(sim, v);
    CN_CHECK_NEAR(q[0] / (2 * 3.14159265358979323846), 0.0531567, 1e-7);
    CN_CHECK_NEAR(q[1], -0.161862, 1e-6);
    CN_CHECK_NEAR(v[0], 112.3956, 1e-4);
    cn_go(sim, 0.005);
    cn_sim_poses(sim, q);
    CN_CHECK_NEAR(q[0] / (2 * 3.14159265358979323846), 0.0917114, 1e-7);
    CN_CHECK_NEAR(q[1], -0.272873, 1e-6);
    cn_closed(sim, model);
}

CN_TEST(the_sphere_of_the_gallery_comes_to_rest_event_by_event) {
    cn_model *model;
    cn_sim *sim = cn_gallery("bouncing-ball-events", &model);
    double q[3], v[3];
    cn_go(sim, 1.0);
    cn_sim_poses(sim, q);
    // The first flight begins at 0.45152364 s with 0.9 * 4.42944692 m/s.
    double t = 1.0 - sqrt(2.0 / 9.81), u = 0.9 * sqrt(2.0 * 9.81);
    CN_CHECK_NEAR(q[0], u * t - 0.5 * 9.81 * t * t, 1e-10);
    cn_go(sim, 8.6);
    cn_sim_poses(sim, q);
    cn_sim_velocities(sim, v);
    CN_CHECK_NEAR(q[0], 0.0, 1e-12);
    CN_CHECK_NEAR(v[0], 0.0, 1e-12);
    cn_closed(sim, model);
}

CN_TEST(sliding_mode_control_is_implicit_and_does_not_chatter) {
    cn_model *model;
    cn_sim *sim = cn_gallery("sliding-mode", &model);
    double q[3];
    cn_go(sim, 0.55);
    double worst = 0.0;
    for (int k = 56; k <= 100; k++) {
        double t = 0.01 * k, before = 0.01 * (k - 1);
        cn_go(sim, t);
        cn_sim_poses(sim, q);
        // Exact plant: (cos 50t - cos 50(t - h)) / 50.
        CN_CHECK_NEAR(q[1], (cos(50 * t) - cos(50 * before)) / 50.0, 2e-6);
        worst = fmax(worst, fabs(q[1]));
    }
    CN_CHECK_NEAR(worst, 0.009894, 2e-5);
    cn_closed(sim, model);
}

CN_TEST(a_pid_controller_brings_its_cart_to_the_target) {
    cn_model *model;
    cn_sim *sim = cn_gallery("pid-cart", &model);
    double q[3], max = 0.0;
    for (int k = 1; k <= 80; k++) {
        cn_go(sim, 0.1 * k);
        cn_sim_poses(sim, q);
        max = fmax(max, q[0]);
    }
    CN_CHECK_BELOW(max, 1.02 + 1e-4); // the wall
    CN_CHECK_NEAR(q[0], 1.0, 5e-3);
    cn_closed(sim, model);
}

CN_TEST(computed_torque_follows_its_angles) {
    cn_model *model;
    cn_sim *sim = cn_gallery("computed-torque", &model);
    double q[3];
    cn_go(sim, 3.0);
    cn_sim_poses(sim, q);
    CN_CHECK_NEAR(q[0], 0.9 + 0.2 * sin(3.0), 1e-3);
    CN_CHECK_NEAR(q[1], -1.6 + 0.2 * cos(3.0), 1e-3);
    cn_closed(sim, model);
}

// ---- checkpoints and contacts ----

CN_TEST(a_checkpoint_goes_on_with_the_same_bits) {
    cn_model *model;
    cn_sim *sim = cn_gallery("pid-cart", &model);
    void *bytes;
    size_t size;
    cn_go(sim, 0.505);
    CN_CHECK_TRUE(cn_sim_save(sim, &bytes, &size) == CN_OK);
    cn_go(sim, 1.0);
    uint64_t hash = cn_sim_hash(sim);
    CN_CHECK_TRUE(cn_sim_load(sim, bytes, size, NULL) == CN_OK);
    cn_go(sim, 1.0);
    CN_CHECK_TRUE(cn_sim_hash(sim) == hash);
    CN_CHECK_TRUE(cn_sim_load(sim, bytes, size - 8, NULL) == CN_ERR_INPUT);
    cn_sim_free(sim, bytes, size);
    cn_closed(sim, model);
}

CN_TEST(contacts_of_a_system_are_recorded_in_their_own_frame) {
    cn_model *model;
    cn_sim *sim = cn_gallery("woodpecker", &model);
    cn_go(sim, 0.03); // jammed
    CN_CHECK_TRUE(cn_sim_contact_count(sim) == 1);
    cn_contact_record contact;
    cn_sim_contact(sim, 0, &contact);
    CN_CHECK_TRUE(contact.candidate == 1 && contact.status == 1);
    CN_CHECK_NEAR(contact.friction, 0.3, 0.0);
    CN_CHECK_TRUE(contact.impulse[0] > 0.0);
    CN_CHECK_BELOW(fabs(contact.impulse[1]), 0.3 * contact.impulse[0]);
    cn_closed(sim, model);
}

CN_TEST(a_joint_holds_a_pendulum) {
    cn_model *model;
    cn_sim *sim = cn_opened(CN_HEAD "system:\n"
                                    "  q: [1, 0]\n"
                                    "  mass: [[1, 0], [0, 1]]\n"
                                    "  force: [0, -9.81]\n"
                                    "  joints: [{equation: \"(q1^2 + q2^2 - 1)/2\"}]\n",
                            &model);
    double q[3];
    cn_go(sim, 1.0);
    cn_sim_poses(sim, q);
    CN_CHECK_NEAR(atan2(q[0], -q[1]), -1.40502731, 1e-5);
    CN_CHECK_NEAR(hypot(q[0], q[1]), 1.0, 1e-9);
    cn_closed(sim, model);
}

// ---- errors ----

CN_TEST(an_expression_is_pointed_at) {
    cn_refused(CN_HEAD "system:\n  q: [1]\n  mass: [[1]]\n  force: [\"-9.81*mm\"]\n", 7,
               "\"mm\": unknown name");
}

CN_TEST(a_wrong_normal_row_is_named_with_both_values) {
    cn_refused(CN_HEAD "system:\n  q: [1]\n  mass: [[1]]\n  force: [-9.81]\n"
                       "  contacts: [{gap: \"2*q1\", normal: [1]}]\n",
               5, "derivative of gap 1 with respect to q1 is given as 1, but differences say 2");
}

CN_TEST(sizes_are_compared) {
    cn_refused(CN_HEAD "system:\n  q: [1, 2]\n  mass: [[1]]\n  force: [0, 0]\n", 6,
               "mass is 1 x 1, but should be 2 x 2");
    cn_refused(CN_HEAD "system:\n  q: [1]\n  mass: [[1]]\n  force: [0, 0]\n", 7,
               "force has 2 entries, but should have 1");
    cn_refused(CN_HEAD "first_order:\n  x: [1]\n  B: [[1]]\n  C: [[1, 2]]\n", 7,
               "C is 1 x 2, but should be 1 x 1");
}

CN_TEST(friction_needs_a_tangent) {
    cn_refused(CN_HEAD "system:\n  q: [1]\n  mass: [[1]]\n  force: [0]\n"
                       "  contacts:\n    - {gap: \"q1\", friction: 0.5}\n",
               9, "needs a tangent");
}

CN_TEST(a_nan_at_the_start_is_refused) {
    cn_refused(CN_HEAD "system:\n  q: [0]\n  mass: [[1]]\n  force: [\"1/q1\"]\n", 5,
               "entry 1 of the force is inf");
}

CN_TEST(a_period_must_be_a_multiple_of_the_step) {
    cn_refused(CN_HEAD "system:\n  q: [0]\n  mass: [[1]]\n  force: [\"u\"]\n"
                       "control:\n  - {period: 0.0015, outputs: {u: 1}}\n",
               9, "not a multiple of the step");
}

CN_TEST(a_system_has_no_bodies_beside_it) {
    cn_refused(CN_HEAD "materials: {stone: {density: 1}}\n"
                       "system:\n  q: [0]\n  mass: [[1]]\n  force: [0]\n",
               6, "stands for itself");
}

CN_TEST(a_memory_that_is_not_there_is_named) {
    cn_refused(CN_HEAD "system:\n  q: [0]\n  mass: [[1]]\n  force: [\"u\"]\n"
                       "control:\n  - {outputs: {u: 1}, next: {sum: 1}}\n",
               9, "no memory sum");
}

CN_TEST(schemes_of_first_order_systems_are_refused_for_rigid_bodies) {
    static const char text[] = CN_HEAD "integrator: {scheme: euler-moreau}\n"
                                       "materials: {stone: {density: 1}}\n"
                                       "bodies:\n"
                                       "  - {material: stone, shape: {disk: {radius: 1}}}\n";
    cn_model *model = NULL;
    cn_error error = {.status = CN_OK};
    CN_CHECK_TRUE(cn_scene_read_text(NULL, "test.yaml", text, strlen(text), NULL, 0, &model,
                                     &error) == CN_ERR_UNSUPPORTED);
    CN_CHECK_TRUE(strstr(error.message, "first-order systems") && error.line == 4);
}

// ---- plug-ins ----

#define CN_PLUGIN_SCENE                                                                            \
    CN_HEAD "plugins: [\"" CAIRN_PLUGIN "\"]\n"                                                    \
            "system: {plugin: pendulum, parameters: {start: 1, wall: \"1/2\"}}\n"

CN_TEST(plugins_are_refused_unless_allowed) {
    cn_refused(CN_PLUGIN_SCENE, 4, "not allowed");
}

static cn_sim *cn_allowed(const char *text, cn_model **model, cn_error *error) {
    cn_env env = cn_env_default();
    cn_sim *sim = NULL;
    env.allow_plugins = true;
    cn_status status =
        cn_scene_read_text(&env, "test.yaml", text, strlen(text), NULL, 0, model, error);
    return status == CN_OK && cn_sim_create(*model, NULL, &sim, error) == CN_OK ? sim : NULL;
}

CN_TEST(a_system_of_a_plugin_runs_with_its_parameters) {
    cn_model *model = NULL;
    cn_error error = {.status = CN_OK};
    cn_sim *sim = cn_allowed(CN_PLUGIN_SCENE, &model, &error);
    if (!sim) {
        print_error("%s\n", error.message);
        fail();
    }
    double q[3], low = 1.0;
    for (int i = 1; i <= 100; i++) {
        cn_go(sim, 0.01 * i);
        cn_sim_poses(sim, q);
        low = fmin(low, sin(q[0]));
    }
    CN_CHECK_NEAR(low, -0.5, 2e-3); // it reaches the wall and not more
    cn_closed(sim, model);
}

CN_TEST(a_plugin_says_which_parameter_it_does_not_know) {
    cn_model *model = NULL;
    cn_error error = {.status = CN_OK};
    CN_CHECK_TRUE(cn_allowed(CN_HEAD "plugins: [\"" CAIRN_PLUGIN "\"]\n"
                                     "system: {plugin: pendulum, parameters: {weight: 1}}\n",
                             &model, &error) == NULL);
    CN_CHECK_TRUE(strstr(error.message, "no parameter weight") && error.line == 5);
}

CN_TEST(a_controller_of_a_plugin_keeps_its_memory_in_the_state) {
    static const char text[] = CN_HEAD "plugins: [\"" CAIRN_PLUGIN "\"]\n"
                                       "system: {q: [1], mass: [[1]], force: [\"u - 3*v1 + 1\"]}\n"
                                       "control:\n"
                                       "  - {plugin: pendulum, period: 0.01, sensors: {s: \"q1\"},"
                                       " outputs: {u: 0}}\n";
    cn_model *model = NULL;
    cn_error error = {.status = CN_OK};
    cn_sim *sim = cn_allowed(text, &model, &error);
    if (!sim) {
        print_error("%s\n", error.message);
        fail();
    }
    void *bytes;
    size_t size;
    double q[3];
    cn_go(sim, 0.5);
    CN_CHECK_TRUE(cn_sim_save(sim, &bytes, &size) == CN_OK);
    cn_go(sim, 10.0);
    cn_sim_poses(sim, q);
    CN_CHECK_NEAR(q[0], 0.0, 1e-3); // the integral takes the load off
    uint64_t hash = cn_sim_hash(sim);
    CN_CHECK_TRUE(cn_sim_load(sim, bytes, size, NULL) == CN_OK);
    cn_go(sim, 10.0);
    CN_CHECK_TRUE(cn_sim_hash(sim) == hash);
    cn_sim_free(sim, bytes, size);
    cn_closed(sim, model);
}

CN_TEST(a_missing_plugin_is_pointed_at) {
    cn_model *model = NULL;
    cn_error error = {.status = CN_OK};
    CN_CHECK_TRUE(cn_allowed(CN_HEAD "plugins: [no-such.so]\nsystem: {plugin: pendulum}\n", &model,
                             &error) == NULL);
    CN_CHECK_TRUE(strstr(error.message, "no plug-in file") && error.line == 4);
}

// A scene that names code which nothing uses is refused before any is loaded, allowed or not.
CN_TEST(plugins_that_nothing_uses_are_refused) {
    static const char *const texts[] = {
        CN_HEAD "plugins: [no-such.so]\nsystem: {q: [1], mass: [[1]], force: [\"-q1\"]}\n",
        CN_HEAD "plugins: [\"" CAIRN_PLUGIN "\", no-such.so]\nsystem: {plugin: pendulum}\n",
        ("cairn: 1\ndimension: 2\ntime: {step: 0.01}\nplugins: [no-such.so]\n"
         "materials: {a: {density: 1}}\nbodies: [{material: a, shape: {disk: {radius: 1}}}]\n")};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        cn_model *model = NULL;
        cn_error error = {.status = CN_OK};
        CN_CHECK_TRUE(cn_allowed(texts[i], &model, &error) == NULL && error.status == CN_ERR_INPUT);
        CN_CHECK_TRUE(strstr(error.message, "code that nothing needs") && error.line == 4);
        cn_refused(texts[i], 4, "code that nothing needs");
    }
}
