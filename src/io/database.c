// io/database.c
// SQLite. The write-ahead log is used while a file is written, so that readers do not wait and a
// killed writer loses only what was not committed; closing folds it back.
#include "io/database.h"

#include "base/arena.h"
#include "base/cancel.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUSY_WAIT_MS 5000 // another process may be reading
#define PATH_MAX 4096
#define FILE_MODE 0644    // less the user's umask, as SQLite makes its files
#define CLOSE_WAIT_MS 200 // readers that keep a file open do not hold up its writer

struct io_database {
    cn_arena *memory;
    sqlite3 *handle;
    bool writes;
    int lock;    // of a writer: the file, held by flock; -1: none
    bool failed; // while writing: what is not committed is given up
    char path[512];
};

// SQLite's codes in words for the one whose file it is.
static const char *database_words(int code, const char *text, const char **hint) {
    *hint = NULL;
    if (code == SQLITE_ERROR && strncmp(text, "no such table", strlen("no such table")) == 0) {
        *hint = "cairn run writes run files";
        return "this is not a run file of cairn but a database of another program";
    }
    switch (code) {
    case SQLITE_NOTADB:
        *hint = "cairn run writes run files; cairn info says what a file is";
        return "this is not a run file";
    case SQLITE_CORRUPT:
    case SQLITE_ERROR:
        *hint = "take a copy of it; frames before the damage may be saved by sqlite3's .recover";
        return "the run file is damaged or cut short";
    case SQLITE_CANTOPEN:
        return "cannot open the file";
    case SQLITE_READONLY:
    case SQLITE_PERM:
        *hint = "check the permissions of the file and its folder";
        return "the file cannot be written";
    case SQLITE_FULL:
        *hint = "free some space, then cairn resume continues from the last checkpoint";
        return "the disk is full";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        *hint = "wait for it to end";
        return "another process uses the run file";
    case SQLITE_TOOBIG:
        return "a row of the run file is too large";
    default:
        *hint = "check the disk and the connection to it";
        return "reading or writing the run file failed";
    }
}

static cn_status database_fail(io_database *database, cn_error *error) {
    int code = sqlite3_errcode(database->handle) & 0xff;
    int cause = sqlite3_system_errno(database->handle);
    database->failed = database->writes;
    bool damaged = code == SQLITE_NOTADB || code == SQLITE_CORRUPT || code == SQLITE_ERROR;
    const char *hint;
    const char *words = database_words(code, sqlite3_errmsg(database->handle), &hint);
    if (code == SQLITE_NOMEM) {
        return base_fail_memory(error);
    }
    bool caused = cause != 0 && !damaged && code != SQLITE_FULL;
    base_fail(error, damaged ? CN_ERR_INPUT : CN_ERR_IO, "%s%s%s", words, caused ? ": " : "",
              caused ? strerror(cause) : "");
    base_fail_at(error, database->path, 0, 0);
    if (code == SQLITE_INTERRUPT) {
        return base_fail_cancelled(error);
    }
    if (hint) {
        base_fail_hint(error, "%s", hint);
    }
    return damaged ? CN_ERR_INPUT : CN_ERR_IO;
}

// Whether there is a regular file; other kinds are an error, and so is what cannot be asked for.
static cn_status file_find(const char *path, bool *exists, cn_error *error) {
    struct stat file;
    *exists = stat(path, &file) == 0;
    const char *wrong = *exists && !S_ISREG(file.st_mode) ? "not a regular file"
                        : !*exists && errno != ENOENT     ? strerror(errno)
                                                          : NULL;
    if (wrong) {
        base_fail(error, CN_ERR_IO, "%s", wrong);
        base_fail_at(error, path, 0, 0);
        return CN_ERR_IO;
    }
    return CN_OK;
}

// The one writer of a file holds it by flock(2), which SQLite does not use and which ends with the
// process however that ends. Where the file system has no such locks, nothing is held.
static cn_status file_lock(const char *path, int flags, int *lock, cn_error *error) {
    *lock = open(path, flags | O_CLOEXEC, FILE_MODE);
    if (*lock < 0 && (flags & O_CREAT)) {
        base_fail(error, CN_ERR_IO, "cannot create the file: %s", strerror(errno));
        base_fail_at(error, path, 0, 0);
        return CN_ERR_IO;
    }
    if (*lock >= 0 && flock(*lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        close(*lock);
        *lock = -1;
        base_fail(error, CN_ERR_IO, "another process is writing this file");
        base_fail_hint(error, "wait for it to end, or choose another name");
        base_fail_at(error, path, 0, 0);
        return CN_ERR_IO;
    }
    return CN_OK;
}

static void file_unlock(int lock) {
    if (lock >= 0) {
        close(lock);
    }
}

// A row that could not be written, or a transaction that SQLite rolled back by itself, leaves a
// hole which later rows must not hide: after a failure nothing more is written.
static bool database_refuses(const io_database *database, cn_status *status, cn_error *error) {
    if (database->failed) {
        *status = base_fail(error, CN_ERR_IO, "an earlier row could not be written");
        base_fail_at(error, database->path, 0, 0);
    }
    return database->failed;
}

static int database_poll(void *user) {
    return base_is_cancelled(user);
}

#define POLL_INSTRUCTIONS 10000 // of SQLite's machine: less than a millisecond

// Nothing that a file says is taken as code, and nothing it says may be larger than what we ask.
static void database_defend(sqlite3 *handle) {
    static const int off[] = {SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER,
                              SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION,
                              SQLITE_DBCONFIG_ENABLE_FKEY};
    static const int limits[][2] = {
        {SQLITE_LIMIT_SQL_LENGTH, 65536},    {SQLITE_LIMIT_COLUMN, 100},
        {SQLITE_LIMIT_EXPR_DEPTH, 20},       {SQLITE_LIMIT_COMPOUND_SELECT, 3},
        {SQLITE_LIMIT_VDBE_OP, 25000},       {SQLITE_LIMIT_FUNCTION_ARG, 8},
        {SQLITE_LIMIT_ATTACHED, 0},          {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50},
        {SQLITE_LIMIT_VARIABLE_NUMBER, 100}, {SQLITE_LIMIT_TRIGGER_DEPTH, 1}};
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    for (size_t i = 0; i < sizeof off / sizeof off[0]; i++) {
        sqlite3_db_config(handle, off[i], 0, NULL);
    }
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        sqlite3_limit(handle, limits[i][0], limits[i][1]);
    }
}

// Opens the handle and reads the header, which tells a foreign file at once.
static cn_status database_connect(io_database *database, const char *path, int flags,
                                  cn_error *error) {
    if (sqlite3_open_v2(path, &database->handle, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) {
        return database_fail(database, error);
    }
    const cn_env *env = cn_arena_env(database->memory);
    database_defend(database->handle);
    sqlite3_busy_timeout(database->handle, BUSY_WAIT_MS);
    if (env->cancel && (flags & SQLITE_OPEN_READONLY)) { // what is written is written
        sqlite3_progress_handler(database->handle, POLL_INSTRUCTIONS, database_poll,
                                 (void *)(uintptr_t)env);
    }
    CN_TRY(io_database_run(database, "PRAGMA cell_size_check=1; PRAGMA mmap_size=0", error));
    return io_database_check_schema(database, path, error);
}

static void database_disconnect(io_database *database) {
    sqlite3_close(database->handle);
    database->handle = NULL;
}

cn_status io_database_open(const cn_env *env, const char *path, io_database_mode mode,
                           io_database **out, cn_error *error) {
    *out = NULL;
    bool exists;
    cn_status found = file_find(path, &exists, error);
    CN_TRY(found);
    if (mode == IO_DATABASE_CREATE ? exists : !exists) {
        base_fail(error, CN_ERR_IO, exists ? "the file exists already" : "cannot open the file");
        base_fail_at(error, path, 0, 0);
        return CN_ERR_IO;
    }
    cn_arena *memory = cn_arena_create(env);
    io_database *database = memory ? BASE_TAKE_ZERO(memory, io_database, 1) : NULL;
    if (!database) {
        cn_arena_destroy(memory);
        return base_fail_memory(error);
    }
    database->memory = memory;
    database->lock = -1;
    snprintf(database->path, sizeof database->path, "%s", path);
    int flags = mode == IO_DATABASE_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    flags |= mode == IO_DATABASE_CREATE ? SQLITE_OPEN_CREATE : 0;
    cn_status status = CN_OK;
    if (mode != IO_DATABASE_READ) {
        int create = mode == IO_DATABASE_CREATE ? O_CREAT | O_EXCL : 0;
        status = file_lock(path, O_RDWR | create, &database->lock, error);
    }
    if (status != CN_OK) {
        cn_arena_destroy(memory);
        return status;
    }
    status = database_connect(database, path, flags, error);
    if (status != CN_OK && mode == IO_DATABASE_READ &&
        (sqlite3_errcode(database->handle) & 0xff) == SQLITE_READONLY) {
        // A killed writer left something to be rolled back first, which takes a writer.
        database_disconnect(database);
        status = database_connect(database, path, SQLITE_OPEN_READWRITE, error);
        if (status == CN_OK) {
            status = io_database_run(database, "PRAGMA query_only=1", error);
        }
    }
    if (status == CN_OK && mode != IO_DATABASE_READ) {
        database->writes = true;
        status =
            io_database_run(database, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL", error);
    }
    if (status != CN_OK) {
        io_database_close(database, NULL);
        if (mode == IO_DATABASE_CREATE) {
            io_database_remove(path); // nothing half-made is left
        }
        return status;
    }
    *out = database;
    return CN_OK;
}

cn_status io_database_close(io_database *database, cn_error *error) {
    if (!database) {
        return CN_OK;
    }
    cn_status status = CN_OK;
    // There is no handle where SQLite had no memory for one.
    for (sqlite3_stmt *left;
         database->handle && (left = sqlite3_next_stmt(database->handle, NULL)) != NULL;) {
        sqlite3_finalize(left);
    }
    if (database->failed && !sqlite3_get_autocommit(database->handle)) {
        sqlite3_exec(database->handle, "ROLLBACK", NULL, NULL, NULL);
    }
    if (database->writes) {
        // Not while others have the file open: all is then in it already, and the log beside it is
        // empty.
        sqlite3_busy_timeout(database->handle, CLOSE_WAIT_MS);
        sqlite3_exec(database->handle, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL);
        database->failed = false;
        status = io_database_run(database, "PRAGMA journal_mode=DELETE", error);
        bool shared = status != CN_OK && (sqlite3_errcode(database->handle) & 0xff) == SQLITE_BUSY;
        status = shared ? CN_OK : status;
    }
    sqlite3_close(database->handle);
    file_unlock(database->lock); // last: it is the same file, and closing drops SQLite's locks
    cn_arena_destroy(database->memory);
    return status;
}

cn_status io_database_replace(const char *path, cn_error *error) {
    int lock;
    cn_status status = file_lock(path, O_RDONLY, &lock, error);
    if (status == CN_OK) {
        io_database_remove(path);
    }
    file_unlock(lock);
    return status;
}

void io_database_remove(const char *path) {
    const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        char name[PATH_MAX];
        int length = snprintf(name, sizeof name, "%s%s", path, endings[i]);
        if (length > 0 && (size_t)length < sizeof name) {
            remove(name);
        }
    }
}

cn_status io_database_sync(io_database *database, cn_error *error) {
    cn_status status;
    if (database_refuses(database, &status, error)) {
        return status;
    }
    int result =
        sqlite3_wal_checkpoint_v2(database->handle, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    return result == SQLITE_OK || result == SQLITE_BUSY ? CN_OK : database_fail(database, error);
}

cn_status io_database_run(io_database *database, const char *sql, cn_error *error) {
    cn_status status;
    if (database_refuses(database, &status, error)) {
        return status;
    }
    if (sqlite3_exec(database->handle, sql, NULL, NULL, NULL) != SQLITE_OK) {
        return database_fail(database, error);
    }
    return CN_OK;
}

cn_status io_database_prepare(io_database *database, const char *sql, io_statement **out,
                              cn_error *error) {
    sqlite3_stmt *statement = NULL;
    cn_status status;
    *out = NULL;
    if (database_refuses(database, &status, error)) {
        return status;
    }
    if (sqlite3_prepare_v2(database->handle, sql, -1, &statement, NULL) != SQLITE_OK) {
        return database_fail(database, error);
    }
    *out = (io_statement *)statement;
    return CN_OK;
}

cn_status io_database_has(io_database *database, const char *table, const char *column, bool *has,
                          cn_error *error) {
    int result = sqlite3_table_column_metadata(database->handle, "main", table, column, NULL, NULL,
                                               NULL, NULL, NULL);
    *has = result == SQLITE_OK;
    return result == SQLITE_OK || result == SQLITE_ERROR ? CN_OK : database_fail(database, error);
}

static sqlite3_stmt *sqlite_handle(io_statement *statement) {
    return (sqlite3_stmt *)statement;
}

void io_statement_end(io_statement *statement) {
    sqlite3_finalize(sqlite_handle(statement));
}

void io_bind_int(io_statement *statement, int32_t parameter, int64_t value) {
    sqlite3_bind_int64(sqlite_handle(statement), parameter, value);
}

void io_bind_real(io_statement *statement, int32_t parameter, double value) {
    sqlite3_bind_double(sqlite_handle(statement), parameter, value);
}

void io_bind_text(io_statement *statement, int32_t parameter, const char *text) {
    sqlite3_bind_text(sqlite_handle(statement), parameter, text, -1, SQLITE_STATIC);
}

void io_bind_null(io_statement *statement, int32_t parameter) {
    sqlite3_bind_null(sqlite_handle(statement), parameter);
}

void io_bind_blob(io_statement *statement, int32_t parameter, const void *bytes, size_t size) {
    sqlite3_bind_blob64(sqlite_handle(statement), parameter, size ? bytes : "", size,
                        SQLITE_STATIC);
}

void io_bind_zeros(io_statement *statement, int32_t parameter, size_t size) {
    sqlite3_bind_zeroblob64(sqlite_handle(statement), parameter, size);
}

static cn_status blob_open(io_database *database, const char *table, const char *column,
                           int64_t row, int write, io_blob **out, cn_error *error) {
    sqlite3_blob *blob = NULL;
    cn_status status;
    *out = NULL;
    if (database_refuses(database, &status, error)) {
        return status;
    }
    int result = sqlite3_blob_open(database->handle, "main", table, column, row, write, &blob);
    *out = (io_blob *)(void *)blob;
    return result == SQLITE_OK ? CN_OK : database_fail(database, error);
}

cn_status io_blob_open(io_database *database, const char *table, const char *column, int64_t row,
                       io_blob **out, cn_error *error) {
    return blob_open(database, table, column, row, 1, out, error);
}

cn_status io_blob_open_read(io_database *database, const char *table, const char *column,
                            int64_t row, io_blob **out, cn_error *error) {
    return blob_open(database, table, column, row, 0, out, error);
}

cn_status io_blob_move(io_database *database, io_blob *blob, int64_t row, cn_error *error) {
    int result = sqlite3_blob_reopen((sqlite3_blob *)(void *)blob, row);
    return result == SQLITE_OK ? CN_OK : database_fail(database, error);
}

size_t io_blob_size(const io_blob *blob) {
    return (size_t)sqlite3_blob_bytes((sqlite3_blob *)(uintptr_t)blob);
}

cn_status io_blob_read(io_database *database, io_blob *blob, size_t at, void *bytes, size_t size,
                       cn_error *error) {
    int result = sqlite3_blob_read((sqlite3_blob *)(void *)blob, bytes, (int)size, (int)at);
    return result == SQLITE_OK ? CN_OK : database_fail(database, error);
}

cn_status io_blob_write(io_database *database, io_blob *blob, size_t at, const void *bytes,
                        size_t size, cn_error *error) {
    int result = sqlite3_blob_write((sqlite3_blob *)(void *)blob, bytes, (int)size, (int)at);
    return result == SQLITE_OK ? CN_OK : database_fail(database, error);
}

void io_blob_close(io_blob *blob) {
    sqlite3_blob_close((sqlite3_blob *)(void *)blob);
}

size_t io_database_row_max(const io_database *database) {
    return (size_t)sqlite3_limit(database->handle, SQLITE_LIMIT_LENGTH, -1);
}

cn_status io_statement_step(io_database *database, io_statement *statement, bool *row,
                            cn_error *error) {
    cn_status status = CN_OK;
    *row = false;
    if (database_refuses(database, &status, error)) {
        return status;
    }
    int result = sqlite3_step(sqlite_handle(statement));
    *row = result == SQLITE_ROW;
    if (result == SQLITE_ROW) {
        return CN_OK;
    }
    status = result == SQLITE_DONE ? CN_OK : database_fail(database, error);
    sqlite3_reset(sqlite_handle(statement));
    return status;
}

cn_status io_statement_do(io_database *database, io_statement *statement, cn_error *error) {
    bool row;
    cn_status status = io_statement_step(database, statement, &row, error);
    if (row) {
        sqlite3_reset(sqlite_handle(statement));
    }
    return status;
}

int64_t io_column_int(io_statement *statement, int32_t column) {
    return sqlite3_column_int64(sqlite_handle(statement), column);
}

double io_column_real(io_statement *statement, int32_t column) {
    bool missing = sqlite3_column_type(sqlite_handle(statement), column) == SQLITE_NULL;
    return missing ? (double)NAN : sqlite3_column_double(sqlite_handle(statement), column);
}

const char *io_column_text(io_statement *statement, int32_t column) {
    const unsigned char *text = sqlite3_column_text(sqlite_handle(statement), column);
    return text ? (const char *)text : "";
}

const void *io_column_blob(io_statement *statement, int32_t column, size_t *size) {
    const void *bytes = sqlite3_column_blob(sqlite_handle(statement), column);
    *size = bytes ? (size_t)sqlite3_column_bytes(sqlite_handle(statement), column) : 0;
    return bytes;
}

io_column_kind io_column_kind_of(io_statement *statement, int32_t column) {
    switch (sqlite3_column_type(sqlite_handle(statement), column)) {
    case SQLITE_INTEGER:
        return IO_COLUMN_INT;
    case SQLITE_FLOAT:
        return IO_COLUMN_REAL;
    case SQLITE_TEXT:
        return IO_COLUMN_TEXT;
    case SQLITE_BLOB:
        return IO_COLUMN_BLOB;
    default:
        return IO_COLUMN_NULL;
    }
}
