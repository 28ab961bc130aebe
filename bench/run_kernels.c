// bench/run_kernels.c
// The kernels of the sweep by themselves. They are inside the library, so a program that is linked
// to it from within measures them (bench/kernels); here it is run and its rows are handed on.
#include "bench/bench.h"

#include <stdlib.h>

int bench_kernels(const bench_job *job) {
    char *program = peer_find("kernels");
    if (!program) {
        return report_failure("the program that measures the kernels is not in bench/peers "
                              "beside the command, nor in $CAIRN_PEERS");
    }
    static char text[65536];
    char *repeats = format_text("--repeats=%d", (int)job->repeats);
    char *const argv[] = {program, repeats, job->json ? "--json" : NULL, NULL};
    bool good = peer_capture(argv, text, sizeof text);
    fputs(text, stdout);
    free(repeats);
    free(program);
    return good ? EXIT_DONE : report_failure("the program that measures the kernels failed");
}
