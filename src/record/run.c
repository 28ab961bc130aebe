// record/run.c
// Reading a run file.
#include "record/run.h"

#include "base/arena.h"
#include "base/error.h"
#include "model/model.h"
#include "record/row_hash.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One number that a query gives.
static cn_status run_count(cn_run *run, const char *sql, int64_t *value, cn_error *error) {
    io_statement *select;
    bool row = false;
    cn_status status = io_database_prepare(run->database, sql, &select, error);
    if (status == CN_OK) {
        status = io_statement_step(run->database, select, &row, error);
        *value = row ? io_column_int(select, 0) : 0;
        io_statement_end(select);
    }
    return status;
}

static const char *own_text(io_statement *select, int32_t column, cn_arena *memory) {
    const char *text = io_column_text(select, column);
    return base_arena_text(memory, text, strlen(text));
}

// All of meta: what a run is must not be guessed because memory was short.
static cn_status run_read_meta(cn_run *run, cn_error *error) {
    io_statement *select;
    bool row = true;
    run->meta_rows = NULL;
    base_arena_release(run->meta, (base_arena_mark){0});
    cn_status status =
        io_database_prepare(run->database, "SELECT key, value FROM meta", &select, error);
    CN_TRY(status);
    while ((status = io_statement_step(run->database, select, &row, error)) == CN_OK && row) {
        rec_run_meta_row *meta = BASE_TAKE(run->meta, rec_run_meta_row, 1);
        const char *key = own_text(select, 0, run->meta), *value = own_text(select, 1, run->meta);
        if (!meta || !key || !value) {
            status = base_fail_memory(error);
            break;
        }
        *meta = (rec_run_meta_row){run->meta_rows, key, value};
        run->meta_rows = meta;
    }
    io_statement_end(select);
    return status;
}

// Steps and times alone: rows have them before the blobs, which are not read.
cn_status cn_run_refresh(cn_run *run, cn_error *error) {
    if (!run) {
        return base_fail_missing(error);
    }
    io_statement *select = NULL;
    int64_t count = 0, filled = 0;
    bool row = true;
    cn_status status = run_count(run, "SELECT count(*) FROM frame", &count, error);
    run->frames = 0;
    base_arena_release(run->moments, (base_arena_mark){0});
    run->steps = BASE_TAKE(run->moments, int64_t, count);
    run->times = BASE_TAKE(run->moments, double, count);
    if (status == CN_OK && (!run->steps || !run->times)) {
        status = base_fail_memory(error);
    }
    if (status == CN_OK) {
        status = io_database_prepare(run->database, "SELECT step, t FROM frame ORDER BY step",
                                     &select, error);
    }
    while (status == CN_OK && filled < count) {
        status = io_statement_step(run->database, select, &row, error);
        if (status != CN_OK || !row) {
            break;
        }
        run->steps[filled] = io_column_int(select, 0);
        run->times[filled++] = io_column_real(select, 1);
    }
    io_statement_end(select);
    if (status == CN_OK) {
        status = run_read_meta(run, error);
    }
    run->frames = status == CN_OK ? filled : 0;
    return status;
}

int64_t cn_run_moments(const cn_run *run, const int64_t **steps, const double **times) {
    if (!run || !steps || !times) {
        return 0;
    }
    *steps = run->steps;
    *times = run->times;
    return run->frames;
}

cn_status cn_run_open(const cn_env *env, const char *path, cn_run **out, cn_error *error) {
    if (!path || !out) {
        return base_fail_missing(error);
    }
    *out = NULL;
    cn_arena *memory = cn_arena_create(env);
    cn_run *run = memory ? BASE_TAKE_ZERO(memory, cn_run, 1) : NULL;
    if (!run) {
        cn_arena_destroy(memory);
        return base_fail_memory(error);
    }
    run->memory = memory;
    run->meta = cn_arena_create(env);
    run->moments = cn_arena_create(env);
    int64_t bodies = 0;
    cn_status status = run->meta && run->moments ? CN_OK : base_fail_memory(error);
    if (status == CN_OK) {
        status = io_database_open(env, path, IO_DATABASE_READ, &run->database, error);
    }
    if (status == CN_OK) {
        status = run_count(run, "SELECT count(*) FROM body", &bodies, error);
    }
    if (status == CN_OK) {
        status = cn_run_refresh(run, error);
    }
    if (status == CN_OK) {
        const char *dim = cn_run_meta(run, "dimension");
        run->dim = dim ? (int32_t)strtol(dim, NULL, 10) : 0;
        run->bodies = (int32_t)bodies;
        const char *friction = cn_run_meta(run, "friction"); // none: an older file
        run->convex = friction && strcmp(friction, cn_friction_law_text(CN_FRICTION_CONVEX)) == 0;
        if ((run->dim != 2 && run->dim != 3) || bodies > INT32_MAX) {
            status = base_fail(error, CN_ERR_INPUT, "not a run file of cairn");
            base_fail_at(error, path, 0, 0);
        }
    }
    if (status != CN_OK) {
        cn_run_close(run);
        return status;
    }
    *out = run;
    return CN_OK;
}

void cn_run_close(cn_run *run) {
    if (run) {
        io_database_close(run->database, NULL);
        cn_arena_destroy(run->meta);
        cn_arena_destroy(run->moments);
        cn_arena_destroy(run->memory);
    }
}

const char *cn_run_meta(cn_run *run, const char *key) {
    if (!run || !key) {
        return NULL;
    }
    for (const rec_run_meta_row *row = run->meta_rows; row; row = row->next) {
        if (strcmp(row->key, key) == 0) {
            return row->value;
        }
    }
    return NULL;
}

int32_t cn_run_dim(const cn_run *run) {
    if (!run) {
        return 0;
    }
    return run->dim;
}

int32_t cn_run_body_count(const cn_run *run) {
    if (!run) {
        return 0;
    }
    return run->bodies;
}

int64_t cn_run_frame_count(const cn_run *run) {
    if (!run) {
        return 0;
    }
    return run->frames;
}

static cn_status run_damaged(const char *what, int64_t step, cn_error *error) {
    return base_fail(error, CN_ERR_INPUT, "the %s of step %lld is damaged", what, (long long)step);
}

// The frame with the given place in the order of steps, selected by its step.
static cn_status run_select(cn_run *run, const char *sql, int64_t place, io_statement **select,
                            cn_error *error) {
    bool row = false;
    if (place < 0 || place >= run->frames) {
        return base_fail(error, CN_ERR_ARGUMENT, "the run has no frame %lld", (long long)place);
    }
    cn_status status = io_database_prepare(run->database, sql, select, error);
    CN_TRY(status);
    io_bind_int(*select, 1, run->steps[place]);
    status = io_statement_step(run->database, *select, &row, error);
    if (status == CN_OK && !row) {
        status = base_fail(error, CN_ERR_ARGUMENT, "the run has no frame %lld", (long long)place);
    }
    if (status != CN_OK) {
        io_statement_end(*select);
    }
    return status;
}

cn_status cn_run_frame(cn_run *run, int64_t index, int64_t *step, double *t, double *q, double *v,
                       cn_error *error) {
    if (!run || !step || !t || !q || !v) {
        return base_fail_missing(error);
    }
    io_statement *select;
    cn_status status =
        run_select(run, "SELECT step, t, q, v FROM frame WHERE step=?", index, &select, error);
    CN_TRY(status);
    size_t q_size, v_size;
    size_t q_want = sizeof *q * (size_t)model_pose_size(run->dim) * (size_t)run->bodies;
    size_t v_want = sizeof *v * (size_t)model_velocity_size(run->dim) * (size_t)run->bodies;
    *step = io_column_int(select, 0);
    *t = io_column_real(select, 1);
    const void *q_bytes = io_column_blob(select, 2, &q_size),
               *v_bytes = io_column_blob(select, 3, &v_size);
    if (q_size != q_want || v_size != v_want) {
        status = run_damaged("frame", *step, error);
    } else if (q_want > 0) {
        memcpy(q, q_bytes, q_want);
        memcpy(v, v_bytes, v_want);
    }
    io_statement_end(select);
    return status;
}

// Number `i` of count rows of `each` doubles in a blob column, spread over three.
static bool vector_column(io_statement *select, int32_t column, int32_t i, int32_t count,
                          int32_t each, double *out) {
    size_t size;
    const unsigned char *bytes = io_column_blob(select, column, &size);
    if (size != sizeof *out * (size_t)each * (size_t)count) {
        return false;
    }
    memcpy(out, bytes + sizeof *out * (size_t)each * (size_t)i, sizeof *out * (size_t)each);
    return true;
}

static bool body_is_there(const cn_run *run, cn_body_id body) {
    return body >= 1 && body <= run->bodies;
}

static bool contact_columns(io_statement *select, const cn_run *run, int32_t count,
                            cn_contact_record *contacts) {
    int32_t dim = run->dim;
    size_t bodies_size, status_size;
    const unsigned char *bodies = io_column_blob(select, 1, &bodies_size);
    const uint8_t *status = io_column_blob(select, 10, &status_size);
    if (bodies_size != 2 * sizeof(int32_t) * (size_t)count || status_size != (size_t)count) {
        return false;
    }
    bool sound = true;
    for (int32_t c = 0; sound && c < count; c++) {
        cn_contact_record *contact = &contacts[c];
        int32_t pair[2];
        memcpy(pair, bodies + sizeof pair * (size_t)c, sizeof pair);
        contact->candidate = pair[0];
        contact->antagonist = pair[1];
        contact->status = status[c];
        sound = body_is_there(run, pair[0]) && body_is_there(run, pair[1]) &&
                vector_column(select, 2, c, count, dim, contact->point) &&
                vector_column(select, 3, c, count, dim, contact->normal) &&
                vector_column(select, 4, c, count, 1, &contact->gap) &&
                vector_column(select, 5, c, count, dim, contact->impulse) &&
                vector_column(select, 6, c, count, dim, contact->velocity) &&
                vector_column(select, 7, c, count, dim, contact->velocity_before) &&
                vector_column(select, 8, c, count, dim, contact->shift) &&
                vector_column(select, 9, c, count, 1, &contact->friction);
    }
    return sound;
}

cn_status cn_run_contacts(cn_run *run, int64_t index, cn_arena *memory,
                          cn_contact_record **contacts, int32_t *count, cn_error *error) {
    if (!run || !memory || !contacts || !count) {
        return base_fail_missing(error);
    }
    io_statement *select;
    *count = 0;
    *contacts = NULL;
    cn_status status = run_select(
        run,
        "SELECT coalesce(n, 0), bodies, point, normal, gap, impulse, velocity, "
        "velocity_before, shift, friction, status FROM frame LEFT JOIN contact USING(step) "
        "WHERE step=?",
        index, &select, error);
    CN_TRY(status);
    int64_t n = io_column_int(select, 0);
    size_t status_size;
    io_column_blob(select, 10, &status_size);
    bool sane = n >= 0 && n <= INT32_MAX && (size_t)n == status_size;
    if (sane && (*contacts = BASE_TAKE_ZERO(memory, cn_contact_record, n)) == NULL) {
        status = base_fail_memory(error);
    } else if (sane && contact_columns(select, run, (int32_t)n, *contacts)) {
        *count = (int32_t)n;
    } else {
        status = run_damaged("list of contacts", run->steps[index], error);
    }
    io_statement_end(select);
    return status;
}

cn_status cn_run_joints(cn_run *run, int64_t index, cn_arena *memory, cn_joint_record **joints,
                        int32_t *count, cn_error *error) {
    if (!run || !memory || !joints || !count) {
        return base_fail_missing(error);
    }
    io_statement *select;
    *count = 0;
    *joints = NULL;
    CN_TRY(run_select(run,
                      "SELECT value, rate, effort, impulse FROM frame LEFT JOIN joint USING(step) "
                      "WHERE step=?",
                      index, &select, error));
    size_t size;
    io_column_blob(select, 0, &size);
    int32_t n = size <= INT32_MAX ? (int32_t)(size / sizeof(double)) : 0;
    int32_t each = run->dim == 3 ? 6 : 3;
    bool sound = true;
    cn_joint_record *row = BASE_TAKE_ZERO(memory, cn_joint_record, n);
    for (int32_t j = 0; row && sound && j < n; j++) {
        sound = vector_column(select, 0, j, n, 1, &row[j].value) &&
                vector_column(select, 1, j, n, 1, &row[j].rate) &&
                vector_column(select, 2, j, n, 1, &row[j].effort) &&
                vector_column(select, 3, j, n, each, row[j].impulse);
    }
    cn_status status = !row    ? base_fail_memory(error)
                       : sound ? CN_OK
                               : run_damaged("list of joints", run->steps[index], error);
    if (status == CN_OK) {
        *joints = row;
        *count = n;
    }
    io_statement_end(select);
    return status;
}

static cn_outcome outcome_named(const char *text) {
    for (int i = 0; i < CN_OUTCOME_COUNT; i++) {
        if (strcmp(text, cn_outcome_text((cn_outcome)i)) == 0) {
            return (cn_outcome)i;
        }
    }
    return CN_STALLED;
}

// A row as it is in the file, its texts those of the statement.
static void ledger_row_lent(io_statement *select, cn_step_report *row) {
    int32_t column = 0;
    *row = (cn_step_report){0};
#define LEDGER_LEND_I(name) row->name = (__typeof__(row->name))io_column_int(select, column++);
#define LEDGER_LEND_R(name) row->name = io_column_real(select, column++);
#define LEDGER_LEND_S(name) row->name = io_column_text(select, column++);
#define LEDGER_LEND_O(name) row->name = outcome_named(io_column_text(select, column++));
#define LEDGER_LEND(name, kind) LEDGER_LEND_##kind(name)
    CN_LEDGER_LIST(LEDGER_LEND)
    // Older versions had no such columns, and no bodies that would fill them.
#define LEDGER_NONE_I(name)
#define LEDGER_NONE_R(name) row->name = isnan(row->name) ? 0.0 : row->name;
#define LEDGER_NONE(name, kind) LEDGER_NONE_##kind(name)
    CN_LEDGER_ADDED(LEDGER_NONE)
}

// The selection of rows of the ledger, whatever version wrote it.
#define LEDGER_SELECT (REC_COLUMNS_TEXT + 96)
static cn_status ledger_select(cn_run *run, const char *which, char sql[LEDGER_SELECT],
                               cn_error *error) {
    const rec_hashed_table *table = &rec_hashed_tables[REC_HASHED_LEDGER];
    char columns[REC_COLUMNS_TEXT];
    bool has = false;
    CN_TRY(io_database_has(run->database, table->name, table->added_one, &has, error));
    rec_hashed_columns(table, has, columns, sizeof columns);
    snprintf(sql, LEDGER_SELECT, "SELECT %s FROM ledger %s", columns, which);
    return CN_OK;
}

cn_status cn_run_ledger_each(cn_run *run, int64_t from, int64_t to, cn_run_ledger_fn *each,
                             void *user, cn_error *error) {
    if (!run || !each) {
        return base_fail_missing(error);
    }
    io_statement *select;
    char sql[LEDGER_SELECT];
    CN_TRY(ledger_select(run, "WHERE step>=? AND step<=? ORDER BY step", sql, error));
    cn_status status = io_database_prepare(run->database, sql, &select, error);
    CN_TRY(status);
    bool row = true, going = true;
    io_bind_int(select, 1, from);
    io_bind_int(select, 2, to);
    while (status == CN_OK && going) {
        status = io_statement_step(run->database, select, &row, error);
        if (status != CN_OK || !row) {
            break;
        }
        cn_step_report report;
        ledger_row_lent(select, &report);
        going = each(user, &report);
    }
    io_statement_end(select);
    return status;
}

cn_status cn_run_last_step(cn_run *run, int64_t *step, cn_error *error) {
    if (!run || !step) {
        return base_fail_missing(error);
    }
    *step = 0;
    return run_count(run, "SELECT coalesce(max(step), 0) FROM ledger", step, error);
}

// The rows of a table as a list in memory. Each is read by fill, which says that memory is short.
typedef struct row_list {
    const char *count, *select; // statements
    size_t size;                // of a row
    cn_status (*fill)(io_statement *select, cn_arena *memory, void *row);
    void *rows;
} row_list;

static cn_status read_rows(cn_run *run, cn_arena *memory, row_list *list, int64_t *count,
                           cn_error *error) {
    io_statement *select;
    CN_TRY(run_count(run, list->count, count, error));
    list->rows = base_arena_take(memory, *count, list->size);
    if (!list->rows) {
        return base_fail_memory(error);
    }
    CN_TRY(io_database_prepare(run->database, list->select, &select, error));
    cn_status status = CN_OK;
    bool row = true;
    int64_t filled = 0;
    while (status == CN_OK && filled < *count) {
        status = io_statement_step(run->database, select, &row, error);
        if (status != CN_OK || !row) {
            break;
        }
        if (list->fill(select, memory, (char *)list->rows + (size_t)filled++ * list->size) !=
            CN_OK) {
            status = base_fail_memory(error);
        }
    }
    *count = filled;
    io_statement_end(select);
    return status;
}

static cn_status ledger_fill(io_statement *select, cn_arena *memory, void *out) {
    cn_step_report *row = out;
    ledger_row_lent(select, row);
    row->solver = base_arena_text(memory, row->solver, strlen(row->solver));
    return row->solver ? CN_OK : CN_ERR_MEMORY;
}

cn_status cn_run_ledger(cn_run *run, cn_arena *memory, cn_step_report **rows, int64_t *count,
                        cn_error *error) {
    if (!run || !memory || !rows || !count) {
        return base_fail_missing(error);
    }
    char sql[LEDGER_SELECT];
    CN_TRY(ledger_select(run, "ORDER BY step", sql, error));
    row_list list = {.count = "SELECT count(*) FROM ledger",
                     .select = sql,
                     .size = sizeof(cn_step_report),
                     .fill = ledger_fill};
    cn_status status = read_rows(run, memory, &list, count, error);
    *rows = list.rows;
    return status;
}

cn_status cn_run_bodies(cn_run *run, cn_arena *memory, cn_run_body **rows, cn_error *error) {
    if (!run || !memory || !rows) {
        return base_fail_missing(error);
    }
    io_statement *select = NULL;
    bool row = true;
    *rows = BASE_TAKE_ZERO(memory, cn_run_body, run->bodies);
    cn_status status = *rows ? io_database_prepare(run->database,
                                                   "SELECT name, kind, material, mass, com, "
                                                   "inertia, shape FROM body ORDER BY id",
                                                   &select, error)
                             : base_fail_memory(error);
    for (int32_t i = 0; status == CN_OK && i < run->bodies; i++) {
        status = io_statement_step(run->database, select, &row, error);
        if (status == CN_OK && !row) {
            status = base_fail(error, CN_ERR_INPUT, "the run file lost some of its bodies");
        }
        if (status != CN_OK) {
            break;
        }
        cn_run_body body = {.name = own_text(select, 0, memory),
                            .kind = own_text(select, 1, memory),
                            .material = own_text(select, 2, memory),
                            .mass = io_column_real(select, 3),
                            .com = own_text(select, 4, memory),
                            .inertia = own_text(select, 5, memory),
                            .shape = own_text(select, 6, memory)};
        bool complete =
            body.name && body.kind && body.material && body.com && body.inertia && body.shape;
        status = complete ? CN_OK : base_fail_memory(error);
        (*rows)[i] = body;
    }
    io_statement_end(select);
    return status;
}

static cn_status event_fill(io_statement *select, cn_arena *memory, void *out) {
    cn_run_event *event = out;
    const char *text = io_column_text(select, 2);
    *event = (cn_run_event){io_column_int(select, 0), io_column_real(select, 1),
                            base_arena_text(memory, text, strlen(text))};
    return event->text ? CN_OK : CN_ERR_MEMORY;
}

cn_status cn_run_events(cn_run *run, cn_arena *memory, cn_run_event **rows, int64_t *count,
                        cn_error *error) {
    if (!run || !memory || !rows || !count) {
        return base_fail_missing(error);
    }
    row_list list = {.count = "SELECT count(*) FROM event",
                     .select = "SELECT step, t, text FROM event ORDER BY step, rowid",
                     .size = sizeof(cn_run_event),
                     .fill = event_fill};
    cn_status status = read_rows(run, memory, &list, count, error);
    *rows = list.rows;
    return status;
}

cn_status cn_run_last_checkpoint(cn_run *run, int64_t *step, cn_error *error) {
    if (!run || !step) {
        return base_fail_missing(error);
    }
    *step = -1;
    return run_count(run, "SELECT coalesce(max(step), -1) FROM checkpoint", step, error);
}
