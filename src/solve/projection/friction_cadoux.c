// solve/projection/friction_cadoux.c
// Sequence of convex cone programs. With the slip s_a = |u_T,a| frozen, the friction problem is the
// optimality of
//     min over r in K  of  r.W r/2 + r.(q + mu s e_N),
// solved by interior points; then s := |u_T|. Cadoux, thesis, Grenoble (2009); Acary, Cadoux,
// Lemarechal and Malick, ZAMM 91 (2011), where a fixed point is shown to exist whenever the first
// problem is strictly feasible.
//
// One convex problem is enough where nothing slides, whatever the rank of W. With many sliding
// contacts and mu near 1 the map does not contract and the sequence cycles: "prox-newton", or
// "auto". "ipm" updates s within one run, which is cheaper. The frame is convex_sequence.c.
#include "solve/drivers/friction_rows.h"
#include "solve/projection/convex_sequence.h"

cn_status solve_friction_cadoux(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                                double *r, double *u, cn_solve_report *report) {
    return proj_sequence_run(p, opts, &ipm_interior_cone, scratch, r, u, report);
}
