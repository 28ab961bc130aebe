// solve/interior/friction_ipm.c
// Interior point with an explicit s. Coulomb friction is the optimality of
//     min over r in K of  r.W r/2 + r.(q + mu s e_N)   where  s = |u_T| at its own solution,
// so one primal-dual run on the convex problem (interior.c) is made in which s follows: before
// every iteration s_a := |y_T,a|, the slip that the dual variables show. Its derivative enters the
// matrix by a share that grows while steps are long and falls to nothing when they get short: in
// full it makes the iterates stick to the boundary of the cones, without it s converges slowly.
//
// To 1e-4 on nearly everything in tens of factorisations, whatever the rank of W, and to any
// accuracy where few contacts slide, as in walls at rest, for then s = 0 is right at once. Where
// many slide the last digits creep: "prox-newton" from there. Cannot profit much from a good guess,
// which lies on the boundary. Acary, Cadoux, Lemarechal and Malick, ZAMM 91 (2011) for the problem
// in s.
#include "base/arena.h"
#include "solve/drivers/friction_rows.h"
#include "solve/drivers/natural_map.h"
#include "solve/drivers/watch.h"
#include "solve/interior/interior.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

const cn_param solve_ipm_param_table[SOLVE_IPM_PARAM_COUNT] = {
    {"margin", CN_PARAM_REAL, offsetof(solve_ipm_params, margin), 10.0, 1e-8, 1e4,
     "how far inside the cones the first iterate lies, in units of q"},
    {"implicit", CN_PARAM_REAL, offsetof(solve_ipm_params, implicit), 1.0, 0.0, 1.0,
     "share of the slip's derivative in the matrix, at most; 0: explicit slip"},
    {"patience", CN_PARAM_INT, offsetof(solve_ipm_params, patience), 30, 1, 1000,
     "iterations without a new best after which it ends"},
};

cn_status solve_friction_ipm(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                             double *r, double *u, cn_solve_report *report) {
    const solve_ipm_params *own = (const void *)opts->params;
    ipm_interior s;
    solve_watch watch = solve_watch_start(opts);
    cn_status status = ipm_interior_prepare(p, &ipm_interior_cone, scratch, &s);
    if (status != CN_OK) {
        return newton_refuse(status, report);
    }
    newton_velocity(&s.system, p, r, u);
    double best = solve_natural_error(p, opts->measure, r, u);
    ipm_interior_start(&s, r, u, own->margin);
    s.implicit = p->convex ? 0.0 : own->implicit;
    double low = (double)INFINITY; // of the interior iterates alone
    int32_t since = 0;
    for (int64_t k = 0; !solve_watch_stop(&watch, "iterations", k, best, report); k++) {
        for (int32_t a = 0; a < p->contacts; a++) {
            s.frozen[a] = p->convex ? 0.0 : ipm_interior_slip(&s, a);
        }
        if (since >= own->patience || !ipm_interior_step(&s)) {
            report->outcome = CN_STALLED;
            report->detail =
                since >= own->patience ? "the slip does not settle" : "rounding spoils the matrix";
            break;
        }
        double error = solve_natural_error(p, opts->measure, s.r, s.u);
        since = error < low ? 0 : since + 1;
        low = fmin(low, error);
        if (error < best) {
            best = error;
            memcpy(r, s.r, sizeof *r * (size_t)s.m);
        }
    }
    return watch.status;
}
