// solve/drivers/friction_auto.c
// The default. Tiny 2D problems by enumeration; else accelerated Gauss-Seidel for as long as it
// promises to be the cheaper way, then proximal Newton from where it came, then in turns with
// growing budgets, once with interior point methods before them, until a limit ends it. Packings of
// spheres at the margin of rigidity are swept for long at loose tolerances, and have interior point
// methods from several starts before Newton gets more than a few steps. What the
// first sweeps leave unsolved is cut into its islands, which go this way one by one. Where many
// blocks are joints, or the problem is convex, Newton comes first. Solves that start near their
// answer go on past a loose tolerance, so that what stands comes to rest ("settle").
//
// Costs are counted in multiplications, never timed, so the same problem takes the same way on
// every machine. What comes back is always the best iterate seen, with its honest residual.
#include "base/arena.h"
#include "base/clock.h"
#include "solve/drivers/friction_rows.h"
#include "solve/drivers/islands.h"
#include "solve/drivers/joint_rows.h"
#include "solve/drivers/natural_map.h"
#include "solve/drivers/policy.h"
#include "solve/drivers/steep_cones.h"
#include "solve/drivers/watch.h"
#include "solve/gauss_seidel/friction_nsgs.h"
#include "solve/newton/friction_prox_newton.h"
#include "solve/pivoting/enumerate.h"

#include <math.h>
#include <string.h>

static const gs_policy *const policy = &gs_policy_default;

#define CN_AUTO_STARTS 3 // interior point methods tried at the margin of rigidity

// What is left of the limits for the next turn.
typedef struct cn_auto_turns {
    const cn_solve_opts *opts;
    double start;       // [s] CPU
    int32_t iterations; // spent
    double work;        // spent, in sweeps
    double step_work;   // of a Newton step, in sweeps; 0: nothing has been analysed
    double start_error; // of the first guess
    bool island;        // of a problem that has been swept already
    bool split;         // its islands have been solved one by one
} cn_auto_turns;

// Counts n iterations of so much work each.
static void cn_auto_spend(cn_auto_turns *turns, int32_t n, double work) {
    turns->iterations += n;
    turns->work += n * work;
}

// Whether the budget of work is spent.
static bool cn_auto_is_spent(const cn_auto_turns *turns) {
    const cn_nsgs_params *params = (const void *)turns->opts->params;
    return params->budget > 0.0 && turns->work >= params->budget;
}

// Limits of the next stage, of at most count iterations of so much work each; false, with the
// outcome, when nothing is left.
static bool cn_auto_limits(const cn_auto_turns *turns, int32_t count, double work,
                           cn_solve_opts *opts, cn_solve_report *report) {
    const cn_nsgs_params *params = (const void *)turns->opts->params;
    int32_t left = turns->opts->max_iterations - turns->iterations;
    opts->max_iterations = count < left ? count : left;
    if (left <= 0 || cn_auto_is_spent(turns)) {
        report->outcome = left > 0 ? CN_EFFORT : CN_LIMIT;
        report->detail = left > 0 ? "the budget of work is spent" : "out of iterations";
        return false;
    }
    double worth = (params->budget - turns->work) / work;
    if (params->budget > 0.0 && worth < opts->max_iterations) {
        opts->max_iterations = worth > 1.0 ? (int32_t)worth : 1;
    }
    if (turns->opts->time_limit > 0.0) {
        opts->time_limit = turns->opts->time_limit - (cn_clock_cpu() - turns->start);
        if (!(opts->time_limit > 0.0)) {
            report->outcome = CN_TIME;
            report->detail = "out of time";
            return false;
        }
    }
    return true;
}

static bool cn_auto_is_over(cn_status status, const cn_solve_report *report) {
    return status != CN_OK || report->outcome == CN_SOLVED || report->outcome == CN_DIVERGED ||
           report->outcome == CN_TIME || report->outcome == CN_INFEASIBLE ||
           report->outcome == CN_UNSUPPORTED;
}

// The first weight of the proximal term at an error.
static double cn_auto_eps(double error) {
    return fmin(fmax(policy->proximal_share * error, policy->proximal_min),
                cn_prox_param_table[0].initial);
}

// Interior point methods from well inside the cones, one start after the other; r becomes better or
// stays.
static cn_status cn_auto_interior(cn_auto_turns *turns, const cn_friction *p, int32_t starts,
                                  int32_t patience, cn_arena *scratch, double *r, double *u,
                                  cn_solve_report *report) {
    bool safe = starts == 1 || turns->opts->tolerance >= policy->loose_tolerance;
    const double margins[CN_AUTO_STARTS] = {
        safe ? policy->interior_margin_safe : policy->interior_margin,
        safe ? policy->interior_margin : policy->interior_margin_safe,
        policy->interior_margin_last};
    cn_status status = CN_OK;
    for (int32_t k = 0; k < starts && !cn_auto_is_over(status, report); k++) {
        cn_solve_opts opts = *turns->opts;
        if (!cn_auto_limits(turns, policy->interior_iterations, turns->step_work, &opts, report)) {
            break;
        }
        cn_ipm_params params = {.margin = margins[k], .implicit = 1.0, .patience = patience};
        memset(opts.params, 0, sizeof opts.params);
        memcpy(opts.params, &params, sizeof params);
        cn_arena_mark mark = cn_arena_get_mark(scratch);
        status = cn_friction_ipm(p, &opts, scratch, r, u, report);
        cn_arena_release(scratch, mark);
        cn_auto_spend(turns, report->iterations, turns->step_work);
    }
    return status;
}

// Whether interior point methods come before long turns of Newton: at the margin of rigidity, where
// spheres jam, Newton takes hundreds of steps and one of a few interior starts some fifty. Not
// where a hyperstatic set is sure to have many more rows than velocities, which is what Newton is
// best at.
static bool cn_auto_is_marginal(const cn_newton_system *system, const cn_nsgs *sweeps) {
    int32_t contacts = system->p->contacts;
    return system->p->dim == 3 && contacts >= policy->small_island &&
           contacts <= policy->marginal_contacts_max && !sweeps->hyperstatic;
}

// Turn k: interior point methods, at the place in the turns that they have, where there are
// contacts only; Newton from the best r so far; Gauss-Seidel from what it left.
static cn_status cn_auto_turn(cn_auto_turns *turns, int32_t k, cn_newton_system *system,
                              cn_nsgs *sweeps, double patience, cn_arena *scratch, double *r,
                              double *u, cn_solve_report *report) {
    cn_solve_opts opts = *turns->opts;
    bool marginal = cn_auto_is_marginal(system, sweeps),
         loose = opts.tolerance >= policy->loose_tolerance;
    int32_t steps = policy->newton_turn << (k < 20 ? k : 20);
    if (cn_boxes_count(system->p) == 0 && k == (marginal && loose ? 0 : 1)) {
        cn_status status =
            cn_auto_interior(turns, system->p, marginal ? CN_AUTO_STARTS : 1,
                             marginal ? policy->interior_stall_marginal : policy->interior_stall,
                             scratch, r, u, report);
        if (cn_auto_is_over(status, report)) {
            return status;
        }
    }
    steps = marginal && !loose && k == 0 ? policy->newton_probe : steps;
    if (!cn_auto_limits(turns, steps, turns->step_work, &opts, report)) {
        return CN_OK;
    }
    double floor = fmin(policy->proximal_loose * opts.tolerance, policy->proximal_loose_max);
    double eps = fmax(cn_auto_eps(sweeps->best_error), floor);
    cn_status status = cn_prox_newton_run(system, &opts, eps, scratch, r, report);
    cn_auto_spend(turns, report->iterations, turns->step_work);
    if (cn_auto_is_over(status, report) || !cn_auto_limits(turns, INT32_MAX, 1.0, &opts, report)) {
        return status;
    }
    cn_nsgs_start(sweeps, r);
    status = cn_nsgs_go(sweeps, &opts, patience, report);
    cn_nsgs_answer(sweeps, r);
    cn_auto_spend(turns, report->iterations, 1.0);
    return status;
}

// Whether the time left is too short for anything but sweeps, which have taken what is gone.
static bool cn_auto_is_brief(const cn_auto_turns *turns, int64_t sweeps) {
    if (!(turns->opts->time_limit > 0.0)) {
        return false;
    }
    double spent = cn_clock_cpu() - turns->start;
    double left = turns->opts->time_limit - spent;
    return left * (double)(sweeps > 0 ? sweeps : 1) < policy->analysis_sweeps * spent;
}

static cn_friction_fn cn_auto_island;

// The islands of p one by one, where it falls apart.
static cn_status cn_auto_islands(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                                 double *r, double *u, cn_solve_report *report, bool *split) {
    cn_friction body = *p;
    cn_solve_opts own = *opts;
    own.memo = NULL; // it is that of p, whose sweeps may go on
    cn_status status =
        p->W.kind == CN_OPERATOR_BALLS ? cn_friction_expand(p, scratch, &body) : CN_OK;
    return status == CN_OK
               ? cn_islands_solve(&body, cn_auto_island, &own, scratch, r, u, report, split)
               : status;
}

// What Newton needs to know about p, and what a step of it costs. body: room for p in a form that
// it takes.
static cn_status cn_auto_analyse(cn_auto_turns *turns, const cn_friction *p, const cn_nsgs *sweeps,
                                 cn_friction *body, cn_newton_system *system, cn_arena *scratch) {
    cn_status status = cn_friction_expand(p, scratch, body);
    status = status == CN_OK ? cn_newton_analyse(body, scratch, system) : status;
    if (status == CN_OK) {
        turns->step_work = cn_newton_cost(system) / cn_sweep_cost(&sweeps->sweep);
    }
    return status;
}

// Gauss-Seidel for as long as it promises to be the cheaper way; not at all in small islands. Easy
// problems end before anything is analysed. body: room for what is analysed then. *patience: sweeps
// that cost as much as a Newton stage; infinite: there is none, or islands have been solved by
// themselves.
static cn_status cn_auto_begin(const cn_friction *p, cn_auto_turns *turns, cn_nsgs *sweeps,
                               cn_friction *body, cn_newton_system *system, cn_arena *scratch,
                               double *r, double *u, cn_solve_report *report, double *patience) {
    bool at_once = turns->island && p->contacts < policy->small_island;
    cn_nsgs_start(sweeps, r);
    turns->start_error = sweeps->start_error;
    cn_solve_opts opts = cn_watch_rest(turns->opts, turns->start);
    const cn_nsgs_params *params = (const void *)opts.params;
    if (params->budget > 0.0 && params->budget < opts.max_iterations) {
        opts.max_iterations = params->budget > 1.0 ? (int32_t)params->budget : 1;
    }
    opts.max_iterations = at_once ? 0 : opts.max_iterations;
    double first = sweeps->with_momentum ? policy->first_sweeps_momentum : policy->first_sweeps;
    bool loose = opts.tolerance >= policy->loose_tolerance,
         swept = opts.tolerance >= policy->sweeps_only_tolerance && sweeps->with_momentum &&
                 sweeps->sweep.ops->kind == CN_SWEEP_BALLS;
    if (swept && opts.max_iterations > policy->sweeps_only_max) {
        opts.max_iterations = policy->sweeps_only_max;
    }
    cn_status status = cn_nsgs_go(sweeps, &opts, swept ? HUGE_VAL : first, report);
    cn_auto_spend(turns, report->iterations, 1.0);
    *patience = HUGE_VAL;
    bool goes_on =
        !cn_auto_is_over(status, report) && cn_auto_limits(turns, INT32_MAX, 1.0, &opts, report);
    bool vast = p->contacts > policy->vast_contacts;
    if (goes_on && (vast || cn_auto_is_brief(turns, sweeps->sweeps))) {
        status = cn_nsgs_go(sweeps, &opts, HUGE_VAL, report);
        cn_auto_spend(turns, report->iterations, 1.0);
    } else if (goes_on) {
        cn_nsgs_answer(sweeps, r);
        if (!turns->island) {
            status = cn_auto_islands(p, &opts, scratch, r, u, report, &turns->split);
        }
        if (status != CN_OK || turns->split) {
            turns->iterations += report->iterations;
            return status;
        }
        status = cn_auto_analyse(turns, p, sweeps, body, system, scratch);
        if (status == CN_OK) {
            bool plain = p->W.kind == CN_OPERATOR_ASSEMBLED && cn_auto_is_marginal(system, sweeps),
                 hard = turns->island || (loose && plain);
            double steps = hard ? policy->newton_steps_hard : policy->newton_steps;
            *patience = fmax(first, steps * turns->step_work);
        }
        if ((status == CN_OK && !at_once && !swept) || status == CN_ERR_UNSUPPORTED) {
            status = cn_nsgs_go(sweeps, &opts, *patience, report);
            cn_auto_spend(turns, report->iterations, 1.0);
        }
    }
    cn_nsgs_answer(sweeps, r);
    return status;
}

// The error that Newton aims at in a first try of as many steps as settle allows. Equations of
// joints are linear: solving them to round-off costs a step or two more than a loose tolerance, and
// mechanisms keep their energy.
static double cn_auto_aim(const cn_friction *p, const cn_solve_opts *opts) {
    const cn_nsgs_params *params = (const void *)opts->params;
    bool tight = params->settle > 0 && cn_boxes_count(p) > 0;
    return tight ? fmin(opts->tolerance, policy->aim) : opts->tolerance;
}

// Newton before anything else, for problems where joints abound and for convex ones; left as
// stalled where it cannot be used.
static cn_status cn_auto_newton(const cn_friction *p, cn_auto_turns *turns, cn_arena *scratch,
                                double *r, double *u, cn_solve_report *report) {
    cn_newton_system system;
    double *v = CN_TAKE(scratch, double, cn_operator_dofs(&p->W, p->dim));
    if (!v) {
        return CN_ERR_MEMORY;
    }
    cn_friction_velocity(p, r, v, u);
    double error = cn_natural_error(p, turns->opts->measure, r, u);
    cn_solve_opts opts = *turns->opts;
    opts.tolerance = cn_auto_aim(p, &opts);
    if (error <= CN_WATCH_MARGIN * opts.tolerance) {
        report->outcome = CN_SOLVED;
        report->detail = "the first guess is a solution";
        return CN_OK;
    }
    cn_status status = cn_newton_analyse(p, scratch, &system);
    if (status != CN_OK) {
        report->outcome = CN_STALLED;
        return status == CN_ERR_UNSUPPORTED ? CN_OK : status;
    }
    if (opts.tolerance < turns->opts->tolerance) {
        const cn_nsgs_params *params = (const void *)turns->opts->params;
        cn_auto_limits(turns, params->settle, 1.0, &opts, report);
        status = cn_prox_newton_run(&system, &opts, cn_auto_eps(error), scratch, r, report);
        turns->iterations += report->iterations;
        cn_friction_velocity(p, r, v, u);
        error = cn_natural_error(p, turns->opts->measure, r, u);
        if (error <= CN_WATCH_MARGIN * turns->opts->tolerance) {
            report->outcome = CN_SOLVED;
            report->detail = "tolerance reached";
        }
        if (cn_auto_is_over(status, report)) {
            return status;
        }
        opts = *turns->opts;
    }
    // A convex problem is solved by it in the end, however many steps it takes.
    if (cn_auto_limits(turns, p->convex ? INT32_MAX : policy->newton_turn, 1.0, &opts, report)) {
        status = cn_prox_newton_run(&system, &opts, cn_auto_eps(error), scratch, r, report);
        turns->iterations += report->iterations;
    }
    return status;
}

// Goes on past the tolerance by Newton, where the start was near the answer and what solved the
// problem has left a good part of its error: slow modes, such as a column that leans, which sweeps
// hardly see. Step after step they would feed a motion that a tall structure never comes to rest
// from. Not for spheres and disks, whose piles keep rearranging. The answer is the better of both.
static cn_status cn_auto_settle(cn_auto_turns *turns, const cn_friction *p, const cn_nsgs *sweeps,
                                cn_friction *body, cn_newton_system *system, cn_arena *scratch,
                                double *r, double *u) {
    const cn_nsgs_params *params = (const void *)turns->opts->params;
    cn_solve_opts opts = *turns->opts;
    cn_solve_report report = {0};
    bool near = turns->start_error <= policy->near_start * opts.tolerance;
    double enough = fmax(policy->rest_share * turns->start_error, policy->aim);
    if (params->settle == 0 || !near || turns->start_error <= enough || turns->split ||
        sweeps->sweep.ops->kind == CN_SWEEP_BALLS || p->contacts > policy->vast_contacts ||
        cn_auto_is_brief(turns, sweeps->sweeps)) {
        return CN_OK;
    }
    cn_status status =
        turns->step_work > 0.0 ? CN_OK : cn_auto_analyse(turns, p, sweeps, body, system, scratch);
    if (status != CN_OK) {
        return status == CN_ERR_UNSUPPORTED ? CN_OK : status;
    }
    double *v = CN_TAKE(scratch, double, cn_operator_dofs(&body->W, body->dim));
    if (!v) {
        return CN_ERR_MEMORY;
    }
    cn_friction_velocity(body, r, v, u);
    double error = cn_natural_error(body, opts.measure, r, u);
    if (error <= enough || turns->step_work > policy->rest_step_cost ||
        !cn_auto_limits(turns, (int32_t)policy->newton_steps, turns->step_work, &opts, &report)) {
        return CN_OK;
    }
    opts.tolerance = policy->aim;
    status = cn_prox_newton_run(system, &opts, cn_auto_eps(error), scratch, r, &report);
    cn_auto_spend(turns, report.iterations, turns->step_work);
    return status;
}

static cn_status cn_auto_solve(const cn_friction *p, bool island, const cn_solve_opts *opts,
                               cn_arena *scratch, double *r, double *u, cn_solve_report *report) {
    double answer[2 * CN_ENUMERATE_MOST];
    int32_t tried;
    if (cn_enumerate_2d(p, opts->measure, opts->tolerance, answer, &tried) <= opts->tolerance) {
        memcpy(r, answer, sizeof *r * 2 * (size_t)p->contacts);
        report->outcome = CN_SOLVED;
        report->iterations = tried;
        report->detail = "by enumeration of the contact statuses";
        return CN_OK;
    }
    // Sweeps do without u, and vast problems see nothing else.
    bool sweeps_only = p->contacts > policy->vast_contacts && !p->convex && cn_boxes_count(p) == 0;
    if (!u && !sweeps_only) {
        u = CN_TAKE(scratch, double, (int64_t)p->dim * p->contacts);
        if (!u) {
            return CN_ERR_MEMORY;
        }
    }
    cn_auto_turns turns = {
        .opts = opts, .start = opts->time_limit > 0.0 ? cn_clock_cpu() : 0.0, .island = island};
    if (p->convex || cn_boxes_count(p) > policy->joint_share * p->contacts) {
        cn_status status = cn_auto_newton(p, &turns, scratch, r, u, report);
        report->iterations = turns.iterations;
        if (cn_auto_is_over(status, report) || turns.iterations >= opts->max_iterations) {
            return status;
        }
    }
    cn_nsgs sweeps;
    cn_friction body;
    cn_newton_system system;
    double patience = 0.0;
    cn_status status = cn_nsgs_prepare(p, opts, scratch, &sweeps);
    if (status == CN_OK) {
        status =
            cn_auto_begin(p, &turns, &sweeps, &body, &system, scratch, r, u, report, &patience);
    }
    for (int32_t k = 0; !cn_auto_is_over(status, report) && isfinite(patience) &&
                        turns.iterations < opts->max_iterations && !cn_auto_is_spent(&turns);
         k++) {
        patience *= 2.0;
        status = cn_auto_turn(&turns, k, &system, &sweeps, patience, scratch, r, u, report);
    }
    if (!cn_auto_is_over(status, report) && cn_auto_is_spent(&turns)) {
        report->outcome = CN_EFFORT;
        report->detail = "the budget of work is spent";
    }
    if (status == CN_OK && report->outcome == CN_SOLVED) {
        status = cn_auto_settle(&turns, p, &sweeps, &body, &system, scratch, r, u);
    }
    report->iterations = turns.iterations;
    report->work = turns.work;
    return status;
}

static cn_status cn_auto_island(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                                double *r, double *u, cn_solve_report *report) {
    return cn_auto_solve(p, true, opts, scratch, r, u, report);
}

static cn_status cn_auto_whole(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                               double *r, double *u, cn_solve_report *report) {
    return cn_auto_solve(p, false, opts, scratch, r, u, report);
}

cn_status cn_friction_auto(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                           double *r, double *u, cn_solve_report *report) {
    return !p->convex && solve_has_steep_cones(p)
               ? solve_steep_cones(p, cn_auto_whole, opts, scratch, r, u, report)
               : cn_auto_whole(p, opts, scratch, r, u, report);
}
