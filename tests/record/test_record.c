// Run files: what is written is what is read, a resumed run has the bits of an uninterrupted one,
// damage is seen.
#include "check.h"

#include "base/arena.h"
#include "failing_allocator.h"
#include "io/database.h"

#include <cairn/cairn.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char scene_3d[] =
    "cairn: 1\n"
    "dimension: 3\n"
    "time: {step: 0.005, until: 1}\nsolver: {tolerance: 1e-8}\n"
    "materials: {stone: {density: 1000}}\n"
    "contacts: [{between: [stone, stone], friction: 0.5}]\n"
    "bodies:\n"
    "  - {name: ground, fixed: true, material: stone, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: low, material: stone, position: [0, 0, 0.5], shape: {box: {size: [1, 1, 1]}}}\n"
    "  - {name: high, material: stone, position: [0.2, 0.1, 1.7], velocity: [0.5, 0, 0],\n"
    "     shape: {box: {size: [1, 1, 1]}}}\n"
    "  - {name: ball, material: stone, position: [0.1, 0, 3], shape: {sphere: {radius: 0.3}}}\n";
static const char scene_2d[] =
    "cairn: 1\n"
    "dimension: 2\n"
    "time: {step: 0.005, until: 1}\nsolver: {tolerance: 1e-8}\n"
    "materials: {stone: {density: 1000}}\n"
    "contacts: [{between: [stone, stone], friction: 0.3, restitution: 0.4}]\n"
    "bodies:\n"
    "  - {fixed: true, material: stone, shape: {line: {normal: [0, 1]}}}\n"
    "  - {material: stone, position: [0, 0.6], angle: 0.2, shape: {box: {size: [1, 1]}}}\n"
    "  - {material: stone, position: [0.1, 2], shape: {disk: {radius: 0.4}}}\n";

typedef struct cn_world {
    cn_model *model;
    cn_sim *sim;
} cn_world;

static cn_world world_open(const char *text) {
    cn_world world = {NULL, NULL};
    cn_error error;
    char line[1024];
    if (cn_scene_read_text(NULL, "test", text, strlen(text), NULL, 0, &world.model, &error) !=
            CN_OK ||
        cn_sim_create(world.model, NULL, &world.sim, &error) != CN_OK) {
        print_error("%s\n", cn_error_format(&error, line, sizeof line));
        fail();
    }
    return world;
}

static void world_close(cn_world *world) {
    cn_sim_destroy(world->sim);
    cn_model_destroy(world->model);
}

static void record(cn_recorder *recorder, cn_sim *sim, int32_t steps, int32_t frames_every) {
    for (int32_t i = 0; i < steps; i++) {
        cn_step_report report;
        assert_int_equal(cn_sim_step(sim, &report, NULL), CN_OK);
        assert_int_equal(cn_recorder_ledger(recorder, &report, NULL), CN_OK);
        if (cn_sim_step_index(sim) % frames_every == 0) {
            assert_int_equal(cn_recorder_frame(recorder, sim, NULL), CN_OK);
        }
    }
}

static void temporary(char path[64]) {
    snprintf(path, 64, "/tmp/cairn-record-%ld.run", (long)getpid());
    io_database_remove(path);
}

// The contacts of a frame are those that the sim has now, to the last bit; returns how many.
static int32_t check_contacts(cn_run *run, int64_t frame, const cn_sim *sim, cn_arena *arena) {
    cn_contact_record *contacts;
    int32_t count;
    assert_int_equal(cn_run_contacts(run, frame, arena, &contacts, &count, NULL), CN_OK);
    assert_int_equal(count, cn_sim_contact_count(sim));
    for (int32_t c = 0; c < count; c++) {
        const cn_contact_record *read = &contacts[c];
        cn_contact_record live;
        cn_sim_contact(sim, c, &live);
        assert_int_equal(read->candidate, live.candidate);
        assert_int_equal(read->antagonist, live.antagonist);
        assert_int_equal(read->status, live.status);
        CN_CHECK_NEAR(read->gap, live.gap, 0.0);
        CN_CHECK_NEAR(read->friction, live.friction, 0.0);
        assert_memory_equal(read->point, live.point, sizeof live.point);
        assert_memory_equal(read->normal, live.normal, sizeof live.normal);
        assert_memory_equal(read->impulse, live.impulse, sizeof live.impulse);
        assert_memory_equal(read->velocity, live.velocity, sizeof live.velocity);
        assert_memory_equal(read->velocity_before, live.velocity_before,
                            sizeof live.velocity_before);
        assert_memory_equal(read->shift, live.shift, sizeof live.shift);
    }
    return count;
}

static void check_round_trip(const char *scene) {
    char path[64];
    temporary(path);
    cn_world world = world_open(scene);
    cn_recorder *recorder;
    assert_int_equal(cn_recorder_create(NULL, path, false, world.sim, &recorder, NULL), CN_OK);
    assert_int_equal(cn_recorder_frame(recorder, world.sim, NULL), CN_OK);
    record(recorder, world.sim, 200, 10);
    assert_int_equal(cn_recorder_event(recorder, 7, 0.1, "an event", NULL), CN_OK);
    assert_int_equal(cn_recorder_close(recorder, NULL), CN_OK);

    cn_run *run;
    cn_run_grade grade;
    cn_arena *arena = cn_arena_create(NULL);
    assert_int_equal(cn_run_open(NULL, path, &run, NULL), CN_OK);
    int32_t bodies = cn_run_body_count(run), dim = cn_run_dim(run);
    assert_int_equal(bodies, cn_model_body_count(world.model));
    assert_int_equal(dim, cn_model_dim(world.model));
    assert_int_equal(cn_run_frame_count(run), 21);
    double q[4 * 7], v[4 * 6], now_q[4 * 7], now_v[4 * 6], t;
    int64_t step;
    assert_int_equal(cn_run_frame(run, 20, &step, &t, q, v, NULL), CN_OK);
    assert_int_equal(step, 200);
    CN_CHECK_NEAR(t, 1.0, 1e-15);
    cn_sim_poses(world.sim, now_q);
    cn_sim_velocities(world.sim, now_v);
    assert_memory_equal(q, now_q, sizeof *q * (size_t)(bodies * (dim == 3 ? 7 : 3)));
    assert_memory_equal(v, now_v, sizeof *v * (size_t)(bodies * (dim == 3 ? 6 : 3)));
    check_contacts(run, 20, world.sim, arena);
    cn_step_report *rows;
    int64_t ledger;
    assert_int_equal(cn_run_ledger(run, arena, &rows, &ledger, NULL), CN_OK);
    assert_int_equal(ledger, 200);
    assert_int_equal(rows[199].step, 200);
    assert_string_equal(rows[199].solver, "auto");
    // Nothing of the command's own is in meta, so that the check is not complete.
    assert_int_equal(cn_run_check(run, world.model, (double)NAN, &grade, NULL), CN_OK);
    CN_CHECK_TRUE(grade.within && !grade.complete && grade.contacts > 0);
    assert_int_equal(grade.finding_count, 0);
    assert_int_equal(grade.checked, 20);
    CN_CHECK_BELOW(grade.worst[CN_CHECK_RESIDUAL].value, 1e-6);
    cn_arena_destroy(arena);
    cn_run_close(run);
    world_close(&world);
    io_database_remove(path);
}

// More bodies and contacts than a frame writes at once, and a state larger than a checkpoint
// copies.
CN_TEST(large_frames_and_checkpoints_are_those_of_the_run) {
    static const char scene[] =
        "cairn: 1\n"
        "dimension: 3\n"
        "time: {step: 0.01, until: 1}\n"
        "materials: {stone: {density: 1000}}\n"
        "contacts: [{between: [stone, stone], friction: 0.5}]\n"
        "bodies:\n"
        "  - {fixed: true, material: stone, shape: {plane: {normal: [0, 0, 1]}}}\n"
        "generate:\n"
        "  - packing: {count: 17000, radius: 0.1, inside: [[-3, -3, 0], [3, 3, 30]], gap: 0.005,\n"
        "              seed: 1, material: stone}\n";
    char path[64];
    temporary(path);
    cn_world world = world_open(scene), other = world_open(scene);
    cn_recorder *recorder;
    cn_step_report report;
    assert_int_equal(cn_recorder_create(NULL, path, false, world.sim, &recorder, NULL), CN_OK);
    record(recorder, world.sim, 2, 2);
    assert_int_equal(cn_recorder_checkpoint(recorder, world.sim, NULL), CN_OK);
    assert_int_equal(cn_recorder_close(recorder, NULL), CN_OK);

    cn_run *run;
    int32_t bodies = cn_model_body_count(world.model);
    cn_arena *arena = cn_arena_create(NULL);
    double *q = BASE_TAKE(arena, double, 7 * bodies), *v = BASE_TAKE(arena, double, 6 * bodies),
           *now = BASE_TAKE(arena, double, 7 * bodies), t;
    int64_t step;
    assert_int_equal(cn_run_open(NULL, path, &run, NULL), CN_OK);
    assert_int_equal(cn_run_frame(run, 0, &step, &t, q, v, NULL), CN_OK);
    cn_sim_poses(world.sim, now);
    assert_memory_equal(q, now, sizeof *q * 7 * (size_t)bodies);
    cn_sim_velocities(world.sim, now);
    assert_memory_equal(v, now, sizeof *v * 6 * (size_t)bodies);
    CN_CHECK_TRUE(check_contacts(run, 0, world.sim, arena) > 16384);
    cn_run_close(run);

    assert_int_equal(cn_recorder_resume(NULL, path, other.sim, &recorder, NULL), CN_OK);
    CN_CHECK_TRUE(cn_sim_hash(other.sim) == cn_sim_hash(world.sim));
    assert_int_equal(cn_sim_step(world.sim, &report, NULL), CN_OK);
    assert_int_equal(cn_sim_step(other.sim, &report, NULL), CN_OK);
    CN_CHECK_TRUE(cn_sim_hash(other.sim) == cn_sim_hash(world.sim));
    assert_int_equal(cn_recorder_close(recorder, NULL), CN_OK);
    cn_arena_destroy(arena);
    world_close(&world);
    world_close(&other);
    io_database_remove(path);
}

CN_TEST(what_is_written_is_read_back_3d) {
    check_round_trip(scene_3d);
}

CN_TEST(what_is_written_is_read_back_2d) {
    check_round_trip(scene_2d);
}

// A bar hangs from a pin and is held level by a motor: the pin carries its weight, the motor its
// moment; the file has the numbers of the simulation.
static void check_motor(int32_t dim, const char *scene) {
    char path[64];
    temporary(path);
    cn_world world = world_open(scene);
    cn_recorder *recorder;
    cn_run *run;
    cn_arena *arena = cn_arena_create(NULL);
    cn_joint_record *stored;
    cn_joint_state now;
    int32_t read;
    assert_int_equal(cn_recorder_create(NULL, path, false, world.sim, &recorder, NULL), CN_OK);
    record(recorder, world.sim, 10, 10);
    assert_int_equal(cn_recorder_close(recorder, NULL), CN_OK);
    assert_int_equal(cn_run_open(NULL, path, &run, NULL), CN_OK);
    assert_int_equal(cn_sim_joint(world.sim, 1, &now), CN_OK);
    assert_int_equal(cn_run_joints(run, 0, arena, &stored, &read, NULL), CN_OK);
    assert_int_equal(read, 1);
    CN_CHECK_NEAR(stored->value, now.value, 0.0);
    CN_CHECK_NEAR(stored->rate, now.rate, 0.0);
    CN_CHECK_NEAR(stored->effort, now.effort, 0.0);
    CN_CHECK_NEAR(stored->impulse[dim - 1], 0.01 * now.force[dim - 1], 1e-15);
    // 2 kg, its middle 0.5 m from the pin, g = 10 m/s^2, steps of 0.01 s.
    CN_CHECK_NEAR(stored->value, 0.0, 1e-6);
    CN_CHECK_NEAR(fabs(stored->effort), 10.0, 1e-6);
    CN_CHECK_NEAR(stored->impulse[dim - 1], 0.2, 1e-8);
    assert_int_equal(cn_run_joints(NULL, 0, arena, &stored, &read, NULL), CN_ERR_ARGUMENT);
    cn_run_close(run);
    cn_arena_destroy(arena);
    world_close(&world);
    io_database_remove(path);
}

CN_TEST(joints_are_read_back_3d) {
    check_motor(3, "cairn: 1\ngravity: [0, 0, -10]\ntime: {step: 0.01}\n"
                   "materials: {steel: {density: 2}}\nbodies:\n"
                   "  - {name: wall, fixed: true, material: steel}\n"
                   "  - {name: bar, material: steel, mass: 2, position: [0.5, 0, 0], "
                   "shape: {box: {size: [1, 0.1, 0.1]}}}\n"
                   "joints: [{kind: hinge, bodies: [wall, bar], point: [0, 0, 0], "
                   "axis: [0, 1, 0], motor: {velocity: 0}}]\n");
}

CN_TEST(joints_are_read_back_2d) {
    check_motor(2, "cairn: 1\ndimension: 2\ngravity: [0, -10]\ntime: {step: 0.01}\nsolver: "
                   "{tolerance: 1.0e-13}\n"
                   "materials: {steel: {density: 2}}\nbodies:\n"
                   "  - {name: wall, fixed: true, material: steel}\n"
                   "  - {name: bar, material: steel, mass: 2, position: [0.5, 0], "
                   "shape: {box: {size: [1, 0.1]}}}\n"
                   "joints: [{kind: hinge, bodies: [wall, bar], point: [0, 0], "
                   "motor: {velocity: 0}}]\n");
}

// More contacts than are written at once: they are written in pieces. Restitution gives them a
// shift, so that what is found anew of a contact's start is checked too.
CN_TEST(many_contacts_are_read_back) {
    const char scene[] =
        "cairn: 1\ndimension: 3\ntime: {step: 0.01}\n"
        "solver: {tolerance: 1e-2, max_iterations: 20, on_stall: continue}\n"
        "materials: {stone: {density: 1}}\n"
        "contacts: [{between: [stone, stone], friction: 0.3, restitution: 0.4}]\n"
        "bodies: [{material: stone, fixed: true, shape: {plane: {normal: [0, 0, "
        "1]}}}]\n"
        "generate: [{grid: {count: [20, 20, 17], spacing: [1, 1, 0.999], position: "
        "[0, 0, 0.5], material: stone, shape: {sphere: {radius: 0.5}}}}]\n";
    char path[64];
    temporary(path);
    cn_world world = world_open(scene);
    cn_recorder *recorder;
    cn_run *run;
    cn_arena *arena = cn_arena_create(NULL);
    cn_contact_record *contacts, live;
    int32_t count;
    assert_int_equal(cn_recorder_create(NULL, path, false, world.sim, &recorder, NULL), CN_OK);
    record(recorder, world.sim, 2, 1);
    assert_int_equal(cn_recorder_close(recorder, NULL), CN_OK);
    assert_int_equal(cn_run_open(NULL, path, &run, NULL), CN_OK);
    assert_int_equal(cn_run_contacts(run, 1, arena, &contacts, &count, NULL), CN_OK);
    assert_int_equal(count, cn_sim_contact_count(world.sim));
    CN_CHECK_BELOW(16384, count);
    int32_t shifted = 0;
    for (int32_t c = 0; c < count; c++) {
        cn_sim_contact(world.sim, c, &live);
        assert_memory_equal(&contacts[c], &live, offsetof(cn_contact_record, status));
        assert_int_equal(contacts[c].status, live.status);
        double approach = live.velocity_before[0] * live.normal[0] +
                          live.velocity_before[1] * live.normal[1] +
                          live.velocity_before[2] * live.normal[2];
        for (int k = 0; k < 3 && approach < 0.0; k++) { // Newton's law: s = e u_N n
            CN_CHECK_NEAR(live.shift[k], 0.4 * approach * live.normal[k], 1e-14);
            shifted += k == 0;
        }
    }
    CN_CHECK_BELOW(1000, shifted);
    cn_run_close(run);
    cn_arena_destroy(arena);
    world_close(&world);
    io_database_remove(path);
}

static void check_resume(const char *scene) {
    char path[64];
    temporary(path);
    cn_world whole = world_open(scene), first = world_open(scene), second = world_open(scene);
    cn_recorder *recorder;
    cn_step_report report;
    for (int32_t i = 0; i < 160; i++) {
        assert_int_equal(cn_sim_step(whole.sim, &report, NULL), CN_OK);
    }
    assert_int_equal(cn_recorder_create(NULL, path, false, first.sim, &recorder, NULL), CN_OK);
    record(recorder, first.sim, 80, 10);
    assert_int_equal(cn_recorder_checkpoint(recorder, first.sim, NULL), CN_OK);
    record(recorder, first.sim, 33, 10); // beyond the checkpoint: to be dropped
    assert_int_equal(cn_recorder_close(recorder, NULL), CN_OK);

    assert_int_equal(cn_recorder_resume(NULL, path, second.sim, &recorder, NULL), CN_OK);
    assert_int_equal(cn_sim_step_index(second.sim), 80);
    record(recorder, second.sim, 80, 10);
    assert_int_equal(cn_recorder_close(recorder, NULL), CN_OK);
    CN_CHECK_TRUE(cn_sim_hash(second.sim) == cn_sim_hash(whole.sim));
    cn_run *run;
    assert_int_equal(cn_run_open(NULL, path, &run, NULL), CN_OK);
    assert_int_equal(cn_run_frame_count(run), 16);
    cn_run_close(run);
    world_close(&whole);
    world_close(&first);
    world_close(&second);
    io_database_remove(path);
}

CN_TEST(resumed_run_has_the_bits_of_a_whole_one) {
    check_resume(scene_3d);
    check_resume(scene_2d);
}

// Memory that is short while a checkpoint is read or written says nothing about the checkpoint.
CN_TEST(checkpoints_without_memory_are_not_called_damaged) {
    char path[64];
    temporary(path);
    cn_world world = world_open(scene_3d);
    cn_recorder *recorder;
    assert_int_equal(cn_recorder_create(NULL, path, false, world.sim, &recorder, NULL), CN_OK);
    record(recorder, world.sim, 20, 10);
    assert_int_equal(cn_recorder_checkpoint(recorder, world.sim, NULL), CN_OK);
    assert_int_equal(cn_recorder_close(recorder, NULL), CN_OK);
    int64_t failures = 0;
    for (int64_t k = 1;; k++) {
        cn_failing memory;
        cn_env env = cn_failing_env(&memory, 0);
        cn_error error = {.status = CN_OK};
        cn_sim *sim;
        assert_int_equal(cn_sim_create(world.model, &env, &sim, NULL), CN_OK);
        memory.calls = 0;
        memory.fail_at = k;
        memory.lasting = true;
        cn_status status = cn_recorder_resume(NULL, path, sim, &recorder, &error);
        CN_CHECK_TRUE(status == CN_OK || status == CN_ERR_MEMORY);
        if (status == CN_OK) {
            status = cn_recorder_checkpoint(recorder, sim, &error);
            CN_CHECK_TRUE(status == CN_OK || status == CN_ERR_MEMORY);
            cn_recorder_close(recorder, NULL);
        }
        failures += memory.failed;
        cn_sim_destroy(sim);
        if (!memory.failed) {
            break;
        }
    }
    CN_CHECK_TRUE(failures > 0);
    world_close(&world);
    io_database_remove(path);
}

static int32_t short_rows(sqlite3 *database, char **message, const void *api) {
    (void)message;
    (void)api;
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, 1500);
    return SQLITE_OK;
}

// A frame whose contacts are too many for a row goes without them, and the run goes on.
CN_TEST(contacts_that_fit_in_no_row_are_left_out) {
    char path[64];
    temporary(path);
    cn_world world = world_open(scene_3d);
    cn_recorder *recorder;
    cn_run *run;
    cn_run_event *events;
    cn_contact_record *contacts;
    cn_arena *arena = cn_arena_create(NULL);
    int64_t count;
    int32_t left;
    sqlite3_auto_extension((void (*)(void))short_rows);
    assert_int_equal(cn_recorder_create(NULL, path, false, world.sim, &recorder, NULL), CN_OK);
    sqlite3_reset_auto_extension();
    record(recorder, world.sim, 200, 200);
    CN_CHECK_TRUE(cn_sim_contact_count(world.sim) >= 8);
    assert_int_equal(cn_recorder_close(recorder, NULL), CN_OK);
    assert_int_equal(cn_run_open(NULL, path, &run, NULL), CN_OK);
    assert_int_equal(cn_run_frame_count(run), 1);
    assert_int_equal(cn_run_contacts(run, 0, arena, &contacts, &left, NULL), CN_OK);
    assert_int_equal(left, 0);
    assert_int_equal(cn_run_events(run, arena, &events, &count, NULL), CN_OK);
    assert_int_equal(count, 1);
    CN_CHECK_TRUE(strstr(events[0].text, "without its") != NULL);
    cn_run_close(run);
    cn_arena_destroy(arena);
    world_close(&world);
    io_database_remove(path);
}

CN_TEST(a_file_cut_short_is_told_so) {
    char path[64];
    cn_error error;
    temporary(path);
    cn_world world = world_open(scene_3d);
    cn_recorder *recorder;
    cn_run *run;
    cn_run_grade grade;
    assert_int_equal(cn_recorder_create(NULL, path, false, world.sim, &recorder, NULL), CN_OK);
    record(recorder, world.sim, 200, 10);
    assert_int_equal(cn_recorder_close(recorder, NULL), CN_OK);
    struct stat file;
    assert_int_equal(stat(path, &file), 0);
    assert_int_equal(truncate(path, file.st_size / 2), 0);
    cn_status status = cn_run_open(NULL, path, &run, &error);
    if (status == CN_OK) {
        status = cn_run_check(run, world.model, (double)NAN, &grade, &error);
        cn_run_close(run);
    }
    assert_int_equal(status, CN_ERR_INPUT);
    CN_CHECK_TRUE(strstr(error.message, "damaged or cut short") != NULL);
    world_close(&world);
    io_database_remove(path);
}

CN_TEST(foreign_and_missing_files_are_refused) {
    char path[64];
    cn_error error;
    cn_run *run;
    temporary(path);
    assert_int_equal(cn_run_open(NULL, path, &run, &error), CN_ERR_IO);
    FILE *file = fopen(path, "w");
    fputs("this is not a run file, but it is long enough to be mistaken for something else", file);
    fclose(file);
    assert_int_equal(cn_run_open(NULL, path, &run, &error), CN_ERR_INPUT);
    cn_world world = world_open(scene_2d);
    cn_recorder *recorder;
    assert_int_equal(cn_recorder_create(NULL, path, false, world.sim, &recorder, &error),
                     CN_ERR_IO);
    assert_int_equal(cn_recorder_create(NULL, path, true, world.sim, &recorder, &error), CN_OK);
    assert_int_equal(cn_recorder_close(recorder, NULL), CN_OK);
    cn_world other = world_open(scene_3d);
    assert_int_equal(cn_recorder_resume(NULL, path, other.sim, &recorder, &error), CN_ERR_INPUT);
    world_close(&other);
    world_close(&world);
    io_database_remove(path);
}
