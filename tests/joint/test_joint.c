// Joints as geometry: the gauges between two frames, their gradients, and what the model refuses.
#include "check.h"

#include <cairn/scene.h>

#include "base/rng.h"
#include "body/rigid.h"
#include "joint/joint.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "model/model.h"

#include <string.h>

// A pose somewhere, turned by some angle.
static void random_pose(base_rng *rng, int32_t dim, double *pose) {
    for (int32_t i = 0; i < 3; i++) {
        pose[i] = base_rng_uniform(rng, -1.0, 1.0);
    }
    if (dim == 3) {
        double turn[3];
        for (int32_t i = 0; i < 3; i++) {
            turn[i] = base_rng_uniform(rng, -1.0, 1.0);
        }
        pose[3] = 1.0;
        pose[4] = pose[5] = pose[6] = 0.0;
        math_quat_rotate(pose + 3, turn);
    }
}

static joint_geometry random_geometry(base_rng *rng, int32_t dim) {
    joint_geometry g = {.kind = CN_JOINT_SCREW, .lead = 0.3, .ratio = -1.7};
    for (int k = 0; k < 2; k++) {
        double pose[7] = {0};
        random_pose(rng, dim, pose);
        memcpy(g.anchor[k].point, pose, sizeof g.anchor[k].point);
        g.anchor[k].point[2] = dim == 3 ? pose[2] : 0.0;
        g.anchor[k].angle = pose[2];
        memcpy(g.anchor[k].turn, pose + 3, sizeof g.anchor[k].turn);
        random_pose(rng, 3, pose);
        memcpy(g.start[k], pose + 3, sizeof g.start[k]);
    }
    return g;
}

// The largest difference between the gradient and central differences of the gauge.
static double gradient_error(int32_t dim, joint_gauge_of gauge, uint64_t seed) {
    base_rng rng = base_rng_seed(seed);
    joint_geometry g = random_geometry(&rng, dim);
    double pose[2][7], near[2] = {0.1, -0.2}, J[12], unused[12], worst = 0.0, eps = 1e-5;
    random_pose(&rng, dim, pose[0]);
    random_pose(&rng, dim, pose[1]);
    joint_view view;
    joint_look(dim, &g, pose[0], pose[1], near, &view);
    joint_gauge(&view, gauge, J);
    int32_t size = dim == 3 ? 6 : 3;
    for (int32_t k = 0; k < 2 * size; k++) {
        double x[2];
        for (int side = 0; side < 2; side++) {
            double moved[2][7], velocity[6] = {0};
            memcpy(moved, pose, sizeof moved);
            velocity[k % size] = 1.0;
            rigid_move(dim, pose[k / size], velocity, side ? eps : -eps, moved[k / size]);
            joint_look(dim, &g, moved[0], moved[1], near, &view);
            x[side] = joint_gauge(&view, gauge, unused);
        }
        int32_t part = k % size;
        int32_t at = 6 * (k / size) + (dim == 3 || part < 2 ? part : 5);
        worst = fmax(worst, fabs((x[1] - x[0]) / (2.0 * eps) - J[at]));
    }
    return worst;
}

CN_TEST(gradients_are_those_of_finite_differences) {
    for (int32_t gauge = JOINT_GAUGE_ALONG_X; gauge <= JOINT_GAUGE_GEAR; gauge++) {
        for (uint64_t seed = 1; seed <= 20; seed++) {
            CN_CHECK_BELOW(gradient_error(3, (joint_gauge_of)gauge, seed), 1e-8);
        }
    }
}

CN_TEST(gradients_in_the_plane_are_those_of_finite_differences) {
    static const joint_gauge_of gauges[] = {JOINT_GAUGE_ALONG_X, JOINT_GAUGE_ALONG_Y,
                                            JOINT_GAUGE_ANGLE, JOINT_GAUGE_DISTANCE,
                                            JOINT_GAUGE_GEAR};
    for (size_t i = 0; i < sizeof gauges / sizeof *gauges; i++) {
        for (uint64_t seed = 1; seed <= 20; seed++) {
            CN_CHECK_BELOW(gradient_error(2, gauges[i], seed), 1e-8);
        }
    }
}

// A hinge turned by several turns in small steps knows how many.
CN_TEST(whole_turns_are_counted) {
    joint_geometry g = {.kind = CN_JOINT_HINGE};
    double pose[2][7] = {{0, 0, 0, 1, 0, 0, 0}, {0, 0, 0, 1, 0, 0, 0}}, angle[2] = {0.0, 0.0};
    g.anchor[0].turn[0] = g.anchor[1].turn[0] = 1.0;
    for (int i = 1; i <= 100; i++) {
        static const double turn[3] = {0.0, 0.0, -0.2};
        math_quat_rotate(pose[1] + 3, turn);
        joint_view view;
        joint_look(3, &g, pose[0], pose[1], angle, &view);
        joint_angles(&view, angle);
    }
    CN_CHECK_NEAR(angle[0], -20.0, 1e-12);
}

// ---- what scenes may not say ----

#define SCENE                                                                                      \
    "cairn: 1\nmaterials: {m: {density: 1}}\nbodies:\n"                                            \
    "  - {name: ground, fixed: true, material: m}\n"                                               \
    "  - {name: wall, fixed: true, material: m}\n"                                                 \
    "  - {name: arm, material: m, position: [1, 0, 0], shape: {sphere: {radius: 0.1}}}\n"          \
    "joints:\n  - {"

static void check_refused(const char *joint, const char *wanted) {
    char text[1000], shown[1200];
    cn_model *model = NULL;
    cn_error error = {0};
    int length = snprintf(text, sizeof text, SCENE "%s}\n", joint);
    cn_status status =
        cn_scene_read_text(NULL, "s.yaml", text, (size_t)length, NULL, 0, &model, &error);
    cn_error_format(&error, shown, sizeof shown);
    if (status != CN_ERR_INPUT) {
        print_error("status %d: %s\n", (int)status, shown);
    }
    assert_string_equal(shown, wanted);
}

CN_TEST(wrong_joints_are_refused_at_their_place) {
    check_refused("kind: hing, bodies: [ground, arm]",
                  "s.yaml:8:12: kind cannot be \"hing\"; did you mean \"hinge\"?");
    check_refused("kind: ball, bodies: [ground, arms], point: [0, 0, 0]",
                  "s.yaml:8:35: there is no body \"arms\"; did you mean \"arm\"?");
    check_refused("name: pin, kind: ball, bodies: [arm, arm], point: [0, 0, 0]",
                  "s.yaml:8:5: joint 'pin': it joins body 3 (arm) to itself; a joint is between "
                  "two bodies; one of them may be fixed");
    check_refused("kind: hinge, bodies: [ground, arm], point: [0, 0, 0]",
                  "s.yaml:8:5: joint 1: it needs \"axis\"");
    check_refused("kind: ball, bodies: [ground, wall], point: [0, 0, 0]",
                  "s.yaml:8:5: joint 1: neither of its bodies can answer to it; one of them must "
                  "be free to move");
    check_refused("kind: distance, bodies: [ground, arm], point: [0, 0, 0], "
                  "second_point: [1, 0, 0], length: 2",
                  "s.yaml:8:5: joint 1: its length is 2, and its points are 1 apart");
    check_refused("kind: hinge, bodies: [ground, arm], point: [0, 0, 0], axis: [0, 1, 0], "
                  "limits: [1, 2]",
                  "s.yaml:8:5: joint 1: it starts at 0, outside its limits 1, 2; angles and "
                  "slides count from the start, distances from zero");
    check_refused("kind: ball, bodies: [ground, arm], point: [0, 0, 0], friction: 1",
                  "s.yaml:8:5: joint 1: a ball joint has no limits, motor, friction, stiffness, "
                  "damping or armature");
    check_refused("kind: universal, bodies: [ground, arm], point: [0, 0, 0], axis: [1, 0, 0], "
                  "second_axis: [1, 1, 0]",
                  "s.yaml:8:5: joint 1: its two pins are not at right angles; axis is the pin in "
                  "the first body, second_axis that in the second");
    check_refused(
        "kind: hinge, bodies: [ground, arm], point: [0, 0, 0], axis: [0, 1, 0], "
        "motor: {max_torque: 3}",
        "s.yaml:8:84: motor does not say what it is; give it one key such as \"velocity\"");
}
