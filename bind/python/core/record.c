// record.c
// A simulation's run file: what is recorded when depends on the number of the step alone, as for
// the command.
#include "sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define GRID_SLACK 1e-6 // of a step

// Whether something that happens every so often [s] is due after this step of length h.
static bool is_due(int64_t step, double h, double every) {
    double ratio = every / h;
    if (!(ratio > 1.0)) {
        return true;
    }
    return floor(((double)step + GRID_SLACK) / ratio) >
           floor(((double)step - 1.0 + GRID_SLACK) / ratio);
}

static cn_status record_event(core_sim *self, const cn_step_report *report, cn_error *error) {
    char text[200];
    if (report->outcome != CN_SOLVED) {
        snprintf(text, sizeof text, "not solved: %s after %d iterations of %s, residual %.3g",
                 cn_outcome_text(report->outcome), (int)report->iterations, report->solver,
                 report->residual);
        CN_TRY(cn_recorder_event(self->recorder, report->step, report->t, text, error));
    }
    if (report->passed > 0) {
        snprintf(text, sizeof text, "may have passed: body %d through body %d",
                 (int)report->passed_candidate, (int)report->passed_antagonist);
        CN_TRY(cn_recorder_event(self->recorder, report->step, report->t, text, error));
    }
    return CN_OK;
}

cn_status core_sim_record(core_sim *self, const cn_step_report *report, cn_error *error) {
    double h = cn_model_settings(self->model->model)->step;
    CN_TRY(cn_recorder_ledger(self->recorder, report, error));
    CN_TRY(cn_recorder_columns(self->recorder, self->sim, error));
    CN_TRY(record_event(self, report, error));
    if (is_due(report->step, h, self->frames_every)) {
        CN_TRY(cn_recorder_frame(self->recorder, self->sim, error));
        self->recorded = report->step;
    }
    if (is_due(report->step, h, self->checkpoint_every)) {
        CN_TRY(cn_recorder_checkpoint(self->recorder, self->sim, error));
    }
    return CN_OK;
}

static void now_text(char text[32]) {
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

static cn_status record_start(core_sim *self, const char *path, bool overwrite, cn_error *error) {
    const cn_settings *settings = cn_model_settings(self->model->model);
    char now[32], tolerance[32];
    now_text(now);
    snprintf(tolerance, sizeof tolerance, "%.17g", settings->tolerance);
    CN_TRY(cn_recorder_create(&self->env.env, path, overwrite, self->sim, &self->recorder, error));
    const char *const meta[][2] = {{"flags", "python"},
                                   {"seed", "none"},
                                   {"tolerance", tolerance},
                                   {"started", now},
                                   {"status", "running"}};
    for (size_t i = 0; i < sizeof meta / sizeof meta[0]; i++) {
        CN_TRY(cn_recorder_meta(self->recorder, meta[i][0], meta[i][1], error));
    }
    CN_TRY(cn_recorder_frame(self->recorder, self->sim, error));
    self->recorded = cn_sim_step_index(self->sim);
    return cn_recorder_flush(self->recorder, error);
}

// _record(path, overwrite, frames_every)
static PyObject *sim_record(core_sim *self, PyObject *args) {
    PyObject *path;
    int overwrite;
    double every;
    if (!PyArg_ParseTuple(args, "O&pd", PyUnicode_FSConverter, &path, &overwrite, &every)) {
        return NULL;
    }
    bool good = core_sim_ready(self);
    if (good && self->recorder) {
        PyErr_SetString(PyExc_RuntimeError, "this simulation is recorded already");
        good = false;
    }
    good = good && core_enter(&self->busy, &self->env, "simulation");
    if (good) {
        cn_error error = {.status = CN_OK};
        self->frames_every = every;
        self->checkpoint_every = cn_model_settings(self->model->model)->checkpoint_every;
        core_begin(&self->env);
        cn_status status = record_start(self, PyBytes_AsString(path), overwrite != 0, &error);
        if (status != CN_OK && self->recorder) {
            cn_recorder_close(self->recorder, NULL);
            self->recorder = NULL;
        }
        core_end(&self->env);
        self->busy = false;
        good = core_done(&self->env, status, &error);
    }
    Py_DECREF(path);
    if (!good) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static cn_status record_finish(core_sim *self, cn_error *error) {
    const cn_settings *settings = cn_model_settings(self->model->model);
    int64_t step = cn_sim_step_index(self->sim);
    bool done = (double)step >= settings->until / settings->step - GRID_SLACK;
    char now[32], hash[20];
    now_text(now);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)cn_sim_hash(self->sim));
    if (self->recorded != step) {
        CN_TRY(cn_recorder_frame(self->recorder, self->sim, error));
        self->recorded = step;
    }
    CN_TRY(cn_recorder_checkpoint(self->recorder, self->sim, error));
    CN_TRY(cn_recorder_meta(self->recorder, "ended", now, error));
    CN_TRY(cn_recorder_meta(self->recorder, "status", done ? "done" : "interrupted", error));
    return cn_recorder_meta(self->recorder, "state_hash", hash, error);
}

// Ends the run file.
static PyObject *sim_record_end(core_sim *self, PyObject *unused) {
    (void)unused;
    if (!core_sim_ready(self) || !self->recorder) {
        PyErr_Clear();
        Py_RETURN_NONE;
    }
    if (!core_enter(&self->busy, &self->env, "simulation")) {
        return NULL;
    }
    cn_error error = {.status = CN_OK}, closing = {.status = CN_OK};
    core_begin(&self->env);
    cn_status status = record_finish(self, &error);
    cn_status closed = cn_recorder_close(self->recorder, &closing);
    self->recorder = NULL;
    core_end(&self->env);
    self->busy = false;
    bool failed = status != CN_OK;
    if (!core_done(&self->env, failed ? status : closed, failed ? &error : &closing)) {
        return NULL;
    }
    Py_RETURN_NONE;
}

void core_sim_record_drop(core_sim *self) {
    if (self->recorder) {
        record_finish(self, NULL);
        cn_recorder_close(self->recorder, NULL);
        self->recorder = NULL;
    }
}

static PyObject *sim_recording(core_sim *self, PyObject *unused) {
    (void)unused;
    return PyBool_FromLong(self->recorder != NULL);
}

// Puts what was recorded onto the disk for other readers; _note(text) adds an event too.
static PyObject *sim_note(core_sim *self, PyObject *args) {
    const char *text = NULL;
    if (!core_sim_ready(self) || !PyArg_ParseTuple(args, "|z", &text)) {
        return NULL;
    }
    if (!self->recorder || !core_enter(&self->busy, &self->env, "simulation")) {
        return PyErr_Occurred() ? NULL : PyBool_FromLong(0);
    }
    cn_error error = {.status = CN_OK};
    cn_status status = CN_OK;
    if (text) {
        status = cn_recorder_event(self->recorder, cn_sim_step_index(self->sim),
                                   cn_sim_time(self->sim), text, &error);
    }
    status = status == CN_OK ? cn_recorder_flush(self->recorder, &error) : status;
    self->busy = false;
    return core_done(&self->env, status, &error) ? PyBool_FromLong(1) : NULL;
}

// _frame(): records one now.
static PyObject *sim_frame(core_sim *self, PyObject *unused) {
    (void)unused;
    if (!core_sim_ready(self) || !core_enter(&self->busy, &self->env, "simulation")) {
        return NULL;
    }
    cn_error error = {.status = CN_OK};
    cn_status status = CN_OK;
    if (self->recorder && self->recorded != cn_sim_step_index(self->sim)) {
        status = cn_recorder_frame(self->recorder, self->sim, &error);
        self->recorded = cn_sim_step_index(self->sim);
    }
    self->busy = false;
    if (!core_done(&self->env, status, &error)) {
        return NULL;
    }
    Py_RETURN_NONE;
}

PyMethodDef core_sim_record_methods[] = {
    {"_record", (PyCFunction)sim_record, METH_VARARGS, NULL},
    {"_record_end", (PyCFunction)sim_record_end, METH_NOARGS, NULL},
    {"_recording", (PyCFunction)sim_recording, METH_NOARGS, NULL},
    {"_note", (PyCFunction)sim_note, METH_VARARGS, NULL},
    {"_record_frame", (PyCFunction)sim_frame, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};
