// Controllers of rigid bodies: sampled at their period, sensors of bodies and joints, outputs in
// motors, forces and motions, memory in the state, errors with their place.
#include "world.h"

#include <math.h>
#include <string.h>

// A disc on a hinge with a torque that is sampled every 20 ms from its angle and rate.
#define DISC                                                                                       \
    "cairn: 1\ndimension: 2\ngravity: [0, 0]\ntime: {step: 1.0e-3}\nintegrator: {scheme: %s}\n"    \
    "materials: {m: {density: 1}}\nbodies:\n"                                                      \
    "  - {name: ground, fixed: true, material: m}\n"                                               \
    "  - {name: disc, material: m, mass: 1, inertia: 0.5, angular_velocity: 1}\n"                  \
    "joints: [{name: axle, kind: hinge, bodies: [ground, disc], point: [0, 0], motor: {torque: "   \
    "\"u\"}}]\n"                                                                                   \
    "control:\n  - period: 0.02\n    sensors: {a: \"axle_q - 1\", w: \"axle_v\"}\n"                \
    "    memory: {sum: 0}\n    outputs: {u: \"-4*a - 2*w - sum\"}\n"                               \
    "    next: {sum: \"sum + 0.02*a\"}\n"

// With the torque held the disc's motion is a parabola: the samples are an exact recursion.
CN_TEST(held_torque_gives_the_exact_recursion) {
    static const char *const schemes[] = {"moreau-jean", "event-driven", "generalized-alpha"};
    for (int k = 0; k < 3; k++) {
        world w = world_open(DISC, schemes[k]);
        double a = 0.0, rate = 1.0, sum = 0.0, T = 0.02, worst = 0.0;
        int samples = k == 0 ? 200 : 80; // the others are slow, and follow the same recursion
        for (int i = 0; i < samples; i++) {
            double u = -4.0 * (a - 1.0) - 2.0 * rate - sum;
            sum += T * (a - 1.0);
            a += T * rate + 0.5 * T * T * u / 0.5;
            rate += T * u / 0.5;
            world_steps(&w, 20);
            worst = fmax(worst, fabs(world_position(&w, 2)[2] - a));
            worst = fmax(worst, fabs(world_velocity(&w, 2)[2] - rate));
        }
        print_message("%s: off by %.2g\n", schemes[k], worst);
        // The alpha scheme spreads a jump of the torque over its steps.
        CN_CHECK_BELOW(worst, k == 2 ? 5e-3 : 1e-9);
        if (k == 0) {
            CN_CHECK_NEAR(world_position(&w, 2)[2], 1.0, 0.05);
        }
        world_close(&w);
    }
}

CN_TEST(saved_controllers_go_on_bit_for_bit) {
    static const char *const schemes[] = {"moreau-jean", "event-driven"};
    for (int k = 0; k < 2; k++) {
        world one = world_open(DISC, schemes[k]);
        void *bytes;
        size_t size;
        world_steps(&one, 333); // inside a period
        CN_CHECK_TRUE(cn_sim_save(one.sim, &bytes, &size) == CN_OK);
        world_steps(&one, 500);
        uint64_t hash = cn_sim_hash(one.sim);
        CN_CHECK_TRUE(cn_sim_load(one.sim, bytes, size, NULL) == CN_OK);
        world_steps(&one, 500);
        CN_CHECK_TRUE(cn_sim_hash(one.sim) == hash);
        cn_sim_free(one.sim, bytes, size);
        world_close(&one);
    }
}

// A second run of the model starts as the first did.
CN_TEST(every_run_starts_with_the_memory_of_the_scene) {
    world one = world_open(DISC, "moreau-jean");
    world_steps(&one, 100);
    uint64_t hash = cn_sim_hash(one.sim);
    cn_sim *sim = NULL;
    cn_step_report report;
    CN_CHECK_TRUE(cn_sim_create(one.model, NULL, &sim, NULL) == CN_OK);
    for (int i = 0; i < 100; i++) {
        CN_CHECK_TRUE(cn_sim_step(sim, &report, NULL) == CN_OK);
    }
    CN_CHECK_TRUE(cn_sim_hash(sim) == hash);
    cn_sim_destroy(sim);
    world_close(&one);
}

// Sensors of a body in space, an output as a force: a spring and damper hold it against its weight.
CN_TEST(force_from_the_place_of_a_body_holds_it) {
    world w = world_open("cairn: 1\ngravity: [0, 0, -9.81]\ntime: {step: 1.0e-3}\n"
                         "materials: {m: {density: 1}}\nbodies:\n"
                         "  - {name: my-ball, material: m, mass: 2, position: [0, 0, 1], "
                         "shape: {sphere: {radius: 0.1}}}\n"
                         "forces: [{body: my-ball, force: [0, 0, \"f\"]}]\n"
                         "control:\n  - sensors: {z: \"my_ball_z\", v: \"my_ball_vz\"}\n"
                         "    outputs: {f: \"400*(1 - z) - 60*v\"}\n");
    world_run(&w, 3.0);
    CN_CHECK_NEAR(world_position(&w, 1)[2], 1.0 - 2.0 * 9.81 / 400.0, 1e-9);
    CN_CHECK_NEAR(world_velocity(&w, 1)[2], 0.0, 1e-9);
    world_close(&w);
}

CN_TEST(cart_of_the_gallery_balances_its_pole) {
    world w = world_gallery("inverted-pendulum", NULL, 0);
    double lean = 0.0;
    while (cn_sim_time(w.sim) < 7.99) {
        world_step(&w);
        lean = fmax(lean, fabs(world_position(&w, 3)[2]));
        CN_CHECK_TRUE(w.last.joint_error_max < 1e-9);
    }
    CN_CHECK_BELOW(lean, 0.5);
    CN_CHECK_NEAR(world_position(&w, 3)[2], 0.0, 0.01);
    CN_CHECK_NEAR(world_position(&w, 2)[0], 0.5, 0.05);
    world_close(&w);
}

// ---- plug-ins ----

CN_TEST(controller_of_a_plugin_drives_a_joint) {
    static const char text[] =
        "cairn: 1\ndimension: 2\ngravity: [0, 0]\ntime: {step: 1.0e-3}\nplugins: [\"" CAIRN_PLUGIN
        "\"]\nmaterials: {m: {density: 1}}\nbodies:\n"
        "  - {name: ground, fixed: true, material: m}\n"
        "  - {name: disc, material: m, mass: 1, inertia: 1}\n"
        "joints: [{name: axle, kind: hinge, bodies: [ground, disc], point: [0, 0], damping: 8, "
        "motor: {torque: \"u + 1\"}}]\n"
        "control:\n  - {plugin: pendulum, period: 0.01, sensors: {s: \"axle_q\"}, outputs: {u: "
        "0}}\n";
    cn_env env = cn_env_default();
    cn_model *model = NULL;
    cn_error error = {0};
    CN_CHECK_TRUE(cn_scene_read_text(&env, "s.yaml", text, strlen(text), NULL, 0, &model, &error) !=
                  CN_OK);
    CN_CHECK_TRUE(strstr(error.message, "not allowed") && error.line == 5);
    env.allow_plugins = true;
    if (cn_scene_read_text(&env, "s.yaml", text, strlen(text), NULL, 0, &model, &error) != CN_OK) {
        world_fail(&error);
    }
    world w = world_start(model);
    world_run(&w, 20.0);
    CN_CHECK_NEAR(world_position(&w, 2)[2], 0.0, 1e-3); // the integral takes the load off
    world_close(&w);
}

// ---- errors ----

static void refused(const char *text, int32_t line, const char *words) {
    cn_model *model = NULL;
    cn_error error = {0};
    cn_status status =
        cn_scene_read_text(NULL, "s.yaml", text, strlen(text), NULL, 0, &model, &error);
    if (status != CN_ERR_INPUT || error.line != line || error.column == 0 ||
        !strstr(error.message, words)) {
        print_error("status %d at %d:%d: %s\n", (int)status, (int)error.line, (int)error.column,
                    error.message);
        fail();
    }
}

#define BODIES                                                                                     \
    "cairn: 1\ndimension: 2\ntime: {step: 1.0e-3}\nmaterials: {m: {density: 1}}\n"                 \
    "bodies: [{name: a, material: m, mass: 1, inertia: 1}]\n"

CN_TEST(mistakes_are_pointed_at) {
    refused(BODIES "control:\n  - {sensors: {s: \"b_x\"}, outputs: {u: \"s\"}}\n", 7,
            "unknown name");
    refused(BODIES "forces: [{body: a, force: [\"w\", 0]}]\n"
                   "control:\n  - {sensors: {s: \"a_x\"}, outputs: {u: \"s\"}}\n",
            6, "unknown name");
    refused(BODIES "control:\n  - {period: 1.5e-3, sensors: {s: \"a_x\"}, outputs: {u: \"s\"}}\n",
            7, "not a multiple of the step");
    refused(BODIES "control:\n  - {sensors: {s: \"a_x\"}, outputs: {t: \"s\"}}\n", 7,
            "used already");
}
