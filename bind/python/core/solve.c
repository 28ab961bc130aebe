// solve.c
// Solving and grading one-step problems, the tables of solvers, and solvers written in Python.
#include "problem.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// ---- a problem as a solver written in Python sees it ----

typedef struct core_given {
    PyObject_HEAD const cn_friction *p; // NULL: the solve is over
    double *v;                          // scratch of the operator
    int measure;
} core_given;

static PyTypeObject *core_given_type;

static void given_dealloc(core_given *self) {
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    free(self->v);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static bool given_ready(core_given *self) {
    if (!self->p) {
        PyErr_SetString(PyExc_RuntimeError,
                        "this problem lasted as long as the call of the solver; that has returned");
        return false;
    }
    return true;
}

// velocity(r, u): u := W r + q.
static PyObject *given_velocity(core_given *self, PyObject *args) {
    PyObject *r, *u;
    Py_buffer r_view, u_view;
    if (!PyArg_ParseTuple(args, "OO", &r, &u) || !given_ready(self)) {
        return NULL;
    }
    Py_ssize_t m = (Py_ssize_t)self->p->dim * self->p->contacts;
    if (!core_take(r, "r", 'd', m, false, &r_view)) {
        return NULL;
    }
    if (!core_take(u, "u", 'd', m, true, &u_view)) {
        PyBuffer_Release(&r_view);
        return NULL;
    }
    cn_friction_velocity(self->p, r_view.buf, self->v, u_view.buf);
    PyBuffer_Release(&r_view);
    PyBuffer_Release(&u_view);
    Py_RETURN_NONE;
}

static PyObject *given_residual(core_given *self, PyObject *r) {
    Py_buffer view;
    if (!given_ready(self) ||
        !core_take(r, "r", 'd', (Py_ssize_t)self->p->dim * self->p->contacts, false, &view)) {
        return NULL;
    }
    cn_arena *scratch = cn_arena_create(NULL);
    cn_grade grade;
    cn_status status =
        scratch ? cn_friction_grade(self->p, view.buf, NULL, scratch, &grade) : CN_ERR_MEMORY;
    cn_arena_destroy(scratch);
    PyBuffer_Release(&view);
    if (status != CN_OK) {
        return core_raise(status, NULL);
    }
    return PyFloat_FromDouble(cn_grade_residual(&grade, (cn_measure)self->measure));
}

// _data(): dim, diagonal by rows (n, dim, dim), q, mu.
static PyObject *given_data(core_given *self, PyObject *unused) {
    (void)unused;
    if (!given_ready(self)) {
        return NULL;
    }
    const cn_friction *p = self->p;
    int d = p->dim;
    void *data;
    PyObject *diagonal = core_block('d', 3, p->contacts, d, d, &data);
    if (!diagonal) {
        return NULL;
    }
    for (Py_ssize_t a = 0; a < p->contacts; a++) {
        for (int i = 0; i < d; i++) {
            for (int j = 0; j < d; j++) {
                ((double *)data)[(a * d + i) * d + j] = p->W.diagonal[(a * d + j) * d + i];
            }
        }
    }
    return Py_BuildValue("(iNNN)", d, diagonal,
                         core_copy('d', (Py_ssize_t)d * p->contacts, -1, p->q),
                         core_copy('d', p->contacts, -1, p->mu));
}

static PyMethodDef given_methods[] = {{"velocity", (PyCFunction)given_velocity, METH_VARARGS, NULL},
                                      {"residual", (PyCFunction)given_residual, METH_O, NULL},
                                      {"_data", (PyCFunction)given_data, METH_NOARGS, NULL},
                                      {NULL, NULL, 0, NULL}};

// ---- the call of a solver written in Python ----

// What belongs to the call under way in this thread; the driver's functions have no user pointer.
static _Thread_local core_own own;

core_own core_own_begin(PyObject *call, core_env *env) {
    core_own outer = own;
    own = (core_own){.call = call, .env = env};
    return outer;
}

void core_own_end(core_own outer) {
    own = outer;
}

// call(problem, r, u, tolerance, max_iterations) writes into r and returns its iterations.
static PyObject *own_call(PyObject *call, const cn_friction *p, const cn_solve_opts *opts,
                          double *r, double *u) {
    allocfunc allocate = (allocfunc)PyType_GetSlot(core_given_type, Py_tp_alloc);
    core_given *given = (core_given *)allocate(core_given_type, 0);
    if (!given) {
        return NULL;
    }
    given->p = p;
    given->measure = (int)opts->measure;
    given->v = calloc((size_t)cn_operator_dofs(&p->W, p->dim) + 1, sizeof(double));
    Py_ssize_t m = (Py_ssize_t)p->dim * p->contacts;
    // Arrays of its own: those of the driver are gone when it keeps one.
    PyObject *r_own = PyByteArray_FromStringAndSize((const char *)r, m * 8);
    PyObject *u_own = PyByteArray_FromStringAndSize((const char *)u, m * 8);
    PyObject *result = NULL;
    if (given->v && r_own && u_own) {
        memset(PyByteArray_AsString(u_own), 0, (size_t)m * 8);
        result = PyObject_CallFunction(call, "OOOdi", (PyObject *)given, r_own, u_own,
                                       opts->tolerance, (int)opts->max_iterations);
        if (PyByteArray_Size(r_own) == m * 8) {
            memcpy(r, PyByteArray_AsString(r_own), (size_t)m * 8);
        }
    }
    given->p = NULL;
    Py_XDECREF(r_own);
    Py_XDECREF(u_own);
    Py_DECREF((PyObject *)given);
    return result;
}

static cn_status own_solve(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                           double *r, double *u, cn_solve_report *report) {
    (void)scratch;
    core_env *e = own.env;
    PyEval_RestoreThread(e->state);
    e->state = NULL;
    PyObject *result = own_call(own.call, p, opts, r, u);
    long iterations = 0;
    if (result && result != Py_None) {
        iterations = PyLong_AsLong(result);
    }
    bool failed = PyErr_Occurred() != NULL;
    report->outcome = result == Py_None ? CN_LIMIT : CN_SOLVED; // the driver grades
    report->iterations = iterations < 0 || iterations > INT_MAX ? 0 : (int32_t)iterations;
    report->detail = "returned by itself";
    Py_XDECREF(result);
    e->cancelled = e->cancelled || failed;
    e->state = PyEval_SaveThread();
    return failed ? CN_ERR_CANCELLED : CN_OK;
}

cn_friction_solver core_own_solver(const char *name, uint32_t accepts) {
    return (cn_friction_solver){.info = {.name = name,
                                         .about = "",
                                         .strengths = "",
                                         .weaknesses = "",
                                         .unit = "iterations",
                                         .accepts = accepts,
                                         .max_iterations = INT_MAX},
                                .solve = own_solve};
}

// ---- solving ----

typedef struct solve_call {
    const char *solver, *local;
    PyObject *own;    // (call, name, accepts) of a solver written in Python, or None
    PyObject *params; // pairs of texts
    double tolerance, time_limit;
    int measure, max_iterations, threads;
} solve_call;

// Sets the solver's own parameters. false: raised.
static bool set_params(PyObject *params, const cn_solver_info *info, cn_solve_opts *opts) {
    Py_ssize_t count = PyList_Size(params);
    for (Py_ssize_t i = 0; i < count; i++) {
        const char *name, *value;
        cn_error error = {.status = CN_OK};
        if (!PyArg_ParseTuple(PyList_GetItem(params, i), "ss", &name, &value)) {
            return false;
        }
        cn_status status = cn_solve_opts_set(opts, info, name, value, &error);
        if (status != CN_OK) {
            core_raise(CN_ERR_ARGUMENT, &error);
            return false;
        }
    }
    return count >= 0;
}

// A wrong name, with the nearest one.
static void raise_no_solver(const char *what, const char *name, const char *const *names,
                            int32_t count) {
    cn_error error = {.status = CN_ERR_ARGUMENT};
    const char *near = cn_nearest_name(name, names, count);
    PyOS_snprintf(error.message, sizeof error.message, "there is no %s '%.100s'", what, name);
    if (near) {
        PyOS_snprintf(error.hint, sizeof error.hint, "did you mean '%s'?", near);
    } else {
        PyOS_snprintf(error.hint, sizeof error.hint, "see cairn.solvers()");
    }
    core_raise(CN_ERR_ARGUMENT, &error);
}

#define NAMES_MAX 64

static const cn_friction_solver *find_friction(const char *name) {
    const cn_friction_solver *found = cn_friction_solver_find(name);
    if (!found) {
        const char *names[NAMES_MAX];
        int32_t count = 0;
        for (; count < cn_friction_solver_count() && count < NAMES_MAX; count++) {
            names[count] = cn_friction_solver_at(count)->info.name;
        }
        raise_no_solver("solver of friction problems", name, names, count);
    }
    return found;
}

static const cn_lcp_solver *find_lcp(const char *name) {
    const cn_lcp_solver *found =
        strcmp(name, "auto") == 0 ? cn_lcp_solver_at(0) : cn_lcp_solver_find(name);
    if (!found) {
        const char *names[NAMES_MAX];
        int32_t count = 0;
        for (; count < cn_lcp_solver_count() && count < NAMES_MAX; count++) {
            names[count] = cn_lcp_solver_at(count)->info.name;
        }
        raise_no_solver("solver of linear complementarity problems", name, names, count);
    }
    return found;
}

static bool make_opts(const solve_call *call, const cn_solver_info *info, cn_solve_opts *opts) {
    *opts = cn_solve_opts_default(info);
    opts->tolerance = call->tolerance;
    opts->measure = (cn_measure)call->measure;
    opts->time_limit = call->time_limit;
    if (call->max_iterations >= 0) {
        opts->max_iterations = call->max_iterations;
    }
    if (call->local) {
        opts->local = cn_local_solver_find(call->local);
        if (!opts->local) {
            const char *names[NAMES_MAX];
            int32_t count = 0;
            for (; count < cn_local_solver_count() && count < NAMES_MAX; count++) {
                names[count] = cn_local_solver_name(cn_local_solver_at(count));
            }
            raise_no_solver("local solver", call->local, names, count);
            return false;
        }
    }
    return set_params(call->params, info, opts);
}

static bool add_grade(PyObject *out, const cn_grade *g) {
    return core_dict_set(out, "residual", PyFloat_FromDouble(g->residual)) &&
           core_dict_set(out, "residual_q", PyFloat_FromDouble(g->residual_q)) &&
           core_dict_set(out, "residual_max", PyFloat_FromDouble(g->residual_max)) &&
           core_dict_set(out, "cone_violation", PyFloat_FromDouble(g->cone_violation)) &&
           core_dict_set(out, "dual_violation", PyFloat_FromDouble(g->dual_violation)) &&
           core_dict_set(out, "complementarity", PyFloat_FromDouble(g->complementarity)) &&
           core_dict_set(out, "velocity_mismatch", PyFloat_FromDouble(g->velocity_mismatch)) &&
           core_dict_set(out, "worst", PyLong_FromLong(g->worst)) &&
           core_dict_set(out, "worst_error", PyFloat_FromDouble(g->worst_error)) &&
           core_dict_set(out, "open", PyLong_FromLong(g->open)) &&
           core_dict_set(out, "stick", PyLong_FromLong(g->stick)) &&
           core_dict_set(out, "slide", PyLong_FromLong(g->slide));
}

static PyObject *solution_dict(const cn_solve_report *report, PyObject *r, PyObject *u) {
    PyObject *out = PyDict_New();
    PyObject *grade = PyDict_New();
    bool good = out && grade && add_grade(grade, &report->grade);
    good = core_dict_set(out, "r", r) && good;
    good = core_dict_set(out, "u", u) && good;
    good = core_dict_set(out, "grade", grade) && good;
    good = good && core_dict_set(out, "outcome", core_text(cn_outcome_text(report->outcome))) &&
           core_dict_set(out, "iterations", PyLong_FromLong(report->iterations)) &&
           core_dict_set(out, "cpu_s", PyFloat_FromDouble(report->cpu_s)) &&
           core_dict_set(out, "detail", core_text(report->detail));
    return core_dict_done(out, good);
}

// The solve itself, with the solver found. r: guess in, answer out.
static PyObject *solve_run(core_problem *self, const solve_call *call,
                           const cn_friction_solver *solver, const cn_lcp_solver *lcp,
                           const cn_solve_opts *opts, void *r, void *u, PyObject *blocks[2]) {
    cn_error error = {.status = CN_OK};
    cn_solve_report report;
    memset(&report, 0, sizeof report);
    core_env env;
    if (!core_env_make(&env, call->threads)) {
        return NULL;
    }
    cn_arena *scratch = cn_arena_create(&env.env);
    cn_status status = scratch ? CN_OK : CN_ERR_MEMORY;
    core_begin(&env);
    if (status == CN_OK && lcp) {
        status = cn_lcp_solve(&self->problem->lcp, lcp, opts, scratch, r, u, &report, &error);
    } else if (status == CN_OK) {
        const cn_friction *p = NULL;
        status = core_problem_friction(self, solver->info.accepts, &p, &error);
        if (status == CN_OK) {
            core_own outer = core_own_begin(call->own, &env);
            status = cn_friction_solve(p, solver, opts, scratch, r, u, &report, &error);
            core_own_end(outer);
        }
    }
    core_end(&env);
    bool good = core_done(&env, status, &error);
    cn_arena_destroy(scratch);
    core_env_end(&env);
    if (!good) {
        return NULL;
    }
    Py_INCREF(blocks[0]);
    Py_INCREF(blocks[1]);
    return solution_dict(&report, blocks[0], blocks[1]);
}

// The first guess into r. false: raised.
static bool take_guess(PyObject *guess, Py_ssize_t m, void *r) {
    Py_buffer view;
    memset(r, 0, (size_t)m * sizeof(double));
    if (guess == Py_None) {
        return true;
    }
    if (!core_take(guess, "guess", 'd', m, false, &view)) {
        return false;
    }
    memcpy(r, view.buf, (size_t)m * sizeof(double));
    PyBuffer_Release(&view);
    return true;
}

PyObject *core_solve_method(core_problem *self, PyObject *args, PyObject *names) {
    static char *keys[] = {"solver",         "own",        "accepts", "tolerance", "measure",
                           "max_iterations", "time_limit", "local",   "params",    "guess",
                           "threads",        NULL};
    solve_call call = {0};
    PyObject *guess;
    unsigned accepts;
    if (!PyArg_ParseTupleAndKeywords(args, names, "sOIdiidzO!Oi", keys, &call.solver, &call.own,
                                     &accepts, &call.tolerance, &call.measure, &call.max_iterations,
                                     &call.time_limit, &call.local, &PyList_Type, &call.params,
                                     &guess, &call.threads) ||
        !core_problem_enter(self)) {
        return NULL;
    }
    const cn_friction_solver *solver = NULL;
    const cn_lcp_solver *lcp = NULL;
    cn_friction_solver mine = core_own_solver(call.solver, accepts);
    if (call.own != Py_None) {
        solver = &mine;
    } else if (self->problem->kind == CN_PROBLEM_LCP) {
        lcp = find_lcp(call.solver);
    } else {
        solver = find_friction(call.solver);
    }
    Py_ssize_t m = core_problem_unknowns(self);
    void *r = NULL, *u = NULL;
    PyObject *blocks[2] = {core_block('d', 1, m, 0, 0, &r), core_block('d', 1, m, 0, 0, &u)};
    PyObject *out = NULL;
    cn_solve_opts opts;
    if ((solver || lcp) && blocks[0] && blocks[1] &&
        make_opts(&call, solver ? &solver->info : &lcp->info, &opts) && take_guess(guess, m, r)) {
        memset(u, 0, (size_t)m * sizeof(double));
        out = solve_run(self, &call, solver, lcp, &opts, r, u, blocks);
    }
    Py_XDECREF(blocks[0]);
    Py_XDECREF(blocks[1]);
    self->busy = false;
    return out;
}

// _grade(r, u or None)
PyObject *core_grade_method(core_problem *self, PyObject *args) {
    PyObject *r, *u;
    Py_buffer r_view = {0}, u_view = {0};
    if (!PyArg_ParseTuple(args, "OO", &r, &u) || !core_problem_enter(self)) {
        return NULL;
    }
    Py_ssize_t m = core_problem_unknowns(self);
    PyObject *out = NULL;
    if (core_take(r, "r", 'd', m, false, &r_view) &&
        (u == Py_None || core_take(u, "u", 'd', m, false, &u_view))) {
        cn_grade grade;
        cn_error error = {.status = CN_OK};
        const cn_friction *p = NULL;
        cn_arena *scratch = cn_arena_create(NULL);
        cn_status status = scratch ? CN_OK : CN_ERR_MEMORY;
        core_begin(&self->env);
        if (status == CN_OK && self->problem->kind == CN_PROBLEM_LCP) {
            status = cn_lcp_grade(&self->problem->lcp, r_view.buf, scratch, &grade);
        } else if (status == CN_OK) {
            status = core_problem_friction(self, CN_TAKES_ASSEMBLED | CN_TAKES_BODY, &p, &error);
            status = status == CN_OK ? cn_friction_grade(p, r_view.buf, u_view.buf, scratch, &grade)
                                     : status;
        }
        core_end(&self->env);
        cn_arena_destroy(scratch);
        out = core_done(&self->env, status, &error) ? PyDict_New() : NULL;
        if (out && !add_grade(out, &grade)) {
            Py_CLEAR(out);
        }
    }
    self->busy = false;
    if (r_view.obj) {
        PyBuffer_Release(&r_view);
    }
    if (u_view.obj) {
        PyBuffer_Release(&u_view);
    }
    return out;
}

// ---- the tables ----

static PyObject *info_dict(const cn_solver_info *info, const char *kind) {
    PyObject *params = PyList_New(info->param_count);
    for (int32_t k = 0; params && k < info->param_count; k++) {
        const cn_param *p = &info->params[k];
        PyObject *row =
            Py_BuildValue("(sidddz)", p->name, (int)p->kind, p->initial, p->min, p->max, p->help);
        if (!row) {
            Py_CLEAR(params);
            break;
        }
        PyList_SetItem(params, k, row);
    }
    if (!params) {
        return NULL;
    }
    return Py_BuildValue("{s:s,s:s,s:z,s:z,s:z,s:z,s:I,s:i,s:N}", "name", info->name, "kind", kind,
                         "about", info->about, "strengths", info->strengths, "weaknesses",
                         info->weaknesses, "unit", info->unit, "accepts", (unsigned)info->accepts,
                         "max_iterations", (int)info->max_iterations, "params", params);
}

static bool append(PyObject *list, PyObject *item) {
    bool good = list && item && PyList_Append(list, item) == 0;
    Py_XDECREF(item);
    return good;
}

// solver_table(): rows of the friction and LCP tables, then the local solvers.
static PyObject *solver_table(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    PyObject *list = PyList_New(0);
    bool good = list != NULL;
    for (int32_t i = 0; good && i < cn_friction_solver_count(); i++) {
        good = append(list, info_dict(&cn_friction_solver_at(i)->info, "friction"));
    }
    for (int32_t i = 0; good && i < cn_lcp_solver_count(); i++) {
        good = append(list, info_dict(&cn_lcp_solver_at(i)->info, "lcp"));
    }
    for (int32_t i = 0; good && i < cn_local_solver_count(); i++) {
        const cn_local_solver *local = cn_local_solver_at(i);
        good = append(list, Py_BuildValue("{s:s,s:s,s:z}", "name", cn_local_solver_name(local),
                                          "kind", "local", "about", cn_local_solver_about(local)));
    }
    if (!good) {
        Py_XDECREF(list);
        return NULL;
    }
    return list;
}

bool core_add_solve(PyObject *module) {
    static PyType_Slot slots[] = {{Py_tp_dealloc, given_dealloc},
                                  {Py_tp_methods, given_methods},
                                  {Py_tp_doc, "A problem while a solver of Python works on it."},
                                  {0, NULL}};
    static PyType_Spec spec = {"cairn._core.Given", sizeof(core_given), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    static PyMethodDef functions[] = {{"solver_table", solver_table, METH_NOARGS, NULL},
                                      {NULL, NULL, 0, NULL}};
    core_given_type = (PyTypeObject *)core_make_type(module, &spec);
    return core_given_type && PyModule_AddFunctions(module, functions) == 0;
}
