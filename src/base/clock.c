// base/clock.c
#include "base/clock.h"

#include <time.h>

static double cn_clock_read(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double cn_clock_cpu(void) {
    return cn_clock_read(CLOCK_THREAD_CPUTIME_ID);
}

double cn_clock_steady(void) {
    return cn_clock_read(CLOCK_MONOTONIC);
}
