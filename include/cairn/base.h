// cairn/base.h
// What every part of the library shares: status, error text, memory, log and progress.
//
// The library never prints, never exits and keeps no globals. A call that can fail returns a
// cn_status and, where a cn_error is given, fills it with text a user can act on.
#ifndef CAIRN_BASE_H
#define CAIRN_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CN_API __attribute__((visibility("default")))
#define CN_PRINTF(format_at, first_at) __attribute__((format(printf, format_at, first_at)))
#else
#define CN_API
#define CN_PRINTF(format_at, first_at)
#endif

// Whether a call was legal and had what it needed. How good an answer is, is a cn_outcome of
// outcome.h.
#define CN_STATUS_LIST(X)                                                                          \
    X(CN_OK, "ok")                                                                                 \
    X(CN_ERR_ARGUMENT, "invalid argument")                                                         \
    X(CN_ERR_MEMORY, "out of memory")                                                              \
    X(CN_ERR_IO, "cannot read or write")                                                           \
    X(CN_ERR_INPUT, "invalid input file")                                                          \
    X(CN_ERR_UNSUPPORTED, "not supported")                                                         \
    X(CN_ERR_NUMERIC, "numerical failure")                                                         \
    X(CN_ERR_CANCELLED, "cancelled")

typedef enum cn_status {
#define CN_STATUS_ENTRY(name, text) name,
    CN_STATUS_LIST(CN_STATUS_ENTRY)
#undef CN_STATUS_ENTRY
        CN_STATUS_COUNT
} cn_status;

CN_API const char *cn_status_text(cn_status status);

// Passes an error on: the function around it returns what the call returned unless that is CN_OK.
// Where something must be released first, test the status instead.
#define CN_TRY(call)                                                                               \
    do {                                                                                           \
        const cn_status try_status = (call);                                                       \
        if (try_status != CN_OK) {                                                                 \
            return try_status;                                                                     \
        }                                                                                          \
    } while (0)

// What went wrong and where. line and column count from 1; 0 means that there is none.
typedef struct cn_error {
    cn_status status;
    char file[512];
    int32_t line, column;
    char message[512]; // one sentence, no full stop
    char hint[256];    // what to try; may be empty
} cn_error;

// "file:line:column: message; hint", as much of it as there is. Returns text.
CN_API const char *cn_error_format(const cn_error *error, char *text, size_t size);

// The nearest of count names to word, for "did you mean"; NULL when none is near.
CN_API const char *cn_nearest_name(const char *word, const char *const *names, int32_t count);

// All memory comes through here. new_bytes = 0 frees; ptr = NULL allocates; NULL back means "no
// memory".
typedef struct cn_allocator {
    void *(*resize)(void *user, void *ptr, size_t old_bytes, size_t new_bytes);
    void *user;
} cn_allocator;

typedef enum cn_log_level { CN_LOG_INFO, CN_LOG_WARNING } cn_log_level;
typedef void cn_log_fn(void *user, cn_log_level level, const char *text);

// Threads that work for whoever names them in a cn_env. What is computed never depends on them, to
// the bit: work is divided by the problem alone.
typedef struct cn_threads cn_threads;
#define CN_THREADS_MAX 256
// count: threads at work, the caller's among them, 1 .. CN_THREADS_MAX. They start when first
// needed. NULL: no memory, or count out of range.
CN_API cn_threads *cn_threads_create(int32_t count);
CN_API void cn_threads_destroy(cn_threads *threads); // NULL is allowed; nothing may use them still

// Polled during long work, by counts of it and at least every 50 ms but inside a single call of
// LAPACK or CHOLMOD: true ends the work with CN_ERR_CANCELLED. Once it has returned true it must do
// so until the call that it ends has returned. Any of the threads of the cn_env may call it.
typedef bool cn_cancel_fn(void *user);

// What the library may use of the world. A NULL cn_env means malloc, silence and one thread.
typedef struct cn_env {
    cn_allocator allocator;
    cn_log_fn *log; // may be NULL
    void *log_user;
    bool allow_plugins;   // scenes may load shared libraries (cairn/plugin.h)
    cn_threads *threads;  // NULL: the caller's alone; must outlive all that is made with the cn_env
    cn_cancel_fn *cancel; // may be NULL
    void *cancel_user;
} cn_env;

CN_API cn_env cn_env_default(void);

// Called now and then during long work; returning false cancels it (CN_ERR_CANCELLED).
typedef struct cn_progress {
    const char *stage; // static text
    int64_t done;
    int64_t total;   // 0 when not known
    double residual; // NaN when not known
} cn_progress;
typedef bool cn_progress_fn(void *user, const cn_progress *progress);

// A region of memory that grows and is given back as a whole. Arrays of a problem and the scratch
// of a solver live in one. Not shared between threads.
typedef struct cn_arena cn_arena;

CN_API cn_arena *cn_arena_create(const cn_env *env); // NULL: no memory
CN_API void cn_arena_destroy(cn_arena *arena);       // NULL is allowed
CN_API const cn_env *cn_arena_env(const cn_arena *arena);

CN_API const char *cn_version(void);

#ifdef __cplusplus
}
#endif
#endif
