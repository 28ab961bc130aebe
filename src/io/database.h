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

typedef struct io_database io_database;
typedef struct io_statement io_statement; // an sqlite3_stmt

typedef enum io_database_mode {
    IO_DATABASE_READ,   // must exist
    IO_DATABASE_WRITE,  // must exist
    IO_DATABASE_CREATE, // must not exist
} io_database_mode;

cn_status io_database_open(const cn_env *env, const char *path, io_database_mode mode,
                           io_database **out, cn_error *error);
// A file has one writer at a time: a second one gets CN_ERR_IO.
// A database that was written is left as one single file, unless others have it open.
cn_status io_database_close(io_database *database,
                            cn_error *error); // NULL is allowed; frees it whatever happens

// Removes a closed database and what SQLite keeps beside it; nothing when there is none.
void io_database_remove(const char *path);
// The same, to make room for another. CN_ERR_IO: a process is writing it, and it stays.
cn_status io_database_replace(const char *path, cn_error *error);

// Puts what is committed onto the disk, so that no power loss takes it. Not within a transaction
// that has begun to write.
cn_status io_database_sync(io_database *database, cn_error *error);

// CN_ERR_INPUT unless the file, at path, holds plain tables only: no views, triggers, virtual
// tables, generated columns, constraints or expressions. io_database_open has asked.
cn_status io_database_check_schema(io_database *database, const char *path, cn_error *error);

// One or several statements without results.
cn_status io_database_run(io_database *database, const char *sql, cn_error *error);
cn_status io_database_prepare(io_database *database, const char *sql, io_statement **out,
                              cn_error *error); // *out: NULL on failure
void io_statement_end(io_statement *statement); // NULL is allowed
// *has: whether a table has a column; false also where there is no such table.
cn_status io_database_has(io_database *database, const char *table, const char *column, bool *has,
                          cn_error *error);

// Parameters count from 1, columns from 0. Texts and blobs that are bound are not copied, which
// could fail without memory: they must stay until the statement is done.
void io_bind_int(io_statement *statement, int32_t parameter, int64_t value);
void io_bind_real(io_statement *statement, int32_t parameter, double value); // NaN becomes NULL
void io_bind_text(io_statement *statement, int32_t parameter, const char *text);
void io_bind_null(io_statement *statement, int32_t parameter);
void io_bind_blob(io_statement *statement, int32_t parameter, const void *bytes, size_t size);

// A blob of zeros, to be written piece by piece when the row is there. Memory is saved where all
// columns behind it are such blobs too.
void io_bind_zeros(io_statement *statement, int32_t parameter, size_t size);
typedef struct io_blob io_blob; // an sqlite3_blob
cn_status io_blob_open(io_database *database, const char *table, const char *column, int64_t row,
                       io_blob **out, cn_error *error);
// The same to be read; then the blob of another row of the column.
cn_status io_blob_open_read(io_database *database, const char *table, const char *column,
                            int64_t row, io_blob **out, cn_error *error);
cn_status io_blob_move(io_database *database, io_blob *blob, int64_t row, cn_error *error);
size_t io_blob_size(const io_blob *blob);
cn_status io_blob_read(io_database *database, io_blob *blob, size_t at, void *bytes, size_t size,
                       cn_error *error);
// Bytes from `at` on; the blob's size stays.
cn_status io_blob_write(io_database *database, io_blob *blob, size_t at, const void *bytes,
                        size_t size, cn_error *error);
void io_blob_close(io_blob *blob); // NULL is allowed
// Bytes that a row, all its columns together, may have.
size_t io_database_row_max(const io_database *database);

// *row: whether there is one. After the last the statement is ready to be bound again.
cn_status io_statement_step(io_database *database, io_statement *statement, bool *row,
                            cn_error *error);
// The same for a statement without results.
cn_status io_statement_do(io_database *database, io_statement *statement, cn_error *error);

int64_t io_column_int(io_statement *statement, int32_t column);
double io_column_real(io_statement *statement, int32_t column); // NULL becomes NaN
const char *io_column_text(io_statement *statement,
                           int32_t column); // never NULL; valid until the next step
// NULL and 0 where there are no bytes, or no memory for them.
const void *io_column_blob(io_statement *statement, int32_t column, size_t *size);
typedef enum io_column_kind {
    IO_COLUMN_NULL,
    IO_COLUMN_INT,
    IO_COLUMN_REAL,
    IO_COLUMN_TEXT,
    IO_COLUMN_BLOB
} io_column_kind;
// What the row holds there, whatever its table declares.
io_column_kind io_column_kind_of(io_statement *statement, int32_t column);

#endif
