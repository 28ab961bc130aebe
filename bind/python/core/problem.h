// problem.h
// A one-step problem as Python holds it.
#ifndef CAIRN_CORE_PROBLEM_H
#define CAIRN_CORE_PROBLEM_H

#include "core.h"

#define CORE_PIECES 24 // arrays of a problem that was made from Python

typedef struct core_problem {
    PyObject_HEAD cn_problem *problem;
    void *piece[CORE_PIECES]; // memory of its arrays, where they came from Python
    int pieces;
    cn_friction reduced[3]; // of a global problem: the cheaper form, assembled, in body space
    bool is_reduced[3];
    core_env env;
    bool busy;
} core_problem;

bool core_problem_enter(core_problem *self); // false: raised
// Numbers of r.
Py_ssize_t core_problem_unknowns(const core_problem *self);
// The friction problem in a form that a solver accepts. Without the GIL.
cn_status core_problem_friction(core_problem *self, uint32_t accepts, const cn_friction **out,
                                cn_error *error);
// A copy of a problem in body space, assembled, with its solution (NULL: none).
PyObject *core_problem_from(const cn_friction *p, const double *r, const double *u);

PyObject *core_solve_method(core_problem *self, PyObject *args, PyObject *names);
PyObject *core_grade_method(core_problem *self, PyObject *args);

#endif
