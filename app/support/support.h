// app/support/support.h
// What the subcommands share: exit codes, error lines, argument parsing, memory, time.
//
// Everything the command knows of the library is in <cairn/...>. Results go to stdout, all else to
// stderr.
#ifndef CAIRN_APP_SUPPORT_SUPPORT_H
#define CAIRN_APP_SUPPORT_SUPPORT_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cairn/cairn.h>

#include "support/output.h"

// The command's exit codes.
enum {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,       // out of memory, cannot write
    EXIT_USAGE = 2,        // the command line is wrong
    EXIT_TOLERANCE = 3,    // ran, but some answer is not within its tolerance
    EXIT_INPUT = 4,        // an input file is missing, unreadable or invalid
    EXIT_INTERRUPTED = 130 // Ctrl-C
};

// The one to end with when two files ended differently: the graver of both.
int exit_join(int a, int b);

// Subcommands: argv[0] is "cairn <name>". They return an exit code.
typedef int command_fn(int argc, char **argv);
command_fn command_bench, command_check, command_convert, command_demo, command_export,
    command_gallery, command_generate, command_info, command_new, command_profile, command_render,
    command_reproduce, command_resume, command_run, command_schema, command_solve, command_solvers,
    command_view;

// ---- errors ----

// Prints "file:line:column: message; hint" and, for a text file, the line with a caret under the
// place. Returns the exit code that fits the status.
int report_error(const cn_error *error);
// The same without the object that report_errors_as_json asks for.
int report_error_text(const cn_error *error);
// From now on errors are also printed as {"error": {...}} on standard output, one object per line.
void report_errors_as_json(void);
// The same for an error that may not say which file it is about.
int report_error_in(const cn_error *error, const char *path);
// Fills in that there is no memory; returns CN_ERR_MEMORY.
cn_status error_memory(cn_error *error);
// "cairn NAME: message", exit 2.
_Noreturn void usage_error(const char *command, const char *format, ...) CN_PRINTF(2, 3);
// "cairn: message" for what is neither a file's nor the user's fault. Returns EXIT_FAILED.
int report_failure(const char *format, ...) CN_PRINTF(1, 2);

// An environment with so many threads, to be ended by cn_threads_destroy; 0: none of its own.
cn_env env_with_threads(int32_t threads);

// ---- memory, time, names ----

// count zeroed elements; ends the program with a message when there is no memory.
void *allocate(int64_t count, size_t size);
void *reallocate(void *pointer, int64_t count, size_t size);
#define ALLOCATE(type, count) ((type *)allocate((count), sizeof(type)))
// A stream whose bytes are kept in *text, which is whole, ended by a zero and to be freed once the
// stream is closed. Both end the program when there is no memory.
FILE *text_stream_open(char **text, size_t *size);
void text_stream_close(FILE *stream, char *const *text);
int compare_reals(const void *a, const void *b);       // of qsort: ascending
double *copy_reals(const double *from, int64_t count); // NULL gives zeros

double wall_clock(void);   // [s]
double cpu_clock(void);    // [s] CPU time of the process
double thread_clock(void); // [s] CPU time of the calling thread

// "dir/Kaplas-i1.hdf5" gives "Kaplas-i1". To be freed.
char *path_stem(const char *path);
// A printf into fresh memory, to be freed.
char *format_text(const char *format, ...) CN_PRINTF(1, 2);
char *format_text_of(const char *format, va_list args) CN_PRINTF(1, 0);

#endif
