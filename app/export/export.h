// app/export/export.h
// What `cairn export` writes: one function for each format.
#ifndef CAIRN_APP_EXPORT_EXPORT_H
#define CAIRN_APP_EXPORT_EXPORT_H

#include "run/recorded.h"

typedef struct export_job {
    const char *folder;  // exists; formats that are one file: that file
    const char *name;    // of the run, for file names
    int64_t first, last; // steps to export; last < first: see each format's default
    bool quiet;
} export_job;

// ledger.csv, frames.csv and contacts.csv; all steps by default. Returns an exit code.
int export_csv(const export_job *job, recorded_run *recorded);
// One HTML file with the page and the data; all frames by default.
int export_html(const export_job *job, recorded_run *recorded);
// NAME.pvd with bodies-STEP.vtp, contacts-STEP.vtp and, where bodies deform, deformable-STEP.vtu
// for each frame; all by default.
int export_pvd(const export_job *job, recorded_run *recorded);
// One binary glTF 2.0 file: a mesh per shape, a node per body, moved as in the frames.
int export_gltf(const export_job *job, recorded_run *recorded);
// NAME-STEP.hdf5 for each step with contacts; the last step by default. A run file does not hold
// the problems, so the scene is simulated again up to the last step asked for, and every recorded
// frame on the way is compared.
int export_fclib(const export_job *job, recorded_run *recorded);

#endif
