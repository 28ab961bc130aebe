// app/run/steps.h
// Steps of a scene of the gallery, made for what is seen of them; no file is written.
#ifndef CAIRN_APP_RUN_STEPS_H
#define CAIRN_APP_RUN_STEPS_H

#include "support/support.h"

#define STEPS_SLACK 1e-9 // [s] of round-off in the sum of steps

// After each step; false ends the run.
typedef bool steps_fn(void *user, cn_sim *sim, const cn_step_report *report);

// From the start to the time until [s], with count settings changed. Returns an exit code; errors
// are reported.
int steps_run(const char *scene, const cn_override *set, int32_t count, double until,
              steps_fn *visit, void *user);

// Simulates a scene of the gallery to a time and hands out the problem of its last step, in body
// space. Returns an exit code; what went wrong has been said.
typedef void moment_fn(const cn_friction *problem, void *user);
int problem_at(const char *scene, const cn_override *set, int32_t count, double until,
               moment_fn *visit, void *user);

#endif
