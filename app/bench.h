// app/bench.h
// Benchmarks. To add one: its file, and a row in command_bench.c.
#ifndef CAIRN_APP_BENCH_H
#define CAIRN_APP_BENCH_H

#include "app.h"

typedef struct cn_bench_job {
    cn_word_list files; // problem files; none: generated ones and the corpus
    int32_t repeats;    // the minimum over so many rounds counts
    bool json;
} cn_bench_job;

typedef int cn_bench_fn(const cn_bench_job *job); // returns an exit code
cn_bench_fn cn_bench_nsgs;

// A sweep of naive block Gauss-Seidel over assembled W (bench_naive.c).
void cn_naive_sweep(const cn_friction *p, double *r);

// Two runs of a peer program on a problem file (bench_peer.c): CPU seconds of few and of many
// sweeps.
typedef struct cn_peer_times {
    double few_s, many_s;
    int64_t few, many; // sweeps really done
} cn_peer_times;
// The path of a peer program, to be freed; NULL when there is none. It is looked for in the folder
// $CAIRN_PEERS, else in bench/peers beside this executable.
char *cn_peer_find(const char *name);
bool cn_peer_run(const char *program, const char *file, int32_t few, int32_t many,
                 cn_peer_times *times);

#endif
