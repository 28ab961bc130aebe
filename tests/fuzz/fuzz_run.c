// Run files: any bytes are a run or an error with text, whatever is asked of it, and reading ends.
#include "fuzz_problem.h"

#include <cairn/check.h>
#include <cairn/record.h>
#include <cairn/scene.h>

#include <math.h>
#include <unistd.h>

#define CN_FUZZ_FRAMES 8 // of a run that are read

static const char *cn_fuzz_path(void) {
    static char path[64];
    if (!path[0]) {
        bool shared = access("/dev/shm", W_OK) == 0;
        snprintf(path, sizeof path, "%s/cairn-fuzz-%d.run", shared ? "/dev/shm" : "/tmp",
                 (int)getpid());
    }
    return path;
}

static bool cn_fuzz_row(void *user, const cn_step_report *row) {
    int64_t *rows = user;
    CN_FUZZ_REQUIRE(row->solver != NULL);
    return ++*rows < 1000;
}

static void cn_fuzz_require(cn_status status, const cn_error *error) {
    CN_FUZZ_REQUIRE(status == CN_OK || (error->status == status && error->message[0]));
}

static void cn_fuzz_read(cn_run *run, cn_arena *memory) {
    cn_error error = {.status = CN_OK};
    cn_step_report *rows;
    cn_run_event *events;
    cn_run_body *bodies;
    cn_run_grade grade;
    int64_t count = 0, step, seen = 0;
    double t;
    int32_t contacts, dim = cn_run_dim(run), body_count = cn_run_body_count(run);
    double *q = calloc(7 * (size_t)body_count + 1, sizeof *q),
           *v = calloc(6 * (size_t)body_count + 1, sizeof *v);
    CN_FUZZ_REQUIRE(q && v && (dim == 2 || dim == 3));
    for (int64_t i = 0; i < cn_run_frame_count(run) && i < CN_FUZZ_FRAMES; i++) {
        cn_contact_record *list;
        cn_fuzz_require(cn_run_frame(run, i, &step, &t, q, v, &error), &error);
        cn_status status = cn_run_contacts(run, i, memory, &list, &contacts, &error);
        cn_fuzz_require(status, &error);
        for (int32_t c = 0; status == CN_OK && c < contacts; c++) {
            CN_FUZZ_REQUIRE(list[c].candidate >= 1 && list[c].candidate <= body_count);
            CN_FUZZ_REQUIRE(list[c].antagonist >= 1 && list[c].antagonist <= body_count);
        }
    }
    cn_fuzz_require(cn_run_ledger_each(run, INT64_MIN, INT64_MAX, cn_fuzz_row, &seen, &error),
                    &error);
    cn_fuzz_require(cn_run_ledger(run, memory, &rows, &count, &error), &error);
    cn_fuzz_require(cn_run_events(run, memory, &events, &count, &error), &error);
    cn_fuzz_require(cn_run_bodies(run, memory, &bodies, &error), &error);
    cn_fuzz_require(cn_run_check(run, NULL, (double)NAN, &grade, &error), &error);
    int64_t last;
    cn_run_last_step(run, &last, NULL);
    cn_run_last_checkpoint(run, &last, NULL);
    free(q);
    free(v);
}

// What `cairn check` does with the file's own scene, and `cairn resume` up to the first step.
static void cn_fuzz_resume(const char *path, cn_run *run) {
    cn_error error = {.status = CN_OK};
    cn_model *model;
    cn_sim *sim;
    cn_recorder *recorder;
    const char *text = cn_run_meta(run, "scene");
    if (!text || strlen(text) > 4096 ||
        cn_scene_read_text(NULL, "no-folder/scene", text, strlen(text), NULL, 0, &model, &error) !=
            CN_OK) {
        return;
    }
    if (cn_model_body_count(model) <= 20 && cn_sim_create(model, NULL, &sim, &error) == CN_OK) {
        cn_status status = cn_recorder_resume(NULL, path, sim, &recorder, &error);
        cn_fuzz_require(status, &error);
        if (status == CN_OK) {
            cn_recorder_close(recorder, NULL);
        }
        cn_sim_destroy(sim);
        cn_run_grade grade;
        cn_fuzz_require(cn_run_check(run, model, (double)NAN, &grade, &error), &error);
    }
    cn_model_destroy(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *path = cn_fuzz_path();
    cn_error error = {.status = CN_OK};
    cn_run *run;
    FILE *file = fopen(path, "wb");
    CN_FUZZ_REQUIRE(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
    cn_status status = cn_run_open(NULL, path, &run, &error);
    if (status != CN_OK) {
        CN_FUZZ_REQUIRE(!run);
        cn_fuzz_require(status, &error);
    } else {
        cn_arena *memory = cn_arena_create(NULL);
        CN_FUZZ_REQUIRE(memory != NULL);
        cn_fuzz_read(run, memory);
        cn_fuzz_resume(path, run);
        cn_arena_destroy(memory);
        cn_run_close(run);
    }
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < 4; i++) {
        char name[80];
        snprintf(name, sizeof name, "%s%s", path, endings[i]);
        remove(name);
    }
    return 0;
}
