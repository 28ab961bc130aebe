// module.c
// The module cairn._core: types and a few functions for the Python files of the package.
#include "core.h"

static PyObject *version(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    return PyUnicode_FromString(cn_version());
}

// In the child after a fork: threads made before it are not there.
static PyObject *forked(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    core_forks++;
    Py_RETURN_NONE;
}

static PyObject *text_of(cn_status (*make)(cn_arena *, const char **)) {
    cn_arena *memory = cn_arena_create(NULL);
    const char *text = NULL;
    cn_status status = memory ? make(memory, &text) : CN_ERR_MEMORY;
    PyObject *out = status == CN_OK ? core_text(text) : core_raise(status, NULL);
    cn_arena_destroy(memory);
    return out;
}

static PyObject *scene_schema(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    return text_of(cn_scene_schema);
}

static PyObject *scene_starter(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    return core_text(cn_scene_starter(0)->text);
}

// nearest(word, names): for "did you mean"; None: none is near.
static PyObject *nearest(PyObject *module, PyObject *args) {
    (void)module;
    const char *word, *names[256];
    PyObject *list;
    if (!PyArg_ParseTuple(args, "sO!", &word, &PyList_Type, &list)) {
        return NULL;
    }
    int32_t count = 0;
    for (Py_ssize_t i = 0; i < PyList_Size(list) && count < 256; i++) {
        names[count] = PyUnicode_AsUTF8AndSize(PyList_GetItem(list, i), NULL);
        if (!names[count++]) {
            return NULL;
        }
    }
    return core_text(cn_nearest_name(word, names, count));
}

static PyObject *scheme_names(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    PyObject *list = PyList_New(0);
    for (int32_t i = 0; list && cn_scheme_name(i); i++) {
        PyObject *name = core_text(cn_scheme_name(i));
        if (!name || PyList_Append(list, name) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(name);
    }
    return list;
}

static PyMethodDef functions[] = {{"version", version, METH_NOARGS, NULL},
                                  {"forked", forked, METH_NOARGS, NULL},
                                  {"scene_schema", scene_schema, METH_NOARGS, NULL},
                                  {"scene_starter", scene_starter, METH_NOARGS, NULL},
                                  {"nearest", nearest, METH_VARARGS, NULL},
                                  {"scheme_names", scheme_names, METH_NOARGS, NULL},
                                  {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {.m_base = PyModuleDef_HEAD_INIT,
                                        .m_name = "cairn._core",
                                        .m_doc = "The library below the package cairn.",
                                        .m_size = -1,
                                        .m_methods = functions};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void) {
    PyObject *module = PyModule_Create(&definition);
    if (!module || !core_add_block(module) || !core_add_model(module) || !core_add_report(module) ||
        !core_add_sim(module) || !core_add_run(module) || !core_add_problem(module) ||
        !core_add_solve(module) || !core_add_system(module) || !core_add_ncp(module)) {
        Py_XDECREF(module);
        return NULL;
    }
    return module;
}
