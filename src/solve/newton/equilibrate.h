// solve/newton/equilibrate.h
// A diagonal S of powers of two that balances a matrix: exact, and a congruence.
#ifndef CAIRN_SOLVE_NEWTON_EQUILIBRATE_H
#define CAIRN_SOLVE_NEWTON_EQUILIBRATE_H

#include <cairn/problem.h>

// scale: S, so that the largest entries of row and column i of S M S are near 1; 1 where row and
// column are zero. largest: scratch. Both have room for the rows of M, which is square.
void newton_equilibrate(const cn_csr *M, double *scale, double *largest);

#endif
