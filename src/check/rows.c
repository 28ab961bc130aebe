// check/rows.c
// The rows of a run file: their hashes, that none is missing, that they stand at their times.
#include "check/check.h"

#include "base/hash.h"
#include "record/row_hash.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Multiples of a time are met within this share of a step, as the command that records meets them.
#define CN_GRID_SLACK 1e-6
#define CN_FRAMES_ENDED "no more frames" // an event of a live run
#define CN_COMMANDS "live: "             // what the events of commands begin with

// One number that a query gives; -1 where it cannot be made.
static int64_t cn_check_count(cn_checking *check, const char *sql) {
    cn_statement *select = NULL;
    bool row = false;
    int64_t value = -1;
    if (cn_database_prepare(check->run->database, sql, &select, NULL) == CN_OK) {
        if (cn_statement_step(check->run->database, select, &row, NULL) == CN_OK && row) {
            value = cn_column_int(select, 0);
        }
        cn_statement_end(select);
    }
    return value;
}

// ---- hashes ----

static void cn_check_row_hash(cn_checking *check, const cn_hashed_table *table,
                              cn_statement *select) {
    size_t size;
    uint64_t stored = 0, own = cn_row_hash_of(select, table->name, table->count);
    const void *bytes = cn_column_blob(select, table->count, &size);
    bool text_key = cn_column_kind_of(select, 0) == CN_COLUMN_TEXT;
    int64_t step = text_key ? -1 : cn_column_int(select, 0);
    if (size == 0) {
        cn_check_missing(check, "rows of the table %s have no hash", table->name);
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
        cn_check_find(check, table->name, -1, 1.0, 0.0, "the row of %s is not what was written",
                      cn_column_text(select, 0));
    } else {
        cn_check_find(check, table->name, step, 1.0, 0.0,
                      "the row of %s %lld is not what was written", table->key, (long long)step);
    }
}

static cn_status cn_check_hashes(cn_checking *check, int32_t index) {
    const cn_hashed_table *table = &cn_hashed_tables[index];
    cn_statement *select = NULL;
    char sql[512];
    bool row = true;
    if (index == CN_HASHED_META) {
        snprintf(sql, sizeof sql,
                 "SELECT key,value,row_hash FROM meta LEFT JOIN meta_hash USING(key) ORDER BY key");
    } else {
        snprintf(sql, sizeof sql, "SELECT %s,row_hash FROM %s ORDER BY %s", table->columns,
                 table->name, table->key);
    }
    if (!cn_database_has(check->run->database, index == CN_HASHED_META ? "meta_hash" : table->name,
                         "row_hash")) {
        cn_check_missing(check, "rows of the table %s have no hash and no evidence", table->name);
        return CN_OK;
    }
    cn_status status = cn_database_prepare(check->run->database, sql, &select, check->error);
    while (status == CN_OK) {
        status = cn_statement_step(check->run->database, select, &row, check->error);
        if (status != CN_OK || !row) {
            break;
        }
        cn_check_row_hash(check, table, select);
    }
    cn_statement_end(select);
    return status;
}

// A state begins with a word that names its layout and an XXH64 over all of it, which is read as 0
// there. Its hash is that of the frame of its step, where there is one.
static void cn_check_checkpoint(cn_checking *check, cn_statement *select) {
    size_t size;
    uint64_t head[2] = {0, 0};
    int64_t step = cn_column_int(select, 0);
    const unsigned char *bytes = cn_column_blob(select, 1, &size);
    bool whole = size >= sizeof head;
    if (whole) {
        memcpy(head, bytes, sizeof head);
        uint64_t stored = head[1];
        head[1] = 0;
        const cn_hash_part parts[] = {{head, sizeof head},
                                      {bytes + sizeof head, size - sizeof head}};
        whole = cn_hash_parts(parts, 2) == stored;
    }
    if (!whole) {
        cn_check_find(check, "checkpoint", step, 1.0, 0.0,
                      "the row of step %lld is not what was written", (long long)step);
    } else if (cn_column_kind_of(select, 3) != CN_COLUMN_NULL &&
               strcmp(cn_column_text(select, 2), cn_column_text(select, 3)) != 0) {
        cn_check_find(check, "checkpoint", step, 1.0, 0.0, "its hash is not that of the frame");
    }
}

static cn_status cn_check_checkpoints(cn_checking *check) {
    cn_statement *select = NULL;
    bool row = true;
    if (!cn_database_has(check->run->database, "frame", "row_hash")) {
        return CN_OK; // states of older versions have no checksum
    }
    cn_status status = cn_database_prepare(
        check->run->database,
        "SELECT step,state,checkpoint.hash,frame.hash FROM checkpoint LEFT JOIN frame USING(step) "
        "ORDER BY step",
        &select, check->error);
    while (status == CN_OK) {
        status = cn_statement_step(check->run->database, select, &row, check->error);
        if (status != CN_OK || !row) {
            break;
        }
        cn_check_checkpoint(check, select);
    }
    cn_statement_end(select);
    return status;
}

// ---- meta ----

static double cn_meta_number(cn_checking *check, const char *key) {
    const char *text = cn_run_meta(check->run, key);
    char *end = NULL;
    double value = text ? strtod(text, &end) : (double)NAN;
    return text && end != text ? value : (double)NAN;
}

static void cn_check_meta(cn_checking *check) {
    const cn_settings *settings = &check->model->settings;
    double tolerance = cn_meta_number(check, "tolerance");
    const char *friction = cn_run_meta(check->run, "friction");
    if (friction && strcmp(friction, cn_friction_law_text(settings->friction)) != 0) {
        cn_check_find(check, "meta", -1, 1.0, 0.0, "friction is %.30s, in the scene %s", friction,
                      cn_friction_law_text(settings->friction));
    }
    if (cn_run_meta(check->run, "tolerance") && !(tolerance == settings->tolerance)) {
        cn_check_find(check, "meta", -1, tolerance, settings->tolerance,
                      "the tolerance is %.6g, in the scene %.6g", tolerance, settings->tolerance);
    }
}

// ---- completeness ----

static bool cn_is_frame_due(int64_t step, double h, double every) {
    double ratio = every / h;
    return !(ratio > 1.0) || floor(((double)step + CN_GRID_SLACK) / ratio) >
                                 floor(((double)step - 1.0 + CN_GRID_SLACK) / ratio);
}

// The frames that the scene asks for up to the last step of the ledger.
static void cn_check_frames_due(cn_checking *check, int64_t last, bool done) {
    const cn_settings *settings = &check->model->settings;
    const cn_run *run = check->run;
    int64_t at = 0;
    bool ended =
        cn_check_count(check,
                       "SELECT count(*) FROM event WHERE text LIKE '%" CN_FRAMES_ENDED "%'") > 0;
    for (int64_t step = 0; step <= last; step++) {
        bool due = step == 0 || (done && step == last) ||
                   cn_is_frame_due(step, settings->step, settings->frames_every);
        while (at < run->frames && run->steps[at] < step) {
            at++;
        }
        bool there = at < run->frames && run->steps[at] == step;
        if (due && !there && ended) {
            cn_check_missing(check, "a live run recorded no more frames from step %lld on",
                             (long long)step);
            break;
        }
        if (due && !there) {
            cn_check_find(check, "frame", step, 0.0, 1.0, "the frame of this step is missing");
        }
    }
}

static void cn_check_frame_times(cn_checking *check, int64_t last) {
    const cn_run *run = check->run;
    double h = check->model->settings.step;
    for (int64_t i = 0; i < run->frames; i++) {
        double due = (double)run->steps[i] * h;
        if (!(run->times[i] == due)) {
            cn_check_find(check, "frame", run->steps[i], run->times[i], due,
                          "the frame is at t = %.9g, its step at %.9g", run->times[i], due);
        }
        if (run->steps[i] > last || run->steps[i] < 0) {
            cn_check_find(check, "frame", run->steps[i], (double)run->steps[i], (double)last,
                          "the ledger has no such step");
        }
    }
}

// Rows of a table at steps that have no frame.
static void cn_check_without_frame(cn_checking *check, const char *table) {
    char sql[160];
    snprintf(sql, sizeof sql, "SELECT min(step) FROM %s WHERE step NOT IN (SELECT step FROM frame)",
             table);
    cn_statement *select = NULL;
    bool row = false;
    if (!cn_database_has(check->run->database, table, "step") ||
        cn_database_prepare(check->run->database, sql, &select, NULL) != CN_OK) {
        return;
    }
    if (cn_statement_step(check->run->database, select, &row, NULL) == CN_OK && row &&
        cn_column_kind_of(select, 0) == CN_COLUMN_INT) {
        cn_check_find(check, table, cn_column_int(select, 0), 1.0, 0.0,
                      "a row of this step, which has no frame");
    }
    cn_statement_end(select);
}

// A table that somebody made anew need not have one row a step, of which readers take any.
static void cn_check_numbers(cn_checking *check) {
    static const char *const tables[] = {"frame", "contact", "joint", "ledger", "checkpoint"};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        char sql[100];
        snprintf(sql, sizeof sql, "SELECT count(*)-count(DISTINCT step) FROM %s", tables[i]);
        int64_t more = cn_database_has(check->run->database, tables[i], "step")
                           ? cn_check_count(check, sql)
                           : 0;
        if (more != 0) {
            cn_check_find(check, tables[i], -1, (double)more, 0.0, "steps have several rows");
        }
    }
    if (cn_check_count(check, "SELECT count(*) FROM event WHERE text LIKE '" CN_COMMANDS "%'") >
        0) {
        check->first_command =
            cn_check_count(check, "SELECT min(step) FROM event WHERE text LIKE '" CN_COMMANDS "%'");
    }
}

static void cn_check_complete(cn_checking *check) {
    const cn_settings *settings = &check->model->settings;
    int64_t last = cn_run_last_step(check->run),
            until = (int64_t)ceil(settings->until / settings->step - CN_GRID_SLACK);
    const char *text = cn_run_meta(check->run, "status");
    bool done = text && strcmp(text, "done") == 0;
    // A run that was stopped or failed is whole up to there; one that was killed may not be.
    bool ended =
        done || (text && (strcmp(text, "interrupted") == 0 || strcmp(text, "failed") == 0));
    check->grade->finished = done;
    if (!ended) {
        cn_check_missing(check, "the run was not ended: its status is %.40s",
                         text ? text : "missing");
    }
    if (done && last != until) {
        cn_check_find(check, "ledger", last, (double)last, (double)until,
                      "the ledger ends at step %lld, the scene at %lld", (long long)last,
                      (long long)until);
    }
    if (text) {
        cn_check_frames_due(check, last, done);
    }
    cn_check_frame_times(check, last);
    cn_check_without_frame(check, "contact");
    cn_check_without_frame(check, "joint");
    // The hash of the end stands in two places.
    const char *end = cn_run_meta(check->run, "state_hash");
    if (done && end && check->run->frames > 0) {
        char sql[200];
        snprintf(
            sql, sizeof sql,
            "SELECT count(*) FROM frame WHERE step=%lld AND hash=(SELECT value FROM meta WHERE "
            "key='state_hash')",
            (long long)last);
        if (cn_check_count(check, sql) == 0) {
            cn_check_find(check, "meta", -1, 1.0, 0.0,
                          "state_hash is not the hash of the last frame");
        }
    }
}

cn_status cn_check_rows(cn_checking *check) {
    cn_status status = CN_OK;
    for (int32_t i = 0; status == CN_OK && i < CN_HASHED_TABLES; i++) {
        status = cn_check_hashes(check, i);
    }
    status = status == CN_OK ? cn_check_checkpoints(check) : status;
    cn_check_numbers(check);
    if (status == CN_OK && check->model) {
        cn_check_meta(check);
        cn_check_complete(check);
    }
    return status;
}
