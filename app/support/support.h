// app/support/support.h
// What the subcommands share: exit codes, error lines, argument parsing, memory, time.
//
// Everything the command knows of the library is in <cairn/...>. Results go to stdout, all else to
// stderr.
#ifndef CAIRN_APP_SUPPORT_SUPPORT_H
#define CAIRN_APP_SUPPORT_SUPPORT_H

#include <argp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cairn/cairn.h>

#include "support/output.h"

// The command's exit codes.
enum {
    CN_EXIT_DONE = 0,
    CN_EXIT_FAILURE = 1,      // out of memory, cannot write
    CN_EXIT_USAGE = 2,        // the command line is wrong
    CN_EXIT_TOLERANCE = 3,    // ran, but some answer is not within its tolerance
    CN_EXIT_INPUT = 4,        // an input file is missing, unreadable or invalid
    CN_EXIT_INTERRUPTED = 130 // Ctrl-C
};

// The one to end with when two files ended differently: the graver of both.
int cn_exit_join(int a, int b);

// Subcommands: argv[0] is "cairn <name>". They return an exit code.
typedef int cn_command_fn(int argc, char **argv);
cn_command_fn cn_command_bench, cn_command_check, cn_command_convert, cn_command_demo,
    cn_command_export, cn_command_gallery, cn_command_generate, cn_command_info, cn_command_new,
    cn_command_profile, cn_command_render, cn_command_reproduce, cn_command_resume, cn_command_run,
    cn_command_schema, cn_command_solve, cn_command_solvers, cn_command_view;

// ---- errors ----

// Prints "file:line:column: message; hint" and, for a text file, the line with a caret under the
// place. Returns the exit code that fits the status.
int cn_report_error(const cn_error *error);
// The same for an error that may not say which file it is about.
int cn_report_error_in(const cn_error *error, const char *path);
// Fills in that there is no memory; returns CN_ERR_MEMORY.
cn_status cn_error_memory(cn_error *error);
// "cairn NAME: message", exit 2.
_Noreturn void cn_usage_error(const char *command, const char *format, ...) CN_PRINTF(2, 3);
// "cairn: message" for what is neither a file's nor the user's fault. Returns CN_EXIT_FAILURE.
int cn_report_failure(const char *format, ...) CN_PRINTF(1, 2);

// ---- arguments ----

// argp_parse with "did you mean" for misspelt options and exit code 2 for all that is wrong.
void cn_parse_arguments(const struct argp *argp, int argc, char **argv, void *user);
// Numbers within [min, max]; anything else is a usage error that names the option.
double cn_parse_real(const char *command, const char *option, const char *text, double min,
                     double max);
int64_t cn_parse_int(const char *command, const char *option, const char *text, int64_t min,
                     int64_t max);
cn_measure cn_parse_measure(const char *command, const char *text);
// --threads, in the options of a command; what it or CAIRN_THREADS asks for, 0: nothing.
#define CN_THREADS_OPTION(key, otherwise)                                                          \
    {                                                                                              \
        "threads", key, "N", 0,                                                                    \
            "Threads at work (default: $CAIRN_THREADS, else " otherwise                            \
            "); the bits never depend on it",                                                      \
            0                                                                                      \
    }
int32_t cn_parse_threads(const char *command, const char *text);
int32_t cn_threads_wanted(const char *command);
// An environment with so many threads, to be ended by cn_threads_destroy; 0: none of its own.
cn_env cn_env_with_threads(int32_t threads);

// Words not taken by an option; argp calls the parser once for each.
typedef struct cn_word_list {
    const char **words;
    int32_t count;
} cn_word_list;
void cn_word_list_add(cn_word_list *list, const char *word);

// ---- memory, time, names ----

// count zeroed elements; ends the program with a message when there is no memory.
void *cn_allocate(int64_t count, size_t size);
void *cn_reallocate(void *pointer, int64_t count, size_t size);
#define CN_ALLOCATE(type, count) ((type *)cn_allocate((count), sizeof(type)))
double *cn_copy_reals(const double *from, int64_t count); // NULL gives zeros

double cn_wall_clock(void);   // [s]
double cn_cpu_clock(void);    // [s] CPU time of the process
double cn_thread_clock(void); // [s] CPU time of the calling thread

// "dir/Kaplas-i1.hdf5" gives "Kaplas-i1". To be freed.
char *cn_path_stem(const char *path);
// A printf into fresh memory, to be freed.
char *cn_text(const char *format, ...) CN_PRINTF(1, 2);
char *cn_text_of(const char *format, va_list args) CN_PRINTF(1, 0);

#endif
