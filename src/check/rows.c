// check/rows.c
// The rows of a run file: their hashes, that none is missing, that they stand at their times.
#include "check/check.h"

#include "base/hash.h"
#include "record/layout.h"
#include "record/row_hash.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Multiples of a time are met within this share of a step, as the command that records meets them.
#define GRID_SLACK 1e-6
#define FRAMES_ENDED "no more frames" // an event of a live run
#define COMMANDS "live: "             // what the events of commands begin with
#define NO_STEP INT64_MIN

// One number that a query gives; otherwise where it gives none or NULL, or cannot be made.
static int64_t check_count(check_checking *check, const char *sql, int64_t otherwise) {
    io_statement *select = NULL;
    bool row = false;
    int64_t value = otherwise;
    cn_status status = io_database_prepare(check->run->database, sql, &select, NULL);
    if (status == CN_OK) {
        status = io_statement_step(check->run->database, select, &row, NULL);
        if (status == CN_OK && row && io_column_kind_of(select, 0) == IO_COLUMN_INT) {
            value = io_column_int(select, 0);
        }
        io_statement_end(select);
    }
    check->memory_out = check->memory_out || status == CN_ERR_MEMORY;
    return value;
}

bool check_has(check_checking *check, const char *table, const char *column) {
    bool has;
    cn_status status = io_database_has(check->run->database, table, column, &has, NULL);
    check->memory_out = check->memory_out || status == CN_ERR_MEMORY;
    return has;
}

// ---- hashes ----

static void check_row_hash(check_checking *check, const rec_hashed_table *table,
                           io_statement *select) {
    size_t size;
    uint64_t stored = 0, own = rec_row_hash_of(select, table);
    const void *bytes = io_column_blob(select, table->count, &size);
    bool text_key = io_column_kind_of(select, 0) == IO_COLUMN_TEXT;
    int64_t step = text_key ? -1 : io_column_int(select, 0);
    if (size == 0) {
        check_missing(check, "rows of the table %s have no hash", table->name);
        return;
    }
    if (size == sizeof stored) {
        memcpy(&stored, bytes, sizeof stored);
    }
    if (size == sizeof stored && stored == own) {
        return;
    }
    check->grade->bad_hashes++;
    if (text_key) {
        check_find(check, table->name, -1, 1.0, 0.0, "the row of %s is not what was written",
                   io_column_text(select, 0));
    } else {
        check_find(check, table->name, step, 1.0, 0.0, "the row of %s %lld is not what was written",
                   table->key, (long long)step);
    }
}

static cn_status check_hashes(check_checking *check, int32_t index) {
    const rec_hashed_table *table = &rec_hashed_tables[index];
    io_statement *select = NULL;
    char sql[1024], columns[REC_COLUMNS_TEXT];
    bool row = true;
    if (index == REC_HASHED_META) {
        snprintf(sql, sizeof sql,
                 "SELECT key,value,row_hash FROM meta LEFT JOIN meta_hash USING(key) ORDER BY key");
    } else {
        rec_hashed_columns(table, !table->added || check_has(check, table->name, table->added_one),
                           columns, sizeof columns);
        snprintf(sql, sizeof sql, "SELECT %s,row_hash FROM %s ORDER BY %s", columns, table->name,
                 table->key);
    }
    if (index >= REC_HASHED_MESH && !check_has(check, table->name, table->key)) {
        return CN_OK; // a run without deformable bodies or columns
    }
    if (!check_has(check, index == REC_HASHED_META ? "meta_hash" : table->name, "row_hash")) {
        check_missing(check, "rows of the table %s have no hash and no evidence", table->name);
        return CN_OK;
    }
    cn_status status = io_database_prepare(check->run->database, sql, &select, check->error);
    while (status == CN_OK) {
        status = io_statement_step(check->run->database, select, &row, check->error);
        if (status != CN_OK || !row) {
            break;
        }
        check_row_hash(check, table, select);
    }
    io_statement_end(select);
    return status;
}

// A state begins with a word that names its layout and an XXH3 over all of it, which is read as 0
// there. Its hash is that of the frame of its step, where there is one.
static void check_checkpoint(check_checking *check, io_statement *select) {
    size_t size;
    uint64_t head[2] = {0, 0};
    int64_t step = io_column_int(select, 0);
    const unsigned char *bytes = io_column_blob(select, 1, &size);
    bool whole = size >= sizeof head;
    if (whole) {
        memcpy(head, bytes, sizeof head);
        uint64_t stored = head[1];
        head[1] = 0;
        const base_hash_part parts[] = {{head, sizeof head},
                                        {bytes + sizeof head, size - sizeof head}};
        whole = base_hash_parts(parts, 2) == stored;
    }
    if (!whole) {
        check_find(check, "checkpoint", step, 1.0, 0.0,
                   "the row of step %lld is not what was written", (long long)step);
    } else if (io_column_kind_of(select, 3) != IO_COLUMN_NULL &&
               strcmp(io_column_text(select, 2), io_column_text(select, 3)) != 0) {
        check_find(check, "checkpoint", step, 1.0, 0.0, "its hash is not that of the frame");
    }
}

static cn_status check_checkpoints(check_checking *check) {
    io_statement *select = NULL;
    bool row = true;
    if (!check_has(check, "frame", "row_hash")) {
        return CN_OK; // states of older versions have no checksum
    }
    cn_status status = io_database_prepare(
        check->run->database,
        "SELECT checkpoint.step,state,checkpoint.hash,frame.hash FROM checkpoint LEFT JOIN frame "
        "ON "
        "frame.step=checkpoint.step AND NOT EXISTS(SELECT 1 FROM event WHERE "
        "event.step=frame.step AND text='" REC_AT_REST "') ORDER BY checkpoint.step",
        &select, check->error);
    while (status == CN_OK) {
        status = io_statement_step(check->run->database, select, &row, check->error);
        if (status != CN_OK || !row) {
            break;
        }
        check_checkpoint(check, select);
    }
    io_statement_end(select);
    return status;
}

// ---- meta ----

static double meta_number(check_checking *check, const char *key) {
    const char *text = cn_run_meta(check->run, key);
    char *end = NULL;
    double value = text ? strtod(text, &end) : (double)NAN;
    return text && end != text ? value : (double)NAN;
}

static void check_meta(check_checking *check) {
    const cn_settings *settings = &check->model->settings;
    double tolerance = meta_number(check, "tolerance");
    const char *friction = cn_run_meta(check->run, "friction");
    if (friction && strcmp(friction, cn_friction_law_text(settings->friction)) != 0) {
        check_find(check, "meta", -1, 1.0, 0.0, "friction is %.30s, in the scene %s", friction,
                   cn_friction_law_text(settings->friction));
    }
    if (cn_run_meta(check->run, "tolerance") && !(tolerance == settings->tolerance)) {
        check_find(check, "meta", -1, tolerance, settings->tolerance,
                   "the tolerance is %.6g, in the scene %.6g", tolerance, settings->tolerance);
    }
}

// ---- completeness ----

static bool is_frame_due(int64_t step, double h, double every) {
    double ratio = every / h;
    return !(ratio > 1.0) || floor(((double)step + GRID_SLACK) / ratio) >
                                 floor(((double)step - 1.0 + GRID_SLACK) / ratio);
}

// The frames that the scene asks for up to the last step of the ledger.
static void check_frames_due(check_checking *check, int64_t last, bool done) {
    const cn_settings *settings = &check->model->settings;
    const cn_run *run = check->run;
    int64_t at = 0;
    bool ended =
        check_count(check, "SELECT count(*) FROM event WHERE text LIKE '%" FRAMES_ENDED "%'", 0) >
        0;
    for (int64_t step = 0; step <= last; step++) {
        bool due = step == 0 || (done && step == last) ||
                   is_frame_due(step, settings->step, settings->frames_every);
        while (at < run->frames && run->steps[at] < step) {
            at++;
        }
        bool there = at < run->frames && run->steps[at] == step;
        if (due && !there && ended) {
            check_missing(check, "a live run recorded no more frames from step %lld on",
                          (long long)step);
            break;
        }
        if (due && !there) {
            check_find(check, "frame", step, 0.0, 1.0, "the frame of this step is missing");
        }
    }
}

static void check_frame_times(check_checking *check, int64_t last) {
    const cn_run *run = check->run;
    double h = check->model->settings.step;
    for (int64_t i = 0; i < run->frames; i++) {
        double due = (double)run->steps[i] * h;
        if (!(run->times[i] == due)) {
            check_find(check, "frame", run->steps[i], run->times[i], due,
                       "the frame is at t = %.9g, its step at %.9g", run->times[i], due);
        }
        if (run->steps[i] > last || run->steps[i] < 0) {
            check_find(check, "frame", run->steps[i], (double)run->steps[i], (double)last,
                       "the ledger has no such step");
        }
    }
}

// Rows of a table at steps that have no frame.
static void check_without_frame(check_checking *check, const char *table) {
    char sql[160];
    snprintf(sql, sizeof sql, "SELECT min(step) FROM %s WHERE step NOT IN (SELECT step FROM frame)",
             table);
    int64_t step = check_has(check, table, "step") ? check_count(check, sql, NO_STEP) : NO_STEP;
    if (step != NO_STEP) {
        check_find(check, table, step, 1.0, 0.0, "a row of this step, which has no frame");
    }
}

// What a scene records has a row for each of the ledger, and no other.
static void check_without_row(check_checking *check) {
    int64_t step =
        check_has(check, "record", "step")
            ? check_count(
                  check, "SELECT min(step) FROM record WHERE step NOT IN (SELECT step FROM ledger)",
                  NO_STEP)
            : NO_STEP;
    if (step != NO_STEP) {
        check_find(check, "record", step, 1.0, 0.0, "a row of this step, which the ledger lacks");
    }
}

// A table that somebody wrote again need not have one row per step, of which readers take any.
static void check_numbers(check_checking *check) {
    static const char *const tables[] = {"frame",      "contact", "joint", "ledger",
                                         "checkpoint", "nodes",   "side",  "record"};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        char sql[100];
        snprintf(sql, sizeof sql, "SELECT count(*)-count(DISTINCT step) FROM %s", tables[i]);
        int64_t more = check_has(check, tables[i], "step") ? check_count(check, sql, -1) : 0;
        if (more != 0) {
            check_find(check, tables[i], -1, (double)more, 0.0, "steps have several rows");
        }
    }
    check->first_command = check_count(check,
                                       "SELECT min(step) FROM event WHERE text LIKE '" COMMANDS
                                       "%' OR text LIKE '" REC_ACTED "%'",
                                       INT64_MAX);
}

static void check_complete(check_checking *check) {
    const cn_settings *settings = &check->model->settings;
    int64_t last = check_count(check, "SELECT max(step) FROM ledger", 0),
            until = (int64_t)ceil(settings->until / settings->step - GRID_SLACK);
    const char *text = cn_run_meta(check->run, "status");
    bool done = text && strcmp(text, "done") == 0;
    // A run that was stopped or failed is whole up to there; one that was killed may not be.
    bool ended =
        done || (text && (strcmp(text, "interrupted") == 0 || strcmp(text, "failed") == 0));
    check->grade->finished = done;
    if (!ended) {
        check_missing(check, "the run was not ended: its status is %.40s", text ? text : "missing");
    }
    if (done && last != until) {
        check_find(check, "ledger", last, (double)last, (double)until,
                   "the ledger ends at step %lld, the scene at %lld", (long long)last,
                   (long long)until);
    }
    if (text) {
        check_frames_due(check, last, done);
    }
    check_frame_times(check, last);
    check_without_frame(check, "contact");
    check_without_frame(check, "joint");
    check_without_frame(check, "nodes");
    check_without_frame(check, "side");
    check_without_row(check);
    // The hash of the end stands in two places.
    const char *end = cn_run_meta(check->run, "state_hash");
    if (done && end && check->run->frames > 0) {
        char sql[200];
        snprintf(
            sql, sizeof sql,
            "SELECT count(*) FROM frame WHERE step=%lld AND hash=(SELECT value FROM meta WHERE "
            "key='state_hash')",
            (long long)last);
        if (check_count(check, sql, 0) == 0) {
            check_find(check, "meta", -1, 1.0, 0.0, "state_hash is not the hash of the last frame");
        }
    }
}

cn_status check_ledger_rows(check_checking *check) {
    cn_status status = CN_OK;
    for (int32_t i = 0; status == CN_OK && i < REC_HASHED_TABLES; i++) {
        status = check_hashes(check, i);
    }
    if (status == CN_OK) {
        status = check_checkpoints(check);
    }
    check_numbers(check);
    if (status == CN_OK && check->model) {
        check_meta(check);
        check_complete(check);
    }
    return status;
}
