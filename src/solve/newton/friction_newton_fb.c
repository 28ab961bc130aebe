// solve/newton/friction_newton_fb.c
// Newton on the function of Fischer and Burmeister for the second-order cone,
//     F = x + y - (x^2 + y^2)^(1/2),   x = (mu r_N, r_T),   y = rho (u_N/mu + |u_T|, u_T),
// squares and root in the algebra of the cone. Fukushima, Luo and Tseng, SIAM J. Optim. 12 (2002).
// Smoother than the functions with a disc, so its line search misleads less, but its matrix never
// takes exact statuses: more steps at the end. When it fails: semismooth.c.
#include "solve/drivers/friction_rows.h"
#include "solve/newton/semismooth.h"

cn_status solve_friction_newton_fb(const cn_friction *p, const cn_solve_opts *opts,
                                   cn_arena *scratch, double *r, double *u,
                                   cn_solve_report *report) {
    (void)u; // the driver computes it anew
    return newton_semismooth_run(p, opts, newton_fischer_burmeister, scratch, r, report);
}
