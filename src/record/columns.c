// record/columns.c
// The columns that a scene records every step, in tables that only such runs have: record_column
// names the numbers, record has them.
#include "base/arena.h"
#include "base/error.h"
#include "model/model.h"
#include "record/recorder.h"
#include "record/run.h"

#include <cairn/act.h>

#include <stddef.h>
#include <string.h>

cn_status rec_columns_head(cn_recorder *recorder, const cn_sim *sim, cn_error *error) {
    const cn_model *model = cn_sim_model(sim);
    io_statement *insert;
    if (recorder->columns == 0) {
        return CN_OK;
    }
    CN_TRY(io_database_run(recorder->database,
                           "CREATE TABLE record_column(id INTEGER PRIMARY KEY, name TEXT, unit "
                           "TEXT);"
                           "CREATE TABLE record(step INTEGER PRIMARY KEY, t REAL, value BLOB, "
                           "row_hash BLOB)",
                           error));
    CN_TRY(io_database_prepare(recorder->database, "INSERT INTO record_column VALUES(?,?,?)",
                               &insert, error));
    cn_status status = CN_OK;
    for (int32_t i = 0; status == CN_OK && i < recorder->columns; i++) {
        io_bind_int(insert, 1, i + 1);
        io_bind_text(insert, 2, cn_model_column_name(model, i));
        io_bind_text(insert, 3, cn_model_column_unit(model, i));
        status = io_statement_do(recorder->database, insert, error);
    }
    io_statement_end(insert);
    return status;
}

cn_status cn_recorder_columns(cn_recorder *recorder, const cn_sim *sim, cn_error *error) {
    if (!recorder || !sim) {
        return base_fail_missing(error);
    }
    CN_TRY(rec_acts(recorder, sim, error));
    if (recorder->columns == 0) {
        return CN_OK;
    }
    base_arena_mark mark = base_arena_get_mark(recorder->scratch);
    double *values = BASE_TAKE(recorder->scratch, double, recorder->columns);
    if (!values) {
        return base_fail_memory(error);
    }
    cn_sim_columns(sim, values);
    size_t size = sizeof *values * (size_t)recorder->columns;
    io_bind_int(recorder->record, 1, cn_sim_step_index(sim));
    io_bind_real(recorder->record, 2, cn_sim_time(sim));
    io_bind_blob(recorder->record, 3, values, size);
    base_hash hash;
    uint64_t room;
    rec_row_hash_start(&hash, "record");
    rec_row_hash_int(&hash, cn_sim_step_index(sim));
    rec_row_hash_real(&hash, cn_sim_time(sim));
    rec_row_hash_blob(&hash, values, size);
    rec_bind_hash(recorder->record, 4, &hash, &room);
    cn_status status = io_statement_do(recorder->database, recorder->record, error);
    base_arena_release(recorder->scratch, mark);
    return status;
}

// ---- reading ----

static cn_status count_of(cn_run *run, const char *sql, int64_t *count, cn_error *error) {
    io_statement *select;
    bool row = false;
    CN_TRY(io_database_prepare(run->database, sql, &select, error));
    cn_status status = io_statement_step(run->database, select, &row, error);
    *count = row ? io_column_int(select, 0) : 0;
    io_statement_end(select);
    return status;
}

static cn_status read_names(cn_run *run, cn_arena *memory, cn_run_columns *out, cn_error *error) {
    io_statement *select;
    bool row = true;
    CN_TRY(io_database_prepare(run->database, "SELECT name, unit FROM record_column ORDER BY id",
                               &select, error));
    cn_status status = CN_OK;
    for (int32_t i = 0; status == CN_OK && i < out->count; i++) {
        status = io_statement_step(run->database, select, &row, error);
        const char *name = io_column_text(select, 0), *unit = io_column_text(select, 1);
        out->name[i] = base_arena_text(memory, name, strlen(name));
        out->unit[i] = base_arena_text(memory, unit, strlen(unit));
        if (status == CN_OK && (!out->name[i] || !out->unit[i])) {
            status = base_fail_memory(error);
        }
    }
    io_statement_end(select);
    return status;
}

static cn_status read_values(cn_run *run, cn_run_columns *out, cn_error *error) {
    io_statement *select;
    bool row = true;
    CN_TRY(io_database_prepare(run->database, "SELECT step, t, value FROM record ORDER BY step",
                               &select, error));
    cn_status status = CN_OK;
    for (int64_t i = 0; status == CN_OK && i < out->rows; i++) {
        size_t size, want = sizeof(double) * (size_t)out->count;
        status = io_statement_step(run->database, select, &row, error);
        if (status != CN_OK || !row) {
            out->rows = i;
            break;
        }
        const void *bytes = io_column_blob(select, 2, &size);
        out->step[i] = io_column_int(select, 0);
        out->t[i] = io_column_real(select, 1);
        if (size != want) {
            status = base_fail(error, CN_ERR_INPUT, "the row of record of step %lld is damaged",
                               (long long)out->step[i]);
        } else {
            memcpy(out->value + out->count * i, bytes, want);
        }
    }
    io_statement_end(select);
    return status;
}

#define COLUMNS_MAX 100000

cn_status cn_run_columns_read(cn_run *run, cn_arena *memory, cn_run_columns *out, cn_error *error) {
    if (!run || !memory || !out) {
        return base_fail_missing(error);
    }
    bool there;
    int64_t count = 0;
    *out = (cn_run_columns){.count = 0};
    CN_TRY(io_database_has(run->database, "record", "value", &there, error));
    if (!there) {
        return CN_OK;
    }
    CN_TRY(count_of(run, "SELECT count(*) FROM record_column", &count, error));
    if (count < 1 || count > COLUMNS_MAX) {
        return base_fail(error, CN_ERR_INPUT, "the run file has %lld columns", (long long)count);
    }
    out->count = (int32_t)count;
    CN_TRY(count_of(run, "SELECT count(*) FROM record", &out->rows, error));
    out->name = BASE_TAKE(memory, const char *, count);
    out->unit = BASE_TAKE(memory, const char *, count);
    out->step = BASE_TAKE(memory, int64_t, out->rows);
    out->t = BASE_TAKE(memory, double, out->rows);
    out->value = BASE_TAKE(memory, double, count * out->rows);
    if (!out->name || !out->unit || !out->step || !out->t || !out->value) {
        return base_fail_memory(error);
    }
    CN_TRY(read_names(run, memory, out, error));
    return read_values(run, out, error);
}

// ---- one body ----

// `each` numbers of a body in a blob column of frames from .. to, without reading the others.
static cn_status track_column(cn_run *run, const char *column, cn_body_id body, int32_t each,
                              const int64_t *steps, int64_t count, double *out, cn_error *error) {
    io_blob *blob = NULL;
    size_t one = sizeof *out * (size_t)each, at = one * (size_t)(body - 1);
    cn_status status = CN_OK;
    for (int64_t i = 0; status == CN_OK && i < count; i++) {
        status = blob ? io_blob_move(run->database, blob, steps[i], error)
                      : io_blob_open_read(run->database, "frame", column, steps[i], &blob, error);
        if (status == CN_OK && io_blob_size(blob) < at + one) {
            status = base_fail(error, CN_ERR_INPUT, "the frame of step %lld is damaged",
                               (long long)steps[i]);
        }
        if (status == CN_OK) {
            status = io_blob_read(run->database, blob, at, out + each * i, one, error);
        }
    }
    io_blob_close(blob);
    return status;
}

cn_status cn_run_track(cn_run *run, cn_body_id body, int64_t from, int64_t to, double *q, double *v,
                       cn_error *error) {
    if (!run) {
        return base_fail_missing(error);
    }
    const int64_t *steps;
    const double *times;
    int64_t frames = cn_run_moments(run, &steps, &times);
    if (body < 1 || body > cn_run_body_count(run) || from < 0 || to >= frames || from > to) {
        return base_fail(error, CN_ERR_ARGUMENT,
                         "there is no body %d in frames %lld to %lld: there are %d bodies and %lld "
                         "frames",
                         (int)body, (long long)from, (long long)to, (int)cn_run_body_count(run),
                         (long long)frames);
    }
    int32_t pose = model_pose_size(run->dim), rate = model_velocity_size(run->dim);
    int64_t count = to - from + 1;
    CN_TRY(q ? track_column(run, "q", body, pose, steps + from, count, q, error) : CN_OK);
    return v ? track_column(run, "v", body, rate, steps + from, count, v, error) : CN_OK;
}
