// bench/bench.h
// Benchmarks. To add one: its file, and a row in command.c.
#ifndef CAIRN_BENCH_BENCH_H
#define CAIRN_BENCH_BENCH_H

#include "support/support.h"

#include <glob.h>

typedef struct cn_bench_job {
    cn_word_list files; // problem files; none: generated ones and the corpus
    int32_t repeats;    // the minimum over so many rounds counts
    bool json;
    const char *sizes; // "80,320": only the cases so marked; NULL: all that do not take long
    bool *found;       // of each character of sizes: a word that starts there marks a case
    double until;      // [s] that scenes are simulated for; 0: as each benchmark says
    const char *chart; // SVG file to write; NULL: none
} cn_bench_job;

typedef int cn_bench_fn(const cn_bench_job *job); // returns an exit code
cn_bench_fn cn_bench_kernels, cn_bench_nsgs, cn_bench_siconos, cn_bench_large, cn_bench_cold,
    cn_bench_warm, cn_bench_settling, cn_bench_masonry, cn_bench_realtime, cn_bench_scale,
    cn_bench_threads, cn_bench_accuracy;

// Whether job->sizes names a case by its mark.
bool cn_bench_wants(const cn_bench_job *job, const char *mark);

// A sweep of naive block Gauss-Seidel over assembled W (naive_sweep.c).
void cn_naive_sweep(const cn_friction *p, double *r);

// ---- problem files (problem_files.c) ----

typedef struct cn_bench_files {
    const char *const *paths;
    int32_t count;
    int32_t smallest; // contacts; smaller problems of the corpus say little, named ones all count
    glob_t found;     // what paths points into when nothing was named
    bool is_found;
} cn_bench_files;

// Those that the job names; else the files of $CAIRN_CORPUS/local; else none.
cn_bench_files cn_bench_files_find(const cn_bench_job *job);
void cn_bench_files_free(cn_bench_files *files);

// ---- peers (peer_program.c) ----

// The path of a peer program, to be freed; NULL when there is none. It is looked for in the folder
// $CAIRN_PEERS, else in bench/peers beside this executable.
char *cn_peer_find(const char *name);
// Runs argv with its standard output into text; true when it ended with code 0.
bool cn_peer_capture(char *const *argv, char *text, size_t size);
// The number after the key, which is written as "\"name\":", in the object that a peer printed.
bool cn_peer_field(const char *json, const char *key, double *value);

// Two runs of Gauss-Seidel on a problem file: CPU seconds of few and of many sweeps.
typedef struct cn_peer_times {
    double few_s, many_s;
    int64_t few, many; // sweeps really done
} cn_peer_times;
bool cn_peer_run(const char *program, const char *file, int32_t few, int32_t many,
                 cn_peer_times *times);

#endif
