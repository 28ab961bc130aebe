// Columns that a scene records: forces on groups against weights, openings, points and joints
// against closed forms; what is written is what is read, resumed runs too; one body's track.
#include "world.h"

#include <cairn/act.h>
#include <cairn/cairn.h>
#include <math.h>
#include <unistd.h>

#define SCENE                                                                                      \
    "cairn: 1\ntime: {step: 2e-3, until: 0.2}\nsolver: {tolerance: 1e-9}\ngravity: [0, 0, -10]\n"  \
    "materials: {stone: {density: 1000}}\n"                                                        \
    "contacts: [{between: [\"*\", \"*\"], friction: 0.6}]\nbodies:\n"                              \
    "  - {name: ground, fixed: true, material: stone, shape: {plane: {normal: [0, 0, 1]}}}\n"      \
    "  - {name: brick-1, material: stone, position: [0, 0, 0.5], shape: {box: {size: [1, 1, "      \
    "1]}}}\n"                                                                                      \
    "  - {name: brick-2, material: stone, position: [0, 0, 1.5], shape: {box: {size: [1, 1, "      \
    "1]}}}\n"                                                                                      \
    "  - {name: arm, material: stone, position: [5.5, 0, 9], shape: {box: {size: [1, 0.1, "        \
    "0.1]}}}\n"                                                                                    \
    "joints:\n"                                                                                    \
    "  - {name: pin, kind: hinge, bodies: [ground, arm], point: [5, 0, 9], axis: [0, 1, 0],\n"     \
    "     motor: {position: 0}}\n"

#define RECORD                                                                                     \
    "record:\n"                                                                                    \
    "  - {name: base, force_on: ground}\n"                                                         \
    "  - {name: all, force_on: \"brick-*\", from: [ground]}\n"                                     \
    "  - {name: upper, force_on: [brick-2], from: [brick-1]}\n"                                    \
    "  - {name: crack, opening: [brick-1, brick-2], point: [0.5, 0.5, 1]}\n"                       \
    "  - {name: tip, position: arm, point: [6, 0, 9]}\n"                                           \
    "  - {name: tip-v, velocity: arm, point: [6, 0, 9]}\n"                                         \
    "  - {name: pin, joint: pin}\n"

static double column(const world *w, const double *values, const char *name) {
    for (int32_t i = 0; i < cn_model_column_count(w->model); i++) {
        if (strcmp(cn_model_column_name(w->model, i), name) == 0) {
            return values[i];
        }
    }
    print_error("no column %s\n", name);
    fail();
    return 0.0;
}

CN_TEST(columns_are_what_statics_says) {
    world w = world_open(SCENE RECORD);
    double values[64];
    CN_CHECK_TRUE(cn_model_column_count(w.model) == 6 * 3 + 9);
    world_run(&w, 0.2);
    cn_sim_columns(w.sim, values);
    CN_CHECK_NEAR(column(&w, values, "base.z"), -20000.0, 1e-2);
    CN_CHECK_NEAR(column(&w, values, "all.z"), 20000.0, 1e-2);
    CN_CHECK_NEAR(column(&w, values, "upper.z"), 10000.0, 1e-2);
    CN_CHECK_NEAR(column(&w, values, "crack.z"), 0.0, 1e-6);
    CN_CHECK_NEAR(column(&w, values, "tip.x"), 6.0, 1e-9);
    CN_CHECK_NEAR(column(&w, values, "tip-v.z"), 0.0, 1e-9);
    // 10 kg, half a metre off the pin.
    CN_CHECK_NEAR(column(&w, values, "pin.force.z"), 100.0, 1e-6);
    CN_CHECK_NEAR(fabs(column(&w, values, "pin.effort")), 50.0, 1e-6);
    CN_CHECK_TRUE(strcmp(cn_model_column_unit(w.model, 0), "N") == 0);
    CN_CHECK_TRUE(!cn_model_column_name(w.model, 27) && !cn_model_column_unit(w.model, -1));
    world_close(&w);
}

static void must(cn_status status, const cn_error *error) {
    if (status != CN_OK) {
        world_fail(error);
    }
}

static void record(world *w, cn_recorder *recorder, int steps, double *into) {
    cn_error error;
    for (int i = 0; i < steps; i++) {
        world_step(w);
        must(cn_recorder_ledger(recorder, &w->last, &error), &error);
        must(cn_recorder_columns(recorder, w->sim, &error), &error);
        must(cn_recorder_frame(recorder, w->sim, &error), &error);
        cn_sim_columns(w->sim, into + 27 * (w->last.step - 1));
    }
}

CN_TEST(what_is_recorded_is_read_back_and_resumed) {
    static double want[27 * 30];
    char path[] = "/tmp/cairn-columns-XXXXXX.run";
    int file = mkstemps(path, 4);
    CN_CHECK_TRUE(file >= 0);
    close(file);
    world w = world_open(SCENE RECORD), later = world_open(SCENE RECORD);
    cn_error error = {0};
    cn_recorder *recorder;
    must(cn_recorder_create(NULL, path, true, w.sim, &recorder, &error), &error);
    must(cn_recorder_frame(recorder, w.sim, &error), &error);
    record(&w, recorder, 12, want);
    must(cn_recorder_checkpoint(recorder, w.sim, &error), &error);
    record(&w, recorder, 5, want);
    must(cn_recorder_close(recorder, &error), &error);
    must(cn_recorder_resume(NULL, path, later.sim, &recorder, &error), &error);
    record(&later, recorder, 18, want);
    must(cn_recorder_meta(recorder, "status", "interrupted", &error), &error);
    must(cn_recorder_close(recorder, &error), &error);

    cn_run *run;
    must(cn_run_open(NULL, path, &run, &error), &error);
    cn_arena *memory = cn_arena_create(NULL);
    cn_run_columns columns;
    must(cn_run_columns_read(run, memory, &columns, &error), &error);
    CN_CHECK_TRUE(columns.count == 27 && columns.rows == 30);
    CN_CHECK_TRUE(strcmp(columns.name[2], "base.z") == 0 && strcmp(columns.unit[2], "N") == 0);
    for (int64_t i = 0; i < columns.rows; i++) {
        CN_CHECK_TRUE(columns.step[i] == i + 1);
        CN_CHECK_TRUE(memcmp(columns.value + 27 * i, want + 27 * i, 27 * sizeof *want) == 0);
    }
    // Joints of a frame, and the track of a body.
    cn_joint_record *joints;
    int32_t count;
    must(cn_run_joints(run, 30, memory, &joints, &count, &error), &error);
    CN_CHECK_TRUE(count == 1);
    CN_CHECK_NEAR(joints[0].effort, want[27 * 29 + 20], 1e-12);
    double q[31 * 7], v[31 * 6], all_q[4 * 7], all_v[4 * 6], t;
    int64_t step;
    must(cn_run_track(run, 4, 0, 30, q, v, &error), &error);
    for (int64_t i = 0; i < 31; i++) {
        must(cn_run_frame(run, i, &step, &t, all_q, all_v, &error), &error);
        CN_CHECK_TRUE(memcmp(q + 7 * i, all_q + 7 * 3, 7 * sizeof *q) == 0);
        CN_CHECK_TRUE(memcmp(v + 6 * i, all_v + 6 * 3, 6 * sizeof *v) == 0);
    }
    CN_CHECK_TRUE(cn_run_track(run, 5, 0, 30, q, v, &error) == CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(cn_run_track(run, 1, 0, 31, q, v, &error) == CN_ERR_ARGUMENT);
    cn_run_grade grade;
    must(cn_run_check(run, w.model, (double)NAN, &grade, &error), &error);
    if (!grade.within || !grade.complete) {
        print_error("%s; %s\n", grade.incomplete, grade.finding[0].what);
    }
    CN_CHECK_TRUE(grade.within && grade.complete);
    cn_run_close(run);
    cn_arena_destroy(memory);
    unlink(path);
    world_close(&w);
    world_close(&later);
}

CN_TEST(wrong_columns_are_refused_with_their_place) {
    static const struct {
        const char *record, *message;
    } wrong[] = {
        {"{name: a, position: nobody}", "no body \"nobody\""},
        {"{name: a, force_on: [\"nob*\"]}", "no body \"nob*\""},
        {"{name: a, joint: nowhere}", "no joint \"nowhere\""},
        {"{position: arm}", "name"},
        {"{name: a}", "does not say"},
        {"{name: a, position: arm, joint: pin}", "joint"},
        {"{name: a, position: arm, from: [ground]}", "\"from\" is for force_on"},
        {"{name: a, joint: pin, point: [0, 0, 0]}", "\"point\" is for"},
        {"{name: a, position: arm}, {name: a, velocity: arm}", "two columns"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[4096];
        cn_model *model = NULL;
        cn_error error = {0};
        int length = snprintf(text, sizeof text, SCENE "record: [%s]\n", wrong[i].record);
        CN_CHECK_TRUE(cn_scene_read_text(NULL, "scene.yaml", text, (size_t)length, NULL, 0, &model,
                                         &error) == CN_ERR_INPUT);
        bool right = strstr(error.message, wrong[i].message) && error.line == 15;
        if (!right) {
            print_error("case %d: %d:%d: %s\n", (int)i, error.line, error.column, error.message);
        }
        CN_CHECK_TRUE(right);
    }
}
