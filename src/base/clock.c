// base/clock.c
#include "base/clock.h"

#include <time.h>

static double clock_read(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double base_clock_cpu(void) {
    return clock_read(CLOCK_THREAD_CPUTIME_ID);
}

double base_clock_steady(void) {
    return clock_read(CLOCK_MONOTONIC);
}
