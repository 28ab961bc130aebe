// bench/problem_files.c
// The problem files of a benchmark; see bench.h.
#include "bench/bench.h"

#include <stdlib.h>

#define BENCH_SMALLEST 20 // contacts

bench_files bench_files_find(const bench_job *job) {
    bench_files files = {.paths = job->files.words, .count = job->files.count, .smallest = 1};
    const char *corpus = getenv("CAIRN_CORPUS");
    if (files.count > 0 || !corpus || !corpus[0]) {
        return files;
    }
    char *pattern = format_text("%s/local/*.hdf5", corpus);
    files.is_found = glob(pattern, 0, NULL, &files.found) == 0;
    if (files.is_found) {
        files.paths = (const char *const *)files.found.gl_pathv;
        files.count = (int32_t)files.found.gl_pathc;
        files.smallest = BENCH_SMALLEST;
    }
    free(pattern);
    return files;
}

void bench_files_free(bench_files *files) {
    if (files->is_found) {
        globfree(&files->found);
    }
    *files = (bench_files){.count = 0};
}
