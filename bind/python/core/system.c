// system.c
// Systems in coordinates of their own, whose functions are written in Python. They are called with
// the GIL held; what they raise ends the call that needed them.
#include "core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MASS, FORCE, GRADIENT, POTENTIAL, GAP, ROWS, JOINT, JOINT_ROWS, SOURCE, OFFSET, CALLS };
static const char *const call_names[CALLS] = {"mass",   "force", "force_gradient", "potential",
                                              "gap",    "rows",  "joint",          "joint_rows",
                                              "source", "offset"};

typedef struct core_system {
    PyObject_HEAD cn_system *system;
    PyObject *call[CALLS]; // NULL: not given
    int n, contacts, joints, tangents;
} core_system;

PyTypeObject *core_system_type;
static PyTypeObject *run_type;

// ---- calls of Python ----

// The numbers that a function gives, in places of `sizes` numbers each; NaN where it raised, so that
// the library ends its call.
static void ask(core_system *s, int which, PyObject *args, double *const *places,
                const Py_ssize_t *sizes, int count) {
    Py_ssize_t all = 0;
    for (int k = 0; k < count; k++) {
        all += sizes[k];
    }
    PyObject *result = args && !PyErr_Occurred() ? PyObject_CallObject(s->call[which], args) : NULL;
    Py_buffer view;
    bool good = result && core_take(result, call_names[which], 'd', all, false, &view);
    const double *from = good ? view.buf : NULL;
    for (int k = 0; k < count; k++) {
        for (Py_ssize_t i = 0; i < sizes[k]; i++) {
            places[k][i] = from ? *from++ : (double)NAN;
        }
    }
    if (good) {
        PyBuffer_Release(&view);
    }
    Py_XDECREF(result);
    Py_XDECREF(args);
}

static PyObject *numbers(const core_system *s, const double *values) {
    return core_copy('d', s->n, -1, values);
}

static PyObject *args_tq(const core_system *s, double t, const double *q) {
    return PyErr_Occurred() ? NULL : Py_BuildValue("(dN)", t, numbers(s, q));
}

static PyObject *args_tqv(const core_system *s, double t, const double *q, const double *v) {
    return PyErr_Occurred() ? NULL : Py_BuildValue("(dNN)", t, numbers(s, q), numbers(s, v));
}

static void call_mass(void *user, const double *q, double *M) {
    core_system *s = user;
    const Py_ssize_t size = (Py_ssize_t)s->n * s->n;
    PyObject *args = PyErr_Occurred() ? NULL : Py_BuildValue("(N)", numbers(s, q));
    ask(s, MASS, args, &M, &size, 1);
}

static void call_force(void *user, double t, const double *q, const double *v, double *F) {
    core_system *s = user;
    const Py_ssize_t size = s->n;
    ask(s, FORCE, args_tqv(s, t, q, v), &F, &size, 1);
}

static void call_gradient(void *user, double t, const double *q, const double *v, double *F_q,
                          double *F_v) {
    core_system *s = user;
    const Py_ssize_t square = (Py_ssize_t)s->n * s->n, sizes[2] = {square, square};
    double *const places[2] = {F_q, F_v};
    ask(s, GRADIENT, args_tqv(s, t, q, v), places, sizes, 2);
}

static double call_potential(void *user, double t, const double *q) {
    core_system *s = user;
    double value, *place = &value;
    const Py_ssize_t size = 1;
    ask(s, POTENTIAL, args_tq(s, t, q), &place, &size, 1);
    return value;
}

static void call_gap(void *user, double t, const double *q, double *g) {
    core_system *s = user;
    const Py_ssize_t size = s->contacts;
    ask(s, GAP, args_tq(s, t, q), &g, &size, 1);
}

static void call_rows(void *user, double t, const double *q, double *normal, double *tangent,
                      double *normal_rate, double *tangent_rate) {
    core_system *s = user;
    Py_ssize_t rows = s->contacts, more = (Py_ssize_t)s->contacts * s->tangents;
    const Py_ssize_t sizes[4] = {rows * s->n, more * s->n, rows, more};
    double *const places[4] = {normal, tangent, normal_rate, tangent_rate};
    ask(s, ROWS, args_tq(s, t, q), places, sizes, 4);
}

static void call_joint(void *user, double t, const double *q, double *theta) {
    core_system *s = user;
    const Py_ssize_t size = s->joints;
    ask(s, JOINT, args_tq(s, t, q), &theta, &size, 1);
}

static void call_joint_rows(void *user, double t, const double *q, double *rows, double *rate) {
    core_system *s = user;
    const Py_ssize_t sizes[2] = {(Py_ssize_t)s->joints * s->n, s->joints};
    double *const places[2] = {rows, rate};
    ask(s, JOINT_ROWS, args_tq(s, t, q), places, sizes, 2);
}

static void call_source(void *user, double t, double *b) {
    core_system *s = user;
    const Py_ssize_t size = s->n;
    ask(s, SOURCE, PyErr_Occurred() ? NULL : Py_BuildValue("(d)", t), &b, &size, 1);
}

static void call_offset(void *user, double t, double *e) {
    core_system *s = user;
    const Py_ssize_t size = s->contacts;
    ask(s, OFFSET, PyErr_Occurred() ? NULL : Py_BuildValue("(d)", t), &e, &size, 1);
}

// ---- the system ----

static int system_traverse(core_system *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE((PyObject *)self));
    for (int k = 0; k < CALLS; k++) {
        Py_VISIT(self->call[k]);
    }
    return 0;
}

static int system_clear(core_system *self) {
    for (int k = 0; k < CALLS; k++) {
        Py_CLEAR(self->call[k]);
    }
    return 0;
}

static void system_dealloc(core_system *self) {
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    PyObject_GC_UnTrack(self);
    cn_system_destroy(self->system);
    system_clear(self);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

// Keeps the functions of a dict. false: raised.
static bool take_calls(core_system *self, PyObject *calls) {
    for (int k = 0; k < CALLS; k++) {
        PyObject *call = PyDict_GetItemString(calls, call_names[k]);
        if (call && call != Py_None) {
            Py_INCREF(call);
            self->call[k] = call;
        }
    }
    return !PyErr_Occurred();
}

static PyObject *system_end(core_system *self, cn_status status, const cn_error *error) {
    if (PyErr_Occurred() || status != CN_OK) {
        cn_system_destroy(self->system);
        self->system = NULL;
        system_clear(self);
        return core_raise(status, error);
    }
    Py_RETURN_NONE;
}

// _lagrangian(name, q, v, calls, contacts, joints, tangents, laws): laws has friction, restitution
// and tangential restitution of each contact.
static PyObject *system_lagrangian(core_system *self, PyObject *args) {
    const char *name;
    PyObject *q, *v, *calls, *laws;
    Py_buffer q_view, v_view, law_view;
    if (!PyArg_ParseTuple(args, "zOOO!iiiO", &name, &q, &v, &PyDict_Type, &calls, &self->contacts,
                          &self->joints, &self->tangents, &laws)) {
        return NULL;
    }
    if (self->system || !core_take(q, "q", 'd', -1, false, &q_view)) {
        return PyErr_Occurred() ? NULL : core_raise(CN_ERR_ARGUMENT, NULL);
    }
    self->n = (int)(q_view.len / 8);
    if (!core_take(v, "v", 'd', self->n, false, &v_view)) {
        PyBuffer_Release(&q_view);
        return NULL;
    }
    PyObject *out = NULL;
    if (core_take(laws, "laws", 'd', 3 * (Py_ssize_t)self->contacts, false, &law_view)) {
        cn_lagrangian def = cn_lagrangian_default(self->n);
        cn_lagrangian_contact *contact = calloc((size_t)self->contacts + 1, sizeof *contact);
        for (int a = 0; contact && a < self->contacts; a++) {
            const double *law = (const double *)law_view.buf + 3 * (size_t)a;
            contact[a] = (cn_lagrangian_contact){NULL, law[0], law[1], law[2]};
        }
        cn_error error = {.status = CN_OK};
        cn_status status = contact && take_calls(self, calls) ? CN_OK : CN_ERR_MEMORY;
        def.name = name;
        def.q = q_view.buf;
        def.v = v_view.buf;
        def.user = self;
        def.mass = call_mass;
        def.force = call_force;
        def.force_gradient = self->call[GRADIENT] ? call_gradient : NULL;
        def.potential = self->call[POTENTIAL] ? call_potential : NULL;
        def.contacts = self->contacts;
        def.contact = contact;
        def.gap = self->contacts > 0 ? call_gap : NULL;
        def.contact_rows = self->contacts > 0 ? call_rows : NULL;
        def.joints = self->joints;
        def.joint = self->joints > 0 ? call_joint : NULL;
        def.joint_rows = self->joints > 0 ? call_joint_rows : NULL;
        def.tangents = self->tangents;
        status = status == CN_OK ? cn_system_create(NULL, &def, &self->system, &error) : status;
        free(contact);
        PyBuffer_Release(&law_view);
        out = system_end(self, status, &error);
    }
    PyBuffer_Release(&q_view);
    PyBuffer_Release(&v_view);
    return out;
}

// _first_order(name, n, m, [A, B, C, D, x, lower, upper], calls)
static PyObject *system_first_order(core_system *self, PyObject *args) {
    const char *name;
    PyObject *arrays, *calls;
    if (!PyArg_ParseTuple(args, "ziiO!O!", &name, &self->n, &self->contacts, &PyTuple_Type, &arrays,
                          &PyDict_Type, &calls)) {
        return NULL;
    }
    static const char *const names[7] = {"A", "B", "C", "D", "x", "lower", "upper"};
    const Py_ssize_t n = self->n, m = self->contacts;
    const Py_ssize_t sizes[7] = {n * n, n * m, m * n, m * m, n, m, m};
    Py_buffer views[7] = {0};
    bool good = !self->system && n >= 0 && m >= 0 && PyTuple_Size(arrays) == 7;
    for (int k = 0; good && k < 7; k++) {
        good = core_take(PyTuple_GetItem(arrays, k), names[k], 'd', sizes[k], false, &views[k]);
    }
    PyObject *out = NULL;
    if (good && take_calls(self, calls)) {
        const cn_first_order def = {.name = name,
                                    .n = self->n,
                                    .m = self->contacts,
                                    .A = views[0].buf,
                                    .B = views[1].buf,
                                    .C = views[2].buf,
                                    .D = views[3].buf,
                                    .x = views[4].buf,
                                    .lower = views[5].buf,
                                    .upper = views[6].buf,
                                    .user = self,
                                    .source = self->call[SOURCE] ? call_source : NULL,
                                    .offset = self->call[OFFSET] ? call_offset : NULL};
        cn_error error = {.status = CN_OK};
        cn_status status = cn_system_create_first_order(NULL, &def, &self->system, &error);
        out = system_end(self, status, &error);
    } else if (!PyErr_Occurred()) {
        core_raise(CN_ERR_ARGUMENT, NULL);
    }
    for (int k = 0; k < 7; k++) {
        if (views[k].obj) {
            PyBuffer_Release(&views[k]);
        }
    }
    return out;
}

// ---- a run of it ----

typedef struct core_system_run {
    PyObject_HEAD cn_system_run *run;
    core_system *system;
    PyObject *impacts; // a list of tuples
    bool busy;
} core_system_run;

static bool run_ready(core_system_run *self) {
    if (!self->run) {
        PyErr_SetString(PyExc_RuntimeError, "this run has not been made");
        return false;
    }
    return core_enter(&self->busy, NULL, "run of a system");
}

static int run_traverse(core_system_run *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE((PyObject *)self));
    Py_VISIT(self->system);
    Py_VISIT(self->impacts);
    return 0;
}

static int run_clear(core_system_run *self) {
    cn_system_run_destroy(self->run);
    self->run = NULL;
    Py_CLEAR(self->system);
    Py_CLEAR(self->impacts);
    return 0;
}

static void run_dealloc(core_system_run *self) {
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    PyObject_GC_UnTrack(self);
    run_clear(self);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static void note_impact(void *user, const cn_system_impact *impact) {
    core_system_run *self = user;
    PyObject *row = PyErr_Occurred()
                        ? NULL
                        : Py_BuildValue("(diNNN)", impact->t, (int)impact->contact,
                                        core_tuple(impact->impulse, CN_CONTACT_PARTS),
                                        core_tuple(impact->velocity_before, CN_CONTACT_PARTS),
                                        core_tuple(impact->velocity, CN_CONTACT_PARTS));
    if (row) {
        PyList_Append(self->impacts, row);
        Py_DECREF(row);
    }
}

// Sets fields of the options from a dict of numbers. false: raised.
static bool take_opts(PyObject *given, cn_system_opts *o) {
    const struct {
        const char *name;
        double *real;
        int32_t *integer;
    } fields[] = {{"step", &o->step, NULL},
                  {"theta", &o->theta, NULL},
                  {"theta_multiplier", &o->theta_multiplier, NULL},
                  {"activation", &o->activation, NULL},
                  {"newton_tolerance", &o->newton_tolerance, NULL},
                  {"newton_max", NULL, &o->newton_max},
                  {"error", &o->error, NULL},
                  {"step_min", &o->step_min, NULL},
                  {"projection", &o->projection, NULL},
                  {"spectral_radius", &o->spectral_radius, NULL},
                  {"damping", &o->damping, NULL},
                  {"newmark_beta", &o->newmark_beta, NULL},
                  {"newmark_gamma", &o->newmark_gamma, NULL},
                  {"accuracy", &o->accuracy, NULL},
                  {"accumulate", NULL, &o->accumulate},
                  {"tolerance", &o->tolerance, NULL}};
    Py_ssize_t known = 0;
    for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++) {
        PyObject *value = PyDict_GetItemString(given, fields[k].name);
        if (!value) {
            continue;
        }
        known++;
        if (fields[k].real) {
            *fields[k].real = PyFloat_AsDouble(value);
        } else {
            *fields[k].integer = (int32_t)PyLong_AsLong(value);
        }
        if (PyErr_Occurred()) {
            return false;
        }
    }
    if (known != PyDict_Size(given)) {
        cn_error error = {.status = CN_ERR_ARGUMENT,
                          .message = "an option that runs of systems do not have"};
        size_t at = 0;
        for (size_t k = 0; k < sizeof fields / sizeof fields[0] && at + 20 < sizeof error.hint;
             k++) {
            at += (size_t)PyOS_snprintf(error.hint + at, sizeof error.hint - at, "%s%s",
                                        k ? ", " : "they have ", fields[k].name);
        }
        core_raise(CN_ERR_ARGUMENT, &error);
        return false;
    }
    return true;
}

// _make(system, scheme or None, solver or None, options)
static PyObject *run_make(core_system_run *self, PyObject *args) {
    PyObject *system, *given;
    const char *scheme, *solver;
    if (!PyArg_ParseTuple(args, "O!zzO!", core_system_type, &system, &scheme, &solver, &PyDict_Type,
                          &given)) {
        return NULL;
    }
    core_system *s = (core_system *)system;
    cn_system_opts opts = cn_system_opts_default();
    if (self->run || !s->system) {
        PyErr_SetString(PyExc_RuntimeError, "the system has not been made");
        return NULL;
    }
    if (!take_opts(given, &opts)) {
        return NULL;
    }
    opts.scheme = scheme;
    opts.solver = solver ? solver : opts.solver;
    opts.impact = note_impact;
    opts.impact_user = self;
    self->impacts = PyList_New(0);
    if (!self->impacts) {
        return NULL;
    }
    Py_INCREF(system);
    self->system = s;
    cn_error error = {.status = CN_OK};
    cn_status status = cn_system_run_create(s->system, &opts, NULL, &self->run, &error);
    if (PyErr_Occurred() || status != CN_OK) {
        run_clear(self);
        return core_raise(status, &error);
    }
    Py_RETURN_NONE;
}

static PyObject *report_tuple(const cn_system_report *r) {
    return Py_BuildValue("(Ldiiiiiidsddddddddd)", (long long)r->step, r->t, (int)r->contacts,
                         (int)r->sticking, (int)r->sliding, (int)r->iterations, (int)r->substeps,
                         (int)r->impacts, r->residual, cn_outcome_text(r->outcome),
                         r->penetration_max, r->joint_error_max, r->kinetic, r->potential, r->work,
                         r->dissipated_friction, r->dissipated_impact, r->dissipated_numerical,
                         r->balance_error);
}

// _step(n): the report of the last step as a tuple.
static PyObject *run_step(core_system_run *self, PyObject *args) {
    long long n;
    if (!PyArg_ParseTuple(args, "L", &n) || !run_ready(self)) {
        return NULL;
    }
    cn_system_report report;
    memset(&report, 0, sizeof report);
    cn_error error = {.status = CN_OK};
    cn_status status = CN_OK;
    for (long long i = 0; i < n && status == CN_OK && PyErr_CheckSignals() == 0; i++) {
        status = cn_system_run_step(self->run, &report, &error);
        status = PyErr_Occurred() ? CN_ERR_CANCELLED : status;
    }
    self->busy = false;
    if (PyErr_Occurred() || status != CN_OK) {
        return core_raise(status, &error);
    }
    return report_tuple(&report);
}

static PyObject *run_numbers(core_system_run *self, PyObject *args) {
    const char *which;
    if (!PyArg_ParseTuple(args, "s", &which) || !run_ready(self)) {
        return NULL;
    }
    bool rows = which[0] == 'l' || which[0] == 'y';
    const double *from = which[0] == 'q'   ? cn_system_run_q(self->run)
                         : which[0] == 'v' ? cn_system_run_v(self->run)
                         : which[0] == 'l' ? cn_system_run_multiplier(self->run)
                                           : cn_system_run_output(self->run);
    self->busy = false;
    if (!from) {
        Py_RETURN_NONE;
    }
    return core_copy('d', rows ? self->system->contacts : self->system->n, -1, from);
}

// Impulses of all contacts over the last step, 3 numbers each.
static PyObject *run_impulses(core_system_run *self, PyObject *unused) {
    (void)unused;
    if (!run_ready(self)) {
        return NULL;
    }
    void *data;
    PyObject *out = core_block('d', 2, self->system->contacts, CN_CONTACT_PARTS, 0, &data);
    for (int a = 0; out && a < self->system->contacts; a++) {
        cn_system_run_impulse(self->run, a, (double *)data + CN_CONTACT_PARTS * (size_t)a);
    }
    self->busy = false;
    return out;
}

static PyObject *run_energy(core_system_run *self, PyObject *unused) {
    (void)unused;
    double kinetic = 0.0, potential = 0.0;
    if (!run_ready(self)) {
        return NULL;
    }
    cn_system_run_energy(self->run, &kinetic, &potential);
    self->busy = false;
    return PyErr_Occurred() ? NULL : Py_BuildValue("(dd)", kinetic, potential);
}

static PyObject *run_save(core_system_run *self, PyObject *unused) {
    (void)unused;
    if (!run_ready(self)) {
        return NULL;
    }
    Py_ssize_t size = (Py_ssize_t)cn_system_run_state_size(self->run) * 8;
    PyObject *out = PyBytes_FromStringAndSize(NULL, size);
    double *state = malloc((size_t)size + 1);
    if (out && state) {
        cn_system_run_save(self->run, state);
        memcpy(PyBytes_AsString(out), state, (size_t)size);
    }
    free(state);
    self->busy = false;
    return out;
}

static PyObject *run_load(core_system_run *self, PyObject *args) {
    const char *bytes;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "y#", &bytes, &size) || !run_ready(self)) {
        return NULL;
    }
    self->busy = false;
    if (size != (Py_ssize_t)cn_system_run_state_size(self->run) * 8) {
        PyErr_SetString(PyExc_ValueError, "these bytes are not a state of this system");
        return NULL;
    }
    double *state = malloc((size_t)size + 1);
    if (!state) {
        return PyErr_NoMemory();
    }
    memcpy(state, bytes, (size_t)size);
    cn_system_run_load(self->run, state);
    free(state);
    Py_RETURN_NONE;
}

static PyObject *run_time(core_system_run *self, void *closure) {
    (void)closure;
    if (!run_ready(self)) {
        return NULL;
    }
    self->busy = false;
    return PyFloat_FromDouble(cn_system_run_time(self->run));
}

static PyObject *run_get_impacts(core_system_run *self, void *closure) {
    (void)closure;
    PyObject *out = self->impacts ? self->impacts : Py_None;
    Py_INCREF(out);
    return out;
}

static PyObject *schemes(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    PyObject *list = PyList_New(0);
    for (int32_t i = 0; list && i < cn_system_scheme_count(); i++) {
        const cn_system_scheme *s = cn_system_scheme_at(i);
        PyObject *row =
            Py_BuildValue("(ssO)", s->name, s->about, s->first_order ? Py_True : Py_False);
        if (!row || PyList_Append(list, row) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(row);
    }
    return list;
}

static PyMethodDef system_methods[] = {
    {"_lagrangian", (PyCFunction)system_lagrangian, METH_VARARGS, NULL},
    {"_first_order", (PyCFunction)system_first_order, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};

static PyMethodDef run_methods[] = {{"_make", (PyCFunction)run_make, METH_VARARGS, NULL},
                                    {"_step", (PyCFunction)run_step, METH_VARARGS, NULL},
                                    {"_numbers", (PyCFunction)run_numbers, METH_VARARGS, NULL},
                                    {"_impulses", (PyCFunction)run_impulses, METH_NOARGS, NULL},
                                    {"_energy", (PyCFunction)run_energy, METH_NOARGS, NULL},
                                    {"_save", (PyCFunction)run_save, METH_NOARGS, NULL},
                                    {"_load", (PyCFunction)run_load, METH_VARARGS, NULL},
                                    {NULL, NULL, 0, NULL}};

static PyGetSetDef run_getset[] = {{"time", (getter)run_time, NULL, "the time [s]", NULL},
                                   {"_impacts", (getter)run_get_impacts, NULL, NULL, NULL},
                                   {NULL, NULL, NULL, NULL, NULL}};

bool core_add_system(PyObject *module) {
    static PyType_Slot slots[] = {{Py_tp_dealloc, system_dealloc},
                                  {Py_tp_traverse, system_traverse},
                                  {Py_tp_clear, system_clear},
                                  {Py_tp_methods, system_methods},
                                  {Py_tp_doc, "A system in coordinates of its own."},
                                  {0, NULL}};
    static PyType_Spec spec = {"cairn._core.System", sizeof(core_system), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                               slots};
    static PyType_Slot run_slots[] = {{Py_tp_dealloc, run_dealloc},
                                      {Py_tp_traverse, run_traverse},
                                      {Py_tp_clear, run_clear},
                                      {Py_tp_methods, run_methods},
                                      {Py_tp_getset, run_getset},
                                      {Py_tp_doc, "A run of a system."},
                                      {0, NULL}};
    static PyType_Spec run_spec = {"cairn._core.SystemRun", sizeof(core_system_run), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                                   run_slots};
    static PyMethodDef functions[] = {{"system_schemes", schemes, METH_NOARGS, NULL},
                                      {NULL, NULL, 0, NULL}};
    core_system_type = (PyTypeObject *)core_make_type(module, &spec);
    run_type = (PyTypeObject *)core_make_type(module, &run_spec);
    return core_system_type && run_type && PyModule_AddFunctions(module, functions) == 0;
}
