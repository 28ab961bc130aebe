// solve/newton/friction_newton_ac.c
// Newton on the function of Alart and Curnier, z = r - rho u,
//     F_N = r_N - max(0, z_N),   F_T = r_T - P(z_T),   P onto the disc |.| <= mu max(0, z_N).
// Alart and Curnier, Comput. Methods Appl. Mech. Eng. 92 (1991). The line search and when it fails:
// semismooth.c. The disc follows u_N too, which couples N and T more than "newton-jm" does.
#include "solve/drivers/friction_rows.h"
#include "solve/newton/semismooth.h"

cn_status solve_friction_newton_ac(const cn_friction *p, const cn_solve_opts *opts,
                                   cn_arena *scratch, double *r, double *u,
                                   cn_solve_report *report) {
    (void)u; // the driver computes it anew
    return newton_semismooth_run(p, opts, newton_alart_curnier, scratch, r, report);
}
