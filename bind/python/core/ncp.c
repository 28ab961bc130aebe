// ncp.c
// Nonlinear mixed complementarity problems whose functions are written in Python. They are called
// with the GIL held; what they raise ends the solve.
#include "core.h"

#include <string.h>

typedef struct core_ncp {
    PyObject *value, *gradient; // gradient NULL: by differences
    Py_ssize_t n, entries;
} core_ncp;

// The numbers that a function of z gives; false where it raised or said None (not defined there).
static bool ask(const core_ncp *s, PyObject *call, const char *what, const double *z,
                Py_ssize_t count, double *out) {
    if (PyErr_Occurred()) {
        return false;
    }
    PyObject *at = core_copy('d', s->n, -1, z);
    PyObject *result = at ? PyObject_CallFunctionObjArgs(call, at, NULL) : NULL;
    Py_buffer view;
    bool good = result && result != Py_None && core_take(result, what, 'd', count, false, &view);
    if (good) {
        memcpy(out, view.buf, sizeof *out * (size_t)count);
        PyBuffer_Release(&view);
    }
    Py_XDECREF(result);
    Py_XDECREF(at);
    return good;
}

static bool call_value(void *user, const double *z, double *w) {
    const core_ncp *s = user;
    return ask(s, s->value, "F", z, s->n, w);
}

static bool call_gradient(void *user, const double *z, double *entries) {
    const core_ncp *s = user;
    return ask(s, s->gradient, "jacobian", z, s->entries, entries);
}

static bool raised(void *unused) {
    (void)unused;
    return PyErr_Occurred() || PyErr_CheckSignals() != 0;
}

static PyObject *answer(const cn_ncp_report *report, PyObject *z, PyObject *w) {
    const cn_solve_report *solve = &report->solve;
    return Py_BuildValue("{s:O,s:O,s:s,s:s,s:i,s:d,s:d,s:L,s:L,s:i,s:i}", "z", z, "w", w, "outcome",
                         cn_outcome_text(solve->outcome), "detail", solve->detail, "iterations",
                         (int)solve->iterations, "residual", solve->grade.residual, "cpu_s",
                         solve->cpu_s, "values", (long long)report->values, "gradients",
                         (long long)report->gradients, "crash", (int)report->crash, "restarts",
                         (int)report->restarts);
}

// Sets options from a list of (name, value); false: raised.
static bool take_params(PyObject *params, cn_solve_opts *opts) {
    for (Py_ssize_t k = 0; k < PyList_Size(params); k++) {
        const char *name, *value;
        cn_error error = {.status = CN_OK};
        if (!PyArg_ParseTuple(PyList_GetItem(params, k), "ss", &name, &value)) {
            return false;
        }
        cn_status status = cn_solve_opts_set(opts, cn_ncp_solver_info(), name, value, &error);
        if (status != CN_OK) {
            core_raise(status, &error);
            return false;
        }
    }
    return true;
}

static cn_status check_and_solve(const cn_ncp *p, bool check, const cn_solve_opts *opts,
                                 cn_arena *scratch, double *z, double *w, cn_ncp_report *report,
                                 cn_error *error) {
    cn_status status = check ? cn_ncp_check(p, z, scratch, error) : CN_OK;
    return status == CN_OK ? cn_ncp_solve(p, opts, scratch, z, w, report, error) : status;
}

// ncp_solve(F, jacobian, lower, upper, z, start, column, options, params) -> dict; jacobian and the
// pattern may be None; options: check, tolerance, max_iterations, time_limit
static PyObject *ncp_solve(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *lower, *upper, *start, *start_z, *column, *params, *gradient;
    int check, max_iterations;
    double tolerance, time_limit;
    core_ncp s = {0};
    if (!PyArg_ParseTuple(args, "OOOOOOO(pdid)O!", &s.value, &gradient, &lower, &upper, &start_z,
                          &start, &column, &check, &tolerance, &max_iterations, &time_limit,
                          &PyList_Type, &params)) {
        return NULL;
    }
    cn_solve_opts opts = cn_solve_opts_default(cn_ncp_solver_info());
    opts.tolerance = tolerance;
    opts.time_limit = time_limit;
    opts.max_iterations = max_iterations > 0 ? max_iterations : opts.max_iterations;
    s.gradient = gradient == Py_None ? NULL : gradient;
    if (!take_params(params, &opts)) {
        return NULL;
    }
    Py_buffer view[5] = {{0}};
    bool sparse = start != Py_None;
    bool good = core_take(start_z, "z", 'd', -1, false, &view[0]);
    s.n = good ? view[0].len / (Py_ssize_t)sizeof(double) : 0;
    good = good && core_take(lower, "lower", 'd', s.n, false, &view[1]) &&
           core_take(upper, "upper", 'd', s.n, false, &view[2]) &&
           (!sparse || (core_take(start, "start", 'q', s.n + 1, false, &view[3]) &&
                        core_take(column, "column", 'i', -1, false, &view[4])));
    void *z = NULL, *w = NULL;
    PyObject *block[2] = {core_block('d', 1, s.n, 0, 0, &z), core_block('d', 1, s.n, 0, 0, &w)};
    core_env env;
    PyObject *out = NULL;
    if (good && block[0] && block[1] && core_env_make(&env, 1)) {
        cn_arena *scratch = cn_arena_create(&env.env);
        cn_ncp p = cn_ncp_default((int32_t)s.n);
        cn_ncp_report report;
        cn_error error = {.status = CN_OK};
        s.entries = sparse ? view[4].len / (Py_ssize_t)sizeof(int32_t) : s.n * s.n;
        p.lower = view[1].buf;
        p.upper = view[2].buf;
        p.user = &s;
        p.value = call_value;
        p.gradient = s.gradient ? call_gradient : NULL;
        if (sparse) {
            p.pattern = (cn_csr){(int32_t)s.n, (int32_t)s.n, view[3].buf, view[4].buf, NULL};
        }
        opts.cancel = raised;
        memcpy(z, view[0].buf, sizeof(double) * (size_t)s.n);
        cn_status status = scratch
                               ? check_and_solve(&p, check, &opts, scratch, z, w, &report, &error)
                               : CN_ERR_MEMORY;
        cn_arena_destroy(scratch);
        // What a function raised says more than that the solve ended.
        if (PyErr_Occurred() || !core_settle(&env)) {
            out = NULL;
        } else {
            out =
                status == CN_OK ? answer(&report, block[0], block[1]) : core_raise(status, &error);
        }
        core_env_end(&env);
    }
    for (int k = 0; k < 5; k++) {
        if (view[k].obj) {
            PyBuffer_Release(&view[k]);
        }
    }
    Py_XDECREF(block[0]);
    Py_XDECREF(block[1]);
    return out;
}

bool core_add_ncp(PyObject *module) {
    static PyMethodDef functions[] = {{"ncp_solve", ncp_solve, METH_VARARGS, NULL},
                                      {NULL, NULL, 0, NULL}};
    return PyModule_AddFunctions(module, functions) == 0;
}
