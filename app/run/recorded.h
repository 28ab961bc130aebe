// app/run/recorded.h
// A run file together with the model of its own scene, and moments of it to look at.
#ifndef CAIRN_APP_RUN_RECORDED_H
#define CAIRN_APP_RUN_RECORDED_H

#include "draw/picture.h"

// The model of the scene that a run file holds, to be looked at and not to be run: a solver in a
// plug-in is left out. path is for errors; env: what the scene may use; NULL: nothing unusual.
cn_status run_model(const cn_env *env, cn_run *run, const char *path, cn_model **out,
                    cn_error *error);
// The same with overrides over the scene, to be run.
cn_status run_model_in(const cn_env *env, cn_run *run, const char *path,
                       const cn_override *overrides, int32_t count, cn_model **out,
                       cn_error *error);

typedef struct recorded_run {
    const char *path;
    cn_run *run;
    cn_model *model;
} recorded_run;

// On failure there is nothing to close.
cn_status recorded_open(const char *path, recorded_run *out, cn_error *error);
void recorded_close(recorded_run *recorded);

// The frame nearest to time t; -1 when there is none.
cn_status recorded_frame_at(recorded_run *recorded, double t, int64_t *index, cn_error *error);
double recorded_end(recorded_run *recorded); // time of the last frame; 0: none

typedef struct picture_stills {
    picture_still *stills;
    int32_t count;
    double *q, *nodes;
    cn_arena *memory; // contacts
} picture_stills;

// The frames nearest to these times.
cn_status stills_read(recorded_run *recorded, const double *t, int32_t count, picture_stills *out,
                      cn_error *error);
// The start of a scene, before any step.
cn_status stills_of_start(const cn_model *model, picture_stills *out, cn_error *error);
void stills_free(picture_stills *stills);

#endif
