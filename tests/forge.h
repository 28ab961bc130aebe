// tests/forge.h
// Tools of a forger: changes the rows of a run file by SQL, makes the hashes fit again, and asks
// the check what it found.
#ifndef CAIRN_TESTS_FORGE_H
#define CAIRN_TESTS_FORGE_H

#include "cli.h"

#include "base/hash.h"
#include "record/row_hash.h"

#include <cairn/cairn.h>
#include <math.h>
#include <sqlite3.h>

static inline void run_scene(cn_cli *cli, const char *text, const char *options) {
    char arguments[256];
    io_file_write("scene.yaml", text, strlen(text));
    snprintf(arguments, sizeof arguments, "run scene.yaml -q -f -o base.run %s", options);
    CN_CLI_EXPECT(cli, 0, arguments);
}

static inline void copy_file(const char *from, const char *to) {
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    char bytes[65536];
    CN_CHECK_TRUE(in && out);
    for (size_t size; (size = fread(bytes, 1, sizeof bytes, in)) > 0;) {
        assert_int_equal(fwrite(bytes, 1, size, out), size);
    }
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

// ---- tools of a forger ----

typedef enum forge_how { FORGE_SCALE, FORGE_PUT, FORGE_ADD } forge_how;

// scale(blob, i, factor), put(blob, i, value), plus(blob, i, value): number i of an array, -1 all
// of them. What is NULL stays so, here and below.
static inline void forge_numbers(sqlite3_context *context, sqlite3_value **value, forge_how how) {
    int size = sqlite3_value_bytes(value[0]), i = sqlite3_value_int(value[1]);
    int count = size / (int)sizeof(double);
    double by =
        sqlite3_value_type(value[2]) == SQLITE_NULL ? (double)NAN : sqlite3_value_double(value[2]);
    if (sqlite3_value_type(value[0]) == SQLITE_NULL) {
        return;
    }
    double *x = calloc((size_t)size + 1, 1);
    memcpy(x, sqlite3_value_blob(value[0]), (size_t)size);
    for (int k = 0; k < count; k++) {
        if (i < 0 || i == k) {
            x[k] = how == FORGE_SCALE ? x[k] * by : how == FORGE_ADD ? x[k] + by : by;
        }
    }
    sqlite3_result_blob(context, x, size, SQLITE_TRANSIENT);
    free(x);
}

static inline void sql_scale(sqlite3_context *context, int count, sqlite3_value **value) {
    (void)count;
    forge_numbers(context, value, FORGE_SCALE);
}

static inline void sql_put(sqlite3_context *context, int count, sqlite3_value **value) {
    (void)count;
    forge_numbers(context, value, FORGE_PUT);
}

static inline void sql_add(sqlite3_context *context, int count, sqlite3_value **value) {
    (void)count;
    forge_numbers(context, value, FORGE_ADD);
}

// num(blob, i): number i of an array.
static inline void sql_num(sqlite3_context *context, int count, sqlite3_value **value) {
    double x = 0.0;
    (void)count;
    if (sqlite3_value_bytes(value[0]) >= (sqlite3_value_int(value[1]) + 1) * (int)sizeof x) {
        memcpy(&x, (const double *)sqlite3_value_blob(value[0]) + sqlite3_value_int(value[1]),
               sizeof x);
        sqlite3_result_double(context, x);
    }
}

// nums(x, y, ...): an array; swap(blob, i, k, count): numbers i .. and k .. change places.
static inline void sql_nums(sqlite3_context *context, int count, sqlite3_value **value) {
    double x[16];
    assert_true(count <= 16);
    for (int i = 0; i < count; i++) {
        x[i] = sqlite3_value_double(value[i]);
    }
    sqlite3_result_blob(context, x, count * (int)sizeof *x, SQLITE_TRANSIENT);
}

static inline void sql_swap(sqlite3_context *context, int count, sqlite3_value **value) {
    double x[512];
    int size = sqlite3_value_bytes(value[0]), i = sqlite3_value_int(value[1]),
        k = sqlite3_value_int(value[2]);
    (void)count;
    if (sqlite3_value_type(value[0]) == SQLITE_NULL) {
        return;
    }
    assert_true((size_t)size <= sizeof x);
    memcpy(x, sqlite3_value_blob(value[0]), (size_t)size);
    for (int n = 0; n < sqlite3_value_int(value[3]); n++) {
        double other = x[i + n];
        x[i + n] = x[k + n];
        x[k + n] = other;
    }
    sqlite3_result_blob(context, x, size, SQLITE_TRANSIENT);
}

// cat(a, b) of blobs.
static inline void sql_cat(sqlite3_context *context, int count, sqlite3_value **value) {
    int first = sqlite3_value_bytes(value[0]), second = sqlite3_value_bytes(value[1]);
    unsigned char *bytes = calloc((size_t)(first + second) + 1, 1);
    (void)count;
    if (first > 0) {
        memcpy(bytes, sqlite3_value_blob(value[0]), (size_t)first);
    }
    memcpy(bytes + first, sqlite3_value_blob(value[1]), (size_t)second);
    sqlite3_result_blob(context, bytes, first + second, SQLITE_TRANSIENT);
    free(bytes);
}

// putint(blob, i, value) of int32; cut(blob, bytes) leaves out the first ones.
static inline void sql_putint(sqlite3_context *context, int count, sqlite3_value **value) {
    int size = sqlite3_value_bytes(value[0]);
    int32_t number = sqlite3_value_int(value[2]);
    unsigned char *bytes = calloc((size_t)size + 1, 1);
    (void)count;
    memcpy(bytes, sqlite3_value_blob(value[0]), (size_t)size);
    memcpy(bytes + sizeof number * (size_t)sqlite3_value_int(value[1]), &number, sizeof number);
    sqlite3_result_blob(context, bytes, size, SQLITE_TRANSIENT);
    free(bytes);
}

static inline void sql_cut(sqlite3_context *context, int count, sqlite3_value **value) {
    int size = sqlite3_value_bytes(value[0]), first = sqlite3_value_int(value[1]);
    (void)count;
    sqlite3_result_blob(context, (const char *)sqlite3_value_blob(value[0]) + first, size - first,
                        SQLITE_TRANSIENT);
}

// state(step, q, v): the hash of a frame as text.
static inline void sql_state(sqlite3_context *context, int count, sqlite3_value **value) {
    char text[17];
    (void)count;
    snprintf(text, sizeof text, "%016llx",
             (unsigned long long)base_hash_state(
                 sqlite3_value_int64(value[0]), sqlite3_value_blob(value[1]),
                 sqlite3_value_bytes(value[1]) / 8, sqlite3_value_blob(value[2]),
                 sqlite3_value_bytes(value[2]) / 8));
    sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

// state_nodes(step, q, v, x, w): with the nodes of deformable bodies.
static inline void sql_state_nodes(sqlite3_context *context, int count, sqlite3_value **value) {
    char text[17];
    (void)count;
    snprintf(text, sizeof text, "%016llx",
             (unsigned long long)base_hash_state_nodes(
                 sqlite3_value_int64(value[0]), sqlite3_value_blob(value[1]),
                 sqlite3_value_bytes(value[1]) / 8, sqlite3_value_blob(value[2]),
                 sqlite3_value_bytes(value[2]) / 8, sqlite3_value_blob(value[3]),
                 sqlite3_value_blob(value[4]), sqlite3_value_bytes(value[3]) / 8));
    sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

static inline sqlite3 *forge_open(const char *path) {
    sqlite3 *db;
    const struct {
        const char *name;
        int count;
        void (*fn)(sqlite3_context *, int, sqlite3_value **);
    } tools[] = {{"scale", 3, sql_scale},
                 {"put", 3, sql_put},
                 {"putint", 3, sql_putint},
                 {"cut", 2, sql_cut},
                 {"plus", 3, sql_add},
                 {"num", 2, sql_num},
                 {"nums", -1, sql_nums},
                 {"swap", 4, sql_swap},
                 {"cat", 2, sql_cat},
                 {"state", 3, sql_state},
                 {"state_nodes", 5, sql_state_nodes}};
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++) {
        sqlite3_create_function(db, tools[i].name, tools[i].count, SQLITE_UTF8, NULL, tools[i].fn,
                                NULL, NULL);
    }
    return db;
}

static inline void forge_do(sqlite3 *db, const char *sql) {
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK) {
        print_error("%s: %s\n", sql, message);
        fail();
    }
}

// Makes the hash of every row that of what it now holds.
static inline void forge_rehash(sqlite3 *db) {
    bool nodes = sqlite3_table_column_metadata(db, NULL, "nodes", "x", NULL, NULL, NULL, NULL,
                                               NULL) == SQLITE_OK;
    forge_do(db, nodes ? "UPDATE frame SET hash=(SELECT state_nodes(frame.step,frame.q,frame.v,n.x,"
                         "n.v) FROM nodes n WHERE n.step=frame.step)"
                       : "UPDATE frame SET hash=state(step,q,v)");
    forge_do(db, "UPDATE OR IGNORE meta SET value=(SELECT hash FROM frame ORDER BY step DESC LIMIT "
                 "1) WHERE key='state_hash'");
    for (int i = 0; i < REC_HASHED_TABLES; i++) {
        const rec_hashed_table *table = &rec_hashed_tables[i];
        bool meta = i == REC_HASHED_META;
        char sql[640];
        sqlite3_stmt *select, *update;
        snprintf(sql, sizeof sql, "SELECT %s,rowid FROM %s", table->columns, table->name);
        if (sqlite3_prepare_v2(db, sql, -1, &select, NULL) != SQLITE_OK) {
            assert_true(i >= REC_HASHED_MESH); // runs of rigid bodies do not have these
            continue;
        }
        snprintf(sql, sizeof sql,
                 meta ? "UPDATE meta_hash SET row_hash=? WHERE key=(SELECT key FROM meta WHERE "
                        "rowid=?)"
                      : "UPDATE %s SET row_hash=? WHERE rowid=?",
                 table->name);
        assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &update, NULL), SQLITE_OK);
        while (sqlite3_step(select) == SQLITE_ROW) {
            uint64_t hash = rec_row_hash_of((io_statement *)select, table);
            sqlite3_bind_blob(update, 1, &hash, sizeof hash, SQLITE_TRANSIENT);
            sqlite3_bind_int64(update, 2, sqlite3_column_int64(select, table->count));
            assert_int_equal(sqlite3_step(update), SQLITE_DONE);
            sqlite3_reset(update);
        }
        sqlite3_finalize(select);
        sqlite3_finalize(update);
    }
}

// ---- checking ----

static inline void check_file(const char *path, cn_run_grade *grade) {
    cn_run *run;
    cn_model *model = NULL;
    cn_error error = {.status = CN_OK};
    if (cn_run_open(NULL, path, &run, &error) != CN_OK) {
        print_error("%s\n", error.message);
        fail();
    }
    const char *text = cn_run_meta(run, "scene");
    assert_int_equal(cn_scene_read_text(NULL, path, text, strlen(text), NULL, 0, &model, &error),
                     CN_OK);
    assert_int_equal(cn_run_check(run, model, (double)NAN, grade, &error), CN_OK);
    cn_run_close(run);
    cn_model_destroy(model);
}

static inline bool is_found(const cn_run_grade *grade, const char *table, int64_t step,
                            const char *what) {
    for (int64_t i = 0; i < grade->finding_count && i < CN_RUN_FINDINGS; i++) {
        const cn_run_finding *finding = &grade->finding[i];
        if (strcmp(finding->table, table) == 0 && finding->step == step &&
            strstr(finding->what, what)) {
            return true;
        }
    }
    return false;
}

static inline void print_findings(const cn_run_grade *grade) {
    print_error("  within %d, complete %d (%s), %lld findings\n", grade->within, grade->complete,
                grade->incomplete, (long long)grade->finding_count);
    for (int64_t i = 0; i < grade->finding_count && i < 5; i++) {
        print_error("  step %lld: %s (%g, allowed %g)\n", (long long)grade->finding[i].step,
                    grade->finding[i].what, grade->finding[i].value, grade->finding[i].allowed);
    }
}

// A change of base.run: what it does, and the finding that names it when the hashes fit.
typedef struct forgery {
    const char *sql, *table;
    int64_t step; // -1: of the file
    const char *what;
} forgery;

// Whether the grade says of the forged file what it must; else prints what it says.
static inline bool is_forgery_found(const forgery *of, const cn_run_grade *grade) {
    bool found = of->table[0] ? !grade->within && is_found(grade, of->table, of->step, of->what)
                              : !grade->complete && strstr(grade->incomplete, of->what);
    if (!found) {
        print_error("not found: %s\n  want %s, step %lld: %s\n", of->sql, of->table,
                    (long long)of->step, of->what);
        print_findings(grade);
    }
    return found;
}

static inline void forge(const forgery *of, bool rehash) {
    copy_file("base.run", "forged.run");
    sqlite3 *db = forge_open("forged.run");
    forge_do(db, of->sql);
    if (rehash) {
        forge_rehash(db);
    }
    sqlite3_close(db);
}

static inline void expect_verified(cn_cli *cli, const char *name) {
    int code = cn_cli_run(cli, "check base.run");
    if (code != 0) {
        print_error("%s: exit code %d\n%s%s", name, code, cli->out, cli->err);
        fail();
    }
    CN_CHECK_HOLDS(cli->out, "verified");
}

#endif
