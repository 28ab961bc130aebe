// solve/drivers/params.h
// Checking a whole cn_solve_opts before a solve.
#ifndef CAIRN_SOLVE_DRIVERS_PARAMS_H
#define CAIRN_SOLVE_DRIVERS_PARAMS_H

#include <cairn/solve.h>

// Tolerance, measure and limits sensible, every field of the solver's own inside its range.
cn_status solve_opts_validate(const cn_solve_opts *opts, const cn_solver_info *info,
                              cn_error *error);

#endif
