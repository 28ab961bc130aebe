// step/clock.c
// Divides the CPU time of a step among its phases. CPU time is slow to ask for, so phases are timed
// by a cheap clock and share the CPU time of a longer stretch in its proportions.
#include "step/clock.h"

#include "base/clock.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define PHASE_LONG 2e-4 // [s] which the clock of CPU time adds nothing to, so that it is asked

// Each phase since the last time has its share of the CPU time that all took. Time when the
// processor did something else is counted off the longest, where it most likely was.
static void share_out(step_phase_clock *clock, double now) {
    double cpu = base_clock_cpu(), used = cpu - clock->began_cpu,
           elsewhere = now - clock->began - used;
    int32_t longest = 0;
    for (int32_t i = 1; i < STEP_PHASES; i++) {
        longest = clock->taken[i] > clock->taken[longest] ? i : longest;
    }
    if (elsewhere > 0.0) {
        clock->taken[longest] = fmax(clock->taken[longest] - elsewhere, 0.0);
    }
    double all = 0.0;
    for (int32_t i = 0; i < STEP_PHASES; i++) {
        all += clock->taken[i];
    }
    for (int32_t i = 0; i < STEP_PHASES; i++) {
        clock->cpu[i] += all > 0.0 ? clock->taken[i] / all * used : 0.0;
        clock->taken[i] = 0.0;
    }
    clock->began = now;
    clock->began_cpu = cpu;
}

void step_enter(step_phase_clock *clock, step_phase phase) {
    bool first = clock->phase == STEP_PHASES;
    clock->began_cpu = first ? base_clock_cpu() : clock->began_cpu;
    double now = base_clock_steady();
    if (first) {
        clock->began = now;
    } else {
        clock->taken[clock->phase] += now - clock->entered;
    }
    clock->phase = phase;
    clock->entered = now;
    if (clock->tell && phase != STEP_PHASES) {
        clock->tell(clock->user, phase);
    }
    if (phase == STEP_PHASES || now - clock->began > PHASE_LONG) {
        share_out(clock, now);
    }
}
