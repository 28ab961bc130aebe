// tests/solve_named.h
// Solves by a solver of the table, by its name.
#ifndef CAIRN_TESTS_SOLVE_NAMED_H
#define CAIRN_TESTS_SOLVE_NAMED_H

#include "check.h"

#include <cairn/solve.h>
#include <string.h>

// From r = 0, with the solver's own settings but the tolerance.
static inline cn_solve_report solve_from_zero(const cn_friction *p, const char *name,
                                              double tolerance, cn_arena *arena, double *r,
                                              double *u) {
    const cn_friction_solver *solver = cn_friction_solver_find(name);
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    cn_solve_report report;
    opts.tolerance = tolerance;
    memset(r, 0, sizeof *r * (size_t)(p->dim * p->contacts));
    assert_int_equal(cn_friction_solve(p, solver, &opts, arena, r, u, &report, NULL), CN_OK);
    return report;
}

#endif
