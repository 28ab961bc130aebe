// record/row_hash.h
// The hash of a recorded row, so that a row that was changed by accident is named. XXH64 over the
// name of the table and its columns in the order of cn_hashed_tables, each with the letter of its
// kind: i and 8 bytes, r and 8 bytes (-0 as 0), t or b with the length in 8 bytes and the bytes, n
// for NULL. Little-endian. It proves nothing against someone who changes a row and hashes it again.
#ifndef CAIRN_RECORD_ROW_HASH_H
#define CAIRN_RECORD_ROW_HASH_H

#include "base/hash.h"
#include "io/database.h"

// The tables whose rows have a hash. columns: those that it covers, in its order; row_hash is none
// of them. key: what names a row, among the columns.
typedef struct cn_hashed_table {
    const char *name, *key, *columns;
    int32_t count;
} cn_hashed_table;
enum {
    CN_HASHED_BODY,
    CN_HASHED_FRAME,
    CN_HASHED_CONTACT,
    CN_HASHED_JOINT,
    CN_HASHED_LEDGER,
    CN_HASHED_EVENT,
    CN_HASHED_META,
    CN_HASHED_TABLES
};
extern const cn_hashed_table cn_hashed_tables[CN_HASHED_TABLES];

void cn_row_hash_start(cn_hash *hash, const char *table);
void cn_row_hash_int(cn_hash *hash, int64_t value);
void cn_row_hash_real(cn_hash *hash, double value); // NaN: as NULL, which SQLite makes of it
void cn_row_hash_text(cn_hash *hash, const char *text);
void cn_row_hash_blob(cn_hash *hash, const void *bytes, size_t size);
// A blob whose bytes follow by cn_hash_add.
void cn_row_hash_blob_size(cn_hash *hash, size_t size);
void cn_row_hash_null(cn_hash *hash);
// That of a row that was selected, its first `count` columns.
uint64_t cn_row_hash_of(cn_statement *select, const char *table, int32_t count);

#endif
