// app/export/export.h
// What `cairn export` writes: one function for each format.
#ifndef CAIRN_APP_EXPORT_EXPORT_H
#define CAIRN_APP_EXPORT_EXPORT_H

#include "run/recorded.h"

typedef struct cn_export_job {
    const char *folder;  // exists; formats that are one file: that file
    const char *name;    // of the run, for file names
    int64_t first, last; // steps to export; last < first: see each format's default
    bool quiet;
} cn_export_job;

// ledger.csv, frames.csv and contacts.csv; all steps by default. Returns an exit code.
int cn_export_csv(const cn_export_job *job, cn_recorded *recorded);
// One HTML file with the page and the data; all frames by default.
int cn_export_html(const cn_export_job *job, cn_recorded *recorded);
// NAME.pvd with bodies-STEP.vtp and contacts-STEP.vtp for each frame; all by default.
int cn_export_pvd(const cn_export_job *job, cn_recorded *recorded);
// One binary glTF 2.0 file: a mesh a shape, a node a body, moved as in the frames.
int cn_export_gltf(const cn_export_job *job, cn_recorded *recorded);
// NAME-STEP.hdf5 for each step with contacts; the last step by default. A run file does not hold
// the problems, so the scene is simulated again up to the last step asked for, and every recorded
// frame on the way is compared.
int cn_export_fclib(const cn_export_job *job, cn_recorded *recorded);

#endif
