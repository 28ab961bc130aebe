// solve/newton/newton_correct.h
// A Newton step or two that lower the error of an iterate, and nothing more: for sweeps that wander
// a little above a loose tolerance.
#ifndef CAIRN_SOLVE_NEWTON_NEWTON_CORRECT_H
#define CAIRN_SOLVE_NEWTON_NEWTON_CORRECT_H

#include "solve/newton/newton_system.h"

// Improves r by at most so many steps, until its error is within the tolerance or a step does not
// lower it; then r is the better one. Where the error is beyond far, none. *error: of what r has become. *steps: made.
// The problem of the system has contacts only, no joint rows. CN_ERR_MEMORY: scratch is full.
cn_status newton_correct(newton_system *system, cn_measure measure, double tolerance, double far,
                         int32_t max, cn_arena *scratch, double *r, double *u, double *error,
                         int32_t *steps);

#endif
