// sim_look.c
// What a simulation looks like now: poses, velocities, contacts, energies, its one-step problem.
#include "problem.h"
#include "sim.h"

#include <stdlib.h>
#include <string.h>

static Py_ssize_t pose_width(const core_sim *self) {
    return cn_model_dim(cn_sim_model(self->sim)) == 3 ? 7 : 3;
}

static Py_ssize_t velocity_width(const core_sim *self) {
    return cn_model_dim(cn_sim_model(self->sim)) == 3 ? 6 : 3;
}

static PyObject *sim_poses(core_sim *self, PyObject *unused) {
    (void)unused;
    void *data;
    if (!core_sim_ready(self) || !core_enter(&self->busy, NULL, "simulation")) {
        return NULL;
    }
    PyObject *out = core_block('d', 2, cn_model_body_count(cn_sim_model(self->sim)),
                               pose_width(self), 0, &data);
    if (out) {
        cn_sim_poses(self->sim, data);
    }
    self->busy = false;
    return out;
}

static PyObject *sim_velocities(core_sim *self, PyObject *unused) {
    (void)unused;
    void *data;
    if (!core_sim_ready(self) || !core_enter(&self->busy, NULL, "simulation")) {
        return NULL;
    }
    PyObject *out = core_block('d', 2, cn_model_body_count(cn_sim_model(self->sim)),
                               velocity_width(self), 0, &data);
    if (out) {
        cn_sim_velocities(self->sim, data);
    }
    self->busy = false;
    return out;
}

// _read_into(q or None, v or None): into arrays of the caller.
static PyObject *sim_read_into(core_sim *self, PyObject *args) {
    PyObject *q, *v;
    if (!core_sim_ready(self) || !PyArg_ParseTuple(args, "OO", &q, &v)) {
        return NULL;
    }
    Py_buffer view;
    Py_ssize_t bodies = cn_model_body_count(cn_sim_model(self->sim));
    if (q != Py_None) {
        if (!core_take(q, "q", 'd', bodies * pose_width(self), true, &view)) {
            return NULL;
        }
        cn_sim_poses(self->sim, view.buf);
        PyBuffer_Release(&view);
    }
    if (v != Py_None) {
        if (!core_take(v, "v", 'd', bodies * velocity_width(self), true, &view)) {
            return NULL;
        }
        cn_sim_velocities(self->sim, view.buf);
        PyBuffer_Release(&view);
    }
    Py_RETURN_NONE;
}

// _nodes(): positions and velocities of the nodes of all deformable bodies.
static PyObject *sim_nodes(core_sim *self, PyObject *unused) {
    (void)unused;
    if (!core_sim_ready(self) || !core_enter(&self->busy, NULL, "simulation")) {
        return NULL;
    }
    int32_t nodes = cn_model_node_count(cn_sim_model(self->sim));
    int dim = cn_model_dim(cn_sim_model(self->sim));
    void *x = NULL, *v = NULL;
    PyObject *positions = core_block('d', 2, nodes, dim, 0, &x);
    PyObject *velocities = core_block('d', 2, nodes, dim, 0, &v);
    if (positions && velocities && nodes > 0) {
        cn_sim_nodes(self->sim, x, v);
    }
    self->busy = false;
    if (!positions || !velocities) {
        Py_XDECREF(positions);
        Py_XDECREF(velocities);
        return NULL;
    }
    return Py_BuildValue("(NN)", positions, velocities);
}

// _stress(body): mean stresses of the elements of a deformable body.
static PyObject *sim_stress(core_sim *self, PyObject *args) {
    int body;
    cn_mesh_info mesh;
    void *data;
    if (!PyArg_ParseTuple(args, "i", &body) || !core_sim_ready(self) ||
        !core_enter(&self->busy, NULL, "simulation")) {
        return NULL;
    }
    PyObject *out = NULL;
    if (!cn_model_mesh(cn_sim_model(self->sim), body + 1, &mesh)) {
        PyErr_Format(PyExc_IndexError, "there is no deformable body %d", body);
    } else {
        out = core_block('d', 2, mesh.element_count, 6, 0, &data);
        if (out) {
            cn_sim_stress(self->sim, body + 1, data);
        }
    }
    self->busy = false;
    return out;
}

// _body(index): position 3, orientation 4, angle, velocity 3, angular velocity 3.
static PyObject *sim_body(core_sim *self, PyObject *index) {
    cn_body_state state;
    long i = PyLong_AsLong(index);
    if ((i == -1 && PyErr_Occurred()) || !core_sim_ready(self)) {
        return NULL;
    }
    if (self->busy) {
        core_enter(&self->busy, NULL, "simulation");
        return NULL;
    }
    if (i < 0 || i > INT32_MAX - 1 || !cn_sim_body(self->sim, (cn_body_id)(i + 1), &state)) {
        PyErr_Format(PyExc_IndexError, "there is no body %ld", i);
        return NULL;
    }
    void *data;
    PyObject *out = core_block('d', 1, 14, 0, 0, &data);
    if (out) {
        double *d = data;
        memcpy(d, state.position, sizeof state.position);
        memcpy(d + 3, state.orientation, sizeof state.orientation);
        d[7] = state.angle;
        memcpy(d + 8, state.velocity, sizeof state.velocity);
        memcpy(d + 11, state.angular_velocity, sizeof state.angular_velocity);
    }
    return out;
}

static PyObject *sim_contact_force(core_sim *self, PyObject *index) {
    double force[3];
    long i = PyLong_AsLong(index);
    if ((i == -1 && PyErr_Occurred()) || !core_sim_ready(self)) {
        return NULL;
    }
    if (i < 0 || i > INT32_MAX - 1 ||
        !cn_sim_contact_force(self->sim, (cn_body_id)(i + 1), force)) {
        PyErr_Format(PyExc_IndexError, "there is no body %ld", i);
        return NULL;
    }
    return core_copy('d', cn_model_dim(cn_sim_model(self->sim)), -1, force);
}

static PyObject *sim_energy(core_sim *self, PyObject *unused) {
    (void)unused;
    double kinetic, potential;
    if (!core_sim_ready(self) || !core_enter(&self->busy, NULL, "simulation")) {
        return NULL;
    }
    cn_sim_energy(self->sim, &kinetic, &potential);
    self->busy = false;
    return Py_BuildValue("(dd)", kinetic, potential);
}

// A column of `width` numbers per contact; the dict keeps it.
static void *add_column(PyObject *out, const char *name, char format, int32_t count, int width) {
    void *data = NULL;
    PyObject *block = core_block(format, width > 1 ? 2 : 1, count, width, 0, &data);
    return core_dict_set(out, name, block) ? data : NULL;
}

static PyObject *finish_columns(core_sim *self, PyObject *out, const cn_contact_columns *columns,
                                int32_t count) {
    if (out && !PyErr_Occurred()) {
        cn_sim_contacts(self->sim, count, columns);
    }
    if (PyErr_Occurred()) {
        Py_XDECREF(out);
        return NULL;
    }
    return out;
}

// Contacts as a dict of columns, without those of rest_columns.
static PyObject *sim_contacts(core_sim *self, PyObject *unused) {
    (void)unused;
    if (!core_sim_ready(self) || !core_enter(&self->busy, NULL, "simulation")) {
        return NULL;
    }
    int32_t count = cn_sim_contact_count(self->sim);
    int dim = cn_model_dim(cn_sim_model(self->sim));
    PyObject *out = PyDict_New();
    cn_contact_columns columns = {
        .bodies = add_column(out, "bodies", 'i', count, 2),
        .point = add_column(out, "point", 'd', count, dim),
        .normal = add_column(out, "normal", 'd', count, dim),
        .gap = add_column(out, "gap", 'd', count, 1),
        .impulse = add_column(out, "impulse", 'd', count, dim),
        .friction = add_column(out, "friction", 'd', count, 1),
        .status = add_column(out, "status", 'B', count, 1),
    };
    out = finish_columns(self, out, &columns, count);
    for (int32_t i = 0; out && i < 2 * count; i++) {
        columns.bodies[i]--; // Python counts from 0
    }
    self->busy = false;
    return out;
}

// The columns that are computed from the states of the bodies, which takes longer.
static PyObject *rest_columns(core_sim *self) {
    int32_t count = cn_sim_contact_count(self->sim);
    int dim = cn_model_dim(cn_sim_model(self->sim));
    PyObject *out = PyDict_New();
    const cn_contact_columns columns = {
        .velocity = add_column(out, "velocity", 'd', count, dim),
        .velocity_before = add_column(out, "velocity_before", 'd', count, dim),
        .shift = add_column(out, "shift", 'd', count, dim),
    };
    return finish_columns(self, out, &columns, count);
}

static PyObject *sim_contacts_rest(core_sim *self, PyObject *unused) {
    (void)unused;
    if (!core_sim_ready(self) || !core_enter(&self->busy, NULL, "simulation")) {
        return NULL;
    }
    PyObject *out = rest_columns(self);
    self->busy = false;
    return out;
}

static PyObject *sim_keep(core_sim *self, PyObject *contacts) {
    Py_INCREF(contacts);
    Py_XDECREF(self->kept);
    self->kept = contacts;
    Py_RETURN_NONE;
}

bool core_sim_let_go(core_sim *self) {
    PyObject *kept = self->kept;
    self->kept = NULL;
    bool good = true;
    if (kept && Py_REFCNT(kept) > 1 && self->sim) {
        PyObject *rest = rest_columns(self);
        PyObject *done = rest ? PyObject_CallMethod(kept, "_fill", "O", rest) : NULL;
        good = done != NULL;
        Py_XDECREF(rest);
        Py_XDECREF(done);
    }
    Py_XDECREF(kept);
    return good;
}

// _steer(gravity 3, friction, pulled, point 3, target 3, stiffness)
static PyObject *sim_steer(core_sim *self, PyObject *args) {
    cn_steering s;
    int pulled;
    if (!PyArg_ParseTuple(args, "(ddd)di(ddd)(ddd)d", &s.gravity[0], &s.gravity[1], &s.gravity[2],
                          &s.friction, &pulled, &s.point[0], &s.point[1], &s.point[2], &s.target[0],
                          &s.target[1], &s.target[2], &s.stiffness) ||
        !core_sim_ready(self) || !core_enter(&self->busy, &self->env, "simulation")) {
        return NULL;
    }
    s.pulled = pulled + 1;
    cn_error error = {.status = CN_OK};
    cn_status status = cn_sim_steer(self->sim, &s, &error);
    self->busy = false;
    if (!core_done(&self->env, status, &error)) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *sim_steering(core_sim *self, PyObject *unused) {
    (void)unused;
    if (!core_sim_ready(self)) {
        return NULL;
    }
    cn_steering s = cn_sim_steering(self->sim);
    return Py_BuildValue("((ddd)di(ddd)(ddd)d)", s.gravity[0], s.gravity[1], s.gravity[2],
                         s.friction, (int)s.pulled - 1, s.point[0], s.point[1], s.point[2],
                         s.target[0], s.target[1], s.target[2], s.stiffness);
}

// Pairs of bodies whose contact began, or ended, with the last step.
static PyObject *pairs_of(core_sim *self,
                          int32_t (*give)(const cn_sim *sim, int32_t capacity, cn_body_id *pairs)) {
    if (!core_sim_ready(self) || !core_enter(&self->busy, NULL, "simulation")) {
        return NULL;
    }
    void *data = NULL;
    int32_t count = give(self->sim, 0, NULL);
    PyObject *out = core_block('i', 2, count, 2, 0, &data);
    if (out && count > 0) {
        give(self->sim, count, data);
    }
    for (int32_t i = 0; out && i < 2 * count; i++) {
        ((int32_t *)data)[i]--; // Python counts from 0
    }
    self->busy = false;
    return out;
}

static PyObject *sim_begun(core_sim *self, PyObject *unused) {
    (void)unused;
    return pairs_of(self, cn_sim_contacts_begun);
}

static PyObject *sim_ended(core_sim *self, PyObject *unused) {
    (void)unused;
    return pairs_of(self, cn_sim_contacts_ended);
}

// The values of the model's columns now.
static PyObject *sim_columns(core_sim *self, PyObject *unused) {
    (void)unused;
    if (!core_sim_ready(self) || !core_enter(&self->busy, NULL, "simulation")) {
        return NULL;
    }
    void *data = NULL;
    int32_t count = cn_model_column_count(cn_sim_model(self->sim));
    PyObject *out = core_block('d', 1, count, 0, 0, &data);
    if (out && count > 0) {
        cn_sim_columns(self->sim, data);
    }
    self->busy = false;
    return out;
}

// The one-step problem of the last step, assembled; None: there is none.
static PyObject *sim_problem(core_sim *self, PyObject *unused) {
    (void)unused;
    if (!core_sim_ready(self) || !core_enter(&self->busy, NULL, "simulation")) {
        return NULL;
    }
    const double *r = NULL, *u = NULL;
    const cn_friction *p = cn_sim_problem(self->sim, &r, &u);
    PyObject *out = Py_None;
    if (p) {
        out = core_problem_from(p, r, u);
    } else {
        Py_INCREF(out);
    }
    self->busy = false;
    return out;
}

PyMethodDef core_sim_look_methods[] = {
    {"_problem", (PyCFunction)sim_problem, METH_NOARGS, NULL},
    {"_poses", (PyCFunction)sim_poses, METH_NOARGS, NULL},
    {"_velocities", (PyCFunction)sim_velocities, METH_NOARGS, NULL},
    {"_read_into", (PyCFunction)sim_read_into, METH_VARARGS, NULL},
    {"_nodes", (PyCFunction)sim_nodes, METH_NOARGS, NULL},
    {"_stress", (PyCFunction)sim_stress, METH_VARARGS, NULL},
    {"_begun", (PyCFunction)sim_begun, METH_NOARGS, NULL},
    {"_ended", (PyCFunction)sim_ended, METH_NOARGS, NULL},
    {"_columns", (PyCFunction)sim_columns, METH_NOARGS, NULL},
    {"_body", (PyCFunction)sim_body, METH_O, NULL},
    {"_contact_force", (PyCFunction)sim_contact_force, METH_O, NULL},
    {"_energy", (PyCFunction)sim_energy, METH_NOARGS, NULL},
    {"_contacts", (PyCFunction)sim_contacts, METH_NOARGS, NULL},
    {"_contacts_rest", (PyCFunction)sim_contacts_rest, METH_NOARGS, NULL},
    {"_keep", (PyCFunction)sim_keep, METH_O, NULL},
    {"_steer", (PyCFunction)sim_steer, METH_VARARGS, NULL},
    {"_steering", (PyCFunction)sim_steering, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};
