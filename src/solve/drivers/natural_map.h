// solve/drivers/natural_map.h
// How wrong an iterate is, fast: what a solver looks at to decide when to stop. The checker in
// problem/ is a second, plain implementation on purpose and has the last word.
#ifndef CAIRN_SOLVE_DRIVERS_NATURAL_MAP_H
#define CAIRN_SOLVE_DRIVERS_NATURAL_MAP_H

#include <cairn/solve.h>

// A norm of q below this times max(1, |r| tr W / m) is round-off; the residual is absolute then.
#define SOLVE_NATURAL_ROUNDOFF 1e-15
// CN_MEASURE_MAX does not divide by less than this.
#define SOLVE_NATURAL_TINY 2e-16
// Above this mu, |e|^2 of a contact is at least this weight times min(r_N / rho, u_N)^2, as the
// checker has it; up to it that holds anyway. weight = 1 / (1 + SOLVE_NATURAL_STEEP^2).
#define SOLVE_NATURAL_STEEP 1.0
#define SOLVE_NATURAL_NORMAL_WEIGHT 0.5

// The residual that measure names, as cn_grade defines it, of an r with u = W r + q. NaN or
// infinite where r or u is. No allocation.
double solve_natural_error(const cn_friction *p, cn_measure measure, const double *r,
                           const double *u);
// The same by the threads of env, to the bit.
double solve_natural_error_by(const cn_env *env, const cn_friction *p, cn_measure measure,
                              const double *r, const double *u);
// What it divides |e| by.
double solve_natural_size(const cn_friction *p, cn_measure measure, const double *r,
                          const double *u);

// What the scaled measure divides |e| by, but for |r|, which only matters where q is round-off.
typedef struct solve_natural_unit {
    double size;          // |q| of the pressing contacts
    double mean_diagonal; // tr W / m
} solve_natural_unit;

solve_natural_unit solve_natural_unit_of(const cn_env *env, const cn_friction *p);
// The scaled residual when its unit is known.
double solve_natural_error_in(const cn_env *env, const solve_natural_unit *unit,
                              const cn_friction *p, const double *r, const double *u);
// The same of spheres, from the velocities v = M^-1 H r of the bodies.
double solve_natural_error_spheres(const cn_env *env, const solve_natural_unit *unit,
                                   const cn_friction *p, const double *r, const double *v);
double solve_natural_divide(const solve_natural_unit *unit, double error, double force);

// |min(z, w)| / |q| of a z with w = M z + q.
double solve_natural_error_lcp(const cn_lcp *p, const double *z, const double *w);
// |z - mid(lower, z - w, upper)| / |q| of a z with w = M z + q.
double solve_natural_error_mcp(const cn_mcp *p, const double *z, const double *w);

#endif
