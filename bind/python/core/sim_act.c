// sim_act.c
// Acting on a simulation between two steps: its state, forces, inputs; what its joints did.
#include "sim.h"

#include <stdlib.h>
#include <string.h>

static Py_ssize_t bodies_of(const core_sim *self) {
    return cn_model_body_count(cn_sim_model(self->sim));
}

static bool is_flat(const core_sim *self) {
    return cn_model_dim(cn_sim_model(self->sim)) == 2;
}

// An array or None; *out is then NULL. false: raised. The view is to be released when it has obj.
static bool take_or_none(PyObject *from, const char *what, Py_ssize_t items, Py_buffer *view,
                         const double **out) {
    *out = NULL;
    if (from == Py_None) {
        return true;
    }
    if (!core_take(from, what, 'd', items, false, view)) {
        return false;
    }
    *out = view->buf;
    return true;
}

static void release(Py_buffer *view) {
    if (view->obj) {
        PyBuffer_Release(view);
    }
}

// Before something is changed: nobody else is at work, and what was read is complete.
bool core_sim_start(core_sim *self) {
    if (!core_enter(&self->busy, &self->env, "simulation")) {
        return false;
    }
    bool good = core_sim_let_go(self);
    self->busy = good;
    return good;
}

PyObject *core_sim_finish(core_sim *self, cn_status status, const cn_error *error) {
    self->busy = false;
    self->changes++;
    if (!core_done(&self->env, status, error)) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *sim_set_state(core_sim *self, PyObject *args) {
    PyObject *q, *v;
    unsigned flags;
    Py_buffer q_view = {0}, v_view = {0};
    const double *q_data, *v_data;
    if (!PyArg_ParseTuple(args, "OOI", &q, &v, &flags) || !core_sim_ready(self)) {
        return NULL;
    }
    Py_ssize_t n = bodies_of(self);
    PyObject *out = NULL;
    if (take_or_none(q, "q", n * (is_flat(self) ? 3 : 7), &q_view, &q_data) &&
        take_or_none(v, "v", n * (is_flat(self) ? 3 : 6), &v_view, &v_data) &&
        core_sim_start(self)) {
        cn_error error = {.status = CN_OK};
        cn_status status = cn_sim_set_state(self->sim, q_data, v_data, flags, &error);
        out = core_sim_finish(self, status, &error);
    }
    release(&q_view);
    release(&v_view);
    return out;
}

static PyObject *sim_set_loads(core_sim *self, PyObject *wrench) {
    Py_buffer view = {0};
    const double *data;
    PyObject *out = NULL;
    if (core_sim_ready(self) &&
        take_or_none(wrench, "loads", bodies_of(self) * (is_flat(self) ? 3 : 6), &view, &data) &&
        core_sim_start(self)) {
        cn_error error = {.status = CN_OK};
        cn_status status = cn_sim_set_loads(self->sim, data, &error);
        out = core_sim_finish(self, status, &error);
    }
    release(&view);
    return out;
}

// _apply(impulse, body, force, torque, point): arrays of 3 or None.
static PyObject *sim_apply(core_sim *self, PyObject *args) {
    PyObject *given[3];
    int impulse, body;
    Py_buffer views[3] = {0};
    const double *data[3] = {NULL, NULL, NULL};
    static const char *const names[] = {"force", "torque", "point"};
    if (!PyArg_ParseTuple(args, "piOOO", &impulse, &body, &given[0], &given[1], &given[2]) ||
        !core_sim_ready(self)) {
        return NULL;
    }
    bool good = true;
    for (int k = 0; good && k < 3; k++) {
        good = take_or_none(given[k], names[k], 3, &views[k], &data[k]);
    }
    PyObject *out = NULL;
    if (good && core_sim_start(self)) {
        cn_error error = {.status = CN_OK};
        cn_status status =
            impulse ? cn_sim_apply_impulse(self->sim, body + 1, data[0], data[1], data[2], &error)
                    : cn_sim_apply(self->sim, body + 1, data[0], data[1], data[2], &error);
        out = core_sim_finish(self, status, &error);
    }
    for (int k = 0; k < 3; k++) {
        release(&views[k]);
    }
    return out;
}

// ---- inputs ----

static PyObject *sim_inputs(core_sim *self, PyObject *unused) {
    (void)unused;
    if (!core_sim_ready(self)) {
        return NULL;
    }
    return core_copy('d', cn_model_input_count(cn_sim_model(self->sim)), -1,
                     cn_sim_inputs(self->sim));
}

static PyObject *sim_input_names(core_sim *self, PyObject *unused) {
    (void)unused;
    if (!core_sim_ready(self)) {
        return NULL;
    }
    int32_t count = cn_model_input_count(cn_sim_model(self->sim));
    PyObject *list = PyList_New(count);
    for (int32_t i = 0; list && i < count; i++) {
        PyList_SetItem(list, i, core_text(cn_model_input_name(cn_sim_model(self->sim), i)));
    }
    return list;
}

static PyObject *sim_set_inputs(core_sim *self, PyObject *values) {
    Py_buffer view;
    if (!core_sim_ready(self) ||
        !core_take(values, "inputs", 'd', cn_model_input_count(cn_sim_model(self->sim)), false,
                   &view)) {
        return NULL;
    }
    PyObject *out = NULL;
    if (core_sim_start(self)) {
        cn_error error = {.status = CN_OK};
        cn_status status = cn_sim_set_inputs(self->sim, view.buf, &error);
        out = core_sim_finish(self, status, &error);
    }
    PyBuffer_Release(&view);
    return out;
}

static PyObject *sim_set_input(core_sim *self, PyObject *args) {
    int index;
    double value;
    if (!PyArg_ParseTuple(args, "id", &index, &value) || !core_sim_ready(self) ||
        !core_sim_start(self)) {
        return NULL;
    }
    cn_error error = {.status = CN_OK};
    cn_status status = cn_sim_set_input(self->sim, index, value, &error);
    return core_sim_finish(self, status, &error);
}

// ---- joints ----

typedef struct joint_column {
    const char *name;
    size_t offset;
    int width; // numbers; 0: an int8_t
} joint_column;

static const joint_column joint_columns[] = {
    {"value", offsetof(cn_joint_state, value), 1},
    {"rate", offsetof(cn_joint_state, rate), 1},
    {"force", offsetof(cn_joint_state, force), 3},
    {"torque", offsetof(cn_joint_state, torque), 3},
    {"effort", offsetof(cn_joint_state, effort), 1},
    {"limit_effort", offsetof(cn_joint_state, limit_effort), 1},
    {"friction", offsetof(cn_joint_state, friction), 1},
    {"spring", offsetof(cn_joint_state, spring), 1},
    {"limit", offsetof(cn_joint_state, limit), 0},
    {"saturated", offsetof(cn_joint_state, saturated), 0},
};

static PyObject *joint_block(const joint_column *c, const cn_joint_state *joints, int32_t count) {
    void *data = NULL;
    PyObject *block = c->width == 0
                          ? core_block('i', 1, count, 0, 0, &data)
                          : core_block('d', c->width == 3 ? 2 : 1, count, c->width, 0, &data);
    for (int32_t i = 0; block && i < count; i++) {
        const char *from = (const char *)&joints[i] + c->offset;
        if (c->width == 0) {
            ((int32_t *)data)[i] = *(const int8_t *)from;
        } else {
            memcpy((double *)data + (size_t)c->width * (size_t)i, from,
                   sizeof(double) * (size_t)c->width);
        }
    }
    return block;
}

// Joints as a dict of columns.
static PyObject *sim_joints(core_sim *self, PyObject *unused) {
    (void)unused;
    if (!core_sim_ready(self) || !core_enter(&self->busy, NULL, "simulation")) {
        return NULL;
    }
    int32_t count = cn_model_joint_count(cn_sim_model(self->sim));
    cn_joint_state *joints = calloc((size_t)count + 1, sizeof *joints);
    cn_status status = joints ? cn_sim_joints(self->sim, joints) : CN_ERR_MEMORY;
    self->busy = false;
    PyObject *out = status == CN_OK ? PyDict_New() : core_raise(status, NULL);
    for (size_t k = 0; out && k < sizeof joint_columns / sizeof joint_columns[0]; k++) {
        if (!core_dict_set(out, joint_columns[k].name,
                           joint_block(&joint_columns[k], joints, count))) {
            Py_CLEAR(out);
        }
    }
    free(joints);
    return out;
}

static PyObject *sim_rest(core_sim *self, PyObject *unused) {
    (void)unused;
    if (!core_sim_ready(self) || !core_sim_start(self)) {
        return NULL;
    }
    cn_error error = {.status = CN_OK};
    cn_status status = cn_sim_rest(self->sim, &error);
    return core_sim_finish(self, status, &error);
}

// ---- progress ----

// A cn_progress_fn, by the thread that steps.
static bool call_progress(void *user, const cn_progress *p) {
    core_sim *self = user;
    core_env *e = &self->env;
    if (!e->state || !pthread_equal(pthread_self(), e->caller)) {
        return true;
    }
    PyEval_RestoreThread(e->state);
    e->state = NULL;
    PyObject *answer = PyErr_Occurred() ? NULL
                                        : PyObject_CallFunction(self->progress, "sLLd", p->stage,
                                                                (long long)p->done,
                                                                (long long)p->total, p->residual);
    bool go_on = answer && (answer == Py_None || PyObject_IsTrue(answer) == 1);
    Py_XDECREF(answer);
    e->cancelled = e->cancelled || !go_on;
    e->state = PyEval_SaveThread();
    return go_on;
}

// _set_progress(function or None)
static PyObject *sim_set_progress(core_sim *self, PyObject *call) {
    if (!core_sim_ready(self) || !core_enter(&self->busy, NULL, "simulation")) {
        return NULL;
    }
    PyObject *old = self->progress;
    self->progress = call == Py_None ? NULL : call;
    Py_XINCREF(self->progress);
    cn_sim_set_progress(self->sim, self->progress ? call_progress : NULL, self);
    self->busy = false;
    Py_XDECREF(old);
    Py_RETURN_NONE;
}

PyMethodDef core_sim_act_methods[] = {
    {"_rest", (PyCFunction)sim_rest, METH_NOARGS, NULL},
    {"_set_progress", (PyCFunction)sim_set_progress, METH_O, NULL},
    {"_set_state", (PyCFunction)sim_set_state, METH_VARARGS, NULL},
    {"_set_loads", (PyCFunction)sim_set_loads, METH_O, NULL},
    {"_apply", (PyCFunction)sim_apply, METH_VARARGS, NULL},
    {"_inputs", (PyCFunction)sim_inputs, METH_NOARGS, NULL},
    {"_input_names", (PyCFunction)sim_input_names, METH_NOARGS, NULL},
    {"_set_inputs", (PyCFunction)sim_set_inputs, METH_O, NULL},
    {"_set_input", (PyCFunction)sim_set_input, METH_VARARGS, NULL},
    {"_joints", (PyCFunction)sim_joints, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};
