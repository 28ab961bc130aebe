// bench/run_kernels.c
// The kernels of the sweep by themselves. They are inside the library, so a program that is linked
// to it from within measures them (bench/kernels); here it is run and its rows are handed on.
#include "bench/bench.h"

#include <stdlib.h>

int cn_bench_kernels(const cn_bench_job *job) {
    char *program = cn_peer_find("kernels");
    if (!program) {
        return cn_report_failure("the program that measures the kernels is not in bench/peers "
                                 "beside the command, nor in $CAIRN_PEERS");
    }
    static char text[65536];
    char *repeats = cn_text("--repeats=%d", (int)job->repeats);
    char *const argv[] = {program, repeats, job->json ? "--json" : NULL, NULL};
    bool good = cn_peer_capture(argv, text, sizeof text);
    fputs(text, stdout);
    free(repeats);
    free(program);
    return good ? CN_EXIT_DONE : cn_report_failure("the program that measures the kernels failed");
}
