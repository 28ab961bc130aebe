// record/recorder.h
// A run file that is being written, as the files of this room share it.
#ifndef CAIRN_RECORD_RECORDER_H
#define CAIRN_RECORD_RECORDER_H

#include "record/layout.h"
#include "record/row_hash.h"

#define REC_BODIES_AT_ONCE 16384 // of a frame: 1 MB

struct cn_recorder {
    cn_arena *memory, *scratch;
    io_database *database;
    io_statement *frame, *contact, *joint, *ledger, *event, *checkpoint, *forget;
    int32_t dim, bodies, rows;
    bool evidence; // frames are recorded with what a check of the step needs
};

// Binds the hash of a row, which stays where it is until the statement is done.
void rec_bind_hash(io_statement *insert, int32_t parameter, const base_hash *hash, uint64_t *room);

#endif
