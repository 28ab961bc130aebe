// record/recorder_frame.c
// The rows of a frame: poses and velocities, contacts, joints, and the evidence that a check of the
// step needs. Arrays of many bodies and contacts are written in pieces into rows that hold zeros so
// far, so that neither this file nor SQLite has a copy of all of them.
#include "record/recorder.h"

#include "base/arena.h"
#include "base/error.h"
#include "model/model.h"
#include "record/evidence.h"
#include "record/nodes.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define CONTACTS_AT_ONCE 16384 // of a frame: 3 MB, or of one column of it 0.4
#define ROW_HEAD 256           // bytes of a row besides its arrays, at most

void rec_bind_hash(io_statement *insert, int32_t parameter, const base_hash *hash, uint64_t *room) {
    *room = base_hash_end(hash);
    io_bind_blob(insert, parameter, room, sizeof *room);
}

// ---- contacts ----

// The columns of a contact row from the fourth on: what part of a cn_contact_record they belong to
// and where in it they are, and how many bytes per contact has; of vectors, how many an axis has.
static const struct contact_column {
    const char *name;
    uint32_t part;
    size_t offset, bytes;
    bool vector;
    bool evidence; // recorded for the check alone
} contact_columns[] = {
    {"bodies", STEP_RECORD_PLACE, offsetof(cn_contact_record, candidate), 2 * sizeof(cn_body_id),
     false, false},
    {"point", STEP_RECORD_PLACE, offsetof(cn_contact_record, point), sizeof(double), true, false},
    {"normal", STEP_RECORD_PLACE, offsetof(cn_contact_record, normal), sizeof(double), true, false},
    {"gap", STEP_RECORD_PLACE, offsetof(cn_contact_record, gap), sizeof(double), false, false},
    {"impulse", STEP_RECORD_IMPULSE, offsetof(cn_contact_record, impulse), sizeof(double), true,
     false},
    {"velocity", STEP_RECORD_AFTER, offsetof(cn_contact_record, velocity), sizeof(double), true,
     false},
    {"velocity_before", STEP_RECORD_BEFORE, offsetof(cn_contact_record, velocity_before),
     sizeof(double), true, false},
    {"shift", STEP_RECORD_BEFORE, offsetof(cn_contact_record, shift), sizeof(double), true, false},
    {"friction", STEP_RECORD_STATE, offsetof(cn_contact_record, friction), sizeof(double), false,
     false},
    {"status", STEP_RECORD_STATE, offsetof(cn_contact_record, status), sizeof(uint8_t), false,
     false},
    {"frame_change", STEP_RECORD_BEFORE, offsetof(cn_contact_record, frame_change), sizeof(double),
     true, true},
};
#define COLUMN_BYTES_MAX (3 * sizeof(double))
#define CONTACT_COLUMNS (sizeof contact_columns / sizeof contact_columns[0])
#define CONTACT_EARLY (4 + (int32_t)CONTACT_COLUMNS) // the parameter behind them
_Static_assert(offsetof(cn_contact_record, antagonist) ==
                   offsetof(cn_contact_record, candidate) + sizeof(cn_body_id),
               "the two bodies are copied as one piece");

static size_t column_bytes(const cn_recorder *recorder, size_t column) {
    const struct contact_column *c = &contact_columns[column];
    return c->bytes * (c->vector ? (size_t)recorder->dim : 1);
}

static size_t early_bytes(const rec_evidence *evidence) {
    return sizeof(double) * 7 * (size_t)evidence->early_count;
}

// Contacts first .. end - 1 of some columns, an array each.
static void gather_contacts(const cn_recorder *recorder, const cn_sim *sim, int32_t first,
                            int32_t end, size_t column, size_t column_end,
                            unsigned char *const *to) {
    uint32_t parts = 0;
    for (size_t i = column; i < column_end; i++) {
        parts |= contact_columns[i].part;
    }
    for (int32_t c = first; c < end; c++) {
        cn_contact_record contact;
        sim_contact_parts(sim, c, parts, &contact);
        for (size_t i = column; i < column_end; i++) {
            size_t bytes = column_bytes(recorder, i);
            memcpy(to[i - column] + bytes * (size_t)(c - first),
                   (const unsigned char *)&contact + contact_columns[i].offset, bytes);
        }
    }
}

// One column of a row that holds zeros so far, piece by piece.
static cn_status write_column(cn_recorder *recorder, const cn_sim *sim, size_t column,
                              unsigned char *piece, base_hash *hash, cn_error *error) {
    int32_t count = cn_sim_contact_count(sim);
    size_t bytes = column_bytes(recorder, column);
    io_blob *blob;
    cn_status status = io_blob_open(recorder->database, "contact", contact_columns[column].name,
                                    cn_sim_step_index(sim), &blob, error);
    for (int32_t first = 0; status == CN_OK && first < count; first += CONTACTS_AT_ONCE) {
        int32_t end = count - first < CONTACTS_AT_ONCE ? count : first + CONTACTS_AT_ONCE;
        gather_contacts(recorder, sim, first, end, column, column + 1, &piece);
        status = io_blob_write(recorder->database, blob, bytes * (size_t)first, piece,
                               bytes * (size_t)(end - first), error);
        base_hash_add(hash, piece, bytes * (size_t)(end - first));
    }
    io_blob_close(blob);
    return status;
}

// One piece of memory into a row that holds zeros so far.
static cn_status write_blob(cn_recorder *recorder, const char *table, const char *column,
                            int64_t row, const void *bytes, size_t size, cn_error *error) {
    io_blob *blob;
    cn_status status = io_blob_open(recorder->database, table, column, row, &blob, error);
    if (status == CN_OK) {
        status = io_blob_write(recorder->database, blob, 0, bytes, size, error);
    }
    io_blob_close(blob);
    return status;
}

// The contacts of the last step, an array a column. Many are written column by column in pieces, so
// that no copy of all of them is made, here or by SQLite; one column after the other, since SQLite
// finds a place in a large row by walking to it, unless it was just there.
static cn_status write_many(cn_recorder *recorder, const cn_sim *sim, const rec_evidence *evidence,
                            base_hash *hash, cn_error *error) {
    unsigned char *piece = base_arena_take(recorder->scratch, CONTACTS_AT_ONCE, COLUMN_BYTES_MAX);
    int64_t step = cn_sim_step_index(sim);
    size_t count = (size_t)cn_sim_contact_count(sim), early = early_bytes(evidence);
    if (!piece) {
        return base_fail_memory(error);
    }
    for (size_t i = 0; i < CONTACT_COLUMNS; i++) {
        bool left_out = !recorder->evidence && contact_columns[i].evidence;
        io_bind_zeros(recorder->contact, 4 + (int32_t)i,
                      left_out ? 0 : column_bytes(recorder, i) * count);
    }
    io_bind_zeros(recorder->contact, CONTACT_EARLY, early);
    io_bind_zeros(recorder->contact, CONTACT_EARLY + 1, sizeof(uint64_t));
    cn_status status = io_statement_do(recorder->database, recorder->contact, error);
    for (size_t i = 0; status == CN_OK && i < CONTACT_COLUMNS; i++) {
        bool left_out = !recorder->evidence && contact_columns[i].evidence;
        rec_row_hash_blob_size(hash, left_out ? 0 : column_bytes(recorder, i) * count);
        status = left_out ? CN_OK : write_column(recorder, sim, i, piece, hash, error);
    }
    rec_row_hash_blob(hash, evidence->early, early);
    if (status == CN_OK && early > 0) {
        status = write_blob(recorder, "contact", "early", step, evidence->early, early, error);
    }
    uint64_t end = base_hash_end(hash);
    CN_TRY(status);
    return write_blob(recorder, "contact", "row_hash", step, &end, sizeof end, error);
}

// Whether a row holds so many contacts: SQLite has some six million in mind.
static bool contacts_fit(const cn_recorder *recorder, int32_t count) {
    size_t bytes = ROW_HEAD;
    for (size_t i = 0; i < CONTACT_COLUMNS; i++) {
        bytes += column_bytes(recorder, i) * (size_t)count;
    }
    return bytes <= io_database_row_max(recorder->database);
}

static cn_status write_contacts(cn_recorder *recorder, const cn_sim *sim,
                                const rec_evidence *evidence, cn_error *error) {
    int32_t count = cn_sim_contact_count(sim);
    if (!contacts_fit(recorder, count)) {
        char text[96];
        snprintf(text, sizeof text, "the frame is without its %d contacts: a row has no room",
                 (int)count);
        return cn_recorder_event(recorder, cn_sim_step_index(sim), cn_sim_time(sim), text, error);
    }
    base_hash hash;
    uint64_t room;
    rec_row_hash_start(&hash, "contact");
    rec_row_hash_int(&hash, cn_sim_step_index(sim));
    rec_row_hash_int(&hash, count);
    rec_row_hash_int(&hash, evidence->sleeping);
    io_bind_int(recorder->contact, 1, cn_sim_step_index(sim));
    io_bind_int(recorder->contact, 2, count);
    io_bind_int(recorder->contact, 3, evidence->sleeping);
    if (count > CONTACTS_AT_ONCE) {
        return write_many(recorder, sim, evidence, &hash, error);
    }
    unsigned char *all[CONTACT_COLUMNS];
    for (size_t i = 0; i < CONTACT_COLUMNS; i++) {
        all[i] = base_arena_take(recorder->scratch, count, column_bytes(recorder, i));
        if (!all[i]) {
            return base_fail_memory(error);
        }
    }
    gather_contacts(recorder, sim, 0, count, 0, CONTACT_COLUMNS, all);
    for (size_t i = 0; i < CONTACT_COLUMNS; i++) {
        bool left_out = !recorder->evidence && contact_columns[i].evidence;
        size_t bytes = left_out ? 0 : column_bytes(recorder, i) * (size_t)count;
        io_bind_blob(recorder->contact, 4 + (int32_t)i, all[i], bytes);
        rec_row_hash_blob(&hash, all[i], bytes);
    }
    size_t early = early_bytes(evidence);
    io_bind_blob(recorder->contact, CONTACT_EARLY, evidence->early, early);
    rec_row_hash_blob(&hash, evidence->early, early);
    rec_bind_hash(recorder->contact, CONTACT_EARLY + 1, &hash, &room);
    return io_statement_do(recorder->database, recorder->contact, error);
}

// ---- bodies ----

// The blobs of a frame row in the order of its hash, from parameter 7 on.
typedef struct frame_part {
    const char *name;
    const void *bytes; // NULL: none; of poses: they are written in pieces
    size_t size;
} frame_part;
enum {
    PART_ASLEEP,
    PART_STEERING,
    PART_LOAD,
    PART_Q,
    PART_V,
    PART_BEFORE,
    PART_AFTER,
    PART_MIDDLE,
    PART_PROJECTION,
    GS_PARTS
};
#define FRAME_PART_FIRST 7

// The poses of many bodies, piece by piece.
static cn_status write_poses(cn_recorder *recorder, const cn_sim *sim, double *piece,
                             base_hash *hash, cn_error *error) {
    size_t bytes = sizeof *piece * (size_t)model_pose_size(recorder->dim);
    io_blob *blob;
    cn_status status =
        io_blob_open(recorder->database, "frame", "q", cn_sim_step_index(sim), &blob, error);
    for (int32_t first = 0; status == CN_OK && first < recorder->bodies;
         first += REC_BODIES_AT_ONCE) {
        int32_t left = recorder->bodies - first,
                end = left < REC_BODIES_AT_ONCE ? recorder->bodies : first + REC_BODIES_AT_ONCE;
        sim_poses_of(sim, first, end, piece);
        status = io_blob_write(recorder->database, blob, bytes * (size_t)first, piece,
                               bytes * (size_t)(end - first), error);
        base_hash_add(hash, piece, bytes * (size_t)(end - first));
    }
    io_blob_close(blob);
    return status;
}

// The row of few bodies, whose poses are in part[PART_Q].
static cn_status write_few(cn_recorder *recorder, const frame_part *part, base_hash *hash,
                           cn_error *error) {
    uint64_t room;
    for (int32_t i = 0; i < GS_PARTS; i++) {
        if (part[i].bytes) {
            io_bind_blob(recorder->frame, FRAME_PART_FIRST + i, part[i].bytes, part[i].size);
            rec_row_hash_blob(hash, part[i].bytes, part[i].size);
        } else {
            io_bind_null(recorder->frame, FRAME_PART_FIRST + i);
            rec_row_hash_null(hash);
        }
    }
    rec_bind_hash(recorder->frame, FRAME_PART_FIRST + GS_PARTS, hash, &room);
    return io_statement_do(recorder->database, recorder->frame, error);
}

// The row of many; piece: room for some poses.
static cn_status write_many_bodies(cn_recorder *recorder, const cn_sim *sim, const frame_part *part,
                                   double *piece, base_hash *hash, cn_error *error) {
    int64_t step = cn_sim_step_index(sim);
    for (int32_t i = 0; i < GS_PARTS; i++) {
        int32_t parameter = FRAME_PART_FIRST + i;
        if (i == PART_STEERING && part[i].bytes) {
            io_bind_blob(recorder->frame, parameter, part[i].bytes, part[i].size);
        } else if (part[i].bytes) {
            io_bind_zeros(recorder->frame, parameter, part[i].size);
        } else {
            io_bind_null(recorder->frame, parameter);
        }
    }
    io_bind_zeros(recorder->frame, FRAME_PART_FIRST + GS_PARTS, sizeof(uint64_t));
    cn_status status = io_statement_do(recorder->database, recorder->frame, error);
    for (int32_t i = 0; status == CN_OK && i < GS_PARTS; i++) {
        if (!part[i].bytes) {
            rec_row_hash_null(hash);
        } else if (i == PART_Q) {
            rec_row_hash_blob_size(hash, part[i].size);
            status = write_poses(recorder, sim, piece, hash, error);
        } else {
            rec_row_hash_blob(hash, part[i].bytes, part[i].size);
            status = i == PART_STEERING ? CN_OK
                                        : write_blob(recorder, "frame", part[i].name, step,
                                                     part[i].bytes, part[i].size, error);
        }
    }
    uint64_t end = base_hash_end(hash);
    CN_TRY(status);
    return write_blob(recorder, "frame", "row_hash", step, &end, sizeof end, error);
}

// The row of a frame. The bodies of a large scene are written in pieces, as its contacts are.
static cn_status write_frame(cn_recorder *recorder, const cn_sim *sim, const rec_evidence *evidence,
                             cn_error *error) {
    bool whole = recorder->bodies <= REC_BODIES_AT_ONCE;
    size_t bodies = (size_t)recorder->bodies, pose = (size_t)model_pose_size(recorder->dim),
           q_bytes = sizeof(double) * pose * bodies,
           v_bytes = sizeof(double) * (size_t)model_velocity_size(recorder->dim) * bodies;
    double *q = BASE_TAKE(recorder->scratch, double,
                          (int64_t)pose *(whole ? recorder->bodies : REC_BODIES_AT_ONCE));
    if (!q) {
        return base_fail_memory(error);
    }
    const frame_part part[GS_PARTS] = {
        [PART_ASLEEP] = {"asleep", evidence->asleep, bodies},
        [PART_STEERING] = {"steering", evidence->steering, REC_STEERING_NUMBERS * sizeof *q},
        [PART_LOAD] = {"load", evidence->load, 6 * sizeof *q * bodies},
        [PART_Q] = {"q", q, q_bytes},
        [PART_V] = {"v", sim->state.v, v_bytes},
        [PART_BEFORE] = {"v_before", evidence->v_before, v_bytes},
        [PART_AFTER] = {"v_after", evidence->v_after, v_bytes},
        [PART_MIDDLE] = {"q_middle", evidence->q_middle, q_bytes},
        [PART_PROJECTION] = {"projection", evidence->projection, v_bytes}};
    char text[REC_HASH_TEXT];
    base_hash hash;
    CN_TRY(rec_state_hash(sim, text, error));
    rec_row_hash_start(&hash, "frame");
    rec_row_hash_int(&hash, cn_sim_step_index(sim));
    rec_row_hash_real(&hash, cn_sim_time(sim));
    rec_row_hash_text(&hash, text);
    rec_row_hash_real(&hash, evidence->start);
    rec_row_hash_real(&hash, evidence->h);
    rec_row_hash_int(&hash, evidence->limited);
    io_bind_int(recorder->frame, 1, cn_sim_step_index(sim));
    io_bind_real(recorder->frame, 2, cn_sim_time(sim));
    io_bind_text(recorder->frame, 3, text);
    io_bind_real(recorder->frame, 4, evidence->start);
    io_bind_real(recorder->frame, 5, evidence->h);
    io_bind_int(recorder->frame, 6, evidence->limited);
    if (whole) {
        cn_sim_poses(sim, q);
        return write_few(recorder, part, &hash, error);
    }
    return write_many_bodies(recorder, sim, part, q, &hash, error);
}

// ---- joints ----

static cn_status write_joints(cn_recorder *recorder, const cn_sim *sim, cn_error *error) {
    const cn_model *model = cn_sim_model(sim);
    int64_t joints = model->joint_count, rows = model->joint_row_count;
    rec_joint_evidence of;
    if (!rec_joint_evidence_take(sim, recorder->scratch, &of)) {
        return base_fail_memory(error);
    }
    const struct {
        const double *numbers;
        int64_t count;
    } part[] = {{of.value, joints},
                {of.rate, joints},
                {of.impulse, model_velocity_size(recorder->dim) * joints},
                {of.effort, joints},
                {of.rows, rows},
                {of.start, rows},
                {of.angle, 2 * joints},
                {of.settled, of.settled ? rows : 0}};
    int32_t count = (int32_t)(sizeof part / sizeof part[0]);
    base_hash hash;
    uint64_t room;
    rec_row_hash_start(&hash, "joint");
    rec_row_hash_int(&hash, cn_sim_step_index(sim));
    io_bind_int(recorder->joint, 1, cn_sim_step_index(sim));
    for (int32_t i = 0; i < count; i++) {
        size_t bytes = sizeof(double) * (size_t)part[i].count;
        io_bind_blob(recorder->joint, 2 + i, part[i].numbers, bytes);
        rec_row_hash_blob(&hash, part[i].numbers, bytes);
    }
    rec_bind_hash(recorder->joint, 2 + count, &hash, &room);
    return io_statement_do(recorder->database, recorder->joint, error);
}

cn_status cn_recorder_frame(cn_recorder *recorder, const cn_sim *sim, cn_error *error) {
    if (!recorder || !sim) {
        return base_fail_missing(error);
    }
    CN_TRY(rec_check_bodies(sim, error));
    CN_TRY(rec_acts(recorder, sim, error));
    base_arena_mark mark = base_arena_get_mark(recorder->scratch);
    bool stepped = cn_sim_step_index(sim) > 0;
    rec_evidence evidence = {.start = (double)NAN, .h = (double)NAN};
    if (recorder->evidence && stepped && !rec_evidence_take(sim, recorder->scratch, &evidence)) {
        return base_fail_memory(error);
    }
    cn_status status = write_frame(recorder, sim, &evidence, error);
    if (status == CN_OK && stepped) {
        status = write_contacts(recorder, sim, &evidence, error);
    }
    if (status == CN_OK && !isnan(evidence.h) && cn_sim_model(sim)->joint_count > 0) {
        status = write_joints(recorder, sim, error);
    }
    if (status == CN_OK) {
        status = rec_nodes_frame(recorder, sim, !isnan(evidence.h), error);
    }
    if (status == CN_OK) {
        status = rec_bonds_frame(recorder, sim, !isnan(evidence.h), error);
    }
    base_arena_release(recorder->scratch, mark);
    // The state of the start goes to the disk with its frame, which a run that is resumed from there
    // does not write again.
    return status == CN_OK && !stepped ? cn_recorder_checkpoint(recorder, sim, error) : status;
}
