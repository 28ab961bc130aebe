// tests/shots.h
// Runs of scenes that watch penetration, energy and what the step reports about fast pairs; used by
// the tests of curved contacts, tunnelling, position projection and activation.
#ifndef CAIRN_TESTS_SHOTS_H
#define CAIRN_TESTS_SHOTS_H

#include "figures.h"
#include "world.h"

// A run so far. Energies [J], lengths [m].
typedef struct watch {
    double start;       // energy at the start
    double given;       // work from outside and by the projection
    double correction;  // the projection's part of it
    double lost;        // dissipated by friction, impacts and the scheme
    double rise;        // largest gain of energy in one step, less the work given
    double above;       // largest energy above the start, less the work given
    double penetration; // largest of all steps watched
    double kinetic;     // largest
    double balance;     // largest error of one step's balance
    int64_t iterations; // of the solver, all steps
    int64_t passed, limited, early;
} watch;

static inline watch watch_start(const world *w) {
    return (watch){.start = w->energy, .rise = -HUGE_VAL, .above = -HUGE_VAL};
}

static inline void watch_step(world *w, watch *run) {
    double before = w->energy;
    world_step(w);
    double given = w->last.work_external + w->last.work_joints + w->last.work_correction;
    run->given += given;
    run->correction += w->last.work_correction;
    run->lost +=
        w->last.dissipated_friction + w->last.dissipated_impact + w->last.dissipated_numerical;
    run->rise = fmax(run->rise, w->energy - before - given);
    run->above = fmax(run->above, w->energy - run->start - run->given);
    run->penetration = fmax(run->penetration, w->last.penetration_max);
    run->kinetic = fmax(run->kinetic, w->last.kinetic);
    run->balance = fmax(run->balance, fabs(w->last.balance_error));
    run->iterations += w->last.iterations;
    run->passed += w->last.passed;
    run->limited += w->last.limited;
    run->early += w->last.early;
}

// Steps until time t [s], to the nearest step of h.
static inline void watch_run(world *w, watch *run, double h, double t) {
    for (int64_t left = (int64_t)llround(t / h) - cn_sim_step_index(w->sim); left > 0; left--) {
        watch_step(w, run);
    }
}

// Energy of the run's end against that of its start and the work done in between.
static inline double watch_change(const world *w, const watch *run) {
    return w->energy - run->start - run->given;
}

#endif
