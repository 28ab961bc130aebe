// solve/gauss_seidel/relaxation.c
// Adaptive successive over-relaxation. For a linear problem of the usual kind a sweep with omega
// contracts by lambda, where
//     (lambda + omega - 1)^2 = lambda omega^2 mu^2        (mu: contraction of Jacobi's iteration)
// so lambda, seen over some sweeps, gives mu, and mu the best factor 2 / (1 + sqrt(1 - mu^2))
// (Young 1971; Hageman and Young, Applied Iterative Methods, 1981, chapter 9).
//
// Contact is not linear: statuses change, and a set that lacks rank does not contract at all. So
// omega rises by steps under a ceiling. A rise that did not pay is taken back and lowers the
// ceiling, unless taking it back did not pay either; steps that grow lower omega, below 1 if they
// grow fast. Bad where the contraction is irregular; Anderson acceleration is the better default.
#include "solve/gauss_seidel/relaxation.h"

#include <math.h>

#define RELAXATION_SETTLE 4   // steps after a change, before the contraction is that of omega
#define RELAXATION_WINDOW 10  // steps over which it is seen
#define RELAXATION_CREEP 0.05 // of the way up, for the ceiling, in a window without trouble
#define RELAXATION_OVER 1.1   // omega with which growing steps may be the fault of what is over 1
#define RELAXATION_FALL 0.8   // of a smaller one, with which the steps still grow
#define RELAXATION_DIVERGES 1.01 // growth a sweep that is more than a change of statuses
#define RELAXATION_CLOSE 0.01    // changes of omega below this are not worth the settling

gs_relaxation gs_relaxation_start(double omega) {
    return (gs_relaxation){.omega = omega,
                           .ceiling = fmax(omega, GS_RELAXATION_MAX),
                           .last_omega = omega,
                           .last_rate = INFINITY};
}

// The best factor by the linear theory, at most half-way from omega to 2.
static double relaxation_best(double omega, double rate) {
    double root = (rate + omega - 1.0) / omega;
    double jacobi = fmin(root * root / rate, 1.0); // mu^2
    return fmin(2.0 / (1.0 + sqrt(1.0 - jacobi)), 0.5 * (omega + 2.0));
}

// The next omega after a window that contracted by rate per sweep.
static double relaxation_next(gs_relaxation *s, double rate) {
    double omega = s->omega, blamed = s->blamed;
    s->blamed = 0.0;
    if (blamed > 0.0 && rate >= s->last_rate) {
        // No better with the smaller omega: the larger was not to blame.
        s->ceiling = blamed;
    }
    if (!(rate < 1.0)) {
        s->blamed = s->ceiling;
        s->ceiling = omega > RELAXATION_OVER         ? 0.5 * (1.0 + omega)
                     : !(rate < RELAXATION_DIVERGES) ? RELAXATION_FALL * omega
                                                     : fmin(omega, 1.0);
        return s->ceiling;
    }
    if (omega > s->last_omega && rate > s->last_rate) {
        s->blamed = s->ceiling;
        s->ceiling = 0.5 * (omega + s->last_omega);
        return s->last_omega;
    }
    s->ceiling += RELAXATION_CREEP * (GS_RELAXATION_MAX - s->ceiling);
    // Past the best factor every eigenvalue has modulus omega - 1, and nothing is to be learnt.
    return rate > omega - 1.0 ? relaxation_best(omega, rate) : omega;
}

double gs_relaxation_see(gs_relaxation *s, double step, int32_t sweeps) {
    if (s->steps++ < RELAXATION_SETTLE) {
        s->first = step;
        s->sweeps = 0;
        return s->omega;
    }
    s->sweeps += sweeps;
    if (s->steps < RELAXATION_SETTLE + RELAXATION_WINDOW || !(s->first > 0.0)) {
        return s->omega;
    }
    double rate = step > 0.0 ? pow(step / s->first, 1.0 / s->sweeps) : 0.0;
    double next = relaxation_next(s, rate);
    next = fmax(fmin(next, s->ceiling), GS_RELAXATION_MIN);
    // A small change is not made: the next window need not settle.
    if (fabs(next - s->omega) > RELAXATION_CLOSE) {
        s->last_omega = s->omega;
        s->last_rate = rate;
        s->omega = next;
        s->steps = 0;
    } else {
        s->steps = RELAXATION_SETTLE;
        s->first = step;
        s->sweeps = 0;
    }
    return s->omega;
}
