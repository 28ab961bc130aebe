// core.h
// What the files of cairn._core share. The module is a thin layer over <cairn/...> on Python's
// limited API: it converts, releases the GIL, looks at signals and turns errors into exceptions;
// names, units and policy are in the Python files of the package.
#ifndef CAIRN_CORE_H
#define CAIRN_CORE_H

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000 // 3.11, the first with the buffer protocol
#endif
#include <Python.h>
#include <structmember.h>

#include <cairn/cairn.h>
#include <pthread.h>

// ---- calls into the library ----

#define CORE_LOG_LINES 32
// What the library may use of Python: its warnings are kept until the call has returned, signals
// are looked at every 50 ms.
typedef struct core_env {
    cn_env env;
    PyThreadState *state; // of the thread that made the call, while it goes on without the GIL
    pthread_t caller;
    pthread_mutex_t lock; // of the lines
    char *line[CORE_LOG_LINES];
    int lines;
    double next; // [s] when signals are looked at again
    bool cancelled;
    bool made;
    unsigned forks; // core_forks when its threads were made
} core_env;

extern unsigned core_forks; // how often this process has been forked off

bool core_env_make(core_env *e, int threads); // false: an exception is set
void core_env_end(core_env *e);
// Around a call without the GIL.
void core_begin(core_env *e);
void core_end(core_env *e);
// Signals, the threads' fork, then the library's warnings as Python's; false: an exception is set.
bool core_settle(core_env *e);
// Looks at signals when 50 ms have gone by; true: an exception is set. A cn_cancel_fn.
bool core_poll(void *env);

// An object that one thread uses at a time: false, with RuntimeError set, when it is used already
// or its threads are gone after a fork.
bool core_enter(bool *busy, const core_env *e, const char *what);

// NULL, with the exception of cairn.errors that fits set.
PyObject *core_raise(cn_status status, const cn_error *error);
PyObject *core_raise_memory(void);
// After a call that was begun with core_begin: warnings, signals, then its error. false: raised.
bool core_done(core_env *e, cn_status status, const cn_error *error);

// ---- solvers written in Python ----

typedef struct core_own {
    PyObject *call;
    core_env *env;
} core_own;

// name must live as long as the solver.
cn_friction_solver core_own_solver(const char *name, uint32_t accepts);
// Around calls of the library in which such a solver may be asked, by the thread that makes them;
// begin gives what end takes, since a solver may itself solve.
core_own core_own_begin(PyObject *call, core_env *env);
void core_own_end(core_own outer);

// ---- arrays ----

// A block of numbers that exports the buffer protocol: format 'd', 'i', 'q' or 'B', by rows.
PyObject *core_block(char format, int ndim, Py_ssize_t n0, Py_ssize_t n1, Py_ssize_t n2,
                     void **data);
// Numbers that live in other memory, which owner keeps; owner may be NULL, then core_block_drop
// ends it: its length becomes 0 for whoever asks afterwards.
PyObject *core_block_view(void *data, char format, Py_ssize_t count, bool writable,
                          PyObject *owner);
PyObject *core_copy(char format, Py_ssize_t n0, Py_ssize_t n1, const void *from);

// A contiguous buffer of the given format and number of items; -1 items: any. false: raised.
bool core_take(PyObject *from, const char *what, char format, Py_ssize_t items, bool writable,
               Py_buffer *out);

// ---- small things ----

PyObject *core_tuple(const double *values, int count);                // a tuple
PyObject *core_text(const char *text);                                // NULL: None
bool core_dict_set(PyObject *dict, const char *key, PyObject *value); // steals; false: raised
PyObject *core_dict_done(PyObject *dict, bool good);                  // the dict, or not good: NULL
// A list of what item gives for 0 .. count - 1; NULL: raised.
PyObject *core_list(Py_ssize_t count, PyObject *(*item)(const void *of, Py_ssize_t i),
                    const void *of);
PyObject *core_contacts_dict(const cn_contact_record *contacts, int32_t count, int dim);
PyObject *core_report_new(const cn_step_report *report);
const cn_step_report *core_report_of(PyObject *report);

// An attribute of a module of the package, cached.
PyObject *core_import(const char *module, const char *name);
PyObject *core_make_type(PyObject *module, PyType_Spec *spec);

// ---- types, each in its file ----

typedef struct core_model {
    PyObject_HEAD cn_model *model;
    core_env env;
    bool busy;
    bool borrowed; // the model is a simulation's own, which ends it by setting it to NULL
} core_model;

extern PyTypeObject *core_block_type, *core_model_type, *core_sim_type, *core_report_type,
    *core_problem_type, *core_run_type, *core_system_type;

bool core_add_block(PyObject *module);
bool core_add_model(PyObject *module);
bool core_add_report(PyObject *module);
bool core_add_sim(PyObject *module);
bool core_add_run(PyObject *module);
bool core_add_problem(PyObject *module);
bool core_add_solve(PyObject *module);
bool core_add_system(PyObject *module);
bool core_add_ncp(PyObject *module);

#endif
