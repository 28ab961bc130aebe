// record/recorder_frame.c
// The rows of a frame: poses and velocities, contacts, joints, and the evidence that a check of the
// step needs. Arrays of many bodies and contacts are written in pieces into rows that hold zeros so
// far, so that neither this file nor SQLite has a copy of all of them.
#include "record/recorder.h"

#include "base/arena.h"
#include "base/error.h"
#include "model/model.h"
#include "record/evidence.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define CN_CONTACTS_AT_ONCE 16384 // of a frame: 3 MB, or of one column of it 0.4
#define CN_ROW_HEAD 256           // bytes of a row besides its arrays, at most

void cn_bind_hash(cn_statement *insert, int32_t parameter, const cn_hash *hash, uint64_t *room) {
    *room = cn_hash_end(hash);
    cn_bind_blob(insert, parameter, room, sizeof *room);
}

// ---- contacts ----

// The columns of a contact row from the fourth on: what part of a cn_contact_record they belong to
// and where in it they are, and how many bytes a contact has; of vectors, how many an axis has.
static const struct cn_contact_column {
    const char *name;
    uint32_t part;
    size_t offset, bytes;
    bool vector;
    bool evidence; // recorded for the check alone
} cn_contact_columns[] = {
    {"bodies", CN_RECORD_PLACE, offsetof(cn_contact_record, candidate), 2 * sizeof(cn_body_id),
     false, false},
    {"point", CN_RECORD_PLACE, offsetof(cn_contact_record, point), sizeof(double), true, false},
    {"normal", CN_RECORD_PLACE, offsetof(cn_contact_record, normal), sizeof(double), true, false},
    {"gap", CN_RECORD_PLACE, offsetof(cn_contact_record, gap), sizeof(double), false, false},
    {"impulse", CN_RECORD_IMPULSE, offsetof(cn_contact_record, impulse), sizeof(double), true,
     false},
    {"velocity", CN_RECORD_AFTER, offsetof(cn_contact_record, velocity), sizeof(double), true,
     false},
    {"velocity_before", CN_RECORD_BEFORE, offsetof(cn_contact_record, velocity_before),
     sizeof(double), true, false},
    {"shift", CN_RECORD_BEFORE, offsetof(cn_contact_record, shift), sizeof(double), true, false},
    {"friction", CN_RECORD_STATE, offsetof(cn_contact_record, friction), sizeof(double), false,
     false},
    {"status", CN_RECORD_STATE, offsetof(cn_contact_record, status), sizeof(uint8_t), false, false},
    {"frame_change", CN_RECORD_BEFORE, offsetof(cn_contact_record, frame_change), sizeof(double),
     true, true},
};
#define CN_COLUMN_BYTES_MOST (3 * sizeof(double))
#define CN_CONTACT_COLUMNS (sizeof cn_contact_columns / sizeof cn_contact_columns[0])
#define CN_CONTACT_EARLY (4 + (int32_t)CN_CONTACT_COLUMNS) // the parameter behind them
_Static_assert(offsetof(cn_contact_record, antagonist) ==
                   offsetof(cn_contact_record, candidate) + sizeof(cn_body_id),
               "the two bodies are copied as one piece");

static size_t cn_column_bytes(const cn_recorder *recorder, size_t column) {
    const struct cn_contact_column *c = &cn_contact_columns[column];
    return c->bytes * (c->vector ? (size_t)recorder->dim : 1);
}

static size_t cn_early_bytes(const cn_evidence *evidence) {
    return sizeof(double) * 7 * (size_t)evidence->early_count;
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
                                 unsigned char *piece, cn_hash *hash, cn_error *error) {
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
        cn_hash_add(hash, piece, bytes * (size_t)(end - first));
    }
    cn_blob_close(blob);
    return status;
}

// One piece of memory into a row that holds zeros so far.
static cn_status cn_write_blob(cn_recorder *recorder, const char *table, const char *column,
                               int64_t row, const void *bytes, size_t size, cn_error *error) {
    cn_blob *blob;
    cn_status status = cn_blob_open(recorder->database, table, column, row, &blob, error);
    status =
        status == CN_OK ? cn_blob_write(recorder->database, blob, 0, bytes, size, error) : status;
    cn_blob_close(blob);
    return status;
}

// The contacts of the last step, an array a column. Many are written column by column in pieces, so
// that no copy of all of them is made, here or by SQLite; one column after the other, since SQLite
// finds a place in a large row by walking to it, unless it was just there.
static cn_status cn_write_many(cn_recorder *recorder, const cn_sim *sim,
                               const cn_evidence *evidence, cn_hash *hash, cn_error *error) {
    unsigned char *piece =
        cn_arena_take(recorder->scratch, CN_CONTACTS_AT_ONCE, CN_COLUMN_BYTES_MOST);
    int64_t step = cn_sim_step_index(sim);
    size_t count = (size_t)cn_sim_contact_count(sim), early = cn_early_bytes(evidence);
    if (!piece) {
        return cn_fail_memory(error);
    }
    for (size_t i = 0; i < CN_CONTACT_COLUMNS; i++) {
        bool left_out = !recorder->evidence && cn_contact_columns[i].evidence;
        cn_bind_zeros(recorder->contact, 4 + (int32_t)i,
                      left_out ? 0 : cn_column_bytes(recorder, i) * count);
    }
    cn_bind_zeros(recorder->contact, CN_CONTACT_EARLY, early);
    cn_bind_zeros(recorder->contact, CN_CONTACT_EARLY + 1, sizeof(uint64_t));
    cn_status status = cn_statement_do(recorder->database, recorder->contact, error);
    for (size_t i = 0; status == CN_OK && i < CN_CONTACT_COLUMNS; i++) {
        bool left_out = !recorder->evidence && cn_contact_columns[i].evidence;
        cn_row_hash_blob_size(hash, left_out ? 0 : cn_column_bytes(recorder, i) * count);
        status = left_out ? CN_OK : cn_write_column(recorder, sim, i, piece, hash, error);
    }
    cn_row_hash_blob(hash, evidence->early, early);
    if (status == CN_OK && early > 0) {
        status = cn_write_blob(recorder, "contact", "early", step, evidence->early, early, error);
    }
    uint64_t end = cn_hash_end(hash);
    return status == CN_OK
               ? cn_write_blob(recorder, "contact", "row_hash", step, &end, sizeof end, error)
               : status;
}

// Whether a row holds so many contacts: SQLite has some six million in mind.
static bool cn_contacts_fit(const cn_recorder *recorder, int32_t count) {
    size_t bytes = CN_ROW_HEAD;
    for (size_t i = 0; i < CN_CONTACT_COLUMNS; i++) {
        bytes += cn_column_bytes(recorder, i) * (size_t)count;
    }
    return bytes <= cn_database_row_most(recorder->database);
}

static cn_status cn_write_contacts(cn_recorder *recorder, const cn_sim *sim,
                                   const cn_evidence *evidence, cn_error *error) {
    int32_t count = cn_sim_contact_count(sim);
    if (!cn_contacts_fit(recorder, count)) {
        char text[96];
        snprintf(text, sizeof text, "the frame is without its %d contacts: a row has no room",
                 (int)count);
        return cn_recorder_event(recorder, cn_sim_step_index(sim), cn_sim_time(sim), text, error);
    }
    cn_hash hash;
    uint64_t room;
    cn_row_hash_start(&hash, "contact");
    cn_row_hash_int(&hash, cn_sim_step_index(sim));
    cn_row_hash_int(&hash, count);
    cn_row_hash_int(&hash, evidence->sleeping);
    cn_bind_int(recorder->contact, 1, cn_sim_step_index(sim));
    cn_bind_int(recorder->contact, 2, count);
    cn_bind_int(recorder->contact, 3, evidence->sleeping);
    if (count > CN_CONTACTS_AT_ONCE) {
        return cn_write_many(recorder, sim, evidence, &hash, error);
    }
    unsigned char *all[CN_CONTACT_COLUMNS];
    for (size_t i = 0; i < CN_CONTACT_COLUMNS; i++) {
        all[i] = cn_arena_take(recorder->scratch, count, cn_column_bytes(recorder, i));
        if (!all[i]) {
            return cn_fail_memory(error);
        }
    }
    cn_gather_contacts(recorder, sim, 0, count, 0, CN_CONTACT_COLUMNS, all);
    for (size_t i = 0; i < CN_CONTACT_COLUMNS; i++) {
        bool left_out = !recorder->evidence && cn_contact_columns[i].evidence;
        size_t bytes = left_out ? 0 : cn_column_bytes(recorder, i) * (size_t)count;
        cn_bind_blob(recorder->contact, 4 + (int32_t)i, all[i], bytes);
        cn_row_hash_blob(&hash, all[i], bytes);
    }
    size_t early = cn_early_bytes(evidence);
    cn_bind_blob(recorder->contact, CN_CONTACT_EARLY, evidence->early, early);
    cn_row_hash_blob(&hash, evidence->early, early);
    cn_bind_hash(recorder->contact, CN_CONTACT_EARLY + 1, &hash, &room);
    return cn_statement_do(recorder->database, recorder->contact, error);
}

// ---- bodies ----

// The blobs of a frame row in the order of its hash, from parameter 7 on.
typedef struct cn_frame_part {
    const char *name;
    const void *bytes; // NULL: none; of poses: they are written in pieces
    size_t size;
} cn_frame_part;
enum {
    CN_PART_ASLEEP,
    CN_PART_STEERING,
    CN_PART_LOAD,
    CN_PART_Q,
    CN_PART_V,
    CN_PART_BEFORE,
    CN_PART_AFTER,
    CN_PART_MIDDLE,
    CN_PART_PROJECTION,
    CN_PARTS
};
#define CN_FRAME_PART_FIRST 7

// The poses of many bodies, piece by piece.
static cn_status cn_write_poses(cn_recorder *recorder, const cn_sim *sim, double *piece,
                                cn_hash *hash, cn_error *error) {
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
        cn_hash_add(hash, piece, bytes * (size_t)(end - first));
    }
    cn_blob_close(blob);
    return status;
}

// The row of few bodies, whose poses are in part[CN_PART_Q].
static cn_status cn_write_few(cn_recorder *recorder, const cn_frame_part *part, cn_hash *hash,
                              cn_error *error) {
    uint64_t room;
    for (int32_t i = 0; i < CN_PARTS; i++) {
        if (part[i].bytes) {
            cn_bind_blob(recorder->frame, CN_FRAME_PART_FIRST + i, part[i].bytes, part[i].size);
            cn_row_hash_blob(hash, part[i].bytes, part[i].size);
        } else {
            cn_bind_null(recorder->frame, CN_FRAME_PART_FIRST + i);
            cn_row_hash_null(hash);
        }
    }
    cn_bind_hash(recorder->frame, CN_FRAME_PART_FIRST + CN_PARTS, hash, &room);
    return cn_statement_do(recorder->database, recorder->frame, error);
}

// The row of many; piece: room for some poses.
static cn_status cn_write_many_bodies(cn_recorder *recorder, const cn_sim *sim,
                                      const cn_frame_part *part, double *piece, cn_hash *hash,
                                      cn_error *error) {
    int64_t step = cn_sim_step_index(sim);
    for (int32_t i = 0; i < CN_PARTS; i++) {
        int32_t parameter = CN_FRAME_PART_FIRST + i;
        if (i == CN_PART_STEERING && part[i].bytes) {
            cn_bind_blob(recorder->frame, parameter, part[i].bytes, part[i].size);
        } else if (part[i].bytes) {
            cn_bind_zeros(recorder->frame, parameter, part[i].size);
        } else {
            cn_bind_null(recorder->frame, parameter);
        }
    }
    cn_bind_zeros(recorder->frame, CN_FRAME_PART_FIRST + CN_PARTS, sizeof(uint64_t));
    cn_status status = cn_statement_do(recorder->database, recorder->frame, error);
    for (int32_t i = 0; status == CN_OK && i < CN_PARTS; i++) {
        if (!part[i].bytes) {
            cn_row_hash_null(hash);
        } else if (i == CN_PART_Q) {
            cn_row_hash_blob_size(hash, part[i].size);
            status = cn_write_poses(recorder, sim, piece, hash, error);
        } else {
            cn_row_hash_blob(hash, part[i].bytes, part[i].size);
            status = i == CN_PART_STEERING ? CN_OK
                                           : cn_write_blob(recorder, "frame", part[i].name, step,
                                                           part[i].bytes, part[i].size, error);
        }
    }
    uint64_t end = cn_hash_end(hash);
    return status == CN_OK
               ? cn_write_blob(recorder, "frame", "row_hash", step, &end, sizeof end, error)
               : status;
}

// The row of a frame. The bodies of a large scene are written in pieces, as its contacts are.
static cn_status cn_write_frame(cn_recorder *recorder, const cn_sim *sim,
                                const cn_evidence *evidence, cn_error *error) {
    bool whole = recorder->bodies <= CN_BODIES_AT_ONCE;
    size_t bodies = (size_t)recorder->bodies, pose = (size_t)cn_pose_size(recorder->dim),
           q_bytes = sizeof(double) * pose * bodies,
           v_bytes = sizeof(double) * (size_t)cn_velocity_size(recorder->dim) * bodies;
    double *q = CN_TAKE(recorder->scratch, double,
                        (int64_t)pose *(whole ? recorder->bodies : CN_BODIES_AT_ONCE));
    if (!q) {
        return cn_fail_memory(error);
    }
    const cn_frame_part part[CN_PARTS] = {
        [CN_PART_ASLEEP] = {"asleep", evidence->asleep, bodies},
        [CN_PART_STEERING] = {"steering", evidence->steering, CN_STEERING_NUMBERS * sizeof *q},
        [CN_PART_LOAD] = {"load", evidence->load, 6 * sizeof *q * bodies},
        [CN_PART_Q] = {"q", q, q_bytes},
        [CN_PART_V] = {"v", sim->state.v, v_bytes},
        [CN_PART_BEFORE] = {"v_before", evidence->v_before, v_bytes},
        [CN_PART_AFTER] = {"v_after", evidence->v_after, v_bytes},
        [CN_PART_MIDDLE] = {"q_middle", evidence->q_middle, q_bytes},
        [CN_PART_PROJECTION] = {"projection", evidence->projection, v_bytes}};
    char text[CN_HASH_TEXT];
    cn_hash hash;
    cn_hash_text(cn_sim_hash(sim), text);
    cn_row_hash_start(&hash, "frame");
    cn_row_hash_int(&hash, cn_sim_step_index(sim));
    cn_row_hash_real(&hash, cn_sim_time(sim));
    cn_row_hash_text(&hash, text);
    cn_row_hash_real(&hash, evidence->start);
    cn_row_hash_real(&hash, evidence->h);
    cn_row_hash_int(&hash, evidence->limited);
    cn_bind_int(recorder->frame, 1, cn_sim_step_index(sim));
    cn_bind_real(recorder->frame, 2, cn_sim_time(sim));
    cn_bind_text(recorder->frame, 3, text);
    cn_bind_real(recorder->frame, 4, evidence->start);
    cn_bind_real(recorder->frame, 5, evidence->h);
    cn_bind_int(recorder->frame, 6, evidence->limited);
    if (whole) {
        cn_sim_poses(sim, q);
        return cn_write_few(recorder, part, &hash, error);
    }
    return cn_write_many_bodies(recorder, sim, part, q, &hash, error);
}

// ---- joints ----

static cn_status cn_write_joints(cn_recorder *recorder, const cn_sim *sim, cn_error *error) {
    const cn_model *model = cn_sim_model(sim);
    int64_t joints = model->joint_count, rows = model->joint_row_count;
    cn_joint_evidence of;
    if (!cn_joint_evidence_take(sim, recorder->scratch, &of)) {
        return cn_fail_memory(error);
    }
    const struct {
        const double *numbers;
        int64_t count;
    } part[] = {{of.value, joints},
                {of.rate, joints},
                {of.impulse, cn_velocity_size(recorder->dim) * joints},
                {of.effort, joints},
                {of.rows, rows},
                {of.start, rows},
                {of.angle, 2 * joints},
                {of.settled, of.settled ? rows : 0}};
    int32_t count = (int32_t)(sizeof part / sizeof part[0]);
    cn_hash hash;
    uint64_t room;
    cn_row_hash_start(&hash, "joint");
    cn_row_hash_int(&hash, cn_sim_step_index(sim));
    cn_bind_int(recorder->joint, 1, cn_sim_step_index(sim));
    for (int32_t i = 0; i < count; i++) {
        size_t bytes = sizeof(double) * (size_t)part[i].count;
        cn_bind_blob(recorder->joint, 2 + i, part[i].numbers, bytes);
        cn_row_hash_blob(&hash, part[i].numbers, bytes);
    }
    cn_bind_hash(recorder->joint, 2 + count, &hash, &room);
    return cn_statement_do(recorder->database, recorder->joint, error);
}

cn_status cn_recorder_frame(cn_recorder *recorder, const cn_sim *sim, cn_error *error) {
    if (!recorder || !sim) {
        return cn_fail_missing(error);
    }
    cn_arena_mark mark = cn_arena_get_mark(recorder->scratch);
    bool stepped = cn_sim_step_index(sim) > 0;
    cn_evidence evidence = {.start = (double)NAN, .h = (double)NAN};
    if (recorder->evidence && stepped && !cn_evidence_take(sim, recorder->scratch, &evidence)) {
        return cn_fail_memory(error);
    }
    cn_status status = cn_write_frame(recorder, sim, &evidence, error);
    if (status == CN_OK && stepped) {
        status = cn_write_contacts(recorder, sim, &evidence, error);
    }
    if (status == CN_OK && !isnan(evidence.h) && cn_sim_model(sim)->joint_count > 0) {
        status = cn_write_joints(recorder, sim, error);
    }
    cn_arena_release(recorder->scratch, mark);
    return status;
}
