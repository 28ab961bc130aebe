// model.c
// Scenes to models, and what a model knows of its bodies, shapes, joints and settings.
#include "core.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject *core_model_type;

static void model_dealloc(core_model *self) {
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    if (!self->borrowed) {
        cn_model_destroy(self->model);
    }
    core_env_end(&self->env);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static bool model_ready(core_model *self) {
    if (!self->model) {
        PyErr_SetString(PyExc_RuntimeError,
                        self->borrowed ? "this is the model of a simulation before its bodies "
                                         "changed or it was closed; sim.model is that of now"
                                       : "this model has not been made");
        return false;
    }
    return true;
}

// ---- making ----

// Pairs of texts to overrides, whose texts the list keeps. *out is to be freed.
static bool take_overrides(PyObject *list, cn_override **out, int32_t *count) {
    Py_ssize_t size = PyList_Size(list);
    *out = NULL;
    *count = 0;
    if (size < 0) {
        return false;
    }
    *out = calloc((size_t)size + 1, sizeof **out);
    if (!*out) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *pair = PyList_GetItem(list, i);
        const char *path = NULL, *value = NULL;
        if (!PyTuple_Check(pair) || !PyArg_ParseTuple(pair, "ss", &path, &value)) {
            free(*out);
            *out = NULL;
            PyErr_SetString(PyExc_TypeError, "overrides are pairs of texts");
            return false;
        }
        (*out)[i] = (cn_override){path, value};
    }
    *count = (int32_t)size;
    return true;
}

// _read(name, text or None, overrides, allow_plugins): from text, or from the file of that name.
static PyObject *model_read(core_model *self, PyObject *args) {
    PyObject *path;
    const char *text = NULL;
    Py_ssize_t size = 0;
    PyObject *list;
    int plugins = 0;
    if (!PyArg_ParseTuple(args, "O&z#Op", PyUnicode_FSConverter, &path, &text, &size, &list,
                          &plugins)) {
        return NULL;
    }
    cn_override *overrides = NULL;
    int32_t count = 0;
    cn_error error = {.status = CN_OK};
    cn_status status = CN_OK;
    PyObject *result = NULL;
    if (self->model) {
        PyErr_SetString(PyExc_RuntimeError, "this model has been made already");
    } else if (take_overrides(list, &overrides, &count) && core_env_make(&self->env, 1) &&
               core_enter(&self->busy, NULL, "model")) {
        self->env.env.allow_plugins = plugins != 0;
        const char *name = PyBytes_AsString(path);
        core_begin(&self->env);
        status = text ? cn_scene_read_text(&self->env.env, name, text, (size_t)size, overrides,
                                           count, &self->model, &error)
                      : cn_scene_read(&self->env.env, name, overrides, count, &self->model, &error);
        core_end(&self->env);
        self->busy = false;
        if (core_done(&self->env, status, &error)) {
            result = Py_None;
            Py_INCREF(result);
        }
    }
    if (!result && !self->model) {
        core_env_end(&self->env);
    }
    free(overrides);
    Py_DECREF(path);
    return result;
}

// ---- looking ----

// What a property shows: a count or a text.
typedef struct model_fact {
    int32_t (*count)(const cn_model *model);
    const char *(*text)(const cn_model *model);
} model_fact;

static model_fact model_facts[] = {{.count = cn_model_dim},
                                   {.count = cn_model_body_count},
                                   {.count = cn_model_joint_count},
                                   {.text = cn_model_name},
                                   {.text = cn_model_scene_text}};

static PyObject *model_fact_get(core_model *self, void *closure) {
    const model_fact *fact = closure;
    if (!model_ready(self)) {
        return NULL;
    }
    return fact->text ? core_text(fact->text(self->model))
                      : PyLong_FromLong(fact->count(self->model));
}

static PyObject *model_is_system(core_model *self, void *closure) {
    (void)closure;
    return model_ready(self) ? PyBool_FromLong(cn_model_system(self->model) != NULL) : NULL;
}

static bool model_index(core_model *self, PyObject *args, int *index, int32_t count,
                        const char *what) {
    if (!PyArg_ParseTuple(args, "i", index)) {
        return false;
    }
    if (*index < 0 || *index >= count) {
        PyErr_Format(PyExc_IndexError, "there is no %s %d; the model has %d", what, *index,
                     (int)count);
        return false;
    }
    return model_ready(self);
}

static PyObject *model_body(core_model *self, PyObject *args) {
    int index;
    if (!model_ready(self) ||
        !model_index(self, args, &index, cn_model_body_count(self->model), "body")) {
        return NULL;
    }
    cn_body_info info;
    cn_model_body(self->model, index + 1, &info);
    PyObject *out = PyDict_New();
    bool good = core_dict_set(out, "name", core_text(info.name)) &&
                core_dict_set(out, "material", core_text(info.material)) &&
                core_dict_set(out, "kind", core_text(info.kind)) &&
                core_dict_set(out, "mass", PyFloat_FromDouble(info.mass)) &&
                core_dict_set(out, "com", core_tuple(info.com, cn_model_dim(self->model))) &&
                core_dict_set(out, "shapes", PyLong_FromLong(info.shape_count)) &&
                core_dict_set(out, "bound", PyFloat_FromDouble(info.bound)) &&
                core_dict_set(out, "inradius", PyFloat_FromDouble(info.inradius)) &&
                core_dict_set(out, "file", core_text(info.source.file)) &&
                core_dict_set(out, "line", PyLong_FromLong(info.source.line));
    return core_dict_done(out, good);
}

// A list over the model, item by item.
static PyObject *model_list(core_model *self, int32_t (*count)(const cn_model *model),
                            PyObject *(*item)(const void *model, Py_ssize_t i)) {
    return model_ready(self) ? core_list(count(self->model), item, self->model) : NULL;
}

static PyObject *name_item(const void *model, Py_ssize_t i) {
    cn_body_info info;
    cn_model_body(model, (cn_body_id)(i + 1), &info);
    return core_text(info.name);
}

static PyObject *model_names(core_model *self, PyObject *unused) {
    (void)unused;
    return model_list(self, cn_model_body_count, name_item);
}

// The number of a body from its name, from 0; -1: none.
static PyObject *model_find(core_model *self, PyObject *args) {
    const char *name;
    if (!model_ready(self) || !PyArg_ParseTuple(args, "s", &name)) {
        return NULL;
    }
    return PyLong_FromLong(cn_model_find_body(self->model, name) - 1L);
}

static PyObject *shape_dict(const cn_shape_info *s) {
    PyObject *out = PyDict_New();
    bool good = core_dict_set(out, "kind", core_text(cn_shape_kind_text(s->kind))) &&
                core_dict_set(out, "position", core_tuple(s->position, 3)) &&
                core_dict_set(out, "axes", core_copy('d', 3, 3, s->axes)) &&
                core_dict_set(out, "radius", PyFloat_FromDouble(s->radius)) &&
                core_dict_set(out, "length", PyFloat_FromDouble(s->length)) &&
                core_dict_set(out, "size", core_tuple(s->size, 3)) &&
                core_dict_set(out, "normal", core_tuple(s->normal, 3)) &&
                core_dict_set(out, "offset", PyFloat_FromDouble(s->offset)) &&
                core_dict_set(out, "vertices", core_copy('d', s->vertex_count, 3, s->vertices));
    if (good && s->face) {
        good = core_dict_set(out, "face", core_copy('i', s->face_count + 1, -1, s->face)) &&
               core_dict_set(out, "loop", core_copy('i', s->face[s->face_count], -1, s->loop));
    }
    return core_dict_done(out, good);
}

typedef struct body_of_model {
    const cn_model *model;
    cn_body_id body;
} body_of_model;

static PyObject *shape_item(const void *of, Py_ssize_t k) {
    const body_of_model *b = of;
    cn_shape_info shape;
    cn_model_shape(b->model, b->body, (int32_t)k, &shape);
    return shape_dict(&shape);
}

// The shapes of a body.
static PyObject *model_shapes(core_model *self, PyObject *args) {
    int index;
    if (!model_ready(self) ||
        !model_index(self, args, &index, cn_model_body_count(self->model), "body")) {
        return NULL;
    }
    const body_of_model of = {self->model, index + 1};
    cn_body_info info;
    cn_model_body(of.model, of.body, &info);
    return core_list(info.shape_count, shape_item, &of);
}

// _mesh(index): of a deformable body; None of a rigid one.
static PyObject *model_mesh(core_model *self, PyObject *args) {
    int index;
    cn_mesh_info m;
    if (!model_ready(self) ||
        !model_index(self, args, &index, cn_model_body_count(self->model), "body")) {
        return NULL;
    }
    if (!cn_model_mesh(self->model, index + 1, &m)) {
        Py_RETURN_NONE;
    }
    int dim = cn_model_dim(self->model);
    PyObject *out = PyDict_New();
    bool good = core_dict_set(out, "element", core_text(m.element)) &&
                core_dict_set(out, "nodes", core_copy('d', m.node_count, dim, m.nodes)) &&
                core_dict_set(out, "elements",
                              core_copy('i', m.element_count, m.per_element, m.elements)) &&
                core_dict_set(out, "faces", core_copy('i', m.face_count, m.per_face, m.faces)) &&
                core_dict_set(out, "first_node", PyLong_FromLong(m.first_node));
    return core_dict_done(out, good);
}

static PyObject *model_joint(core_model *self, PyObject *args) {
    int index;
    if (!model_ready(self) ||
        !model_index(self, args, &index, cn_model_joint_count(self->model), "joint")) {
        return NULL;
    }
    cn_joint_info info;
    cn_model_joint(self->model, index + 1, &info);
    return Py_BuildValue("(ssii)", info.name, cn_joint_kind_text(info.kind), (int)info.body[0] - 1,
                         (int)info.body[1] - 1);
}

static PyObject *model_settings(core_model *self, PyObject *unused) {
    (void)unused;
    if (!model_ready(self)) {
        return NULL;
    }
    const cn_settings *s = cn_model_settings(self->model);
    PyObject *out = PyDict_New();
    bool good = core_dict_set(out, "gravity", core_tuple(s->gravity, cn_model_dim(self->model))) &&
                core_dict_set(out, "step", PyFloat_FromDouble(s->step)) &&
                core_dict_set(out, "until", PyFloat_FromDouble(s->until)) &&
                core_dict_set(out, "frames_every", PyFloat_FromDouble(s->frames_every)) &&
                core_dict_set(out, "checkpoint_every", PyFloat_FromDouble(s->checkpoint_every)) &&
                core_dict_set(out, "scheme", core_text(s->scheme)) &&
                core_dict_set(out, "theta", PyFloat_FromDouble(s->theta)) &&
                core_dict_set(out, "solver", core_text(s->solver)) &&
                core_dict_set(out, "local", core_text(s->local)) &&
                core_dict_set(out, "tolerance", PyFloat_FromDouble(s->tolerance)) &&
                core_dict_set(out, "max_iterations", PyLong_FromLong(s->max_iterations)) &&
                core_dict_set(out, "threads", PyLong_FromLong(s->threads)) &&
                core_dict_set(out, "on_stall", core_text(cn_stall_policy_text(s->on_stall))) &&
                core_dict_set(out, "friction_law", core_text(cn_friction_law_text(s->friction)));
    return core_dict_done(out, good);
}

static PyObject *column_item(const void *model, Py_ssize_t i) {
    return Py_BuildValue("(NN)", core_text(cn_model_column_name(model, (int32_t)i)),
                         core_text(cn_model_column_unit(model, (int32_t)i)));
}

// Columns that are recorded: (name, unit) each.
static PyObject *model_columns(core_model *self, PyObject *unused) {
    (void)unused;
    return model_list(self, cn_model_column_count, column_item);
}

static PyObject *material_item(const void *model, Py_ssize_t i) {
    cn_material_def m;
    cn_model_material(model, (int32_t)i, &m);
    return Py_BuildValue("(Nddd)", core_text(m.name), m.density, m.young, m.poisson);
}

// Materials: (name, density, young, poisson) each.
static PyObject *model_materials(core_model *self, PyObject *unused) {
    (void)unused;
    return model_list(self, cn_model_material_count, material_item);
}

static PyObject *warning_item(const void *model, Py_ssize_t i) {
    const cn_error *w = cn_model_warning(model, (int32_t)i);
    return Py_BuildValue("(NNNii)", core_text(w->message), core_text(w->hint),
                         PyUnicode_DecodeFSDefault(w->file), (int)w->line, (int)w->column);
}

// What the finished model warns of: (message, hint, file, line, column) each.
static PyObject *model_warnings(core_model *self, PyObject *unused) {
    (void)unused;
    return model_list(self, cn_model_warning_count, warning_item);
}

static PyMethodDef model_methods[] = {
    {"_read", (PyCFunction)model_read, METH_VARARGS, NULL},
    {"_body", (PyCFunction)model_body, METH_VARARGS, NULL},
    {"_names", (PyCFunction)model_names, METH_NOARGS, NULL},
    {"_find", (PyCFunction)model_find, METH_VARARGS, NULL},
    {"_shapes", (PyCFunction)model_shapes, METH_VARARGS, NULL},
    {"_mesh", (PyCFunction)model_mesh, METH_VARARGS, NULL},
    {"_joint", (PyCFunction)model_joint, METH_VARARGS, NULL},
    {"_settings", (PyCFunction)model_settings, METH_NOARGS, NULL},
    {"_columns", (PyCFunction)model_columns, METH_NOARGS, NULL},
    {"_materials", (PyCFunction)model_materials, METH_NOARGS, NULL},
    {"_warnings", (PyCFunction)model_warnings, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef model_getset[] = {
    {"dimension", (getter)model_fact_get, NULL, "2 or 3", &model_facts[0]},
    {"body_count", (getter)model_fact_get, NULL, "how many bodies there are", &model_facts[1]},
    {"joint_count", (getter)model_fact_get, NULL, "how many joints there are", &model_facts[2]},
    {"name", (getter)model_fact_get, NULL, "the name of the scene", &model_facts[3]},
    {"text", (getter)model_fact_get, NULL,
     "the scene as resolved, YAML that reads back to this model", &model_facts[4]},
    {"is_system", (getter)model_is_system, NULL,
     "whether it is a system in coordinates of its own instead of bodies", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

bool core_add_model(PyObject *module) {
    static PyType_Slot slots[] = {{Py_tp_dealloc, model_dealloc},
                                  {Py_tp_methods, model_methods},
                                  {Py_tp_getset, model_getset},
                                  {Py_tp_doc, "A finished scene."},
                                  {0, NULL}};
    static PyType_Spec spec = {"cairn._core.Model", sizeof(core_model), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    core_model_type = (PyTypeObject *)core_make_type(module, &spec);
    return core_model_type != NULL;
}
