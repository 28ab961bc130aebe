// app/run/recorded.h
// A run file together with the model of its own scene, and moments of it to look at.
#ifndef CAIRN_APP_RUN_RECORDED_H
#define CAIRN_APP_RUN_RECORDED_H

#include "draw/picture.h"

// The model of the scene that a run file holds, with overrides over it. path is for errors.
cn_status cn_run_model(cn_run *run, const char *path, const cn_override *overrides, int32_t count,
                       cn_model **out, cn_error *error);
// The same with what the scene may use; NULL: nothing out of the ordinary.
cn_status cn_run_model_in(const cn_env *env, cn_run *run, const char *path,
                          const cn_override *overrides, int32_t count, cn_model **out,
                          cn_error *error);

typedef struct cn_recorded {
    const char *path;
    cn_run *run;
    cn_model *model;
} cn_recorded;

// On failure there is nothing to close.
cn_status cn_recorded_open(const char *path, cn_recorded *out, cn_error *error);
void cn_recorded_close(cn_recorded *recorded);

// The frame nearest to time t; -1 when there is none.
cn_status cn_recorded_frame_at(cn_recorded *recorded, double t, int64_t *index, cn_error *error);
double cn_recorded_end(cn_recorded *recorded); // time of the last frame; 0: none

typedef struct cn_stills {
    cn_still *stills;
    int32_t count;
    double *q;
    cn_arena *memory; // contacts
} cn_stills;

// The frames nearest to these times.
cn_status cn_stills_read(cn_recorded *recorded, const double *t, int32_t count, cn_stills *out,
                         cn_error *error);
// The start of a scene, before any step.
cn_status cn_stills_of_start(const cn_model *model, cn_stills *out, cn_error *error);
void cn_stills_free(cn_stills *stills);

// Writes the picture to a new file: SVG, or PNG when the name ends so and a program for it is
// there. Returns an exit code.
int cn_picture_save(const cn_picture *picture, const char *path);

#endif
