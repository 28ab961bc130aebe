// Run files and checkpoints as somebody else may make them: damaged, or with a schema of their own.
// Nothing of them is taken that does not fit, and nothing crashes.
#include "check.h"

#include "base/hash.h"
#include "io/database.h"
#include "step/save/save.h"
#include "step/systems/rigid_system.h"

#include <cairn/cairn.h>
#include <dirent.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct world {
    cn_model *model;
    cn_sim *sim;
} world;

static world open_scene(const char *name, const cn_override *set, int32_t count, int32_t steps) {
    world w = {NULL, NULL};
    char path[512];
    cn_error error = {0};
    snprintf(path, sizeof path, "%s/scenes/%s.yaml", CAIRN_SOURCE_DIR, name);
    if (cn_scene_read(NULL, path, set, count, &w.model, &error) != CN_OK ||
        cn_sim_create(w.model, NULL, &w.sim, &error) != CN_OK) {
        print_error("%s: %s\n", path, error.message);
        fail();
    }
    for (int32_t i = 0; i < steps; i++) {
        cn_step_report report;
        CN_CHECK_TRUE(cn_sim_step(w.sim, &report, &error) == CN_OK);
    }
    return w;
}

static void close_world(world *w) {
    cn_sim_destroy(w->sim);
    cn_model_destroy(w->model);
}

// ---- checkpoints ----

typedef struct saved {
    world w;
    unsigned char *bytes;
    size_t size;
} saved;

static saved save_of(const char *name, const cn_override *set, int32_t count, int32_t steps) {
    saved s = {.w = open_scene(name, set, count, steps)};
    void *bytes;
    CN_CHECK_TRUE(cn_sim_save(s.w.sim, &bytes, &s.size) == CN_OK);
    s.bytes = bytes;
    return s;
}

static void end_saved(saved *s) {
    cn_sim_free(s->w.sim, s->bytes, s->size);
    close_world(&s->w);
}

// The checksum of what the bytes now are, as somebody who knows the format would put it.
static void sign(saved *s) {
    step_save_head head;
    memcpy(&head, s->bytes, sizeof head);
    head.checksum = 0;
    const base_hash_part parts[] = {{&head, sizeof head},
                                    {s->bytes + sizeof head, s->size - sizeof head}};
    head.checksum = base_hash_parts(parts, 2);
    memcpy(s->bytes, &head, sizeof head);
}

// Bytes at a place changed, signed or not: refused with these words, and the sim is as it was.
static void check_refused(saved *s, size_t at, const void *bytes, size_t size, bool signs,
                          const char *words) {
    unsigned char before[64];
    uint64_t hash = cn_sim_hash(s->w.sim);
    cn_error error = {0};
    CN_CHECK_TRUE(size <= sizeof before && at + size <= s->size);
    memcpy(before, s->bytes + at, size);
    memcpy(s->bytes + at, bytes, size);
    if (signs) {
        sign(s);
    }
    cn_status status = cn_sim_load(s->w.sim, s->bytes, s->size, &error);
    if (status != CN_ERR_INPUT || !strstr(error.message, words)) {
        print_error("byte %zu: %s, \"%s\", want \"%s\"\n", at, cn_status_text(status),
                    error.message, words);
        fail();
    }
    CN_CHECK_TRUE(cn_sim_hash(s->w.sim) == hash);
    memcpy(s->bytes + at, before, size);
    sign(s);
    CN_CHECK_TRUE(cn_sim_load(s->w.sim, s->bytes, s->size, &error) == CN_OK);
}

#define HEAD(field) offsetof(step_save_head, field)

CN_TEST(every_byte_of_a_checkpoint_is_under_its_checksum) {
    saved s = save_of("masonry-arch", NULL, 0, 5);
    cn_error error = {0};
    for (size_t at = 0; at < s.size; at += at < 200 ? 1 : 37) {
        s.bytes[at] ^= 1;
        CN_CHECK_TRUE(cn_sim_load(s.w.sim, s.bytes, s.size, &error) == CN_ERR_INPUT);
        s.bytes[at] ^= 1;
    }
    for (size_t size = 0; size < s.size; size += size < 200 ? 1 : 97) {
        CN_CHECK_TRUE(cn_sim_load(s.w.sim, s.bytes, size, &error) == CN_ERR_INPUT);
    }
    CN_CHECK_TRUE(cn_sim_load(s.w.sim, s.bytes, s.size, &error) == CN_OK);
    end_saved(&s);
}

CN_TEST(a_changed_warm_start_impulse_is_refused) {
    saved s = save_of("masonry-arch", NULL, 0, 5);
    const model_state *now = &s.w.sim->state;
    CN_CHECK_TRUE(now->impulse_count > 4 && now->impulse[3] != 0.0);
    size_t at = sizeof(step_save_head) + sizeof(double) * 13 * (size_t)s.w.sim->model->body_count +
                3 * sizeof(double);
    double stored, changed = now->impulse[3] * 1.5;
    memcpy(&stored, s.bytes + at, sizeof stored);
    CN_CHECK_TRUE(stored == now->impulse[3]);
    check_refused(&s, at, &changed, sizeof changed, false, "checksum");
    end_saved(&s);
}

CN_TEST(every_field_of_a_checkpoint_is_checked_whatever_its_checksum) {
    saved s = save_of("masonry-arch", NULL, 0, 5);
    const cn_model *model = s.w.sim->model;
    size_t bodies = (size_t)model->body_count, impulses = (size_t)s.w.sim->state.impulse_count,
           q = sizeof(step_save_head), v = q + sizeof(double) * 7 * bodies,
           r = v + sizeof(double) * 6 * bodies, key = r + sizeof(double) * 3 * impulses,
           past = key + sizeof(model_contact_key) * impulses,
           contact = past + impulses * (1 + sizeof(model_contact_motion));
    const int32_t minus = -1, many = INT32_MAX, two = 2, body = model->body_count;
    const int64_t before = -1, late = INT64_MAX, eight = 8;
    const double nan = NAN, infinite = INFINITY, negative = -1.0, three = 3.0;
    const uint8_t unknown = 255;
    const uint64_t foreign = 42;
    const struct {
        size_t at;
        const void *bytes;
        size_t size;
        const char *words;
    } changes[] = {
        {HEAD(magic), &foreign, 8, "another version"},
        {HEAD(step), &before, 8, "step is out of range"},
        {HEAD(step), &late, 8, "step is out of range"},
        {HEAD(last_h), &nan, 8, "last step"},
        {HEAD(last_h), &negative, 8, "last step"},
        {HEAD(last_h), &infinite, 8, "last step"},
        {HEAD(drift_limit), &nan, 8, "last step"},
        {HEAD(drift_limit), &negative, 8, "last step"},
        {HEAD(dim), &two, 4, "another model"},
        {HEAD(bodies), &minus, 4, "another model"},
        {HEAD(bodies), &many, 4, "another model"},
        {HEAD(impulses), &minus, 4, "negative number of impulses"},
        {HEAD(impulses), &many, 4, "cut short"},
        {HEAD(motion), &two, 4, "another model"},
        {HEAD(outside), &minus, 4, "head"},
        {HEAD(steered), &two, 4, "head"},
        {HEAD(steered), &minus, 4, "head"},
        {q, &nan, 8, "a pose"},
        {q + 3 * 8, &three, 8, "a pose"},
        {q + 7 * 8 * (bodies - 1), &infinite, 8, "a pose"},
        {v, &nan, 8, "a velocity"},
        {r - 8, &infinite, 8, "a velocity"},
        {r, &nan, 8, "an impulse"},
        {key - 8, &infinite, 8, "an impulse"},
        {key, &minus, 4, "a body that is not there"},
        {key, &body, 4, "a body that is not there"},
        {key + 4, &many, 4, "a body that is not there"},
        {key + 4, &body, 4, "a body that is not there"},
        {key + 4, &minus, 4, "a body that is not there"},
        {key + sizeof(model_contact_key) * (impulses - 1), &body, 4, "a body that is not there"},
        {key + 8, &late, 8, "not in order"},
        {past, &unknown, 1, "the past"},
        {past + impulses - 1, &unknown, 1, "the past"},
        {past + impulses, &nan, 8, "the motion"},
        {contact - 8, &infinite, 8, "the motion"},
        {HEAD(contacts), &minus, 4, "contacts"},
        {HEAD(contacts), &many, 4, "cut short"},
        {HEAD(unused), &two, 4, "head"},
        {HEAD(journal), &before, 8, "cut short"},
        {HEAD(journal), &late, 8, "cut short"},
        {HEAD(journal), &eight, 8, "damaged"},
        {contact, &many, 4, "a contact of the last step"},
        {contact + offsetof(step_stored_contact, impulse), &nan, 8, "a contact of the last step"},
        {contact + offsetof(step_stored_contact, status), &unknown, 1,
         "a contact of the last step"},
    };
    size_t listed = (size_t)s.w.sim->last.contacts.count;
    CN_CHECK_TRUE(model->stores_motion && listed > 0 &&
                  s.size == contact + listed * sizeof(step_stored_contact));
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        check_refused(&s, changes[i].at, changes[i].bytes, changes[i].size, true, changes[i].words);
    }
    end_saved(&s);
}

CN_TEST(what_sleeps_in_a_checkpoint_is_checked) {
    saved s = save_of("sleeping-stacks", NULL, 0, 600);
    const cn_sim *sim = s.w.sim;
    size_t bodies = (size_t)sim->model->body_count,
           stored = (sim->sleep.stored.size + sim->sleep.fresh.size) / sizeof(step_stored_contact),
           sleep = s.size - stored * sizeof(step_stored_contact) - sizeof(int64_t) - 60 * bodies,
           count = s.size - stored * sizeof(step_stored_contact) - sizeof(int64_t),
           first = count + sizeof(int64_t);
    CN_CHECK_TRUE(stored > 0);
    const int32_t minus = -2, many = INT32_MAX;
    const int64_t more = (int64_t)stored + 1, negative_count = -1;
    const double nan = NAN, negative = -1.0;
    const uint8_t unknown = 3;
    check_refused(&s, sleep, &nan, 8, true, "how long");
    check_refused(&s, sleep, &negative, 8, true, "how long");
    check_refused(&s, sleep + 8 * bodies, &nan, 8, true, "load of a body at rest");
    check_refused(&s, sleep + 56 * bodies, &minus, 4, true, "island");
    check_refused(&s, sleep + 56 * bodies, &many, 4, true, "island");
    check_refused(&s, count, &more, 8, true, "size");
    check_refused(&s, count, &negative_count, 8, true, "size");
    check_refused(&s, first, &many, 4, true, "bodies that sleep");
    check_refused(&s, first + offsetof(step_stored_contact, contact.gap), &nan, 8, true,
                  "bodies that sleep");
    check_refused(&s, first + offsetof(step_stored_contact, friction), &negative, 8, true,
                  "bodies that sleep");
    check_refused(&s, first + offsetof(step_stored_contact, status), &unknown, 1, true,
                  "bodies that sleep");
    end_saved(&s);
}

CN_TEST(steering_and_joints_in_a_checkpoint_are_checked) {
    world w = open_scene("four-bar", NULL, 0, 5);
    close_world(&w);
    saved s = save_of("newtons-cradle", NULL, 0, 1);
    cn_steering steering = cn_sim_steering(s.w.sim);
    cn_error error = {0};
    void *bytes;
    steering.friction = 2.0;
    CN_CHECK_TRUE(cn_sim_steer(s.w.sim, &steering, &error) == CN_OK);
    cn_sim_free(s.w.sim, s.bytes, s.size);
    CN_CHECK_TRUE(cn_sim_save(s.w.sim, &bytes, &s.size) == CN_OK);
    s.bytes = bytes;
    const double nan = NAN, negative = -1.0;
    const int32_t many = INT32_MAX;
    size_t at = s.size - sizeof(step_save_steering);
    check_refused(&s, at + offsetof(step_save_steering, steering.friction), &negative, 8, true,
                  "steering");
    check_refused(&s, at + offsetof(step_save_steering, steering.gravity), &nan, 8, true,
                  "steering");
    check_refused(&s, at + offsetof(step_save_steering, steering.pulled), &many, 4, true,
                  "steering");
    check_refused(&s, at + offsetof(step_save_steering, work), &nan, 8, true, "steering");
    end_saved(&s);
}

// A system's checkpoint, signed by somebody who knows the format: three words, then numbers.
static void check_system_refused(const saved *s, size_t number, double value, const char *words) {
    unsigned char *bytes = malloc(s->size);
    uint64_t head[3];
    cn_error error = {0};
    CN_CHECK_TRUE(bytes != NULL);
    memcpy(bytes, s->bytes, s->size);
    memcpy(bytes + sizeof head + sizeof value * number, &value, sizeof value);
    CN_CHECK_TRUE(cn_sim_load(s->w.sim, bytes, s->size, &error) == CN_ERR_INPUT);
    CN_CHECK_TRUE(strstr(error.message, "checksum") != NULL);
    memcpy(head, bytes, sizeof head);
    head[1] = 0;
    const base_hash_part parts[] = {{head, sizeof head},
                                    {bytes + sizeof head, s->size - sizeof head}};
    head[1] = base_hash_parts(parts, 2);
    memcpy(bytes, head, sizeof head);
    cn_status status = cn_sim_load(s->w.sim, bytes, s->size, &error);
    if (status != CN_ERR_INPUT) {
        print_error("number %zu as %g: %s\n", number, value, cn_status_text(status));
        fail();
    }
    CN_CHECK_TRUE(strstr(error.message, words) != NULL);
    free(bytes);
}

CN_TEST(checkpoints_of_systems_are_checked) {
    saved s = save_of("friction-oscillator", NULL, 0, 5);
    cn_error error = {0};
    check_system_refused(&s, 0, NAN, "out of range");
    check_system_refused(&s, 0, -1.0, "out of range");
    check_system_refused(&s, 0, 1e300, "out of range");
    check_system_refused(&s, 1, INFINITY, "out of range");
    CN_CHECK_TRUE(cn_sim_load(s.w.sim, s.bytes, s.size - 8, &error) == CN_ERR_INPUT);
    CN_CHECK_TRUE(cn_sim_load(s.w.sim, s.bytes, s.size, &error) == CN_OK);
    end_saved(&s);
    // Bodies under an integrator of systems store the bodies of their contacts as numbers.
    const cn_override alpha[] = {{"integrator.scheme", "generalized-alpha"}};
    s = save_of("block-on-slope", alpha, 1, 20);
    const step_rigid_system *rigid = s.w.sim->rigid;
    size_t numbers = s.size / sizeof(double) - 3,
           first = numbers - (size_t)rigid->kept_count + (size_t)(rigid->key - rigid->kept);
    int32_t used = 0;
    for (int32_t i = 0; i < rigid->slot_count; i++) {
        if (rigid->key[4 * i] > 0.0) {
            for (size_t k = 0; k < 4; k++) {
                check_system_refused(&s, first + 4 * (size_t)i + k, 1e18, "out of range");
                check_system_refused(&s, first + 4 * (size_t)i + k, -5.0, "out of range");
                check_system_refused(&s, first + 4 * (size_t)i + k, NAN, "out of range");
            }
            used++;
        }
    }
    size_t kept = numbers - (size_t)rigid->kept_count;
    size_t friction = kept + (size_t)(rigid->steered - rigid->kept) + 3;
    check_system_refused(&s, friction, -1.0, "out of range");
    check_system_refused(&s, kept + (size_t)(rigid->outside - rigid->kept), NAN, "out of range");
    CN_CHECK_TRUE(used > 0);
    end_saved(&s);
}

// ---- run files ----

static void temporary(char path[64]) {
    snprintf(path, 64, "/tmp/cairn-hostile-%d.run", (int)getpid());
    io_database_remove(path);
}

static void record(const char *path, const char *name, int32_t steps) {
    world w = open_scene(name, NULL, 0, 0);
    cn_recorder *recorder;
    cn_error error = {0};
    CN_CHECK_TRUE(cn_recorder_create(NULL, path, true, w.sim, &recorder, &error) == CN_OK);
    for (int32_t i = 0; i < steps; i++) {
        cn_step_report report;
        CN_CHECK_TRUE(cn_sim_step(w.sim, &report, &error) == CN_OK);
        CN_CHECK_TRUE(cn_recorder_ledger(recorder, &report, &error) == CN_OK);
        CN_CHECK_TRUE(cn_recorder_frame(recorder, w.sim, &error) == CN_OK);
        if (i + 3 >= steps) {
            CN_CHECK_TRUE(cn_recorder_checkpoint(recorder, w.sim, &error) == CN_OK);
        }
    }
    CN_CHECK_TRUE(cn_recorder_close(recorder, &error) == CN_OK);
    close_world(&w);
}

static void change(const char *path, const char *sql) {
    sqlite3 *database;
    char *message = NULL;
    CN_CHECK_TRUE(sqlite3_open(path, &database) == SQLITE_OK);
    if (sqlite3_exec(database, sql, NULL, NULL, &message) != SQLITE_OK) {
        print_error("%s: %s\n", sql, message);
        fail();
    }
    sqlite3_close(database);
}

CN_TEST(schemas_with_code_in_them_are_refused) {
    static const char *const schemas[] = {
        "CREATE VIEW more AS SELECT * FROM frame",
        "ALTER TABLE frame RENAME TO other; CREATE VIEW frame AS SELECT * FROM other",
        "CREATE TRIGGER gone AFTER INSERT ON ledger BEGIN DELETE FROM frame; END",
        "CREATE INDEX by_time ON ledger(abs(t))",
        "CREATE TABLE more(a INTEGER, b INTEGER GENERATED ALWAYS AS (a + 1))",
        "CREATE TABLE more(a INTEGER CHECK(a > 0))",
        "CREATE TABLE more(a INTEGER DEFAULT (random()))",
        "CREATE TABLE more(a INTEGER REFERENCES frame(step) ON DELETE CASCADE)",
        "DROP TABLE event; CREATE TABLE event(step INTEGER, t REAL, text TEXT AS (hex(step)))",
        "CREATE VIRTUAL TABLE more USING fts5(a)",
    };
    char path[64];
    temporary(path);
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++) {
        cn_run *run = NULL;
        cn_recorder *recorder = NULL;
        cn_error error = {0};
        record(path, "newtons-cradle", 3);
        world w = open_scene("newtons-cradle", NULL, 0, 0);
        change(path, schemas[i]);
        cn_status status = cn_run_open(NULL, path, &run, &error);
        if (status != CN_ERR_INPUT || !strstr(error.message, "not a plain table")) {
            print_error("%s: %s %s\n", schemas[i], cn_status_text(status), error.message);
            fail();
        }
        CN_CHECK_TRUE(cn_recorder_resume(NULL, path, w.sim, &recorder, &error) == CN_ERR_INPUT);
        CN_CHECK_TRUE(!run && !recorder);
        close_world(&w);
    }
    io_database_remove(path);
}

// Everything that a reader asks of a run file; returns the first status that is not CN_OK.
static cn_status read_all(const char *path) {
    cn_run *run = NULL;
    cn_error error = {0};
    cn_status status = cn_run_open(NULL, path, &run, &error);
    if (status != CN_OK) {
        return status;
    }
    cn_arena *memory = cn_arena_create(NULL);
    cn_step_report *rows;
    cn_run_event *events;
    cn_run_body *bodies;
    cn_run_grade *grade = base_arena_take(memory, 1, sizeof *grade);
    int64_t count;
    CN_CHECK_TRUE(grade);
    status = cn_run_ledger(run, memory, &rows, &count, &error);
    cn_status next = cn_run_events(run, memory, &events, &count, &error);
    status = status == CN_OK ? next : status;
    next = cn_run_bodies(run, memory, &bodies, &error);
    status = status == CN_OK ? next : status;
    next = cn_run_check(run, NULL, (double)NAN, grade, &error);
    next = next == CN_OK && !grade->within ? CN_ERR_INPUT : next; // a finding is a refusal as well
    status = status == CN_OK ? next : status;
    int64_t last;
    cn_run_last_step(run, &last, NULL);
    cn_run_last_checkpoint(run, &last, NULL);
    cn_arena_destroy(memory);
    cn_run_close(run);
    return status;
}

CN_TEST(rows_of_the_wrong_kind_are_refused) {
    static const char *const changes[] = {
        "UPDATE frame SET q=zeroblob(8) WHERE step=2",
        "UPDATE frame SET q=zeroblob(20000000) WHERE step=2",
        "UPDATE frame SET v=NULL WHERE step=2",
        "UPDATE frame SET q='text' WHERE step=2",
        "UPDATE frame SET q=17 WHERE step=2",
        "UPDATE contact SET n=-1",
        "UPDATE contact SET n=1000000000",
        "UPDATE contact SET n='many'",
        "UPDATE contact SET bodies=zeroblob(8*n)",
        "UPDATE contact SET bodies=NULL",
        "UPDATE contact SET status=zeroblob(1)",
        "UPDATE contact SET impulse='x'",
        "DROP TABLE body",
        "DROP TABLE meta",
        "DROP TABLE frame",
        "DROP TABLE contact",
        "DROP TABLE ledger",
        "DROP TABLE event",
        "DELETE FROM meta",
        "UPDATE meta SET value='17' WHERE key='dimension'",
        "UPDATE meta SET value=zeroblob(10) WHERE key='dimension'",
        "DELETE FROM body WHERE id=2",
    };
    char path[64];
    temporary(path);
    record(path, "masonry-arch", 3);
    CN_CHECK_TRUE(read_all(path) == CN_OK);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        record(path, "masonry-arch", 3);
        change(path, changes[i]);
        cn_status status = read_all(path);
        if (status != CN_ERR_INPUT) {
            print_error("%s: %s\n", changes[i], cn_status_text(status));
            fail();
        }
    }
    io_database_remove(path);
}

static cn_status resume(const char *path, int64_t *step) {
    world w = open_scene("masonry-arch", NULL, 0, 0);
    cn_recorder *recorder = NULL;
    cn_error error = {0};
    cn_status status = cn_recorder_resume(NULL, path, w.sim, &recorder, &error);
    *step = status == CN_OK ? cn_sim_step_index(w.sim) : -1;
    cn_recorder_close(recorder, NULL);
    close_world(&w);
    return status;
}

CN_TEST(a_damaged_checkpoint_is_refused_and_the_one_before_it_taken) {
    char path[64];
    int64_t step;
    temporary(path);
    // One byte of a warm-start impulse, in the last checkpoint and then in both.
    const char *damage = "UPDATE checkpoint SET state=CAST(substr(state, 1, 4000) || x'2a' || "
                         "substr(state, 4002) AS BLOB) WHERE step>=%d";
    char sql[256];
    record(path, "masonry-arch", 6);
    CN_CHECK_TRUE(resume(path, &step) == CN_OK && step == 6);
    snprintf(sql, sizeof sql, damage, 6);
    change(path, sql);
    CN_CHECK_TRUE(resume(path, &step) == CN_OK);
    CN_CHECK_TRUE(step == 5);
    cn_run *run;
    cn_run_event *events;
    int64_t count;
    cn_arena *memory = cn_arena_create(NULL);
    CN_CHECK_TRUE(cn_run_open(NULL, path, &run, NULL) == CN_OK);
    CN_CHECK_TRUE(cn_run_events(run, memory, &events, &count, NULL) == CN_OK);
    CN_CHECK_TRUE(count == 1 && strstr(events[0].text, "step 6 was refused") &&
                  strstr(events[0].text, "checksum"));
    cn_arena_destroy(memory);
    cn_run_close(run);
    record(path, "masonry-arch", 6);
    snprintf(sql, sizeof sql, damage, 0);
    change(path, sql);
    CN_CHECK_TRUE(resume(path, &step) == CN_ERR_INPUT);
    static const char *const others[] = {"DELETE FROM checkpoint",
                                         "DROP TABLE checkpoint",
                                         "UPDATE checkpoint SET state=NULL",
                                         "UPDATE checkpoint SET state='x'",
                                         "UPDATE checkpoint SET step=step+10",
                                         "UPDATE checkpoint SET hash='0123456789abcdef'",
                                         "UPDATE checkpoint SET state=zeroblob(20000000)"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        record(path, "masonry-arch", 6);
        change(path, others[i]);
        CN_CHECK_TRUE(resume(path, &step) == CN_ERR_INPUT);
    }
    io_database_remove(path);
}

CN_TEST(files_that_cannot_be_opened_are_errors) {
    char path[64], inside[96];
    temporary(path);
    cn_run *run = NULL;
    cn_error error = {0};
    // A folder, a pipe, a device, a path through a file, and one that is too long.
    CN_CHECK_TRUE(mkdir(path, 0700) == 0);
    CN_CHECK_TRUE(cn_run_open(NULL, path, &run, &error) == CN_ERR_IO && error.message[0]);
    CN_CHECK_TRUE(rmdir(path) == 0 && mkfifo(path, 0600) == 0);
    CN_CHECK_TRUE(cn_run_open(NULL, path, &run, &error) == CN_ERR_IO && error.message[0]);
    CN_CHECK_TRUE(unlink(path) == 0);
    CN_CHECK_TRUE(cn_run_open(NULL, "/dev/zero", &run, &error) == CN_ERR_IO && error.message[0]);
    record(path, "newtons-cradle", 2);
    snprintf(inside, sizeof inside, "%s/run", path);
    CN_CHECK_TRUE(cn_run_open(NULL, inside, &run, &error) == CN_ERR_IO && error.message[0]);
    char *endless = calloc(8192, 1);
    CN_CHECK_TRUE(endless != NULL);
    memset(endless, 'a', 8000);
    CN_CHECK_TRUE(cn_run_open(NULL, endless, &run, &error) == CN_ERR_IO && error.message[0]);
    free(endless);
    // No descriptors left: SQLite itself cannot open the file.
    struct rlimit limit, few;
    CN_CHECK_TRUE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    few = (struct rlimit){.rlim_cur = 3, .rlim_max = limit.rlim_max};
    world w = open_scene("newtons-cradle", NULL, 0, 0);
    cn_recorder *recorder = NULL;
    CN_CHECK_TRUE(setrlimit(RLIMIT_NOFILE, &few) == 0);
    cn_status read = cn_run_open(NULL, path, &run, &error);
    cn_status written = cn_recorder_resume(NULL, path, w.sim, &recorder, &error);
    snprintf(inside, sizeof inside, "%s.new", path);
    cn_status created = cn_recorder_create(NULL, inside, false, w.sim, &recorder, &error);
    CN_CHECK_TRUE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    CN_CHECK_TRUE(read == CN_ERR_IO && written == CN_ERR_IO && created == CN_ERR_IO);
    CN_CHECK_TRUE(!run && !recorder);
    close_world(&w);
    io_database_remove(path);
}

// Bytes of a run file changed at random, each kind of damage read in full.
CN_TEST(damaged_pages_are_errors_or_harmless) {
    char path[64];
    temporary(path);
    record(path, "newtons-cradle", 4);
    struct stat file;
    CN_CHECK_TRUE(stat(path, &file) == 0);
    size_t size = (size_t)file.st_size;
    unsigned char *bytes = malloc(size), *changed = malloc(size);
    FILE *in = fopen(path, "rb");
    CN_CHECK_TRUE(bytes && changed && in && fread(bytes, 1, size, in) == size);
    fclose(in);
    uint64_t random = 42;
    int32_t refused = 0;
    for (int32_t round = 0; round < 150; round++) {
        memcpy(changed, bytes, size);
        for (int32_t k = 0; k < 1 + round % 20; k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            size_t at = (random >> 20) % (round % 3 == 0 ? 2048 : size);
            changed[at] = (unsigned char)(random >> 56);
        }
        FILE *out = fopen(path, "wb");
        CN_CHECK_TRUE(out && fwrite(changed, 1, size, out) == size && fclose(out) == 0);
        int64_t step;
        refused += read_all(path) != CN_OK;
        resume(path, &step);
        io_database_remove(path);
    }
    print_message("%d of 150 refused\n", (int)refused);
    CN_CHECK_TRUE(refused > 20);
    free(bytes);
    free(changed);
}
