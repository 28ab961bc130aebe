// app/commands/profile_data.h
// Performance profiles: which solver solves what share of a set of problems within a factor of the
// fastest.
//
//     ratio of solver s on problem p   tau_sp = cost_sp / min over s of cost_sp
//     profile                          rho_s(tau) = share of all problems with tau_sp <= tau
//
// A solve that did not reach the tolerance costs infinitely much: it never counts, whatever time it
// took. A problem that nobody solves stays in the share, unsolved for all. Reference: Dolan and
// More, Math. Program. 91 (2002).
#ifndef CAIRN_APP_COMMANDS_PROFILE_DATA_H
#define CAIRN_APP_COMMANDS_PROFILE_DATA_H

#include "support/solver_choice.h"

typedef enum profile_cost_kind { COST_CPU, COST_ITERATIONS } profile_cost_kind;

// One solver with its settings, as "nsgs" or "nsgs:anderson=0:local=newton".
typedef struct profile_entry {
    const char *label; // the word of the command line
    char *words;       // its parts, which choice points into
    solver_choice choice;
} profile_entry;

typedef struct profile_problem {
    char *name;
    int32_t dim, contacts;
} profile_problem;

typedef struct profile_solve {
    cn_outcome outcome;
    int64_t iterations;
    double cpu_s;
    cn_grade grade;
} profile_solve;

#define PROFILE_TOLERANCES 8

typedef struct performance_profile {
    profile_cost_kind cost;
    cn_measure measure;
    double time_limit; // [s] a solve
    double tolerances[PROFILE_TOLERANCES];
    const char *tolerance_texts[PROFILE_TOLERANCES]; // as they were written, for people
    int32_t tolerance_count;
    profile_entry *entries;
    int32_t entry_count;
    profile_problem *problems; // those that every entry has been through
    int32_t problem_count;
    profile_solve *solves; // [problem][tolerance][entry]
} performance_profile;

void profile_free(performance_profile *profile);
// Adds a problem with its solves, [tolerance][entry]; they are copied.
void profile_add(performance_profile *profile, const problem_file *c, const profile_solve *solves);
const profile_solve *profile_at(const performance_profile *profile, int32_t problem,
                                int32_t tolerance, int32_t entry);
// tau of an entry on a problem; infinite when it did not solve it.
double profile_ratio(const performance_profile *profile, int32_t problem, int32_t tolerance,
                     int32_t entry);

// What the ratios of one entry at one tolerance come to.
typedef struct profile_row {
    int32_t entry;
    int32_t solved, fastest; // problems; fastest: within rounding of the best
    int32_t unsupported;     // problems that it is not for; they count as unsolved
    double ratio_mean;       // geometric mean of tau over the problems it solved; NaN: none
    double ratio_worst;      // the largest of them
    double *ratios;          // the finite ones, ascending; solved of them
} profile_row;

// The entries that are for some problem of the set, those that solve most first. Returns how many;
// profile_rows_free gives them back.
int32_t profile_rank(const performance_profile *profile, int32_t tolerance, profile_row **rows);
void profile_rows_free(profile_row *rows, int32_t count);
// The largest finite ratio of some rows, at least 1.
double profile_largest(const profile_row *rows, int32_t count);

// ---- results (profile_write.c) ----

// A row for each tolerance and entry, for people or as lines of JSON.
void profile_print(const performance_profile *profile, bool json);
void profile_print_solves_json(const performance_profile *profile, int32_t problem);
// Writes the figures and tables; path ends in ".svg". Returns an exit code.
int profile_write(const performance_profile *profile, const char *path);
// Whether they can be written there; says so when not.
bool profile_can_write(const performance_profile *profile, const char *path);

#endif
