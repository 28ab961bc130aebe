// solve/drivers/friction_auto.c
// The default solver, in stages (docs/design/default-solver.md walks through them):
//
//     enumerate        tiny 2D problems: every combination of contact statuses
//     first_newton     where many blocks are joints, or the problem is convex
//     first_sweeps     accelerated Gauss-Seidel; easy problems end here, before any analysis; of
//                      spheres that jam, with a Newton step now and then (corrected_sweeps)
//     sweeps_only      vast problems, or no time for anything else
//     split            what is left falls apart into islands, which go this way one by one
//     patient_sweeps   for as long as sweeps promise to be cheaper than a Newton stage
//     turns            interior points, Newton and sweeps with growing limits, until one ends it
//     come_to_rest     past the tolerance by Newton, where the start was near the answer
//
// Costs are counted in multiplications, never timed, so the same problem takes the same way on
// every machine. The thresholds are in solve/drivers/policy.h. What comes back is always the best
// iterate seen, with its honest residual.
#include "base/arena.h"
#include "base/clock.h"
#include "problem/operator/operator.h"
#include "solve/drivers/friction_rows.h"
#include "solve/drivers/islands.h"
#include "solve/drivers/joint_rows.h"
#include "solve/drivers/natural_map.h"
#include "solve/drivers/policy.h"
#include "solve/drivers/steep_cones.h"
#include "solve/drivers/watch.h"
#include "solve/gauss_seidel/friction_nsgs.h"
#include "solve/newton/friction_prox_newton.h"
#include "solve/newton/newton_correct.h"
#include "solve/pivoting/enumerate.h"

#include <math.h>
#include <string.h>

static const gs_policy *const policy = &gs_policy_default;

#define AUTO_STARTS 3 // interior point methods tried at the margin of rigidity

// A solve on its way through the stages.
typedef struct stages {
    const cn_friction *p;
    const cn_solve_opts *opts;
    cn_arena *scratch;
    double *r, *u;
    cn_solve_report *report;
    bool island;        // of a problem that has been swept already
    bool split;         // its islands have been solved one by one
    double start;       // [s] CPU
    int32_t iterations; // spent
    double work;        // spent, in sweeps
    double step_work;   // of a Newton step, in sweeps; 0: nothing has been analysed
    double start_error; // of the first guess
    double patience;    // sweeps that cost as much as a Newton stage; infinite: there is none
    double tried;   // error of the best iterate of the sweeps that Newton last corrected in vain
    bool corrected; // Newton ended the sweeps, and r is not the best of them
    cn_solve_opts rest; // what the first sweeps left of the limits
    gs_nsgs sweeps;
    cn_friction body; // p as Newton takes it, and what it knows about it
    newton_system system;
} stages;

// ---- limits ----

static const gs_nsgs_params *params_of(const stages *s) {
    return (const void *)s->opts->params;
}

// Counts n iterations of so much work each.
static void spend(stages *s, int32_t n, double work) {
    s->iterations += n;
    s->work += n * work;
}

// Whether the budget of work is spent.
static bool is_spent(const stages *s) {
    double budget = params_of(s)->budget;
    return budget > 0.0 && s->work >= budget;
}

// Limits of the next stage, of at most count iterations of so much work each; false, with the
// outcome, when nothing is left.
static bool limit(const stages *s, int32_t count, double work, cn_solve_opts *opts,
                  cn_solve_report *report) {
    double budget = params_of(s)->budget;
    int32_t left = s->opts->max_iterations - s->iterations;
    opts->max_iterations = count < left ? count : left;
    if (left <= 0 || is_spent(s)) {
        report->outcome = left > 0 ? CN_EFFORT : CN_LIMIT;
        report->detail = left > 0 ? "the budget of work is spent" : "out of iterations";
        return false;
    }
    double worth = (budget - s->work) / work;
    if (budget > 0.0 && worth < opts->max_iterations) {
        opts->max_iterations = worth > 1.0 ? (int32_t)worth : 1;
    }
    if (s->opts->time_limit > 0.0) {
        opts->time_limit = s->opts->time_limit - (base_clock_cpu() - s->start);
        if (!(opts->time_limit > 0.0)) {
            report->outcome = CN_TIME;
            report->detail = "out of time";
            return false;
        }
    }
    return true;
}

// The same without a limit of the stage's own.
static bool limit_rest(const stages *s, cn_solve_opts *opts) {
    return limit(s, INT32_MAX, 1.0, opts, s->report);
}

static bool is_over(cn_status status, const cn_solve_report *report) {
    return status != CN_OK || report->outcome == CN_SOLVED || report->outcome == CN_DIVERGED ||
           report->outcome == CN_TIME || report->outcome == CN_INFEASIBLE ||
           report->outcome == CN_UNSUPPORTED;
}

// ---- what decides between the stages ----

static bool is_loose(const stages *s) {
    return s->opts->tolerance >= policy->loose_tolerance;
}

static bool is_vast(const cn_friction *p) {
    return p->contacts > policy->vast_contacts;
}

// Packings of spheres at loose tolerances are left to sweeps: at the margin of rigidity Newton
// takes hundreds of steps.
static bool is_left_to_sweeps(const stages *s) {
    return s->opts->tolerance >= policy->sweeps_only_tolerance && s->sweeps.momentum > 0.0 &&
           s->sweeps.sweep.ops->granular;
}

// Islands too small for batches go to Newton without sweeps.
static bool is_small_island(const stages *s) {
    return s->island && s->p->contacts < policy->small_island;
}

// Whether interior point methods come before long turns of Newton: at the margin of rigidity, where
// spheres jam, Newton takes hundreds of steps and one of a few interior starts some fifty. Not
// where a hyperstatic set is sure to have many more rows than velocities, which is what Newton is
// best at.
static bool is_marginal(const stages *s) {
    int32_t contacts = s->system.p->contacts;
    return s->system.p->dim == 3 && contacts >= policy->small_island &&
           contacts <= policy->marginal_contacts_max && !s->sweeps.hyperstatic;
}

// Whether sweeps are left as early as they may be: at tight tolerances they hardly ever end a set of
// a few hundred contacts of manifolds that is at the margin of rigidity, such as a house of cards.
static bool is_left_early(const stages *s) {
    return !is_loose(s) && s->p->dim == 3 && s->sweeps.sweep.ops->kind == GS_SWEEP_MANIFOLDS &&
           s->sweeps.momentum > 0.0 && s->p->contacts <= policy->marginal_contacts_max &&
           !s->sweeps.hyperstatic;
}

// Whether the time left is too short for anything but sweeps, which have taken what is gone.
static bool is_brief(const stages *s) {
    if (!(s->opts->time_limit > 0.0)) {
        return false;
    }
    int64_t sweeps = s->sweeps.sweeps;
    double spent = base_clock_cpu() - s->start;
    double left = s->opts->time_limit - spent;
    return left * (double)(sweeps > 0 ? sweeps : 1) < policy->analysis_sweeps * spent;
}

// ---- the methods ----

// Gauss-Seidel for as long as patience lets it.
static cn_status sweep_on(stages *s, const cn_solve_opts *opts, double patience) {
    cn_status status = gs_nsgs_go(&s->sweeps, opts, patience, s->report);
    spend(s, s->report->iterations, 1.0);
    return status;
}

// What Newton needs to know about p, and what a step of it costs.
static cn_status analyse(stages *s) {
    CN_TRY(cn_friction_expand(s->p, s->scratch, &s->body));
    CN_TRY(newton_analyse(&s->body, s->scratch, &s->system));
    s->step_work = newton_cost(&s->system) / gs_sweep_cost(&s->sweeps.sweep);
    return CN_OK;
}

// The first weight of the proximal term at an error.
static double proximal_weight(double error) {
    return fmin(fmax(policy->proximal_share * error, policy->proximal_min),
                newton_prox_param_table[0].initial);
}

// A few Newton steps from where an interior point method has come to: mostly two to five end it, or
// none do.
static cn_status polish(stages *s) {
    cn_solve_opts opts = *s->opts;
    if (!limit(s, policy->interior_polish, s->step_work, &opts, s->report)) {
        return CN_OK;
    }
    newton_velocity(&s->system, s->system.p, s->r, s->u);
    double error = solve_natural_error(s->system.p, opts.measure, s->r, s->u);
    cn_status status = newton_prox_newton_run(&s->system, &opts, proximal_weight(error), s->scratch,
                                              s->r, s->report);
    spend(s, s->report->iterations, s->step_work);
    return status;
}

// Interior point methods from well inside the cones, one start after the other; r becomes better or
// stays.
static cn_status interior_points(stages *s, int32_t starts, int32_t stall) {
    bool safe = starts == 1 || is_loose(s);
    const double margins[AUTO_STARTS] = {
        safe ? policy->interior_margin_safe : policy->interior_margin,
        safe ? policy->interior_margin : policy->interior_margin_safe,
        policy->interior_margin_last};
    cn_status status = CN_OK;
    for (int32_t k = 0; k < starts && !is_over(status, s->report); k++) {
        cn_solve_opts opts = *s->opts;
        if (!limit(s, policy->interior_iterations, s->step_work, &opts, s->report)) {
            break;
        }
        solve_ipm_params params = {.margin = margins[k], .implicit = 1.0, .patience = stall};
        memset(opts.params, 0, sizeof opts.params);
        memcpy(opts.params, &params, sizeof params);
        base_arena_mark mark = base_arena_get_mark(s->scratch);
        status = solve_friction_ipm(s->system.p, &opts, s->scratch, s->r, s->u, s->report);
        base_arena_release(s->scratch, mark);
        spend(s, s->report->iterations, s->step_work);
        if (is_left_early(s) && !is_over(status, s->report)) {
            status = polish(s);
        }
    }
    return status;
}

// ---- the stages ----

// Whether p is so small that it was solved by enumeration.
static bool enumerate(stages *s) {
    double answer[2 * PIVOT_ENUMERATE_MAX], tolerance = s->opts->tolerance;
    int32_t tried;
    if (!(pivot_enumerate_2d(s->p, s->opts->measure, tolerance, answer, &tried) <= tolerance)) {
        return false;
    }
    memcpy(s->r, answer, sizeof *s->r * 2 * (size_t)s->p->contacts);
    s->report->outcome = CN_SOLVED;
    s->report->iterations = tried;
    s->report->detail = "by enumeration of the contact statuses";
    return true;
}

// The error that Newton aims at in a first try of as many steps as settle allows. Equations of
// joints are linear: solving them to round-off costs a step or two more than a loose tolerance, and
// mechanisms keep their energy.
static double error_aimed_at(const stages *s) {
    bool tight = params_of(s)->settle > 0 && solve_boxes_count(s->p) > 0;
    return tight ? fmin(s->opts->tolerance, policy->aim) : s->opts->tolerance;
}

// Newton before anything else; left as stalled where it cannot be used.
static cn_status first_newton(stages *s) {
    const cn_friction *p = s->p;
    cn_solve_report *report = s->report;
    newton_system system;
    double *v = BASE_TAKE(s->scratch, double, cn_operator_dofs(&p->W, p->dim));
    if (!v) {
        return CN_ERR_MEMORY;
    }
    cn_friction_velocity(p, s->r, v, s->u);
    double error = solve_natural_error(p, s->opts->measure, s->r, s->u);
    cn_solve_opts opts = *s->opts;
    opts.tolerance = error_aimed_at(s);
    if (error <= SOLVE_WATCH_MARGIN * opts.tolerance) {
        report->outcome = CN_SOLVED;
        report->detail = "the first guess is a solution";
        return CN_OK;
    }
    cn_status status = newton_analyse(p, s->scratch, &system);
    if (status != CN_OK) {
        report->outcome = CN_STALLED;
        return status == CN_ERR_UNSUPPORTED ? CN_OK : status;
    }
    if (opts.tolerance < s->opts->tolerance) {
        limit(s, params_of(s)->settle, 1.0, &opts, report);
        status = newton_prox_newton_run(&system, &opts, proximal_weight(error), s->scratch, s->r,
                                        report);
        s->iterations += report->iterations;
        cn_friction_velocity(p, s->r, v, s->u);
        error = solve_natural_error(p, s->opts->measure, s->r, s->u);
        if (error <= SOLVE_WATCH_MARGIN * s->opts->tolerance) {
            report->outcome = CN_SOLVED;
            report->detail = "tolerance reached";
        }
        if (is_over(status, report)) {
            return status;
        }
        opts = *s->opts;
    }
    // A convex problem is solved by it in the end, however many steps it takes.
    if (limit(s, p->convex ? INT32_MAX : policy->newton_turn, 1.0, &opts, report)) {
        status = newton_prox_newton_run(&system, &opts, proximal_weight(error), s->scratch, s->r,
                                        report);
        s->iterations += report->iterations;
    }
    return status;
}

static double first_patience(const stages *s) {
    bool far = s->sweeps.momentum > 0.0 && !is_left_early(s);
    return far ? policy->first_sweeps_momentum : policy->first_sweeps;
}

// A Newton step from the best iterate of the sweeps, where that is so near the tolerance that the
// step is likely to end the solve; from the last iterate where the best has been tried and they
// wander on.
static cn_status correct(stages *s) {
    double goal = SOLVE_WATCH_MARGIN * s->opts->tolerance, best = s->sweeps.best_error;
    double far = policy->correct_wandering * goal, error;
    bool fresh = best <= fmin(policy->correct_near * goal, policy->correct_gain * s->tried),
         wanders = s->sweeps.sweeps >= policy->correct_wandering_after && s->sweeps.error <= far;
    if (!fresh && !wanders) {
        return CN_OK;
    }
    cn_status status = s->step_work > 0.0 ? CN_OK : analyse(s);
    if (status != CN_OK || s->step_work > (double)s->sweeps.sweeps) {
        return status;
    }
    if (fresh) {
        s->tried = best;
        gs_nsgs_answer(&s->sweeps, s->r);
    } else {
        gs_sweep_store(&s->sweeps.sweep, s->sweeps.g, s->r);
    }
    int32_t steps;
    status = newton_correct(&s->system, s->opts->measure, goal, far, 1, s->scratch, s->r, s->u,
                            &error, &steps);
    spend(s, steps, s->step_work);
    s->corrected = status == CN_OK && error <= goal;
    return status;
}

// Sweeps of a packing of spheres, which wander just above the tolerance where it jams; now and then
// it is seen whether a Newton step ends them.
static cn_status corrected_sweeps(stages *s) {
    cn_solve_opts opts = s->rest;
    int64_t max = opts.max_iterations;
    cn_status status = CN_OK;
    s->tried = HUGE_VAL;
    for (bool more = true, tries = true; more;) {
        double pause = fmax(policy->correct_every, policy->correct_cost * s->step_work);
        double left = (double)(max - s->sweeps.sweeps);
        opts.max_iterations = (int32_t)(tries && pause < left ? pause : left);
        opts.time_limit = solve_watch_rest(s->opts, s->start).time_limit;
        status = sweep_on(s, &opts, HUGE_VAL);
        more = status == CN_OK && s->report->outcome == CN_LIMIT && s->sweeps.sweeps < max &&
               !is_spent(s) && !is_brief(s);
        if (more) {
            status = correct(s);
            tries = status != CN_ERR_UNSUPPORTED;
            status = tries ? status : CN_OK;
            more = status == CN_OK && !s->corrected;
        }
    }
    if (s->corrected) {
        s->report->outcome = CN_SOLVED;
        s->report->detail = "tolerance reached by a Newton step from the sweeps";
    }
    return status;
}

// Easy problems end here, before anything is analysed.
static cn_status first_sweeps(stages *s) {
    gs_nsgs_start(&s->sweeps, s->r);
    s->start_error = s->sweeps.start_error;
    s->rest = solve_watch_rest(s->opts, s->start);
    double budget = params_of(s)->budget;
    if (budget > 0.0 && budget < s->rest.max_iterations) {
        s->rest.max_iterations = budget > 1.0 ? (int32_t)budget : 1;
    }
    if (is_small_island(s)) {
        s->rest.max_iterations = 0;
    }
    bool only = is_left_to_sweeps(s);
    if (only && s->rest.max_iterations > policy->sweeps_only_max) {
        s->rest.max_iterations = policy->sweeps_only_max;
    }
    if (only && s->p->dim == 3 && s->p->contacts <= policy->correct_contacts_max) {
        return corrected_sweeps(s);
    }
    return sweep_on(s, &s->rest, only ? HUGE_VAL : first_patience(s));
}

static cn_friction_fn solve_island;

// The islands of p one by one, where it falls apart.
static cn_status split(stages *s) {
    cn_friction body;
    cn_solve_opts own = s->rest;
    own.cache = NULL; // it is that of p, whose sweeps may go on
    cn_status status = solve_islands_expand(s->p, s->scratch, &body);
    if (status == CN_OK) {
        status = solve_islands_solve(&body, solve_island, &own, s->scratch, s->r, s->u, s->report,
                                     &s->split);
    }
    s->iterations += status != CN_OK || s->split ? s->report->iterations : 0;
    return status;
}

// Sweeps until they have cost as much as a Newton stage is expected to, while they promise to end
// before that.
static cn_status patient_sweeps(stages *s) {
    cn_status status = s->step_work > 0.0 ? CN_OK : analyse(s);
    if (status == CN_OK) {
        // What is left of a problem without its open contacts is all that is hard.
        bool plain = !prob_operator_ops_of(s->p->W.kind)->body_space && is_marginal(s),
             hard = s->island || (is_loose(s) && plain);
        double steps = hard ? policy->newton_steps_hard : policy->newton_steps;
        steps = is_left_early(s) ? policy->newton_steps_early : steps;
        s->patience = fmax(first_patience(s), steps * s->step_work);
    }
    bool sweeps = status == CN_OK && !is_small_island(s) && !is_left_to_sweeps(s);
    return sweeps || status == CN_ERR_UNSUPPORTED ? sweep_on(s, &s->rest, s->patience) : status;
}

// Everything that begins with sweeps, up to the turns. patience stays infinite where there are no
// turns to come.
static cn_status sweep_and_split(stages *s) {
    cn_status status = first_sweeps(s);
    if (s->corrected) {
        return status;
    }
    if (is_over(status, s->report) || !limit_rest(s, &s->rest)) {
        gs_nsgs_answer(&s->sweeps, s->r);
        return status;
    }
    if (is_vast(s->p) || is_brief(s)) {
        status = sweep_on(s, &s->rest, HUGE_VAL);
        gs_nsgs_answer(&s->sweeps, s->r);
        return status;
    }
    gs_nsgs_answer(&s->sweeps, s->r);
    status = s->island ? CN_OK : split(s);
    if (status != CN_OK || s->split) {
        return status;
    }
    status = patient_sweeps(s);
    gs_nsgs_answer(&s->sweeps, s->r);
    return status;
}

// Turn k: interior point methods, at the place in the turns that they have, where there are
// contacts only; Newton from the best r so far; Gauss-Seidel from what it left.
static cn_status turn(stages *s, int32_t k) {
    cn_solve_opts opts = *s->opts;
    bool marginal = is_marginal(s), soon = marginal && (is_loose(s) || is_left_early(s));
    int32_t steps = policy->newton_turn << (k < 20 ? k : 20);
    if (solve_boxes_count(s->system.p) == 0 && k == (soon ? 0 : 1)) {
        cn_status status = marginal
                               ? interior_points(s, AUTO_STARTS, policy->interior_stall_marginal)
                               : interior_points(s, 1, policy->interior_stall);
        if (is_over(status, s->report)) {
            return status;
        }
    }
    steps = marginal && !soon && k == 0 ? policy->newton_probe : steps;
    if (!limit(s, steps, s->step_work, &opts, s->report)) {
        return CN_OK;
    }
    double floor = fmin(policy->proximal_loose * opts.tolerance, policy->proximal_loose_max);
    double weight = fmax(proximal_weight(s->sweeps.best_error), floor);
    cn_status status =
        newton_prox_newton_run(&s->system, &opts, weight, s->scratch, s->r, s->report);
    spend(s, s->report->iterations, s->step_work);
    if (is_over(status, s->report) || !limit_rest(s, &opts)) {
        return status;
    }
    gs_nsgs_start(&s->sweeps, s->r);
    status = sweep_on(s, &opts, s->patience);
    gs_nsgs_answer(&s->sweeps, s->r);
    return status;
}

// Goes on past the tolerance by Newton, where the start was near the answer and what solved the
// problem has left a good part of its error: slow modes, such as a column that leans, which sweeps
// hardly see. Step after step they would feed a motion that a tall structure never comes to rest
// from. Not for spheres and disks, whose piles keep rearranging. The answer is the better of both.
static cn_status come_to_rest(stages *s) {
    cn_solve_opts opts = *s->opts;
    cn_solve_report report = {0};
    bool near = s->start_error <= policy->near_start * opts.tolerance;
    double enough = fmax(policy->rest_share * s->start_error, policy->aim);
    if (params_of(s)->settle == 0 || !near || s->start_error <= enough || s->split ||
        s->sweeps.sweep.ops->granular || is_vast(s->p) || is_brief(s)) {
        return CN_OK;
    }
    cn_status status = s->step_work > 0.0 ? CN_OK : analyse(s);
    if (status != CN_OK) {
        return status == CN_ERR_UNSUPPORTED ? CN_OK : status;
    }
    double *v = BASE_TAKE(s->scratch, double, cn_operator_dofs(&s->body.W, s->body.dim));
    if (!v) {
        return CN_ERR_MEMORY;
    }
    cn_friction_velocity(&s->body, s->r, v, s->u);
    double error = solve_natural_error(&s->body, opts.measure, s->r, s->u);
    if (error <= enough || s->step_work > policy->rest_step_cost ||
        !limit(s, (int32_t)policy->newton_steps, s->step_work, &opts, &report)) {
        return CN_OK;
    }
    opts.tolerance = policy->aim;
    status = newton_prox_newton_run(&s->system, &opts, proximal_weight(error), s->scratch, s->r,
                                    &report);
    spend(s, report.iterations, s->step_work);
    return status;
}

// ---- all of them ----

static cn_status run_stages(stages *s) {
    const cn_friction *p = s->p;
    if (p->convex || solve_boxes_count(p) > policy->joint_share * p->contacts) {
        cn_status status = first_newton(s);
        s->report->iterations = s->iterations;
        if (is_over(status, s->report) || s->iterations >= s->opts->max_iterations) {
            return status;
        }
    }
    cn_status status = gs_nsgs_prepare(p, s->opts, s->scratch, &s->sweeps);
    if (status == CN_OK) {
        status = sweep_and_split(s);
    }
    for (int32_t k = 0; !is_over(status, s->report) && isfinite(s->patience) &&
                        s->iterations < s->opts->max_iterations && !is_spent(s);
         k++) {
        s->patience *= 2.0;
        status = turn(s, k);
    }
    if (!is_over(status, s->report) && is_spent(s)) {
        s->report->outcome = CN_EFFORT;
        s->report->detail = "the budget of work is spent";
    }
    if (status == CN_OK && s->report->outcome == CN_SOLVED) {
        status = come_to_rest(s);
    }
    s->report->iterations = s->iterations;
    s->report->work = s->work;
    return status;
}

static cn_status solve_stages(const cn_friction *p, bool island, const cn_solve_opts *opts,
                              cn_arena *scratch, double *r, double *u, cn_solve_report *report) {
    stages s = {.p = p,
                .opts = opts,
                .scratch = scratch,
                .r = r,
                .u = u,
                .report = report,
                .island = island,
                .start = opts->time_limit > 0.0 ? base_clock_cpu() : 0.0,
                .patience = HUGE_VAL};
    if (enumerate(&s)) {
        return CN_OK;
    }
    // Sweeps do without u, and vast problems see nothing else.
    bool sweeps_only = is_vast(p) && !p->convex && solve_boxes_count(p) == 0;
    if (!u && !sweeps_only) {
        s.u = BASE_TAKE(scratch, double, (int64_t)p->dim * p->contacts);
        if (!s.u) {
            return CN_ERR_MEMORY;
        }
    }
    return run_stages(&s);
}

static cn_status solve_island(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                              double *r, double *u, cn_solve_report *report) {
    return solve_stages(p, true, opts, scratch, r, u, report);
}

static cn_status solve_whole(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                             double *r, double *u, cn_solve_report *report) {
    return solve_stages(p, false, opts, scratch, r, u, report);
}

cn_status solve_friction_auto(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                              double *r, double *u, cn_solve_report *report) {
    return !p->convex && solve_has_steep_cones(p)
               ? solve_steep_cones(p, solve_whole, opts, scratch, r, u, report)
               : solve_stages(p, false, opts, scratch, r, u, report);
}
