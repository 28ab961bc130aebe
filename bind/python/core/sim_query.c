// sim_query.c
// The geometry of a simulation as it stands: what a ray hits, what overlaps a shape, what is nearest.
#include "sim.h"

#include <stdlib.h>

// The query of the bodies as they stand. CN_OK: self->query may be asked.
static cn_status query_ready(core_sim *self, cn_error *error) {
    if (self->query && self->query_at == self->changes) {
        return CN_OK;
    }
    cn_status status = self->query ? cn_query_update(self->query, self->sim, error)
                                   : cn_query_create(self->sim, &self->query, error);
    self->query_at = self->changes;
    if (status != CN_OK) {
        cn_query_destroy(self->query);
        self->query = NULL;
    }
    return status;
}

// Bodies that are asked: all but those with a 1 in the bytes given.
typedef struct query_mask {
    Py_buffer view;
    cn_query_filter filter;
} query_mask;

static bool mask_accept(void *user, cn_body_id body) {
    return !((const uint8_t *)user)[body - 1];
}

// mask: bytes, one a body, or None. false: raised.
static bool mask_take(core_sim *self, PyObject *mask, query_mask *out) {
    *out = (query_mask){.view = {0}};
    if (mask == Py_None) {
        return true;
    }
    Py_ssize_t bodies = cn_model_body_count(cn_sim_model(self->sim));
    if (!core_take(mask, "ignore", 'B', bodies, false, &out->view)) {
        return false;
    }
    out->filter = (cn_query_filter){.accept = mask_accept, .user = out->view.buf};
    return true;
}

static void mask_end(query_mask *mask) {
    if (mask->view.obj) {
        PyBuffer_Release(&mask->view);
    }
}

// (body, shape, distance, point, normal); None: nothing.
static PyObject *hit_tuple(const cn_query_hit *hit) {
    if (hit->body == 0) {
        Py_RETURN_NONE;
    }
    return Py_BuildValue("(iidNN)", (int)hit->body - 1, (int)hit->shape, hit->distance,
                         core_copy('d', 3, -1, hit->point), core_copy('d', 3, -1, hit->normal));
}

static PyObject *hit_item(const void *hits, Py_ssize_t i) {
    return hit_tuple((const cn_query_hit *)hits + i);
}

// What is asked: the arguments of one of the calls below.
typedef struct query_call {
    double at[3], direction[3], reach;
    const cn_shape_def *shape; // NULL: a ray
    const cn_query_filter *filter;
} query_call;

static cn_status ask_all(const cn_query *query, const query_call *call, cn_query_hit *hits,
                         int32_t capacity, int32_t *count, cn_error *error) {
    return call->shape ? cn_query_overlap(query, call->shape, call->reach, call->filter, hits,
                                          capacity, count, error)
                       : cn_query_ray_all(query, call->at, call->direction, call->reach,
                                          call->filter, hits, capacity, count);
}

// All answers as a list. error has its status where it failed.
static PyObject *collect(const cn_query *query, const query_call *call, cn_status *status,
                         cn_error *error) {
    cn_query_hit few[64], *hits = few;
    int32_t count = 0, room = 64;
    *status = ask_all(query, call, hits, room, &count, error);
    if (*status == CN_OK && count > room) {
        room = count;
        hits = calloc((size_t)room, sizeof *hits);
        *status = hits ? ask_all(query, call, hits, room, &count, error) : CN_ERR_MEMORY;
    }
    PyObject *out = *status == CN_OK ? core_list(count, hit_item, hits) : NULL;
    if (hits != few) {
        free(hits);
    }
    return out;
}

static PyObject *query_end(core_sim *self, PyObject *out, cn_status status, const cn_error *error) {
    self->busy = false;
    if (!core_done(&self->env, status, error)) {
        Py_XDECREF(out);
        return NULL;
    }
    return out;
}

// _ray(all, origin 3, direction 3, reach, mask): the first hit or None; all: a list.
static PyObject *sim_ray(core_sim *self, PyObject *args) {
    query_call call = {.shape = NULL};
    PyObject *left_out;
    query_mask mask;
    int all;
    if (!PyArg_ParseTuple(args, "p(ddd)(ddd)dO", &all, &call.at[0], &call.at[1], &call.at[2],
                          &call.direction[0], &call.direction[1], &call.direction[2], &call.reach,
                          &left_out) ||
        !core_sim_ready(self) || !mask_take(self, left_out, &mask)) {
        return NULL;
    }
    PyObject *out = NULL;
    if (core_enter(&self->busy, &self->env, "simulation")) {
        cn_error error = {.status = CN_OK};
        cn_status status = query_ready(self, &error);
        call.filter = &mask.filter;
        if (status == CN_OK && all) {
            out = collect(self->query, &call, &status, &error);
        } else if (status == CN_OK) {
            cn_query_hit hit = {.body = 0};
            status =
                cn_query_ray(self->query, call.at, call.direction, call.reach, call.filter, &hit);
            out = status == CN_OK ? hit_tuple(&hit) : NULL;
        }
        out = query_end(self, out, status, &error);
    }
    mask_end(&mask);
    return out;
}

// _closest(point 3, reach, mask)
static PyObject *sim_closest(core_sim *self, PyObject *args) {
    double point[3], reach;
    PyObject *left_out;
    query_mask mask;
    if (!PyArg_ParseTuple(args, "(ddd)dO", &point[0], &point[1], &point[2], &reach, &left_out) ||
        !core_sim_ready(self) || !mask_take(self, left_out, &mask)) {
        return NULL;
    }
    PyObject *out = NULL;
    if (core_enter(&self->busy, &self->env, "simulation")) {
        cn_error error = {.status = CN_OK};
        cn_query_hit hit = {.body = 0};
        cn_status status = query_ready(self, &error);
        status = status == CN_OK ? cn_query_closest(self->query, point, reach, &mask.filter, &hit)
                                 : status;
        out = query_end(self, status == CN_OK ? hit_tuple(&hit) : NULL, status, &error);
    }
    mask_end(&mask);
    return out;
}

// Hits of all shapes of a body; a list, or NULL with a status or an exception.
static PyObject *overlap_shapes(core_sim *self, const cn_body_def *body, query_call *call,
                                cn_status *status, cn_error *error) {
    PyObject *out = PyList_New(0);
    for (int32_t k = 0; out && k < body->shape_count; k++) {
        call->shape = &body->shapes[k];
        PyObject *some = collect(self->query, call, status, error);
        if (!some || PyList_SetSlice(out, PyList_Size(out), PyList_Size(out), some) != 0) {
            Py_CLEAR(out);
        }
        Py_XDECREF(some);
    }
    return out;
}

// _overlap(file, text of a body with the shapes, margin, mask): hits, shape by shape.
static PyObject *sim_overlap(core_sim *self, PyObject *args) {
    query_call call = {.shape = NULL};
    PyObject *path, *left_out;
    const char *text;
    Py_ssize_t size;
    query_mask mask;
    if (!PyArg_ParseTuple(args, "O&s#dO", PyUnicode_FSConverter, &path, &text, &size, &call.reach,
                          &left_out)) {
        return NULL;
    }
    PyObject *out = NULL;
    if (core_sim_ready(self) && mask_take(self, left_out, &mask)) {
        if (core_enter(&self->busy, &self->env, "simulation")) {
            cn_error error = {.status = CN_OK};
            cn_arena *memory = cn_arena_create(NULL);
            cn_body_def body;
            cn_status status = memory ? query_ready(self, &error) : CN_ERR_MEMORY;
            call.filter = &mask.filter;
            if (status == CN_OK) {
                status = cn_scene_read_body(cn_sim_model(self->sim), PyBytes_AsString(path), text,
                                            (size_t)size, memory, &body, &error);
            }
            if (status == CN_OK) {
                out = overlap_shapes(self, &body, &call, &status, &error);
            }
            cn_arena_destroy(memory);
            out = query_end(self, out, status, &error);
        }
        mask_end(&mask);
    }
    Py_DECREF(path);
    return out;
}

PyMethodDef core_sim_query_methods[] = {{"_ray", (PyCFunction)sim_ray, METH_VARARGS, NULL},
                                        {"_closest", (PyCFunction)sim_closest, METH_VARARGS, NULL},
                                        {"_overlap", (PyCFunction)sim_overlap, METH_VARARGS, NULL},
                                        {NULL, NULL, 0, NULL}};
