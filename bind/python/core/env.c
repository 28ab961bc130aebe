// env.c
// Calls into the library: the GIL, signals, warnings, errors.
#include "core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SIGNALS_EVERY 0.05 // [s]

unsigned core_forks;

// The coarse clock has the resolution of the kernel's tick and takes a tenth of the time.
#ifdef CLOCK_MONOTONIC_COARSE
#define POLL_CLOCK CLOCK_MONOTONIC_COARSE
#else
#define POLL_CLOCK CLOCK_MONOTONIC
#endif

static double now(void) {
    struct timespec t;
    clock_gettime(POLL_CLOCK, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// A cn_log_fn, from any thread.
static void keep_line(void *user, cn_log_level level, const char *text) {
    core_env *e = user;
    if (level != CN_LOG_WARNING) {
        return;
    }
    pthread_mutex_lock(&e->lock);
    if (e->lines < CORE_LOG_LINES) {
        char *line = malloc(strlen(text) + 1);
        if (line) {
            memcpy(line, text, strlen(text) + 1);
            e->line[e->lines++] = line;
        }
    }
    pthread_mutex_unlock(&e->lock);
}

bool core_poll(void *env) {
    core_env *e = env;
    if (e->cancelled) {
        return true;
    }
    // Only the thread that released the GIL may take it back; the others wait for its answer.
    if (!e->state || !pthread_equal(pthread_self(), e->caller) || now() < e->next) {
        return false;
    }
    PyEval_RestoreThread(e->state);
    e->cancelled = PyErr_CheckSignals() != 0;
    e->state = PyEval_SaveThread();
    e->next = now() + SIGNALS_EVERY;
    return e->cancelled;
}

bool core_env_make(core_env *e, int threads) {
    memset(e, 0, sizeof *e);
    pthread_mutex_init(&e->lock, NULL);
    e->env = cn_env_default();
    e->env.log = keep_line;
    e->env.log_user = e;
    e->env.cancel = core_poll;
    e->env.cancel_user = e;
    e->forks = core_forks;
    e->made = true;
    if (threads > 1) {
        e->env.threads = cn_threads_create(threads);
        if (!e->env.threads) {
            PyErr_Format(PyExc_ValueError, "threads must be 1 to %d, not %d", CN_THREADS_MAX,
                         threads);
            core_env_end(e);
            return false;
        }
    }
    return true;
}

void core_env_end(core_env *e) {
    if (!e->made) {
        return;
    }
    // After a fork the threads are the parent's: there is nothing here to be joined.
    if (e->forks == core_forks) {
        cn_threads_destroy(e->env.threads);
    }
    for (int i = 0; i < e->lines; i++) {
        free(e->line[i]);
    }
    pthread_mutex_destroy(&e->lock);
    memset(e, 0, sizeof *e);
}

void core_begin(core_env *e) {
    e->caller = pthread_self();
    e->cancelled = false;
    e->next = now() + SIGNALS_EVERY;
    e->state = PyEval_SaveThread();
}

void core_end(core_env *e) {
    PyThreadState *state = e->state;
    e->state = NULL;
    PyEval_RestoreThread(state);
}

bool core_settle(core_env *e) {
    bool good = !PyErr_Occurred();
    PyObject *category = e->lines > 0 && good ? core_import("cairn.errors", "Warning") : NULL;
    for (int i = 0; i < e->lines; i++) {
        if (good && (!category || PyErr_WarnEx(category, e->line[i], 2) != 0)) {
            good = false;
        }
        free(e->line[i]);
    }
    e->lines = 0;
    return good;
}

bool core_done(core_env *e, cn_status status, const cn_error *error) {
    if (!core_settle(e)) {
        return false;
    }
    if (status == CN_OK) {
        return true;
    }
    core_raise(status, error);
    return false;
}

bool core_enter(bool *busy, const core_env *e, const char *what) {
    if (*busy) {
        PyErr_Format(PyExc_RuntimeError,
                     "this %s is at work in another thread; one thread uses it at a time", what);
        return false;
    }
    if (e && e->env.threads && e->forks != core_forks) {
        PyErr_Format(PyExc_RuntimeError,
                     "this %s was made with threads before the process was forked; make it in the "
                     "child, or start processes with spawn",
                     what);
        return false;
    }
    *busy = true;
    return true;
}

PyObject *core_import(const char *module, const char *name) {
    PyObject *m = PyImport_ImportModule(module);
    PyObject *found = m ? PyObject_GetAttrString(m, name) : NULL;
    Py_XDECREF(m);
    Py_XDECREF(found); // the module keeps it
    return found;
}

PyObject *core_raise_memory(void) {
    return PyErr_NoMemory();
}

PyObject *core_raise(cn_status status, const cn_error *error) {
    static const cn_error none;
    error = error ? error : &none;
    if (PyErr_Occurred()) {
        return NULL; // of a callback or a signal, which ended the call
    }
    PyObject *make = core_import("cairn.errors", "make");
    if (!make) {
        return NULL;
    }
    const char *text = error->message[0] ? error->message : cn_status_text(status);
    // Texts of files may be any bytes.
    PyObject *message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    PyObject *hint = PyUnicode_DecodeUTF8(error->hint, (Py_ssize_t)strlen(error->hint), "replace");
    PyObject *file = PyUnicode_DecodeFSDefault(error->file);
    PyObject *exception = NULL;
    if (message && hint && file) {
        exception = PyObject_CallFunction(make, "iOOiiO", (int)status, message, file,
                                          (int)error->line, (int)error->column, hint);
    }
    Py_XDECREF(message);
    Py_XDECREF(hint);
    Py_XDECREF(file);
    if (exception) {
        PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
        Py_DECREF(exception);
    }
    return NULL;
}

PyObject *core_tuple(const double *values, int count) {
    PyObject *tuple = PyTuple_New(count);
    for (int i = 0; tuple && i < count; i++) {
        PyObject *value = PyFloat_FromDouble(values[i]);
        if (!value) {
            Py_DECREF(tuple);
            return NULL;
        }
        PyTuple_SetItem(tuple, i, value);
    }
    return tuple;
}

PyObject *core_text(const char *text) {
    if (!text) {
        Py_RETURN_NONE;
    }
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

bool core_dict_set(PyObject *dict, const char *key, PyObject *value) {
    if (!dict || !value) {
        Py_XDECREF(value);
        return false;
    }
    int failed = PyDict_SetItemString(dict, key, value);
    Py_DECREF(value);
    return failed == 0;
}

PyObject *core_dict_done(PyObject *dict, bool good) {
    if (!good) {
        Py_CLEAR(dict);
    }
    return dict;
}

PyObject *core_list(Py_ssize_t count, PyObject *(*item)(const void *of, Py_ssize_t i),
                    const void *of) {
    PyObject *list = PyList_New(count);
    for (Py_ssize_t i = 0; list && i < count; i++) {
        PyObject *one = item(of, i);
        if (!one) {
            Py_DECREF(list);
            return NULL;
        }
        PyList_SetItem(list, i, one);
    }
    return list;
}

PyObject *core_make_type(PyObject *module, PyType_Spec *spec) {
    PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);
    const char *name = strrchr(spec->name, '.');
    if (type && PyModule_AddObjectRef(module, name ? name + 1 : spec->name, type) < 0) {
        Py_DECREF(type);
        return NULL;
    }
    return type;
}
