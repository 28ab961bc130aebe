// record/recorder.c
// Writing a run file. Rows are gathered in transactions: a commit at least every COMMIT_ROWS
// ledger rows, at every checkpoint and at the end, so that a killed run loses little and a fast one
// does not wait for the disk at each step. A checkpoint is on the disk when it has been written: a
// power loss takes at most what came after it.
#include "record/recorder.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "model/model.h"
#include "record/nodes.h"
#include "record/shape_json.h"
#include "step/save/save.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define COMMIT_ROWS 200
#define STATE_AT_ONCE ((size_t)1 << 20) // bytes of a checkpoint
#define CHECKPOINTS_KEPT 2              // the last one, and one more in case it is damaged

static cn_status write_checkpoint(cn_recorder *recorder, const cn_sim *sim, cn_error *error);

// ---- opening ----

cn_status rec_prepare_insert(cn_recorder *recorder, int32_t table, io_statement **out,
                             cn_error *error) {
    const rec_hashed_table *of = &rec_hashed_tables[table];
    char sql[1024];
    size_t used = (size_t)snprintf(sql, sizeof sql, "INSERT INTO %s(%s,row_hash) VALUES(?",
                                   of->name, of->columns);
    for (int32_t i = 0; i < of->count; i++) {
        used += (size_t)snprintf(sql + used, sizeof sql - used, ",?");
    }
    snprintf(sql + used, sizeof sql - used, ")");
    return io_database_prepare(recorder->database, sql, out, error);
}

static cn_status recorder_prepare(cn_recorder *recorder, cn_error *error) {
    const struct {
        io_statement **statement;
        const char *sql; // NULL: the insertion of a row with a hash
        int32_t table;
    } list[] = {
        {&recorder->frame, NULL, REC_HASHED_FRAME},
        {&recorder->contact, NULL, REC_HASHED_CONTACT},
        {&recorder->joint, NULL, REC_HASHED_JOINT},
        {&recorder->ledger, NULL, REC_HASHED_LEDGER},
        {&recorder->event, NULL, REC_HASHED_EVENT},
        {&recorder->checkpoint, "INSERT OR REPLACE INTO checkpoint(step,hash,state) VALUES(?,?,?)",
         0},
        {&recorder->forget,
         "DELETE FROM checkpoint WHERE step NOT IN (SELECT step FROM checkpoint ORDER BY step DESC "
         "LIMIT ?)",
         0},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        CN_TRY(list[i].sql
                   ? io_database_prepare(recorder->database, list[i].sql, list[i].statement, error)
                   : rec_prepare_insert(recorder, list[i].table, list[i].statement, error));
    }
    return recorder->columns > 0
               ? rec_prepare_insert(recorder, REC_HASHED_RECORD, &recorder->record, error)
               : CN_OK;
}

static cn_status recorder_open(const cn_env *env, const char *path, io_database_mode mode,
                               const cn_sim *sim, cn_recorder **out, cn_error *error) {
    *out = NULL;
    cn_arena *memory = cn_arena_create(env), *scratch = cn_arena_create(env);
    cn_recorder *recorder = memory && scratch ? BASE_TAKE_ZERO(memory, cn_recorder, 1) : NULL;
    if (!recorder) {
        cn_arena_destroy(memory);
        cn_arena_destroy(scratch);
        return base_fail_memory(error);
    }
    recorder->memory = memory;
    recorder->scratch = scratch;
    recorder->evidence = true;
    recorder->dim = cn_model_dim(cn_sim_model(sim));
    recorder->bodies = cn_model_body_count(cn_sim_model(sim));
    recorder->columns = cn_model_column_count(cn_sim_model(sim));
    recorder->nodes = cn_model_node_count(cn_sim_model(sim)) > 0;
    recorder->bonds = sim->bonds != NULL;
    cn_status status = io_database_open(env, path, mode, &recorder->database, error);
    if (status != CN_OK) {
        cn_arena_destroy(scratch);
        cn_arena_destroy(memory);
        return status;
    }
    // From here to the first commit: a run file has its tables and its head, or nothing.
    status = io_database_run(recorder->database, "BEGIN", error);
    if (status != CN_OK) {
        cn_recorder_close(recorder, NULL);
        if (mode == IO_DATABASE_CREATE) {
            io_database_remove(path);
        }
        return status;
    }
    *out = recorder;
    return CN_OK;
}

// What a body is, as text; that of the one before where the two are alike.
typedef struct body_text {
    const char *com, *inertia, *shape;
} body_text;

static bool body_alike(const model_body *a, const model_body *b) {
    return a->inertia == b->inertia && a->shape_first == b->shape_first &&
           a->shape_count == b->shape_count && memcmp(a->com, b->com, sizeof a->com) == 0;
}

static bool body_describe(cn_arena *memory, base_arena_mark mark, const cn_model *model, int32_t i,
                          body_text *out) {
    const model_body *body = &model->body[i];
    if (i > 0 && body_alike(body, body - 1)) {
        return true;
    }
    const double *inertia = model->inertia[body->inertia].tensor;
    base_arena_release(memory, mark);
    out->com = rec_json_numbers(memory, body->com, model->dim);
    out->inertia = model->dim == 3 ? rec_json_numbers(memory, inertia, 9)
                                   : rec_json_numbers(memory, inertia + 8, 1);
    out->shape = rec_json_shapes(memory, model, i);
    return out->com && out->inertia && out->shape;
}

static cn_status write_bodies(cn_recorder *recorder, const cn_model *model, cn_error *error) {
    io_statement *insert;
    cn_status status = rec_prepare_insert(recorder, REC_HASHED_BODY, &insert, error);
    base_arena_mark mark = base_arena_get_mark(recorder->scratch);
    body_text text = {NULL, NULL, NULL};
    for (int32_t i = 0; status == CN_OK && i < model->body_count; i++) {
        const model_body *body = &model->body[i];
        if (!body_describe(recorder->scratch, mark, model, i, &text)) {
            io_statement_end(insert);
            return base_fail_memory(error);
        }
        io_bind_int(insert, 1, i + 1);
        io_bind_text(insert, 2, body->name);
        io_bind_text(insert, 3, model_body_role_text(body->role));
        io_bind_text(insert, 4, model->material[body->material].name);
        io_bind_real(insert, 5, body->mass);
        io_bind_text(insert, 6, text.com);
        io_bind_text(insert, 7, text.inertia);
        io_bind_text(insert, 8, text.shape);
        base_hash hash;
        uint64_t room;
        rec_row_hash_start(&hash, "body");
        rec_row_hash_int(&hash, i + 1);
        rec_row_hash_text(&hash, body->name);
        rec_row_hash_text(&hash, model_body_role_text(body->role));
        rec_row_hash_text(&hash, model->material[body->material].name);
        rec_row_hash_real(&hash, body->mass);
        rec_row_hash_text(&hash, text.com);
        rec_row_hash_text(&hash, text.inertia);
        rec_row_hash_text(&hash, text.shape);
        rec_bind_hash(insert, 9, &hash, &room);
        status = io_statement_do(recorder->database, insert, error);
    }
    base_arena_release(recorder->scratch, mark);
    io_statement_end(insert);
    return status;
}

static cn_status write_head(cn_recorder *recorder, const cn_sim *sim, cn_error *error) {
    const cn_model *model = cn_sim_model(sim);
    double kinetic, potential;
    char energy[32], dim[8];
    cn_sim_energy(sim, &kinetic, &potential);
    // Without the work of what was done to the start, which the first step books.
    snprintf(energy, sizeof energy, "%.17g", kinetic + potential - sim->steering_work);
    snprintf(dim, sizeof dim, "%d", (int)model->dim);
    const char *const meta[][2] = {{"cairn_version", cn_version()},
                                   {"format", "1"},
                                   {"dimension", dim},
                                   {"name", model->name ? model->name : ""},
                                   {"scene", model->scene_text ? model->scene_text : ""},
                                   {"energy_initial", energy},
                                   {"friction", cn_friction_law_text(model->settings.friction)},
                                   {REC_META_EVIDENCE, "full"},
                                   {"compiler", __VERSION__}};
    CN_TRY(write_bodies(recorder, model, error));
    CN_TRY(rec_nodes_head(recorder, sim, error));
    CN_TRY(rec_bonds_head(recorder, sim, error));
    for (size_t i = 0; i < sizeof meta / sizeof meta[0]; i++) {
        CN_TRY(cn_recorder_meta(recorder, meta[i][0], meta[i][1], error));
    }
    return CN_OK;
}

cn_status rec_check_bodies(const cn_sim *sim, cn_error *error) {
    if (sim->journal.size == 0) {
        return CN_OK;
    }
    base_fail(error, CN_ERR_UNSUPPORTED,
              "bodies or joints were added or removed, and a run file has a fixed set of them");
    base_fail_hint(error, "save the state instead, or record until the first change");
    return CN_ERR_UNSUPPORTED;
}

cn_status cn_recorder_create(const cn_env *env, const char *path, bool overwrite, const cn_sim *sim,
                             cn_recorder **out, cn_error *error) {
    if (!path || !sim || !out) {
        return base_fail_missing(error);
    }
    cn_recorder *recorder;
    CN_TRY(rec_check_bodies(sim, error));
    cn_status status = overwrite ? io_database_replace(path, error) : CN_OK;
    CN_TRY(status);
    status = recorder_open(env, path, IO_DATABASE_CREATE, sim, &recorder, error);
    CN_TRY(status);
    status = io_database_run(recorder->database, rec_run_tables, error);
    if (status == CN_OK) {
        bool many = recorder->bodies > REC_BODIES_AT_ONCE;
        status = io_database_run(recorder->database,
                                 many ? rec_run_tables_many_bodies : rec_run_tables_bodies, error);
    }
    if (status == CN_OK) {
        status = rec_columns_head(recorder, sim, error);
    }
    if (status == CN_OK) {
        status = recorder_prepare(recorder, error);
    }
    if (status == CN_OK) {
        status = write_head(recorder, sim, error);
    }
    if (status == CN_OK) {
        status = write_checkpoint(recorder, sim, error);
    }
    if (status != CN_OK) {
        cn_recorder_close(recorder, NULL);
        io_database_remove(path); // nothing half-made is left
        return status;
    }
    *out = recorder;
    return CN_OK;
}

cn_status rec_state_hash(const cn_sim *sim, char text[REC_HASH_TEXT], cn_error *error) {
    uint64_t hash;
    if (sim_hash(sim, &hash) != CN_OK) {
        return base_fail_memory(error);
    }
    rec_hash_text(hash, text);
    return CN_OK;
}

// Loads the checkpoint of a row: all of it must fit, its step and hash too.
static cn_status load_row(io_statement *row, cn_sim *sim, cn_error *error) {
    size_t size;
    char hash[REC_HASH_TEXT];
    const void *bytes = io_column_blob(row, 1, &size);
    CN_TRY(cn_sim_load(sim, bytes ? bytes : "", size, error));
    CN_TRY(rec_state_hash(sim, hash, error));
    return strcmp(hash, io_column_text(row, 2)) == 0 &&
                   cn_sim_step_index(sim) == io_column_int(row, 0)
               ? CN_OK
               : base_fail(error, CN_ERR_INPUT, "the checkpoint is not that of its step");
}

// Loads the newest checkpoint that can be loaded; *step is its step. Why newer ones cannot becomes
// an event.
static cn_status load_checkpoint(cn_recorder *recorder, cn_sim *sim, int64_t *step, char *refused,
                                 size_t refused_size, cn_error *error) {
    io_statement *select;
    bool row = false, loaded = false;
    cn_error why = {.status = CN_OK};
    cn_status status = io_database_prepare(
        recorder->database, "SELECT step, state, hash FROM checkpoint ORDER BY step DESC", &select,
        error);
    while (status == CN_OK && !loaded) {
        status = io_statement_step(recorder->database, select, &row, error);
        if (status != CN_OK || !row) {
            break;
        }
        *step = io_column_int(select, 0);
        status = load_row(select, sim, &why);
        loaded = status == CN_OK;
        if (!loaded && refused[0] == '\0') {
            snprintf(refused, refused_size, "the checkpoint of step %lld was refused: %.300s",
                     (long long)*step, why.message);
        }
        status = status == CN_ERR_INPUT ? CN_OK : status;
        if (status == CN_ERR_MEMORY) {
            base_fail_memory(error);
        }
    }
    io_statement_end(select);
    if (status == CN_OK && !loaded) {
        status =
            base_fail(error, CN_ERR_INPUT, "the run file has no checkpoint to resume from%s%.400s",
                      refused[0] ? "; " : "", refused);
        base_fail_hint(error, "%s", why.hint);
    }
    return status;
}

// Deletes what was recorded after a step.
static cn_status drop_after(cn_recorder *recorder, int64_t step, cn_error *error) {
    const char *const tables[] = {"frame",      "contact", "joint", "ledger", "event",
                                  "checkpoint", "nodes",   "side",  "record", "damage"};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        char sql[96];
        bool there = i < 6 || (i < 8    ? recorder->nodes
                               : i == 8 ? recorder->columns > 0
                                        : recorder->bonds);
        snprintf(sql, sizeof sql, "DELETE FROM %s WHERE step > %lld", tables[i], (long long)step);
        CN_TRY(there ? io_database_run(recorder->database, sql, error) : CN_OK);
    }
    return CN_OK;
}

// *row: whether a query gives one.
static cn_status gives_row(cn_recorder *recorder, const char *sql, bool *row, cn_error *error) {
    io_statement *select = NULL;
    cn_status status = io_database_prepare(recorder->database, sql, &select, error);
    if (status == CN_OK) {
        status = io_statement_step(recorder->database, select, row, error);
    }
    io_statement_end(select);
    return status;
}

// Files of older versions get the tables and columns of this one; evidence goes on as it was.
static cn_status recorder_upgrade(cn_recorder *recorder, cn_error *error) {
    bool without = false, new = false;
    CN_TRY(gives_row(recorder,
                     "SELECT 1 FROM meta WHERE key='" REC_META_EVIDENCE
                     "' AND value='" REC_EVIDENCE_NONE "'",
                     &without, error));
    recorder->evidence = !without;
    CN_TRY(io_database_has(recorder->database, "ledger", "row_hash", &new, error));
    if (!new) {
        CN_TRY(io_database_run(recorder->database, rec_run_tables_upgrade, error));
    }
    CN_TRY(io_database_has(recorder->database, "ledger",
                           rec_hashed_tables[REC_HASHED_LEDGER].added_one, &new, error));
    return new ? CN_OK : io_database_run(recorder->database, rec_run_tables_added, error);
}

cn_status cn_recorder_resume(const cn_env *env, const char *path, cn_sim *sim, cn_recorder **out,
                             cn_error *error) {
    if (!path || !sim || !out) {
        return base_fail_missing(error);
    }
    cn_recorder *recorder;
    int64_t step = 0;
    cn_status status = recorder_open(env, path, IO_DATABASE_WRITE, sim, &recorder, error);
    CN_TRY(status);
    char refused[400] = "";
    status = recorder_upgrade(recorder, error);
    if (status == CN_OK) {
        status = load_checkpoint(recorder, sim, &step, refused, sizeof refused, error);
    }
    if (status == CN_OK) {
        status = drop_after(recorder, step, error);
    }
    if (status == CN_OK) {
        status = recorder_prepare(recorder, error);
    }
    if (status == CN_OK && refused[0]) {
        base_log(cn_arena_env(recorder->memory), CN_LOG_WARNING, "%s: %s", path, refused);
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

static cn_status recorder_commit(cn_recorder *recorder, cn_error *error) {
    recorder->rows = 0;
    return io_database_run(recorder->database, "COMMIT; BEGIN", error);
}

cn_status cn_recorder_meta(cn_recorder *recorder, const char *key, const char *value,
                           cn_error *error) {
    if (!recorder || !key || !value) {
        return base_fail_missing(error);
    }
    static const char *const sql[] = {"INSERT OR REPLACE INTO meta VALUES(?,?)",
                                      "INSERT OR REPLACE INTO meta_hash VALUES(?,?)"};
    cn_status status = CN_OK;
    base_hash hash;
    uint64_t room;
    rec_row_hash_start(&hash, "meta");
    rec_row_hash_text(&hash, key);
    rec_row_hash_text(&hash, value);
    for (int i = 0; i < 2 && status == CN_OK; i++) {
        io_statement *insert;
        status = io_database_prepare(recorder->database, sql[i], &insert, error);
        if (status == CN_OK) {
            io_bind_text(insert, 1, key);
            if (i == 0) {
                io_bind_text(insert, 2, value);
            } else {
                rec_bind_hash(insert, 2, &hash, &room);
            }
            status = io_statement_do(recorder->database, insert, error);
            io_statement_end(insert);
        }
    }
    return status;
}

cn_status cn_recorder_evidence(cn_recorder *recorder, bool on, cn_error *error) {
    if (!recorder) {
        return base_fail_missing(error);
    }
    recorder->evidence = on;
    return cn_recorder_meta(recorder, REC_META_EVIDENCE, on ? "full" : REC_EVIDENCE_NONE, error);
}

cn_status cn_recorder_ledger(cn_recorder *recorder, const cn_step_report *report, cn_error *error) {
    if (!recorder || !report) {
        return base_fail_missing(error);
    }
    int32_t column = 1;
    base_hash hash;
    uint64_t room;
    rec_row_hash_start(&hash, "ledger");
#define LEDGER_PUT(kind, value)                                                                    \
    io_bind_##kind(recorder->ledger, column++, value);                                             \
    rec_row_hash_##kind(&hash, value);
#define LEDGER_BIND_I(value) LEDGER_PUT(int, value)
#define LEDGER_BIND_R(value) LEDGER_PUT(real, value)
#define LEDGER_BIND_S(value) LEDGER_PUT(text, value)
#define LEDGER_BIND_O(value) LEDGER_PUT(text, cn_outcome_text(value))
#define LEDGER_BIND(name, kind) LEDGER_BIND_##kind(report->name)
    CN_LEDGER_LIST(LEDGER_BIND)
    rec_bind_hash(recorder->ledger, column, &hash, &room);
    CN_TRY(io_statement_do(recorder->database, recorder->ledger, error));
    if (++recorder->rows >= COMMIT_ROWS) {
        CN_TRY(recorder_commit(recorder, error));
    }
    return CN_OK;
}

cn_status cn_recorder_event(cn_recorder *recorder, int64_t step, double t, const char *text,
                            cn_error *error) {
    if (!recorder || !text) {
        return base_fail_missing(error);
    }
    io_bind_int(recorder->event, 1, step);
    io_bind_real(recorder->event, 2, t);
    io_bind_text(recorder->event, 3, text);
    base_hash hash;
    uint64_t room;
    rec_row_hash_start(&hash, "event");
    rec_row_hash_int(&hash, step);
    rec_row_hash_real(&hash, t);
    rec_row_hash_text(&hash, text);
    rec_bind_hash(recorder->event, 4, &hash, &room);
    return io_statement_do(recorder->database, recorder->event, error);
}

// The state in one piece.
static cn_status write_state(cn_recorder *recorder, const cn_sim *sim, cn_error *error) {
    void *bytes;
    size_t size;
    if (cn_sim_save(sim, &bytes, &size) != CN_OK) {
        return base_fail_memory(error);
    }
    io_bind_blob(recorder->checkpoint, 3, bytes, size);
    cn_status status = io_statement_do(recorder->database, recorder->checkpoint, error);
    cn_sim_free(sim, bytes, size);
    return status;
}

// The same from where it lies, into a row that holds zeros so far: no copy is made.
static cn_status write_state_parts(cn_recorder *recorder, const cn_sim *sim, const step_save *save,
                                   cn_error *error) {
    io_blob *blob = NULL;
    size_t at = 0;
    io_bind_zeros(recorder->checkpoint, 3, save->size);
    cn_status status = io_statement_do(recorder->database, recorder->checkpoint, error);
    if (status == CN_OK) {
        status = io_blob_open(recorder->database, "checkpoint", "state", cn_sim_step_index(sim),
                              &blob, error);
    }
    for (int32_t i = 0; status == CN_OK && i < save->count; i++) {
        status = io_blob_write(recorder->database, blob, at, save->part[i].bytes,
                               save->part[i].size, error);
        at += save->part[i].size;
    }
    io_blob_close(blob);
    return status;
}

static cn_status write_checkpoint(cn_recorder *recorder, const cn_sim *sim, cn_error *error) {
    char hash[REC_HASH_TEXT];
    step_save save = {.size = 0};
    if (!sim->system) {
        sim_parts(sim, false, &save); // which needs no memory
    }
    CN_TRY(rec_state_hash(sim, hash, error));
    io_bind_int(recorder->checkpoint, 1, cn_sim_step_index(sim));
    io_bind_text(recorder->checkpoint, 2, hash);
    CN_TRY(save.size > STATE_AT_ONCE ? write_state_parts(recorder, sim, &save, error)
                                     : write_state(recorder, sim, error));
    io_bind_int(recorder->forget, 1, CHECKPOINTS_KEPT);
    return io_statement_do(recorder->database, recorder->forget, error);
}

cn_status cn_recorder_checkpoint(cn_recorder *recorder, const cn_sim *sim, cn_error *error) {
    if (!recorder || !sim) {
        return base_fail_missing(error);
    }
    CN_TRY(rec_check_bodies(sim, error));
    CN_TRY(rec_acts(recorder, sim, error));
    CN_TRY(write_checkpoint(recorder, sim, error));
    CN_TRY(recorder_commit(recorder, error));
    return io_database_sync(recorder->database, error);
}

cn_status cn_recorder_flush(cn_recorder *recorder, cn_error *error) {
    if (!recorder) {
        return base_fail_missing(error);
    }
    return recorder_commit(recorder, error);
}

cn_status cn_recorder_restart(cn_recorder *recorder, const cn_sim *sim, cn_error *error) {
    if (!recorder || !sim) {
        return base_fail_missing(error);
    }
    CN_TRY(rec_check_bodies(sim, error));
    CN_TRY(drop_after(recorder, -1, error));
    return cn_recorder_checkpoint(recorder, sim, error);
}

cn_status cn_recorder_close(cn_recorder *recorder, cn_error *error) {
    if (!recorder) {
        return CN_OK;
    }
    cn_status status = io_database_run(recorder->database, "COMMIT", error);
    cn_status closed = io_database_close(recorder->database, status == CN_OK ? error : NULL);
    cn_arena_destroy(recorder->scratch);
    cn_arena_destroy(recorder->memory);
    CN_TRY(status);
    return closed;
}
