// sim_edit.c
// Bodies and joints that come and go between two steps. What is added is an entry of scene text.
#include "sim.h"

// An entry as text, by the reader of scene files, into what it describes. Without a status: raised.
typedef struct edit_entry {
    cn_arena *memory; // of the definition
    cn_body_def body;
    cn_joint_def joint;
} edit_entry;

// Reads (name of the file, text) of args; false: raised.
static bool edit_read(core_sim *self, PyObject *args, bool joint, edit_entry *out) {
    PyObject *path;
    const char *text;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "O&s#", PyUnicode_FSConverter, &path, &text, &size)) {
        return false;
    }
    cn_error error = {.status = CN_OK};
    cn_status status = CN_ERR_MEMORY;
    bool ready = core_sim_ready(self);
    out->memory = ready ? cn_arena_create(NULL) : NULL;
    if (out->memory) {
        const cn_model *model = cn_sim_model(self->sim);
        const char *name = PyBytes_AsString(path);
        status = joint ? cn_scene_read_joint(model, name, text, (size_t)size, out->memory,
                                             &out->joint, &error)
                       : cn_scene_read_body(model, name, text, (size_t)size, out->memory,
                                            &out->body, &error);
    }
    Py_DECREF(path);
    if (ready && status != CN_OK) {
        cn_arena_destroy(out->memory);
        core_raise(status, &error);
    }
    return status == CN_OK;
}

// Before bodies change: nobody is at work, what was read is complete, and no run file, which has a
// fixed set of bodies, is being written.
static bool edit_start(core_sim *self) {
    if (self->recorder) {
        const cn_error error = {
            .status = CN_ERR_UNSUPPORTED,
            .message = "bodies and joints cannot be added or removed while a run is recorded",
            .hint = "sim.end_record() ends the run file first"};
        core_raise(CN_ERR_UNSUPPORTED, &error);
        return false;
    }
    bool good = core_sim_start(self);
    if (good) {
        core_sim_drop_view(self);
    }
    return good;
}

// _add_body(file, text): the number of the body.
static PyObject *sim_add_body(core_sim *self, PyObject *args) {
    edit_entry entry;
    if (!edit_read(self, args, false, &entry)) {
        return NULL;
    }
    PyObject *done = NULL;
    cn_body_id body = 0;
    if (edit_start(self)) {
        cn_error error = {.status = CN_OK};
        cn_status status = cn_sim_add_body(self->sim, &entry.body, &body, &error);
        done = core_sim_finish(self, status, &error);
    }
    cn_arena_destroy(entry.memory);
    Py_XDECREF(done);
    return done ? PyLong_FromLong(body - 1L) : NULL;
}

// _add_joint(file, text): the number of the joint.
static PyObject *sim_add_joint(core_sim *self, PyObject *args) {
    edit_entry entry;
    if (!edit_read(self, args, true, &entry)) {
        return NULL;
    }
    PyObject *done = NULL;
    int32_t joint = 0;
    if (edit_start(self)) {
        cn_error error = {.status = CN_OK};
        cn_status status = cn_sim_add_joint(self->sim, &entry.joint, &joint, &error);
        done = core_sim_finish(self, status, &error);
    }
    cn_arena_destroy(entry.memory);
    Py_XDECREF(done);
    return done ? PyLong_FromLong(joint - 1L) : NULL;
}

// The number of a body or joint, from 0; -1: raised.
static long edit_index(core_sim *self, PyObject *index, int32_t (*count)(const cn_model *model),
                       const char *what) {
    long i = PyLong_AsLong(index);
    if ((i == -1 && PyErr_Occurred()) || !core_sim_ready(self)) {
        return -1;
    }
    if (i < 0 || i >= count(cn_sim_model(self->sim))) {
        PyErr_Format(PyExc_IndexError, "there is no %s %ld", what, i);
        return -1;
    }
    return i;
}

static PyObject *sim_remove_body(core_sim *self, PyObject *index) {
    long body = edit_index(self, index, cn_model_body_count, "body");
    if (body < 0 || !edit_start(self)) {
        return NULL;
    }
    cn_error error = {.status = CN_OK};
    cn_status status = cn_sim_remove_body(self->sim, (cn_body_id)(body + 1), &error);
    return core_sim_finish(self, status, &error);
}

static PyObject *sim_remove_joint(core_sim *self, PyObject *index) {
    long joint = edit_index(self, index, cn_model_joint_count, "joint");
    if (joint < 0 || !edit_start(self)) {
        return NULL;
    }
    cn_error error = {.status = CN_OK};
    cn_status status = cn_sim_remove_joint(self->sim, (int32_t)(joint + 1), &error);
    return core_sim_finish(self, status, &error);
}

static PyObject *sim_has_body(core_sim *self, PyObject *index) {
    long i = edit_index(self, index, cn_model_body_count, "body");
    return i < 0 ? NULL : PyBool_FromLong(cn_sim_has_body(self->sim, (cn_body_id)(i + 1)));
}

static PyObject *sim_has_joint(core_sim *self, PyObject *index) {
    long i = edit_index(self, index, cn_model_joint_count, "joint");
    return i < 0 ? NULL : PyBool_FromLong(cn_sim_has_joint(self->sim, (int32_t)(i + 1)));
}

PyMethodDef core_sim_edit_methods[] = {
    {"_add_body", (PyCFunction)sim_add_body, METH_VARARGS, NULL},
    {"_add_joint", (PyCFunction)sim_add_joint, METH_VARARGS, NULL},
    {"_remove_body", (PyCFunction)sim_remove_body, METH_O, NULL},
    {"_remove_joint", (PyCFunction)sim_remove_joint, METH_O, NULL},
    {"_has_body", (PyCFunction)sim_has_body, METH_O, NULL},
    {"_has_joint", (PyCFunction)sim_has_joint, METH_O, NULL},
    {NULL, NULL, 0, NULL}};
