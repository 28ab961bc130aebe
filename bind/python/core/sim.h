// sim.h
// A simulation as Python holds it, for the files that step it, look at it and record it.
#ifndef CAIRN_CORE_SIM_H
#define CAIRN_CORE_SIM_H

#include "core.h"

typedef struct core_sim {
    PyObject_HEAD cn_sim *sim;
    core_model *model;
    PyObject *report; // of the last step; NULL: none
    PyObject *kept;   // the contacts last read, without what takes long to compute; NULL: none
    PyObject *solver; // the call of a solver written in Python; NULL: none
    char *solver_name;
    PyObject *view;     // of its own model, where its bodies have changed; NULL: nobody asked
    PyObject *progress; // what is called during steps; NULL: nothing
    cn_recorder *recorder;
    cn_query *query;             // for rays; NULL: nobody asked yet
    unsigned long long query_at; // `changes` of the bodies that it has
    core_env env;
    double frames_every, checkpoint_every; // [s]
    int64_t recorded;                      // the step of the last frame; -1: none
    unsigned long long changes;            // of the state: steps, restores, writes
    bool busy, strict;
} core_sim;

bool core_sim_ready(core_sim *self); // false: raised
// Before the state changes: contacts that somebody holds are given what they lack, so that they stay
// what they are. false: raised.
bool core_sim_let_go(core_sim *self);
// Before bodies change or the simulation ends: whoever holds its model keeps what was read of it.
void core_sim_drop_view(core_sim *self);
// Around what changes it: false: raised, or None.
bool core_sim_start(core_sim *self);
PyObject *core_sim_finish(core_sim *self, cn_status status, const cn_error *error);
// After a step that was made, without the GIL.
cn_status core_sim_record(core_sim *self, const cn_step_report *report, cn_error *error);
// Ends the run file of a simulation that nobody holds any more.
void core_sim_record_drop(core_sim *self);

extern PyMethodDef core_sim_act_methods[], core_sim_edit_methods[], core_sim_look_methods[],
    core_sim_query_methods[], core_sim_record_methods[];

#endif
