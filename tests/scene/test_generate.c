// Generators: how many bodies, where, none overlapping, the same for the same seed, and what they
// refuse.
#include "check.h"
#include "signals.h"

#include <cairn/scene.h>

#include "math/rotation.h"
#include "model/model.h"
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD3 "cairn: 1\nmaterials: {m: {density: 1}, n: {density: 2}}\n"
#define HEAD2 "cairn: 1\ndimension: 2\nmaterials: {m: {density: 1}, n: {density: 2}}\n"

static cn_model *read_good(const char *text) {
    cn_model *model = NULL;
    cn_error error = {0};
    if (cn_scene_read_text(NULL, "g.yaml", text, strlen(text), NULL, 0, &model, &error) != CN_OK) {
        char shown[1200];
        print_error("%s\n", cn_error_format(&error, shown, sizeof shown));
        fail();
    }
    return model;
}

static void check_error(const char *text, const char *wanted) {
    cn_model *model = NULL;
    cn_error error = {0};
    char shown[1200];
    CN_CHECK_TRUE(cn_scene_read_text(NULL, "g.yaml", text, strlen(text), NULL, 0, &model, &error) ==
                  CN_ERR_INPUT);
    CN_CHECK_TRUE(model == NULL);
    assert_string_equal(cn_error_format(&error, shown, sizeof shown), wanted);
}

static const double *pose(const cn_model *model, int32_t body) {
    return model->q0 + (int64_t)body * model_pose_size(model->dim);
}

static double distance(const cn_model *model, int32_t a, int32_t b) {
    double sum = 0.0;
    for (int32_t i = 0; i < model->dim; i++) {
        double d = pose(model, a)[i] - pose(model, b)[i];
        sum += d * d;
    }
    return sqrt(sum);
}

// The deepest overlap of the balls that bound the bodies from first on; negative when all are
// apart.
static double deepest(const cn_model *model, int32_t first) {
    double max = -INFINITY;
    for (int32_t a = first; a < model->body_count; a++) {
        for (int32_t b = first; b < a; b++) {
            max = fmax(max, model->body[a].bound + model->body[b].bound - distance(model, a, b));
        }
    }
    return max;
}

// ---- grid and column ----

CN_TEST(grid_counts_the_first_axis_fastest) {
    cn_model *model = read_good(HEAD3 "generate: [{grid: {count: [3, 2, 2], spacing: [1, 2, 3], "
                                      "position: [10, 20, 30], material: m, name: g, "
                                      "shape: {sphere: {radius: 0.25}}}}]\n");
    CN_CHECK_TRUE(model->body_count == 12);
    for (int32_t k = 0; k < 12; k++) {
        CN_CHECK_NEAR(pose(model, k)[0], 10 + k % 3, 0.0);
        CN_CHECK_NEAR(pose(model, k)[1], 20 + 2 * (k / 3 % 2), 0.0);
        CN_CHECK_NEAR(pose(model, k)[2], 30 + 3 * (k / 6), 0.0);
    }
    CN_CHECK_TRUE(cn_model_find_body(model, "g-12") == 12);
    cn_model_destroy(model);
}

CN_TEST(grid_without_spacing_touches_and_jitter_keeps_apart) {
    cn_model *model = read_good(HEAD2 "generate: [{grid: {count: [4, 3], material: m, "
                                      "shape: {box: {size: [2, 1]}}}}]\n");
    CN_CHECK_NEAR(pose(model, 1)[0] - pose(model, 0)[0], 2.0, 1e-15);
    CN_CHECK_NEAR(pose(model, 4)[1] - pose(model, 0)[1], 1.0, 1e-15);
    cn_model_destroy(model);
    model = read_good(HEAD3 "generate: [{grid: {count: [5, 5, 5], spacing: [3, 3, 3], jitter: 1, "
                            "seed: 4, material: m, shape: {sphere: {radius: 1}}}}]\n");
    CN_CHECK_BELOW(deepest(model, 0), 1e-14);
    CN_CHECK_TRUE(fabs(pose(model, 1)[0] - 3.0) > 1e-6);
    cn_model_destroy(model);
}

CN_TEST(column_stands_on_its_foot) {
    cn_model *model =
        read_good(HEAD3 "generate: [{column: {count: 8, gap: 0.5, position: [1, 2, 3], "
                        "material: n, mass: 7, shape: {sphere: {radius: 1}}}}]\n");
    for (int32_t k = 0; k < 8; k++) {
        CN_CHECK_NEAR(pose(model, k)[2], 3 + 1 + 2.5 * k, 1e-14);
        CN_CHECK_NEAR(model->body[k].mass, 7.0, 0.0);
    }
    cn_model_destroy(model);
    // A shape off its origin, and a direction other than up.
    model = read_good(HEAD2 "generate: [{column: {count: 2, direction: [3, 0], material: m, "
                            "shape: {box: {size: [1, 1]}, position: [2, 0]}}}]\n");
    CN_CHECK_NEAR(pose(model, 0)[0], 0.5, 1e-15);
    CN_CHECK_NEAR(pose(model, 1)[0], 1.5, 1e-15);
    cn_model_destroy(model);
}

// ---- wall ----

CN_TEST(wall_of_12_courses_of_10_has_126_bricks) {
    cn_model *model = read_good(HEAD3 "generate: [{wall: {courses: 12, bricks: 10, "
                                      "size: [0.4, 0.2, 0.1], material: m}}]\n");
    CN_CHECK_TRUE(model->body_count == 126);
    CN_CHECK_NEAR(pose(model, 0)[0], -1.8, 1e-14);
    CN_CHECK_NEAR(pose(model, 0)[2], 0.05, 1e-15);
    // The second course: a half, nine whole ones, a half, flush with the first at both ends.
    CN_CHECK_NEAR(pose(model, 10)[0], -1.9, 1e-14);
    CN_CHECK_NEAR(pose(model, 11)[0], -1.6, 1e-14);
    CN_CHECK_NEAR(pose(model, 20)[0], 1.9, 1e-14);
    CN_CHECK_NEAR(model->body[10].mass, 0.5 * model->body[11].mass, 1e-15);
    CN_CHECK_NEAR(pose(model, 125)[2], 11.5 * 0.1, 1e-14);
    cn_model_destroy(model);
}

static double half_width(const cn_model *model, int32_t body) {
    return model->shape[model->body[body].shape_first].axes[0];
}

// Sides of the boxes of one course, from left to right, must meet with the gap between.
CN_TEST(wall_joints_are_as_wide_as_asked) {
    cn_model *model = read_good(HEAD2 "generate: [{wall: {courses: 3, bricks: 4, size: [1, 0.5], "
                                      "gap: 0.1, position: [5, 1], material: m}}]\n");
    CN_CHECK_TRUE(model->body_count == 4 + 5 + 4);
    for (int32_t k = 5; k < 9; k++) {
        double half_left = half_width(model, k - 1), half_right = half_width(model, k);
        double joint = pose(model, k)[0] - pose(model, k - 1)[0] - half_left - half_right;
        CN_CHECK_NEAR(joint, 0.1, 1e-14);
    }
    CN_CHECK_NEAR(pose(model, 4)[0] - half_width(model, 4), 5 - 0.5 * 4.3, 1e-14);
    CN_CHECK_NEAR(pose(model, 9)[1], 1 + 2 * 0.6 + 0.25, 1e-14);
    cn_model_destroy(model);
    model = read_good(HEAD2 "generate: [{wall: {courses: 3, bricks: 4, size: [1, 0.5], "
                            "ends: toothed, material: m}}]\n");
    CN_CHECK_TRUE(model->body_count == 4 + 3 + 4);
    cn_model_destroy(model);
}

// ---- arch ----

// The vertex of a body's hull nearest to a point, in world axes.
static double nearest_vertex(const cn_model *model, int32_t body, const double point[3]) {
    const geom_shape *shape = &model->shape[model->body[body].shape_first];
    const double *q = pose(model, body);
    double R[9];
    double min = INFINITY;
    if (model->dim == 3) {
        math_quat_matrix(q + 3, R);
    } else {
        math_angle_matrix(q[2], R);
    }
    for (int32_t v = 0; v < shape->hull.vertex_count; v++) {
        const double *x = shape->hull.vertex + 3 * v;
        double sum = 0.0;
        for (int i = 0; i < model->dim; i++) {
            double at = q[i] + R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
            sum += (at - point[i]) * (at - point[i]);
        }
        min = fmin(min, sqrt(sum));
    }
    return min;
}

static void check_arch(const cn_model *model, int32_t up) {
    CN_CHECK_TRUE(model->body_count == 21);
    for (int32_t k = 0; k <= 21; k++) {
        double turn = 3.14159265358979323846 * k / 21; // of the joint, from the right springing
        for (int side = 0; side < 2; side++) {
            double reach = side ? 2.2 : 1.8;
            double corner[3] = {reach * cos(turn), 0.0, 0.0};
            corner[1] = up == 2 ? 0.25 : 0.0;
            corner[up] = reach * sin(turn);
            if (k > 0) {
                CN_CHECK_BELOW(nearest_vertex(model, k - 1, corner), 1e-14);
            }
            if (k < 21) {
                CN_CHECK_BELOW(nearest_vertex(model, k, corner), 1e-14);
            }
        }
    }
}

CN_TEST(wedges_share_their_radial_joints) {
    cn_model *model = read_good(HEAD2 "generate: [{arch: {wedges: 21, radius: 2, thickness: 0.4, "
                                      "material: m}}]\n");
    check_arch(model, 1);
    cn_model_destroy(model);
    model = read_good(HEAD3 "generate: [{arch: {wedges: 21, radius: 2, thickness: 0.4, depth: 0.5, "
                            "material: m}}]\n");
    check_arch(model, 2);
    cn_model_destroy(model);
}

// ---- pyramid ----

CN_TEST(pyramids_touch_their_neighbours) {
    cn_model *model = read_good(HEAD2 "generate: [{pyramid: {base: 6, radius: 3, material: m}}]\n");
    CN_CHECK_TRUE(model->body_count == 21);
    CN_CHECK_NEAR(deepest(model, 0), 0.0, 1e-13);
    CN_CHECK_NEAR(distance(model, 0, 6), 6.0, 1e-13);
    CN_CHECK_NEAR(distance(model, 1, 6), 6.0, 1e-13);
    CN_CHECK_NEAR(pose(model, 0)[1], 3.0, 0.0);
    cn_model_destroy(model);
    model = read_good(HEAD3 "generate: [{pyramid: {base: 5, radius: 0.1, material: m}}]\n");
    CN_CHECK_TRUE(model->body_count == 55);
    CN_CHECK_NEAR(deepest(model, 0), 0.0, 1e-14);
    // The first ball of the second layer lies on four of the first.
    static const int32_t below[] = {0, 1, 5, 6};
    for (int i = 0; i < 4; i++) {
        CN_CHECK_NEAR(distance(model, 25, below[i]), 0.2, 1e-14);
    }
    cn_model_destroy(model);
    model =
        read_good(HEAD3 "generate: [{pyramid: {base: 5, levels: 2, radius: 1, material: m}}]\n");
    CN_CHECK_TRUE(model->body_count == 25 + 16);
    cn_model_destroy(model);
}

// ---- packing ----

static void check_packing(const char *text, int32_t count, const double *low, const double *high) {
    cn_model *model = read_good(text);
    CN_CHECK_TRUE(model->body_count == count);
    CN_CHECK_BELOW(deepest(model, 0), 1e-12);
    for (int32_t k = 0; k < count; k++) {
        for (int32_t i = 0; i < model->dim; i++) {
            double radius = model->body[k].bound;
            CN_CHECK_TRUE(pose(model, k)[i] - radius >= low[i] - 1e-12);
            CN_CHECK_TRUE(pose(model, k)[i] + radius <= high[i] + 1e-12);
        }
    }
    cn_model_destroy(model);
}

CN_TEST(packings_do_not_overlap_and_stay_inside) {
    static const double low[] = {-6, -6, 0};
    static const double high[] = {6, 6, 40};
    check_packing(HEAD3 "generate: [{packing: {count: 320, radius: [0.9, 1.1], "
                        "inside: [[-6, -6, 0], [6, 6, 40]], seed: 1, material: m}}]\n",
                  320, low, high);
    check_packing(HEAD3
                  "generate: [{packing: {count: 320, radius: [0.2, 1.1], arrangement: random, "
                  "inside: [[-6, -6, 0], [6, 6, 40]], seed: 1, material: m}}]\n",
                  320, low, high);
    check_packing(HEAD2 "generate: [{packing: {count: 60, radius: [0.5, 1], gap: 0.1, "
                        "inside: [[-6, -6], [6, 40]], material: m}}]\n",
                  60, low, (const double[]){6, 40});
    check_packing(HEAD2 "generate: [{packing: {count: 60, radius: [0.5, 1], arrangement: random, "
                        "inside: [[-6, -6], [6, 40]], material: m}}]\n",
                  60, low, (const double[]){6, 40});
    check_packing(HEAD3 "generate: [{packing: {count: 100, shape: {box: {size: [1, 0.5, 0.2]}}, "
                        "inside: [[-6, -6, 0], [6, 6, 40]], material: m}}]\n",
                  100, low, high);
}

CN_TEST(a_box_of_exactly_n_cells_holds_n) {
    cn_model *model = read_good(HEAD3 "generate: [{packing: {count: 27, radius: 0.1, "
                                      "inside: [[0, 0, 0], [0.6, 0.6, 0.6]], material: m}}]\n");
    CN_CHECK_BELOW(deepest(model, 0), 1e-12);
    cn_model_destroy(model);
    check_error(HEAD3 "generate: [{packing: {count: 28, radius: 0.1, "
                      "inside: [[0, 0, 0], [0.6, 0.6, 0.6]], material: m}}]\n",
                "g.yaml:3:30: only 27 of 28 bodies fit inside; make the box larger or the bodies "
                "smaller");
}

static cn_model *packing_of_seed(int seed) {
    char text[256];
    snprintf(text, sizeof text,
             HEAD3 "generate: [{packing: {count: 50, radius: [0.5, 1], "
                   "inside: [[0, 0, 0], [9, 9, 90]], seed: %d, material: m}}]\n",
             seed);
    return read_good(text);
}

CN_TEST(a_seed_is_a_packing) {
    cn_model *first = packing_of_seed(3);
    cn_model *same = packing_of_seed(3);
    cn_model *other = packing_of_seed(4);
    size_t bytes = 50 * 7 * sizeof(double);
    CN_CHECK_TRUE(memcmp(first->q0, same->q0, bytes) == 0);
    CN_CHECK_TRUE(memcmp(first->q0, other->q0, bytes) != 0);
    // Uniform radii between the two: mean 0.75 within five standard deviations.
    double mean = 0.0;
    for (int i = 0; i < 50; i++) {
        mean += first->body[i].bound / 50;
    }
    CN_CHECK_NEAR(mean, 0.75, 0.1);
    cn_model_destroy(first);
    cn_model_destroy(same);
    cn_model_destroy(other);
}

CN_TEST(a_jammed_random_packing_gives_up) {
    cn_model *model = NULL;
    cn_error error;
    const char *text = HEAD3 "generate: [{packing: {count: 60, radius: 1, arrangement: random, "
                             "inside: [[0, 0, 0], [8, 8, 8]], material: m}}]\n";
    CN_CHECK_TRUE(cn_scene_read_text(NULL, "g.yaml", text, strlen(text), NULL, 0, &model, &error) ==
                  CN_ERR_INPUT);
    CN_CHECK_TRUE(strstr(error.message, "of 60 bodies fit inside") != NULL);
    assert_string_equal(error.hint, "make the box larger, or use \"arrangement: lattice\"");
}

CN_TEST(packings_that_make_no_sense_are_refused) {
    check_error(HEAD3 "generate: [{packing: {count: 1, material: m, inside: [[0,0,0],[1,1,1]]}}]\n",
                "g.yaml:3:22: packing needs \"radius\" or \"shape\"");
    check_error(HEAD3 "generate: [{packing: {count: 1, radius: 1, material: m, "
                      "inside: [[0,0,0],[1,-1,1]]}}]\n",
                "g.yaml:3:74: the second point of inside must be beyond the first in every axis");
    check_error(HEAD3 "generate: [{packing: {count: 1, radius: [2, 1], material: m, "
                      "inside: [[0,0,0],[1,1,1]]}}]\n",
                "g.yaml:3:41: radius must go from the smaller to the larger; write [1, 2]");
    check_error(HEAD3 "generate: [{packing: {count: 1, shape: {plane: {normal: [0, 0, 1]}}, "
                      "material: m, inside: [[0,0,0],[1,1,1]]}}]\n",
                "g.yaml:3:40: a generator needs shapes that end somewhere, not a plane");
}

CN_TEST(a_hundred_thousand_bodies_are_packed_in_linear_memory_and_time) {
    cn_model *model = read_good(HEAD3 "generate: [{packing: {count: 100000, radius: 1, "
                                      "inside: [[0, 0, 0], [100, 100, 200]], material: m}}]\n");
    CN_CHECK_TRUE(model->body_count == 100000);
    cn_model_destroy(model);
}

// ---- drum and membrane ----

CN_TEST(rings_fill_the_drum_without_overlap) {
    cn_model *model = read_good(HEAD2 "generate: [{drum: {inner: 5, outer: 12, radius: [0.3, 0.6], "
                                      "position: [1, 2], seed: 9, material: m}}]\n");
    CN_CHECK_TRUE(model->body_count > 200);
    CN_CHECK_BELOW(deepest(model, 0), 1e-12);
    double area = 0.0;
    for (int32_t k = 0; k < model->body_count; k++) {
        double rho = hypot(pose(model, k)[0] - 1, pose(model, k)[1] - 2);
        double radius = model->body[k].bound;
        CN_CHECK_TRUE(rho - radius >= 5 - 1e-12 && rho + radius <= 12 + 1e-12);
        area += radius * radius;
    }
    CN_CHECK_TRUE(area / (12.0 * 12.0 - 5.0 * 5.0) > 0.45);
    cn_model_destroy(model);
}

CN_TEST(a_drum_without_an_inner_one_and_a_drum_in_3d) {
    cn_model *model = read_good(HEAD2 "generate: [{drum: {outer: 4, radius: 0.5, material: m}}]\n");
    CN_CHECK_NEAR(hypot(pose(model, 0)[0], pose(model, 0)[1]), 0.0, 0.0);
    CN_CHECK_BELOW(deepest(model, 0), 1e-12);
    cn_model_destroy(model);
    model = read_good(HEAD3 "generate: [{drum: {inner: 2, outer: 4.1, height: 3.1, radius: 0.5, "
                            "gap: 0.01, count: 50, material: m}}]\n");
    CN_CHECK_TRUE(model->body_count == 50);
    CN_CHECK_BELOW(deepest(model, 0), -0.01 + 1e-12);
    cn_model_destroy(model);
    check_error(
        HEAD2 "generate: [{drum: {outer: 4, radius: 0.5, count: 1000, material: m}}]\n",
        "g.yaml:4:50: only 37 of 1000 bodies fit into the drum; make outer larger or radius "
        "smaller");
    check_error(HEAD2 "generate: [{drum: {inner: 3, outer: 4, radius: 1, material: m}}]\n",
                "g.yaml:4:19: no ball fits into the drum; radius is a radius, not a diameter");
}

CN_TEST(membrane_segments_close_a_ring_and_are_pushed_inwards) {
    cn_model *model = read_good(HEAD2 "generate: [{membrane: {segments: 100, radius: 2, "
                                      "thickness: 0.1, gap: 0.01, pressure: 75000, "
                                      "material: m}}]\n");
    CN_CHECK_TRUE(model->body_count == 100 && model->force_count == 100);
    double sum[2] = {0};
    for (int32_t k = 0; k < 100; k++) {
        const model_body *body = &model->body[k];
        const double *q = pose(model, k);
        CN_CHECK_TRUE(body->lock == (CN_LOCK_TY | CN_LOCK_RZ) && body->lock_body_axes);
        CN_CHECK_NEAR(hypot(q[0], q[1]), 2.05, 1e-14);
        CN_CHECK_TRUE(model->force[k].body == k && model->force[k].body_axes);
        double push = signal_at(model, model->force[k].force[0], 0.0);
        CN_CHECK_NEAR(push, -75000 * 2 * 3.14159265358979 * 2 / 100, 1e-6);
        sum[0] += push * cos(q[2]);
        sum[1] += push * sin(q[2]);
    }
    CN_CHECK_NEAR(hypot(sum[0], sum[1]), 0.0, 1e-6);
    // Inner corners of neighbours are the gap apart.
    double length = 2 * model->shape[0].axes[1];
    CN_CHECK_NEAR(2 * 2 * tan(3.14159265358979323846 / 100) - length, 0.01, 1e-14);
    cn_model_destroy(model);
    model = read_good(HEAD2 "generate: [{membrane: {segments: 8, radius: 2, thickness: 0.1, "
                            "pressure: 100*t, material: m}}]\n");
    CN_CHECK_NEAR(signal_at(model, model->force[7].force[0], 3.0),
                  -300 * 2 * 3.14159265358979323846 * 2 / 8, 1e-12);
    cn_model_destroy(model);
    check_error(HEAD2 "generate: [{membrane: {segments: 8, radius: 2, thickness: 0.1, "
                      "pressure: -1, material: m}}]\n",
                "g.yaml:4:74: pressure must be 0 or more, not -1");
    check_error(
        HEAD3 "generate: [{membrane: {segments: 9, radius: 2, thickness: 0.1, material: m}}]\n",
        "g.yaml:3:13: \"membrane\" is for 2D, and this scene has 3 dimensions; take it away, "
        "or write \"dimension: 2\" at the top");
}

// ---- chain ----

CN_TEST(chain_bends_evenly_and_closes_where_it_should) {
    // A regular hexagon: six links, five of the six turns.
    cn_model *model = read_good(
        HEAD2 "generate: [{chain: {links: 6, length: 2, radius: 0.1, material: m, name: c, "
              "bends: [{after: 1, links: 5, angle: 5.235987755982989}]}}]\n");
    CN_CHECK_TRUE(model->body_count == 6 && model->joint_count == 5);
    for (int32_t k = 0; k < 6; k++) {
        CN_CHECK_NEAR(hypot(pose(model, k)[0] - 1.0, pose(model, k)[1] - sqrt(3.0)), sqrt(3.0),
                      1e-14);
        CN_CHECK_NEAR(pose(model, k)[2], k * 3.14159265358979323846 / 3.0, 1e-14);
    }
    assert_string_equal(model->body[3].name, "c-4");
    assert_string_equal(model->joint[3].name, "c-4");
    CN_CHECK_TRUE(model->joint[3].body[0] == 3 && model->joint[3].body[1] == 4);
    cn_model_destroy(model);
    // Up, a quarter of a turn to x, on.
    model = read_good(HEAD3 "generate: [{chain: {links: 12, length: 1, radius: 0.1, material: m, "
                            "direction: [0, 0, 1], joint: hinge, "
                            "bends: [{after: 4, links: 4, angle: 1.5707963267948966}]}}]\n");
    double R[9];
    math_quat_matrix(pose(model, 11) + 3, R);
    CN_CHECK_NEAR(R[2], 1.0, 1e-14);
    CN_CHECK_NEAR(distance(model, 10, 11), 1.0, 1e-14);
    CN_CHECK_TRUE(model->joint[0].geometry.kind == CN_JOINT_HINGE);
    cn_model_destroy(model);
}

CN_TEST(chains_that_make_no_sense_are_refused) {
    check_error(HEAD2 "generate: [{chain: {links: 6, length: 2, radius: 1, material: m}}]\n",
                "g.yaml:4:50: links that are thicker than long overlap those after the next");
    check_error(HEAD2 "generate: [{chain: {links: 6, length: 2, radius: 0.1, material: m, "
                      "bends: [{after: 3, links: 4, angle: 1}]}}]\n",
                "g.yaml:4:76: the bend goes on to joint 6, and the chain has 5");
}

// ---- table ----

CN_TEST(a_table_of_bodies) {
    cn_model *model = read_good(HEAD3 "generate:\n"
                                      "  - table:\n"
                                      "      material: m\n"
                                      "      position: [0, 0, 10]\n"
                                      "      rows: |\n"
                                      "        # a comment\n"
                                      "        name, x, z, radius, sx, sy, sz, material, mass, vx\n"
                                      "        a, 1, 2, 0.5, , , , , ,\n"
                                      "        b, 3, , , 1, 2, 3, n, 9, 4\n");
    CN_CHECK_TRUE(model->body_count == 2);
    CN_CHECK_TRUE(cn_model_find_body(model, "b") == 2);
    CN_CHECK_NEAR(pose(model, 0)[2], 12.0, 0.0);
    CN_CHECK_TRUE(model->shape[0].kind == CN_SHAPE_SPHERE && model->shape[1].kind == CN_SHAPE_BOX);
    CN_CHECK_NEAR(model->body[1].mass, 9.0, 0.0);
    CN_CHECK_NEAR(model->v0[6], 4.0, 0.0);
    CN_CHECK_TRUE(model->body[1].material == 1);
    CN_CHECK_TRUE(model->body[1].source.line == 11);
    cn_model_destroy(model);
}

CN_TEST(angles_of_tables_may_be_degrees) {
    cn_model *model = read_good(HEAD2 "generate:\n"
                                      "  - table:\n"
                                      "      material: m\n"
                                      "      rows: |\n"
                                      "        x, radius, angle, wz\n"
                                      "        0, 0.5, 30 deg, 180 deg/s\n"
                                      "        2, 0.5, 0.5, -1\n");
    CN_CHECK_NEAR(pose(model, 0)[2], 0.52359877559829887, 1e-15);
    CN_CHECK_NEAR(model->v0[2], 3.1415926535897932, 1e-15);
    CN_CHECK_NEAR(pose(model, 1)[2], 0.5, 0.0);
    CN_CHECK_NEAR(model->v0[5], -1.0, 0.0);
    cn_model_destroy(model);
    check_error(HEAD2 "generate:\n  - table:\n      rows: |\n        x, radius, angle\n"
                      "        0, 1, 30 dog\n      material: m\n",
                "g.yaml:8:7: this must be a number, not \"30 dog\"");
}

CN_TEST(wrong_tables_are_pointed_at) {
    static const struct {
        const char *rows, *wanted;
    } cases[] = {
        {"x, radios\n", "g.yaml:6:4: there is no column \"radios\"; did you mean \"radius\"?"},
        {"x, x\n", "g.yaml:6:4: duplicate column \"x\""},
        {"angle\n", "g.yaml:6:1: the column \"angle\" is for the other dimension"},
        {"x,radius\n        1,abc\n", "g.yaml:7:3: this must be a number, not \"abc\""},
        {"x,radius\n        1,-1\n", "g.yaml:7:3: radius must be above 0"},
        {"x,radius\n        1\n", "g.yaml:7:1: the line has fewer cells than there are columns"},
        {"x,radius\n        1,2,3\n", "g.yaml:7:5: the line has more cells than there are columns"},
        {"x\n        1\n",
         "g.yaml:7:1: this line has no radius, no sizes, and the table has no shape"},
        {"x,sx\n        1,2\n", "g.yaml:7:3: a box needs all its sizes: sx, sy and in 3D sz"},
        {"x,radius,sx,sy,sz\n        1,2,3,4,5\n",
         "g.yaml:7:9: a line gives a radius or sizes, not both"},
        {"radius,qw\n        1,0\n", "g.yaml:7:3: the quaternion must not be null"},
        {"radius,material\n        1,k\n",
         "g.yaml:5:13: there is no material \"k\"; the materials are m, n"},
        {"# nothing\n", "g.yaml:6:1: the table has no line of column names"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 HEAD3 "generate:\n  - table:\n      rows: |\n        %s      material: m\n",
                 cases[i].rows);
        check_error(text, cases[i].wanted);
    }
    check_error(HEAD3 "generate: [{table: {material: m}}]\n",
                "g.yaml:3:20: table needs \"file\" or \"rows\"");
    check_error(HEAD3 "generate: [{table: {material: m, file: no-such.csv}}]\n",
                "g.yaml:3:40: \"no-such.csv\": cannot open: No such file or directory");
}

// What is left of a wall of 6 m2 around a door of 0.9 m x 1.75 m and a window of 0.5 m x 0.5 m; the
// lintels lie on the courses above them, as long as the openings and their bearings.
CN_TEST(openings_are_cut_out_of_a_wall) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        char text[700];
        snprintf(
            text, sizeof text,
            "%sgenerate: [{wall: {courses: 9, bricks: 6, size: %s, material: m, openings: "
            "[{middle: 0.75, width: 0.9, courses: 7, bearing: 0.3}, {middle: -0.7, width: 0.5, "
            "first: 3, courses: 2}]}}]\n",
            dim == 3 ? HEAD3 : HEAD2, dim == 3 ? "[0.5, 0.25, 0.25]" : "[0.5, 0.25]");
        cn_model *model = read_good(text);
        double mass = 0.0, lintels = 0.0;
        for (int32_t i = 0; i < model->body_count; i++) {
            const model_body *body = &model->body[i];
            double half = model->shape[body->shape_first].axes[0];
            const double *at = pose(model, i);
            mass += body->mass;
            bool door = fabs(at[0] - 0.75) < 1e-12 && fabs(at[dim - 1] - 7.5 * 0.25) < 1e-12,
                 window = fabs(at[0] + 0.7) < 1e-12 && fabs(at[dim - 1] - 5.5 * 0.25) < 1e-12;
            lintels += door && fabs(half - 0.75) < 1e-12 ? 1.0 : 0.0;
            lintels += window && fabs(half - 0.5) < 1e-12 ? 1.0 : 0.0;
        }
        double area = 3.0 * 2.25 - 0.9 * 1.75 - 0.5 * 0.5;
        CN_CHECK_NEAR(mass, area * (dim == 3 ? 0.25 : 1.0), 1e-12);
        CN_CHECK_NEAR(lintels, 2.0, 0.0);
        cn_model_destroy(model);
    }
    check_error(HEAD3
                "generate: [{wall: {courses: 3, bricks: 6, size: [0.5, 0.25, 0.25], material: "
                "m, openings: [{width: 1, courses: 3}]}}]\n",
                "g.yaml:3:92: the opening has no course above it for its lintel");
    check_error(HEAD3
                "generate: [{wall: {courses: 3, bricks: 2, size: [0.5, 0.25, 0.25], material: "
                "m, openings: [{width: 1, courses: 1}]}}]\n",
                "g.yaml:3:92: the opening and its lintel reach beyond the wall");
}
