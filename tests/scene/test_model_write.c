// Models written as scenes: what is read back moves as the model does, to the last bit.
#include "world.h"

#include <cairn/cairn.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define STEPS 100

// The hash after some steps; how often steps failed counts as well.
static uint64_t hash_after(const cn_model *model, int steps) {
    cn_sim *sim = NULL;
    cn_error error = {0};
    cn_step_report report;
    if (cn_sim_create(model, NULL, &sim, &error) != CN_OK) {
        world_fail(&error);
    }
    uint64_t failed = 0;
    for (int i = 0; i < steps; i++) {
        failed += cn_sim_step(sim, &report, &error) != CN_OK;
    }
    uint64_t hash = cn_sim_hash(sim) + failed;
    cn_sim_destroy(sim);
    return hash;
}

static cn_model *read_back(const cn_model *model) {
    const char *text = NULL;
    cn_model *again = NULL;
    cn_error error = {0};
    if (cn_model_write(model, &text, &error) != CN_OK ||
        cn_scene_read_text(NULL, "written", text, strlen(text), NULL, 0, &again, &error) != CN_OK) {
        world_fail(&error);
    }
    return again;
}

// Scenes of the gallery with so many bodies; the number of those compared.
static int32_t compare_gallery(int32_t least, int32_t most) {
    cn_arena *memory = cn_arena_create(NULL);
    const char *folder = NULL, *text;
    CN_CHECK_TRUE(cn_gallery_path(NULL, memory, &folder, NULL) == CN_OK);
    DIR *list = opendir(folder);
    int32_t compared = 0;
    for (struct dirent *entry; (entry = readdir(list)) != NULL;) {
        char path[1000];
        cn_error error = {0};
        cn_model *model = NULL;
        snprintf(path, sizeof path, "%s/%.255s", folder, entry->d_name);
        if (!strstr(path, ".yaml") ||
            cn_scene_read_expanded(NULL, path, NULL, 0, &model, &error) != CN_OK) {
            continue; // plug-ins are not allowed here
        }
        int32_t bodies = cn_model_body_count(model);
        cn_status status = cn_model_write(model, &text, &error);
        CN_CHECK_TRUE(status == CN_OK || status == CN_ERR_UNSUPPORTED);
        if (status == CN_OK && bodies >= least && bodies <= most) {
            cn_model *again = read_back(model);
            uint64_t want = hash_after(model, STEPS), got = hash_after(again, STEPS);
            if (want != got) {
                print_error("%s: %016llx, read back %016llx\n", entry->d_name,
                            (unsigned long long)want, (unsigned long long)got);
                fail();
            }
            CN_CHECK_TRUE(strcmp(cn_model_name(model), cn_model_name(again)) == 0);
            cn_model_destroy(again);
            compared++;
        }
        cn_model_destroy(model);
    }
    closedir(list);
    cn_arena_destroy(memory);
    return compared;
}

CN_TEST(small_scenes_of_the_gallery_read_back_bitwise) {
    CN_CHECK_TRUE(compare_gallery(1, 20) >= 15);
}

CN_TEST(long_scenes_of_the_gallery_read_back_bitwise) {
    CN_CHECK_TRUE(compare_gallery(21, 60) >= 5);
}

static cn_model *built_in_c(int32_t dim) {
    cn_model *model = cn_model_create(NULL, dim);
    cn_error error = {0};
    int32_t stone, joint;
    cn_body_id ground, id, arm;
    cn_material_def material = {.name = "a \"stone\"", .density = 2500};
    CN_CHECK_TRUE(cn_model_add_material(model, &material, &stone, &error) == CN_OK);
    cn_contact_def law = cn_contact_def_default();
    law.friction = 0.1 + 0.2;
    CN_CHECK_TRUE(cn_model_add_contact(model, &law, &error) == CN_OK);
    cn_shape_def shape = cn_shape_def_default(CN_SHAPE_BOX);
    shape.size[0] = shape.size[1] = shape.size[2] = 1.0 / 3.0;
    cn_body_def def = cn_body_def_default();
    def.material = stone;
    def.shapes = &shape;
    def.shape_count = 1;
    def.fixed = true;
    CN_CHECK_TRUE(cn_model_add_body(model, &def, &ground, &error) == CN_OK);
    def.fixed = false;
    def.position[dim - 1] = 0.35;
    def.lock = CN_LOCK_TX;
    def.velocity[dim - 1] = -0.1;
    CN_CHECK_TRUE(cn_model_add_body(model, &def, &id, &error) == CN_OK);
    def.lock = 0;
    def.position[0] = 1.0;
    CN_CHECK_TRUE(cn_model_add_body(model, &def, &arm, &error) == CN_OK);
    cn_joint_def hinge = cn_joint_def_default(CN_JOINT_HINGE);
    hinge.body[0] = ground;
    hinge.body[1] = arm;
    hinge.point[0] = hinge.point[1] = hinge.point[2] = 0.5;
    for (int k = 0; k < 3 && dim == 3; k++) {
        hinge.axis[k] = k == 1 ? 1.0 : 0.0;
    }
    hinge.motor = CN_MOTOR_VELOCITY;
    hinge.motor_target = (cn_signal_def){.input = "speed"};
    hinge.motor_damping = 3.0;
    CN_CHECK_TRUE(cn_model_add_input(model, "speed", 0.7, &error) == CN_OK);
    if (cn_model_add_joint(model, &hinge, &joint, &error) != CN_OK) {
        world_fail(&error);
    }
    static const double times[] = {0.0, 0.1, 0.3}, values[] = {0.0, 100.0, -7.0 / 3.0};
    cn_force_def force = {.body = id, .force = {{.times = times, .values = values, .count = 3}}};
    force.force[1] = (cn_signal_def){.expression = "3*sin(t)"};
    force.point[0] = (double)NAN;
    CN_CHECK_TRUE(cn_model_add_force(model, &force, &error) == CN_OK);
    cn_model_settings(model)->step = 1.0 / 300.0;
    return model;
}

CN_TEST(models_built_in_c_read_back_bitwise) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        cn_error error = {0};
        const char *text = NULL;
        cn_model *model = built_in_c(dim);
        CN_CHECK_TRUE(cn_model_write(model, &text, &error) == CN_ERR_ARGUMENT);
        if (cn_model_finish(model, &error) != CN_OK) {
            world_fail(&error);
        }
        cn_model *again = read_back(model);
        CN_CHECK_TRUE(hash_after(model, STEPS) == hash_after(again, STEPS));
        CN_CHECK_TRUE(hash_after(model, STEPS) != hash_after(again, STEPS - 1));
        CN_CHECK_TRUE(cn_model_find_body(again, "#3") == 3);
        CN_CHECK_TRUE(cn_model_scene_text(model) != NULL);
        cn_model_destroy(again);
        cn_model_destroy(model);
    }
}

CN_TEST(what_cannot_be_written_is_named) {
    cn_error error = {0};
    const char *text = NULL;
    cn_model *model = cn_model_create(NULL, 3);
    int32_t stone;
    cn_body_id id;
    cn_material_def material = {.name = "void", .density = 0};
    cn_body_def def = cn_body_def_default();
    def.fixed = true;
    CN_CHECK_TRUE(cn_model_add_material(model, &material, &stone, &error) == CN_OK);
    CN_CHECK_TRUE(cn_model_add_body(model, &def, &id, &error) == CN_OK);
    CN_CHECK_TRUE(cn_model_finish(model, &error) == CN_OK);
    CN_CHECK_TRUE(cn_model_write(model, &text, &error) == CN_ERR_UNSUPPORTED);
    CN_CHECK_TRUE(!text && strstr(error.message, "material 'void' has no density"));
    CN_CHECK_TRUE(!cn_model_scene_text(model));
    CN_CHECK_TRUE(cn_model_write(NULL, &text, &error) == CN_ERR_ARGUMENT);
    cn_model_destroy(model);
}

// The run of a model built in C carries its scene: the model of the check is read from it.
CN_TEST(runs_of_models_built_in_c_check) {
    char path[] = "/tmp/cairn-write-XXXXXX";
    cn_error error = {0};
    cn_model *model = built_in_c(3), *again = NULL;
    CN_CHECK_TRUE(close(mkstemp(path)) == 0 && unlink(path) == 0);
    CN_CHECK_TRUE(cn_model_finish(model, &error) == CN_OK);
    world w = world_start(model);
    cn_recorder *recorder;
    CN_CHECK_TRUE(cn_recorder_create(NULL, path, true, w.sim, &recorder, &error) == CN_OK);
    CN_CHECK_TRUE(cn_recorder_frame(recorder, w.sim, &error) == CN_OK);
    for (int i = 0; i < 20; i++) {
        CN_CHECK_TRUE(cn_sim_step(w.sim, &w.last, &error) == CN_OK);
        CN_CHECK_TRUE(cn_recorder_ledger(recorder, &w.last, &error) == CN_OK);
        CN_CHECK_TRUE(cn_recorder_frame(recorder, w.sim, &error) == CN_OK);
    }
    CN_CHECK_TRUE(cn_recorder_meta(recorder, "status", "complete", &error) == CN_OK);
    CN_CHECK_TRUE(cn_recorder_close(recorder, &error) == CN_OK);
    cn_run *run;
    cn_run_grade grade;
    CN_CHECK_TRUE(cn_run_open(NULL, path, &run, &error) == CN_OK);
    const char *text = cn_run_meta(run, "scene");
    CN_CHECK_TRUE(text && cn_scene_read_text(NULL, "run", text, strlen(text), NULL, 0, &again,
                                             &error) == CN_OK);
    CN_CHECK_TRUE(cn_run_check(run, again, (double)NAN, &grade, &error) == CN_OK);
    if (!grade.within) {
        print_error("%s; %s\n", grade.incomplete, grade.finding[0].what);
    }
    CN_CHECK_TRUE(grade.within);
    cn_run_close(run);
    cn_model_destroy(again);
    world_close(&w);
    unlink(path);
}
