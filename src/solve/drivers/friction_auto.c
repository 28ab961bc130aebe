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
#include "solve/drivers/steep_cones.h"
#include "solve/drivers/watch.h"
#include "solve/gauss_seidel/friction_nsgs.h"
#include "solve/newton/friction_prox_newton.h"
#include "solve/pivoting/enumerate.h"

#include <math.h>
#include <string.h>

#define CN_AUTO_NEWTON_STEPS 12.0 // that a Newton stage is expected to take
#define CN_AUTO_ISLAND_STEPS                                                                       \
    48.0 // and on what is left of a problem without its open contacts: all that is hard
#define CN_AUTO_PATIENCE 30.0 // sweeps before anything is analysed, and the fewest of a stage
#define CN_AUTO_GLIDING 300.0 // the same of sweeps with momentum, which are so cheap and go so far
#define CN_AUTO_EPS 0.1 // first weight of the proximal term over the error that the sweeps left
#define CN_AUTO_EPS_LEAST 1e-3
// Times the tolerance: a weight that leaves an error below a loose one is at once enough, and
// far fewer statuses change on the way.
#define CN_AUTO_EPS_LOOSE 100.0
#define CN_AUTO_EPS_MOST 0.1 // of that
#define CN_AUTO_MARGIN 10.0  // of the interior point method: a start far inside is the safer
#define CN_AUTO_DULL 30      // its iterations without a new best
#define CN_AUTO_INTERIOR 100 // its iterations
#define CN_AUTO_BUDGET 250   // Newton steps of the first turn, doubling
#define CN_AUTO_LOOSE 1e-4   // tolerance from which on interior point methods come before Newton
#define CN_AUTO_SWEPT 5e-4   // and from which on packings of spheres are left to sweeps
#define CN_AUTO_SWEEPS                                                                             \
    15000                // for so many: Newton takes 600 steps and more at the margin of rigidity
#define CN_AUTO_PROBE 48 // Newton steps of the first turn, where interior point methods from
#define CN_AUTO_STARTS 3 // so many starts come between it and the longer ones,
#define CN_AUTO_FACTORS 1000 // up to so many contacts, whose factors are cheap,
#define CN_AUTO_IMPATIENT 15 // each for as long as it has a new best within so many iterations
#define CN_AUTO_JOINTED                                                                            \
    0.1 // share of joint blocks above which Newton comes first: sweeps creep along chains
// Residual of joints in a first try, and of what comes to rest, however loose the tolerance.
#define CN_AUTO_AIM 1e-8
#define CN_AUTO_REST 0.1 // share of the error of a start near the answer that a solve may leave
#define CN_AUTO_REST_COST                                                                          \
    100.0 // sweeps that a Newton step may cost where sweeps leave more than that
// Contacts above which there are sweeps only: neither islands nor factors of such a packing fit
// in a reasonable memory.
#define CN_AUTO_VAST 100000
#define CN_AUTO_SMALL                                                                              \
    64 // contacts of an island below which it cannot fill the packets of a sweep: Newton at once

// Sweeps that must fit into what is left of a limit of time, or Newton is not prepared:
// preparing and a first step take some 700 of spheres in single precision, and cannot be stopped
// half-way.
#define CN_AUTO_ANALYSIS 1000.0

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
    return fmin(fmax(CN_AUTO_EPS * error, CN_AUTO_EPS_LEAST), cn_prox_param_table[0].initial);
}

// Interior point methods from well inside the cones, one start after the other; r becomes better or
// stays.
static cn_status cn_auto_interior(cn_auto_turns *turns, const cn_friction *p, int32_t starts,
                                  int32_t patience, cn_arena *scratch, double *r, double *u,
                                  cn_solve_report *report) {
    static const double margins[2][CN_AUTO_STARTS] = {{1.0, CN_AUTO_MARGIN, 0.3},
                                                      {CN_AUTO_MARGIN, 1.0, 0.3}};
    bool safe = starts == 1 || turns->opts->tolerance >= CN_AUTO_LOOSE;
    cn_status status = CN_OK;
    for (int32_t k = 0; k < starts && !cn_auto_is_over(status, report); k++) {
        cn_solve_opts opts = *turns->opts;
        if (!cn_auto_limits(turns, CN_AUTO_INTERIOR, turns->step_work, &opts, report)) {
            break;
        }
        cn_ipm_params params = {.margin = margins[safe][k], .implicit = 1.0, .patience = patience};
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
    return system->p->dim == 3 && contacts >= CN_AUTO_SMALL && contacts <= CN_AUTO_FACTORS &&
           !sweeps->hyperstatic;
}

// Turn k: interior point methods, at the place in the turns that they have, where there are
// contacts only; Newton from the best r so far; Gauss-Seidel from what it left.
static cn_status cn_auto_turn(cn_auto_turns *turns, int32_t k, cn_newton_system *system,
                              cn_nsgs *sweeps, double patience, cn_arena *scratch, double *r,
                              double *u, cn_solve_report *report) {
    cn_solve_opts opts = *turns->opts;
    bool marginal = cn_auto_is_marginal(system, sweeps), loose = opts.tolerance >= CN_AUTO_LOOSE;
    int32_t steps = CN_AUTO_BUDGET << (k < 20 ? k : 20);
    if (cn_boxes_count(system->p) == 0 && k == (marginal && loose ? 0 : 1)) {
        cn_status status =
            cn_auto_interior(turns, system->p, marginal ? CN_AUTO_STARTS : 1,
                             marginal ? CN_AUTO_IMPATIENT : CN_AUTO_DULL, scratch, r, u, report);
        if (cn_auto_is_over(status, report)) {
            return status;
        }
    }
    steps = marginal && !loose && k == 0 ? CN_AUTO_PROBE : steps;
    if (!cn_auto_limits(turns, steps, turns->step_work, &opts, report)) {
        return CN_OK;
    }
    double floor = fmin(CN_AUTO_EPS_LOOSE * opts.tolerance, CN_AUTO_EPS_MOST);
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
    return left * (double)(sweeps > 0 ? sweeps : 1) < CN_AUTO_ANALYSIS * spent;
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
    bool at_once = turns->island && p->contacts < CN_AUTO_SMALL;
    cn_nsgs_start(sweeps, r);
    turns->start_error = sweeps->start_error;
    cn_solve_opts opts = cn_watch_rest(turns->opts, turns->start);
    const cn_nsgs_params *params = (const void *)opts.params;
    if (params->budget > 0.0 && params->budget < opts.max_iterations) {
        opts.max_iterations = params->budget > 1.0 ? (int32_t)params->budget : 1;
    }
    opts.max_iterations = at_once ? 0 : opts.max_iterations;
    double first = sweeps->gliding ? CN_AUTO_GLIDING : CN_AUTO_PATIENCE;
    bool loose = opts.tolerance >= CN_AUTO_LOOSE, swept = opts.tolerance >= CN_AUTO_SWEPT &&
                                                          sweeps->gliding &&
                                                          sweeps->sweep.ops->kind == CN_SWEEP_BALLS;
    if (swept && opts.max_iterations > CN_AUTO_SWEEPS) {
        opts.max_iterations = CN_AUTO_SWEEPS;
    }
    cn_status status = cn_nsgs_go(sweeps, &opts, swept ? HUGE_VAL : first, report);
    cn_auto_spend(turns, report->iterations, 1.0);
    *patience = HUGE_VAL;
    bool goes_on =
        !cn_auto_is_over(status, report) && cn_auto_limits(turns, INT32_MAX, 1.0, &opts, report);
    bool vast = p->contacts > CN_AUTO_VAST;
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
            double steps = hard ? CN_AUTO_ISLAND_STEPS : CN_AUTO_NEWTON_STEPS;
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
    return tight ? fmin(opts->tolerance, CN_AUTO_AIM) : opts->tolerance;
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
    if (cn_auto_limits(turns, p->convex ? INT32_MAX : CN_AUTO_BUDGET, 1.0, &opts, report)) {
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
    bool near = turns->start_error <= CN_NSGS_NEAR * opts.tolerance;
    double enough = fmax(CN_AUTO_REST * turns->start_error, CN_AUTO_AIM);
    if (params->settle == 0 || !near || turns->start_error <= enough || turns->split ||
        sweeps->sweep.ops->kind == CN_SWEEP_BALLS || p->contacts > CN_AUTO_VAST ||
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
    if (error <= enough || turns->step_work > CN_AUTO_REST_COST ||
        !cn_auto_limits(turns, (int32_t)CN_AUTO_NEWTON_STEPS, turns->step_work, &opts, &report)) {
        return CN_OK;
    }
    opts.tolerance = CN_AUTO_AIM;
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
    bool sweeps_only = p->contacts > CN_AUTO_VAST && !p->convex && cn_boxes_count(p) == 0;
    if (!u && !sweeps_only) {
        u = CN_TAKE(scratch, double, (int64_t)p->dim * p->contacts);
        if (!u) {
            return CN_ERR_MEMORY;
        }
    }
    cn_auto_turns turns = {
        .opts = opts, .start = opts->time_limit > 0.0 ? cn_clock_cpu() : 0.0, .island = island};
    if (p->convex || cn_boxes_count(p) > CN_AUTO_JOINTED * p->contacts) {
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
