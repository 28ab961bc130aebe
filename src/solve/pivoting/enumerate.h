// solve/pivoting/enumerate.h
// Tiny 2D problems solved outright, by trying every combination of contact statuses.
#ifndef CAIRN_SOLVE_PIVOTING_ENUMERATE_H
#define CAIRN_SOLVE_PIVOTING_ENUMERATE_H

#include <cairn/solve.h>

#define PIVOT_ENUMERATE_MAX                                                                        \
    3 // contacts: beyond it a few sweeps cost less than 4^contacts linear systems

// r: out, the combination with the smallest residual in the measure asked for. Returns that
// residual; infinite when p is not 2D, too large, convex, or no combination has a finite answer.
// *tried: linear systems solved.
double pivot_enumerate_2d(const cn_friction *p, cn_measure measure, double tolerance, double *r,
                          int32_t *tried);

#endif
