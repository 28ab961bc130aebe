// run.c
// Run files: opened at once whatever their size, read piece by piece.
#include "core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct core_run {
    PyObject_HEAD cn_run *run;
    core_env env;
    bool busy;
} core_run;

PyTypeObject *core_run_type;

static bool run_enter(core_run *self) {
    if (!self->run) {
        PyErr_SetString(PyExc_ValueError, "this run is closed, or was never opened");
        return false;
    }
    return core_enter(&self->busy, NULL, "run");
}

static void run_release(core_run *self) {
    cn_run_close(self->run);
    self->run = NULL;
    core_env_end(&self->env);
}

static void run_dealloc(core_run *self) {
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    run_release(self);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject *run_open(core_run *self, PyObject *args) {
    PyObject *path;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path)) {
        return NULL;
    }
    cn_error error = {.status = CN_OK};
    bool good = false;
    if (self->run) {
        PyErr_SetString(PyExc_RuntimeError, "this run has been opened already");
    } else if (core_env_make(&self->env, 1)) {
        core_begin(&self->env);
        cn_status status = cn_run_open(&self->env.env, PyBytes_AsString(path), &self->run, &error);
        core_end(&self->env);
        good = core_done(&self->env, status, &error);
        if (!good) {
            run_release(self);
        }
    }
    Py_DECREF(path);
    if (!good) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *run_close(core_run *self, PyObject *unused) {
    (void)unused;
    if (self->run) {
        if (!core_enter(&self->busy, NULL, "run")) {
            return NULL;
        }
        run_release(self);
        self->busy = false;
    }
    Py_RETURN_NONE;
}

static PyObject *run_refresh(core_run *self, PyObject *unused) {
    (void)unused;
    if (!run_enter(self)) {
        return NULL;
    }
    cn_error error = {.status = CN_OK};
    core_begin(&self->env);
    cn_status status = cn_run_refresh(self->run, &error);
    core_end(&self->env);
    self->busy = false;
    if (!core_done(&self->env, status, &error)) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *run_meta(core_run *self, PyObject *args) {
    const char *key;
    if (!PyArg_ParseTuple(args, "s", &key) || !run_enter(self)) {
        return NULL;
    }
    PyObject *out = core_text(cn_run_meta(self->run, key));
    self->busy = false;
    return out;
}

// _moments(): steps and times of all frames.
static PyObject *run_moments(core_run *self, PyObject *unused) {
    (void)unused;
    if (!run_enter(self)) {
        return NULL;
    }
    const int64_t *steps = NULL;
    const double *times = NULL;
    int64_t count = cn_run_moments(self->run, &steps, &times);
    PyObject *s = core_copy('q', (Py_ssize_t)count, -1, steps);
    PyObject *t = core_copy('d', (Py_ssize_t)count, -1, times);
    self->busy = false;
    if (!s || !t) {
        Py_XDECREF(s);
        Py_XDECREF(t);
        return NULL;
    }
    return Py_BuildValue("(NN)", s, t);
}

// _frame(index): step, t, q, v.
static PyObject *run_frame(core_run *self, PyObject *args) {
    long long index;
    if (!PyArg_ParseTuple(args, "L", &index) || !run_enter(self)) {
        return NULL;
    }
    bool space = cn_run_dim(self->run) == 3;
    int32_t bodies = cn_run_body_count(self->run);
    void *q = NULL, *v = NULL;
    PyObject *q_block = core_block('d', 2, bodies, space ? 7 : 3, 0, &q);
    PyObject *v_block = core_block('d', 2, bodies, space ? 6 : 3, 0, &v);
    int64_t step = 0;
    double t = 0.0;
    bool good = q_block && v_block;
    if (good) {
        cn_error error = {.status = CN_OK};
        core_begin(&self->env);
        cn_status status = cn_run_frame(self->run, index, &step, &t, q, v, &error);
        core_end(&self->env);
        good = core_done(&self->env, status, &error);
    }
    self->busy = false;
    if (!good) {
        Py_XDECREF(q_block);
        Py_XDECREF(v_block);
        return NULL;
    }
    return Py_BuildValue("(LdNN)", (long long)step, t, q_block, v_block);
}

// _track(body, frames): q, v of one body in the first frames.
static PyObject *run_track(core_run *self, PyObject *args) {
    long long frames;
    int body;
    if (!PyArg_ParseTuple(args, "iL", &body, &frames) || !run_enter(self)) {
        return NULL;
    }
    bool space = cn_run_dim(self->run) == 3;
    void *q = NULL, *v = NULL;
    PyObject *q_block = core_block('d', 2, (Py_ssize_t)frames, space ? 7 : 3, 0, &q);
    PyObject *v_block = core_block('d', 2, (Py_ssize_t)frames, space ? 6 : 3, 0, &v);
    bool good = q_block && v_block;
    if (good && frames > 0) {
        cn_error error = {.status = CN_OK};
        core_begin(&self->env);
        cn_status status = cn_run_track(self->run, body + 1, 0, frames - 1, q, v, &error);
        core_end(&self->env);
        good = core_done(&self->env, status, &error);
    }
    self->busy = false;
    if (!good) {
        Py_XDECREF(q_block);
        Py_XDECREF(v_block);
        return NULL;
    }
    return Py_BuildValue("(NN)", q_block, v_block);
}

// ---- what is read into an arena ----

// All that the calls below read, which lives in the arena.
typedef struct run_data {
    int64_t count;
    union {
        cn_contact_record *contacts;
        cn_run_body *bodies;
        cn_step_report *rows;
        cn_run_event *events;
        cn_run_node_state nodes;
        cn_run_columns columns;
    } of;
} run_data;

// Reads without the GIL, then makes an object of it while the arena is there.
static PyObject *run_read(core_run *self, int64_t index,
                          cn_status (*read)(cn_run *run, int64_t index, cn_arena *memory,
                                            run_data *out, cn_error *error),
                          PyObject *(*make)(const core_run *self, const run_data *data)) {
    if (!run_enter(self)) {
        return NULL;
    }
    cn_arena *memory = cn_arena_create(NULL);
    run_data data;
    memset(&data, 0, sizeof data);
    cn_error error = {.status = CN_OK};
    core_begin(&self->env);
    cn_status status = memory ? read(self->run, index, memory, &data, &error) : CN_ERR_MEMORY;
    core_end(&self->env);
    PyObject *out = core_done(&self->env, status, &error) ? make(self, &data) : NULL;
    self->busy = false;
    cn_arena_destroy(memory);
    return out;
}

static cn_status read_contacts(cn_run *run, int64_t index, cn_arena *memory, run_data *out,
                               cn_error *error) {
    int32_t count = 0;
    cn_status status = cn_run_contacts(run, index, memory, &out->of.contacts, &count, error);
    out->count = count;
    return status;
}

static PyObject *make_contacts(const core_run *self, const run_data *data) {
    return core_contacts_dict(data->of.contacts, (int32_t)data->count, cn_run_dim(self->run));
}

static PyObject *run_contacts(core_run *self, PyObject *args) {
    long long index;
    return PyArg_ParseTuple(args, "L", &index) ? run_read(self, index, read_contacts, make_contacts)
                                               : NULL;
}

static cn_status read_nodes(cn_run *run, int64_t index, cn_arena *memory, run_data *out,
                            cn_error *error) {
    return cn_run_nodes(run, index, memory, &out->of.nodes, error);
}

static PyObject *make_nodes(const core_run *self, const run_data *data) {
    const cn_run_node_state *nodes = &data->of.nodes;
    int dim = cn_run_dim(self->run);
    PyObject *x = core_copy('d', nodes->count, dim, nodes->x);
    PyObject *v = core_copy('d', nodes->count, dim, nodes->v);
    PyObject *out = x && v ? Py_BuildValue("(OO)", x, v) : NULL;
    Py_XDECREF(x);
    Py_XDECREF(v);
    return out;
}

// _nodes(index): positions and velocities of the nodes of a frame.
static PyObject *run_nodes(core_run *self, PyObject *args) {
    long long index;
    return PyArg_ParseTuple(args, "L", &index) ? run_read(self, index, read_nodes, make_nodes)
                                               : NULL;
}

static cn_status read_bodies(cn_run *run, int64_t index, cn_arena *memory, run_data *out,
                             cn_error *error) {
    (void)index;
    out->count = cn_run_body_count(run);
    return cn_run_bodies(run, memory, &out->of.bodies, error);
}

static PyObject *body_item(const void *rows, Py_ssize_t i) {
    const cn_run_body *b = (const cn_run_body *)rows + i;
    return Py_BuildValue("(NNNdNNN)", core_text(b->name), core_text(b->kind),
                         core_text(b->material), b->mass, core_text(b->com), core_text(b->inertia),
                         core_text(b->shape));
}

static PyObject *make_bodies(const core_run *self, const run_data *data) {
    (void)self;
    return core_list((Py_ssize_t)data->count, body_item, data->of.bodies);
}

static PyObject *run_bodies(core_run *self, PyObject *unused) {
    (void)unused;
    return run_read(self, 0, read_bodies, make_bodies);
}

// ---- ledger and events ----

typedef struct ledger_column {
    const char *name;
    size_t offset;
    char kind; // I, Q, R, S, O
} ledger_column;

#define COLUMN_I 'I'
#define COLUMN_R 'R'
#define COLUMN_S 'S'
#define COLUMN_O 'O'
#define COLUMN(name, kind) {#name, offsetof(cn_step_report, name), COLUMN_##kind},
static const ledger_column ledger_columns[] = {{"step", offsetof(cn_step_report, step), 'Q'},
                                               {"t", offsetof(cn_step_report, t), 'R'},
                                               CN_LEDGER_VALUES(COLUMN)};

static PyObject *column_of(const ledger_column *column, const cn_step_report *rows,
                           Py_ssize_t count) {
    void *data = NULL;
    bool texts = column->kind == 'S' || column->kind == 'O';
    char format = column->kind == 'Q' ? 'q' : column->kind == 'R' ? 'd' : 'i';
    PyObject *out = texts ? PyList_New(count) : core_block(format, 1, count, 0, 0, &data);
    for (Py_ssize_t i = 0; out && i < count; i++) {
        const char *from = (const char *)&rows[i] + column->offset;
        if (column->kind == 'S') {
            PyList_SetItem(out, i, core_text(*(const char *const *)from));
        } else if (column->kind == 'O') {
            PyList_SetItem(out, i, core_text(cn_outcome_text(*(const cn_outcome *)from)));
        } else if (column->kind == 'I') {
            memcpy((int32_t *)data + i, from, sizeof(int32_t));
        } else {
            memcpy((int64_t *)data + i, from, sizeof(int64_t));
        }
    }
    return out;
}

static cn_status read_ledger(cn_run *run, int64_t index, cn_arena *memory, run_data *out,
                             cn_error *error) {
    (void)index;
    return cn_run_ledger(run, memory, &out->of.rows, &out->count, error);
}

static PyObject *make_ledger(const core_run *self, const run_data *data) {
    (void)self;
    PyObject *out = PyDict_New();
    for (size_t k = 0; out && k < sizeof ledger_columns / sizeof ledger_columns[0]; k++) {
        if (!core_dict_set(out, ledger_columns[k].name,
                           column_of(&ledger_columns[k], data->of.rows, (Py_ssize_t)data->count))) {
            Py_CLEAR(out);
        }
    }
    return out;
}

static PyObject *run_ledger(core_run *self, PyObject *unused) {
    (void)unused;
    return run_read(self, 0, read_ledger, make_ledger);
}

static cn_status read_columns(cn_run *run, int64_t index, cn_arena *memory, run_data *out,
                              cn_error *error) {
    (void)index;
    return cn_run_columns_read(run, memory, &out->of.columns, error);
}

static PyObject *head_item(const void *columns, Py_ssize_t i) {
    const cn_run_columns *c = columns;
    return Py_BuildValue("(NN)", core_text(c->name[i]), core_text(c->unit[i]));
}

static PyObject *make_columns(const core_run *self, const run_data *data) {
    (void)self;
    const cn_run_columns *c = &data->of.columns;
    PyObject *heads = core_list(c->count, head_item, c);
    return heads ? Py_BuildValue("(NNNN)", heads, core_copy('q', (Py_ssize_t)c->rows, -1, c->step),
                                 core_copy('d', (Py_ssize_t)c->rows, -1, c->t),
                                 core_copy('d', (Py_ssize_t)c->rows, c->count, c->value))
                 : NULL;
}

// _columns(): names with units, steps, times and values (rows, columns) of what the scene records.
static PyObject *run_columns(core_run *self, PyObject *unused) {
    (void)unused;
    return run_read(self, 0, read_columns, make_columns);
}

static cn_status read_events(cn_run *run, int64_t index, cn_arena *memory, run_data *out,
                             cn_error *error) {
    (void)index;
    return cn_run_events(run, memory, &out->of.events, &out->count, error);
}

static PyObject *event_item(const void *rows, Py_ssize_t i) {
    const cn_run_event *e = (const cn_run_event *)rows + i;
    return Py_BuildValue("(LdN)", (long long)e->step, e->t, core_text(e->text));
}

static PyObject *make_events(const core_run *self, const run_data *data) {
    (void)self;
    return core_list((Py_ssize_t)data->count, event_item, data->of.events);
}

static PyObject *run_events(core_run *self, PyObject *unused) {
    (void)unused;
    return run_read(self, 0, read_events, make_events);
}

// ---- the check ----

static PyObject *grade_worst(const cn_run_grade *grade) {
    PyObject *worst = PyDict_New();
    for (int kind = 0; worst && kind < CN_CHECK_KINDS; kind++) {
        const cn_run_worst *w = &grade->worst[kind];
        if (w->step >= 0 &&
            !core_dict_set(worst, cn_check_kind_text((cn_check_kind)kind),
                           Py_BuildValue("(Ldd)", (long long)w->step, w->value, w->allowed))) {
            Py_CLEAR(worst);
        }
    }
    return worst;
}

static PyObject *finding_item(const void *findings, Py_ssize_t i) {
    const cn_run_finding *f = (const cn_run_finding *)findings + i;
    return Py_BuildValue("(LNNdd)", (long long)f->step, core_text(f->table), core_text(f->what),
                         f->value, f->allowed);
}

static PyObject *grade_findings(const cn_run_grade *grade) {
    int64_t stored =
        grade->finding_count < CN_RUN_FINDINGS ? grade->finding_count : CN_RUN_FINDINGS;
    return core_list((Py_ssize_t)stored, finding_item, grade->finding);
}

static PyObject *grade_dict(const cn_run_grade *grade) {
    PyObject *out = PyDict_New();
    bool good = core_dict_set(out, "within", PyBool_FromLong(grade->within)) &&
                core_dict_set(out, "complete", PyBool_FromLong(grade->complete)) &&
                core_dict_set(out, "finished", PyBool_FromLong(grade->finished)) &&
                core_dict_set(out, "frames", PyLong_FromLongLong(grade->frames)) &&
                core_dict_set(out, "contacts", PyLong_FromLongLong(grade->contacts)) &&
                core_dict_set(out, "steps", PyLong_FromLongLong(grade->steps)) &&
                core_dict_set(out, "bad_hashes", PyLong_FromLongLong(grade->bad_hashes)) &&
                core_dict_set(out, "unsolved_steps", PyLong_FromLongLong(grade->unsolved_steps)) &&
                core_dict_set(out, "tolerance", PyFloat_FromDouble(grade->tolerance)) &&
                core_dict_set(out, "energy_balance_error",
                              PyFloat_FromDouble(grade->energy_balance_error)) &&
                core_dict_set(out, "finding_count", PyLong_FromLongLong(grade->finding_count)) &&
                core_dict_set(out, "incomplete", core_text(grade->incomplete)) &&
                core_dict_set(out, "worst", grade_worst(grade)) &&
                core_dict_set(out, "findings", grade_findings(grade));
    return core_dict_done(out, good);
}

// _check(model or None, tolerance)
static PyObject *run_check(core_run *self, PyObject *args) {
    PyObject *model;
    double tolerance;
    if (!PyArg_ParseTuple(args, "Od", &model, &tolerance) || !run_enter(self)) {
        return NULL;
    }
    const cn_model *scene = NULL;
    if (model != Py_None && PyObject_TypeCheck(model, core_model_type)) {
        scene = ((core_model *)model)->model;
    }
    cn_run_grade *grade = calloc(1, sizeof *grade);
    PyObject *out = NULL;
    if (!grade) {
        core_raise_memory();
    } else {
        cn_error error = {.status = CN_OK};
        core_begin(&self->env);
        cn_status status = cn_run_check(self->run, scene, tolerance, grade, &error);
        core_end(&self->env);
        out = core_done(&self->env, status, &error) ? grade_dict(grade) : NULL;
    }
    self->busy = false;
    free(grade);
    return out;
}

// ---- attributes ----

static PyObject *run_number(core_run *self, void *closure) {
    if (!self->run) {
        PyErr_SetString(PyExc_ValueError, "this run is closed, or was never opened");
        return NULL;
    }
    const char *which = closure;
    return which[0] == 'd'   ? PyLong_FromLong(cn_run_dim(self->run))
           : which[0] == 'b' ? PyLong_FromLong(cn_run_body_count(self->run))
                             : PyLong_FromLongLong(cn_run_frame_count(self->run));
}

static PyObject *run_closed(core_run *self, void *closure) {
    (void)closure;
    return PyBool_FromLong(self->run == NULL);
}

static PyGetSetDef run_getset[] = {
    {"dimension", (getter)run_number, NULL, "2 or 3", "d"},
    {"body_count", (getter)run_number, NULL, "how many bodies there are", "b"},
    {"frame_count", (getter)run_number, NULL, "how many frames were recorded", "f"},
    {"closed", (getter)run_closed, NULL, "whether close() has been called", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef run_methods[] = {{"_open", (PyCFunction)run_open, METH_VARARGS, NULL},
                                    {"_close", (PyCFunction)run_close, METH_NOARGS, NULL},
                                    {"_refresh", (PyCFunction)run_refresh, METH_NOARGS, NULL},
                                    {"_meta", (PyCFunction)run_meta, METH_VARARGS, NULL},
                                    {"_moments", (PyCFunction)run_moments, METH_NOARGS, NULL},
                                    {"_frame", (PyCFunction)run_frame, METH_VARARGS, NULL},
                                    {"_track", (PyCFunction)run_track, METH_VARARGS, NULL},
                                    {"_contacts", (PyCFunction)run_contacts, METH_VARARGS, NULL},
                                    {"_nodes", (PyCFunction)run_nodes, METH_VARARGS, NULL},
                                    {"_bodies", (PyCFunction)run_bodies, METH_NOARGS, NULL},
                                    {"_ledger", (PyCFunction)run_ledger, METH_NOARGS, NULL},
                                    {"_columns", (PyCFunction)run_columns, METH_NOARGS, NULL},
                                    {"_events", (PyCFunction)run_events, METH_NOARGS, NULL},
                                    {"_check", (PyCFunction)run_check, METH_VARARGS, NULL},
                                    {NULL, NULL, 0, NULL}};

bool core_add_run(PyObject *module) {
    static PyType_Slot slots[] = {{Py_tp_dealloc, run_dealloc},
                                  {Py_tp_methods, run_methods},
                                  {Py_tp_getset, run_getset},
                                  {Py_tp_doc, "A run file."},
                                  {0, NULL}};
    static PyType_Spec spec = {"cairn._core.Run", sizeof(core_run), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    core_run_type = (PyTypeObject *)core_make_type(module, &spec);
    return core_run_type != NULL;
}
