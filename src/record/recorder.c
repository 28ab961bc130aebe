// record/recorder.c
// Writing a run file. Rows are gathered in transactions: a commit at least every CN_COMMIT_ROWS
// ledger rows, at every checkpoint and at the end, so that a killed run loses little and a fast one
// does not wait for the disk at each step. A checkpoint is on the disk when it has been written: a
// power loss takes at most what came after it.
#include "record/recorder.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "model/model.h"
#include "record/shape_json.h"
#include "step/save/save.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define CN_COMMIT_ROWS 200
#define CN_STATE_AT_ONCE ((size_t)1 << 20) // bytes of a checkpoint
#define CN_CHECKPOINTS_KEPT 2              // the last one, and one more in case it is damaged

static cn_status cn_write_checkpoint(cn_recorder *recorder, const cn_sim *sim, cn_error *error);

// ---- opening ----

// The insertion of a row with its hash: parameters are the columns of cn_hashed_tables, then the
// hash.
static cn_status cn_prepare_insert(cn_recorder *recorder, int32_t table, cn_statement **out,
                                   cn_error *error) {
    const cn_hashed_table *of = &cn_hashed_tables[table];
    char sql[640];
    size_t used = (size_t)snprintf(sql, sizeof sql, "INSERT INTO %s(%s,row_hash) VALUES(?",
                                   of->name, of->columns);
    for (int32_t i = 0; i < of->count; i++) {
        used += (size_t)snprintf(sql + used, sizeof sql - used, ",?");
    }
    snprintf(sql + used, sizeof sql - used, ")");
    return cn_database_prepare(recorder->database, sql, out, error);
}

static cn_status cn_recorder_prepare(cn_recorder *recorder, cn_error *error) {
    const struct {
        cn_statement **statement;
        const char *sql; // NULL: the insertion of a row with a hash
        int32_t table;
    } list[] = {
        {&recorder->frame, NULL, CN_HASHED_FRAME},
        {&recorder->contact, NULL, CN_HASHED_CONTACT},
        {&recorder->joint, NULL, CN_HASHED_JOINT},
        {&recorder->ledger, NULL, CN_HASHED_LEDGER},
        {&recorder->event, NULL, CN_HASHED_EVENT},
        {&recorder->checkpoint, "INSERT OR REPLACE INTO checkpoint(step,hash,state) VALUES(?,?,?)",
         0},
        {&recorder->forget,
         "DELETE FROM checkpoint WHERE step NOT IN (SELECT step FROM checkpoint ORDER BY step DESC "
         "LIMIT ?)",
         0},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        cn_status status =
            list[i].sql
                ? cn_database_prepare(recorder->database, list[i].sql, list[i].statement, error)
                : cn_prepare_insert(recorder, list[i].table, list[i].statement, error);
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
    recorder->evidence = true;
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
    cn_status status = cn_prepare_insert(recorder, CN_HASHED_BODY, &insert, error);
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
        cn_hash hash;
        uint64_t room;
        cn_row_hash_start(&hash, "body");
        cn_row_hash_int(&hash, i + 1);
        cn_row_hash_text(&hash, body->name);
        cn_row_hash_text(&hash, cn_body_role_text(body->role));
        cn_row_hash_text(&hash, model->material[body->material].name);
        cn_row_hash_real(&hash, body->mass);
        cn_row_hash_text(&hash, text.com);
        cn_row_hash_text(&hash, text.inertia);
        cn_row_hash_text(&hash, text.shape);
        cn_bind_hash(insert, 9, &hash, &room);
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
                                   {CN_META_EVIDENCE, "full"},
                                   {"compiler", __VERSION__}};
    cn_status status = cn_write_bodies(recorder, model, error);
    for (size_t i = 0; status == CN_OK && i < sizeof meta / sizeof meta[0]; i++) {
        status = cn_recorder_meta(recorder, meta[i][0], meta[i][1], error);
    }
    return status;
}

cn_status cn_recorder_create(const cn_env *env, const char *path, bool overwrite, const cn_sim *sim,
                             cn_recorder **out, cn_error *error) {
    if (!path || !sim || !out) {
        return cn_fail_missing(error);
    }
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
    const char *const tables[] = {"frame", "contact", "joint", "ledger", "event", "checkpoint"};
    cn_status status = CN_OK;
    for (size_t i = 0; status == CN_OK && i < sizeof tables / sizeof tables[0]; i++) {
        char sql[96];
        snprintf(sql, sizeof sql, "DELETE FROM %s WHERE step > %lld", tables[i], (long long)step);
        status = cn_database_run(recorder->database, sql, error);
    }
    return status;
}

// Whether a query gives a row.
static bool cn_gives_row(cn_recorder *recorder, const char *sql) {
    cn_statement *select = NULL;
    bool row = false;
    if (cn_database_prepare(recorder->database, sql, &select, NULL) != CN_OK) {
        return false;
    }
    cn_status status = cn_statement_step(recorder->database, select, &row, NULL);
    cn_statement_end(select);
    return status == CN_OK && row;
}

// Files of older versions get the tables and columns of this one; evidence goes on as it was.
static cn_status cn_recorder_upgrade(cn_recorder *recorder, cn_error *error) {
    recorder->evidence = !cn_gives_row(recorder, "SELECT 1 FROM meta WHERE key='" CN_META_EVIDENCE
                                                 "' AND value='" CN_EVIDENCE_NONE "'");
    return cn_database_has(recorder->database, "ledger", "row_hash")
               ? CN_OK
               : cn_database_run(recorder->database, cn_run_tables_upgrade, error);
}

cn_status cn_recorder_resume(const cn_env *env, const char *path, cn_sim *sim, cn_recorder **out,
                             cn_error *error) {
    if (!path || !sim || !out) {
        return cn_fail_missing(error);
    }
    cn_recorder *recorder;
    int64_t step = 0;
    cn_status status = cn_recorder_open(env, path, CN_DATABASE_WRITE, sim, &recorder, error);
    if (status != CN_OK) {
        return status;
    }
    char refused[400] = "";
    status = cn_recorder_upgrade(recorder, error);
    status = status == CN_OK
                 ? cn_load_checkpoint(recorder, sim, &step, refused, sizeof refused, error)
                 : status;
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
    if (!recorder || !key || !value) {
        return cn_fail_missing(error);
    }
    static const char *const sql[] = {"INSERT OR REPLACE INTO meta VALUES(?,?)",
                                      "INSERT OR REPLACE INTO meta_hash VALUES(?,?)"};
    cn_status status = CN_OK;
    cn_hash hash;
    uint64_t room;
    cn_row_hash_start(&hash, "meta");
    cn_row_hash_text(&hash, key);
    cn_row_hash_text(&hash, value);
    for (int i = 0; i < 2 && status == CN_OK; i++) {
        cn_statement *insert;
        status = cn_database_prepare(recorder->database, sql[i], &insert, error);
        if (status == CN_OK) {
            cn_bind_text(insert, 1, key);
            if (i == 0) {
                cn_bind_text(insert, 2, value);
            } else {
                cn_bind_hash(insert, 2, &hash, &room);
            }
            status = cn_statement_do(recorder->database, insert, error);
            cn_statement_end(insert);
        }
    }
    return status;
}

cn_status cn_recorder_evidence(cn_recorder *recorder, bool on, cn_error *error) {
    if (!recorder) {
        return cn_fail_missing(error);
    }
    recorder->evidence = on;
    return cn_recorder_meta(recorder, CN_META_EVIDENCE, on ? "full" : CN_EVIDENCE_NONE, error);
}

cn_status cn_recorder_ledger(cn_recorder *recorder, const cn_step_report *report, cn_error *error) {
    if (!recorder || !report) {
        return cn_fail_missing(error);
    }
    int32_t column = 1;
    cn_hash hash;
    uint64_t room;
    cn_row_hash_start(&hash, "ledger");
#define CN_LEDGER_PUT(kind, value)                                                                 \
    cn_bind_##kind(recorder->ledger, column++, value);                                             \
    cn_row_hash_##kind(&hash, value);
#define CN_LEDGER_BIND_I(value) CN_LEDGER_PUT(int, value)
#define CN_LEDGER_BIND_R(value) CN_LEDGER_PUT(real, value)
#define CN_LEDGER_BIND_S(value) CN_LEDGER_PUT(text, value)
#define CN_LEDGER_BIND_O(value) CN_LEDGER_PUT(text, cn_outcome_text(value))
#define CN_LEDGER_BIND(name, kind) CN_LEDGER_BIND_##kind(report->name)
    CN_LEDGER_LIST(CN_LEDGER_BIND)
    cn_bind_hash(recorder->ledger, column, &hash, &room);
    cn_status status = cn_statement_do(recorder->database, recorder->ledger, error);
    if (status == CN_OK && ++recorder->rows >= CN_COMMIT_ROWS) {
        status = cn_recorder_commit(recorder, error);
    }
    return status;
}

cn_status cn_recorder_event(cn_recorder *recorder, int64_t step, double t, const char *text,
                            cn_error *error) {
    if (!recorder || !text) {
        return cn_fail_missing(error);
    }
    cn_bind_int(recorder->event, 1, step);
    cn_bind_real(recorder->event, 2, t);
    cn_bind_text(recorder->event, 3, text);
    cn_hash hash;
    uint64_t room;
    cn_row_hash_start(&hash, "event");
    cn_row_hash_int(&hash, step);
    cn_row_hash_real(&hash, t);
    cn_row_hash_text(&hash, text);
    cn_bind_hash(recorder->event, 4, &hash, &room);
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
    if (!recorder || !sim) {
        return cn_fail_missing(error);
    }
    cn_status status = cn_write_checkpoint(recorder, sim, error);
    status = status == CN_OK ? cn_recorder_commit(recorder, error) : status;
    return status == CN_OK ? cn_database_sync(recorder->database, error) : status;
}

cn_status cn_recorder_flush(cn_recorder *recorder, cn_error *error) {
    if (!recorder) {
        return cn_fail_missing(error);
    }
    return cn_recorder_commit(recorder, error);
}

cn_status cn_recorder_restart(cn_recorder *recorder, const cn_sim *sim, cn_error *error) {
    if (!recorder || !sim) {
        return cn_fail_missing(error);
    }
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
