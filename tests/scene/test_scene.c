// Scene files to models: what good scenes become, every kind of error with its place, overrides,
// includes, the resolved text, the texts made from the tables, failing memory.
#include "check.h"
#include "signals.h"

#include <cairn/scene.h>

#include "base/arena.h"
#include "base/memory.h"
#include "model/model.h"
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// For a scene that is not about bodies.
#define ANY_BODY(MATERIAL)                                                                         \
    "materials: {" MATERIAL ": {density: 1}}\nbodies: [{fixed: true, material: " MATERIAL "}]\n"
#define HEAD "cairn: 1\nmaterials: {stone: {density: 2500}}\n"

static cn_status read_with(const char *text, const cn_override *overrides, int32_t count,
                           cn_model **model, cn_error *error) {
    return cn_scene_read_text(NULL, "s.yaml", text, strlen(text), overrides, count, model, error);
}

static cn_model *read_good_with(const char *text, const cn_override *overrides, int32_t count) {
    cn_model *model = NULL;
    cn_error error = {0};
    if (read_with(text, overrides, count, &model, &error) != CN_OK) {
        char shown[1200];
        print_error("%s\n", cn_error_format(&error, shown, sizeof shown));
        fail();
    }
    return model;
}

static cn_model *read_good(const char *text) {
    return read_good_with(text, NULL, 0);
}

static void check_error_with(const char *text, const cn_override *overrides, int32_t count,
                             cn_status status, const char *wanted) {
    cn_model *model = NULL;
    cn_error error = {0};
    char shown[1200];
    cn_status got = read_with(text, overrides, count, &model, &error);
    cn_error_format(&error, shown, sizeof shown);
    if (got != status || model || error.status != got) {
        print_error("status %d instead of %d: %s\n", (int)got, (int)status, shown);
        fail();
    }
    assert_string_equal(shown, wanted);
}

static void check_error(const char *text, const char *wanted) {
    check_error_with(text, NULL, 0, CN_ERR_INPUT, wanted);
}

// ---- good scenes ----

static const char block_on_slope[] =
    "cairn: 1\n"
    "name: block-on-slope\n"
    "dimension: 3\n"
    "gravity: [0, 0, -9.81]\n"
    "time: {step: 1.0e-3, until: 10, frames_every: 0.02}\n"
    "integrator: {scheme: moreau-jean, theta: 0.5}\n"
    "solver: {name: auto, tolerance: 1.0e-8, max_iterations: 10000}\n"
    "materials:\n"
    "  stone: {density: 2500}\n"
    "contacts:\n"
    "  - {between: [\"*\", \"*\"], friction: 0.3, restitution: 0}\n"
    "  - {between: [stone, stone], friction: 0.6, law: quasi-inelastic}\n"
    "bodies:\n"
    "  - {name: ground, fixed: true, material: stone, shape: {plane: {normal: [0, 0, 1], offset: "
    "0}}}\n"
    "  - name: block\n"
    "    material: stone\n"
    "    position: [0, 0, 0.5]\n"
    "    orientation: [1, 0, 0, 0]\n"
    "    velocity: [0, 0, 0]\n"
    "    angular_velocity: [0, 0, 0]\n"
    "    lock: [rx, ry, rz]\n"
    "    shape: {box: {size: [1, 1, 1]}}\n"
    "forces:\n"
    "  - {body: block, force: [\"2*(t<1)\", 0, 0]}\n"
    "motions:\n"
    "  - {body: ground, velocity: [0, 0, \"0.5*cos(10*t)\"]}\n"
    "generate:\n"
    "  - {packing: {count: 320, radius: [0.9, 1.1], inside: [[-6, -6, 2], [6, 6, 42]], seed: 1, "
    "material: stone}}\n"
    "include: []\n";

CN_TEST(the_scene_of_the_contract_becomes_its_model) {
    cn_model *model = read_good(block_on_slope);
    assert_string_equal(cn_model_name(model), "block-on-slope");
    CN_CHECK_TRUE(model->dim == 3 && model->body_count == 322);
    CN_CHECK_TRUE(cn_model_find_body(model, "block") == 2);
    CN_CHECK_NEAR(model->settings.tolerance, 1e-8, 0.0);
    CN_CHECK_TRUE(model->settings.max_iterations == 10000);
    CN_CHECK_NEAR(model->body[1].mass, 2500.0, 1e-9);
    CN_CHECK_TRUE(model->body[1].lock == (CN_LOCK_RX | CN_LOCK_RY | CN_LOCK_RZ));
    CN_CHECK_TRUE(model->body[0].role == MODEL_BODY_DRIVEN);
    const model_body_pair *pair = model_pair(model, 0, 0);
    CN_CHECK_NEAR(pair->friction, 0.6, 0.0);
    CN_CHECK_TRUE(pair->law == CN_LAW_QUASI_INELASTIC);
    CN_CHECK_NEAR(signal_at(model, model->force[0].force[0], 0.5), 2.0, 0.0);
    CN_CHECK_NEAR(signal_at(model, model->force[0].force[0], 1.5), 0.0, 0.0);
    CN_CHECK_NEAR(signal_at(model, model->motion[0].velocity[2], 0.0), 0.5, 0.0);
    CN_CHECK_TRUE(model->body[1].source.line == 15 && model->body[1].source.column == 5);
    assert_string_equal(model->body[1].source.file, "s.yaml");
    cn_model_destroy(model);
}

CN_TEST(a_minimal_scene_has_the_defaults) {
    cn_model *model = read_good("cairn: 1\ndimension: 2\n" ANY_BODY("stone"));
    cn_settings wanted = cn_settings_default(2);
    assert_string_equal(cn_model_name(model), "s");
    CN_CHECK_TRUE(model->dim == 2 && model->body_count == 1);
    CN_CHECK_NEAR(model->settings.gravity[1], wanted.gravity[1], 0.0);
    CN_CHECK_NEAR(model->settings.step, wanted.step, 0.0);
    CN_CHECK_NEAR(model->settings.theta, wanted.theta, 0.0);
    assert_string_equal(model->settings.solver, wanted.solver);
    CN_CHECK_NEAR(model->settings.tolerance, 1e-3, 0.0);
    CN_CHECK_TRUE(model->settings.settle == 30);
    CN_CHECK_TRUE(strstr(cn_model_scene_text(model), "tolerance: 0.001") != NULL);
    cn_model_destroy(model);
}

// The integrators of systems end Newton's method by the tolerance, and joints alone are linear:
// both stay tight, and what a scene says counts before either.
#define CN_ONE_BODY "bodies: [{name: a, material: m, mass: 1, inertia: 1}]\n"

CN_TEST(tolerance_of_systems_and_mechanisms_is_tight_unless_the_scene_says_otherwise) {
    static const struct {
        const char *text;
        double tolerance;
    } scene[] = {
        {"integrator: {scheme: event-driven}\n" CN_ONE_BODY, 1e-8},
        {"bodies: [{name: a, material: m, mass: 1, inertia: 1}, {name: b, material: m, mass: 1, "
         "inertia: 1}]\n"
         "joints: [{kind: hinge, bodies: [a, b], point: [0, 0]}]\n",
         1e-8},
        {"bodies: [{name: a, material: m, mass: 1, inertia: 1}, {name: b, material: m, mass: 1, "
         "inertia: 1}]\n"
         "contacts: [{between: [\"*\", \"*\"], friction: 0.5}]\n"
         "joints: [{kind: hinge, bodies: [a, b], point: [0, 0]}]\n",
         1e-3},
        {"integrator: {scheme: event-driven}\nsolver: {tolerance: 0.01}\n" CN_ONE_BODY, 1e-2},
        {"solver: {tolerance: 1e-6}\n" CN_ONE_BODY, 1e-6},
    };
    for (size_t i = 0; i < sizeof scene / sizeof *scene; i++) {
        char text[400];
        snprintf(text, sizeof text, "cairn: 1\ndimension: 2\nmaterials: {m: {density: 1}}\n%s",
                 scene[i].text);
        cn_model *model = read_good(text);
        CN_CHECK_NEAR(model->settings.tolerance, scene[i].tolerance, 0.0);
        cn_model_destroy(model);
    }
}

CN_TEST(every_setting_arrives) {
    cn_model *model = read_good(
        "cairn: 1\ndimension: 2\ngravity: [1, -2]\n"
        "time: {step: 0.25, until: 8, frames_every: 0, checkpoint_every: 2}\n"
        "integrator: {theta: 1, activation: 0.25}\n"
        "solver: {name: nsgs, local: hybrid, tolerance: 1e-5, max_iterations: 77, time_limit: 3,\n"
        "         on_stall: halve, fallback: nsgs, halvings: 4, params: anderson=0}\n"
        "detection: {alert: 0.125, overlap: 0.0625, penetration_limit: 0.5}\n" ANY_BODY("stone"));
    const cn_settings *s = &model->settings;
    const double got[] = {s->gravity[0],
                          s->gravity[1],
                          s->step,
                          s->until,
                          s->frames_every,
                          s->theta,
                          s->activation,
                          s->tolerance,
                          s->max_iterations,
                          s->time_limit,
                          s->halvings,
                          s->alert,
                          s->checkpoint_every,
                          s->overlap_max,
                          s->penetration_limit};
    const double wanted[] = {1, -2, 0.25, 8, 0, 1, 0.25, 1e-5, 77, 3, 4, 0.125, 2, 0.0625, 0.5};
    for (size_t i = 0; i < sizeof got / sizeof *got; i++) {
        CN_CHECK_NEAR(got[i], wanted[i], 0.0);
    }
    assert_string_equal(s->solver, "nsgs");
    assert_string_equal(s->local, "hybrid");
    assert_string_equal(s->fallback, "nsgs");
    assert_string_equal(s->params, "anderson=0");
    CN_CHECK_TRUE(s->on_stall == CN_STALL_HALVE);
    cn_model_destroy(model);
}

CN_TEST(the_last_contact_entry_that_gives_a_key_wins) {
    cn_model *model = read_good(
        "cairn: 1\nmaterials: {a: {density: 1}, b: {density: 1}}\n"
        "contacts:\n"
        "  - {between: ['*', '*'], friction: 0.3, restitution: 0.5, restitution_tangent: 0.25}\n"
        "  - {between: [a, b], friction: {static: 0.75, dynamic: 0.5}, correction: 0.01}\n"
        "  - {between: [b, '*'], law: gap}\n"
        "bodies: [{fixed: true, material: a}]\n");
    const model_body_pair *ab = model_pair(model, 0, 1);
    CN_CHECK_NEAR(ab->friction, 0.75, 0.0);
    CN_CHECK_NEAR(ab->friction_dynamic, 0.5, 0.0);
    CN_CHECK_NEAR(ab->restitution, 0.5, 0.0);
    CN_CHECK_NEAR(ab->restitution_tangent, 0.25, 0.0);
    CN_CHECK_NEAR(ab->correction, 0.01, 0.0);
    CN_CHECK_TRUE(ab->law == CN_LAW_GAP);
    const model_body_pair *aa = model_pair(model, 0, 0);
    CN_CHECK_NEAR(aa->friction, 0.3, 0.0);
    CN_CHECK_NEAR(aa->friction_dynamic, 0.3, 0.0);
    CN_CHECK_TRUE(aa->law == CN_LAW_SIGNORINI);
    cn_model_destroy(model);
}

CN_TEST(bodies_have_their_place_velocity_and_mass) {
    cn_model *model = read_good(
        HEAD
        "bodies:\n"
        "  - {material: stone, position: [1, 2, 3], rotation: {axis: [0, 0, 2], angle: 0.5},\n"
        "     velocity: [4, 5, 6], angular_velocity: [7, 8, 9], mass: 2, inertia: [1, 2, 2.5],\n"
        "     shape: {box: {size: [2, 2, 2]}}}\n"
        "  - {material: stone, mass: 3, center_of_mass: [0, 0, 1],\n"
        "     inertia: [[2, 0.5, 0], [0.5, 2, 0], [0, 0, 2]], shape: {sphere: {radius: 1}},\n"
        "     lock: {axes: body, dofs: [tx, rz]}}\n");
    const double q[] = {1, 2, 3, cos(0.25), 0, 0, sin(0.25), 0, 0, 1, 1, 0, 0, 0};
    for (int i = 0; i < 14; i++) {
        CN_CHECK_NEAR(model->q0[i], q[i], 1e-15);
    }
    for (int i = 0; i < 6; i++) {
        CN_CHECK_NEAR(model->v0[i], 4 + i, 0.0);
    }
    CN_CHECK_NEAR(model->body[0].mass, 2.0, 0.0);
    CN_CHECK_NEAR(model->inertia[model->body[0].inertia].tensor[8], 2.5, 0.0);
    CN_CHECK_NEAR(model->inertia[model->body[1].inertia].tensor[1], 0.5, 0.0);
    CN_CHECK_TRUE(model->body[1].lock == (CN_LOCK_TX | CN_LOCK_RZ) &&
                  model->body[1].lock_body_axes);
    cn_model_destroy(model);
}

CN_TEST(numbers_of_a_2d_body) {
    cn_model *model = read_good(
        "cairn: 1\ndimension: 2\nmaterials: {m: {density: 10}}\n"
        "forces:\n  - {body: q-1, force: [1, t], torque: 2*t, point: [0, 1], axes: body}\n"
        "motions:\n  - {body: p, velocity: [1, 0], angular_velocity: sin(t)}\n"
        "bodies:\n"
        "  - {material: m, position: [1, 2], angle: 0.5, velocity: [3, 4], angular_velocity: 5,\n"
        "     mass: 2, inertia: 7, shape: {box: {size: [1, 2]}}}\n"
        "  - {material: m, name: p, shape: {disk: {radius: 1}}}\n"
        "generate: [{column: {count: 1, name: q, material: m, shape: {disk: {radius: 1}}}}]\n");
    const double wanted[] = {1, 2, 0.5, 3, 4, 5};
    for (int i = 0; i < 3; i++) {
        CN_CHECK_NEAR(model->q0[i], wanted[i], 0.0);
        CN_CHECK_NEAR(model->v0[i], wanted[3 + i], 0.0);
    }
    CN_CHECK_NEAR(model->body[0].mass, 2.0, 0.0);
    CN_CHECK_NEAR(model->inertia[model->body[0].inertia].tensor[8], 7.0, 0.0);
    CN_CHECK_TRUE(model->force[0].body == 2 && model->force[0].body_axes);
    CN_CHECK_NEAR(signal_at(model, model->force[0].force[1], 3.0), 3.0, 0.0);
    CN_CHECK_NEAR(signal_at(model, model->force[0].torque[2], 3.0), 6.0, 0.0);
    CN_CHECK_NEAR(model->force[0].point[1], 1.0, 0.0);
    CN_CHECK_TRUE(model->motion[0].body == 1 && model->body[1].role == MODEL_BODY_DRIVEN);
    cn_model_destroy(model);
}

CN_TEST(compounds_are_flattened_with_their_places) {
    cn_model *model = read_good(
        "cairn: 1\ndimension: 2\nmaterials: {m: {density: 1}}\n"
        "bodies:\n"
        "  - material: m\n"
        "    shape:\n"
        "      - {disk: {radius: 1}, position: [5, 0]}\n"
        "      - position: [0, 3]\n"
        "        angle: 1.5707963267948966\n"
        "        compound:\n"
        "          - {disk: {radius: 0.5}, position: [2, 0]}\n"
        "          - {compound: [{disk: {radius: 0.25}, position: [1, 0]}], position: [0, 1]}\n");
    CN_CHECK_TRUE(model->body[0].shape_count == 3);
    const double *com = model->body[0].com;
    const double wanted[3][2] = {{5, 0}, {0, 5}, {-1, 4}};
    for (int i = 0; i < 3; i++) {
        CN_CHECK_NEAR(model->shape[i].position[0] + com[0], wanted[i][0], 1e-14);
        CN_CHECK_NEAR(model->shape[i].position[1] + com[1], wanted[i][1], 1e-14);
    }
    cn_model_destroy(model);
}

CN_TEST(every_shape_of_the_format_can_be_read) {
    static const char *const shapes3[] = {
        "{sphere: {radius: 1}}",
        "{box: {size: [1, 2, 3]}}",
        "{capsule: {radius: 1, length: 2}}",
        "{cylinder: {radius: 1, length: 2}}",
        "{ellipsoid: {axes: [1, 2, 3]}}",
        "{polyhedron: {vertices: [[0,0,0],[1,0,0],[0,1,0],[0,0,1]]}}",
        ("{polyhedron: {vertices: [[0,0,0],[1,0,0],[0,1,0],[0,0,1]],"
         " faces: [[0,2,1],[0,1,3],[0,3,2],[1,2,3]]}}"),
        "{plane: {normal: [0, 1, 1], offset: -1}}",
        "{compound: [{sphere: {radius: 1}}]}"};
    static const char *const shapes2[] = {
        "{disk: {radius: 1}}",      "{ellipse: {axes: [1, 2]}}",
        "{box: {size: [1, 2]}}",    "{polygon: {vertices: [[0,0],[1,0],[0,1]]}}",
        "{line: {normal: [1, 1]}}", "{ring: {radius: 2}}"};
    char text[512];
    for (int dim = 2; dim <= 3; dim++) {
        const char *const *shapes = dim == 3 ? shapes3 : shapes2;
        size_t count =
            dim == 3 ? sizeof shapes3 / sizeof *shapes3 : sizeof shapes2 / sizeof *shapes2;
        for (size_t i = 0; i < count; i++) {
            snprintf(text, sizeof text,
                     "cairn: 1\ndimension: %d\nmaterials: {m: {density: 1}}\n"
                     "bodies: [{material: m, fixed: true, shape: %s}]\n",
                     dim, shapes[i]);
            cn_model *model = read_good(text);
            CN_CHECK_TRUE(model->body_count == 1 && model->shape_count == 1);
            cn_model_destroy(model);
        }
    }
}

CN_TEST(rows_of_the_simple_shapes_are_the_kinds_in_order) {
    for (int kind = 0; kind < CN_SHAPE_KINDS; kind++) {
        assert_string_equal(scene_shape_table.field[kind].key,
                            cn_shape_kind_text((cn_shape_kind)kind));
    }
}

// "30 deg" is the number in rad, wherever an angle is wanted.
CN_TEST(angles_may_be_texts_with_a_unit) {
    static const char form[] =
        "cairn: 1\nmaterials: {m: {density: 1}}\nbodies:\n"
        "  - {name: a, fixed: true, material: m, shape: {sphere: {radius: 0.1}}}\n"
        "  - {name: b, material: m, position: [1, 0, 0], shape: {sphere: {radius: 0.1}},\n"
        "     rotation: {axis: [0, 1, 0], angle: %s}, angular_velocity: [0, 0, %s]}\n"
        "generate: [{arch: {wedges: 5, radius: 9, thickness: 1, depth: 1, angle: %s, material: m,\n"
        "           position: [0, 0, 50]}}]\n"
        "joints: [{kind: hinge, bodies: [a, b], point: [0, 0, 0], axis: [0, 1, 0], limits: [%s, "
        "1],\n"
        "          motor: {position: %s}}]\n";
    char words[1200], numbers[1200];
    snprintf(words, sizeof words, form, "30 deg", "90deg/s", "120 deg", "-45 deg", "\"60 deg\"");
    snprintf(numbers, sizeof numbers, form, "0.5235987755982988", "1.5707963267948966",
             "2.0943951023931953", "-0.7853981633974483", "1.0471975511965976");
    cn_model *model = read_good(words), *same = read_good(numbers);
    assert_int_equal(model->body_count, 7);
    for (int32_t i = 0; i < 7 * model->body_count; i++) {
        CN_CHECK_NEAR(model->q0[i], same->q0[i], 1e-15);
    }
    for (int32_t i = 0; i < 6 * model->body_count; i++) {
        CN_CHECK_NEAR(model->v0[i], same->v0[i], 1e-15);
    }
    CN_CHECK_NEAR(model->joint[0].limits[0], same->joint[0].limits[0], 1e-15);
    cn_model_destroy(model);
    cn_model_destroy(same);
    check_error(
        "cairn: 1\nmaterials: {m: {density: 1}}\nbodies:\n"
        "  - {material: m, shape: {sphere: {radius: 1 deg}}}\n",
        "s.yaml:4:44: radius must be a number, not \"1 deg\"; write the number alone, in m");
    check_error("cairn: 1\ndimension: 2\nbodies:\n  - {material: m, angle: 30 grad}\n",
                "s.yaml:4:26: angle must be a number, not \"30 grad\"; write a number [rad], or a "
                "text as \"30 deg\"");
    check_error("cairn: 1\njoints: [{kind: slider, bodies: [a, b], limits: [0, 30 deg]}]\n",
                "s.yaml:2:53: limits of a slider are lengths, not angles; write a number, in m");
}

CN_TEST(joints_may_have_the_names_of_other_programs) {
    static const char form[] =
        "cairn: 1\nmaterials: {m: {density: 1}}\nbodies:\n"
        "  - {name: a, fixed: true, material: m, shape: {sphere: {radius: 0.1}}}\n"
        "  - {name: b, material: m, position: [1, 0, 0], shape: {sphere: {radius: 0.1}}}\n"
        "joints: [{kind: %s, bodies: [a, b], point: [0, 0, 0], axis: [0, 1, 0]}]\n";
    static const char *const cases[][2] = {{"revolute", "hinge"}, {"prismatic", "slider"}};
    for (int i = 0; i < 2; i++) {
        cn_model *model[2];
        for (int k = 0; k < 2; k++) {
            char text[600];
            snprintf(text, sizeof text, form, cases[i][k]);
            model[k] = read_good(text);
        }
        assert_int_equal(model[0]->joint[0].row_count, model[1]->joint[0].row_count);
        assert_memory_equal(model[0]->joint[0].row, model[1]->joint[0].row,
                            sizeof model[0]->joint[0].row);
        cn_model_destroy(model[0]);
        cn_model_destroy(model[1]);
    }
}

CN_TEST(a_decimal_comma_is_recognised) {
    check_error("cairn: 1\ngravity: [0, 0, -9,81]\n",
                "s.yaml:2:10: gravity must be a list of 3 numbers, not of 4; a comma separates "
                "entries; write a decimal point: -9.81");
    check_error("cairn: 1\nmaterials:\n  m:\n    density: 2,5\n",
                "s.yaml:4:14: density must be a number, not \"2,5\"; write a decimal point: 2.5");
    check_error("cairn: 1\nmaterials: {m: {density: 2,5}}\n",
                "s.yaml:2:26: in {...} a comma separates keys, so density is cut; write a decimal "
                "point: 2.5");
}

CN_TEST(sensors_that_are_not_there_list_bodies_and_joints) {
    check_error(
        "cairn: 1\nmaterials: {m: {density: 1}}\nbodies:\n"
        "  - {name: ball, material: m, shape: {sphere: {radius: 1}}}\n"
        "  - {name: cart, material: m, position: [4, 0, 0], shape: {sphere: {radius: 1}}}\n"
        "joints: [{kind: slider, name: rail, bodies: [ball, cart], point: [0, 0, 0],\n"
        "          axis: [1, 0, 0]}]\n"
        "control:\n  - {period: 0.1, outputs: {u: 2 * bal_x}}\n",
        "s.yaml:9:36: expression \"2 * bal_x\": \"bal_x\": unknown name; sensors are BODY_x .. "
        "_z, _vx .. _vz, _wx .. _wz and JOINT_q, _v of ball, cart, rail");
}

CN_TEST(json_is_accepted) {
    cn_model *model =
        read_good("{\"cairn\":1,\"dimension\":2,\"materials\":{\"m\":{\"density\":1}},"
                  "\"bodies\":[{\"material\":\"m\",\"name\":\"ball\","
                  "\"shape\":{\"disk\":{\"radius\":0.5}}}]}");
    CN_CHECK_TRUE(cn_model_find_body(model, "ball") == 1);
    cn_model_destroy(model);
}

CN_TEST(forces_may_be_tables_of_time) {
    cn_model *model =
        read_good(HEAD "bodies: [{name: b, material: stone, shape: {sphere: {radius: 1}}}]\n"
                       "forces: [{body: b, force: [{times: [0, 2], values: [1, 5]}, 0, 0]}]\n");
    CN_CHECK_NEAR(signal_at(model, model->force[0].force[0], 1.0), 3.0, 1e-15);
    cn_model_destroy(model);
}

// ---- errors ----

CN_TEST(wrong_files_are_told) {
    check_error("", "s.yaml:1:1: the file is empty; a scene starts with \"cairn: 1\"");
    check_error("- 1\n", "s.yaml:1:1: a scene file is a map of keys; a scene starts with "
                         "\"cairn: 1\"");
    check_error("name: x\n", "s.yaml:1:1: the version of the format is missing; write \"cairn: 1\" "
                             "at the top");
    check_error("name: x\ncairn: 2\n",
                "s.yaml:2:8: this reads version 1 of the format; write \"cairn: 1\"");
    check_error("cairn: 1\nbodies: [\n",
                "s.yaml:3:1: a value is missing here; write one, or take the comma away");
}

CN_TEST(unknown_keys_are_pointed_at_with_the_nearest) {
    check_error("cairn: 1\nsolvr: {}\n", "s.yaml:2:1: scene has no key \"solvr\"; did you mean "
                                         "\"solver\"?");
    check_error("cairn: 1\nsolver:\n  tolerence: 1\n",
                "s.yaml:3:3: solver has no key \"tolerence\"; did you mean \"tolerance\"?");
    check_error(HEAD "bodies:\n  - {material: stone, shape: {sphere: {radios: 1}}}\n",
                "s.yaml:4:40: sphere has no key \"radios\"; did you mean \"radius\"?");
    check_error(HEAD "bodies:\n  - {material: stone, shape: {spere: {radius: 1}}}\n",
                "s.yaml:4:31: shape has no key \"spere\"; did you mean \"sphere\"?");
    check_error("cairn: 1\ntime: {zzzzzzzzzzzz: 1}\n",
                "s.yaml:2:8: time has no key \"zzzzzzzzzzzz\"; its keys are step, until, "
                "frames_every, checkpoint_every");
}

CN_TEST(wrong_types_are_told) {
    check_error("cairn: 1\ntime: {step: abc}\n", "s.yaml:2:14: step must be a number, not \"abc\"");
    check_error("cairn: 1\ntime: {step: \"0.1\"}\n",
                "s.yaml:2:14: step must be a number, not \"0.1\"; what stands in quotes is text; "
                "take the quotes away");
    check_error("cairn: 1\ntime: {step: }\n",
                "s.yaml:2:14: step must be a number, not nothing; write a value after the colon, "
                "or take the key away");
    check_error("cairn: 1\ntime: [1]\n",
                "s.yaml:2:7: time must be a map of keys, not a list; write {step: ...}");
    check_error("cairn: 1\ngravity: 9.81\n",
                "s.yaml:2:10: gravity must be a list of 3 numbers; write [a, b, c]");
    check_error("cairn: 1\ngravity: [0, -9.81]\n",
                "s.yaml:2:10: gravity must be a list of 3 numbers, not of 2; write [a, b, c]");
    check_error("cairn: 1\ngravity: [0, 0, down]\n",
                "s.yaml:2:17: gravity must be a number, not \"down\"");
    check_error("cairn: 1\nbodies: {}\n", "s.yaml:2:9: bodies must be a list of maps, not a map; "
                                          "put \"- \" before each of its entries");
    check_error("cairn: 1\nbodies: [ball]\n",
                "s.yaml:2:10: body must be a map of keys, not \"ball\"; write {material: ...}");
    check_error("cairn: 1\nsolver: {max_iterations: 1.5}\n",
                "s.yaml:2:26: max_iterations must be a whole number, not 1.5");
    check_error("cairn: 1\nsolver: {max_iterations: 1e10}\n",
                "s.yaml:2:26: max_iterations is too large: 1e10");
    check_error(HEAD "bodies: [{material: stone, fixed: yes, shape: {sphere: {radius: 1}}}]\n",
                "s.yaml:3:35: fixed must be true or false, not \"yes\"");
    check_error("cairn: 1\nname: [a]\n", "s.yaml:2:7: name must be text, not a list");
}

CN_TEST(numbers_out_of_range_and_not_finite_are_told) {
    check_error("cairn: 1\ntime: {step: 0}\n", "s.yaml:2:14: step must be above 0, not 0");
    check_error("cairn: 1\ntime: {until: -1}\n", "s.yaml:2:15: until must be 0 or more, not -1");
    check_error("cairn: 1\nintegrator: {theta: 0.25}\n",
                "s.yaml:2:21: theta must be from 0.5 to 1, not 0.25");
    check_error("cairn: 1\ntime: {step: .nan}\n",
                "s.yaml:2:14: step must be a finite number, not .nan");
    check_error("cairn: 1\ngravity: [0, 0, -.inf]\n",
                "s.yaml:2:17: gravity must be a finite number, not -.inf");
    check_error("cairn: 1\ntime: {step: 1e999}\n",
                "s.yaml:2:14: step must be a finite number, not 1e999");
    check_error("cairn: 1\nmaterials: {m: {density: 0}}\n",
                "s.yaml:2:26: density must be above 0, not 0");
    check_error(HEAD "bodies: [{material: stone, shape: {sphere: {radius: -1}}}]\n",
                "s.yaml:3:53: radius must be above 0, not -1");
    check_error(HEAD "bodies: [{material: stone, mass: 0, shape: {sphere: {radius: 1}}}]\n",
                "s.yaml:3:34: mass must be above 0, not 0");
    check_error(HEAD "contacts: [{between: [stone, stone], friction: -0.5}]\n",
                "s.yaml:3:48: friction must be 0 or more, not -0.5");
    check_error(HEAD
                "contacts: [{between: [stone, stone], friction: {static: 0.1, dynamic: 0.2}}]\n",
                "s.yaml:3:71: dynamic friction must not be above static friction");
    check_error("cairn: 1\ndimension: 4\n", "s.yaml:2:12: dimension must be from 2 to 3, not 4");
    check_error("cairn: 1\ndimension: 2.5\n",
                "s.yaml:2:12: dimension must be a whole number, not 2.5");
}

CN_TEST(missing_and_contradicting_keys_are_told) {
    check_error(HEAD "bodies: [{material: stone}]\n",
                "s.yaml:3:10: body needs \"shape\"; one shape or a list of them");
    check_error(HEAD "bodies: [{shape: {sphere: {radius: 1}}}]\n",
                "s.yaml:3:10: body needs \"material\"; one of the scene's materials");
    check_error(HEAD "bodies: [{material: stone, shape: {position: [0, 0, 0]}}]\n",
                "s.yaml:3:35: shape does not say what it is; give it one key such as \"sphere\"");
    check_error(HEAD "bodies: [{material: stone, shape: {sphere: {radius: 1}, box: {size: [1, 1, "
                     "1]}}}]\n",
                "s.yaml:3:57: shape cannot be both \"sphere\" and \"box\"");
    check_error(HEAD "bodies: [{material: stone, shape: []}]\n",
                "s.yaml:3:35: shape has no shapes");
    check_error(HEAD "bodies: [{material: stone, shape: {compound: []}}]\n",
                "s.yaml:3:35: compound has no shapes");
    check_error(HEAD
                "bodies: [{material: stone, orientation: [1, 0, 0, 0], rotation: {axis: [0, 0, "
                "1], angle: 1}, shape: {sphere: {radius: 1}}}]\n",
                "s.yaml:3:55: give orientation or rotation, not both");
    check_error(HEAD "bodies: [{material: stone, rotation: {axis: [0, 0, 0], angle: 1}, shape: "
                     "{sphere: {radius: 1}}}]\n",
                "s.yaml:3:45: axis must have a length; it is a direction, as [0, 0, 1]; any length "
                "but 0 will do");
    check_error(HEAD "bodies: [{material: stone, orientation: [0, 0, 0, 0], shape: {sphere: "
                     "{radius: 1}}}]\n",
                "s.yaml:3:41: orientation must not be null; [1, 0, 0, 0] is no rotation");
    check_error("cairn: 1\nforces: [{body: x}]\n",
                "s.yaml:2:10: force needs \"force\" or \"torque\"");
}

CN_TEST(unknown_names_are_told) {
    check_error(HEAD "bodies: [{material: ston, shape: {sphere: {radius: 1}}}]\n",
                "s.yaml:3:21: there is no material \"ston\"; did you mean \"stone\"?");
    check_error("cairn: 1\nbodies: [{material: m, shape: {sphere: {radius: 1}}}]\n",
                "s.yaml:2:21: there is no material \"m\"; the scene has no materials");
    check_error(HEAD "contacts: [{between: [stone, wood]}]\n",
                "s.yaml:3:30: there is no material \"wood\"; the materials are stone");
    check_error(HEAD "generate: [{packing: {count: 1, radius: 1, inside: [[0,0,0],[9,9,9]], "
                     "material: sone}}]\n",
                "s.yaml:3:81: there is no material \"sone\"; did you mean \"stone\"?");
    check_error(HEAD "bodies: [{name: block, material: stone, shape: {sphere: {radius: 1}}}]\n"
                     "forces: [{body: blok, force: [0, 0, 1]}]\n",
                "s.yaml:4:17: there is no body \"blok\"; did you mean \"block\"?");
    check_error("cairn: 1\nsolver: {name: nsgz}\n",
                "s.yaml:2:16: name cannot be \"nsgz\"; did you mean \"nsgs\"?");
    check_error("cairn: 1\nsolver: {on_stall: panic}\n",
                "s.yaml:2:20: on_stall cannot be \"panic\"; it is one of retry, halve, continue, "
                "stop");
    check_error("cairn: 1\nmaterials: {\"*\": {density: 1}}\n",
                "s.yaml:2:13: \"*\" is any material, not the name of one");
}

CN_TEST(what_is_for_the_other_dimension_is_told) {
    check_error(HEAD "bodies: [{material: stone, angle: 1, shape: {sphere: {radius: 1}}}]\n",
                "s.yaml:3:28: \"angle\" is for 2D, and this scene has 3 dimensions; in 3D it is "
                "\"rotation\"");
    check_error(
        "cairn: 1\ndimension: 2\nmaterials: {m: {density: 1}}\n"
        "bodies: [{material: m, shape: {sphere: {radius: 1}}}]\n",
        "s.yaml:4:32: \"sphere\" is for 3D, and this scene has 2 dimensions; in 2D it is \"disk\"");
    check_error("cairn: 1\ndimension: 2\nmaterials: {m: {density: 1}}\n"
                "bodies: [{material: m, lock: [rx], shape: {disk: {radius: 1}}}]\n",
                "s.yaml:4:30: a 2D body has no tz, rx and ry; its degrees of freedom are tx, ty "
                "and rz");
    check_error(
        "cairn: 1\ndimension: 2\nmaterials: {m: {density: 1}}\n"
        "bodies: [{material: m, angular_velocity: [0, 0, 1], shape: {disk: {radius: 1}}}]\n",
        "s.yaml:4:42: angular_velocity must be 3 numbers in 3D, a number in 2D, not a list");
}

CN_TEST(what_comes_later_is_unsupported_and_says_so) {
    check_error_with("cairn: 1\nintegrator: {scheme: euler-moreau}\n", NULL, 0, CN_ERR_UNSUPPORTED,
                     "s.yaml:2:22: the scheme \"euler-moreau\" is for first-order systems, not for "
                     "rigid bodies; bodies take moreau-jean, event-driven or generalized-alpha");
    check_error_with("cairn: 1\nsolver: {name: psor}\n", NULL, 0, CN_ERR_UNSUPPORTED,
                     "s.yaml:2:16: the name \"psor\" is not available yet");
    cn_model *model = read_good("cairn: 1\njoints: []\n" ANY_BODY("stone"));
    cn_model_destroy(model);
}

CN_TEST(what_cannot_be_run_is_refused_with_its_place) {
    check_error("cairn: 1\n" ANY_BODY("stone") "time: {until: 0.1, step: 0.5}\n",
                "s.yaml:4:26: time.step of 0.5 s is longer than the run, until 0.1 s; a shorter "
                "step or a later time.until");
    check_error_with(
        "cairn: 1\n" ANY_BODY("stone"), &(cn_override){"time.until", "1e-4"}, 1, CN_ERR_INPUT,
        "--set time.until=1e-4:1:6: "
        "time.step of 0.001 s is longer than the run, until 0.0001 s; a shorter step or "
        "a later time.until");
    check_error(HEAD "bodies: []\n",
                "s.yaml:3:9: there are no bodies; add a body, a generator or a system");
    check_error(HEAD, "s.yaml:1:1: there are no bodies; add a body, a generator or a system");
    check_error(HEAD "bodies:\n  - {material: stone, shape: [{sphere: {radius: 1}},\n"
                     "     {box: {size: [1, 1, 2.0e9]}}]}\n",
                "s.yaml:5:6: body 1: box: size[2] of 2e+09 m is too large; lengths are in metres, "
                "at most 1e+09");
    check_error(
        HEAD
        "bodies:\n  - {material: stone, position: [0, 0, -3.0e10], shape: {sphere: {radius: 1}}}\n",
        "s.yaml:4:5: body 1: position[2] of -3e+10 m is too large; lengths are in metres, "
        "at most 1e+09");
    check_error(
        HEAD "bodies:\n  - {fixed: true, material: stone, shape: {plane: "
             "{normal: [0, 0, 1], offset: 2.0e9}}}\n",
        "s.yaml:4:43: body 1: plane: offset of 2e+09 m is too large; lengths are in metres, "
        "at most 1e+09");
    check_error(
        HEAD "bodies:\n  - {material: stone, mass: 1, inertia: [1, 1, 3], shape: {sphere: {radius: "
             "1}}}\n",
        "s.yaml:4:5: body 1: no body has this inertia: its largest principal moment exceeds "
        "the sum of the others; principal moments must satisfy A + B >= C");
}

CN_TEST(what_the_model_refuses_gets_its_place) {
    check_error(HEAD "bodies:\n  - {material: stone, shape: [{sphere: {radius: 1}},\n"
                     "     {polyhedron: {vertices: [[0,0,0],[1,0,0],[0,1,0]]}}]}\n",
                "s.yaml:5:6: body 1: polyhedron: it has 3 vertices; it needs 4 at least");
    check_error(HEAD "bodies:\n  - {name: a, material: stone, shape: {sphere: {radius: 1}}}\n"
                     "  - {name: a, material: stone, shape: {sphere: {radius: 1}}}\n",
                "s.yaml:5:5: body 'a': the name is used by body 1 already; it is in line 4");
    check_error(HEAD "bodies:\n  - {material: stone, shape: {plane: {normal: [0, 0, 1]}}}\n",
                "s.yaml:4:5: body 1: a plane or line cannot move freely; make the body fixed or "
                "give it a motion");
}

CN_TEST(a_fault_in_an_expression_is_pointed_at) {
    const char *text = HEAD "bodies: [{name: b, material: stone, shape: {sphere: {radius: 1}}}]\n"
                            "forces: [{body: b, force: [\"1 + foo(t)\", 0, 0]}]\n";
    cn_model *model;
    cn_error error;
    CN_CHECK_TRUE(read_with(text, NULL, 0, &model, &error) == CN_ERR_INPUT);
    CN_CHECK_TRUE(error.line == 4 && error.column == 29 + 4);
    check_error(HEAD "bodies: [{name: b, material: stone, shape: {sphere: {radius: 1}}}]\n"
                     "forces: [{body: b, force: [{times: [0, 1, 1], values: [1, 2, 3]}, 0, 0]}]\n",
                "s.yaml:4:43: the times must ascend");
    check_error(HEAD "bodies: [{name: b, material: stone, shape: {sphere: {radius: 1}}}]\n"
                     "forces: [{body: b, force: [{times: [0, 1], values: [1]}, 0, 0]}]\n",
                "s.yaml:4:28: times and values must be as many, and not none: there are 2 and 1");
    check_error(HEAD "bodies: [{name: b, material: stone, shape: {sphere: {radius: 1}}}]\n"
                     "motions: [{body: b, velocity: 1}]\n",
                "s.yaml:4:31: velocity must be a list of 3 numbers, expressions or tables; "
                "write [a, b, c]");
}

CN_TEST(a_thousand_million_bodies_are_refused) {
    check_error(HEAD "generate:\n  - packing: {count: 1000000000, radius: 1, material: stone,\n"
                     "              inside: [[0, 0, 0], [1e6, 1e6, 1e6]]}\n",
                "s.yaml:4:5: the scene asks for 1000000000 bodies; at most 10000000 are accepted");
    check_error(HEAD "generate:\n  - grid: {count: [100000, 100000, 100000], material: stone,\n"
                     "           shape: {sphere: {radius: 1}}}\n",
                "s.yaml:4:5: the scene asks for 1e+15 bodies; at most 10000000 are accepted");
    check_error(HEAD
                "generate:\n"
                "  - {column: {count: 9999999, material: stone, shape: {sphere: {radius: 1}}}}\n"
                "  - {column: {count: 2, material: stone, shape: {sphere: {radius: 1}}}}\n",
                "s.yaml:5:5: the scene asks for 10000001 bodies; at most 10000000 are accepted");
}

// ---- overrides ----

CN_TEST(overrides_reach_keys_indices_and_names) {
    const cn_override set[] = {{"time.step", "0.125"},
                               {"solver.tolerance", "1e-3"},
                               {"bodies.1.position", "[7, 8, 9]"},
                               {"bodies.block.mass", "3"},
                               {"generate.packing.count", "5"},
                               {"generate.0.packing.seed", "2"},
                               {"contacts.1.friction", "{static: 0.9}"},
                               {"contacts.2", "{between: [stone, stone], friction: 0.1}"},
                               {"detection.alert", "0.5"},
                               {"name", "other"}};
    cn_model *model = read_good_with(block_on_slope, set, 10);
    CN_CHECK_NEAR(model->settings.step, 0.125, 0.0);
    CN_CHECK_NEAR(model->settings.tolerance, 1e-3, 0.0);
    CN_CHECK_NEAR(model->settings.alert, 0.5, 0.0);
    CN_CHECK_NEAR(model->q0[7 + 2], 9.0, 0.0);
    CN_CHECK_NEAR(model->body[1].mass, 3.0, 0.0);
    CN_CHECK_TRUE(model->body_count == 7);
    CN_CHECK_NEAR(model_pair(model, 0, 0)->friction, 0.1, 0.0);
    assert_string_equal(cn_model_name(model), "other");
    cn_model_destroy(model);
}

CN_TEST(wrong_overrides_are_pointed_at) {
    const struct {
        cn_override set;
        cn_status status;
        const char *wanted;
    } cases[] = {
        {{"solver.tolerence", "1"},
         CN_ERR_INPUT,
         "--set solver.tolerence=1:1:8: solver has no key \"tolerence\"; did you mean "
         "\"tolerance\"?"},
        {{"time.step", "-1"},
         CN_ERR_INPUT,
         "--set time.step=-1:1:11: step must be above 0, not -1"},
        {{"gravity", "[0, 0"},
         CN_ERR_INPUT,
         "--set gravity=[0, 0:1:9: the list that starts here is not closed; a comma or \"]\" is "
         "missing before line 2"},
        {{"bodies.9.mass", "1"},
         CN_ERR_ARGUMENT,
         "--set bodies.9.mass=1:1:8: the list has no item 9"},
        {{"bodies.blok.mass", "1"},
         CN_ERR_ARGUMENT,
         "--set bodies.blok.mass=1:1:8: the list has no \"blok\"; did you mean \"block\"?"},
        {{"time.step.x", "1"},
         CN_ERR_ARGUMENT,
         "--set time.step.x=1:1:11: what comes before \"x\" is a single value"},
        {{"time..step", "1"}, CN_ERR_ARGUMENT, "--set time..step=1:1:6: the path has an empty key"},
        {{"", "1"}, CN_ERR_ARGUMENT, "--set =1:1:1: the path has an empty key"},
        {{"include", "[a.yaml]"},
         CN_ERR_ARGUMENT,
         "--set include=[a.yaml]:1:1: include cannot be set: the files have been read"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_error_with(block_on_slope, &cases[i].set, 1, cases[i].status, cases[i].wanted);
    }
}
