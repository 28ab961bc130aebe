// solve/drivers/drive.h
// The driver of friction solvers for callers that have a clock of their own.
#ifndef CAIRN_SOLVE_DRIVERS_DRIVE_H
#define CAIRN_SOLVE_DRIVERS_DRIVE_H

#include <cairn/solve.h>

// As cn_friction_solve. timed false: report->cpu_s is 0, and the clock, which takes as long as a
// sweep over two hundred contacts, is left alone.
cn_status solve_friction_drive(const cn_friction *p, const cn_friction_solver *solver,
                               const cn_solve_opts *opts, bool timed, cn_arena *scratch, double *r,
                               double *u, cn_solve_report *report, cn_error *error);

#endif
