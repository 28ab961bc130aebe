// record/run.h
// An open run file, as the files of this room share it.
#ifndef CAIRN_RECORD_RUN_H
#define CAIRN_RECORD_RUN_H

#include "record/layout.h"

typedef struct cn_run_meta_row {
    struct cn_run_meta_row *next;
    const char *key, *value;
} cn_run_meta_row;

struct cn_run {
    cn_arena *memory;
    cn_arena *meta;             // the next one
    cn_run_meta_row *meta_rows; // a list
    cn_database *database;
    int32_t dim, bodies;
    bool convex; // friction is that of the convex problem
    int64_t frames;
    cn_arena *moments; // the next two
    int64_t *steps;    // of the frames, ascending
    double *times;
};

#endif
