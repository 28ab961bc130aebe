// record/run.h
// An open run file, as the files of this room share it.
#ifndef CAIRN_RECORD_RUN_H
#define CAIRN_RECORD_RUN_H

#include "record/layout.h"

typedef struct rec_run_meta_row {
    struct rec_run_meta_row *next;
    const char *key, *value;
} rec_run_meta_row;

struct cn_run {
    cn_arena *memory;
    cn_arena *meta;              // the next one
    rec_run_meta_row *meta_rows; // a list
    io_database *database;
    int32_t dim, bodies;
    bool convex; // friction is that of the convex problem
    int64_t frames;
    cn_arena *moments; // the next two
    int64_t *steps;    // of the frames, ascending
    double *times;
};

#endif
