// Prescribed motions by displacement, velocity and acceleration: driven bodies are where closed
// forms put them, whatever the motion is given as; runs are checked and resumed bitwise.
#include "world.h"

#include <cairn/cairn.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define HEAD                                                                                       \
    "cairn: 1\ntime: {step: 1e-3, until: 2}\nsolver: {tolerance: 1e-10}\n"                         \
    "materials: {stone: {density: 1000}}\n"                                                        \
    "contacts: [{between: [\"*\", \"*\"], friction: 0.8}]\n"
#define TABLE_3D                                                                                   \
    HEAD "bodies:\n"                                                                               \
         "  - {name: table, fixed: true, material: stone, position: [0, 0, -0.5],\n"               \
         "     shape: {box: {size: [4, 4, 1]}}}\n"                                                 \
         "  - {material: stone, position: [0, 0, 0.1], shape: {box: {size: [0.6, 0.6, 0.2]}}}\n"

// x = a (1 - cos w t) by each of the three; the trapezoidal rule leaves h^2/12 times the change of
// acceleration.
CN_TEST(the_same_motion_by_its_displacement_velocity_and_acceleration) {
    static const char *const given[] = {"displacement: [\"0.05*(1 - cos(8*t))\", 0, 0]",
                                        "velocity: [\"0.4*sin(8*t)\", 0, 0]",
                                        "acceleration: [\"3.2*cos(8*t)\", 0, 0]"};
    double at[3];
    for (int i = 0; i < 3; i++) {
        world w = world_open(TABLE_3D "motions: [{body: table, %s}]\n", given[i]);
        double worst = 0.0, allowed = 1e-6 / 12.0 * 6.4;
        for (int step = 1; step <= 1500; step++) {
            world_step(&w);
            double want = 0.05 * (1.0 - cos(8.0 * 1e-3 * step));
            worst = fmax(worst, fabs(world_position(&w, 1)[0] - want));
        }
        CN_CHECK_BELOW(worst, allowed + 1e-11);
        // The block sticks to the table: 3.2 m/s2 are below mu g.
        CN_CHECK_NEAR(world_velocity(&w, 2)[0], world_velocity(&w, 1)[0], 1e-8);
        CN_CHECK_BELOW(w.worst_balance, 1e-9);
        at[i] = world_position(&w, 1)[0];
        world_close(&w);
    }
    CN_CHECK_NEAR(at[0], at[1], 1e-10);
    CN_CHECK_NEAR(at[2], at[1], 1e-12);
}

// A table of accelerations is integrated exactly: constant from 0 to 1 s, then none.
CN_TEST(a_table_of_accelerations_is_integrated) {
    world w = world_open(TABLE_3D "motions: [{body: table, acceleration: [{interval: 1, values: "
                                  "[1, 1], scale: 0.5}, 0, 0]}]\n");
    world_run(&w, 1.0);
    CN_CHECK_NEAR(world_velocity(&w, 1)[0], 0.5, 1e-14);
    CN_CHECK_NEAR(world_position(&w, 1)[0], 0.25, 1e-13);
    world_run(&w, 2.0);
    CN_CHECK_NEAR(world_velocity(&w, 1)[0], 0.5, 1e-14);
    CN_CHECK_NEAR(world_position(&w, 1)[0], 0.75, 1e-12);
    CN_CHECK_TRUE(cn_model_warning_count(w.model) == 1);
    CN_CHECK_TRUE(strstr(cn_model_warning(w.model, 0)->message, "0.5 m/s") != NULL);
    world_close(&w);
}

// A rotation vector whose direction changes: the orientation is its exponential, to second order.
CN_TEST(a_rotation_vector_turns_a_body_to_its_exponential) {
    double worst[2];
    for (int fine = 0; fine < 2; fine++) {
        world w =
            world_open("cairn: 1\ntime: {step: %g}\nmaterials: {stone: {density: 1000}}\nbodies: "
                       "[{name: a, fixed: true, material: stone, shape: {sphere: {radius: 1}}}]\n"
                       "motions: [{body: a, rotation: [\"sin(t)\", \"1.2*sin(1.7*t)\", "
                       "\"0.8*t\"]}]\n",
                       fine ? 5e-4 : 1e-3);
        worst[fine] = 0.0;
        for (int step = 1; step <= 1000 * (fine + 1); step++) {
            world_step(&w);
            double t = step * (fine ? 5e-4 : 1e-3);
            double r[3] = {sin(t), 1.2 * sin(1.7 * t), 0.8 * t};
            double angle = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
            const double *q = w.q + 3;
            worst[fine] = fmax(worst[fine], fabs(q[0] - cos(angle / 2.0)));
            for (int k = 0; k < 3; k++) {
                double want = sin(angle / 2.0) * r[k] / angle;
                worst[fine] = fmax(worst[fine], fabs(q[1 + k] - want));
            }
        }
        world_close(&w);
    }
    CN_CHECK_BELOW(worst[0], 1e-6);
    CN_CHECK_NEAR(worst[0] / worst[1], 4.0, 0.1); // second order
}

CN_TEST(a_plane_body_turns_by_its_angle) {
    world w = world_open("cairn: 1\ndimension: 2\ntime: {step: 1e-3}\n"
                         "materials: {stone: {density: 1000}}\nbodies: [{name: a, fixed: true, "
                         "material: stone, shape: {disk: {radius: 1}}}]\n"
                         "motions: [{body: a, rotation: \"0.5*t^2\", acceleration: [0, 2]}]\n");
    world_run(&w, 1.0);
    CN_CHECK_NEAR(w.q[2], 0.5, 1e-12);
    CN_CHECK_NEAR(w.q[1], 1.0, 1e-12);
    CN_CHECK_NEAR(w.v[2], 1.0, 1e-10);
    world_close(&w);
}

// A record with its baseline: the table comes back to where it was.
#define SHAKEN                                                                                     \
    TABLE_3D "motions: [{body: table, acceleration: [{interval: 0.02, values: [0, 3, -2, 4, -6, "  \
             "1, 2, -3, 5, -1, 0.5, 2, -4, 1], baseline: rest}, \"sin(20*t)*exp(-3*t)\", 0],\n"    \
             "   rotation: [0, 0, {times: [0, 0.1, 0.3, 0.5], values: [0, 0.1, -0.1, 0]}]}]\n"

CN_TEST(a_record_with_a_baseline_ends_at_rest) {
    world w = world_open(SHAKEN);
    world_run(&w, 0.6);
    CN_CHECK_NEAR(world_velocity(&w, 1)[0], 0.0, 1e-13);
    CN_CHECK_NEAR(world_position(&w, 1)[0], 0.0, 2e-5); // h^2 times the accelerations' kinks
    CN_CHECK_TRUE(cn_model_warning_count(w.model) == 0);
    world_close(&w);
}

// ---- run files ----

static void must(cn_status status, const cn_error *error) {
    if (status != CN_OK) {
        world_fail(error);
    }
}

static void steps(cn_sim *sim, cn_recorder *recorder, int count) {
    cn_error error;
    for (int i = 0; i < count; i++) {
        cn_step_report report;
        must(cn_sim_step(sim, &report, &error), &error);
        must(cn_recorder_ledger(recorder, &report, &error), &error);
        must(cn_recorder_frame(recorder, sim, &error), &error);
    }
}

CN_TEST(a_shaken_run_is_verified_and_resumed_bitwise) {
    char path[] = "/tmp/cairn-motion-XXXXXX.run";
    int file = mkstemps(path, 4);
    CN_CHECK_TRUE(file >= 0);
    close(file);
    world whole = world_open(SHAKEN), half = world_open(SHAKEN), later = world_open(SHAKEN);
    cn_error error = {0};
    cn_recorder *recorder;
    must(cn_recorder_create(NULL, path, true, half.sim, &recorder, &error), &error);
    must(cn_recorder_frame(recorder, half.sim, &error), &error);
    steps(half.sim, recorder, 211);
    must(cn_recorder_checkpoint(recorder, half.sim, &error), &error);
    steps(half.sim, recorder, 20); // lost
    must(cn_recorder_close(recorder, &error), &error);
    must(cn_recorder_resume(NULL, path, later.sim, &recorder, &error), &error);
    CN_CHECK_TRUE(cn_sim_step_index(later.sim) == 211);
    steps(later.sim, recorder, 389);
    must(cn_recorder_meta(recorder, "status", "interrupted", &error), &error);
    must(cn_recorder_close(recorder, &error), &error);
    world_steps(&whole, 600);
    CN_CHECK_TRUE(cn_sim_hash(whole.sim) == cn_sim_hash(later.sim));

    cn_run *run;
    cn_run_grade grade;
    must(cn_run_open(NULL, path, &run, &error), &error);
    must(cn_run_check(run, whole.model, (double)NAN, &grade, &error), &error);
    if (!grade.within || !grade.complete) {
        print_error("not verified: %s %s %g %g\n", grade.incomplete, grade.finding[0].what,
                    grade.finding[0].value, grade.finding[0].allowed);
    }
    CN_CHECK_TRUE(grade.within && grade.complete);
    cn_run_close(run);
    world_close(&whole);
    world_close(&half);
    world_close(&later);
    unlink(path);
}

// ---- scenes ----

CN_TEST(wrong_motions_are_refused_with_their_place) {
    static const struct {
        const char *motion, *message;
    } wrong[] = {
        {"velocity: [0, 0, 0], displacement: [0, 0, 0]", "\"velocity\" or \"displacement\""},
        {"rotation: [0, 0, 1], angular_acceleration: [0, 0, 0]",
         "\"rotation\" or \"angular_acceleration\""},
        {"displacement: [\"u*t\", 0, 0]", "unknown name"},
        {"displacement: [{times: [0, 1, 1], values: [0, 1, 2]}, 0, 0]", "must ascend"},
        {"displacement: [{times: [0, 1], values: [0, 1], baseline: rest}, 0, 0]", "baseline"},
        {"velocity: [{interval: 0.1}, 0, 0]", "needs \"values\""},
        {"velocity: [{values: [1, 2]}, 0, 0]", "\"times\" or \"interval\""},
        {"velocity: [{times: [0], values: [1], interval: 1}, 0, 0]", "\"times\" or \"interval\""},
        {"velocity: [{times: [0, 1], values: [1]}, 0, 0]", "as many"},
        {"velocity: [{interval: 1, values: [1], columns: [1, 2]}, 0, 0]",
         "for a table from a file"},
        {"velocity: [{interval: 1, values: [1], interpolation: quintic}, 0, 0]", "quintic"},
        {"acceleration: [{file: none.at2}, 0, 0]", "none.at2"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[4096];
        cn_model *model = NULL;
        cn_error error = {0};
        int length =
            snprintf(text, sizeof text, TABLE_3D "motions: [{body: table, %s}]\n", wrong[i].motion);
        CN_CHECK_TRUE(cn_scene_read_text(NULL, "scene.yaml", text, (size_t)length, NULL, 0, &model,
                                         &error) == CN_ERR_INPUT);
        bool right = strstr(error.message, wrong[i].message) && error.line == 10 &&
                     error.column > 1 && strcmp(error.file, "scene.yaml") == 0;
        if (!right) {
            print_error("case %d: %d:%d: %s\n", (int)i, error.line, error.column, error.message);
        }
        CN_CHECK_TRUE(right);
    }
}
