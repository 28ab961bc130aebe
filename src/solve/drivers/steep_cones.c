// solve/drivers/steep_cones.c
// Friction coefficients above 10: the problem is solved with mu limited to 10, 1e3, 1e5, ... until
// every contact that is limited sticks inside its smaller cone, |r_T| < limit r_N. Then u_T = 0
// there, and r solves the problem with the full mu as well.
//
// From elsewhere a steep cone is hard: any tangential impulse is admissible, so that hyperstatic
// contacts keep impulses against one another up to mu times what they carry, W r loses as many
// digits, and the natural map, which sees u_T times mu, cannot reach a tight tolerance. Below a
// limit such impulses cannot build up. The last round has the full mu, for contacts that slide all
// the same: a block that lands on two edges at once jams between them. What stays unsolved is tried
// again with interior points.
#include "solve/drivers/steep_cones.h"

#include "base/arena.h"
#include "base/clock.h"
#include "math/cone.h"
#include "problem/operator/operator.h"
#include "solve/drivers/friction_rows.h"
#include "solve/drivers/natural_map.h"
#include "solve/drivers/watch.h"
#include "solve/gauss_seidel/friction_nsgs.h"
#include "solve/interior/interior.h"

#include <math.h>
#include <string.h>

#define STEEP_FIRST 10.0     // the first limit
#define STEEP_GROWTH 100.0   // of the next
#define STEEP_INSIDE 0.999   // of the limit: a contact that sticks inside the smaller cone
#define STEEP_SHARE 0.25     // of the work that is left, for a solve that others may follow
#define STEEP_PATIENCE 100   // iterations of interior points without a new best
#define STEEP_ASSEMBLED 1000 // contacts up to which W is assembled: equations of bodies lose digits
#define STEEP_FLOOR 1e-14    // tolerance that rounding leaves no hope for

// What all rounds share.
typedef struct steep_rounds {
    const cn_friction *p;
    cn_friction limited; // p with mu limited
    double *mu, *v;
    double largest; // mu of p
    cn_friction_fn *solve;
    const cn_solve_opts *opts;
    double start; // [s] CPU
    int32_t iterations;
    double work;
} steep_rounds;

static double largest_mu(const cn_friction *p) {
    double largest = 0.0;
    for (int32_t a = 0; a < p->contacts; a++) {
        largest = fmax(largest, p->mu[a]);
    }
    return largest;
}

bool solve_has_steep_cones(const cn_friction *p) {
    return largest_mu(p) > STEEP_FIRST;
}

// One solve with mu limited, to a tolerance, by a share of the work that is left.
static cn_status solve_limited(steep_rounds *all, double tolerance, double share, cn_arena *scratch,
                               double *r, double *u, cn_solve_report *report) {
    cn_solve_opts opts = solve_watch_rest(all->opts, all->start);
    gs_nsgs_params *params = (void *)opts.params;
    opts.tolerance = tolerance;
    opts.cache = NULL; // it is that of p
    opts.max_iterations = (int32_t)fmax(share * (opts.max_iterations - all->iterations), 1.0);
    params->budget = params->budget > 0.0 ? fmax(share * (params->budget - all->work), 1.0) : 0.0;
    base_arena_mark mark = base_arena_get_mark(scratch);
    cn_status status = all->solve(&all->limited, &opts, scratch, r, u, report);
    base_arena_release(scratch, mark);
    all->iterations += report->iterations;
    all->work += report->work;
    return status;
}

// Whether every contact whose mu is limited sticks inside the smaller cone.
static bool all_stick_inside(const steep_rounds *all, double limit, const double *r) {
    int32_t dim = all->p->dim;
    bool inside = true;
    for (int32_t a = 0; a < all->p->contacts; a++) {
        const double *r_a = r + (int64_t)dim * a;
        bool limited = all->p->mu[a] > limit;
        inside = inside && (!limited || r_a[0] <= 0.0 ||
                            math_tangent_norm(dim, r_a) <= STEEP_INSIDE * limit * r_a[0]);
    }
    return inside;
}

static double error_of(const steep_rounds *all, const double *r, double *u) {
    cn_friction_velocity(all->p, r, all->v, u);
    return solve_natural_error(all->p, all->opts->measure, r, u);
}

// Whether a limit below the full mu is enough: solved with it, all inside, and, after a solve that
// makes up for the larger mu in the natural map, within the tolerance of p.
static cn_status try_limit(steep_rounds *all, double limit, cn_arena *scratch, double *r, double *u,
                           cn_solve_report *report, bool *enough) {
    *enough = false;
    for (int32_t a = 0; a < all->p->contacts; a++) {
        all->mu[a] = fmin(all->p->mu[a], limit);
    }
    cn_status status = solve_limited(all, all->opts->tolerance, STEEP_SHARE, scratch, r, u, report);
    if (status != CN_OK || report->outcome != CN_SOLVED || !all_stick_inside(all, limit, r)) {
        return status;
    }
    double tight = fmax(all->opts->tolerance * limit / all->largest, STEEP_FLOOR);
    status = solve_limited(all, tight, STEEP_SHARE, scratch, r, u, report);
    *enough = status == CN_OK && error_of(all, r, u) <= SOLVE_WATCH_MARGIN * all->opts->tolerance;
    return status;
}

// All limits from r.
static cn_status solve_rounds(steep_rounds *all, cn_arena *scratch, double *r, double *u,
                              cn_solve_report *report) {
    bool enough = false;
    for (double limit = STEEP_FIRST; !enough && limit < all->largest; limit *= STEEP_GROWTH) {
        CN_TRY(try_limit(all, limit, scratch, r, u, report, &enough));
    }
    if (enough) {
        report->outcome = CN_SOLVED;
        report->detail = "all contacts with large friction stick";
    } else {
        memcpy(all->mu, all->p->mu, sizeof *all->mu * (size_t)all->p->contacts);
        CN_TRY(solve_limited(all, all->opts->tolerance, STEEP_SHARE, scratch, r, u, report));
    }
    return CN_OK;
}

// Interior point methods from two starts, instead of solve; r becomes better or stays.
static cn_status solve_inside(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                              double *r, double *u, cn_solve_report *report) {
    static const double margins[] = {10.0, 1.0};
    cn_solve_opts own = *opts;
    double start = opts->time_limit > 0.0 ? base_clock_cpu() : 0.0;
    for (int k = 0; k < 2 && report->outcome != CN_SOLVED; k++) {
        const solve_ipm_params params = {
            .margin = margins[k], .implicit = 1.0, .patience = STEEP_PATIENCE};
        own.time_limit = solve_watch_rest(opts, start).time_limit;
        memset(own.params, 0, sizeof own.params);
        memcpy(own.params, &params, sizeof params);
        CN_TRY(solve_friction_ipm(p, &own, scratch, r, u, report));
    }
    return CN_OK;
}

cn_status solve_steep_cones(const cn_friction *p, cn_friction_fn *solve, const cn_solve_opts *opts,
                            cn_arena *scratch, double *r, double *u, cn_solve_report *report) {
    cn_friction body, whole;
    cn_status status = cn_friction_expand(p, scratch, &body);
    whole = body;
    if (status == CN_OK && prob_operator_ops_of(body.W.kind)->body_space &&
        p->contacts <= STEEP_ASSEMBLED) {
        status = cn_friction_assemble(&body, scratch, &whole, NULL);
    }
    CN_TRY(status);
    p = &whole;
    steep_rounds all = {.p = p,
                        .limited = *p,
                        .mu = BASE_TAKE(scratch, double, p->contacts),
                        .v = BASE_TAKE(scratch, double, cn_operator_dofs(&p->W, p->dim)),
                        .largest = largest_mu(p),
                        .solve = solve,
                        .opts = opts,
                        .start = opts->time_limit > 0.0 ? base_clock_cpu() : 0.0};
    int64_t size = (int64_t)p->dim * p->contacts;
    double *first = BASE_TAKE(scratch, double, size);
    u = u ? u : BASE_TAKE(scratch, double, size);
    if (!all.mu || !all.v || !first || !u) {
        return CN_ERR_MEMORY;
    }
    all.limited.mu = all.mu;
    status = solve_rounds(&all, scratch, r, u, report);
    if (status == CN_OK && report->outcome != CN_SOLVED && report->outcome != CN_TIME) {
        double error = error_of(&all, r, u);
        memcpy(first, r, sizeof *r * (size_t)size);
        memset(r, 0, sizeof *r * (size_t)size);
        all.solve = solve_inside;
        memcpy(all.mu, p->mu, sizeof *all.mu * (size_t)p->contacts);
        status = solve_limited(&all, opts->tolerance, 1.0, scratch, r, u, report);
        if (status == CN_OK && report->outcome == CN_STALLED) {
            all.solve = solve;
            status = solve_limited(&all, opts->tolerance, STEEP_SHARE, scratch, r, u, report);
        }
        if (status == CN_OK && !(error_of(&all, r, u) <= error)) {
            memcpy(r, first, sizeof *r * (size_t)size);
        }
    }
    report->iterations = all.iterations;
    report->work = all.work;
    return status;
}
