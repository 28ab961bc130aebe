// solve/gauss_seidel/relaxation.h
// The relaxation factor omega of sweeps, adapted from the contraction they show.
#ifndef CAIRN_SOLVE_GAUSS_SEIDEL_RELAXATION_H
#define CAIRN_SOLVE_GAUSS_SEIDEL_RELAXATION_H

#include <cairn/base.h>

#define GS_RELAXATION_MIN 0.3
#define GS_RELAXATION_MAX 1.95

typedef struct gs_relaxation {
    double omega;
    double ceiling;    // of omega; windows that did not pay lower it
    double blamed;     // the ceiling before the last window lowered it; 0: it did not
    double last_omega; // of the window before
    double last_rate;  // contraction a sweep then; infinite: none was seen
    double first;      // step size at the beginning of the window
    int32_t steps;     // seen with this omega
    int32_t sweeps;    // in the window
} gs_relaxation;

gs_relaxation gs_relaxation_start(double omega);
// Takes note that sweeps with the omega of now have made a step of this size together; returns the
// omega for the next.
double gs_relaxation_see(gs_relaxation *s, double step, int32_t sweeps);

#endif
