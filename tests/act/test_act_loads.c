// Loads from outside and inputs, against closed forms: their work in the ledger, what is held and
// what acts for a step, and what is refused. 2D and 3D.
#include "world.h"

#include <cairn/act.h>

#define STEP 1e-3

static void good(cn_status status, const cn_error *error) {
    if (status != CN_OK) {
        world_fail(error);
    }
}

static world free_body(int dim) {
    return world_open("cairn: 1\ndimension: %d\ntime: {step: %g}\ngravity: [%s]\n"
                      "materials: {stone: {density: 1000}}\nbodies:\n"
                      "  - {name: ground, material: stone, fixed: true}\n"
                      "  - {name: body, material: stone, mass: 2, inertia: %s}\n",
                      dim, STEP, dim == 3 ? "0, 0, 0" : "0, 0", dim == 3 ? "[4, 4, 4]" : "4");
}

// Two steps, one with the load: v = h f/m, w = h m/I, and the work is the energy.
CN_TEST(loads_are_held_until_they_are_given_again) {
    for (int dim = 2; dim <= 3; dim++) {
        world w = free_body(dim);
        int size = w.size;
        double load[12] = {0.0};
        cn_error error = {0};
        load[size] = 6.0;
        load[2 * size - 1] = 8.0; // about z
        good(cn_sim_set_loads(w.sim, load, &error), &error);
        world_steps(&w, 10);
        CN_CHECK_NEAR(world_velocity(&w, 2)[0], 10 * STEP * 3.0, 1e-15);
        CN_CHECK_NEAR(world_velocity(&w, 2)[size - 1], 10 * STEP * 2.0, 1e-15);
        good(cn_sim_set_loads(w.sim, NULL, &error), &error);
        world_steps(&w, 10);
        CN_CHECK_NEAR(world_velocity(&w, 2)[0], 10 * STEP * 3.0, 1e-15);
        CN_CHECK_NEAR(w.last.work_external, 0.0, 0.0);
        CN_CHECK_BELOW(w.worst_balance, 1e-16);
        world_close(&w);
    }
}

CN_TEST(force_at_a_point_acts_for_one_step) {
    for (int dim = 2; dim <= 3; dim++) {
        world w = free_body(dim);
        double force[3] = {0.0, 4.0, 0.0}, point[3] = {0.5, 0.0, 0.0}, torque[3] = {0.0, 0.0, 1.0};
        cn_error error = {0};
        good(cn_sim_apply(w.sim, 2, force, torque, point, &error), &error);
        good(cn_sim_apply(w.sim, 2, force, NULL, NULL, &error), &error); // adds
        world_step(&w);
        CN_CHECK_NEAR(world_velocity(&w, 2)[1], STEP * 4.0, 1e-15);
        CN_CHECK_NEAR(world_velocity(&w, 2)[w.size - 1], STEP * 3.0 / 4.0, 1e-15);
        double energy = w.energy;
        CN_CHECK_NEAR(w.last.work_external, energy, 1e-18);
        world_step(&w);
        CN_CHECK_NEAR(w.energy, energy, 1e-18);
        world_close(&w);
    }
}

CN_TEST(bad_loads_are_refused_and_nothing_changes) {
    world w = free_body(3);
    double load[12] = {0.0}, force[3] = {1.0, 0.0, 0.0}, wrong[3] = {0.0, NAN, 0.0};
    cn_error error = {0};
    load[6] = 2.0;
    good(cn_sim_set_loads(w.sim, load, &error), &error);
    load[7] = NAN;
    assert_int_equal(cn_sim_set_loads(w.sim, load, &error), CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(strstr(error.message, "body 2 (body)") != NULL);
    load[7] = 0.0;
    load[0] = 1.0;
    assert_int_equal(cn_sim_set_loads(w.sim, load, &error), CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(strstr(error.message, "fixed") != NULL);
    assert_int_equal(cn_sim_apply(w.sim, 1, force, NULL, NULL, &error), CN_ERR_ARGUMENT);
    assert_int_equal(cn_sim_apply(w.sim, 0, force, NULL, NULL, &error), CN_ERR_ARGUMENT);
    assert_int_equal(cn_sim_apply(w.sim, 3, force, NULL, NULL, &error), CN_ERR_ARGUMENT);
    assert_int_equal(cn_sim_apply(w.sim, 2, wrong, NULL, NULL, &error), CN_ERR_ARGUMENT);
    assert_int_equal(cn_sim_apply(w.sim, 2, force, NULL, wrong, &error), CN_ERR_ARGUMENT);
    world_step(&w); // with the first load alone
    CN_CHECK_NEAR(world_velocity(&w, 2)[0], STEP * 1.0, 1e-15);
    world_close(&w);
}

// Integrators of systems take loads as well; this one starts with half a step of no acceleration.
CN_TEST(loads_act_under_other_schemes) {
    world w = world_open("cairn: 1\ndimension: 2\ntime: {step: 0.01}\ngravity: [0, 0]\n"
                         "integrator: {scheme: generalized-alpha}\n"
                         "materials: {stone: {density: 1000}}\nbodies:\n"
                         "  - {name: body, material: stone, mass: 2, inertia: 4}\n");
    double load[3] = {6.0, 0.0, 2.0};
    cn_error error = {0};
    void *bytes;
    size_t size;
    good(cn_sim_set_loads(w.sim, load, &error), &error);
    assert_int_equal(cn_sim_save(w.sim, &bytes, &size), CN_OK);
    world_steps(&w, 100);
    CN_CHECK_NEAR(world_velocity(&w, 1)[0], 3.0, 2e-2);
    CN_CHECK_NEAR(world_position(&w, 1)[0], 1.5, 2e-2);
    uint64_t hash = cn_sim_hash(w.sim);
    good(cn_sim_set_loads(w.sim, NULL, &error), &error);
    good(cn_sim_load(w.sim, bytes, size, &error), &error);
    world_steps(&w, 100);
    CN_CHECK_TRUE(cn_sim_hash(w.sim) == hash);
    cn_sim_free(w.sim, bytes, size);
    world_close(&w);
}

// ---- inputs ----

static world with_inputs(int dim) {
    const char *zero = dim == 3 ? "0, 0, 0" : "0, 0";
    return world_open("cairn: 1\ndimension: %d\ntime: {step: %g}\ngravity: [%s]\n"
                      "materials: {stone: {density: 1000}}\nbodies:\n"
                      "  - {name: ground, material: stone, fixed: true}\n"
                      "  - {name: body, material: stone, mass: 2, inertia: %s}\n"
                      "  - {name: wheel, material: stone, mass: 2, inertia: %s, position: [%s]}\n"
                      "  - {name: sledge, material: stone, mass: 1, inertia: %s, position: [%s]}\n"
                      "forces: [{body: body, force: [\"2*input(push) + 0*t\", %s]}]\n"
                      "motions: [{body: sledge, velocity: [\"input( speed )\", %s]}]\n"
                      "joints: [{name: axle, kind: hinge, bodies: [ground, wheel], point: [%s]%s, "
                      "motor: {torque: \"input(axle)\"}}]\n",
                      dim, STEP, zero, dim == 3 ? "[4, 4, 4]" : "4", dim == 3 ? "[4, 4, 4]" : "4",
                      dim == 3 ? "5, 0, 0" : "5, 0", dim == 3 ? "[4, 4, 4]" : "4",
                      dim == 3 ? "-5, 0, 0" : "-5, 0", dim == 3 ? "0, 0" : "0",
                      dim == 3 ? "0, 0" : "0", dim == 3 ? "5, 0, 0" : "5, 0",
                      dim == 3 ? ", axis: [0, 0, 1]" : "");
}

CN_TEST(inputs_drive_forces_motions_and_motors) {
    for (int dim = 2; dim <= 3; dim++) {
        world w = with_inputs(dim);
        cn_error error = {0};
        assert_int_equal(cn_model_input_count(w.model), 3);
        int32_t push = cn_model_input_find(w.model, "push"),
                speed = cn_model_input_find(w.model, "speed"),
                axle = cn_model_input_find(w.model, "axle");
        assert_string_equal(cn_model_input_name(w.model, push), "push");
        CN_CHECK_TRUE(speed >= 0 && axle >= 0);
        world_steps(&w, 3);
        CN_CHECK_NEAR(w.energy, 0.0, 0.0);
        good(cn_sim_set_input(w.sim, push, 3.0, &error), &error);
        good(cn_sim_set_input(w.sim, speed, 0.25, &error), &error);
        good(cn_sim_set_input(w.sim, axle, 8.0, &error), &error);
        world_steps(&w, 10);
        CN_CHECK_NEAR(world_velocity(&w, 2)[0], 10 * STEP * 3.0, 1e-14);
        CN_CHECK_NEAR(world_velocity(&w, 3)[w.size - 1], 10 * STEP * 2.0, 1e-10);
        CN_CHECK_NEAR(world_velocity(&w, 4)[0], 0.25, 0.0);
        CN_CHECK_NEAR(world_position(&w, 4)[0], -5.0 + 10 * STEP * 0.25, 1e-13);
        CN_CHECK_NEAR(cn_sim_inputs(w.sim)[push], 3.0, 0.0);
        cn_joint_state joint;
        assert_int_equal(cn_sim_joint(w.sim, 1, &joint), CN_OK);
        CN_CHECK_NEAR(joint.effort, 8.0, 0.0);
        CN_CHECK_NEAR(joint.torque[2], 8.0, 1e-9);
        CN_CHECK_NEAR(joint.rate, 10 * STEP * 2.0, 1e-10);
        CN_CHECK_BELOW(w.worst_balance, 1e-12);
        world_close(&w);
    }
}

CN_TEST(inputs_are_part_of_a_saved_state) {
    world w = with_inputs(3), other = with_inputs(3);
    const double values[3] = {1.0, 0.5, 2.0}, none[3] = {0.0, 0.0, 0.0};
    cn_error error = {0};
    void *bytes;
    size_t size;
    world_steps(&w, 3);
    good(cn_sim_set_inputs(w.sim, values, &error), &error);
    world_steps(&w, 3);
    assert_int_equal(cn_sim_save(w.sim, &bytes, &size), CN_OK);
    world_steps(&w, 20);
    uint64_t hash = cn_sim_hash(w.sim);
    good(cn_sim_set_inputs(w.sim, none, &error), &error);
    good(cn_sim_load(w.sim, bytes, size, &error), &error);
    world_steps(&w, 20);
    CN_CHECK_TRUE(cn_sim_hash(w.sim) == hash);
    good(cn_sim_load(other.sim, bytes, size, &error), &error);
    world_steps(&other, 20);
    CN_CHECK_TRUE(cn_sim_hash(other.sim) == hash);
    cn_sim_free(w.sim, bytes, size);
    world_close(&other);
    world_close(&w);
}

CN_TEST(bad_inputs_are_refused_and_nothing_changes) {
    world w = with_inputs(2);
    double values[3] = {1.0, 2.0, 3.0};
    cn_error error = {0};
    good(cn_sim_set_inputs(w.sim, values, &error), &error);
    values[0] = 7.0;
    values[2] = NAN;
    assert_int_equal(cn_sim_set_inputs(w.sim, values, &error), CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(strstr(error.message, "input '") != NULL);
    assert_int_equal(cn_sim_set_input(w.sim, 3, 1.0, &error), CN_ERR_ARGUMENT);
    assert_int_equal(cn_sim_set_input(w.sim, -1, 1.0, &error), CN_ERR_ARGUMENT);
    assert_int_equal(cn_sim_set_input(w.sim, 1, HUGE_VAL, &error), CN_ERR_ARGUMENT);
    assert_int_equal(cn_model_input_find(w.model, "elbow"), -1);
    CN_CHECK_TRUE(cn_model_input_name(w.model, 3) == NULL);
    for (int i = 0; i < 3; i++) {
        CN_CHECK_NEAR(cn_sim_inputs(w.sim)[i], i + 1.0, 0.0);
    }
    world_close(&w);
}

// From C: an input by its name alone, with a start, and names that cannot be one.
CN_TEST(input_may_be_given_by_its_name_and_start) {
    cn_model *model = cn_model_create(NULL, 2);
    cn_error error = {0};
    int32_t material;
    cn_body_id id;
    cn_material_def stone = {.name = "stone", .density = 1.0};
    cn_body_def body = cn_body_def_default();
    cn_force_def force = {.force = {{.input = "push"}}, .point = {NAN}};
    cn_sim *sim;
    cn_step_report report;
    cn_body_state seen;
    good(cn_model_add_material(model, &stone, &material, &error), &error);
    body.mass = body.inertia[8] = 1.0;
    body.inertia[0] = 0.0;
    good(cn_model_add_body(model, &body, &id, &error), &error);
    good(cn_model_add_input(model, "push", 5.0, &error), &error);
    assert_int_equal(cn_model_add_input(model, "push", 1.0, &error), CN_ERR_INPUT);
    assert_int_equal(cn_model_add_input(model, "2x", 1.0, &error), CN_ERR_INPUT);
    assert_int_equal(cn_model_add_input(model, "x", NAN, &error), CN_ERR_INPUT);
    force.body = id;
    good(cn_model_add_force(model, &force, &error), &error);
    force.force[0].input = "not a name";
    assert_int_equal(cn_model_add_force(model, &force, &error), CN_ERR_INPUT);
    memset(cn_model_settings(model)->gravity, 0, 3 * sizeof(double));
    good(cn_model_finish(model, &error), &error);
    good(cn_sim_create(model, NULL, &sim, &error), &error);
    good(cn_sim_step(sim, &report, &error), &error);
    cn_sim_body(sim, id, &seen);
    CN_CHECK_NEAR(seen.velocity[0], 5.0 * cn_sim_time(sim), 1e-15);
    cn_sim_destroy(sim);
    cn_model_destroy(model);
}
