// Bodies and joints that are added and removed while a simulation runs: what is left goes on as it
// would, restored runs are bitwise the same, in the same simulation and in a new one; 2D and 3D.
#include "world.h"

#include <cairn/act.h>
#include <cairn/query.h>
#include <cairn/record.h>

static void good(cn_status status, const cn_error *error) {
    if (status != CN_OK) {
        world_fail(error);
    }
}

// A wall of boxes on the ground (a plane; in 2D a line), or of round bodies.
static world wall(int dim, bool round, const char *more) {
    return world_open(
        "cairn: 1\ndimension: %d\ntime: {step: 2e-3}\n%s"
        "materials: {stone: {density: 1000}}\n"
        "contacts: [{between: [\"*\", \"*\"], friction: 0.6}]\nbodies:\n"
        "  - {name: ground, material: stone, fixed: true, shape: {%s: {normal: [0, "
        "%s], offset: 0}}}\n"
        "generate:\n  - grid: {shape: {%s}, count: [3, 3%s], "
        "spacing: [0.21, 0.21%s], position: [0, 0.105%s], material: stone, name: b}\n",
        dim, more, dim == 3 ? "plane" : "line", dim == 3 ? "0, 1" : "1",
        !round     ? (dim == 3 ? "box: {size: [0.2, 0.2, 0.2]}" : "box: {size: [0.2, 0.2]}")
        : dim == 3 ? "sphere: {radius: 0.1}"
                   : "disk: {radius: 0.1}",
        dim == 3 ? ", 2" : "", dim == 3 ? ", 0.21" : "", dim == 3 ? ", 0.105" : "");
}

static cn_body_def ball(const world *w, const cn_shape_def *shape, double x, double z) {
    cn_body_def def = cn_body_def_default();
    def.name = "added";
    def.material = cn_model_find_material(w->model, "stone");
    def.shapes = shape;
    def.shape_count = 1;
    def.position[0] = x;
    def.position[cn_model_dim(w->model) - 1] = z;
    return def;
}

static cn_shape_def round_shape(int dim) {
    cn_shape_def shape = cn_shape_def_default(dim == 3 ? CN_SHAPE_SPHERE : CN_SHAPE_DISK);
    shape.radius = 0.1;
    return shape;
}

// work: all that changes the energy, by the ledger.
static void step(cn_sim *sim, int count, double *work, double *balance) {
    cn_error error = {0};
    for (int i = 0; i < count; i++) {
        cn_step_report report;
        good(cn_sim_step(sim, &report, &error), &error);
        *work += report.work_external + report.work_joints + report.work_correction -
                 report.dissipated_friction - report.dissipated_impact -
                 report.dissipated_numerical;
        *balance = fmax(*balance, fabs(report.balance_error));
    }
}

static double energy_of(const cn_sim *sim) {
    double kinetic, potential;
    cn_sim_energy(sim, &kinetic, &potential);
    return kinetic + potential;
}

// A free flight of one body is not changed by others that come and go.
CN_TEST(bodies_that_come_and_go_leave_the_others_alone) {
    for (int dim = 2; dim <= 3; dim++) {
        world w = world_open("cairn: 1\ndimension: %d\ntime: {step: 1e-3}\n"
                             "materials: {stone: {density: 1000}}\nbodies:\n"
                             "  - {name: a, material: stone, shape: {%s: {radius: 0.5}}}\n"
                             "  - {name: b, material: stone, shape: {%s: {radius: 0.5}}, "
                             "position: [9, 9%s]}\n",
                             dim, dim == 3 ? "sphere" : "disk", dim == 3 ? "sphere" : "disk",
                             dim == 3 ? ", 9" : "");
        cn_shape_def shape = round_shape(dim);
        cn_body_def def = ball(&w, &shape, 5.0, 5.0);
        cn_body_id id;
        cn_error error = {0};
        double work = 0.0, balance = 0.0, start = energy_of(w.sim);
        def.velocity[0] = 2.0;
        def.angular_velocity[2] = 3.0;
        step(w.sim, 50, &work, &balance);
        good(cn_sim_add_body(w.sim, &def, &id, &error), &error);
        assert_int_equal(id, 3);
        assert_int_equal(cn_model_body_count(cn_sim_model(w.sim)), 3);
        assert_int_equal(cn_model_body_count(w.model), 2);
        assert_int_equal(cn_model_find_body(cn_sim_model(w.sim), "added"), 3);
        step(w.sim, 50, &work, &balance);
        good(cn_sim_remove_body(w.sim, 1, &error), &error);
        step(w.sim, 100, &work, &balance);
        CN_CHECK_NEAR(energy_of(w.sim) - start, work, 1e-9 * fabs(start));
        cn_body_state seen;
        double t = 0.2, g = 9.81, from = 0.15; // the added one flies from t = 0.05
        CN_CHECK_TRUE(cn_sim_body(w.sim, 2, &seen) && !cn_sim_has_body(w.sim, 1));
        CN_CHECK_NEAR(seen.position[dim - 1], 9.0 - 0.5 * g * t * t, 1e-12);
        CN_CHECK_TRUE(cn_sim_body(w.sim, 3, &seen));
        CN_CHECK_NEAR(seen.position[0], 5.0 + 2.0 * from, 1e-12);
        CN_CHECK_NEAR(seen.position[dim - 1], 5.0 - 0.5 * g * from * from, 1e-12);
        CN_CHECK_NEAR(seen.angular_velocity[2], 3.0, 1e-12);
        CN_CHECK_TRUE(!cn_sim_body(w.sim, 1, &seen));
        world_close(&w);
    }
}

// A box is taken from under others, which fall; one is put on top.
CN_TEST(restored_runs_with_changes_go_on_bitwise) {
    static const char *const sleeping[2] = {"", "sleeping: {speed: 1e-2, after: 0.05}\n"};
    for (int i = 0; i < 8; i++) {
        int dim = 2 + i / 4;
        world w = wall(dim, i % 2 == 1, sleeping[i / 2 % 2]);
        world other = wall(dim, i % 2 == 1, sleeping[i / 2 % 2]);
        cn_shape_def shape = round_shape(dim), box = cn_shape_def_default(CN_SHAPE_BOX);
        box.size[0] = box.size[1] = box.size[2] = 0.15;
        cn_body_def def = ball(&w, &shape, 0.0, 0.9), second = ball(&w, &box, 0.02, 1.3);
        cn_body_id id;
        cn_error error = {0};
        void *before, *bytes;
        size_t before_size, size;
        double work = 0.0, balance = 0.0, start = energy_of(w.sim);
        step(w.sim, 100, &work, &balance);
        assert_int_equal(cn_sim_save(w.sim, &before, &before_size), CN_OK);
        good(cn_sim_remove_body(w.sim, 3, &error), &error);
        good(cn_sim_add_body(w.sim, &def, &id, &error), &error);
        step(w.sim, 60, &work, &balance);
        assert_int_equal(cn_sim_save(w.sim, &bytes, &size), CN_OK);
        second.name = NULL;
        good(cn_sim_add_body(w.sim, &second, &id, &error), &error);
        step(w.sim, 100, &work, &balance);
        uint64_t hash = cn_sim_hash(w.sim);
        CN_CHECK_NEAR(energy_of(w.sim) - start, work, 1e-6);
        CN_CHECK_BELOW(balance, 1e-6);
        // Back to the middle: the second body is not there, and may be added again.
        good(cn_sim_load(w.sim, bytes, size, &error), &error);
        CN_CHECK_TRUE(!cn_sim_has_body(w.sim, id) && !cn_sim_has_body(w.sim, 3));
        cn_body_id again;
        good(cn_sim_add_body(w.sim, &second, &again, &error), &error);
        assert_int_equal(again, id);
        step(w.sim, 100, &work, &balance);
        CN_CHECK_TRUE(cn_sim_hash(w.sim) == hash);
        // In a simulation that knows nothing of the changes.
        good(cn_sim_load(other.sim, bytes, size, &error), &error);
        CN_CHECK_TRUE(!cn_sim_has_body(other.sim, 3));
        good(cn_sim_add_body(other.sim, &second, &again, &error), &error);
        step(other.sim, 100, &work, &balance);
        CN_CHECK_TRUE(cn_sim_hash(other.sim) == hash);
        // Before any change: all bodies are there again, and the changes can be made again.
        good(cn_sim_load(w.sim, before, before_size, &error), &error);
        CN_CHECK_TRUE(cn_sim_has_body(w.sim, 3));
        CN_CHECK_TRUE(cn_sim_model(w.sim) == w.model);
        good(cn_sim_remove_body(w.sim, 3, &error), &error);
        good(cn_sim_add_body(w.sim, &def, &id, &error), &error);
        step(w.sim, 60, &work, &balance);
        good(cn_sim_add_body(w.sim, &second, &id, &error), &error);
        step(w.sim, 100, &work, &balance);
        CN_CHECK_TRUE(cn_sim_hash(w.sim) == hash);
        cn_sim_free(w.sim, bytes, size);
        cn_sim_free(w.sim, before, before_size);
        world_close(&w);
        world_close(&other);
    }
}

// What is at rest stays at rest: impulses of contacts that remain are those of before.
CN_TEST(impulses_of_the_others_are_first_guesses_still) {
    world w = wall(3, false, "");
    cn_shape_def shape = round_shape(3);
    cn_body_def def = ball(&w, &shape, 5.0, 0.1);
    cn_body_id id;
    cn_error error = {0};
    world_steps(&w, 300);
    int32_t usual = w.last.iterations;
    cn_step_report report;
    good(cn_sim_add_body(w.sim, &def, &id, &error), &error);
    good(cn_sim_step(w.sim, &report, &error), &error);
    CN_CHECK_BELOW(report.iterations, 3.0 * usual + 10.0);
    CN_CHECK_BELOW(report.kinetic, 1e-2);
    // Contacts of the step before a change are still shown after it.
    int32_t count = cn_sim_contact_count(w.sim);
    good(cn_sim_remove_body(w.sim, id, &error), &error);
    assert_int_equal(cn_sim_contact_count(w.sim), count);
    for (int32_t i = 0; i < count; i++) {
        cn_contact_record record;
        assert_int_equal(cn_sim_contact(w.sim, i, &record), CN_OK);
    }
    world_close(&w);
}

// A pendulum is hung up in the middle of its fall, swings, and is cut loose.
CN_TEST(joints_are_added_where_bodies_are_and_removed) {
    for (int dim = 2; dim <= 3; dim++) {
        world w = world_open("cairn: 1\ndimension: %d\ntime: {step: 1e-3}\ngravity: [%s]\n"
                             "inputs: {brake: 0}\nmaterials: {stone: {density: 1000}}\nbodies:\n"
                             "  - {name: ground, material: stone, fixed: true}\n"
                             "  - {name: bob, material: stone, mass: 2, inertia: %s, "
                             "position: [1, 0%s]}\n"
                             "  - {name: far, material: stone, mass: 1, inertia: %s, "
                             "position: [5, 0%s]}\n"
                             "joints: [{kind: distance, bodies: [ground, far], point: [5, 5%s], "
                             "second_point: [5, 0%s]}]\n",
                             dim, dim == 3 ? "0, -10, 0" : "0, -10", dim == 3 ? "[1, 1, 1]" : "1",
                             dim == 3 ? ", 0" : "", dim == 3 ? "[1, 1, 1]" : "1",
                             dim == 3 ? ", 0" : "", dim == 3 ? ", 0" : "", dim == 3 ? ", 0" : "");
        cn_error error = {0};
        int32_t joint;
        double work = 0.0, balance = 0.0;
        step(w.sim, 100, &work, &balance); // it falls by 5 cm
        cn_joint_def def = cn_joint_def_default(CN_JOINT_HINGE);
        def.body[0] = 1;
        def.body[1] = 2;
        def.point[0] = def.point[1] = def.point[2] = 0.0;
        if (dim == 3) {
            def.axis[0] = def.axis[1] = 0.0;
            def.axis[2] = 1.0;
        }
        def.motor = CN_MOTOR_FORCE;
        def.motor_target.expression = "-input(brake)";
        good(cn_sim_add_joint(w.sim, &def, &joint, &error), &error);
        assert_int_equal(joint, 2);
        cn_joint_state now;
        assert_int_equal(cn_sim_joint(w.sim, 2, &now), CN_OK);
        CN_CHECK_NEAR(now.value, 0.0, 1e-12);
        double length = hypot(1.0, 0.05);
        step(w.sim, 200, &work, &balance);
        cn_body_state bob;
        cn_sim_body(w.sim, 2, &bob);
        CN_CHECK_NEAR(hypot(bob.position[0], bob.position[1]), length, 1e-3);
        CN_CHECK_BELOW(balance, 1e-8);
        // The first joint is cut: its body falls, the other joint goes on with its own impulses.
        cn_joint_state before, after;
        cn_sim_joint(w.sim, 2, &before);
        good(cn_sim_remove_joint(w.sim, 1, &error), &error);
        CN_CHECK_TRUE(!cn_sim_has_joint(w.sim, 1) && cn_sim_has_joint(w.sim, 2));
        assert_int_equal(cn_sim_joint(w.sim, 1, &after), CN_ERR_ARGUMENT);
        void *bytes;
        size_t size;
        assert_int_equal(cn_sim_save(w.sim, &bytes, &size), CN_OK);
        step(w.sim, 100, &work, &balance);
        cn_sim_joint(w.sim, 2, &after);
        cn_body_state far;
        cn_sim_body(w.sim, 3, &far);
        CN_CHECK_NEAR(far.velocity[1], -1.0, 1e-6);
        uint64_t hash = cn_sim_hash(w.sim);
        good(cn_sim_load(w.sim, bytes, size, &error), &error);
        step(w.sim, 100, &work, &balance);
        CN_CHECK_TRUE(cn_sim_hash(w.sim) == hash);
        // The bob goes, and its joint with it.
        good(cn_sim_remove_body(w.sim, 2, &error), &error);
        CN_CHECK_TRUE(!cn_sim_has_joint(w.sim, 2));
        step(w.sim, 10, &work, &balance);
        cn_sim_free(w.sim, bytes, size);
        world_close(&w);
    }
}

CN_TEST(bad_changes_are_refused_and_nothing_changes) {
    world w = wall(3, false, "");
    cn_error error = {0};
    cn_body_id id = 0;
    int32_t joint = 0;
    cn_shape_def shape = round_shape(3), flat = cn_shape_def_default(CN_SHAPE_DISK);
    flat.radius = 1.0;
    cn_body_def def = ball(&w, &shape, 5.0, 5.0), wrong = ball(&w, &flat, 5.0, 5.0);
    double work = 0.0, balance = 0.0;
    step(w.sim, 20, &work, &balance);
    uint64_t hash = cn_sim_hash(w.sim);
    assert_int_equal(cn_sim_add_body(w.sim, &wrong, &id, &error), CN_ERR_ARGUMENT);
    wrong = def;
    wrong.position[1] = NAN;
    assert_int_equal(cn_sim_add_body(w.sim, &wrong, &id, &error), CN_ERR_ARGUMENT);
    wrong = def;
    wrong.material = 7;
    assert_int_equal(cn_sim_add_body(w.sim, &wrong, &id, &error), CN_ERR_ARGUMENT);
    wrong = def;
    wrong.shape_count = 0; // no mass
    assert_int_equal(cn_sim_add_body(w.sim, &wrong, &id, &error), CN_ERR_ARGUMENT);
    wrong = def;
    wrong.name = "ground";
    assert_int_equal(cn_sim_add_body(w.sim, &wrong, &id, &error), CN_ERR_ARGUMENT);
    assert_int_equal(cn_sim_remove_body(w.sim, 0, &error), CN_ERR_ARGUMENT);
    assert_int_equal(cn_sim_remove_body(w.sim, 99, &error), CN_ERR_ARGUMENT);
    assert_int_equal(cn_sim_remove_joint(w.sim, 1, &error), CN_ERR_ARGUMENT);
    cn_joint_def hinge = cn_joint_def_default(CN_JOINT_HINGE);
    hinge.body[0] = 2;
    hinge.body[1] = 3; // without a point
    assert_int_equal(cn_sim_add_joint(w.sim, &hinge, &joint, &error), CN_ERR_ARGUMENT);
    hinge.point[0] = hinge.point[1] = hinge.point[2] = hinge.axis[0] = hinge.axis[1] = 0.0;
    hinge.axis[2] = 1.0;
    hinge.motor = CN_MOTOR_FORCE;
    hinge.motor_target.expression = "input(unknown)";
    assert_int_equal(cn_sim_add_joint(w.sim, &hinge, &joint, &error), CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(strstr(error.message, "unknown") != NULL);
    hinge.motor = CN_MOTOR_NONE;
    hinge.body[1] = 77;
    assert_int_equal(cn_sim_add_joint(w.sim, &hinge, &joint, &error), CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(cn_sim_hash(w.sim) == hash);
    // A body that was removed is nothing any more.
    good(cn_sim_remove_body(w.sim, 4, &error), &error);
    double force[3] = {1.0, 0.0, 0.0};
    assert_int_equal(cn_sim_remove_body(w.sim, 4, &error), CN_ERR_ARGUMENT);
    assert_int_equal(cn_sim_apply(w.sim, 4, force, NULL, NULL, &error), CN_ERR_ARGUMENT);
    assert_int_equal(cn_sim_apply_impulse(w.sim, 4, force, NULL, NULL, &error), CN_ERR_ARGUMENT);
    hinge.body[1] = 4;
    assert_int_equal(cn_sim_add_joint(w.sim, &hinge, &joint, &error), CN_ERR_ARGUMENT);
    // A run file has a fixed set of bodies.
    cn_recorder *recorder;
    assert_int_equal(
        cn_recorder_create(NULL, "/tmp/cairn-act-edit.run", true, w.sim, &recorder, &error),
        CN_ERR_UNSUPPORTED);
    step(w.sim, 20, &work, &balance);
    CN_CHECK_BELOW(balance, 1e-6);
    world_close(&w);
    // Integrators of systems have a fixed set of coordinates.
    const cn_override alpha[] = {{"integrator.scheme", "generalized-alpha"}};
    world fixed = world_gallery("block-on-slope", alpha, 1);
    assert_int_equal(cn_sim_remove_body(fixed.sim, 1, &error), CN_ERR_UNSUPPORTED);
    world_close(&fixed);
}

// A run starts with nothing but the ground; the distances of the detection come with the first body.
CN_TEST(empty_scene_is_filled_while_it_runs) {
    world w = world_open("cairn: 1\ntime: {step: 2e-3}\nmaterials: {stone: {density: 1000}}\n"
                         "contacts: [{between: [\"*\", \"*\"], friction: 0.6}]\nbodies:\n"
                         "  - {name: ground, material: stone, fixed: true, shape: {plane: {normal: "
                         "[0, 0, 1], offset: 0}}}\n");
    cn_shape_def box = cn_shape_def_default(CN_SHAPE_BOX);
    box.size[0] = box.size[1] = box.size[2] = 0.2;
    cn_error error = {0};
    double work = 0.0, balance = 0.0;
    for (int i = 0; i < 5; i++) {
        cn_body_def def = ball(&w, &box, 0.0, 0.11 + 0.2 * i);
        cn_body_id id;
        char name[8];
        snprintf(name, sizeof name, "b%d", i);
        def.name = name;
        step(w.sim, 40, &work, &balance);
        good(cn_sim_add_body(w.sim, &def, &id, &error), &error);
        assert_int_equal(id, i + 2);
    }
    step(w.sim, 200, &work, &balance);
    for (int i = 0; i < 5; i++) {
        cn_body_state seen;
        CN_CHECK_TRUE(cn_sim_body(w.sim, i + 2, &seen));
        CN_CHECK_NEAR(seen.position[2], 0.1 + 0.2 * i, 2e-3);
    }
    world_close(&w);
}

// Rays go through what was removed and hit what was added, also after a restore.
CN_TEST(queries_know_what_was_added_and_removed) {
    world w = wall(3, true, "");
    cn_shape_def shape = round_shape(3);
    cn_body_def def = ball(&w, &shape, 0.0, 3.0);
    double from[3] = {0.0, 0.0, 9.0};
    const double down[3] = {0.0, 0.0, -1.0};
    cn_error error = {0};
    cn_query *query;
    cn_query_hit hit;
    cn_body_id id;
    void *bytes;
    size_t size;
    for (int k = 0; k < 2; k++) {
        from[k] = def.position[k] = world_position(&w, 2)[k];
    }
    good(cn_query_create(w.sim, &query, &error), &error);
    assert_int_equal(cn_sim_save(w.sim, &bytes, &size), CN_OK);
    cn_query_ray(query, from, down, 20.0, NULL, &hit);
    cn_body_id top = hit.body;
    CN_CHECK_TRUE(top > 1);
    good(cn_sim_add_body(w.sim, &def, &id, &error), &error);
    good(cn_query_update(query, w.sim, &error), &error);
    cn_query_ray(query, from, down, 20.0, NULL, &hit);
    assert_int_equal(hit.body, id);
    CN_CHECK_NEAR(hit.point[2], 3.1, 1e-12);
    good(cn_sim_remove_body(w.sim, id, &error), &error);
    good(cn_sim_remove_body(w.sim, top, &error), &error);
    good(cn_query_update(query, w.sim, &error), &error);
    cn_query_ray(query, from, down, 20.0, NULL, &hit);
    CN_CHECK_TRUE(hit.body != id && hit.body != top);
    good(cn_sim_load(w.sim, bytes, size, &error), &error);
    good(cn_query_update(query, w.sim, &error), &error);
    cn_query_ray(query, from, down, 20.0, NULL, &hit);
    assert_int_equal(hit.body, top);
    cn_sim_free(w.sim, bytes, size);
    cn_query_destroy(query);
    world_close(&w);
}

// Everything that may be done to a run, in the same order; the hash of its end.
static uint64_t acted_hash(const world *w, int32_t count, bool restore) {
    cn_env env = cn_env_default();
    cn_threads *threads = cn_threads_create(count);
    cn_sim *sim;
    cn_shape_def shape = round_shape(3);
    cn_body_def def = ball(w, &shape, 0.0, 1.6);
    cn_body_id id;
    cn_error error = {0};
    double work = 0.0, balance = 0.0, push[3] = {30.0, 0.0, 5.0};
    CN_CHECK_TRUE(threads != NULL);
    env.threads = threads;
    good(cn_sim_create(w->model, &env, &sim, &error), &error);
    step(sim, 20, &work, &balance);
    good(cn_sim_apply_impulse(sim, 30, push, NULL, NULL, &error), &error);
    good(cn_sim_remove_body(sim, 40, &error), &error);
    good(cn_sim_add_body(sim, &def, &id, &error), &error);
    good(cn_sim_set_input(sim, 0, 50.0, &error), &error);
    good(cn_sim_apply(sim, 7, push, NULL, NULL, &error), &error);
    if (restore) {
        void *bytes;
        size_t size;
        assert_int_equal(cn_sim_save(sim, &bytes, &size), CN_OK);
        step(sim, 3, &work, &balance);
        good(cn_sim_load(sim, bytes, size, &error), &error);
        cn_sim_free(sim, bytes, size);
    }
    step(sim, 20, &work, &balance);
    uint64_t hash = cn_sim_hash(sim);
    cn_sim_destroy(sim);
    cn_threads_destroy(threads);
    return hash;
}

CN_TEST(runs_that_are_acted_on_are_bitwise_the_same_with_any_threads) {
    for (int round = 0; round < 2; round++) {
        world w = world_open(
            "cairn: 1\ntime: {step: 2e-3}\nmaterials: {stone: {density: 1000}}\n"
            "contacts: [{between: [\"*\", \"*\"], friction: 0.6}]\nbodies:\n"
            "  - {name: ground, material: stone, fixed: true, shape: {plane: {normal: [0, 0, 1], "
            "offset: 0}}}\n"
            "  - {name: first, material: stone, position: [0, 0, 3], shape: {sphere: {radius: "
            "0.1}}}\n"
            "forces: [{body: first, force: [\"input(wind)\", 0, 0]}]\n"
            "generate:\n  - grid: {shape: {%s}, count: [9, 9, 6], spacing: [0.21, 0.21, 0.21], "
            "position: [0, 0, 0.105], material: stone}\n",
            round ? "sphere: {radius: 0.1}" : "box: {size: [0.2, 0.2, 0.2]}");
        uint64_t one = acted_hash(&w, 1, false);
        CN_CHECK_TRUE(acted_hash(&w, 2, false) == one);
        CN_CHECK_TRUE(acted_hash(&w, 3, true) == one);
        world_close(&w);
    }
}
