// bench/problem_files.c
// The problem files of a benchmark; see bench.h.
#include "bench/bench.h"

#include <stdlib.h>

#define CN_BENCH_SMALLEST 20 // contacts

cn_bench_files cn_bench_files_find(const cn_bench_job *job) {
    cn_bench_files files = {.paths = job->files.words, .count = job->files.count, .smallest = 1};
    const char *corpus = getenv("CAIRN_CORPUS");
    if (files.count > 0 || !corpus || !corpus[0]) {
        return files;
    }
    char *pattern = cn_text("%s/local/*.hdf5", corpus);
    files.is_found = glob(pattern, 0, NULL, &files.found) == 0;
    if (files.is_found) {
        files.paths = (const char *const *)files.found.gl_pathv;
        files.count = (int32_t)files.found.gl_pathc;
        files.smallest = CN_BENCH_SMALLEST;
    }
    free(pattern);
    return files;
}

void cn_bench_files_free(cn_bench_files *files) {
    if (files->is_found) {
        globfree(&files->found);
    }
    *files = (cn_bench_files){.count = 0};
}
