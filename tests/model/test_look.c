// What others see of a model and of a step's problem: shapes in the bodies' own frames, W as
// blocks.
#include "check.h"

#include <cairn/cairn.h>
#include <string.h>

// A body of two boxes, whose centre of mass is not its origin.
static const char cn_hammer[] =
    "cairn: 1\n"
    "materials: {steel: {density: 1000}}\n"
    "bodies:\n"
    "  - {name: ground, fixed: true, material: steel, shape: {plane: {normal: [0, 0, 1], offset: "
    "-2}}}\n"
    "  - name: hammer\n"
    "    material: steel\n"
    "    position: [5, 6, 7]\n"
    "    shape:\n"
    "      - {box: {size: [1, 1, 1]}}\n"
    "      - {box: {size: [2, 1, 1]}, position: [1.5, 0, 0]}\n"
    "  - {name: pill, material: steel, position: [9, 9, 9], shape: {capsule: {radius: 0.5, length: "
    "2}, position: [0, 0, 3]}}\n";

static cn_model *cn_read(const char *text) {
    cn_model *model = NULL;
    cn_error error = {.status = CN_OK};
    if (cn_scene_read_text(NULL, "s.yaml", text, strlen(text), NULL, 0, &model, &error) != CN_OK) {
        print_error("%s\n", error.message);
        fail();
    }
    return model;
}

CN_TEST(bodies_are_told_as_written) {
    cn_model *model = cn_read(cn_hammer);
    cn_body_info body;
    cn_model_body(model, 1, &body);
    assert_string_equal(body.name, "ground");
    assert_string_equal(body.kind, "fixed");
    cn_model_body(model, 2, &body);
    assert_string_equal(body.name, "hammer");
    assert_string_equal(body.kind, "rigid");
    assert_string_equal(body.material, "steel");
    assert_int_equal(body.shape_count, 2);
    CN_CHECK_NEAR(body.mass, 3000.0, 1e-9);
    CN_CHECK_NEAR(body.com[0], 1.0, 1e-12); // (1 * 0 + 2 * 1.5) / 3
    cn_model_destroy(model);
}

CN_TEST(shapes_are_in_the_bodys_own_frame) {
    cn_model *model = cn_read(cn_hammer);
    cn_shape_info shape;
    double low = HUGE_VAL, high = -HUGE_VAL;
    cn_model_shape(model, 2, 1, &shape);
    assert_int_equal(shape.kind, CN_SHAPE_BOX);
    assert_int_equal(shape.vertex_count, 8);
    assert_int_equal(shape.face_count, 6);
    assert_int_equal(shape.face[6], 24);
    for (int32_t i = 0; i < 8; i++) {
        low = fmin(low, shape.position[0] + shape.vertices[3 * i]);
        high = fmax(high, shape.position[0] + shape.vertices[3 * i]);
    }
    CN_CHECK_NEAR(low, 0.5, 1e-12);
    CN_CHECK_NEAR(high, 2.5, 1e-12);
    cn_model_shape(model, 1, 0, &shape);
    CN_CHECK_NEAR(shape.offset, -2.0, 0.0);
    CN_CHECK_NEAR(shape.normal[2], 1.0, 0.0);
    cn_model_shape(model, 3, 0, &shape);
    CN_CHECK_NEAR(shape.position[2], 3.0, 1e-12);
    CN_CHECK_NEAR(shape.radius, 0.5, 0.0);
    CN_CHECK_NEAR(shape.length, 2.0, 0.0);
    cn_model_destroy(model);
}

// W from body space has the blocks of W condensed from M and H.
CN_TEST(body_space_assembles_to_the_condensed_matrix) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        cn_planted_opts opts = cn_planted_opts_default();
        cn_problem *problem = NULL;
        opts.dim = dim;
        opts.contacts = 30;
        opts.deficiency = 0.3;
        assert_int_equal(cn_planted_friction(NULL, &opts, &problem, NULL), CN_OK);
        cn_arena *memory = cn_arena_create(NULL);
        cn_friction body, assembled, condensed;
        assert_int_equal(cn_friction_to_body_space(&problem->global, memory, &body, NULL), CN_OK);
        assert_int_equal(cn_friction_condense(&problem->global, memory, &condensed, NULL), CN_OK);
        assert_int_equal(cn_friction_assemble(&body, memory, &assembled, NULL), CN_OK);
        assert_int_equal(cn_friction_validate(&assembled, NULL), CN_OK);
        int64_t m = (int64_t)dim * opts.contacts;
        double r[90], u[2][90], v[1000];
        CN_CHECK_TRUE(body.W.body.dofs <= 1000);
        for (int64_t i = 0; i < m; i++) {
            r[i] = 1.0 + 0.1 * (double)(i % 7);
        }
        cn_friction_velocity(&condensed, r, v, u[0]);
        cn_friction_velocity(&assembled, r, v, u[1]);
        double largest = 0.0;
        for (int64_t i = 0; i < m; i++) {
            largest = fmax(largest, fabs(u[0][i]));
        }
        for (int64_t i = 0; i < m; i++) {
            CN_CHECK_NEAR(u[1][i], u[0][i], 1e-12 * largest);
        }
        cn_arena_destroy(memory);
        cn_problem_destroy(problem);
    }
}

// A joint is told in the frames of its bodies, wherever their centres of mass are.
CN_TEST(joints_are_told_in_the_bodies_own_frames) {
    static const char text[] =
        "cairn: 1\nmaterials: {stone: {density: 1000}}\nbodies:\n"
        "  - {name: base, fixed: true, material: stone, position: [1, 0, 0], shape: {box: {size: "
        "[1, 1, 1]}}}\n"
        "  - {name: arm, material: stone, position: [1, 0, 1], shape: {box: {size: [1, 1, 1]}, "
        "position: [0.4, 0, 0]}}\n"
        "joints:\n"
        "  - {kind: hinge, name: pin, bodies: [base, arm], point: [1, 0.25, 0.5], axis: [0, 1, "
        "0]}\n";
    cn_model *model = cn_read(text);
    cn_joint_info joint;
    assert_int_equal(cn_model_joint_count(model), 1);
    cn_model_joint(model, 1, &joint);
    assert_string_equal(joint.name, "pin");
    assert_string_equal(cn_joint_kind_text(joint.kind), "hinge");
    CN_CHECK_TRUE(joint.body[0] == 1 && joint.body[1] == 2);
    const double want[3] = {0.0, 0.25, 0.5}, axis[3] = {0.0, 1.0, 0.0},
                 other[3] = {0.0, 0.25, -0.5};
    for (int k = 0; k < 3; k++) {
        CN_CHECK_NEAR(joint.point[0][k], want[k], 1e-14);
        CN_CHECK_NEAR(joint.point[1][k], other[k], 1e-14);
        CN_CHECK_NEAR(joint.axis[k], axis[k], 1e-14);
    }
    cn_model_destroy(model);
}
