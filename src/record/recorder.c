// record/recorder.c
// Writing a run file. Rows are gathered in transactions: a commit at least every CN_COMMIT_ROWS
// ledger rows, at every checkpoint and at the end, so that a killed run loses little and a fast one
// does not wait for the disk at each step. A checkpoint is on the disk when it has been written: a
// power loss takes at most what came after it.
#include "record/layout.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "model/model.h"
#include "record/shape_json.h"
#include "step/save.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define CN_COMMIT_ROWS 200
#define CN_CONTACTS_AT_ONCE 16384          // of a frame: 3 MB, or of one column of it 0.4
#define CN_BODIES_AT_ONCE 16384            // of a frame: 1 MB
#define CN_STATE_AT_ONCE ((size_t)1 << 20) // bytes of a checkpoint
#define CN_ROW_HEAD 256                    // bytes of a row besides its arrays, at most
#define CN_CHECKPOINTS_KEPT 2              // the last one, and one more in case it is damaged

static cn_status cn_write_checkpoint(cn_recorder *recorder, const cn_sim *sim, cn_error *error);

struct cn_recorder {
    cn_arena *memory, *scratch;
    cn_database *database;
    cn_statement *frame, *contact, *ledger, *event, *checkpoint, *forget;
    int32_t dim, bodies, rows;
};

// ---- opening ----

static cn_status cn_recorder_prepare(cn_recorder *recorder, cn_error *error) {
    const struct {
        cn_statement **statement;
        const char *sql;
    } list[] = {
        {&recorder->frame, "INSERT INTO frame(step,t,hash,q,v) VALUES(?,?,?,?,?)"},
        {&recorder->contact, "INSERT INTO contact VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)"},
        {&recorder->ledger,
         "INSERT INTO ledger VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"},
        {&recorder->event, "INSERT INTO event VALUES(?,?,?)"},
        {&recorder->checkpoint, "INSERT OR REPLACE INTO checkpoint(step,hash,state) VALUES(?,?,?)"},
        {&recorder->forget,
         "DELETE FROM checkpoint WHERE step NOT IN (SELECT step FROM checkpoint ORDER BY step DESC "
         "LIMIT ?)"},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        cn_status status =
            cn_database_prepare(recorder->database, list[i].sql, list[i].statement, error);
        if (status != CN_OK) {
            return status;
        }
    }
    return CN_OK;
}

static cn_status cn_recorder_open(const cn_env *env, const char *path, cn_database_mode mode,
                                  const cn_sim *sim, cn_recorder **out, cn_error *error) {
    *out = NULL;
    cn_arena *memory = cn_arena_create(env), *scratch = cn_arena_create(env);
    cn_recorder *recorder = memory && scratch ? CN_TAKE_ZERO(memory, cn_recorder, 1) : NULL;
    if (!recorder) {
        cn_arena_destroy(memory);
        cn_arena_destroy(scratch);
        return cn_fail_memory(error);
    }
    recorder->memory = memory;
    recorder->scratch = scratch;
    recorder->dim = cn_model_dim(cn_sim_model(sim));
    recorder->bodies = cn_model_body_count(cn_sim_model(sim));
    cn_status status = cn_database_open(env, path, mode, &recorder->database, error);
    if (status != CN_OK) {
        cn_arena_destroy(scratch);
        cn_arena_destroy(memory);
        return status;
    }
    // From here to the first commit: a run file has its tables and its head, or nothing.
    status = cn_database_run(recorder->database, "BEGIN", error);
    if (status != CN_OK) {
        cn_recorder_close(recorder, NULL);
        if (mode == CN_DATABASE_CREATE) {
            cn_database_remove(path);
        }
        return status;
    }
    *out = recorder;
    return CN_OK;
}

// What a body is, as text; that of the one before where the two are alike.
typedef struct cn_body_text {
    const char *com, *inertia, *shape;
} cn_body_text;

static bool cn_body_alike(const cn_body *a, const cn_body *b) {
    return a->inertia == b->inertia && a->shape_first == b->shape_first &&
           a->shape_count == b->shape_count && memcmp(a->com, b->com, sizeof a->com) == 0;
}

static bool cn_body_describe(cn_arena *memory, cn_arena_mark mark, const cn_model *model, int32_t i,
                             cn_body_text *out) {
    const cn_body *body = &model->body[i];
    if (i > 0 && cn_body_alike(body, body - 1)) {
        return true;
    }
    const double *inertia = model->inertia[body->inertia].tensor;
    cn_arena_release(memory, mark);
    out->com = cn_json_numbers(memory, body->com, model->dim);
    out->inertia = model->dim == 3 ? cn_json_numbers(memory, inertia, 9)
                                   : cn_json_numbers(memory, inertia + 8, 1);
    out->shape = cn_json_shapes(memory, model, i);
    return out->com && out->inertia && out->shape;
}

static cn_status cn_write_bodies(cn_recorder *recorder, const cn_model *model, cn_error *error) {
    cn_statement *insert;
    cn_status status = cn_database_prepare(
        recorder->database, "INSERT INTO body VALUES(?,?,?,?,?,?,?,?)", &insert, error);
    cn_arena_mark mark = cn_arena_get_mark(recorder->scratch);
    cn_body_text text = {NULL, NULL, NULL};
    for (int32_t i = 0; status == CN_OK && i < model->body_count; i++) {
        const cn_body *body = &model->body[i];
        if (!cn_body_describe(recorder->scratch, mark, model, i, &text)) {
            cn_statement_end(insert);
            return cn_fail_memory(error);
        }
        cn_bind_int(insert, 1, i + 1);
        cn_bind_text(insert, 2, body->name);
        cn_bind_text(insert, 3, cn_body_role_text(body->role));
        cn_bind_text(insert, 4, model->material[body->material].name);
        cn_bind_real(insert, 5, body->mass);
        cn_bind_text(insert, 6, text.com);
        cn_bind_text(insert, 7, text.inertia);
        cn_bind_text(insert, 8, text.shape);
        status = cn_statement_do(recorder->database, insert, error);
    }
    cn_arena_release(recorder->scratch, mark);
    cn_statement_end(insert);
    return status;
}

static cn_status cn_write_head(cn_recorder *recorder, const cn_sim *sim, cn_error *error) {
    const cn_model *model = cn_sim_model(sim);
    double kinetic, potential;
    char energy[32], dim[8];
    cn_sim_energy(sim, &kinetic, &potential);
    snprintf(energy, sizeof energy, "%.17g", kinetic + potential);
    snprintf(dim, sizeof dim, "%d", (int)model->dim);
    const char *const meta[][2] = {{"cairn_version", cn_version()},
                                   {"format", "1"},
                                   {"dimension", dim},
                                   {"name", model->name ? model->name : ""},
                                   {"scene", model->scene_text ? model->scene_text : ""},
                                   {"energy_initial", energy},
                                   {"friction", cn_friction_law_text(model->settings.friction)},
                                   {"compiler", __VERSION__}};
    cn_status status = cn_write_bodies(recorder, model, error);
    for (size_t i = 0; status == CN_OK && i < sizeof meta / sizeof meta[0]; i++) {
        status = cn_recorder_meta(recorder, meta[i][0], meta[i][1], error);
    }
    return status;
}

cn_status cn_recorder_create(const cn_env *env, const char *path, bool overwrite, const cn_sim *sim,
                             cn_recorder **out, cn_error *error) {
    cn_recorder *recorder;
    cn_status status = overwrite ? cn_database_replace(path, error) : CN_OK;
    if (status != CN_OK) {
        return status;
    }
    status = cn_recorder_open(env, path, CN_DATABASE_CREATE, sim, &recorder, error);
    if (status != CN_OK) {
        return status;
    }
    status = cn_database_run(recorder->database, cn_run_tables, error);
    if (status == CN_OK) {
        bool many = recorder->bodies > CN_BODIES_AT_ONCE;
        status = cn_database_run(recorder->database,
                                 many ? cn_run_tables_many_bodies : cn_run_tables_bodies, error);
    }
    status = status == CN_OK ? cn_recorder_prepare(recorder, error) : status;
    status = status == CN_OK ? cn_write_head(recorder, sim, error) : status;
    status = status == CN_OK ? cn_write_checkpoint(recorder, sim, error) : status;
    if (status != CN_OK) {
        cn_recorder_close(recorder, NULL);
        cn_database_remove(path); // nothing half-made is left
        return status;
    }
    *out = recorder;
    return CN_OK;
}

// Loads the checkpoint of a row: all of it must fit, its step and hash too.
static cn_status cn_load_row(cn_statement *row, cn_sim *sim, cn_error *error) {
    size_t size;
    char hash[CN_HASH_TEXT];
    const void *bytes = cn_column_blob(row, 1, &size);
    cn_status status = cn_sim_load(sim, bytes ? bytes : "", size, error);
    if (status != CN_OK) {
        return status;
    }
    cn_hash_text(cn_sim_hash(sim), hash);
    return strcmp(hash, cn_column_text(row, 2)) == 0 &&
                   cn_sim_step_index(sim) == cn_column_int(row, 0)
               ? CN_OK
               : cn_fail(error, CN_ERR_INPUT, "the checkpoint is not that of its step");
}

// Loads the newest checkpoint that can be loaded; *step is its step. Why newer ones cannot becomes
// an event.
static cn_status cn_load_checkpoint(cn_recorder *recorder, cn_sim *sim, int64_t *step,
                                    char *refused, size_t refused_size, cn_error *error) {
    cn_statement *select;
    bool row = false, loaded = false;
    cn_error why = {.status = CN_OK};
    cn_status status = cn_database_prepare(
        recorder->database, "SELECT step, state, hash FROM checkpoint ORDER BY step DESC", &select,
        error);
    while (status == CN_OK && !loaded) {
        status = cn_statement_step(recorder->database, select, &row, error);
        if (status != CN_OK || !row) {
            break;
        }
        *step = cn_column_int(select, 0);
        status = cn_load_row(select, sim, &why);
        loaded = status == CN_OK;
        if (!loaded && refused[0] == '\0') {
            snprintf(refused, refused_size, "the checkpoint of step %lld was refused: %.300s",
                     (long long)*step, why.message);
        }
        status = status == CN_ERR_INPUT ? CN_OK : status;
        if (status == CN_ERR_MEMORY) {
            cn_fail_memory(error);
        }
    }
    cn_statement_end(select);
    if (status == CN_OK && !loaded) {
        status =
            cn_fail(error, CN_ERR_INPUT, "the run file has no checkpoint to resume from%s%.400s",
                    refused[0] ? "; " : "", refused);
        cn_fail_hint(error, "%s", why.hint);
    }
    return status;
}

// Deletes what was recorded after a step.
static cn_status cn_drop_after(cn_recorder *recorder, int64_t step, cn_error *error) {
    const char *const tables[] = {"frame", "contact", "ledger", "event", "checkpoint"};
    cn_status status = CN_OK;
    for (size_t i = 0; status == CN_OK && i < sizeof tables / sizeof tables[0]; i++) {
        char sql[96];
        snprintf(sql, sizeof sql, "DELETE FROM %s WHERE step > %lld", tables[i], (long long)step);
        status = cn_database_run(recorder->database, sql, error);
    }
    return status;
}

cn_status cn_recorder_resume(const cn_env *env, const char *path, cn_sim *sim, cn_recorder **out,
                             cn_error *error) {
    cn_recorder *recorder;
    int64_t step = 0;
    cn_status status = cn_recorder_open(env, path, CN_DATABASE_WRITE, sim, &recorder, error);
    if (status != CN_OK) {
        return status;
    }
    char refused[400] = "";
    status = cn_load_checkpoint(recorder, sim, &step, refused, sizeof refused, error);
    status = status == CN_OK ? cn_drop_after(recorder, step, error) : status;
    status = status == CN_OK ? cn_recorder_prepare(recorder, error) : status;
    if (status == CN_OK && refused[0]) {
        cn_log(cn_arena_env(recorder->memory), CN_LOG_WARNING, "%s: %s", path, refused);
        status = cn_recorder_event(recorder, step, cn_sim_time(sim), refused, error);
    }
    if (status != CN_OK) {
        cn_recorder_close(recorder, NULL);
        return status;
    }
    *out = recorder;
    return CN_OK;
}

// ---- writing ----

static cn_status cn_recorder_commit(cn_recorder *recorder, cn_error *error) {
    recorder->rows = 0;
    return cn_database_run(recorder->database, "COMMIT; BEGIN", error);
}

cn_status cn_recorder_meta(cn_recorder *recorder, const char *key, const char *value,
                           cn_error *error) {
    cn_statement *insert;
    cn_status status = cn_database_prepare(
        recorder->database, "INSERT OR REPLACE INTO meta VALUES(?,?)", &insert, error);
    if (status == CN_OK) {
        cn_bind_text(insert, 1, key);
        cn_bind_text(insert, 2, value);
        status = cn_statement_do(recorder->database, insert, error);
        cn_statement_end(insert);
    }
    return status;
}

// The columns of a contact row from the third on: what part of a cn_contact_record they belong to
// and where in it they are, and how many bytes a contact has; of vectors, how many an axis has.
static const struct cn_contact_column {
    const char *name;
    uint32_t part;
    size_t offset, bytes;
    bool vector;
} cn_contact_columns[] = {
    {"bodies", CN_RECORD_PLACE, offsetof(cn_contact_record, candidate), 2 * sizeof(cn_body_id),
     false},
    {"point", CN_RECORD_PLACE, offsetof(cn_contact_record, point), sizeof(double), true},
    {"normal", CN_RECORD_PLACE, offsetof(cn_contact_record, normal), sizeof(double), true},
    {"gap", CN_RECORD_PLACE, offsetof(cn_contact_record, gap), sizeof(double), false},
    {"impulse", CN_RECORD_IMPULSE, offsetof(cn_contact_record, impulse), sizeof(double), true},
    {"velocity", CN_RECORD_AFTER, offsetof(cn_contact_record, velocity), sizeof(double), true},
    {"velocity_before", CN_RECORD_BEFORE, offsetof(cn_contact_record, velocity_before),
     sizeof(double), true},
    {"shift", CN_RECORD_BEFORE, offsetof(cn_contact_record, shift), sizeof(double), true},
    {"friction", CN_RECORD_STATE, offsetof(cn_contact_record, friction), sizeof(double), false},
    {"status", CN_RECORD_STATE, offsetof(cn_contact_record, status), sizeof(uint8_t), false},
    {"frame_change", CN_RECORD_BEFORE, offsetof(cn_contact_record, frame_change), sizeof(double),
     true},
};
#define CN_COLUMN_BYTES_MOST (3 * sizeof(double))
#define CN_CONTACT_COLUMNS (sizeof cn_contact_columns / sizeof cn_contact_columns[0])
_Static_assert(offsetof(cn_contact_record, antagonist) ==
                   offsetof(cn_contact_record, candidate) + sizeof(cn_body_id),
               "the two bodies are copied as one piece");

static size_t cn_column_bytes(const cn_recorder *recorder, size_t column) {
    const struct cn_contact_column *c = &cn_contact_columns[column];
    return c->bytes * (c->vector ? (size_t)recorder->dim : 1);
}

// Contacts first .. end - 1 of some columns, an array each.
static void cn_gather_contacts(const cn_recorder *recorder, const cn_sim *sim, int32_t first,
                               int32_t end, size_t column, size_t column_end,
                               unsigned char *const *to) {
    uint32_t parts = 0;
    for (size_t i = column; i < column_end; i++) {
        parts |= cn_contact_columns[i].part;
    }
    for (int32_t c = first; c < end; c++) {
        cn_contact_record contact;
        cn_sim_contact_parts(sim, c, parts, &contact);
        for (size_t i = column; i < column_end; i++) {
            size_t bytes = cn_column_bytes(recorder, i);
            memcpy(to[i - column] + bytes * (size_t)(c - first),
                   (const unsigned char *)&contact + cn_contact_columns[i].offset, bytes);
        }
    }
}

// One column of a row that holds zeros so far, piece by piece.
static cn_status cn_write_column(cn_recorder *recorder, const cn_sim *sim, size_t column,
                                 unsigned char *piece, cn_error *error) {
    int32_t count = cn_sim_contact_count(sim);
    size_t bytes = cn_column_bytes(recorder, column);
    cn_blob *blob;
    cn_status status = cn_blob_open(recorder->database, "contact", cn_contact_columns[column].name,
                                    cn_sim_step_index(sim), &blob, error);
    for (int32_t first = 0; status == CN_OK && first < count; first += CN_CONTACTS_AT_ONCE) {
        int32_t end = count - first < CN_CONTACTS_AT_ONCE ? count : first + CN_CONTACTS_AT_ONCE;
        cn_gather_contacts(recorder, sim, first, end, column, column + 1, &piece);
        status = cn_blob_write(recorder->database, blob, bytes * (size_t)first, piece,
                               bytes * (size_t)(end - first), error);
    }
    cn_blob_close(blob);
    return status;
}

// The contacts of the last step, an array a column. Many are written column by column in pieces, so
// that no copy of all of them is made, here or by SQLite; one column after the other, since SQLite
// finds a place in a large row by walking to it, unless it was just there.
static cn_status cn_write_many(cn_recorder *recorder, const cn_sim *sim, cn_error *error) {
    unsigned char *piece =
        cn_arena_take(recorder->scratch, CN_CONTACTS_AT_ONCE, CN_COLUMN_BYTES_MOST);
    if (!piece) {
        return cn_fail_memory(error);
    }
    for (size_t i = 0; i < CN_CONTACT_COLUMNS; i++) {
        cn_bind_zeros(recorder->contact, 3 + (int32_t)i,
                      cn_column_bytes(recorder, i) * (size_t)cn_sim_contact_count(sim));
    }
    cn_status status = cn_statement_do(recorder->database, recorder->contact, error);
    for (size_t i = 0; status == CN_OK && i < CN_CONTACT_COLUMNS; i++) {
        status = cn_write_column(recorder, sim, i, piece, error);
    }
    return status;
}

// Whether a row holds so many contacts: SQLite has some six million in mind.
static bool cn_contacts_fit(const cn_recorder *recorder, int32_t count) {
    size_t bytes = CN_ROW_HEAD;
    for (size_t i = 0; i < CN_CONTACT_COLUMNS; i++) {
        bytes += cn_column_bytes(recorder, i) * (size_t)count;
    }
    return bytes <= cn_database_row_most(recorder->database);
}

static cn_status cn_write_contacts(cn_recorder *recorder, const cn_sim *sim, cn_error *error) {
    int32_t count = cn_sim_contact_count(sim);
    if (!cn_contacts_fit(recorder, count)) {
        char text[96];
        snprintf(text, sizeof text, "the frame is without its %d contacts: a row has no room",
                 (int)count);
        return cn_recorder_event(recorder, cn_sim_step_index(sim), cn_sim_time(sim), text, error);
    }
    cn_bind_int(recorder->contact, 1, cn_sim_step_index(sim));
    cn_bind_int(recorder->contact, 2, count);
    if (count > CN_CONTACTS_AT_ONCE) {
        return cn_write_many(recorder, sim, error);
    }
    unsigned char *all[CN_CONTACT_COLUMNS];
    for (size_t i = 0; i < CN_CONTACT_COLUMNS; i++) {
        size_t bytes = cn_column_bytes(recorder, i);
        all[i] = cn_arena_take(recorder->scratch, count, bytes);
        if (!all[i]) {
            return cn_fail_memory(error);
        }
        cn_bind_blob(recorder->contact, 3 + (int32_t)i, all[i], bytes * (size_t)count);
    }
    cn_gather_contacts(recorder, sim, 0, count, 0, CN_CONTACT_COLUMNS, all);
    return cn_statement_do(recorder->database, recorder->contact, error);
}

// The poses of many bodies into a row that holds zeros so far, piece by piece.
static cn_status cn_write_poses(cn_recorder *recorder, const cn_sim *sim, double *piece,
                                cn_error *error) {
    size_t bytes = sizeof *piece * (size_t)cn_pose_size(recorder->dim);
    cn_blob *blob;
    cn_status status =
        cn_blob_open(recorder->database, "frame", "q", cn_sim_step_index(sim), &blob, error);
    for (int32_t first = 0; status == CN_OK && first < recorder->bodies;
         first += CN_BODIES_AT_ONCE) {
        int32_t left = recorder->bodies - first,
                end = left < CN_BODIES_AT_ONCE ? recorder->bodies : first + CN_BODIES_AT_ONCE;
        cn_sim_poses_of(sim, first, end, piece);
        status = cn_blob_write(recorder->database, blob, bytes * (size_t)first, piece,
                               bytes * (size_t)(end - first), error);
    }
    cn_blob_close(blob);
    return status;
}

// One piece of memory into such a row.
static cn_status cn_write_blob(cn_recorder *recorder, const char *table, const char *column,
                               int64_t row, const void *bytes, size_t size, cn_error *error) {
    cn_blob *blob;
    cn_status status = cn_blob_open(recorder->database, table, column, row, &blob, error);
    status =
        status == CN_OK ? cn_blob_write(recorder->database, blob, 0, bytes, size, error) : status;
    cn_blob_close(blob);
    return status;
}

// The row of a frame. The bodies of a large scene are written in pieces, as its contacts are.
static cn_status cn_write_frame(cn_recorder *recorder, const cn_sim *sim, cn_error *error) {
    bool whole = recorder->bodies <= CN_BODIES_AT_ONCE;
    int64_t pose = cn_pose_size(recorder->dim), velocity = cn_velocity_size(recorder->dim),
            step = cn_sim_step_index(sim);
    size_t q_bytes = sizeof(double) * (size_t)(pose * recorder->bodies),
           v_bytes = sizeof(double) * (size_t)(velocity * recorder->bodies);
    double *q =
        CN_TAKE(recorder->scratch, double, pose *(whole ? recorder->bodies : CN_BODIES_AT_ONCE));
    if (!q) {
        return cn_fail_memory(error);
    }
    char hash[CN_HASH_TEXT];
    cn_hash_text(cn_sim_hash(sim), hash);
    cn_bind_int(recorder->frame, 1, step);
    cn_bind_real(recorder->frame, 2, cn_sim_time(sim));
    cn_bind_text(recorder->frame, 3, hash);
    if (whole) {
        cn_sim_poses(sim, q);
        cn_bind_blob(recorder->frame, 4, q, q_bytes);
        cn_bind_blob(recorder->frame, 5, sim->state.v, v_bytes);
        return cn_statement_do(recorder->database, recorder->frame, error);
    }
    cn_bind_zeros(recorder->frame, 4, q_bytes);
    cn_bind_zeros(recorder->frame, 5, v_bytes);
    cn_status status = cn_statement_do(recorder->database, recorder->frame, error);
    status = status == CN_OK ? cn_write_poses(recorder, sim, q, error) : status;
    return status == CN_OK
               ? cn_write_blob(recorder, "frame", "v", step, sim->state.v, v_bytes, error)
               : status;
}

cn_status cn_recorder_frame(cn_recorder *recorder, const cn_sim *sim, cn_error *error) {
    cn_arena_mark mark = cn_arena_get_mark(recorder->scratch);
    cn_status status = cn_write_frame(recorder, sim, error);
    cn_arena_release(recorder->scratch, mark);
    if (status == CN_OK && cn_sim_step_index(sim) > 0) {
        status = cn_write_contacts(recorder, sim, error);
        cn_arena_release(recorder->scratch, mark);
    }
    return status;
}

cn_status cn_recorder_ledger(cn_recorder *recorder, const cn_step_report *report, cn_error *error) {
    int32_t column = 1;
#define CN_LEDGER_BIND_I(value) cn_bind_int(recorder->ledger, column++, value);
#define CN_LEDGER_BIND_R(value) cn_bind_real(recorder->ledger, column++, value);
#define CN_LEDGER_BIND_S(value) cn_bind_text(recorder->ledger, column++, value);
#define CN_LEDGER_BIND_O(value) cn_bind_text(recorder->ledger, column++, cn_outcome_text(value));
#define CN_LEDGER_BIND(name, kind) CN_LEDGER_BIND_##kind(report->name)
    CN_LEDGER_LIST(CN_LEDGER_BIND)
    cn_status status = cn_statement_do(recorder->database, recorder->ledger, error);
    if (status == CN_OK && ++recorder->rows >= CN_COMMIT_ROWS) {
        status = cn_recorder_commit(recorder, error);
    }
    return status;
}

cn_status cn_recorder_event(cn_recorder *recorder, int64_t step, double t, const char *text,
                            cn_error *error) {
    cn_bind_int(recorder->event, 1, step);
    cn_bind_real(recorder->event, 2, t);
    cn_bind_text(recorder->event, 3, text);
    return cn_statement_do(recorder->database, recorder->event, error);
}

// The state in one piece.
static cn_status cn_write_state(cn_recorder *recorder, const cn_sim *sim, cn_error *error) {
    void *bytes;
    size_t size;
    if (cn_sim_save(sim, &bytes, &size) != CN_OK) {
        return cn_fail_memory(error);
    }
    cn_bind_blob(recorder->checkpoint, 3, bytes, size);
    cn_status status = cn_statement_do(recorder->database, recorder->checkpoint, error);
    cn_sim_free(sim, bytes, size);
    return status;
}

// The same from where it lies, into a row that holds zeros so far: no copy is made.
static cn_status cn_write_state_parts(cn_recorder *recorder, const cn_sim *sim, const cn_save *save,
                                      cn_error *error) {
    cn_blob *blob = NULL;
    size_t at = 0;
    cn_bind_zeros(recorder->checkpoint, 3, save->size);
    cn_status status = cn_statement_do(recorder->database, recorder->checkpoint, error);
    if (status == CN_OK) {
        status = cn_blob_open(recorder->database, "checkpoint", "state", cn_sim_step_index(sim),
                              &blob, error);
    }
    for (int32_t i = 0; status == CN_OK && i < save->count; i++) {
        status = cn_blob_write(recorder->database, blob, at, save->part[i].bytes,
                               save->part[i].size, error);
        at += save->part[i].size;
    }
    cn_blob_close(blob);
    return status;
}

static cn_status cn_write_checkpoint(cn_recorder *recorder, const cn_sim *sim, cn_error *error) {
    char hash[CN_HASH_TEXT];
    cn_save save = {.size = 0};
    if (!sim->system) {
        cn_sim_parts(sim, &save);
    }
    cn_hash_text(cn_sim_hash(sim), hash);
    cn_bind_int(recorder->checkpoint, 1, cn_sim_step_index(sim));
    cn_bind_text(recorder->checkpoint, 2, hash);
    cn_status status = save.size > CN_STATE_AT_ONCE
                           ? cn_write_state_parts(recorder, sim, &save, error)
                           : cn_write_state(recorder, sim, error);
    if (status == CN_OK) {
        cn_bind_int(recorder->forget, 1, CN_CHECKPOINTS_KEPT);
        status = cn_statement_do(recorder->database, recorder->forget, error);
    }
    return status;
}

cn_status cn_recorder_checkpoint(cn_recorder *recorder, const cn_sim *sim, cn_error *error) {
    cn_status status = cn_write_checkpoint(recorder, sim, error);
    status = status == CN_OK ? cn_recorder_commit(recorder, error) : status;
    return status == CN_OK ? cn_database_sync(recorder->database, error) : status;
}

cn_status cn_recorder_flush(cn_recorder *recorder, cn_error *error) {
    return cn_recorder_commit(recorder, error);
}

cn_status cn_recorder_restart(cn_recorder *recorder, const cn_sim *sim, cn_error *error) {
    cn_status status = cn_drop_after(recorder, -1, error);
    return status == CN_OK ? cn_recorder_checkpoint(recorder, sim, error) : status;
}

cn_status cn_recorder_close(cn_recorder *recorder, cn_error *error) {
    if (!recorder) {
        return CN_OK;
    }
    cn_status status = cn_database_run(recorder->database, "COMMIT", error);
    cn_status closed = cn_database_close(recorder->database, status == CN_OK ? error : NULL);
    cn_arena_destroy(recorder->scratch);
    cn_arena_destroy(recorder->memory);
    return status == CN_OK ? closed : status;
}
