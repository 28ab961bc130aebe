// The contact laws by themselves: the shift of each in closed form, and when a contact takes part;
// then tangential restitution in a run.
#include "check.h"

#include "assemble/law.h"

#include <cairn/cairn.h>
#include <string.h>

static const double cn_h = 0.01;

static asm_law_input input_of(const model_body_pair *pair) {
    return (asm_law_input){.pair = pair,
                           .gap = -1e-3,
                           .before = {-2.0, 0.7, -0.4},
                           .h = cn_h,
                           .theta = 0.5,
                           .activation = 0.5,
                           .active_gap = 1e-3};
}

static void check_shift(cn_law law, const asm_law_input *in, bool takes_part, double normal,
                        double first, double second) {
    double shift[3];
    assert_int_equal(asm_law_shift(law, in, shift), takes_part);
    CN_CHECK_NEAR(shift[0], normal, 1e-15);
    CN_CHECK_NEAR(shift[1], first, 1e-15);
    CN_CHECK_NEAR(shift[2], second, 1e-15);
}

CN_TEST(restitution_shifts_by_the_velocity_before) {
    model_body_pair pair = {.restitution = 0.6, .restitution_tangent = 0.25};
    asm_law_input in = input_of(&pair);
    check_shift(CN_LAW_SIGNORINI, &in, true, 0.6 * -2.0, 0.25 * 0.7, 0.25 * -0.4);
    pair.restitution_tangent = -0.5;
    check_shift(CN_LAW_SIGNORINI, &in, true, 0.6 * -2.0, -0.5 * 0.7, -0.5 * -0.4);
    CN_CHECK_TRUE(asm_law_needs_velocity(CN_LAW_SIGNORINI, &pair));
    CN_CHECK_TRUE(asm_law_needs_velocity(CN_LAW_QUASI_INELASTIC, &pair));
    pair.restitution_tangent = 0.0;
    CN_CHECK_TRUE(!asm_law_needs_velocity(CN_LAW_QUASI_INELASTIC, &pair));
}

// g~ + h (gamma - (1 - theta)) u_N against the slack.
CN_TEST(signorini_takes_part_when_the_predicted_gap_is_closed) {
    model_body_pair pair = {.restitution = 0.0};
    asm_law_input in = input_of(&pair);
    double shift[3];
    in.before[0] = -1.0;
    in.activation = 1.0; // predicted: gap - 0.005
    in.gap = 0.00501;
    CN_CHECK_TRUE(!asm_law_shift(CN_LAW_SIGNORINI, &in, shift));
    in.slack = 0.00002;
    CN_CHECK_TRUE(asm_law_shift(CN_LAW_SIGNORINI, &in, shift));
    in.slack = 0.0;
    in.gap = 0.00499;
    CN_CHECK_TRUE(asm_law_shift(CN_LAW_SIGNORINI, &in, shift));
    in.activation = 0.5; // predicted: the gap
    CN_CHECK_TRUE(!asm_law_shift(CN_LAW_SIGNORINI, &in, shift));
    in.early = true;
    CN_CHECK_TRUE(asm_law_shift(CN_LAW_SIGNORINI, &in, shift));
}

CN_TEST(overlaps_are_taken_back_up_to_the_correction) {
    model_body_pair pair = {.correction = 4e-4};
    asm_law_input in = input_of(&pair);
    check_shift(CN_LAW_QUASI_INELASTIC, &in, true, -4e-4 / cn_h, 0.0, 0.0);
    in.gap = -3e-4;
    check_shift(CN_LAW_QUASI_INELASTIC, &in, true, -3e-4 / cn_h, 0.0, 0.0);
    in.gap = 5e-3;
    check_shift(CN_LAW_GAP, &in, true, 5e-3 / cn_h, 0.0, 0.0);
    CN_CHECK_TRUE(asm_law_takes_all(CN_LAW_QUASI_INELASTIC) && asm_law_takes_all(CN_LAW_GAP));
    CN_CHECK_TRUE(!asm_law_takes_all(CN_LAW_SIGNORINI) && !asm_law_takes_all(CN_LAW_STABILISED));
}

CN_TEST(the_stabilised_law_closes_the_gap_within_its_distance) {
    model_body_pair pair = {.correction = 0.0};
    asm_law_input in = input_of(&pair);
    check_shift(CN_LAW_STABILISED, &in, true, -1e-3 / cn_h, 0.0, 0.0);
    in.gap = 0.9e-3;
    check_shift(CN_LAW_STABILISED, &in, true, 0.9e-3 / cn_h, 0.0, 0.0);
    in.gap = 1.1e-3;
    check_shift(CN_LAW_STABILISED, &in, false, 1.1e-3 / cn_h, 0.0, 0.0);
}

CN_TEST(half_of_a_frame_change_counts) {
    model_body_pair pair = {.restitution = 0.2, .restitution_tangent = 0.5};
    asm_law_input in = input_of(&pair);
    in.gap = 0.0;
    memcpy(in.frame_change, (const double[3]){-0.06, 0.02, -0.04}, sizeof in.frame_change);
    check_shift(CN_LAW_QUASI_INELASTIC, &in, true, -0.03, 0.5 * 0.7 + 0.5 * 0.01,
                0.5 * -0.4 - 0.5 * 0.02);
    check_shift(CN_LAW_SIGNORINI, &in, true, 0.2 * -2.0 - 0.8 * 0.03, 0.5 * 0.7 + 0.5 * 0.01,
                0.5 * -0.4 - 0.5 * 0.02);
    in.frame_change[0] = 0.06; // it opens the gap
    check_shift(CN_LAW_QUASI_INELASTIC, &in, true, 0.0, 0.5 * 0.7 + 0.5 * 0.01,
                0.5 * -0.4 - 0.5 * 0.02);
    in.before[0] = 0.05; // steady motion
    check_shift(CN_LAW_SIGNORINI, &in, true, 0.2 * 0.05 + 0.8 * 0.03, 0.5 * 0.7 + 0.5 * 0.01,
                0.5 * -0.4 - 0.5 * 0.02);
}

// A sphere that cannot turn, pushed along a plane by a share of what friction can hold: it sticks
// below the limit and slides beyond it, in the records and in the counts of the step.
static void check_status(double share, int status) {
    char scene[900];
    snprintf(scene, sizeof scene,
             "cairn: 1\n"
             "gravity: [%.17g, 0, -10]\n"
             "time: {step: 0.001, until: 1}\n"
             "solver: {tolerance: 1e-12}\n"
             "materials: {m: {density: 1000}}\n"
             "contacts: [{between: [m, m], friction: 0.5}]\n"
             "bodies:\n"
             "  - {fixed: true, material: m, shape: {plane: {normal: [0, 0, 1]}}}\n"
             "  - {material: m, position: [0, 0, 0.1], lock: [rx, ry, rz],\n"
             "     shape: {sphere: {radius: 0.1}}}\n",
             5.0 * share);
    cn_model *model;
    cn_sim *sim;
    cn_step_report report;
    assert_int_equal(cn_scene_read_text(NULL, "test", scene, strlen(scene), NULL, 0, &model, NULL),
                     CN_OK);
    assert_int_equal(cn_sim_create(model, NULL, &sim, NULL), CN_OK);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(cn_sim_step(sim, &report, NULL), CN_OK);
    }
    cn_contact_record contact;
    assert_int_equal(cn_sim_contact_count(sim), 1);
    cn_sim_contact(sim, 0, &contact);
    assert_int_equal(contact.status, status);
    assert_int_equal(report.sticking, status == 1);
    assert_int_equal(report.sliding, status == 2);
    cn_sim_destroy(sim);
    cn_model_destroy(model);
}

CN_TEST(a_contact_sticks_below_its_friction_and_slides_beyond) {
    check_status(0.0, 1);
    check_status(0.5, 1);
    check_status(0.999, 1);
    check_status(1.001, 2);
    check_status(2.0, 2);
}

// A disk thrown at a wall with friction that never slips: the point of contact leaves with -e times
// the velocity that it came with, along the wall and across it. It touches in the middle of a step.
CN_TEST(a_thrown_disk_turns_its_contact_point_around) {
    static const char scene[] =
        "cairn: 1\n"
        "dimension: 2\n"
        "gravity: [0, 0]\n"
        "time: {step: 0.001, until: 1}\n"
        "solver: {tolerance: 1e-12}\n"
        "materials: {m: {density: 1000}}\n"
        "contacts: [{between: [m, m], friction: 50, restitution: 0.8, restitution_tangent: 0.5}]\n"
        "bodies:\n"
        "  - {fixed: true, material: m, shape: {line: {normal: [0, 1]}}}\n"
        "  - {material: m, position: [0, 0.1105], velocity: [1.5, -1], angular_velocity: 2,\n"
        "     shape: {disk: {radius: 0.1}}}\n";
    cn_model *model;
    cn_sim *sim;
    assert_int_equal(cn_scene_read_text(NULL, "test", scene, strlen(scene), NULL, 0, &model, NULL),
                     CN_OK);
    assert_int_equal(cn_sim_create(model, NULL, &sim, NULL), CN_OK);
    for (int i = 0; i < 40; i++) {
        cn_step_report report;
        assert_int_equal(cn_sim_step(sim, &report, NULL), CN_OK);
    }
    double v[6];
    cn_sim_velocities(sim, v);
    CN_CHECK_NEAR(v[3 + 1], 0.8, 1e-10);
    CN_CHECK_NEAR(v[3 + 0] + 0.1 * v[3 + 2], -0.5 * (1.5 + 0.1 * 2.0), 1e-9);
    cn_sim_destroy(sim);
    cn_model_destroy(model);
}

// A thin box slides on its lower right corner. With the arms x, y from its centre to the corner,
// mu |W_NT| / W_NN = mu |x y| / (I / m + x^2) tells whether Painleve's paradox is possible.
static void check_paradox(double mu, bool possible) {
    const double width = 2.0, height = 0.1, angle = -1.0;
    double c = cos(angle), s = sin(angle);
    double x = 0.5 * (c * width + s * height), y = 0.5 * (s * width - c * height);
    double inertia = (width * width + height * height) / 12.0; // of a unit mass
    double ratio = mu * fabs(x * y) / (inertia + x * x);
    char scene[900];
    snprintf(scene, sizeof scene,
             "cairn: 1\n"
             "dimension: 2\n"
             "gravity: [0, -10]\n"
             "time: {step: 0.0001, until: 1}\n"
             "solver: {tolerance: 1e-10}\n"
             "materials: {m: {density: 1000}}\n"
             "contacts: [{between: [m, m], friction: %.17g}]\n"
             "bodies:\n"
             "  - {fixed: true, material: m, shape: {line: {normal: [0, 1]}}}\n"
             "  - {material: m, position: [0, %.17g], angle: %.17g, velocity: [1, 0],\n"
             "     shape: {box: {size: [%.17g, %.17g]}}}\n",
             mu, -y, angle, width, height);
    cn_model *model;
    cn_sim *sim;
    cn_step_report report;
    assert_int_equal(cn_scene_read_text(NULL, "test", scene, strlen(scene), NULL, 0, &model, NULL),
                     CN_OK);
    assert_int_equal(cn_sim_create(model, NULL, &sim, NULL), CN_OK);
    assert_int_equal(cn_sim_step(sim, &report, NULL), CN_OK);
    assert_int_equal(report.paradoxes, possible);
    if (possible) {
        CN_CHECK_NEAR(report.paradox_ratio, ratio, 1e-9 * ratio);
        assert_int_equal(report.paradox_candidate + report.paradox_antagonist, 3);
    }
    CN_CHECK_TRUE(possible == (ratio >= 1.0));
    cn_sim_destroy(sim);
    cn_model_destroy(model);
}

CN_TEST(painleve_paradoxes_are_counted_from_their_ratio_on) {
    check_paradox(0.5, false);
    check_paradox(1.2, false);
    check_paradox(1.8, true);
    check_paradox(3.0, true);
}

// A few sweeps of nsgs do not solve a stack; the fallback does, and its answer is the one that
// counts.
CN_TEST(a_retry_takes_the_better_answer) {
    static const char scene[] =
        "cairn: 1\n"
        "time: {step: 0.001, until: 1}\n"
        "solver: {name: nsgs, max_iterations: 12, tolerance: 1.0e-9, on_stall: retry,\n"
        "         fallback: prox-newton}\n"
        "materials: {m: {density: 1000}}\n"
        "contacts: [{between: [m, m], friction: 0.5}]\n"
        "bodies:\n"
        "  - {fixed: true, material: m, shape: {plane: {normal: [0, 0, 1]}}}\n"
        "  - {material: m, position: [0, 0, 0.5], shape: {box: {size: [1, 1, 1]}}}\n"
        "  - {material: m, position: [0, 0, 1.5], shape: {box: {size: [1, 1, 1]}}}\n"
        "  - {material: m, position: [0, 0, 2.5], shape: {box: {size: [1, 1, 1]}}}\n";
    cn_model *model;
    cn_sim *sim;
    cn_step_report report;
    assert_int_equal(cn_scene_read_text(NULL, "test", scene, strlen(scene), NULL, 0, &model, NULL),
                     CN_OK);
    assert_int_equal(cn_sim_create(model, NULL, &sim, NULL), CN_OK);
    assert_int_equal(cn_sim_step(sim, &report, NULL), CN_OK);
    assert_int_equal(report.retries, 1);
    assert_string_equal(report.solver, "prox-newton");
    assert_int_equal(report.outcome, CN_SOLVED);
    CN_CHECK_BELOW(report.residual, 1e-9);
    cn_sim_destroy(sim);
    cn_model_destroy(model);
}
