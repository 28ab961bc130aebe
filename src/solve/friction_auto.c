// solve/friction_auto.c
// The default. Tiny 2D problems by enumeration; else accelerated Gauss-Seidel for as long as it
// promises to be the cheaper way, then proximal Newton from where it came, then in turns with
// growing budgets until a limit ends it.
//
// Costs are counted in multiplications, never timed, so the same problem takes the same way on
// every machine. What comes back is always the best iterate seen, with its honest residual.
#include "base/arena.h"
#include "base/clock.h"
#include "problem/operator.h"
#include "solve/enumerate.h"
#include "solve/friction_nsgs.h"
#include "solve/friction_rows.h"
#include "solve/newton_system.h"

#include <math.h>
#include <string.h>

#define CN_AUTO_LOCAL_COST 100.0  // multiplications' worth of a local solve
#define CN_AUTO_NEWTON_STEPS 12.0 // that a Newton stage is expected to take
#define CN_AUTO_NEWTON_SPEED 4.0  // its multiplications run in dense blocks, this much faster
#define CN_AUTO_PATIENCE 30.0     // sweeps before anything is analysed, and the fewest worth a turn
#define CN_AUTO_BUDGET 100        // Newton steps of the first turn, doubling

// What is left of the limits for the next turn.
typedef struct cn_auto_turns {
    const cn_solve_opts *opts;
    double start;       // [s] CPU
    int32_t iterations; // spent
} cn_auto_turns;

static bool cn_auto_limits(const cn_auto_turns *turns, int32_t budget, cn_solve_opts *opts) {
    int32_t left = turns->opts->max_iterations - turns->iterations;
    opts->max_iterations = budget < left ? budget : left;
    if (turns->opts->time_limit > 0.0) {
        opts->time_limit = turns->opts->time_limit - (cn_clock_cpu() - turns->start);
        return left > 0 && opts->time_limit > 0.0;
    }
    return left > 0;
}

// Sweeps that cost as much as a Newton stage.
static double cn_auto_patience(const cn_friction *p, double newton_cost) {
    double sweep = (double)cn_operator_sweep_cost(&p->W, p->dim, p->contacts) +
                   CN_AUTO_LOCAL_COST * p->contacts;
    return fmax(CN_AUTO_PATIENCE,
                CN_AUTO_NEWTON_STEPS * newton_cost / (CN_AUTO_NEWTON_SPEED * sweep));
}

static bool cn_auto_is_over(cn_status status, const cn_solve_report *report) {
    return status != CN_OK || report->outcome == CN_SOLVED || report->outcome == CN_DIVERGED ||
           report->outcome == CN_TIME || report->outcome == CN_UNSUPPORTED;
}

// One turn of Gauss-Seidel, where there is patience for it, and one of Newton, both from the best r
// so far.
static cn_status cn_auto_turn(const cn_friction *p, cn_auto_turns *turns, double patience,
                              int32_t budget, cn_arena *scratch, double *r, double *u,
                              cn_solve_report *report) {
    cn_solve_opts opts = *turns->opts;
    double error;
    cn_arena_mark mark = cn_arena_get_mark(scratch);
    if (!cn_auto_limits(turns, INT32_MAX, &opts)) {
        return CN_OK;
    }
    cn_status status = CN_OK;
    if (patience >= CN_AUTO_PATIENCE) {
        status = cn_nsgs_run(p, &opts, patience, scratch, r, u, report, &error);
        turns->iterations += report->iterations;
        cn_arena_release(scratch, mark);
    }
    if (cn_auto_is_over(status, report) || !cn_auto_limits(turns, budget, &opts)) {
        return status;
    }
    cn_prox_params params = {.eps = cn_prox_param_table[0].initial};
    memcpy(opts.params, &params, sizeof params);
    status = cn_friction_prox_newton(p, &opts, scratch, r, u, report);
    turns->iterations += report->iterations;
    cn_arena_release(scratch, mark);
    return status;
}

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
    cn_auto_turns turns = {.opts = opts, .start = opts->time_limit > 0.0 ? cn_clock_cpu() : 0.0};
    // Easy problems end here, before anything is analysed.
    double error, newton_cost;
    cn_status status = cn_nsgs_run(p, opts, CN_AUTO_PATIENCE, scratch, r, u, report, &error);
    turns.iterations = report->iterations;
    if (cn_auto_is_over(status, report) || report->outcome == CN_LIMIT) {
        return status;
    }
    status = cn_newton_cost(p, scratch, &newton_cost);
    if (status == CN_ERR_UNSUPPORTED) {
        return cn_friction_nsgs(p, opts, scratch, r, u, report);
    }
    double patience = cn_auto_patience(p, newton_cost) - report->iterations;
    int32_t budget = CN_AUTO_BUDGET;
    while (status == CN_OK) {
        status = cn_auto_turn(p, &turns, patience, budget, scratch, r, u, report);
        report->iterations = turns.iterations;
        if (cn_auto_is_over(status, report) || turns.iterations >= opts->max_iterations) {
            break;
        }
        budget = budget < INT32_MAX / 2 ? 2 * budget : budget;
        patience = fmax(2.0 * patience, CN_AUTO_PATIENCE);
    }
    return status;
}
