// io/database.h
// A thin face of SQLite: open, run statements, bind and read columns. Knows no physics.
//
// Errors name the file and what SQLite says. Statements belong to the database and end with it.
// Once something failed in a database that is written, all further statements fail and closing it
// rolls back what was not committed.
// Files are not trusted: SQLite's defensive settings are on, and a file that exists is refused
// unless it is a regular one with plain tables alone.
#ifndef CAIRN_IO_DATABASE_H
#define CAIRN_IO_DATABASE_H

#include <cairn/base.h>

typedef struct cn_database cn_database;
typedef struct cn_statement cn_statement; // an sqlite3_stmt

typedef enum cn_database_mode {
    CN_DATABASE_READ,   // must exist
    CN_DATABASE_WRITE,  // must exist
    CN_DATABASE_CREATE, // must not exist
} cn_database_mode;

cn_status cn_database_open(const cn_env *env, const char *path, cn_database_mode mode,
                           cn_database **out, cn_error *error);
// A file has one writer at a time: a second one gets CN_ERR_IO.
// A database that was written is left as one single file, unless others have it open.
cn_status cn_database_close(cn_database *database,
                            cn_error *error); // NULL is allowed; frees it whatever happens

// Removes a closed database and what SQLite keeps beside it; nothing when there is none.
void cn_database_remove(const char *path);
// The same, to make room for another. CN_ERR_IO: a process is writing it, and it stays.
cn_status cn_database_replace(const char *path, cn_error *error);

// Puts what is committed onto the disk, so that no power loss takes it. Not within a transaction
// that has begun to write.
cn_status cn_database_sync(cn_database *database, cn_error *error);

// CN_ERR_INPUT unless the file, at path, holds plain tables only: no views, triggers, virtual
// tables, generated columns, constraints or expressions. cn_database_open has asked.
cn_status cn_database_check_schema(cn_database *database, const char *path, cn_error *error);

// One or several statements without results.
cn_status cn_database_run(cn_database *database, const char *sql, cn_error *error);
cn_status cn_database_prepare(cn_database *database, const char *sql, cn_statement **out,
                              cn_error *error); // *out: NULL on failure
void cn_statement_end(cn_statement *statement); // NULL is allowed
// Whether a table has a column; false also where there is no such table.
bool cn_database_has(cn_database *database, const char *table, const char *column);

// Parameters count from 1, columns from 0. Texts and blobs that are bound are not copied, which
// could fail without memory: they must stay until the statement is done.
void cn_bind_int(cn_statement *statement, int32_t parameter, int64_t value);
void cn_bind_real(cn_statement *statement, int32_t parameter, double value); // NaN becomes NULL
void cn_bind_text(cn_statement *statement, int32_t parameter, const char *text);
void cn_bind_null(cn_statement *statement, int32_t parameter);
void cn_bind_blob(cn_statement *statement, int32_t parameter, const void *bytes, size_t size);

// A blob of zeros, to be written piece by piece when the row is there. Memory is saved where all
// columns behind it are such blobs too.
void cn_bind_zeros(cn_statement *statement, int32_t parameter, size_t size);
typedef struct cn_blob cn_blob; // an sqlite3_blob
cn_status cn_blob_open(cn_database *database, const char *table, const char *column, int64_t row,
                       cn_blob **out, cn_error *error);
// Bytes from `at` on; the blob's size stays.
cn_status cn_blob_write(cn_database *database, cn_blob *blob, size_t at, const void *bytes,
                        size_t size, cn_error *error);
void cn_blob_close(cn_blob *blob); // NULL is allowed
// Bytes that a row, all its columns together, may have.
size_t cn_database_row_most(const cn_database *database);

// *row: whether there is one. After the last the statement is ready to be bound again.
cn_status cn_statement_step(cn_database *database, cn_statement *statement, bool *row,
                            cn_error *error);
// The same for a statement without results.
cn_status cn_statement_do(cn_database *database, cn_statement *statement, cn_error *error);

int64_t cn_column_int(cn_statement *statement, int32_t column);
double cn_column_real(cn_statement *statement, int32_t column); // NULL becomes NaN
const char *cn_column_text(cn_statement *statement,
                           int32_t column); // never NULL; valid until the next step
// NULL and 0 where there are no bytes, or no memory for them.
const void *cn_column_blob(cn_statement *statement, int32_t column, size_t *size);
typedef enum cn_column_kind {
    CN_COLUMN_NULL,
    CN_COLUMN_INT,
    CN_COLUMN_REAL,
    CN_COLUMN_TEXT,
    CN_COLUMN_BLOB
} cn_column_kind;
// What the row holds there, whatever its table declares.
cn_column_kind cn_column_kind_of(cn_statement *statement, int32_t column);

#endif
