// Writes the seeds of the fuzz targets for checkpoints and run files anew, when their layout has
// changed (fuzz.seeds says so): states and runs of the scenes of fuzz_checkpoint.h.
//     build/release/tests/fuzz/seeds tests/fuzz/corpus
// With --check it says instead which of the saved seeds can no longer be taken, and fails.
#include "fuzz_checkpoint.h"

#include "io/file.h"

#include <cairn/act.h>
#include <cairn/record.h>

#include <sqlite3.h>
#include <unistd.h>

#define CN_SEED_STEPS 3 // of a run

static const int32_t cn_seed_steps[] = {0, 3, 30};

static cn_sim *cn_seed_sim(int32_t scene, cn_model **model) {
    const char *text = cn_fuzz_scenes[scene];
    cn_error error = {0};
    cn_sim *sim = NULL;
    if (cn_scene_read_text(NULL, "scene", text, strlen(text), NULL, 0, model, &error) != CN_OK ||
        cn_sim_create(*model, NULL, &sim, &error) != CN_OK) {
        fprintf(stderr, "scene %d: %s\n", (int)scene, error.message);
        exit(1);
    }
    return sim;
}

// Scene 5 is acted on: a body more, one removed, inputs, loads, for a step as well.
static void cn_seed_act(int32_t scene, cn_sim *sim) {
    if (scene != CN_FUZZ_ACTED) {
        return;
    }
    cn_error error;
    cn_shape_def ball = cn_shape_def_default(CN_SHAPE_SPHERE);
    cn_body_def def = cn_body_def_default();
    cn_body_id id;
    double loads[6 * 5] = {0.0};
    const double force[3] = {5.0, 0.0, 20.0}, inputs[2] = {-30.0, 0.4};
    ball.radius = 0.2;
    def.name = "added";
    def.material = cn_model_find_material(cn_sim_model(sim), "stone");
    def.shapes = &ball;
    def.shape_count = 1;
    def.position[2] = 2.0;
    for (int i = 0; i < 2; i++) {
        def.name = i ? "second" : "added";
        def.position[0] = i;
        CN_FUZZ_REQUIRE(cn_sim_add_body(sim, &def, &id, &error) == CN_OK);
    }
    CN_FUZZ_REQUIRE(cn_sim_remove_body(sim, id - 1, &error) == CN_OK);
    loads[6 * 4 + 2] = 3.0;
    CN_FUZZ_REQUIRE(cn_sim_set_loads(sim, loads, &error) == CN_OK);
    CN_FUZZ_REQUIRE(cn_sim_set_inputs(sim, inputs, &error) == CN_OK);
    CN_FUZZ_REQUIRE(cn_sim_apply(sim, 2, force, NULL, NULL, &error) == CN_OK);
}

static void cn_seed_write(const char *folder, const char *name, uint8_t first, const void *state,
                          size_t size) {
    char path[1024];
    snprintf(path, sizeof path, "%s/checkpoint/%s", folder, name);
    uint8_t *bytes = malloc(size + 1);
    CN_FUZZ_REQUIRE(bytes != NULL);
    bytes[0] = first;
    memcpy(bytes + 1, state, size);
    CN_FUZZ_REQUIRE(io_file_write(path, bytes, size + 1, NULL) == CN_OK);
    free(bytes);
}

static void cn_seed_states(const char *folder, int32_t scene) {
    cn_model *model;
    cn_sim *sim = cn_seed_sim(scene, &model);
    for (int32_t i = 0, step = 0; i < 3; i++) {
        char name[64];
        void *state;
        size_t size;
        for (; step < cn_seed_steps[i]; step++) {
            cn_step_report report;
            CN_FUZZ_REQUIRE(cn_sim_step(sim, &report, NULL) == CN_OK);
        }
        if (i == 1) {
            cn_seed_act(scene, sim);
        }
        CN_FUZZ_REQUIRE(cn_sim_save(sim, &state, &size) == CN_OK);
        snprintf(name, sizeof name, "scene%d_step%d", (int)scene, (int)step);
        cn_seed_write(folder, name, (uint8_t)scene, state, size);
        if (i == 2) {
            // The checksum is not made to fit.
            uint8_t first = 128;
            while (first % CN_FUZZ_SCENES != scene) {
                first++;
            }
            snprintf(name, sizeof name, "unsigned%d_step%d", (int)scene, (int)step);
            cn_seed_write(folder, name, first, state, size);
        }
        cn_sim_free(sim, state, size);
    }
    cn_sim_destroy(sim);
    cn_model_destroy(model);
}

// Pages as small as may be: changes of a small file reach more.
static void cn_seed_shrink(const char *path) {
    sqlite3 *db;
    CN_FUZZ_REQUIRE(sqlite3_open(path, &db) == SQLITE_OK);
    CN_FUZZ_REQUIRE(sqlite3_exec(db, "PRAGMA journal_mode=DELETE; PRAGMA page_size=512; VACUUM",
                                 NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(db);
}

static void cn_seed_run(const char *folder, int32_t scene) {
    cn_model *model;
    cn_sim *sim = cn_seed_sim(scene, &model);
    cn_recorder *recorder;
    cn_error error = {0};
    char path[1024];
    snprintf(path, sizeof path, "%s/run/scene%d.run", folder, (int)scene);
    remove(path);
    CN_FUZZ_REQUIRE(cn_recorder_create(NULL, path, true, sim, &recorder, &error) == CN_OK);
    CN_FUZZ_REQUIRE(cn_recorder_frame(recorder, sim, &error) == CN_OK);
    CN_FUZZ_REQUIRE(cn_recorder_checkpoint(recorder, sim, &error) == CN_OK);
    for (int32_t step = 0; step < CN_SEED_STEPS; step++) {
        cn_step_report report;
        if (scene == CN_FUZZ_ACTED && step == 1) {
            const double inputs[2] = {-30.0, 0.4}, impulse[3] = {0.0, 200.0, 0.0};
            CN_FUZZ_REQUIRE(cn_sim_set_inputs(sim, inputs, &error) == CN_OK);
            CN_FUZZ_REQUIRE(cn_sim_apply_impulse(sim, 2, impulse, NULL, NULL, &error) == CN_OK);
        }
        CN_FUZZ_REQUIRE(cn_sim_step(sim, &report, &error) == CN_OK);
        CN_FUZZ_REQUIRE(cn_recorder_ledger(recorder, &report, &error) == CN_OK);
        CN_FUZZ_REQUIRE(cn_recorder_columns(recorder, sim, &error) == CN_OK);
        CN_FUZZ_REQUIRE(cn_recorder_frame(recorder, sim, &error) == CN_OK);
    }
    CN_FUZZ_REQUIRE(cn_recorder_checkpoint(recorder, sim, &error) == CN_OK);
    CN_FUZZ_REQUIRE(cn_recorder_event(recorder, 2, 0.02, "an event", &error) == CN_OK);
    CN_FUZZ_REQUIRE(cn_recorder_close(recorder, &error) == CN_OK);
    cn_seed_shrink(path);
    cn_sim_destroy(sim);
    cn_model_destroy(model);
}

// ---- whether they are still taken ----

static bool cn_seed_state_is_taken(const char *path, int32_t scene, cn_sim *sim) {
    base_buffer bytes;
    cn_error error = {0};
    base_buffer_init(&bytes, NULL);
    bool taken = io_file_read(path, &bytes, &error) == CN_OK && bytes.size > 1 &&
                 ((uint8_t *)bytes.data)[0] % CN_FUZZ_SCENES == scene &&
                 cn_sim_load(sim, (uint8_t *)bytes.data + 1, bytes.size - 1, &error) == CN_OK;
    if (!taken) {
        fprintf(stderr, "%s: %s\n", path, error.message);
    }
    base_buffer_free(&bytes);
    return taken;
}

// Of a copy, since resuming writes.
static bool cn_seed_run_is_taken(const char *path, cn_sim *sim) {
    char copy[] = "/tmp/cairn-seed-XXXXXX.run";
    base_buffer bytes;
    cn_error error = {0};
    cn_recorder *recorder;
    int file = mkstemps(copy, 4);
    base_buffer_init(&bytes, NULL);
    bool taken = file >= 0 && io_file_read(path, &bytes, &error) == CN_OK &&
                 write(file, bytes.data, bytes.size) == (ssize_t)bytes.size &&
                 cn_recorder_resume(NULL, copy, sim, &recorder, &error) == CN_OK;
    if (taken) {
        taken = cn_sim_step_index(sim) == CN_SEED_STEPS;
        cn_recorder_close(recorder, NULL);
    } else {
        fprintf(stderr, "%s: %s\n", path, error.message);
    }
    base_buffer_free(&bytes);
    close(file);
    remove(copy);
    return taken;
}

static int cn_seed_check(const char *folder) {
    int refused = 0;
    for (int32_t scene = 0; scene < CN_FUZZ_SCENES; scene++) {
        cn_model *model;
        cn_sim *sim = cn_seed_sim(scene, &model);
        char path[1024];
        for (int i = 0; i < 4; i++) {
            snprintf(path, sizeof path, "%s/checkpoint/%s%d_step%d", folder,
                     i < 3 ? "scene" : "unsigned", (int)scene, (int)cn_seed_steps[i < 3 ? i : 2]);
            refused += !cn_seed_state_is_taken(path, scene, sim);
        }
        snprintf(path, sizeof path, "%s/run/scene%d.run", folder, (int)scene);
        cn_sim_destroy(sim);
        CN_FUZZ_REQUIRE(cn_sim_create(model, NULL, &sim, NULL) == CN_OK);
        refused += !cn_seed_run_is_taken(path, sim);
        cn_sim_destroy(sim);
        cn_model_destroy(model);
    }
    return refused;
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "--check") == 0) {
        int refused = cn_seed_check(argv[2]);
        printf("%d of %d seeds are not taken\n", refused, 5 * CN_FUZZ_SCENES);
        return refused > 0;
    }
    if (argc != 2) {
        fprintf(stderr, "usage: seeds [--check] tests/fuzz/corpus\n");
        return 2;
    }
    for (int32_t scene = 0; scene < CN_FUZZ_SCENES; scene++) {
        cn_seed_states(argv[1], scene);
        cn_seed_run(argv[1], scene);
    }
    return 0;
}
