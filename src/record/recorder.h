// record/recorder.h
// A run file that is being written, as the files of this room share it.
#ifndef CAIRN_RECORD_RECORDER_H
#define CAIRN_RECORD_RECORDER_H

#include "record/layout.h"
#include "record/row_hash.h"
#include "step/sim.h"

#define REC_BODIES_AT_ONCE 16384 // of a frame: 1 MB

struct cn_recorder {
    cn_arena *memory, *scratch;
    io_database *database;
    io_statement *frame, *contact, *joint, *ledger, *event, *checkpoint, *forget;
    io_statement *record; // NULL: there are no columns
    int32_t dim, bodies, rows, columns;
    bool nodes;              // there are deformable bodies
    bool bonds;              // bodies may be bonded
    bool evidence;           // frames are recorded with what a check of the step needs
    int64_t acted[SIM_ACTS]; // as in sim_outside, what is recorded of it
};

// The insertion of a row with its hash: parameters are the columns of rec_hashed_tables, then the
// hash.
cn_status rec_prepare_insert(cn_recorder *recorder, int32_t table, io_statement **out,
                             cn_error *error);
// Creates the tables of the model's columns, where it has any. (record/columns.c)
cn_status rec_columns_head(cn_recorder *recorder, const cn_sim *sim, cn_error *error);
// Binds the hash of a row, which stays where it is until the statement is done.
void rec_bind_hash(io_statement *insert, int32_t parameter, const base_hash *hash, uint64_t *room);

// Records what was done to the simulation from outside since it was last asked. (record/acts.c)
cn_status rec_acts(cn_recorder *recorder, const cn_sim *sim, cn_error *error);
// CN_ERR_UNSUPPORTED where bodies or joints were added to the simulation or removed from it.
cn_status rec_check_bodies(const cn_sim *sim, cn_error *error);
// The hash of the state as it is recorded.
cn_status rec_state_hash(const cn_sim *sim, char text[REC_HASH_TEXT], cn_error *error);

#endif
