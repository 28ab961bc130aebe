// The server of the page: what it says is what the run file holds, and it stands whatever is sent.
#include "page.h"

#include <cairn/cairn.h>

// A few steps of a gallery scene, recorded at every tenth of a second.
static void make_run(cn_cli *cli) {
    assert_int_equal(
        cn_cli_run(cli, "run dominoes --until=0.2 --frames-every=0.02 -o a.run --quiet"), 0);
}

static const char hello[] = "{\"op\":\"hello\",\"v\":1}";

static cn_run *open_run(const char *path) {
    cn_run *run;
    cn_error error = {0};
    if (cn_run_open(NULL, path, &run, &error) != CN_OK) {
        print_error("%s\n", error.message);
        fail();
    }
    return run;
}

CN_TEST(greeting_tells_the_run) {
    cn_cli cli = cn_cli_enter();
    make_run(&cli);
    VIEW_START(server, "view", "a.run", "--no-browser");
    int page = page_open(&server);
    page_say(page, hello);
    cJSON *greeting = page_wait_op(page, "hello"), *bodies = page_wait_op(page, "bodies");
    cn_run *run = open_run("a.run");
    assert_string_equal(cn_json_string(greeting, "mode"), "replay");
    cJSON *facts = cJSON_GetObjectItem(greeting, "run");
    assert_string_equal(cn_json_string(facts, "file"), "a.run");
    int64_t last;
    assert_int_equal(cn_run_last_step(run, &last, NULL), CN_OK);
    CN_CHECK_NEAR(io_json_number(facts, "steps"), (double)last, 0.0);
    CN_CHECK_NEAR(io_json_number(greeting, "bodies"), cn_run_body_count(run), 0.0);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(bodies, "name")),
                     cn_run_body_count(run));
    // Dominoes are all alike: two distinct shapes with the ground.
    CN_CHECK_TRUE(cJSON_GetArraySize(cJSON_GetObjectItem(bodies, "shapes")) <= 3);
    page_message index = page_wait_type(page, 3);
    const int64_t *steps;
    const double *times;
    int64_t frames = cn_run_moments(run, &steps, &times);
    assert_int_equal(page_u32(&index, 24), frames);
    for (int64_t i = 0; i < frames; i++) {
        CN_CHECK_NEAR(page_f64(&index, 32 + 8 * (size_t)i), times[i], 0.0);
        assert_int_equal(page_u32(&index, 32 + 8 * (size_t)frames + 4 * (size_t)i), steps[i]);
    }
    free(index.data);
    cn_run_close(run);
    cJSON_Delete(greeting);
    cJSON_Delete(bodies);
    close(page);
    assert_int_equal(view_stop(&server), 0);
    cn_cli_leave(&cli);
}

CN_TEST(frames_are_those_of_the_file) {
    cn_cli cli = cn_cli_enter();
    make_run(&cli);
    VIEW_START(server, "view", "a.run", "--no-browser");
    int page = page_open(&server);
    cn_run *run = open_run("a.run");
    int64_t bodies = cn_run_body_count(run), step;
    double *q = calloc((size_t)bodies * 13, sizeof *q), *v = q + 7 * bodies, t;
    cn_error error = {0};
    int32_t count;
    cn_contact_record *contacts;
    cn_arena *memory = cn_arena_create(NULL);
    assert_int_equal(cn_run_frame(run, 3, &step, &t, q, v, &error), CN_OK);
    assert_int_equal(cn_run_contacts(run, 3, memory, &contacts, &count, &error), CN_OK);
    // A step between two frames gives the one before it.
    char ask[96];
    snprintf(ask, sizeof ask, "{\"op\":\"frame\",\"id\":7,\"step\":%lld}", (long long)step + 1);
    page_say(page, ask);
    page_message frame = page_wait_type(page, 1), touching = page_wait_type(page, 2);
    assert_int_equal(page_u32(&frame, 8), 7);
    assert_int_equal(page_u32(&frame, 12), step);
    assert_int_equal(page_u32(&frame, 24), bodies);
    size_t n = (size_t)bodies;
    assert_int_equal(frame.size, 32 + n * (12 + 8 + 12 + 12));
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < 3; k++) {
            CN_CHECK_NEAR(page_f32(&frame, 32 + 12 * i + 4 * k), (double)(float)q[7 * i + k], 0.0);
            CN_CHECK_NEAR(page_f32(&frame, 32 + 20 * n + 12 * i + 4 * k),
                          (double)(float)v[6 * i + k], 0.0);
        }
        for (size_t k = 0; k < 4; k++) {
            size_t at = 32 + 12 * n + 8 * i + 2 * k;
            int part = (int16_t)(frame.data[at] | frame.data[at + 1] << 8);
            CN_CHECK_NEAR(part / 32767.0, q[7 * i + 3 + k], 0.51 / 32767.0);
        }
    }
    assert_int_equal(page_u32(&touching, 24), count);
    CN_CHECK_TRUE(count > 0);
    size_t m = (size_t)count;
    for (size_t i = 0; i < m; i++) {
        assert_int_equal(page_u32(&touching, 32 + 4 * i), contacts[i].candidate - 1);
        CN_CHECK_NEAR(page_f32(&touching, 32 + 8 * m + 24 * m + 12 * i + 8),
                      (double)(float)(contacts[i].impulse[2] / 0.002), // the scene's step
                      1e-6 * fabs(contacts[i].impulse[2] / 0.002));
        assert_int_equal(touching.data[32 + 52 * m + i], contacts[i].status);
    }
    free(frame.data);
    free(touching.data);
    free(q);
    cn_arena_destroy(memory);
    cn_run_close(run);
    close(page);
    assert_int_equal(view_stop(&server), 0);
    cn_cli_leave(&cli);
}

// The nodes of a deformable body and the stresses of its elements come with each frame, its mesh with
// the bodies.
CN_TEST(deformable_bodies_have_nodes_and_stresses) {
    static const char scene[] =
        "cairn: 1\ndimension: 2\ntime: {step: 1.0e-3, until: 0.02, frames_every: 5.0e-3}\n"
        "materials: {m: {density: 1000, young: 1.0e5, poisson: 0.3}}\nbodies:\n"
        "  - {material: m, position: [1, 2], deformable: {mesh: {box: {size: [1, 1], cells: [2, "
        "1]}}, hold: {group: left}}}\n";
    cn_cli cli = cn_cli_enter();
    io_file_write("soft.yaml", scene, sizeof scene - 1);
    assert_int_equal(cn_cli_run(&cli, "run soft.yaml -o a.run --quiet"), 0);
    VIEW_START(server, "view", "a.run", "--no-browser");
    int page = page_open(&server);
    page_say(page, hello);
    cJSON *greeting = page_wait_op(page, "hello"), *bodies = page_wait_op(page, "bodies");
    const cJSON *soft = cJSON_GetArrayItem(cJSON_GetObjectItem(bodies, "deformable"), 0),
                *mesh = cJSON_GetArrayItem(cJSON_GetObjectItem(bodies, "meshes"), 0);
    CN_CHECK_NEAR(io_json_number(soft, "body"), 0.0, 0.0);
    CN_CHECK_NEAR(cJSON_GetArrayItem(cJSON_GetObjectItem(soft, "place"), 1)->valuedouble, 2.0, 0.0);
    assert_string_equal(cn_json_string(mesh, "element"), "q4");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(mesh, "nodes")), 2 * 6);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(mesh, "elements")), 4 * 2);
    page_message index = page_wait_type(page, 3);
    page_say(page, "{\"op\":\"frame\",\"id\":3,\"step\":20}");
    page_message frame = page_wait_type(page, 1);
    cn_run *run = open_run("a.run");
    cn_arena *memory = cn_arena_create(NULL);
    cn_run_node_state nodes;
    assert_int_equal(cn_run_nodes(run, cn_run_frame_count(run) - 1, memory, &nodes, NULL), CN_OK);
    size_t at = 32 + 4 * 6; // behind place, angle, velocity and spin of one body
    assert_int_equal(page_u32(&frame, 4) >> 16, 1 | 64);
    assert_int_equal(page_u32(&frame, at), 6);
    assert_int_equal(page_u32(&frame, at + 4), 2);
    assert_int_equal(frame.size, at + 8 + 4 * (12 + 12));
    for (size_t i = 0; i < 12; i++) {
        CN_CHECK_NEAR(page_f32(&frame, at + 8 + 4 * i), (double)(float)nodes.x[i], 0.0);
    }
    // Bent by its weight: stresses that are not those of the other element.
    CN_CHECK_TRUE(fabs(page_f32(&frame, at + 56 + 12)) > 1.0);
    CN_CHECK_TRUE(page_f32(&frame, at + 56) != page_f32(&frame, at + 56 + 24));
    cn_arena_destroy(memory);
    cn_run_close(run);
    free(index.data);
    free(frame.data);
    cJSON_Delete(greeting);
    cJSON_Delete(bodies);
    close(page);
    assert_int_equal(view_stop(&server), 0);
    cn_cli_leave(&cli);
}

typedef struct ledger_rows {
    int64_t count;
    double kinetic[256], friction[256];
} ledger_rows;

static bool keep_row(void *user, const cn_step_report *row) {
    ledger_rows *rows = user;
    double before = rows->count > 0 ? rows->friction[rows->count - 1] : 0.0;
    rows->kinetic[rows->count] = row->kinetic;
    rows->friction[rows->count++] = before + row->dissipated_friction;
    return rows->count < 256;
}

CN_TEST(ledger_has_every_step_or_bins_of_them) {
    cn_cli cli = cn_cli_enter();
    make_run(&cli);
    VIEW_START(server, "view", "a.run", "--no-browser");
    int page = page_open(&server);
    ledger_rows rows = {0};
    cn_error error = {0};
    cn_run *run = open_run("a.run");
    assert_int_equal(cn_run_ledger_each(run, 0, INT64_MAX, keep_row, &rows, &error), CN_OK);
    cn_run_close(run);
    page_say(page, "{\"op\":\"ledger\",\"id\":8,\"from\":0,\"to\":100000,\"bins\":65536}");
    page_message all = page_wait_type(page, 4);
    size_t n = (size_t)rows.count, columns = page_u32(&all, 40);
    assert_int_equal(page_u32(&all, 24), n);
    assert_int_equal(page_u32(&all, 32), 1);
    assert_int_equal(page_u32(&all, 36), n);
    assert_int_equal(all.size, 32 + 16 + 12 * n + 8 * columns * n);
    size_t kinetic = 48 + 12 * n + 8 * n * 8, friction = 48 + 12 * n + 8 * n * 12;
    for (size_t i = 0; i < n; i++) {
        CN_CHECK_NEAR(page_f32(&all, kinetic + 4 * i), (double)(float)rows.kinetic[i], 0.0);
        CN_CHECK_NEAR(page_f32(&all, friction + 4 * i), (double)(float)rows.friction[i], 0.0);
    }
    free(all.data);

    // Bins: the smallest and largest of their steps.
    page_say(page, "{\"op\":\"ledger\",\"id\":9,\"from\":11,\"to\":60,\"bins\":10}");
    page_message bins = page_wait_type(page, 4);
    assert_int_equal(page_u32(&bins, 24), 10);
    for (size_t b = 0; b < 10; b++) {
        double low = rows.kinetic[10 + 5 * b], high = low;
        for (size_t i = 1; i < 5; i++) {
            low = fmin(low, rows.kinetic[10 + 5 * b + i]);
            high = fmax(high, rows.kinetic[10 + 5 * b + i]);
        }
        CN_CHECK_NEAR(page_f32(&bins, 48 + 120 + 80 * 8 + 4 * b), (double)(float)low, 0.0);
        CN_CHECK_NEAR(page_f32(&bins, 48 + 120 + 80 * 8 + 40 + 4 * b), (double)(float)high, 0.0);
    }
    free(bins.data);
    close(page);
    assert_int_equal(view_stop(&server), 0);
    cn_cli_leave(&cli);
}

CN_TEST(series_follows_a_body) {
    cn_cli cli = cn_cli_enter();
    make_run(&cli);
    VIEW_START(server, "view", "a.run", "--no-browser");
    int page = page_open(&server);
    cn_run *run = open_run("a.run");
    int64_t frames = cn_run_frame_count(run), step;
    page_say(page, "{\"op\":\"series\",\"id\":9,\"body\":2,\"points\":4}");
    page_message series = page_wait_type(page, 5);
    size_t stride = ((size_t)frames + 3) / 4, n = page_u32(&series, 24);
    double *q = calloc((size_t)cn_run_body_count(run) * 13, sizeof *q), t;
    cn_error error = {0};
    for (size_t i = 0; i < n; i++) {
        int64_t place = i == n - 1 ? frames - 1 : (int64_t)(stride * i);
        assert_int_equal(
            cn_run_frame(run, place, &step, &t, q, q + 7 * (int64_t)cn_run_body_count(run), &error),
            CN_OK);
        CN_CHECK_NEAR(page_f64(&series, 32 + 8 * i), t, 0.0);
        CN_CHECK_NEAR(page_f32(&series, 32 + 12 * n + 12 * i + 8), (double)(float)q[7 * 2 + 2],
                      0.0);
    }
    free(q);
    free(series.data);
    cn_run_close(run);
    close(page);
    assert_int_equal(view_stop(&server), 0);
    cn_cli_leave(&cli);
}

// ---- who may talk ----

CN_TEST(strangers_are_refused) {
    cn_cli cli = cn_cli_enter();
    make_run(&cli);
    VIEW_START(server, "view", "a.run", "--no-browser");
    char good[256], text[512];
    snprintf(good, sizeof good, "Host: 127.0.0.1:%d\r\n", server.port);
    snprintf(text, sizeof text, "GET /?token=%s HTTP/1.1\r\n%s\r\n", server.token, good);
    assert_int_equal(page_ask(&server, text), 200);
    snprintf(text, sizeof text, "GET /?token=%s HTTP/1.1\r\nHost: evil.example\r\n\r\n",
             server.token);
    assert_int_equal(page_ask(&server, text), 403);
    snprintf(text, sizeof text, "GET /?token=%s HTTP/1.1\r\n\r\n", server.token);
    CN_CHECK_TRUE(page_ask(&server, text) != 200); // no Host at all
    snprintf(text, sizeof text, "GET /?token=%s HTTP/1.1\r\n%sOrigin: http://evil.example\r\n\r\n",
             server.token, good);
    assert_int_equal(page_ask(&server, text), 403);
    snprintf(text, sizeof text, "GET /?token=00000000000000000000000000000000 HTTP/1.1\r\n%s\r\n",
             good);
    assert_int_equal(page_ask(&server, text), 403);
    snprintf(text, sizeof text, "GET / HTTP/1.1\r\n%s\r\n", good);
    assert_int_equal(page_ask(&server, text), 403);
    snprintf(text, sizeof text, "POST /?token=%s HTTP/1.1\r\n%sContent-Length: 0\r\n\r\n",
             server.token, good);
    CN_CHECK_TRUE(page_ask(&server, text) >= 400);
    static const char *const paths[] = {"/a.run",  "/../a.run",    "/%2e%2e/a.run",
                                        "//a.run", "/replay.html", "/app.js/.."};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        snprintf(text, sizeof text, "GET %s?token=%s HTTP/1.1\r\n%s\r\n", paths[i], server.token,
                 good);
        CN_CHECK_TRUE(page_ask(&server, text) >= 400);
    }
    page_check_alive(&server);
    assert_int_equal(view_stop(&server), 0);
    cn_cli_leave(&cli);
}

CN_TEST(sockets_of_strangers_are_refused) {
    cn_cli cli = cn_cli_enter();
    make_run(&cli);
    VIEW_START(server, "view", "a.run", "--no-browser");
    struct {
        const char *host, *origin, *protocol;
    } bad[] = {{"evil.example", NULL, NULL},
               {NULL, "http://evil.example", NULL},
               {NULL, "null", NULL},
               {NULL, "https://127.0.0.1", NULL},
               {NULL, NULL, "Sec-WebSocket-Protocol: other"},
               {NULL, NULL, "X-Nothing: 1"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int handle = page_connect(&server);
        int status =
            page_upgrade(&server, handle, bad[i].host, bad[i].origin, NULL, bad[i].protocol);
        if (status == 101) {
            print_error("case %d was let in\n", (int)i);
            fail();
        }
        close(handle);
    }
    int handle = page_connect(&server);
    assert_int_equal(page_upgrade(&server, handle, NULL, NULL, "0123", NULL), 101);
    page_say(handle, hello);
    assert_int_equal(page_close_code(handle), 4001);
    close(handle);
    page_check_alive(&server);
    assert_int_equal(view_stop(&server), 0);
    cn_cli_leave(&cli);
}

CN_TEST(a_fifth_page_is_refused) {
    cn_cli cli = cn_cli_enter();
    make_run(&cli);
    VIEW_START(server, "view", "a.run", "--no-browser");
    int pages[5];
    for (int i = 0; i < 5; i++) {
        pages[i] = page_open(&server);
    }
    assert_int_equal(page_close_code(pages[4]), 4002);
    page_say(pages[3], hello);
    cJSON_Delete(page_wait_op(pages[3], "hello"));
    for (int i = 0; i < 5; i++) {
        close(pages[i]);
    }
    assert_int_equal(view_stop(&server), 0);
    cn_cli_leave(&cli);
}

CN_TEST(recordings_take_no_commands) {
    cn_cli cli = cn_cli_enter();
    make_run(&cli);
    VIEW_START(server, "view", "a.run", "--no-browser");
    int page = page_open(&server);
    page_say(page, "{\"op\":\"gravity\",\"n\":3,\"value\":[0,0,1]}");
    cJSON *error = page_wait_op(page, "error");
    assert_string_equal(cn_json_string(error, "code"), "read-only");
    CN_CHECK_NEAR(io_json_number(error, "n"), 3.0, 0.0);
    cJSON_Delete(error);
    close(page);
    assert_int_equal(view_stop(&server), 0);
    cn_cli_leave(&cli);
}

// ---- what may be sent ----

CN_TEST(malformed_messages_get_an_error) {
    static const char *const bad[] = {"",
                                      "{",
                                      "[]",
                                      "null",
                                      "7",
                                      "\"op\"",
                                      "{\"op\":7}",
                                      "{\"op\":\"what\"}",
                                      "{\"op\":\"hello\"}",
                                      "{\"op\":\"hello\",\"v\":2}",
                                      "{\"op\":\"frame\",\"id\":7}",
                                      "{\"op\":\"frame\",\"id\":7,\"step\":-1}",
                                      "{\"op\":\"frame\",\"id\":7,\"step\":1e300}",
                                      "{\"op\":\"frame\",\"id\":7,\"step\":\"3\"}",
                                      "{\"op\":\"frame\",\"id\":7,\"step\":0.5}",
                                      "{\"op\":\"ledger\",\"bins\":0}",
                                      "{\"op\":\"ledger\",\"bins\":1e9}",
                                      "{\"op\":\"series\",\"body\":1000000}",
                                      "{\"op\":\"series\",\"body\":-1}",
                                      "{\"op\":\"gravity\",\"value\":[0,0]}",
                                      "{\"op\":\"gravity\",\"value\":[0,0,\"1\"]}",
                                      "{\"op\":\"drag\",\"body\":1,\"point\":[0,0,0],\"k\":1}",
                                      "{\"op\":\"speed\",\"value\":-1}"};
    cn_cli cli = cn_cli_enter();
    make_run(&cli);
    VIEW_START(server, "view", "a.run", "--no-browser");
    int page = page_open(&server);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        page_say(page, bad[i]);
        cJSON *error = page_wait_op(page, "error");
        assert_string_equal(cn_json_string(error, "code"), "bad-message");
        cJSON_Delete(error);
    }
    // Bytes that are no text at all.
    unsigned char bytes[300];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (unsigned char)(i * 37);
    }
    page_frame(page, 1, bytes, sizeof bytes);
    char nested[4001];
    memset(nested, '[', sizeof nested - 1);
    nested[sizeof nested - 1] = '\0';
    page_say(page, nested);
    page_check_alive(&server);
    close(page);
    assert_int_equal(view_stop(&server), 0);
    cn_cli_leave(&cli);
}

CN_TEST(oversized_and_binary_messages_end_the_connection) {
    cn_cli cli = cn_cli_enter();
    make_run(&cli);
    VIEW_START(server, "view", "a.run", "--no-browser");
    char *large = malloc(300000);
    memset(large, ' ', 300000);
    int page = page_open(&server);
    page_frame(page, 1, large, 300000);
    int code = page_close_code(page);
    CN_CHECK_TRUE(code == 1009 || code == -1);
    close(page);
    page = page_open(&server);
    page_frame(page, 2, large, 16);
    CN_CHECK_TRUE(page_close_code(page) != 0);
    close(page);
    free(large);
    page_check_alive(&server);
    assert_int_equal(view_stop(&server), 0);
    cn_cli_leave(&cli);
}

// Raw bytes in place of frames: lengths that lie, reserved bits, no mask, a close in the middle.
CN_TEST(broken_frames_do_not_hurt_the_server) {
    static const struct {
        size_t size;
        unsigned char bytes[16];
    } bad[] = {
        {10, {0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}}, // 2^64 - 1 bytes
        {10, {0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
        {4, {0x81, 0x02, '{', '}'}},               // no mask
        {6, {0xf1, 0x80, 0, 0, 0, 0}},             // reserved bits
        {6, {0x83, 0x80, 0, 0, 0, 0}},             // an opcode that is none
        {6, {0x80, 0x80, 0, 0, 0, 0}},             // a continuation of nothing
        {8, {0x89, 0xfe, 0x10, 0, 0, 0, 0, 0}},    // a ping of 4 kB
        {8, {0x88, 0x82, 0, 0, 0, 0, 0xff, 0xff}}, // a close with a code that is none
        {7, {0x88, 0x81, 0, 0, 0, 0, 1}},
        {3, {0x01, 0xfe, 0x00}}, // cut off
        {1, {0x81}},
    };
    cn_cli cli = cn_cli_enter();
    make_run(&cli);
    VIEW_START(server, "view", "a.run", "--no-browser");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int page = page_open(&server);
        page_write(page, bad[i].bytes, bad[i].size);
        page_say(page, hello);
        close(page);
    }
    // Requests that are no HTTP, or one that never ends.
    static const char *const requests[] = {"\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
                                           "\x16\x03\x01\x02\x00\x01\x00", "GET /?token="};
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        int handle = page_connect(&server);
        page_write(handle, requests[i], strlen(requests[i]));
        close(handle);
    }
    char *endless = malloc(200000);
    memset(endless, 'a', 200000);
    memcpy(endless, "GET /", 5);
    int handle = page_connect(&server);
    page_write(handle, endless, 200000);
    close(handle);
    free(endless);
    page_check_alive(&server);
    assert_int_equal(view_stop(&server), 0);
    cn_cli_leave(&cli);
}

// A browser masks what it sends (RFC 6455, 5.1); who does not is no browser.
CN_TEST(frames_without_a_mask_are_refused) {
    static const unsigned char text[] = "{\"op\":\"hello\",\"v\":1}";
    unsigned char frame[2 + sizeof text] = {0x81, sizeof text - 1};
    cn_cli cli = cn_cli_enter();
    make_run(&cli);
    VIEW_START(server, "view", "a.run", "--no-browser");
    int page = page_open(&server);
    memcpy(frame + 2, text, sizeof text - 1);
    page_write(page, frame, 2 + sizeof text - 1);
    int code = page_close_code(page);
    CN_CHECK_TRUE(code == 1002 || code == -1);
    close(page);
    page_check_alive(&server);
    assert_int_equal(view_stop(&server), 0);
    cn_cli_leave(&cli);
}

// Connections that say nothing, more than the server holds at once, do not keep a page out.
CN_TEST(idle_connections_do_not_lock_a_page_out) {
    enum { IDLE = 200 };
    cn_cli cli = cn_cli_enter();
    make_run(&cli);
    VIEW_START(server, "view", "a.run", "--no-browser");
    int idle[IDLE];
    for (int i = 0; i < IDLE; i++) {
        idle[i] = page_connect(&server);
    }
    page_check_alive(&server);
    for (int i = 0; i < IDLE; i++) {
        close(idle[i]);
    }
    assert_int_equal(view_stop(&server), 0);
    cn_cli_leave(&cli);
}

CN_TEST(flooding_ends_the_connection) {
    cn_cli cli = cn_cli_enter();
    make_run(&cli);
    VIEW_START(server, "view", "a.run", "--no-browser");
    int page = page_open(&server);
    for (int i = 0; i < 5000; i++) {
        page_say(page, "{\"op\":\"ack\",\"step\":0}");
    }
    int code = page_close_code(page);
    CN_CHECK_TRUE(code == 4003 || code == -1);
    close(page);
    page_check_alive(&server);
    assert_int_equal(view_stop(&server), 0);
    cn_cli_leave(&cli);
}
