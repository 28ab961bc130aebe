// solve/friction_auto.c
// The default: tiny 2D problems by enumeration, everything else by accelerated Gauss-Seidel.
//
// Decisions depend on the problem's size alone, so the same problem takes the same way on every
// machine. Where Gauss-Seidel stalls (tall hyperstatic masonry to 1e-8) the best iterate comes back
// with its honest residual.
#include "solve/enumerate.h"
#include "solve/friction_nsgs.h"
#include "solve/friction_rows.h"

#include <math.h>
#include <string.h>

cn_status cn_friction_auto(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                           double *r, double *u, cn_solve_report *report) {
    double answer[2 * CN_ENUMERATE_MOST];
    int32_t tried;
    if (cn_enumerate_2d(p, opts->measure, opts->tolerance, answer, &tried) <= opts->tolerance) {
        memcpy(r, answer, sizeof *r * 2 * (size_t)p->contacts);
        report->outcome = CN_SOLVED;
        report->iterations = tried;
        report->detail = "by enumeration of the contact statuses";
        return CN_OK;
    }
    return cn_friction_nsgs(p, opts, scratch, r, u, report);
}
