// solve/friction_rows.h
// The functions that the rows of the friction table name. One line a solver.
#ifndef CAIRN_SOLVE_FRICTION_ROWS_H
#define CAIRN_SOLVE_FRICTION_ROWS_H

#include <cairn/solve.h>

cn_friction_fn cn_friction_auto;
cn_friction_fn cn_friction_nsgs;
cn_friction_fn cn_friction_fixed_point;
cn_friction_fn cn_friction_extra_gradient;

#endif
