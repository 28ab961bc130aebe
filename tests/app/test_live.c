// Live runs: pages watch and steer, the simulation goes its way, and the run file tells all of it.
#include "page.h"

#include <cairn/cairn.h>

static const char scene[] =
    "cairn: 1\nname: two\ndimension: 3\ntime: {step: 0.002, until: 0.5, frames_every: 0.01}\n"
    "materials: {stone: {density: 1000}}\n"
    "contacts: [{between: [stone, stone], friction: 0.5}]\nbodies:\n"
    "  - {name: ground, fixed: true, material: stone, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: box, material: stone, position: [0, 0, 0.5], shape: {box: {size: [1, 1, 1]}}}\n"
    "  - {name: ball, material: stone, position: [3, 0, 0.5], shape: {sphere: {radius: 0.5}}}\n";

static cn_cli enter(void) {
    cn_cli cli = cn_cli_enter();
    io_file_write("two.yaml", scene, strlen(scene));
    return cli;
}

static int greet(const view_server *server) {
    int page = page_open(server);
    page_say(page, "{\"op\":\"hello\",\"v\":1}");
    cJSON *greeting = page_wait_op(page, "hello");
    assert_string_equal(cn_json_string(greeting, "mode"), "live");
    cJSON_Delete(greeting);
    page_message index = page_wait_type(page, 3);
    free(index.data);
    return page;
}

// Sends a command and waits until it is done.
static void command(int page, const char *text, int64_t n) {
    page_say(page, text);
    cJSON *done = page_wait_op(page, "done");
    CN_CHECK_NEAR(io_json_number(done, "n"), (double)n, 0.0);
    cJSON_Delete(done);
}

// Waits until the paused run stands at a step.
static void wait_step(int page, int64_t step) {
    for (;;) {
        cJSON *live = page_wait_op(page, "live");
        double at = io_json_number(live, "step");
        cJSON_Delete(live);
        if (at >= (double)step) {
            CN_CHECK_NEAR(at, (double)step, 0.0);
            return;
        }
    }
}

// Where a body is at a recorded step.
static double height(int page, uint32_t step, size_t body) {
    char ask[96];
    snprintf(ask, sizeof ask, "{\"op\":\"frame\",\"id\":55,\"step\":%u}", step);
    page_say(page, ask);
    for (;;) {
        page_message frame = page_wait_type(page, 1);
        bool asked = page_u32(&frame, 8) == 55;
        double z = page_f32(&frame, 32 + 12 * body + 8);
        if (asked) {
            assert_int_equal(page_u32(&frame, 12), step);
        }
        free(frame.data);
        if (asked) {
            return z;
        }
    }
}

static cn_run *open_run(const char *path) {
    cn_run *run;
    cn_error error = {0};
    if (cn_run_open(NULL, path, &run, &error) != CN_OK) {
        print_error("%s\n", error.message);
        fail();
    }
    return run;
}

// Every step from 1 on has its row.
static bool count_rows(void *user, const cn_step_report *row) {
    int64_t *count = user;
    return row->step == ++*count;
}

static int64_t check_rows(cn_run *run) {
    int64_t count = 0, last;
    cn_error error = {0};
    assert_int_equal(cn_run_ledger_each(run, 0, INT64_MAX, count_rows, &count, &error), CN_OK);
    assert_int_equal(cn_run_last_step(run, &last, &error), CN_OK);
    assert_int_equal(count, last);
    return count;
}

// The events of a run file, applied to its scene again.
static uint64_t simulate_again(cn_run *run, int64_t steps) {
    cn_model *model;
    cn_sim *sim;
    cn_error error = {0};
    cn_run_event *events;
    int64_t count, next = 0;
    cn_arena *memory = cn_arena_create(NULL);
    const char *text = cn_run_meta(run, "scene");
    assert_int_equal(cn_scene_read_text(NULL, "again", text, strlen(text), NULL, 0, &model, &error),
                     CN_OK);
    assert_int_equal(cn_sim_create(model, NULL, &sim, &error), CN_OK);
    assert_int_equal(cn_run_events(run, memory, &events, &count, &error), CN_OK);
    for (int64_t step = 1; step <= steps; step++) {
        for (; next < count && events[next].step <= step; next++) {
            cJSON *json = strncmp(events[next].text, "live: ", 6) == 0
                              ? cJSON_Parse(events[next].text + 6)
                              : NULL;
            cn_steering steering = cn_sim_steering(sim);
            const char *op = json ? cn_json_string(json, "op") : "";
            const cJSON *value = cJSON_GetObjectItem(json, "value");
            if (strcmp(op, "gravity") == 0) {
                for (int k = 0; k < 3; k++) {
                    steering.gravity[k] = cJSON_GetArrayItem(value, k)->valuedouble;
                }
            } else if (strcmp(op, "friction") == 0) {
                steering.friction = value->valuedouble;
            } else if (strcmp(op, "drag") == 0) {
                steering.pulled = 1 + (cn_body_id)io_json_number(json, "body");
                steering.stiffness = io_json_number(json, "k");
                for (int k = 0; k < 3; k++) {
                    steering.point[k] =
                        cJSON_GetArrayItem(cJSON_GetObjectItem(json, "point"), k)->valuedouble;
                    steering.target[k] =
                        cJSON_GetArrayItem(cJSON_GetObjectItem(json, "target"), k)->valuedouble;
                }
            } else if (strcmp(op, "release") == 0) {
                steering.pulled = 0;
            }
            assert_int_equal(cn_sim_steer(sim, &steering, &error), CN_OK);
            cJSON_Delete(json);
        }
        cn_step_report report;
        assert_int_equal(cn_sim_step(sim, &report, &error), CN_OK);
    }
    uint64_t hash = cn_sim_hash(sim);
    cn_sim_destroy(sim);
    cn_model_destroy(model);
    cn_arena_destroy(memory);
    return hash;
}

// Pulled up, the box rises; what was done is in the run file, and doing it again gives the same
// bits.
CN_TEST(a_box_is_dragged_and_the_run_can_be_repeated) {
    cn_cli cli = enter();
    VIEW_START(server, "view", "two.yaml", "--no-browser", "-o", "live.run");
    int page = greet(&server);
    command(page, "{\"op\":\"pause\",\"n\":1}", 1);
    command(page, "{\"op\":\"reset\",\"n\":2}", 2);
    CN_CHECK_NEAR(height(page, 0, 1), 0.5, 1e-6);
    command(page,
            "{\"op\":\"drag\",\"n\":3,\"body\":1,\"point\":[0.5,0,0.5],\"target\":[0.5,0.5,4],"
            "\"k\":20000}",
            3);
    command(page, "{\"op\":\"step\",\"n\":4,\"count\":150}", 4);
    wait_step(page, 150);
    double risen = height(page, 150, 1);
    CN_CHECK_TRUE(risen > 0.8);
    command(page, "{\"op\":\"release\",\"n\":5}", 5);
    command(page, "{\"op\":\"gravity\",\"n\":6,\"value\":[1,0,-20]}", 6);
    command(page, "{\"op\":\"friction\",\"n\":7,\"value\":0.25}", 7);
    command(page, "{\"op\":\"step\",\"n\":8,\"count\":50}", 8);
    wait_step(page, 200);
    close(page);
    assert_int_equal(view_stop(&server), 0);

    cn_run *run = open_run("live.run");
    assert_int_equal(check_rows(run), 200);
    char hash[32];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)simulate_again(run, 200));
    assert_string_equal(cn_run_meta(run, "state_hash"), hash);
    cn_run_close(run);
    CN_CLI_EXPECT(&cli, 0, "check live.run");
    CN_CLI_EXPECT(&cli, 0, "export live.run --to fclib --steps=199:200");
    CN_CHECK_HOLDS(cli.out, "bitwise identical");
    cn_cli_leave(&cli);
}

#define LEDGER_BINS 65536u     // the most that may be asked for
#define LEDGER_KEPT (1u << 20) // steps that are told in any case

// Pages come, go and do not read; the simulation does not care.
CN_TEST(no_step_is_lost_when_pages_come_and_go) {
    cn_cli cli = enter();
    VIEW_START(server, "view", "two.yaml", "--no-browser", "-o", "live.run", "--speed", "0");
    int64_t last = 0;
    char ask[96];
    snprintf(ask, sizeof ask, "{\"op\":\"ledger\",\"id\":3,\"bins\":%u}", LEDGER_BINS);
    int asleep = greet(&server); // never reads again
    for (int i = 0; i < 5; i++) {
        int page = greet(&server);
        page_say(page, ask);
        page_message ledger = page_wait_type(page, 4);
        // What was told so far has no gaps, and goes on from there without one. Steps that are more
        // than the bins share them.
        uint32_t count = page_u32(&ledger, 24), from = page_u32(&ledger, 32),
                 to = page_u32(&ledger, 36), steps = to + 1 - from,
                 width = steps > LEDGER_BINS ? (steps + LEDGER_BINS - 1) / LEDGER_BINS : 1;
        CN_CHECK_TRUE(from == 1 || to > LEDGER_KEPT);
        assert_int_equal(count, (steps + width - 1) / width);
        free(ledger.data);
        page_message more = page_wait_type(page, 4);
        assert_int_equal(page_u32(&more, 8), 0);
        assert_int_equal(page_u32(&more, 32), to + 1);
        CN_CHECK_TRUE((int64_t)to >= last);
        last = to;
        free(more.data);
        close(page);
    }
    close(asleep);
    assert_int_equal(view_stop(&server), 0);
    cn_run *run = open_run("live.run");
    CN_CHECK_TRUE(check_rows(run) >= last);
    cn_run_close(run);
    cn_cli_leave(&cli);
}

// Frames recorded live can be looked at while the run goes on.
CN_TEST(the_past_of_a_live_run_can_be_seen) {
    cn_cli cli = enter();
    VIEW_START(server, "view", "two.yaml", "--no-browser", "--speed", "0");
    int page = greet(&server);
    page_message index = page_wait_type(page, 3); // more frames, once they are readable
    CN_CHECK_TRUE(page_u32(&index, 24) > 0);
    uint32_t step = page_u32(&index, 32 + 8 * (size_t)page_u32(&index, 24));
    free(index.data);
    char ask[96];
    snprintf(ask, sizeof ask, "{\"op\":\"frame\",\"id\":77,\"step\":%u}", step);
    page_say(page, ask);
    for (bool found = false; !found;) {
        page_message frame = page_wait_type(page, 1);
        found = page_u32(&frame, 8) == 77;
        if (found) {
            assert_int_equal(page_u32(&frame, 12), step);
        }
        free(frame.data);
    }
    close(page);
    assert_int_equal(view_stop(&server), 0);
    cn_cli_leave(&cli);
}

CN_TEST(bad_commands_are_answered) {
    cn_cli cli = enter();
    VIEW_START(server, "view", "two.yaml", "--no-browser");
    int page = greet(&server);
    page_say(page, "{\"op\":\"drag\",\"n\":9,\"body\":0,\"point\":[0,0,0],\"target\":[0,0,1],"
                   "\"k\":1}");
    cJSON *error = page_wait_op(page, "error");
    assert_string_equal(cn_json_string(error, "code"), "failed");
    CN_CHECK_NEAR(io_json_number(error, "n"), 9.0, 0.0);
    CN_CHECK_HOLDS(cn_json_string(error, "text"), "cannot be pulled");
    cJSON_Delete(error);
    close(page);
    assert_int_equal(view_stop(&server), 0);
    cn_cli_leave(&cli);
}

// `cairn run --live` ends with its run, and gives the bits of a run without a page.
CN_TEST(run_live_gives_the_same_run) {
    cn_cli cli = enter();
    CN_CLI_EXPECT(&cli, 0, "run two.yaml -o plain.run --quiet");
    view_server server = view_start(
        (const char *const[]){"run", "two.yaml", "--live", "-o", "live.run", "--quiet", NULL}, 2);
    if (server.absent) {
        CN_SKIP("this build has no page or no server");
    }
    int status = 0;
    assert_int_equal(waitpid(server.pid, &status, 0), server.pid);
    fclose(server.out);
    assert_int_equal(status, 0);
    cn_run *live = open_run("live.run"), *plain = open_run("plain.run");
    char *hash = strdup(cn_run_meta(live, "state_hash"));
    assert_string_equal(hash, cn_run_meta(plain, "state_hash"));
    assert_int_equal(cn_run_frame_count(live), cn_run_frame_count(plain));
    assert_string_equal(cn_run_meta(live, "status"), "done");
    free(hash);
    cn_run_close(live);
    cn_run_close(plain);
    cn_cli_leave(&cli);
}
