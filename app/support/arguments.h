// app/support/arguments.h
// The command line of a subcommand as one table: it feeds the help, the parser, and "did you mean".
#ifndef CAIRN_APP_SUPPORT_ARGUMENTS_H
#define CAIRN_APP_SUPPORT_ARGUMENTS_H

#include <stddef.h>
#include <stdint.h>

#include <cairn/cairn.h>

// Words not taken by an option.
typedef struct word_list {
    const char **words;
    int32_t count;
} word_list;
void word_list_add(word_list *list, const char *word);

typedef enum option_kind {
    OPTION_SET,     // bool: true
    OPTION_CLEAR,   // bool: false
    OPTION_TEXT,    // const char *
    OPTION_REAL,    // double in [min, max]
    OPTION_INT,     // int32_t in [min, max]
    OPTION_THREADS, // int32_t
    OPTION_MEASURE, // cn_measure
    OPTION_LIST,    // word_list: may be repeated
    OPTION_TAKEN    // by a function
} option_kind;

typedef struct command_option command_option;
typedef void option_fn(void *job, const char *command, const command_option *option, char *text);

struct command_option {
    const char *name; // NULL: there are no more
    int letter;       // 0: none
    const char *value, *help;
    option_kind kind;
    size_t offset; // of what it sets in the subcommand's job
    double min, max;
    option_fn *take;  // of OPTION_TAKEN
    const char *path; // of a scene's value that the option stands for, where it does
};

#define REAL_MAX 1e300      // of a number: any that is finite
#define REAL_ABOVE_0 1e-300 // its minimum, where 0 is none

// The place of a member of that type; another type does not compile.
#define OPTION_AT(job, member, type)                                                               \
    (offsetof(job, member) + 0 * sizeof(char[_Generic(((job *)0)->member, type : 1)]))
// The last members of a row.
#define TO_SET(job, member) OPTION_SET, OPTION_AT(job, member, bool), 0.0, 0.0, NULL, NULL
#define TO_CLEAR(job, member) OPTION_CLEAR, OPTION_AT(job, member, bool), 0.0, 0.0, NULL, NULL
#define TO_TEXT(job, member) OPTION_TEXT, OPTION_AT(job, member, const char *), 0.0, 0.0, NULL, NULL
#define TO_REAL(job, member, min, max)                                                             \
    OPTION_REAL, OPTION_AT(job, member, double), min, max, NULL, NULL
#define TO_INT(job, member, min, max)                                                              \
    OPTION_INT, OPTION_AT(job, member, int32_t), min, max, NULL, NULL
#define TO_LIST(job, member) OPTION_LIST, OPTION_AT(job, member, word_list), 0.0, 0.0, NULL, NULL
#define TO_FUNCTION(function) OPTION_TAKEN, 0, 0.0, 0.0, function, NULL

// Options that several subcommands have.
#define JSON_LINES_OPTION(job)                                                                     \
    { "json", 'j', NULL, "One JSON object a line on standard output", TO_SET(job, json) }
#define THREADS_OPTION(job, otherwise)                                                             \
    {                                                                                              \
        "threads", 0, "N",                                                                         \
            "Threads at work (default: $CAIRN_THREADS, else " otherwise                            \
            "); results never depend on it",                                                       \
            OPTION_THREADS, OPTION_AT(job, threads, int32_t), 0.0, 0.0, NULL, NULL                 \
    }
#define MEASURE_OPTION(job, member)                                                                \
    {                                                                                              \
        "measure", 0, "M", "Residual that the tolerance means: scaled (default), q or max",        \
            OPTION_MEASURE, OPTION_AT(job, member, cn_measure), 0.0, 0.0, NULL, NULL               \
    }

typedef struct command_line {
    const command_option *options; // NULL: none
    const char *args_doc, *doc;    // as argp has them
    option_kind arguments; // OPTION_TEXT: one; OPTION_LIST: all; OPTION_TAKEN; OPTION_SET: none
    size_t offset;
    option_fn *take;     // of OPTION_TAKEN; its option is NULL
    const char *again;   // what is wrong with a second one, with %s for it
    const char *missing; // what is wrong without any; NULL: nothing
} command_line;

// The arguments of a command line.
#define ONE_ARGUMENT(job, member, wrong)                                                           \
    .arguments = OPTION_TEXT, .offset = OPTION_AT(job, member, const char *), .again = (wrong)
#define ALL_ARGUMENTS(job, member)                                                                 \
    .arguments = OPTION_LIST, .offset = OPTION_AT(job, member, word_list)

// Fills the job, with "did you mean" for misspelt options; ends the program with exit code 2 for
// all that is wrong.
void parse_arguments(const command_line *line, int argc, char **argv, void *job);

// Numbers within [min, max]; anything else is a usage error that names the option.
double parse_real(const char *command, const char *option, const char *text, double min,
                  double max);
int64_t parse_int(const char *command, const char *option, const char *text, int64_t min,
                  int64_t max);
int32_t threads_wanted(const char *command); // what CAIRN_THREADS asks for; 0: nothing

#endif
