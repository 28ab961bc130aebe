// solve/projection/friction_extra_gradient.c
// Extra-gradient with a self-adaptive step: the field at the prediction, not at r, moves r.
//     rbar = P_K(r - rho F(r)),   r := P_K(r - rho F(rbar)),   F(r) = u + (mu |u_T|, 0)
// Converges for monotone fields (frictionless contact, or little friction) without strong
// monotonicity, so also for rank deficient W. References: Korpelevich (1976), Khobotov (1987),
// Marcotte (1991) for the step length; Acary, Bremond and Huber (2018).
//
// Slow: two products with W per step and a linear rate at best, so 1e-4 is its range; "nsgs" or
// "auto" for more. Scratch: six vectors of the size of r.
#include "solve/drivers/friction_rows.h"
#include "solve/projection/variational_inequality.h"

static void extra_gradient_complete(proj_vi *s) {
    proj_vi_project(s, s->r, s->F_bar, s->r);
    proj_vi_field(s, s->r, s->F, s->u);
}

cn_status solve_friction_extra_gradient(const cn_friction *p, const cn_solve_opts *opts,
                                        cn_arena *scratch, double *r, double *u,
                                        cn_solve_report *report) {
    return proj_vi_run(p, opts, extra_gradient_complete, scratch, r, u, report);
}
