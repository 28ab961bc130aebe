// solve/newton/friction_newton_jm.c
// Newton on the function of Jean and Moreau, z = r - rho u,
//     F_N = r_N - max(0, z_N),   F_T = r_T - P(z_T),   P onto the disc |.| <= mu max(0, r_N).
// Jean and Moreau (1987); Acary, Bremond and Huber (2018), section 4. Newton on it is the method
// that solves a Tresca problem and moves its threshold at once. The line search and when it fails:
// semismooth.c; "newton-ac" differs only in the radius.
#include "solve/drivers/friction_rows.h"
#include "solve/newton/semismooth.h"

cn_status solve_friction_newton_jm(const cn_friction *p, const cn_solve_opts *opts,
                                   cn_arena *scratch, double *r, double *u,
                                   cn_solve_report *report) {
    (void)u; // the driver computes it anew
    return newton_semismooth_run(p, opts, newton_jean_moreau, scratch, r, report);
}
