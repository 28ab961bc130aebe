// block.c
// Arrays that the module gives: numpy reads them through the buffer protocol without a copy, and
// they live as long as somebody holds them.
#include "core.h"

#include <stdlib.h>
#include <string.h>

typedef struct core_block_object {
    PyObject_HEAD void *data;
    PyObject *owner; // of the data; NULL: the block
    Py_ssize_t shape[3], strides[3], item;
    int ndim;
    char format[2];
    bool writable;
} core_block_object;

PyTypeObject *core_block_type;

static Py_ssize_t item_size(char format) {
    return format == 'd' || format == 'q' ? 8 : format == 'i' ? 4 : 1;
}

static core_block_object *block_new(char format, int ndim, const Py_ssize_t shape[3]) {
    allocfunc allocate = (allocfunc)PyType_GetSlot(core_block_type, Py_tp_alloc);
    core_block_object *block = (core_block_object *)allocate(core_block_type, 0);
    if (!block) {
        return NULL;
    }
    block->format[0] = format;
    block->item = item_size(format);
    block->ndim = ndim;
    Py_ssize_t stride = block->item;
    for (int k = ndim - 1; k >= 0; k--) {
        block->shape[k] = shape[k];
        block->strides[k] = stride;
        stride *= shape[k];
    }
    return block;
}

PyObject *core_block(char format, int ndim, Py_ssize_t n0, Py_ssize_t n1, Py_ssize_t n2,
                     void **data) {
    const Py_ssize_t shape[3] = {n0, n1, n2};
    core_block_object *block = block_new(format, ndim, shape);
    if (!block) {
        return NULL;
    }
    size_t bytes = (size_t)block->item;
    for (int k = 0; k < ndim; k++) {
        bytes *= (size_t)shape[k];
    }
    block->data = malloc(bytes > 0 ? bytes : 1);
    if (!block->data) {
        Py_DECREF(block);
        return PyErr_NoMemory();
    }
    *data = block->data;
    return (PyObject *)block;
}

PyObject *core_block_view(void *data, char format, Py_ssize_t count, bool writable,
                          PyObject *owner) {
    const Py_ssize_t shape[3] = {count, 0, 0};
    core_block_object *block = block_new(format, 1, shape);
    if (block) {
        Py_INCREF(owner);
        block->owner = owner;
        block->data = data;
        block->writable = writable;
    }
    return (PyObject *)block;
}

PyObject *core_copy(char format, Py_ssize_t n0, Py_ssize_t n1, const void *from) {
    void *data;
    PyObject *block = core_block(format, n1 >= 0 ? 2 : 1, n0, n1, 0, &data);
    size_t bytes = (size_t)(n0 * (n1 >= 0 ? n1 : 1) * item_size(format));
    if (block && bytes > 0) {
        memcpy(data, from, bytes);
    }
    return block;
}

static void block_dealloc(core_block_object *block) {
    PyTypeObject *type = Py_TYPE((PyObject *)block);
    if (block->owner) {
        Py_DECREF(block->owner);
    } else {
        free(block->data);
    }
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(block);
    Py_DECREF(type);
}

static int block_get(core_block_object *block, Py_buffer *view, int flags) {
    if ((flags & PyBUF_WRITABLE) && !block->writable) {
        PyErr_SetString(PyExc_BufferError, "what is read from a simulation is read-only");
        view->obj = NULL;
        return -1;
    }
    Py_ssize_t bytes = block->item;
    for (int k = 0; k < block->ndim; k++) {
        bytes *= block->shape[k];
    }
    view->buf = block->data;
    Py_INCREF((PyObject *)block);
    view->obj = (PyObject *)block;
    view->len = bytes;
    view->readonly = !block->writable;
    view->itemsize = block->item;
    view->format = flags & PyBUF_FORMAT ? block->format : NULL;
    view->ndim = block->ndim;
    view->shape = flags & PyBUF_ND ? block->shape : NULL;
    view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? block->strides : NULL;
    view->suboffsets = NULL;
    view->internal = NULL;
    return 0;
}

bool core_take(PyObject *from, const char *what, char format, Py_ssize_t items, bool writable,
               Py_buffer *out) {
    int flags = PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(from, out, flags) != 0) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s must be a%s contiguous array", what,
                     writable ? " writable," : "");
        return false;
    }
    const char *has = out->format ? out->format : "B";
    has += *has == '@' || *has == '=' ? 1 : 0;
    bool same = has[0] == format && has[1] == '\0';
    same = same || (format == 'q' && strcmp(has, "l") == 0 && sizeof(long) == 8);
    if (!same) {
        PyErr_Format(PyExc_TypeError, "%s must have items of kind '%c', not '%s'", what, format,
                     out->format ? out->format : "B");
    } else if (items >= 0 && out->len != items * out->itemsize) {
        PyErr_Format(PyExc_ValueError, "%s must have %zd numbers, not %zd", what, items,
                     out->len / out->itemsize);
        same = false;
    }
    if (!same) {
        PyBuffer_Release(out);
    }
    return same;
}

bool core_add_block(PyObject *module) {
    static PyType_Slot slots[] = {{Py_tp_dealloc, block_dealloc},
                                  {Py_bf_getbuffer, block_get},
                                  {Py_tp_doc, "Numbers for numpy: an object with a buffer."},
                                  {0, NULL}};
    static PyType_Spec spec = {"cairn._core.Block", sizeof(core_block_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    core_block_type = (PyTypeObject *)core_make_type(module, &spec);
    return core_block_type != NULL;
}
