// problem.c
// One-step problems: from arrays and files, and what they hold.
#include "problem.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject *core_problem_type;

bool core_problem_enter(core_problem *self) {
    if (!self->problem) {
        PyErr_SetString(PyExc_RuntimeError, "this problem has not been made");
        return false;
    }
    return core_enter(&self->busy, &self->env, "problem");
}

Py_ssize_t core_problem_unknowns(const core_problem *self) {
    const cn_problem *p = self->problem;
    return p->kind == CN_PROBLEM_LCP        ? p->lcp.n
           : p->kind == CN_PROBLEM_FRICTION ? (Py_ssize_t)p->friction.dim * p->friction.contacts
                                            : (Py_ssize_t)p->global.dim * p->global.contacts;
}

cn_status core_problem_friction(core_problem *self, uint32_t accepts, const cn_friction **out,
                                cn_error *error) {
    static cn_status (*const reduce[])(const cn_friction_global *, cn_arena *, cn_friction *,
                                       cn_error *) = {cn_friction_reduce, cn_friction_condense,
                                                      cn_friction_to_body_space};
    cn_problem *p = self->problem;
    if (p->kind == CN_PROBLEM_FRICTION) {
        *out = &p->friction;
        return CN_OK;
    }
    int form = !(accepts & CN_TAKES_BODY) ? 1 : !(accepts & CN_TAKES_ASSEMBLED) ? 2 : 0;
    *out = &self->reduced[form];
    if (!self->is_reduced[form]) {
        CN_TRY(reduce[form](&p->global, p->memory, &self->reduced[form], error));
        self->is_reduced[form] = true;
    }
    return CN_OK;
}

static void problem_release(core_problem *self) {
    cn_problem_destroy(self->problem);
    self->problem = NULL;
    for (int i = 0; i < self->pieces; i++) {
        free(self->piece[i]);
    }
    self->pieces = 0;
    core_env_end(&self->env);
}

static void problem_dealloc(core_problem *self) {
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    problem_release(self);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

// ---- from arrays ----

// A copy of the array under a key of a dict; NULL with *bad unchanged: there is none.
static void *take_array(core_problem *self, PyObject *arrays, const char *key, char format,
                        Py_ssize_t items, Py_ssize_t room, bool *bad) {
    PyObject *from = PyDict_GetItemString(arrays, key);
    Py_buffer view;
    if (*bad || !from || from == Py_None) {
        return NULL;
    }
    if (self->pieces == CORE_PIECES || !core_take(from, key, format, items, false, &view)) {
        *bad = true;
        return NULL;
    }
    void *copy = calloc(1, (size_t)view.len + (size_t)room * sizeof(double) + 1);
    if (copy) {
        memcpy(copy, view.buf, (size_t)view.len);
        self->piece[self->pieces++] = copy;
    } else {
        PyErr_NoMemory();
        *bad = true;
    }
    PyBuffer_Release(&view);
    return copy;
}

static void *need_array(core_problem *self, PyObject *arrays, const char *key, char format,
                        Py_ssize_t items, Py_ssize_t room, bool *bad) {
    void *copy = take_array(self, arrays, key, format, items, room, bad);
    if (!copy && !*bad) {
        PyErr_Format(PyExc_ValueError, "%s is missing", key);
        *bad = true;
    }
    return copy;
}

// Compressed rows under key_start, key_column, key_value.
static cn_csr take_csr(core_problem *self, PyObject *arrays, const char *key, int rows, int cols,
                       bool *bad) {
    char name[32];
    cn_csr m = {.rows = rows, .cols = cols};
    PyOS_snprintf(name, sizeof name, "%s_start", key);
    m.start = need_array(self, arrays, name, 'q', rows + 1, 0, bad);
    Py_ssize_t count = *bad ? 0 : (Py_ssize_t)m.start[rows];
    if (!*bad && (count < 0 || m.start[0] != 0)) {
        PyErr_Format(PyExc_ValueError, "%s does not begin with 0 and ascend", name);
        *bad = true;
    }
    PyOS_snprintf(name, sizeof name, "%s_column", key);
    m.column = need_array(self, arrays, name, 'i', count, 0, bad);
    PyOS_snprintf(name, sizeof name, "%s_value", key);
    m.value = need_array(self, arrays, name, 'd', count, 0, bad);
    return m;
}

static void take_bounds(core_problem *self, PyObject *arrays, int dim, int contacts,
                        cn_bounds *bounds, bool *bad) {
    Py_ssize_t m = (Py_ssize_t)dim * contacts;
    bounds->boxed = take_array(self, arrays, "boxed", 'B', contacts, 0, bad);
    bounds->lower = take_array(self, arrays, "lower", 'd', m, 0, bad);
    bounds->upper = take_array(self, arrays, "upper", 'd', m, 0, bad);
    bounds->compliance = take_array(self, arrays, "compliance", 'd', m, 0, bad);
}

// The blocks on the diagonal of W; absent ones are zero, which the library refuses itself.
static void fill_diagonal(const cn_bsr *W, double *diagonal) {
    int block = W->dim * W->dim;
    for (int32_t a = 0; a < W->block_rows; a++) {
        for (int64_t k = W->start[a]; k < W->start[a + 1]; k++) {
            if (W->column[k] == a) {
                memcpy(diagonal + (size_t)block * (size_t)a, W->value + block * k,
                       sizeof(double) * (size_t)block);
            }
        }
    }
}

static void make_local(core_problem *self, PyObject *arrays, int dim, int contacts, bool *bad) {
    cn_friction *p = &self->problem->friction;
    Py_ssize_t m = (Py_ssize_t)dim * contacts, block = (Py_ssize_t)dim * dim;
    p->dim = dim;
    p->contacts = contacts;
    cn_bsr *W = &p->W.assembled;
    p->W.kind = CN_OPERATOR_ASSEMBLED;
    W->dim = dim;
    W->block_rows = contacts;
    W->start = need_array(self, arrays, "W_start", 'q', contacts + 1, 0, bad);
    Py_ssize_t count = *bad ? 0 : (Py_ssize_t)W->start[contacts];
    for (int a = 0; !*bad && a < contacts; a++) {
        if (W->start[a] < 0 || W->start[a] > W->start[a + 1]) {
            PyErr_SetString(PyExc_ValueError, "the row starts of W do not ascend");
            *bad = true;
        }
    }
    W->column = need_array(self, arrays, "W_column", 'i', count, 0, bad);
    W->value = need_array(self, arrays, "W_value", 'd', count * block, CN_BSR_PAD, bad);
    p->q = need_array(self, arrays, "q", 'd', m, 0, bad);
    p->mu = need_array(self, arrays, "mu", 'd', contacts, 0, bad);
    take_bounds(self, arrays, dim, contacts, &p->bounds, bad);
    if (!*bad) {
        p->W.diagonal = calloc((size_t)(block * contacts) + 1, sizeof(double));
        *bad = p->W.diagonal == NULL;
        if (*bad) {
            PyErr_NoMemory();
        } else {
            self->piece[self->pieces++] = p->W.diagonal;
            fill_diagonal(W, p->W.diagonal);
        }
    }
}

static void make_global(core_problem *self, PyObject *arrays, int dim, int contacts, int dofs,
                        bool *bad) {
    cn_friction_global *p = &self->problem->global;
    p->dim = dim;
    p->contacts = contacts;
    p->dofs = dofs;
    p->M = take_csr(self, arrays, "M", dofs, dofs, bad);
    p->H = take_csr(self, arrays, "H", dofs, dim * contacts, bad);
    p->f = need_array(self, arrays, "f", 'd', dofs, 0, bad);
    p->w = need_array(self, arrays, "w", 'd', (Py_ssize_t)dim * contacts, 0, bad);
    p->mu = need_array(self, arrays, "mu", 'd', contacts, 0, bad);
    take_bounds(self, arrays, dim, contacts, &p->bounds, bad);
}

static bool problem_begin(core_problem *self, cn_problem_kind kind) {
    if (self->problem) {
        PyErr_SetString(PyExc_RuntimeError, "this problem has been made already");
        return false;
    }
    if (!core_env_make(&self->env, 1)) {
        return false;
    }
    self->problem = cn_problem_create(NULL, kind);
    if (!self->problem) {
        PyErr_NoMemory();
    }
    return self->problem != NULL;
}

// _make(kind, dim, contacts, dofs, arrays): kind 0 LCP, 1 local, 2 global.
static PyObject *problem_make(core_problem *self, PyObject *args) {
    int kind, dim, contacts, dofs;
    PyObject *arrays;
    if (!PyArg_ParseTuple(args, "iiiiO!", &kind, &dim, &contacts, &dofs, &PyDict_Type, &arrays) ||
        !problem_begin(self, (cn_problem_kind)kind)) {
        return NULL;
    }
    bool bad = false;
    if (kind == CN_PROBLEM_LCP) {
        self->problem->lcp.n = contacts;
        self->problem->lcp.M = take_csr(self, arrays, "M", contacts, contacts, &bad);
        self->problem->lcp.q = need_array(self, arrays, "q", 'd', contacts, 0, &bad);
    } else if (kind == CN_PROBLEM_FRICTION) {
        make_local(self, arrays, dim, contacts, &bad);
    } else {
        make_global(self, arrays, dim, contacts, dofs, &bad);
    }
    if (!bad) {
        Py_ssize_t m = core_problem_unknowns(self);
        self->problem->r = take_array(self, arrays, "r", 'd', m, 0, &bad);
        self->problem->u = take_array(self, arrays, "u", 'd', m, 0, &bad);
        self->problem->guess = take_array(self, arrays, "guess", 'd', m, 0, &bad);
        self->problem->v = take_array(self, arrays, "v", 'd', dofs, 0, &bad);
    }
    cn_error error = {.status = CN_OK};
    if (!bad && cn_problem_validate(self->problem, &error) != CN_OK) {
        core_raise(error.status, &error);
        bad = true;
    }
    if (bad) {
        problem_release(self);
        return NULL;
    }
    Py_RETURN_NONE;
}

// ---- files and planted problems ----

static PyObject *problem_read(core_problem *self, PyObject *args) {
    PyObject *path;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path)) {
        return NULL;
    }
    bool good = !self->problem;
    if (!good) {
        PyErr_SetString(PyExc_RuntimeError, "this problem has been made already");
    }
    good = good && core_env_make(&self->env, 1);
    if (good) {
        cn_error error = {.status = CN_OK};
        core_begin(&self->env);
        cn_status status = cn_problem_read(NULL, PyBytes_AsString(path), &self->problem, &error);
        core_end(&self->env);
        good = core_done(&self->env, status, &error);
        if (!good) {
            problem_release(self);
        }
    }
    Py_DECREF(path);
    if (!good) {
        return NULL;
    }
    Py_RETURN_NONE;
}

// _write(path, r or None, u or None): with this solution, or the one that is stored.
static PyObject *problem_write(core_problem *self, PyObject *args) {
    PyObject *path, *r, *u;
    if (!PyArg_ParseTuple(args, "O&OO", PyUnicode_FSConverter, &path, &r, &u)) {
        return NULL;
    }
    Py_buffer r_view = {0}, u_view = {0};
    bool good = core_problem_enter(self);
    if (good) {
        Py_ssize_t m = core_problem_unknowns(self);
        good = (r == Py_None || core_take(r, "r", 'd', m, false, &r_view)) &&
               (u == Py_None || core_take(u, "u", 'd', m, false, &u_view));
        cn_problem copy = *self->problem;
        copy.r = r_view.buf ? r_view.buf : copy.r;
        copy.u = u_view.buf ? u_view.buf : copy.u;
        cn_error error = {.status = CN_OK};
        if (good) {
            core_begin(&self->env);
            cn_status status =
                cn_problem_write(&copy, PyBytes_AsString(path), CN_FILE_AUTO, &error);
            core_end(&self->env);
            good = core_done(&self->env, status, &error);
        }
        self->busy = false;
    }
    if (r_view.obj) {
        PyBuffer_Release(&r_view);
    }
    if (u_view.obj) {
        PyBuffer_Release(&u_view);
    }
    Py_DECREF(path);
    if (!good) {
        return NULL;
    }
    Py_RETURN_NONE;
}

// _plant(lcp, dim, contacts, friction, seed, joints, deficiency)
static PyObject *problem_plant(core_problem *self, PyObject *args) {
    cn_planted_opts opts = cn_planted_opts_default();
    int lcp;
    unsigned long long seed;
    if (!PyArg_ParseTuple(args, "piidKdd", &lcp, &opts.dim, &opts.contacts, &opts.friction, &seed,
                          &opts.joints, &opts.deficiency)) {
        return NULL;
    }
    if (self->problem || !core_env_make(&self->env, 1)) {
        return PyErr_Occurred() ? NULL : core_raise(CN_ERR_ARGUMENT, NULL);
    }
    opts.seed = seed;
    cn_error error = {.status = CN_OK};
    core_begin(&self->env);
    cn_status status = lcp ? cn_planted_lcp(NULL, &opts, &self->problem, &error)
                           : cn_planted_friction(NULL, &opts, &self->problem, &error);
    core_end(&self->env);
    if (!core_done(&self->env, status, &error)) {
        problem_release(self);
        return NULL;
    }
    Py_RETURN_NONE;
}

PyObject *core_problem_from(const cn_friction *p, const double *r, const double *u) {
    allocfunc allocate = (allocfunc)PyType_GetSlot(core_problem_type, Py_tp_alloc);
    core_problem *self = (core_problem *)allocate(core_problem_type, 0);
    if (!self || !problem_begin(self, CN_PROBLEM_FRICTION)) {
        Py_XDECREF((PyObject *)self);
        return NULL;
    }
    cn_error error = {.status = CN_OK};
    cn_problem *out = self->problem;
    cn_status status = cn_friction_assemble(p, out->memory, &out->friction, &error);
    size_t m = (size_t)p->dim * (size_t)p->contacts;
    const double *const given[] = {p->q, p->mu, r, u};
    double **const place[] = {&out->friction.q, &out->friction.mu, &out->r, &out->u};
    for (int k = 0; k < 4 && status == CN_OK; k++) {
        size_t count = k == 1 ? (size_t)p->contacts : m;
        double *copy = given[k] ? calloc(count + 1, sizeof *copy) : NULL;
        if (copy) {
            memcpy(copy, given[k], sizeof *copy * count);
            self->piece[self->pieces++] = copy;
        }
        *place[k] = copy;
    }
    const cn_bounds *b = &p->bounds;
    const void *const bound[] = {b->boxed, b->lower, b->upper, b->compliance};
    void *copies[4] = {NULL, NULL, NULL, NULL};
    for (int k = 0; k < 4 && status == CN_OK; k++) {
        size_t bytes = k == 0 ? (size_t)p->contacts : m * sizeof(double);
        copies[k] = bound[k] ? calloc(1, bytes + 1) : NULL;
        if (copies[k]) {
            memcpy(copies[k], bound[k], bytes);
            self->piece[self->pieces++] = copies[k];
        }
    }
    out->friction.bounds = (cn_bounds){copies[0], copies[1], copies[2], copies[3]};
    if (status != CN_OK) {
        Py_DECREF((PyObject *)self);
        return core_raise(status, &error);
    }
    return (PyObject *)self;
}

// ---- what it holds ----

static bool put(PyObject *out, const char *key, char format, Py_ssize_t n0, Py_ssize_t n1,
                const void *from) {
    if (!from) {
        Py_INCREF(Py_None);
        return core_dict_set(out, key, Py_None);
    }
    return core_dict_set(out, key, core_copy(format, n0, n1, from));
}

static bool put_csr(PyObject *out, const char *key, const cn_csr *m) {
    char name[32];
    Py_ssize_t count = (Py_ssize_t)m->start[m->rows];
    PyOS_snprintf(name, sizeof name, "%s_start", key);
    bool good = put(out, name, 'q', m->rows + 1, -1, m->start);
    PyOS_snprintf(name, sizeof name, "%s_column", key);
    good = good && put(out, name, 'i', count, -1, m->column);
    PyOS_snprintf(name, sizeof name, "%s_value", key);
    return good && put(out, name, 'd', count, -1, m->value);
}

static bool put_bounds(PyObject *out, const cn_bounds *b, Py_ssize_t contacts, Py_ssize_t m) {
    return put(out, "boxed", 'B', contacts, -1, b->boxed) &&
           put(out, "lower", 'd', m, -1, b->lower) && put(out, "upper", 'd', m, -1, b->upper) &&
           put(out, "compliance", 'd', m, -1, b->compliance);
}

static bool put_local(PyObject *out, const cn_friction *p) {
    Py_ssize_t m = (Py_ssize_t)p->dim * p->contacts, block = (Py_ssize_t)p->dim * p->dim;
    const cn_bsr *W = &p->W.assembled;
    return put(out, "W_start", 'q', p->contacts + 1, -1, W->start) &&
           put(out, "W_column", 'i', (Py_ssize_t)W->start[p->contacts], -1, W->column) &&
           put(out, "W_value", 'd', (Py_ssize_t)W->start[p->contacts], block, W->value) &&
           put(out, "q", 'd', m, -1, p->q) && put(out, "mu", 'd', p->contacts, -1, p->mu) &&
           put_bounds(out, &p->bounds, p->contacts, m);
}

// _arrays(condensed): all arrays as a dict; a global problem condensed to W, q where asked.
static PyObject *problem_arrays(core_problem *self, PyObject *args) {
    int condensed;
    if (!PyArg_ParseTuple(args, "p", &condensed) || !core_problem_enter(self)) {
        return NULL;
    }
    const cn_problem *p = self->problem;
    Py_ssize_t m = core_problem_unknowns(self);
    PyObject *out = PyDict_New();
    bool good = out != NULL;
    if (good && p->kind == CN_PROBLEM_LCP) {
        good = put_csr(out, "M", &p->lcp.M) && put(out, "q", 'd', m, -1, p->lcp.q);
    } else if (good && (p->kind == CN_PROBLEM_FRICTION || condensed)) {
        const cn_friction *local = NULL;
        cn_error error = {.status = CN_OK};
        core_begin(&self->env);
        cn_status status = core_problem_friction(self, CN_TAKES_ASSEMBLED, &local, &error);
        core_end(&self->env);
        good = core_done(&self->env, status, &error) && put_local(out, local);
    } else if (good) {
        const cn_friction_global *g = &p->global;
        good = put_csr(out, "M", &g->M) && put_csr(out, "H", &g->H) &&
               put(out, "f", 'd', g->dofs, -1, g->f) && put(out, "w", 'd', m, -1, g->w) &&
               put(out, "mu", 'd', g->contacts, -1, g->mu) &&
               put_bounds(out, &g->bounds, g->contacts, m) && put(out, "v", 'd', g->dofs, -1, p->v);
    }
    good = good && put(out, "r", 'd', m, -1, p->r) && put(out, "u", 'd', m, -1, p->u) &&
           put(out, "guess", 'd', m, -1, p->guess);
    self->busy = false;
    return core_dict_done(out, good);
}

// _facts(): kind, dim, contacts, dofs, format, title, description.
static PyObject *problem_facts(core_problem *self, PyObject *unused) {
    (void)unused;
    if (!core_problem_enter(self)) {
        return NULL;
    }
    const cn_problem *p = self->problem;
    self->busy = false;
    int dim = p->kind == CN_PROBLEM_LCP        ? 1
              : p->kind == CN_PROBLEM_FRICTION ? p->friction.dim
                                               : p->global.dim;
    int contacts = p->kind == CN_PROBLEM_LCP        ? p->lcp.n
                   : p->kind == CN_PROBLEM_FRICTION ? p->friction.contacts
                                                    : p->global.contacts;
    int dofs = p->kind == CN_PROBLEM_FRICTION_GLOBAL ? p->global.dofs : 0;
    return Py_BuildValue("(iiiiNNN)", (int)p->kind, dim, contacts, dofs, core_text(p->format),
                         core_text(p->title), core_text(p->description));
}

static PyMethodDef problem_methods[] = {
    {"_make", (PyCFunction)problem_make, METH_VARARGS, NULL},
    {"_read", (PyCFunction)problem_read, METH_VARARGS, NULL},
    {"_write", (PyCFunction)problem_write, METH_VARARGS, NULL},
    {"_plant", (PyCFunction)problem_plant, METH_VARARGS, NULL},
    {"_arrays", (PyCFunction)problem_arrays, METH_VARARGS, NULL},
    {"_facts", (PyCFunction)problem_facts, METH_NOARGS, NULL},
    {"_solve", (PyCFunction)(void (*)(void))core_solve_method, METH_VARARGS | METH_KEYWORDS, NULL},
    {"_grade", (PyCFunction)core_grade_method, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};

bool core_add_problem(PyObject *module) {
    static PyType_Slot slots[] = {{Py_tp_dealloc, problem_dealloc},
                                  {Py_tp_methods, problem_methods},
                                  {Py_tp_doc, "A one-step problem."},
                                  {0, NULL}};
    static PyType_Spec spec = {"cairn._core.Problem", sizeof(core_problem), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    core_problem_type = (PyTypeObject *)core_make_type(module, &spec);
    return core_problem_type != NULL;
}
