// app/support/problem_file.h
// A problem file made ready to work on: read, named, and brought to the local form that a solver
// takes.
#ifndef CAIRN_APP_SUPPORT_PROBLEM_FILE_H
#define CAIRN_APP_SUPPORT_PROBLEM_FILE_H

#include <cairn/cairn.h>

#include "support/arguments.h"

// How a global problem (M, H) is reduced.
typedef enum problem_form { FORM_AUTO, FORM_ASSEMBLED, FORM_BODY } problem_form;
option_fn take_form;
#define FORM_OPTION(job)                                                                           \
    {                                                                                              \
        "operator", 0, "FORM",                                                                     \
            "How a global problem is reduced: auto (default), assembled or body", OPTION_TAKEN,    \
            OPTION_AT(job, form, problem_form), 0.0, 0.0, take_form, NULL                          \
    }

typedef struct problem_file {
    const char *path;
    char *name; // file name without folder and ending
    cn_problem *problem;
    cn_arena *memory;       // reduced forms and scratch
    int32_t dim, contacts;  // an LCP counts as n contacts of dimension 1
    int64_t unknowns;       // dim * contacts
    problem_form form;      // asked for
    cn_friction reduced[3]; // by form, made when first asked for
    bool is_reduced[3];
} problem_file;

// Reads the file. On failure error is filled and there is nothing to close.
// env: whose threads; may be NULL.
cn_status problem_file_open(const cn_env *env, const char *path, problem_form form,
                            problem_file *out, cn_error *error);
// The same around a problem already in memory, which the case then owns.
cn_status problem_file_adopt(const cn_env *env, cn_problem *problem, const char *path,
                             problem_form form, problem_file *out, cn_error *error);
void problem_file_close(problem_file *c);

bool problem_file_is_lcp(const problem_file *c);
// The local friction problem in the form asked for or, when that is auto, in the one with the fewer
// multiplications among those that accepts (CN_TAKES_...) allows. NULL with error filled: cannot.
const cn_friction *problem_file_friction(problem_file *c, uint32_t accepts, cn_error *error);
// Grades r (and u, may be NULL) with the independent checker.
cn_status problem_file_grade(problem_file *c, const double *r, const double *u, cn_grade *grade,
                             cn_error *error);
// "friction 3D, local", "LCP", ...
const char *problem_kind_text(const cn_problem *problem);

#endif
