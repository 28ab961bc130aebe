// record/layout.h
// The tables of a run file and what its writer and readers share.
#ifndef CAIRN_RECORD_LAYOUT_H
#define CAIRN_RECORD_LAYOUT_H

#include <cairn/record.h>

#include "io/database.h"

// Creates the tables; then those whose rows hold all bodies, in the columns' usual order, or with
// the blobs last, so that SQLite has no row of many bodies in memory as a whole.
extern const char rec_run_tables[], rec_run_tables_bodies[], rec_run_tables_many_bodies[];
// The tables of deformable bodies, for runs that have them.
extern const char rec_run_tables_nodes[];
extern const char rec_run_tables_bonds[];
// Adds the columns of the ledger that files of older versions do not have.
extern const char rec_run_tables_added[];
// Adds what files of older versions do not have: the evidence of a step and the hashes of rows.
extern const char rec_run_tables_upgrade[];

// Whether frames have the evidence of their steps: "full", or this.
#define REC_META_EVIDENCE "evidence"
#define REC_EVIDENCE_NONE "none"

// The event of a run that was resumed with all velocities zero: its checkpoint is not its frame.
#define REC_AT_REST "velocities were set to zero"

// Events of a program that acted on the run: the state was set, loads were given for the first
// time, inputs have values from this step on, as " name=value" of each.
#define REC_ACTED "acted: "
#define REC_ACTED_STATE REC_ACTED "the state was set"
#define REC_ACTED_LOADS REC_ACTED "loads were given"
#define REC_ACTED_INPUTS REC_ACTED "inputs"

// 16 hex digits and a final zero.
#define REC_HASH_TEXT 17
void rec_hash_text(uint64_t hash, char text[REC_HASH_TEXT]);

#endif
