// The works and losses of the ledger, each in closed form: what a force, a driven body through a
// joint, an impact and friction give and take.
#include "check.h"

#include "math/vec3.h"

#include <cairn/cairn.h>
#include <string.h>

typedef struct world {
    cn_model *model;
    cn_sim *sim;
    double external, joints, friction, impact, balance; // sums over the steps [J]
    double kinetic;                                     // now
} world;

static world open_world(const char *scene) {
    world w = {.model = NULL};
    cn_error error;
    char line[600];
    if (cn_scene_read_text(NULL, "test", scene, strlen(scene), NULL, 0, &w.model, &error) !=
            CN_OK ||
        cn_sim_create(w.model, NULL, &w.sim, &error) != CN_OK) {
        print_error("%s\n", cn_error_format(&error, line, sizeof line));
        fail();
    }
    return w;
}

static void run(world *w, int steps) {
    for (int i = 0; i < steps; i++) {
        cn_step_report report;
        assert_int_equal(cn_sim_step(w->sim, &report, NULL), CN_OK);
        w->external += report.work_external;
        w->joints += report.work_joints;
        w->friction += report.dissipated_friction;
        w->impact += report.dissipated_impact;
        w->balance += report.balance_error;
        w->kinetic = report.kinetic;
    }
}

static void close_world(world *w) {
    cn_sim_destroy(w->sim);
    cn_model_destroy(w->model);
}

#define HEAD                                                                                       \
    "cairn: 1\n"                                                                                   \
    "time: {step: 0.001, until: 1}\n"                                                              \
    "solver: {tolerance: 1e-12}\n"                                                                 \
    "materials: {m: {density: 1000}}\n"

// F t = m v, F t^2 / 2m = x: the work is F x = m v^2 / 2.
CN_TEST(a_force_gives_its_work) {
    world w =
        open_world(HEAD "gravity: [0, 0, 0]\n"
                        "contacts: [{between: [m, m], friction: 0}]\n"
                        "bodies:\n"
                        "  - {name: a, mass: 2, material: m, shape: {sphere: {radius: 0.1}}}\n"
                        "forces:\n"
                        "  - {body: a, force: [3, 0, 0]}\n");
    run(&w, 500);
    CN_CHECK_NEAR(w.kinetic, 0.5 * 2.0 * 0.75 * 0.75, 1e-12);
    CN_CHECK_NEAR(w.external, w.kinetic, 1e-12);
    CN_CHECK_NEAR(w.balance, 0.0, 1e-12);
    close_world(&w);
}

// What is welded to a body that is driven gets its kinetic energy from outside.
CN_TEST(a_driven_body_gives_its_work_through_a_joint) {
    world w =
        open_world(HEAD "gravity: [0, 0, 0]\n"
                        "contacts: [{between: [m, m], friction: 0}]\n"
                        "bodies:\n"
                        "  - {name: hand, material: m, shape: {box: {size: [0.2, 0.2, 0.2]}}}\n"
                        "  - {name: load, mass: 3, material: m, position: [1, 0, 0],\n"
                        "     shape: {box: {size: [0.2, 0.2, 0.2]}}}\n"
                        "motions:\n"
                        "  - {body: hand, velocity: [\"2*t\", 0, 0]}\n"
                        "joints:\n"
                        "  - {kind: fixed, bodies: [hand, load], point: [0.5, 0, 0]}\n");
    run(&w, 500);
    CN_CHECK_NEAR(w.kinetic, 0.5 * 3.0 * 1.0, 1e-7);
    CN_CHECK_NEAR(w.external, w.kinetic, 1e-7);
    CN_CHECK_NEAR(w.joints, 0.0, 1e-7);
    CN_CHECK_NEAR(w.balance, 0.0, 1e-7);
    close_world(&w);
}

// A sphere comes down at 2 m/s and stays: its energy is an impact's.
CN_TEST(an_impact_takes_the_energy_of_the_approach) {
    world w =
        open_world(HEAD "gravity: [0, 0, 0]\n"
                        "contacts: [{between: [m, m], friction: 0.5, restitution: 0.5}]\n"
                        "bodies:\n"
                        "  - {fixed: true, material: m, shape: {plane: {normal: [0, 0, 1]}}}\n"
                        "  - {mass: 2, material: m, position: [0, 0, 0.11], velocity: [0, 0, -2],\n"
                        "     shape: {sphere: {radius: 0.1}}}\n");
    run(&w, 50);
    CN_CHECK_NEAR(w.kinetic, 0.5 * 2.0 * 1.0, 1e-9);
    CN_CHECK_NEAR(w.impact, 0.5 * 2.0 * (4.0 - 1.0), 1e-9);
    CN_CHECK_NEAR(w.friction, 0.0, 1e-12);
    CN_CHECK_NEAR(w.balance, 0.0, 1e-9);
    close_world(&w);
}

// A sphere thrown along a plane slides until it rolls with 5/7 of its speed: friction took 2/7 of
// its energy.
CN_TEST(friction_takes_two_sevenths_until_a_sphere_rolls) {
    world w =
        open_world(HEAD "gravity: [0, 0, -10]\n"
                        "contacts: [{between: [m, m], friction: 0.5}]\n"
                        "bodies:\n"
                        "  - {fixed: true, material: m, shape: {plane: {normal: [0, 0, 1]}}}\n"
                        "  - {material: m, position: [0, 0, 0.1], velocity: [0.7, 0, 0],\n"
                        "     shape: {sphere: {radius: 0.1}}}\n");
    double v[12];
    run(&w, 100);
    cn_sim_velocities(w.sim, v);
    CN_CHECK_NEAR(v[6], 0.5, 1e-9);
    double mass = 2.0 * w.kinetic / (0.5 * 0.5 * 1.4);
    CN_CHECK_NEAR(w.friction, 2.0 / 7.0 * 0.5 * mass * 0.49, 1e-8);
    CN_CHECK_NEAR(w.impact, 0.0, 1e-9);
    CN_CHECK_NEAR(w.balance, 0.0, 1e-9);
    close_world(&w);
}

// A sphere rolls on a fixed one and turns about their normal n as well: n turns with n' = V / d, V
// the tangential velocity, and the relative velocity changes by -h (S . n) n x n', S = R_c omega_c.
CN_TEST(the_frame_of_two_spheres_turns_as_they_roll) {
    world w =
        open_world(HEAD "gravity: [0, 0, -10]\n"
                        "contacts: [{between: [m, m], friction: 1}]\n"
                        "bodies:\n"
                        "  - {fixed: true, material: m, shape: {sphere: {radius: 0.5}}}\n"
                        "  - {material: m, position: [0, 0, 0.6], velocity: [0.3, 0.1, 0],\n"
                        "     angular_velocity: [-1, 3, 4], shape: {sphere: {radius: 0.1}}}\n");
    double v[12];
    cn_contact_record contact;
    run(&w, 4);
    cn_sim_velocities(w.sim, v);
    run(&w, 1);
    assert_int_equal(cn_sim_contact_count(w.sim), 1);
    cn_sim_contact(w.sim, 0, &contact);
    bool second = contact.candidate == 2;
    double sign = second ? 1.0 : -1.0, distance = 0.6 + contact.gap, turn[3], want[3];
    double spin = math_dot3(v + 9, contact.normal) * (0.1 + 0.5 * contact.gap);
    double tangent[3], n = math_dot3(v + 6, contact.normal);
    math_add_scaled3(v + 6, -n, contact.normal, tangent);
    math_cross3(contact.normal, tangent, turn);
    for (int k = 0; k < 3; k++) {
        want[k] = -0.001 * spin * sign * turn[k] / distance;
        CN_CHECK_NEAR(contact.frame_change[k], want[k], 1e-12);
    }
    CN_CHECK_TRUE(math_norm3(want) > 1e-5);
    close_world(&w);
}
