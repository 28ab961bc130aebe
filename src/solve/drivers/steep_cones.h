// solve/drivers/steep_cones.h
// Problems with very large friction coefficients, by way of smaller ones.
#ifndef CAIRN_SOLVE_DRIVERS_STEEP_CONES_H
#define CAIRN_SOLVE_DRIVERS_STEEP_CONES_H

#include <cairn/solve.h>

// Whether a friction coefficient of p is so large that solve_steep_cones is the better way.
bool solve_has_steep_cones(const cn_friction *p);
// Solves p by solve, whose own parameters are gs_nsgs_params, first with smaller coefficients.
// Limits of opts are for all of it. u may be NULL.
cn_status solve_steep_cones(const cn_friction *p, cn_friction_fn *solve, const cn_solve_opts *opts,
                            cn_arena *scratch, double *r, double *u, cn_solve_report *report);

#endif
