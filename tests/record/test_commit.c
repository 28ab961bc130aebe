// When a run file has what: rows are committed every 200 steps and at checkpoints, two checkpoints
// are stored, the older one serves when the newest is damaged, and after a row that cannot be
// written nothing more is.
#include "check.h"

#include "io/database.h"
#include "step/sim.h"

#include <cairn/cairn.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char scene_document[] =
    "cairn: 1\n"
    "time: {step: 0.01, until: 10}\n"
    "materials: {stone: {density: 1000}}\n"
    "contacts: [{between: [stone, stone], friction: 0.5}]\n"
    "bodies:\n"
    "  - {fixed: true, material: stone, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {material: stone, position: [0, 0, 0.5], shape: {box: {size: [1, 1, 1]}}}\n";

typedef struct cn_world {
    char path[64];
    cn_model *model;
    cn_sim *sim;
    cn_recorder *recorder;
} cn_world;

static cn_world world_open(void) {
    cn_world world = {.recorder = NULL};
    snprintf(world.path, sizeof world.path, "/tmp/cairn-commit-%ld.run", (long)getpid());
    assert_int_equal(cn_scene_read_text(NULL, "test", scene_document, strlen(scene_document), NULL,
                                        0, &world.model, NULL),
                     CN_OK);
    assert_int_equal(cn_sim_create(world.model, NULL, &world.sim, NULL), CN_OK);
    assert_int_equal(cn_recorder_create(NULL, world.path, true, world.sim, &world.recorder, NULL),
                     CN_OK);
    return world;
}

static void world_close(cn_world *world) {
    assert_int_equal(cn_recorder_close(world->recorder, NULL), CN_OK);
    cn_sim_destroy(world->sim);
    cn_model_destroy(world->model);
    io_database_remove(world->path);
}

static void record(cn_world *world, int steps) {
    for (int i = 0; i < steps; i++) {
        cn_step_report report;
        assert_int_equal(cn_sim_step(world->sim, &report, NULL), CN_OK);
        assert_int_equal(cn_recorder_ledger(world->recorder, &report, NULL), CN_OK);
    }
}

// What another process would read: a number that a query gives.
static int64_t seen(const cn_world *world, const char *sql) {
    sqlite3 *database;
    sqlite3_stmt *select = NULL;
    assert_int_equal(sqlite3_open_v2(world->path, &database, SQLITE_OPEN_READWRITE, NULL),
                     SQLITE_OK);
    sqlite3_prepare_v2(database, sql, -1, &select, NULL);
    int64_t value = sqlite3_step(select) == SQLITE_ROW ? sqlite3_column_int64(select, 0) : -1;
    sqlite3_finalize(select);
    sqlite3_close(database);
    return value;
}

CN_TEST(rows_are_committed_every_200_steps) {
    cn_world world = world_open();
    assert_int_equal(cn_recorder_flush(world.recorder, NULL), CN_OK);
    record(&world, 199);
    assert_int_equal(seen(&world, "SELECT count(*) FROM ledger"), 0);
    record(&world, 1);
    assert_int_equal(seen(&world, "SELECT count(*) FROM ledger"), 200);
    record(&world, 250);
    assert_int_equal(seen(&world, "SELECT count(*) FROM ledger"), 400);
    assert_int_equal(cn_recorder_checkpoint(world.recorder, world.sim, NULL), CN_OK);
    assert_int_equal(seen(&world, "SELECT count(*) FROM ledger"), 450);
    world_close(&world);
}

CN_TEST(two_checkpoints_are_stored) {
    cn_world world = world_open();
    for (int i = 0; i < 5; i++) {
        record(&world, 3);
        assert_int_equal(cn_recorder_checkpoint(world.recorder, world.sim, NULL), CN_OK);
    }
    assert_int_equal(seen(&world, "SELECT count(*) FROM checkpoint"), 2);
    assert_int_equal(seen(&world, "SELECT max(step) FROM checkpoint"), 15);
    assert_int_equal(seen(&world, "SELECT min(step) FROM checkpoint"), 12);
    world_close(&world);
}

CN_TEST(the_older_checkpoint_serves_when_the_newest_is_damaged) {
    cn_world world = world_open();
    record(&world, 3);
    assert_int_equal(cn_recorder_checkpoint(world.recorder, world.sim, NULL), CN_OK);
    uint64_t hash = cn_sim_hash(world.sim);
    record(&world, 3);
    assert_int_equal(cn_recorder_checkpoint(world.recorder, world.sim, NULL), CN_OK);
    assert_int_equal(cn_recorder_close(world.recorder, NULL), CN_OK);
    seen(&world, "UPDATE checkpoint SET state = zeroblob(100) WHERE step = 6");
    cn_error error;
    assert_int_equal(cn_recorder_resume(NULL, world.path, world.sim, &world.recorder, &error),
                     CN_OK);
    assert_int_equal(cn_sim_step_index(world.sim), 3);
    CN_CHECK_TRUE(cn_sim_hash(world.sim) == hash);
    assert_int_equal(cn_recorder_flush(world.recorder, NULL), CN_OK);
    assert_int_equal(seen(&world, "SELECT count(*) FROM ledger"), 3);
    assert_int_equal(seen(&world, "SELECT max(step) FROM checkpoint"), 3);
    world_close(&world);
}

// Each number of the head by itself, whatever else is right: the checkpoint is refused and the
// state stays.
CN_TEST(a_checkpoint_with_an_impossible_head_is_refused) {
    cn_world world = world_open();
    record(&world, 5);
    void *bytes;
    size_t size;
    cn_error error;
    assert_int_equal(cn_sim_save(world.sim, &bytes, &size), CN_OK);
    uint64_t hash = cn_sim_hash(world.sim);
    int refused = 0;
    for (size_t at = 0; at + sizeof(int32_t) <= 64 && at + sizeof(int32_t) <= size;
         at += sizeof(int32_t)) {
        const int32_t values[] = {-1, INT32_MIN, INT32_MAX};
        for (size_t i = 0; i < 3; i++) {
            int32_t before;
            memcpy(&before, (char *)bytes + at, sizeof before);
            memcpy((char *)bytes + at, &values[i], sizeof before);
            refused += cn_sim_load(world.sim, bytes, size, &error) == CN_ERR_INPUT;
            memcpy((char *)bytes + at, &before, sizeof before);
        }
    }
    CN_CHECK_TRUE(refused > 12);
    assert_int_equal(cn_sim_load(world.sim, bytes, size, &error), CN_OK);
    CN_CHECK_TRUE(cn_sim_hash(world.sim) == hash);
    cn_sim_free(world.sim, bytes, size);
    world_close(&world);
}

CN_TEST(nothing_is_written_after_a_row_that_failed) {
    cn_world world = world_open();
    record(&world, 10);
    assert_int_equal(cn_recorder_checkpoint(world.recorder, world.sim, NULL), CN_OK);
    record(&world, 5);
    cn_step_report report;
    cn_error error;
    assert_int_equal(cn_sim_step(world.sim, &report, NULL), CN_OK);
    report.step = 3; // there is such a row
    CN_CHECK_TRUE(cn_recorder_ledger(world.recorder, &report, &error) != CN_OK);
    CN_CHECK_TRUE(cn_recorder_event(world.recorder, 16, 0.16, "later", &error) != CN_OK);
    CN_CHECK_TRUE(cn_recorder_checkpoint(world.recorder, world.sim, &error) != CN_OK);
    CN_CHECK_TRUE(strstr(error.message, "could not be written"));
    CN_CHECK_TRUE(cn_recorder_close(world.recorder, &error) != CN_OK);
    assert_int_equal(seen(&world, "SELECT count(*) FROM ledger"), 10);
    assert_int_equal(seen(&world, "SELECT max(step) FROM checkpoint"), 10);
    assert_int_equal(cn_recorder_resume(NULL, world.path, world.sim, &world.recorder, &error),
                     CN_OK);
    assert_int_equal(cn_sim_step_index(world.sim), 10);
    world_close(&world);
}
