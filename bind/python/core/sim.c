// sim.c
// Making simulations and stepping them; what they look like is in sim_look.c.
#include "sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Not above solver.effort, or else a solver that gives up would seem to have spent the effort of the
// step, for which there is no fallback.
#define OWN_ITERATIONS 100000
#define GRID_SLACK 1e-6 // of a step, of round-off in sums of steps

PyTypeObject *core_sim_type;

bool core_sim_ready(core_sim *self) {
    if (!self->sim) {
        PyErr_SetString(PyExc_RuntimeError, "this simulation is closed, or was never made");
        return false;
    }
    return true;
}

static int sim_traverse(core_sim *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE((PyObject *)self));
    Py_VISIT(self->model);
    Py_VISIT(self->view);
    Py_VISIT(self->progress);
    Py_VISIT(self->kept);
    Py_VISIT(self->solver);
    return 0;
}

static void sim_release(core_sim *self) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    if (!core_sim_let_go(self)) {
        PyErr_Clear();
    }
    core_sim_drop_view(self);
    PyErr_Restore(type, value, trace);
    core_sim_record_drop(self);
    // The threads of a simulation that a fork took over are the parent's.
    cn_query_destroy(self->query);
    self->query = NULL;
    cn_sim_destroy(self->sim);
    self->sim = NULL;
    core_env_end(&self->env);
    Py_CLEAR(self->report);
    Py_CLEAR(self->solver);
    Py_CLEAR(self->progress);
    free(self->solver_name);
    self->solver_name = NULL;
}

static int sim_clear(core_sim *self) {
    if (!self->busy) {
        sim_release(self);
        Py_CLEAR(self->model);
    }
    return 0;
}

static void sim_dealloc(core_sim *self) {
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    PyObject_GC_UnTrack(self);
    sim_release(self);
    Py_CLEAR(self->model);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

// _make(model, threads): the simulation of a model.
static PyObject *sim_make(core_sim *self, PyObject *args) {
    PyObject *model;
    int threads;
    if (!PyArg_ParseTuple(args, "O!i", core_model_type, &model, &threads)) {
        return NULL;
    }
    core_model *m = (core_model *)model;
    if (self->sim || !m->model) {
        PyErr_SetString(PyExc_RuntimeError, self->sim ? "this simulation has been made already"
                                                      : "the model has not been made");
        return NULL;
    }
    if (m->borrowed) {
        PyErr_SetString(PyExc_ValueError, "this model is that of a simulation whose bodies have "
                                          "changed; sim.copy() gives another one like it");
        return NULL;
    }
    if (threads < 1) {
        PyErr_Format(PyExc_ValueError, "threads must be 1 to %d, not %d", CN_THREADS_MAX, threads);
        return NULL;
    }
    if (!core_env_make(&self->env, threads)) {
        return NULL;
    }
    self->env.env.allow_plugins = m->env.env.allow_plugins;
    Py_INCREF(model);
    self->model = m;
    self->recorded = -1;
    self->busy = true;
    cn_error error = {.status = CN_OK};
    core_begin(&self->env);
    cn_status status = cn_sim_create(m->model, &self->env.env, &self->sim, &error);
    core_end(&self->env);
    self->busy = false;
    if (!core_done(&self->env, status, &error)) {
        sim_release(self);
        return NULL;
    }
    Py_RETURN_NONE;
}

// _set_solver(call, name, accepts): a solver written in Python from the next step on.
static PyObject *sim_set_solver(core_sim *self, PyObject *args) {
    PyObject *call;
    const char *name;
    unsigned accepts;
    if (!PyArg_ParseTuple(args, "OsI", &call, &name, &accepts) || !core_sim_ready(self) ||
        !core_enter(&self->busy, &self->env, "simulation")) {
        return NULL;
    }
    char *copy = malloc(strlen(name) + 1);
    cn_error error = {.status = CN_OK};
    cn_status status = CN_ERR_MEMORY;
    if (copy) {
        strcpy(copy, name);
        cn_friction_solver solver = core_own_solver(copy, accepts);
        solver.info.max_iterations = OWN_ITERATIONS;
        status = cn_sim_set_solver(self->sim, &solver, &error);
    }
    self->busy = false;
    if (status != CN_OK) {
        free(copy);
    } else {
        free(self->solver_name);
        self->solver_name = copy;
        Py_INCREF(call);
        Py_XDECREF(self->solver);
        self->solver = call;
    }
    if (!core_done(&self->env, status, &error)) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *sim_close(core_sim *self, PyObject *unused) {
    (void)unused;
    if (!self->sim) {
        Py_RETURN_NONE;
    }
    if (!core_enter(&self->busy, NULL, "simulation")) {
        return NULL;
    }
    sim_release(self);
    self->busy = false;
    Py_RETURN_NONE;
}

// ---- stepping ----

// How many steps are asked for: n, or as many as reach until. -1: raised.
static int64_t steps_wanted(core_sim *self, PyObject *n, PyObject *until) {
    if (until && until != Py_None) {
        double t = PyFloat_AsDouble(until);
        if (t == -1.0 && PyErr_Occurred()) {
            return -1;
        }
        double h = cn_model_settings(self->model->model)->step;
        if (!isfinite(t) || fabs(t / h) > 9e15) {
            PyErr_SetString(PyExc_ValueError, "until must be a time [s], a finite number");
            return -1;
        }
        int64_t last = (int64_t)ceil(t / h - GRID_SLACK), at = cn_sim_step_index(self->sim);
        return last > at ? last - at : 0;
    }
    if (!n || n == Py_None) {
        return 1;
    }
    if (!PyIndex_Check(n)) {
        PyErr_Format(PyExc_TypeError,
                     "the number of steps must be a whole number, not %R; step(until=t) goes to a "
                     "time [s]",
                     n);
        return -1;
    }
    long long count = PyLong_AsLongLong(n);
    if (count < 0 && !PyErr_Occurred()) {
        PyErr_Format(PyExc_ValueError, "the number of steps must be 0 or more, not %lld", count);
    }
    return PyErr_Occurred() ? -1 : count;
}

// Arguments n and until, by place or by name.
static bool step_arguments(PyObject *const *args, Py_ssize_t count, PyObject *names, PyObject **n,
                           PyObject **until) {
    Py_ssize_t named = names ? PyTuple_Size(names) : 0;
    if (count > 1) {
        PyErr_SetString(PyExc_TypeError, "step takes one number of steps, or until=time");
        return false;
    }
    *n = count == 1 ? args[0] : NULL;
    for (Py_ssize_t k = 0; k < named; k++) {
        PyObject *name = PyTuple_GetItem(names, k);
        if (PyUnicode_CompareWithASCIIString(name, "until") == 0) {
            *until = args[count + k];
        } else if (PyUnicode_CompareWithASCIIString(name, "n") == 0 && !*n) {
            *n = args[count + k];
        } else {
            PyErr_Format(PyExc_TypeError, "step has no argument %R; it has n and until", name);
            return false;
        }
    }
    if (*n && *until && *until != Py_None) {
        PyErr_SetString(PyExc_TypeError, "give the number of steps or until=time, not both");
        return false;
    }
    return true;
}

// A step that failed carries the report of the last good one.
static void attach_report(core_sim *self) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (value && self->report && PyObject_HasAttrString(value, "report")) {
        PyObject_SetAttrString(value, "report", self->report);
    }
    PyErr_Clear();
    PyErr_Restore(type, value, trace);
}

static PyObject *sim_step(core_sim *self, PyObject *const *args, Py_ssize_t count,
                          PyObject *names) {
    PyObject *n = NULL, *until = NULL;
    if (!core_sim_ready(self) || !step_arguments(args, count, names, &n, &until)) {
        return NULL;
    }
    int64_t wanted = steps_wanted(self, n, until);
    if (wanted < 0 || !core_enter(&self->busy, &self->env, "simulation")) {
        return NULL;
    }
    if (self->kept && !core_sim_let_go(self)) {
        self->busy = false;
        return NULL;
    }
    cn_step_report report;
    cn_error error;
    error.status = CN_OK;
    error.message[0] = error.file[0] = error.hint[0] = '\0';
    error.line = error.column = 0;
    cn_status status = CN_OK;
    int64_t done = 0;
    bool missed = false;
    core_own outer = core_own_begin(self->solver, &self->env);
    core_begin(&self->env);
    while (done < wanted && status == CN_OK && !missed && (done == 0 || !core_poll(&self->env))) {
        status = cn_sim_step(self->sim, &report, &error);
        if (status == CN_OK) {
            done++;
            missed = self->strict && report.outcome != CN_SOLVED;
            status = self->recorder ? core_sim_record(self, &report, &error) : CN_OK;
        }
    }
    core_end(&self->env);
    core_own_end(outer);
    self->busy = false;
    self->changes++;
    if (status == CN_OK && self->env.cancelled) {
        status = CN_ERR_CANCELLED; // by `progress`, when a step was done already
    }
    if (done > 0) {
        PyObject *fresh = core_report_new(&report);
        Py_XDECREF(self->report);
        self->report = fresh;
        if (!fresh) {
            return NULL;
        }
    }
    if (!core_done(&self->env, status, &error)) {
        attach_report(self);
        return NULL;
    }
    if (missed) {
        PyErr_Clear();
        cn_error why = {.status = CN_ERR_NUMERIC,
                        .hint = "Sim(strict=False) goes on and reports it in report.outcome"};
        PyOS_snprintf(why.message, sizeof why.message,
                      "step %lld did not reach its tolerance: %s after %d iterations of %s",
                      (long long)report.step, cn_outcome_text(report.outcome),
                      (int)report.iterations, report.solver);
        core_raise(CN_ERR_NUMERIC, &why);
        attach_report(self);
        return NULL;
    }
    PyObject *result = self->report ? self->report : Py_None;
    Py_INCREF(result);
    return result;
}

// ---- the saved state ----

// A cn_room_fn: the state goes straight into the bytes of Python.
static void *bytes_room(void *user, size_t size) {
    PyObject **out = user;
    *out = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    return *out ? PyBytes_AsString(*out) : NULL;
}

static PyObject *sim_save(core_sim *self, PyObject *unused) {
    (void)unused;
    PyObject *out = NULL;
    if (!core_sim_ready(self) || !core_enter(&self->busy, NULL, "simulation")) {
        return NULL;
    }
    cn_status status = cn_sim_save_into(self->sim, bytes_room, &out);
    self->busy = false;
    return status == CN_OK ? out : core_raise(status, NULL);
}

static PyObject *sim_restore(core_sim *self, PyObject *state) {
    Py_buffer view;
    if (!core_sim_ready(self)) {
        return NULL;
    }
    if (PyObject_GetBuffer(state, &view, PyBUF_SIMPLE) != 0) {
        PyErr_Clear();
        PyErr_SetString(PyExc_TypeError, "restore takes the bytes that save gave");
        return NULL;
    }
    if (!core_enter(&self->busy, &self->env, "simulation")) {
        PyBuffer_Release(&view);
        return NULL;
    }
    if (!core_sim_let_go(self)) {
        self->busy = false;
        PyBuffer_Release(&view);
        return NULL;
    }
    core_sim_drop_view(self);
    cn_error error = {.status = CN_OK};
    cn_status status = cn_sim_load(self->sim, view.buf, (size_t)view.len, &error);
    self->busy = false;
    self->changes++;
    PyBuffer_Release(&view);
    Py_CLEAR(self->report);
    if (!core_done(&self->env, status, &error)) {
        return NULL;
    }
    Py_RETURN_NONE;
}

// ---- attributes ----

static PyObject *sim_time(core_sim *self, void *closure) {
    (void)closure;
    return core_sim_ready(self) ? PyFloat_FromDouble(cn_sim_time(self->sim)) : NULL;
}

static PyObject *sim_step_index(core_sim *self, void *closure) {
    (void)closure;
    return core_sim_ready(self) ? PyLong_FromLongLong(cn_sim_step_index(self->sim)) : NULL;
}

static PyObject *sim_hash(core_sim *self, void *closure) {
    (void)closure;
    if (!core_sim_ready(self)) {
        return NULL;
    }
    char text[20];
    PyOS_snprintf(text, sizeof text, "%016llx", (unsigned long long)cn_sim_hash(self->sim));
    return PyUnicode_FromString(text);
}

static PyObject *sim_report(core_sim *self, void *closure) {
    (void)closure;
    PyObject *out = self->report ? self->report : Py_None;
    Py_INCREF(out);
    return out;
}

static PyObject *sim_given(core_sim *self, void *closure) {
    (void)closure;
    PyObject *out = self->model ? (PyObject *)self->model : Py_None;
    Py_INCREF(out);
    return out;
}

// The model given; where bodies have come and gone, the simulation's own.
static PyObject *sim_model(core_sim *self, void *closure) {
    if (!self->sim || cn_sim_model(self->sim) == self->model->model) {
        return sim_given(self, closure);
    }
    if (!self->view) {
        PyObject *make = core_import("cairn.scene", "_view_of");
        PyObject *view = make ? PyObject_CallFunction(make, "O", (PyObject *)self->model) : NULL;
        if (!view || !PyObject_TypeCheck(view, core_model_type)) {
            Py_XDECREF(view);
            return NULL;
        }
        ((core_model *)view)->model = (cn_model *)cn_sim_model(self->sim); // nobody changes it
        ((core_model *)view)->borrowed = true;
        self->view = view;
    }
    Py_INCREF(self->view);
    return self->view;
}

void core_sim_drop_view(core_sim *self) {
    PyObject *view = self->view;
    self->view = NULL;
    if (view && Py_REFCNT(view) > 1) {
        PyObject *done = PyObject_CallMethod(view, "_settle", NULL);
        if (!done) {
            PyErr_Clear();
        }
        Py_XDECREF(done);
    }
    if (view) {
        ((core_model *)view)->model = NULL;
        Py_DECREF(view);
    }
}

static PyObject *sim_changes(core_sim *self, void *closure) {
    (void)closure;
    return PyLong_FromUnsignedLongLong(self->changes);
}

static PyObject *sim_closed(core_sim *self, void *closure) {
    (void)closure;
    return PyBool_FromLong(self->sim == NULL);
}

static PyObject *sim_strict(core_sim *self, void *closure) {
    (void)closure;
    return PyBool_FromLong(self->strict);
}

static int sim_set_strict(core_sim *self, PyObject *value, void *closure) {
    (void)closure;
    int truth = value ? PyObject_IsTrue(value) : 0;
    self->strict = truth > 0;
    return truth < 0 ? -1 : 0;
}

static PyGetSetDef sim_getset[] = {
    {"time", (getter)sim_time, NULL, "the time [s]: the number of steps times their length", NULL},
    {"step_index", (getter)sim_step_index, NULL, "how many steps have been made", NULL},
    {"hash", (getter)sim_hash, NULL, "the state's hash, 16 hex digits, as the command prints it",
     NULL},
    {"report", (getter)sim_report, NULL, "the report of the last step; None before the first",
     NULL},
    {"model", (getter)sim_model, NULL,
     "the model that is simulated; after bodies were added or removed one that is as they are",
     NULL},
    {"_given", (getter)sim_given, NULL, NULL, NULL},
    {"closed", (getter)sim_closed, NULL, "whether close() has been called", NULL},
    {"strict", (getter)sim_strict, (setter)sim_set_strict,
     "whether a step that misses its tolerance raises NumericError", NULL},
    {"_changes", (getter)sim_changes, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef sim_methods[] = {
    {"_make", (PyCFunction)sim_make, METH_VARARGS, NULL},
    {"_set_solver", (PyCFunction)sim_set_solver, METH_VARARGS, NULL},
    {"_close", (PyCFunction)sim_close, METH_NOARGS, NULL},
    {"step", (PyCFunction)(void (*)(void))sim_step, METH_FASTCALL | METH_KEYWORDS,
     "step($self, n=1, *, until=None)\n--\n\n"
     "Makes n steps, or as many as reach the time `until` [s]; returns the report of the last.\n\n"
     "The GIL is released and Ctrl-C works, also within a long step. NumericError: a solve "
     "failed;\n"
     "the state is then that of the last good step.\n\n"
     ">>> sim = cairn.Sim(cairn.gallery(\"bouncing-ball\"))\n"
     ">>> sim.step(100).outcome\n"
     "'solved'\n"},
    {"save", (PyCFunction)sim_save, METH_NOARGS,
     "save($self)\n--\n\n"
     "All that later results depend on, as bytes for restore().\n\n"
     ">>> sim = cairn.Sim(cairn.gallery(\"bouncing-ball\"))\n"
     ">>> state = sim.save(); hash = sim.hash; report = sim.step(10)\n"
     ">>> sim.restore(state); sim.hash == hash\n"
     "True\n"},
    {"restore", (PyCFunction)sim_restore, METH_O,
     "restore($self, state, /)\n--\n\n"
     "Puts back what save() gave. The contacts are those of the step before save(),\n"
     "but for their velocities, which are zero."},
    {NULL, NULL, 0, NULL}};

// The methods of all files in one table.
static PyMethodDef *all_methods(void) {
    static PyMethodDef table[64];
    PyMethodDef *const parts[] = {
        sim_methods,           core_sim_act_methods,   core_sim_edit_methods,
        core_sim_look_methods, core_sim_query_methods, core_sim_record_methods};
    size_t count = 0;
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) {
        for (PyMethodDef *m = parts[p]; m->ml_name && count + 1 < 64; m++) {
            table[count++] = *m;
        }
    }
    return table;
}

bool core_add_sim(PyObject *module) {
    PyType_Slot slots[] = {{Py_tp_dealloc, sim_dealloc},
                           {Py_tp_traverse, sim_traverse},
                           {Py_tp_clear, sim_clear},
                           {Py_tp_methods, all_methods()},
                           {Py_tp_getset, sim_getset},
                           {Py_tp_doc, "A simulation of a model."},
                           {0, NULL}};
    PyType_Spec spec = {"cairn._core.Sim", sizeof(core_sim), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
    core_sim_type = (PyTypeObject *)core_make_type(module, &spec);
    return core_sim_type != NULL;
}
