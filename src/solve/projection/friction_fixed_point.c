// solve/projection/friction_fixed_point.c
// Fixed-point projection with a self-adaptive step:
//     r := P_K(r - rho F(r)),   F(r) = u + (mu |u_T|, 0),   u = W r + q.
// One product with W per step: nothing is factorised, W need be neither symmetric nor assembled.
// References: De Saxce and Feng (1998); Han and Lo (2002) for the step length; Acary, Bremond and
// Huber (2018).
//
// Creeps where W is ill-conditioned or rank deficient, and has no proof of convergence when the
// field is not strongly monotone: "extra-gradient" costs two products and is steadier, "nsgs" needs
// far fewer passes over the contacts. Scratch: six vectors of the size of r.
#include "solve/drivers/friction_rows.h"
#include "solve/projection/variational_inequality.h"

// The prediction is the next iterate; its field is known already.
static void fixed_point_complete(proj_vi *s) {
    double *r = s->r, *F = s->F, *u = s->u;
    s->r = s->bar;
    s->F = s->F_bar;
    s->u = s->u_bar;
    s->bar = r;
    s->F_bar = F;
    s->u_bar = u;
}

cn_status solve_friction_fixed_point(const cn_friction *p, const cn_solve_opts *opts,
                                     cn_arena *scratch, double *r, double *u,
                                     cn_solve_report *report) {
    return proj_vi_run(p, opts, fixed_point_complete, scratch, r, u, report);
}
