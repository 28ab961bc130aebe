// Steps of rigid bodies cut to an error: impacts located, smooth motion to the tolerance, no search
// without end, the same bits after a checkpoint.
#include "world.h"

#include <math.h>
#include <string.h>

#define SPHERE                                                                                     \
    "cairn: 1\ndimension: 2\ngravity: [0, -9.81]\ntime: {step: 0.02}\n"                            \
    "integrator: {error: %g, step_least: %g}\nmaterials: {m: {density: 1}}\n"                      \
    "contacts: [{between: [m, m], restitution: 0.8}]\nbodies:\n"                                   \
    "  - {fixed: true, material: m, shape: {line: {normal: [0, 1]}}}\n"                            \
    "  - {material: m, position: [0, 1.1], shape: {disk: {radius: 0.1}}}\n"

// Where the ball is at 1.5 s, after impacts at 0.45152364 and 1.17396147 s.
static double sphere_off(double error, double min, int64_t *parts) {
    world w = world_open(SPHERE, error, min);
    double t = 1.5 - 1.17396147, speed = 0.64 * 4.42944692;
    *parts = 0;
    while (cn_sim_time(w.sim) < 1.5 - 0.01) {
        world_step(&w);
        *parts += w.last.substeps;
        CN_CHECK_BELOW(w.last.balance_error, 1e-12);
    }
    double off = fabs(world_position(&w, 2)[1] - 0.1 - (speed * t - 0.5 * 9.81 * t * t));
    world_close(&w);
    return off;
}

CN_TEST(impacts_are_located_to_the_error) {
    int64_t parts[3];
    double fixed = sphere_off(0.0, 0.0, &parts[0]), coarse = sphere_off(1e-3, 1e-8, &parts[1]);
    double fine = sphere_off(1e-6, 1e-8, &parts[2]);
    print_message("off by %.2g m with fixed steps, %.2g with %lld parts, %.2g with %lld\n", fixed,
                  coarse, (long long)parts[1], fine, (long long)parts[2]);
    CN_CHECK_BELOW(coarse, 5e-3);
    CN_CHECK_BELOW(fine, 5e-6);
    CN_CHECK_TRUE(parts[2] < 400);
    CN_CHECK_TRUE(fixed > 100.0 * fine);
}

// In free flight past the ground: the contact is that of the last half step's middle, and its
// problem's too, not of a look at the end.
CN_TEST(contacts_are_those_of_the_last_part) {
    world w = world_open(SPHERE, 1e-3, 1e-8);
    cn_contact_record contact;
    while (cn_sim_contact_count(w.sim) == 0 || w.last.substeps > 1) {
        world_step(&w);
        CN_CHECK_TRUE(cn_sim_time(w.sim) < 5.0);
    }
    double quarter = 0.25 * 0.02, height = world_position(&w, 2)[1];
    cn_sim_contact(w.sim, 0, &contact);
    CN_CHECK_NEAR(contact.gap, height - quarter * world_velocity(&w, 2)[1] - 0.1, 1e-12);
    world_close(&w);
}

// Infinitely many impacts before 4.0637 s: no step takes more parts than its shortest allows.
CN_TEST(accumulation_does_not_make_it_search_without_end) {
    world w = world_open(SPHERE, 1e-9, 0.02 / 256);
    while (cn_sim_time(w.sim) < 5.0) {
        world_step(&w);
        CN_CHECK_TRUE(w.last.substeps >= 1 && w.last.substeps <= 257);
    }
    CN_CHECK_NEAR(world_position(&w, 2)[1], 0.1, 1e-4);
    CN_CHECK_NEAR(world_velocity(&w, 2)[1], 0.0, 1e-2);
    CN_CHECK_TRUE(w.unsolved == 0);
    world_close(&w);
}

// ---- smooth motion ----

static world rods(double h, double error) {
    return world_open("cairn: 1\ndimension: 2\ngravity: [0, -9.81]\ntime: {step: %g}\n"
                      "integrator: {error: %g}\nmaterials: {m: {density: 1}}\nbodies:\n"
                      "  - {name: ground, fixed: true, material: m}\n"
                      "  - {name: upper, material: m, position: [0.5, 0], mass: 1, inertia: "
                      "0.083333333333333329}\n"
                      "  - {name: lower, material: m, position: [1.5, 0], mass: 1, inertia: "
                      "0.083333333333333329}\n"
                      "joints:\n  - {kind: hinge, bodies: [ground, upper], point: [0, 0]}\n"
                      "  - {kind: hinge, bodies: [upper, lower], point: [1, 0]}\n",
                      h, error);
}

// The double pendulum at t = 1 against the reference of the catalogue (A2).
CN_TEST(smooth_motion_follows_the_tolerance) {
    double off[3];
    static const double errors[3] = {0.0, 1e-6, 1e-8};
    for (int k = 0; k < 3; k++) {
        world w = rods(0.05, errors[k]);
        int64_t parts = 0;
        while (cn_sim_time(w.sim) < 1.0 - 0.025) {
            world_step(&w);
            parts += w.last.substeps;
        }
        off[k] = fabs(world_position(&w, 2)[2] + 0.5 * 3.14159265358979323846 + 1.20771624);
        print_message("error %g: %lld parts, angle off by %.2g\n", errors[k], (long long)parts,
                      off[k]);
        CN_CHECK_BELOW(w.last.joint_error_max, 1e-9);
        world_close(&w);
    }
    CN_CHECK_BELOW(off[1], 1e-3);
    CN_CHECK_BELOW(off[2], 1e-4);
    CN_CHECK_BELOW(off[1], 0.2 * off[0]);
    CN_CHECK_BELOW(off[2], 0.2 * off[1]);
}

// Free fall is exact: no step is cut.
CN_TEST(what_is_exact_is_not_cut) {
    world w = world_open("cairn: 1\ngravity: [0, 0, -9.81]\ntime: {step: 0.05}\n"
                         "integrator: {error: 1.0e-12}\nmaterials: {m: {density: 1}}\n"
                         "bodies: [{material: m, velocity: [1, 0, 3], shape: {sphere: {radius: "
                         "0.1}}}]\n");
    while (cn_sim_time(w.sim) < 1.0) {
        world_step(&w);
        CN_CHECK_TRUE(w.last.substeps == 1);
    }
    world_close(&w);
}

CN_TEST(saved_state_goes_on_bit_for_bit) {
    world one = world_open(SPHERE, 1e-6, 1e-6), other = world_open(SPHERE, 1e-6, 1e-6);
    void *bytes;
    size_t size;
    cn_error error = {0};
    world_steps(&one, 40);
    CN_CHECK_TRUE(cn_sim_save(one.sim, &bytes, &size) == CN_OK);
    CN_CHECK_TRUE(cn_sim_load(other.sim, bytes, size, &error) == CN_OK);
    cn_sim_free(one.sim, bytes, size);
    world_steps(&one, 60);
    world_steps(&other, 60);
    CN_CHECK_TRUE(cn_sim_hash(one.sim) == cn_sim_hash(other.sim));
    world_close(&one);
    world_close(&other);
}

CN_TEST(schemes_with_steps_of_their_own_refuse_an_error) {
    static const char text[] = "cairn: 1\ndimension: 2\ntime: {step: 0.01}\n"
                               "integrator: {scheme: generalized-alpha, error: 1.0e-6}\n"
                               "materials: {m: {density: 1}}\n"
                               "bodies: [{material: m, shape: {disk: {radius: 1}}}]\n";
    cn_model *model = NULL;
    cn_sim *sim = NULL;
    cn_error error = {0};
    CN_CHECK_TRUE(cn_scene_read_text(NULL, "s.yaml", text, strlen(text), NULL, 0, &model, &error) ==
                  CN_OK);
    CN_CHECK_TRUE(cn_sim_create(model, NULL, &sim, &error) == CN_ERR_INPUT);
    CN_CHECK_TRUE(strstr(error.message, "error adapts the steps of moreau-jean") != NULL);
    cn_model_destroy(model);
}

// A disk that only turns, by a torque that changes within the step: its rim has an error as well.
CN_TEST(turning_counts_for_the_error) {
    world w = world_open("cairn: 1\ndimension: 2\ngravity: [0, 0]\ntime: {step: 0.05}\n"
                         "integrator: {error: 1.0e-6}\nmaterials: {m: {density: 1}}\n"
                         "contacts: [{between: [m, m], friction: 0}]\nbodies:\n"
                         "  - {name: a, material: m, mass: 1, inertia: 0.1,\n"
                         "     shape: [{disk: {radius: 0.5}}]}\n"
                         "forces: [{body: a, torque: \"10*sin(30*t)\"}]\n");
    int64_t parts = 0;
    for (int i = 0; i < 10; i++) {
        world_step(&w);
        parts += w.last.substeps;
    }
    print_message("%lld parts in 10 steps\n", (long long)parts);
    CN_CHECK_TRUE(parts > 50);
    // angle'' = 100 sin(30 t): angle = (100 / 30) t - (100 / 900) sin(30 t)
    CN_CHECK_NEAR(world_position(&w, 1)[2], 100.0 / 30.0 * 0.5 - 100.0 / 900.0 * sin(15.0), 1e-3);
    world_close(&w);
}
