// bench/bench.h
// Benchmarks. To add one: its file, and a row in command.c.
#ifndef CAIRN_BENCH_BENCH_H
#define CAIRN_BENCH_BENCH_H

#include "support/arguments.h"
#include "support/support.h"
#include "support/table_writer.h"

#include <glob.h>

typedef struct bench_job {
    word_list files; // problem files; none: generated ones and the corpus
    int32_t repeats; // the minimum over so many rounds counts
    bool json;
    const char *sizes; // "80,320": only the cases so marked; NULL: all that do not take long
    bool *found;       // of each character of sizes: a word that starts there marks a case
    double until;      // [s] that scenes are simulated for; 0: as each benchmark says
    const char *chart; // SVG file to write; NULL: none
} bench_job;

typedef int bench_fn(const bench_job *job); // returns an exit code
bench_fn bench_kernels, bench_nsgs, bench_siconos, bench_large, bench_cold, bench_warm,
    bench_settling, bench_masonry, bench_realtime, bench_scale, bench_threads, bench_accuracy,
    bench_recording, bench_interact, bench_python, bench_deformable;

// Whether job->sizes names a case by its mark.
bool bench_wants(const bench_job *job, const char *mark);

// A row of a benchmark as a line of JSON: {"bench": name, and what is put between.
json_writer bench_row_start(const char *bench);
void bench_row_end(json_writer *row);

// ---- problem files (problem_files.c) ----

typedef struct bench_files {
    const char *const *paths;
    int32_t count;
    int32_t smallest; // contacts; smaller problems of the corpus say little, named ones all count
    glob_t found;     // what paths points into when nothing was named
    bool is_found;
} bench_files;

// Those that the job names; else the files of $CAIRN_CORPUS/local; else none.
bench_files bench_files_find(const bench_job *job);
void bench_files_free(bench_files *files);

// ---- peers (peer_program.c) ----

// The path of a peer program, to be freed; NULL when there is none. It is looked for in the folder
// $CAIRN_PEERS, else in bench/peers beside this executable.
char *peer_find(const char *name);
// Runs argv with its standard output into text; true when it ended with code 0.
bool peer_capture(char *const *argv, char *text, size_t size);
// The number after the key, which is written as "\"name\":", in the object that a peer printed.
bool peer_field(const char *json, const char *key, double *value);

// Two runs of Gauss-Seidel on a problem file: CPU seconds of few and of many sweeps.
typedef struct peer_times {
    double few_s, many_s;
    int64_t few, many; // sweeps really done
} peer_times;
bool peer_run(const char *program, const char *file, int32_t few, int32_t many, peer_times *times);

#endif
