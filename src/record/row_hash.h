// record/row_hash.h
// The hash of a recorded row, so that a row that was changed by accident is named. XXH64 over the
// name of the table and its columns in the order of rec_hashed_tables, each with the letter of its
// kind: i and 8 bytes, r and 8 bytes (-0 as 0), t or b with the length in 8 bytes and the bytes, n
// for NULL. Little-endian. It proves nothing against someone who changes a row and hashes it again.
#ifndef CAIRN_RECORD_ROW_HASH_H
#define CAIRN_RECORD_ROW_HASH_H

#include "base/hash.h"
#include "io/database.h"

// The tables whose rows have a hash. columns: those that it covers, in its order; row_hash is none
// of them. key: what names a row, among the columns.
typedef struct rec_hashed_table {
    const char *name, *key, *columns;
    int32_t count;
    int32_t added; // of these, the last that older versions do not have: without a value they
                   // are no part of the hash
    const char *added_one; // one of them
} rec_hashed_table;
enum {
    REC_HASHED_BODY,
    REC_HASHED_FRAME,
    REC_HASHED_CONTACT,
    REC_HASHED_JOINT,
    REC_HASHED_LEDGER,
    REC_HASHED_EVENT,
    REC_HASHED_META,
    REC_HASHED_MESH, // these three are there only where a run has deformable bodies
    REC_HASHED_NODES,
    REC_HASHED_SIDE,
    REC_HASHED_RECORD, // only where a scene has columns
    REC_HASHED_BOND,   // these two only where bodies are bonded
    REC_HASHED_DAMAGE,
    REC_HASHED_TABLES
};
extern const rec_hashed_table rec_hashed_tables[REC_HASHED_TABLES];
// The columns to be selected: NULL for the added ones where a file does not have them.
#define REC_COLUMNS_TEXT 768
void rec_hashed_columns(const rec_hashed_table *table, bool has_added, char *text, size_t size);

void rec_row_hash_start(base_hash *hash, const char *table);
void rec_row_hash_int(base_hash *hash, int64_t value);
void rec_row_hash_real(base_hash *hash, double value); // NaN: as NULL, which SQLite makes of it
void rec_row_hash_text(base_hash *hash, const char *text);
void rec_row_hash_blob(base_hash *hash, const void *bytes, size_t size);
// A blob whose bytes follow by base_hash_add.
void rec_row_hash_blob_size(base_hash *hash, size_t size);
void rec_row_hash_null(base_hash *hash);
// That of a row that was selected, its first columns.
uint64_t rec_row_hash_of(io_statement *select, const rec_hashed_table *table);

#endif
