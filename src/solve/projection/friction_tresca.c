// solve/projection/friction_tresca.c
// Fixed point on the friction threshold. With g_a = mu r_N,a frozen, friction is Tresca's, and the
// problem is the convex one of
//     min over r_N >= 0, |r_T| <= g  of  r.W r/2 + r.q,
// solved by interior points; then g := mu r_N. Necas, Jarusek and Haslinger (1980); Panagiotopoulos
// (1985); Acary, Bremond and Huber (2018), section 6. Each problem has a solution, and for small mu
// the map contracts.
//
// Starts badly from r = 0, where the first threshold is that of no friction at all, and the map
// need not contract for large mu or where r_N is not unique, as in hyperstatic sets: "cadoux",
// whose cones are the true ones, "prox-newton", or "auto". The frame is convex_sequence.c.
#include "solve/drivers/friction_rows.h"
#include "solve/projection/convex_sequence.h"

cn_status solve_friction_tresca(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                                double *r, double *u, cn_solve_report *report) {
    return proj_sequence_run(p, opts, &ipm_interior_disc, scratch, r, u, report);
}
